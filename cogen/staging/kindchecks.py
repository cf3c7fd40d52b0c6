"""What users' kinds of nodes are held to: laws and phases give what the class of a node says.

The type of what becomes of a node is known while a function is staged; its sizes are compared then
if they are known, else in a run, unless they are proven to be the same.  A node is a value, so what
gives another one for it must not assign to what the node is made of.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from cogen.array.l0.types import INT, REAL
from cogen.staging.sourceplaces import fail
from cogen.staging.stagedarrays import Array, as_array
from cogen.staging.stagedcalls import call
from cogen.staging.stagedexpressions import op, require, text
from cogen.staging.stagedreading import integer
from cogen.staging.wholearrays import converted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cogen.staging.kinds import Kind, NodeOfKind


def as_declared(node: Kind, found: Any) -> Array:
    """What became of a node, as the array that its class says."""
    made = as_array(found)
    wanted = node.dtype_
    if not _is_like(made, node):
        fail(
            f"`{type(node).__name__}` is an array of {node.dims_} dimensions of {wanted.name}, but "
            f"became one of {made.ndim} dimensions of {made.element.name}",
            place=node.place,
        )
    settled = converted(made, wanted).settled()
    _require_sizes(node, settled)
    return settled


def _is_like(made: Array, node: NodeOfKind) -> bool:
    wanted = node.dtype_
    alike = made.element == wanted or (made.element, wanted) == (INT, REAL)
    return alike and made.ndim == node.dims_


def _require_sizes(node: Kind, made: Array) -> None:
    """Fail, in a run if need be, where an array has not the sizes that its node said it has."""
    if node.sizes is None:
        return
    said = call(type(node).sizes, node)
    name = type(node).__name__
    for dimension, size in enumerate(said):
        found = made.size_of(dimension)
        if isinstance(size, int) and isinstance(found, int):
            if size != found:
                fail(
                    f"`{name}` says that dimension {dimension} has size {size}, but became an "
                    f"array of size {found} there",
                    place=node.place,
                )
        elif size is not found:
            says = text(f"the size that `{name}` says, and that of dimension {dimension}:")
            require(op("=", integer(size), integer(found)), says, integer(size), integer(found))


def check_law(node: NodeOfKind, law: str, found: Any) -> None:
    """Refuse what a law gives for a node of an array that is not of its type."""
    if node.dims_ and isinstance(found, Array) and not _is_like(found, node):
        fail(
            f"`{type(node).__name__}` is an array of {node.dims_} dimensions of "
            f"{node.dtype_.name}, but the law `{law}` gives one of {found.ndim} dimensions of "
            f"{found.element.name}",
            place=node.place,
        )


@contextmanager
def values_only(node: NodeOfKind, what: str) -> Iterator[None]:
    """What is done within does not assign to what a node is made of."""
    arrays = _arrays(node.operands)
    before = [array.version for array in arrays]
    yield
    if [array.version for array in arrays] != before:
        fail(
            f"{what} assigns to what `{type(node).__name__}` is made of",
            "assign to a copy: a = a.copy()",
            place=node.place,
        )


def _arrays(operands: Sequence[Any]) -> list[Array]:
    """The arrays among operands that are no nodes."""
    found: list[Array] = []
    for x in operands:
        if isinstance(x, tuple):
            found += _arrays(x)
        elif isinstance(x, Array) and not hasattr(type(x), "operands_"):
            found.append(x)
    return found
