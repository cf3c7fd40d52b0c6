"""What may have been meant by what is no binding time: hints of `cogen.binding_times`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from cogen.lang.datum import Symbol
from cogen.lang.printer import write_datum
from cogen.lang.syntax import Syntax, SyntaxList
from cogen.lang.syntax import to_datum as syntax_to_datum

FORMS: Final = (
    "a binding time is _, (dynamic), (dynamic TYPE), (static DATUM), (cyclic BASE REM), "
    "(cons BT BT), (list BT ...), (vector BT ...) or (record NAME BT ...)"
)
"""All forms."""


_TYPES_ELSEWHERE: Final = {
    **dict.fromkeys(("integer", "int64", "i64", "long", "number", "exact-integer"), "int"),
    **dict.fromkeys(("double", "float64", "f64", "real", "number?"), "float"),
    **dict.fromkeys(("boolean", "Bool"), "bool"),
    **dict.fromkeys(("buffer", "bytes", "bytevector"), "memory"),
    **dict.fromkeys(("string", "str", "list", "pair", "symbol", "object"), "any"),
}
"""Names of types elsewhere, and the type that is meant."""


_WHOLE_FORMS: Final = {
    "dynamic": "write (dynamic), or _",
    "static": "write (static DATUM), with the value",
}
"""What is to be written for words that stand alone."""


def hint_of_type(name: str, types: Iterable[str]) -> str:
    """What a name of no type may mean, else which types there are."""
    if name in _TYPES_ELSEWHERE:
        return f"it is called `{_TYPES_ELSEWHERE[name]}`"
    shapes = "(array TYPE), (tuple TYPE ...), (record NAME TYPE ...) and (union (record ...) ...)"
    return f"the types are {', '.join(types)}, {shapes}"


def hint_of_form(syntax: Syntax, types: Collection[str]) -> str:
    """What is meant by what is no form of a binding time."""
    value = syntax.value
    if isinstance(value, SyntaxList):
        return FORMS
    if not isinstance(value, Symbol):
        known = write_datum(syntax_to_datum(syntax))
        return f"write (static {known}) for a value that is known, _ for one that is not"
    if value.name in types or value.name in _TYPES_ELSEWHERE:
        return f"write (dynamic {_TYPES_ELSEWHERE.get(value.name, value.name)})"
    return _WHOLE_FORMS.get(value.name, FORMS)
