"""What a program mutates: objects of a kind that nothing assigns are plain values.

A pair is an immutable value of the specializer, and may be a constant, unless the program has
`set-car!` or `set-cdr!` (then `paths.pairs` finds which are assigned); a record unless a
field of its type is assigned; a bytevector of the top level is a constant unless anything writes
bytes or words.  An error may be observed only by a program with handlers.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cogen.lang import il
from cogen.lang.datum import Char, Datum, Pair, Singleton, Symbol
from cogen.lang.ilutil import all_blocks, atoms

PAIR_SETTERS = frozenset({"set-car!", "set-cdr!"})
VECTOR_SETTERS = frozenset({"vector-set!", "vector-fill!"})
BYTE_SETTERS = frozenset(
    {"store-word!", "store-bits!", "bytevector-u8-set!", "bytevector-copy!", "bytevector-fill!"}
    | {"read-bytevector!"}
)


@dataclass(slots=True)
class Mutations:
    """Whether pairs, their halves (`heads`, `tails`), vectors and bytes are ever assigned, whether
    errors are ever handled, whether `init-cache` is said, and (by id) the record types with
    assigned fields, and these `fields`."""

    pairs: bool = False
    heads: bool = False
    tails: bool = False
    vectors: bool = False
    bytes: bool = False
    handlers: bool = False
    caches: bool = False
    records: set[int] = field(default_factory=set)
    fields: set[tuple[int, int]] = field(default_factory=set)

    def note(self, op: str) -> None:
        self.pairs = self.pairs or op in PAIR_SETTERS
        self.heads = self.heads or op == "set-car!"
        self.tails = self.tails or op == "set-cdr!"
        self.vectors = self.vectors or op in VECTOR_SETTERS
        self.bytes = self.bytes or op in BYTE_SETTERS
        self.handlers = self.handlers or op == "with-exception-handler"
        self.caches = self.caches or op == "init-cache"


def find_mutations(program: il.Program) -> Mutations:
    """What the operations of a program, and the primitives it uses as values, may assign.  What
    `define-record-type` defines and nobody uses assigns nothing."""
    found = Mutations()
    unused = _unused_modifiers(program)
    for block in all_blocks(program):
        if block in unused:
            continue
        for binding in block.bindings:
            if not isinstance(binding, il.Let):
                continue
            found.note(binding.op)
            if binding.op == "record-set!" and isinstance(binding.arguments[0], il.Const):
                record, index = (atom.value for atom in binding.arguments[:2])  # type: ignore[union-attr]
                found.records.add(id(record))
                found.fields.add((id(record), index))
        for atom in atoms(block):
            if isinstance(atom, il.Prim):
                found.note(atom.name)
    return found


def _unused_modifiers(program: il.Program) -> set[il.Block]:
    """The bodies of procedures that do nothing but assign a field of their first parameter, and
    that nothing refers to: if such a procedure is the entry, nobody sees what it has assigned."""
    modifiers = {
        item.name: item.function.body
        for item in program.items
        if isinstance(item, il.Define) and _is_modifier(item.function)
    }
    if modifiers:
        for block in all_blocks(program):
            for atom in atoms(block):
                if type(atom) is il.Global:
                    modifiers.pop(atom.name, None)
    return set(modifiers.values())


def _is_modifier(function: il.Function) -> bool:
    body = function.body
    return (
        len(body.bindings) == 1
        and type(let := body.bindings[0]) is il.Let
        and let.op == "record-set!"
        and type(body.tail) is il.Jump
        and (body.tail.cont, body.tail.arguments) == (function.cont, (il.Var(let.name),))
    )


def is_constant(datum: Datum, mutable_bytes: bool) -> bool:
    """Whether a value found by a run can stand as a constant in every residual program."""
    work = [datum]
    seen: set[int] = set()
    while work:
        datum = work.pop()
        if id(datum) in seen:
            continue
        seen.add(id(datum))
        if isinstance(datum, Pair):
            work.extend((datum.car, datum.cdr))
        elif isinstance(datum, bytearray):
            if mutable_bytes:
                return False
        elif not isinstance(datum, int | float | str | Char | Symbol | Singleton):
            return False
    return True
