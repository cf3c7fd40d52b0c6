"""The analysis of a program in L0: its parser and checks, function by function.

A function that cannot be parsed is left out, so that a mistake in it hides nothing of the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from cogen.array.l0 import tree
from cogen.array.l0.check import check_each
from cogen.array.l0.extensions import EXTENSIONS
from cogen.array.l0.facts import Binding, CheckedFacts
from cogen.array.l0.grammar import RESERVED
from cogen.array.l0.parse import parse
from cogen.array.l0.plain import with_tuples
from cogen.array.l0.show import show_declaration
from cogen.array.l0.signatures import BUILTIN_TYPES
from cogen.array.l0.types import show_case, show_type
from cogen.array.l0.uniqueness import check_uniqueness
from cogen.array.l0.walk import parts
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, LimitationError, Source, Span
from cogen.lang.governor import Budget, governed
from cogen.lsp.analysis import Analysis, Candidate, Meaning, Occurrence, OutlineItem

BUDGET: Final = Budget(seconds=5)
"""What the analysis of a text may take."""

MOST_LEFT_OUT: Final = 20
"""Functions that are left out, at most."""

_FUNCTION: Final = re.compile(r"^[ \t]*(?:fun|record|union|law)\b", re.MULTILINE)
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_']*")
_IGNORED: Final = re.compile(r"//[^\n]*|\"(?:\\.|[^\"\\])*\"")

FORMS: Final = {
    "map": "map(F, a, ...): F of every element",
    "reduce": "reduce(F, e, a): all elements put together by F, from e on",
    "scan": "scan(F, e, a): what a reduction has after each element",
    "filter": "filter(F, a): the elements for which F is True",
    "redomap": "redomap(F, G, e, a): a reduction by F of a map by G, in one",
    "zip": "zip(a, b, ...): an array of tuples",
    "unzip": "unzip(a): a tuple of arrays",
    "iota": "iota(n): 0 to n-1",
    "replicate": "replicate(n, v): n times v",
    "size": "size(k, a): the size of dimension k",
    "reshape": "reshape((n, ...), a): the same elements in another shape",
    "transpose": "transpose(k, n, a): dimension k becomes dimension k+n",
    "rearrange": "rearrange((k, ...), a): the dimensions in another order",
    "split": "split((i, ...), a): the parts of an array",
    "concat": "concat(a, b, ...): one array after the other",
    "copy": "copy(a): an array of its own with the same elements",
    "empty": "empty(t): the empty array of elements of type t",
    "assert": "assert(e, ...): a certificate that e is True, or an error",
    "conjoin": "conjoin(c, ...): a certificate of all of these",
    "let": "let p = e in e; let b = a with [i] <- v in e",
    "loop": "loop (p = e) = for i < n do e in e",
    "fun": "fun t f(t x, ...) = e: a function",
    "fn": "fn t (t x, ...) => e: a function without a name",
    "if": "if e then e else e",
}
"""What the words of the language are for."""


def analyse(source: Source, budget: Budget = BUDGET) -> L0Analysis:
    """The analysis of a text."""
    try:
        return governed("the analysis", budget, on_deep_stack, _analyse, source)
    except LimitationError as error:
        return L0Analysis(source, [error], CheckedFacts(tree.L0Program(source, ()), {}))


def _analyse(source: Source) -> L0Analysis:
    program, errors, left_out = _parsed(source)
    facts, found = check_each(program)
    missing = {f"`{name}`" for name in left_out}
    errors += [one for one in found if not any(name in one.message for name in missing)]
    if not errors:
        try:
            check_uniqueness(with_tuples(facts))
        except CogenError as error:
            errors.append(error)
    return L0Analysis(source, errors, facts)


def _parsed(source: Source) -> tuple[tree.L0Program, list[CogenError], set[str]]:
    """What can be parsed, what is wrong with the rest, and the names of functions in the rest."""
    text = source.text
    left_out: set[str] = set()
    errors: list[CogenError] = []
    for _ in range(MOST_LEFT_OUT):
        # The tree's places are those of `source`: as long as `text`, which has spaces instead.
        try:
            if not errors:
                return parse(source), errors, left_out
            program = parse(Source(source.name, text, source.path))
            return replace(program, source=source), errors, left_out
        except CogenError as error:
            span = error.span
            errors.append(_moved(error, source))
            if span is None:
                break
            start, end = _function_around(text, span.start)
            left_out |= set(_WORD.findall(text[start:end]))
            text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    return tree.L0Program(source, ()), errors, left_out


def _moved(error: CogenError, source: Source) -> CogenError:
    span = error.span
    if span is not None:
        error.span = Span(source, span.start, span.end)
    return error


def _function_around(text: str, offset: int) -> tuple[int, int]:
    """Where the function begins and ends in which a mistake is that was noticed at an offset: where
    the next function begins, the one before it has not ended."""
    starts = [found.start() for found in _FUNCTION.finditer(text)]
    before = [start for start in starts if text[start:offset].strip()]
    start = before[-1] if before else 0
    after = [one for one in starts if one > start]
    return start, after[0] if after else len(text)


class L0Analysis(Analysis):
    """Of a program in L0."""

    def __init__(self, source: Source, errors: Iterable[CogenError], facts: CheckedFacts) -> None:
        self.facts = facts
        super().__init__(source, errors, _occurrences(source, facts))

    def meaning(self, occurrence: Occurrence) -> Meaning | None:
        place = occurrence.place
        name = place.source.text[place.start : place.end]
        meant = occurrence.meant
        if isinstance(meant, tree.FunctionDefinition):
            return self._of_function(meant)
        if isinstance(meant, Binding):
            home = Span(self.source, meant.span.start, meant.span.end)
            signature = f"{show_type(meant.type)} {meant.name}"
            return Meaning(name, "variable", home, signature, language="l0")
        return self.meaning_of_word(name)

    def _of_function(self, function: tree.FunctionDefinition) -> Meaning:
        name = function.name
        parameters = ", ".join(
            f"{show_type(one.declared)} {one.name.text}" for one in function.parameters
        )
        signature = f"fun {show_type(function.declared)} {name.text}({parameters})"
        place = _home(self.source, name.span)
        doc = _comment_above(place)
        return Meaning(name.text, "function", place, signature, doc, language="l0")

    def doubtful(self) -> Sequence[Span]:
        text = self.source.text
        spans = [one.span for one in self.errors if one.span is not None]
        return [Span(self.source, *_function_around(text, span.start + 1)) for span in spans]

    def symbols(self) -> Sequence[OutlineItem]:
        program = self.facts.program
        symbols = [
            *[
                OutlineItem(o.name.text, "record", o.span, o.name.span)
                for o in program.declarations
            ],
            *[OutlineItem(o.name.text, "function", o.span, o.name.span) for o in program.functions],
        ]
        own = [one for one in symbols if one.whole.source.path == self.source.path]
        return sorted(own, key=lambda one: one.whole.start)

    def candidates(self, offset: int) -> Iterable[Candidate]:
        for function in self.facts.program.functions:
            own = function.span.source.path == self.source.path
            if own and function.span.start <= offset <= function.span.end:
                yield from self._variables(function.span)
        for name, function in self.facts.definitions.items():
            yield Candidate(name, "function", _always(self._of_function(function)))
        for one in self.facts.program.declarations:
            for word in dict.fromkeys((one.type.name, *[case.name for case in one.type.cases])):
                yield Candidate(word, "record", _always(self._declared(word)))
        for word in dict.fromkeys((*FORMS, *RESERVED, *EXTENSIONS, *BUILTIN_TYPES)):
            kind = "function" if word in BUILTIN_TYPES else "keyword"
            yield Candidate(word, kind, _always(self.meaning_of_word(word)))

    def _variables(self, span: Span) -> Iterator[Candidate]:
        seen: set[str] = set()
        for binding in self.facts.bindings.values():
            own = binding.span.source.path == self.source.path
            if own and binding.name not in seen and span.start <= binding.span.start < span.end:
                seen.add(binding.name)
                signature = f"{show_type(binding.type)} {binding.name}"
                meaning = Meaning(binding.name, "variable", None, signature, language="l0")
                yield Candidate(binding.name, "variable", _always(meaning))

    def word(self, offset: int) -> tuple[str, Span] | None:
        text = self.source.text
        start = text.rfind("\n", 0, offset) + 1
        if any(one.start() <= offset < one.end() for one in _IGNORED.finditer(text, start)):
            return None
        for word in _WORD.finditer(text, start):
            if word.start() <= offset <= word.end():
                return word[0], Span(self.source, *word.span())
            if word.start() > offset:
                break
        return None

    def meaning_of_word(self, word: str) -> Meaning | None:
        if word in self.facts.definitions:
            return self._of_function(self.facts.definitions[word])
        if word in BUILTIN_TYPES:
            types = BUILTIN_TYPES[word]
            pairs = () if types is None else types.items()
            signature = "\n".join(f"{word}: {show_type(a)} -> {show_type(b)}" for a, b in pairs)
            return Meaning(word, "function", None, signature, "", "a function of L0", language="l0")
        declared = self._declared(word)
        if declared is not None:
            return declared
        form = FORMS.get(word.removesuffix("T"))
        doc = form or _DOCS.get(word)
        if doc is None and word not in RESERVED:
            return None
        return Meaning(word, "keyword", None, "", doc or "", "a word of L0", language="l0")

    def _declared(self, word: str) -> Meaning | None:
        """A record, a union or a case of one."""
        for one in self.facts.program.declarations:
            names = {case.name: show_case(case) for case in one.type.cases}
            signature = show_declaration(one.type) if word == one.type.name else names.get(word)
            if signature is not None:
                home = _home(self.source, one.name.span)
                doc = _comment_above(home)
                return Meaning(word, "record", home, signature, doc, language="l0")
        return None


def without_comments(text: str) -> str | None:
    """The beginning of a text with spaces for comments, strings and characters; None if it ends in
    one."""
    for found in list(_IGNORED.finditer(text)):
        if found.end() == len(text) and found[0].startswith("//"):
            return None
        text = text[: found.start()] + " " * len(found[0]) + text[found.end() :]
    return None if '"' in text else text


def _always(meaning: Meaning | None) -> Callable[[], Meaning | None]:
    return lambda: meaning


def _extension_docs() -> Mapping[str, str]:
    """What the list of extensions says of each."""
    from cogen.array.l0 import extensions

    found: dict[str, str] = {}
    last = ""
    for line in (extensions.__doc__ or "").splitlines():
        match = re.match(r"    (\w+)\(", line)
        if match:
            last = match[1]
            found[last] = " ".join(line.split())
        elif last and line.startswith("     "):
            found[last] += " " + " ".join(line.split())
        else:
            last = ""
    return found


_DOCS: Final = _extension_docs()


def _comment_above(place: Span) -> str:
    lines: list[str] = []
    for number in range(place.line - 1, 0, -1):
        text = place.source.line_text(number).strip()
        if not text.startswith("//"):
            break
        lines.append(text.removeprefix("//").strip())
    return "\n".join(reversed(lines)).strip()


def _home(source: Source, span: Span) -> Span:
    """A place in the text that is shown, or in a file that it imports."""
    if span.source.path != source.path:
        return span
    return Span(source, span.start, span.end)


def _occurrences(source: Source, facts: CheckedFacts) -> Iterator[Occurrence]:
    for name, binding in facts.bindings.items():
        if name.span.source.path == source.path:
            yield _occurrence(source, name, binding.span, name.span == binding.span, binding)
    for function in facts.program.functions:
        if function.span.source.path != source.path:
            continue
        yield _occurrence(source, function.name, function.name.span, True, function)
        yield from _calls(source, facts, function.body)
    for law in facts.program.laws:
        if law.span.source.path == source.path:
            yield from _calls(source, facts, law.pattern)
            yield from _calls(source, facts, law.body)


def _calls(source: Source, facts: CheckedFacts, body: tree.Expression) -> Iterator[Occurrence]:
    """The functions that an expression names."""
    for name in _called(body):
        meant = facts.definitions.get(name.text)
        if meant is not None:
            yield _occurrence(source, name, meant.name.span, False, meant)


def _occurrence(
    source: Source, name: tree.Name, home: Span, defines: bool, meant: object
) -> Occurrence:
    place = Span(source, name.span.start, name.span.end)
    return Occurrence(place, (home.source.path, home.start), defines, meant)


def _called(body: tree.Expression) -> Iterator[tree.Name]:
    """The names of functions in an expression."""
    work = [body]
    while work:
        e = work.pop()
        if isinstance(e, tree.CallExpression):
            yield e.function
        elif isinstance(e, tree.SoacExpression | tree.ExtensionExpression):
            for function in e.functions:
                if isinstance(function, tree.Named):
                    yield function.name
        work += [part for part, _ in parts(e)]
