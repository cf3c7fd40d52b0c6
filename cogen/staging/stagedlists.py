"""Lists of staged functions: lists of Python, until only a run knows how many elements they have.

    known       the elements are in the list itself, as in any list
    rows        an array for each part of an element (`ListRows`); `count` says how many elements
                there are where the arrays have room for more, in loops in which a list grows
    sealed      within a loop that only makes it longer: what stands before is not known there, and
                asking for anything but more room begins the loop again, with the list carried along

What lists do is in `cogen.staging.listoperations`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from cogen.staging.sourceplaces import fail
from cogen.staging.stagedarrays import Array
from cogen.staging.tracer import tracing

OPERATIONS: Final[dict[str, Callable[..., Any]]] = {}
"""What lists do that are not known, by the names of the methods; set where it is."""


@dataclass(frozen=True, slots=True, eq=False)
class ListRows:
    """The elements of a list as arrays: one for each leaf of an element, in order.

    `build` makes an element of its leaves, `shape` is what elements have in common
    (`cogen.staging.valueparts.shape_of`, all the way down), `count` the number of elements where
    that is not the size of the arrays.  Of arrays and lists that are elements `owned` says whether
    nothing else holds them, so that assigning to them is assigning to these arrays.
    """

    leaves: tuple[Array, ...]
    build: Callable[[Iterator[Any]], Any]
    shape: Any
    count: Any = None
    owned: bool = True

    def of(self, leaves: Iterable[Array], count: Any = None) -> ListRows:
        """Elements of this kind."""
        return ListRows(tuple(leaves), self.build, self.shape, count, self.owned)

    def length(self) -> Any:
        """How many elements there are."""
        return self.leaves[0].size_of(0) if self.count is None else self.count


class StagedList(list[Any]):
    """A list that a staged function makes."""

    __slots__ = ("fixed", "rows", "sealed", "walked")

    def __init__(self, elements: Iterable[Any] = (), rows: ListRows | None = None) -> None:
        super().__init__(elements)
        self.rows = rows
        self.sealed: Callable[[], Any] | None = None
        self.fixed = False
        """Whether it is an element of another list, whose arrays it is a part of."""
        self.walked = 0
        """How many loops go through it, while it keeps its length."""
        tracer = tracing()
        if tracer is not None:
            tracer.made(self)

    # Content.

    def elements(self) -> list[Any]:
        """The elements that are known, whatever comes before them in a loop."""
        return [list.__getitem__(self, k) for k in range(list.__len__(self))]

    def content(self) -> Any:
        """What it holds now."""
        return self.elements(), self.rows, self.sealed

    def restore(self, content: Any) -> None:
        """Hold that again."""
        elements, self.rows, self.sealed = content
        list.__setitem__(self, slice(None), elements)

    @property
    def is_known(self) -> bool:
        """Whether its elements are in it; whether one may ask that is found out here."""
        if self.sealed is not None:
            self.sealed()
        return self.rows is None

    def staged_length(self) -> Any:
        """How many elements there are."""
        if self.is_known:
            return list.__len__(self)
        assert self.rows is not None
        return self.rows.length()

    # What lists of Python have.

    def __len__(self) -> int:
        found = self.staged_length()
        if isinstance(found, int):
            return found
        fail("only a run knows how long this list is, and this wants to know it now",
             "call len in a function whose source is there; or np.array(x)")  # fmt: skip

    def __iter__(self) -> Iterator[Any]:
        if self.is_known:
            return super().__iter__()
        assert self.rows is not None
        count = self.rows.length()
        if isinstance(count, int):
            return iter([self[k] for k in range(count)])
        fail(
            "only a run knows how many elements this list has, and this goes through all of them",
            "write a `for` loop or a comprehension, or make an array: np.array(x)",
        )

    def __repr__(self) -> str:
        return super().__repr__() if self.rows is None else "<staged list>"

    __hash__ = None


def _method(name: str) -> Callable[..., Any]:
    plain = getattr(list, name)

    def method(self: StagedList, *args: Any, **options: Any) -> Any:
        if tracing() is None:
            return plain(self, *args, **options)
        return OPERATIONS[name](self, *args, **options)

    method.__name__ = name
    return method


for _name in (
    "__getitem__", "__setitem__", "__delitem__", "__add__", "__iadd__", "__mul__", "__rmul__",
    "__imul__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__",
    "__reversed__", "append", "extend", "insert", "pop", "remove", "clear", "copy", "index",
    "count", "sort", "reverse",
):  # fmt: skip
    setattr(StagedList, _name, _method(_name))


def _added_to(self: StagedList, other: Any) -> Any:
    return OPERATIONS["__add__"](StagedList(other), self)


StagedList.__radd__ = _added_to  # type: ignore[attr-defined]  # lists of Python have none
