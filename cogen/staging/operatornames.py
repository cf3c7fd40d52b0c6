"""What hooks call Python's operators, in the rewritten functions."""

from __future__ import annotations

import ast
from typing import Final

OPERATORS: Final = {
    ast.Add: "iadd", ast.Sub: "isub", ast.Mult: "imul", ast.Div: "itruediv",
    ast.FloorDiv: "ifloordiv", ast.Mod: "imod", ast.Pow: "ipow", ast.BitAnd: "iand",
    ast.BitOr: "ior", ast.BitXor: "ixor", ast.LShift: "ilshift", ast.RShift: "irshift",
    ast.MatMult: "imatmul",
}  # fmt: skip

COMPARISONS: Final = {
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
    ast.Is: "is_", ast.IsNot: "is_not", ast.In: "contained", ast.NotIn: "not_contained",
}  # fmt: skip
