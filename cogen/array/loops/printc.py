"""Loops -> C with OpenMP.

function                 a function that says whether it failed; `memory` is its thread's
Lanes, Shared            `omp simd`, `omp parallel for`
Parallel                 `omp parallel`; each thread has memory of its own
Allocate, Fail, Call     tests that leave the function, or go to the end of the region
Scan                     a function of its own for each operator
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.loops import tree, treewalk
from cogen.array.loops.functions import FUNCTIONS
from cogen.array.loops.printtree import MEMORY, Text
from cogen.array.loops.tree import Block, Expr, Statement
from cogen.backends.ctree import tree as ct
from cogen.backends.ctree import types
from cogen.backends.ctree.literals import FALSE, NULL, TRUE, small
from cogen.backends.noting import ERROR, is_deep, noting

WHOLE: Final = ct.CVariable("whole", MEMORY.type)
"""The memory of the function's thread, where threads have memory of their own."""

CALL: Final = ct.CVariable("call", types.CPointer(types.CBasic("cogen_call")))

_TRACE: Final = types.CCallable(types.VOID, (types.I64, types.CPointer(types.CConst(types.I64))))


class CText(Text):
    """The text of one function; `with_memory` are the functions that take the memory."""

    def __init__(self, arithmetic: Arithmetic, with_memory: frozenset[str]) -> None:
        super().__init__(arithmetic)
        self.with_memory = with_memory
        self.scans: dict[str, tree.Scan] = {}
        """Scans by the names of the functions that do them."""
        self.exit = (ct.CReturn(TRUE),)

    def function(self, function: tree.Function) -> ct.CFunction:
        body = self.block(function.body)
        if any(self.needs_whole(s) for s in treewalk.all_statements(function.body)):
            body = (ct.CDeclare(types.CConst(WHOLE.type), WHOLE.name, MEMORY), *body)
        parameters = [self.variable(p) for p in function.parameters]
        if function.name in self.with_memory:
            parameters.insert(0, MEMORY)
        return ct.CFunction(
            types.BOOL, function.name, tuple(parameters), (*body, ct.CReturn(FALSE)), function.note,
            qualifiers="static",
        )  # fmt: skip

    def needs_whole(self, statement: Statement) -> bool:
        """Whether a statement is a team's region in which each thread needs its own memory."""
        return isinstance(statement, tree.Parallel) and needs_memory(
            statement.body, self.with_memory
        )

    def invoke(self, e: tree.Invoke) -> ct.Expr:
        match e.function, [self.value(a) for a in e.arguments]:
            case ("threads" | "block") as name, _:
                return ct.CConstant(FUNCTIONS[name].c_text, types.INT)
            case "deep", _:
                return is_deep(ct.CField(MEMORY, "stack_limit", types.ADDRESS))
            case "grain", _:
                return ct.CField(ct.CField(MEMORY, "call", CALL.type), "grain", types.I64)
            case "trace", (number, slots):
                trace = ct.CField(ct.CField(MEMORY, "call", CALL.type), "trace", _TRACE)
                return ct.CThrough(trace, (number, slots))
            case "clear", (target, size):
                return ct.CInvoke("memset", (target, small(0), size), types.CPointer(types.VOID))
            case "numbers_count", (numbers,):
                return _field(numbers, "count", types.I64)
            case "numbers_value", (numbers, index):
                return ct.CIndex(_field(numbers, "values", types.CPointer(types.I64)), index)
        return super().invoke(e)

    def failure(self, site: int, details: Sequence[Expr]) -> list[ct.Statement]:
        error = ct.CUnary("&", ct.CField(MEMORY, "error", ERROR))
        return noting(error, site, [self.expr(detail) for detail in details])

    def special(self, statement: Statement) -> list[ct.Statement]:
        match statement:
            case tree.Allocate(variable, element, size, site, over):
                wanted = [MEMORY, self.expr(size), self.expr(tree.SizeOf(element))]
                function = "cogen_alloc"
                if over is not None:
                    function = "cogen_alloc_over"
                    self.parts.add("over")
                    wanted += map(self.variable, over)
                made = ct.CInvoke(function, tuple(wanted), self.type(variable.type))
                test = ct.CBinary("==", self.variable(variable), NULL)
                failed = ct.CIf(test, (*self.failure(site, ()), *self.exit))
                return [ct.CDeclare(self.constant(variable.type), variable.name, made), failed]
            case tree.CallStatement(function, arguments):
                given = [self.value(argument) for argument in arguments]
                if function in self.with_memory:
                    given.insert(0, MEMORY)
                return [ct.CIf(ct.CInvoke(function, tuple(given), types.BOOL), self.exit)]
            case tree.Scan():
                self.scans[statement.function] = statement
                accumulator = self.variable(statement.accumulator)
                given = [self.expr(e) for e in (statement.count, statement.values, statement.out)]
                made = ct.CInvoke(statement.function, (*given, accumulator), accumulator.type)
                return [ct.CAssign(accumulator, made)]
            case tree.Parallel():
                return self.region(statement)
        return super().special(statement)

    def marked(self, loop: tree.For) -> list[ct.Statement]:
        match loop.mark:
            case tree.Lanes(accumulators):
                clauses = [f" reduction({how.sign}:{v.name})" for how, v in accumulators]
                return [ct.CPragma(("omp simd", *clauses))]
            case tree.Shared(threads, test):
                head = ("omp parallel for num_threads(", self.expr(threads))
                return [ct.CPragma((*head, ") if (", self.expr(test), ")"))]
        return []

    def region(self, region: tree.Parallel) -> list[ct.Statement]:
        """A team's region: the numbers and the memory of a thread, where its part is, the body."""
        outer, (label, self.exit) = self.exit, self.labelled()
        body = self.block(region.body)
        self.exit = outer
        fails = treewalk.can_fail(region.body)
        if fails:
            body = (*body, ct.CLabel(label))
        head = self.region_head(region)
        pragma = ct.CPragma(("omp parallel num_threads(", self.expr(region.team), ")"))
        found: list[ct.Statement] = [pragma, ct.CScope((*head, *body))]
        if not fails:
            return found
        assert region.got is not None
        joined = ct.CInvoke("cogen_joined", (WHOLE, self.variable(region.got)), types.BOOL)
        return [*found, ct.CIf(joined, self.exit)]

    def region_head(self, region: tree.Parallel) -> list[ct.Statement]:
        """What is declared at the beginning of a region, of what is needed there."""
        thread, parts = self.variable(region.thread), self.variable(region.parts)
        needed = treewalk.mentioned(region.body)
        head: list[ct.Statement] = []
        if needs_memory(region.body, self.with_memory):
            worker = ct.CInvoke("cogen_worker", (WHOLE, thread), MEMORY.type)
            head.append(ct.CDeclare(types.CConst(MEMORY.type), MEMORY.name, worker))
        if region.got is not None:
            first = ct.CBinary("==", thread, small(0))
            head.append(ct.CIf(first, (ct.CAssign(self.variable(region.got), parts),)))
        size = self.expr(region.size)
        after = ct.CBinary("+", thread, small(1))
        for variable, number in ((region.start, thread), (region.stop, after)):
            if variable.name in needed:
                place = ct.CBinary("/", ct.CBinary("*", size, number), parts)
                head.append(ct.CDeclare(types.CConst(types.I64), variable.name, place))
        mentioned = needed.union(ct.names_of(*head))
        numbers = ((region.thread, "omp_get_thread_num"), (region.parts, "omp_get_num_threads"))
        found = [
            ct.CDeclare(types.CConst(types.INT), variable.name, ct.CInvoke(function, (), types.INT))
            for variable, function in numbers
            if variable.name in mentioned
        ]
        return [*found, *head]


def _field(base: ct.Expr, name: str, t: types.Type) -> ct.Expr:
    """A field of what an address points to."""
    if isinstance(base, ct.CUnary) and base.operator == "&":
        return ct.CMember(base.operand, name, t)
    return ct.CField(base, name, t)


def needs_memory(body: Block, functions: frozenset[str]) -> bool:
    """Whether statements use their thread's memory, if these functions do."""
    for statement in treewalk.all_statements(body):
        match statement:
            case tree.Fail() | tree.Allocate():
                return True
            case tree.CallStatement(function) if function in functions:
                return True
        for e in treewalk.expressions(statement):
            for x in treewalk.within(e):
                if isinstance(x, tree.Invoke) and FUNCTIONS[x.function].memory:
                    return True
    return False


def functions_with_memory(functions: Sequence[tree.Function]) -> frozenset[str]:
    """The functions of a program that take the memory of their thread."""
    found: frozenset[str] = frozenset()
    while True:
        more = frozenset([f.name for f in functions if needs_memory(f.body, found)])
        if more == found:
            return found
        found = more


def print_c(
    functions: Sequence[tree.Function], arithmetic: Arithmetic
) -> tuple[list[ct.CFunction], frozenset[str], Mapping[str, tree.Scan]]:
    """The functions as C, the parts of the run-time library that they need, and their scans."""
    with_memory = functions_with_memory(functions)
    found: list[ct.CFunction] = []
    parts: set[str] = set()
    scans: dict[str, tree.Scan] = {}
    for function in functions:
        text = CText(arithmetic, with_memory)
        found.append(text.function(function))
        parts |= text.parts
        scans |= text.scans
    return found, frozenset(parts), scans
