"""Lifts, put into a program as operations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from cogen.lang import il
from cogen.lang.errors import Span
from cogen.lang.ilutil import base_name, own_blocks, parameters
from cogen.lang.printer import write_datum
from cogen.specializer.advice.bounds import Stop
from cogen.specializer.advice.boxes import Boxes
from cogen.specializer.advice.recordboxes import RecordBoxes
from cogen.specializer.advice.tagged import TaggedBoxes


@dataclass(frozen=True, slots=True)
class Lift:
    """One lift: the variable whose value it is, the place, and why."""

    name: str
    place: Span | None
    reason: str


VALUE: Final = "value"
"""Stands for the operation that lifts values, in one step but for procedures."""


class Lifts:
    """Lifts to be put into a program."""

    def __init__(self, program: il.Program) -> None:
        self._program = program
        self.lifts: list[Lift] = []
        self._variables: dict[str, str] = {}
        """By variable: the operation that lifts it."""
        self._operands: dict[il.Let, dict[str, str]] = {}
        self._results: set[il.Let | il.Call] = set()
        self._of_values = ""
        self._calls: dict[il.Call, dict[int, str]] = {}
        """By argument of a call: the operation that lifts it."""
        self._before: dict[il.Call, dict[str, None]] = {}
        """Variables that are assigned: the numbers in them are lifted before a call."""
        self._jumps: dict[il.Jump, set[int]] = {}
        self._ends: set[il.Call | il.Jump] = set()
        """Ends of procedures at which what they give is lifted, if it is a value."""
        self._number = 0
        self.opens = False
        """Whether there are boxes that open, or hold code (`versions.families`)."""

    def variable(self, function: il.Function, name: str) -> None:
        """Lift what a variable holds, if it is a value."""
        self._variables.setdefault(name, VALUE)
        self._note(name, function.span, "holds what only a run knows in other cases")

    def counter(self, function: il.Function, name: str) -> None:
        """Lift the numbers in what a variable holds."""
        if name not in self._variables:
            self._variables[name] = "%lift-numbers"
            self._note(name, function.span, "counts while only a run decides how often")

    def uniform(self, function: il.Function, name: str) -> None:
        """Lift what a variable holds."""
        self._variables[name] = "%lift-any"
        self._note(name, function.span, "holds data of the run at other times")

    def given(self, jump: il.Jump, number: int, function: il.Function) -> None:
        """Lift what an arm of a conditional gives."""
        self._jumps.setdefault(jump, set()).add(number)
        atom = jump.arguments[number]
        name = write_datum(atom.value) if type(atom) is il.Const else getattr(atom, "name", "")
        self._note(name, jump.span or function.span, "is data of the run in another arm")

    def operands(self, let: il.Let, names: Iterable[str]) -> None:
        """Lift what is put into a structure, if it is a value."""
        for name in names:
            self._operands.setdefault(let, {}).setdefault(name, VALUE)
            self._note(name, let.span, "is read where values of the run are read too")

    def collected(self, let: il.Let, name: str) -> None:
        """Lift what an assignment puts around what was assigned before."""
        self._operands.setdefault(let, {})[name] = "lift"
        self._note(name, let.span, "collects values while only a run decides how many")

    def captured(self, let: il.Let, names: Iterable[str]) -> None:
        """Lift what procedures of the interpreted program close over, if it is one, too."""
        for name in names:
            self._operands.setdefault(let, {})[name] = "%lift-code"
            self._note(name, let.span, "is a procedure, and other procedures close over it")

    def result(self, place: il.Let | il.Call) -> None:
        """Lift what an operation or a call makes."""
        self._results.add(place)
        name = place.name if type(place) is il.Let else "what is made"
        self._note(name, place.span, "is a value, and values are put into it")

    def kept_as_made(self, places: Iterable[il.Let | il.Call]) -> None:
        """Lift nothing that these make: it is put into boxes, which are lifted."""
        self._results.difference_update(places)

    def returned(self, function: il.Function) -> None:
        """Lift what a procedure gives, if it is a value."""
        for block in own_blocks(function.body):
            if type(block.tail) is not il.If and block.tail.cont == function.cont:
                self._ends.add(block.tail)
                place = block.tail.span or function.span
                self._note("what is given", place, "holds what only a run knows in other cases")

    def stop(self, stop: Stop) -> None:
        """Lift an argument of a call, or a parameter of a procedure that is made."""
        arc, name = stop
        self._note(
            name,
            arc.target.span if arc.call is None else arc.call.span,
            "grows while nothing that is static gets smaller",
        )
        if arc.call is None:
            self._variables[name] = "lift"
            return
        names = parameters(arc.target)
        number = names.index(name)
        for index in range(number, len(arc.call.arguments)):
            if type(arc.call.arguments[index]) is il.Var:
                self._calls.setdefault(arc.call, {})[index] = "lift"
            if name != arc.target.rest:
                break

    def asked(self, function: il.Function, name: str) -> None:
        """Ask which of the points that are kept a variable is (`versions.points`)."""
        self._variables[name] = "%one-of"
        self._note(
            name, function.span, "comes back from among data of the run, and says how to go on"
        )

    def kept(self, let: il.Let, point: il.Var) -> None:
        """A point is put among data of the run by an operation."""
        self._operands.setdefault(let, {})[point.name] = "%point"

    def handed(self, call: il.Call, index: int, _: il.Var) -> None:
        """A point is put among data of the run by a procedure that is called."""
        self._calls.setdefault(call, {})[index] = "%point"

    def counted(self, call: il.Call, indices: Iterable[int], variables: Iterable[str]) -> None:
        """Lift numbers that a call passes on, and those in variables that are assigned."""
        for index in indices:
            atom = call.arguments[index]
            assert type(atom) is il.Var
            self._calls.setdefault(call, {})[index] = "lift"
            self._note(atom.name, call.span, "counts with each point that is kept")
        for name in variables:
            self._before.setdefault(call, {})[name] = None
            self._note(name, call.span, "counts with each point that is kept")

    def _note(self, name: str, place: Span | None, reason: str) -> None:
        lift = Lift(name, place, reason)
        if lift not in self.lifts:
            self.lifts.append(lift)

    def stopped(self, stops: Iterable[Stop]) -> Lifts:
        """The same lifts, and these stops."""
        found = self._copied(self._program, lambda place: place)
        for stop in stops:
            found.stop(stop)
        return found

    def carried_out(self) -> Lifts:
        """Lifts to be put into the program that has these."""
        found = Lifts(self.program("%lift-value"))
        found.lifts, found._number = list(self.lifts), self._number
        return found

    def _copied(self, program: il.Program, now: Callable[[Any], Any]) -> Lifts:
        """The same lifts in a program where operations and calls are others `now`."""
        found = Lifts(program)
        found.lifts, found._variables = list(self.lifts), dict(self._variables)
        found._operands = {now(let): dict(names) for let, names in self._operands.items()}
        found._results = set(map(now, self._results))
        found._jumps = {now(jump): set(numbers) for jump, numbers in self._jumps.items()}
        found._calls = {now(call): dict(ops) for call, ops in self._calls.items()}
        found._before = {now(call): dict(names) for call, names in self._before.items()}
        found._ends = set(map(now, self._ends))
        return found

    def boxed(self, boxes: Boxes | RecordBoxes | TaggedBoxes, stops: Iterable[Stop]) -> Lifts:
        """The same lifts in a program with boxes, with these stops."""

        def now(place: Any) -> Any:
            return boxes.replaced.get(place, place)

        found = self._copied(boxes.program, now)
        for arc, name in stops:
            call = None if arc.call is None else now(arc.call)
            found.stop((replace(arc, call=call), name))
        found.opens = any(family.opens or family.holds_code for family in boxes.families)
        for family in boxes.families:
            reason = "grows, but has parts that are known"
            found.lifts.append(Lift(family.name, None, reason))
        return found

    # -- the program with them -------------------------------------------------------------------

    def program(self, of_values: str) -> il.Program:
        """The program with the lifts put in, those of values by this operation."""
        self._of_values = of_values
        return replace(self._program, items=tuple(self._item(item) for item in self._program.items))

    def _item(self, item: il.Item) -> il.Item:
        if not isinstance(item, il.Define):
            return item
        function = self._function(item.function)
        return item if function is item.function else replace(item, function=function)

    def _function(self, function: il.Function) -> il.Function:
        names = [self._outer(name) for name in parameters(function)]
        body = self._block(function.body)
        lifted = [n for n in parameters(function) if n in self._variables]
        if body is function.body and not lifted:
            return function
        outer = dict(zip(parameters(function), names, strict=True))
        lets = [
            self._let(name, outer[name], self._variables[name], function.span) for name in lifted
        ]
        body = il.Block((*lets, *body.bindings), body.tail)
        rest = None if function.rest is None else names.pop()
        return replace(function, parameters=tuple(names), rest=rest, body=body)

    def _outer(self, name: str) -> str:
        """What a parameter is called, before what it holds is lifted."""
        if name not in self._variables:
            return name
        self._number += 1
        return f"{base_name(name)}.0{self._number}"

    def _let(self, name: str, source: str, op: str, span: Span | None) -> il.Let:
        return il.Let(name, self._of_values if op == VALUE else op, (il.Var(source),), span)

    def _block(self, block: il.Block) -> il.Block:
        bindings: list[il.Binding] = []
        for binding in block.bindings:
            if type(binding) is il.Let:
                bindings += self._binding(binding)
            elif type(binding) is il.Fix:
                made = tuple(map(self._function, binding.functions))
                same = all(a is b for a, b in zip(made, binding.functions, strict=True))
                bindings.append(binding if same else replace(binding, functions=made))
            else:
                assert type(binding) is il.Conts
                bindings.append(replace(binding, conts=tuple(map(self._cont, binding.conts))))
        tail = block.tail
        if type(tail) is il.If:
            tail = replace(tail, then=self._block(tail.then), otherwise=self._block(tail.otherwise))
        elif type(tail) is il.Call:
            call = tail
            for name in self._before.get(call, ()):
                self._number += 1
                lifted = f"{base_name(name)}.0{self._number}"
                bindings.append(self._let(lifted, name, "%lift-numbers", call.span))
            if call in self._calls:
                tail = self._call(call, bindings)
            if call in self._results:
                tail = self._lifting(tail, bindings, "%lift-made")
            if call in self._ends:
                tail = self._lifting(tail, bindings, VALUE)
        else:
            jump = tail
            if jump in self._jumps:
                tail = self._jump(tail, sorted(self._jumps[jump]), bindings, "lift")
            if jump in self._ends:
                tail = self._jump(tail, range(len(tail.arguments)), bindings, self._of_values)
        return il.Block(tuple(bindings), tail)

    def _cont(self, cont: il.Cont) -> il.Cont:
        names = tuple(self._outer(name) for name in cont.parameters)
        lets = [
            self._let(name, outer, self._variables[name], cont.span)
            for name, outer in zip(cont.parameters, names, strict=True)
            if name != outer
        ]
        body = self._block(cont.body)
        body = il.Block((*lets, *body.bindings), body.tail)
        return replace(cont, parameters=names, body=body)

    def _binding(self, let: il.Let) -> list[il.Binding]:
        """An operation with what is lifted before and after it."""
        found: list[il.Binding] = []
        renamed: dict[str, str] = {}
        for name, op in sorted(self._operands.get(let, {}).items()):
            self._number += 1
            renamed[name] = f"{base_name(name)}.0{self._number}"
            found.append(self._let(renamed[name], name, op, let.span))
        arguments = tuple(
            il.Var(renamed[a.name]) if type(a) is il.Var and a.name in renamed else a
            for a in let.arguments
        )
        op = self._variables.get(let.name, "")
        if let in self._results:
            op = "%lift-made" if let.op == "%boxed" else "lift"
        if let in self._results or let.name in self._variables:
            self._number += 1
            inner = f"{base_name(let.name)}.0{self._number}"
            found.append(replace(let, name=inner, arguments=arguments))
            found.append(self._let(let.name, inner, op, let.span))
        else:
            found.append(replace(let, arguments=arguments) if renamed else let)
        return found

    def _lifting(self, call: il.Call, bindings: list[il.Binding], op: str) -> il.Call:
        """A call whose result is lifted by an operation."""
        self._number += 1
        cont, inner, outer = (f"{name}.0{self._number}" for name in ("k", "made", "lifted"))
        body = il.Block(
            (self._let(outer, inner, op, call.span),),
            il.Jump(call.cont, (il.Var(outer),), call.span),
        )
        bindings.append(il.Conts((il.Cont(cont, (inner,), body, call.span),)))
        return replace(call, cont=cont)

    def _call(self, call: il.Call, bindings: list[il.Binding]) -> il.Call:
        lifted = self._lifted(call.arguments, self._calls[call], bindings, call)
        return replace(call, arguments=lifted)

    def _jump(
        self, jump: il.Jump, numbers: Iterable[int], bindings: list[il.Binding], op: str
    ) -> il.Jump:
        ops = dict.fromkeys(numbers, op)
        lifted = self._lifted(jump.arguments, ops, bindings, jump)
        return replace(jump, arguments=lifted)

    def _lifted(
        self,
        atoms: Sequence[il.Atom],
        ops: Mapping[int, str],
        bindings: list[il.Binding],
        place: il.Jump | il.Call,
    ) -> tuple[il.Atom, ...]:
        """What a call or a jump passes on, some of it lifted by operations."""
        found = list(atoms)
        for index, op in sorted(ops.items()):
            atom = atoms[index]
            self._number += 1
            name = f"{base_name(atom.name) if type(atom) is il.Var else 'constant'}.0{self._number}"
            bindings.append(il.Let(name, op, (atom,), place.span))
            found[index] = il.Var(name)
        return tuple(found)
