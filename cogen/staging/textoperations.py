"""What staged strings do (`cogen.staging.stagedtexts`): Python's operators and methods.

s + c       a string with room, with one more character: as lists grow
s == t      as many characters, and the same
s.find(t)   a loop over places (`cogen.staging.textlibrary`)
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, Final, NoReturn

import numpy as np

from cogen.array.l0.types import BOOL, INT
from cogen.staging import textlibrary
from cogen.staging.characterclasses import CASES, PREDICATES, changed, told
from cogen.staging.comprehensions import StagedGenerator
from cogen.staging.convertfunctions import convert
from cogen.staging.listelements import CHARACTER_SHAPE, appended, rows_of, with_room
from cogen.staging.sequencecalls import SEQUENCE_CALLS, LoopSteps
from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedarrays import METHODS, Array, as_array
from cogen.staging.stagedconditionals import conditional
from cogen.staging.stagedexpressions import constant, op, require, text
from cogen.staging.stagedlists import ListRows, StagedList
from cogen.staging.stagedreading import iota
from cogen.staging.stagedscalars import FUNCTION_HANDLER, Scalar, apply, expression, scalar
from cogen.staging.stagedtexts import (
    LAST_ASCII,
    TEXT_METHODS,
    StagedCharacter,
    StagedString,
    StagedText,
    as_staged,
    code_of,
    codes_of,
    is_single,
    is_text,
    length_of,
    note_wide,
    string_of,
)
from cogen.staging.tracer import current
from cogen.staging.wholearrays import concatenated, mapped

Texts = StagedString | str


def _run(f: Callable[..., Any], *args: Any) -> Any:
    """What a function of `cogen.staging.textlibrary` gives, staged."""
    return convert(f)(*args)  # type: ignore[arg-type]  # a function


def _of_list(found: Any) -> StagedText:
    """The string of a list of codes."""
    rows = rows_of(found.content(), None)
    return StagedText(rows.leaves[0], rows.count)


# Elements.


def _getitem(s: StagedString, index: Any) -> Any:
    codes = codes_of(s)
    if isinstance(index, slice):
        return StagedText(as_array(codes[index]).settled())
    return StagedCharacter(codes[index])


def _iter(s: StagedString) -> Iterator[Any]:
    count = length_of(s)
    if isinstance(count, int):
        return iter([s[k] for k in range(count)])
    fail("only a run knows how many characters this string has", "write a `for` loop")


def contains(whole: Any, part: Any) -> Any:
    """`part in whole`."""
    if not is_text(part):
        fail("`in` of a string asks for a string", "chr(n) is the character of a code")
    if is_single(part):
        return np.any(codes_of(whole) == code_of(part))
    return apply("less_equal", 0, _run(textlibrary.find, codes_of(whole), codes_of(part), 0))


# Longer strings.


def _add(a: Texts, b: Any) -> Any:
    if not is_text(b):
        return NotImplemented
    if is_single(b) and not is_single(a):
        found = appended(with_room(_rows(a)), code_of(b))
        return StagedText(found.leaves[0], found.count)
    if isinstance(a, StagedText) and not a.is_exact:
        return _of_list(_run(textlibrary.extended, StagedList((), _rows(a)), codes_of(b)))
    return StagedText(concatenated([codes_of(a), codes_of(b)], 0))


def _rows(s: Texts) -> ListRows:
    """The codes of a string as the elements of a list."""
    if isinstance(s, StagedText):
        return ListRows((s.array,), next, None, s.length)
    return ListRows((codes_of(s),), next, None)


def _mul(s: StagedString, times: Any) -> Any:
    if isinstance(times, bool) or not isinstance(times, int | Scalar):
        return NotImplemented
    codes, count = codes_of(s), length_of(s)
    whole = iota(apply("maximum", apply("multiply", scalar(times), count), 0))
    return StagedText(mapped(lambda k: codes[k % count], [whole]))


def _join(between: Texts, parts: Any) -> Any:
    """`between.join(parts)`."""
    if isinstance(parts, StagedGenerator):
        parts = parts.staged_list()
    if isinstance(parts, LoopSteps):
        parts = SEQUENCE_CALLS[list](parts)
    if is_text(parts):
        return _between(between, as_staged(parts)) if between != "" else as_staged(parts)
    if isinstance(parts, StagedList) and not parts.is_known:
        rows = parts.rows
        assert rows is not None
        if rows.shape != CHARACTER_SHAPE:
            fail("the elements that are joined must be characters", "chr(n) makes one of a code")
        whole = StagedText(rows.leaves[0], rows.count)
        return whole if between == "" else _between(between, whole)
    found: Any = ""
    for k, part in enumerate(parts):
        found = found + (between + part if k and between != "" else part)
    return found


def _between(between: Texts, whole: StagedString) -> StagedText:
    return _of_list(_run(textlibrary.joined, codes_of(whole), codes_of(between)))


# Comparisons.


def _equal(a: Any, b: Any) -> Any:
    if not is_text(a) or not is_text(b):
        return False
    if is_single(a) and is_single(b):
        return apply("equal", code_of(a), code_of(b))
    lengths = length_of(a), length_of(b)
    if all(isinstance(n, int) for n in lengths) and lengths[0] != lengths[1]:
        return False
    return FUNCTION_HANDLER[0](np.array_equal, (codes_of(a), codes_of(b)), {})


def _unequal(a: Any, b: Any) -> Any:
    found = _equal(a, b)
    return apply("logical_not", found) if isinstance(found, Scalar) else not found


def _before(a: Any, b: Any) -> Any:
    if not is_text(a) or not is_text(b):
        return NotImplemented
    if is_single(a) and is_single(b):
        return apply("less", code_of(a), code_of(b))
    return _run(textlibrary.is_before, codes_of(a), codes_of(b))


def _not_after(a: Any, b: Any) -> Any:
    found = _before(b, a)
    return found if found is NotImplemented else apply("logical_not", found)


# What is told of strings.


def _predicate(name: str) -> Callable[[StagedString], Any]:
    def told_of(s: StagedString) -> Any:
        if isinstance(s, StagedCharacter):
            return told(name, s.code)
        found = METHODS["all"](_each(s, lambda code: told(name, code)))
        if name == "isprintable":
            return found
        return apply("logical_and", apply("less", 0, length_of(s)), found)

    return told_of


def _each(s: StagedString, f: Callable[[Scalar], Any]) -> Array:
    found = mapped(f, [codes_of(s)])
    assert isinstance(found, Array)
    return found


def _of_case(name: str, other: str) -> Callable[[StagedString], Any]:
    """`isupper` or `islower`: there are such letters, and none of another kind."""

    def hinders(code: Scalar) -> Any:
        found = told(other, code)
        if current().attempts.wide_text:
            own = apply("logical_not", told(name, code))
            title = apply("logical_and", told("istitle", code), own)
            found = apply("logical_or", found, title)
        return found

    def told_of(s: StagedString) -> Any:
        if isinstance(s, StagedCharacter):
            return told(name, s.code)
        some = METHODS["any"](_each(s, lambda code: told(name, code)))
        others = METHODS["any"](_each(s, hinders))
        return apply("logical_and", some, apply("logical_not", others))

    return told_of


def _is_ascii(s: StagedString) -> Any:
    codes: Any = codes_of(s)
    return METHODS["all"](codes <= LAST_ASCII)


def _in_case(name: str) -> Callable[[StagedString], Any]:
    def other(s: StagedString) -> Any:
        if isinstance(s, StagedCharacter):
            return StagedCharacter(changed(name, s.code))
        return StagedText(_each(s, lambda code: changed(name, code)))

    return other


def _stands_at(s: Texts, part: Any, from_end: bool) -> Any:
    if isinstance(part, tuple):
        found: Any = False
        for one in part:
            found = apply("logical_or", found, _stands_at(s, one, from_end))
        return found
    codes, own = codes_of(s), codes_of(part)
    at = length_of(s) - length_of(part) if from_end else 0
    return _run(textlibrary.stands_at, codes, own, at)


def _find(s: Texts, part: Any, start: Any = 0) -> Any:
    if isinstance(start, Scalar):
        require(op("<=", constant(0), expression(start)), text("find() from a place below 0"))
    elif start < 0:
        start = apply("maximum", length_of(s) + start, 0)
    return _run(textlibrary.find, codes_of(s), codes_of(part), start)


def _rfind(s: Texts, part: Any) -> Any:
    return _run(textlibrary.find_last, codes_of(s), codes_of(part))


def _there(find: Callable[..., Any]) -> Callable[..., Any]:
    """`index`: `find`, of what must be there."""

    def index(s: Texts, *given: Any) -> Any:
        found = find(s, *given)
        inside = op("<=", constant(0), expression(scalar(found)))
        require(inside, text("index() of what is not in the string"))
        return found

    return index


def _count(s: Texts, part: Any) -> Any:
    if is_single(part):
        return METHODS["sum"](codes_of(s) == code_of(part))
    return _run(textlibrary.count, codes_of(s), codes_of(part))


def _replace(s: Texts, old: Any, new: Any) -> Any:
    count = length_of(old)
    if not isinstance(count, int) or count == 0:
        cannot("an empty string, or one that only a run knows, is not replaced")
    if is_single(old) and is_single(new):
        a, b = code_of(old), code_of(new)
        return StagedText(as_array(np.where(codes_of(s) == a, b, codes_of(s))))
    return _of_list(_run(textlibrary.replaced, codes_of(s), codes_of(old), codes_of(new)))


def _stripped(left: bool, right: bool) -> Callable[..., Any]:
    def strip(s: Texts, characters: str | None = None) -> Any:
        if characters is not None and not isinstance(characters, str):
            cannot("only a run knows which characters are stripped")
        codes = codes_of(s)
        others = spaces() if characters is None else tuple(map(ord, characters))
        start = _run(textlibrary.first_beside, codes, others) if left else 0
        end = _run(textlibrary.end_beside, codes, others, start) if right else length_of(s)
        return StagedText(as_array(codes[start:end]).settled())

    return strip


def spaces() -> tuple[int, ...]:
    """The codes of spaces that a string may have."""
    last = sys.maxunicode if current().attempts.wide_text else LAST_ASCII
    return tuple([code for code in range(min(last, _LAST_SPACE) + 1) if chr(code).isspace()])


_LAST_SPACE: Final = 0x3000
"""The last code of a space that Unicode has."""


def _encode(s: Texts, encoding: str = "utf-8") -> Any:
    if encoding not in ("utf-8", "ascii", "latin-1"):
        cannot(f"the encoding {encoding} of a string that only a run knows", "utf-8 and ascii")
    codes: Any = codes_of(s)
    if current().attempts.wide_text:
        inside = METHODS["all"](codes <= LAST_ASCII)
        require(expression(scalar(inside)), text("encode() of characters that are not in ASCII"))
    return METHODS["copy"](codes)


def _refused(name: str) -> Callable[..., NoReturn]:
    def refuse(s: Texts, *given: Any, **options: Any) -> NoReturn:
        cannot(
            f"`{name}` of a string that only a run knows is not staged: a list of strings of any "
            "lengths is no value of an array program",
            "pass the parts as an array of strings, np.array(s.split()), or go through the "
            "characters in a loop",
        )

    return refuse


TEXT_METHODS.update({
    "__getitem__": _getitem, "__iter__": _iter, "__add__": _add, "__mul__": _mul, "__rmul__": _mul,
    "__radd__": lambda s, other: _add(other, s), "__eq__": _equal, "__ne__": _unequal,
    "__lt__": _before, "__gt__": lambda a, b: _before(b, a), "__le__": _not_after,
    "__ge__": lambda a, b: _not_after(b, a),
    **{name: _predicate(name) for name in PREDICATES if name not in ("isupper", "islower")},
    "isupper": _of_case("isupper", "islower"), "islower": _of_case("islower", "isupper"),
    "isascii": _is_ascii, **{name: _in_case(name) for name in CASES}, "join": _join,
    "startswith": lambda s, part: _stands_at(s, part, False),
    "endswith": lambda s, part: _stands_at(s, part, True),
    "find": _find, "rfind": _rfind, "index": _there(_find), "rindex": _there(_rfind),
    "count": _count, "replace": _replace, "strip": _stripped(True, True),
    "lstrip": _stripped(True, False), "rstrip": _stripped(False, True), "encode": _encode,
    **{name: _refused(name) for name in ("split", "rsplit", "splitlines", "partition")},
})  # fmt: skip


# Numbers.


def number_of(s: Texts) -> Any:
    """`int` of a string."""
    if isinstance(s, StagedCharacter):
        inside = told("isdigit", s.code) if not current().attempts.wide_text else apply(
            "logical_and", apply("less_equal", ord("0"), s.code),
            apply("less_equal", s.code, ord("9")))  # fmt: skip
        require(expression(scalar(inside)), text("int() of a character that is no digit"))
        return s.code - ord("0")
    return _run(textlibrary.number, codes_of(s), spaces())


def order_of(s: Any) -> Any:
    """`ord`."""
    if isinstance(s, StagedCharacter):
        return s.code
    if isinstance(s, StagedText):
        one = apply("equal", s.length, 1)
        require(expression(scalar(one)), text("ord() of a string of another length than 1"))
        return s.codes()[0]
    return ord(s)


def character_of(code: Any) -> Any:
    """`chr`."""
    if not isinstance(code, Scalar):
        return chr(code)
    if code.type != INT:
        fail("chr() takes an int", "x.astype(int)")
    note_wide(None)
    inside = op("&&", op("<=", constant(0), expression(code)),
                op("<=", expression(code), constant(sys.maxunicode)))  # fmt: skip
    require(inside, text("chr() of what is no code of a character:"), expression(code))
    return StagedCharacter(code)


def text_of(*given: Any) -> Any:
    """`str`."""
    x = given[0] if len(given) == 1 else None
    if isinstance(x, StagedString):
        return x
    if not isinstance(x, Scalar):
        return str(*given)
    if x.type == BOOL:
        return conditional(x, lambda: "True", lambda: "False")
    if x.type != INT:
        cannot("the text of a float that only a run knows", "return the number")
    return _of_list(_run(textlibrary.digits, x))


__all__ = ["character_of", "contains", "number_of", "order_of", "spaces", "string_of", "text_of"]
