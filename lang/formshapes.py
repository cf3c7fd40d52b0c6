"""What the forms of the language look like: their parts, or an error that shows the shape."""

from __future__ import annotations

from cogen.lang.errors import CogenError
from cogen.lang.rules import flat
from cogen.lang.scope import root
from cogen.lang.syntax import Syntax, SyntaxList


def malformed(form: Syntax, name: str, shape: str, part: str = "") -> CogenError:
    """The error for a form that has not the shape it must have."""
    message = f"malformed {part} of `{name}`" if part else f"malformed `{name}`"
    return CogenError(message, form.span, f"expected {shape}")


def parts_of(form: Syntax, shape: str, least: int, most: int | None = None) -> tuple[Syntax, ...]:
    """What follows the keyword of a special form: `least` to `most` pieces (None: any number)."""
    value = flat(form.value)
    count = len(value.items) - 1
    if value.tail is not None or count < least or (most is not None and count > most):
        raise malformed(form, root(value.items[0].value).name, shape)
    return value.items[1:]


def items_of(syntax: Syntax) -> tuple[Syntax, ...] | None:
    """The items of a proper list; None if it is none."""
    value = syntax.value
    if not isinstance(value, SyntaxList):
        return None
    value = flat(value)
    return value.items if value.tail is None else None
