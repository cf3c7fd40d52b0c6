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
from dataclasses import replace
from typing import TYPE_CHECKING

from cogen.backends.ctree import arithmetic as cv
from cogen.backends.ctree import values as ct
from cogen.backends.ctree.tree import (
    CAssign,
    CBreak,
    CDeclare,
    CDo,
    CFor,
    CIf,
    CInvoke,
    CNumber,
    CUnary,
    CVariable,
    CWhile,
    Statement,
)
from cogen.backends.ctree.types import BOOL, I64, VOID, WIDE, CConst
from cogen.backends.ctree.types import INT as C_INT
from cogen.backends.ctree.values import CValue
from cogen.backends.kernel import bounds
from cogen.backends.kernel import structured as st
from cogen.backends.kernel.bounds import Access, CountingLoop, LinearSum
from cogen.backends.kernel.cblocks import LoopCounter, in_blocks, may_be_in_blocks
from cogen.backends.kernel.cbody import BUFFER, CODE, ERROR
from cogen.backends.kernel.cfacts import stores
from cogen.backends.kernel.csums import Summand, added, large, told
from cogen.backends.kernel.cvectors import print_vectors, vectors_for
from cogen.backends.kernel.types import INT, Types
from cogen.lang import il
from cogen.lang.marks import places_of

if TYPE_CHECKING:
    from cogen.backends.kernel.cfunction import FunctionPrinter


def count_loops(procedure: st.KernelProcedure, types: Types, checked: bool) -> None:
    """Find the counted loops of a procedure; their counters' steps leave the `Move`s."""
    for statement in st.walk(procedure.body):
        if not isinstance(statement, st.KernelLoop):
            continue
        counted = bounds.count(statement, procedure.jumped)
        if counted is None or not _is_integral(counted, types):
            continue
        if checked and not (counted.accesses or counted.operator in ("<", ">")):
            continue  # the counter's steps must be checked for overflow
        statement.counted = counted
        for move in counted.rounds:
            move.pairs = tuple(pair for pair in move.pairs if pair[0] != counted.counter)


def _is_integral(counted: CountingLoop, types: Types) -> bool:
    names = [counted.counter, *(name for a in counted.accesses for name, _ in a.index.terms)]
    return types.of(counted.bound) == INT and all(
        types.variables.get(name, INT) == INT for name in names
    )


def print_loop(p: FunctionPrinter, loop: st.KernelLoop, entry: st.Move | None) -> None:
    """A loop, with the assignments that come before it."""
    counted = loop.counted
    first: CDeclare | None = None
    start: CValue | None = None
    end: CValue | None = None
    if entry is not None:
        start = _first_value(p, loop, entry)
        p.move(entry.pairs if start is None else _without(entry, counted))
    if start is not None and counted is not None:
        first = CDeclare(I64, p.c_name(counted.counter), start.expr)
    if any(stores(statement, p.shared.facts.storing) for statement in st.walk(loop.body)):
        p.write_reads()
    if counted is not None and counted.accesses:
        distance = _distance(p, counted, entry)
        if counted.operator == "!=" or any(a.operation not in p.safe for a in counted.accesses):
            _range_check(p, counted, start, distance)
        p.safe |= counted.safe
        if start is not None and distance is not None:
            end = cv.add(start, ct.integer(distance))  # the C compiler then sees how often
    step = _step(p, counted)
    places = places_of(loop.span)
    vectors = vectors_for(p, loop)
    if vectors is not None and counted is not None:
        if first is not None:
            p.out.append(first)
        first = None
        print_vectors(p, counted, *vectors)
    outer, p.sums = p.sums, {}
    if not loop.head:
        body = p.nested(loop.body)
        body, p.sums = told(p, body, p.sums, large(p, p.sums)), outer
        p.out.append(CFor(None, None, None, body, places=places))
        return
    around, p.in_lanes = p.in_lanes, loop in p.shared.lanes[p.procedure.name].loops
    test, head, body = _head(p, loop, end)
    p.in_lanes = around
    sums, p.sums = p.sums, outer
    left = {n for n in large(p, sums) if not may_be_in_blocks(n, sums[n].value, body)}
    body = told(p, body, sums, left)
    blocks = None if head or counted is None else _blocks(p, counted, first, test, end, body, sums)
    if blocks is None:
        body = told(p, body, sums, large(p, sums) - left)
    if blocks is not None:
        p.out.append(replace(blocks, places=places))
    elif head:
        inner = (*head, CIf(ct.negated(test).expr, (CBreak(),)), *body)
        p.out.append(CFor(first, None, step, inner, places=places))
    elif step is None:
        p.out.append(CWhile(test.expr, body, places=places))
    else:
        p.out.append(CFor(first, test.expr, step, body, places=places))


def _first_value(p: FunctionPrinter, loop: st.KernelLoop, entry: st.Move) -> CValue | None:
    """The counter's first value, if the loop's head is to declare the counter: if nothing
    outside of the loop reads it."""
    counted = loop.counted
    if counted is None or (counted.counter, loop) not in p.scopes.local:
        return None
    atom = dict(entry.pairs).get(counted.counter)
    name = p.c_name(counted.counter)
    if atom is None or name in p.declared:
        return None
    p.declared.add(name)
    return p.settled(atom)


def _without(entry: st.Move, counted: CountingLoop | None) -> tuple[tuple[str, il.Atom], ...]:
    return tuple(pair for pair in entry.pairs if counted and pair[0] != counted.counter)


def _step(p: FunctionPrinter, counted: CountingLoop | None) -> CAssign | None:
    if counted is None:
        return None
    operator = "+=" if counted.step > 0 else "-="
    step = ct.integer(abs(counted.step)).expr
    counter = CVariable(p.c_name(counted.counter), I64)
    return CAssign(counter, step, operator, places=counted.places)


def _blocks(
    p: FunctionPrinter,
    counted: CountingLoop,
    first: CDeclare | None,
    test: CValue,
    end: CValue | None,
    body: tuple[Statement, ...],
    sums: dict[str, Summand],
) -> Statement | None:
    """The loop with its sums in blocks, if that is possible; the range check came before."""
    counter, bound = p.value(il.Var(counted.counter)), end or p.settled(counted.bound)
    operator = "<" if counted.step > 0 else ">"
    if not counted.accesses or ct.compare(operator, counter, bound).expr != test.expr:
        return None
    name = p.c_name(counted.counter)
    wide = large(p, sums)
    blocked = {n: s.value for n, s in sums.items() if n in wide or s.value.type != I64}
    return in_blocks(
        LoopCounter(name, first, bound, counted.step), body, blocked, p.namer,
        lambda name, part: added(p, name, part, sums[name].operation, None),
    )  # fmt: skip


def _head(
    p: FunctionPrinter, loop: st.KernelLoop, end: CValue | None
) -> tuple[CValue, tuple[Statement, ...], tuple[Statement, ...]]:
    """What keeps the loop going, the statements before the test, and those after it; `end` is the
    counter's bound in other words."""
    position = next(i for i, s in enumerate(loop.body) if isinstance(s, st.Branch))
    branch = loop.body[position]
    assert isinstance(branch, st.Branch)
    head = p.nested(loop.body[:position])
    test = p.value(branch.test)
    if branch.then:  # the arm that is not empty is the one that leaves
        test = ct.negated(test)
    counted = loop.counted
    if counted is not None and counted.accesses and counted.operator == "!=":
        operator = "<" if counted.step > 0 else ">"
        counter = p.value(il.Var(counted.counter))
        places = test.expr.places
        test = ct.compare(operator, counter, end or p.settled(counted.bound)).at(places)
    body = p.nested(loop.body[position + 1 :])
    return test, head, body


# The check before a counted loop


def _distance(p: FunctionPrinter, counted: CountingLoop, entry: st.Move | None) -> int | None:
    """How far the bound is from the counter's first value, if that is known."""
    first = dict(entry.pairs).get(counted.counter) if entry is not None else None
    if first is None:
        return None
    apart = bounds.linear(counted.bound, p.definitions).minus(bounds.linear(first, p.definitions))
    return apart if apart is not None and abs(apart) <= bounds.MOST else None


def _range_check(
    p: FunctionPrinter, counted: CountingLoop, start: CValue | None, distance: int | None
) -> None:
    """Report an index error if any of the accesses will be out of bounds in any round."""
    counter = p.value(il.Var(counted.counter)) if start is None else start
    bound = p.settled(counted.bound)
    if distance is None:
        runs = ct.compare(counted.operator, counter, bound)
    else:
        runs = ct.compare(counted.operator, ct.integer(0), ct.integer(distance))
    if runs.constant == 0:
        return
    if _is_simple(counted):
        made = _simple_tests(p, counted, counter, bound)
    else:
        made = _general_tests(p, counted, counter, bound, distance)
    fails = ct.both(runs, ct.either(*made))
    if fails.constant != 0:
        places = places_of(*(access.operation.span for access in counted.accesses))
        p.out.append(CIf(fails.expr, _report(p, counted, counter), places=places))


def _is_simple(counted: CountingLoop) -> bool:
    """Steps of 1 or -1, and indices that are the counter plus a small constant."""
    return (
        abs(counted.step) == 1
        and counted.operator in ("!=", "<", ">")
        and all(
            access.index.terms == ((counted.counter, 1),) and abs(access.index.constant) < 1 << 31
            for access in counted.accesses
        )
    )


def _simple_tests(
    p: FunctionPrinter, counted: CountingLoop, counter: CValue, bound: CValue
) -> list[CValue]:
    """Comparisons of the counter's first value and the bound that cannot overflow."""
    up = counted.step > 0
    offsets: dict[CValue, list[int]] = defaultdict(list)
    for access in counted.accesses:
        offsets[p.words(access.buffer)].append(access.index.constant)
    first, last = (counter, bound) if up else (bound, counter)
    low = min(min(group) for group in offsets.values())
    tests = [ct.compare("<", first, ct.integer(-low if up else -low - 1))]
    if counted.operator == "!=":
        tests.insert(0, ct.compare(">" if up else "<", counter, bound))
    for words, group in offsets.items():
        limit = cv.subtract(words, ct.integer(max(group)))
        tests.append(ct.compare(">" if up else ">=", last, limit))
    return tests


def _general_tests(
    p: FunctionPrinter, counted: CountingLoop, counter: CValue, bound: CValue, known: int | None
) -> list[CValue]:
    """Tests in 128 bits: the number of rounds, then the first and last index of each access."""
    step = counted.step
    distance, rounds = _rounds(p, counted, counter, bound, known)
    tests: list[CValue] = []
    if counted.operator == "!=":
        tests.append(ct.compare("<", rounds, ct.integer(0)))
        if abs(step) != 1:
            tests.append(ct.compare("!=", cv.multiply(rounds, ct.integer(step)), distance))
    groups: dict[tuple[object, ...], list[Access]] = defaultdict(list)
    for access in counted.accesses:
        groups[(p.words(access.buffer), access.index.terms, access.step)].append(access)
    for group in groups.values():
        ordered = sorted(group, key=lambda access: access.index.constant)
        for index in dict.fromkeys((ordered[0].index, ordered[-1].index)):
            first = _first_index(p, index, counted, counter)
            words, moves = p.words(ordered[0].buffer), ct.integer(ordered[0].step)
            outside = p.helper("cogen_outside")
            tests.append(ct.call(outside, BOOL, first, moves, rounds, words, low=0, high=1))
    return tests


def _rounds(
    p: FunctionPrinter, counted: CountingLoop, counter: CValue, bound: CValue, known: int | None
) -> tuple[CValue, CValue]:
    """How far the bound is from the counter, and how many rounds there are, in 128 bits where
    they are computed."""
    step = counted.step
    extra = 1 if counted.operator in ("<=", ">=") else 0
    if counted.operator != "!=":  # a last round may be shorter than a step
        extra += abs(step) - 1
    distance = ct.integer(known) if known is not None else ct.converted(bound, WIDE)
    if known is None:
        distance = cv.subtract(distance, counter)
    total = cv.add(distance, ct.integer(extra if step > 0 else -extra))
    ends = [(abs(end) // abs(step)) * (1 if (end < 0) == (step < 0) else -1)
            for end in (total.low, total.high)]  # fmt: skip
    if abs(step) == 1:
        divided = total if step == 1 else cv.negate(total)
    else:
        divided = ct.combine("/", total, ct.integer(step), min(ends), max(ends))
    if divided.constant is not None:
        return distance, divided
    rounds = p.namer.fresh("rounds")
    p.out.append(CDeclare(CConst(divided.type), rounds, divided.expr))
    return distance, ct.variable(rounds, divided.type, divided.low, divided.high)


def _first_index(
    p: FunctionPrinter, index: LinearSum, counted: CountingLoop, counter: CValue
) -> CValue:
    """The index of an access in the first round, in 128 bits where it is computed."""
    terms: list[tuple[CValue, int]] = []
    for name, coefficient in index.terms:
        value = counter if name == counted.counter else p.settled(il.Var(name))
        terms.append((value, coefficient))
    if len(terms) == 1 and terms[0][1] == 1 and not index.constant:
        return terms[0][0]
    total = ct.integer(index.constant)
    for value, coefficient in reversed(terms):
        wide = ct.converted(value, WIDE)
        total = cv.add(cv.multiply(wide, ct.integer(coefficient)), total)
    return total


def _report(p: FunctionPrinter, counted: CountingLoop, counter: CValue) -> tuple[Statement, ...]:
    """Find the access that fails first and report it."""
    p.fails = True
    soonest = CVariable("soonest", WIDE)
    statements: list[Statement] = [CDeclare(WIDE, soonest.name, CNumber(-1, C_INT))]
    report = p.helper("cogen_fail_first")
    reported: set[tuple[il.Atom, LinearSum, int]] = set()
    for access in counted.accesses:
        key = (access.buffer, access.index, access.step)
        if key in reported:  # an earlier access of the round fails before this one
            continue
        reported.add(key)
        site = p.access_site(access.operation)
        code, about = ct.integer(site), p.said(site, access.buffer)
        arguments = (
            ERROR, CUnary("&", soonest), code.expr,
            _first_index(p, access.index, counted, counter).expr,
            ct.integer(access.step).expr, p.words(access.buffer).expr,
        )  # fmt: skip
        statements.append(CDo(CInvoke(report, arguments, VOID)))
        if about is not None:
            noted = ct.compare("==", CODE, code)
            statements.append(CIf(noted.expr, (CAssign(BUFFER, about),)))
    return (*statements, p.bail_out())
