"""Kinds of nodes that a user's module adds: symbolic values with laws, lowered phase by phase.

    linear = cogen.Kinds("linear", "loops")            a language of symbolic values: its phases

    class Matrix(cogen.Kind, of=linear, ndim=2): ...
    class Mul(Matrix):                                 a kind: what it is made of, its sizes
        a: Any
        b: Any
    @linear.law(Mul)                                   m * id -> m
    @linear.lower(Mul, "loops")                        what it is in the phase `loops`

In a staged function `Mul(a, b)` is a node: a staged array that is computed when something asks for
its elements.  Until then it is what it says, and laws see it.  Nodes are hash-consed: the same kind
of the same operands is one object.

Delayed rewriting (Rompf 2012, section 3.4; 2013, "delayed rewriting").  Laws of a kind are tried as
a node of it is made, until none fits, so those of a phase are exhausted before the next one
begins.  A phase is a transformer: an interpreter of the nodes below, operands first, which makes
each node again (mirroring), or what the phase has for its kind.  What it makes are nodes with laws
again.  Phases follow each other as `Kinds` lists them; what is a node still after the last one is
told, with its kind.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

import numpy as np

from cogen.array.l0.types import BOOL, INT, REAL, Basic
from cogen.array.scheme.l0code import Code
from cogen.array.scheme.symbolicvalues import SymbolicName, Value
from cogen.lang.errors import CogenError, Source, Span
from cogen.staging.kindchecks import as_declared, check_law, values_only
from cogen.staging.sourceplaces import fail
from cogen.staging.stagedarrays import Array, as_array
from cogen.staging.stagedcalls import call
from cogen.staging.stagedconditionals import holding
from cogen.staging.stagedscalars import Scalar, Staged, as_type, bind, scalar
from cogen.staging.tracer import current, tracing

if TYPE_CHECKING:
    from cogen.array.l0 import tree
    from cogen.array.programs.arrayprogram import Program

F = TypeVar("F", bound=Callable[..., Any])

MOST: Final = 200
"""How many laws, or cases of a phase, may be within each other."""

_ELEMENTS: Final[dict[Any, Basic]] = {float: REAL, int: INT, bool: BOOL}


_additions = 0
_off: dict[int, frozenset[str]] = {}


def state() -> Any:
    """Differs when laws or cases were added, or are left out: staged functions are staged again."""
    return _additions, tuple(_off.items())


def _added() -> None:
    global _additions
    _additions += 1


class Kinds:
    """Kinds of nodes that belong together, with their laws, and the phases that lower them."""

    def __init__(self, *phases: str) -> None:
        if not phases or len(set(phases)) != len(phases):
            raise CogenError("cogen.Kinds takes the names of its phases, in order: each once")
        self.phases = phases
        self.kinds: dict[str, type[NodeOfKind]] = {}
        """By their names, which are words of programs (`cogen.array.load`)."""
        self._laws: dict[type[NodeOfKind], list[Callable[[Any], Any]]] = {}
        self._cases: dict[tuple[type[NodeOfKind], str, str | None], Callable[..., Any]] = {}

    def law(self, *kinds: type[NodeOfKind]) -> Callable[[F], F]:
        """Add a law of kinds: a function of a node that gives what equals it, or None."""

        def add(law: F) -> F:
            for kind in kinds:
                self._laws.setdefault(kind, []).append(law)
            _added()
            return law

        return add

    def lower(
        self, kind: type[NodeOfKind], phase: str, target: str | None = None
    ) -> Callable[[F], F]:
        """Add what a kind is in a phase: a function of its operands, which that phase has gone
        through already.  One for a target is preferred to that for all."""
        if phase not in self.phases:
            raise CogenError(f"there is no phase `{phase}`", hint=f"phases: {self.listed}")
        if target not in (None, "c", "opencl"):
            raise CogenError(f"there is no target `{target}`", hint="targets: c, opencl")

        def add(case: F) -> F:
            self._cases[kind, phase, target] = case
            _added()
            return case

        return add

    @contextmanager
    def without(self, *laws: str) -> Iterator[None]:
        """Leave out laws, by the names of their functions; all where none are named."""
        known = {law.__name__ for found in self._laws.values() for law in found}
        for name in laws:
            if name not in known:
                raise CogenError(f"there is no law `{name}`", hint=", ".join(sorted(known)))
        before = _off.pop(id(self), None)
        _off[id(self)] = frozenset(laws or known)
        try:
            yield
        finally:
            del _off[id(self)]
            if before is not None:
                _off[id(self)] = before

    @property
    def listed(self) -> str:
        """The phases, for messages."""
        return ", ".join([f"`{phase}`" for phase in self.phases])

    def program(self, written: Source | tree.L0Program) -> Program:
        """The array program of a text or tree of L0 that calls the kinds (`cogen.array.load`)."""
        from cogen.staging.kindprograms import KindWords

        return KindWords(self.kinds).program(written)

    def definitions(self, text: str) -> str:
        """What makes the kinds words of a text in the Scheme-like language, at its end."""
        from cogen.staging.kindprograms import KindWords

        return KindWords(self.kinds).definitions(text)

    def laws_of(self, kind: type[NodeOfKind]) -> list[Callable[[Any], Any]]:
        """The laws of a kind that are applied, in the order in which they were added."""
        off = _off.get(id(self), ())
        return [law for law in self._laws.get(kind, ()) if law.__name__ not in off]

    def case(self, kind: type[NodeOfKind], phase: str) -> Callable[..., Any] | None:
        """What a phase has for a kind, for the target of the program in the making."""
        tracer = tracing()
        if tracer is not None:
            own = [key for key in self._cases if key[:2] == (kind, phase) and key[2] is not None]
            tracer.for_target |= bool(own)
            if (kind, phase, tracer.target) in self._cases:
                return self._cases[kind, phase, tracer.target]
        return self._cases.get((kind, phase, None))


class NodeOfKind(Staged):
    """A node of a kind; of an array (`Kind`), or of a number (`NumberKind`)."""

    of: ClassVar[Kinds]
    dtype_: ClassVar[Basic] = REAL
    dims_: ClassVar[int] = 0
    operands_: ClassVar[tuple[str, ...]] = ()
    meaning: ClassVar[Callable[..., Any] | None] = None

    def __init_subclass__(
        cls, of: Kinds | None = None, ndim: int | None = None, dtype: type | None = None
    ) -> None:
        super().__init_subclass__()
        if cls.__module__ == __name__:
            return
        if of is not None:
            cls.of = of
        if ndim is not None:
            cls.dims_ = ndim
        if dtype is not None:
            cls.dtype_ = _ELEMENTS[dtype]
        own = [name for name in vars(cls).get("__annotations__", {}) if not name.endswith("_")]
        for name in own:
            if hasattr(super(cls, cls), name):
                raise CogenError(
                    f"`{name}`, an operand of `{cls.__name__}`, is something that arrays have",
                    hint="call it otherwise",
                )
        cls.operands_ = (*cls.operands_, *own)
        setattr(cls, "__match_args__", cls.operands_)  # noqa: B010  # for `match`
        if hasattr(cls, "of"):
            cls.of.kinds[cls.__name__] = cls

    def __new__(cls, *operands: Any) -> Any:
        """The node, or what a law makes of it; NumPy's value outside of staged functions."""
        if len(operands) != len(cls.operands_):
            fail(
                f"`{cls.__name__}` is made of {len(cls.operands_)} operands "
                f"({', '.join(cls.operands_)}), not {len(operands)}"
            )
        if tracing() is None:
            return _plainly(cls, operands)
        operands = tuple(map(_frozen, operands))
        tracer = current()
        key = (cls, tuple(map(_key, operands)))
        closed = key in tracer.made_by_law and not tracer.is_open(tracer.made_by_law[key])
        if key not in tracer.nodes or closed:  # what a law computes there is out of reach
            plain = _made(cls, operands)
            tracer.nodes[key] = made = _by_law(plain)
            if made is not plain:
                tracer.made_by_law[key] = tracer.code
            if isinstance(made, NodeOfKind):
                tracer.nodes[type(made), tuple(map(_key, made.operands))] = made
        found = tracer.nodes[key]
        return holding(found, found.content()) if _is_plain(found) else found

    def __init__(self, *operands: Any) -> None:
        """All is done by `__new__`, since a law may give another node."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join([_shown(x) for x in self.operands])})"

    @property
    def place(self) -> Span:
        """Where it was made."""
        return vars(self)["place"]  # type: ignore[no-any-return]  # set by _made

    @property
    def operands(self) -> tuple[Any, ...]:
        """What it is made of, in the order of its class."""
        return tuple([vars(self)[name] for name in self.operands_])

    def begin(self) -> None:
        """Be the value that it stands for, of which nothing is computed yet."""
        raise NotImplementedError

    def form(self) -> Any:
        """What the phases make of it, where it was made or, out of reach, here."""
        tracer = current()
        for found in vars(self)["forms"]:
            if getattr(found, "known", None) is not None or tracer.is_open(found.block):
                return found
        made_in = vars(self)["made_in"]
        with tracer.within(made_in if tracer.is_open(made_in) else tracer.code):
            made = self.as_declared(_lowered(self))
        vars(self)["forms"].append(made)
        return made

    def as_declared(self, found: Any) -> Any:
        """What became of it, as the value that its class says."""
        raise NotImplementedError


class NumberKind(NodeOfKind, Scalar):
    """A kind of nodes that stand for numbers, or truth values, of the type `dtype`.

    It is as `Kind` otherwise: operands, laws, phases.
    """

    def begin(self) -> None:
        """Be a number."""
        self.type = self.dtype_

    @property
    def value(self) -> Value:  # type: ignore[override]  # computed when it is asked for
        """The number, computed by now."""
        return self.form().value  # type: ignore[no-any-return]  # a scalar

    @property
    def block(self) -> Code:  # type: ignore[override]  # computed when it is asked for
        """Where it was computed."""
        return self.form().block  # type: ignore[no-any-return]  # a scalar

    def as_declared(self, found: Any) -> Scalar:
        """What became of it, as a number of its type."""
        made = found if isinstance(found, Array) else scalar(found)
        if isinstance(made, Array) or (
            made.type != self.dtype_ and (made.type, self.dtype_) != (INT, REAL)
        ):
            what = "an array" if isinstance(made, Array) else made.type.name
            message = f"`{type(self).__name__}` is a number of type {self.dtype_.name}"
            fail(f"{message}, but became {what}", place=self.place)
        return bind(as_type(made, self.dtype_), self.dtype_)


class Kind(NodeOfKind, Array):
    """A kind of nodes of the language `of`, which stand for arrays of `ndim` dimensions.

    What a class annotates are its operands: staged or known values, other nodes, anything that is
    known.  `sizes`, if there is one, gives the sizes without what computes the elements.
    `meaning`, if there is one, gives the array of NumPy, where the node is made outside of staged
    functions; else that is what the phases make of it.
    """

    dims_: ClassVar[int] = 1
    sizes: ClassVar[Callable[..., Any] | None] = None

    def begin(self) -> None:
        """Be an array that is computed when it is asked for."""
        Array.__init__(self, None, self.dtype_, self.dims_)

    def settled(self) -> Array:
        """The array that the phases make of it, where it was made or, out of reach, here."""
        return self.form()  # type: ignore[no-any-return]  # an array

    def as_declared(self, found: Any) -> Array:
        """What became of it, as the array that its class says."""
        return as_declared(self, found)

    def source(self) -> SymbolicName:
        """The name of what it holds, bound by now."""
        return self.settled().source()

    def size_of(self, dimension: int) -> Any:
        """A size: an int if it is known, else a scalar."""
        if self.sizes is None or vars(self)["forms"]:
            return self.settled().size_of(dimension)
        return call(type(self).sizes, self)[dimension]

    def write(self, new: Array) -> None:
        """Refused: it is a value."""
        fail(f"a node of `{type(self).__name__}` is assigned to", "make an array of it: m.copy()")


def _made(cls: type[NodeOfKind], operands: tuple[Any, ...]) -> NodeOfKind:
    made: NodeOfKind = object.__new__(cls)
    vars(made).update(zip(cls.operands_, operands, strict=True))
    vars(made).update(forms=[], place=current().place, made_in=current().code)
    made.begin()
    return made


def _by_law(node: NodeOfKind) -> Any:
    """What the first law that fits makes of a node; what laws make has been through theirs."""
    tracer = current()
    for law in node.of.laws_of(type(node)):
        if tracer.laws_within >= MOST:
            fail(f"the laws of `{type(node).__name__}` do not end: {node!r}")
        tracer.laws_within += 1
        with values_only(node, f"the law `{law.__name__}`"):
            found = law(node)
        tracer.laws_within -= 1
        if found is not None and found is not node:
            check_law(node, law.__name__, found)
            tracer.laws.append(law.__name__)
            return _frozen(found)
    return node


def _is_plain(x: Any) -> bool:
    return isinstance(x, Array) and not isinstance(x, NodeOfKind)


def _frozen(x: Any) -> Any:
    """An operand as it is now, whatever is assigned to it later; one object for what is the same.
    An array of NumPy becomes a staged one that is known."""
    if isinstance(x, tuple | list):
        return tuple(map(_frozen, x))
    if isinstance(x, np.ndarray):
        return as_array(x.copy())
    if not _is_plain(x):
        return x
    x.check()
    now = x.settled()
    key = (Array, id(now), now.version) if now.known is not None else (Array, id(now.value))
    nodes = current().nodes
    if key not in nodes:
        frozen = holding(now, now.content())
        nodes[key] = frozen
        nodes[Array, id(frozen), frozen.version] = frozen
        current().kept.append(now)
    return nodes[key]


def _key(x: Any) -> Any:
    """What says whether operands are the same."""
    if isinstance(x, tuple):
        return tuple(map(_key, x))
    if isinstance(x, NodeOfKind):
        return NodeOfKind, id(x)
    if isinstance(x, Scalar):
        current().kept.append(x.value)
        return Scalar, id(x.value)
    if isinstance(x, Array):
        return Array, id(x)
    if isinstance(x, int | float | str | bytes | None):
        return type(x), repr(x)
    current().kept.append(x)
    return type(x), id(x)


_plain = threading.local()


def _plainly(cls: type[NodeOfKind], operands: tuple[Any, ...]) -> Any:
    """NumPy's value that a node stands for, outside of staged functions."""
    if cls.meaning is not None:
        made = object.__new__(cls)
        vars(made).update(zip(cls.operands_, operands, strict=True))
        return np.asarray(made.meaning())[()]  # type: ignore[misc]  # a method of the user's
    running: list[Any] = _plain.__dict__.setdefault("running", [])
    first = 0
    for kind, given, phase in running:  # what a phase makes of a node of its own kind, goes on
        if kind is cls and not any(map(operator.is_not, given, operands)):
            first = phase + 1
    for k, phase in enumerate(cls.of.phases[first:], first):
        case = cls.of.case(cls, phase)
        if case is not None:
            running.append((cls, operands, k))
            try:
                return np.asarray(case(*operands))[()]
            finally:
                running.pop()
    raise CogenError(_left(cls), hint=_left_hint(cls))


def _left(cls: type[NodeOfKind]) -> str:
    has = "has" if len(cls.of.phases) == 1 else "have"
    return f"`{cls.__name__}` is left after all phases: {cls.of.listed} {has} no case for it"


def _left_hint(cls: type[NodeOfKind]) -> str:
    return f"@kinds.lower({cls.__name__}, {cls.of.phases[-1]!r}) above what it is"


def _lowered(node: NodeOfKind) -> Any:
    """What all phases, one after the other, make of a node."""
    found: Any = node
    for phase in node.of.phases:
        found = _Phase(node.of, phase).of(found)
    if isinstance(found, NodeOfKind) and found.of is node.of:
        fail(_left(type(found)), _left_hint(type(found)), found.place)
    return found


class _Phase:
    """One phase: an interpreter of nodes."""

    def __init__(self, kinds: Kinds, phase: str) -> None:
        self.kinds = kinds
        self.phase = phase
        self.done: dict[int, tuple[Any, Any]] = {}
        """Nodes, by identity, with what they became; what that is has been through the phase."""
        self.within = 0

    def of(self, x: Any) -> Any:
        """What the phase makes of an operand: what is no node stays."""
        if isinstance(x, tuple):
            parts = tuple(map(self.of, x))
            return parts if any(map(operator.is_not, parts, x)) else x
        if not isinstance(x, NodeOfKind) or x.of is not self.kinds:
            return x
        if id(x) not in self.done:
            found = self._node(x)
            self.done[id(x)] = x, found
            self.done[id(found)] = found, found
        return self.done[id(x)][1]

    def _node(self, node: NodeOfKind) -> Any:
        operands = tuple(map(self.of, node.operands))
        if any(map(operator.is_not, operands, node.operands)):
            return self.of(type(node)(*operands))
        case = self.kinds.case(type(node), self.phase)
        if case is None:
            return node
        if self.within >= MOST:
            fail(f"the phase `{self.phase}` does not end: {node!r}", place=node.place)
        self.within += 1
        with values_only(node, f"the case of the phase `{self.phase}`"):
            made = call(case, *operands)
        found = made if made is node else self.of(made)
        self.within -= 1
        return found


def _shown(x: Any) -> str:
    if isinstance(x, tuple):
        return f"({', '.join(map(_shown, x))})"
    return repr(x) if isinstance(x, NodeOfKind) or not isinstance(x, Array | Scalar) else "_"
