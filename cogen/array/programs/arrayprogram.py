"""A program on whole arrays, in L0 or in the Scheme-like language, and ways to run it.

What a way needs is imported when it is gone: a program that was checked before
(`cogen.kept_programs`) needs no parser, and NumPy only when it runs.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any

from cogen import expected, kept_programs
from cogen.array.l0 import tree
from cogen.array.l0.facts import CheckedFacts
from cogen.array.l0.types import Type, show_type, without_uniqueness
from cogen.boundary import public_methods
from cogen.lang.errors import CogenError, Source
from cogen.lang.shown import listed

if TYPE_CHECKING:
    from pathlib import Path

    from distributed import Client

    from cogen.array.codegen.runnable import Native
    from cogen.array.ir.node import Module
    from cogen.array.l0.arithmetic import Arithmetic
    from cogen.array.l0.values import Value
    from cogen.array.optimise.optimisations import Options
    from cogen.array.programs.compiledprogram import Compiled
    from cogen.array.programs.distribute import Distributed
    from cogen.view.timing import Times


def _trace_to_standard_error(text: str) -> None:
    print(text, file=sys.stderr)


@public_methods
class Program:
    """A checked program: of a text in L0, or of a tree.

    Making one raises CogenError at the program's first mistake.
    """

    def __init__(self, program: Source | tree.L0Program) -> None:
        if not isinstance(program, Source | tree.L0Program):
            hint = "cogen.array.load(path) and cogen.array.loads(text) take files and texts"
            expected.instance(
                program, tree.L0Program, "the program", "a Source or a tree of L0", hint
            )
        self.digest = ""
        """What is made of the program is kept by this, if it is not empty."""
        if isinstance(program, Source):
            self.facts, self.digest = kept_programs.facts(program, partial(_checked_text, program))
        else:
            self.facts = _checked(program)
        self.source = self.facts.program.source
        self._times: dict[str, Times] = {}
        """What was measured, by entry."""
        self._parameters: dict[str, tuple[Type, ...]] = {}

    def __repr__(self) -> str:
        return f"<array program {self.source.name}: {listed(self.entries)}>"

    @property
    def text(self) -> str:
        """The program in L0."""
        from cogen.array.l0.show import show

        return show(self.facts.written or self.facts.program)

    @property
    def entries(self) -> tuple[str, ...]:
        """The names of the program's functions, in the order of the text."""
        return tuple(self.facts.definitions)

    def function(self, entry: str) -> tree.FunctionDefinition:
        """A function of the program.  CogenError if there is none of that name."""
        found = self.facts.definitions.get(expected.text(entry, "the name of a function"))
        if found is not None:
            return found
        near = get_close_matches(entry, self.entries, n=1)
        hint = f"did you mean `{near[0]}`?" if near else "name another with --entry or entry="
        raise CogenError(f"{self.source.name} does not define the function `{entry}`", hint=hint)

    def parameters(self, entry: str = "main") -> tuple[Type, ...]:
        """The declared types of a function's parameters, without uniqueness."""
        found = self._parameters.get(expected.text(entry, "the name of a function"))
        if found is None:
            found = tuple([without_uniqueness(p.declared) for p in self.function(entry).parameters])
            self._parameters[entry] = found
        return found

    def result(self, entry: str = "main") -> Type:
        """The declared type of a function's result, without uniqueness."""
        return without_uniqueness(self.function(entry).declared)

    def run(
        self,
        *values: object,
        entry: str = "main",
        trace: Callable[[str], None] = _trace_to_standard_error,
        real: str = "float64",
        int: str = "int64",
    ) -> Any:
        """The result of a function in the reference interpreter.

        Takes and gives int, float, bool, str (a char or a string), tuples, and NumPy arrays (also
        takes lists, and what has the buffer protocol or DLPack); an array of tuples is a tuple of
        arrays.  `trace` gets the text of traced values.  `real` is "float64" or "float32", `int`
        "int64" or "int32": what the program computes with, and gives.  CogenError where a value
        does not have its parameter's type, or the program fails.
        """
        from cogen.array.l0.pythonvalues import to_python

        a = self.arithmetic(real, int, entry)
        arguments = self.arguments(values, entry, a)
        return to_python(self._call(entry, arguments, trace, a), self.result(entry), a=a)

    def arithmetic(self, real: str, int: str, entry: str = "main") -> Arithmetic:
        """The arithmetic of two names, for a function.

        CogenError if there is none of a name, or no such function, or a literal that the function
        may come to is out of range.
        """
        from cogen.array.l0.arithmetic import arithmetic
        from cogen.array.l0.literal_widths import check_fits

        found = arithmetic(int, real)
        self.function(entry)
        check_fits(self.facts, entry, found)
        return found

    def arguments(
        self, values: Sequence[object], entry: str = "main", arithmetic: Arithmetic | None = None
    ) -> list[Value]:
        """Values of Python and NumPy as arguments of a function; of 64 bits, if no arithmetic is
        given.

        CogenError for a wrong number of them, and where one does not have its parameter's type.
        """
        types = self.parameters(entry)
        arithmetic = _arithmetic(arithmetic)
        if not isinstance(values, Sequence):
            raise CogenError(f"the values must be a list or a tuple, not {expected.shown(values)}")
        function = self.function(entry)
        if len(values) != len(types):
            shown = ", ".join([show_type(t) for t in types])
            raise CogenError(
                f"`{entry}` takes {len(types)} value{'' if len(types) == 1 else 's'} "
                f"({shown}), but {len(values)} {'was' if len(values) == 1 else 'were'} given",
                function.name.span,
            )
        return [
            _argument(value, t, parameter.name, arithmetic)
            for value, t, parameter in zip(values, types, function.parameters, strict=True)
        ]

    def run_text(
        self,
        text: str,
        entry: str = "main",
        name: str = "<values>",
        trace: Callable[[str], None] = _trace_to_standard_error,
        real: str = "float64",
        int: str = "int64",
    ) -> str:
        """The same with values as text, and the result as text; `name` is what diagnostics call
        the text."""
        from cogen.array.l0.valuetext import show_value

        a = self.arithmetic(real, int, entry)
        arguments = self.arguments_of_text(text, entry, name, a)
        return show_value(self._call(entry, arguments, trace, a), self.result(entry))

    def arguments_of_text(
        self,
        text: str,
        entry: str = "main",
        name: str = "<values>",
        arithmetic: Arithmetic | None = None,
    ) -> list[Value]:
        """The arguments of a function that a text writes."""
        from cogen.array.l0.valuetext import read_values

        names = [parameter.name.text for parameter in self.function(entry).parameters]
        source = Source(
            expected.text(name, "the name of the text"), expected.text(text, "the text")
        )
        return read_values(source, self.parameters(entry), names, _arithmetic(arithmetic))

    def graph(self, entry: str = "main", options: Options | None = None) -> Module:
        """The optimised graph of a function: what is compiled (`cogen.array.ir.node`).

        `options` say what is not to be optimised. CogenError if there is no such function.
        """
        from cogen.array.optimise.optimise import optimise

        self.function(entry)
        _check_options(options)
        return optimise(self.facts, entry, options)[1]

    def html(self, entry: str | None = None) -> str:
        """One page that needs nothing else: source, data-flow before and after fusion, and C, with
        what became of each operation (docs/view.md).  Of `main`, or of the last function, if none
        is named."""
        from cogen.view.arraypage import array_page

        if entry is None:
            entry = "main" if "main" in self.entries else next(reversed(self.entries), "main")
        return array_page(self, entry, times=self._times.get(entry))

    def measure(self, *values: object, entry: str = "main", seconds: float = 2.0) -> Times:
        """Run the C of a function on values again and again for so many seconds, on one thread, and
        find which operations take the time; `html` and `view` show it from then on.

        CogenError as for a call of what `compile` gives; and if the runs took too little time to
        tell.  LimitationError on systems that cannot measure it.
        """
        from cogen.array.programs.compiledprogram import Compiled
        from cogen.view.arraytiming import measured

        self.arguments(values, entry)

        def run(native: Native) -> object:
            """Traces are not shown while a program is measured."""
            return Compiled(self, entry, "c", native)(*values, trace=lambda shown: None)

        found = measured(self, entry, run, expected.seconds(seconds))
        self._times[entry] = found
        return found

    def view(self, entry: str | None = None) -> Path:
        """Write the page to a temporary file, open it in a browser, and give the file's path."""
        from cogen.view.opening import opened

        return opened(self.html(entry), self.source.name)

    def _repr_html_(self) -> str:
        """The page in a frame, for notebooks."""
        from cogen.view.opening import framed

        return framed(self.html())

    def compile(
        self,
        target: str = "c",
        entry: str = "main",
        threads: int | None = None,
        options: Options | None = None,
        real: str = "float64",
        int: str = "int64",
        device: bool = False,
    ) -> Compiled:
        """A function of the program as native code: called like `run`, with the same results.

        `target` is "c" or "opencl". `threads` is how many threads C uses: as many as there are
        processors if it is not given. `options` says which optimisations are made. `real` and
        `int` are as for `run`; arrays of these dtypes are passed without a copy. CogenError for an
        unknown target, if there is no compiler or device for it, and for a literal of the program
        that is out of range.

        With `device`, arrays of the result stay on the OpenCL device, to be passed to other
        programs for it, or to `numpy.asarray`.
        """
        from cogen.array.programs.compiledprogram import compile_program

        own = self.for_target(expected.text(target, "the target"))
        a = own.arithmetic(real, int, entry)
        _check_options(options)
        if threads is not None:
            threads = expected.integer(threads, "the number of threads", 1)
        device = expected.flag(device, "device")
        return compile_program(own, target, entry, threads, options, a, device)

    def for_target(self, target: str) -> Program:
        """The program as it is for a target: another one where what is in it has cases of its own
        there (`cogen.Kinds`)."""
        return self

    def distribute(
        self,
        client: Client,
        entry: str = "main",
        real: str = "float64",
        int: str = "int64",
        piece_bytes: builtins.int = 64 << 20,
    ) -> Distributed:
        """A function of the program on the workers of a Dask client: called like `run`, with Dask
        arrays, dataframes or series, or lists of paths, in place of arrays; the result is the same.

        Files are packed samples where the parameter is declared packed, else arrays in `.npy`; they
        are read in pieces of about `piece_bytes`. A call raises CogenError where the program does
        what cannot be done piece by piece, with the place. Needs the extra `dask`.
        """
        from cogen.array.programs.distribute import distributed

        bytes_ = expected.integer(piece_bytes, "the bytes of a piece", 1)
        return distributed(self, client, entry, real, int, bytes_)

    def _call(
        self,
        entry: str,
        arguments: list[Value],
        trace: Callable[[str], None],
        arithmetic: Arithmetic,
    ) -> Value:
        from cogen.array.ir.marshal import inside, outside
        from cogen.array.l0.interp import L0Interpreter

        expected.function(trace, "trace")
        given = [inside(v, t) for v, t in zip(arguments, self.parameters(entry), strict=True)]
        found = L0Interpreter(self.facts, trace, arithmetic).call(entry, given)
        return outside(found, self.result(entry))


def _checked_text(source: Source) -> CheckedFacts:
    from cogen.array.l0.parse import parse

    return _checked(parse(source))


def _checked(program: tree.L0Program) -> CheckedFacts:
    from cogen.array.l0.check import check
    from cogen.array.l0.plain import with_tuples
    from cogen.array.l0.uniqueness import check_uniqueness

    facts = with_tuples(check(program))
    check_uniqueness(facts)
    return facts


def _arithmetic(value: Arithmetic | None) -> Arithmetic:
    from cogen.array.l0.arithmetic import WIDE, Arithmetic

    if value is None:
        return WIDE
    return expected.instance(
        value, Arithmetic, "the arithmetic", "a result of `Program.arithmetic`"
    )


def _check_options(options: Options | None) -> None:
    if options is not None:
        from cogen.array.optimise.optimisations import Options

        expected.instance(
            options, Options, "the options", "cogen.array.optimise.optimisations.Options"
        )


def _argument(value: object, t: Type, name: tree.Name, arithmetic: Arithmetic) -> Value:
    """A value as the argument for a parameter; an error is told where that stands."""
    from cogen.array.l0.pythonvalues import from_python

    try:
        return from_python(value, t, f"`{name.text}`", arithmetic)
    except CogenError as error:
        error.reached(name.span, ())
        raise
