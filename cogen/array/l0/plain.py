"""A checked program with records and unions -> one with tuples: `CheckedFacts` -> tree.

    p.x                             let {x, _} = p in x
    ps.x                            let {x, _} = unzip(ps) in x
    point{y = a, x = b}             {b, a}
    {p with x = e}                  let {_, y} = p in {e, y}
    circle(2.0)                     {0, 2.0, 0.0}                  the number, then all fields
    case s of {circle(r) => a,      let {case, r', side'} = s in
               square(s) => b}      if case = 0 then let r = r' in a else let s = side' in b

It is separate from the check because all that follows (uniqueness, sizes of rows, the interpreter,
the lowering) knows tuples and conditionals, and goes through them part by part.  Declared types of
parameters and results keep their names for those who call (`Parameter.declared`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from cogen.array.l0 import tree, walk
from cogen.array.l0 import types as ty
from cogen.array.l0.check import check
from cogen.array.l0.declarations import Constructor
from cogen.array.l0.facts import CheckedFacts
from cogen.array.l0.naming import arm_case, arm_fields, readable_fields
from cogen.array.l0.types import INT, ArrayType, Basic, NamedTupleType, Type, UnionType
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import Span


def with_tuples(facts: CheckedFacts) -> CheckedFacts:
    """The facts of the program with tuples for records and unions; the same if there are none."""
    if not facts.program.declarations:
        return facts
    return replace(check(plain(facts), facts.words), written=facts.program)


def plain(facts: CheckedFacts) -> tree.L0Program:
    """The program with tuples for records and unions."""
    return on_deep_stack(_plain, facts)


def _plain(facts: CheckedFacts) -> tree.L0Program:
    program = facts.program
    functions = [_Plain(facts).function(function) for function in program.functions]
    laws = [
        tree.Law(law.span, law.pattern, _Plain(facts).expression(law.body)) for law in program.laws
    ]
    return tree.L0Program(program.source, tuple(functions), laws=tuple(laws))


class _Plain:
    """Rewrites one function; a variable that it adds has a name that programs cannot spell."""

    def __init__(self, facts: CheckedFacts) -> None:
        self.facts = facts
        self.numbers = count()
        self.first: list[tuple[tree.Name, tree.Expression]] = []
        """What is evaluated before the combinator that is rewritten."""

    def function(self, function: tree.FunctionDefinition) -> tree.FunctionDefinition:
        declared = function.declared
        return tree.FunctionDefinition(
            function.span,
            function.name,
            ty.plain(function.result),
            self.parameters(function.parameters),
            self.expression(function.body),
            declared if ty.has_names(declared) else function.stored,
        )

    def parameters(self, parameters: Sequence[tree.Parameter]) -> tuple[tree.Parameter, ...]:
        return tuple(
            [
                tree.Parameter(
                    p.name, ty.plain(p.type), p.declared if ty.has_names(p.declared) else p.stored
                )
                for p in parameters
            ]
        )

    def expression(self, e: tree.Expression) -> tree.Expression:
        match e:
            case tree.Field():
                return self.field(e)
            case tree.Made():
                return self.made(e)
            case tree.Changed():
                return self.changed(e)
            case tree.CaseExpression():
                return self.case(e)
            case tree.Empty():
                return tree.Empty(e.span, ty.plain(e.element))
            case tree.CallExpression():
                given = tuple(map(self.expression, e.arguments))
                constructor = self.facts.constructors.get(e.function.text)
                if constructor is None:
                    return tree.CallExpression(e.span, e.function, given)
                return _value(constructor, given, e.span)
            case tree.SoacExpression() | tree.ExtensionExpression():
                return self.combinator(e)
        return walk.with_parts(e, [self.expression(part) for part, _ in walk.parts(e)])

    def fresh(self, text: str, span: Span) -> tree.Name:
        return tree.Name(span, f"{text}'{next(self.numbers)}")

    # Functions.

    def combinator(self, e: tree.SoacExpression | tree.ExtensionExpression) -> tree.Expression:
        outer, self.first = self.first, []
        functions = tuple(map(self.operand, e.functions))
        made: tree.Expression
        match e:
            case tree.SoacExpression():
                initial = None if e.initial is None else self.expression(e.initial)
                arrays = tuple(map(self.expression, e.arrays))
                made = tree.SoacExpression(e.span, e.kind, e.tupleless, functions, initial, arrays)
            case tree.ExtensionExpression():
                operands = tuple(map(self.expression, e.operands))
                made = tree.ExtensionExpression(e.span, e.name, functions, operands)
        for name, value in reversed(self.first):
            made = tree.LetExpression(e.span, name, value, made)
        self.first = outer
        return made

    def operand(self, function: tree.Function) -> tree.Function:
        match function:
            case tree.LambdaExpression():
                return tree.LambdaExpression(
                    function.span,
                    ty.plain(function.result),
                    self.parameters(function.parameters),
                    self.nested(function.body),
                )
            case tree.Section():
                given = tuple(map(self.expression, function.arguments))
                return tree.Section(function.span, function.operator, given)
            case tree.Named():
                constructor = self.facts.constructors.get(function.name.text)
                given = tuple(map(self.expression, function.arguments))
                if constructor is None:
                    return tree.Named(function.span, function.name, given)
                return self.constructing(constructor, given, function.span)

    def nested(self, body: tree.Expression) -> tree.Expression:
        """The body of a function, with what its own combinators need first."""
        outer, self.first = self.first, []
        made = self.expression(body)
        self.first = outer
        return made

    def constructing(
        self, constructor: Constructor, given: Sequence[tree.Expression], span: Span
    ) -> tree.Function:
        """A constructor as a function; the first arguments are evaluated once."""
        case = constructor.case
        names = [self.fresh(field, span) for field in case.fields]
        self.first += zip(names, given, strict=False)
        rest = list(zip(names, case.types, strict=True))[len(given) :]
        parameters = tuple([tree.Parameter(name, ty.plain(t)) for name, t in rest])
        body = _value(constructor, [_read(name) for name in names], span)
        return tree.LambdaExpression(span, ty.plain(constructor.type), parameters, body)

    # Records and unions.

    def parts(
        self, t: NamedTupleType | UnionType, span: Span
    ) -> tuple[tree.TuplePattern, list[tree.Name]]:
        """A pattern of names for all parts of a value."""
        names = [self.fresh(name, span) for name in t.names]
        return tree.TuplePattern(span, tuple(names)), names

    def part(self, t: NamedTupleType | UnionType, place: int, span: Span) -> tree.TuplePattern:
        """A pattern that names one part of a value: the first name within it."""
        names = [
            self.fresh(name, span) if k == place else tree.Wildcard(span)
            for k, name in enumerate(t.names)
        ]
        return tree.TuplePattern(span, tuple(names))

    def field(self, e: tree.Field) -> tree.Expression:
        t = self.facts.types[e.whole]
        whole = self.expression(e.whole)
        if isinstance(t, ArrayType):
            whole, t = tree.Form(e.span, "unzip", (whole,)), t.element
        assert isinstance(t, (NamedTupleType, UnionType))
        place = readable_fields(t)[e.name.text]
        pattern = self.part(t, place, e.span)
        name = pattern.parts[place]
        assert isinstance(name, tree.Name)
        indices = tuple(map(self.expression, e.indices))
        read = tree.IndexExpression(e.span, tree.Name(e.span, name.text), (), indices)
        return tree.LetExpression(e.span, pattern, whole, read if indices else _read(name))

    def made(self, e: tree.Made) -> tree.Expression:
        constructor = self.facts.constructors[e.name.text]
        given = {g.name.text: self.expression(g.value) for g in e.fields}
        return _value(constructor, [given[name] for name in constructor.case.fields], e.span)

    def changed(self, e: tree.Changed) -> tree.Expression:
        t = self.facts.types[e.whole]
        assert isinstance(t, (NamedTupleType, UnionType))
        pattern, names = self.parts(t, e.span)
        parts = [_read(name) for name in names]
        places = readable_fields(t)
        for given in e.fields:
            parts[places[given.name.text]] = self.expression(given.value)
        return tree.LetExpression(
            e.span, pattern, self.expression(e.whole), tree.Tuple(e.span, tuple(parts))
        )

    def case(self, e: tree.CaseExpression) -> tree.Expression:
        t = self.facts.types[e.value]
        assert isinstance(t, (NamedTupleType, UnionType))
        pattern, names = self.parts(t, e.value.span)
        chosen: tree.Expression | None = None
        for arm in reversed(e.arms):
            body, case = self.arm(arm, t, names), arm_case(arm, t)
            if chosen is None or case is None:
                chosen = body
                continue
            number = tree.LiteralExpression(arm.span, t.cases.index(case), INT)
            test = tree.BinaryExpression(arm.span, "=", _read(names[0]), number)
            chosen = tree.IfExpression(e.span, test, body, chosen)
        assert chosen is not None
        return tree.LetExpression(e.span, pattern, self.expression(e.value), chosen)

    def arm(
        self, arm: tree.Arm, t: NamedTupleType | UnionType, names: Sequence[tree.Name]
    ) -> tree.Expression:
        """What an arm gives, with names for the fields that it looks at."""
        made, case = self.expression(arm.body), arm_case(arm, t)
        if case is None or arm.patterns is None:
            return made
        fields = arm_fields(arm, case)
        for pattern, field in reversed(list(zip(arm.patterns, fields, strict=True))):
            made = tree.LetExpression(arm.span, pattern, _read(names[case.places[field]]), made)
        return made


def _read(name: tree.Name) -> tree.Expression:
    return tree.VariableExpression(name.span, tree.Name(name.span, name.text))


def _value(
    constructor: Constructor, given: Sequence[tree.Expression], span: Span
) -> tree.Expression:
    """The tuple that a constructor makes of its fields."""
    t = constructor.type
    if isinstance(t, NamedTupleType):
        return tree.Tuple(span, tuple(given))
    places = dict(zip(constructor.case.places, given, strict=True))
    number = tree.LiteralExpression(span, constructor.number, INT)
    rest = enumerate(t.parts[1:], 1)
    fields = [places[k] if k in places else null(part, span) for k, part in rest]
    return tree.Tuple(span, (number, *fields))


def null(t: Type, span: Span) -> tree.Expression:
    """What is in the parts of a union that its case does not have."""
    match t:
        case ArrayType():
            return tree.Empty(span, ty.plain(t.element))
        case Basic():
            return tree.LiteralExpression(span, ty.NULLS[t], t)
    return tree.Tuple(span, tuple([null(part, span) for part in t.parts]))
