"""il.Program -> Python text that makes the same program again.

One statement for each block, procedure and continuation, the inner ones first, so that neither the
text nor its execution nests deeper than one block; `b3`, `f2`, `k5` are their names for the rest of
the generating extension.  Spans are kept, with the text of their sources, and so is the identity of
constants: one object that stands at several places is made once.

Law: executing the text gives a program with the same IL text, labels and spans.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Final

from cogen.lang import datum as data
from cogen.lang import il
from cogen.lang.errors import LimitationError, Source, Span
from cogen.lang.ilutil import blocks, item_block
from cogen.lang.prelude import PRELUDE, prelude_source

_SPECIAL: Final[Mapping[int, str]] = {
    id(data.NIL): "NIL",
    id(data.UNSPECIFIED): "UNSPECIFIED",
    id(data.EOF): "EOF",
    id(data.DEFAULT): "DEFAULT",
    id(data.UNDEFINED): "UNDEFINED",
}


class Image:
    """The text of a program: `lines`, and the names it gives."""

    def __init__(self, program: il.Program) -> None:
        self.program = program
        self.lines: list[str] = []
        self.blocks: dict[il.Block, str] = {}
        self.functions: dict[il.Function, str] = {}
        self.conts: dict[il.Cont, str] = {}
        self._sources: dict[int, str] = {}
        self._constants: dict[int, str] = {}
        self._kept: list[object] = []
        for record in program.records:
            self._record(record)
        for item in program.items:
            for block in reversed(list(blocks(item_block(item)))):
                self._block(block)
            if isinstance(item, il.Define):
                self._function(item.function)
        items = ", ".join(map(self._item, program.items))
        source = "None" if program.source is None else self._source(program.source)
        self.put(
            f"PROGRAM = Program(({items},), frozenset({sorted(program.assigned)!r}), {source}, "
            f"frozenset({sorted(program.own_globals)!r}), "
            f"({''.join(self._record(record) + ', ' for record in program.records)}))"
        )

    def put(self, line: str) -> None:
        self.lines.append(line)

    # -- program ---------------------------------------------------------------------------------

    def _item(self, item: il.Item) -> str:
        if isinstance(item, il.Define):
            return f"Define({item.name!r}, {self.functions[item.function]})"
        parts = [repr(item.cont), self.blocks[item.body], self.span(item.span)]
        if isinstance(item, il.Value):
            return f"Value({item.name!r}, {', '.join(parts)})"
        return f"Expression({', '.join(parts)})"

    def _block(self, block: il.Block) -> None:
        bindings = "".join(self._binding(binding) + ", " for binding in block.bindings)
        tail = self._tail(block.tail)
        name = self.blocks[block] = f"b{len(self.blocks)}"
        self.put(f"{name} = Block(({bindings}), {tail})")

    def _binding(self, binding: il.Binding) -> str:
        if isinstance(binding, il.Let):
            return (
                f"Let({binding.name!r}, {binding.op!r}, {self._atoms(binding.arguments)}, "
                f"{self.span(binding.span)})"
            )
        if isinstance(binding, il.Fix):
            names = "".join(self._function(function) + ", " for function in binding.functions)
            return f"Fix(({names}), {self.span(binding.span)})"
        return f"Conts(({''.join(self._cont(cont) + ', ' for cont in binding.conts)}))"

    def _function(self, function: il.Function) -> str:
        name = self.functions[function] = f"f{len(self.functions)}"
        self.put(
            f"{name} = Function({function.name!r}, {function.parameters!r}, {function.rest!r}, "
            f"{function.cont!r}, {self.blocks[function.body]}, {self.span(function.span)}, "
            f"{function.label!r})"
        )
        return name

    def _cont(self, cont: il.Cont) -> str:
        name = self.conts[cont] = f"k{len(self.conts)}"
        self.put(
            f"{name} = Cont({cont.name!r}, {cont.parameters!r}, {self.blocks[cont.body]}, "
            f"{self.span(cont.span)}, {cont.label!r})"
        )
        return name

    def _tail(self, tail: il.Tail) -> str:
        if isinstance(tail, il.If):
            return (
                f"If({self.atom(tail.test)}, {self.blocks[tail.then]}, "
                f"{self.blocks[tail.otherwise]}, {self.span(tail.span)})"
            )
        arguments = self._atoms(tail.arguments)
        if isinstance(tail, il.Jump):
            return f"Jump({tail.cont!r}, {arguments}, {self.span(tail.span)})"
        return (
            f"Call({self.atom(tail.function)}, {arguments}, {tail.cont!r}, {self.span(tail.span)})"
        )

    def _atoms(self, atoms: tuple[il.Atom, ...]) -> str:
        return f"({''.join(self.atom(atom) + ', ' for atom in atoms)})"

    def atom(self, atom: il.Atom) -> str:
        """The expression of an atom."""
        if isinstance(atom, il.Const):
            return f"Const({self.constant(atom.value)})"
        return f"{type(atom).__name__}({atom.name!r})"

    # -- data --------------------------------------------------------------------------------------

    def constant(self, datum: data.Datum) -> str:
        """The expression of a constant; one with an identity is made once and has a name."""
        kind = type(datum)
        if kind is int or kind is bool:
            return repr(datum)
        if kind is float:
            return f"float({repr(datum)!r})"
        if kind is data.Symbol:
            return f"symbol({datum.name!r})"
        if kind is data.Char:
            return f"Char({datum.value!r})"
        special = _SPECIAL.get(id(datum))
        if special is not None:
            return special
        found = self._constants.get(id(datum))
        return found if found is not None else self._compound(datum)

    def _compound(self, datum: data.Datum) -> str:
        """A constant made of parts: those first, without recursion along lists."""
        work: list[tuple[data.Datum, bool]] = [(datum, False)]
        while work:
            value, ready = work.pop()
            if id(value) in self._constants:
                continue
            parts = _parts(value)
            if not ready and parts:
                work.append((value, True))
                work.extend((part, False) for part in parts if _has_name(part))
                continue
            if type(value) is data.Pair:
                text = f"Pair({self.constant(value.car)}, {self.constant(value.cdr)})"
            elif type(value) is list:
                text = f"[{', '.join(map(self.constant, value))}]"
            elif type(value) in (str, bytes, bytearray):
                text = repr(value)
            elif type(value) is data.RecordType:
                text = f"RecordType({value.name!r}, {value.fields!r})"
            else:
                raise LimitationError(
                    f"a constant of the program ({type(value).__name__}) cannot be written to a "
                    "generating extension"
                )
            name = self._constants[id(value)] = f"c{len(self._constants)}"
            self._kept.append(value)
            self.put(f"{name} = {text}")
        return self._constants[id(datum)]

    def _record(self, record: data.RecordType) -> str:
        return self.constant(record)

    # -- places ------------------------------------------------------------------------------------

    def span(self, span: Span | None) -> str:
        """The expression of a place."""
        if span is None:
            return "None"
        part = "" if span.operation is None else f".part_of({span.operation!r})"
        return f"Span({self._source(span.source)}, {span.start}, {span.end}){part}"

    def _source(self, source: Source) -> str:
        name = self._sources.get(id(source))
        if name is None:
            name = self._sources[id(source)] = f"t{len(self._sources)}"
            self._kept.append(source)
            made = f"Source({source.name!r}, {source.text!r}, library={source.library!r})"
            if source.name == PRELUDE:
                made = f"prelude({fingerprint(source.text)!r})"
            self.put(f"{name} = {made}")
        return name


def _parts(value: data.Datum) -> list[data.Datum]:
    if type(value) is data.Pair:
        return [value.car, value.cdr]
    return list(value) if type(value) is list else []


def _has_name(datum: data.Datum) -> bool:
    return type(datum) in (data.Pair, list, str, bytes, bytearray, data.RecordType)


def fingerprint(text: str) -> str:
    """A short name of a text's content."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def prelude(expected: str) -> Source:
    """The text of the installed prelude, which the extension's program was made with.

    LimitationError if it is another one.
    """
    source = prelude_source()
    if fingerprint(source.text) != expected:
        raise LimitationError(
            "this generating extension was made by another version of cogen",
            hint="make it again with `cogen generate`",
        )
    return source
