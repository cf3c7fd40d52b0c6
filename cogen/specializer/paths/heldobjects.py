"""Mutable objects in boxes (`versions.families`) that nothing assigns any more.

    (define-variable! 'fact (list 'procedure parameters body env) env)      env: a frame, changed
                                                                            while a program starts

What a program sets up when it starts is reached from what becomes data of the run: the frame of
globals from an interpreted procedure.  It would become an object of the residual program with all
that is in it.  So it is taken for never assigned again (`paths.leaving`), and is the same in
all boxes that hold such an object, wherever these are looked into.

Objects that are alike are one here, though they need not be in the program, where two calls of a
procedure make two of them.  Nothing tells them from one another but a comparison by identity: where
one is met, the program is specialized without boxes (`_telling_apart` in `rules`).

Law: of an object that boxes hold nothing is assigned, and it is compared with no other one.
"""

from __future__ import annotations

from cogen.specializer.paths.leaving import settle
from cogen.specializer.paths.path import Path
from cogen.specializer.values.domain import Cell, PartialPair, PartialRecord, Ref, Value
from cogen.specializer.values.freeze import Frozen, Store, Token
from cogen.specializer.versions.families import BoxApart, taken_apart


class HeldObjects:
    """The objects that boxes of one specialization hold."""

    def __init__(self) -> None:
        self._found: dict[tuple[Token, ...], Ref] = {}
        self._stores: dict[int, Store] = {}
        """By the number of an object: it and what it leads to."""

    def __contains__(self, number: object) -> bool:
        return number in self._stores

    def put(self, path: Path, number: int) -> None:
        """Have a path know an object of that number, and what it leads to."""
        missing = {n: c for n, c in self._stores[number].items() if n not in path.store}
        if missing:
            path.seen = None
            path.store.update(missing)

    def taken_apart(self, path: Path, box: PartialRecord) -> tuple[Value, BoxApart]:
        """A box, of a family that holds code with what is known in all of them, and taken apart."""
        if box.type.holds_code:  # type: ignore[attr-defined]
            box = self.of(path, box)  # type: ignore[assignment]
        return box, taken_apart(box, self, path.context.liveness)

    def of(self, path: Path, value: Value) -> Value:
        """What a box holds, with such objects in it for others like them."""
        if type(value) is Ref:
            return self._object(path, value)
        if type(value) is PartialPair and value.ground is None:
            return self._list(path, value)
        if type(value) is PartialRecord:
            fields = tuple([self.of(path, one) for one in value.fields])
            if any(a is not b for a, b in zip(fields, value.fields, strict=True)):
                return PartialRecord(value.type, fields)
        return value

    def _list(self, path: Path, value: PartialPair) -> Value:
        chain: list[PartialPair] = []
        rest: Value = value
        while type(rest) is PartialPair and rest.ground is None:
            chain.append(rest)
            rest = rest.cdr
        end = self.of(path, rest)
        for pair in reversed(chain):
            car = self.of(path, pair.car)
            same = car is pair.car and end is pair.cdr
            end = pair if same else PartialPair(car, end, None, pair.site)
        return end

    def _object(self, path: Path, ref: Ref) -> Value:
        if ref.number in self:
            return ref
        found = list(path.reachable([ref]))
        cells = [path.store[one.number] for one in found if type(one) is Ref]
        if len(cells) < len(found) or not all(
            type(cell) is Cell and cell.kind != "cell" and path.context.may_settle(cell)
            for cell in cells
        ):
            return ref
        for one in found:
            settle(path, one)  # type: ignore[arg-type]
        frozen = Frozen([("", ref)], path.store, {}, path.context.liveness)
        if frozen.leaves:
            return ref
        known = self._found.setdefault(frozen.key, ref)
        if known.number not in self._stores:
            store = {one.number: path.store[one.number] for one in found if type(one) is Ref}
            self._stores[known.number] = store
        self.put(path, known.number)
        return known
