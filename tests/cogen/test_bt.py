"""Binding times: the Python constructors and their text form."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import cogen.bt
import cogen.convert
from cogen import binding_times
from cogen.binding_times import BT, Cons, parse_bt
from cogen.bindinghints import FORMS
from cogen.lang.datum import NIL
from cogen.lang.errors import CogenError
from cogen.lang.printer import write_datum

pytestmark = pytest.mark.quick


def show(bt: BT) -> object:
    """A binding time as data that compare."""
    match bt:
        case binding_times.Static(value):
            return "static", write_datum(value)
        case Cons(car, cdr):
            return show(car), show(cdr)
        case binding_times.Vector(items):
            return [show(item) for item in items]
        case binding_times.Record(name, fields):
            return name, [show(field) for field in fields]
        case _:
            return bt


@pytest.mark.parametrize(
    ("text", "bt"),
    [
        ("_", cogen.bt.dynamic()),
        ("(dynamic)", cogen.bt.dynamic("any")),
        ("(dynamic int)", cogen.bt.dynamic("int")),
        (" (dynamic memory) ; a buffer", cogen.bt.dynamic("memory")),
        ("(static)", cogen.bt.static()),
        ("(static 5)", cogen.bt.static(5)),
        ("(static #t)", cogen.bt.static(True)),
        ('(static "ab")', cogen.bt.static("ab")),
        ("(static (a #(1 2.0) #u8(3)))", cogen.bt.static(
            [cogen.convert.datum("a"), (1, 2.0), b"\3"]
        )),
        ("(cyclic 32 0)", cogen.bt.cyclic(32, 0)),
        ("(cyclic 1 0)", cogen.bt.cyclic(1, 0)),
        ("(cons _ (static 1))", cogen.bt.cons(cogen.bt.dynamic(), cogen.bt.static(1))),
        ("(list)", cogen.bt.list_()),
        ("(list _ (cyclic 8 3))", cogen.bt.list_(cogen.bt.dynamic(), cogen.bt.cyclic(8, 3))),
        ("(vector _ (vector))", cogen.bt.vector(cogen.bt.dynamic(), cogen.bt.vector())),
        ("(record point _ _)", cogen.bt.record("point", cogen.bt.dynamic(), cogen.bt.dynamic())),
        ("(record unit)", cogen.bt.record("unit")),
    ],
)  # fmt: skip
def test_text_and_python_agree(text: str, bt: BT) -> None:
    assert show(parse_bt(text)) == show(bt)


def test_shapes() -> None:
    assert parse_bt("(cyclic 32 8)") == binding_times.Cyclic(32, 8)
    listed = parse_bt("(list _)")
    assert isinstance(listed, Cons)
    assert listed.car == binding_times.Dynamic("any")
    assert isinstance(listed.cdr, binding_times.Static)
    assert listed.cdr.value is NIL


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "a binding time was expected, but there is none"),
        ("_ _", 3, "one binding time was expected, but another follows"),
        ("static", 1, "ill-formed binding time"),
        ("5", 1, "ill-formed binding time"),
        ("()", 1, "ill-formed binding time"),
        ("(cons _ . _)", 1, "ill-formed binding time"),
        ("(cons _ (5))", 10, "unknown form of binding time"),
        ("(statick 5)", 2, "unknown form of binding time"),
        ("(static 1 2)", 11, "ill-formed binding time: (static DATUM) was expected"),
        ("(dynamic integer)", 10, "unknown type `integer`"),
        ("(dynamic 5)", 10, "a type was expected"),
        ("(dynamic int int)", 14, "ill-formed binding time: (dynamic TYPE) was expected"),
        ("(cyclic 32)", 1, "ill-formed binding time: (cyclic BASE REM) was expected"),
        ("(cyclic 0 0)", 9, "the base of a cyclic value must be a positive integer, not 0"),
        ("(cyclic a 0)", 9, "the base of a cyclic value must be an integer, not symbol('a')"),
        ("(cyclic 8 8)", 11, "the remainder of a cyclic value must lie in [0, 8), not be 8"),
        ("(cyclic 8 -1)", 11, "the remainder of a cyclic value must lie in [0, 8), not be -1"),
        ("(cons _)", 1, "ill-formed binding time: (cons BT BT) was expected"),
        ("(record)", 1, "ill-formed binding time: (record NAME BT ...) was expected"),
        ("(record 5 _)", 9, "a record type's name was expected"),
        ("(static 5", 1, "unclosed `(`"),
        ("(vector _ x)", 11, "ill-formed binding time"),
    ],
)
def test_ill_formed_text(text: str, column: int, message: str) -> None:
    with pytest.raises(CogenError) as caught:
        parse_bt(text, "BT 2")
    assert caught.value.message == message
    assert str(caught.value.span) == f"BT 2:1:{column}"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("3", "write (static 3) for a value that is known, _ for one that is not"),
        ('"a b"', 'write (static "a b") for a value that is known, _ for one that is not'),
        ("dynamic", "write (dynamic), or _"),
        ("static", "write (static DATUM), with the value"),
        ("int", "write (dynamic int)"),
        ("double", "write (dynamic float)"),
        ("(statick 5)", "did you mean `static`?"),
        ("(dynamic integer)", "it is called `int`"),
        ("(dynamic string)", "it is called `any`"),
        ("(cons _ . _)", FORMS),
        ("(frobnicate 1)", FORMS),
    ],
)
def test_what_was_meant(text: str, hint: str) -> None:
    with pytest.raises(CogenError) as caught:
        parse_bt(text)
    assert caught.value.hint == hint


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cogen.bt.dynamic("str"), "unknown type `str`"),
        (lambda: cogen.bt.static({}), "a Python dict is no datum"),
        (
            lambda: cogen.bt.cyclic(True, 0),
            "the base of a cyclic value must be an integer, not True",
        ),
        (
            lambda: cogen.bt.cyclic(8, 1.0),  # type: ignore[arg-type]
            "the remainder of a cyclic value must be an integer, not 1.0",
        ),
        (
            lambda: cogen.bt.list_(5),  # type: ignore[arg-type]
            "a binding time was expected, not 5",
        ),
    ],
)
def test_wrong_python(make: Callable[[], BT], message: str) -> None:
    with pytest.raises(CogenError) as caught:
        make()
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("text", "says"),
    [("static 3", "its parentheses are missing: '(static 3)'"), ("_ _", "quote each")],
)
def test_parentheses_that_are_missing(text: str, says: str) -> None:
    with pytest.raises(CogenError) as caught:
        parse_bt(text)
    assert says in str(caught.value.hint)


@pytest.mark.parametrize(
    ("given", "says"),
    [("(cyclic 8 0)", "cogen.bt.parse_bt('(cyclic 8 0)')"), ("(cyclic 8", "cogen.static(value)")],
)
def test_text_of_the_command_line(given: str, says: str) -> None:
    with pytest.raises(CogenError) as caught:
        cogen.bt.list_(given)  # type: ignore[arg-type]
    assert says in str(caught.value.hint)


@pytest.mark.slow
def test_deep_binding_times() -> None:
    depth = 10_000
    bt = parse_bt("(cons _ " * depth + "_" + ")" * depth)
    for _ in range(depth):
        assert isinstance(bt, Cons)
        bt = bt.cdr
    assert bt == binding_times.Dynamic()
