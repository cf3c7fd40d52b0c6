"""Loops -> OpenCL C.

    kernel          a kernel; an item without a number below `items` does nothing
    Fail            notes the error among the item's own, and leaves the kernel or goes to the end
                    of an `Attempt`
    vectors         those of OpenCL C

Ints wrap around whatever the compiler assumes of overflow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.loops import tree
from cogen.array.loops.functions import FUNCTIONS
from cogen.array.loops.text import Text
from cogen.array.loops.tree import (
    ERROR_SLOTS,
    ERRORS,
    I64,
    Expr,
    Kernel,
    Number,
    Type,
    Var,
    Vector,
)
from cogen.array.operations import REAL_FUNCTIONS
from cogen.lang.errors import InternalError
from cogen.target import ctree as ct
from cogen.target.ctemplate import template

PARTS: Final = Var("parts", I64)
"""The parameter of all kernels that says how many parts there are, one for each item."""

PART: Final = Var("part", I64)
"""The number of an item."""

_WRAPPING: Final = {
    "int.add": "(INT)((UINT){0} + (UINT){1})",
    "int.sub": "(INT)((UINT){0} - (UINT){1})",
    "int.mul": "(INT)((UINT){0} * (UINT){1})",
    "int.neg": "(INT)(0 - (UINT){0})",
}

_VECTOR: Final = {
    "int.add": "as_INT(as_UINT({0}) + as_UINT({1}))",
    "int.sub": "as_INT(as_UINT({0}) - as_UINT({1}))",
    "int.mul": "as_INT(as_UINT({0}) * as_UINT({1}))",
    "int.neg": "as_INT(-as_UINT({0}))",
    "int.shl": "as_INT(as_UINT({0}) << as_UINT({1}))",
    "int.and": "{0} & {1}", "int.or": "{0} | {1}", "int.xor": "{0} ^ {1}",
    "int.shr": "{0} >> {1}", "int.abs": "as_INT(abs({0}))",
    "int.min": "min({0}, {1})", "int.max": "max({0}, {1})",
    "int.eq": "{0} == {1}", "int.lt": "{0} < {1}", "int.le": "{0} <= {1}",
    "real.add": "{0} + {1}", "real.sub": "{0} - {1}", "real.mul": "{0} * {1}",
    "real.div": "{0} / {1}", "real.neg": "-{0}", "real.abs": "fabs({0})",
    "real.sqrt": "sqrt({0})", "real.exp": "exp({0})", "real.log": "log({0})",
    "real.pow": "pow({0}, {1})",
    **{f"real.{name}": f"{c}({{0}})" for name, (c, _) in REAL_FUNCTIONS.items()},
    "real.eq": "{0} == {1}", "real.lt": "{0} < {1}", "real.le": "{0} <= {1}",
    "int.to_real": "convert_RESULT({0})",
    "bool.and": "{0} & {1}", "bool.or": "{0} | {1}", "bool.not": "!{0}",
}  # fmt: skip
"""Operations lane by lane. Shifts count modulo the width of their elements."""

VECTOR_ROWS: Final = frozenset(_VECTOR)
"""The operations that there are lane by lane."""

_LANES: Final = {
    "i64": "long", "i32": "int", "u8": "uchar", "u32": "uint", "f64": "double", "f32": "float",
}  # fmt: skip


class KernelText(Text):
    """The text of one kernel."""

    def __init__(self, arithmetic: Arithmetic) -> None:
        super().__init__(arithmetic)
        self.exit = (ct.Return(),)

    def kernel(self, kernel: Kernel) -> list[ct.Function | ct.Text]:
        item = ct.Invoke(FUNCTIONS["item"].c, (ct.Name("0"),))
        head: list[ct.Statement] = [ct.Declare("const int64_t", kernel.part.name, item)]
        if kernel.items is not None:
            test = ct.Binary(">=", ct.Name(kernel.part.name), self.expr(kernel.items))
            head.append(ct.If(test, (ct.Return(),)))
        said = f" __attribute__(({kernel.attribute}))" if kernel.attribute else ""
        body = (*head, *self.block(kernel.body))
        parameters = tuple(map(self.parameter, kernel.parameters))
        made = ct.Function(f"__kernel{said} void", kernel.name, parameters, body, kernel.note)
        if not kernel.extension:
            return [made]
        return [ct.Text(f"#ifdef {kernel.extension}"), made, ct.Text("#endif")]

    def parameter(self, p: Var) -> str:
        text = self.type(p.type)
        return f"{text}{p.name}" if text.endswith("*") else f"const {text} {p.name}"

    def vector(self, t: Vector) -> str:
        return f"{_LANES[t.element.name]}{t.lanes}"

    # Expressions.

    def operation(self, row: str, operands: Sequence[Expr]) -> ct.Expr:
        (kind, *_), given = [e.type for e in operands], [self.expr(e) for e in operands]
        if isinstance(kind, Vector):
            whole = self.vector(kind)
            text = _VECTOR[row].replace("UINT", f"u{whole}").replace("INT", whole)
            if "RESULT" in text:
                text = text.replace("RESULT", self.vector(self.reals(kind)))
            return template(text)(given)
        wrapping = _WRAPPING.get(row)
        if wrapping is None:
            return super().operation(row, operands)
        own = f"int{self.arithmetic.int_bits}_t"
        return template(wrapping.replace("UINT", f"u{own}").replace("INT", own))(given)

    def reals(self, t: Vector) -> Vector:
        return Vector(Number(f"f{self.arithmetic.real_bits}"), t.lanes)

    def converted(self, t: Type, e: Expr) -> ct.Expr:
        if isinstance(t, Vector):
            name = self.vector(t)
            function = f"convert_{name}" if isinstance(e.type, Vector) else f"({name})"
            return ct.Invoke(function, (self.expr(e),))
        return super().converted(t, e)

    def invoke(self, e: tree.Invoke) -> ct.Expr:
        zero = ct.Name("0")
        match e.function, [self.expr(a) for a in e.arguments]:
            case ("group" | "local_item" | "local_items") as name, _:
                return ct.Invoke(FUNCTIONS[name].c, (zero,))
            case "barrier", _:
                return ct.Invoke("barrier", (ct.Name("CLK_LOCAL_MEM_FENCE"),))
            case "slot", (value,):
                single = e.arguments[0].type == tree.F32
                return ct.Invoke("as_int" if single else "as_long", (value,))
            case "real", (slot,):
                if e.type == tree.F32:
                    return ct.Invoke("as_float", (ct.Cast("int", slot),))
                return ct.Invoke("as_double", (slot,))
            case "vload", (address,):
                return ct.Invoke(f"vload{_count(e.type)}", (zero, address))
            case "vstore", (value, address):
                return ct.Invoke(f"vstore{_count(e.arguments[0].type)}", (value, zero, address))
            case "counting", _:
                numbers = tuple([ct.Name(str(lane)) for lane in range(_count(e.type))])
                return ct.Invoke(f"({self.type(e.type)})", numbers)
            case "lane", (vector, ct.Name(lane)):
                return ct.Member(vector, f"s{int(lane):x}")
        return super().invoke(e)

    # Statements.

    def failure(self, site: int, details: Sequence[Expr]) -> list[ct.Statement]:
        noted = [ct.Name(str(site)), *[self.expr(detail) for detail in details]]
        start = ct.Binary("*", ct.Name(PART.name), ct.Name(str(ERROR_SLOTS)))
        return [
            ct.Assign(
                ct.Index(ct.Name(ERRORS.name), ct.Binary("+", start, ct.Name(str(at)))), value
            )
            for at, value in enumerate(noted)
        ]


def _count(t: Type) -> int:
    """How many lanes a vector has."""
    if not isinstance(t, Vector):
        raise InternalError(f"no vector: {t}")
    return t.lanes


def print_kernels(
    kernels: Sequence[Kernel], arithmetic: Arithmetic
) -> tuple[list[ct.Function | ct.Text], frozenset[str]]:
    """The kernels as OpenCL C, and the parts of the run-time library that they need."""
    found: list[ct.Function | ct.Text] = []
    parts: set[str] = set()
    for kernel in kernels:
        text = KernelText(arithmetic)
        found += text.kernel(kernel)
        parts |= text.parts
    return found, frozenset(parts)
