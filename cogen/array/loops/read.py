"""The text of loops -> loops: reads what `cogen.array.loops.show` writes, equal to what it was."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from cogen.array.loops import tree
from cogen.array.loops.samples import read_samples
from cogen.array.loops.tree import (
    BLOCK,
    I64,
    NUMBERS,
    Block,
    Expr,
    Kernel,
    Number,
    Pointer,
    Statement,
    Type,
    Var,
    Vector,
)
from cogen.lang.errors import CogenError

_TOKEN: Final = re.compile(r'\s*([()]|"(?:[^"\\]|\\.)*"|[^\s()"]+)')
_NUMBER: Final = re.compile(r"-?\d+")
_SIGNS: Final = frozenset([*tree.ARITHMETIC, *tree.COMPARISONS, *tree.LOGICAL])

Form = str | list["Form"]


def read(text: str) -> list[tree.Function | Kernel]:
    """The functions and kernels of a text.  CogenError where it is none."""
    forms = _forms(text)
    return [_LoopReader().part(form) for form in forms]


def _forms(text: str) -> list[Form]:
    stack: list[list[Form]] = [[]]
    at = 0
    text = text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise _wrong(text[at : at + 20])
        at = match.end()
        token = match[1]
        if token == "(":
            stack.append([])
        elif token == ")":
            if len(stack) == 1:
                raise CogenError("the text of loops has a parenthesis too many")
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    if len(stack) > 1:
        raise CogenError("the text of loops ends before its last parenthesis")
    return stack[0]


def _wrong(form: object) -> CogenError:
    return CogenError(f"no loops: {form}")


def _list(form: Form) -> list[Form]:
    if isinstance(form, str):
        raise _wrong(form)
    return form


def _pair(form: Form) -> tuple[Form, Form]:
    match form:
        case [a, b]:
            return a, b
    raise _wrong(form)


def _word(form: Form) -> str:
    if not isinstance(form, str):
        raise _wrong(form)
    return form


def _type(form: Form) -> Type:
    match form:
        case "block":
            return BLOCK
        case "numbers":
            return NUMBERS
        case str():
            return Number(form)
        case ["*", target]:
            return Pointer(_type(target))
        case ["*", target, str(space)]:
            return Pointer(_type(target), space)
        case ["lanes", str(lanes), str(element)]:
            return Vector(Number(element), int(lanes))
    raise _wrong(form)


def _value(text: str) -> int | float | bool | None:
    known = {"True": True, "False": False, "None": None}
    if text in known:
        return known[text]
    return int(text) if _NUMBER.fullmatch(text) else float(text)


def _combination(form: Form) -> tree.Combination:
    match form:
        case [str(sign), str(row), str(identity), *flags]:
            found = _value(identity)
            return tree.Combination(sign, found, row, "swapped" in flags, "keeps" in flags)
    raise _wrong(form)


class _LoopReader:
    """Reads one function or kernel; knows its variables by their names."""

    def __init__(self) -> None:
        self.variables: dict[str, Var] = {}

    def part(self, form: Form) -> tree.Function | Kernel:
        match form:
            case ["function", str(name), list(parameters), str(note), *body]:
                declared = self.declare(parameters)
                return tree.Function(name, declared, self.block(body), json.loads(note))
            case ["kernel", str(name), list(parameters), part, items, *rest]:
                declared = self.declare(parameters)
                own = self.variable(part)
                count = None if items == "all" else self.expr(items)
                note, attribute, extension = (json.loads(_word(text)) for text in rest[:3])
                done = self.block(rest[3:])
                return Kernel(name, declared, own, count, done, note, attribute, extension)
        raise _wrong(form)

    def declare(self, forms: Iterable[Form]) -> tuple[Var, ...]:
        return tuple([self.variable(form) for form in forms])

    def variable(self, form: Form) -> Var:
        match form:
            case [str(name), t]:
                made = self.variables[name] = Var(name, _type(t))
                return made
        raise _wrong(form)

    def known(self, form: Form) -> Var:
        found = self.variables.get(_word(form))
        if found is None:
            raise CogenError(f"the text of loops declares no {form}")
        return found

    # Expressions.

    def expr(self, form: Form) -> Expr:
        if isinstance(form, str):
            if _NUMBER.fullmatch(form):
                return tree.Const(int(form), I64)
            return self.known(form)
        match form:
            case [str(sign), a, b] if sign in _SIGNS:
                return tree.Binary(sign, self.expr(a), self.expr(b))
            case ["const", t, str(value)]:
                return tree.Const(_value(value), _type(t))
            case ["not", a]:
                return tree.Not(self.expr(a))
            case ["if", a, b, c]:
                return tree.Choose(self.expr(a), self.expr(b), self.expr(c))
            case ["to", t, a]:
                return tree.Convert(_type(t), self.expr(a))
            case ["at", a, b]:
                return tree.Load(self.expr(a), self.expr(b))
            case ["get", t, str(text), a, b, c]:
                samples = read_samples(json.loads(text))
                return tree.Get(samples, self.expr(a), self.expr(b), self.expr(c), _type(t))
            case ["address", a]:
                return self.address(a)
            case ["data", t, a]:
                return tree.Data(self.expr(a), _type(t))
            case ["size-of", t]:
                return tree.SizeOf(_type(t))
            case ["invoke", str(function), t, *arguments]:
                return self.invoke(function, t, arguments)
            case [str(row), t, *arguments] if "." in row:
                return tree.Operate(row, self.exprs(arguments), _type(t))
        raise _wrong(form)

    def exprs(self, forms: Iterable[Form]) -> tuple[Expr, ...]:
        return tuple([self.expr(form) for form in forms])

    def address(self, form: Form) -> Expr:
        found = self.expr(form)
        if not isinstance(found, (Var, tree.Load)):
            raise _wrong(form)
        return tree.Address(found)

    def invoke(self, function: str, t: Form, arguments: Sequence[Form]) -> tree.Invoke:
        return tree.Invoke(function, self.exprs(arguments), _type(t))

    # Statements.

    def block(self, forms: Sequence[Form]) -> Block:
        return tuple([self.statement(_list(form)) for form in forms if form])

    def branch(self, form: Form) -> Block:
        match form:
            case ["do", *body]:
                return self.block(body)
        raise _wrong(form)

    def statement(self, form: list[Form]) -> Statement:
        match form:
            case ["let", v, e]:
                value = self.expr(e)
                return tree.Let(self.variable(v), value)
            case ["variable", v, ["in", region], *value]:
                start = self.expr(value[0]) if value else None
                return tree.Variable(self.variable(v), start, Var(_word(region), tree.BLOCK))
            case ["variable", v]:
                return tree.Variable(self.variable(v))
            case ["variable", v, e]:
                value = self.expr(e)
                return tree.Variable(self.variable(v), value)
            case ["room", v, e]:
                return tree.Room(self.variable(v), self.expr(e))
            case ["set", v, str(sign), e]:
                return tree.Assign(self.known(v), self.expr(e), sign.rstrip("="))
            case ["store", a, b, str(sign), e]:
                return tree.Store(self.expr(a), self.expr(b), self.expr(e), sign.rstrip("="))
            case ["put", str(text), a, b, e]:
                samples = read_samples(json.loads(text))
                return tree.Put(samples, self.expr(a), self.expr(b), self.expr(e))
            case ["allocate", v, t, e, str(site)]:
                return tree.Allocate(self.variable(v), _type(t), self.expr(e), int(site))
            case ["allocate", v, t, e, str(site), ["over", region, first]]:
                size, old = self.expr(e), (self.known(region), self.known(first))
                return tree.Allocate(self.variable(v), _type(t), size, int(site), old)
            case ["do", ["invoke", str(function), t, *arguments]]:
                return tree.Do(self.invoke(function, t, arguments))
            case ["break"]:
                return tree.Break()
            case ["fail", str(site), *details]:
                return tree.Fail(int(site), self.exprs(details))
            case ["call", str(function), *arguments]:
                return tree.CallStatement(function, self.exprs(arguments))
            case ["scan", *rest]:
                return self.scan(rest)
        return self.compound(form)

    def compound(self, form: list[Form]) -> Statement:
        """A statement with others in it."""
        match form:
            case ["when", e, then, otherwise]:
                return tree.IfStatement(self.expr(e), self.branch(then), self.branch(otherwise))
            case ["for", v, a, b, c, mark, ["share", work, str(site), *joins], *body]:
                each = 1
                if joins and isinstance(joins[0], list) and joins[0][:1] == ["each"]:
                    each = int(_word(joins[0][1]))
                    joins = joins[1:]
                found = [self.join(_list(join)) for join in joins if join]
                made = self.loop(v, (a, b, c), mark, body)
                sharing = tree.Sharing(self.expr(work), int(site), tuple(found), each)
                return replace(made, sharing=sharing)
            case ["for", v, a, b, c, mark, *body]:
                return self.loop(v, (a, b, c), mark, body)
            case ["while", e, *body]:
                return tree.While(self.expr(e), self.block(body))
            case ["attempt", *body]:
                return tree.Attempt(self.block(body))
            case ["parallel", team, got, size, thread, parts, start, stop, *body]:
                whole, count = self.expr(team), self.expr(size)
                taken = self.known(got) if got else None
                bound = self.declare((thread, parts, start, stop))
                own, all_, first, last = bound
                return tree.Parallel(whole, taken, own, all_, count, first, last, self.block(body))
        raise _wrong(form)

    def loop(
        self, variable: Form, bounds: Sequence[Form], mark: Form, body: Sequence[Form]
    ) -> tree.For:
        start, stop, step = self.exprs(bounds)
        marked = self.mark(mark)
        index = self.variable(variable)
        return tree.For(index, start, stop, step, self.block(body), marked)

    def join(self, form: list[Form]) -> tree.Join:
        """How what parts of the iterations find is joined."""
        match form:
            case ["reduced", list(names), list(neutral), operator]:
                values = self.exprs(neutral)
                return tree.Reduced(self.all_known(names), values, self.operator(operator))
            case ["scanned", list(names), list(neutral), list(outs), operator, *first]:
                accumulators, bases = self.all_known(names), self.exprs(outs)
                values = self.exprs(neutral)
                loops = [self.statement(_list(loop)) for loop in first]
                own = loops[0] if loops else None
                assert own is None or isinstance(own, tree.For)
                return tree.Scanned(accumulators, values, self.operator(operator), bases, own)
            case ["keyed", size, *tables]:
                return tree.Keyed(self.expr(size), tuple(map(self.table, tables)))
            case ["kept", count, list(pairs)]:
                return tree.Kept(self.known(count), self.pairs(pairs))
            case ["grown", count, list(regions)]:
                named = [(self.known(v), Number(_word(t))) for v, t in map(_pair, regions)]
                return tree.Grown(self.known(count), tuple(named))
            case ["tallied", tally, size]:
                return tree.Tallied(self.known(tally), self.expr(size))
            case ["hashed", table, width, count, list(rows), list(neutral), list(own), operator]:
                return tree.Hashed(
                    self.known(table), int(_word(width)), self.known(count), self.rows(rows),
                    self.exprs(neutral), self.operator(operator), *self.exprs(own),
                )  # fmt: skip
            case ["placed", list(pairs)]:
                return tree.Placed(self.pairs(pairs))
        raise _wrong(form)

    def rows(self, form: Form) -> tree.AccumulatorRows | None:
        match form:
            case []:
                return None
            case [region, first, *types]:
                elements = tuple([Number(_word(t)) for t in types])
                return tree.AccumulatorRows(self.known(region), self.known(first), elements)
        raise _wrong(form)

    def table(self, form: Form) -> tree.Table:
        match form:
            case [list(names), list(neutral), operator]:
                bases = self.all_known(names)
                return tree.Table(bases, self.exprs(neutral), self.operator(operator))
        raise _wrong(form)

    def operator(self, form: Form) -> tree.Operator:
        match form:
            case ["operator", list(left), list(right), list(known), body, list(results)]:
                one, other = self.declare(left), self.declare(right)
                ways = [_combination(how) if how else None for how in known]
                done = self.branch(body)
                return tree.Operator(one, other, done, self.exprs(results), tuple(ways))
        raise _wrong(form)

    def all_known(self, forms: Iterable[Form]) -> tuple[Var, ...]:
        return tuple([self.known(form) for form in forms])

    def pairs(self, forms: Iterable[Form]) -> tuple[tuple[Expr, Expr], ...]:
        return tuple([(self.expr(a), self.expr(b)) for a, b in map(_pair, forms)])

    def mark(self, form: Form) -> tree.Mark | None:
        match form:
            case []:
                return None
            case ["lanes", str(abreast), *accumulators]:
                few = accumulators[-1:] == ["few"]
                pairs = self.accumulators(accumulators[: len(accumulators) - few])
                return tree.Lanes(pairs, int(abreast), few)
            case ["apart", *accumulators]:
                return tree.Apart(self.accumulators(accumulators))
            case ["running", list(scans), list(accumulators), *counts]:
                own = tuple([self.known(variable) for variable in counts])
                return tree.Running(self.accumulators(scans), self.accumulators(accumulators), own)
            case ["tables", *tables]:
                named = [_list(pair) for pair in tables]
                return tree.Tables(tuple([(self.known(a), self.known(b)) for a, b in named]))
            case ["shared", threads, test]:
                return tree.Shared(self.expr(threads), self.expr(test))
        raise _wrong(form)

    def accumulators(self, forms: Iterable[Form]) -> tuple[tuple[tree.Combination, Var], ...]:
        pairs = [_list(form) for form in forms]
        return tuple([(_combination(how), self.known(v)) for how, v in pairs])

    def scan(self, forms: Sequence[Form]) -> tree.Scan:
        match forms:
            case [acc, str(function), count, values, out, left, right, operator, neutral]:
                size, source, target = self.exprs((count, values, out))
                own = _LoopReader()
                one, other = own.declare((left, right))
                last = self.expr(neutral) if neutral else None
                if last is not None and not isinstance(last, tree.Const):
                    raise _wrong(neutral)
                made = own.expr(operator)
                return tree.Scan(
                    self.known(acc), function, size, source, target, one, other, made, last
                )
        raise _wrong(forms)
