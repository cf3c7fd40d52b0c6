"""`cogen array fuse-report` and `cogen array graph`."""

from __future__ import annotations

import io
import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from cogen.array import Program, load, loads
from cogen.array.fusion.fuse import FusionOptions
from cogen.array.fusion.rulenames import RULES
from cogen.array.report.dot import dot
from cogen.array.report.fusionreport import data_flow, report
from cogen.array.report.svg import svg
from cogen.cli import main
from tests.cogen.array.programs import PROGRAMS
from tests.cogen.array.test_empty_tuples import written

pytestmark = pytest.mark.quick

FUSION = PROGRAMS / "fusion"

TEXT = """\
fun {[int], int} main([int] a, int n) =
  let b = map(op *(2), a) in
  let {c, d} = unzip(map(fn {int, int} (int x) => {x, x + n}, b)) in
  let s = reduce(op +, 0, d) in
  {map(op -(s), c), b[0]}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "p.l0"
    path.write_text(TEXT, encoding="utf-8")
    return path


class Input:
    """A standard input with bytes, as `sys.stdin` has them."""

    def __init__(self, text: str) -> None:
        self.buffer = io.BytesIO(text.encode())


@dataclass
class Outcome:
    """Exit status and outputs of a command."""

    exit_code: int
    stdout: str
    stderr: str


Invoke = Callable[..., Outcome]


@pytest.fixture
def invoke(capfd: pytest.CaptureFixture[str]) -> Invoke:
    def run(*arguments: str) -> Outcome:
        capfd.readouterr()
        status = main(["array", *arguments])
        return Outcome(status, *capfd.readouterr())

    return run


def test_json(invoke: Invoke, program: Path) -> None:
    result = invoke("fuse-report", str(program), "--json", "--no-duplicate")
    assert result.exit_code == 0
    data = json.loads(result.stdout)
    assert list(data) == ["version", "file", "entry", "operations", "soacs", "arrays"]
    assert (data["version"], data["file"], data["entry"]) == (1, str(program), "main")
    assert data["operations"] == [
        {
            "id": 1,
            "line": 2,
            "column": 11,
            "operation": "map",
            "name": "b",
            "into": [1],
            "rule": "map-map",
            "because": "duplicates-work",
            "blocker": {"line": 5, "column": 4},
        },
        {
            "id": 2,
            "line": 3,
            "column": 22,
            "operation": "map",
            "name": "{c, d}",
            "into": [1],
            "rule": "map-reduce",
            "because": None,
            "blocker": None,
        },
        {
            "id": 3,
            "line": 4,
            "column": 11,
            "operation": "reduce",
            "name": "s",
            "into": [1],
            "rule": "map-reduce",
            "because": None,
            "blocker": None,
        },
        {
            "id": 4,
            "line": 5,
            "column": 4,
            "operation": "map",
            "name": None,
            "into": [2],
            "rule": None,
            "because": "needed-as-result",
            "blocker": None,
        },
    ]
    assert data["soacs"] == [
        {"id": 1, "kind": "map+redomap", "path": [], "line": 4, "column": 11},
        {"id": 2, "kind": "map", "path": [], "line": 5, "column": 4},
    ]
    assert data["arrays"] == 1


def test_cheap_work_is_duplicated_by_default(invoke: Invoke, program: Path) -> None:
    data = json.loads(invoke("fuse-report", str(program), "--json").stdout)
    assert data["arrays"] == 0
    (first, *_) = data["operations"]
    assert (first["into"], first["because"]) == ([1, 2], None)


def test_table(invoke: Invoke, program: Path) -> None:
    result = invoke("fuse-report", str(program), "--no-duplicate")
    assert result.exit_code == 0
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    assert lines[0] == f"{program}: main"
    assert lines[1] == "   2 |   let b = map(op *(2), a) in"
    assert lines[2].split() == [
        "map", "b", "in", "loop", "1", "map-map", "(duplicates-work,", "line", "5)",
    ]  # fmt: skip
    assert "├── loop 1: map+redomap, line 4" in lines
    assert lines[-1] == "intermediate arrays in memory: 1"


def test_loops_are_shown_as_they_are_nested(invoke: Invoke) -> None:
    result = invoke("fuse-report", str(PROGRAMS / "p1.l0"))
    tree = result.stdout[result.stdout.index("loops that remain") :].splitlines()
    assert [line.rstrip() for line in tree] == [
        "loops that remain",
        "└── loop 1: map, line 15",
        "    └── loop 2: map, line 6",
        "        └── loop 3: redomap, line 5",
        "intermediate arrays in memory: 0",
    ]


def test_the_entry_is_main_or_the_last_function(invoke: Invoke) -> None:
    found = json.loads(invoke("fuse-report", str(PROGRAMS / "p0.l0"), "--json").stdout)
    assert found["entry"] == "blackscholes"
    found = json.loads(
        invoke("fuse-report", str(PROGRAMS / "p2.l0"), "--entry", "min1", "--json").stdout
    )
    assert found["entry"] == "min1"


def test_a_program_from_standard_input(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Input(TEXT))
    result = invoke("fuse-report", "-", "--json")
    assert json.loads(result.stdout)["file"] == "<stdin>"


def test_wrong_usage(invoke: Invoke, program: Path) -> None:
    result = invoke("fuse-report", str(program), "--entry", "nothing")
    assert result.exit_code == 2
    assert "does not define the function `nothing`" in result.stderr
    result = invoke("graph", str(program), "-o", "graph.png")
    assert result.exit_code == 2
    assert "graph.png is neither .dot, .svg nor .html" in result.stderr
    assert not Path("graph.png").exists()


def test_wrong_programs(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Input("fun int main(int x) = y"))
    result = invoke("fuse-report", "-")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("<stdin>:1:23: error: ")


def test_paths_name_loops_and_branches() -> None:
    text = """
    fun [int] main([int] a, int n, bool c) =
      loop (a) = for i < n do
        if c then map(fn int (int x) => reduce(op +, x, iota(i)), a) else map(op +(1), a)
      in a
    """
    found = report(loads(text))
    assert [(soac.path, soac.kind) for soac in found.soacs] == [
        (("loop", "then"), "map"),
        (("loop", "then", "map"), "redomap"),
        (("loop", "else"), "map"),
    ]


def test_operations_of_an_inlined_function_are_one() -> None:
    found = report(load(FUSION / "called_twice.l0"))
    assert [o.operation for o in found.operations] == ["map", "reduce", "map"]


def test_dot() -> None:
    flow = data_flow(load(PROGRAMS / "p1.l0"), before=True)
    text = dot(flow)
    assert text.startswith('digraph "main" {\n')
    assert text.count('label="map ') == 6
    assert text.count("subgraph cluster_") == 5
    names = {line.split()[0] for line in text.splitlines() if " [label=" in line}
    ends = [line.strip(" ;").split(" -> ") for line in text.splitlines() if " -> " in line]
    assert all({source, target} <= names for source, target in ends)
    after = dot(data_flow(load(PROGRAMS / "p1.l0")))
    assert after.count('label="map ') == 2
    assert after.count('label="redomap ') == 1


def test_graph_prints_dot(invoke: Invoke, program: Path) -> None:
    result = invoke("graph", str(program))
    assert result.exit_code == 0
    assert result.stdout == dot(data_flow(load(program)))


@pytest.mark.one_in(8)
@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("path", sorted(FUSION.glob("[a-i]*.l0")), ids=lambda path: path.stem)
def test_boxes_do_not_overlap(path: Path, before: bool) -> None:
    """Each box lies within the one around it or apart from it, and within the picture."""
    root = ElementTree.fromstring(svg(data_flow(load(path), before=before)))
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    boxes = []
    for rect in root.iter("{http://www.w3.org/2000/svg}rect"):
        x, y, w, h = (float(rect.attrib[name]) for name in ("x", "y", "width", "height"))
        boxes.append((x, y, x + w, y + h))
        assert x >= 0
        assert y >= 0
        assert x + w <= width
        assert y + h <= height
    assert boxes
    for k, (ax, ay, bx, by) in enumerate(boxes):
        for cx, cy, dx, dy in boxes[k + 1 :]:
            apart = dx <= ax or bx <= cx or dy <= ay or by <= cy
            inside = ax <= cx and dx <= bx and ay <= cy and dy <= by
            assert apart or inside


@pytest.mark.one_in(8)
@pytest.mark.slow
@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("path", sorted(FUSION.glob("[a-i]*.l0")), ids=lambda path: path.stem)
def test_arrows_go_by_boxes(path: Path, before: bool) -> None:
    """No arrow that leads down goes through a box in which nothing stands."""
    root = ElementTree.fromstring(svg(data_flow(load(path), before=before)))
    boxes = []
    for rect in root.iter("{http://www.w3.org/2000/svg}rect"):
        x, y, w, h = (float(rect.attrib[name]) for name in ("x", "y", "width", "height"))
        boxes.append((x, y, x + w, y + h))
    leaves = [
        (a, b, c, d)
        for a, b, c, d in boxes
        if not any(a < x and b < y and z < c and w < d for x, y, z, w in boxes)
    ]
    for arrow in root.iter("{http://www.w3.org/2000/svg}path"):
        for x, y in _points(arrow.attrib["d"]) if "class" in arrow.attrib else ():
            assert not any(a + 1 < x < c - 1 and b + 1 < y < d - 1 for a, b, c, d in leaves)


def _points(path: str) -> Iterator[tuple[float, float]]:
    """Points on an arrow, where it leads down."""
    x = y = 0.0
    for kind, rest in re.findall(r"([MCV])([-\d. ]+)", path):
        numbers = [float(word) for word in rest.split()]
        if kind == "M":
            x, y = numbers
        elif kind == "V":
            yield from ((x, y + (numbers[0] - y) * k / 9) for k in range(10))
            y = numbers[0]
        else:
            ax, ay, bx, by, end_x, end_y = numbers
            for t in (k / 19 for k in range(20) if end_y > y):
                u = 1 - t
                weights = u**3, 3 * u * u * t, 3 * u * t * t, t**3
                yield (
                    sum(w * v for w, v in zip(weights, (x, ax, bx, end_x), strict=True)),
                    sum(w * v for w, v in zip(weights, (y, ay, by, end_y), strict=True)),
                )
            x, y = end_x, end_y


def test_graph_writes_svg(invoke: Invoke, program: Path, tmp_path: Path) -> None:
    target = tmp_path / "flow.svg"
    result = invoke("graph", str(program), "--before", "-o", str(target))
    assert result.exit_code == 0
    assert result.stdout == ""
    assert target.read_text(encoding="utf-8").startswith("<svg ")


def test_the_example_of_the_documentation(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/fusion.md shows what is printed."""
    page = (Path(__file__).parents[3] / "docs" / "fusion.md").read_text(encoding="utf-8")
    shown = page[page.index("    // prices.l0") : page.index("Each operation stands")]
    lines = [line[4:] for line in shown.splitlines()]
    at = lines.index("$ cogen array fuse-report prices.l0")
    monkeypatch.chdir(tmp_path)
    Path("prices.l0").write_text("\n".join(lines[:at]), encoding="utf-8")
    printed = [line.rstrip() for line in invoke("fuse-report", "prices.l0").stdout.splitlines()]
    assert printed == lines[at + 1 : -1]


@pytest.mark.slow
def test_deep_programs(invoke: Invoke, tmp_path: Path) -> None:
    """A hundred conditionals in each other, all of which use one producer."""
    text = "fun [int] main([int] a, int k) =\n let b = map(op +(1), a) in\n"
    text += "".join([f" if k < {i} then map(op +({i + 2}), b) else\n" for i in range(100)]) + " b\n"
    path = tmp_path / "deep.l0"
    path.write_text(text, encoding="utf-8")
    data = json.loads(invoke("fuse-report", str(path), "--json").stdout)
    assert data["operations"][0]["because"] == "needed-as-result"
    assert len(data["soacs"]) == 101
    paths = [soac["path"] for soac in data["soacs"]]
    assert ["else"] * 100 in paths
    assert ["else"] * 99 + ["then"] in paths
    assert invoke("graph", str(path)).exit_code == 0


def reasons(program: Program, entry: str, options: FusionOptions | None = None) -> set[str | None]:
    return {operation.because for operation in report(program, entry, options).operations}


@pytest.mark.slow
def test_nothing_is_called_switched_off_where_nothing_is() -> None:
    """A `because` names what forbids fusion; that a rule is off only where one is."""
    programs = [load(path) for path in sorted(FUSION.glob("*[ad]*.l0"))[::3]]
    programs += [loads(written(seed)) for seed in range(12)]
    for program in programs:
        for entry in program.entries:
            assert "switched-off" not in reasons(program, entry), program.text


def test_a_rule_that_is_off_is_the_reason() -> None:
    program = loads("fun int main([int] p) = reduce(op +, 0, map(op *(2), p))")
    assert reasons(program, "main") == {None, "needed-as-result"}
    off = FusionOptions(off=frozenset(RULES))
    assert reasons(program, "main", off) == {"switched-off", "needed-as-result"}
