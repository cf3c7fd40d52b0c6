"""Targets with their marks, decisions -> a source map; see the laws of `cogen.view.sourcemap`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from cogen.backends.objectcode.assembly import Assembly, Position
from cogen.lang.errors import CogenError, Source, Span
from cogen.lang.marks import NOWHERE, Marked
from cogen.residual import ResidualProgram
from cogen.view.knowledge import Knowledge
from cogen.view.nesting import Nesting
from cogen.view.operations import in_product, node_at, operations, users
from cogen.view.sourcemap import MappedRegion, SourceMap
from cogen.view.targets import CTarget, Targets, targets

if TYPE_CHECKING:
    from cogen.specializer.explain.explain import Explanation


def source_map(residual: ResidualProgram, explanation: Explanation | None = None) -> SourceMap:
    """Where the parts of a residual program come from, in all targets that there are."""
    return _Mapper(residual, targets(residual), explanation).map()


class _Part(NamedTuple):
    """The part of a text that a mark is around, and a place that it was made of; `inner` is where
    that is in a library of the product, `node` what of an interpreted program it was for."""

    mark: int
    place: Span
    procedure: str
    inner: Span | None = None
    node: Span | None = None


class _Mapper:
    def __init__(
        self, residual: ResidualProgram, made: Targets, explanation: Explanation | None
    ) -> None:
        self.residual = residual
        self.made = made
        self.knowledge = Knowledge(() if explanation is None else explanation.decisions)
        self.operations = list(dict.fromkeys(operations(residual.program)))
        self.texts: dict[str, str] = {}
        self.missing: dict[str, str] = {}
        self.regions: list[MappedRegion] = []

    def map(self) -> SourceMap:
        scheme, c, asm = self.made.scheme, self.made.c, self.made.asm
        if isinstance(scheme, CogenError):
            self.missing["scheme"] = str(scheme)
        else:
            self.add("scheme", scheme)
        if isinstance(c, CogenError):
            self.missing["c"] = self.missing["asm"] = str(c)
        else:
            nesting, parts = self.add("c", Marked(c.text, c.marks))
            if isinstance(asm, CogenError):
                self.missing["asm"] = str(asm)
            else:
                self.add_assembly(c, asm, nesting, parts)
        source = self.residual.program.source
        return SourceMap(self.texts, tuple(dict.fromkeys(self.regions)), source, self.missing)

    def region(self, target: str, start: int, end: int, part: _Part) -> None:
        known = self.knowledge.left(part.place)
        told = part.procedure, part.inner, part.node
        self.regions.append(MappedRegion(target, start, end, part.place, known, *told))

    def add(self, target: str, text: Marked) -> tuple[Nesting, list[_Part]]:
        """The regions of a text that was printed with marks."""
        nesting = Nesting(text.marks)
        parts = [*_parts(nesting)]
        parts += _hosted(self.operations, nesting, parts)
        parts.sort(key=lambda part: part.mark)
        self.texts[target] = text.text
        for part in parts:
            mark = nesting.marks[part.mark]
            self.region(target, mark.start, mark.end, part)
        return nesting, parts

    def add_assembly(self, c: CTarget, asm: Assembly, nesting: Nesting, parts: list[_Part]) -> None:
        """The regions of assembly: where the instructions of the parts of the C text are."""
        lines = _Instructions(c, asm, nesting)
        self.texts["asm"] = asm.text
        found = [(start, end, part) for part in parts for start, end in lines.ranges(part.mark)]
        for start, end, part in sorted(found, key=lambda one: (one[0], -one[1], one[2].mark)):
            self.region("asm", start, end, part)


def _parts(nesting: Nesting) -> Iterator[_Part]:
    for number, places in enumerate(_places(nesting)):
        procedure = nesting.procedure(number)
        own = dict.fromkeys(
            (users(place), in_product(place), node_at(place))
            for place in nesting.marks[number].places
        )
        found = [(place, inner, node) for place, inner, node in own if place is not None]
        if not found:
            inner = next((inner for _, inner, _ in own if inner is not None), None)
            node = next((node for _, _, node in own if node is not None), None)
            found = [(place, inner, node) for place in places]
        for place, inner, node in found:
            yield _Part(number, place, procedure, inner, node)


def _places(nesting: Nesting) -> list[list[Span]]:
    """The places of marks in the user's program.  What is in a library and has none there has the
    first one within it, as the loop of a library procedure does; what still has none, that of what
    is around it."""
    found = [
        [*dict.fromkeys(place for place in map(users, mark.places) if place is not None)]
        for mark in nesting.marks
    ]
    within: dict[int, list[Span]] = {}
    for number in reversed(range(len(found))):
        parent = nesting.parents[number]
        if NOWHERE not in nesting.marks[number].places:
            found[number] = found[number] or within.get(number, [])
        within[parent] = found[number][:1] or within.get(number) or within.get(parent, [])
    for number, parent in enumerate(nesting.parents):
        if not found[number] and parent >= 0:
            found[number] = found[parent][:1]
    return found


def _hosted(
    wanted: Iterable[tuple[str, Span]], nesting: Nesting, parts: list[_Part]
) -> Iterator[_Part]:
    """Parts for the operations that have none: those of the smallest form of the source around them
    that has one in their procedure, or anywhere, else of their procedure."""
    there = {(part.procedure, part.place) for part in parts}
    anywhere = {part.place for part in parts}
    whole = {mark.procedure: n for n, mark in enumerate(nesting.marks) if mark.procedure}
    for procedure, place in wanted:
        if (procedure, place) in there or place in anywhere:
            continue
        around = [part for part in parts if part.place.encloses(place)]
        around = [part for part in around if part.procedure == procedure] or around
        if around:
            smallest = min(part.place.end - part.place.start for part in around)
            for part in around:
                if part.place.end - part.place.start == smallest:
                    yield _Part(part.mark, place, part.procedure)
        elif procedure in whole:
            yield _Part(whole[procedure], place, procedure)
        elif whole:
            yield _Part(next(iter(whole.values())), place, next(iter(whole)))


class _Instructions:
    """The instructions of an assembly by the marks of the C text that they come from."""

    def __init__(self, c: CTarget, asm: Assembly, nesting: Nesting) -> None:
        self.nesting = nesting
        self.starts = Source("", asm.text).line_starts
        self.ends = [start - 1 for start in self.starts[1:]]
        self.text = asm.text
        self.positions = asm.positions
        offset_of = _Offsets(c)
        lines = [line for line, position in enumerate(asm.positions) if position is not None]
        offsets = [offset_of(position) for position in asm.positions if position is not None]
        self.all = lines
        self.own: dict[int, list[int]] = {}
        for line, mark in zip(lines, nesting.innermost(offsets), strict=True):
            self.own.setdefault(mark, []).append(line)
        self.within: dict[int, list[int]] = {}
        for mark, there in self.own.items():
            while mark >= 0:
                self.within.setdefault(mark, []).extend(there)
                mark = nesting.parents[mark]

    def ranges(self, mark: int) -> Iterator[tuple[int, int]]:
        """Where the instructions are that come from the part of the C text in a mark; if it has
        none, those of the smallest part around it that has some, else all."""
        lines = self.own.get(mark)
        while not lines and mark >= 0:
            lines = self.within.get(mark)
            mark = self.nesting.parents[mark]
        first = previous = -1
        for line in sorted(lines or self.all):
            if first >= 0 and self._follows(previous, line):
                previous = line
                continue
            if first >= 0:
                yield self._range(first, previous)
            first = previous = line
        if first >= 0:
            yield self._range(first, previous)

    def _follows(self, line: int, other: int) -> bool:
        """Whether no instruction stands between two lines."""
        return all(self.positions[between] is None for between in range(line + 1, other)) and not (
            any(self._is_label(between) for between in range(line + 1, other))
        )

    def _is_label(self, line: int) -> bool:
        return not self.text[self.starts[line] : self.starts[line] + 1].isspace()

    def _range(self, first: int, last: int) -> tuple[int, int]:
        text = self.text[self.starts[first] : self.ends[first]]
        return self.starts[first] + len(text) - len(text.lstrip()), self.ends[last]


class _Offsets:
    """Positions of the text that the compiler was given, as offsets of the whole C text."""

    def __init__(self, c: CTarget) -> None:
        self.source = Source("", c.compiled)
        self.moved = len(c.text) - len(c.compiled)

    def __call__(self, position: Position) -> int:
        line, column = position
        if line > len(self.source.line_starts):
            return -1
        text = self.source.line_text(line)
        if column == 0:
            characters = len(text) - len(text.lstrip())
        else:
            characters = len(text.encode()[: column - 1].decode(errors="ignore"))
        return self.source.line_starts[line - 1] + characters + self.moved
