"""A scheduled module -> a C file: a function for each function of the module, and the entry.

    int64_t cogen_run(cogen_call *call)

takes slots: the sizes of the parameters, then a slot for each leaf (the bits of a scalar, or the
address of an array without gaps), and gives for each result the bits, or address, block and shape.
It returns whether it failed; the error is in the call. Blocks of results are freed by
`cogen_release`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from cogen.array.c import runtimetext as runtime
from cogen.array.c.entryfunction import EntryFunction, consumed
from cogen.array.c.interface import CProgram, LeafType
from cogen.array.c.prefix import prefix_function
from cogen.array.c.samplefunctions import sample_functions
from cogen.array.codegen import representations
from cogen.array.codegen.controlloops import call
from cogen.array.codegen.emitter import Emitter
from cogen.array.codegen.errorsites import CodeUnit
from cogen.array.codegen.frames import MemoryFrame
from cogen.array.codegen.multiloop import controlled
from cogen.array.codegen.representations import Handle, Rep, ScalarRep
from cogen.array.codegen.simple import SIMPLE
from cogen.array.codegen.sinks import memory, sinks_of
from cogen.array.codegen.sources import packed
from cogen.array.codegen.survey import all_statements
from cogen.array.ir.graphtypes import CERT, GraphArray, Type, element, rank
from cogen.array.ir.node import (
    Call,
    Function,
    Module,
    Multiloop,
    Node,
    Update,
)
from cogen.array.ir.packedboundary import Stored, sources
from cogen.array.loops import tree
from cogen.array.loops.expressions import ZERO, load, natural
from cogen.array.loops.passes import PASSES, transform
from cogen.array.loops.printc import CText, functions_with_memory, print_c
from cogen.array.loops.tree import BLOCK, I64, U8, Pointer, Var
from cogen.array.optimise.preparing import Prepared
from cogen.array.schedule.schedule import Scheduled, Statement
from cogen.backends.ctree import tree as ct
from cogen.backends.ctree.names import Namer
from cogen.backends.ctree.printer import marked_unit
from cogen.lang.errors import InternalError
from cogen.lang.marks import TextMark


def emit(e: Emitter, statement: Statement) -> None:
    """The code of a statement."""
    around = e.span
    e.span = e.program.spans.get(statement.node, around)
    _emit(e, statement)
    e.span = around


def _emit(e: Emitter, statement: Statement) -> None:
    node = statement.node
    simple = SIMPLE.get(type(node))
    if simple is not None:
        simple(e, statement, node)
        return
    if isinstance(node, Call):
        call(e, statement, node)
    elif not controlled(e, statement, emit):
        raise InternalError(f"there is no C for {node!r}")


@dataclass(frozen=True, slots=True, eq=False)
class LoopProgram:
    """The functions of a module as loops, the entry last; `gone` are the positions of its
    parameters that it does without."""

    functions: tuple[tree.Function, ...]
    gone: frozenset[int]
    program: CodeUnit
    names: Namer

    @property
    def entry(self) -> tree.Function:
        return self.functions[-1]


def loop_program(
    prepared: Prepared, off: frozenset[str] = frozenset(), verify: bool = False
) -> LoopProgram:
    """The loops of what is scheduled; `off` names optimisations of the code that are not made. With
    `verify` all passes are checked."""
    module = prepared.module
    program = CodeUnit(spans=dict(prepared.spans), arithmetic=prepared.arithmetic)
    names = Namer(set(tree.RESERVED))
    for name, function in module.functions.items():
        program.functions[name] = names.fresh(name)
        program.consumed[name] = consumed(function)
    made = [
        _function(program, names, function, prepared.functions[name], program.functions[name])
        for name, function in module.functions.items()
    ]
    main = names.fresh(module.entry.name)
    made.append(_function(program, names, module.entry, prepared.entry, main, entry=True, off=off))
    functions = tuple(transform(made, PASSES, off, verify))
    kept = {parameter.name for parameter in functions[-1].parameters}
    gone = [at for at, p in enumerate(made[-1].parameters) if p.name not in kept]
    return LoopProgram(functions, frozenset(gone), program, names)


def c_program(prepared: Prepared, off: frozenset[str] = frozenset()) -> CProgram:
    """The C file of what is scheduled, of which `loop_program` gives the loops."""
    return c_program_with_marks(prepared, off)[0]


def c_program_with_marks(
    prepared: Prepared, off: frozenset[str] = frozenset()
) -> tuple[CProgram, tuple[TextMark, ...]]:
    """The same, with the places of the source that parts of its text were made of."""
    loops = loop_program(prepared, off)
    module, arithmetic = prepared.module, prepared.arithmetic
    program = loops.program
    printed, needed, scans = print_c(loops.functions, arithmetic)
    *functions, main = printed
    memory = main.name in functions_with_memory(loops.functions)
    wrapper = EntryFunction(program, loops.names, module.entry).function(
        main.name, loops.gone, memory
    )
    helpers = [text for name, text in runtime.operations(arithmetic).items() if name in needed]
    found = runtime.tables(arithmetic).items()
    parts = [item for name, items in found if name in needed for item in items]
    scanning: list[ct.Item] = []
    if scans:
        text = CText(arithmetic, frozenset())
        scanning += runtime.library("prefix.h").values()
        scanning += [prefix_function(scan, text) for scan in scans.values()]
    unit = ct.CUnit((
        _title(module, program), *runtime.memory(), *parts, *map(ct.CLibrary, helpers),
        *sample_functions(needed, arithmetic), *scanning,
        *map(ct.CPrototype, functions), *functions, main, wrapper,
    ))  # fmt: skip
    marked = marked_unit(unit)
    made = CProgram(
        marked.text,
        tuple([LeafType.of(p.type) for p in module.entry.parameters]),
        tuple([LeafType.of(found) for found in module.entry.results]),
        module.entry.result_sizes,
        tuple(program.sites.listed),
        tuple(program.traces),
        bool(module.functions),
        arithmetic,
        program.packed,
    )
    return made, marked.marks


def _title(module: Module, program: CodeUnit) -> ct.CTitle:
    lines = [f"{module.entry.name}: made from a program in L0.", ""]
    lines += [
        f"error {number}: {site.description}" for number, site in enumerate(program.sites.listed, 1)
    ]
    return ct.CTitle(tuple(lines if program.sites else lines[:1]))


def _function(
    program: CodeUnit,
    names: Namer,
    function: Function,
    body: Scheduled,
    name: str,
    entry: bool = False,
    off: frozenset[str] = frozenset(),
) -> tree.Function:
    """A function; that of the entry also gives the shapes of arrays."""
    e = Emitter(program, names)
    e.span = function.span
    e.overwrites = any(_overwrites(program, statement) for statement in all_statements(body))
    e.frames.append(MemoryFrame(body.statements, body.block.results))
    parameters: list[Var] = []
    arrays: list[tuple[int, Node, Var, Var]] = []
    stored = _sources(function) if entry else {}
    for position, parameter in enumerate(function.body.parameters):
        if rank(parameter.type):
            made = e.fresh_pair(parameter.name)
            own_type = e.pointer_type(element(parameter.type))
            data = Var(made, Pointer(U8) if parameter in stored else own_type)
            block = Var(f"{made}_block", BLOCK)
            parameters += [data, block]
            arrays.append((position, parameter, data, block))
        else:
            own = Var(e.fresh(parameter.name), e.variable_type(element(parameter.type)))
            parameters.append(own)
            e.bind(parameter, ScalarRep(own))
    first = Var("", Pointer(U8))
    for position, node, data, block in arrays:
        handle = Handle(block)
        if position in consumed(function):
            e.hold(handle)
        shape = e.sizes(node.type)
        if node in stored:
            if stored[node].number == 0:
                first = data  # its leaves are in the same memory
            e.bind(node, packed(e, stored[node], first, shape))
            continue
        e.bind(node, representations.dense(element(node.type), data, shape, handle))
    found = sinks_of(function, body) if entry and "sinks" not in off else []
    for sink in found:
        for leaf in sink.numbers:
            e.sinks[leaf] = partial(memory, e, sink, leaf)
    program.packed = (
        {sink.first + k: k == 0 for sink in found for k in range(len(sink.numbers))}
        if entry
        else program.packed
    )
    places = [
        _places(e, t, entry, program.packed.get(at) if entry else None)
        for at, t in enumerate(function.results)
    ]
    parameters += [place for found in places for place in found]
    e.statements(body.statements, emit)
    _give_results(e, function, body, places)
    e.close()
    return tree.Function(name, tuple(parameters), tuple(e.out), f"{function.name}, {function.span}")


def _sources(function: Function) -> dict[Node, Stored]:
    """The parameters of an entry that are stored packed."""
    pairs = zip(function.parameters, sources(function), strict=True)
    return {parameter: stored for parameter, stored in pairs if stored is not None}


def _places(e: Emitter, t: Type, entry: bool, packed: bool | None) -> list[Var]:
    """The parameters that a function gives a result by; none for what another leaf's memory has."""
    if packed is False:
        return []
    name = e.fresh_pair("result")
    if isinstance(t, GraphArray):
        found = [
            Var(name, Pointer(Pointer(U8) if packed else e.pointer_type(t.element))),
            Var(f"{name}_block", Pointer(BLOCK)),
        ]
        return [*found, *[Var(f"{name}_shape", Pointer(I64))] * entry]
    return [Var(name, Pointer(e.variable_type(t)))] * (t != CERT)


def _overwrites(program: CodeUnit, statement: Statement) -> bool:
    node = statement.node
    if isinstance(node, Multiloop):
        return any(generator.overwrites for generator in node.generators)
    return isinstance(node, Update) or (
        isinstance(node, Call) and bool(program.consumed[node.function])
    )


def _give_results(
    e: Emitter, function: Function, body: Scheduled, places: Sequence[Sequence[Var]]
) -> None:
    """Store the results where the caller wants them."""
    for position, (t, node, wanted) in enumerate(
        zip(function.results, body.block.results, places, strict=True)
    ):
        if t == CERT or not e.program.packed.get(position, True):
            continue
        place, *more = wanted
        e.span = e.program.spans.get(node, function.span)
        rep: Rep = e.rep(node)
        if isinstance(rep, ScalarRep):
            e.assign(load(place, ZERO), e.narrowed(rep.value, element(t)))
            continue
        array = e.materialised(rep) if position in body.copies else e.in_memory(rep)
        block, *shape = more
        e.assign(load(place, ZERO), array.data)
        e.assign(load(block, ZERO), e.crossing(array))
        for own in shape:
            for dimension, size in enumerate(array.shape):
                e.assign(load(own, natural(dimension)), size)
