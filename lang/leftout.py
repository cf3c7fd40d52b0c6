"""What R7RS has and this language has not: name -> what to do instead.

Using one of these names, where the program does not define it, gives a diagnostic that says
that it is left out.  `docs/language.md` lists them for users; a test keeps the two together.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from cogen.lang.errors import LimitationError, Note, Span

_MUTABLE_STRINGS = "change the string with string-set! or string-copy!, or build a new one"
_TRANSFORMERS = "macros are written with syntax-rules"

GROUPS: Final[dict[str, tuple[str, ...]]] = {
    _MUTABLE_STRINGS: (
        "string-map!",
        "string-reverse!",
        "string-upcase!",
        "string-downcase!",
        "string-titlecase!",
        "string-xcopy!",
    ),
    _TRANSFORMERS: (
        "er-macro-transformer",
        "ir-macro-transformer",
        "sc-macro-transformer",
        "rsc-macro-transformer",
        "syntax-case",
        "define-macro",
        "defmacro",
    ),
}

LEFT_OUT: Final[dict[str, str]] = {name: hint for hint, names in GROUPS.items() for name in names}
"""Each left-out name and the hint its diagnostic gives."""


def left_out(name: str, span: Span, notes: Iterable[Note] = ()) -> LimitationError:
    """The error for the use of a left-out name."""
    return LimitationError(f"`{name}` is left out of this language", span, LEFT_OUT[name], notes)
