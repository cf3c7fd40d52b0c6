"""Binding times of an entry's parameters: what is known ahead, and in which form.

    BT ::= _ | (dynamic) | (dynamic TYPE)      known when the residual program runs
         | (static DATUM)                      known now
         | (static)                            known when a generating extension runs
         | (cyclic BASE REM)                   BASE * q + REM with q known when it runs
         | (cons BT BT) | (list BT ...) | (vector BT ...) | (record NAME BT ...)
    TYPE ::= int | float | bool | memory | any
           | (array ELEMENT) | (tuple ELEMENT ...)      for programs on whole arrays
           | (array (packed LAYOUT))                    a bytevector of such samples
    ELEMENT ::= int | float | bool | char | (array ELEMENT) | (tuple ELEMENT ...)
        | (record NAME ELEMENT ...)

The residual entry's parameters are the dynamic and cyclic leaves, left to right, depth first.
`dynamic`, `static`, ... make binding times in Python; `parse_bt` reads the text form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final, overload

from cogen import origins
from cogen.bindinghints import FORMS, hint_of_form, hint_of_type
from cogen.boundary import public
from cogen.convert import datum_to_sexpdata, to_datum
from cogen.expected import shown, text
from cogen.lang import datum
from cogen.lang.chain import ChainNode
from cogen.lang.datum import INT_MAX, NIL, Datum, Pair, Symbol
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, Source, Span
from cogen.lang.primtable.equivalence import equal
from cogen.lang.printer import write_datum
from cogen.lang.reader import read
from cogen.lang.shown import brief
from cogen.lang.syntax import Syntax, SyntaxList
from cogen.lang.syntax import to_datum as syntax_to_datum
from cogen.origins import Origin

TYPES: Final = ("int", "float", "bool", "memory", "any")
"""What a dynamic parameter may be declared to be; memory is a buffer, any is anything."""


class _Shown:
    """Shows itself as it is written on the command line, in a few words."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<binding time {brief(show_bt(self))}>"  # type: ignore[arg-type]  # it is one


@dataclass(frozen=True, slots=True, repr=False)
class Dynamic(_Shown):
    """A parameter of the residual program, of one of the `TYPES`, or of an array or tuple type (its
    text, as `show_bt` writes it)."""

    type: str = "any"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Static(_Shown):
    """A value that is known now; `origin` tells what text it is made of, if it is a program."""

    value: Datum
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Cyclic(_Shown):
    """An integer known to be `base * q + rem`, 0 <= rem < base; q is a parameter's quotient."""

    base: int
    rem: int


@dataclass(frozen=True, slots=True, repr=False)
class Cons(_Shown):
    """A pair whose halves have binding times of their own."""

    car: BT
    cdr: BT


@dataclass(frozen=True, slots=True, repr=False)
class Vector(_Shown):
    """A vector of known length."""

    items: tuple[BT, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Record(_Shown):
    """An instance of the program's record type of that name; the fields in order."""

    name: str
    fields: tuple[BT, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Later(_Shown):
    """A value that is known when a generating extension runs; for divisions only."""


BT = Dynamic | Static | Cyclic | Cons | Vector | Record | Later


@public
def dynamic(type: str = "any") -> Dynamic:
    """A value that only the residual program knows.

    `type` is one of the `TYPES`; or says what an array program takes: `"(array float)"`,
    `"(array (array int))"`, `"(tuple int (array float))"`.
    """
    text(type, "the type of a dynamic value", 'as in cogen.dynamic("int")')
    if type in TYPES:
        return Dynamic(type)
    if type.startswith("("):
        [syntax] = read(Source("<type>", type))[:1]
        return Dynamic(_shape(syntax))
    raise CogenError(f"unknown type `{type}`", hint=hint_of_type(type, TYPES))


ELEMENTS: Final = ("int", "float", "bool", "char")
"""What arrays and tuples of array programs are made of."""


def _shape(syntax: Syntax) -> str:
    """The text of an array or tuple type, in one spelling."""
    value = syntax.value
    if isinstance(value, Symbol) and value.name in (*ELEMENTS, "real"):
        return "float" if value.name == "real" else value.name
    if isinstance(value, SyntaxList) and value.items and value.tail is None:
        head, *parts = value.items
        name = head.value.name if isinstance(head.value, Symbol) else ""
        if name == "array" and len(parts) == 1 and (layout := _layout(parts[0])) is not None:
            return f"(array (packed {write_datum(layout)}))"
        if name in ("tuple", "union") or (name, len(parts)) in (("array", 1), ("pair", 2)):
            return f"({' '.join([name, *map(_shape, parts)])})"
        if name == "record" and parts and isinstance(parts[0].value, Symbol):
            record, *fields = parts
            return f"({' '.join([name, write_datum(record.value), *map(_shape, fields)])})"
    raise CogenError("unknown type", syntax.span, hint=hint_of_type("", TYPES))


def _layout(syntax: Syntax) -> str | None:
    """The layout that `(packed LAYOUT)` says; None for another element."""
    value = syntax.value
    if isinstance(value, SyntaxList) and value.tail is None and len(value.items) == 2:
        head, layout = (item.value for item in value.items)
        if isinstance(head, Symbol) and head.name == "packed" and isinstance(layout, str):
            return layout
    return None


_LATER: Final = Later()


@overload
def static() -> Later: ...


@overload
def static(value: object, origin: Origin | None = None) -> Static: ...


@public
def static(value: object = _LATER, origin: Origin | None = None) -> Static | Later:
    """A value that is known now: int, float, bool, str, bytes, list, tuple, symbol or datum.

    `origin` says that it is a program, made of a text: errors, pages and source maps of what is
    left of its interpreter speak of that text (see `cogen.Origin`).

    Arrays of NumPy's are vectors of their elements or rows, those of uint8 bytevectors; objects of
    sexpdata are what they write.  CogenError for what is no datum exactly (see `cogen.convert`).

    Without a value, one that a generating extension will be given (see `cogen.generate`).
    """
    if not isinstance(origin, Origin | None):
        raise CogenError(f"the origin of a value must be a cogen.Origin, not {shown(origin)}")
    return _LATER if isinstance(value, Later) else Static(to_datum(value), origin)


@public
def to_sexpdata(value: object) -> Any:
    """The objects of the package sexpdata that write a value: Symbol, Quoted, lists, Brackets.

    The value is a `static` one, or what may be one, as results of programs are.  A vector becomes
    `Brackets`, a pair a list with `Symbol(".")` before its last item, as sexpdata reads them.
    CogenError for what sexpdata has no objects for: bytevectors, characters, records, circular
    data.
    """
    return datum_to_sexpdata(value.value if isinstance(value, Static) else to_datum(value))


@public
def cyclic(base: int, rem: int) -> Cyclic:
    """An integer that is `rem` modulo the positive `base`, known but for its quotient.

    The residual parameter is the value itself; the remainder must lie in [0, base).
    """
    for name, number in (("base", base), ("remainder", rem)):
        if type(number) is not int:
            told = shown(number)
            raise CogenError(f"the {name} of a cyclic value must be an integer, not {told}")
    if not 0 < base <= INT_MAX:
        raise CogenError(
            f"the base of a cyclic value must be a positive integer, not {shown(base)}"
        )
    if not 0 <= rem < base:
        told = shown(rem)
        raise CogenError(f"the remainder of a cyclic value must lie in [0, {base}), not be {told}")
    return Cyclic(base, rem)


@public
def cons(car: BT, cdr: BT) -> Cons:
    """A pair of two binding times."""
    return Cons(check_bt(car), check_bt(cdr))


@public
def list_(*items: BT) -> BT:
    """A list of known length."""
    result: BT = Static(NIL)
    for item in reversed(items):
        result = Cons(check_bt(item), result)
    return result


@public
def vector(*items: BT) -> Vector:
    """A vector of known length."""
    return Vector(tuple(map(check_bt, items)))


@public
def record(name: str, *fields: BT) -> Record:
    """An instance of the record type that the program calls `name`."""
    if not isinstance(name, str):
        raise CogenError(f"the name of a record type must be a string, not {shown(name)}")
    return Record(name, tuple(map(check_bt, fields)))


def check_bt(value: BT) -> BT:
    """The value, if it is a binding time."""
    if not isinstance(value, BT):
        raise CogenError(
            f"a binding time was expected, not {shown(value)}",
            hint=_hint_for(value),
        )
    return value


def _hint_for(value: object) -> str:
    """What to write for a value: a text may be meant as the command line writes binding times."""
    if isinstance(value, str) and value.strip() == "_":
        return "write cogen.dynamic() for what only a run knows"
    if isinstance(value, str):
        try:
            parse_bt(value)
        except CogenError:
            pass
        else:
            return f"cogen.bt.parse_bt({value!r}) reads what commands are given"
    return "write cogen.static(value) for a value that is known, cogen.dynamic() otherwise"


def parse_bt(text: str, name: str = "<binding time>") -> BT:
    """The binding time that the text writes; CogenError, with a span in it, if ill-formed."""
    source = Source(name, text)
    found = read(source)
    if not found:
        span = Span(source, 0, len(text))
        raise CogenError("a binding time was expected, but there is none", span, hint=FORMS)
    if len(found) > 1:
        head, hint = found[0].value, "quote each binding time for the shell, as in '(cyclic 32 0)'"
        if isinstance(head, Symbol) and head.name in _FORMS:
            hint = f"its parentheses are missing: '({text.strip()})'"
        message = "one binding time was expected, but another follows"
        raise CogenError(message, found[1].span, hint=hint)
    return of_syntax(found[0])


def of_syntax(syntax: Syntax) -> BT:
    """The binding time that a piece of a text writes; CogenError, at its place, if ill-formed."""
    return on_deep_stack(_parse, syntax)


def _parse(syntax: Syntax) -> BT:
    value = syntax.value
    if isinstance(value, Symbol) and value.name == "_":
        return Dynamic()
    if not isinstance(value, SyntaxList) or not value.items or value.tail is not None:
        raise CogenError("ill-formed binding time", syntax.span, hint=hint_of_form(syntax, TYPES))
    head = value.items[0].value
    form = _FORMS.get(head.name) if isinstance(head, Symbol) else None
    if form is None:
        close = get_close_matches(head.name, _FORMS, 1) if isinstance(head, Symbol) else []
        hint = f"did you mean `{close[0]}`?" if close else FORMS
        raise CogenError("unknown form of binding time", value.items[0].span, hint=hint)
    return form(syntax, value.items[1:])


def _parse_dynamic(whole: Syntax, parts: tuple[Syntax, ...]) -> BT:
    if not parts:
        return Dynamic()
    _count(whole, parts, 1, "(dynamic TYPE)")
    if isinstance(parts[0].value, SyntaxList):
        return Dynamic(_shape(parts[0]))
    return _at(parts[0], lambda: dynamic(_name(parts[0], "a type")))


def _parse_static(whole: Syntax, parts: tuple[Syntax, ...]) -> BT:
    if not parts:
        return _LATER
    _count(whole, parts, 1, "(static DATUM)")
    return Static(syntax_to_datum(parts[0]))


def _parse_cyclic(whole: Syntax, parts: tuple[Syntax, ...]) -> BT:
    _count(whole, parts, 2, "(cyclic BASE REM)")
    base = parts[0].value
    good = type(base) is int and base > 0
    return _at(parts[1 if good else 0], lambda: cyclic(base, parts[1].value))


def _parse_cons(whole: Syntax, parts: tuple[Syntax, ...]) -> BT:
    _count(whole, parts, 2, "(cons BT BT)")
    return Cons(_parse(parts[0]), _parse(parts[1]))


def _parse_list(_whole: Syntax, parts: tuple[Syntax, ...]) -> BT:
    return list_(*map(_parse, parts))


def _parse_vector(_whole: Syntax, parts: tuple[Syntax, ...]) -> BT:
    return Vector(tuple(map(_parse, parts)))


def _parse_record(whole: Syntax, parts: tuple[Syntax, ...]) -> BT:
    if not parts:
        _count(whole, parts, 1, "(record NAME BT ...)")
    return Record(_name(parts[0], "a record type's name"), tuple(map(_parse, parts[1:])))


_FORMS: Final[dict[str, Callable[[Syntax, tuple[Syntax, ...]], BT]]] = {
    "dynamic": _parse_dynamic,
    "static": _parse_static,
    "cyclic": _parse_cyclic,
    "cons": _parse_cons,
    "list": _parse_list,
    "vector": _parse_vector,
    "record": _parse_record,
}


def _count(whole: Syntax, parts: tuple[Syntax, ...], count: int, form: str) -> None:
    if len(parts) == count:
        return
    place = parts[count].span if len(parts) > count else whole.span
    raise CogenError(f"ill-formed binding time: {form} was expected", place, hint=FORMS)


def _name(syntax: Syntax, what: str) -> str:
    if not isinstance(syntax.value, Symbol):
        raise CogenError(f"{what} was expected", syntax.span)
    return syntax.value.name


def _at(syntax: Syntax, make: Callable[[], BT]) -> BT:
    """What `make` gives; its errors get the place of the syntax."""
    try:
        return make()
    except CogenError as error:
        raise CogenError(error.message, error.span or syntax.span, hint=error.hint) from None


def show_bt(bt: BT) -> str:
    """The text of a binding time."""
    return on_deep_stack(_show, bt)


def _show(bt: BT) -> str:
    match bt:
        case Dynamic("any"):
            return "_"
        case Dynamic(type):
            return f"(dynamic {type})"
        case Static(value):
            return f"(static {write_datum(value)})"
        case Later():
            return "(static)"
        case Cyclic(base, rem):
            return f"(cyclic {base} {rem})"
        case Cons(car, cdr):
            items, rest = [_show(car)], cdr
            while isinstance(rest, Cons):
                items.append(_show(rest.car))
                rest = rest.cdr
            if isinstance(rest, Static) and rest.value is NIL:
                return f"(list {' '.join(items)})"
            text = _show(rest)
            for item in reversed(items):
                text = f"(cons {item} {text})"
            return text
        case Vector(items):
            return f"(vector{''.join(' ' + _show(item) for item in items)})"
        case Record(name, fields):
            return f"(record {name}{''.join(' ' + _show(item) for item in fields)})"


def nodes(bts: Iterable[BT]) -> dict[int, ChainNode]:
    """The nodes of the programs among what is known, by identity."""
    found: dict[int, ChainNode] = {}
    for bt in bts:
        for leaf in _leaves(bt):
            if isinstance(leaf, Static) and leaf.origin is not None:
                found.update(origins.nodes(leaf.value, leaf.origin))
    return found


def later_leaves(bt: BT) -> bool:
    """Whether the binding time leaves values to a generating extension."""
    return Later in map(type, _leaves(bt))


def cyclic_leaves(bt: BT) -> bool:
    """Whether there are cyclic integers in what the binding time stands for."""
    return Cyclic in map(type, _leaves(bt))


def _leaves(bt: BT) -> Iterator[BT]:
    """The binding times in a binding time that are not made of others."""
    work = [bt]
    while work:
        one = work.pop()
        match one:
            case Cons(car, cdr):
                work += [car, cdr]
            case Vector(items) | Record(_, items):
                work += items
            case _:
                yield one


def admits(division: BT, bt: BT) -> bool:
    """Whether a binding time is what a division foresaw: the same, with values in the places of
    `(static)`."""
    work = [(division, bt)]
    while work:
        match work.pop():
            case Later(), Static():
                continue
            case Static(a), Static(b) if equal(a, b):
                continue
            case Cons(a, b), Cons(c, d):
                work += [(a, c), (b, d)]
            case (Vector(a), Vector(b)) if len(a) == len(b):
                work += zip(a, b, strict=True)
            case (Record(name, a), Record(other, b)) if name == other and len(a) == len(b):
                work += zip(a, b, strict=True)
            case (Dynamic() | Cyclic()) as a, b if a == b:
                continue
            case _:
                return False
    return True


def contents(values: Iterable[Any]) -> Iterator[Any]:
    """All that is in binding times and in data, these too, each thing once."""
    work, seen = list(values), set[int]()
    while work:
        value = work.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        yield value
        match value:
            case Static(inner):
                work.append(inner)
            case Cons(car, cdr) | Pair(car=car, cdr=cdr):
                work += [car, cdr]
            case Vector(parts) | Record(_, parts):
                work += parts
            case datum.Record():
                work += value.values
            case list():
                work += value
