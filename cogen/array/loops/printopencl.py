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

from cogen.array.ir.operations import REAL_FUNCTIONS
from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.loops import tree
from cogen.array.loops.functions import FUNCTIONS
from cogen.array.loops.printtree import Text
from cogen.array.loops.tree import (
    ERRORS,
    I64,
    Expr,
    Kernel,
    Number,
    Type,
    Var,
    Vector,
)
from cogen.backends.ctree import tree as ct
from cogen.backends.ctree import types
from cogen.backends.ctree.literals import small
from cogen.backends.ctree.template import template
from cogen.backends.failures import DEVICE_SLOTS
from cogen.lang.errors import InternalError

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
    "real.pow": "pow({0}, {1})", "real.atan2": "atan2({0}, {1})",
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
        self.exit = (ct.CReturn(),)

    def kernel(self, kernel: Kernel) -> ct.Item:
        item = ct.CInvoke(FUNCTIONS["item"].c_text, (small(0),), types.SIZE)
        head: list[ct.Statement] = [ct.CDeclare(types.CConst(types.I64), kernel.part.name, item)]
        if kernel.items is not None:
            test = ct.CBinary(">=", self.variable(kernel.part), self.expr(kernel.items))
            head.append(ct.CIf(test, (ct.CReturn(),)))
        said = f" __attribute__(({kernel.attribute}))" if kernel.attribute else ""
        body = (*head, *self.block(kernel.body))
        parameters = tuple(map(self.parameter, kernel.parameters))
        made = ct.CFunction(
            types.VOID, kernel.name, parameters, body, kernel.note, qualifiers=f"__kernel{said}"
        )
        return ct.CGuarded(f"ifdef {kernel.extension}", (made,)) if kernel.extension else made

    def parameter(self, p: Var) -> ct.CVariable:
        t = self.type(p.type)
        return ct.CVariable(p.name, t if types.is_address(t) else types.CConst(t))

    def vector(self, t: Vector) -> types.CVector:
        return types.CVector(_LANES[t.element.name], t.lanes)

    # Expressions.

    def operation(self, row: str, operands: Sequence[Expr], t: Type) -> ct.Expr:
        (kind, *_), given = [e.type for e in operands], [self.expr(e) for e in operands]
        if isinstance(kind, Vector):
            whole = types.text(self.vector(kind))
            text = _VECTOR[row].replace("UINT", f"u{whole}").replace("INT", whole)
            if "RESULT" in text:
                text = text.replace("RESULT", types.text(self.vector(self.reals(kind))))
            return template(text)(given)
        wrapping = _WRAPPING.get(row)
        if wrapping is None:
            return super().operation(row, operands, t)
        own = f"int{self.arithmetic.int_bits}_t"
        return template(wrapping.replace("UINT", f"u{own}").replace("INT", own))(given)

    def reals(self, t: Vector) -> Vector:
        return Vector(Number(f"f{self.arithmetic.real_bits}"), t.lanes)

    def converted(self, t: Type, e: Expr) -> ct.Expr:
        if isinstance(t, Vector):
            whole, given = self.vector(t), (self.expr(e),)
            if isinstance(e.type, Vector):
                return ct.CInvoke(f"convert_{types.text(whole)}", given, whole)
            return ct.CLanes(whole, given)
        return super().converted(t, e)

    def invoke(self, e: tree.Invoke) -> ct.Expr:
        zero, t = small(0), self.type(e.type)
        match e.function, [self.expr(a) for a in e.arguments]:
            case ("group" | "local_item" | "local_items") as name, _:
                return ct.CInvoke(FUNCTIONS[name].c_text, (zero,), types.SIZE)
            case "barrier", _:
                fence = ct.CConstant("CLK_LOCAL_MEM_FENCE", types.INT)
                return ct.CInvoke("barrier", (fence,), types.VOID)
            case "slot", (value,):
                single = e.arguments[0].type == tree.F32
                return ct.CInvoke("as_int" if single else "as_long", (value,), t)
            case "real", (slot,):
                if e.type == tree.F32:
                    return ct.CInvoke("as_float", (ct.CCast(types.INT, slot),), t)
                return ct.CInvoke("as_double", (slot,), t)
            case "vload", (address,):
                return ct.CInvoke(f"vload{_count(e.type)}", (zero, address), t)
            case "vstore", (value, address):
                stored = f"vstore{_count(e.arguments[0].type)}"
                return ct.CInvoke(stored, (value, zero, address), types.VOID)
            case "counting", _:
                return ct.CLanes(t, tuple([small(lane) for lane in range(_count(e.type))]))
            case "lane", (vector, ct.CNumber(lane)):
                return ct.CMember(vector, f"s{lane:x}", t)
        return super().invoke(e)

    # Statements.

    def failure(self, site: int, details: Sequence[Expr]) -> list[ct.Statement]:
        noted = [small(site), *[self.expr(detail) for detail in details]]
        start = ct.CBinary("*", self.variable(PART), small(DEVICE_SLOTS))
        errors = self.variable(ERRORS)
        return [
            ct.CAssign(ct.CIndex(errors, ct.CBinary("+", start, small(at))), value)
            for at, value in enumerate(noted)
        ]


def _count(t: Type) -> int:
    """How many lanes a vector has."""
    if not isinstance(t, Vector):
        raise InternalError(f"no vector: {t}")
    return t.lanes


def print_kernels(
    kernels: Sequence[Kernel], arithmetic: Arithmetic
) -> tuple[list[ct.Item], frozenset[str]]:
    """The kernels as OpenCL C, and the parts of the run-time library that they need."""
    found: list[ct.Item] = []
    parts: set[str] = set()
    for kernel in kernels:
        text = KernelText(arithmetic)
        found.append(text.kernel(kernel))
        parts |= text.parts
    return found, frozenset(parts)
