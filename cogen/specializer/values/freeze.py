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

`values.thaw` builds the same state over other names.  The walk is breadth-first with an explicit
queue: deep continuations cost no stack.

Values without leaves and numbers that their summary (`values.states`) tells all of are one token,
("whole", skeleton, sharing): nothing in them is gone into, nor copied.  One that is in an earlier
one is ("inside", position of that, number of the value in it); one that an earlier one is in, or
that holds what a residual variable stands for, is gone into.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
)
from cogen.specializer.values.summary import GROUND, SUMMARIZED, Summary

KEPT_TOKENS: Final = 1 << 16
"""So many tokens are shared between states."""

Token = Any
Store = dict[int, Any]
"""Object numbers to `Cell`s, or to a `Dynamic` once the object exists in the residual program."""
Names = Mapping[tuple[str, int], Dynamic | Cyclic]
"""New names for leaves, given as name and offset; an integer may also become cyclic."""
Form = Callable[[Any], Summary | None]
"""Gives the summary of a composite value, None if it has none (`values.states`)."""
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


class Wholes:
    """Tells which values are one token, in one walk."""

    __slots__ = ("_form", "_met", "_refused", "known")

    def __init__(self, lifted: Lifted, form: Form) -> None:
        self._form = form
        self.known: set[int] = set()
        """The nodes in those so far."""
        self._met: list[tuple[int, Summary]] = []
        """Those, with their positions."""
        self._refused = {
            found.nodes[0]
            for value, atom in lifted.values()
            if type(atom) is il.Var and (found := self._whole(value)) is not None
        }

    def _whole(self, value: Any) -> Summary | None:
        """The summary of a value without leaves and numbers, which is more than a constant."""
        if type(value) not in SUMMARIZED:
            return None
        found = self._form(value)
        if found is None or found.levels or found.numbers or found.skeleton.items[0] == GROUND:
            return None
        return found

    def is_inside(self, value: Any) -> bool:
        """Whether a value is in one of them."""
        found = self._whole(value)
        return found is not None and found.nodes[0] in self.known

    def token(self, value: Any, position: int) -> Token | None:
        """The token of a value that is met at a position, None if it is to be gone into."""
        found = self._whole(value)
        if found is None:
            return None
        inside = found.inside()
        if found.nodes[0] in self.known:
            for at, other in self._met:
                if found.nodes[0] in other.inside():
                    return ("inside", at, other.nodes.index(found.nodes[0]))
        if not self.known.isdisjoint(inside) or not self._refused.isdisjoint(inside):
            return None
        self.known |= inside
        self._met.append((position, found))
        return found.token()


class Frozen:
    """See the module's docstring; `order` are the composite values in order of their visit."""

    __slots__ = (
        "_claims",
        "_first",
        "_key",
        "_whole",
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
        "wholes",
    )

    def __init__(
        self,
        roots: list[tuple[str, Any]],
        store: Store,
        lifted: Lifted,
        liveness: Liveness,
        last: int = 0,
        distance: int = 0,
        form: Form | None = None,
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
        self.wholes: list[Any] = []
        """The values that are one token each."""
        self._whole = Wholes(lifted, form) if form is not None else None
        self.near: dict[tuple[str, int], int] = {}
        """Integers that are no leaves of their own, with the offset of the leaf they are near."""
        seen: dict[Any, int] = {}
        self._walk(roots[: len(roots) - last], seen, 0)
        self.split = len(self.tokens)
        """How many tokens are not of what barrier cells hold."""
        if last:
            self._walk(roots[-last:], seen, distance)

    @property
    def size(self) -> int:
        """About how many values are in it."""
        return len(self.tokens) + (0 if self._whole is None else 2 * len(self._whole.known))

    def is_inside(self, value: Any) -> bool:
        """Whether a value is in one that is one token."""
        return self._whole is not None and self._whole.is_inside(value)

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
        put, visit, whole = tokens.append, self.order.append, self._whole
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
            if whole is not None and kind in SUMMARIZED:
                token = whole.token(value, len(tokens))
                if token is not None:
                    put(token)
                    self.wholes.append(value)
                    continue
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
