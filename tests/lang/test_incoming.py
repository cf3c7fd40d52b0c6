"""Texts that come line by line: data as soon as they are complete."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogen.lang.errors import CogenError, Source
from cogen.lang.incoming import Incoming
from cogen.lang.printer import write_datum
from cogen.lang.reader import read
from cogen.lang.syntax import to_datum

pytestmark = pytest.mark.quick

TEXT = """\
; a comment
(define (f x) ; of f
  #| a block
     of comment |# "a string
in two lines; no comment" 'x `(a ,@b)
  #;(left
     out) #(1 2)
  #u8(1 2)) |a
b| #\\; 12
'
a #;b c
"""


def taken(incoming: Incoming) -> list[str]:
    """What can be taken now."""
    found = []
    while (syntax := incoming.take()) is not None:
        found.append(write_datum(to_datum(syntax)))
    return found


def test_data_are_those_of_the_whole_text_with_the_same_places() -> None:
    whole = read(Source("x", TEXT))
    incoming = Incoming(Source("x", ""))
    found = []
    for line in TEXT.splitlines(keepends=True):
        incoming.add_text(line)
        while (syntax := incoming.take()) is not None:
            found.append(syntax)
    assert [write_datum(to_datum(one)) for one in found] == [
        write_datum(to_datum(one)) for one in whole
    ]
    assert [(one.span.start, one.span.end, str(one.span)) for one in found] == [
        (one.span.start, one.span.end, str(one.span)) for one in whole
    ]


@given(st.lists(st.sampled_from(["(", ")", "'", '"', "a", "1", "#;", ";", "|", "#(", " "])))
def test_any_text_reads_as_it_does_at_once(parts: list[str]) -> None:
    text = "\n".join(parts) + "\n"

    def at_once() -> list[str]:
        return [write_datum(to_datum(one)) for one in read(Source("x", text))]

    def by_lines() -> list[str]:
        incoming = Incoming(Source("x", ""))
        found: list[str] = []
        for line in text.splitlines(keepends=True):
            incoming.add_text(line)
            found += taken(incoming)
        incoming.end()
        return found

    assert outcome(by_lines) == outcome(at_once)


def outcome(action: Callable[[], list[str]]) -> list[str] | str:
    """What an action gives, or the error that it ends with."""
    try:
        return action()
    except CogenError as error:
        return error.render()


@pytest.mark.parametrize(
    ("line", "inside"),
    [
        ("(a", True),
        ('"a', True),
        ("#| a", True),
        ("'", True),
        ("#;", True),
        ("|a", True),
        ("a", False),
    ],
)
def test_whether_something_has_begun(line: str, inside: bool) -> None:
    incoming = Incoming(Source("x", ""))
    incoming.add_text(line + "\n")
    taken(incoming)
    assert incoming.is_inside == inside


def test_an_error_drops_what_was_added() -> None:
    incoming = Incoming(Source("x", ""))
    incoming.add_text("(a ] b) c\n")
    with pytest.raises(CogenError) as caught:
        incoming.take()
    assert str(caught.value.span) == "x:1:4"
    assert not incoming.is_inside
    incoming.add_text("(d)\n")
    assert taken(incoming) == ["(d)"]


def test_the_end_tells_what_is_open() -> None:
    incoming = Incoming(Source("x", ""))
    incoming.add_text("1 (a\n")
    assert taken(incoming) == ["1"]
    incoming.add_text("(b)\n")
    assert taken(incoming) == []
    with pytest.raises(CogenError) as caught:
        incoming.end()
    assert (str(caught.value.span), caught.value.message) == ("x:1:3", "unclosed `(`")


def test_long_forms_are_read_once() -> None:
    incoming = Incoming(Source("x", ""))
    incoming.add_text("(\n")
    assert incoming.take() is None
    for number in range(2000):
        incoming.add_text(f"{number}\n")
        assert incoming.take() is None
        assert len(incoming.frame.items) == number + 1  # each is kept
    incoming.add_text(")\n")
    found = incoming.take()
    assert found is not None
    assert len(found.value.items) == 2000
