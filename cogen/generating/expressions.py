"""IL atoms and operations -> Python expressions of their symbolic values.

    (car x)   ->  v2.car if type(v2) is PartialPair else car(S, v2, n5, 't')

What is known is looked at in line; the rest is done by the specializer's rules, through the
`Support` of the path (`S`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from cogen.generating.support import TESTS, VALUES
from cogen.lang import il
from cogen.lang.datum import Datum, Symbol
from cogen.lang.errors import Span
from cogen.lang.ilutil import NEVER_RETURN, base_name
from cogen.lang.prelude import in_prelude
from cogen.lang.prims import CONTROL, PRIMITIVES
from cogen.specializer.advice.assigned import PairPlace, key_of
from cogen.specializer.analyses.plan import SPLITTING
from cogen.specializer.paths.pairs import PAIR_OPERATIONS
from cogen.specializer.programs.mutation import PAIR_SETTERS

MACHINE: Final = NEVER_RETURN | SPLITTING
"""Operations that are the machine's work."""


class PieceNames(Protocol):
    """Names and expressions for pieces of a program, in the text of its procedures."""

    @property
    def functions(self) -> Mapping[il.Function, str]: ...
    @property
    def blocks(self) -> Mapping[il.Block, str]: ...
    @property
    def conts(self) -> Mapping[il.Cont, str]: ...

    def constant(self, datum: Datum) -> str:
        """The expression of a constant."""

    def span(self, span: Span | None) -> str:
        """The expression of a place."""


class Once:
    """Expressions that are evaluated once, when the text is loaded, by the names that they get."""

    def __init__(self, image: PieceNames) -> None:
        self.image = image
        self.names: dict[str, str] = {}

    def name(self, expression: str) -> str:
        """The name of an expression."""
        return self.names.setdefault(expression, f"n{len(self.names)}")

    def place(self, span: Span) -> str:
        """The name of a place of the program."""
        return self.name(self.image.span(span))

    def site(self, span: Span | None, hint: str) -> str:
        """The name of the site of an operation whose result has a name."""
        place = "None" if span is None else self.place(span)
        return self.name(f"OperationSite({place}, {hint!r}, True)")


class Expressions:
    """The expressions of one procedure; `uses` are how often its variables are mentioned, and
    pairs have places if the program `assigns_pairs`."""

    def __init__(self, once: Once, assigns_pairs: bool, uses: dict[str, int]) -> None:
        self.once = once
        self.assigns_pairs = assigns_pairs
        self.uses = uses
        self.locals: dict[str, str] = {}

    def local(self, name: str) -> str:
        """The Python name of an IL variable or continuation."""
        found = self.locals.get(name)
        if found is None:
            found = self.locals[name] = f"v{len(self.locals) + 1}"
        return found

    def atom(self, atom: il.Atom) -> str:
        if isinstance(atom, il.Var):
            return self.local(atom.name)
        if isinstance(atom, il.Global):
            return f"S.value({atom.name!r})"
        if isinstance(atom, il.Const):
            constant = self.once.image.constant(atom.value)
            if type(atom.value) is int or type(atom.value) is float:
                return f"Static({constant})"  # a number each time: `values.thaw`
            return self.once.name(f"Static({constant})")
        return self.once.name(f"Primitive({atom.name!r})")

    def operation(self, let: il.Let, arguments: Sequence[str]) -> str:
        """The expression of an operation of the program."""
        place = self.place(let)
        if place and let.op == "cons":
            return f"cons_at(S, {', '.join([*arguments, *place])})"
        value = self.expression(let.op, arguments, let.span, base_name(let.name))
        if place and let.op in PAIR_SETTERS:
            value = f"S.assign{value.removeprefix('S.operation').removesuffix(')')}, {place[0]})"
        return value

    def expression(self, op: str, arguments: Sequence[str], span: Span | None, hint: str) -> str:
        """The expression of an operation; one in the prelude would be placed where the prelude
        is called, and so is carried out only if it leaves nothing."""
        if op == "cons":
            return f"cons(S, {', '.join(arguments)})"
        site = "PURE" if in_prelude(span) else self.once.site(span, hint)
        if op in VALUES:
            slow = f"{VALUES[op]}(S, {', '.join(arguments)}, {site}, A)"
            if op in ("car", "cdr"):
                pair = arguments[0]
                constant = f"Static({pair}.datum.{op}) if {_is_constant(pair, 'Pair')} else {slow}"
                return f"{pair}.{op} if type({pair}) is PartialPair else {constant}"
            return slow
        return f"S.operation({op!r}, ({tuple_of(arguments)}), {site}, A)"

    def fused_test(self, block: il.Block) -> str | None:
        """The test of a conditional that asks for the last operation, and for nothing else."""
        tail = block.tail
        if not isinstance(tail, il.If) or not isinstance(tail.test, il.Var) or not block.bindings:
            return None
        last = block.bindings[-1]
        if not isinstance(last, il.Let) or last.name != tail.test.name:
            return None
        if last.op not in TESTS or self.uses.get(last.name) != 1:
            return None
        arguments = [self.atom(atom) for atom in last.arguments]
        slow = f"{TESTS[last.op]}({', '.join(['S', *arguments])})"
        if last.op in ("null?", "pair?"):
            datum = f"{arguments[0]}.datum"
            known = f"{datum} is NIL" if last.op == "null?" else f"type({datum}) is Pair"
            return f"{known} if type({arguments[0]}) is Static else {slow}"
        if last.op in ("eq?", "eqv?"):
            for atom, other in zip(last.arguments, reversed(arguments), strict=True):
                if isinstance(atom, il.Const) and type(atom.value) is Symbol:
                    constant = self.once.name(self.once.image.constant(atom.value))
                    return f"{other}.datum is {constant} if type({other}) is Static else {slow}"
        return slow

    def truth(self, atom: il.Atom) -> str:
        return f"truth({self.atom(atom)})"

    def primitive(self, name: str, arguments: list[str], span: Span | None) -> str | None:
        """The expression of a call of a primitive, None for one that is left to the machine."""
        if name in CONTROL or name in MACHINE:
            return None
        if self.assigns_pairs and name in PAIR_OPERATIONS:
            return None
        least, most = PRIMITIVES[name].arity
        if PRIMITIVES[name].fold == "left" and len(arguments) != 2:
            return None
        if len(arguments) < least or (most is not None and len(arguments) > most):
            return None
        return self.expression(name, arguments, span, "t")

    def place(self, place: PairPlace) -> list[str]:
        """Expressions that tell at which place a pair is made or assigned, if pairs are."""
        if not self.assigns_pairs:
            return []
        span = "None" if place.span is None else self.once.place(place.span)
        return [repr(key_of(place)), span, "A"]


def _is_constant(value: str, kind: str) -> str:
    """The test whether a value is a constant of a class."""
    return f"type({value}) is Static and type({value}.datum) is {kind}"


def tuple_of(items: Sequence[str]) -> str:
    """The text between the parentheses of a tuple."""
    return ", ".join(items) + ("," if len(items) == 1 else "")
