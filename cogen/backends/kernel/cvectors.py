"""Loops that only move bits, or add samples or products of them -> a call that does their first
rounds in vectors, before the loop.

    const int64_t done = cogen_moved_1((const uint8_t *)&in[q], (uint8_t *)&out[p], rounds);
    q += done * 3; p += done * 4;
    for (; p < end; …) …                        the rounds that are left over

The range check before the loop covers what is done here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cogen.backends.ctree import arithmetic as cv
from cogen.backends.ctree import values as ct
from cogen.backends.ctree.literals import small
from cogen.backends.ctree.tree import (
    CAssign,
    CBinary,
    CCast,
    CDeclare,
    CFunction,
    CIf,
    CIndex,
    CInvoke,
    CLibrary,
    CUnary,
    CVariable,
    Expr,
)
from cogen.backends.ctree.types import I64, U8, CConst, CPointer
from cogen.backends.ctree.values import CValue
from cogen.backends.kernel import structured as st
from cogen.backends.kernel.bounds import CountingLoop, LinearSum
from cogen.backends.kernel.cprogressions import stepping
from cogen.backends.kernel.csamplewise import adding, last_sample
from cogen.backends.kernel.cshuffle import shuffling
from cogen.backends.kernel.cweighed import weighing
from cogen.backends.kernel.progressions import Progression, progression
from cogen.backends.kernel.provenance import Through, moved_bits
from cogen.backends.kernel.samplewise import Samplewise, sums_of_samples
from cogen.backends.kernel.weighed import weighed_sums
from cogen.lang import il

if TYPE_CHECKING:
    from cogen.backends.kernel.cfunction import FunctionPrinter


def vectors_for(p: FunctionPrinter, loop: st.KernelLoop) -> tuple[Through, str] | None:
    """How the loop goes through memory, and the function that does its first rounds, if there is
    one."""
    shared = p.shared
    apart = p.procedure.name in shared.facts.restricted
    if loop.counted is None or shared.checked or shared.cutting or not apart:
        return None
    functions = sum(isinstance(item, CFunction) for item in shared.vectors)
    moved = moved_bits(loop, p.word_size)
    if moved is not None:
        name = f"cogen_moved_{functions + 1}"
        made = shuffling(name, moved, p.word_size, shared.storing, shared.gathering)
        if made is not None:
            known = [item for item in shared.vectors if isinstance(item, CLibrary)]
            shared.vectors += [item for item in made if item not in known]
            return moved, name
    if shared.storing is not None:
        return None
    samplewise = sums_of_samples(loop, p.procedure.body, p.word_size)
    if samplewise is not None:
        name = f"cogen_added_{functions + 1}"
        shared.vectors += adding(name, samplewise, p.word_size)
        return samplewise, name
    steps = progression(loop, p.word_size)
    if steps is not None:
        name = f"cogen_stepped_{functions + 1}"
        shared.vectors += stepping(name, steps, p.word_size)
        return steps, name
    weighed = weighed_sums(loop, p.word_size)
    if weighed is None:
        return None
    name = f"cogen_weighed_{functions + 1}"
    shared.vectors += weighing(name, weighed)
    return weighed, name


def print_vectors(p: FunctionPrinter, counted: CountingLoop, moved: Through, function: str) -> None:
    """Call the function, and go on behind what it has done."""
    done = ct.variable(p.namer.fresh("done"), I64)
    source = (_source(p, moved),) if moved.read else ()
    parts: tuple[Expr, ...] = (*source, _target(p, moved), _rounds(p, counted).expr)
    state = moved.state if isinstance(moved, Samplewise | Progression) else ""
    if state:
        parts = (*parts, ct.converted(p.value(il.Var(state)), I64).expr)
    assert isinstance(done.expr, CVariable)
    p.out.append(CDeclare(CConst(I64), done.expr.name, CInvoke(function, parts, I64)))
    for name, step in counted.steps.items():
        if step:
            moves = cv.multiply(done, ct.integer(abs(step)))
            kind = p.declared_type(name)
            expr = moves.expr if kind == I64 else CCast(kind, moves.expr)
            target = CVariable(p.c_name(name), kind)
            p.out.append(CAssign(target, expr, "+=" if step > 0 else "-="))
    if state and isinstance(moved, Samplewise):
        _settle_state(p, moved, done.expr)


def _settle_state(p: FunctionPrinter, moved: Samplewise, done: CVariable) -> None:
    """The state, of which only the bits of a sample matter, is the last sample that is stored."""
    at = CPointer(CConst(last_sample(moved)))
    place = CBinary("-", _target(p, moved), small(moved.size // 8))
    kind = p.declared_type(moved.state)
    last = CCast(kind, CUnary("*", CCast(at, place)))
    then = (CAssign(CVariable(p.c_name(moved.state), kind), last),)
    p.out.append(CIf(CBinary(">", done, small(0)), then))


def _source(p: FunctionPrinter, moved: Through) -> Expr:
    place = CIndex(p.value(moved.source).expr, _index(p, moved.source_index).expr)
    return CCast(CPointer(CConst(U8)), CUnary("&", place))


def _target(p: FunctionPrinter, moved: Through) -> Expr:
    index, buffer = _index(p, moved.target_index), p.value(moved.target).expr
    storing = p.shared.storing
    if storing is None:
        return CCast(CPointer(U8), CUnary("&", CIndex(buffer, index.expr)))
    at = cv.multiply(index, ct.integer(storing.bytes))  # the buffer has numbers instead of words
    return CUnary("&", CIndex(CCast(CPointer(U8), buffer), at.expr))


def _index(p: FunctionPrinter, index: LinearSum) -> CValue:
    total = ct.integer(index.constant)
    for name, coefficient in reversed(index.terms):
        term = cv.multiply(p.settled(il.Var(name)), ct.integer(coefficient))
        total = cv.add(term, total)
    return total


def _rounds(p: FunctionPrinter, counted: CountingLoop) -> CValue:
    """How many rounds there are, as far as the counter tells; the last may be a shorter step."""
    counter, bound = p.value(il.Var(counted.counter)), p.settled(counted.bound)
    step = counted.step
    ends = (bound, counter) if step > 0 else (counter, bound)
    apart = cv.add(cv.subtract(*ends), ct.integer(1 if counted.operator in ("<=", ">=") else 0))
    if abs(step) == 1:
        return apart
    whole = cv.add(apart, ct.integer(abs(step) - 1))
    return ct.made("/", I64, ct.converted(whole, I64), ct.integer(abs(step)), *ct.RANGES[I64])
