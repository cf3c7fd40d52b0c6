"""What R7RS has and this language has not: name -> what to do instead.

Using one of these names, where the program does not define it, gives a diagnostic that says
that it is left out.  `docs/language.md` lists them for users; a test keeps the two together.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from cogen.lang.errors import LimitationError, Note, Span

_MUTABLE_STRINGS = "strings cannot be changed; build a new one with string-append or substring"
_EXACT_RATIONALS = "numbers are 64-bit integers and binary64 floats; there are no fractions"
_COMPLEX = "numbers are 64-bit integers and binary64 floats; there are no complex numbers"
_EVALUATION = "a program is expanded and checked as a whole before it runs"
_FILES = "programs read and write string ports and the standard output only"
_SYSTEM = "programs have no access to the system they run on"
_TRANSFORMERS = "macros are written with syntax-rules"
_INPUT = "there is no standard input; read from a string port, or pass data to the entry"

GROUPS: Final[dict[str, tuple[str, ...]]] = {
    _MUTABLE_STRINGS: ("string-set!", "string-fill!", "string-copy!"),
    _EXACT_RATIONALS: ("numerator", "denominator", "rationalize"),
    _COMPLEX: (
        "make-rectangular",
        "make-polar",
        "real-part",
        "imag-part",
        "magnitude",
        "angle",
    ),
    _EVALUATION: (
        "eval",
        "environment",
        "interaction-environment",
        "scheme-report-environment",
        "null-environment",
        "load",
    ),
    _FILES: (
        "open-input-file",
        "open-output-file",
        "open-binary-input-file",
        "open-binary-output-file",
        "call-with-input-file",
        "call-with-output-file",
        "with-input-from-file",
        "with-output-to-file",
        "file-exists?",
        "delete-file",
        "open-input-bytevector",
        "open-output-bytevector",
        "get-output-bytevector",
        "read-u8",
        "peek-u8",
        "u8-ready?",
        "write-u8",
        "read-bytevector",
        "read-bytevector!",
        "write-bytevector",
        "binary-port?",
        "file-error?",
        "read-error?",
    ),
    _INPUT: ("char-ready?", "current-input-port"),
    _SYSTEM: (
        "command-line",
        "exit",
        "emergency-exit",
        "get-environment-variable",
        "get-environment-variables",
        "current-second",
        "current-jiffy",
        "jiffies-per-second",
        "current-error-port",
        "features",
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
    "include the file with `include`": ("include-ci", "include-library-declarations"),
    "there is one implementation only; write what it shall do": ("cond-expand",),
}

LEFT_OUT: Final[dict[str, str]] = {name: hint for hint, names in GROUPS.items() for name in names}
"""Each left-out name and the hint its diagnostic gives."""

LEFT_OUT_LIBRARIES: Final[dict[str, str]] = {
    "complex": _COMPLEX,
    "eval": _EVALUATION,
    "file": _FILES,
    "load": _EVALUATION,
    "process-context": _SYSTEM,
    "r5rs": "import (scheme base)",
    "repl": _EVALUATION,
    "time": _SYSTEM,
}
"""The standard libraries `(scheme NAME)` that are left out."""


def left_out(name: str, span: Span, notes: Iterable[Note] = ()) -> LimitationError:
    """The error for the use of a left-out name."""
    return LimitationError(f"`{name}` is left out of this language", span, LEFT_OUT[name], notes)
