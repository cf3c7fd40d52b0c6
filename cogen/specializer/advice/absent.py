"""Which symbols and strings a program asks for, and never meets: words of the interpreted language
that its program does not use.

    (cond ((string=? word "dup") ...)
          ((string=? word ">r") (loop (cdr data) (cons (car data) returns)))     in no static text
          ...)

What is static is all there is of what a run does not give, unless the program builds symbols and
strings (but for messages of errors): no arm for such a word is ever taken by something static.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from cogen import binding_times
from cogen.binding_times import contents
from cogen.lang import il
from cogen.lang.datum import Symbol
from cogen.lang.ilutil import atoms, blocks
from cogen.lang.prims import PRIMITIVES
from cogen.specializer.advice.values import ASKING

_PIECES: Final = frozenset({"substring", "string-copy", "symbol->string", "string->symbol"})
"""Operations that give texts, or pieces of them, that there are."""

_BUILDING: Final = (
    frozenset(op for op, row in PRIMITIVES.items() if row.result in ("string", "symbol"))
    | {"%fresh-string", "string-set!", "string-fill!", "string-copy!", "read-char", "read"}
    | {"read-line", "read-string", "error-object-message", "get-environment-variable", "eval"}
) - _PIECES
"""Operations that make texts that were in none before."""


def find_absent(program: il.Program, entry: str, bts: Sequence[binding_times.BT]) -> frozenset[Any]:
    """The symbols and strings that a program asks for, of which there are none in what is static,
    nor anywhere else in the program."""
    asked: dict[Any, None] = {}
    others: list[Any] = []
    used: set[str] = set()
    for block in _mentioned(program, entry):
        tests: set[int] = set()
        for let in block.bindings:
            if type(let) is il.Let and let.op in ASKING:
                constants = [atom for atom in let.arguments if type(atom) is il.Const]
                if len(constants) == 1 and type(constants[0].value) in (Symbol, str):
                    asked[constants[0].value] = None
                    tests.add(id(constants[0]))
        if not any(type(let) is il.Let and let.op == "error" for let in block.bindings):
            used.update(let.op for let in block.bindings if type(let) is il.Let)
            used.update(atom.name for atom in atoms(block) if type(atom) is il.Prim)
        others += [a.value for a in atoms(block) if type(a) is il.Const and id(a) not in tests]
    given = list(contents([*bts, *others])) if asked else []
    if not asked or any(type(one) is binding_times.Later for one in given):
        return frozenset()
    met = {one for one in given if type(one) in (Symbol, str)}
    texts = [word for word in met if type(word) is str]
    builds, names = bool(used & _BUILDING), "string->symbol" in used
    found = set()
    for word in asked:
        if word in met or (builds and (names or type(word) is str)):
            continue
        if (type(word) is str or names) and any(_name(word) in text for text in texts):
            continue  # it may be a part of it
        if type(word) is str and "symbol->string" in used:
            continue
        found.add(word)
    return frozenset(found)


def _mentioned(program: il.Program, entry: str) -> Iterator[il.Block]:
    """The blocks of the procedures that may run, as texts mention them, and of the top level."""
    bodies = {item.name: item.function for item in program.items if type(item) is il.Define}
    work = [item.body for item in program.items if type(item) is not il.Define]
    names = [entry]
    while work or names:
        while names:
            function = bodies.pop(names.pop(), None)
            if function is not None:
                work.append(function.body)
        if work:
            for block in blocks(work.pop()):
                yield block
                names += [atom.name for atom in atoms(block) if type(atom) is il.Global]


def _name(word: Any) -> str:
    return word if type(word) is str else str(word.name)
