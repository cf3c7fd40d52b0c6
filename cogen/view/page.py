"""A residual program with its source map -> one page of HTML that needs nothing else.

source │ residual │ C │ assembly      what comes from the same place is marked together
what was decided at the place that was clicked, by which rule and why
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from html import escape
from math import log
from typing import TYPE_CHECKING, Any, Final

from cogen.lang import il
from cogen.lang.chain import form
from cogen.lang.errors import CogenError, Source, Span
from cogen.lang.prelude import in_arrays
from cogen.residual import ResidualProgram
from cogen.specializer.explain.decisions import RULES
from cogen.view.notes import Key, PlacedDecisions, key_of, note
from cogen.view.operations import nodes_left, operations
from cogen.view.panes import Pane, counted, page
from cogen.view.references import comments, references
from cogen.view.rendering import Range, lines
from cogen.view.sourcemap import TARGETS, MappedRegion, SourceMap

if TYPE_CHECKING:
    from cogen.specializer.explain.explain import Explanation
    from cogen.view.fusion import Fusion
    from cogen.view.timing import Times

LEGEND: Final = (
    ("static", "static", "known: carried out while specializing"),
    ("partial", "partially static", "known in part: a list of known length, a closure"),
    ("cyclic", "cyclic", "an integer of which the remainder is known"),
    ("masked", "masked", "an integer of which it is known where its bits come from"),
    ("dynamic", "dynamic", "only the run knows it: left in the residual program"),
    ("generalised", "generalised", "was known, and was made dynamic"),
)
"""The colours of the source: class, name, meaning."""

TITLES: Final = {"scheme": "Residual program", "c": "C", "asm": "Assembly"}


def residual_page(
    residual: ResidualProgram,
    mapping: SourceMap,
    explanation: Explanation | None,
    form: str = "",
    new: Mapping[str, frozenset[int]] | None = None,
    times: Times | None = None,
) -> str:
    """The page of a residual program; `form` stands above it, `new` are the lines of targets, from
    0, that are to be marked as new, `times` where runs spend their time, if that was measured."""
    return _Residual(residual, mapping, explanation, form, new or {}, times).page()


class _Residual:
    def __init__(
        self,
        residual: ResidualProgram,
        mapping: SourceMap,
        explanation: Explanation | None,
        form: str,
        new: Mapping[str, frozenset[int]],
        times: Times | None,
    ) -> None:
        self.times = times
        self.form = form
        self.new = new
        self.residual = residual
        self.mapping = mapping
        self.explanation = explanation
        self.notes = PlacedDecisions(() if explanation is None else explanation.decisions)
        self.growth = Counter(key_of(place) for _, place in operations(residual.program))
        self.mapped = {key_of(region.place) for region in mapping.regions}
        self.within: dict[Key, dict[Key, Span]] = {}
        """For each place in a library the user's places that led there."""
        for region in mapping.regions:
            if region.inner is not None:
                found = self.within.setdefault(key_of(region.inner), {})
                found.setdefault(key_of(region.place), region.place)
        self.left = Counter(key_of(node) for node in nodes_left(residual.program))
        """What was left for the parts of the program that is interpreted."""
        self.done_by: dict[Key, dict[Key, Span]] = {key_of(node): {} for node in residual.nodes}
        """For each of these parts the interpreter's places that left something for it."""
        for region in mapping.regions:
            if region.node is not None:
                done = self.done_by.setdefault(key_of(region.node), {})
                done.setdefault(key_of(region.place), region.place)
        self.numbers: dict[Key, int] = {}
        self.places: list[Span] = []
        self.fusion = _fusion(residual)

    def many(self, places: Sequence[Span]) -> str:
        """The attributes of an element that stands for places."""
        numbers = dict.fromkeys(str(self.number(place)) for place in places)
        return f'data-p="{" ".join(numbers)}"' if numbers else ""

    def part(self, place: Span, part: tuple[int, int]) -> str:
        """The attributes of a part of the C of the array program."""
        return self.many([place])

    def number(self, place: Span) -> int:
        """The number of a place in the page."""
        key = key_of(place)
        if key not in self.numbers:
            self.numbers[key] = len(self.places)
            self.places.append(place)
        return self.numbers[key]

    def page(self) -> str:
        panes = [self.source_pane(), *(self.target_pane(target) for target in TARGETS)]
        if self.fusion is not None:
            panes[2:2] = [*self.fusion.graphs(self.many, before=False), self.fusion.c(self.part)]
        if self.done_by:
            panes.insert(0, self.interpreted_pane())
        data = {
            "places": {str(n): self.told(place) for n, place in enumerate(self.places)},
            "rules": {rule: RULES[rule]._asdict() for rule in sorted(self.rules())}
            | ({} if self.fusion is None else self.fusion.rules()),
        }
        return page(
            self.residual.entry, self.subtitle(), self.division(), panes, data, LEGEND,
            heats=("heat",) if self.times is None else ("heat", "time"), form=self.form,
        )  # fmt: skip

    def rules(self) -> set[str]:
        """The rules by which something was decided."""
        return {one.rule for place in self.places for one in self.notes.at(place)}

    def subtitle(self) -> str:
        count = sum(self.growth.values())
        left = "1 operation" if count == 1 else f"{count:,} operations"
        if self.times is None:
            return f"{left} left to the run"
        return f"{left} left to the run · {self.times.summary}"

    def division(self) -> Sequence[tuple[str, str]]:
        """The entry's parameters with what is known of them, if no form says so."""
        if self.explanation is None or self.form:
            return ()
        place, names = self.residual.place, []
        if place is not None:
            head = place.source.text[place.start : place.end].replace("(", " ").replace(")", " ( ")
            words = head.split()
            end = words.index("(") if "(" in words else len(words)
            names = [word for word in words[2:end] if word != "."]
        times = self.explanation.division
        if len(names) != len(times):
            names = [""] * len(times)
        return [(name, _short(time)) for name, time in zip(names, times, strict=True)]

    # Panes

    def source_pane(self) -> Pane:
        sources = {
            name: source
            for name, source in self.mapping.sources().items()
            if not source.is_interpreted
        }
        for key in self.notes.by_place:
            sources.setdefault(key[0].name, key[0])
        for key in sorted(self.within, key=lambda key: key[0].name):
            sources.setdefault(key[0].name, key[0])
        parts: list[str] = []
        for name, source in sources.items():
            library = f"in the library ({source.library}): " if source.library else ""
            title = f"<h3>{escape(library + name)}</h3>" if len(sources) > 1 else ""
            text = lines(source.text, self.source_ranges(source))
            parts.append(f'{title}<pre class="source" tabindex="0">{text}</pre>')
        title = "Interpreter" if self.done_by else "Source"
        return Pane("source", title, next(iter(sources), ""), "".join(parts))

    def interpreted_pane(self) -> Pane:
        """The program that was interpreted: what of it was carried out, what left something."""
        sources = dict.fromkeys(key[0] for key in self.done_by)
        parts: list[str] = []
        for source in sources:
            title = f"<h3>{escape(source.name)}</h3>" if len(sources) > 1 else ""
            ordered = sorted(
                (key for key in self.done_by if key[0] is source),
                key=lambda key: (key[1], -key[2]),
            )
            ranges = [Range(key[1], key[2], self.of_node(Span(*key))) for key in ordered]
            text = lines(source.text, ranges)
            parts.append(f'{title}<pre class="source" tabindex="0">{text}</pre>')
        name = next(iter(sources)).name
        return Pane("interpreted", "Interpreted program", name, "".join(parts))

    def of_node(self, node: Span) -> str:
        """The attributes of a part of the interpreted program: also of what was done for it."""
        key = key_of(node)
        count = self.left[key]
        shade = "dynamic" if count else "static"
        heat = log(1 + count) / log(1 + max(self.left.values())) if count else 0.0
        linked = self.many([node, *self.done_by[key].values()])
        return f'class="{shade}" {linked}{self.style(node, heat)}'

    def source_ranges(self, source: Source) -> list[Range]:
        known = {*self.notes.by_place, *self.mapped, *self.within}
        keys = {key for key in known if key[0] is source}
        ordered = sorted(keys, key=lambda key: (key[1], -key[2]))
        ranges = [self.source_range(Span(*key)) for key in ordered]
        found = references(source)
        for (start, end), binder in found.bound.items():
            if (source, start, end) not in keys and key_of(binder) in keys:
                attributes = self.attributes(binder)
                ranges.append(Range(start, end, attributes))
        ranges += [Range(*span, 'class="comment"') for span in comments(source.text)]
        for place in found.constants:
            if key_of(place) not in keys:
                ranges.append(Range(place.start, place.end, 'class="static"'))
        return ranges

    def source_range(self, place: Span) -> Range:
        return Range(place.start, place.end, self.attributes(place))

    def attributes(self, place: Span) -> str:
        key = key_of(place)
        left = self.growth[key] or key in self.within
        shade = self.notes.shade(place) or ("dynamic" if left else "")
        mixed = " mixed" if self.notes.is_mixed(place) else ""
        heat = self.heat(self.growth[key]) if self.growth[key] else 0.0
        name = f'class="{shade}{mixed}" ' if shade else ""
        return f'{name}data-p="{self.number(place)}"{self.style(place, heat)}'

    def style(self, place: Span, heat: float) -> str:
        """The attribute of how much a place left, and of its share of the time."""
        share = 0.0 if self.times is None else self.times.share(place)
        told = [f"--h:{heat:.2f}"] if heat else []
        told += [f"--t:{share / self.most:.2f}"] if share else []
        return f' style="{";".join(told)}"' if told else ""

    @cached_property
    def most(self) -> float:
        """The largest share of the time."""
        return max(self.times.shares.values()) if self.times is not None else 1.0

    def heat(self, count: int) -> float:
        """How much of the residual program a place made, between 0 and 1."""
        return log(1 + count) / log(1 + max(self.growth.values()))

    def target_pane(self, target: str) -> Pane:
        shown = target == "scheme" or (target == "c" and self.fusion is None)
        title = TITLES[target] if self.fusion is None or target != "c" else "C of the whole"
        if target not in self.mapping.targets:
            why = escape(self.mapping.missing.get(target, ""))
            return Pane(target, title, "", f'<p class="missing">{why}</p>', False)
        text, start = self.mapping.targets[target], 0
        if target == "c":
            start = text.find(PROGRAM_STARTS) + 1 if PROGRAM_STARTS in text else 0
        before = text.count("\n", 0, start)
        ranges = [
            Range(
                region.start - start, region.end - start, self.linked(region) + self.timed(region)
            )
            for region in self.mapping.of(target)
            if region.start >= start
        ]
        about = f"after {before:,} lines of run time" if start else _lines(text)
        new = self.new.get(target, frozenset())
        if new:
            about += f" · {counted(len(new), 'new line')}"
        made = f'<pre tabindex="0">{lines(text[start:], ranges, before + 1, new)}</pre>'
        return Pane(target, title, about, made, shown)

    def linked(self, region: MappedRegion) -> str:
        """The attribute that links a part of a target with its places, the innermost first."""
        places = [region.node, region.inner, region.place]
        return self.many([place for place in places if place is not None])

    def timed(self, region: MappedRegion) -> str:
        """The attribute of the share of the time that a part of the C text takes."""
        if self.times is None or region.target != "c":
            return ""
        share = self.times.of_c.get((region.start, region.end), 0.0)
        return f' style="--t:{share / max(self.times.of_c.values()):.2f}"' if share else ""

    # What is told of a place

    def told_of_node(self, node: Span) -> dict[str, Any]:
        count = self.left[key_of(node)]
        left = f"It left {count:,} operation{'' if count == 1 else 's'} to the run."
        done = self.done_by[key_of(node)].values()
        return {
            "text": form(node),
            "at": str(node),
            "notes": [],
            "made": (left if count else "The interpreter has carried it out.") + self.took(node),
            "by": "Interpreted at ",
            "via": [str(self.number(place)) for place in done],
        }

    def took(self, place: Span) -> str:
        """A sentence on the time that a place takes, if it was measured."""
        share = 0.0 if self.times is None else self.times.share(place)
        return f" It takes {100 * share:.0f} % of the time." if share else ""

    def told(self, place: Span) -> dict[str, Any]:
        if key_of(place) in self.done_by:
            return self.told_of_node(place)
        count, decisions = self.growth[key_of(place)], self.notes.at(place)
        told, made = decisions or self.notes.test(place), ""
        if count:
            made = f"It left {count:,} operation{'' if count == 1 else 's'} to the run."
        elif key_of(place) in self.within:
            made = f"It is in the library ({place.source.library})."
        elif any(one.kind in ("operation", "test", "call") for one in decisions):
            made = "It left nothing of its own to the run."
        return {
            "text": form(place),
            "at": str(place),
            "notes": [
                *([] if self.fusion is None else self.fusion.notes(place)),
                *(note(one, self.residual.entry) for one in told),
            ],
            "made": (made + self.took(place)).strip(),
            "via": [str(self.number(one)) for one in self.within.get(key_of(place), {}).values()],
        }


PROGRAM_STARTS: Final = "\n/* The program */\n"
"""What stands between the run time and the program in the C text of a whole program."""


def _lines(text: str) -> str:
    return counted(text.count("\n"), "line")


def _short(text: str) -> str:
    return text if len(text) <= 72 else text[:71] + "…"


def _fusion(residual: ResidualProgram) -> Fusion | None:
    """What becomes of the residual program as an array program, if it is one."""
    items = residual.program.items
    if not any(isinstance(item, il.Define) and in_arrays(item.function.span) for item in items):
        return None
    from cogen.array.programs.arrayprogram import Program
    from cogen.array.scheme.translateresidual import translate_residual
    from cogen.view.fusion import Fusion

    try:
        found = Fusion(Program(translate_residual(residual)), "main")
    except CogenError:
        return None
    return found if found.operations else None
