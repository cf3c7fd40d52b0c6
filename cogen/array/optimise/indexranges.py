"""Range analysis: decides whether a comparison of ints holds in a scope.

    i < n, known inside a loop of n iterations, proves  i + 1 <= n,  and  2*i < 2*n - 1

Both sides are linear forms: ints times atoms (sizes, indices, whatever else is an int) and a
constant. A form is shown not to be negative by replacing one atom after the other, the latest
first, by a bound that something known gives for it, until a constant is left (Fourier and Motzkin's
elimination, for one goal). Ints wrap around, so a sum is taken apart only where it is shown in the
same way that it does not leave the range of int. The quotient by a constant, and the remainder
by what is positive, are bounded by what divides.

A proof names the certificates of what it used: whoever relies on it depends on these. The search is
bounded; what it does not find is not proven.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Final
from weakref import WeakKeyDictionary

from cogen.array.ir.blockscope import BlockScope
from cogen.array.ir.graph import Graph
from cogen.array.ir.linear import (
    NO_CERTIFICATES,
    Certificates,
    Linear,
    LinearBound,
    plain_bound,
)
from cogen.array.ir.node import (
    Node,
    Operation,
)
from cogen.array.optimise.intervals import Intervals
from cogen.array.optimise.products import Area, Products, area_of, canonical
from cogen.array.optimise.steplimit import Steps

MAX_STEPS: Final = 400
"""How many replacements one proof may try."""

MAX_DEPTH: Final = 8
"""How many atoms one after the other."""

MAX_NESTING: Final = 20
"""How deeply nested sums are taken apart."""


@dataclass(slots=True)
class _ScopeRanges:
    """What a scope knows, by the atoms it speaks of; `read` of its conditions have been read."""

    bounds: dict[tuple[Node, bool], list[LinearBound]] = field(default_factory=dict)
    """By atom, and whether it has a factor above 0."""
    strongest: dict[frozenset[tuple[Node, int]], LinearBound] = field(default_factory=dict)
    """Of forms that differ in the constant only, the one with the least."""
    areas: list[Area] = field(default_factory=list)
    sums: dict[Node, LinearBound] = field(default_factory=dict)
    """The forms of sums that do not leave their range."""
    read: int = 0
    unproven: dict[Node, int] = field(default_factory=dict)
    """Conditions of which no proof was found, with how much was known here and around then."""

    def add(self, bound: LinearBound, is_natural: Callable[[Node], bool]) -> None:
        """Of forms of which one tells all that the others do, the first and the strongest are
        kept: n - 2k >= 0 tells that n - k >= 0, where `is_natural` says that k is not negative."""
        factors = frozenset(bound.form.factors.items())
        stronger = self.strongest.get(factors)
        if stronger is not None and stronger.form.constant <= bound.form.constant:
            return
        self.strongest[factors] = bound
        for atom, factor in bound.form.factors.items():
            found = self.bounds.setdefault((atom, factor > 0), [])
            weaker = [
                i for i, known in enumerate(found) if _tells(bound.form, known.form, is_natural)
            ]
            if len(weaker) > 1:
                del found[weaker[1]]
            found.append(bound)


def _tells(one: Linear, other: Linear, is_natural: Callable[[Node], bool]) -> bool:
    """Whether a form that is not negative tells at once that another one is not: for what the other
    has more is none."""
    more = other.plus(one, -1)
    if more.constant < 0 or len(more.factors) > 1:
        return False
    return all(factor > 0 and is_natural(atom) for atom, factor in more.factors.items())


class Ranges:
    """Proves conditions in the scopes of one graph: a `cogen.array.ir.blockscope.Prover`.

    Each proof that is used is one of `steps`.
    """

    def __init__(self, graph: Graph, steps: Steps) -> None:
        self.graph = graph
        self.arithmetic = graph.arithmetic
        self.steps = steps
        self._known: WeakKeyDictionary[BlockScope, _ScopeRanges] = WeakKeyDictionary()
        self.steps_left = 0
        """Of the present proof."""
        self.products = Products(self)
        self.intervals = Intervals(graph.arithmetic)
        self._open: set[Node] = set()
        """The remainders whose divisors are being looked at."""
        self._lateness: dict[Node, tuple[int, int, int]] = {}
        self._forms_found: dict[tuple[BlockScope, Node], LinearBound] = {}
        """The sums that this proof took apart."""
        self._failed: dict[tuple[BlockScope, frozenset[tuple[Node, int]]], tuple[int, int]] = {}
        """Which forms this proof could not show not to be negative: by their factors the constant,
        and how many atoms could be replaced."""

    def __call__(self, scope: BlockScope, condition: Node) -> Iterable[Node] | None:
        """The certificates that a condition holds in a scope, or None."""
        own = self._of(scope)
        known = sum([len(outer.known) for outer in scope.chain()])
        if own.unproven.get(condition) == known:
            return None
        self._begin()
        found = self._proof(scope, condition)
        if found is None:
            own.unproven[condition] = known
        return found if found is not None and self.steps.take("ranges") else None

    def _proof(self, scope: BlockScope, condition: Node) -> Certificates | None:
        if condition.is_known:
            return NO_CERTIFICATES if condition.known else None
        found = scope.certificate(condition)
        if found is not None:
            return frozenset([found])
        if not isinstance(condition, Operation):
            return None
        match condition.name:
            case "bool.and":
                return self._both(scope, condition.operands)
            case "bool.or":
                return self._either(scope, condition.operands)
            case "bool.not":
                return self._unequal(scope, condition.operands[0])
        forms = self._forms(scope, condition)
        return None if forms is None else self._all(scope, forms)

    def _both(self, scope: BlockScope, operands: Sequence[Node]) -> Certificates | None:
        certs = NO_CERTIFICATES
        for operand in operands:
            proof = self._proof(scope, operand)
            if proof is None:
                return None
            certs |= proof
        return certs

    def _either(self, scope: BlockScope, operands: Sequence[Node]) -> Certificates | None:
        for operand in operands:
            proof = self._proof(scope, operand)
            if proof is not None:
                return proof
        return None

    def _unequal(self, scope: BlockScope, equation: Node) -> Certificates | None:
        """not (a = b), as a < b or b < a."""
        if equation.operation != "int.eq":
            return None
        a, b = [self.form(scope, operand) for operand in equation.operands]
        for first, second in ((a, b), (b, a)):
            difference = second.form.plus(first.form, -1).shifted(-1)
            proof = self.positive(scope, difference)
            if proof is not None:
                return proof | first.certs | second.certs
        return None

    def _all(self, scope: BlockScope, forms: Sequence[LinearBound]) -> Certificates | None:
        certs = NO_CERTIFICATES
        for form in forms:
            proof = self.positive(scope, form.form)
            if proof is None:
                return None
            certs |= proof | form.certs
        return certs

    # Conditions and sums as forms.

    def linear(self, scope: BlockScope, node: Node) -> LinearBound:
        """An int as a form that it is, whatever the parameters are, by certificates."""
        self._begin()
        return self.form(scope, node)

    def _begin(self) -> None:
        self.steps_left = MAX_STEPS
        self.products.found.clear()
        self._forms_found.clear()
        self._failed.clear()

    def _forms(self, scope: BlockScope, condition: Node) -> list[LinearBound] | None:
        """The forms that are not negative exactly where a comparison holds."""
        if condition.operation not in _COMPARISONS:
            return None
        a, b = [self.form(scope, operand) for operand in condition.operands]
        certs = a.certs | b.certs
        upward = LinearBound(b.form.plus(a.form, -1), certs)
        if condition.operation == "int.le":
            return [upward]
        if condition.operation == "int.lt":
            return [LinearBound(upward.form.shifted(-1), certs)]
        return [upward, LinearBound(a.form.plus(b.form, -1), certs)]

    def form(self, scope: BlockScope, node: Node, nesting: int = MAX_NESTING) -> LinearBound:
        """An int as a form, by certificates that it does not leave its range on the way."""
        if node.is_known:
            assert isinstance(node.known, int)
            return LinearBound(Linear({}, node.known), NO_CERTIFICATES)
        atom = LinearBound(Linear({node: 1}, 0), NO_CERTIFICATES)
        if node.operation not in _SUMS or nesting == 0:
            return atom
        known = self._forms_found.get((scope, node)) or self._taken_apart(scope, node)
        if known is None:
            known = self._forms_found[scope, node] = self._sum(scope, node, nesting)
            if node not in known.form.factors:
                self._of(scope).sums[node] = known
        return known

    def _taken_apart(self, scope: BlockScope, node: Node) -> LinearBound | None:
        """The form of a sum that was found in a scope, or in one around it."""
        for outer in scope.chain():
            known = self._known.get(outer)
            if known is not None and node in known.sums:
                return known.sums[node]
        return None

    def _sum(self, scope: BlockScope, node: Node, nesting: int) -> LinearBound:
        atom = LinearBound(Linear({node: 1}, 0), NO_CERTIFICATES)
        parts = [self.form(scope, operand, nesting - 1) for operand in node.operands]
        certs = NO_CERTIFICATES.union(*[part.certs for part in parts])
        whole = _combined(node.operation, [part.form for part in parts])
        if whole is None:
            return LinearBound(Linear({canonical(self.graph, node): 1}, 0), NO_CERTIFICATES)
        low = self.positive(scope, whole.shifted(-self.arithmetic.least))
        high = self.positive(scope, Linear({}, self.arithmetic.greatest).plus(whole, -1))
        if low is None or high is None:
            return atom
        return LinearBound(whole, certs | low | high)

    # What is known.

    def bounds(self, scope: BlockScope, atom: Node, below: bool) -> Iterator[LinearBound]:
        """What is known of an atom: forms that have it and are not negative, which bound it from
        below, or from above."""
        yield from self._noted(scope, atom, below)
        if atom.operation in _BOUNDED:
            for bound in self._of_operation(scope, atom):
                if (bound.form.factors[atom] > 0) is below:
                    yield bound
        least, greatest = self.intervals.of(atom)
        yield plain_bound({atom: 1}, -least) if below else plain_bound({atom: -1}, greatest)

    def _of_operation(self, scope: BlockScope, atom: Node) -> Iterator[LinearBound]:
        """What an operation tells of its result."""
        if atom.operation in ("int.div", "int.mod"):
            yield from _divided(atom)
            yield from self._remainder(scope, atom)
        if atom.operation in ("int.max", "int.min"):
            yield from _extreme(atom)
        if atom.operation in ("int.mul", "int.div"):
            yield from self.products.bounds(scope, atom)
        if atom.operation == "int.div":
            yield from self._quotient(scope, atom)

    def _quotient(self, scope: BlockScope, atom: Node) -> list[LinearBound]:
        """c * x <= a <= c * y + d  ->  x <= a / c <= y + d / c, for a constant c > 0."""
        a, c = atom.operands
        if not isinstance(c.known, int) or c.known <= 1:
            return []
        found = []
        for known in (*self._noted(scope, a, True), *self._noted(scope, a, False)):
            factor = known.form.factors.get(a)
            others = {n: k for n, k in known.form.factors.items() if n is not a}
            if factor not in (1, -1) or any(k % c.known for k in others.values()):
                continue
            divided = {n: k // c.known for n, k in others.items()}
            constant = known.form.constant // c.known if factor < 0 else -(
                -known.form.constant // c.known
            )  # fmt: skip
            found.append(LinearBound(Linear({**divided, atom: factor}, constant), known.certs))
        return found

    def _noted(self, scope: BlockScope, atom: Node, below: bool) -> Iterator[LinearBound]:
        """What conditions tell of an atom."""
        for outer in scope.chain():
            yield from self.read(outer).bounds.get((atom, below), ())

    def _remainder(self, scope: BlockScope, atom: Node) -> list[LinearBound]:
        """0 <= a % b < b, for b > 0."""
        divisor = atom.operands[1]
        if atom.operation != "int.mod" or divisor.is_known or atom in self._open:
            return []
        self._open.add(atom)
        proof = self.positive(scope, Linear({divisor: 1}, -1), MAX_DEPTH // 2)
        self._open.remove(atom)
        if proof is None:
            return []
        return [
            LinearBound(Linear({atom: 1}, 0), proof),
            LinearBound(Linear({divisor: 1, atom: -1}, -1), proof),
        ]

    def read(self, scope: BlockScope) -> _ScopeRanges:
        known = self._of(scope)
        if known.read == len(scope.known):
            return known
        is_natural = partial(self._is_natural, scope)
        while known.read < len(scope.known):
            news = list(islice(scope.known.items(), known.read, None))
            known.read += len(news)
            for condition, certificate in news:
                area = area_of(self.graph, condition, certificate)
                if area is not None:
                    known.areas.append(area)
                    for bound in self.products.of_area(scope, area):
                        known.add(bound, is_natural)
                for bound in self._facts(scope, condition):
                    certs = bound.certs | {certificate}
                    known.add(LinearBound(bound.form, certs), is_natural)
            self._failed.clear()
        return known

    def _of(self, scope: BlockScope) -> _ScopeRanges:
        """What has been found about a scope."""
        known = self._known.get(scope)
        if known is None:
            known = self._known[scope] = _ScopeRanges()
        return known

    def _is_natural(self, scope: BlockScope, atom: Node) -> bool:
        """Whether a condition says that an int is not negative."""
        alone = frozenset([(atom, 1)])
        for outer in scope.chain():
            known = self._known.get(outer)
            bound = None if known is None else known.strongest.get(alone)
            if bound is not None and bound.form.constant <= 0:
                return True
        return False

    def _facts(self, scope: BlockScope, condition: Node) -> Sequence[LinearBound]:
        """The forms that are not negative where a condition holds."""
        found = self._forms(scope, condition)
        if found is not None:
            return found
        if condition.operation != "bool.not":
            return ()
        (equation,) = condition.operands
        if equation.operation != "int.eq":
            return ()
        a, b = [self.form(scope, operand) for operand in equation.operands]
        for first, second in ((a, b), (b, a)):  # a <= b and not a = b -> a < b
            difference = second.form.plus(first.form, -1)
            proof = self.positive(scope, difference)
            if proof is not None:
                return [LinearBound(difference.shifted(-1), proof | a.certs | b.certs)]
        return ()

    # Proofs.

    def positive(
        self, scope: BlockScope, goal: Linear, depth: int = MAX_DEPTH
    ) -> Certificates | None:
        """The certificates that a form is not negative, or None."""
        if not goal.factors:
            return NO_CERTIFICATES if goal.constant >= 0 else None
        if depth == 0:
            return None
        goal = goal.divided()
        factors = frozenset(goal.factors.items())
        constant, tried = self._failed.get((scope, factors), (0, 0))
        if goal.constant <= constant and depth <= tried:
            return None
        found = self._positive(scope, goal, depth)
        if found is None and not self._open:
            self._failed[scope, factors] = goal.constant, depth
        return found

    def _positive(self, scope: BlockScope, goal: Linear, depth: int) -> Certificates | None:
        """The same, by what bounds the latest atom."""
        atom = self._latest(goal)
        factor = goal.factors[atom]
        for bound in self.bounds(scope, atom, factor > 0):
            other = bound.form.factors[atom]
            self.steps_left -= 1
            if self.steps_left < 0:
                return None
            rest = goal.plus(bound.form, -abs(factor), abs(other))
            rest = rest.shifted(abs(other) - 1)  # k * goal > -k -> goal >= 0, of ints
            proof = self.positive(scope, rest, depth - 1)
            if proof is not None:
                return proof | bound.certs
        return self._one_of(scope, goal, atom, depth)

    def _latest(self, goal: Linear) -> Node:
        if len(goal.factors) == 1:
            (atom,) = goal.factors
            return atom
        for atom in goal.factors:
            if atom not in self._lateness:
                self._lateness[atom] = _lateness(atom)
        return max(goal.factors, key=self._lateness.__getitem__)

    def _one_of(
        self, scope: BlockScope, goal: Linear, atom: Node, depth: int
    ) -> Certificates | None:
        """The certificates that a form is not negative, whichever operand a greatest (least) is."""
        least = {"int.max": False, "int.min": True}
        if atom.operation not in least:
            return None
        factor = goal.factors[atom]
        if (factor > 0) != least[atom.operation]:
            return None
        others = Linear({n: k for n, k in goal.factors.items() if n is not atom}, goal.constant)
        certs = NO_CERTIFICATES
        for operand in atom.operands:
            self.steps_left -= 1
            found = self.form(scope, operand)
            rest = others.plus(found.form, factor)
            proof = self.positive(scope, rest, depth - 1) if self.steps_left >= 0 else None
            if proof is None:
                return None
            certs |= proof | found.certs
        return certs


def _lateness(node: Node) -> tuple[int, int, int]:
    """Atoms of inner loops come late: their bounds speak of what is outside."""
    latest = max([parameter.number for parameter in node.free], default=0)
    return latest, len(node.free), node.number


_COMPARISONS: Final = ("int.le", "int.lt", "int.eq")
_BOUNDED: Final = ("int.div", "int.mod", "int.max", "int.min", "int.mul")
_SUMS: Final = ("int.add", "int.sub", "int.neg", "int.mul")


def _combined(name: str, parts: Sequence[Linear]) -> Linear | None:
    """The form of a sum of forms; None for a product of two that are no constants."""
    if name == "int.neg":
        return Linear({}, 0).plus(parts[0], -1)
    a, b = parts
    if name == "int.add":
        return a.plus(b)
    if name == "int.sub":
        return a.plus(b, -1)
    if not b.factors:
        return Linear({}, 0).plus(a, b.constant)
    return Linear({}, 0).plus(b, a.constant) if not a.factors else None


def _divided(atom: Node) -> list[LinearBound]:
    """c * (a / c) <= a < c * (a / c) + c, 0 <= a % c < c, for a constant c > 0."""
    a, c = atom.operands
    if not isinstance(c.known, int) or c.known <= 0:
        return []
    if atom.operation == "int.mod":
        return [plain_bound({atom: 1}, 0), plain_bound({atom: -1}, c.known - 1)]
    if a.is_known:
        return []
    return [
        plain_bound({a: 1, atom: -c.known}, 0),
        plain_bound({a: -1, atom: c.known}, c.known - 1),
    ]


def _extreme(atom: Node) -> list[LinearBound]:
    """a <= max(a, b), min(a, b) <= a."""
    sign = 1 if atom.operation == "int.max" else -1
    found = []
    for operand in atom.operands:
        if operand.is_known:
            assert isinstance(operand.known, int)
            found.append(plain_bound({atom: sign}, -sign * operand.known))
        else:
            found.append(plain_bound({atom: sign, operand: -sign}, 0))
    return found
