"""Interpreters of the corpus, as they are, under the specializer in the language and itself.

All of them end on all their programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest

from cogen.binding_times import Static
from cogen.lang.datum import Pair
from cogen.lang.printer import write_datum
from cogen.lang.reader import read_datum
from cogen.mix.futamura import compile_with_any, generator
from cogen.mix.system import DEFAULT_LIMIT, Annotated, MixProgram, phase
from tests.corpus.cases import Case, Interpreter, interpreter, names, pairs
from tests.corpus.measure import expected, leftovers

SIZES: Final = {
    "basic": 1.6,
    "binary-schema": 2.0,
    "boyer-moore": 2.6,
    "bytecode-calls": 2.0,
    "earley": 1.4,
    "format": 3.5,
    "imperative-vector": 1.4,
    "jsonpath": 1.9,
    "kmp": 1.1,
    "lambda-name": 2.9,
    "lambda-need": 1.6,
    "ll-parser": 1.8,
    "mixwell": 1.8,
    "ml": 2.6,
    "patterns": 2.9,
    "regex-backtracking": 2.0,
    "regex-derivatives": 1.6,
    "rewriting": 2.6,
    "scheme-alist": 2.9,
    "spreadsheet": 1.5,
    "sql": 2.3,
    "stack-vm": 1.9,
    "text-patterns": 2.2,
    "trie": 2.0,
    "unify": 0.8,
}
"""Interpreters of whose programs no piece is left as data, and how many times as large as programs
written by hand their targets may be."""

CAREFUL: Final = {
    "brainf-zipper": (2.0, "data"),
    "statechart": (2.0, "numbers"),
    "turing": (1.5, "data"),
}
"""The same of those of which some program needs care that what is known does not grow for ever, and
what care that is."""

EVERYDAY: Final = ("kmp", "mixwell", "statechart", "unify")


def annotate(owner: Interpreter) -> Annotated:
    """An interpreter for programs that are known."""
    letters = ["s" if time is None or isinstance(time, Static) else "d" for time in owner.times]
    return MixProgram.load(owner.path).annotate(owner.entry, "".join(letters))


def targets(name: str) -> Iterator[tuple[Case, MixProgram]]:
    """The cases of an interpreter with their targets; its compiler makes the same, and is the
    same however it is made."""
    owner = interpreter(name)
    annotated = annotate(owner)
    compilers = []
    for level in annotated.levels:
        compilers.append(generator().compiler_by_cogen(level))
        assert compilers[-1].text == generator().compiler_by_mix(level).text
    for case in owner.cases:
        known = [time.value for time in case.times if isinstance(time, Static)]
        target = annotated.specialize(known)
        assert compile_with_any(compilers, annotated, known).text == target.text
        found = [write_datum(target.run(owner.entry, list(inputs))) for inputs, _ in case.runs]
        assert found == expected(case)
        yield case, target


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in EVERYDAY else pytest.mark.long)
        for name in (*SIZES, *CAREFUL)
    ],
)
def test_nothing_of_the_interpreter_is_left(name: str) -> None:
    size = SIZES[name] if name in SIZES else CAREFUL[name][0]
    for case, target in targets(name):
        residual = read_datum(f"({target.text})", case.id)
        assert pairs(residual) < size * case.ideal_pairs
        if name in SIZES:
            assert not [what for what in leftovers(case, residual) if what.startswith("'")]


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(set(names()) - set(SIZES) - set(CAREFUL)))
def test_what_keeps_parts_of_itself_is_right(name: str) -> None:
    """Data that are known in part and come out of an unknown conditional, such as a store or a
    procedure that may be a number as well, are data of the residual program."""
    assert list(targets(name))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", CAREFUL)
def test_only_what_grows_for_ever_is_code(name: str) -> None:
    """No more care is taken than some program needs."""
    owner = interpreter(name)
    annotated = MixProgram.load(owner.path).annotate(owner.entry, "sd")
    needed = [level.care for level in annotated.levels]
    assert CAREFUL[name][1] in needed
    for case in owner.cases:
        rest = [DEFAULT_LIMIT, annotated.statics([case.program])]
        ends = [
            level.care
            for level in annotated.levels
            if isinstance(phase("mix").call("mix", [*level.as_known(), *rest]), Pair)
        ]
        assert ends[0] in ("none", CAREFUL[name][1])
