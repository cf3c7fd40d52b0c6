"""What a residual program does, by place: its operations, conditionals and calls."""

from __future__ import annotations

from collections.abc import Iterator

from cogen.backends.scheme.scheme import is_in_prelude
from cogen.lang import il
from cogen.lang.chain import LANGUAGE, in_library, node_of, users_place
from cogen.lang.errors import Span
from cogen.lang.ilutil import blocks, item_block
from cogen.lang.marks import NOWHERE


def operations(program: il.Program) -> Iterator[tuple[str, Span]]:
    """For each operation, conditional and call the procedure that it is in and its place in the
    user's program.  Procedures that the language itself defines are none of the program's."""
    for item in program.items:
        if is_in_prelude(item):
            continue
        name = "" if isinstance(item, il.Expression) else item.name
        for block in blocks(item_block(item)):
            for span in _spans(block):
                place = users(span)
                if place is not None:
                    yield name, place


def nodes_left(program: il.Program) -> Iterator[Span]:
    """For each operation, conditional and call that was left for a part of a program that is
    interpreted, that part."""
    for item in program.items:
        if is_in_prelude(item):
            continue
        for block in blocks(item_block(item)):
            for span in _spans(block):
                node = node_at(span)
                if node is not None:
                    yield node


def node_at(span: Span | None) -> Span | None:
    """The part of an interpreted program for which what is at a place was done."""
    return None if span is None or span is NOWHERE else node_of(span.calls or ())


def _spans(block: il.Block) -> Iterator[Span | None]:
    for binding in block.bindings:
        if type(binding) is il.Let:
            yield binding.span
    if type(block.tail) is not il.Jump:
        yield block.tail.span


def in_product(span: Span | None) -> Span | None:
    """A place in a library of the product that has a text to show: not in the language's own."""
    if span is None or not in_library(span) or span.source.library == LANGUAGE:
        return None
    return Span(span.source, span.start, span.end)


def users(span: Span | None) -> Span | None:
    """The user's place of a place, without the calls that led to it."""
    if span is None or span is NOWHERE:
        return None
    place = users_place(span, span.calls)
    return None if place is None else Span(place.source, place.start, place.end)
