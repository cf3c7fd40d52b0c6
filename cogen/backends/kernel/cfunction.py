"""Structured code -> a C function.

Values that are read once are written where they are read, as long as nothing they depend on
changes in between; all others get a variable with the source's name.  Only total
expressions are moved: what can fail is checked where it stands, by a test that reports the
error and returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cogen.backends.ctree import tree
from cogen.backends.ctree import values as ct
from cogen.backends.ctree.moves import in_order
from cogen.backends.ctree.types import I32, I64, U32, VOID, CBasic, CConst, CPointer
from cogen.backends.ctree.values import CValue
from cogen.backends.kernel import cloops, coperations
from cogen.backends.kernel import structured as st
from cogen.backends.kernel.cbody import (
    C_RESULTS,
    ERROR,
    FAILED,
    MACHINE_TYPES,
    OMITTED,
    ZERO,
    FunctionBody,
    index_outside,
)
from cogen.backends.kernel.cfacts import identity, stores
from cogen.backends.kernel.cmodule import CALL, Detail
from cogen.backends.kernel.csums import Summand, last_summand, swapped
from cogen.backends.kernel.ctidy import without_unused
from cogen.backends.kernel.cvectorcells import declare_arrays, print_vector
from cogen.backends.kernel.cwords import cell_type, word_name
from cogen.backends.kernel.literals import (
    Table,
    interval_of,
    interval_of_table,
    table_of,
    type_of_table,
)
from cogen.backends.kernel.types import HINT, INT, MEMORY, NOTHING
from cogen.lang import il
from cogen.lang.datum import Datum
from cogen.lang.errors import InternalError, LimitationError
from cogen.lang.marks import Places, place_of, places_of


class FunctionPrinter(FunctionBody):
    """Prints one procedure."""

    def print(self, comment: str, external: bool) -> tree.CFunction:
        """The function; `self.fails` then tells whether it takes `error`."""
        if self.recursive:
            self.check_depth()
        declare_arrays(self)
        self.body(self.procedure.body)
        if self.out and self.out[-1] == tree.CReturn():
            self.out.pop()
        functions = set(self.shared.c_names.values())
        body = without_unused(self.out, self.namer.taken - functions, functions)
        read = set(tree.names_of(*body))
        unused = [
            tree.CDo(tree.CCast(VOID, parameter))
            for parameter in self.parameters
            if parameter.name not in read
        ]
        parameters = [*self.parameters, ERROR] if self.fails else self.parameters
        return tree.CFunction(
            result=C_RESULTS[self.result_type],
            qualifiers="" if external else "static",
            name=self.shared.c_names[self.procedure.name],
            parameters=tuple(parameters),
            body=(*unused, *body),
            comment=comment,
            procedure=self.procedure.name,
            places=places_of(self.procedure.span),
        )

    # Statements

    def body(self, body: st.Body) -> None:
        """Print a body into the current block."""
        for position, statement in enumerate(body):
            self.declare_early(statement)
            following = body[position + 1] if position + 1 < len(body) else None
            before = body[position - 1] if position else None
            if isinstance(statement, st.Move) and isinstance(following, st.KernelLoop):
                self.declare_early(following)
                cloops.print_loop(self, following, statement)
            elif isinstance(statement, st.KernelLoop):
                if not isinstance(before, st.Move):
                    cloops.print_loop(self, statement, None)
            elif isinstance(statement, st.Branch):
                self._branch(statement)
            else:
                self._placed(statement)

    def _placed(self, statement: st.Statement) -> None:
        """Print a statement; what it puts into the block comes from its place."""
        start = len(self.out)
        self.taken.clear()
        self._statement(statement)
        places: Places = ()
        if isinstance(statement, st.Op | st.KernelCall | st.Finish | st.KernelFailure):
            places = place_of(statement.span)
        elif isinstance(statement, st.KernelResult):
            places = places_of(statement.span)
        for index in range(start, len(self.out)) if places else ():
            if not self.out[index].places:
                self.out[index] = replace(self.out[index], places=places)

    def nested(self, body: st.Body) -> tuple[tree.Statement, ...]:
        """The statements of a body that gets a block of its own."""
        outer, self.out = self.out, []
        self.body(body)
        inner, self.out = self.out, outer
        return tuple(inner)

    def _branch(self, branch: st.Branch) -> None:
        """A conditional; an arm that control does not come out of is a guard for the other."""
        test = self.value(branch.test)
        if any(stores(s, self.shared.facts.storing) for s in st.walk([branch])):
            self.write_reads()
        then, otherwise = branch.then, branch.otherwise
        places = places_of(branch.span)
        ends = not st.falls(then), not st.falls(otherwise)
        if ends[1] and (not ends[0] or _size(otherwise) < _size(then)):
            self.out.append(tree.CIf(ct.negated(test).expr, self.nested(otherwise), places=places))
            self.body(then)
        elif ends[0]:
            self.out.append(tree.CIf(test.expr, self.nested(then), places=places))
            self.body(otherwise)
        elif then:
            arms = self.nested(then), self.nested(otherwise)
            self.out.append(tree.CIf(test.expr, *arms, places=places))
        elif otherwise:
            self.out.append(tree.CIf(ct.negated(test).expr, self.nested(otherwise), places=places))

    def _statement(self, statement: st.Statement) -> None:
        match statement:
            case st.Op():
                self._operation(statement)
            case st.KernelCall():
                self._invoke(statement)
            case st.Move(pairs):
                self.move(pairs)
            case st.KernelResult(value):
                self._result(value)
            case st.Finish():
                self._finish(statement)
            case st.KernelFailure(op, arguments, span):
                values = [self._irritant(atom) for atom in arguments]
                self.out.extend(self.failure(*self.site(op, values, span)))
            case st.Again():
                self.out.append(tree.CContinue())
            case st.Leave():
                self.out.append(tree.CBreak())
            case st.Goto(label):
                self.out.append(tree.CGoto(self._label(label)))
            case st.Mark(label):
                self.out.append(tree.CLabel(self._label(label)))
            case _:
                raise InternalError(f"no structured statement: {statement!r}")

    def _irritant(self, atom: il.Atom) -> CValue | Datum:
        if isinstance(atom, il.Const):
            return atom.value
        return self.settled(atom) if self.types.of(atom) in ZERO else OMITTED

    def _label(self, label: str) -> str:
        made = self.labels.get(label)
        if made is None:
            made = self.labels[label] = self.namer.fresh(label)
        return made

    def _operation(self, operation: st.Op) -> None:
        if operation.op == "load-word":
            self._load(operation)
        elif operation.op == "store-word!":
            self._store(operation)
        elif (table := table_of(operation)) is not None:
            self._look_up(operation, table)
        elif print_vector(self, operation):
            pass
        elif self.kind(operation.name) == MEMORY:
            self.move(((operation.name, operation.arguments[0]),))
        elif self.kind(operation.name) != NOTHING:
            rule = coperations.rule(operation.op)
            if rule is None:
                raise LimitationError(
                    f"C code cannot express the operation {operation.op}", operation.span, HINT
                )
            value = rule(self, operation)
            self.define(operation.name, self.told(value, operation.span))

    def _look_up(self, operation: st.Op, table: Table) -> None:
        """An element of a table, which fails where there is none."""
        index = self.settled(operation.arguments[1])
        outside = index_outside(index, ct.integer(len(table)))
        if outside.constant != 0:
            site, details = self.site(operation.op, [list(table), index], operation.span)
            self.out.append(tree.CIf(outside.expr, tuple(self.failure(site, details))))
        if self.scopes.uses[operation.name]:
            name, kind = self.shared.table(table), type_of_table(table)
            cell = cell_type(table)
            value = CValue(
                tree.CIndex(tree.CVariable(name, CPointer(CConst(cell))), index.expr), cell
            )
            if kind == INT:
                low, high = interval_of_table(table)
                type_ = I32 if ct.RANGES[I32][0] <= low and high <= ct.RANGES[I32][1] else I64
                expr = value.expr if cell == type_ else tree.CCast(type_, value.expr)
                value = CValue(expr, type_, low, high)
            value = replace(value, weight=index.weight + 2)
            self.define(operation.name, self.told(value, operation.span))

    # Memory

    def _load(self, operation: st.Op) -> None:
        buffer, index = operation.arguments
        if operation not in self.safe:
            self._check_index(operation)
        if self.scopes.uses[operation.name]:
            word = self._word(buffer, self.value(index))
            self.define(operation.name, self.told(word, operation.span))

    def _word(self, buffer: il.Atom, index: CValue) -> CValue:
        """The word at an index."""
        name = self.value(buffer).expr
        word = tree.CIndex(name, index.expr)
        weight = index.weight + 2
        if self.word_size in (8, 16, 32):
            type_ = U32 if self.word_size == 32 else I32
            origin = ("word", index, self.word_size)
            literal = buffer.value if isinstance(buffer, il.Const) else None
            low, high = interval_of(literal, self.word_size)
            return CValue(word, type_, low, high, weight, reads=True, origin=origin)
        if self.word_size == 64:
            return CValue(word, I64, weight=weight, reads=True, origin=("word", index, 64))
        type_ = U32 if self.word_size == 24 else I64
        load = tree.CInvoke(f"load_{word_name(self.word_size)}", (tree.CUnary("&", word),), type_)
        return CValue(load, type_, 0, (1 << self.word_size) - 1, weight + 1, reads=True)

    def _store(self, operation: st.Op) -> None:
        buffer, index, value = operation.arguments
        if operation not in self.safe:
            self._check_index(operation)
        place = self.settled(index) if self.shared.cutting else self.value(index)
        word = tree.CIndex(self.value(buffer).expr, place.expr)
        stored = self.value(value)
        self.write_reads()
        if self.shared.storing is not None:
            parts = (self.value(buffer).expr, place.expr, self._truncated(stored))
            self.out.append(tree.CDo(tree.CInvoke(self.shared.storing.macro, parts, VOID)))
        elif self.word_size in (8, 16, 32, 64):
            self.out.append(tree.CAssign(word, self._truncated(stored)))
        else:
            function = f"store_{word_name(self.word_size)}"
            self.out.append(
                tree.CDo(tree.CInvoke(function, (tree.CUnary("&", word), stored.expr), VOID))
            )
        if self.shared.cutting:
            cut = (self.value(buffer).expr, place.expr, self.words(buffer).expr)
            self.out.append(tree.CDo(tree.CInvoke("cogen_cut", cut, VOID)))

    def _truncated(self, value: CValue) -> tree.Expr:
        """The value modulo the word size, without a warning."""
        if self.word_size == 64 or (self.word_size == 32 and value.type == U32):
            return value.expr
        if value.constant is not None:
            return ct.integer(int(value.constant) % (1 << self.word_size)).expr
        return tree.CCast(CBasic(f"uint{self.word_size}_t"), value.expr)

    def _check_index(self, operation: st.Op) -> None:
        """Report an index that is outside of the buffer."""
        buffer = operation.arguments[0]
        index = self.settled(operation.arguments[1])
        words = self.words(buffer)
        test = index_outside(index, words)
        if test.constant == 0:
            return
        site = self.access_site(operation)
        details, about = (index.expr, words.expr), self.said(site, buffer)
        self.out.append(tree.CIf(test.expr, tuple(self.failure(site, details, about))))

    def access_site(self, operation: st.Op) -> int:
        """The number of a new site of an access, whose details are the index and the words."""
        noted = (Detail(0, INT), Detail(1, INT))
        buffer = operation.arguments[0]
        key = buffer.name if isinstance(buffer, il.Var) else identity(buffer)
        names = self.shared.called.get(key, ())
        return self.shared.site(operation.op, noted, operation.span, names)

    def said(self, site: int, buffer: il.Atom) -> tree.Expr | None:
        """The buffer, if an error must say which one it is about."""
        return self.value(buffer).expr if len(self.shared.sites[site].buffers) > 1 else None

    # Calls

    def _arguments(self, function: str, arguments: Sequence[il.Atom]) -> tuple[tree.Expr, ...]:
        passed: list[tree.Expr] = []
        for name, atom in zip(self.shared.procedures[function].parameters, arguments, strict=True):
            kind = self.kind(name)
            if kind == NOTHING:
                continue
            value = self.value(atom)
            passed.append(value.expr)
            if kind == MEMORY:
                passed.append(self.words(atom).expr)
        if self._callee_fails(function):
            self.fails = True
            passed.append(ERROR)
        return tuple(passed)

    def _callee_fails(self, function: str) -> bool:
        return function in self.shared.failing or function in self.shared.facts.recursive

    def _call(self, function: str, arguments: Sequence[il.Atom]) -> tree.CInvoke:
        result = C_RESULTS[self.types.results[function]]
        return tree.CInvoke(
            self.shared.c_names[function], self._arguments(function, arguments), result
        )

    def _invoke(self, statement: st.KernelCall) -> None:
        name, function = statement.name, statement.function
        call = self._call(function, statement.arguments)
        if function in self.shared.facts.storing:
            self.write_reads()
        kind = self.types.results[function]
        if name is None or kind == NOTHING:
            self.out.append(tree.CDo(call))
        elif self.c_name(name) in self.declared or name in self.joins:
            self._assign(tree.CVariable(self.c_name(name), self.declared_type(name)), call)
        else:
            self.out.append(tree.CDeclare(CConst(MACHINE_TYPES[kind]), self.c_name(name), call))
        if self._callee_fails(function):
            site = self.shared.site(CALL, (), statement.span)
            told = self.shared.sites[site].told
            noted = (ERROR, ct.integer(site).expr, ct.integer(told).expr)
            call = tree.CInvoke(self.helper("cogen_called"), noted, VOID)
            self.out.append(tree.CIf(FAILED, (tree.CDo(call), self.bail_out())))

    def _finish(self, statement: st.Finish) -> None:
        function = statement.function
        call = self._call(function, statement.arguments)
        if self.result_type == NOTHING:
            self.out += [tree.CDo(call), tree.CReturn()]
        elif self.types.results[function] == NOTHING:  # the callee never returns
            self.out += [tree.CDo(call), self.bail_out()]
        else:
            self.out.append(tree.CReturn(call))

    def _result(self, atom: il.Atom | None) -> None:
        if atom is None or self.result_type == NOTHING:
            self.out.append(tree.CReturn())
            return
        value = self.value(atom)
        self.out.append(tree.CReturn(value.expr))

    # Assignments

    def move(self, pairs: Sequence[tuple[str, il.Atom]]) -> None:
        """Simultaneous assignment; a variable assigned for the first time is declared."""
        assignments = [a for name, atom in pairs for a in self._assignments(name, atom)]
        for target, expr, is_temporary in in_order(assignments, self._next):
            if is_temporary:
                t = target.type
                constant = t if isinstance(t, CPointer) else CConst(t)
                self.out.append(tree.CDeclare(constant, target.name, expr, places=expr.places))
            else:
                self._assign(target, expr)

    def _next(self, name: str) -> str:
        """A variable for the next value of another."""
        return self.namer.fresh(f"{name}_next")

    def _assignments(self, name: str, atom: il.Atom) -> list[tuple[tree.CVariable, tree.Expr]]:
        """What assigning a variable is in C; a buffer is two."""
        kind = self.kind(name)
        if kind == NOTHING:
            return []
        value = self.value(atom)
        target = tree.CVariable(self.c_name(name), self.declared_type(name))
        if kind != MEMORY:
            last = last_summand(value, target)
            if last is not None:
                operation = self.definitions.get(atom.name) if isinstance(atom, il.Var) else None
                self.sums[target.name] = Summand(last, operation)
            type_ = self.machine_type(name)
            expr = ct.convert(value, type_) if type_ == I32 else value.expr
            return [(target, expr)]
        return [
            (target, value.expr),
            (tree.CVariable(self.words_name(name), I64), self.words(atom).expr),
        ]

    def _assign(self, target: tree.CVariable, expr: tree.Expr) -> None:
        if target.name in self.declared:
            self.out.append(updated(target, expr))
        else:
            self.declared.add(target.name)
            self.out.append(tree.CDeclare(target.type, target.name, expr, places=expr.places))


def updated(target: tree.CVariable, expr: tree.Expr) -> tree.CAssign:
    """`x = x + e`, or `x = e + x`, as `x += e`."""
    if isinstance(expr, tree.CBinary) and expr.operator in ("+", "-") and expr.left == target:
        return tree.CAssign(target, expr.right, f"{expr.operator}=", places=expr.places)
    other = swapped(target, expr)
    if other is not None:
        return tree.CAssign(target, other, "+=", places=expr.places)
    return tree.CAssign(target, expr, places=expr.places)


def _size(body: st.Body) -> int:
    return sum(1 for _ in st.walk(body))
