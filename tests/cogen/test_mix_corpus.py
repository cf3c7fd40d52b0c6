"""Interpreters of the corpus, as they are, under the specializer in the language and itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest

from cogen.lang.printer import write_datum
from cogen.lang.reader import read_datum
from cogen.mix.futamura import compile_with, generator
from cogen.mix.system import Program
from tests.corpus.cases import Case, interpreter, names, pairs
from tests.corpus.measure import expected

SIZES: Final = {
    "binary-schema": 2.0,
    "boyer-moore": 2.6,
    "bytecode-calls": 2.0,
    "earley": 1.4,
    "format": 3.5,
    "imperative-vector": 2.6,
    "kmp": 1.1,
    "lambda-name": 2.9,
    "lambda-need": 1.6,
    "ll-parser": 1.1,
    "mixwell": 1.8,
    "regex-backtracking": 2.0,
    "regex-derivatives": 1.6,
    "rewriting": 2.8,
    "scheme-alist": 2.9,
    "spreadsheet": 1.5,
    "stack-vm": 2.9,
    "trie": 2.0,
    "unify": 0.8,
}
"""Interpreters that leave nothing of themselves, and how many times as large as programs written
by hand their targets may be."""

UNBOUNDED: Final = {
    "brainf-zipper": "the cells start at 0, which a known test compares",
    "lr-parser": "the stack of states is closures",
    "prolog": "the substitution grows, and is looked at",
    "statechart": "the variables start at 0, which a known test compares",
    "turing": "the left half of the tape starts as '(), which a known test asks for",
}
"""Those of which some program does not end."""

EVERYDAY: Final = ("kmp", "mixwell", "unify")


def targets(name: str) -> Iterator[tuple[Case, Program]]:
    """The cases of an interpreter with their targets; its compiler makes the same, and is the
    same however it is made."""
    owner = interpreter(name)
    division = "".join("s" if time is None else "d" for time in owner.times)
    annotated = Program.load(owner.path).annotate(owner.entry, division)
    compiler = generator().compiler_by_cogen(annotated)
    assert compiler.text == generator().compiler_by_mix(annotated).text
    for case in owner.cases:
        target = annotated.specialize([case.program])
        assert compile_with(compiler, annotated, [case.program]).text == target.text
        found = [write_datum(target.run(owner.entry, list(inputs))) for inputs, _ in case.runs]
        assert found == expected(case)
        yield case, target


@pytest.mark.parametrize("name", SIZES)
def test_nothing_of_the_interpreter_is_left(name: str, request: pytest.FixtureRequest) -> None:
    if name not in EVERYDAY and not request.config.getoption("--long"):
        pytest.skip("three of them every day, all with --long")
    for case, target in targets(name):
        assert pairs(read_datum(f"({target.text})", case.id)) < SIZES[name] * case.ideal_pairs


@pytest.mark.parametrize("name", sorted(set(names()) - set(SIZES) - set(UNBOUNDED)))
def test_what_keeps_parts_of_itself_is_right(name: str, request: pytest.FixtureRequest) -> None:
    """Data that are known in part and come out of an unknown conditional, such as a store or a
    procedure that may be a number as well, are data of the residual program."""
    if not request.config.getoption("--long"):
        pytest.skip("with --long")
    assert list(targets(name))
