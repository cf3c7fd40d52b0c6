"""IL -> IL: several values that are made where they are received are passed as they are.

    (fix (f (x y) s ...))
    (conts (k (t) ((let l (values->list t)) (call (prim apply) (f l) r))))
    ... (let v (values a b)) (jump k v)
      =>  (conts (f (x y) ...) (k (p q) ((jump f p q)))) ... (jump k a b)

where `f` has no other use and `k` is given such values only; the same where all of it stands in
one block.  What it removes: the object of the values, their list, and the closure of `f`, which is
only called then, so that `contify` makes a continuation of it.  It is what `call-with-values`
leaves, and so `let-values`, when what gives the values has been put in its place, so it comes after
that.

Laws: names stay unique; errors are told with the calls that they were told with: `apply` is left by
a tail call, but tells the place that it was called at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from cogen.backends.native.contify import contify
from cogen.backends.native.places import led_by
from cogen.lang import il
from cogen.lang.ilutil import all_blocks, atoms, conts, functions

VALUES: Final = "values"
TO_LIST: Final = "values->list"
APPLY: Final = il.Prim("apply")


def receive(program: il.Program) -> il.Program:
    """The program, with procedures that have become continuations by it."""
    values = _MadeValues(program)
    receiving = _Receiving(values, values.receivers(program))
    made = receiving.program(program)
    return contify(made) if receiving.found else program


@dataclass(frozen=True, slots=True)
class _Receiver:
    """A continuation that does nothing but call a procedure with the values that it is given."""

    cont: il.Cont
    call: il.Call
    """What it does with each of the values as an argument."""

    def made(self, exit: str) -> il.Cont:
        """The continuation whose parameters are the values, in code that `exit` leaves."""
        names = tuple(atom.name for atom in self.call.arguments if type(atom) is il.Var)
        return replace(self.cont, parameters=names, body=il.Block((), placed(self.call, exit)))


class _MadeValues:
    """Where a program makes several values, and where it takes them apart to call a procedure."""

    def __init__(self, program: il.Program) -> None:
        self.uses: Counter[str] = Counter()
        self.functions: dict[str, il.Function] = {}
        for block in all_blocks(program):
            self.uses.update([atom.name for atom in atoms(block) if type(atom) is il.Var])
            self.functions.update({function.name: function for function in functions(block)})

    def receivers(self, program: il.Program) -> Mapping[str, _Receiver]:
        """The continuations that can be given the values as they are, by name."""
        found: dict[str, _Receiver] = {}
        for block in all_blocks(program):
            for cont in conts(block):
                receiver = self._receiver(cont)
                if receiver is not None:
                    found[cont.name] = receiver
        for block in all_blocks(program):
            tail = block.tail
            if type(tail) is not il.If and tail.cont in found:
                made = self.jumped_with(block)
                if made is None or len(made.arguments) != len(found[tail.cont].call.arguments):
                    del found[tail.cont]
        return found

    def _receiver(self, cont: il.Cont) -> _Receiver | None:
        if len(cont.parameters) != 1 or len(cont.body.bindings) != 1:
            return None
        (value,) = cont.parameters
        function = self.applied(cont.body, value)
        if function is None:
            return None
        names = [f"{value}~{number}~{cont.name}" for number in range(len(function.parameters))]
        return _Receiver(cont, called(cont.body, function, tuple(map(il.Var, names))))

    def applied(self, block: il.Block, value: str) -> il.Function | None:
        """The procedure that the block calls in the end with the values that make up `value`, where
        nothing else has these, their list and the procedure."""
        *_, let = block.bindings
        tail = block.tail
        if type(let) is not il.Let or let.op != TO_LIST or let.arguments != (il.Var(value),):
            return None
        if type(tail) is not il.Call or tail.function != APPLY or len(tail.arguments) != 2:
            return None
        called, items = tail.arguments
        if type(called) is not il.Var or items != il.Var(let.name):
            return None
        if any(self.uses[name] != 1 for name in (value, let.name, called.name)):
            return None
        function = self.functions.get(called.name)
        return None if function is None or function.rest is not None else function

    def jumped_with(self, block: il.Block) -> il.Let | None:
        """The values that a block makes and only jumps with."""
        tail = block.tail
        if type(tail) is not il.Jump or len(tail.arguments) != 1:
            return None
        (argument,) = tail.arguments
        if type(argument) is not il.Var or self.uses[argument.name] != 1:
            return None
        return made_in(block, argument.name)


def made_in(block: il.Block, name: str) -> il.Let | None:
    """The values that a block makes and calls so; one value is itself, whatever it is."""
    for binding in block.bindings:
        if type(binding) is il.Let and binding.name == name:
            return binding if binding.op == VALUES and len(binding.arguments) != 1 else None
    return None


def called(block: il.Block, function: il.Function, values: tuple[il.Atom, ...]) -> il.Call:
    """The call of a procedure with values in place of that of `apply` at the end of a block."""
    assert isinstance(block.tail, il.Call)
    return replace(block.tail, function=il.Var(function.name), arguments=values)


def placed(call: il.Call, exit: str) -> il.Call:
    """A call in the place of one of `apply`, in code that `exit` leaves: a tail call tells among
    its calls where `apply` was called, as other tail calls do not."""
    if call.span is None or (call.cont != exit and call.returned is None):
        return call
    calls, _ = led_by(call, is_tail=True, into_library=True)
    return replace(call, span=call.span.reached(calls))


@dataclass(slots=True)
class _Receiving:
    values: _MadeValues
    receivers: Mapping[str, _Receiver]
    exit: str = ""
    """What leaves the code at hand."""
    found: bool = False
    """Whether there was something to do."""

    def program(self, program: il.Program) -> il.Program:
        return replace(program, items=tuple(map(self._item, program.items)))

    def _item(self, item: il.Item) -> il.Item:
        if isinstance(item, il.Define):
            return replace(item, function=self._function(item.function))
        self.exit = item.cont
        return replace(item, body=self._block(item.body))

    def _function(self, function: il.Function) -> il.Function:
        outside, self.exit = self.exit, function.cont
        body = self._block(function.body)
        self.exit = outside
        return replace(function, body=body)

    def _cont(self, cont: il.Cont) -> il.Cont:
        receiver = self.receivers.get(cont.name)
        return receiver.made(self.exit) if receiver else replace(cont, body=self._block(cont.body))

    def _block(self, block: il.Block) -> il.Block:
        tail = block.tail
        left_out: tuple[il.Binding, ...] = ()
        if type(tail) is il.If:
            then, otherwise = self._block(tail.then), self._block(tail.otherwise)
            tail = replace(tail, then=then, otherwise=otherwise)
        elif tail.cont in self.receivers:
            made = self.values.jumped_with(block)
            assert made is not None  # otherwise it was no receiver
            left_out, tail = (made,), il.Jump(tail.cont, made.arguments, tail.span)
        else:
            left_out, tail = self._applied(block, tail)
        self.found |= left_out != ()
        bindings = [one for one in block.bindings if not any(one is each for each in left_out)]
        return il.Block(tuple(map(self._binding, bindings)), tail)

    def _applied(
        self, block: il.Block, tail: il.Jump | il.Call
    ) -> tuple[tuple[il.Binding, ...], il.Tail]:
        """If the block makes values and calls a procedure with them in the end, the values and
        their list, and a call that needs neither; otherwise nothing, and its own tail."""
        last = block.bindings[-1] if block.bindings else None
        if type(last) is not il.Let or last.op != TO_LIST or type(last.arguments[0]) is not il.Var:
            return (), tail
        name = last.arguments[0].name
        function, made = self.values.applied(block, name), made_in(block, name)
        if function is None or made is None or len(made.arguments) != len(function.parameters):
            return (), tail
        return (made, last), placed(called(block, function, made.arguments), self.exit)

    def _binding(self, binding: il.Binding) -> il.Binding:
        match binding:
            case il.Fix(functions):
                return replace(binding, functions=tuple(map(self._function, functions)))
            case il.Conts(conts):
                return il.Conts(tuple(map(self._cont, conts)))
        return binding
