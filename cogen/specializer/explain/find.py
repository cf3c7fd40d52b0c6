"""A finished specialization -> decisions: what was noted of the blocks that there are in the end,
and what these blocks themselves tell: what they were generalized in, which of them are loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from cogen.lang import il
from cogen.lang.chain import in_library, users_place
from cogen.lang.errors import Span
from cogen.specializer.explain import decisions as told
from cogen.specializer.explain.decisions import Decision, KnownRule
from cogen.specializer.explain.names import NamedText, procedure_place, root_of_place, user_name
from cogen.specializer.explain.notes import NotedRefusal, given_up, told_value
from cogen.specializer.explain.watch import WatchedDemand, WatchedSpecializer
from cogen.specializer.programs.naming import name_of
from cogen.specializer.values.domain import (
    Closure,
    Cyclic,
    Dynamic,
    Frame,
    PartialPair,
    Ref,
    Reified,
    Static,
)
from cogen.specializer.values.freeze import FrozenSlot
from cogen.specializer.versions.memo import ResidualBlock, Wider


def find_decisions(spec: WatchedSpecializer) -> list[Decision]:
    """The decisions that led to the residual program, in the order of the program's text."""
    facts: Counter[Decision] = Counter()
    blocks = spec.context.worklist.reach.blocks()
    for block, noted in spec.notes.of_block.items():
        if block in blocks or block.point[0] == "top-level":
            facts.update(noted)
    for block in blocks:
        if block.wider is not None and block.wider.is_any():
            facts.update(_generalized(spec, block, block.wider))
        elif block.point[0] == "cont":
            facts.update(_continued(spec, block))
        elif block.point[0] == "procedure" and type(block.point[1]) is il.Function:
            facts.update(_procedure(block.point[1]))
    for block in loop_heads(blocks):
        facts.update(_loop(spec, block))
    for refusal in spec.notes.refusals:
        facts.update(_kept(spec, refusal))
    found = [replace(fact, times=times) for fact, times in facts.items()]
    return sorted(found, key=_in_order)


def find_values(spec: WatchedSpecializer) -> list[KnownRule]:
    """The values of places, in the order of the text."""
    blocks = spec.context.worklist.reach.blocks()
    values: dict[Span, dict[str, None]] = {}
    for block, noted in spec.notes.values.items():
        if block in blocks or block.point[0] == "top-level":
            for place, texts in noted.items():
                values.setdefault(place, {}).update(texts)
    found = [KnownRule(place, tuple(texts)) for place, texts in values.items()]
    return sorted(found, key=lambda one: (one.place.source.name, one.place.start, one.place.end))


def _in_order(decision: Decision) -> tuple[str, int, int, str, str, str]:
    place = decision.place
    rest = decision.kind, decision.verdict, decision.reason
    return (place.source.name, place.start, place.end, *rest)


# -- variables -------------------------------------------------------------------------------------


def _continued(spec: WatchedSpecializer, block: ResidualBlock) -> Iterator[Decision]:
    """What is known of the variables that a continuation gets at a memo point."""
    frame = block.roots[0][1]
    if type(frame) is not Frame:
        return
    values = [value for _, value in block.roots[1 : 1 + len(frame.cont.parameters)]]
    for name, value in zip(frame.cont.parameters, values, strict=True):
        fact = spec.notes.fact_of(block.store, name, value)
        if fact is not None:
            yield fact


def _generalized(
    spec: WatchedSpecializer, block: ResidualBlock, wider: Wider
) -> Iterator[Decision]:
    """What is known of a block's state, and made dynamic from there on."""
    names, demand = spec.state_names, spec.context.demand
    assert isinstance(demand, WatchedDemand)
    accepted = demand.accepted(block)
    slots = [*wider.slots, *(FrozenSlot(None, index) for index in sorted(wider.roots))]
    for slot in slots:
        named = names.of_slot(block, slot)
        if slot in accepted:
            value = _held(block, slot)
            yield from _given_up(spec, named, value, accepted[slot])
        else:
            yield from _grown(spec, named)
    frozen = spec.parts.freezing.frozen(block)
    for position in sorted(wider.positions):
        value = frozen.places[position]
        if type(value) is Static:
            reason = f"known{told_value(value)} on arrival, but not later"
            yield from _about(spec, names.of_value(block, value), "upward", reason)
    for parameter, (modulus, _) in wider.splits.items():
        reason = spec.context.auto.reasons[block.raw.label, parameter].partition(": ")[2]
        named = _of_parameter(spec, block, parameter)
        reason = f"a case for each remainder by {modulus}, {reason}"
        yield from _about(spec, named, "auto", reason, told.SPLIT)


def _of_parameter(spec: WatchedSpecializer, block: ResidualBlock, parameter: str) -> NamedText:
    """The variable that a parameter of a block stands for."""

    def stands_for(value: Any) -> bool:
        leaf = value.quotient if type(value) is Cyclic else value
        return type(leaf) is Dynamic and leaf.name == parameter

    return spec.state_names.find(block, stands_for)


def _held(block: ResidualBlock, slot: FrozenSlot) -> Any:
    """What a slot of a block's state holds."""
    owner, key = slot
    match owner:
        case None:
            return block.roots[key][1]
        case Closure() | Frame():
            return owner.environment[key]
        case PartialPair() | Reified():
            return getattr(owner, key)
        case Ref():
            return block.store[owner.number].items[key]
    return None


def _given_up(
    spec: WatchedSpecializer, named: NamedText, value: Any, base: int | None
) -> Iterator[Decision]:
    place = spec.notes.names.place(named.name)
    if place is not None and spec.notes.names.is_named(named.name):
        base = base if type(value) is Static and type(value.datum) is int else None
        name, home = user_name(named.name), spec.notes.home(named.name)
        yield given_up(place, name, value, base, home, named.is_part)


def _grown(spec: WatchedSpecializer, named: NamedText) -> Iterator[Decision]:
    what = "a part of it grows" if named.is_part else "it grows"
    yield from _about(spec, named, "whistle", f"{what} from version to version")


def _about(
    spec: WatchedSpecializer,
    named: NamedText,
    rule: str,
    reason: str,
    verdict: str = told.GENERALISED,
) -> Iterator[Decision]:
    """A fact about a variable, if the program names it."""
    names = spec.notes.names
    place = names.place(named.name) if names.is_named(named.name) else None
    if place is not None:
        name, home = user_name(named.name), spec.notes.home(named.name)
        yield Decision(place, "variable", name, verdict, rule, reason, home)


def _kept(spec: WatchedSpecializer, refusal: NotedRefusal) -> Iterator[Decision]:
    """What was made dynamic on trial, and is known after all."""
    if refusal.asked is None or in_library(refusal.asked):
        return
    line, column = refusal.asked.source.position(refusal.asked.start)
    reason = f"tried without what is known of it, which is asked for at {line}:{column}"
    told_of: dict[str, NamedText] = {}
    for key in refusal.places:
        assert isinstance(key, tuple)
        where, keys = key[0], key[1:]
        point = ("call", where) if type(where) is il.Function else where
        named = root_of_place(spec.state_names, point, keys, spec.notes.names.bound)
        told_of.setdefault(named.name, named)
    for named in told_of.values():
        yield from _about(spec, named, "demand", reason, told.KEPT)


# -- procedures and loops --------------------------------------------------------------------------


def _procedure(function: il.Function) -> Iterator[Decision]:
    """A residual procedure made of one of the program."""
    place = procedure_place(function)
    if place is not None and not in_library(place):
        reason = "called by residual code"
        yield Decision(place, "procedure", name_of(function), told.PROCEDURE, "recursion", reason)


def _loop(spec: WatchedSpecializer, block: ResidualBlock) -> Iterator[Decision]:
    """A residual loop begins with the block."""
    activation, node = block.activation, block.point[1] if len(block.point) > 1 else None
    calls = () if activation is None else activation.calls
    place: Span | None = users_place(block.raw.span, calls)
    name = block.raw.hint
    if type(node) is il.If and not in_library(node.span) and node.span is not None:
        place, _ = spec.machine.test_of(node)
    if place is not None:
        reason = f"a residual loop begins: {name} comes back in the same static state"
        yield Decision(place, "loop", name, told.LOOP, "same-state", reason)


def loop_heads(blocks: Iterable[ResidualBlock]) -> list[ResidualBlock]:
    """The blocks that code after them jumps back to, in order of discovery; those of procedures
    are none: it calls them."""
    heads: dict[ResidualBlock, None] = {}
    open_blocks: set[ResidualBlock] = set()
    done: set[ResidualBlock] = set()
    for root in blocks:
        work = [(root, iter(root.successors))] if root not in done else []
        if work:
            open_blocks.add(root)
        while work:
            block, rest = work[-1]
            successor = next(rest, None)
            if successor is None:
                work.pop()
                open_blocks.discard(block)
                done.add(block)
            elif successor in open_blocks:
                if successor.point[0] not in ("procedure", "top"):
                    heads[successor] = None
            elif successor not in done:
                open_blocks.add(successor)
                work.append((successor, iter(successor.successors)))
    return list(heads)
