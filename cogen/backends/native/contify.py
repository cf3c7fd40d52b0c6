"""IL -> IL: procedures that always return to one place become continuations.

    (fix (loop (i) k1 ...)) ... (call loop (0) k)   ->   (conts (loop (i) ...)) ... (jump loop 0)

A group of a `fix` qualifies if its procedures are only called, with fitting arguments, all calls
from outside the group return to the same continuation k, and all calls within it are tail calls.
The new continuations stand where the `fix` stood if k is in scope there, else beside k, or, if k is
what another procedure returns to, at the start of its body.  Where there is one call from outside,
errors keep being told with it.  After
Kennedy, "Compiling with continuations, continued" (ICFP 2007), section 5.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from cogen.backends.native.places import NOT_LED, Led, led, led_by
from cogen.lang import il
from cogen.lang.errors import InternalError, Span
from cogen.lang.ilutil import atoms, item_block


def contify(program: il.Program) -> il.Program:
    """The program with such procedures replaced, until there are none."""
    items = list(program.items)
    for index, item in enumerate(items):
        while True:
            found = _InnerCalls(item).groups()
            if not found:
                break
            item = _rewritten(item, found)
        items[index] = item
    return replace(program, items=tuple(items))


@dataclass(frozen=True, slots=True)
class _FoundCall:
    """A call, the group of the innermost procedure around it, and what leaves that procedure."""

    call: il.Call
    group: _Group | None
    exit: str


@dataclass(slots=True)
class _Group:
    """A `fix`: the conts in scope there, and how its procedures are called."""

    functions: tuple[il.Function, ...]
    scope: frozenset[str]
    target: str | None = None
    fits: bool = True
    calls: list[_FoundCall] = field(default_factory=list)
    """Those from outside."""


class _InnerCalls:
    """What a top-level item does with its inner procedures."""

    def __init__(self, item: il.Item) -> None:
        self.groups_found: list[_Group] = []
        self.group_of: dict[str, _Group] = {}
        self.functions: dict[str, il.Function] = {}
        self.calls: list[_FoundCall] = []
        exit = item.function.cont if isinstance(item, il.Define) else item.cont
        self._walk(item_block(item), exit)

    def _walk(self, root: il.Block, exit: str) -> None:
        """Collect the groups, the calls, and other uses; `inside` is the innermost procedure
        around a block: its group, and what leaves it."""
        inside: tuple[_Group | None, str] = None, exit
        work: list[tuple[il.Block, frozenset[str], tuple[_Group | None, str]]] = [
            (root, frozenset([exit]), inside)
        ]
        others: list[il.Atom] = []
        while work:
            block, scope, inside = work.pop()
            for binding in block.bindings:
                match binding:
                    case il.Fix(functions):
                        group = _Group(functions, scope)
                        self.groups_found.append(group)
                        for function in functions:
                            self.group_of[function.name] = group
                            self.functions[function.name] = function
                            inner = frozenset([function.cont])
                            work.append((function.body, inner, (group, function.cont)))
                    case il.Conts(conts):
                        scope = scope | {cont.name for cont in conts}
                        work.extend((cont.body, scope, inside) for cont in conts)
            used = list(atoms(block))
            match block.tail:
                case il.If(_, then, otherwise):
                    work.append((then, scope, inside))
                    work.append((otherwise, scope, inside))
                case il.Call(function=called):
                    self.calls.append(_FoundCall(block.tail, *inside))
                    used.remove(called)
            others += used
        for atom in others:
            if isinstance(atom, il.Var) and atom.name in self.group_of:
                self.group_of[atom.name].fits = False

    def groups(self) -> dict[int, tuple[_Group, str]]:
        """The groups that qualify, by the identity of their procedures, with the continuation."""
        for found in self.calls:
            call = found.call
            if not isinstance(call.function, il.Var):
                continue
            group = self.group_of.get(call.function.name)
            if group is None:
                continue
            function = self.functions[call.function.name]
            if function.rest is not None or len(function.parameters) != len(call.arguments):
                group.fits = False
            elif found.group is not group or call.cont != found.exit:
                group.calls.append(found)
                group.fits &= group.target in (None, call.cont)
                group.target = call.cont
        return {
            id(group.functions): (group, group.target)
            for group in self.groups_found
            if group.fits and group.target is not None and not self._is_own(group)
        }

    def _is_own(self, group: _Group) -> bool:
        """Is the continuation one inside the group's own procedures?  Then a call is no tail
        call.  (It is found in no scope and beside no binding outside them.)"""
        return group.target in _conts_inside(group.functions)


def _conts_inside(functions: tuple[il.Function, ...]) -> set[str]:
    found: set[str] = set()
    work = [function.body for function in functions]
    while work:
        block = work.pop()
        for binding in block.bindings:
            if isinstance(binding, il.Conts):
                for cont in binding.conts:
                    found.add(cont.name)
                    work.append(cont.body)
            elif isinstance(binding, il.Fix):
                for function in binding.functions:
                    found.add(function.cont)
                    work.append(function.body)
        if isinstance(block.tail, il.If):
            work += (block.tail.then, block.tail.otherwise)
    found.update(function.cont for function in functions)
    return found


@dataclass(slots=True)
class _GroupRewriter:
    """Replaces groups; `exits` says what the return continuations of their procedures are now."""

    groups: dict[int, tuple[_Group, str]]
    names: set[str] = field(default_factory=set)
    exits: dict[str, str] = field(default_factory=dict)
    beside: dict[str, list[il.Function]] = field(default_factory=dict)
    group_of: dict[str, _Group] = field(default_factory=dict)
    led: Led = NOT_LED
    """What led to the code at hand."""

    def __post_init__(self) -> None:
        for group, target in self.groups.values():
            for function in group.functions:
                self.names.add(function.name)
                self.group_of[function.name] = group
                self.exits[function.cont] = target
            if target not in group.scope:
                self.beside.setdefault(target, []).extend(group.functions)

    def exit(self, name: str) -> str:
        while name in self.exits:
            name = self.exits[name]
        return name

    def block(self, block: il.Block) -> il.Block:
        bindings: list[il.Binding] = []
        for binding in block.bindings:
            match binding:
                case il.Fix(functions, span):
                    replaced = self.groups.get(id(functions))
                    if replaced is None:
                        made = tuple(self.function(function) for function in functions)
                        bindings.append(il.Fix(made, span))
                    elif replaced[1] in replaced[0].scope:
                        bindings.append(il.Conts(tuple(map(self.as_cont, functions))))
                case il.Conts(conts):
                    group = [
                        il.Cont(c.name, c.parameters, self.block(c.body), c.span, c.label)
                        for c in conts
                    ]
                    for cont in conts:
                        group.extend(map(self.as_cont, self.beside.get(cont.name, ())))
                    bindings.append(il.Conts(tuple(group)))
                case il.Let(name, op, arguments, span):
                    bindings.append(il.Let(name, op, arguments, self.place(span)))
        return il.Block(tuple(bindings), self.tail(block.tail))

    def place(self, span: Span | None) -> Span | None:
        return led(span, self.led[0])

    def led_to(self, group: _Group | None) -> Led:
        """What led to the code of a group that is replaced, if that is one call."""
        if group is None or id(group.functions) not in self.groups or len(group.calls) != 1:
            return NOT_LED
        found = group.calls[0]
        calls, returned = self.led_to(found.group)
        call = found.call
        if call.cont != found.exit:
            returned = led(call.returned, calls)
        is_tail = call.cont == found.exit and returned is None
        placed = il.Call(call.function, call.arguments, call.cont, led(call.span, calls), returned)
        return led_by(placed, is_tail, False)

    def function(self, function: il.Function) -> il.Function:
        return il.Function(
            function.name, function.parameters, function.rest, function.cont,
            self.body(function, NOT_LED), function.span, function.label,
        )  # fmt: skip

    def body(self, function: il.Function, led: Led) -> il.Block:
        """The body, to which `led` led, after procedures that return where the function does:
        those that stood outside it and only it calls."""
        outside, self.led = self.led, led
        body = self.block(function.body)
        self.led = outside
        moved = self.beside.get(function.cont)
        if moved is None:
            return body
        conts = il.Conts(tuple(map(self.as_cont, moved)))
        return il.Block((conts, *body.bindings), body.tail)

    def as_cont(self, function: il.Function) -> il.Cont:
        body = self.body(function, self.led_to(self.group_of[function.name]))
        return il.Cont(function.name, function.parameters, body, function.span, function.label)

    def tail(self, tail: il.Tail) -> il.Tail:
        match tail:
            case il.If(test, then, otherwise, span):
                then, otherwise = self.block(then), self.block(otherwise)
                return il.If(test, then, otherwise, self.place(span))
            case il.Jump(cont, arguments, span):
                return il.Jump(self.exit(cont), arguments, self.place(span))
            case il.Call(function, arguments, cont, span, returned):
                span = self.place(span)
                if isinstance(function, il.Var) and function.name in self.names:
                    return il.Jump(function.name, arguments, span)
                returned = self.led[1] if cont in self.exits else self.place(returned)
                return il.Call(function, arguments, self.exit(cont), span, returned)
        raise InternalError(f"no tail: {tail!r}")


def _rewritten(item: il.Item, groups: dict[int, tuple[_Group, str]]) -> il.Item:
    rewriter = _GroupRewriter(groups)
    match item:
        case il.Define(name, function):
            return il.Define(name, rewriter.function(function))
        case il.Value(name, cont, body, span):
            return il.Value(name, cont, rewriter.block(body), span)
        case il.Expression(cont, body, span):
            return il.Expression(cont, rewriter.block(body), span)
    raise InternalError(f"no item: {item!r}")
