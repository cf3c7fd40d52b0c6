"""The analysis of a program in the Scheme-like language: the expander, which notes what names mean.

Each form at the top level is looked at for itself, so that a mistake in one hides nothing of the
others.  What follows from a mistake (a name that a form which cannot be read was to define) is not
told.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from cogen.api import library_path
from cogen.lang.builtins import builtins
from cogen.lang.collector import collector_paused
from cogen.lang.datum import Symbol as Name
from cogen.lang.datum import symbol
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, LimitationError, Note, Source, Span
from cogen.lang.expand import WINDING, Built, build, link, own_globals, prelude
from cogen.lang.expander import Expander
from cogen.lang.files import find_include, read_source
from cogen.lang.governor import Budget, Exceeded, governed, reached
from cogen.lang.libraries import Libraries, library_name
from cogen.lang.scanner import UnitScanner
from cogen.lang.scope import (
    Alias,
    Binding,
    ConstantBinding,
    Env,
    GlobalBinding,
    Item,
    Macro,
    PrimitiveBinding,
    Scopes,
    Special,
    TopLevelUnit,
    is_identifier,
)
from cogen.lang.syntax import Syntax, SyntaxList
from cogen.lsp.analysis import MOST_ERRORS, Analysis, Candidate, Meaning, Occurrence, OutlineItem
from cogen.lsp.formsaround import local_names, word_at
from cogen.lsp.meanings import defined, describe, kind_of
from cogen.lsp.outline import outline
from cogen.lsp.reading import ReadForms, names_in, read_forms

BUDGET: Final = Budget(seconds=5)
"""What the analysis of a text may take."""


def analyse(source: Source, budget: Budget = BUDGET) -> SchemeAnalysis:
    """The analysis of a text."""
    work = _Work(source)
    try:
        with collector_paused():
            governed("the analysis", budget, on_deep_stack, work.run)
    except LimitationError as error:
        work.errors.append(error)
    return SchemeAnalysis(work)


class _Noting(Expander):
    """An expander that notes which names mean what, and goes on after errors."""

    def __init__(self, scopes: Scopes, libraries: Libraries) -> None:
        super().__init__(scopes, libraries)
        self.noted: list[tuple[Span, Binding, bool]] = []
        self.unbound: dict[int, str] = {}
        """The names that errors are about, by the identity of the errors."""

    def mention(self, name: Syntax, binding: Binding, defines: bool = False) -> None:
        place = name.span
        identifier = name.value
        while isinstance(identifier, Alias):
            place, identifier = identifier.span, identifier.base
        if not place.source.library:
            self.noted.append((place, binding, defines))

    def report(self, error: CogenError) -> None:
        if len(self.reported) < MOST_ERRORS:
            self.reported.append(error)

    def report_unbound(self, name: str, error: CogenError) -> None:
        self._unbound.discard(name)
        count = len(self.reported)
        super().report_unbound(name, error)
        for one in self.reported[count:]:
            self.unbound[id(one)] = name


class _Work:
    """An analysis that is being made."""

    def __init__(self, source: Source) -> None:
        self.source = source
        scopes = Scopes(builtins())
        scopes.prelude = prelude()
        self.libraries = Libraries(library_path())
        self.expander = _Noting(scopes, self.libraries)
        self.expander.sources.append(source)
        self.unit = TopLevelUnit("the program")
        self.errors: list[CogenError] = []
        self.reading = ReadForms()
        self.blamed: set[str] = set()
        """Names that may be unbound because of another error."""
        self.imports_failed = False

    def run(self) -> None:
        try:
            self._run()
        except Exceeded:
            raise reached(self.expander.at or Span(self.source, 0, 0)) from None

    def _run(self) -> None:
        self.reading = read_forms(self.source)
        self.errors += self.reading.errors
        for span in self.reading.skipped:
            self.blamed |= names_in(span)
        self._scan()
        self._expand()
        self._collect()

    def _scan(self) -> None:
        scanner = UnitScanner(self.expander, Env(self.unit, 0))
        for form in self.reading.forms:
            try:
                scanner.scan([form])
            except CogenError as error:
                self._failed(error, form)
                self.blamed |= names_in(form.span)
                self.imports_failed |= _head(form) in ("import", "define-library", "include")
                self.unit.items += scanner.items
                scanner.items = []

    def _expand(self) -> None:
        x = self.expander
        x.winding = any(word in text.text for text in x.sources for word in WINDING)
        own = [unit for unit in self.libraries.order if not unit.of_product]
        lazy = [prelude(), *(unit for unit in self.libraries.order if unit.of_product)]
        units = [*own, self.unit]
        for unit in units:
            for target in own_globals(unit):
                x.name_of(target)
        built = [made for unit in units for item in unit.items if (made := self._built(item))]
        try:
            link(x, built, self.unit, lazy)
        except CogenError as error:
            self._failed(error)
        x.check_calls()

    def _built(self, item: Item) -> Built | None:
        x = self.expander
        x.depth = x.nesting = 0
        try:
            return build(x, item)
        except CogenError as error:
            self._failed(error)
            x.scopes.leave_all()
            return None

    def _failed(self, error: CogenError, form: Syntax | None = None) -> None:
        """Take note of an error; one in another text is told where that is named."""
        others, error.others = error.others, ()
        for one in (error, *others):
            self.errors.append(self._at_home(one, form))

    def _at_home(self, error: CogenError, form: Syntax | None) -> CogenError:
        span = error.span
        if span is None or span.source is self.source:
            return error
        place: Span | None = span
        while place is not None and place.source is not self.source:
            place = self.expander.includers.get(place.source)
        place = place or (form.span if form is not None else self._first_import())
        note = Note(error.message, span)
        file = span.source.file_name
        message = f"in {file}, line {span.line}: {error.message}"
        return CogenError(message, place, error.hint, [note, *error.notes])

    def _first_import(self) -> Span:
        spans = [form.span for form in self.reading.forms if _head(form) == "import"]
        return spans[0] if spans else Span(self.source, 0, 0)

    def _collect(self) -> None:
        x = self.expander
        for error in x.reported:
            name = x.unbound.get(id(error))
            if name is None or not (self.imports_failed or name in self.blamed):
                self._failed(error)
        x.reported = []


def _head(form: Syntax) -> str:
    value = form.value
    if isinstance(value, SyntaxList) and value.items and isinstance(value.items[0].value, Name):
        return value.items[0].value.name
    return ""


class SchemeAnalysis(Analysis):
    """Of a program in the Scheme-like language."""

    def __init__(self, work: _Work) -> None:
        self.unit = work.unit
        self.forms = work.reading.forms
        self._skipped = work.reading.skipped
        self._libraries = work.libraries
        self._scopes = work.expander.scopes
        self._places: dict[Binding, Span] = {}
        for place, binding, defines in work.expander.noted:
            if defines and not isinstance(binding, GlobalBinding):
                self._places.setdefault(binding, place)
        noted = [*work.expander.noted, *self._of_imports(), *self._of_templates()]
        occurrences = [
            Occurrence(place, self._key(binding), defines, binding)
            for place, binding, defines in noted
        ]
        super().__init__(work.source, work.errors, occurrences)

    def _key(self, binding: Binding) -> Hashable:
        place = self._place(binding)
        if place is not None:
            return place.source.path, place.start
        return binding.name if isinstance(binding, PrimitiveBinding | Special) else id(binding)

    def _place(self, binding: Binding) -> Span | None:
        """Where something is defined."""
        if isinstance(binding, GlobalBinding):
            return binding.span
        found = self._places.get(binding)
        if found is None and isinstance(binding, Macro | ConstantBinding):
            found = self._defined(binding)
            if found is not None:
                self._places[binding] = found
        return found

    def _defined(self, binding: Binding) -> Span | None:
        return defined((self.unit, *self._libraries.order, prelude()), binding)

    def _of_imports(self) -> Iterator[tuple[Span, Binding, bool]]:
        """The names that import sets select."""
        for form in self.forms:
            if _head(form) == "import":
                for name in _names_of_sets(form):
                    binding = self.unit.table.get(name.value)
                    if binding is not None:
                        yield name.span, binding, False

    def _of_templates(self) -> Iterator[tuple[Span, Binding, bool]]:
        """The names of the program in templates of its macros, which may never have been used."""
        for form in self.forms:
            if _head(form) in ("define-syntax", "let-syntax", "letrec-syntax"):
                for name in _all_names(form):
                    binding = self.unit.table.get(name.value)
                    if isinstance(binding, GlobalBinding | Macro):
                        yield name.span, binding, False

    def doubtful(self) -> Sequence[Span]:
        spans = [one.span for one in self.errors if one.span is not None]
        wrong = [
            form.span for form in self.forms if any(form.span.encloses(span) for span in spans)
        ]
        return [*self._skipped, *wrong]

    # Answers

    def meaning(self, occurrence: Occurrence) -> Meaning | None:
        place = occurrence.place
        written = place.source.text[place.start : place.end]
        return self._describe(written, occurrence.meant)

    def _describe(self, name: str, binding: Binding) -> Meaning | None:
        return describe(name, binding, self._place(binding), self.source)

    def symbols(self) -> Sequence[OutlineItem]:
        return outline(self.forms)

    def imported(self) -> Iterator[Meaning]:
        """What the names are that the text has from libraries, but for those of the language."""
        for name, binding in self.unit.table.items():
            found = self._describe(name.name, binding) if isinstance(name, Name) else None
            if found is not None:
                yield found

    def candidates(self, offset: int) -> Iterable[Candidate]:
        seen: set[str] = set()
        for name in local_names(self.source.text, offset):
            if name not in seen and self.unit.table.get(symbol(name)) is None:
                seen.add(name)
                yield Candidate(name, "variable", lambda: None)
        for name, binding in self._visible().items():
            if name not in seen:
                kind = kind_of(binding, "()" if isinstance(binding, GlobalBinding) else "")
                yield Candidate(name, kind, self._describer(name, binding))

    def _describer(self, name: str, binding: Binding) -> Callable[[], Meaning | None]:
        return lambda: self._describe(name, binding)

    def _visible(self) -> dict[str, Binding]:
        """The names of the top level and of the language."""
        found: dict[str, Binding] = {}
        tables = (self.unit.table, prelude().table, self._scopes.builtins)
        for table in tables:
            for name, binding in table.items():
                if isinstance(name, Name) and name.name[:1] != "%":
                    found.setdefault(name.name, binding)
        return found

    def word(self, offset: int) -> tuple[str, Span] | None:
        found = word_at(self.source.text, offset)
        return None if found is None else (found[0], Span(self.source, *found[1:]))

    def meaning_of_word(self, word: str) -> Meaning | None:
        binding = self._visible().get(word)
        return None if binding is None else self._describe(word, binding)

    def library_at(self, offset: int) -> Span | None:
        """The file of the library whose name in an `import` is at an offset, or that is included
        there."""
        for form in self.forms:
            if not form.span.start <= offset <= form.span.end:
                continue
            for part in _parts(form):
                if part.span.start <= offset <= part.span.end:
                    found = self._file(part)
                    if found is not None:
                        return found
        return None

    def _file(self, part: Syntax) -> Span | None:
        try:
            if isinstance(part.value, str):
                path: Path | None = find_include(part.value, part.span)
            else:
                path = self._libraries.place(library_name(part), part.span)
            return None if path is None else Span(read_source(path), 0, 0)
        except CogenError:
            return None


def _parts(form: Syntax) -> Iterator[Syntax]:
    """A form and the forms within it, the innermost first."""
    work, found = [form], []
    while work:
        part = work.pop()
        found.append(part)
        if isinstance(part.value, SyntaxList):
            work += part.value.items
    return reversed(found)


def form_at(forms: Sequence[Syntax], offset: int) -> Span | None:
    """The list that begins at an offset, or else that ends there."""
    for form in forms:
        if form.span.start <= offset <= form.span.end:
            lists = [one.span for one in _parts(form) if isinstance(one.value, SyntaxList)]
            begin = [one for one in lists if one.start == offset]
            return next(iter(begin or [one for one in lists if one.end == offset]), None)
    return None


def _all_names(form: Syntax) -> Iterator[Syntax]:
    return (part for part in _parts(form) if is_identifier(part))


def _names_of_sets(form: Syntax) -> Iterator[Syntax]:
    """The names that the sets of an `import` name, not those of libraries."""
    for part in _parts(form):
        value = part.value
        if isinstance(value, SyntaxList) and _head(part) in ("only", "rename"):
            for item in value.items[2:]:
                yield from _all_names(item)
