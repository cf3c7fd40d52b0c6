"""Loops in C: `while`, `for` with a counter, and the one check before a counted loop.

    q = from; while (q != to) { … buf[q] …; q = q + 1; }

becomes

    if (from != to && (from < 0 || from > to || to > buf_words)) { report; return 0; }
    for (int64_t q = from; q < to; q++) { … buf[q] … }

The report looks for the access that fails first, so that the error is the one the source
program stops with.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from cogen.target import bounds
from cogen.target import cvalue as cv
from cogen.target import structured as st
from cogen.target.bounds import Access, Counted, Linear
from cogen.target.cblocks import Counter, in_blocks
from cogen.target.cfacts import stores
from cogen.target.ctree import (
    Assign,
    Binary,
    Break,
    Cast,
    Declare,
    Do,
    Expr,
    For,
    If,
    Invoke,
    Name,
    Statement,
    Unary,
    While,
)
from cogen.target.types import INT, Types
from lang import il

if TYPE_CHECKING:
    from cogen.target.cfunction import FunctionPrinter


def count_loops(procedure: st.Procedure, types: Types, checked: bool) -> None:
    """Find the counted loops of a procedure; their counters' steps leave the `Move`s."""
    for statement in st.walk(procedure.body):
        if not isinstance(statement, st.Loop):
            continue
        counted = bounds.count(statement, procedure.jumped)
        if counted is None or not _is_integral(counted, types):
            continue
        if checked and not (counted.accesses or counted.operator in ("<", ">")):
            continue  # the counter's steps must be checked for overflow
        statement.counted = counted
        for move in counted.rounds:
            move.pairs = tuple(pair for pair in move.pairs if pair[0] != counted.counter)


def _is_integral(counted: Counted, types: Types) -> bool:
    names = [counted.counter, *(name for a in counted.accesses for name, _ in a.index.terms)]
    return types.of(counted.bound) == INT and all(
        types.variables.get(name, INT) == INT for name in names
    )


def print_loop(p: FunctionPrinter, loop: st.Loop, entry: st.Move | None) -> None:
    """A loop, with the assignments that come before it."""
    counted = loop.counted
    first: Declare | None = None
    if entry is not None:
        first = _first_clause(p, loop, entry)
        p.move(entry.pairs if first is None else _without(entry, counted))
    if any(stores(statement, p.shared.facts.storing) for statement in st.walk(loop.body)):
        p.write_reads()
    start = None if first is None else first.value
    if counted is not None and counted.accesses:
        p.out.append(_range_check(p, counted, start))
        p.safe |= counted.safe
    step = _step(p, counted)
    if not loop.head:
        p.out.append(For(None, None, None, p.nested(loop.body)))
        return
    outer, p.sums = p.sums, {}
    test, head, body = _head(p, loop)
    sums, p.sums = p.sums, outer
    blocks = None if head or counted is None else _blocks(p, counted, first, test, body, sums)
    if blocks is not None:
        p.out.append(blocks)
    elif head:
        inner = (*head, If(cv.negated(test).expr, (Break(),)), *body)
        p.out.append(For(first, None, step, inner))
    elif step is None:
        p.out.append(While(test.expr, body))
    else:
        p.out.append(For(first, test.expr, step, body))


def _first_clause(p: FunctionPrinter, loop: st.Loop, entry: st.Move) -> Declare | None:
    """The counter's declaration in the loop's head, if nothing else reads the counter."""
    counted = loop.counted
    if counted is None or (counted.counter, loop) not in p.scopes.local:
        return None
    atom = dict(entry.pairs).get(counted.counter)
    name = p.c_name(counted.counter)
    if atom is None or name in p.declared:
        return None
    p.declared.add(name)
    return Declare("int64_t", name, p.settled(atom).expr)


def _without(entry: st.Move, counted: Counted | None) -> tuple[tuple[str, il.Atom], ...]:
    return tuple(pair for pair in entry.pairs if counted and pair[0] != counted.counter)


def _step(p: FunctionPrinter, counted: Counted | None) -> Assign | None:
    if counted is None:
        return None
    operator = "+=" if counted.step > 0 else "-="
    return Assign(Name(p.c_name(counted.counter)), cv.integer(abs(counted.step)).expr, operator)


def _blocks(
    p: FunctionPrinter,
    counted: Counted,
    first: Declare | None,
    test: cv.Value,
    body: tuple[Statement, ...],
    sums: dict[str, cv.Value],
) -> Statement | None:
    """The loop with its sums in blocks, if that is possible; the range check came before."""
    expr = test.expr
    if not counted.accesses or not isinstance(expr, Binary) or expr.operator not in ("<", ">"):
        return None
    counter = Counter(p.c_name(counted.counter), first, expr.right, counted.step)
    if expr.left != Name(counter.name):
        return None
    return in_blocks(counter, body, sums, p.namer)


def _head(
    p: FunctionPrinter, loop: st.Loop
) -> tuple[cv.Value, tuple[Statement, ...], tuple[Statement, ...]]:
    """What keeps the loop going, the statements before the test, and those after it."""
    position = next(i for i, s in enumerate(loop.body) if isinstance(s, st.Branch))
    branch = loop.body[position]
    assert isinstance(branch, st.Branch)
    head = p.nested(loop.body[:position])
    test = p.value(branch.test)
    if branch.then:  # the arm that is not empty is the one that leaves
        test = cv.negated(test)
    counted = loop.counted
    if counted is not None and counted.accesses and counted.operator == "!=":
        operator = "<" if counted.step > 0 else ">"
        counter = p.value(il.Var(counted.counter))
        test = cv.compare(operator, counter, p.settled(counted.bound))
    body = p.nested(loop.body[position + 1 :])
    return test, head, body


# The check before a counted loop


def _range_check(p: FunctionPrinter, counted: Counted, start: Expr | None) -> If:
    """Report an index error if any of the accesses will be out of bounds in any round."""
    counter = Name(p.c_name(counted.counter)) if start is None else start
    bound = p.settled(counted.bound).expr
    if _is_simple(counted):
        outside = _simple_tests(p, counted, counter, bound)
    else:
        outside = _general_tests(p, counted, counter, bound)
    runs = Binary(counted.operator, counter, bound)
    test = Binary("&&", runs, _any(outside))
    return If(test, _report(p, counted, counter))


def _any(tests: list[Expr]) -> Expr:
    joined = tests[0]
    for test in tests[1:]:
        joined = Binary("||", joined, test)
    return joined


def _is_simple(counted: Counted) -> bool:
    """Steps of 1 or -1, and indices that are the counter plus a small constant."""
    return (
        abs(counted.step) == 1
        and counted.operator in ("!=", "<", ">")
        and all(
            access.index.terms == ((counted.counter, 1),)
            and abs(access.index.constant) < 1 << 31
            for access in counted.accesses
        )
    )


def _simple_tests(
    p: FunctionPrinter, counted: Counted, counter: Expr, bound: Expr
) -> list[Expr]:
    """Comparisons of the counter's first value and the bound that cannot overflow."""
    up = counted.step > 0
    offsets: dict[str, tuple[Expr, list[int]]] = {}
    for access in counted.accesses:
        words = p.words(access.buffer).expr
        offsets.setdefault(repr(words), (words, []))[1].append(access.index.constant)
    tests: list[Expr] = []
    if counted.operator == "!=":
        tests.append(Binary(">" if up else "<", counter, bound))
    low = min(min(group) for _, group in offsets.values())
    first, last = (counter, bound) if up else (bound, counter)
    least = -low if up else -low - 1
    tests.append(Binary("<", first, Name(str(least))))
    for words, group in offsets.values():
        beyond = max(group)
        limit: Expr = words
        if beyond:
            operator = "-" if beyond > 0 else "+"
            limit = Binary(operator, words, Name(str(abs(beyond))))
        tests.append(Binary(">" if up else ">=", last, limit))
    return tests


def _general_tests(
    p: FunctionPrinter, counted: Counted, counter: Expr, bound: Expr
) -> list[Expr]:
    """Tests in 128 bits: the number of rounds, then the first and last index of each access."""
    distance = Binary("-", Cast("cogen_wide", bound), counter)
    step = counted.step
    if counted.operator in ("<=", ">="):
        distance = Binary("+" if step > 0 else "-", distance, Name("1"))
    tests: list[Expr] = []
    if counted.operator == "!=":
        rounds: Expr = Binary("/", distance, _number(step)) if step != 1 else distance
        name = p.namer.fresh("rounds")
        p.out.append(Declare("const cogen_wide", name, rounds))
        tests.append(Binary("<", Name(name), Name("0")))
        if abs(step) != 1:
            tests.append(Binary("!=", Binary("*", Name(name), _number(step)), distance))
    else:
        more = step - 1 if step > 0 else step + 1
        total = distance
        if more:
            total = Binary("+" if more > 0 else "-", distance, Name(str(abs(more))))
        name = p.namer.fresh("rounds")
        rounds = total if step == 1 else Binary("/", total, _number(step))
        p.out.append(Declare("const cogen_wide", name, rounds))
    groups: dict[tuple[object, ...], list[Access]] = defaultdict(list)
    for access in counted.accesses:
        words = p.words(access.buffer).expr
        groups[(repr(words), access.index.terms, access.step)].append(access)
    for group in groups.values():
        ordered = sorted(group, key=lambda access: access.index.constant)
        for access in dict.fromkeys((ordered[0], ordered[-1])):
            tests.append(_outside(p, access, counted, counter, Name(name)))
    return tests


def _number(value: int) -> Expr:
    return Name(str(value))


def _outside(
    p: FunctionPrinter, access: Access, counted: Counted, counter: Expr, rounds: Expr
) -> Expr:
    first = _first_index(p, access.index, counted, counter)
    words = p.words(access.buffer).expr
    arguments = (first, _number(access.step), rounds, words)
    return Invoke(p.helper("cogen_outside"), arguments)


def _first_index(p: FunctionPrinter, index: Linear, counted: Counted, counter: Expr) -> Expr:
    """The index of an access in the first round, in 128 bits where it is computed."""
    sum_: Expr | None = None
    for name, coefficient in index.terms:
        value = counter if name == counted.counter else p.settled(il.Var(name)).expr
        plain = len(index.terms) == 1 and coefficient == 1 and not index.constant
        wide: Expr = value if plain else Cast("cogen_wide", value)
        size = abs(coefficient)
        term = wide if size == 1 else Binary("*", wide, cv.integer(size).expr)
        if sum_ is None:
            sum_ = term if coefficient > 0 else Unary("-", term)
        else:
            sum_ = Binary("+" if coefficient > 0 else "-", sum_, term)
    if sum_ is None:
        return cv.integer(index.constant).expr
    if index.constant:
        operator = "+" if index.constant > 0 else "-"
        sum_ = Binary(operator, sum_, cv.integer(abs(index.constant)).expr)
    return sum_


def _report(p: FunctionPrinter, counted: Counted, counter: Expr) -> tuple[Statement, ...]:
    """Find the access that fails first and report it."""
    p.fails = True
    statements: list[Statement] = [Declare("cogen_wide", "soonest", Name("-1"))]
    report = p.helper("cogen_fail_first")
    for access in counted.accesses:
        arguments = (
            Name("error"), Unary("&", Name("soonest")), p.site_code(access.operation),
            _first_index(p, access.index, counted, counter),
            _number(access.step), p.words(access.buffer).expr,
        )  # fmt: skip
        statements.append(Do(Invoke(report, arguments)))
    return (*statements, p.bail_out())
