"""What a function does to staged values, while it runs: bindings of L0, and what it changes.

A *block* is code of L0 in the making (`cogen.array.scheme.l0code.Code`): the function's, an arm's
of a conditional, a loop's body. A *region* is Python code that is run for a block of its own; it
notes objects before they are changed (`touch`), so that what an arm did can be undone and joined
with what the other did, and that what a loop changes becomes what it carries.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from cogen.array.l0 import tree
from cogen.array.l0.types import Type
from cogen.array.scheme.l0code import Code, Names
from cogen.array.scheme.symbolicvalues import SymbolicName, Value
from cogen.lang.errors import Span
from cogen.staging.sourceplaces import fail, here


class AgainError(BaseException):
    """A loop's body must be run again, since an object is changed in it; not caught by programs."""

    def __init__(self, region: TracedRegion) -> None:
        super().__init__("the body of a loop is run again")
        self.region = region


@dataclass(slots=True, eq=False)
class TracedRegion:
    """Python code that runs for a block: an arm (`branch`), a `loop`, a `procedure`, or a
    `function` that an operation applies to elements."""

    kind: str
    depth: int
    log: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    """Objects that were changed, with what they held before."""
    carried: dict[int, Any] = field(default_factory=dict)
    """Of a loop or a procedure: objects from outside that it may change."""
    stale: dict[int, tuple[Any, Span | None]] = field(default_factory=dict)
    """Arrays that may be one that was assigned to, and where; None for those that are not."""
    owner: Any = None
    """The procedure."""


@dataclass(slots=True)
class Rolling:
    """The code of functions that call themselves and become loops, whether there may be more, and
    whether one has been seen to make states without end."""

    codes: set[CodeType] = field(default_factory=set)
    procedures: dict[CodeType, set[Any]] = field(default_factory=dict)
    """That of functions that become procedures, with the arguments, by their places, that are
    handed over though they are known (`cogen.staging.stagedprocedures`)."""
    calls: bool = True
    """Whether there may be procedures."""
    more: bool = True
    endless: bool = False
    doubtful: bool = False
    """Whether something else may be found where a recursion is taken to have no end."""


@dataclass(slots=True)
class StagingAttempts:
    """What attempts to stage a function have found: the loops, by their places, with the variables
    that have no value before and are used after them."""

    carried: set[Any] = field(default_factory=set)
    tables: dict[Any, bool] = field(default_factory=dict)
    """The places where dictionaries and sets are made whose keys only a run knows, and whether keys
    are taken away (`cogen.staging.stagedtables`)."""
    pools: dict[Any, Any] = field(default_factory=dict)
    """The places where lists are made that stand in a pool, and the place of which it is
    (`cogen.staging.pooledlists`)."""
    wide_text: bool = False
    """Whether there may be characters beyond ASCII (`cogen.staging.stagedtexts`)."""


@dataclass(slots=True, eq=False)
class CallFrame:
    """A function that is being run: its code, whether what it gives is what the function gives that
    called it, whether it is a state of a recursion, how many regions there were, and how many calls
    of functions; the function with its arguments, what is known of these, where it was asked for,
    and how often what is known had been changed before."""

    code: Any
    last: bool
    begins: bool
    regions: int
    calls: int
    called: tuple[Any, Any, Any] | None = None
    key: Any = None
    changes: int = 0


def content_of(thing: Any) -> Any:
    """What an object holds, as a copy."""
    if hasattr(thing, "restore"):
        return thing.content()
    if isinstance(thing, list | dict | set):
        return thing.copy()
    return dict(vars(thing))


def restore(thing: Any, content: Any) -> None:
    """Make an object hold something again."""
    if hasattr(thing, "restore"):
        thing.restore(content)
    elif isinstance(thing, list):
        thing[:] = content
    elif isinstance(thing, dict | set):
        thing.clear()
        thing.update(content)
    else:
        own = vars(thing)
        own.clear()
        own.update(content)


class Tracer:
    """The program in the making."""

    for_target = False
    """Whether it would be another one for another target."""
    calls = 0
    """How many functions have been run so far."""
    changes = 0
    """How often something was changed of which a part is known."""

    def __init__(self, span: Span, target: str = "c") -> None:
        self.span = span
        self.target = target
        """What the program is compiled to."""
        self.names = Names()
        head = Code(self.names, span, {})
        self.code = Code(self.names, span, head.constants)
        self.blocks = [head, self.code]
        """The blocks that we are in, the outermost first: that of constants."""
        self.regions: list[TracedRegion] = []
        self.births: dict[int, tuple[Any, int]] = {}
        """Objects that were made, and in how many regions."""
        self.frozen: dict[int, Any] = {}
        """Objects of which arrays hold copies, so that nothing may change them any more."""
        self.taken: dict[int, Any] = {}
        """Objects that are elements of lists whose elements arrays hold."""
        self.constants: dict[Any, Any] = {}
        """Constant arrays that are bound already."""
        self.stale: dict[int, tuple[Any, Span | None]] = {}
        """As those of regions, for the whole."""
        self.calling: list[CallFrame] = []
        """The functions that are being run."""
        self.recursions: list[Any] = []
        """The loops of functions that call themselves (`cogen.staging.stagedrecursion`),"""
        self.rolling = Rolling()
        self.attempts = StagingAttempts()
        """and which functions become such."""
        self.procedures: list[Any] = []
        """The functions of the program (`cogen.staging.stagedprocedures`)."""
        self.types: dict[str, Any] = {}
        """The types of names that were used."""
        self.handling: list[int] = []
        """How many regions there were where each `try` around catches exceptions."""
        self.used: dict[Any, None] = {}
        """The functions that were run."""
        self.nodes: dict[Any, Any] = {}
        """Nodes of kinds that users have added, by kind and operands (`cogen.staging.kinds`)."""
        self.made_by_law: dict[Any, Code] = {}
        """Of those that a law made something else of: where it was made."""
        self.cells: dict[int, Any] = {}
        """Variables that functions share, by the identity of their cells."""
        self.classes: dict[type, int] = {}
        """Dataclasses of which a value may be, as a run decides, by number."""
        self.dictionaries: dict[int, tuple[Any, Any]] = {}
        """Python's dictionaries and sets that were made, and where, by identity."""
        self.made_lists: dict[int, tuple[Any, Any]] = {}
        """Lists that the program made, and where, by identity."""
        self.caches: dict[int, tuple[Any, Any]] = {}
        """Functions that keep their results, and what is called for them, by identity."""
        self.pools: dict[Any, Any] = {}
        """Pools of lists, by the place of which they are."""
        self.outer_tables: dict[int, tuple[Any, Any]] = {}
        """Tables of others, which a run looks keys up in, with what was in them."""
        self.kept: list[Any] = []
        """what is known by its identity there,"""
        self.laws: list[str] = []
        """the laws that were applied,"""
        self.laws_within = 0
        """and how many are within each other."""

    @property
    def place(self) -> Span:
        """Where the program is."""
        return here() or self.span

    def enter_call(self, code: Any, last: bool, begins: bool = False, called: Any = None) -> None:
        """A function is run from here on."""
        self.calls += 1
        frame = CallFrame(code, last, begins, len(self.regions), self.calls, called)
        frame.changes = self.changes
        self.calling.append(frame)

    # Blocks.

    @contextmanager
    def block(self) -> Iterator[Code]:
        """A block within the present one."""
        code = Code(self.names, self.place, self.code.constants)
        with self.within(code):
            yield code

    @contextmanager
    def within(self, code: Code) -> Iterator[None]:
        """Go on with a block that was not closed."""
        outer, self.code = self.code, code
        self.blocks.append(code)
        try:
            yield
        finally:
            self.blocks.pop()
            self.code = outer

    @contextmanager
    def at_head(self) -> Iterator[None]:
        """Bind what is constant for the whole program."""
        outer, self.code = self.code, self.blocks[0]
        try:
            yield
        finally:
            self.code = outer

    def is_open(self, code: Code) -> bool:
        """Whether what was bound in a block is in scope."""
        return any(code is block for block in self.blocks)

    def bind(self, e: tree.Expression, t: Type, hint: str = "t") -> SymbolicName:
        """A name for a value, bound here."""
        value = self.code.let(hint, e, t)
        assert isinstance(value, SymbolicName)
        return value

    def expression(self, value: Value, place: Span | None = None) -> tree.Expression:
        """A new expression of a value."""
        return self.code.expression(value, place or self.place)[0]

    # Changes.

    @contextmanager
    def region(self, kind: str) -> Iterator[TracedRegion]:
        """Run code for a block; what it changes is undone at its end."""
        region = TracedRegion(kind, len(self.regions) + 1)
        self.regions.append(region)
        try:
            yield region
        finally:
            self.regions.pop()
            for thing, content in region.log.values():
                restore(thing, content)

    def stale_at(self, thing: Any) -> Span | None:
        """Where an array was assigned to that may be this one; None if none was."""
        for region in reversed(self.regions):
            if id(thing) in region.stale:
                return region.stale[id(thing)][1]
        return self.stale[id(thing)][1] if id(thing) in self.stale else None

    def make_stale(self, thing: Any) -> None:
        """Note that an array may have been assigned to under another name."""
        self._stale[id(thing)] = thing, self.place

    def make_fresh(self, thing: Any) -> None:
        """Note that what an array holds is known here."""
        if self.stale_at(thing) is None:
            return
        self._stale[id(thing)] = thing, None

    @property
    def _stale(self) -> dict[int, tuple[Any, Span | None]]:
        return self.regions[-1].stale if self.regions else self.stale

    def adopt(self, region: TracedRegion) -> None:
        """What a region did to names of arrays holds from now on."""
        for key, (thing, place) in region.stale.items():
            if place is not None:
                self._stale[key] = thing, place

    def made(self, thing: Any) -> Any:
        """Note that an object is new here."""
        self.births[id(thing)] = thing, len(self.regions)
        return thing

    def is_older(self, thing: Any) -> bool:
        """Whether an object was made outside of all regions that were run here."""
        return self.births.get(id(thing), (None, 0))[1] <= len(self.regions)

    def freeze(self, thing: Any) -> None:
        """Refuse changes of an object from now on."""
        self.frozen[id(thing)] = thing

    def take(self, thing: Any) -> bool:
        """Whether an object is new here, and no element of a list of arrays yet."""
        new = id(thing) not in self.taken
        self.taken[id(thing)] = thing
        return new and self.births.get(id(thing), (None, -1))[1] == len(self.regions)

    def touch(self, thing: Any, what: str = "it") -> None:
        """Note that an object is about to be changed; refuse it where that has no meaning."""
        if id(thing) in self.frozen:
            fail(
                f"{what} is changed that is an element of a list of which only a run knows the "
                "length",
                "change it before, or make a new one, and assign that to the list's element",
            )
        self.changes += _has_known(thing)
        if not self.regions:
            return
        birth = self.births.get(id(thing), (None, 0))[1]
        for region in self.regions[birth:]:
            if region.kind == "function":
                fail(
                    f"{what} is changed in a function that is applied to elements",
                    "the elements have no order: return what is new, or write a `for` loop",
                )
            if region.kind in ("loop", "procedure") and id(thing) not in region.carried:
                region.carried[id(thing)] = thing
                raise AgainError(region)
        log = self.regions[-1].log
        if id(thing) not in log:
            log[id(thing)] = thing, content_of(thing)


def _has_known(thing: Any) -> bool:
    """Whether something is known of what an object holds: an array, a list, a variable."""
    kind = type(thing)
    if hasattr(kind, "cell"):
        return not hasattr(type(thing.content()), "block")
    if hasattr(kind, "known"):
        return thing.known is not None
    return not hasattr(kind, "rows") or thing.rows is None


_here = threading.local()


def tracing() -> Tracer | None:
    """The program that this thread makes, if it makes one."""
    return getattr(_here, "tracer", None)


def current() -> Tracer:
    """The program that this thread makes.  CogenError if it makes none."""
    found = tracing()
    if found is None:
        fail("a staged value is used outside of the function that it was staged in")
    return found


@contextmanager
def making(tracer: Tracer | None) -> Iterator[None]:
    """Make a program in this thread; None: run as if none were made."""
    outer = tracing()
    _here.tracer = tracer
    try:
        yield
    finally:
        _here.tracer = outer
