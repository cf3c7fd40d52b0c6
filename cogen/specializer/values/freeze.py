"""Memo keys: the static part of a state, its dynamic leaves, and a fresh copy of it.

`freeze` walks everything that can be reached from some roots and gives

* `tokens`: the static skeleton with the sharing pattern; two states with equal tokens differ in
  the names of their dynamic leaves only.  A leaf is one token: its type at its first occurrence,
  ("=", position of that one) afterwards; a composite value that was met is ("same", its position).
  Cyclic values count in normal form (late normalization, seed 004), so a leaf is a name together
  with what is to be added to it;
* `places`: by token position, the numeric constants and the leaves that occurred before;
* `occurrences`: by token position, every leaf (name and offset);
* `leaves`: the dynamic leaves in order of first occurrence, the parameters of the residual block.

What the last roots, the barrier cells, hold is walked after everything else.  There an integer
that is at most `distance` away from a leaf is no leaf of its own but ("near", position of the leaf,
difference): words of a cache stay known to be neighbours of a signal's address.  Elsewhere a known
difference would make versions without end.

`Frozen.thaw` builds the same state over other names.  The walk is breadth-first with an explicit
queue: deep continuations cost no stack.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from cogen.lang import il
from cogen.lang.datum import Char, Datum, Singleton, Symbol
from cogen.lang.errors import InternalError
from cogen.lang.ilutil import base_name
from cogen.specializer.programs.liveness import Liveness
from cogen.specializer.values.alias import canonical
from cogen.specializer.values.domain import (
    Cell,
    Closure,
    Cyclic,
    Dynamic,
    Frame,
    PartialPair,
    PartialRecord,
    Primitive,
    Ref,
    Reified,
    Return,
    Several,
    Static,
    Stop,
    Test,
    Value,
)

KEPT_TOKENS: Final = 1 << 16
"""So many tokens are shared between states."""

Token = Any
Store = dict[int, Any]
"""Object numbers to `Cell`s, or to a `Dynamic` once the object exists in the residual program."""
Names = Mapping[tuple[str, int], Dynamic | Cyclic]
"""New names for leaves, given as name and offset; an integer may also become cyclic."""
Lifted = dict[int, tuple[Any, il.Atom]]
"""By id of a composite value: the value and the residual atom that stands for it."""


class FrozenSlot(NamedTuple):
    """A place in a state: in a composite value, by the name, number or field, or a root."""

    owner: Any
    key: Any


class FrozenLeaf:
    """A dynamic leaf: `name` + `offset`, of a type; `hint` is what people would call it."""

    __slots__ = ("hint", "name", "offset", "type")

    def __init__(self, name: str, offset: int, type: str, hint: str) -> None:
        self.name = name
        self.offset = offset
        self.type = type
        self.hint = hint


def static_token(datum: Datum) -> Token:
    """A hashable stand-in for a constant: equal for places no program can tell apart."""
    kind = type(datum)
    if kind is int:
        return shared_token("i", datum)
    if kind is Symbol or kind is Singleton or kind is Char:
        return datum
    if kind is bool:
        return shared_token("b", datum)
    if kind is float:
        return shared_token("f", repr(datum))
    if kind is str:
        return ("s", datum)
    return shared_token("o", id(datum))


@lru_cache(maxsize=KEPT_TOKENS)
def shared_token(*parts: Any) -> Token:
    """A token that there are many of in many states, so that there is one object for all; `parts`
    keep nothing alive, and of those in one place the kind is always the same."""
    return parts


def end_token(value: Primitive | Return | Stop) -> Token:
    """What stands for a primitive, and for the end of a procedure or of a definition."""
    if type(value) is Stop:
        return "stop"
    return ("p", value.name) if type(value) is Primitive else ("return", value.cont)  # type: ignore[union-attr]


class Frozen:
    """See the module's docstring; `order` are the composite values in order of their visit."""

    __slots__ = (
        "_claims",
        "_first",
        "_key",
        "leaf_at",
        "leaves",
        "lifted",
        "liveness",
        "near",
        "occurrences",
        "order",
        "places",
        "roots",
        "split",
        "stand_ins",
        "store",
        "tokens",
    )

    def __init__(
        self,
        roots: list[tuple[str, Any]],
        store: Store,
        lifted: Lifted,
        liveness: Liveness,
        last: int = 0,
        distance: int = 0,
    ) -> None:
        self.roots = roots
        self.store = store
        self.lifted = lifted
        self.liveness = liveness
        self.tokens: list[Token] = []
        self.leaves: list[FrozenLeaf] = []
        self.order: list[Any] = []
        self.places: dict[int, Any] = {}
        self.occurrences: dict[int, tuple[str, int]] = {}
        self.leaf_at: dict[tuple[str, int], int] = {}
        self.stand_ins: dict[int, Dynamic] = {}
        """By id of a composite value: the variable that stands for it."""
        self._key: tuple[Token, ...] | None = None
        self._claims: dict[str, str] = {}
        self._first: dict[str, int] = {}
        self.near: dict[tuple[str, int], int] = {}
        """Integers that are no leaves of their own, with the offset of the leaf they are near."""
        seen: dict[Any, int] = {}
        self._walk(roots[: len(roots) - last], seen, 0)
        self.split = len(self.tokens)
        """How many tokens are not of what barrier cells hold."""
        if last:
            self._walk(roots[-last:], seen, distance)

    @property
    def key(self) -> tuple[Token, ...]:
        if self._key is None:
            self._key = tuple(self.tokens)
        return self._key

    def _leaf(
        self,
        name: str,
        offset: int,
        type: str,
        hint: str,
        value: Dynamic | None = None,
        distance: int = 0,
    ) -> None:
        position = self.leaf_at.get((name, offset))
        if distance and self._is_near(name, offset, position, distance):
            return
        self.occurrences[len(self.tokens)] = (name, offset)
        if position is not None:
            self.places[len(self.tokens)] = value
            self.tokens.append(shared_token("=", position))
            return
        self.leaf_at[(name, offset)] = len(self.tokens)
        self._first.setdefault(name, offset)
        if "/" in type:  # a claim is never given up where states meet
            self.tokens.append(("claimed", canonical(type, self._claims)))
        else:
            self.tokens.append(shared_token("d", type))
        self.leaves.append(FrozenLeaf(name, offset, type, hint))

    def _is_near(self, name: str, offset: int, position: int | None, distance: int) -> bool:
        """Whether an integer counts as the neighbour of a leaf, and then its token."""
        key, first = (name, offset), self._first.get(name)
        if key not in self.near:
            if position is not None or first is None or abs(offset - first) > distance:
                return False
            self.near[key] = first
        first = self.near[key]
        self.tokens.append(("near", self.leaf_at[(name, first)], offset - first))
        return True

    def _walk(self, roots: list[tuple[str, Any]], seen: dict[Any, int], distance: int) -> None:
        tokens, places, lifted = self.tokens, self.places, self.lifted
        put, visit = tokens.append, self.order.append
        queue = list(roots)
        for hint, value in queue:  # which grows meanwhile
            kind = type(value)
            if kind is Static:
                datum = value.datum
                if type(datum) is int or type(datum) is float:
                    places[len(tokens)] = value
                put(static_token(datum))
                continue
            if kind is Dynamic:
                shown = hint or base_name(value.name)
                near = distance if value.type == "int" else 0
                self._leaf(value.name, 0, value.type, shown, value, near)
                continue
            if kind is Cyclic:
                self._cyclic(hint, value, distance)
                continue
            if kind is Primitive or kind is Return or kind is Stop:
                put(end_token(value))
                continue
            identity = value.number if kind is Ref else id(value)
            name = ~identity if kind is Ref else identity
            if name in seen:
                put(shared_token("same", seen[name]))
                continue
            seen[name] = len(tokens)
            visit(value)
            if kind is Frame:
                put(value.cont)
                known = value.environment
                queue += [(hint, known[name]) for hint, name in self.liveness.hinted(value.cont)]
                continue
            if kind is PartialPair and value.ground is not None:
                put(shared_token("ground", value.ground))
                continue
            if kind is Ref:
                self._open_object(hint, value, queue)
                continue
            self._open(kind, hint, value, queue)
            stand_in = lifted.get(identity)
            if stand_in is not None and type(stand_in[1]) is il.Var:
                put("lifted")
                variable = self.stand_ins[identity] = Dynamic(stand_in[1].name)
                self._leaf(variable.name, 0, "any", hint, variable)

    def _cyclic(self, hint: str, value: Cyclic, distance: int) -> None:
        """A cyclic value, in normal form."""
        offset, remainder = divmod(value.remainder, value.base)
        quotient = value.quotient
        name = base_name(quotient.name)
        if value.base == 1:
            self._leaf(quotient.name, offset, "int", hint or name, quotient, distance)
            return
        self.tokens.append(("c", value.base, remainder))
        if hint and not name.endswith("q"):
            name = hint + "q"
        self._leaf(quotient.name, offset, "int", name, quotient, 0)

    def _open(self, kind: Any, hint: str, value: Any, queue: list[tuple[str, Any]]) -> None:
        """Put down what a composite value is that a residual variable may stand for, and its parts
        into the queue."""
        tokens = self.tokens
        if kind is PartialPair:
            tokens.append("pair")
            queue += (("", value.car), ("", value.cdr))
        elif kind is Closure:
            tokens.append(value.function)
            known = value.environment
            queue += [(hint, known[name]) for hint, name in self.liveness.hinted(value.function)]
        elif kind is PartialRecord:
            tokens.append(value.type)
            queue += zip(value.type.fields, value.fields, strict=True)
        elif kind is Several:
            tokens.append(("several", len(value.values)))
            queue += [(hint, item) for item in value.values]
        elif kind is Test:
            tokens.append(("test", value.op, value.fails, len(value.arguments)))
            queue += [("", item) for item in value.arguments]
        elif kind is Reified:
            tokens.append(("reified", value.site))
            queue.append(("", value.continuation))
        else:
            raise InternalError(f"freeze: {kind.__name__}")

    def _open_object(self, hint: str, value: Ref, queue: list[tuple[str, Any]]) -> None:
        """The same for a mutable object."""
        tokens, content = self.tokens, self.store.get(value.number)
        if content is None:
            tokens.append("gone")  # of an activation that has outlived the object
        elif type(content) is Cell:
            state = "settled" if content.is_settled else "ref"
            tokens.append((state, content.kind, len(content.items)))
            queue.extend((hint, item) for item in content.items)
        else:
            tokens.append("residual-ref")
            queue.append((hint, content))

    def thaw(self, names: Names) -> tuple[list[tuple[str, Any]], Store, Lifted]:
        """The same roots, the part of the store they reach, and the lifted values, over new
        names."""
        copy = Thawed(self, names)
        return copy.roots, copy.store, copy.lifted


class Thawed:
    """A copy of a frozen state: first a shell for every composite value is made, then their
    parts.  `generalized` gives other names to some `places` (of a state that was thawed before:
    there every numeric constant and leaf is an object of its own).  Pairs without dynamic parts
    are not copied, but for those `opened` (by id), which will get some."""

    def __init__(
        self,
        frozen: Frozen,
        names: Names,
        generalized: dict[int, Dynamic] | None = None,
        opened: Collection[int] = (),
    ) -> None:
        self.frozen = frozen
        self.names = names
        self.opened = opened
        self.replaced: dict[int, Dynamic] = {}
        if generalized:
            places = frozen.places
            self.replaced = {id(places[position]): name for position, name in generalized.items()}
        self.shells: dict[int, Any] = {}
        self.store: Store = {}
        self.lifted: Lifted = {}
        for value in frozen.order:
            self.shells[id(value)] = self._shell(value)
        for value in frozen.order:
            self._fill(value)
        self.roots = [(name, self.copy(value)) for name, value in frozen.roots]

    def get(self, slot: FrozenSlot) -> Any:
        """The copy's value in what is a slot of the original; None if it is there no more."""
        owner, key = slot
        if owner is None:
            return self.roots[key][1]
        if type(owner) is Ref:
            cell = self.store[owner.number]
            return cell.items[key] if type(cell) is Cell else None
        shell = self.shells[id(owner)]
        kind = type(shell)
        if kind is Frame or kind is Closure:
            return shell.environment[key]
        if kind is PartialPair or kind is Reified:
            return getattr(shell, key)
        return getattr(shell, _PARTS[kind])[key]

    def put(self, slot: FrozenSlot, value: Any) -> None:
        """Put another value there, which `get` has found."""
        owner, key = slot
        if owner is None:
            self.roots[key] = (self.roots[key][0], value)
            return
        if type(owner) is Ref:
            self.store[owner.number].items[key] = value
            return
        shell = self.shells[id(owner)]
        kind = type(shell)
        if kind is Frame or kind is Closure:
            shell.environment[key] = value
        elif kind is PartialPair or kind is Reified:
            setattr(shell, key, value)
        else:
            parts = list(getattr(shell, _PARTS[kind]))
            parts[key] = value
            setattr(shell, _PARTS[kind], tuple(parts))

    def _shell(self, value: Any) -> Any:
        kind = type(value)
        if kind is PartialPair:
            if value.ground is not None and id(value) not in self.opened:
                return value
            return PartialPair(value.car, value.cdr, None, value.site)
        if kind is Frame:
            return Frame(value.cont, {}, value.activation, value.block)
        if kind is Closure:
            if not self.frozen.liveness.of_function(value.function):
                return value
            return Closure(value.function, {})
        if kind is PartialRecord:
            return PartialRecord(value.type, ())
        if kind is Several:
            return Several(())
        if kind is Test:
            return Test(value.op, (), value.fails, value.span)
        if kind is Reified:
            return Reified(value.continuation, value.site, value.block)
        return value  # a Ref keeps its number

    def _fill(self, value: Any) -> None:
        kind = type(value)
        shell = self.shells[id(value)]
        copy = self.copy
        if kind is PartialPair:
            if shell is not value:
                shell.car, shell.cdr = copy(value.car), copy(value.cdr)
                if value.ground is not None:
                    return  # what stands for it is a constant, which it will not be
        elif kind is Frame:
            for name in self.frozen.liveness.of_cont(value.cont):
                shell.environment[name] = copy(value.environment[name])
        elif kind is Closure:
            for name in self.frozen.liveness.of_function(value.function):
                shell.environment[name] = copy(value.environment[name])
        elif kind is PartialRecord:
            shell.fields = tuple(copy(item) for item in value.fields)
        elif kind is Several:
            shell.values = tuple(copy(item) for item in value.values)
        elif kind is Test:
            shell.arguments = tuple(copy(item) for item in value.arguments)
        elif kind is Reified:
            shell.continuation = copy(value.continuation)
        elif kind is Ref:
            content = self.frozen.store[value.number]
            if type(content) is Cell:
                items = [copy(item) for item in content.items]
                self.store[value.number] = content.with_items(items, None)
            else:
                self.store[value.number] = copy(content)
        stand_in = self.frozen.lifted.get(id(value)) if kind is not Ref else None
        if stand_in is not None:
            atom = stand_in[1]
            if type(atom) is il.Var:
                if (atom.name, 0) not in self.names:
                    return  # a ground pair: its stand-in is a constant elsewhere
                variable = self.frozen.stand_ins.get(id(value))
                renamed = self.replaced.get(id(variable)) or self.names[(atom.name, 0)]
                assert isinstance(renamed, Dynamic)  # a composite value is no integer
                atom = il.Var(renamed.name)
            self.lifted[id(shell)] = (shell, atom)

    def copy(self, value: Any) -> Any:
        kind = type(value)
        if kind is Static:
            if type(value.datum) is int or type(value.datum) is float:
                return self.replaced.get(id(value)) or Static(value.datum)
            return value
        if kind is Dynamic:
            return self._whole(value, 0)
        if kind is Cyclic:
            offset, remainder = divmod(value.remainder, value.base)
            if value.base == 1:
                return self._whole(value.quotient, offset)
            return _linear(value.base, remainder, self._leaf(value.quotient, offset))
        if kind is Ref or kind is Primitive or kind is Return or kind is Stop:
            return value
        shell = self.shells.get(id(value))
        return shell if shell is not None else self._inside(value)

    def _inside(self, value: PartialPair) -> PartialPair:
        """The copy of a pair in a pair without dynamic parts."""
        shell = self.shells[id(value)] = self._shell(value)
        self._fill(value)
        return shell  # type: ignore[no-any-return]

    def _whole(self, value: Dynamic, offset: int) -> Value:
        """value + offset, which may be near a leaf."""
        near = self.frozen.near.get((value.name, offset))
        if near is None or id(value) in self.replaced:
            return self._leaf(value, offset)
        return _linear(1, offset - near, self.names[(value.name, near)])

    def _leaf(self, value: Dynamic, offset: int) -> Dynamic | Cyclic:
        """A new object at each occurrence, so that a place can be told from others of its name."""
        found = self.replaced.get(id(value))
        if found is not None:
            return found
        name = self.names[(value.name, offset)]
        if isinstance(name, Cyclic):
            return Cyclic(name.base, name.remainder, name.quotient)
        return Dynamic(name.name, name.type)


_PARTS: Final = {PartialRecord: "fields", Several: "values", Test: "arguments"}
"""Where composite values have their parts in a tuple."""


def _linear(base: int, remainder: int, value: Dynamic | Cyclic) -> Cyclic:
    """base * value + remainder"""
    if isinstance(value, Cyclic):
        remainder += base * value.remainder
        return Cyclic(base * value.base, remainder, value.quotient)
    return Cyclic(base, remainder, value)
