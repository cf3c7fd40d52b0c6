"""The road of array programs: L0 -> graph, rule by rule -> schedule -> loops, pass by pass -> C.

Kernels for devices are made of the same schedule, form by form (`cogen.array.loops.kernel_forms`).
Steps are those of the optimisations of graphs (`cogen.array.optimise.steplimit`), and after all of
these the passes on loops (`cogen.array.loops.passes`), which concern C alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Final

from cogen.array.c.cprogram import c_program, loop_program
from cogen.array.c.nativeprogram import CNative, NativeProgram
from cogen.array.codegen.runnable import Native, Tracer
from cogen.array.fusion.rulenames import RULES
from cogen.array.ir.evaluate import evaluate
from cogen.array.ir.graphtext import write
from cogen.array.ir.marshal import LeafValue
from cogen.array.ir.node import Module
from cogen.array.loops import kernel_forms
from cogen.array.loops import passes as on_loops
from cogen.array.loops.show import show as show_loops
from cogen.array.opencl.device import device
from cogen.array.opencl.deviceprogram import DeviceCode, DeviceProgram, for_device
from cogen.array.optimise.optimisations import NAMES, SCHEDULE, Options
from cogen.array.optimise.optimise import optimise
from cogen.array.optimise.preparing import Prepared, scheduled
from cogen.array.optimise.steplimit import Steps
from cogen.array.programs.arrayprogram import Program
from cogen.array.programs.compiledprogram import Compiled
from cogen.array.schedule.showschedule import show
from cogen.dev.road import PassChoice, PassCount, PassStep, Road, refuse_unknown, told
from cogen.lang.errors import CogenError, InternalError

WAYS: Final = ("graph", "c", "opencl")
"""How array programs are run: the graph by its interpreter, C, or kernels on a device."""

LOOPS: Final = tuple([step.name for step in on_loops.PASSES])
FORMS: Final = tuple([step.name for step in kernel_forms.FORMS])
LATER: Final[Mapping[str, Sequence[str]]] = {
    "graph": (),
    "c": (*SCHEDULE, *LOOPS),
    "opencl": (*SCHEDULE, *FORMS, *[step.name for step in on_loops.KERNEL_PASSES]),
}
"""What comes after the steps on the graph."""
THREADS: Final = 2


class ArrayRoad(Road):
    """A function of an array program; `values` are its arguments as text."""

    stages = ("l0", "graph", "nodes", "loops", "c", "kernels", "opencl")

    def __init__(self, program: Program, entry: str, values: str = "", way: str = "graph") -> None:
        self.program = program
        self.entry = entry
        self.values = values
        self.way = way
        program.function(entry)
        self.later = LATER[way]

    def passes(self) -> Sequence[str]:
        return [*NAMES, *RULES]

    def _graph_steps(self, off: frozenset[str], limit: int | None = None) -> Steps:
        steps = Steps(limit)
        optimise(self.program.facts, self.entry, self._of_way(Options(off)), steps=steps)
        return steps

    def _of_way(self, options: Options) -> Options:
        """The options for a graph that is run in the road's way."""
        return for_device(options) if self.way == "opencl" else options

    def steps(self, off: frozenset[str]) -> list[PassStep]:
        refuse_unknown(off, self.passes())
        found = [PassStep(name) for name in self._graph_steps(off).names]
        return [*found, *[PassStep(name) for name in self.later if name not in off]]

    def ends(self, off: frozenset[str]) -> dict[str, int]:
        refuse_unknown(off, self.passes())
        found: dict[str, int] = {}
        steps = Steps()

        def note(name: str) -> None:
            found[name] = steps.count

        options = self._of_way(Options(off))
        optimise(self.program.facts, self.entry, options, steps=steps, after=note)
        ends = super().ends(off)
        for name, number in [*ends.items()]:
            module, dot, _ = name.partition(".")
            if dot:  # one of several rules
                ends.setdefault(module, number)
        return {**ends, **found}

    def _options(self, choice: PassChoice) -> Options:
        """Steps beyond those of the graph are passes on loops, or forms of kernels: those not
        reached are off."""
        refuse_unknown(choice.off, self.passes())
        if choice.steps is None:
            return Options(choice.off)
        done = self._graph_steps(choice.off, choice.steps).count
        on = [name for name in self.later if name not in choice.off][: choice.steps - done]
        return Options(choice.off | (frozenset(self.later) - frozenset(on)), choice.steps)

    def prepared(self, options: Options) -> Prepared:
        """The schedules of the optimised module."""
        graph, module = optimise(self.program.facts, self.entry, options)
        return scheduled(module, graph, options)

    def show(self, stage: str, choice: PassChoice) -> str:
        if stage == "l0":
            return self.program.text
        options = self._options(choice)
        ready = self.prepared(options)
        match stage:
            case "graph":
                return show(ready.module, options.off)
            case "nodes":
                graph, module = optimise(self.program.facts, self.entry, options)
                return write(module, graph)
            case "loops":
                made = loop_program(ready, options.off)
                return show_loops(made.functions)
            case "c":
                return c_program(ready, options.off).text
            case "kernels" | "opencl":
                ready = self.prepared(for_device(options))
                code = DeviceCode(ready, options.off)
                return code.text if stage == "opencl" else show_loops(code.kernels)
        raise InternalError(f"there is no stage {stage}")

    def counts(self) -> list[PassCount]:
        found: list[PassCount] = []
        steps = Steps()
        began, before = perf_counter(), 0

        def note(name: str) -> None:
            nonlocal began, before
            found.append(PassCount(name, 1, steps.count - before, perf_counter() - began))
            began, before = perf_counter(), steps.count

        optimise(self.program.facts, self.entry, steps=steps, after=note)
        ready = self.prepared(Options())
        parts: Sequence[object] = loop_program(ready, frozenset(LOOPS)).functions
        for step in on_loops.PASSES:
            began = perf_counter()
            after = step.run(parts)  # type: ignore[arg-type]  # functions, as they were given
            changed = list(after) != list(parts)
            found.append(PassCount(step.name, 1, int(changed), perf_counter() - began))
            parts = after
        return [*found, *self._form_counts()]

    def _form_counts(self) -> list[PassCount]:
        """Those of what kernels are made of each loop: how many there are is what changes."""
        found = {name: PassCount(name) for name in FORMS}
        began, before = perf_counter(), 0

        def note(name: str, forms: Mapping[str, kernel_forms.KernelForm]) -> None:
            nonlocal began, before
            count = found[name]
            count.runs += 1
            count.changes += len(forms) - (before if name != FORMS[0] else 0)
            count.seconds += perf_counter() - began
            began, before = perf_counter(), len(forms)

        DeviceCode(self.prepared(for_device(None)), after=note)
        return [*found.values()]

    def check(self) -> str | None:
        try:
            optimise(self.program.facts, self.entry, verify=True)
            ready = self.prepared(Options())
            loop_program(ready, verify=True)
            DeviceCode(self.prepared(for_device(None)), verify=True)
        except InternalError as error:
            return error.message
        return None

    def expected(self) -> str:
        try:
            return self.program.run_text(self.values, self.entry, "<values>", lambda shown: None)
        except CogenError as error:
            return told(error)

    def agree(self, expected: str, found: str) -> bool:
        """Of several checks that fail, any may be told."""
        return super().agree(expected, found) or all(": error: " in x for x in (expected, found))

    def outcome(self, choice: PassChoice) -> str:
        options = self._options(choice)
        ready = self.prepared(self._of_way(options))
        try:
            if self.way == "graph":
                native: Native = _Evaluated(ready.module)
            elif self.way == "opencl":
                made = DeviceCode(ready, options.off)
                native = DeviceProgram(made, device(made.program.arithmetic.real_bits))
            else:
                text = c_program(ready, options.off)
                code = NativeProgram(text)
                code.grain = 0
                native = CNative(code, THREADS)
            compiled = Compiled(self.program, self.entry, self.way, native)
            return compiled.run_text(self.values, trace=lambda shown: None)
        except InternalError:
            raise
        except CogenError as error:
            return told(error)


class _Evaluated(Native):
    """A graph, called with leaves."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.source = show(module)

    def __call__(
        self, leaves: Sequence[LeafValue], sizes: Sequence[int], trace: Tracer
    ) -> list[LeafValue]:
        return evaluate(self.module, leaves, sizes, lambda layout, value: None)
