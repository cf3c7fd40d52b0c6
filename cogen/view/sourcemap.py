"""Which part of a residual program comes from where: one data model for all targets.

    map     ::= targets by name, regions
    target  ::= its text, as `--emit` prints it                        scheme, c, asm
    region  ::= Region(target, start, end, place, binding time, procedure)
                the characters [start, end) of the target's text were made of the place

Laws

* a place is in the user's program: what comes from a library of the product is told at the call
  that led there;
* every operation, conditional and call of the residual program has a region in each target; one
  that comes from nowhere has the place of what is around it.  Where a printer or the C compiler
  has made it a part of another, and it has no text of its own, that is the region of the smallest
  form of the source around it that has one, or of its procedure;
* regions of Scheme and C were noted while the text was printed (`cogen.lang.marks`); those of
  assembly are composed: an instruction comes from a character of the C text, which is in a region;
* `binding_time` is what is known where the operation was left: `dynamic`; `cyclic` or `partially
  static` if that is known of its value wherever it was met; `generalised` if it was made dynamic
  because it grew.  Without an explanation of the specialization it is `dynamic`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from cogen.lang.errors import Source, Span
from cogen.lang.shown import counted

TARGETS: Final = ("scheme", "c", "asm")
"""The names of the targets, in the order in which one is made of the other."""


@dataclass(frozen=True, slots=True)
class MappedRegion:
    """A part of a target's text, and the place it comes from; `procedure` is the residual procedure
    it is in, `inner` the place in a library of the product, if the call at `place` led there;
    `node` the part of the program that `place`, in its interpreter, was working on."""

    target: str
    start: int
    end: int
    place: Span
    binding_time: str
    procedure: str
    inner: Span | None = None
    node: Span | None = None


@dataclass(frozen=True, slots=True)
class SourceMap:
    """The texts of a residual program, and where their parts come from; regions are ordered by
    target, then by their start, outer ones before those within.  `missing` says why a target is
    not there."""

    targets: dict[str, str]
    regions: tuple[MappedRegion, ...]
    source: Source | None
    missing: dict[str, str]

    def __repr__(self) -> str:
        return f"<source map of {', '.join(self.targets)}: {counted(len(self.regions), 'region')}>"

    def sources(self) -> dict[str, Source]:
        """The sources that places are in, by name; that of the program first."""
        found = {} if self.source is None else {self.source.name: self.source}
        for region in self.regions:
            found.setdefault(region.place.source.name, region.place.source)
        for region in self.regions:
            if region.node is not None:
                found.setdefault(region.node.source.name, region.node.source)
        return found

    def of(self, target: str) -> Iterator[MappedRegion]:
        """The regions of a target."""
        return (region for region in self.regions if region.target == target)

    def json(self) -> dict[str, Any]:
        """As data: lines and columns from 1, in characters, ends exclusive."""
        texts = {name: Source(name, text) for name, text in self.targets.items()}
        regions = dict.fromkeys(replace(region, inner=None) for region in self.regions)
        return {
            "version": 1,
            "sources": {name: source.text for name, source in self.sources().items()},
            "regions": [
                {
                    "target": region.target,
                    "start": list(texts[region.target].position(region.start)),
                    "end": _end(texts[region.target], region.end),
                    "source": _place(region.place),
                    "binding_time": region.binding_time,
                    "procedure": region.procedure,
                    **({} if region.node is None else {"interpreted": _place(region.node)}),
                }
                for region in regions
            ],
        }


def _place(place: Span) -> dict[str, Any]:
    return {
        "file": place.source.name,
        "start": list(place.source.position(place.start)),
        "end": _end(place.source, place.end),
    }


def _end(source: Source, offset: int) -> list[int]:
    """The position behind the last character, on its line."""
    if offset == 0:
        return [1, 1]
    line, column = source.position(offset - 1)
    return [line, column + 1]
