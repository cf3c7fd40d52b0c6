"""Calls that are carried out: which are tail calls, and how they are told in places."""

from __future__ import annotations

from cogen.lang import il
from cogen.lang.chain import Calls, called, in_library, remembered
from cogen.lang.errors import Span
from cogen.lang.prelude import in_prelude
from cogen.specializer.values.domain import Activation, Continuation, Frame


def place_in(span: Span | None, activation: Activation | None) -> Span | None:
    """A place of the program: for one in the prelude, that of the call that led there."""
    if span is None or activation is None or not in_prelude(span):
        return span
    if not activation.calls or activation.calls[0][0] is None or span.operation is not None:
        return span.reached(activation.calls)
    if activation.place is None:  # the same for all of the prelude
        activation.place = span.reached(activation.calls)
    return activation.place


def calls_through(
    function: il.Function, span: Span | None, calls: Calls, is_tail: bool | None
) -> Calls:
    """The calls through which a procedure is carried out that is called at a place (None if no
    call of it is known), in code that `calls` led to.  As in a run, a tail call leaves no trace, if
    not into a library or by a control primitive (`is_tail` is None)."""
    if span is None:
        return calls if in_prelude(function.span) else ()
    if is_tail is None or (is_tail and enters_library(span, function)):
        return remembered(span, calls)
    return calls if is_tail else called(span, calls)


def enters_library(span: Span | None, function: il.Function) -> bool:
    """Whether a call at a place leads into a library, from code that is in none."""
    return in_library(function.span) and not in_library(span)


def is_tail_call(caller: Activation | None, k: Continuation) -> bool:
    """Whether a call that returns to `k` ends the activation that makes it."""
    if caller is None:
        return False
    own = caller.continuation
    if type(k) is Frame:
        return type(own) is Frame and own.cont is k.cont and own.activation is k.activation
    return type(own) is type(k)
