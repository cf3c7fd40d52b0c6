"""A scheduled module -> a C file: a function for each function of the module, and the entry.

    int64_t cogen_run(cogen_call *call)

takes slots: the sizes of the parameters, then a slot for each leaf (the bits of a scalar, or the
address of an array without gaps), and gives for each result the bits, or address, block and shape.
It returns whether it failed; the error is in the call. Blocks of results are freed by
`cogen_release`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cogen.array.codegen import prefix, reps, runtime
from cogen.array.codegen.blocks import BLOCKS
from cogen.array.codegen.emitter import (
    OUT_OF_MEMORY,
    Emitter,
    Program,
    Site,
    TracePoint,
)
from cogen.array.codegen.frames import Frame
from cogen.array.codegen.regions import call, if_, loop
from cogen.array.codegen.reps import Handle, Rep, Scalar
from cogen.array.codegen.shared import multiloop
from cogen.array.codegen.simple import SIMPLE, as_slot
from cogen.array.codegen.survey import all_statements
from cogen.array.codegen.tables import tables
from cogen.array.codegen.unused import without_unused
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.node import Call, Function, If, Loop, Module, Multiloop, Node, Scatter, Update
from cogen.array.schedule import Scheduled, Statement
from cogen.array.types import CERT, ArrayType, element, rank
from cogen.target import ctree as ct
from cogen.target.cnames import Namer
from lang.errors import InternalError, Span


@dataclass(frozen=True, slots=True, eq=False)
class CProgram:
    """The text, and what is needed to call it.  `recursive`: it may need a deep stack."""

    text: str
    function: Function
    sites: tuple[Site, ...]
    traces: tuple[TracePoint, ...]
    recursive: bool
    arithmetic: Arithmetic = WIDE


def emit(e: Emitter, statement: Statement) -> None:
    """The code of a statement."""
    node = statement.node
    e.span = e.program.spans.get(node, e.span)
    simple = SIMPLE.get(type(node))
    if simple is not None:
        simple(e, statement)
        return
    match node:
        case If():
            if_(e, statement, emit)
        case Loop():
            loop(e, statement, emit)
        case Multiloop():
            multiloop(e, statement, emit)
        case Call():
            call(e, statement)
        case _:
            raise InternalError(f"there is no C for {node!r}")


def c_program(
    module: Module,
    schedules: Mapping[str, Scheduled],
    entry: Scheduled,
    spans: Mapping[Node, Span],
    off: frozenset[str] = frozenset(),
    arithmetic: Arithmetic = WIDE,
) -> CProgram:
    """The C file of a module; `schedules` are the bodies of the functions it calls, `off` names
    optimisations of the code that are not made."""
    program = Program(spans=dict(spans), off=off, arithmetic=arithmetic)
    names = Namer({"memory", "call", "parts"})
    for name, function in module.functions.items():
        program.functions[name] = names.fresh(name)
        program.consumed[name] = consumed(function)
    functions = [
        _function(program, names, function, schedules[name], program.functions[name])
        for name, function in module.functions.items()
    ]
    main_name = names.fresh(module.entry.name)
    program.functions[""] = main_name
    main = _function(program, names, module.entry, entry, main_name, entry=True)
    wrapper = _entry(program, names, module.entry, main_name)
    *functions, main, wrapper = without_unused([*functions, main, wrapper])
    forward = [ct.Text("\n".join([f"{f.result} {f.head};" for f in functions]))] * bool(functions)
    helpers = [
        text for name, text in runtime.operations(arithmetic).items() if name in program.helpers
    ]
    parts = [text for name, text in tables(arithmetic).items() if name in program.helpers]
    head = [runtime.HEAD, runtime.VECTOR, BLOCKS, runtime.MEMORY, *parts, *helpers]
    if program.prefixes:
        head += [prefix.HEAD, *[text for _, text in program.prefixes.values()]]
    unit = ct.Unit((
        ct.Text(_title(module, program)), *[ct.Text(text) for text in head],
        *forward, *functions, main, wrapper,
    ))  # fmt: skip
    return CProgram(
        ct.print_unit(unit),
        module.entry,
        tuple(program.sites),
        tuple(program.traces),
        bool(module.functions),
        arithmetic,
    )


def consumed(function: Function) -> frozenset[int]:
    """The positions of the parameters that a function may overwrite."""
    return frozenset(
        [
            position
            for position, parameter in enumerate(function.body.parameters)
            if parameter.unique and rank(parameter.type)
        ]
    )


def _title(module: Module, program: Program) -> str:
    lines = [f"{module.entry.name}: made from a program in L0.", ""]
    lines += [
        f"error {number}: {site.message}" + ("" if site.span is None else f", {site.span}")
        for number, site in enumerate(program.sites, 1)
    ]
    body = "\n   ".join(lines).replace("*/", "* /").replace("/*", "/ *").rstrip()
    return f"/* {body} */"


def _function(
    program: Program,
    names: Namer,
    function: Function,
    body: Scheduled,
    name: str,
    entry: bool = False,
) -> ct.Function:
    """A function; that of the entry also gives the shapes of arrays."""
    e = Emitter(program, names)
    e.span = function.span
    e.overwrites = any(_overwrites(program, statement) for statement in all_statements(body))
    parameters = ["cogen_memory *memory"]
    e.frames.append(Frame(body.statements, body.block.results))
    arrays: list[tuple[int, Node, str]] = []
    for position, parameter in enumerate(function.body.parameters):
        made = e.fresh_pair(parameter.name) if rank(parameter.type) else e.fresh(parameter.name)
        if rank(parameter.type):
            parameters += [f"{e.pointer_type(element(parameter.type))}{made}"]
            parameters += [f"cogen_block *{made}_block"]
            arrays.append((position, parameter, made))
        else:
            parameters.append(f"{e.variable_type(element(parameter.type))} {made}")
            e.bind(parameter, Scalar(made))
    for position, node, made in arrays:
        handle = Handle(f"{made}_block")
        if position in consumed(function):
            e.hold(handle)
        shape = e.sizes(node.type)
        e.bind(node, reps.dense(element(node.type), made, shape, handle))
    results = [e.fresh_pair("result") for _ in function.results]
    for t, result in zip(function.results, results, strict=True):
        if isinstance(t, ArrayType):
            parameters += [f"{e.pointer_type(t.element)}*{result}"]
            parameters += [f"cogen_block **{result}_block"]
            parameters += [f"int64_t *{result}_shape"] * entry
        elif t != CERT:
            parameters.append(f"{e.variable_type(t)} *{result}")
    e.statements(body.statements, emit)
    _give_results(e, function, body, results, entry)
    e.close()
    e.add(ct.Return(ct.Name("false")))
    return ct.Function(
        "static bool", name, tuple(parameters), tuple(e.out), f"{function.name}, {function.span}"
    )


def _overwrites(program: Program, statement: Statement) -> bool:
    node = statement.node
    if isinstance(node, Multiloop):
        return any(isinstance(generator, Scatter) for generator in node.generators)
    return isinstance(node, Update) or (
        isinstance(node, Call) and bool(program.consumed[node.function])
    )


def _give_results(
    e: Emitter, function: Function, body: Scheduled, results: Sequence[str], entry: bool
) -> None:
    """Store the results where the caller wants them."""
    for position, (t, node, result) in enumerate(
        zip(function.results, body.block.results, results, strict=True)
    ):
        if t == CERT:
            continue
        rep: Rep = e.rep(node)
        if isinstance(rep, Scalar):
            e.assign(f"*{result}", rep.text)
            continue
        array = e.materialised(rep) if position in body.copies else e.in_memory(rep)
        e.assign(f"*{result}", array.data)
        e.assign(f"*{result}_block", e.crossing(array))
        for dimension, size in enumerate(array.shape if entry else ()):
            e.assign(f"{result}_shape[{dimension}]", size)


def _entry(program: Program, names: Namer, function: Function, name: str) -> ct.Function:
    """The function that is called from outside. All its loops have one number of threads, since
    some go over what each thread had in the loop before (`omp_set_dynamic`)."""
    e = Emitter(program, names)
    e.add(
        ct.Declare("const int64_t *const", "in", ct.Name("call->arguments")),
        ct.Declare("int64_t *const", "out", ct.Name("call->results")),
        ct.Declare("cogen_memory", "whole"),
        ct.Declare("cogen_memory *const", "memory", ct.Name("&whole")),
        ct.Declare("bool", "failed", ct.Name("true")),
        ct.Declare("const int", "cogen_dynamic", ct.Name("omp_get_dynamic()")),
        ct.Do(ct.Name("omp_set_dynamic(0)")),
        ct.Do(ct.Name("cogen_begin(memory, call, call->stack)")),
        ct.Declare(
            "cogen_memory *", "workers",
            ct.Name("calloc((size_t)call->threads, sizeof(cogen_memory))"),
        ),
        ct.Assign(ct.Name("call->workers"), ct.Name("workers")),
    )  # fmt: skip
    e.exit = (ct.Goto("end"),)
    e.fail_if("workers == NULL", OUT_OF_MEMORY, function.span)
    arguments = ["memory", *_arguments(e, function)]
    outs: list[str] = []
    for t in function.results:
        if t == CERT:
            outs.append("true")
            continue
        made = e.fresh_pair("r")
        outs.append(made)
        if isinstance(t, ArrayType):
            e.add(ct.Declare(e.pointer_type(t.element), made, ct.Name("NULL")))
            e.add(ct.Declare("cogen_block *", f"{made}_block", ct.Name("NULL")))
            e.add(ct.Declare("int64_t", f"{made}_shape[{t.rank}]"))
            arguments += [f"&{made}", f"&{made}_block", f"{made}_shape"]
        else:
            e.add(ct.Declare(e.variable_type(t), made))
            arguments.append(f"&{made}")
    e.add(ct.If(ct.Invoke(name, tuple(map(ct.Name, arguments))), e.exit))
    _store_results(e, function, outs)
    e.assign("failed", "false")
    e.add(
        ct.Label("end"),
        ct.Assign(ct.Name("call->error"), ct.Name("whole.error")),
        ct.Do(ct.Name("cogen_end(memory)")),
        ct.For(
            ct.Declare("int64_t", "i", ct.Name("0")),
            ct.Name("workers != NULL && i < call->threads"),
            ct.Assign(ct.Name("i"), ct.Name("1"), "+="),
            (ct.Do(ct.Name("cogen_end(&workers[i])")),),
        ),
        ct.Do(ct.Name("free(workers)")),
        ct.Do(ct.Name("omp_set_dynamic(cogen_dynamic)")),
        ct.Return(ct.Name("failed")),
    )
    return ct.Function("int64_t", "cogen_run", ("cogen_call *call",), tuple(e.out), "The entry.")


def _arguments(e: Emitter, function: Function) -> list[str]:
    """The arguments from their slots; copies of arrays that may be overwritten."""
    found = []
    for position, parameter in enumerate(function.body.parameters):
        t = parameter.type
        if not rank(t):
            type_ = e.variable_type(element(t))
            text = _from_slot(f"in[{position}]", element(t).kind, type_)
            made = e.define(type_, parameter.name, text)
            e.bind(parameter, Scalar(made))
            found.append(made)
            continue
        data = f"({e.pointer_type(element(t))})(uintptr_t)in[{position}]"
        if position not in consumed(function):
            found += [data, "NULL"]
            continue
        owner = e.fresh("taken")
        size = reps.times(
            reps.product(e.sizes(t)), f"(int64_t)sizeof({e.element_type(element(t))})"
        )
        taken = ct.Name(f"cogen_taken(memory, {data}, {size})")
        e.add(ct.Declare("cogen_block *const", owner, taken))
        e.fail_if(f"{owner} == NULL", OUT_OF_MEMORY, function.span)
        found += [f"cogen_data({owner})", owner]
    return found


def _from_slot(slot: str, kind: str, type_: str) -> str:
    if kind in ("bool", "cert"):
        return f"{slot} != 0"
    found = f"cogen_real({slot})" if kind == "real" else slot
    return found if type_ in ("int64_t", "double") else f"({type_}){found}"


def _store_results(e: Emitter, function: Function, outs: Sequence[str]) -> None:
    """The results into their slots."""
    slot = 0
    for t, made in zip(function.results, outs, strict=True):
        if not isinstance(t, ArrayType):
            e.assign(f"out[{slot}]", as_slot(made, t.kind))
            slot += 1
            continue
        shape = [f"{made}_shape[{dimension}]" for dimension in range(t.rank)]
        size = reps.times(reps.product(shape), f"(int64_t)sizeof({e.element_type(t.element)})")
        given = f"cogen_give(memory, (void **)&{made}, &{made}_block, {size})"
        e.fail_if(f"!{given}", OUT_OF_MEMORY, function.span)
        e.assign(f"out[{slot}]", f"(int64_t)(uintptr_t){made}")
        e.assign(f"out[{slot + 1}]", f"(int64_t)(uintptr_t){made}_block")
        for dimension, size in enumerate(shape):
            e.assign(f"out[{slot + 2 + dimension}]", size)
        slot += 2 + len(shape)
