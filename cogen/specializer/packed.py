"""program -> program: an entry whose binding times say that parameters are packed reads them.

    (define (f x) body)                with (dynamic (array (packed "u12"))) for x
    (define (f x1) (let ((x (array-typed '(array (packed "u12")) x1))) body))

So the residual program, too, takes bytevectors.  Parameters that the program declares itself
(`define-array`) stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from cogen import binding_times
from cogen.binding_times import BT
from cogen.lang import il
from cogen.lang.ilutil import all_blocks, base_name, blocks, bound_names
from cogen.lang.printer import write_datum
from cogen.lang.reader import read_datum
from cogen.specializer.passes.library_closures import with_procedures

PACKED = "(array (packed "
TYPED = "array-typed"


def with_packed_parameters(program: il.Program, entry: str, bts: Sequence[BT]) -> il.Program:
    """The program, whose entry unpacks the parameters that are packed."""
    packed = {
        number: bt.type
        for number, bt in enumerate(bts)
        if isinstance(bt, binding_times.Dynamic) and bt.type.startswith(PACKED)
    }
    if not packed:
        return program
    items = tuple([_item(program, item, entry, packed) for item in program.items])
    return with_procedures(replace(program, items=items), {TYPED}, _reading())


@cache
def _reading() -> il.Program:
    """A program that has the procedure which reads packed arrays."""
    from cogen.lang.load import loads  # the expander, which others do not need

    return loads(f'(define (read x) ({TYPED} \'(array (packed "u8")) x))', "<packed>")


def _item(program: il.Program, item: il.Item, entry: str, packed: dict[int, str]) -> il.Item:
    if not isinstance(item, il.Define) or item.name != entry:
        return item
    function = item.function
    declared = set(_declared(function))
    taken = {name for block in all_blocks(program) for name in bound_names(block)}
    parameters, body = list(function.parameters), function.body
    for number, shape in reversed(packed.items()):
        if number >= len(parameters) or parameters[number] in declared:
            continue
        name = parameters[number]
        own = parameters[number] = _fresh(base_name(name), taken)
        cont = il.Cont(_fresh("packed", taken), (name,), body, function.span)
        arguments = (il.Const(read_datum(shape)), il.Var(own))
        call = il.Call(il.Global(TYPED), arguments, cont.name, function.span)
        body = il.Block((il.Conts((cont,)),), call)
    return replace(item, function=replace(function, parameters=tuple(parameters), body=body))


def packed_positions(function: il.Function) -> frozenset[int]:
    """The positions of the parameters that a procedure itself says are packed."""
    found = set()
    for block in blocks(function.body):
        match block.tail:
            case il.Call(il.Global(name), (il.Const(shape), il.Var(x))) if (
                name == TYPED and x in function.parameters
            ):
                if write_datum(shape).startswith(PACKED):
                    found.add(function.parameters.index(x))
    return frozenset(found)


def _declared(function: il.Function) -> list[str]:
    """The parameters whose types the program says."""
    found = []
    for block in blocks(function.body):
        match block.tail:
            case il.Call(il.Global(name), (_, il.Var(x))) if name == TYPED:
                found.append(x)
    return found


def _fresh(name: str, taken: set[str]) -> str:
    number = len(taken)
    while f"{name}.{number}" in taken:
        number += 1
    taken.add(f"{name}.{number}")
    return f"{name}.{number}"
