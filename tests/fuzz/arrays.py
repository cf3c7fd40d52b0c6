"""Array programs, as expressions and as statements: by the interpreter, through the graph with all
optimisations, with one switched off and with none, as C without and with optimisation, on OpenCL.

Of several errors another may be reported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cogen.array import Program, loads
from cogen.array.c.cprogram import c_program
from cogen.array.c.nativeprogram import CNative, NativeProgram
from cogen.array.codegen.runnable import Native
from cogen.array.l0.arithmetic import WIDE
from cogen.array.opencl.device import device
from cogen.array.opencl.deviceprogram import DeviceCode, DeviceProgram
from cogen.array.optimise.optimisations import NAMES, Options
from cogen.array.optimise.optimise import optimise
from cogen.array.optimise.preparing import prepare
from cogen.array.programs.compiledprogram import Compiled
from cogen.lang.errors import CogenError, InternalError
from tests.choices import Seeded, Stream
from tests.cogen.array import randomnests
from tests.cogen.array.comparing import by_schedule, module_outcome, outcome, same
from tests.cogen.array.randomprograms import (
    INTS,
    PARAMETERS,
    ROWS,
    TYPES,
    Maker,
    arguments,
    program,
)
from tests.cogen.array.targets import has_device
from tests.fuzz.case import Case, Differs, Kind, Skipped, Way, each
from tests.fuzz.statements import body

ALL = tuple(sorted(NAMES))


def make(stream: Stream) -> Case:
    """A program, values for its parameters, and an optimisation to switch off."""
    choices = Seeded(stream)
    if choices.integer(0, 2):
        t, text = body(choices)
    else:
        maker = Maker(choices)
        maker.scope = list(PARAMETERS)
        t = choices.pick([*TYPES, INTS, ROWS])
        text = maker.make(t, choices.integer(2, 4))
    given = {"values": arguments(choices), "off": choices.pick(ALL)}
    return Case("arrays", program(t, text), given)


def make_nest(stream: Stream) -> Case:
    """A program over nested arrays whose sizes agree, which nearly always runs to its end."""
    choices = Seeded(stream)
    text = randomnests.program(choices)
    given = {"values": randomnests.arguments(choices), "off": choices.pick(ALL)}
    return Case("nests", text, given)


def loaded(case: Case) -> Program:
    def find(case: Case) -> Any:
        try:
            return loads(case.text)
        except CogenError as error:
            return error

    found = case.once("program", find)
    if isinstance(found, CogenError):
        raise Skipped(found.message)
    return found  # type: ignore[no-any-return]


def expected(case: Case) -> str:
    program = loaded(case)
    return case.once("expected", lambda case: outcome(program, "main", case.given["values"]))  # type: ignore[no-any-return]


def agree(case: Case, found: str) -> None:
    if not same(found, expected(case)):
        raise Differs(f"gives {found[:200]}, the interpreter {expected(case)[:200]}")


def by_graph(options: Callable[[Case], Options]) -> Callable[[Case], None]:
    """The graph with such optimisations, its schedule executed with updates in place."""

    def check(case: Case) -> None:
        expected(case)
        module = optimise(loaded(case).facts, "main", options(case), verify=True)[1]
        agree(case, module_outcome(module, case.given["values"], by_schedule))

    return check


def compiled(make: Callable[[Program], Native], target: str) -> Callable[[Case], None]:
    """Compiled code of the program."""

    def check(case: Case) -> None:
        expected(case)
        found = Compiled(loaded(case), "main", target, make(loaded(case)), WIDE)
        try:
            text = found.run_text(case.given["values"], trace=lambda shown: None)
        except InternalError:
            raise
        except CogenError as error:
            text = error.render().splitlines()[0]
        agree(case, text)

    return check


def c(flags: tuple[str, ...], threads: int) -> Callable[[Program], Native]:
    def make(program: Program) -> Native:
        ready = prepare(program.facts, "main", Options(), WIDE)
        text = c_program(ready, Options().off)
        code = NativeProgram(text, flags)
        code.grain = 0
        return CNative(code, threads)

    return make


def opencl(program: Program) -> Native:
    if not has_device():
        raise Skipped("there is no OpenCL device")
    made = DeviceProgram(
        DeviceCode(prepare(program.facts, "main", Options(), WIDE)), device(WIDE.real_bits)
    )
    made.part = 1
    return made


WAYS = (
    Way("optimised", each(by_graph(lambda case: Options()))),
    Way("one-off", each(by_graph(lambda case: Options(off=frozenset([case.given["off"]]))))),
    Way("unoptimised", each(by_graph(lambda case: Options(off=frozenset(NAMES)))), every=4),
    Way("c-O0", each(compiled(c(("-O0",), 2), "c")), every=150),
    Way("c-O3", each(compiled(c((), 1), "c")), every=400),
    Way("opencl", each(compiled(opencl, "opencl")), every=300),
)

KIND = Kind("arrays", make, WAYS)
NESTS = Kind("nests", make_nest, WAYS)
