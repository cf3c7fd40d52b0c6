"""`cogen dev`: what passes do, step by step; and planted mistakes, which bisection finds."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import cogen
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtext import read as read_graph
from cogen.array.ir.node import (
    Node,
    Operation,
)
from cogen.array.loops import passes as on_loops
from cogen.array.loops.read import read
from cogen.array.optimise.optimisations import MODULES
from cogen.backends.kernel import passes as on_kernels
from cogen.backends.kernel import structured as st
from cogen.backends.kernel.c import emit
from cogen.backends.kernel.load import load_module
from cogen.backends.native import compile
from cogen.cli import main
from cogen.lang import il
from cogen.lang.errors import CogenError
from cogen.lang.iltext import parse
from cogen.lang.iltext import show as show_il
from cogen.specializer.passes import clean as cleaning
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.flow_graph import ATOMS, nodes_of
from cogen.specializer.passes.flow_graph import ResidualGraph as FlowGraph
from tests.cogen.array.targets import has_device

pytestmark = pytest.mark.quick

native = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
)

SCHEME = """
(define (f n m)
  (let loop ((i 0) (sum m))
    (if (= i n) (* sum 21) (loop (+ i 1) (+ sum i)))))
"""
L0 = """fun int main([int] a) =
  let b = map(fn int (int x) => x * 3 + 0, a) in
  reduce(op +, 0, map(op *(2), b))
"""


@pytest.fixture
def dev(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Runs a command where `f.scm` and `f.l0` are: status, output, diagnostics."""
    monkeypatch.chdir(tmp_path)
    Path("f.scm").write_text(SCHEME, encoding="utf-8")
    Path("f.l0").write_text(L0, encoding="utf-8")

    def run(*words: str) -> tuple[int, str, str]:
        status = main(["dev", *words])
        return status, *capsys.readouterr()

    return run


SPECIALIZED = ("f.scm", "--entry", "f", "(dynamic int)", "(static 0)")
Dev = Callable[..., tuple[int, str, str]]


def test_steps_are_numbered(dev: Dev) -> None:
    status, out, _ = dev("steps", *SPECIALIZED)
    assert status == 0
    lines = out.splitlines()
    assert [int(line.split()[0]) for line in lines] == list(range(1, len(lines) + 1))
    assert lines[0].split()[1] == "variants"
    assert any(not line.endswith("-") for line in lines)
    _, without, _ = dev("steps", *SPECIALIZED, "--off", "merge")
    assert "merge" not in without
    _, of_graph, _ = dev("steps", "f.l0")
    assert "map-reduce" in of_graph
    assert of_graph.splitlines()[-1].split()[1] == on_loops.PASSES[-1].name


def test_programs_are_shown_after_some_steps(dev: Dev) -> None:
    _, before, _ = dev("show", *SPECIALIZED, "--steps", "0")
    _, after, _ = dev("show", *SPECIALIZED)
    assert before.startswith("(program")
    assert len(after) < len(before)
    _, scheme, _ = dev("show", *SPECIALIZED, "--stage", "scheme", "--after", "straighten")
    assert "(define (f n)" in scheme
    for stage in ("source", "python", "structured", "c", "whole"):
        assert dev("show", *SPECIALIZED, "--stage", stage)[0] == 0
    _, unfused, _ = dev("show", "f.l0", "--after", "hoisted")
    _, fused, _ = dev("show", "f.l0", "--after", "fuse")
    assert (unfused.count("multiloop"), fused.count("multiloop")) == (3, 1)
    _, plain, _ = dev("show", "f.l0", "--stage", "loops", "--after", "copies")
    _, shared, _ = dev("show", "f.l0", "--stage", "loops", "--after", "share")
    assert "(parallel" not in plain
    assert "(parallel" in shared
    assert "reduce" in dev("show", "f.l0", "--stage", "l0")[1]
    assert read_graph(dev("show", "f.l0", "--stage", "nodes")[1])[1].entry.name == "main"
    assert "cogen_run" in dev("show", "f.l0", "--stage", "c")[1]
    _, cut, _ = dev("show", "f.l0", "--stage", "kernels")
    _, whole, _ = dev("show", "f.l0", "--stage", "kernels", "--off", "cut")
    assert [text.count("(kernel ") > 1 for text in (cut, whole)] == [True, False]
    assert [*map(len, (read(cut), read(whole)))] == [cut.count("(kernel "), 1]
    assert "__kernel" in dev("show", "f.l0", "--stage", "opencl")[1]


def test_passes_are_timed_and_counted(dev: Dev) -> None:
    for words, known in ((SPECIALIZED, "minimise"), (("f.l0",), "fuse")):
        status, out, _ = dev("time", *words)
        rows = {line.split()[0]: line.split()[1:] for line in out.splitlines()[1:]}
        assert status == 0
        assert int(rows[known][1]) >= 1
        assert all(float(row[2]) >= 0 for row in rows.values())


def test_programs_are_checked_after_each_pass(dev: Dev, monkeypatch: pytest.MonkeyPatch) -> None:
    assert dev("check", *SPECIALIZED)[:2] == (0, "well-formed after each pass\n")
    assert dev("check", "f.l0")[:2] == (0, "well-formed after each pass\n")

    def break_(graph: FlowGraph) -> bool:
        for procedure in graph.procedures.values():
            for node in nodes_of(procedure):
                node.items.clear()
        return False

    planted(monkeypatch, "sink", break_)
    status, out, _ = dev("check", *SPECIALIZED)
    assert status == 1
    assert out.startswith("after sink (step ")


def planted(monkeypatch: pytest.MonkeyPatch, name: str, run: Callable[[FlowGraph], bool]) -> None:
    """Another pass of that name."""
    passes = [replace(p, run=run) if p.name == name else p for p in cleaning.PASSES]
    monkeypatch.setattr(cleaning, "PASSES", tuple(passes))


def is_21(atom: il.Atom) -> bool:
    return isinstance(atom, il.Const) and atom.value == 21


def doubling(graph: FlowGraph) -> bool:
    """A wrong pass: 21 becomes 42."""
    changed = False
    for procedure in graph.procedures.values():
        for node in nodes_of(procedure):
            for item in node.items:
                if isinstance(item, flow.Operation) and any(map(is_21, item.arguments)):
                    doubled = [il.Const(42) if is_21(a) else a for a in item.arguments]
                    item.arguments = tuple(doubled)
                    changed = True
    if changed:
        graph.changed(ATOMS)
    return changed


@pytest.mark.parametrize("way", ["interp", "python", pytest.param("c", marks=native)])
def test_a_wrong_pass_is_found(dev: Dev, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    words = ("bisect", *SPECIALIZED, "--arg", "5", "--way", way)
    assert dev(*words)[1].endswith("steps: 210\n")
    planted(monkeypatch, "number", doubling)
    status, out, _ = dev(*words)
    assert status == 1
    lines = out.splitlines()
    assert lines[:2] == ["expected: 210", "found:    420"]
    assert lines[2].endswith("is to blame: number")
    changed = [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert any("21" in line for line in changed if line[0] == "-")
    assert any("42" in line for line in changed if line[0] == "+")
    assert dev(*words, "--off", "number")[0] == 0


def test_a_wrong_pass_before_c_is_found(dev: Dev, monkeypatch: pytest.MonkeyPatch) -> None:
    """The way `whole` goes on with the passes before the C of whole programs."""
    words = ("bisect", *SPECIALIZED, "--arg", "5", "--way", "whole")
    assert dev(*words)[1].endswith("steps: 210\n")

    def wrong(program: il.Program, entry: str | None) -> il.Program:
        return parse(show_il(program).replace("'21", "'42"))

    passes = [(name, wrong if name == "contify" else run) for name, run in compile.PASSES]
    monkeypatch.setattr(compile, "PASSES", tuple(passes))
    status, out, _ = dev(*words)
    assert status == 1
    assert "is to blame: whole-contify" in out
    assert dev(*words, "--off", "whole-contify")[0] == 0
    _, before, _ = dev("show", *SPECIALIZED, "--stage", "whole", "--after", "whole-inline")
    _, after, _ = dev("show", *SPECIALIZED, "--stage", "whole", "--after", "whole-contify")
    assert ("'42" in before, "'42" in after) == (False, True)


def test_passes_before_c_are_checked_and_timed(dev: Dev, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"whole-{name}" for name, _ in compile.PASSES]
    _, timed, _ = dev("time", *SPECIALIZED)
    assert [line.split()[0] for line in timed.splitlines()][-len(names) :] == names
    _, steps, _ = dev("steps", *SPECIALIZED, "--way", "whole")
    assert [line.split()[1] for line in steps.splitlines()][-len(names) :] == names

    def wrong(program: il.Program, entry: str | None) -> il.Program:
        return parse(show_il(program).replace("'21", "nothing"))

    passes = [(name, wrong if name == "inline" else run) for name, run in compile.PASSES]
    monkeypatch.setattr(compile, "PASSES", tuple(passes))
    status, out, _ = dev("check", *SPECIALIZED)
    assert status == 1
    assert out.startswith("after whole-inline: ")


@pytest.mark.one_in(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "way"),
    [(("f.l0",), "c"), (("f.l0",), "opencl"), (SPECIALIZED, "c"), (SPECIALIZED, "whole")],
    ids=["loops", "devices", "kernels", "whole"],
)
def test_each_step_can_be_stopped_after_and_left_out(
    dev: Dev, words: tuple[str, ...], way: str
) -> None:
    """Of each road: the names that are listed are those that the other commands take."""
    _, steps, _ = dev("steps", *words, "--way", way)
    names = dict.fromkeys([line.split()[1] for line in steps.splitlines()])
    where = {"opencl": ("--stage", "kernels")}.get(way, ())
    for name in names:
        assert dev("show", *words, *where, "--after", name)[0] == 0, name
        _, rest, _ = dev("steps", *words, "--way", way, "--off", name.partition(".")[0])
        assert name not in [line.split()[1] for line in rest.splitlines()]
    module = next((name.partition(".")[0] for name in names if "." in name), None)
    assert module is None or dev("show", *words, "--after", module)[0] == 0


def test_what_a_pass_has_done_is_shown_where_it_is_seen(dev: Dev) -> None:
    """Without a stage: that of the pass."""
    assert "(parallel" in dev("show", "f.l0", "--after", "share")[1]
    assert dev("show", "f.l0", "--after", "cut")[1].count("(kernel ") > 1
    assert "multiloop" in dev("show", "f.l0", "--after", "fuse")[1]
    _, kernel, _ = dev("show", *SPECIALIZED, "--after", "kernel-prune")
    assert kernel.startswith("(procedure") or "(loop" in kernel
    assert dev("show", *SPECIALIZED, "--after", "whole-given")[1].startswith("(program")


def test_forms_of_kernels_are_timed(dev: Dev) -> None:
    _, timed, _ = dev("time", "f.l0")
    rows = {line.split()[0]: line.split()[1:] for line in timed.splitlines()[1:]}
    assert int(rows["cut"][0]) == 1
    assert int(rows["cut"][1]) > 1  # kernels


@pytest.mark.slow
@pytest.mark.skipif(not has_device(), reason="there is no OpenCL device here")
def test_devices_are_a_way(dev: Dev) -> None:
    assert dev("bisect", "f.l0", "--arg", "[1, 2]", "--way", "opencl")[1].endswith("steps: 18\n")


def planted_on_kernels(
    monkeypatch: pytest.MonkeyPatch, name: str, run: Callable[..., None]
) -> None:
    """Another pass of that name on the code of kernels."""
    for list_ in ("CHANGES", "MARKS"):
        passes = [replace(p, run=run) if p.name == name else p for p in getattr(on_kernels, list_)]
        monkeypatch.setattr(on_kernels, list_, tuple(passes))


@native
@pytest.mark.parametrize(("name", "stage"), [("distances", "structured"), ("lanes", "c")])
def test_a_wrong_pass_on_kernels_is_found(
    dev: Dev, monkeypatch: pytest.MonkeyPatch, name: str, stage: str
) -> None:
    words = ("bisect", *SPECIALIZED, "--arg", "5", "--way", "c")

    def wrong(kernel: on_kernels.StructuredKernel | on_kernels.MarkedKernel) -> None:
        for procedure in kernel.procedures:
            for statement in st.walk(procedure.body):
                if isinstance(statement, st.Op) and any(map(is_21, statement.arguments)):
                    doubled = [il.Const(42) if is_21(a) else a for a in statement.arguments]
                    statement.arguments = tuple(doubled)

    planted_on_kernels(monkeypatch, name, wrong)
    status, out, _ = dev(*words)
    assert status == 1
    assert out.splitlines()[:2] == ["expected: 210", "found:    420"]
    assert f"is to blame: kernel-{name}" in out
    assert "42" in out.partition("is to blame")[2]
    assert dev(*words, "--off", f"kernel-{name}")[0] == 0
    before, after = (
        dev("show", *SPECIALIZED, "--stage", stage, "--after", f"kernel-{one}")[1]
        for one in ("branches", name)
    )
    assert ("42" in before, "42" in after) == (False, True)


def test_kernels_are_checked_after_each_pass(dev: Dev, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(kernel: on_kernels.MarkedKernel) -> None:
        for procedure in kernel.procedures:
            procedure.body.clear()

    planted_on_kernels(monkeypatch, "ranges", wrong)
    assert dev("check", *SPECIALIZED)[:2] == (1, "after ranges: f: control goes past its end\n")


BYTES = """
(define (f a b n)
  (let loop ((i 0) (most 0) (last 0))
    (if (< i n)
        (let ((x (load-word a i)))
          (store-word! b i (bitwise-and (+ x 1) 255))
          (loop (+ i 1) (max most x) (+ last (load-word a (+ i 1)))))
        (+ last (* 1000 most)))))
"""


@pytest.mark.slow
@native
@pytest.mark.parametrize("checked", [False, True])
def test_each_pass_on_kernels_can_be_left_out(checked: bool) -> None:
    """All means the same, and what is left is well-formed."""
    times = [cogen.dynamic("memory"), cogen.dynamic("memory"), cogen.dynamic("int")]
    made = cogen.specialize(cogen.loads(BYTES), "f", *times, word_size=8, checked=checked)
    whole = emit(made.program).text
    matter = set()
    for off in (*[{name} for name in on_kernels.NAMES], set(), {*on_kernels.NAMES}):
        module = emit(made.program, off=frozenset(off), after=on_kernels.verify)
        matter |= off if len(off) == 1 and module.text != whole else set()
        run, out = load_module(module), bytearray(4)
        assert run(bytes([5, 7, 9, 1, 2]), out, 4) == 9000 + 19
        assert bytes(out) == bytes([6, 8, 10, 2])
        with pytest.raises(CogenError, match="word index 5 is not in 0 to 4"):
            run(bytes([5, 7, 9, 1, 2]), bytearray(5), 5)
    assert matter == {"ranges", "count", "lanes"}


def test_a_wrong_rule_of_the_graph_is_found(dev: Dev, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(graph: Graph, node: Operation) -> Node | None:
        """x * 2 -> x * 4"""
        if node.name != "int.mul" or node.operands[1] is not graph.integer(2):
            return None
        return graph.operation("int.mul", node.operands[0], graph.integer(4))

    rules: Any = {Operation: [wrong], **MODULES["loops"]}
    monkeypatch.setitem(MODULES, "loops", rules)
    status, out, _ = dev("bisect", "f.l0", "--arg", "[1, 2]")
    assert status == 1
    assert out.splitlines()[:2] == ["expected: 18", "found:    36"]
    assert "is to blame: loops.wrong" in out
    assert "\n+" in out
    assert dev("bisect", "f.l0", "--arg", "[1, 2]", "--off", "loops")[0] == 0


@pytest.mark.slow
@native
def test_a_wrong_pass_on_loops_is_found(dev: Dev, monkeypatch: pytest.MonkeyPatch) -> None:
    from cogen.array.loops import show
    from cogen.array.loops.read import read

    def wrong(functions: Sequence[Any]) -> Sequence[Any]:
        return read(show.show(functions).replace(" x 6)", " x 7)"))

    broken = [replace(p, run=wrong) if p.name == "depth" else p for p in on_loops.PASSES]
    monkeypatch.setattr(on_loops, "PASSES", tuple(broken))
    monkeypatch.setattr("cogen.array.c.cprogram.PASSES", tuple(broken))
    status, out, _ = dev("bisect", "f.l0", "--arg", "[1, 2]", "--way", "c")
    assert status == 1
    assert "is to blame: depth" in out


def test_what_is_wrong_before_the_first_step_is_said(
    dev: Dev, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cogen.dev.scheme.SchemeRoad.expected", lambda road: "7")
    status, out, _ = dev("bisect", *SPECIALIZED, "--arg", "5")
    assert status == 1
    assert "wrong before the first of " in out


def test_structures_are_put_together_for_the_source(dev: Dev) -> None:
    Path("g.scm").write_text("(define (g p v) (list (car p) (vector-ref v 0) p))", "utf-8")
    times = ["(cons (static 1) _)", "(vector _ (static 2))"]
    status, out, _ = dev("bisect", "g.scm", "--entry", "g", *times, "--arg", "b", "--arg", "c")
    assert (status, out.rpartition("steps: ")[2]) == (0, "(1 c (1 . b))\n")


COMMANDS = re.findall(
    r"^    cogen dev (.*)$",
    (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8"),
    re.MULTILINE,
)


@native
@pytest.mark.parametrize("line", COMMANDS)
def test_the_commands_of_the_page_run(dev: Dev, line: str) -> None:
    status, out, _ = dev(*shlex.split(line, comments=True))
    assert (status, out != "") == (0, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("show", *SPECIALIZED, "--stage", "loops"), "there is no stage loops"),
        (("show", *SPECIALIZED, "--after", "fuse"), "no step is of `fuse`"),
        (("show", *SPECIALIZED, "--after", "merge", "--steps", "1"), "both say where to stop"),
        (("bisect", *SPECIALIZED, "--way", "opencl"), "there is no way opencl"),
        (("bisect", "f.l0", "_"), "a program in L0 has no binding times"),
        (("steps", *SPECIALIZED, "--off", "fuse"), "there is no pass `fuse`"),
        (("bisect", *SPECIALIZED), "fewer arguments than unknown parts"),
    ],
)
def test_mistakes_of_the_command_line(dev: Dev, words: tuple[str, ...], message: str) -> None:
    status, out, err = dev(*words)
    assert (status != 0, out) == (True, "")
    assert message in err
