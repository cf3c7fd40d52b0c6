"""The text of residual programs as it was reviewed: Scheme, Python, and C.

Each file of `tests/programs/text` begins with a paragraph on what it shows, and then a line for
each residual program: the entry, the binding times of its parameters, and options of
`cogen specialize`.  C is that of kernels where there is one, else that of a whole program, which is
recorded without its run time.
"""

from __future__ import annotations

import ast
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import cogen
from cogen.backends.kernel import coperations
from cogen.backends.kernel import structured as st
from cogen.backends.kernel.c import emit
from cogen.backends.kernel.structure import structure
from cogen.backends.native import operations
from cogen.backends.native.compile import c_text
from cogen.binding_times import parse_bt
from cogen.lang import il
from cogen.lang.errors import LimitationError
from cogen.lang.ilutil import all_blocks
from tests.conftest import GOLDEN, text_difference

pytestmark = pytest.mark.quick

PROGRAMS = Path(__file__).parents[1] / "programs" / "text"

Golden = Callable[..., None]


@dataclass(frozen=True)
class Case:
    """A residual program: `options` are those of `cogen.specialize`."""

    path: Path
    entry: str
    bts: tuple[str, ...]
    options: tuple[tuple[str, Any], ...]

    def __str__(self) -> str:
        return f"{self.path.stem}-{self.entry}"


def cases(path: Path) -> Iterator[Case]:
    """The residual programs of a file."""
    head = path.read_text(encoding="utf-8").split("\n\n")[0].splitlines()
    for line in head[head.index(";") + 1 :]:
        entry, *words = shlex.split(line.removeprefix(";"))
        bts: list[str] = []
        options: list[tuple[str, Any]] = []
        while words:
            word = words.pop(0)
            if word == "--word-size":
                options.append(("word_size", int(words.pop(0))))
            elif word == "--checked":
                options.append(("checked", True))
            else:
                bts.append(word)
        yield Case(path, entry, tuple(bts), tuple(options))


CASES = [case for path in sorted(PROGRAMS.glob("*.scm")) for case in cases(path)]

programs = pytest.mark.parametrize("case", CASES, ids=str)


@cache
def made(case: Case) -> cogen.Residual:
    program = cogen.load(case.path)
    bts = [parse_bt(text) for text in case.bts]
    return cogen.specialize(program, case.entry, *bts, **dict(case.options))


def own(text: str, case: Case) -> str:
    """A text that calls the file by its name."""
    return text.replace(str(case.path), case.path.name)


def kernel(case: Case) -> str | None:
    """The C text of a kernel, if the program is one."""
    try:
        return emit(made(case).program).text
    except LimitationError:
        return None


def whole(case: Case) -> str:
    """The C text of a whole program without its run time."""
    residual = made(case).program
    return c_text(residual.program, residual.entry, residual.word_size).text


@programs
def test_scheme(case: Case, golden: Golden) -> None:
    golden(own(made(case).scheme, case), ".scm")


@programs
def test_python(case: Case, golden: Golden) -> None:
    golden(own(made(case).python, case), ".py")


@programs
def test_c(case: Case, golden: Golden) -> None:
    text = kernel(case)
    golden(own(whole(case) if text is None else text, case), ".c")


@pytest.mark.parametrize("case", [c for c in CASES if str(c) in ("loops-search", "loops-fib")],
                         ids=str)  # fmt: skip
def test_whole(case: Case, golden: Golden) -> None:
    """What kernels can be, as whole programs."""
    golden(own(whole(case), case), ".c")


# -- What the programs show together --------------------------------------------------------------

FOLDED = {"early=", "lift", "set-base", "values", "word-size"}
"""Operations that no program has after its specialization."""

FORMS = {
    "and", "cond", "define", "define-record-type", "else", "if", "lambda", "let", "let*",
    "let-values", "not", "or", "set!", "unless", "when",
}  # fmt: skip

STATEMENTS = (
    ast.Assign, ast.Break, ast.Continue, ast.For, ast.FunctionDef, ast.If, ast.IfExp, ast.Lambda,
    ast.Return, ast.While,
)  # fmt: skip


def operations_of(program: il.Program) -> set[str]:
    """The operations of a residual program."""
    bindings = [binding for block in all_blocks(program) for binding in block.bindings]
    return {binding.op for binding in bindings if isinstance(binding, il.Let)}


def test_kernels_have_every_operation_and_statement() -> None:
    found: set[str] = set()
    kinds: set[type] = set()
    for case in CASES:
        if kernel(case) is None:
            continue
        for item in made(case).program.program.items:
            assert isinstance(item, il.Define)
            for statement in st.walk(structure(item.function).body):
                kinds.add(type(statement))
                if isinstance(statement, st.Op):
                    found.add(statement.op)
    assert set(coperations.RULES) - found == FOLDED
    # a round that ends before the end of its loop's body is a loop of its own there
    assert set(st.Statement.__args__) - kinds == {st.Again}


def test_whole_programs_have_every_operation_in_line() -> None:
    found: set[str] = set()
    for case in CASES:
        if kernel(case) is None:
            found |= operations_of(made(case).program.program)
    tables = (
        operations.CONDITIONS, operations.TESTS, operations.VALUES, operations.EFFECTS,
        operations.COPIES, operations.WORDS,
    )  # fmt: skip
    internal = {name for table in tables for name in table if name.startswith("%")}
    missing = set().union(*tables) - found - internal
    elsewhere = {
        "peek-char",
        "read-char",
        "write-char",
    }  # tests/cogen/nativecode/test_native_reading.py
    assert missing - elsewhere == {
        "boolean?", "eof-object", "known-size?", "known?", "lift", "values?"
    }  # fmt: skip


def test_scheme_has_every_form() -> None:
    words = {
        word
        for case in CASES
        for word in made(case).scheme.replace("(", " ").replace(")", " ").split()
    }
    assert words >= FORMS


def test_python_has_every_statement() -> None:
    kinds = {type(node) for case in CASES for node in ast.walk(ast.parse(made(case).python))}
    assert kinds >= set(STATEMENTS)


# -- The record -----------------------------------------------------------------------------------


def test_nothing_is_recorded_that_no_test_makes() -> None:
    expected = {
        f"{form}-{case}{suffix}"
        for case in CASES
        for form, suffix in (("scheme", ".scm"), ("python", ".py"), ("c", ".c"))
    }
    expected |= {"whole-loops-search.c", "whole-loops-fib.c"}
    assert {path.name for path in (GOLDEN / "residual_text").iterdir()} == expected


def test_a_difference_is_shown_in_lines() -> None:
    path = GOLDEN / "residual_text" / "f.scm"
    assert text_difference("a\nb\n", "a\nb\n", path) is None
    shown = text_difference("a\nb\nc\n", "a\nB\nc\n", path)
    assert shown is not None
    assert shown.splitlines() == [
        "--- tests/golden/residual_text/f.scm (recorded)", "+++ now", "@@ -1,3 +1,3 @@",
        " a", "-b", "+B", " c",
    ]  # fmt: skip
    assert "ends of lines" in (text_difference("a\n", "a", path) or "")
