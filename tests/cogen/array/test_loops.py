"""Loops are checked, written and read back, and give in their interpreter what programs mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from cogen.array import load, loads
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.loops import kernel_forms, tree
from cogen.array.loops.check import check
from cogen.array.loops.expressions import NULL, ONE, ZERO, natural
from cogen.array.loops.functions import FUNCTIONS
from cogen.array.loops.interpret import Failed, LoopMachine
from cogen.array.loops.kernel_forms import FormPass, KernelForm
from cogen.array.loops.meanings import MEANINGS
from cogen.array.loops.memory import ElementSlots, MemoryPlace, MemoryRegion
from cogen.array.loops.passes import KERNEL_PASSES, PASSES, LoopPass, transform
from cogen.array.loops.read import read
from cogen.array.loops.show import show
from cogen.array.loops.tree import BOOL, F64, I64, U8, Block, Expr, Pointer, Var
from cogen.array.opencl.deviceprogram import DeviceCode, DeviceProgram
from cogen.array.optimise.optimisations import CODE, KERNELS, SCHEDULE, Options
from cogen.array.optimise.preparing import prepare
from cogen.array.programs.compiledprogram import Compiled
from cogen.lang.errors import CogenError, InternalError
from tests.cogen.array.fakedevice import device_of
from tests.cogen.array.loopways import Interpreted, interpreted, loops_of
from tests.cogen.array.programs import PROGRAMS, headers, place
from tests.cogen.array.randomprograms import programs
from tests.cogen.array.targets import same

NARROW = Arithmetic(32, 32)
CASES = [
    pytest.param(path, kind, text, id=f"{path.parent.stem}-{path.stem}-{i}")
    for path in sorted(PROGRAMS.rglob("*.l0"))
    for i, (kind, text) in enumerate(headers(path))
    if kind in ("run", "fails")
]
TEXTS = sorted((PROGRAMS / "text").glob("*.l0"))


# Programs.


@pytest.mark.one_in(64)
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(("path", "kind", "text"), CASES)
def test_interpreted(path: Path, kind: str, text: str, threads: int) -> None:
    """What the header says; `interpreted` also checks the loops, and reads them back."""
    call, _, expected = text.rpartition(" => ")
    entry, _, values = call.partition(" ")
    way = interpreted(load(path), entry, threads)
    if kind == "run":
        assert way.run_text(values) == expected
        return
    with pytest.raises(CogenError) as caught:
        way.run_text(values)
    assert caught.value.render().splitlines()[0] == place(str(path), expected)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
@pytest.mark.parametrize("arithmetic", [WIDE, NARROW], ids=["wide", "narrow"])
def test_kernels_are_read_back(path: Path, arithmetic: Arithmetic) -> None:
    kernels = DeviceCode(prepare(load(path).facts, "main", arithmetic=arithmetic)).kernels
    check(kernels)
    assert read(show(kernels)) == [*kernels]


@pytest.mark.one_in(24)
@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_each_optimisation_off(path: Path) -> None:
    """Without one optimisation of the code that does something, with one alone, and without all."""
    ((_, text), *_) = [header for header in headers(path) if header[0] == "run"]
    call, _, expected = text.rpartition(" => ")
    program = load(path)
    prepared = prepare(program.facts, "main")  # the graph does not know these optimisations
    found = {interpreted(program).source}
    for name in SCHEDULE:
        way = interpreted(program, options=Options(frozenset([name])))
        if way.source not in found:
            assert way.run_text(call.partition(" ")[2]) == expected, name
        found.add(way.source)
    one = [frozenset([name]) for name in CODE]
    for off in (*one, *[frozenset(CODE) - name for name in one], frozenset(CODE)):
        way = Compiled(program, "main", "loops", Interpreted(prepared, off, 2))
        if way.source not in found:
            assert way.run_text(call.partition(" ")[2]) == expected, off
        found.add(way.source)


SIZES = (0, 1, 15, 16, 17, 40, 130)


@pytest.mark.one_in(10)
@pytest.mark.parametrize("name", ["histogram", "scan_stored", "scan_running", "sequential"])
@pytest.mark.parametrize("size", SIZES)
def test_blocks(name: str, size: int) -> None:
    """Loops that are taken in blocks, at the borders of blocks."""
    program = load(PROGRAMS / "text" / f"{name}.l0")
    a = np.arange(size)
    calls = {
        "histogram": (a / (size + 1), 4),
        "sequential": (a / 8, a / 16, 30),
    }
    arguments = calls.get(name, (a,))
    expected = program.run(*arguments)
    for threads in (1, 3):
        assert same(interpreted(program, "main", threads)(*arguments), expected)


@given(case=programs())
def test_random_programs(case: tuple[str, str]) -> None:
    text, values = case
    try:
        program = loads(text)
    except CogenError:  # rows that visibly differ
        return
    expected = outcome(partial(program.run_text, values, "main", trace=_ignore))
    for threads in (1, 2):
        way = interpreted(program, "main", threads)
        assert outcome(partial(way.run_text, values, trace=_ignore)) == expected


def outcome(run: Callable[[], str]) -> str:
    """A result, or that there is none: which of several errors is found first is not fixed."""
    try:
        return run()
    except InternalError:
        raise
    except CogenError:
        return "fails"


def _ignore(text: str) -> None:
    """Traces are compared elsewhere."""


def test_traces() -> None:
    way = interpreted(load(PROGRAMS / "text" / "traced.l0"))
    found: list[str] = []
    way.run_text("[1, 2]", trace=found.append)
    assert found == ["[1, 2]", "2", "3"]


# The text.


def test_text() -> None:
    program = loads("fun int main([int] a) = reduce(op +, 0, a)")
    loops = loops_of(prepare(program.facts, "main"), frozenset(["streams"]))
    text = show(loops.functions)
    assert "(set sum_2 = (int.add i64 sum_2 x))" in text
    assert "(for (i i64) start stop 1 (lanes 1 ((+ int.add 0) sum_2))" in text
    assert "(parallel team threads a_size (thread thread) (parts thread)" in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(function f () \"\" (break)", "ends before"),
        ("(break))", "a parenthesis too many"),
        ("(kernel)", "no loops"),
        ('(function f () "" (do (invoke keep block x)))', "declares no x"),
        ('(function f () "" (jump))', "no loops"),
        ('(function f () "" (let (x i64) (frob 1)))', "no loops"),
    ],
)  # fmt: skip
def test_texts_that_are_refused(text: str, message: str) -> None:
    with pytest.raises(CogenError, match=message):
        read(text)


# What is checked.

A = Var("a", Pointer(I64))
X, Y = Var("x", I64), Var("y", F64)
PLUS = tree.Binary("+", X, ONE)


def function(*body: tree.Statement, parameters: tuple[Var, ...] = (A, X, Y)) -> tree.Function:
    return tree.Function("f", parameters, body)


WRONG: dict[str, tuple[Block, str]] = {
    "a name that is not there": ((tree.Let(Var("z", I64), Var("w", I64)),), "w is not declared"),
    "a name of another type": ((tree.Let(Var("z", F64), Var("x", F64)),), "x is not declared"),
    "two of one name": ((tree.Let(X, ONE),), "x is declared twice"),
    "a name from inside": (
        (
            tree.For(Var("i", I64), ZERO, X, ONE, ()),
            tree.Store(A, Var("i", I64), ONE),
        ),
        "i is not declared",
    ),
    "a real as an int": ((tree.Let(Var("z", I64), Y),), "y is no"),
    "a wide int as a narrow one": ((tree.Let(Var("z", U8), X),), "x is no"),
    "a number as a test": ((tree.IfStatement(X, ()),), "no test: x"),
    "an index that is no number": ((tree.Store(A, Y, ONE),), "no whole number: y"),
    "an element of a number": ((tree.Store(X, ZERO, ONE),), "no address"),
    "an operation on another type": (
        (tree.Let(Var("z", I64), tree.Operate("int.add", (X, Y), I64)),), "int.add of y",
    ),
    "an operation that there is not": (
        (tree.Let(Var("z", I64), tree.Operate("int.frob", (X,), I64)),), "no operation int.frob",
    ),
    "a break outside of loops": ((tree.Break(),), "no loop to leave"),
    "a break out of what may fail": (
        (tree.While(tree.Binary("<", X, ONE), (tree.Attempt((tree.Break(),)),)),),
        "no loop to leave",
    ),
    "a call of nothing": ((tree.CallStatement("g", ()),), "no function g"),
    "a call with too little": ((tree.CallStatement("f", (A,)),), "another number of arguments"),
    "a function with too little": ((tree.Do(tree.Invoke("drop", (), BOOL)),), "drop takes other"),
    "data of a number": ((tree.Let(Var("z", Pointer(I64)), tree.Data(X, Pointer(I64))),), "region"),
    "a choice of two types": (
        (tree.Let(Var("z", I64), tree.Choose(tree.Binary("<", X, ONE), X, Y)),), "a choice of",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("body", "message"), WRONG.values(), ids=WRONG)
def test_wrong_loops_are_refused(body: Block, message: str) -> None:
    with pytest.raises(InternalError, match=f"in the loops of f: .*{message}"):
        check([function(*body)])


def test_a_team_within_a_team_is_refused() -> None:
    program = loads("fun [int] main([int] a) = map(op +(1), a)")
    (main,) = loops_of(prepare(program.facts, "main")).functions
    (team,) = [s for s in main.body if isinstance(s, tree.Parallel)]
    inner = replace(team, thread=Var("t", team.thread.type), parts=Var("p", team.parts.type),
                    start=Var("b", I64), stop=Var("e", I64))  # fmt: skip
    nested = [replace(team, body=(inner,)) if s is team else s for s in main.body]
    with pytest.raises(InternalError, match="a team within a team"):
        check([replace(main, body=tuple(nested))])


# What is interpreted.


def run(*body: tree.Statement) -> list[int]:
    """What is in a region of two ints after statements."""
    region = MemoryRegion(bytearray(16))
    LoopMachine([function(*body)], WIDE).call("f", [MemoryPlace(region, 0, I64), 1, 0.5])
    return [MemoryPlace(region, 0, I64).moved(k).load() for k in range(2)]


def test_stores() -> None:
    assert run(tree.Store(A, X, PLUS), tree.Store(A, ONE, natural(3), "*")) == [0, 6]


@pytest.mark.parametrize("index", [2, -1])
def test_an_access_outside_is_refused(index: int) -> None:
    with pytest.raises(InternalError, match="of a region of 16"):
        run(tree.Store(A, natural(index), ONE))


def test_a_region_that_was_given_back_is_refused() -> None:
    block, data = Var("b", tree.BLOCK), Var("d", Pointer(I64))
    keep: Expr = tree.Invoke("keep", (block,), tree.BLOCK)
    begin = (tree.Allocate(block, I64, ONE, 1), tree.Let(data, tree.Data(block, data.type)))
    drop = tree.Do(tree.Invoke("drop", (block,), BOOL))
    end = (tree.Store(data, ZERO, X), tree.Store(A, ZERO, tree.Load(data, ZERO)))
    assert run(*begin, *end, drop) == [1, 0]
    assert run(*begin, tree.Let(Var("c", tree.BLOCK), keep), drop, *end) == [1, 0]
    with pytest.raises(InternalError, match="used after it was given back"):
        run(*begin, drop, *end)


def test_no_region() -> None:
    b = Var("b", tree.BLOCK)
    is_none = tree.Binary("==", b, NULL)
    assert run(tree.Let(b, NULL), tree.IfStatement(is_none, (tree.Store(A, ZERO, ONE),))) == [1, 0]


def test_what_fails() -> None:
    fail = tree.Fail(7, (X,))
    with pytest.raises(Failed) as caught:
        run(fail)
    assert (caught.value.site, caught.value.details) == (7, [1])
    assert run(tree.Attempt((fail, tree.Store(A, ZERO, ONE))), tree.Store(A, ONE, ONE)) == [0, 1]


def test_the_first_thread_that_fails_tells() -> None:
    thread, parts, start, stop = (Var(n, I64) for n in ("t", "p", "from", "to"))
    got = Var("got", I64)
    late = tree.IfStatement(tree.Binary(">", thread, ZERO), (tree.Fail(3, (thread, start, stop)),))
    team = tree.Parallel(natural(3), got, thread, parts, natural(10), start, stop, (late,))
    with pytest.raises(Failed) as caught:
        run(tree.Variable(got, ONE), team)
    assert caught.value.details == [1, 3, 6]


def test_functions_have_meanings() -> None:
    """All that C's functions invoke; work items have theirs for groups and vectors."""
    kernels = {
        name for name in FUNCTIONS if name.startswith(("into_", "local_", "v"))
    } | {"item", "group", "barrier", "slot", "real", "counting", "lane"}  # fmt: skip
    assert set(MEANINGS) == set(FUNCTIONS) - kernels


def test_variables_have_addresses() -> None:
    x, p = Var("z", I64), Var("p", Pointer(I64))
    body = (
        tree.Variable(x, ONE),
        tree.Let(p, tree.Address(x)),
        tree.Store(p, ZERO, natural(5)),
        tree.Store(A, ZERO, x),
        tree.Assign(x, ONE, "+"),
        tree.Store(A, ONE, tree.Load(p, ZERO)),
    )
    assert run(*body) == [5, 6]


def test_slots_are_checked() -> None:
    place = MemoryPlace(ElementSlots([None]), 0, tree.BLOCK)
    with pytest.raises(InternalError, match="of a region of 1"):
        place.moved(1).load()


def test_a_pass_that_is_wrong_is_named() -> None:
    def break_(functions: Sequence[tree.Function]) -> Sequence[tree.Function]:
        return [replace(f, body=(*f.body, tree.Break())) for f in functions]

    wrong = (*PASSES, LoopPass("break", break_))
    with pytest.raises(
        InternalError, match=r"after break: .*in the loops of f: .*there is no loop to leave"
    ):
        transform([function()], wrong, verify=True)
    off = frozenset(["break", "prune"])
    assert [*transform([function()], wrong, off, verify=True)] == [function()]


def test_passes_are_optimisations() -> None:
    assert {step.name for step in PASSES} | {step.name for step in KERNEL_PASSES} <= set(CODE)


# Kernels.

MANY = ("map_reduce", "filter_two", "scan_stored", "scan_running", "histogram", "stencil")


@pytest.fixture(autouse=True)
def host_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """The device that stands for a driver runs kernels of loops; those that sort keys are text, so
    that is left to the host, as it is where there are very many keys."""
    monkeypatch.setattr("cogen.array.opencl.launch.MOST_ITERATIONS", -1)


FORMS = {
    "main": {"lanes": False},
    "lanes": {"lanes": True},
    "groups": {"lanes": False, "grouped": True},
    "whole": {"lanes": False},
}
OFF = {"whole": frozenset(["cut"])}
"""What is switched off for a form: one item does all iterations."""


def on_fake(path: Path, form: str, arithmetic: Arithmetic = WIDE, group: int = 16) -> Compiled:
    program = load(path)
    ready = prepare(program.facts, "main", arithmetic=arithmetic)
    code = DeviceCode(ready, OFF.get(form, frozenset()), verify=True)
    native = DeviceProgram(code, device_of(code, group))
    native.part = 2
    for name, value in FORMS[form].items():
        setattr(native, name, value)
    return Compiled(program, "main", "opencl", native, arithmetic)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_kernels_are_interpreted(path: Path, form: str) -> None:
    """Without a driver for OpenCL: the host's part is as it is."""
    for kind, text in headers(path):
        if kind == "run":
            call, _, expected = text.rpartition(" => ")
            found = on_fake(path, form).run_text(call.partition(" ")[2], trace=_ignore)
            assert found == expected


@pytest.mark.one_in(4)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", MANY)
@pytest.mark.parametrize("bits", [64, 32])
def test_kernels_of_many_items(name: str, form: str, bits: int) -> None:
    path = PROGRAMS / "text" / f"{name}.l0"
    size = 300
    real = f"float{bits}"
    ints = name in ("filter_two", "scan_stored", "scan_running")
    a = np.arange(size) % 7 - 3 if ints else np.arange(size).astype(real) / 512
    arguments = (a.astype(f"int{bits}") if ints else a, *[4] * (name == "histogram"))
    expected = load(path).run(*arguments, real=real, int=f"int{bits}")
    way = on_fake(path, form, Arithmetic(bits, bits), 256 if name == "map_reduce" else 16)
    assert near(way(*arguments), expected)


def test_a_wrong_form_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = FormPass("bend", lambda loop: {"nest": KernelForm((tree.Break(),), None)})
    monkeypatch.setattr(kernel_forms, "FORMS", (*kernel_forms.FORMS[:2], wrong))
    ready = prepare(load(PROGRAMS / "text" / "map_reduce.l0").facts, "main")
    with pytest.raises(InternalError, match=r"after bend: in the loops of nest: there is no loop"):
        DeviceCode(ready, verify=True)
    assert DeviceCode(ready, frozenset(["bend"]), verify=True).plans


def test_forms_have_names() -> None:
    assert [step.name for step in kernel_forms.FORMS] == [*KERNELS]


def test_every_form_of_kernels_is_interpreted() -> None:
    found: set[str] = set()
    for name in (*MANY, "rows"):
        for form in FORMS:
            way = on_fake(PROGRAMS / "text" / f"{name}.l0", form, group=256)
            size = np.arange(40)
            arguments = {
                "map_reduce": (size / 8,), "stencil": (size / 8,), "histogram": (size / 64, 4),
                "rows": (size[:36].reshape(6, 6), size[:36].reshape(6, 6)),
            }.get(name, (size,))  # fmt: skip
            way(*arguments)
            native = way.native
            assert isinstance(native, DeviceProgram)
            plans = native.code.plans.values()
            found |= {
                what
                for plan in plans
                for what, kernel in plan.kernels.items()
                if kernel in native.device.cl.ran
            }
    assert found == {
        "main", "lanes", "groups", "buckets", "nest", "join", "finish", "merge", "totals", "before",
    }  # fmt: skip


def near(found: object, expected: object) -> bool:
    if isinstance(expected, tuple):
        assert isinstance(found, tuple)
        return all(map(near, found, expected))
    return bool(np.allclose(np.asarray(found), np.asarray(expected), rtol=1e-5))


def test_an_item_that_fails_tells() -> None:
    path = PROGRAMS / "text" / "failing_map.l0"
    way = on_fake(path, "main")
    with pytest.raises(CogenError, match=r"the index .7. is out of bounds of an array of size 3"):
        way.run_text("[1, 2, 4] [0, 1, 7, 9]")
