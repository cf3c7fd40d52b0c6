"""What editors ask -> what the analyses say, in the protocol's words.

Each answer is a function of a document and what was asked; it may take as long as an analysis.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from lsprotocol import types
from pygls.uris import from_fs_path

from cogen.errorindex import code_of, page
from cogen.lang.errors import CogenError, LimitationError, Span
from cogen.lang.ownlibraries import OF_LANGUAGE
from cogen.lsp.analysis import Candidate, Meaning, OutlineItem
from cogen.lsp.divisions import Division
from cogen.lsp.documents import Document
from cogen.lsp.formsaround import is_in_text
from cogen.lsp.help import usages
from cogen.lsp.helpl0 import usages_in_l0
from cogen.lsp.l0 import L0Analysis
from cogen.lsp.positions import Positions
from cogen.lsp.rename import renamable, rename
from cogen.lsp.scheme import SchemeAnalysis, form_at

SOURCE: Final = "cogen"
"""What diagnostics say whose they are."""

MOST_PIECES: Final = 3
"""Pieces of residual text that are shown of one form."""

_SYMBOLS: Final = {
    "procedure": types.SymbolKind.Function,
    "function": types.SymbolKind.Function,
    "variable": types.SymbolKind.Variable,
    "macro": types.SymbolKind.Operator,
    "record": types.SymbolKind.Struct,
    "library": types.SymbolKind.Module,
}
_COMPLETIONS: Final = {
    "procedure": types.CompletionItemKind.Function,
    "function": types.CompletionItemKind.Function,
    "primitive": types.CompletionItemKind.Function,
    "variable": types.CompletionItemKind.Variable,
    "macro": types.CompletionItemKind.Operator,
    "keyword": types.CompletionItemKind.Keyword,
    "record": types.CompletionItemKind.Struct,
}


# Places


def offset_of(document: Document, position: types.Position) -> int:
    """The offset that a position of the editor means."""
    return document.positions.offset(position.line, position.character)


def range_of(positions: Positions, start: int, end: int) -> types.Range:
    """A part of a text in the protocol's words."""
    return types.Range(
        types.Position(*positions.of(start)), types.Position(*positions.of(max(start, end)))
    )


def location_of(place: Span, encoding: str) -> types.Location | None:
    """A place in a file in the protocol's words; None for what is in no file."""
    path = Path(place.source.path)
    uri = from_fs_path(str(path.resolve())) if path.is_absolute() or path.is_file() else None
    if uri is None:
        return None
    positions = Positions(place.source.text, encoding)
    return types.Location(uri, range_of(positions, place.start, place.end))


def _location(document: Document, place: Span) -> types.Location | None:
    if place.source.path == document.path:
        found = range_of(document.positions, place.start, place.end)
        return types.Location(document.uri, found)
    return location_of(place, document.encoding)


# Diagnostics


def diagnostics(document: Document) -> list[types.Diagnostic]:
    """What is wrong with the text; nothing with the language's own, which has names of its own."""
    if Path(document.path).is_relative_to(OF_LANGUAGE):
        return []
    return [_diagnostic(document, error, None) for error in document.analysis.errors]


def diagnostics_of_division(document: Document, division: Division) -> list[types.Diagnostic]:
    """What goes wrong when the program is specialized to a division."""
    found = document.specialized(division)
    if found is None or found.error is None:
        return []
    error = found.error
    return [_diagnostic(document, one, division.place) for one in (error, *error.others)]


def _diagnostic(document: Document, error: CogenError, home: Span | None) -> types.Diagnostic:
    """A diagnostic at the place of the error; at `home` or at the top if that is elsewhere."""
    span, message = error.span, error.message
    if span is None or span.source.path != document.path:
        if span is not None:
            message = f"{span}: {message}"
        span = home or Span(document.source, 0, 0)
    if home is not None and not home.start <= span.start <= span.end <= home.end:
        call = home.source.text[home.start : home.end]
        message = f"{message} (in {call})"
    if error.hint:
        message = f"{message}\nhint: {error.hint}"
    severity = types.DiagnosticSeverity.Error
    if home is not None and isinstance(error, LimitationError):
        severity = types.DiagnosticSeverity.Warning
    code = code_of(error.message)
    return types.Diagnostic(
        range_of(document.positions, span.start, span.end),
        message,
        severity,
        code,
        None if code is None else types.CodeDescription(f"{page().as_uri()}#{code}"),
        source=SOURCE,
        related_information=list(_related(document, error)) or None,
    )


def _related(document: Document, error: CogenError) -> Iterator[types.DiagnosticRelatedInformation]:
    noted = [(note.message, note.span) for note in error.notes]
    noted += [("called from here", site) for site in error.chain]
    for message, span in noted:
        place = None if span is None else _location(document, span)
        if place is not None:
            yield types.DiagnosticRelatedInformation(place, message)


# What names mean


def hover(document: Document, position: types.Position) -> types.Hover | None:
    """What is at a position: what a name means, what a form became."""
    offset = offset_of(document, position)
    for division in document.divisions:
        if division.place.start <= offset <= division.place.end:
            return _hover(document, division.place, list(_of_division(document, division)))
    found = document.analysis.meaning_at(offset)
    if found is not None:
        meaning, place = found
        return _hover(document, place, [_told(meaning), *_known_of_name(document, offset)])
    if isinstance(document.analysis, SchemeAnalysis):
        form = form_at(document.analysis.forms, offset)
        if form is not None:
            return _hover(document, form, list(_known_at(document, form)))
    return None


def _hover(document: Document, place: Span, parts: Sequence[str]) -> types.Hover | None:
    text = "\n\n---\n\n".join(part for part in parts if part)
    if not text:
        return None
    found = range_of(document.positions, place.start, place.end)
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), found)


def _told(meaning: Meaning) -> str:
    """What a name means, as Markdown."""
    head = meaning.signature or meaning.name
    parts = [_code(head, meaning.language)]
    if meaning.doc:
        parts.append(meaning.doc)
    parts.append(f"*{meaning.kind if not meaning.origin else meaning.origin}*")
    return "\n\n".join(parts)


def _code(text: str, language: str = "scheme") -> str:
    return f"```{language}\n{text}\n```"


def _of_division(document: Document, division: Division) -> Iterator[str]:
    found = document.specialized(division)
    if found is None:
        yield "The program has mistakes."
    elif found.error is not None:
        yield _code(found.error.render(), "text")
    elif found.residual is not None:
        yield _code(found.residual.scheme.strip())


def _known_of_name(document: Document, offset: int) -> Iterator[str]:
    """What is known of a variable, by each division."""
    analysis = document.analysis
    occurrence = analysis.at(offset)
    if occurrence is None:
        return
    for one in analysis.same(occurrence):
        if one.defines and one.place.source is analysis.source:
            yield from _known_at(document, one.place)


def _known_at(document: Document, place: Span) -> Iterator[str]:
    for known in document.known():
        told = known.told(document.path, place.start, place.end)
        made = known.made_of(document.path, place.start, place.end)
        lines = [f"In `{known.call}`:"] if told or made else []
        lines += [f"- {_escaped(line)}" for line in told]
        text = "\n".join(lines)
        if made:
            shown = made[:MOST_PIECES]
            more = f"\n\nand {len(made) - len(shown)} more" if len(made) > len(shown) else ""
            pieces = _code("\n".join(shown))
            text = f"{text}\n\nwhat it became:\n\n{pieces}{more}"
        if text:
            yield text


def _escaped(text: str) -> str:
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|" else c for c in text)


def definition(document: Document, position: types.Position) -> types.Location | None:
    """Where the name at a position is defined; the file, for a library's name."""
    offset, analysis = offset_of(document, position), document.analysis
    if isinstance(analysis, SchemeAnalysis):
        file = document.in_world(analysis.library_at, offset)
        if file is not None:
            return _location(document, file)
    found = analysis.meaning_at(offset)
    place = None if found is None else found[0].place
    return None if place is None else _location(document, place)


def references(document: Document, position: types.Position) -> list[types.Location]:
    """Where what the name at a position means is named."""
    occurrence = document.analysis.at(offset_of(document, position))
    if occurrence is None:
        return []
    places = [_location(document, one.place) for one in document.analysis.same(occurrence)]
    return [place for place in places if place is not None]


def highlights(document: Document, position: types.Position) -> list[types.DocumentHighlight]:
    """The same, of the text itself."""
    found = references(document, position)
    return [types.DocumentHighlight(one.range) for one in found if one.uri == document.uri]


# Symbols


def symbols(document: Document) -> list[types.DocumentSymbol]:
    """The definitions of the text."""
    positions = document.positions
    return [_symbol(positions, one) for one in document.analysis.symbols()]


def _symbol(positions: Positions, symbol: OutlineItem) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        symbol.name,
        _SYMBOLS[symbol.kind],
        range_of(positions, symbol.whole.start, symbol.whole.end),
        range_of(positions, symbol.place.start, symbol.place.end),
        children=[_symbol(positions, one) for one in symbol.symbols],
    )


# Completion


def completions(document: Document, position: types.Position) -> list[types.CompletionItem]:
    """The names that may be written at a position, the nearest first."""
    offset, analysis, text = offset_of(document, position), document.analysis, document.source.text
    if not document.is_l0 and is_in_text(text, offset):
        return []
    word = analysis.word(offset)
    start = offset if word is None else min(word[1].start, offset)
    begun = text[start:offset]
    place = range_of(document.positions, start, offset)
    return [
        _completion(document, candidate, number, place)
        for number, candidate in enumerate(analysis.candidates(offset))
        if _may_become(begun, candidate.name)
    ]


def _may_become(begun: str, name: str) -> bool:
    """Whether the letters of what was begun come in a name, in this order."""
    rest = iter(name.lower())
    return all(letter in rest for letter in begun.lower())


def _completion(
    document: Document, candidate: Candidate, number: int, place: types.Range
) -> types.CompletionItem:
    return types.CompletionItem(
        candidate.name,
        kind=_COMPLETIONS[candidate.kind],
        detail=candidate.kind,
        sort_text=f"{number:05}",
        text_edit=types.TextEdit(place, candidate.name),
        data={"uri": document.uri},
    )


def resolved(document: Document, item: types.CompletionItem) -> types.CompletionItem:
    """A completion with what its name means."""
    meaning = document.analysis.meaning_of_word(item.label)
    if meaning is not None:
        item.detail = meaning.signature.partition("\n")[0] or meaning.kind
        text = "\n\n".join(part for part in (meaning.doc, meaning.origin) if part)
        item.documentation = types.MarkupContent(types.MarkupKind.Markdown, text)
    return item


def signatures(document: Document, position: types.Position) -> types.SignatureHelp | None:
    """How the procedure is used whose call is being written at a position."""
    offset = offset_of(document, position)
    analysis = document.analysis
    if isinstance(analysis, L0Analysis):
        found = usages_in_l0(analysis, offset)
    else:
        found = None if is_in_text(analysis.source.text, offset) else usages(analysis, offset)
    if found is None:
        return None
    meaning, lines = found
    doc = types.MarkupContent(types.MarkupKind.Markdown, meaning.doc)
    shown = [
        types.SignatureInformation(
            one.text,
            doc if meaning.doc else None,
            [types.ParameterInformation(place) for place in one.parameters],
            one.active,
        )
        for one in lines
    ]
    fitting = [number for number, one in enumerate(lines) if one.active is not None]
    chosen = fitting[0] if fitting else 0
    return types.SignatureHelp(shown, chosen, lines[chosen].active)


# Mending

_MEANT: Final = re.compile(r"did you mean `([^`]+)`\?")
_LIBRARY: Final = re.compile(r"it is in a library: (\(import .+\))")


def repairs(document: Document, diagnostics: Sequence[types.Diagnostic]) -> list[types.CodeAction]:
    """The changes that the hints of diagnostics suggest."""
    found: list[types.CodeAction] = []
    for one in diagnostics:
        if one.source != SOURCE:
            continue
        meant, library = _MEANT.search(one.message), _LIBRARY.search(one.message)
        if meant is not None:
            edit = types.TextEdit(one.range, meant[1])
            found.append(_repair(document, one, f"write `{meant[1]}`", edit))
        if library is not None:
            at = range_of(document.positions, *[_behind_comments(document.source.text)] * 2)
            edit = types.TextEdit(at, f"{library[1]}\n")
            found.append(_repair(document, one, f"add {library[1]}", edit))
    return found


def _repair(
    document: Document, diagnostic: types.Diagnostic, title: str, edit: types.TextEdit
) -> types.CodeAction:
    return types.CodeAction(
        title,
        types.CodeActionKind.QuickFix,
        [diagnostic],
        edit=types.WorkspaceEdit(changes={document.uri: [edit]}),
    )


_COMMENTS: Final = re.compile(r"(?:;[^\n]*\n)*(?:[ \t]*\n)?")


def _behind_comments(text: str) -> int:
    """Where the first form may stand, behind what a text begins with; what a comment right above a
    definition says stays with that."""
    found = _COMMENTS.match(text)
    if found is None or found.end() == 0:
        return 0
    is_apart = text[: found.end()].endswith("\n\n") or found.end() == len(text)
    return found.end() if is_apart else 0


# Renaming


def renamed(document: Document, position: types.Position, name: str) -> types.WorkspaceEdit:
    """The changes that give what is at a position another name; CogenError if that cannot be."""
    offset = offset_of(document, position)
    places = rename(document.analysis, offset, name, document.analysis_of)
    positions = document.positions
    edits = [types.TextEdit(range_of(positions, one.start, one.end), name) for one in places]
    return types.WorkspaceEdit(changes={document.uri: edits})


def prepared(document: Document, position: types.Position) -> types.Range | None:
    """The name at a position, if it can be renamed."""
    found = renamable(document.analysis, offset_of(document, position))
    if found is None:
        return None
    return range_of(document.positions, found.place.start, found.place.end)
