"""Which values get where: a closure analysis with binding times (0-CFA, in contexts).

For each variable of a program, what it may hold when the program is specialized to some binding
times, as a set of *tokens*:

    DATA      what only a run knows, made from the entry's dynamic parameters
    UNKNOWN   what residual code gives: results of unknown calls, parameters of procedures that
              residual code may call
    GROUND    a constant, or a piece of what is static: of bounded variation
    NULL      the empty list
    NUMBER    a number, a character or a string, known, made from others
    TRUTH     a truth value that tells what is known
    Made      a pair, record, vector or procedure that some place of the program makes

Constraints between sets, solved with a worklist (Shivers 1991; Palsberg and Schwartzbach 1995).
Binding times are tokens among others, so a variable that holds DATA and something known is seen
(as in Andersen and Holst, "Termination analysis for offline partial evaluation of a higher order
functional language", 1996, but nothing is made dynamic by the analysis).

Note [Contexts]
    A procedure that does not lead back to its caller is analysed apart for each place that calls
    it, two levels deep, so that `map` of names and `map` of values are two.  Procedures that take
    part in one recursion share their context; so do procedures within procedures.

Note [What is meant]
    A variable of an interpreter may hold what only a run knows, or a record that the interpreter
    makes, a closure say.  Its fields are then taken to be read of the latter only: records that a
    program makes seldom come back from outside.  Likewise where the program asks which symbol is
    at the beginning of a list or vector, and makes some that begin with one of these: the rest is
    taken to be read of them; and what is asked whether it is a record of a type is one where it
    is, in the arm.  Structures in elements of vectors that are read at a constant index, an
    object's class, are not read at others.  What holds code by the text (`advice.untagged`) is
    read of what is made of code, which nothing else reads.  If it `lays_out` lists, `cadr` and the
    like read calls of `list`, if there are any.  If it is not so, advice is only less good.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from cogen import binding_times
from cogen.lang import il
from cogen.lang.ilutil import NEVER_RETURN, parameters
from cogen.lang.prelude import in_prelude
from cogen.lang.prims import CONTROL, PRIMITIVES
from cogen.specializer.advice.absent import find_absent
from cogen.specializer.advice.given import Given, constant
from cogen.specializer.advice.scopes import BlockScopes, Scope, Told
from cogen.specializer.advice.solution import Solution
from cogen.specializer.advice.structures import (
    ANY,
    ARITHMETIC,
    INDEXED,
    INDEXING,
    LIFTS,
    MAKES,
    PASSING,
    READS,
    RESULTS,
    SOME,
    WRITES,
    part_at,
    parts_made,
)
from cogen.specializer.advice.texts import (
    MOST_SPREAD,
    global_name,
    heads,
    letters_of,
    named,
    recursions,
)
from cogen.specializer.advice.untagged import Untagged
from cogen.specializer.advice.values import (
    DATA,
    DATA_KINDS,
    NULL,
    NUMBER,
    UNKNOWN,
    Context,
    Made,
    Resumption,
    Slot,
    Token,
    may_be_of,
)

DEPTH: Final = 2
"""How many places there are in a context."""

MOST_BODIES: Final = 6000
"""Procedures in contexts that are looked at; beyond them there is one context for all."""


class Place(NamedTuple):
    """A call: its context, and the global procedure that it is in."""

    call: il.Call
    context: Context
    owner: str


class Flow:
    """The values of all variables; `bodies` are the procedures that may run, in their contexts.

    It `assumes` what is likely, see Note [What is meant]."""

    assumes = True
    lays_out = False
    constant = staticmethod(constant)
    _told: Callable[[il.Program], Told] = Untagged

    def __init__(
        self, program: il.Program, entry: str, bts: Sequence[binding_times.BT], depth: int = DEPTH
    ) -> None:
        self.program = program
        self.depth = depth
        self.bodies: dict[tuple[il.Function, Context], None] = {}
        self.solution = Solution()
        self._given = Given(self.solution, self.constant)
        absent = find_absent(program, entry, bts)
        told = self._told(program) if self.assumes else None
        self.scopes = BlockScopes(program, self.solution, absent, told, self.lays_out)
        self._escaped: set[Any] = set()
        self._heads = heads(program) if self.assumes else frozenset[int]()
        self.computed: list[tuple[Sequence[Slot], Slot]] = []
        """Operands of arithmetic, and results."""
        self.indexed: list[tuple[Slot, Slot]] = []
        """What is read at an index, and the index."""
        self._kept: list[Slot] = []
        self._defines = {
            item.name: item.function for item in program.items if isinstance(item, il.Define)
        }
        self._component = recursions(program)
        self._owner: dict[il.Function, str] = {}
        self._scope: Scope = {}
        self._conts: dict[str, il.Cont] = {}
        self._contexts: dict[il.Function, list[Context]] = {}
        self._running: set[tuple[il.Block, Context]] = set()
        self._work: list[tuple[il.Block, Context, str]] = []
        """Blocks that may run and are not walked yet."""
        for item in program.items:
            self._item(item)
        self._enter(entry, bts)
        self._solve()

    def _solve(self) -> None:
        """Carry on until nothing is new: what is not what was meant comes last."""
        while True:
            while self._work:
                self._walk(*self._work.pop())
            self.solution.solve()
            if not self._work and not self.solution.take_others():
                return

    # -- what is asked ---------------------------------------------------------------------------

    def contexts(self, function: il.Function) -> list[Context]:
        """The contexts in which a procedure may run."""
        return self._contexts.get(function, [])

    def variable(self, context: Context, name: str) -> Slot:
        """The node of a variable."""
        return self.solution.node((context, name))

    def given(self, context: Context, function: il.Function) -> Slot:
        """The node of what a procedure gives."""
        return self.solution.node(("return", context, function.cont))

    def atom(self, context: Context, block: il.Block, atom: il.Atom) -> Slot:
        """The node of a variable or constant, as it is in a block."""
        self._scope = self.scopes.of(block)
        return self._atom(atom, context)

    def called(self, function: il.Function, atom: il.Atom) -> list[il.Function]:
        """The procedures that a variable, in a procedure, may be."""
        name = getattr(atom, "name", "")
        tokens: set[Token] = set()
        for context in self.contexts(function):
            tokens |= self.variable(context, name).tokens
        made = (one for one in self.solution.made.values() if one.kind in ("procedure", "global"))
        return list(dict.fromkeys(one.place for one in made if one in tokens))

    # -- the program -----------------------------------------------------------------------------

    def _item(self, item: il.Item) -> None:
        if isinstance(item, il.Define):
            return
        if isinstance(item, il.Value):
            made = self.solution.node(("return", (), item.cont))
            self.solution.flow(made, self.solution.node(("global", item.name)))
        owner = item.name if isinstance(item, il.Value) else ""
        self._lead_to(item.body, (), owner, None)

    def _enter(self, entry: str, bts: Sequence[binding_times.BT]) -> None:
        function = self._defines.get(entry)
        if function is None:
            return
        self._reach(function, (), entry)
        for name, bt in zip(function.parameters, bts, strict=False):
            self._given.put(self.variable((), name), bt)
        if function.rest is not None:
            rest = self.variable((), function.rest)
            self._given.put_list(rest, bts[len(function.parameters) :])
        self._escape(self.solution.node(("return", (), function.cont)))

    def _reach(self, function: il.Function, context: Context, owner: str) -> None:
        """A procedure may run in a context."""
        if (function, context) not in self.bodies:
            self.bodies[(function, context)] = None
            self._contexts.setdefault(function, []).append(context)
            self._owner[function] = owner
            self._lead_to(function.body, context, owner, None)

    def _atom(self, atom: il.Atom, context: Context) -> Slot:
        if type(atom) is il.Var:
            return self.solution.node((context, self._scope.get(atom.name, atom.name)))
        node = Slot()
        if type(atom) is il.Const:
            node.tokens.add(self.constant(atom.value))
        elif type(atom) is il.Prim:
            node.tokens.add(self.solution.make("primitive", named(atom.name), ()))
        else:
            assert type(atom) is il.Global
            function = self._defines.get(atom.name)
            if function is None:
                return self.solution.node(("global", atom.name))
            node.tokens.add(self.solution.make("global", function, ()))
        return node

    def _walk(self, block: il.Block, context: Context, owner: str) -> None:
        """The constraints of a block; what it leads to is walked in its turn."""
        self._scope = self.scopes.of(block)
        for binding in block.bindings:
            if type(binding) is il.Let:
                self._let(binding, context)
            elif type(binding) is il.Fix:
                for function in binding.functions:
                    self._owner[function] = owner
                    made = self.solution.make("procedure", function, context)
                    self.solution.add(self.solution.node((context, function.name)), [made])
            else:
                assert type(binding) is il.Conts
                self._conts.update((one.name, one) for one in binding.conts)
        tail = block.tail
        if type(tail) is il.If:
            for arm, part in self.scopes.arms(block, context):
                self._lead_to(arm, context, owner, part)
            return
        for join in self.scopes.joins(block):
            before = self.solution.node((context, join.before))
            self.solution.flow(before, self.solution.node((context, join.after)))
        if type(tail) is il.Jump:
            self._jump(tail.cont, [self._atom(a, context) for a in tail.arguments], context)
        else:
            assert type(tail) is il.Call
            self._call(tail, context, owner)
        if tail.cont in self._conts:
            self._lead_to(self._conts[tail.cont].body, context, owner, None)

    def _lead_to(self, block: il.Block, context: Context, owner: str, part: Slot | None) -> None:
        """A block may run in a context, if there is something in `part` that leads to it."""

        def runs(_: Token) -> None:
            if (block, context) not in self._running:
                self._running.add((block, context))
                self._work.append((block, context, owner))

        if part is None or not self.assumes:
            runs(None)
        else:
            self.solution.watch(part, runs)

    def _jump(self, cont: str, values: Sequence[Slot], context: Context) -> None:
        for node, target in zip(values, self.targets(cont, context, len(values)), strict=False):
            self.solution.flow(node, target)

    def targets(self, cont: str, context: Context, count: int) -> list[Slot]:
        """The nodes that what a continuation is given goes to."""
        found = self._conts.get(cont)
        if found is None:
            return [self.solution.node(("return", context, cont))] * count
        return [self.solution.node((context, name)) for name in found.parameters]

    # -- operations ------------------------------------------------------------------------------

    def _let(self, let: il.Let, context: Context) -> None:
        values = [self._atom(atom, context) for atom in let.arguments]
        self._operation(let.op, values, self.solution.node((context, let.name)), let, context)

    def _operation(
        self, op: str, values: Sequence[Slot], result: Slot, place: Any, context: Context
    ) -> None:
        if op in ("global-get", "global-set!"):
            cell = self.solution.node(("global", global_name(place)))
            if op == "global-get":
                self.solution.flow(cell, result)
            else:
                self.solution.flow(values[1], cell)
            return
        if op in MAKES:
            made = self.solution.make(MAKES[op], place, context)
            made.is_result = type(place) is il.Call
            for number, value in enumerate(values):
                for part in parts_made(op, number):
                    is_head = part == ANY and op == "vector" and number in self._heads
                    self.solution.put(value, made.part(part), is_head)
            self.solution.add(result, [made])
        elif op == "values->list":
            made = self.solution.make("pair", place, context)
            self.solution.read(values[0], ANY, made.part("car"))
            self.solution.add(made.part("cdr"), [made, NULL])
            self.solution.add(result, [made, NULL])
        elif op in READS:
            number, part = READS[op]
            if op == "vector-ref":
                self.indexed.append((values[0], values[1]))
            fits = may_be_of(place) if op == "record-ref" else None
            self.solution.read(
                values[number], part_at(part, place), result, self.scopes.meant_at(op, place), fits
            )
        elif op in WRITES:
            number, part = WRITES[op]
            self._write(values[number], part_at(part, place), values[-1])
        elif op == "%rebound":
            self.solution.flow(values[0], result)
        elif op in PASSING and values:
            self.solution.flow(values[-1], result)
        else:
            self._compute(op, values, result)

    def _write(self, value: Slot, part: Any, new: Slot) -> None:
        def watcher(token: Token) -> None:
            if type(token) is Made and token.kind in DATA_KINDS:
                self.solution.flow(new, token.part(part))
                if part == SOME or type(part) is int:
                    is_head = part in self._heads and token.kind == "vector"
                    self.solution.put(new, token.part(ANY), is_head)
            elif token in (DATA, UNKNOWN):
                self._escape(new)

        self.solution.watch(value, watcher)

    def _compute(self, op: str, values: Sequence[Slot], result: Slot) -> None:
        """An operation whose result is known if its operands are."""
        if op in NEVER_RETURN:
            return
        row = PRIMITIVES.get(op)
        known = NUMBER if row is None else RESULTS.get(row.result, NUMBER)
        if op in LIFTS:
            self.solution.lift(op, values[0], result, self._escape)
            return
        if row is not None and row.effect == "output":
            self.solution.add(result, [DATA])
            return
        if known == NUMBER and row is not None and row.result in ARITHMETIC:
            self.computed.append((values, result))
        if op in INDEXING:
            self.indexed.append((values[0], values[1]))
        self.solution.compute(values, result, known)

    # -- calls -----------------------------------------------------------------------------------

    def _call(self, call: il.Call, context: Context, owner: str) -> None:
        values = [self._atom(atom, context) for atom in call.arguments]
        target = self.targets(call.cont, context, 1)
        result = target[0] if target else Slot()
        place = Place(call, context, owner)
        if getattr(call.function, "name", "") in INDEXED and len(values) > 1:
            self.indexed.append((values[0], values[1]))
        if type(call.function) is il.Prim:
            self._call_primitive(call.function.name, values, result, place)
        elif self.is_selector(call):
            self._select(call, values[0], result)
        else:
            self._apply(self._atom(call.function, context), values, result, place)

    def is_selector(self, call: il.Call) -> bool:
        """Whether a call is one of the library's `cadr`, …, or `list-ref` with a constant."""
        defined = self._defines.get(getattr(call.function, "name", ""))
        return defined is not None and in_prelude(defined.span) and bool(letters_of(call))

    def _select(self, call: il.Call, value: Slot, result: Slot) -> None:
        """What `cadr` and the like give, part by part."""
        letters = letters_of(call)
        for number, letter in enumerate(letters):
            part = result if number == len(letters) - 1 else Slot()
            self._kept.append(part)
            op = "car" if letter == "a" else "cdr"
            self.solution.read(value, op, part, None if number else self.scopes.meant_at(op, call))
            value = part

    def _apply(self, function: Slot, values: Sequence[Slot], result: Slot, place: Place) -> None:
        def watcher(token: Token) -> None:
            if type(token) is Resumption:
                for value in values:
                    self.solution.flow(value, token.target)
            elif type(token) is not Made:
                if token in (DATA, UNKNOWN):
                    for value in values:
                        self._escape(value)
                    self.solution.add(result, [UNKNOWN])
            elif token.kind == "primitive":
                self._call_primitive(token.place, values, result, place)
            elif token.kind in ("procedure", "global"):
                self._call_known(token, values, result, place)

        self.solution.watch(function, watcher)

    def _call_known(self, token: Made, values: Sequence[Slot], result: Slot, place: Place) -> None:
        inner = self._entered(token, place)
        self._pass(token.place, inner, values, place.call)
        self.solution.flow(self.solution.node(("return", inner, token.place.cont)), result)

    def _entered(self, token: Made, place: Place) -> Context:
        """The context that a procedure runs in when it is called at a place."""
        function: il.Function = token.place
        if token.kind == "procedure":
            inner, name = token.context, self._owner[function]
        else:
            inner, name = self._inner(place, function.name), function.name
        self._reach(function, inner, name)
        return inner

    def _pass(
        self, function: il.Function, inner: Context, values: Sequence[Slot], call: il.Call
    ) -> None:
        """Arguments go to parameters."""
        for name, value in zip(function.parameters, values, strict=False):
            self.solution.flow(value, self.solution.node((inner, name)))
        if function.rest is not None:
            rest = self.solution.node((inner, function.rest))
            for number, value in enumerate(values[len(function.parameters) :]):
                made = self.solution.make("pair", call, (*inner, number))
                self.solution.flow(value, made.part("car"))
                self.solution.add(rest, [made])
                rest = made.part("cdr")
            self.solution.add(rest, [NULL])

    def _inner(self, place: Place, name: str) -> Context:
        """The context of a call of a global procedure, see Note [Contexts]."""
        if len(self.bodies) > MOST_BODIES:
            return ()
        if place.owner and self._component.get(place.owner) == self._component.get(name):
            return place.context
        return (*place.context, id(place.call))[-self.depth :] if self.depth else ()

    def _call_primitive(
        self, name: str, values: Sequence[Slot], result: Slot, place: Place
    ) -> None:
        if name not in CONTROL:
            self._operation(name, values, result, place.call, place.context)
        elif name in ("call/cc", "call-with-current-continuation") and len(values) == 1:
            node = Slot()
            node.tokens.add(Resumption(result))
            self._apply(values[0], [node], result, place)
        elif name == "apply" and len(values) >= 2:
            self._spread(values, result, place)
        elif name == "dcall" and values:
            self._apply(values[0], values[1:], result, place)
        else:
            for value in values:
                self._escape(value)
            self.solution.add(result, [UNKNOWN])

    def _spread(self, values: Sequence[Slot], result: Slot, place: Place) -> None:
        """`apply`: any argument may be any element of the list."""
        element = self.solution.element(values[-1], (id(place.call), place.context))
        arguments = [*values[1:-1], *[element] * MOST_SPREAD]
        self._apply(values[0], arguments, result, place)

    def _escape(self, node: Slot) -> None:
        """Residual code gets what a node holds: it may call it with anything, and look at it."""
        if id(node) in self._escaped:
            return
        self._escaped.add(id(node))
        self._kept.append(node)

        def watcher(token: Token) -> None:
            if type(token) is not Made or token in self._escaped:
                return
            self._escaped.add(token)
            if token.kind in ("procedure", "global"):
                function: il.Function = token.place
                name = self._owner.get(function, function.name)
                self._reach(function, token.context, name)
                for parameter in parameters(function):
                    self.solution.add(self.solution.node((token.context, parameter)), [UNKNOWN])
                self._escape(self.solution.node(("return", token.context, function.cont)))
            elif token.kind in DATA_KINDS:
                for part in tuple(token.parts.values()):
                    self._escape(part)

        self.solution.watch(node, watcher)
