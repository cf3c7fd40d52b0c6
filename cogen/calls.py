"""`(NAME BT ...)` as people write it -> a procedure, and what is known of its arguments.

(power _ 5)     (power (dynamic int) (static 5))     (match? '(star #\\a) _)
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from cogen import binding_times
from cogen.binding_times import BT, of_syntax
from cogen.lang import il
from cogen.lang.datum import Char, Symbol
from cogen.lang.errors import CogenError, Span
from cogen.lang.ilutil import find_procedure
from cogen.lang.syntax import Syntax, SyntaxList, SyntaxVector, to_datum
from cogen.programarguments import check_count, check_records, meant, near_names, static_in_file

CALL: Final = "(NAME BT ...)"


def call_of(
    program: il.Program,
    form: Syntax,
    folder: Path | None = None,
    remedy: str = "define it first",
) -> tuple[str, list[BT]]:
    """The procedure and the binding times that `(NAME BT ...)` writes; for `NAME` alone, nothing is
    known of its arguments.  Files that it names are looked for in the folder.

    CogenError, at the form, if they do not fit the program; `remedy` is what helps if it has no
    such procedure."""
    items = form.value.items if isinstance(form.value, SyntaxList) else (form,)
    if not items or not isinstance(items[0].value, Symbol):
        raise CogenError("a call with binding times was expected", form.span, f"write {CALL}")
    name = items[0].value.name
    if name not in program.own_globals:
        near = near_names(name, program.own_globals)
        hint = meant(near) if near else remedy
        raise CogenError(f"no procedure `{name}` is defined here", items[0].span, hint)
    if isinstance(form.value, SyntaxList):
        times = [_known(item, folder) for item in items[1:]]
    else:
        times = _nothing_known(program, name, form.span)
    try:
        check_count(program, name, len(times))
        for i, bt in enumerate(times, 1):
            check_records(program, bt, f"BT {i}")
    except CogenError as error:
        raise CogenError(error.message, form.span, error.hint, error.notes) from None
    return name, times


def _nothing_known(program: il.Program, name: str, span: Span) -> list[BT]:
    function = find_procedure(program, name)
    if function is None or function.rest is not None:
        message = f"how many arguments `{name}` is to have must be said"
        raise CogenError(message, span, f"write ({name} BT ...), with _ for what is not known")
    return [binding_times.Dynamic() for _ in function.parameters]


_ITSELF: Final = (bool, int, float, str, Char, bytearray, SyntaxVector)
"""Values that stand for themselves."""


def _known(form: Syntax, folder: Path | None) -> BT:
    """A binding time; here, literal and quoted data stand for themselves."""
    if isinstance(form.value, _ITSELF):
        return binding_times.Static(to_datum(form))
    if isinstance(form.value, SyntaxList) and len(form.value.items) == 2:
        head, datum = form.value.items
        if isinstance(head.value, Symbol) and head.value.name == "quote":
            return binding_times.Static(to_datum(datum))
    text = form.span.source.text[form.span.start : form.span.end]
    in_file = static_in_file(text, "the binding time", folder)
    return of_syntax(form) if in_file is None else binding_times.Static(in_file[0])
