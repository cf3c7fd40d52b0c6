"""`cond-expand`: which forms stand, by what the language has (R7RS, sections 4.2.1 and 5.6.1).

    clause      ::= (requirement form ...) | (else form ...)
    requirement ::= feature | (library name) | (and requirement ...) | (or requirement ...)
                  | (not requirement)

The forms of the first clause whose requirement is met stand for the whole; it is an error if none
is, as what is then left out would be missed later and elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from cogen.lang.errors import CogenError
from cogen.lang.scope import is_identifier, root
from cogen.lang.syntax import Syntax, SyntaxList

if TYPE_CHECKING:
    from cogen.lang.expander import Expander

FEATURES: Final = ("r7rs", "exact-closed", "ieee-float", "full-unicode", "cogen")
"""What `cond-expand` and `(features)` know; the prelude has the list too."""

_SHAPE: Final = "(cond-expand (requirement form ...) ...)"
_REQUIREMENT: Final = "feature, (library name), (and ...), (or ...), (not requirement) or else"


def chosen(x: Expander, form: Syntax) -> Sequence[Syntax]:
    """The forms that stand for a `cond-expand`."""
    clauses = _items(form)[1:]
    for clause in clauses:
        items = _items(clause)
        if not items:
            problem = "ill-formed clause of `cond-expand`"
            raise CogenError(problem, clause.span, f"expected {_SHAPE}")
        if _is_met(x, items[0]):
            return items[1:]
    raise CogenError(
        "no clause of `cond-expand` fits",
        form.span,
        f"the features are {', '.join(FEATURES)}; (else form ...) fits always",
    )


def _items(form: Syntax) -> Sequence[Syntax]:
    value = form.value
    return value.items if isinstance(value, SyntaxList) and value.tail is None else ()


def _is_met(x: Expander, requirement: Syntax) -> bool:
    if is_identifier(requirement):
        return root(requirement.value).name in (*FEATURES, "else")
    items = _items(requirement)
    if items and is_identifier(items[0]):
        keyword, rest = root(items[0].value).name, items[1:]
        if keyword == "and":
            return all(_is_met(x, part) for part in rest)
        if keyword == "or":
            return any(_is_met(x, part) for part in rest)
        if keyword == "not" and len(rest) == 1:
            return not _is_met(x, rest[0])
        if keyword == "library" and len(rest) == 1:
            assert x.libraries is not None
            return x.libraries.has(rest[0])
    raise CogenError("ill-formed requirement", requirement.span, f"expected {_REQUIREMENT}")
