"""The road of residual programs: source -> raw blocks -> cleaned, pass by pass -> text or code.

Steps are the passes of `cogen.specializer.passes.clean` that are run.  The specialization itself is
done once; it is what stands before the first step.  Where the way is `whole`, the passes that go
before the C of whole programs follow (`cogen.backends.native.compile`); what they leave is
interpreted.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any, Final

from cogen import binding_times as bt
from cogen.backends.kernel import passes as on_kernels
from cogen.backends.kernel import structuredtext
from cogen.backends.kernel.c import emit, structured
from cogen.backends.kernel.load import load_module
from cogen.backends.kernel.structured import KernelProcedure
from cogen.backends.native import compile as native
from cogen.backends.native.load import load as load_whole
from cogen.convert import from_datum, to_argument
from cogen.dev.road import PassChoice, PassCount, PassStep, Road, refuse_unknown, told
from cogen.lang import il, ilcheck
from cogen.lang.datum import Datum, Pair
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, InternalError, LimitationError
from cogen.lang.iltext import show as show_il
from cogen.lang.interp import Interpreter
from cogen.lang.printer import write_datum
from cogen.lang.reader import read_datum
from cogen.residual import ResidualProgram
from cogen.specialized import Residual
from cogen.specializer.passes import clean as cleaning
from cogen.specializer.passes.flow_graph import ResidualGraph
from cogen.specializer.passes.library_closures import with_kept
from cogen.specializer.specialize import specialize
from cogen.specializer.versions.graph import RawProgram
from cogen.specializer.versions.options import SpecializerOptions

WAYS: Final = ("interp", "python", "c", "whole")
"""How residual programs are run."""

KERNEL: Final = tuple([f"kernel-{name}" for name in on_kernels.NAMES])
"""The passes on the code of kernels."""


class SchemeRoad(Road):
    """A specialization; `arguments` are those of the residual program."""

    stages = ("source", "il", "scheme", "python", "structured", "c", "whole")

    def __init__(
        self,
        program: il.Program,
        entry: str,
        bts: Sequence[bt.BT],
        options: SpecializerOptions,
        arguments: Sequence[Datum] = (),
        way: str = "interp",
    ) -> None:
        self.program = program
        self.entry = entry
        self.bts = bts
        self.arguments = arguments
        self.way = way
        self.word_size = options.word_size
        seen: list[RawProgram] = []
        token = cleaning.OBSERVER.set(seen.append)
        try:
            self.result = specialize(program, entry, bts, options)
        finally:
            cleaning.OBSERVER.reset(token)
        self.raw = next(raw for raw in reversed(seen) if self._is_of_result(raw))

    def _is_of_result(self, raw: RawProgram) -> bool:
        """Was the result made of it?  Some specializations are tried and given up."""
        whole = with_kept(cleaning.clean(raw), self.program)
        return show_il(whole) == show_il(self.result.program)

    def residual(self, choice: PassChoice) -> ResidualProgram:
        """The residual program after so many steps of cleaning."""
        refuse_unknown(choice.off, self.passes())
        cleaned = cleaning.clean(self.raw, choice.off, choice.steps)
        program = replace(with_kept(cleaned, self.program), named=self.result.program.named)
        return replace(self.result, program=program)

    def passes(self) -> Sequence[str]:
        before_c = [name for name, _ in self._before_c(frozenset())]
        return [*[step.name for step in cleaning.PASSES], "names", *KERNEL, *before_c]

    def steps(self, off: frozenset[str]) -> list[PassStep]:
        refuse_unknown(off, self.passes())
        found = self._cleaning(off)
        match self.way:
            case "c":
                found += [PassStep(name) for name in KERNEL if name not in off]
            case "whole":
                found += [PassStep(name) for name, _ in self._before_c(off)]
        return found

    def _kernel_off(self, choice: PassChoice) -> frozenset[str]:
        """The passes on the code of kernels that are off, or not reached, by their own names."""
        on = [name for name in KERNEL if name not in choice.off]
        if choice.steps is not None:
            on = on[: max(0, choice.steps - len(self._cleaning(choice.off)))]
        pairs = zip(KERNEL, on_kernels.NAMES, strict=True)
        return frozenset([own for name, own in pairs if name not in on])

    def _cleaning(self, off: frozenset[str]) -> list[PassStep]:
        found: list[PassStep] = []

        def note(graph: ResidualGraph, name: str) -> None:
            found.append(PassStep(name, bool(graph.changes)))

        cleaning.clean(self.raw, off, check=note)
        return found

    def _before_c(self, off: frozenset[str]) -> list[tuple[str, native.Pass]]:
        named = [(f"whole-{name}", run) for name, run in native.PASSES]
        return [(name, run) for name, run in named if name not in off]

    def whole(self, choice: PassChoice) -> il.Program:
        """The residual program after so many steps, those before the C of whole programs too."""
        residual = self.residual(choice)
        program, passes = residual.program, self._before_c(choice.off)
        if choice.steps is not None:
            passes = passes[: max(0, choice.steps - len(self._cleaning(choice.off)))]
        for _, run in passes:
            program = on_deep_stack(run, program, residual.entry)
        return program

    def counts(self) -> list[PassCount]:
        found = {step.name: PassCount(step.name) for step in cleaning.PASSES}
        began = perf_counter()

        def note(graph: ResidualGraph, name: str) -> None:
            nonlocal began
            count = found[name]
            count.runs += 1
            count.changes += bool(graph.changes)
            count.seconds += perf_counter() - began
            began = perf_counter()

        cleaning.clean(self.raw, check=note)
        return [*found.values(), *self._kernel_counts(), *self._whole_counts()]

    def _kernel_counts(self) -> list[PassCount]:
        """Those of the passes on the code of kernels; none if C has no kernel for it."""
        found: list[PassCount] = []
        began, before = perf_counter(), ""

        def note(name: str, procedures: Sequence[KernelProcedure]) -> None:
            nonlocal began, before
            seconds = perf_counter() - began
            text = structuredtext.show(procedures)
            found.append(PassCount(f"kernel-{name}", 1, int(text != before), seconds))
            began, before = perf_counter(), text

        try:
            emit(self.residual(PassChoice()), after=note)
        except LimitationError:
            return []
        return found

    def _whole_counts(self) -> list[PassCount]:
        """Those of the passes before the C of whole programs."""
        residual = self.residual(PassChoice())
        program, found = residual.program, []
        before = show_il(program)
        for name, run in self._before_c(frozenset()):
            began = perf_counter()
            program = on_deep_stack(run, program, residual.entry)
            seconds = perf_counter() - began
            after = show_il(program)
            found.append(PassCount(name, 1, int(after != before), seconds))
            before = after
        return found

    def check(self) -> str | None:
        """Each step's program is made anew: what a pass leaves is no tree yet."""
        names = ["specialization", *[step.name for step in self.steps(frozenset())]]
        for number, name in enumerate(names):
            try:
                ilcheck.check(self.residual(PassChoice(steps=number)).program)
            except InternalError as error:
                return f"after {name} (step {number}): {error.message}"
        try:
            emit(self.residual(PassChoice()), after=on_kernels.verify)
        except InternalError as error:
            return error.message
        except LimitationError:
            pass  # no kernel, but a whole program
        return self._check_whole()

    def _check_whole(self) -> str | None:
        """The same for the passes before the C of whole programs."""
        residual = self.residual(PassChoice())
        program = residual.program
        for name, run in self._before_c(frozenset()):
            try:
                program = on_deep_stack(run, program, residual.entry)
                ilcheck.check(program)
            except InternalError as error:
                return f"after {name}: {error.message}"
        return None

    def show(self, stage: str, choice: PassChoice) -> str:
        residual = Residual(self.residual(choice))
        match stage:
            case "source":
                return show_il(self.program)
            case "il":
                return residual.il
            case "scheme":
                return residual.scheme
            case "python":
                return residual.python
            case "structured":
                return on_deep_stack(_structured, residual.program, self._kernel_off(choice))
            case "c":
                try:
                    return emit(residual.program, off=self._kernel_off(choice)).text
                except LimitationError:  # a whole program, which has everything
                    return residual.c
            case "whole":
                return show_il(self.whole(choice))
        raise InternalError(f"there is no stage {stage}")

    def expected(self) -> str:
        left = list(self.arguments)
        arguments = [source_argument(time, left) for time in self.bts]
        return _interpreted(self.program, self.entry, arguments, self.word_size)

    def outcome(self, choice: PassChoice) -> str:
        residual = self.residual(choice)
        if self.way == "interp":
            return _interpreted(
                residual.program, residual.entry, list(self.arguments), self.word_size
            )
        if self.way == "whole":
            program = self.whole(choice)
            return _interpreted(program, residual.entry, list(self.arguments), self.word_size)
        made = Residual(residual)
        try:
            call = self._compiled(residual, choice) if self.way == "c" else made.to_python()
        except LimitationError as error:
            return told(error)
        return _called(call, self.arguments)

    def _compiled(self, residual: ResidualProgram, choice: PassChoice) -> Callable[..., Any]:
        try:
            return load_module(emit(residual, off=self._kernel_off(choice)))
        except LimitationError:
            return load_whole(residual)


def _structured(residual: ResidualProgram, off: frozenset[str]) -> str:
    procedures, _ = structured(residual, off, on_kernels.verify)
    return structuredtext.show(procedures)


def source_argument(time: bt.BT, left: list[Datum]) -> Datum:
    """The source's argument of a binding time; unknown parts are taken from the front of `left`."""
    match time:
        case bt.Static(value):
            return value
        case bt.Dynamic() | bt.Cyclic():
            if not left:
                raise CogenError("there are fewer arguments than unknown parts")
            return left.pop(0)
        case bt.Cons(car, cdr):
            first = source_argument(car, left)
            return Pair(first, source_argument(cdr, left))
        case bt.Vector(items):
            return [source_argument(item, left) for item in items]
    raise LimitationError("arguments with records cannot be written")


def _interpreted(
    program: il.Program, entry: str, arguments: Sequence[Datum], word_size: int
) -> str:
    output = io.StringIO()
    given = [_again(argument) for argument in arguments]
    try:
        interpreter = Interpreter(program, word_size, output=output)
        interpreter.run()
        result = write_datum(interpreter.call(entry, given))
    except CogenError as error:
        return output.getvalue() + told(error)
    return output.getvalue() + result + _memory(given)


def _called(call: Callable[..., Any], arguments: Sequence[Datum]) -> str:
    given = [
        bytearray(argument) if isinstance(argument, bytes | bytearray) else from_datum(argument)
        for argument in arguments
    ]
    try:
        return write_datum(to_argument(call(*given))) + _memory(given)
    except CogenError as error:
        return told(error)


def _again(value: Datum) -> Datum:
    """The same datum, which a run may change."""
    if isinstance(value, bytes | bytearray):
        return bytearray(value)
    return read_datum(write_datum(value))


def _memory(arguments: Sequence[object]) -> str:
    """What buffers hold afterwards."""
    buffers = [bytes(one).hex() for one in arguments if isinstance(one, bytes | bytearray)]
    return "".join([f"\n{buffer}" for buffer in buffers])
