"""Interpreters of the corpus, as they are, under the specializer in the language and itself.

All of them end on all their programs, but for those of `GROWING`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest

from cogen.lang.datum import Pair
from cogen.lang.printer import write_datum
from cogen.lang.reader import read_datum
from cogen.mix.futamura import compile_with_any, generator
from cogen.mix.system import DEFAULT_LIMIT, MixProgram, phase
from tests.corpus.cases import Case, interpreter, names, pairs
from tests.corpus.measure import expected

SIZES: Final = {
    "binary-schema": 2.0,
    "boyer-moore": 2.6,
    "bytecode-calls": 2.0,
    "earley": 1.4,
    "format": 3.5,
    "imperative-vector": 1.4,
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
    "stack-vm": 1.9,
    "trie": 2.0,
    "unify": 0.8,
}
"""Interpreters that leave nothing of themselves, and how many times as large as programs written
by hand their targets may be."""

CAREFUL: Final = {
    "brainf-zipper": (2.0, "data"),
    "statechart": (2.0, "numbers"),
    "turing": (1.5, "data"),
}
"""The same of those of which some program needs care that what is known does not grow for ever, and
what care that is."""

GROWING: Final = frozenset(
    {"amb", "lazy", "logo", "ml", "scheme-globals", "text-patterns", "two-continuations"}
)
"""Interpreters of which some program has no end there: success continuations, or values and lists
that are known and grow round the loops of the interpreted program."""

EVERYDAY: Final = ("kmp", "mixwell", "statechart", "unify")


def targets(name: str) -> Iterator[tuple[Case, MixProgram]]:
    """The cases of an interpreter with their targets; its compiler makes the same, and is the
    same however it is made."""
    owner = interpreter(name)
    division = "".join("s" if time is None else "d" for time in owner.times)
    annotated = MixProgram.load(owner.path).annotate(owner.entry, division)
    compilers = []
    for level in annotated.levels:
        compilers.append(generator().compiler_by_cogen(level))
        assert compilers[-1].text == generator().compiler_by_mix(level).text
    for case in owner.cases:
        target = annotated.specialize([case.program])
        assert compile_with_any(compilers, annotated, [case.program]).text == target.text
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
        assert pairs(read_datum(f"({target.text})", case.id)) < size * case.ideal_pairs


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(set(names()) - set(SIZES) - set(CAREFUL) - GROWING))
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
