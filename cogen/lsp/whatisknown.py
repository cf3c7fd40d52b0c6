"""What divisions tell of a text -> lenses, hints, colours and residual programs, in the protocol's
words."""

from __future__ import annotations

from typing import Any, Final

from lsprotocol import types

from cogen.lang.errors import CogenError, Span
from cogen.lsp.answers import offset_of, range_of
from cogen.lsp.divisions import Specialized
from cogen.lsp.documents import Document
from cogen.lsp.positions import Positions

SPECIALIZE: Final = "cogen.specialize"
SHOW_VALUES: Final = "cogen.showValues"
"""Commands: see `cogen.lsp.server`."""


def lenses(document: Document) -> list[types.CodeLens]:
    """What can be asked for at definitions and at divisions."""
    positions = document.positions
    found: list[types.CodeLens] = []
    for one in document.analysis.symbols():
        if one.kind == "procedure":
            found.append(_lens(positions, one.place, "specialize", document, one.name, "scheme"))
        elif one.kind == "function":
            found.append(_lens(positions, one.place, "C", document, one.name, "c"))
    several = len(document.divisions) > 1
    for division in document.divisions:
        for title, form in (("residual program", "scheme"), ("C", "c"), ("page", "html")):
            found.append(_lens(positions, division.place, title, document, division.call, form))
        if several:
            arguments = [document.uri, division.call]
            command = types.Command("values", SHOW_VALUES, arguments=arguments)
            place = range_of(positions, division.place.start, division.place.end)
            found.append(types.CodeLens(place, command))
    return found


def _lens(
    positions: Positions, place: Span, title: str, document: Document, call: str, form: str
) -> types.CodeLens:
    command = types.Command(title, SPECIALIZE, arguments=[document.uri, call, form])
    return types.CodeLens(range_of(positions, place.start, place.end), command)


def hints(
    document: Document, asked: types.Range, chosen: str | None = None
) -> list[types.InlayHint]:
    """The values that are known at places of a part of the text, by the chosen division, or the
    first one."""
    known = _chosen(document, chosen)
    if known is None:
        return []
    positions = document.positions
    first, last = offset_of(document, asked.start), offset_of(document, asked.end)
    return [
        types.InlayHint(
            types.Position(*positions.of(one.end)),
            one.text,
            tooltip=f"in {known.call}",
            padding_left=True,
        )
        for one in known.hints(document.path)
        if first <= one.end <= last
    ]


COLOURS: Final = ("static", "partial", "cyclic", "masked", "dynamic", "generalised")
"""The kinds of tokens: what is known of a name's value, or of what a form gives that begins with
it."""


def colours(document: Document, chosen: str | None = None) -> types.SemanticTokens:
    """What is known of names, by the chosen division, or the first one."""
    known = _chosen(document, chosen)
    data: list[int] = []
    if known is None:
        return types.SemanticTokens(data)
    positions, analysis = document.positions, document.analysis
    notes = known.notes
    found = {one.start: (one.end, shade) for one, shade in notes.heads(document.source)}
    for name in analysis.occurrences:
        home = analysis.home(name)
        shade = "" if home is None else notes.shade_at(document.path, home.start, home.end)
        if shade and name.place.source is analysis.source:
            found[name.place.start] = name.place.end, shade
    line = column = 0
    for start in sorted(found):
        end, shade = found[start]
        at, width = positions.of(start), positions.width(start, end)
        data += [at[0] - line, at[1] - (column if at[0] == line else 0), width]
        data += [COLOURS.index(shade), 0]
        line, column = at
    return types.SemanticTokens(data)


def _chosen(document: Document, chosen: str | None) -> Specialized | None:
    """What becomes of the program by the chosen division, or the first one."""
    wanted = [one for one in document.divisions if one.call == chosen] or document.divisions
    return document.specialized(wanted[0]) if wanted else None


def specialized(document: Document, call: str, form: str) -> dict[str, Any]:
    """The residual program of a call with binding times, in a form that `--emit` gives; of a
    function in L0, its C.  If there is none, `error` says why."""
    try:
        text, found = (
            (_array_text(document, call, form), None)
            if document.is_l0
            else _residual_text(document, call, form)
        )
    except CogenError as error:
        return {"call": call, "form": form, "error": error.render()}
    answer: dict[str, Any] = {"call": call, "form": form, "text": text}
    if found is not None and found.residual is not None:
        answer["warnings"] = [note.message for note in found.residual.warnings.messages]
        answer["statistics"] = dict(found.residual.statistics)
    return answer


FORMS: Final = ("scheme", "c", "python", "il", "array", "html")
"""Forms of residual programs that can be asked for."""


def _residual_text(document: Document, call: str, form: str) -> tuple[str, Specialized]:
    if form not in FORMS:
        raise CogenError(f"there is no form {form}", hint=f"one of {', '.join(FORMS)}")
    named = [one for one in document.divisions if one.call == call]
    program = document.program()
    found = document.specialized(named[0]) if named else None
    if found is None:
        found = document.in_world(Specialized, program, call)
    if found.residual is None:
        raise found.error or CogenError("there is no residual program")
    text = getattr(found.residual, form)
    assert isinstance(text, str)
    return text, found


def _array_text(document: Document, entry: str, form: str) -> str:
    from cogen.array.programs.arrayprogram import Program
    from cogen.array.programs.targettext import TARGETS, source_text

    if form not in TARGETS:
        raise CogenError(f"there is no form {form}", hint=f"one of {', '.join(TARGETS)}")
    program = document.in_world(Program, document.source)
    return source_text(program, form, entry, "float64", "int64")
