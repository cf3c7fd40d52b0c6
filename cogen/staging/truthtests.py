"""Tests of which only the truth is asked: `while stack and stack[-1] > x`.

`a and b` is one of its operands, a list or a number; where it is the test of an `if`, a loop, an
assertion or a `not`, it is only whether both hold.
"""

from __future__ import annotations

import ast


def mark_tests(tree: ast.AST) -> None:
    """Note, at each `and` and `or` of a function, whether only its truth is asked."""
    for node in ast.walk(tree):
        match node:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                _mark(test)
            case ast.Assert(test=test) | ast.UnaryOp(op=ast.Not(), operand=test):
                _mark(test)
            case ast.comprehension(ifs=tests):
                for test in tests:
                    _mark(test)


def _mark(test: ast.expr) -> None:
    if isinstance(test, ast.BoolOp):
        test.is_test = True  # type: ignore[attr-defined]  # a note of ours
        for part in test.values:
            _mark(part)


def is_test(node: ast.BoolOp) -> bool:
    """Whether only the truth of an `and` or `or` is asked."""
    return getattr(node, "is_test", False)
