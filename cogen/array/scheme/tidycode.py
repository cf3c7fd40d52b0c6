"""L0 code as it is translated -> as people would write it.

    let t = x * x in let u = t + 1.0 in u     x * x + 1.0

A variable that is used once, in the place that it is bound in (not in a function's or a loop's
body, nor in an arm of a conditional), gives way to its value; what is not used and cannot fail is
left out.  No name is bound twice in the code, so nothing is captured.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from cogen.array.l0 import tree
from cogen.array.l0.signatures import BUILTIN_TYPES
from cogen.array.l0.walk import parts, with_parts

_FAILING: Final = frozenset({"/", "%", "pow"})


def tidy(e: tree.Expression) -> tree.Expression:
    """The expression with fewer names."""
    while True:
        found = _NameUses()
        found.count(e)
        made = _Tidy(found).rebuild(e)
        if made is e:
            return e
        e = made


class _NameUses:
    """How often names are used, and where: `depth` numbers places in which something is evaluated
    once if the place is."""

    def __init__(self) -> None:
        self.uses: Counter[str] = Counter()
        self.pinned: set[str] = set()
        """Names that stand where only a name can."""
        self.place: dict[str, int] = {}
        self.used_in: dict[str, int] = {}
        self.places = 0

    def count(self, e: tree.Expression) -> None:
        work = [(e, 0)]
        while work:
            e, place = work.pop()
            self.note(e, place)
            for part, inner in parts(e):
                if inner:
                    self.places += 1
                work.append((part, self.places if inner else place))

    def note(self, e: tree.Expression, place: int) -> None:
        match e:
            case tree.VariableExpression(name=name):
                self.uses[name.text] += 1
                self.used_in[name.text] = place
            case tree.LetExpression(pattern=tree.Name(text=text)):
                self.place[text] = place
            case tree.IndexExpression(array=name, certificates=certificates):
                self.pin(name, *certificates)
            case tree.LetWith(source=name, certificates=certificates):
                self.pin(name, *certificates)
            case tree.Predicated(certificates=certificates):
                self.pin(*certificates)

    def pin(self, *names: tree.Name) -> None:
        for name in names:
            self.uses[name.text] += 1
            self.pinned.add(name.text)

    def gives_way(self, text: str) -> bool:
        """Whether the one use of a variable can be its value."""
        return (
            self.uses[text] == 1
            and text not in self.pinned
            and self.used_in[text] == self.place.get(text)
        )


class _Tidy:
    def __init__(self, uses: _NameUses) -> None:
        self.uses = uses
        self.values: dict[str, tree.Expression] = {}

    def rebuild(self, e: tree.Expression) -> tree.Expression:
        match e:
            case tree.VariableExpression(name=name):
                return self.values.get(name.text, e)
            case tree.LetExpression(pattern=tree.Name(text=text), value=value, body=body):
                return self.let(e, text, value, body)
            case tree.LetExpression(pattern=tree.TuplePattern() as pattern, value=value, body=body):
                if _is_whole(pattern, body):
                    return self.rebuild(value)
        return with_parts(e, [self.rebuild(part) for part, _ in parts(e)])

    def let(
        self, e: tree.LetExpression, text: str, value: tree.Expression, body: tree.Expression
    ) -> tree.Expression:
        if not self.uses.uses[text] and cannot_fail(value):
            return self.rebuild(body)
        value = self.rebuild(value)
        if isinstance(body, tree.VariableExpression) and body.name.text == text:
            return value
        if self.uses.gives_way(text) and not isinstance(
            value, tree.LetExpression | tree.LetWith | tree.LoopExpression
        ):
            self.values[text] = value
            return self.rebuild(body)
        return with_parts(e, [value, self.rebuild(body)])


def _is_whole(pattern: tree.Pattern, e: tree.Expression) -> bool:
    """Whether an expression puts together again what a pattern takes apart."""
    match pattern, e:
        case tree.Name(text=text), tree.VariableExpression(name=name):
            return text == name.text
        case tree.TuplePattern(parts=names), tree.Tuple(parts=given) if len(names) == len(given):
            return all(map(_is_whole, names, given))
    return False


def cannot_fail(e: tree.Expression) -> bool:
    """Whether nothing is lost if the expression is not evaluated."""
    match e:
        case tree.BinaryExpression(operator=operator):
            fine = operator not in _FAILING
        case tree.CallExpression(function=function):
            fine = function.text in BUILTIN_TYPES and function.text != "trace"
        case tree.Form(name=name):
            fine = name in ("copy", "unzip")
        case (
            tree.LiteralExpression()
            | tree.VariableExpression()
            | tree.Tuple()
            | tree.UnaryExpression()
            | tree.IfExpression()
            | tree.SizeExpression()
        ):
            fine = True
        case _:
            fine = False
    return fine and all(cannot_fail(part) for part, _ in parts(e))
