"""A staged function for arguments of certain kinds, as an array program.

level.program(frame, 64, 1.5, table)     ->  StagedProgram: .text, .report(), .compile()(...)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from cogen import kept_programs
from cogen.array.l0 import tree
from cogen.array.l0.storage import storage_of
from cogen.array.l0.types import BOOL, REAL, TupleType, array_of, packed_array
from cogen.array.optimise.optimisations import Options
from cogen.array.programs.arrayprogram import Program
from cogen.array.programs.compiledprogram import Compiled
from cogen.array.programs.targettext import TARGETS
from cogen.array.scheme.l0code import Code
from cogen.array.scheme.symbolicvalues import SymbolicName
from cogen.array.scheme.tidycode import tidy
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, Source, Span
from cogen.staging import hooks
from cogen.staging import stagedcalls as calls
from cogen.staging.arguments import (
    STATIC,
    KnownKey,
    Packed,
    leaf_kinds,
    names_of,
    put_together,
    surroundings,
    take_apart,
)
from cogen.staging.columns import dtype_of, layout_of, values_of
from cogen.staging.earlyexits import PREFIX
from cogen.staging.joinvalues import CarryError, Missing
from cogen.staging.listarguments import LeafKind
from cogen.staging.misuse import misused
from cogen.staging.packvalues import layout_text
from cogen.staging.pooledlists import PoolError, join_places
from cogen.staging.procedureprogram import FreeNames
from cogen.staging.sourceplaces import definition_of
from cogen.staging.stagedarrays import Array, of_type
from cogen.staging.stagedcomplex import complex_of
from cogen.staging.stagedconditionals import Raised
from cogen.staging.stagedprocedures import ProcedureGrowsError
from cogen.staging.stagedrecords import Records
from cogen.staging.stagedrecursion import RecursionGrowsError
from cogen.staging.stagedresults import Giver, Results
from cogen.staging.stagedscalars import Scalar
from cogen.staging.stagedtables import TableError
from cogen.staging.stagedtexts import StagedText, WideTextError
from cogen.staging.tracer import Rolling, StagingAttempts, Tracer, making
from cogen.staging.wholearrays import converted, elementwise

if TYPE_CHECKING:
    from cogen.array.programs.distribute import Distributed


@dataclass(frozen=True, slots=True)
class PackedKind:
    """What a packed parameter is: bytes in a layout; whether it has complex numbers."""

    layout: str
    of_complex: bool = False


@dataclass(slots=True, eq=False)
class Taken:
    """The arguments of a call: what they are, and the leaves that are passed to the program."""

    kinds: dict[str, Any] = field(default_factory=dict)
    leaves: list[Any] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> Any:
        """What decides which program it is."""
        return tuple(self.kinds.items())


def take(arguments: Mapping[str, Any], meanings: Mapping[str, Any]) -> Taken:
    """The arguments of a function by name; `meanings` are those of its annotations."""
    taken = Taken()
    for name, value in arguments.items():
        taken.values[name] = value
        meaning = meanings.get(name)
        if meaning is STATIC:
            taken.kinds[name] = "known", KnownKey(value)
        elif isinstance(meaning, Packed):
            taken.kinds[name] = PackedKind(layout_text(meaning.layout), meaning.of_complex)
            taken.leaves.append(value)
        else:
            taken.kinds[name], leaves = take_apart(value, f"`{name}`")
            taken.leaves += leaves
    return taken


class StagedProgram(Program):
    """The array program of a staged function, for arguments of certain kinds.

    It takes the arguments that are not static, in order, as the function does, and gives what the
    function gives; its one function is called as the Python function is.
    """

    def __init__(
        self, program: tree.L0Program, entry: str, taken: Taken, give: Giver, tracer: Tracer,
        again: Callable[[str], StagedProgram],
    ) -> None:  # fmt: skip
        super().__init__(program)
        self.digest = kept_programs.digest_of(program)
        self.entry = entry
        self.taken = taken
        self.give = give
        self.used: Sequence[FunctionType] = list(tracer.used)
        """The functions that were run to make it."""
        self.laws: Sequence[str] = tracer.laws
        """The laws of a user's kinds that were applied, in their order (`cogen.Kinds`)."""
        self.target = tracer.target if tracer.for_target else None
        """The target that it was made for, if it would be another one for another target."""
        self._again = again

    residual = None
    """What the specializer left of it: staging runs Python, and leaves the array program itself."""

    def leaves(self, values: Sequence[Any]) -> list[Any]:
        """The leaves of arguments.  CogenError where they are not of the program's kinds."""
        kinds = [(name, kind) for name, kind in self.taken.kinds.items() if not _is_known(kind)]
        if len(values) != len(kinds):
            names = ", ".join([name for name, _ in kinds])
            raise CogenError(
                f"`{self.entry}` takes {len(kinds)} arguments here ({names}), but {len(values)} "
                "were given",
                self.function(self.entry).name.span,
                "static arguments are part of the program",
            )
        found: list[Any] = []
        for value, (name, kind) in zip(values, kinds, strict=True):
            try:
                found += leaves_as(value, name, kind)
            except CogenError as error:
                if error.span is None:
                    error.reached(self.function(self.entry).name.span, ())
                raise
        return found

    def put(self, found: Any) -> Any:
        """The function's result of the program's."""
        leaves = found if isinstance(self.result(self.entry), TupleType) else (found,)
        return self.give(iter(leaves))

    def run(self, *values: object, entry: str | None = None, **options: Any) -> Any:
        """What the function gives, by the reference interpreter."""
        leaves = self.leaves(values)
        return self.put(super().run(*leaves, entry=entry or self.entry, **options))

    def compile(  # type: ignore[override]  # the same, with a function that takes the arguments
        self,
        target: str = "c",
        entry: str | None = None,
        threads: int | None = None,
        options: Options | None = None,
        real: str = "float64",
        int: str = "int64",
        device: bool = False,
    ) -> StagedFunction:
        """The program as native code: a function of the arguments that are not static."""
        if self.target not in (None, target) and target in TARGETS:
            own = self._again(target)
            return own.compile(target, None, threads, options, real, int, device)
        made = super().compile(target, entry or self.entry, threads, options, real, int, device)
        return StagedFunction(self, made)

    def distribute(  # type: ignore[override]  # the same, of the arguments that are not static
        self, client: Any, piece_bytes: int = 64 << 20
    ) -> Distributed:
        """The program on the workers of a Dask client, called with the arguments that are not
        static: Dask arrays, dataframes or lists of paths in place of arrays."""
        from cogen.staging.distributing import distributed_program

        return distributed_program(self, client, piece_bytes)

    def report(self, duplicate: bool = True) -> dict[str, Any]:
        """What became of each array operation, as `cogen array fuse-report --json` says it."""
        from cogen.array.fusion.fuse import FusionOptions as Fusing
        from cogen.array.report.fusionreport import report

        return report(self, self.entry, Fusing(duplicate=duplicate)).json()

    def graph(self, entry: str | None = None, options: Options | None = None) -> Any:
        """The optimised graph (`cogen.array.ir.node`)."""
        return super().graph(entry or self.entry, options)

    def parameters(self, entry: str = "") -> Any:
        """The types of the parameters."""
        return super().parameters(entry or self.entry)

    def result(self, entry: str = "") -> Any:
        """The type of the result."""
        return super().result(entry or self.entry)


def leaves_as(value: Any, name: str, kind: Any) -> list[Any]:
    """The leaves of an argument for a program of its kind.  CogenError where it is of another."""
    if isinstance(kind, PackedKind):
        return [value]
    own, leaves = take_apart(value, f"`{name}`")
    if own == kind:
        return leaves
    if _without_ones(own) != _without_ones(kind):
        raise CogenError(
            f"`{name}` is of another kind than what the program was made for",
            hint="call the staged function, or `.program` with it",
        )
    return list(map(_as_made_for, leaf_kinds(kind), leaf_kinds(own), leaves))


def _is_known(kind: Any) -> bool:
    return isinstance(kind, tuple) and kind[0] == "known"


def _without_ones(kind: Any) -> Any:
    """A kind without what is only a guess about sizes, and how it lies in memory."""
    if isinstance(kind, LeafKind):
        return kind.element, kind.ndim
    if isinstance(kind, tuple):
        return tuple([_without_ones(part) for part in kind])
    return kind


def _as_made_for(wanted: LeafKind, given: LeafKind, leaf: Any) -> Any:
    """A leaf as it must lie in memory.  CogenError where that cannot hold it."""
    if wanted.layout == given.layout:
        return leaf
    if getattr(leaf, "is_resident", False):
        leaf = leaf.numpy()
    if wanted.layout is None:
        return values_of(leaf, given.layout)
    dtype = dtype_of(wanted.layout)
    array = values_of(leaf, given.layout)
    made = array if dtype is None else array.astype(dtype)
    if dtype is None or not np.array_equal(made, array, equal_nan=array.dtype.kind == "f"):
        raise CogenError(
            f"an array of {array.dtype} was given where the program was made for {wanted.layout}",
            hint="call the staged function, or `.program` with such arrays",
        )
    return made


class StagedFunction:
    """A staged program that is compiled."""

    def __init__(self, program: StagedProgram, compiled: Compiled) -> None:
        self.program = program
        self.compiled = compiled
        self._gives_tuple = isinstance(program.result(program.entry), TupleType)

    @property
    def source(self) -> str:
        """The text of the generated code."""
        return self.compiled.source

    def __call__(self, *values: Any) -> Any:
        """What the function gives for the arguments that are not static, in order."""
        return self.of_leaves(self.program.leaves(values))

    def of_leaves(self, leaves: Sequence[Any]) -> Any:
        """What the function gives for the leaves of arguments."""
        found = self.compiled(*leaves)
        return self.program.give(iter(found if self._gives_tuple else (found,)))


def stage_program(
    function: FunctionType,
    call: Callable[[dict[str, Any]], Any],
    taken: Taken,
    target: str = "c",
) -> StagedProgram:
    """The program of a function for arguments; `call` calls it with arguments by name."""

    attempts = StagingAttempts()

    def attempt(rolling: Rolling) -> StagedProgram:
        while True:
            try:
                return on_deep_stack(_staged, function, call, taken, target, rolling, attempts)
            except CarryError as used:
                attempts.carried.add(used.loop)
            except TableError as used:
                attempts.tables[used.place] = used.shrinks
            except PoolError as used:
                join_places(attempts.pools, used.places)
            except WideTextError:
                continue

    rolling = Rolling()
    try:
        return _with_recursions(attempt, rolling)
    except CogenError as error:
        if not rolling.doubtful or rolling.endless:
            raise
        try:
            return _with_recursions(attempt, Rolling(more=False, calls=not rolling.procedures))
        except CogenError:
            raise error from None


def _with_recursions(
    attempt: Callable[[Rolling], StagedProgram], rolling: Rolling
) -> StagedProgram:
    """The program, with loops and procedures for functions that call themselves."""
    while True:
        try:
            return attempt(rolling)
        except RecursionGrowsError as grows:
            rolling.codes.add(grows.code)
            rolling.doubtful = True
        except ProcedureGrowsError as grows:
            rolling.codes.discard(grows.code)
            known = rolling.procedures.setdefault(grows.code, set())
            known.update(grows.paths)
            rolling.doubtful |= not grows.certain


def _staged(
    function: FunctionType,
    call: Callable[[dict[str, Any]], Any],
    taken: Taken,
    target: str,
    rolling: Rolling,
    attempts: StagingAttempts,
) -> StagedProgram:
    code = function.__code__
    place = definition_of(function)
    tracer = Tracer(place, target)
    tracer.rolling, tracer.attempts = rolling, attempts
    entry = tracer.names.fresh(function.__name__ if function.__name__ != "<lambda>" else "main")
    parameters: list[tree.Parameter] = []
    with making(tracer):
        try:
            arguments = {
                name: _argument(name, kind, taken.values[name], tracer, parameters, place)
                for name, kind in taken.kinds.items()
            }
            results = Results(_checked(call(arguments), function))
            e, t, declared = _whole(results, tracer, place)
        except Raised as raised:
            raise raised.error from None
        except RecursionError:
            raise CogenError("the function calls itself without end", place) from None
        except (TypeError, AttributeError) as error:
            raise misused(error) or error from None
    head, main = tracer.blocks[0], tracer.code
    body = on_deep_stack(_closed, [main, head], e)
    stored = declared if declared != t else None
    definition = tree.FunctionDefinition(
        place, tree.Name(place, entry), t, tuple(parameters), body, stored
    )
    source = place.source or Source(code.co_filename, "")
    program = tree.L0Program(source, on_deep_stack(_definitions, definition, tracer))
    tracer.used.setdefault(function)
    again = functools.partial(stage_program, function, call, taken)
    return StagedProgram(program, entry, taken, results.give, tracer, again)


def _definitions(
    main: tree.FunctionDefinition, tracer: Tracer
) -> tuple[tree.FunctionDefinition, ...]:
    """The functions of the program, in the form that people would write."""
    found = FreeNames(main, tracer.procedures, tracer.types).program()
    return tuple([
        tree.FunctionDefinition(f.span, f.name, f.result, f.parameters, tidy(f.body), f.stored)
        for f in found
    ])  # fmt: skip


def _closed(codes: Sequence[Code], e: tree.Expression) -> tree.Expression:
    for code in codes:
        e = code.close(e)
    return e


def _checked(value: Any, function: FunctionType) -> Any:
    if isinstance(value, Missing):
        value.demand()
    if isinstance(value, Missing) and not value.name.startswith(PREFIX):
        hint = "give it a value before, on every way"
        raise CogenError(f"`{value.name}` {value.why}", definition_of(function), hint)
    if isinstance(value, Missing):
        raise CogenError(
            f"`{function.__name__}` does not give a result on every way",
            definition_of(function),
            "end each way with a `return` of values of one kind",
        )
    return value


def _whole(results: Results, tracer: Tracer, place: Span) -> Any:
    """The result of the program: a truth value if the function gives nothing that a run knows."""
    if not results.types:
        return tree.LiteralExpression(place, True, BOOL), BOOL, BOOL
    if len(results.expressions) == 1:
        return results.expressions[0], results.type, results.stored_type
    return tree.Tuple(place, tuple(results.expressions)), results.type, results.stored_type


def _argument(
    name: str, kind: Any, value: Any, tracer: Tracer, parameters: list[tree.Parameter], place: Span
) -> Any:
    """What stands for an argument while staging; its leaves become parameters."""
    if isinstance(kind, PackedKind):
        return _packed(name, kind, tracer, parameters, place)
    if _is_known(kind):
        return np.array(value) if isinstance(value, np.ndarray) else value
    tracer.attempts.wide_text |= _is_wide(kind)
    texts = iter([tracer.names.fresh(text) for text in names_of(kind, name)])

    def leaf(own: LeafKind) -> Any:
        found = _parameter(next(texts), own, parameters, place)
        if isinstance(found, Array):
            found.ones = own.ones
        assert isinstance(found, Scalar | Array)
        if own.text:
            assert isinstance(found, Array)
            return StagedText(found)
        return found

    made = put_together(kind, leaf, Records, value)
    if isinstance(made, list | dict):
        tracer.made(made)
    return made


def _is_wide(kind: Any) -> bool:
    """Whether an argument of a kind has strings with characters beyond ASCII."""
    if isinstance(kind, LeafKind):
        return kind.text and kind.layout != layout_of(np.dtype(np.uint8))
    if kind[0] == "texts":
        return bool(kind[1][1].layout != layout_of(np.dtype(np.uint8)))
    return isinstance(kind[-1], tuple) and any(map(_is_wide, kind[-1]))


def _parameter(text: str, kind: LeafKind, parameters: list[tree.Parameter], place: Span) -> Any:
    """A leaf as a parameter of the program."""
    if kind.layout is None:
        parameters.append(tree.Parameter(tree.Name(place, text), kind.type))
        return of_type(SymbolicName(text, kind.type), kind.type)
    inside = array_of(storage_of(kind.layout).element, 1)
    declared = packed_array(kind.layout)
    parameters.append(tree.Parameter(tree.Name(place, text), inside, declared))
    found = of_type(SymbolicName(text, inside), inside)
    return elementwise(lambda bit: bit != 0, [found]) if kind.element == BOOL else found


def _packed(
    name: str, kind: PackedKind, tracer: Tracer, parameters: list[tree.Parameter], place: Span
) -> Any:
    found = _packed_samples(name, kind, tracer, parameters, place)
    if not kind.of_complex:
        return found
    channels = list(found.fields.values()) if isinstance(found, Records) else [found]
    if len(channels) != 2:
        raise CogenError(
            "complex numbers are made of two channels, I and Q, but the layout has "
            f"{len(channels)}",
            place,
        )
    return complex_of(*[converted(channel, REAL) for channel in channels])


def _packed_samples(
    name: str, kind: PackedKind, tracer: Tracer, parameters: list[tree.Parameter], place: Span
) -> Any:
    storage = storage_of(kind.layout)
    text = tracer.names.fresh(name)
    inside = array_of(storage.element, 1)
    parameters.append(tree.Parameter(tree.Name(place, text), inside, packed_array(kind.layout)))
    if not isinstance(storage.element, TupleType):
        return of_type(SymbolicName(text, inside), inside)
    names = [tracer.names.fresh(f"{name}_{field}") for field in storage.names]
    whole = tree.Form(place, "unzip", (tree.VariableExpression(place, tree.Name(place, text)),))
    pattern = tree.TuplePattern(place, tuple([tree.Name(place, n) for n in names]))
    tracer.code.frames.append(lambda rest: tree.LetExpression(place, pattern, whole, rest))
    types = [array_of(t, 1) for t in storage.element.parts]
    return Records({
        field: of_type(SymbolicName(n, t), t)
        for field, n, t in zip(storage.names, names, types, strict=True)
    })  # fmt: skip


__all__ = ["StagedFunction", "StagedProgram", "calls", "hooks", "surroundings", "take"]
