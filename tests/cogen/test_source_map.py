"""Source maps: where the texts of a residual program come from (`cogen.view.sourcemap`)."""

from __future__ import annotations

import ctypes
import json
import platform
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import cogen
from cogen.backends.objectcode.assembly import tidied
from cogen.backends.objectcode.toolchain import find_compiler
from cogen.binding_times import parse_bt
from cogen.cli import main
from cogen.lang.errors import CogenError
from cogen.lang.marks import Marked
from cogen.view.mapping import source_map
from cogen.view.nesting import Nesting
from cogen.view.operations import operations, users
from cogen.view.sourcemap import TARGETS, MappedRegion, SourceMap
from cogen.view.targets import c_text, scheme_text, targets
from tests.randomprograms import RandomProgram, programs

pytestmark = pytest.mark.quick

EXAMPLES = Path(__file__).parents[2] / "examples"
X86 = platform.machine() in ("x86_64", "AMD64")

POWER = """(define (power x n)
  (if (= n 0)
      1
      (* x (power x (- n 1)))))
"""

CASES = {
    "power": ("power.scm", "power", "(dynamic int)", "(static 5)"),
    "sum": ("sum.scm", "sum", "(dynamic memory)", *["(cyclic 32 0)"] * 2, *["(static 12)"] * 2),
    "regex": ("regex.scm", "match?", r"(static (seq (star (or #\a #\b)) #\a))", "_"),
    "kmp": ("kmp.scm", "search", '(static "abaabab")', "_"),
    "ackermann": ("ackermann.scm", "ack", "(static 2)", "_"),
    "imp": (
        "imp.scm",
        "run",
        "(static ((a b) (while b (begin (:= t (remainder a b)) (:= a b) (:= b t))) a))",
        "(list (dynamic int) (dynamic int))",
    ),
}


def specialized(case: str) -> cogen.Residual:
    file, entry, *bts = CASES[case]
    program = cogen.load(EXAMPLES / file)
    return cogen.specialize(program, entry, *map(parse_bt, bts), explain=True)


def of_text(text: str, entry: str, *bts: str) -> cogen.Residual:
    return cogen.specialize(cogen.loads(text, "p.scm"), entry, *map(parse_bt, bts), explain=True)


def shown(found: SourceMap, region: MappedRegion) -> str:
    return found.targets[region.target][region.start : region.end]


def made_of(found: SourceMap, target: str, text: str) -> list[str]:
    """What a target has for a form of the source."""
    return [
        shown(found, region)
        for region in found.of(target)
        if region.place.source.text[region.place.start : region.place.end] == text
    ]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_every_operation_has_a_region_in_each_target(case: str) -> None:
    residual = specialized(case)
    found = residual.mapping
    assert found.missing == {}
    wanted = set(operations(residual.program.program))
    assert wanted
    for target in TARGETS:
        there = {region.place for region in found.of(target)}
        assert {place for _, place in wanted} <= there


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_texts_are_those_that_are_emitted(case: str) -> None:
    residual = specialized(case)
    texts = residual.mapping.targets
    assert texts == {"scheme": residual.scheme, "c": residual.c, "asm": residual.asm}


@pytest.mark.parametrize("case", CASES)
def test_printers_lose_no_place(case: str) -> None:
    """Nothing has to be looked for: each operation's place was noted where it was printed."""
    residual = specialized(case)
    wanted = {place for _, place in operations(residual.program.program)}
    c = c_text(residual.program)
    for text in (scheme_text(residual.program), Marked(c.text, c.marks)):
        assert wanted <= {users(place) for mark in text.marks for place in mark.places}
        assert_nested(text)


def assert_nested(text: Marked) -> None:
    for mark in text.marks:
        assert 0 <= mark.start < mark.end <= len(text.text)
    nesting = Nesting(text.marks)
    for number, mark in enumerate(nesting.marks):
        for other in nesting.marks[number + 1 :]:
            assert other.start >= mark.end or other.end <= mark.end


@given(programs())
def test_random_programs(program: RandomProgram) -> None:
    source = cogen.loads(program.text)
    try:
        bts = [cogen.dynamic("int")] * len(program.arguments[0])
        residual = cogen.specialize(source, program.entry, *bts)
        scheme = scheme_text(residual.program)
    except CogenError:
        return
    assert scheme.text == residual.scheme
    assert_nested(scheme)
    c = c_text(residual.program)
    assert c.text == residual.c
    assert_nested(Marked(c.text, c.marks))
    places = {place for mark in scheme.marks for place in map(users, mark.places)}
    assert all(place is None or place.start < place.end for place in places)


def test_the_operation_is_where_it_says() -> None:
    found = of_text(POWER, "power", "(dynamic int)", "(static 3)").mapping
    times = "(* x (power x (- n 1)))"
    assert made_of(found, "scheme", times) == ["(* x (* x x))", "(* x x)"]
    assert "x * (x * x)" in made_of(found, "c", times)
    if X86:
        assert any("imul" in text for text in made_of(found, "asm", times))
    assert {region.procedure for region in found.regions} == {"power"}
    assert {region.binding_time for region in found.regions} == {"dynamic"}


def test_whole_programs() -> None:
    """What C's own types cannot say is a program with its run time; its part of the C text is the
    last one."""
    text = "(define (pairs n)\n  (if (= n 0)\n      '()\n      (cons (* n n) (pairs (- n 1)))))\n"
    found = of_text(text, "pairs", "(dynamic int)").mapping
    (times,) = made_of(found, "c", "(* n n)")
    assert re.fullmatch(r"MUL\(\w+, (n\w*), \1, \d+\);", times)
    assert made_of(found, "scheme", "(* n n)") == ["(* n n)"]
    assert made_of(found, "asm", "(* n n)")


def test_several_operations_in_one_form() -> None:
    text = """(define (f a b c) (+ (+ a b) c))
(define (g a b c) (or (< a b) (and (< b c) (< a c))))
"""
    found = of_text(text, "f", *["(dynamic int)"] * 3).mapping
    assert made_of(found, "scheme", "(+ a b)") == ["(+ a b c)"]
    assert made_of(found, "scheme", "(+ (+ a b) c)") == ["(+ a b c)"]
    found = of_text(text, "g", *["(dynamic int)"] * 3).mapping
    assert made_of(found, "scheme", "(< a b)") == ["(< a b)"]
    assert made_of(found, "scheme", "(and (< b c) (< a c))") == ["(and (< b c) (< a c))"]


def test_assigned_variables() -> None:
    text = "(define (counter n)\n  (lambda (by)\n    (set! n (+ n by))\n    (* n n)))\n"
    found = of_text(text, "counter", "(dynamic int)").mapping
    assert made_of(found, "scheme", "(set! n (+ n by))") == ["(set! n (+ n by))"]
    assert "n" in [shown(found, region) for region in found.of("scheme")]


def test_what_libraries_do_is_told_at_the_call() -> None:
    found = specialized("sum").mapping
    assert {region.place.source.name for region in found.regions} == {str(EXAMPLES / "sum.scm")}
    call = "(signal-sum (make-signal buffer from to size stride))"
    assert any(text.startswith("for (") for text in made_of(found, "c", call))


def test_what_comes_from_nowhere_is_told_where_it_is_needed() -> None:
    """The pairs that a value known in part is made of have no place of their own."""
    text = "(define (f x y)\n  (g (list x (* y 2))))\n(define (g l)\n  (display l)\n  (newline))\n"
    found = of_text(text, "f", "(dynamic int)", "(dynamic int)").mapping
    assert "(list x (* y 2))" in {shown(found, region) for region in found.of("scheme")}


def test_binding_times() -> None:
    text = "(define (f at n)\n  (let ((next (+ at n)))\n    (* n next)))\n"
    found = of_text(text, "f", "(cyclic 8 0)", "(dynamic int)").mapping
    times = {
        region.place.source.text[region.place.start : region.place.end]: region.binding_time
        for region in found.of("scheme")
    }
    assert times["(* n next)"] == "dynamic"


def test_as_data() -> None:
    found = of_text(POWER, "power", "(dynamic int)", "(static 3)")
    data = json.loads(json.dumps(found.source_map()))
    assert data["version"] == 1
    assert data["sources"] == {"p.scm": POWER}
    assert {region["target"] for region in data["regions"]} == set(TARGETS)
    texts = {"scheme": found.scheme, "c": found.c, "asm": found.asm}
    times = [r for r in data["regions"] if part(POWER, r["source"]) == "(* x (power x (- n 1)))"]
    assert {part(texts["scheme"], r) for r in times if r["target"] == "scheme"} == {
        "(* x (* x x))",
        "(* x x)",
    }
    for region in data["regions"]:
        assert set(region) == {
            "target", "start", "end", "source", "binding_time", "procedure",
        }  # fmt: skip
        assert set(region["source"]) == {"file", "start", "end"}
        assert part(texts[region["target"]], region).strip()


def part(text: str, place: dict[str, Any]) -> str:
    """The characters of a text from one line and column to another."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    start, end = (starts[line - 1] + column - 1 for line, column in (place["start"], place["end"]))
    assert 0 <= start < end <= len(text)
    return text[start:end]


def test_without_an_explanation_it_is_made_again() -> None:
    program = cogen.loads(POWER, "p.scm")
    bts = cogen.dynamic("int"), cogen.static(3)
    plain = cogen.specialize(program, "power", *bts).source_map()
    assert plain == cogen.specialize(program, "power", *bts, explain=True).source_map()
    extension = cogen.generate(program, "power", *bts)
    assert extension().source_map() == plain


def test_the_assembly_is_what_is_compiled(tmp_path: Path) -> None:
    """What is left of the compiler's text is assembled to the same code."""
    residual = of_text(POWER, "power", "(dynamic int)", "(static 5)")
    assert ".loc" not in residual.asm
    assert ".debug" not in residual.asm
    (tmp_path / "power.s").write_text(residual.asm, encoding="utf-8")
    command = [*find_compiler().command, "-shared", "-o", "power.so", "power.s"]
    subprocess.run(command, cwd=tmp_path, check=True)
    function = ctypes.CDLL(str(tmp_path / "power.so")).power
    function.argtypes, function.restype = [ctypes.c_int64], ctypes.c_int64
    assert [function(x) for x in (2, -3)] == [32, -243]


def test_tidied_assembly() -> None:
    text = """\
\t.file\t"x.c"
\t.text
.Ltext0:
\t.file 1 "/tmp" "x.c"
\t.file 2 "/usr/include/other.h"
\t.globl\tf
f:
.LFB0:
\t.loc 1 3 1
\t.cfi_startproc
\tpush\trbx
\t.loc 2 9 9
\tcall\tg
.L2:
\t.loc 1 4 7 is_stmt 1
\tjne\t.L2
\tret
\t.cfi_endproc
\t.section\t.debug_info,"",@progbits
\t.long\t7
\t.text
g:
\tret
"""
    found = tidied(text, "x.c")
    assert found.text.splitlines() == [
        "\t.text", "\t.globl\tf", "f:", "\tpush\trbx", "\tcall\tg", ".L2:", "\tjne\t.L2", "\tret",
        "\t.text", "g:", "\tret",
    ]  # fmt: skip
    assert found.positions == (
        None, None, None, (3, 1), (3, 1), None, (4, 7), (4, 7), None, None, None,
    )  # fmt: skip


def test_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "/nowhere/cc")
    residual = of_text(POWER, "power", "(dynamic int)", "(static 3)")
    found = source_map(residual.program)
    assert set(found.targets) == {"scheme", "c"}
    assert set(found.missing) == {"asm"}
    assert "there is no C compiler" in found.missing["asm"]
    with pytest.raises(CogenError, match="there is no C compiler"):
        residual.asm  # noqa: B018
    assert isinstance(targets(residual.program).asm, CogenError)


class TestCommand:
    @pytest.fixture(autouse=True)
    def place(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        Path("p.scm").write_text(POWER, encoding="utf-8")

    power = ("specialize", "p.scm", "--entry", "power", "(dynamic int)", "(static 3)")

    def test_writes_the_map_beside_the_program(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main([*self.power, "--emit", "asm", "--source-map", "map.json"]) == 0
        text = capsys.readouterr().out
        data = json.loads(Path("map.json").read_text(encoding="utf-8"))
        mapped = [part(text, region) for region in data["regions"] if region["target"] == "asm"]
        assert mapped
        assert data["sources"] == {"p.scm": POWER}

    def test_standard_output(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main([*self.power, "-o", "r.scm", "--source-map", "-"]) == 0
        assert json.loads(capsys.readouterr().out)["version"] == 1
        for more in ([], ["-o", "-"], ["-o", "r.scm", "--explain"]):
            assert main([*self.power, "--source-map", "-", *more]) == 2
            assert "standard output" in capsys.readouterr().err

    def test_nothing_is_left_behind(self, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = [*self.power, "-o", "nowhere/r.scm", "--source-map", "map.json"]
        assert main(arguments) == 1
        assert "cannot write nowhere/r.scm" in capsys.readouterr().err
        assert not Path("map.json").exists()

    def test_with_an_explanation(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main([*self.power, "--explain", "--source-map", "map.json"]) == 0
        assert "x: dynamic" in capsys.readouterr().out
        assert Path("map.json").exists()

    def test_of_a_generating_extension(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["generate", *self.power[1:], "-o", "power.py"]) == 0
        assert main(["compile-with", "power.py", "--source-map", "map.json"]) == 0
        assert json.loads(Path("map.json").read_text(encoding="utf-8"))["regions"]

    def test_without_a_compiler(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CC", "/nowhere/cc")
        assert main([*self.power, "--source-map", "map.json"]) == 0
        assert "the source map is without asm" in capsys.readouterr().err
        assert main([*self.power, "--emit", "asm"]) == 1
        assert capsys.readouterr().out == ""
