"""Calls of procedures that search in what is known, carried out at once.

    (define (lookup name env) (if (eq? (caar env) name) (cdar env) (lookup name (cdr env))))

An environment is a list of which names are known, and values are not.  To look one up costs the
machine as many calls as there are names before it, and each an activation, a continuation, and a
look whether it recurs; nothing of that is left in the residual program.  Here it costs what a plain
interpreter takes: a procedure's blocks are carried out on symbolic values as long as all that
they test, and compute with, is known.  Where anything is not, nothing has happened, and the machine
carries out the call as any other; so it does, without trying, where most tries led to nothing.

What comes out is what unfolding gives, and as many calls count as unfolded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from cogen.lang import il
from cogen.lang.datum import Char, Singleton, Symbol
from cogen.lang.ilutil import blocks
from cogen.lang.prims import PRIMITIVES, PrimitiveError
from cogen.specializer.analyses.library import Library
from cogen.specializer.analyses.looking import FALSE, QUICK, TRUE, Looking
from cogen.specializer.analyses.outright import COMPUTING, Outright
from cogen.specializer.analyses.plan import Step, close, closing, operands
from cogen.specializer.programs.liveness import Liveness
from cogen.specializer.programs.rounds import Rounds
from cogen.specializer.values.constants import Constants
from cogen.specializer.values.domain import (
    Activation,
    Closure,
    Dynamic,
    Environment,
    PartialPair,
    Static,
    Value,
)

_SAME: Final = frozenset({"eq?", "eqv?", "equal?"})
_KINDS: Final = frozenset(
    {"symbol?", "number?", "string?", "char?", "boolean?", "integer?", "vector?", "procedure?"}
)
_FOLDED: Final[Mapping[str, Callable[..., Any]]] = {
    name: row.python
    for name, row in PRIMITIVES.items()
    if name in COMPUTING and row.effect == "pure" and not row.context
}
"""Operations that are carried out on constants without parts."""

_ATOMS: Final = frozenset({int, float, bool, Symbol, Char, Singleton})
"""Constants without parts; texts may be long."""
_COMPARED: Final = _ATOMS - {float}

SLACK: Final = 8
"""So many calls more may have been carried out in vain than to some end."""

LOOK, FOLD, COMPARE, KIND, CONS, CONTINUE, CLOSE = range(7)


class SearchedOperation:
    """A binding, by its kind."""

    __slots__ = ("conts", "kind", "looks", "name", "operand", "operands", "python", "step")

    def __init__(self, kind: int, name: str) -> None:
        self.kind = kind
        self.name = name
        self.operand = ""
        self.operands: tuple[Any, ...] = ()
        self.looks: Callable[[Value | None], Value | None] | None = None
        self.python: Callable[..., Any] | None = None
        self.conts: Sequence[il.Cont] = ()
        self.step: Step | None = None


class SearchedBlock:
    """A block: its bindings, and the operands of its tail."""

    __slots__ = ("operands", "operations", "tail")

    def __init__(self, block: il.Block, liveness: Liveness) -> None:
        self.operations = [_operation(binding, liveness) for binding in block.bindings]
        self.tail = block.tail
        self.operands: tuple[Any, ...] = ()
        if type(block.tail) is not il.If:
            self.operands = operands(block.tail.arguments)


def _operation(binding: il.Binding, liveness: Liveness) -> SearchedOperation:
    if type(binding) is il.Conts:
        found = SearchedOperation(CONTINUE, "")
        found.conts = binding.conts
        return found
    if type(binding) is il.Fix:
        found = SearchedOperation(CLOSE, "")
        found.step = closing(binding, 0, liveness)
        return found
    assert type(binding) is il.Let
    op = binding.op
    found = SearchedOperation(FOLD, binding.name)
    found.operands = operands(binding.arguments)
    first: Any = found.operands[0] if found.operands else None
    if op in QUICK:
        found.kind, found.operand, found.looks = LOOK, first, QUICK[op]
    elif op == "cons":
        found.kind = CONS
    else:
        found.python = _FOLDED[op]
        if op in _SAME and len(found.operands) == 2:
            found.kind = COMPARE
        elif op in _KINDS and type(first) is str:
            found.kind, found.operand = KIND, first
    return found


class Searching:
    """The procedures of a program that do nothing but look, and compute."""

    def __init__(self, program: il.Program, liveness: Liveness) -> None:
        self._functions = {
            item.name: item.function for item in program.items if type(item) is il.Define
        }
        self.liveness = liveness
        self._codes: dict[il.Block, SearchedBlock] = {}
        self._may: dict[il.Function, bool] = {}

    def may(self, function: il.Function) -> bool:
        """Whether a procedure does nothing else itself."""
        found = self._may.get(function)
        if found is None:
            found = function.rest is None and all(map(self._is_plain, blocks(function.body)))
            self._may[function] = found
        return found

    def _is_plain(self, block: il.Block) -> bool:
        for binding in block.bindings:
            if type(binding) is il.Let:
                if binding.op not in _FOLDED and binding.op not in _TAKEN:
                    return False
                if not _are_at_hand(binding.arguments):
                    return False
                if binding.op in QUICK and type(binding.arguments[0]) is not il.Var:
                    return False
        tail = block.tail
        if type(tail) is il.If:
            return _are_at_hand((tail.test,))
        is_called = type(tail) is not il.Call or type(tail.function) in (il.Var, il.Global)
        return is_called and _are_at_hand(tail.arguments)

    def code(self, block: il.Block) -> SearchedBlock:
        """A block, made ready."""
        found = self._codes.get(block)
        if found is None:
            found = self._codes[block] = SearchedBlock(block, self.liveness)
        return found

    def named(self, name: str) -> il.Function | None:
        """The procedure that a definition binds to a global."""
        return self._functions.get(name)


def _are_at_hand(atoms: Sequence[il.Atom]) -> bool:
    """Whether atoms are variables and constants."""
    return all(type(atom) is il.Var or type(atom) is il.Const for atom in atoms)


_TAKEN: Final = frozenset({"car", "cdr", "null?", "pair?", "not", "cons"})

Return = tuple[il.Cont, Environment]
"""Where a call gives its value: a continuation and the environment that it is in."""


class Search:
    """The searches of one specialization.

    `is_watched` says of a procedure that its calls are not as any others; `makes_pairs` tells
    whether pairs are constants, if their parts are.  `count` are the calls of the last search.
    """

    def __init__(
        self,
        searching: Searching,
        looking: Looking,
        outright: Outright,
        library: Library,
        rounds: Rounds,
        constants: Constants,
        lasting: list[Environment],
        is_watched: Callable[[il.Function], bool],
        *,
        makes_pairs: bool,
    ) -> None:
        self._lasting = lasting
        self._searching = searching
        self._looking = looking
        self._outright = outright
        self._library = library
        self._rounds = rounds
        self._constants = constants
        self._is_watched = is_watched
        self._makes_pairs = makes_pairs
        self._gain: dict[il.Function, int] = {}
        """By procedure: how many calls more were carried out to some end than in vain."""
        self._around: Activation | None = None
        self._left = 0
        self.count = 0

    def value(
        self, closure: Closure, values: Sequence[Value], around: Activation | None, left: int
    ) -> Value | None:
        """What a call gives, made within an activation, carrying out less than so many calls; None
        if it is for the machine."""
        function = closure.function
        if left <= 1 or not self._searching.may(function):
            return None
        gain = self._gain.get(function, 0)
        if gain < -SLACK:
            return None
        self._around, self._left, self.count = around, left, 0
        environment = self._entered(closure, values)
        found = None
        if environment is not None:
            environment[function.cont] = None
            try:
                found = self._run(function.body, environment)
            except PrimitiveError:
                found = None
        self._gain[function] = gain + (-self.count if found is None else self.count)
        return found

    def _entered(self, closure: Closure, values: Sequence[Value]) -> Environment | None:
        """The environment that a procedure's body is carried out in; None if a call of it is for
        the machine."""
        function = closure.function
        self.count += 1
        around = self._around
        if around is not None and (function is around.function or function in around.around):
            return None
        if (
            self.count >= self._left
            or len(values) != len(function.parameters)
            or not self._searching.may(function)
            or self._is_watched(function)
        ):
            return None
        if function in self._rounds.procedures and all(type(v) is Dynamic for v in values):
            return None
        known = closure.environment
        if type(known) is dict:
            environment: Environment = known.copy()
        else:
            names = self._searching.liveness.of_function(function)
            environment = {name: known[name] for name in names}
        for name, value in zip(function.parameters, values, strict=True):
            environment[name] = value
        return environment

    def _run(self, block: il.Block, environment: Environment) -> Value | None:
        """What a block gives in the end."""
        code_of = self._searching.code
        while True:
            code = code_of(block)
            for operation in code.operations:
                if not self._carry_out(operation, environment):
                    return None
            tail = code.tail
            if type(tail) is il.If:
                test = self._value(tail.test, environment)
                if type(test) is Static:
                    block = tail.then if test.datum is not False else tail.otherwise
                elif type(test) is PartialPair:
                    block = tail.then
                else:
                    return None
                continue
            values = _values(code.operands, environment)
            if type(tail) is not il.Jump:
                function = self._value(tail.function, environment)
                if type(function) is not Closure:
                    return None
                if self._library.stays(function.function, values):
                    return None
                found = self._looked(function.function, values)
                if found is None:
                    k = environment[tail.cont]
                    entered = self._entered(function, values)
                    if entered is None:
                        return None
                    entered[function.function.cont] = (k, environment) if type(k) is il.Cont else k
                    environment = entered
                    block = function.function.body
                    continue
                values = [found]
            k = environment[tail.cont]
            if k is None:
                return values[0] if len(values) == 1 else None
            cont = k
            if type(k) is not il.Cont:  # one of a procedure around, with its environment
                cont, environment = k
            if len(cont.parameters) != len(values):
                return None
            for name, value in zip(cont.parameters, values, strict=True):
                environment[name] = value
            block = cont.body

    def _looked(self, function: il.Function, values: Sequence[Value]) -> Value | None:
        """What a call gives that counts as one, whatever it takes."""
        if len(values) != len(function.parameters):
            return None
        found = self._looking.value(function, values)
        if found is None:
            found = self._outright.value(function, values)
        if found is not None:
            self.count += 1
        return found

    def _value(self, atom: il.Atom, environment: Environment) -> Value | None:
        kind = type(atom)
        if kind is il.Var:
            return environment[atom.name]  # type: ignore[no-any-return, union-attr]
        if kind is il.Const:
            return Static(atom.value)  # type: ignore[union-attr]
        function = self._searching.named(atom.name) if kind is il.Global else None  # type: ignore[union-attr]
        return None if function is None else Closure(function, {})

    def _carry_out(self, operation: SearchedOperation, environment: Environment) -> bool:
        """Carry out a binding; False if that is for the machine."""
        kind = operation.kind
        value: Value | None
        if kind == LOOK:
            assert operation.looks is not None
            value = operation.looks(environment[operation.operand])
            if value is None:
                return False
            environment[operation.name] = value
            return True
        if kind == CONTINUE:
            for cont in operation.conts:
                environment[cont.name] = cont
            return True
        if kind == CLOSE:
            assert operation.step is not None
            self._lasting += close(operation.step, environment)
            return True
        values = _values(operation.operands, environment)
        if kind == CONS:
            if not self._makes_pairs:
                return False
            environment[operation.name] = self._constants.pair(values[0], values[1])
            return True
        if kind == KIND and type(values[0]) is PartialPair:
            environment[operation.name] = FALSE
            return True
        if kind == COMPARE:
            value = _same(values[0], values[1], operation)
        else:
            value = _folded(values, operation)
        if value is None:
            return False
        environment[operation.name] = value
        return True


def _values(operands: Sequence[Any], environment: Environment) -> list[Value]:
    """The values of operands (`analyses.plan`), of variables and constants."""
    values: list[Value] = []
    for operand in operands:
        if type(operand) is str:
            values.append(environment[operand])
        elif type(operand) is Static:
            values.append(operand)
        else:
            values.append(Static(operand.value))
    return values


def _same(a: Value, b: Value, operation: SearchedOperation) -> Value | None:
    """Whether two values are one, if they are constants without parts or one of them is a pair."""
    if type(a) is Static and type(b) is Static:
        if type(a.datum) in _COMPARED and type(b.datum) in _COMPARED:
            assert operation.python is not None
            return TRUE if operation.python(a.datum, b.datum) else FALSE
        if type(a.datum) is Symbol or type(b.datum) is Symbol:
            return FALSE
        return None
    if type(a) is PartialPair:
        a, b = b, a
    if type(b) is PartialPair and type(a) is Static and type(a.datum) in _ATOMS:
        return FALSE
    return None


def _folded(values: Sequence[Value], operation: SearchedOperation) -> Value | None:
    """What an operation gives of constants without parts."""
    data: list[Any] = []
    for value in values:
        if type(value) is not Static or type(value.datum) not in _ATOMS:
            return None
        data.append(value.datum)
    assert operation.python is not None
    made = operation.python(*data)
    return Static(made) if type(made) in _ATOMS else None
