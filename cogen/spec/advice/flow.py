"""Which values get where: a closure analysis with binding times (0-CFA, in contexts).

For each variable of a program, what it may hold when the program is specialized to some binding
times, as a set of *tokens*:

    DATA      what only a run knows, made from the entry's dynamic parameters
    UNKNOWN   what residual code gives: results of unknown calls, parameters of procedures that
              residual code may call
    GROUND    a constant, or a piece of what is static: of bounded variation
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
    is, in the arm.  If it is not, advice was not as good as it might be.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple

from cogen import bt as binding_times
from cogen.kinds import EQUALITIES
from cogen.lang import il
from cogen.lang.components import components
from cogen.lang.datum import Char, RecordType, Symbol
from cogen.lang.ilutil import all_blocks, atoms, blocks, parameters
from cogen.lang.prelude import in_prelude
from cogen.lang.prims import CONTROL, PRIMITIVES
from cogen.spec.advice.values import (
    DATA,
    DATA_KINDS,
    GROUND,
    IN_ARM,
    NUMBER,
    TRUTH,
    UNKNOWN,
    Context,
    Continuation,
    Made,
    Node,
    Question,
    Token,
    questions,
    record_type,
    tag_of,
)

Scope = Mapping[str, str]
"""What variables are called where something is known of them."""

DEPTH: Final = 2
"""How many places there are in a context."""

MOST_SPREAD: Final = 16
"""Elements of the list in an `apply` that may be arguments; what parameters after these get is not
followed."""

MOST_BODIES: Final = 6000
"""Procedures in contexts that are looked at; beyond them there is one context for all."""


@dataclass
class Meant:
    """What a place is likely to read something of: which it `accepts`, whether there is any, and
    what else it would read."""

    accepts: Callable[[Made], bool]
    is_found: bool = False
    others: list[Callable[[], None]] = field(default_factory=list)


class Place(NamedTuple):
    """A call: its context, and the global procedure that it is in."""

    call: il.Call
    context: Context
    owner: str


class Flow:
    """The values of all variables; `bodies` are the procedures that may run, in their contexts.

    It `assumes` what is likely, see Note [What is meant]."""

    assumes = True

    def __init__(
        self, program: il.Program, entry: str, bts: Sequence[binding_times.BT], depth: int = DEPTH
    ) -> None:
        self.program = program
        self.depth = depth
        self.bodies: dict[tuple[il.Function, Context], None] = {}
        self._nodes: dict[Any, Node] = {}
        self._work: list[tuple[Node, set[Token]]] = []
        self._made: dict[Any, Made] = {}
        self._escaped: set[Any] = set()
        self._meant: dict[Any, Meant] = {}
        """By place where something is read of what it is likely to be."""
        self._tails: dict[il.Block, Counter[str]] = {}
        self._questions = questions(program)
        self._tags = _tags(program) if self.assumes else {}
        self.refined: list[tuple[Node, Node]] = []
        """What a conditional asks about, and what goes on to one of its arms."""
        self.computed: list[tuple[Sequence[Node], Node]] = []
        """Operands of arithmetic, and results."""
        self.indexed: list[tuple[Node, Node]] = []
        """What is read at an index, and the index."""
        self._kept: list[Node] = []
        self._defines = {
            item.name: item.function for item in program.items if isinstance(item, il.Define)
        }
        self._component = _components(program)
        self._owner: dict[il.Function, str] = {}
        self._scope: Scope = {}
        self._scopes: dict[il.Function, Scope] = {}
        self._conts: dict[str, tuple[str, ...]] = {}
        for item in program.items:
            self._item(item)
        self._enter(entry, bts)
        self._solve()

    # -- what is asked ---------------------------------------------------------------------------

    def contexts(self, function: il.Function) -> list[Context]:
        """The contexts in which a procedure may run."""
        return [context for body, context in self.bodies if body is function]

    def variable(self, context: Context, name: str) -> Node:
        """The node of a variable."""
        return self._node((context, name))

    def called(self, function: il.Function, atom: il.Atom) -> list[il.Function]:
        """The procedures that a variable, in a procedure, may be."""
        name = getattr(atom, "name", "")
        tokens: set[Token] = set()
        for context in self.contexts(function):
            tokens |= self.variable(context, name).tokens
        made = (one for one in self._made.values() if one.kind in ("procedure", "global"))
        return list(dict.fromkeys(one.place for one in made if one in tokens))

    def nodes(self) -> Iterable[Node]:
        """All nodes, those of parts too."""
        yield from self._nodes.values()
        for made in self._made.values():
            yield from made.parts.values()

    def made(self) -> Iterable[Made]:
        """All that may be made."""
        return self._made.values()

    # -- the solution ----------------------------------------------------------------------------

    def _node(self, key: Any) -> Node:
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = Node()
        return node

    def add(self, node: Node, tokens: Iterable[Token]) -> None:
        """Put tokens into a node."""
        new = set(tokens) - node.tokens
        if new:
            node.tokens |= new
            self._work.append((node, new))

    def _flow(self, source: Node, target: Node) -> None:
        if source is not target:
            source.next.append(target)
            if source.tokens:
                self.add(target, source.tokens)

    def _watch(self, node: Node, watcher: Callable[[Token], None]) -> None:
        node.watchers.append(watcher)
        for token in tuple(node.tokens):
            watcher(token)

    def _solve(self) -> None:
        """Carry on until nothing is new; see Note [Records of the run]."""
        work = self._work
        while work:
            while work:
                node, new = work.pop()
                for target in node.next:
                    self.add(target, new)
                for watcher in tuple(node.watchers):
                    for token in new:
                        watcher(token)
            for meant in self._meant.values():
                if not meant.is_found:
                    while meant.others:
                        meant.others.pop()()

    def _make(self, kind: str, place: Any, context: Context) -> Made:
        key = (kind, id(place), context)
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = Made(kind, place, context=context)
        return made

    # -- the program -----------------------------------------------------------------------------

    def _item(self, item: il.Item) -> None:
        if isinstance(item, il.Define):
            return
        if isinstance(item, il.Value):
            self._flow(self._node(("return", (), item.cont)), self._node(("global", item.name)))
        owner = item.name if isinstance(item, il.Value) else ""
        self._block(item.body, (), owner, item.cont, {})

    def _enter(self, entry: str, bts: Sequence[binding_times.BT]) -> None:
        function = self._defines.get(entry)
        if function is None:
            return
        self._reach(function, (), entry)
        for name, bt in zip(function.parameters, bts, strict=False):
            self._given(self.variable((), name), bt)
        if function.rest is not None:
            self._given_rest(self.variable((), function.rest), bts[len(function.parameters) :])
        self._escape(self._node(("return", (), function.cont)))

    def _given_rest(self, node: Node, bts: Sequence[binding_times.BT]) -> None:
        """What a rest parameter of the entry holds."""
        self.add(node, [GROUND])
        for bt in bts:
            made = self._make("pair", bt, ())
            self._given(made.part("car"), bt)
            self.add(node, [made])
            node = made.part("cdr")
            self.add(node, [GROUND])

    def _given(self, node: Node, bt: binding_times.BT) -> None:
        """What a parameter of the entry holds."""
        match bt:
            case binding_times.Static(value):
                self.add(node, [self._constant(value)])
            case binding_times.Later():
                self.add(node, [GROUND])
            case binding_times.Cons(car, cdr):
                made = self._make("pair", bt, ())
                self._given(made.part("car"), car)
                self._given(made.part("cdr"), cdr)
                self.add(node, [made])
            case binding_times.Vector(parts) | binding_times.Record(_, parts):
                made = self._make("vector", bt, ())
                for number, part in enumerate(parts):
                    self._given(made.part(number), part)
                    self._flow(made.part(number), made.part(ANY))
                self.add(node, [made])
            case _:
                self.add(node, [DATA])

    def _reach(self, function: il.Function, context: Context, owner: str) -> None:
        """A procedure may run in a context."""
        if (function, context) not in self.bodies:
            self.bodies[(function, context)] = None
            self._owner[function] = owner
            scope = self._scopes.get(function, {})
            self._block(function.body, context, owner, function.cont, scope)

    def _atom(self, atom: il.Atom, context: Context) -> Node:
        if type(atom) is il.Var:
            return self._node((context, self._scope.get(atom.name, atom.name)))
        node = Node()
        if type(atom) is il.Const:
            node.tokens.add(self._constant(atom.value))
        elif type(atom) is il.Prim:
            node.tokens.add(self._make("primitive", _named(atom.name), ()))
        else:
            assert type(atom) is il.Global
            function = self._defines.get(atom.name)
            if function is None:
                return self._node(("global", atom.name))
            node.tokens.add(self._make("global", function, ()))
        return node

    def _constant(self, value: Any) -> Token:
        """What a constant is."""
        if type(value) is bool:
            return TRUTH
        return NUMBER if type(value) in (int, float, str, Char) else GROUND

    def _block(self, root: il.Block, context: Context, owner: str, cont: str, scope: Scope) -> None:
        """The constraints of a block and of what is inside, but for the bodies of procedures."""
        around = self._scope
        entries: dict[str, list[Scope]] = {}
        left = self._entered_by(root)
        work: list[tuple[il.Block, Scope, str]] = [(root, scope, "")]
        while work:
            block, scope, name = work.pop()
            if name in entries and left[name] == len(entries[name]):
                scope = self._joined(name, entries[name], context, scope)
            self._scope = scope
            for binding in block.bindings:
                if type(binding) is il.Let:
                    self._let(binding, context)
                elif type(binding) is il.Fix:
                    for function in binding.functions:
                        self._owner[function] = owner
                        self._scopes[function] = scope
                        made = self._make("procedure", function, context)
                        self.add(self._node((context, function.name)), [made])
                else:
                    assert type(binding) is il.Conts
                    for one in binding.conts:
                        self._conts[one.name] = one.parameters
                        work.append((one.body, scope, one.name))
            tail = block.tail
            if type(tail) is il.If:
                work += [(arm, inner, "") for arm, inner in self._arms(tail, context, scope)]
                continue
            entries.setdefault(tail.cont, []).append(scope)
            if type(tail) is il.Jump:
                self._jump(tail.cont, [self._atom(a, context) for a in tail.arguments], context)
            else:
                assert type(tail) is il.Call
                self._call(tail, context, owner)
        self._scope = around

    def _entered_by(self, root: il.Block) -> Counter[str]:
        """How many tails of a procedure's body lead to each continuation."""
        found = self._tails.get(root)
        if found is None:
            tails = [block.tail for block in blocks(root)]
            found = Counter(tail.cont for tail in tails if type(tail) is not il.If)
            self._tails[root] = found
        return found

    def _joined(self, cont: str, entries: list[Scope], context: Context, scope: Scope) -> Scope:
        """The scope of a continuation that is entered in these, and nowhere else: what arms know
        that lead there is known."""
        found = dict(scope)
        for name in sorted({name for entry in entries for name in entry}):
            inner = {entry.get(name, name) for entry in entries}
            if len(inner) == 1:
                found[name] = inner.pop()
            elif inner != {scope.get(name, name)}:
                found[name] = f"{name}{IN_ARM}{cont}"
                for one in inner:
                    self._flow(self._node((context, one)), self._node((context, found[name])))
        return found

    def _arms(self, tail: il.If, context: Context, scope: Scope) -> list[tuple[il.Block, Scope]]:
        """The arms of a conditional; in each, what it asks about is a variable of its own."""
        test = tail.test.name if type(tail.test) is il.Var else ""
        question = self._questions.get(test)
        if question is None:
            return [(tail.then, scope), (tail.otherwise, scope)]
        name = question.subject
        whole = self._node((context, scope.get(name, name)))
        meant = None
        if self.assumes and type(question.about) is RecordType:
            meant = self._meant.setdefault(("arm", id(tail)), Meant(_is_record))
        arms: list[tuple[il.Block, Scope]] = []
        for arm, holds in ((tail.then, True), (tail.otherwise, False)):
            inner = f"{name}{IN_ARM}{id(tail)}{holds}"
            part = self._node((context, inner))
            self.refined.append((whole, part))
            meant_here = meant if holds else None
            self._watch(whole, partial(self._pass_on, part, question, holds, meant_here))
            arms.append((arm, {**scope, name: inner}))
        return arms

    def _pass_on(
        self, part: Node, question: Question, holds: bool, meant: Meant | None, token: Token
    ) -> None:
        """A value goes on to an arm if the answer may be the one that leads there."""
        answer = question.answer(token)
        if answer is None and meant is not None and token != GROUND:
            meant.others.append(partial(self.add, part, [token]))
        elif answer is None or answer == holds:
            if meant is not None:
                meant.is_found = True
            self.add(part, [token])

    def _jump(self, cont: str, values: Sequence[Node], context: Context) -> None:
        for node, target in zip(values, self._targets(cont, context, len(values)), strict=False):
            self._flow(node, target)

    def _targets(self, cont: str, context: Context, count: int) -> list[Node]:
        """The nodes that what a continuation is given goes to."""
        names = self._conts.get(cont)
        if names is None:
            return [self._node(("return", context, cont))] * count
        return [self._node((context, name)) for name in names]

    # -- operations ------------------------------------------------------------------------------

    def _let(self, let: il.Let, context: Context) -> None:
        result = self._node((context, let.name))
        values = [self._atom(atom, context) for atom in let.arguments]
        self._operation(let.op, values, result, let, context)

    def _operation(
        self, op: str, values: Sequence[Node], result: Node, place: Any, context: Context
    ) -> None:
        if op in ("global-get", "global-set!"):
            cell = self._node(("global", _global_name(place)))
            if op == "global-get":
                self._flow(cell, result)
            else:
                self._flow(values[1], cell)
            return
        if op in MAKES:
            made = self._make(MAKES[op], place, context)
            made.is_result = type(place) is il.Call
            for number, value in enumerate(values):
                for part in parts_made(op, number):
                    self._flow(value, made.part(part))
            self.add(result, [made])
        elif op == "values->list":
            made = self._make("pair", place, context)
            self._read(values[0], ANY, made.part("car"))
            self.add(made.part("cdr"), [made, GROUND])
            self.add(result, [made, GROUND])
        elif op in _READS:
            number, part = _READS[op]
            if op == "vector-ref":
                self.indexed.append((values[0], values[1]))
            fits = _is_of(place) if op == "record-ref" else None
            self._read(values[number], _part(part, place), result, self._meant_at(op, place), fits)
        elif op in _WRITES:
            number, part = _WRITES[op]
            self._write(values[number], _part(part, place), values[-1])
        elif op in _PASSING and values:
            self._flow(values[-1], result)
        else:
            self._compute(op, values, result)

    def _meant_at(self, op: str, place: Any) -> Meant | None:
        """Of what a place is likely to read something, if that is known; see Note [What is
        meant]."""
        if not self.assumes:
            return None
        found = self._meant.get(place)
        if found is None and op == "record-ref":
            found = self._meant[place] = Meant(_is_record)
        elif found is None and type(place.arguments[0]) is il.Var:
            tags = self._tags.get(place.arguments[0].name, ())
            if tags and op != "car" and not (op == "vector-ref" and _index(place) == 0):
                found = self._meant[place] = Meant(lambda token: tag_of(token) in tags)
        return found

    def _read(
        self,
        value: Node,
        part: Any,
        result: Node,
        meant: Meant | None = None,
        fits: Callable[[Made], bool] | None = None,
    ) -> None:
        """What a part gives, of what `fits`."""

        def read(token: Token) -> None:
            if type(token) is Made:
                if token.kind in DATA_KINDS and (fits is None or fits(token)):
                    self._flow(token.part(part), result)
                    if type(part) is int:
                        self._flow(token.part(SOME), result)
            elif token in (GROUND, DATA, UNKNOWN):
                self.add(result, [token])

        def watcher(token: Token) -> None:
            if meant is None or token == GROUND:
                read(token)
            elif type(token) is Made and meant.accepts(token):
                meant.is_found = True
                read(token)
            else:
                meant.others.append(partial(read, token))

        self._watch(value, watcher)

    def _write(self, value: Node, part: Any, new: Node) -> None:
        def watcher(token: Token) -> None:
            if type(token) is Made and token.kind in DATA_KINDS:
                self._flow(new, token.part(part))
                if part == SOME or type(part) is int:
                    self._flow(new, token.part(ANY))
            elif token in (DATA, UNKNOWN):
                self._escape(new)

        self._watch(value, watcher)

    def _compute(self, op: str, values: Sequence[Node], result: Node) -> None:
        """An operation whose result is known if its operands are."""
        row = PRIMITIVES.get(op)
        known = NUMBER if row is None else _RESULTS.get(row.result, NUMBER)
        if op == "lift" or (row is not None and row.effect == "output"):
            self.add(result, [DATA])
            return
        if known == NUMBER and row is not None and row.result in _ARITHMETIC:
            self.computed.append((values, result))
        if op in _INDEXING:
            self.indexed.append((values[0], values[1]))
        unknown = set(map(id, values))
        if not unknown:
            self.add(result, [known])

        def watch(value: Node) -> None:
            def watcher(token: Token) -> None:
                if token in (DATA, UNKNOWN):
                    self.add(result, [token])
                elif unknown:
                    unknown.discard(id(value))
                    if not unknown:
                        self.add(result, [known])

            self._watch(value, watcher)

        for value in values:
            watch(value)

    # -- calls -----------------------------------------------------------------------------------

    def _call(self, call: il.Call, context: Context, owner: str) -> None:
        values = [self._atom(atom, context) for atom in call.arguments]
        target = self._targets(call.cont, context, 1)
        result = target[0] if target else Node()
        place = Place(call, context, owner)
        if getattr(call.function, "name", "") in _INDEXED and len(values) > 1:
            self.indexed.append((values[0], values[1]))
        if type(call.function) is il.Prim:
            self._call_primitive(call.function.name, values, result, place)
        elif self.is_selector(call):
            self._select(call, values[0], result)
        else:
            self._apply(self._atom(call.function, context), values, result, place)

    def is_selector(self, call: il.Call) -> bool:
        """Whether a call is one of `cadr`, `caddr`, … of the library, or of `list-ref` or
        `list-tail` with a constant."""
        defined = self._defines.get(getattr(call.function, "name", ""))
        return defined is not None and in_prelude(defined.span) and bool(letters_of(call))

    def _select(self, call: il.Call, value: Node, result: Node) -> None:
        """What `cadr` and the like give, part by part."""
        letters = letters_of(call)
        for number, letter in enumerate(letters):
            part = result if number == len(letters) - 1 else Node()
            self._kept.append(part)
            op = "car" if letter == "a" else "cdr"
            self._read(value, op, part, None if number else self._meant_at(op, call))
            value = part

    def _apply(self, function: Node, values: Sequence[Node], result: Node, place: Place) -> None:
        def watcher(token: Token) -> None:
            if type(token) is Continuation:
                for value in values:
                    self._flow(value, token.target)
            elif type(token) is not Made:
                if token in (DATA, UNKNOWN):
                    for value in values:
                        self._escape(value)
                    self.add(result, [UNKNOWN])
            elif token.kind == "primitive":
                self._call_primitive(token.place, values, result, place)
            elif token.kind in ("procedure", "global"):
                self._call_known(token, values, result, place)

        self._watch(function, watcher)

    def _call_known(self, token: Made, values: Sequence[Node], result: Node, place: Place) -> None:
        inner = self._entered(token, place)
        self._pass(token.place, inner, values, place.call)
        self._flow(self._node(("return", inner, token.place.cont)), result)

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
        self, function: il.Function, inner: Context, values: Sequence[Node], call: il.Call
    ) -> None:
        """Arguments go to parameters."""
        for name, value in zip(function.parameters, values, strict=False):
            self._flow(value, self._node((inner, name)))
        if function.rest is not None:
            rest = self._node((inner, function.rest))
            for number, value in enumerate(values[len(function.parameters) :]):
                made = self._make("pair", call, (*inner, number))
                self._flow(value, made.part("car"))
                self.add(rest, [made])
                rest = made.part("cdr")
            self.add(rest, [GROUND])

    def _inner(self, place: Place, name: str) -> Context:
        """The context of a call of a global procedure, see Note [Contexts]."""
        if len(self.bodies) > MOST_BODIES:
            return ()
        if place.owner and self._component.get(place.owner) == self._component.get(name):
            return place.context
        return (*place.context, id(place.call))[-self.depth :] if self.depth else ()

    def _call_primitive(
        self, name: str, values: Sequence[Node], result: Node, place: Place
    ) -> None:
        if name not in CONTROL:
            self._operation(name, values, result, place.call, place.context)
        elif name in ("call/cc", "call-with-current-continuation") and len(values) == 1:
            node = Node()
            node.tokens.add(Continuation(result))
            self._apply(values[0], [node], result, place)
        elif name == "apply" and len(values) >= 2:
            self._spread(values, result, place)
        elif name == "dcall" and values:
            self._apply(values[0], values[1:], result, place)
        else:
            for value in values:
                self._escape(value)
            self.add(result, [UNKNOWN])

    def _spread(self, values: Sequence[Node], result: Node, place: Place) -> None:
        """`apply`: any argument may be any element of the list."""
        element = self._node(("element", id(place.call), place.context))
        spine = self._node(("spine", id(place.call), place.context))
        self._flow(values[-1], spine)
        self._read(spine, "car", element)
        self._read(spine, "cdr", spine)
        arguments = [*values[1:-1], *[element] * MOST_SPREAD]
        self._apply(values[0], arguments, result, place)

    def _escape(self, node: Node) -> None:
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
                    self.add(self._node((token.context, parameter)), [UNKNOWN])
                self._escape(self._node(("return", token.context, function.cont)))
            elif token.kind in DATA_KINDS:
                for part in tuple(token.parts.values()):
                    self._escape(part)

        self._watch(node, watcher)


def _is_record(made: Made) -> bool:
    return made.kind == "record"


def _is_of(place: Any) -> Callable[[Made], bool] | None:
    """Whether something may be a record of the type that a `record-ref` is about."""
    record = record_type(place)
    return None if record is None else lambda made: record_type(made.place) in (None, record)


def _index(let: il.Let) -> Any:
    """The index of a `vector-ref`, if it is a constant."""
    index = let.arguments[1]
    return index.value if type(index) is il.Const else None


def letters_of(call: il.Call) -> str:
    """Which parts a call of `cadr` and the like goes through, the first one first; none if it is
    no such call."""
    function, arguments = call.function, call.arguments
    if type(function) is not il.Global:
        return ""
    if _SELECTOR.fullmatch(function.name) and len(arguments) == 1:
        return function.name[-2:0:-1]
    if function.name not in ("list-ref", "list-tail") or len(arguments) != 2:
        return ""
    index = arguments[1].value if type(arguments[1]) is il.Const else None
    if type(index) is not int or not 0 <= index <= MOST_SPREAD:
        return ""
    return "d" * index + ("a" if function.name == "list-ref" else "")


def _tags(program: il.Program) -> dict[str, set[Symbol]]:
    """By variable: the symbols that the program asks for at the beginning of what it holds."""
    lets = [b for block in all_blocks(program) for b in block.bindings if type(b) is il.Let]
    beginnings: dict[str, str] = {}
    for let in lets:
        is_first = let.op == "car" or (let.op == "vector-ref" and _index(let) == 0)
        if is_first and type(let.arguments[0]) is il.Var:
            beginnings[let.name] = let.arguments[0].name
    found: dict[str, set[Symbol]] = {}
    for let in lets:
        if let.op in EQUALITIES:
            names = [a.name for a in let.arguments if type(a) is il.Var and a.name in beginnings]
            symbols = [a.value for a in let.arguments if type(a) is il.Const]
            for name in names:
                tags = found.setdefault(beginnings[name], set())
                tags.update(symbol for symbol in symbols if type(symbol) is Symbol)
    return found


def _components(program: il.Program) -> dict[str, int]:
    """The recursions that global procedures take part in, by what their texts mention."""
    mentions: dict[str, list[str]] = {}
    for item in program.items:
        if isinstance(item, il.Define):
            found = {
                atom.name
                for block in blocks(item.function.body)
                for atom in atoms(block)
                if type(atom) is il.Global
            }
            mentions[item.name] = sorted(found)
    groups = components(mentions, lambda name: [n for n in mentions[name] if n in mentions])
    return {name: number for number, names in enumerate(groups) for name in names}


_NAMES: dict[str, str] = {}


def _named(name: str) -> str:
    """The same object for the same name."""
    return _NAMES.setdefault(name, name)


def _global_name(let: il.Let) -> str:
    """The assigned global that an operation reads or writes."""
    name = let.arguments[0]
    assert type(name) is il.Const
    assert type(name.value) is Symbol
    return name.value.name


def is_user(function: il.Function) -> bool:
    """Whether a procedure is none of the prelude's."""
    return not in_prelude(function.span)


LIFTS: Final = frozenset({"lift", "%lift-value", "%lift-data", "%lift-made", "%lift-numbers"})
"""Operations that make something dynamic, all but the first as advised."""

_RESULTS: Final = {"bool": TRUTH, "symbol": GROUND, "list": GROUND, "vector": GROUND}
"""What operations give that are carried out, by the types of their results; else a number."""

_ARITHMETIC: Final = frozenset({"int", "float", "number"})
"""The types of numbers."""

_INDEXING: Final = frozenset({"string-ref", "bytevector-u8-ref", "substring"})
"""Operations that read something at an index, and give no part of what is made,"""

_INDEXED: Final = frozenset({"list-ref", "list-tail"})
"""and procedures of the library that do."""

_SELECTOR: Final = re.compile(r"c[ad]{2,4}r")

_PASSING: Final = frozenset({"%finite", "%constant-vector", "assume-disjoint"})
"""Operations that give their last operand."""

SOME: Final = "some"
"""The part of a vector or record that what is put to an unknown place goes to."""
ANY: Final = "any"
"""The part that holds what any of them holds."""

MAKES: Final = {
    "cons": "pair",
    "vector": "vector",
    "make-vector": "vector",
    "make-cell": "vector",
    "make-record": "record",
    "values": "vector",
    "make-barrier-cell": "vector",
}
"""Operations that make something, and what."""

_READS: Final = {
    "car": (0, "car"),
    "cdr": (0, "cdr"),
    "vector-ref": (0, (1, ANY)),
    "cell-ref": (0, 0),
    "cell-ref/check": (0, 0),
    "record-ref": (2, (1, ANY)),
}
_WRITES: Final = {
    "set-car!": (0, "car"),
    "set-cdr!": (0, "cdr"),
    "vector-set!": (0, (1, SOME)),
    "cell-set!": (0, 0),
    "record-set!": (2, (1, SOME)),
}
"""Operations that read and write a part: which operand is what it is a part of, and the part, or
which operand is its number, and the part if that is not known."""


def parts_made(op: str, number: int) -> tuple[Any, ...]:
    """The parts of what an operation makes that an operand becomes."""
    if op == "cons":
        return (("car", "cdr")[number],) if number < 2 else ()
    if op == "make-record":
        return (number - 1, ANY) if number else ()
    if op == "make-vector":
        return (SOME, ANY) if number else ()
    return (number, ANY)


def _part(part: Any, place: Any) -> Any:
    """The part that an operation at a place reads or writes."""
    if type(part) is not tuple:
        return part
    number, otherwise = part
    if type(place) is not il.Let:
        return otherwise  # a call, of which the operands may be in a list
    atom = place.arguments[number]
    if type(atom) is il.Const and type(atom.value) is int:
        return atom.value
    return otherwise
