"""`syntax-rules`: patterns and templates, compiled when the macro is defined.

    rules    ::= (syntax-rules [ellipsis] (literal ...) (pattern template) ...)
    pattern  ::= Wildcard | Hole(identifier) | LiteralPattern(identifier) | ConstantSyntax(value)
               | SequencePattern(before, repeated | None, after, tail | None, vector?)
    template ::= Insert(identifier) | Hole(identifier) | ConstantSyntax(value)
               | Compose((template | RepeatTemplate(template, variables)) ..., tail | None, vector?)

Matching gives each pattern variable a piece of syntax, or, under n ellipses, lists nested n
deep.  What a template inserts carries the span of the macro's use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from cogen.lang.errors import CogenError, Note, Span
from cogen.lang.node import leaf
from cogen.lang.scope import Alias, Auxiliary, Env, Identifier, Scopes, is_identifier, root
from cogen.lang.syntax import Syntax, SyntaxList, SyntaxVector

SHAPE = "(syntax-rules (literal ...) ((_ pattern ...) template) ...)"


@leaf
class WildcardPattern:
    """`_`: it matches anything."""


@leaf
class Hole:
    """A pattern variable: it matches anything, and a template has it again."""

    identifier: Identifier


@leaf
class LiteralPattern:
    """An identifier that matches itself, where it means the same."""

    identifier: Identifier


@leaf
class ConstantSyntax:
    """A constant: it matches what is `equal?`."""

    value: Any


@leaf
class SequencePattern:
    """A list or vector: what comes before the ellipsis, what that repeats, and what follows."""

    before: tuple[Pattern, ...]
    repeated: Pattern | None
    after: tuple[Pattern, ...]
    tail: Pattern | None
    vector: bool
    variables: tuple[Identifier, ...]
    """The variables of the repeated pattern."""


Pattern = WildcardPattern | Hole | LiteralPattern | ConstantSyntax | SequencePattern


@leaf
class Insert:
    """An identifier of the template: it means what it does where the macro is defined."""

    identifier: Identifier
    span: Span


@leaf
class RepeatTemplate:
    """A sub-template under an ellipsis, which steps through `variables`."""

    template: Template | RepeatTemplate
    variables: tuple[Identifier, ...]


@leaf
class Compose:
    """A list or vector of templates."""

    parts: tuple[Template | RepeatTemplate, ...]
    tail: Template | None
    vector: bool


Template = Insert | Hole | ConstantSyntax | Compose
Match = dict[Identifier, Any]
"""What each pattern variable stands for: Syntax, or lists of it, one level an ellipsis."""


class SyntaxRule(NamedTuple):
    """One rule, and its text for messages."""

    pattern: Pattern
    template: Template
    text: str


@leaf
class Rules:
    """A compiled `syntax-rules` form."""

    rules: tuple[SyntaxRule, ...]
    span: Span


def flat(value: SyntaxList) -> SyntaxList:
    """The list with a tail that is itself a list merged: `(a . (b c))` is `(a b c)`."""
    while value.tail is not None and isinstance(value.tail.value, SyntaxList):
        value = SyntaxList(value.items + value.tail.value.items, value.tail.value.tail)
    return value


def excerpt(span: Span, limit: int = 60) -> str:
    """The source text of a span on one line, shortened."""
    text = " ".join(span.source.text[span.start : span.end].split())
    return text if len(text) <= limit else text[: limit - 4] + " ..."


class RulesCompiler:
    """Compiles one `syntax-rules` form defined in `env`."""

    def __init__(self, scopes: Scopes, env: Env) -> None:
        self.scopes = scopes
        self.env = env
        self.ellipsis: Identifier | None = None
        self.literals: set[Identifier] = set()

    def compile(self, form: Syntax) -> Rules:
        """The rules of `(syntax-rules ...)`; CogenError at the innermost malformed part."""
        items = _proper(form, "malformed `syntax-rules`", SHAPE)[1:]
        if items and is_identifier(items[0]):
            self.ellipsis = items[0].value
            items = items[1:]
        if not items:
            raise CogenError("malformed `syntax-rules`", form.span, f"expected {SHAPE}")
        for literal in _proper(items[0], "malformed list of literals", SHAPE):
            if not is_identifier(literal):
                raise CogenError("a literal must be a name", literal.span)
            self.literals.add(literal.value)
        return Rules(tuple(self.rule(rule) for rule in items[1:]), form.span)

    def rule(self, form: Syntax) -> SyntaxRule:
        parts = _proper(form, "malformed rule", "((_ pattern ...) template)")
        if len(parts) != 2:
            raise CogenError(
                "malformed rule",
                form.span,
                "expected one pattern and one template: ((_ pattern ...) template)",
            )
        pattern, template = parts
        value = pattern.value
        if not isinstance(value, SyntaxList) or not value.items:
            raise CogenError(
                "a pattern must be a list that starts with the macro's name",
                pattern.span,
                "expected (_ pattern ...)",
            )
        if not is_identifier(value.items[0]):
            raise CogenError("a pattern must start with the macro's name or _", value.items[0].span)
        depths: dict[Identifier, int] = {}
        rest = Syntax(SyntaxList(value.items[1:], value.tail), pattern.span)
        compiled = self.pattern(rest, 0, depths)
        return SyntaxRule(
            compiled, self.template(template, 0, depths, True)[0], excerpt(pattern.span)
        )

    def is_ellipsis(self, syntax: Syntax) -> bool:
        if not is_identifier(syntax) or syntax.value in self.literals:
            return False
        if self.ellipsis is not None:
            return bool(syntax.value is self.ellipsis)
        return self._means(syntax, "...")

    def _means(self, syntax: Syntax, name: str) -> bool:
        binding = self.scopes.resolve(syntax.value, self.env)
        return isinstance(binding, Auxiliary) and binding.name == name

    def pattern(self, syntax: Syntax, depth: int, depths: dict[Identifier, int]) -> Pattern:
        value = syntax.value
        if isinstance(value, SyntaxList):
            return self.sequence(flat(value), False, depth, depths)
        if isinstance(value, SyntaxVector):
            return self.sequence(SyntaxList(value.items), True, depth, depths)
        if not is_identifier(syntax):
            return ConstantSyntax(value)
        if value in self.literals:
            return LiteralPattern(value)
        if self.is_ellipsis(syntax):
            raise CogenError(
                "misplaced ellipsis in a pattern",
                syntax.span,
                "an ellipsis follows the pattern that it repeats",
            )
        if self._means(syntax, "_"):
            return WildcardPattern()
        if value in depths:
            raise CogenError(
                f"pattern variable `{root(value).name}` appears twice in the pattern", syntax.span
            )
        depths[value] = depth
        return Hole(value)

    def sequence(
        self, value: SyntaxList, vector: bool, depth: int, depths: dict[Identifier, int]
    ) -> SequencePattern:
        marks = [i for i, item in enumerate(value.items) if self.is_ellipsis(item)]
        tail = None
        if not marks:
            before = tuple(self.pattern(item, depth, depths) for item in value.items)
            if value.tail is not None:
                tail = self.pattern(value.tail, depth, depths)
            return SequencePattern(before, None, (), tail, vector, ())
        at = marks[0]
        if at == 0:
            raise CogenError(
                "misplaced ellipsis in a pattern",
                value.items[0].span,
                "an ellipsis follows the pattern that it repeats",
            )
        if len(marks) > 1:
            raise CogenError(
                "a second ellipsis in one pattern list",
                value.items[marks[1]].span,
                "a list may have one ellipsis; nest the patterns instead",
            )
        before = tuple(self.pattern(item, depth, depths) for item in value.items[: at - 1])
        known = set(depths)
        repeated = self.pattern(value.items[at - 1], depth + 1, depths)
        variables = tuple(v for v in depths if v not in known)
        after = tuple(self.pattern(item, depth, depths) for item in value.items[at + 1 :])
        if value.tail is not None:
            tail = self.pattern(value.tail, depth, depths)
        return SequencePattern(before, repeated, after, tail, vector, variables)

    def template(
        self, syntax: Syntax, depth: int, depths: dict[Identifier, int], dots: bool
    ) -> tuple[Template, dict[Identifier, int]]:
        """A template, and its pattern variables with how many ellipses each still needs.

        `depth` counts the ellipses around; `dots` is false inside `(... template)`, where an
        ellipsis is an ordinary name.
        """
        value = syntax.value
        if isinstance(value, SyntaxList):
            value = flat(value)
            if dots and value.items and self.is_ellipsis(value.items[0]):
                if len(value.items) != 2 or value.tail is not None:
                    raise CogenError(
                        "misplaced ellipsis in a template",
                        value.items[0].span,
                        "an ellipsis follows what it repeats; (... template) escapes it",
                    )
                return self.template(value.items[1], depth, depths, False)
            return self.compose(value, False, depth, depths, dots)
        if isinstance(value, SyntaxVector):
            return self.compose(SyntaxList(value.items), True, depth, depths, dots)
        if not is_identifier(syntax):
            return ConstantSyntax(value), {}
        if value in depths:
            if depths[value] > depth:
                raise CogenError(
                    f"pattern variable `{root(value).name}` needs an ellipsis after it here",
                    syntax.span,
                    f"it is under {_count(depths[value])} in the pattern",
                )
            return Hole(value), {value: depths[value]} if depths[value] else {}
        if dots and self.is_ellipsis(syntax):
            raise CogenError(
                "misplaced ellipsis in a template",
                syntax.span,
                "an ellipsis follows what it repeats; (... ...) inserts one",
            )
        return Insert(value, syntax.span), {}

    def compose(
        self, value: SyntaxList, vector: bool, depth: int, depths: dict[Identifier, int], dots: bool
    ) -> tuple[Compose, dict[Identifier, int]]:
        parts: list[Template | RepeatTemplate] = []
        needs: dict[Identifier, int] = {}
        at = 0
        while at < len(value.items):
            item = value.items[at]
            at += 1
            ellipses = 0
            while dots and at < len(value.items) and self.is_ellipsis(value.items[at]):
                ellipses += 1
                at += 1
            part: Template | RepeatTemplate
            part, inner = self.template(item, depth + ellipses, depths, dots)
            for level in range(depth + ellipses, depth, -1):
                driving = _driving(inner, level)
                if not driving:
                    raise CogenError(
                        "nothing to repeat before this ellipsis",
                        value.items[at - 1].span,
                        "what an ellipsis follows must have a pattern variable that "
                        "the pattern puts under an ellipsis",
                    )
                part = RepeatTemplate(part, driving)
                inner = {v: n - (v in driving) for v, n in inner.items() if n > (v in driving)}
            parts.append(part)
            needs.update(inner)
        tail = None
        if value.tail is not None:
            tail, inner = self.template(value.tail, depth, depths, dots)
            needs.update(inner)
        return Compose(tuple(parts), tail, vector), needs


def _driving(needs: dict[Identifier, int], level: int) -> tuple[Identifier, ...]:
    """The variables that an ellipsis, the `level`th from outside, steps through.

    Those that need all the ellipses around; if none does, all, so that in `((x y ...) ...)`
    with both x and y under one ellipsis each x meets every y.
    """
    return tuple(v for v, n in needs.items() if n >= level) or tuple(needs)


def _count(ellipses: int) -> str:
    return "one ellipsis" if ellipses == 1 else f"{ellipses} ellipses"


def _proper(syntax: Syntax, message: str, shape: str) -> tuple[Syntax, ...]:
    value = syntax.value
    if isinstance(value, SyntaxList):
        value = flat(value)
        if value.tail is None:
            return value.items
    raise CogenError(message, syntax.span, f"expected {shape}")


Same = Callable[[Identifier, Identifier], bool]
"""Whether a name of the use means the same as a literal of the macro."""


def match(pattern: Pattern, syntax: Syntax, same: Same, found: Match) -> bool:
    """Match; fills `found` with the variables (also when it gives False, partly)."""
    value = syntax.value
    match pattern:
        case WildcardPattern():
            return True
        case Hole():
            found[pattern.identifier] = syntax
            return True
        case LiteralPattern():
            return is_identifier(syntax) and same(value, pattern.identifier)
        case ConstantSyntax():
            return type(value) is type(pattern.value) and bool(value == pattern.value)
        case SequencePattern():
            if pattern.vector:
                if not isinstance(value, SyntaxVector):
                    return False
                value = SyntaxList(value.items)
            elif not isinstance(value, SyntaxList):
                if pattern.before or pattern.after or pattern.tail is None:
                    return False
                value = SyntaxList((), syntax)
            return match_sequence(pattern, flat(value), syntax.span, same, found)


def match_sequence(
    pattern: SequencePattern, value: SyntaxList, span: Span, same: Same, found: Match
) -> bool:
    items = value.items
    first, last = len(pattern.before), len(pattern.after)
    spare = len(items) - first - last
    if spare < 0:
        return False
    if pattern.repeated is None:
        spare = 0
    for part, item in zip(pattern.before, items, strict=False):
        if not match(part, item, same, found):
            return False
    if pattern.repeated is not None:
        rows: list[Match] = []
        for item in items[first : first + spare]:
            row: Match = {}
            if not match(pattern.repeated, item, same, row):
                return False
            rows.append(row)
        for variable in pattern.variables:
            found[variable] = [row[variable] for row in rows]
    for part, item in zip(pattern.after, items[first + spare :], strict=False):
        if not match(part, item, same, found):
            return False
    rest = items[first + spare + last :]
    if pattern.tail is None:
        return not rest and value.tail is None
    if not rest and value.tail is not None:
        return match(pattern.tail, value.tail, same, found)
    return match(pattern.tail, Syntax(SyntaxList(rest, value.tail), span), same, found)


class Transcriber:
    """Fills one template for one use of a macro."""

    def __init__(self, env: Env, span: Span) -> None:
        self.env = env
        self.span = span
        self.aliases: dict[Identifier, Alias] = {}
        self.size = 0
        """How many pieces of syntax were made."""

    def fill(self, template: Template, found: Match) -> Syntax:
        self.size += 1
        match template:
            case Hole():
                filled = found[template.identifier]
                assert isinstance(filled, Syntax)
                return filled
            case ConstantSyntax():
                return Syntax(template.value, self.span)
            case Insert():
                alias = self.aliases.get(template.identifier)
                if alias is None:
                    alias = Alias(template.identifier, self.env, template.span)
                    self.aliases[template.identifier] = alias
                return Syntax(alias, self.span)
            case Compose():
                items: list[Syntax] = []
                for part in template.parts:
                    if isinstance(part, RepeatTemplate):
                        items.extend(self.repeat(part, found))
                    else:
                        items.append(self.fill(part, found))
                if template.vector:
                    return Syntax(SyntaxVector(tuple(items)), self.span)
                tail = None if template.tail is None else self.fill(template.tail, found)
                return Syntax(flat(SyntaxList(tuple(items), tail)), self.span)

    def repeat(self, part: RepeatTemplate, found: Match) -> list[Syntax]:
        """The sub-template once for each value of the variables that the ellipsis steps through."""
        lengths = {len(found[v]) for v in part.variables}
        if len(lengths) != 1:
            names = " and ".join(f"`{root(v).name}`" for v in part.variables)
            raise CogenError(
                f"{names} stand for sequences of different lengths in this use of a macro",
                self.span,
            )
        items: list[Syntax] = []
        for i in range(lengths.pop()):
            row = dict(found)
            for variable in part.variables:
                row[variable] = found[variable][i]
            if isinstance(part.template, RepeatTemplate):
                items.extend(self.repeat(part.template, row))
            else:
                items.append(self.fill(part.template, row))
        return items


def transcribe(name: str, rules: Rules, env: Env, form: Syntax, same: Same) -> tuple[Syntax, int]:
    """What a use of a macro stands for, and its size; CogenError if no rule matches."""
    value = form.value
    arguments = Syntax(SyntaxList(value.items[1:], value.tail), form.span)
    for rule in rules.rules:
        found: Match = {}
        if match(rule.pattern, arguments, same, found):
            transcriber = Transcriber(env, form.span)
            result = transcriber.fill(rule.template, found)
            return result, transcriber.size
    shapes = " or ".join(rule.text for rule in rules.rules[:4])
    raise CogenError(
        f"no rule of the macro `{name}` matches this use",
        form.span,
        hint=f"expected {shapes}" if shapes else "the macro has no rules",
        notes=[Note("its rules are here", rules.span)],
    )
