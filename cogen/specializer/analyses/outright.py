"""Calls of which everything is known, run by the interpreter instead of unfolded.

    (define (derivative r c) ...)       an expression and a character that are both known
    (define (index-of name names) ...)  what compilers do, if the program is known

An interpreter computes much that depends on its static data alone.  Unfolded, each call of it costs
an environment, an activation, and what finds loops in between; the machine of the interpreter runs
some fifty times as many.  So where a procedure does nothing but compute (`Computing`) and is
given constants, it is run, for so many steps, and what it gives is known.  If it fails or does not
end in that time, the call is carried out as any other, and so are those that follow of it.

What comes out is what unfolding gives.  Pairs that the run makes are immutable values of the
specializer, equal ones the same; those that were there before keep their identity.  So only
constants come out where the program assigns pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Final

from cogen.lang import il
from cogen.lang.components import components
from cogen.lang.datum import Char, Datum, Pair, Record, Singleton, Symbol, iterate
from cogen.lang.errors import CogenError
from cogen.lang.governor import Exceeded, Exhausted
from cogen.lang.ilutil import atoms, blocks, functions
from cogen.lang.interp import Interpreter
from cogen.lang.prims import PRIMITIVES
from cogen.specializer.values.constants import Constants
from cogen.specializer.values.domain import PartialPair, Static, Value

MOST_STEPS: Final = 200_000
"""Calls, returns and jumps of one run."""

_STEERING: Final = frozenset(
    {"lift", "%lift-any", "%lift-value", "%lift-data", "%lift-made", "%lift-numbers", "%lift-code"}
    | {
        "%rebound",
        "%reveal",
        "%reveal-among",
        "%boxed",
        "%unboxed",
        "%point",
        "%one-of",
        "known?",
        "known-size?",
    }
    | {"set-base", "init-cache", "cache-lines", "cache-carries?", "early=", "early-different?"}
    | {"assume-disjoint"}
)
"""Operations that tell the specializer something, or ask it."""

_MAKING: Final = frozenset(
    {"cons", "vector", "make-cell", "make-record", "values->list", "string->list"}
    | {"car", "cdr", "vector-ref", "cell-ref", "cell-ref/check", "record-ref", "cell-set!"}
    | {"equal?", "list->string", "%finite", "%circular?", "apply"}
)
"""Operations on what a run has made itself, and on constants."""

COMPUTING: Final = _MAKING | frozenset(
    name
    for name, row in PRIMITIVES.items()
    if row.effect == "pure" and not row.context and name not in _STEERING
)
"""Operations of procedures that only compute."""

_ATOMS: Final = frozenset({int, float, bool, str, Symbol, Char, Singleton})


@dataclass(frozen=True, slots=True)
class Needs:
    """What procedures need that are run: globals that are data, and constants with parts."""

    data: frozenset[str]
    constants: tuple[Datum, ...]


class Computing:
    """The procedures of a program that only compute, and go round in loops or recursions."""

    def __init__(self, program: il.Program) -> None:
        self._program = program
        self._functions = {
            item.name: item.function for item in program.items if type(item) is il.Define
        }
        self._names = {function: name for name, function in self._functions.items()}
        self._needs: dict[il.Function, Needs | None] = {}
        self._used: dict[il.Function, set[str] | None] = {}
        self._idle: dict[int, list[Interpreter]] = {}
        """By word size: those that no specialization uses now, with what they have translated."""

    def needs(self, function: il.Function) -> Needs | None:
        """What a procedure needs with all that it calls; None if it is no global one, does more
        than compute, or ends soon."""
        if function not in self._needs:
            self._needs[function] = self._found(function)
        return self._needs[function]

    def name(self, function: il.Function) -> str:
        """The global that a procedure is."""
        return self._names[function]

    def interpreter(self, word_size: int) -> Interpreter:
        """What runs them; globals that are data are to be put in.  It is to be given back."""
        idle = self._idle.setdefault(word_size, [])
        try:
            return idle.pop()
        except IndexError:  # asked for before, another thread could have taken the last one
            return self._made(word_size)

    def give_back(self, interpreter: Interpreter, word_size: int) -> None:
        """A specialization is done with what it was given to run procedures."""
        held = interpreter.machine.globals
        for name in [name for name in held if name not in self._functions]:
            del held[name]
        self._idle[word_size].append(interpreter)

    def _made(self, word_size: int) -> Interpreter:
        items = tuple(item for item in self._program.items if type(item) is il.Define)
        # It writes nothing, and is kept for longer than what `sys.stdout` is now may be open.
        made = Interpreter(il.Program(items), word_size, StringIO(), max_steps=MOST_STEPS)
        made.run()
        return made

    def _found(self, function: il.Function) -> Needs | None:
        name = self._names.get(function)
        if name is None:
            return None
        reached, data, work = {name}, set[str](), [name]
        while work:
            used = self._uses(work.pop())
            if used is None:
                return None
            data |= {name for name in used if name not in self._functions}
            work += (fresh := used - data - reached)
            reached |= fresh
        if not self._goes_round(reached):
            return None
        constants = (
            atom.value
            for name in sorted(reached)
            for block in blocks(self._functions[name].body)
            for atom in atoms(block)
            if type(atom) is il.Const and type(atom.value) not in _ATOMS
        )
        return Needs(frozenset(data), tuple(constants))

    def _goes_round(self, names: set[str]) -> bool:
        """Whether some procedures have loops, or call each other in turn."""
        if any(
            list(functions(block)) for name in names for block in blocks(self._functions[name].body)
        ):
            return True
        called = {name: (self._uses(name) or set()) & names for name in names}
        groups = components(sorted(names), lambda name: sorted(called[name]))
        return any(len(group) > 1 or group[0] in called[group[0]] for group in groups)

    def _uses(self, name: str) -> set[str] | None:
        """The globals that a procedure names; None if it does more than compute."""
        function = self._functions[name]
        if function not in self._used:
            self._used[function] = self._named(function)
        return self._used[function]

    def _named(self, function: il.Function) -> set[str] | None:
        found: set[str] = set()
        for block in blocks(function.body):
            for binding in block.bindings:
                if type(binding) is il.Let and binding.op not in COMPUTING:
                    return None
            for atom in atoms(block):
                if type(atom) is il.Prim and atom.name not in COMPUTING:
                    return None
                if type(atom) is il.Global:
                    if atom.name in self._program.assigned:
                        return None
                    found.add(atom.name)
        return found


class Outright:
    """The calls of one specialization that are run.

    `of_global` gives the value of a global, or raises `CogenError`; `makes_pairs` tells whether
    pairs that a run makes are constants.
    """

    def __init__(
        self,
        computing: Computing,
        constants: Constants,
        word_size: int,
        of_global: Callable[[str], Value],
        *,
        makes_pairs: bool,
    ) -> None:
        self._computing = computing
        self._constants = constants
        self._word_size = word_size
        self._of_global = of_global
        self._makes_pairs = makes_pairs
        self._interpreter: Interpreter | None = None
        self._ready: dict[il.Function, bool] = {}
        """By procedure: whether it is run, as far as it was asked for."""

    def end(self) -> None:
        """The specialization has ended."""
        if self._interpreter is not None:
            self._computing.give_back(self._interpreter, self._word_size)
            self._interpreter = None
            self._ready.clear()

    def value(self, function: il.Function, arguments: Sequence[Value]) -> Value | None:
        """What a call gives, whose rest argument is a list already; None if it is to be
        unfolded."""
        ready = self._ready.get(function)
        if ready is False or not all(map(_is_known, arguments)):
            return None
        if ready is None:
            ready = self._is_ready(function)
        found = self._run(function, arguments) if ready else None
        self._ready[function] = found is not None
        return found

    def _is_ready(self, function: il.Function) -> bool:
        """Whether a procedure is run: it only computes, with constants."""
        needs = self._computing.needs(function)
        if needs is None:
            return False
        if self._interpreter is None:
            self._interpreter = self._computing.interpreter(self._word_size)
        held = self._interpreter.machine.globals
        for name in needs.data:
            try:
                value = self._of_global(name)
            except CogenError:
                return False
            if not _is_known(value):
                return False
            held[name] = self._constant(value)
        for constant in needs.constants:
            self._note(constant)
        return True

    def _constant(self, value: Value) -> Datum:
        """A known value as a constant that is there before a run."""
        datum = self._constants.datum(value)
        self._note(datum)
        return datum

    def _note(self, datum: Datum) -> None:
        """All that a constant consists of is there before a run."""
        work = [datum]
        while work:
            part = work.pop()
            if self._valued(part) is not None:
                continue
            self._constants.note(Static(part), part)
            if type(part) is Pair:
                work += [part.car, part.cdr]
            elif type(part) is list:
                work += part
            elif type(part) is Record:
                work += part.values

    def _run(self, function: il.Function, arguments: Sequence[Value]) -> Value | None:
        """What a call gives; None if it fails, takes too long, or gives what is no constant."""
        data = list(map(self._constant, arguments))
        if function.rest is not None:
            data[-1:] = iterate(data[-1])
        assert self._interpreter is not None
        try:
            result = self._interpreter.call(self._computing.name(function), data)
        except Exhausted:
            raise Exceeded from None  # of the budget of the specialization, which tells its place
        except CogenError:
            return None
        return self._known(result)

    def _known(self, result: Datum) -> Value | None:
        """What a run gave, as a value; None if it is more than constants and their pairs."""
        work = [result]
        while work:
            datum = work[-1]
            if self._valued(datum) is not None:
                work.pop()
                continue
            if type(datum) is not Pair or not self._makes_pairs:
                return None
            car, cdr = self._valued(datum.car), self._valued(datum.cdr)
            if car is None:
                work.append(datum.car)
            if cdr is None:
                work.append(datum.cdr)
            if car is not None and cdr is not None:
                self._constants.note(self._constants.pair(car, cdr), datum)
        return self._valued(result)

    def _valued(self, datum: Datum) -> Value | None:
        """The value of a constant that is there."""
        return Static(datum) if type(datum) in _ATOMS else self._constants.value(datum)


def _is_known(value: Value) -> bool:
    """Whether a value is a constant, or a pair of constants."""
    return type(value) is Static or (type(value) is PartialPair and value.ground is not None)
