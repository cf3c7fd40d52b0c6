"""The array graph is written as text and read back: what is read is what was written."""

from __future__ import annotations

from pathlib import Path

import pytest

from cogen.array import load, loads
from cogen.array.ir.checkgraph import check
from cogen.array.ir.graphtext import read, write
from cogen.array.optimise.optimisations import Options, combine
from cogen.array.optimise.optimise import fuse, optimise
from cogen.array.optimise.steplimit import Steps
from cogen.array.schedule.showschedule import show
from cogen.lang.errors import CogenError
from tests.cogen.array.comparing import module_outcome
from tests.cogen.array.programs import PROGRAMS, headers

pytestmark = pytest.mark.quick

CASES = [
    pytest.param(path, until, id=f"{path.stem}-{until}")
    for folder, stops in (("text", ("rewrite", None)), ("fusion", ("fuse",)))
    for path in sorted((PROGRAMS / folder).glob("*.l0"))
    for until in stops
]


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("path", "until"), CASES)
def test_what_is_read_is_what_was_written(path: Path, until: str | None) -> None:
    program = load(path)
    runs = [text.partition(" => ")[0] for kind, text in headers(path) if kind == "run"]
    for entry in dict.fromkeys(["main", *[run.partition(" ")[0] for run in runs]]):
        graph, module = optimise(program.facts, entry, until=until)
        text = write(module, graph)
        graph_read, module_read = read(text, program.source)
        check(module_read, "read")
        assert write(module_read, graph_read) == text
        assert show(module_read) == show(module)
        for run in runs:
            name, _, values = run.partition(" ")
            if name == entry:
                assert module_outcome(module_read, values) == module_outcome(module, values)


L0 = """fun int main([int] a) =
  let b = map(fn int (int x) => x * 3, a) in
  reduce(op +, 0, map(op *(2), b))
"""


def test_a_pass_can_start_with_what_is_read() -> None:
    program = loads(L0)
    graph, module = optimise(program.facts, "main", until="fuse")
    graph_read, module_read = read(write(module, graph), program.source)
    for g in (graph, graph_read):
        g.rules = combine(frozenset(), Steps())
    fused, again = (
        fuse(g, m, Options(), Steps()) for g, m in ((graph, module), (graph_read, module_read))
    )
    assert show(again) == show(fused)
    assert show(again).count("multiloop") == 1


FUNCTION = '(module (function "f" none 0 0 {} (names) (layouts) {} {} (results) {}))'
TOKEN = '(parameter n1 "here" (scalar cert 0) false)'
BLOCK = "(block n1 () () ())"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "ends too early"),
        ("(module", "ends too early"),
        ("(module))", "has a parenthesis too many"),
        ("(graph)", "begins with .module"),
        ("(module)", "is not well-formed"),
        ("(module x)", "has `x` in place of a form"),
        ("(module (function 1))", "is not well-formed"),
        (FUNCTION.format("true", "none", "", BLOCK), "uses n1 before it is there"),
        (FUNCTION.format("true", "(odd)", TOKEN, BLOCK), "has a value `odd`, which is none"),
        (FUNCTION.format("true", "none", "(n1 Odd () ())", BLOCK), "a node `Odd`, which is none"),
        (FUNCTION.format("true", "none", "(n1 Iota () (n0))", BLOCK), "uses n0 before it is"),
        (FUNCTION.format("yes", "none", TOKEN, BLOCK), "has `yes` in place of a value"),
        (FUNCTION.format("true", "none", "(constant n1 1 (scalar int 64))", BLOCK), "well-formed"),
        (FUNCTION.format("true", "none", TOKEN, "(block (n1) () () ())"), "in place of a word"),
    ],
)
def test_what_is_no_graph_is_refused(text: str, message: str) -> None:
    with pytest.raises(CogenError, match=message):
        read(text)


def test_a_small_function_is_read() -> None:
    _, module = read(FUNCTION.format("false", '(basic "int")', TOKEN, BLOCK))
    assert (module.entry.name, module.entry.effectful, module.functions) == ("f", False, {})
