"""What little the residual passes know of types, and what follows from it.

A type is one of the names of `lang.prims`.  Only types that a value keeps for life are of use
(a list may stop being one), and only operations whose type failures the table describes
completely are called safe.
"""

from __future__ import annotations

from typing import Final

from cogen.spec.passes.flow import (
    Branch,
    Goto,
    Graph,
    Node,
    Operation,
    Procedure,
    known_callees,
    walk,
)
from lang import il
from lang.datum import Char, Datum, Pair, Symbol
from lang.prims import PRIMITIVES

NUMBERS: Final = frozenset({"int", "float", "number"})

LASTING: Final = frozenset(
    {"int", "float", "number", "bool", "char", "string", "symbol", "pair", "vector"}
    | {"bytevector", "memory", "procedure", "cell"}
)
"""The types that a value cannot lose; apart from number and memory they are disjoint.  A cell is
what `make-cell` gives; the table knows it as `any`."""

INEXACT_LAW: Final = frozenset({"sqrt", "expt"})
"""Operations whose result may be a float although all arguments are ints."""

TYPED: Final = frozenset(
    (
        "+", "-", "*", "/", "quotient", "remainder", "modulo", "floor-quotient",
        "floor-remainder", "truncate-quotient", "truncate-remainder", "abs", "min", "max",
        "gcd", "lcm", "square", "=", "<", ">", "<=", ">=", "zero?", "positive?", "negative?",
        "odd?", "even?", "exact?", "inexact?", "nan?", "infinite?", "finite?", "floor",
        "ceiling", "round", "truncate", "inexact", "exact->inexact", "exp", "sin", "cos",
        "tan", "bitwise-and", "bitwise-ior", "bitwise-xor", "bitwise-not",
        "arithmetic-shift", "bit-count", "word-add", "word-sub", "word-mul",
        "word-shift-left", "word-shift-right", "boolean=?", "car", "cdr", "symbol=?",
        "symbol->string", "vector-length", "string-length", "char->integer", "char=?",
        "char<?", "char>?", "char<=?", "char>=?", "string=?", "string<?", "string>?",
        "string<=?", "string>=?", "bytevector-length", "cell-ref", "cell-set!",
    )
)  # fmt: skip
"""Operations that have a type failure only if an argument is not of the table's type."""

DIVISIONS: Final = frozenset(
    (
        "quotient", "remainder", "modulo", "floor-quotient", "floor-remainder",
        "truncate-quotient", "truncate-remainder",
    )
)  # fmt: skip
"""Integer divisions: they have a division failure only if the divisor is 0."""

PREDICATES: Final = {
    "pair?": frozenset({"pair"}),
    "null?": frozenset[str](),
    "vector?": frozenset({"vector"}),
    "string?": frozenset({"string"}),
    "char?": frozenset({"char"}),
    "symbol?": frozenset({"symbol"}),
    "boolean?": frozenset({"bool"}),
    "procedure?": frozenset({"procedure"}),
    "number?": NUMBERS,
    "exact-integer?": frozenset({"int"}),
}
"""Type predicates, and the types of which they are true."""


def type_of_datum(value: Datum) -> str:
    """The type of a constant; `any` where it is of no use."""
    kind = type(value)
    if kind is Pair:
        return "pair"
    return _TYPE_NAMES.get(kind, "any")


_TYPE_NAMES: Final = {
    int: "int",
    float: "float",
    bool: "bool",
    Char: "char",
    str: "string",
    Symbol: "symbol",
    list: "vector",
    bytearray: "bytevector",
}


def is_of(known: str, wanted: str) -> bool:
    """Whether a value of the known type certainly has the wanted one."""
    if wanted == "any":
        return True
    if known not in LASTING or wanted not in LASTING:
        return False
    if known == wanted:
        return True
    if wanted == "number":
        return known in NUMBERS
    return wanted == "memory" and known == "bytevector"


def join(a: str, b: str) -> str:
    """The most exact type that covers both."""
    if is_of(a, b):
        return b
    if is_of(b, a):
        return a
    return "number" if a in NUMBERS and b in NUMBERS else "any"


def more_exact(a: str, b: str) -> str:
    """The more exact of two types that are both true."""
    return a if is_of(a, b) else b


def answer(predicate: str, known: str) -> bool | None:
    """What a type predicate says of a value of the known type, if that decides it."""
    if known not in LASTING or known == "memory":
        return None
    if known in PREDICATES[predicate]:
        return True
    return None if known == "number" and predicate == "exact-integer?" else False


def result_type(op: str, arguments: list[str]) -> str:
    """The type of an operation's result, given the types of its arguments."""
    if op == "make-cell":
        return "cell"
    result = PRIMITIVES[op].result
    if result != "number" or op in INEXACT_LAW:
        return result
    if "float" in arguments:
        return "float"
    return "int" if all(t == "int" for t in arguments) else "number"


def wanted_types(op: str, count: int) -> list[str]:
    """The types an operation wants its `count` arguments to have."""
    if op in ("cell-ref", "cell-set!"):
        return ["cell", "any"][:count]
    listed = PRIMITIVES[op].arguments
    return [listed[min(i, len(listed) - 1)] for i in range(count)] if listed else []


def cannot_fail(operation: Operation, types: list[str]) -> bool:
    """Whether type, index and division failures are excluded for arguments of these types."""
    op = operation.op
    for failure in PRIMITIVES[op].fails:
        if failure == "type":
            wanted = wanted_types(op, len(types))
            if op not in TYPED or not all(map(is_of, types, wanted)):
                return False
        elif failure == "division":
            if not _divides(operation, types):
                return False
        elif failure == "index" and not _shifts_within_word(operation):
            return False
    return True


def _divides(operation: Operation, types: list[str]) -> bool:
    if operation.op in DIVISIONS:
        divisor = operation.arguments[1]
        return isinstance(divisor, il.Const) and type(divisor.value) is int and divisor.value != 0
    return operation.op == "/" and "float" in types


def _shifts_within_word(operation: Operation) -> bool:
    if operation.op not in ("word-shift-left", "word-shift-right"):
        return False
    count = operation.arguments[1]
    return isinstance(count, il.Const) and type(count.value) is int and 0 <= count.value < 64


def infer(graph: Graph) -> dict[str, str]:
    """The types of variables as far as they follow from where their values come from.

    Parameters of nodes and of procedures all of whose calls are known have the join of what
    they receive; the least such assignment is found, so a loop's counter is an int if it
    starts as one and stays one.  A variable that is missing has type `any`.
    """
    return _Inference(graph).run()


class _Inference:
    """`feeds`: what each parameter receives; `numeric`: the operations whose type depends on
    their arguments'; `users`: which variables depend on each.  A procedure's result is a
    pseudo-variable `(result f)`."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.known = known_callees(graph)
        self.types: dict[str, str] = {}
        self.feeds: dict[str, list[il.Atom]] = {}
        self.numeric: dict[str, Operation] = {}
        self.users: dict[str, list[str]] = {}
        for procedure, nodes in walk(graph):
            nested = graph.procedures.get(procedure.name) is not procedure
            if nested:
                self.types[procedure.name] = "procedure"
            if nested or procedure.name not in self.known:
                for x in procedure.parameters:
                    self.types[x] = graph.types.get(x, "any")
            for node in nodes:
                self.items(node)
                self.edges(node, procedure)

    def items(self, node: Node) -> None:
        for item in node.items:
            if not isinstance(item, Operation):
                continue
            result = result_type(item.op, [])
            if result != "int" or PRIMITIVES[item.op].result == "int":
                self.types[item.name] = more_exact(item.type, result)
                continue
            self.numeric[item.name] = item
            for atom in item.arguments:
                self.uses(item.name, atom)

    def edges(self, node: Node, procedure: Procedure) -> None:
        tail = node.tail
        result = _result(procedure)
        if isinstance(tail, Branch):
            return
        if isinstance(tail, Goto):
            receivers = [result] if tail.target is None else tail.target.parameters
            for x, atom in zip(receivers, tail.arguments, strict=False):
                self.feed(x, atom)
            return
        callee = None
        if isinstance(tail.function, il.Global):
            callee = self.graph.procedures.get(tail.function.name)
        if callee is not None and callee.name in self.known:
            for x, atom in zip(callee.parameters, tail.arguments, strict=True):
                self.feed(x, atom)
        receivers = [result] if tail.target is None else tail.target.parameters
        for x in receivers:
            if callee is None or len(receivers) != 1:
                self.types[x] = "any"
            else:
                self.feed(x, il.Var(_result(callee)))

    def feed(self, x: str, atom: il.Atom) -> None:
        self.feeds.setdefault(x, []).append(atom)
        self.uses(x, atom)

    def uses(self, user: str, atom: il.Atom) -> None:
        if isinstance(atom, il.Var):
            self.users.setdefault(atom.name, []).append(user)

    def run(self) -> dict[str, str]:
        open_ones = [x for x in (*self.feeds, *self.numeric) if x not in self.types]
        unsettled = set(open_ones)
        pending = list(reversed(open_ones))
        while pending:
            x = pending.pop()
            found = self.compute(x)
            if found is None or found == self.types.get(x):
                continue
            self.types[x] = found
            pending.extend(y for y in self.users.get(x, ()) if y in unsettled)
        for x, vouched in self.graph.types.items():
            self.types[x] = more_exact(vouched, self.types.get(x, "any"))
        return self.types

    def compute(self, x: str) -> str | None:
        """The type that follows from what is known so far; None if nothing is."""
        if (operation := self.numeric.get(x)) is not None:
            types = [self.of(a) for a in operation.arguments]
            if None in types:
                return None
            found = result_type(operation.op, [t for t in types if t is not None])
            return more_exact(operation.type, found)
        result: str | None = None
        for atom in self.feeds[x]:
            kind = self.of(atom)
            if kind is not None:
                result = kind if result is None else join(result, kind)
        return result

    def of(self, atom: il.Atom) -> str | None:
        if isinstance(atom, il.Const):
            return type_of_datum(atom.value)
        return self.types.get(atom.name) if isinstance(atom, il.Var) else "procedure"


def _result(procedure: Procedure) -> str:
    return f"(result {procedure.name})"
