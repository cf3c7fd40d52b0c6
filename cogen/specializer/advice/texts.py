"""What the text of a program tells before `advice.flow` follows values through it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from cogen.kinds import EQUALITIES
from cogen.lang import il
from cogen.lang.components import components
from cogen.lang.datum import Symbol
from cogen.lang.ilutil import all_blocks, atoms, blocks, bound_names, item_block, parameters
from cogen.lang.prelude import in_prelude

MOST_SPREAD: Final = 16
"""Elements of the list in an `apply` that may be arguments; what parameters after these get is not
followed."""

_OF_ADVICE: Final = re.compile(r"\.0\d+$")
_SELECTOR: Final = re.compile(r"c[ad]{2,4}r")


def index_of(let: il.Let) -> Any:
    """The index of a `vector-ref`, or of a field of a record, if it is a constant."""
    index = let.arguments[1]
    return index.value if type(index) is il.Const else None


def letters_of(call: il.Call) -> str:
    """Which parts a call of `cadr` and the like goes through, the first one first; none if it is
    no such call."""
    function, arguments = call.function, call.arguments
    if type(function) is not il.Global:
        return ""
    if _SELECTOR.fullmatch(function.name) and len(arguments) == 1:
        return function.name[-2:0:-1]
    if function.name not in ("list-ref", "list-tail") or len(arguments) != 2:
        return ""
    index = arguments[1].value if type(arguments[1]) is il.Const else None
    if type(index) is not int or not 0 <= index <= MOST_SPREAD:
        return ""
    return "d" * index + ("a" if function.name == "list-ref" else "")


def is_advised(program: il.Program) -> bool:
    """Whether advice was put into a program: it has names that only advice makes, which begin with
    a zero behind the point."""
    return any(
        _OF_ADVICE.search(name)
        for item in program.items
        for name in (
            *(parameters(item.function) if isinstance(item, il.Define) else ()),
            *(name for block in blocks(item_block(item)) for name in bound_names(block)),
        )
    )


def tags_asked(program: il.Program) -> dict[str, set[Symbol]]:
    """By variable: the symbols that the program asks for at the beginning of what it holds."""
    lets = [b for block in all_blocks(program) for b in block.bindings if type(b) is il.Let]
    beginnings: dict[str, str] = {}
    for let in lets:
        is_first = let.op == "car" or (let.op == "vector-ref" and index_of(let) == 0)
        if is_first and type(let.arguments[0]) is il.Var:
            beginnings[let.name] = let.arguments[0].name
    found: dict[str, set[Symbol]] = {}
    for let in lets:
        if let.op in EQUALITIES:
            names = [a.name for a in let.arguments if type(a) is il.Var and a.name in beginnings]
            symbols = [a.value for a in let.arguments if type(a) is il.Const]
            for name in names:
                tags = found.setdefault(beginnings[name], set())
                tags.update(symbol for symbol in symbols if type(symbol) is Symbol)
    return found


def asked_for_symbols(program: il.Program) -> Iterator[str]:
    """The variables that are asked whether they are symbols."""
    for block in all_blocks(program):
        for let in block.bindings:
            if type(let) is il.Let and let.op == "symbol?" and type(let.arguments[0]) is il.Var:
                yield let.arguments[0].name


def taken_apart(program: il.Program) -> frozenset[str]:
    """The variables of which the user's procedures take parts that are no first ones by `cadr` and
    the like: lists that are laid out."""
    return frozenset(
        call.arguments[0].name
        for block in all_blocks(program)
        if type(call := block.tail) is il.Call
        and not in_prelude(call.span)
        and len(letters_of(call)) > 1
        and type(call.arguments[0]) is il.Var
    )


def heads(program: il.Program) -> frozenset[int]:
    """The indices of elements of vectors that the user's procedures read by a constant index, if
    they read others too."""
    reads = [
        binding
        for block in all_blocks(program)
        for binding in block.bindings
        if type(binding) is il.Let and binding.op == "vector-ref" and not in_prelude(binding.span)
    ]
    indices = {index_of(let) for let in reads}
    return frozenset(k for k in indices if k is not None) if None in indices else frozenset()


def recursions(program: il.Program) -> dict[str, int]:
    """The recursions that global procedures take part in, by what their texts mention."""
    mentions: dict[str, list[str]] = {}
    for item in program.items:
        if isinstance(item, il.Define):
            found = {
                atom.name
                for block in blocks(item.function.body)
                for atom in atoms(block)
                if type(atom) is il.Global
            }
            mentions[item.name] = sorted(found)
    groups = components(mentions, lambda name: [n for n in mentions[name] if n in mentions])
    return {name: number for number, names in enumerate(groups) for name in names}


_NAMES: dict[str, str] = {}


def named(name: str) -> str:
    """The same object for the same name."""
    return _NAMES.setdefault(name, name)


def global_name(let: il.Let) -> str:
    """The assigned global that an operation reads or writes."""
    name = let.arguments[0]
    assert type(name) is il.Const
    assert type(name.value) is Symbol
    return name.value.name


def is_user(function: il.Function) -> bool:
    """Whether a procedure is none of the prelude's."""
    return not in_prelude(function.span)


def own_variables(function: il.Function) -> Iterable[str]:
    """Variables of a procedure that values come to: parameters, of continuations too, and what is
    read.  A rest parameter holds a list."""
    yield from function.parameters
    work = [function.body]
    while work:
        block = work.pop()
        for binding in block.bindings:
            if type(binding) is il.Let:
                if binding.op in _READING:
                    yield binding.name
            elif type(binding) is il.Conts:
                for cont in binding.conts:
                    yield from cont.parameters
                    work.append(cont.body)
        if type(block.tail) is il.If:
            work += [block.tail.then, block.tail.otherwise]


def results(function: il.Function) -> Iterable[str]:
    """The parameters of a procedure's continuations: what calls and conditionals give."""
    for block in blocks(function.body):
        for binding in block.bindings:
            if type(binding) is il.Conts:
                for cont in binding.conts:
                    yield from cont.parameters


def is_asked_late(function: il.Function, name: str) -> bool:
    """Whether other procedures are called before it is asked what a continuation was given."""
    cont = next(
        cont
        for block in blocks(function.body)
        for binding in block.bindings
        if type(binding) is il.Conts
        for cont in binding.conts
        if name in cont.parameters
    )
    return type(cont.body.tail) is il.Call


_READING: Final = frozenset(
    {"car", "cdr", "vector-ref", "record-ref", "cell-ref", "cell-ref/check"}
)
"""Operations that read a part."""
