"""The mutants of a module: its tree with one expression or statement replaced.

    a < b -> a <= b, a == b -> a != b, x in y -> x not in y          comparisons, their neighbour
    a and b -> a, a and b -> b; so with or                           operands left out
    not a -> a, if a -> if True, if a -> if False, a if b else c     conditions
    a + b -> a - b, a // b -> a % b, a << b -> a >> b, -a -> a       operators
    0 -> 1, n -> n + 1, n -> n - 1, True -> False                    constants
    min -> max, any -> all                                           functions of Python
    f(x) -> pass, a += b -> pass, continue -> pass, raise e -> pass  statements left out
    return e -> return None                                          results

What is left out stays behind the name `__never__`, so that the functions within, and the variables
that they take from outside, are those of the module.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

NEVER: Final = "__never__"
"""A global of a mutated module, always False."""

COMPARISONS: Final = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
OPERATORS: Final = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mod,
    ast.Mod: ast.FloorDiv, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
FUNCTIONS: Final = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change: where it is, what stood there and what does now.

    `unit` is the line of the statement, or of the lambda expression, that must run for the change
    to be met; `slot` says where `node` goes into the tree: (parent, field, position or None).
    """

    line: int
    unit: int
    function: str
    before: str
    after: str
    slot: tuple[ast.AST, str, int | None]
    node: ast.AST
    repeated: int = 1

    @property
    def name(self) -> str:
        """What the change is, and the how manyth that reads like this in its function."""
        count = "" if self.repeated == 1 else f" ({self.repeated})"
        return f"{self.function or 'module'}: {self.before} -> {self.after}{count}"

    def put(self, node: ast.AST) -> ast.AST:
        """Put a node into the place; gives what was there."""
        parent, field, position = self.slot
        if position is None:
            old = getattr(parent, field)
            setattr(parent, field, node)
        else:
            items = getattr(parent, field)
            old, items[position] = items[position], node
        assert isinstance(old, ast.AST)
        return old

    def compiled(self, tree: ast.Module, path: str) -> object:
        """The code of the tree with this change; the tree is as before afterwards."""
        old = self.put(self.node)
        try:
            return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
        finally:
            self.put(old)


def mutants(tree: ast.Module) -> list[Mutant]:
    """All mutants of a module, in the order of its text."""
    found = []
    count: Counter[str] = Counter()
    for mutant in _Walk().visit(tree, "", 0):
        count[mutant.name] += 1
        found.append(replace(mutant, repeated=count[mutant.name]))
    return found


class _Walk:
    """Goes through a tree; knows the function and the unit that it is in."""

    def visit(self, node: ast.AST, function: str, unit: int) -> Iterator[Mutant]:
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "args", "decorator_list", "type_comment") and (
                field != "args" or isinstance(value, ast.arguments)
            ):
                continue
            children = value if isinstance(value, list) else [value]
            for i, child in enumerate(children):
                if not isinstance(child, ast.AST) or _is_text(node, child):
                    continue
                inner = self._unit(node, field, child, unit)
                slot = (node, field, i if isinstance(value, list) else None)
                for new in replacements(node, child):
                    line = getattr(child, "lineno", unit)
                    yield Mutant(line, inner, function, _show(child), _show(new), slot, new)
                name = function
                if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
                    name = f"{function}.{child.name}" if function else child.name
                yield from self.visit(child, name, inner)

    def _unit(self, node: ast.AST, field: str, child: ast.AST, unit: int) -> int:
        if isinstance(child, ast.stmt):
            return child.lineno
        if isinstance(node, ast.Lambda) and field == "body":
            assert isinstance(child, ast.expr)
            return child.lineno
        return unit


def _is_text(parent: ast.AST, node: ast.AST) -> bool:
    """Docstrings, imports, types and messages."""
    if isinstance(node, (ast.Import, ast.ImportFrom, ast.AnnAssign)):
        return isinstance(node, (ast.Import, ast.ImportFrom)) or node.value is None
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _show(node: ast.AST) -> str:
    text = " ".join(ast.unparse(ast.fix_missing_locations(node)).split())
    if NEVER in text:
        if isinstance(node, ast.If):
            return "pass"
        if isinstance(node, ast.Return):
            return "return None"
        text = text.replace(f"not {NEVER} or ", "True or ").replace(f"{NEVER} and ", "False and ")
    return text if len(text) <= 160 else text[:150] + "[...]"


def replacements(parent: ast.AST, node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in place of a node."""
    never = ast.Name(NEVER, ast.Load())
    match node:
        case ast.Compare(left, [op], [right]) if type(op) in COMPARISONS:
            yield ast.Compare(left, [COMPARISONS[type(op)]()], [right])
        case ast.Compare(left, ops, comparators):
            for i, op in enumerate(ops):
                changed = [*ops[:i], COMPARISONS[type(op)](), *ops[i + 1 :]]
                yield ast.Compare(left, changed, comparators)
        case ast.BoolOp(op, values):
            for i, value in enumerate(values):
                hidden: ast.expr = ast.BoolOp(ast.And(), [never, value])
                if isinstance(op, ast.And):
                    hidden = ast.BoolOp(ast.Or(), [ast.UnaryOp(ast.Not(), never), value])
                yield ast.BoolOp(op, [*values[:i], hidden, *values[i + 1 :]])
        case ast.UnaryOp(ast.Not() | ast.USub(), operand):
            yield operand
        case ast.BinOp(left, op, right) if type(op) in OPERATORS and not _is_string(left):
            yield ast.BinOp(left, OPERATORS[type(op)](), right)
        case ast.Constant(bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(int() as value):
            yield ast.Constant(value + 1)
            if value > 0:
                yield ast.Constant(value - 1)
        case ast.Name(name, ast.Load()) if name in FUNCTIONS:
            yield ast.Name(FUNCTIONS[name], ast.Load())
        case ast.Expr() | ast.AugAssign() | ast.Continue() | ast.Raise() | ast.Break():
            yield ast.If(never, [node], [])
        case ast.Return(value) if value is not None and not _is_none(value):
            yield ast.Return(ast.IfExp(never, value, ast.Constant(None)))
    if _is_condition(parent, node):
        assert isinstance(node, ast.expr)
        yield ast.BoolOp(ast.And(), [never, node])
        if not isinstance(parent, ast.While):
            yield ast.BoolOp(ast.Or(), [ast.UnaryOp(ast.Not(), never), node])


def _is_condition(parent: ast.AST, node: ast.AST) -> bool:
    if isinstance(parent, (ast.If, ast.IfExp, ast.While)):
        return parent.test is node
    return isinstance(parent, ast.comprehension) and node in parent.ifs


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_string(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


class Marks(ast.NodeTransformer):
    """Puts `hit(unit)` before every statement and into every lambda expression of a module."""

    def __init__(self, hit: str) -> None:
        self.hit = hit

    def _call(self, line: int) -> ast.expr:
        return ast.Call(ast.Name(self.hit, ast.Load()), [ast.Constant(line)], [])

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        line = node.body.lineno
        self.generic_visit(node)
        node.body = ast.BoolOp(ast.Or(), [self._call(line), node.body])
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        for inner in ast.walk(node):
            for field in ("body", "orelse", "finalbody"):
                statements = getattr(inner, field, None)
                if isinstance(statements, list):
                    marked = [[ast.Expr(self._call(s.lineno)), s] for s in statements]
                    setattr(inner, field, [s for pair in marked for s in pair])
        for inner in ast.walk(node):
            if isinstance(inner, ast.Lambda):
                self.visit_Lambda(inner)
        return node
