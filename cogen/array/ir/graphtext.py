"""The array graph as text, and the text as a graph: `read(write(module))` is the module again.

    text     ::= (module function function ...)        the entry first
    function ::= (function "name" span sizes result-sizes effectful (names "a" ...)
                   (layouts value ...) layout node ... (results type ...) block)
    node     ::= (parameter n "name" type unique)      n stands for the node from here on
               | (constant n value type)
               | (n Class (attribute ...) (operand ...) part ...)
    part     ::= (certs n ...) | (blocks block ...) | (results type ...) | (standing) | (at span)
               | (type type)                   of a Concat, whose size rules have written
    block    ::= (block token (parameter ...) (effect ...) (result ...))
    result   ::= n | stream                    of the body of a Multiloop
    stream   ::= (emit n ...) | (elements n ...) | (when n stream)
    value    ::= "text" | 7 | true | false | none | (real "0x1p+0") | (tuple value ...) | span
               | (scalar int 64) | (array (scalar int 64) size ...) | (basic "int")
               | (rows value unique) | (parts value ...) | (generator Class value ...)
    size     ::= n | (own 0)
    span     ::= (span start end) | none

All nodes of a function are listed, each after what it depends on; which block one belongs to
follows from that, as in the graph.  `cogen.array.schedule.showschedule` has the text for people.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

from cogen.array.ir import graphtypes as graph_types
from cogen.array.ir.generators import (
    Elements,
    Emit,
    Generator,
    StreamValue,
    When,
)
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphwalk import all_blocks, all_nodes, reachable
from cogen.array.ir.node import (
    Block,
    Concat,
    Function,
    Module,
    Node,
    Parameter,
    sizes_in,
)
from cogen.array.l0 import types as layouts
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.lang.errors import CogenError, Source, Span

Form = str | list["Form"]

_TOKEN: Final = re.compile(r'\s*([()]|"(?:[^"\\]|\\.)*"|[^\s()"]+)')
_WORDS: Final = {"true": True, "false": False, "none": None}


def _kinds(base: type) -> dict[str, type]:
    """The classes derived from one, by their names."""
    found: dict[str, type] = {}
    kind: type
    for kind in base.__subclasses__():
        found |= {kind.__name__: kind} | _kinds(kind)
    return found


_NODES: Final = _kinds(Node)
_GENERATORS: Final = _kinds(Generator)


def write(module: Module, graph: Graph) -> str:
    """The text of a module of a graph."""
    functions = [module.entry, *module.functions.values()]
    return (
        _text(["module", *[_GraphWriter(graph).function(function) for function in functions]], 0)
        + "\n"
    )


def _text(form: Form, depth: int) -> str:
    """A form, the parts of modules and functions on lines of their own."""
    if isinstance(form, str):
        return form
    if form and form[0] in ("module", "function"):
        pad = "\n" + "  " * (depth + 1)
        return f"({form[0]}" + "".join([pad + _text(part, depth + 1) for part in form[1:]]) + ")"
    return f"({' '.join([_text(part, depth) for part in form])})"


class _GraphWriter:
    """Writes one function."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.names: dict[Node, str] = {}

    def function(self, function: Function) -> Form:
        body = function.body
        sizes = sizes_in(*function.results)
        nodes = {*all_nodes(body), *reachable(sizes)}
        for block in all_blocks(body):
            nodes.update(block.binds)
        listed = [self.node(node) for node in sorted(nodes, key=lambda node: node.number)]
        head: list[Form] = [
            "function", json.dumps(function.name), self.value(function.span), str(function.sizes),
            str(function.result_sizes), self.value(function.effectful),
            ["names", *map(json.dumps, function.parameter_names)],
            ["layouts", *map(self.value, function.parameter_layouts)],
            self.value(function.result_layout),
        ]  # fmt: skip
        return [*head, *listed, ["results", *map(self.value, function.results)], self.block(body)]

    def node(self, node: Node) -> Form:
        name = self.names[node] = f"n{len(self.names) + 1}"
        if isinstance(node, Parameter):
            shown = [json.dumps(node.name), self.value(node.type), self.value(node.unique)]
            return ["parameter", name, *shown]
        if node.is_known:
            return ["constant", name, self.value(node.known), self.value(node.type)]
        form: list[Form] = [
            name, type(node).__name__, [self.value(value) for value in node.attributes],
            self.all(node.operands),
        ]  # fmt: skip
        if node.certs:
            form.append(["certs", *self.all(node.certs)])
        if node.blocks:
            form.append(["blocks", *map(self.block, node.blocks)])
        if node.says_results:
            form.append(["results", *map(self.value, node.results)])
        if isinstance(node, Concat):
            form.append(["type", self.value(node.type)])
        if node in self.graph.standing:
            form.append(["standing"])
        if node in self.graph.spans:
            form.append(["at", self.value(self.graph.spans[node])])
        return form

    def block(self, block: Block) -> Form:
        results = [self.stream(stream) for stream in block.streams] or self.all(block.results)
        parts = (block.parameters, block.effects)
        return ["block", self.names[block.token], *map(self.all, parts), results]

    def stream(self, stream: StreamValue) -> Form:
        if isinstance(stream, When):
            return ["when", self.names[stream.condition], self.stream(stream.stream)]
        return ["elements" if stream.spread else "emit", *self.all(stream.taken)]

    def all(self, nodes: Sequence[Node]) -> list[Form]:
        return [self.names[node] for node in nodes]

    def value(self, value: object) -> Form:
        """An attribute, a type, a place."""
        match value:
            case None:
                return "none"
            case bool():
                return "true" if value else "false"
            case int():
                return str(value)
            case float():
                return ["real", json.dumps(value.hex())]
            case str():
                return json.dumps(value)
            case tuple():
                return ["tuple", *map(self.value, value)]
            case Span(start=start, end=end):
                return ["span", str(start), str(end)]
            case graph_types.ScalarType(kind, bits):
                return ["scalar", kind, str(bits)]
            case graph_types.GraphArray(element, shape):
                return ["array", self.value(element), *map(self.size, shape)]
            case layouts.PackedElements(_, layout):
                return ["packed", self.value(layout)]
            case layouts.Basic(name):
                return ["basic", json.dumps(name)]
            case layouts.ArrayType(element, unique):
                return ["rows", self.value(element), self.value(unique)]
            case layouts.NamedTupleType(parts, name=name, names=names):
                return ["record", self.value(name), self.value(names), *map(self.value, parts)]
            case layouts.UnionType(name=name, cases=cases):
                found = [tuple(zip(case.fields, case.types, strict=True)) for case in cases]
                named = zip(cases, found, strict=True)
                return ["union", self.value(name), *[self.value((c.name, f)) for c, f in named]]
            case layouts.TupleType(parts):
                return ["parts", *map(self.value, parts)]
            case Generator():
                given = [self.value(getattr(value, f.name)) for f in fields(value) if f.init]
                return ["generator", type(value).__name__, *given]
        raise CogenError(f"there is no text for {value!r}")

    def size(self, size: graph_types.Dimension) -> Form:
        if isinstance(size, graph_types.Own):
            return ["own", str(size.index), *([str(size.more)] if size.more else [])]
        assert isinstance(size, Node)
        return self.names[size]


def read(
    text: str, source: Source | None = None, arithmetic: Arithmetic = WIDE
) -> tuple[Graph, Module]:
    """The graph and the module of a text; places are in the source, if it is given.

    No rules simplify what is read.  CogenError where the text is none.
    """
    form = _parsed(text)
    if not isinstance(form, list) or not form or form[0] != "module":
        raise CogenError("the text of a graph begins with (module")
    graph = Graph(arithmetic=arithmetic)
    places = source or Source("<graph>", "")
    try:
        functions = [_GraphReader(graph, places).function(_list(part)) for part in form[1:]]
        entry, *others = functions
    except (ValueError, LookupError, TypeError) as error:  # too few or too many parts of a form
        raise CogenError(f"the text of a graph is not well-formed: {error}") from None
    return graph, Module(entry, {function.name: function for function in others})


def _parsed(text: str) -> Form:
    stack: list[list[Form]] = [[]]
    for match in _TOKEN.finditer(text.rstrip()):
        token = match[1]
        if token == "(":
            stack.append([])
        elif token != ")":
            stack[-1].append(token)
        elif len(stack) > 1:
            done = stack.pop()
            stack[-1].append(done)
        else:
            raise CogenError("the text of a graph has a parenthesis too many")
    if len(stack) != 1 or len(stack[0]) != 1:
        raise CogenError("the text of a graph ends too early")
    return stack[0][0]


def _list(form: Form) -> list[Form]:
    if isinstance(form, str):
        raise CogenError(f"the text of a graph has `{form}` in place of a form")
    return form


def _word(form: Form) -> str:
    if not isinstance(form, str):
        raise CogenError("the text of a graph has a form in place of a word")
    return form


class _GraphReader:
    """Reads one function."""

    def __init__(self, graph: Graph, source: Source) -> None:
        self.graph = graph
        self.source = source
        self.nodes: dict[str, Node] = {}

    def function(self, form: list[Form]) -> Function:
        _, name, span, sizes, result_sizes, effectful, names, given, layout, *rest = form
        *nodes, results, body = rest
        for node in nodes:
            self.define(_list(node))
        return Function(
            self.value(name), self.block(body), self.value(sizes), self.value(result_sizes),
            tuple(map(self.value, _list(results)[1:])), tuple(map(self.value, _list(names)[1:])),
            tuple(map(self.value, _list(given)[1:])), self.value(layout), self.value(span),
            self.value(effectful),
        )  # fmt: skip

    def define(self, form: list[Form]) -> None:
        """A node by its name."""
        graph = self.graph
        if form[0] == "parameter":
            _, name, called, t, unique = form
            made: Node = graph.parameter(self.value(called), self.value(t), self.value(unique))
        elif form[0] == "constant":
            _, name, value, t = form
            made = graph.constant(self.value(value), self.value(t))
        else:
            name, kind, attributes, operands, *rest = form
            made = self.made(_word(kind), _list(attributes), _list(operands), rest)
        self.nodes[_word(name)] = made

    def made(
        self, kind: str, attributes: list[Form], operands: list[Form], rest: Sequence[Form]
    ) -> Node:
        if kind not in _NODES:
            raise CogenError(f"the text of a graph has a node `{kind}`, which is none")
        parts = {_word(_list(part)[0]): _list(part)[1:] for part in rest}
        blocks = tuple([self.block(block) for block in parts.get("blocks", [])])
        results = tuple([self.value(t) for t in parts.get("results", [])])
        made = self.graph.make(
            _NODES[kind], tuple(map(self.value, attributes)), self.all(operands),
            self.all(parts.get("certs", [])), blocks, results,
        )  # fmt: skip
        if "type" in parts:
            made.type = self.value(parts["type"][0])
        if "standing" in parts:
            self.graph.standing.add(made)
        if "at" in parts:
            self.graph.spans[made] = self.value(parts["at"][0])
        return made

    def block(self, form: Form) -> Block:
        _, token, parameters, effects, results = _list(form)
        bound = [self.node(token), *self.all(_list(parameters))]
        first, *others = [node for node in bound if isinstance(node, Parameter)]
        if len(bound) != len(others) + 1:
            raise CogenError("the text of a graph has a block that binds what is no parameter")
        given = _list(results)
        streams = tuple([self.stream(form) for form in given if isinstance(form, list)])
        nodes = self.all([form for form in given if isinstance(form, str)])
        return Block(first, tuple(others), self.all(_list(effects)), nodes, streams)

    def stream(self, form: list[Form]) -> StreamValue:
        word, *parts = form
        match word:
            case "emit":
                return Emit(self.all(parts))
            case "elements":
                return Elements(self.all(parts))
            case "when":
                condition, inner = parts
                stream = self.stream(_list(inner))
                if not isinstance(stream, When):
                    return When(self.node(condition), stream)
        raise CogenError(f"the text of a graph has a stream `{word}`, which is none")

    def all(self, forms: Sequence[Form]) -> tuple[Node, ...]:
        return tuple([self.node(form) for form in forms])

    def node(self, form: Form) -> Node:
        found = self.nodes.get(_word(form))
        if found is None:
            raise CogenError(f"the text of a graph uses {form} before it is there")
        return found

    def value(self, form: Form) -> Any:
        if isinstance(form, str):
            if form in _WORDS:
                return _WORDS[form]
            try:
                return json.loads(form) if form.startswith('"') else int(form)
            except ValueError:
                raise CogenError(f"the text of a graph has `{form}` in place of a value") from None
        word, *parts = form
        reader = _VALUES.get(_word(word))
        if reader is None:
            raise CogenError(f"the text of a graph has a value `{word}`, which is none")
        return reader(self, parts)

    def size(self, form: Form) -> graph_types.Dimension:
        if isinstance(form, list):
            return graph_types.Own(*map(self.value, form[1:]))
        return self.node(form)


_VALUES: Final[Mapping[str, Callable[[_GraphReader, list[Form]], Any]]] = {
    "real": lambda r, parts: float.fromhex(r.value(parts[0])),
    "tuple": lambda r, parts: tuple(map(r.value, parts)),
    "span": lambda r, parts: Span(r.source, *map(r.value, parts)),
    "scalar": lambda r, parts: graph_types.ScalarType(_word(parts[0]), r.value(parts[1])),
    "array": lambda r, parts: graph_types.GraphArray(
        r.value(parts[0]), tuple(map(r.size, parts[1:]))
    ),
    "basic": lambda r, parts: layouts.Basic(r.value(parts[0])),
    "packed": lambda r, parts: layouts.packed_array(r.value(parts[0])).element,
    "rows": lambda r, parts: layouts.ArrayType(*map(r.value, parts)),
    "parts": lambda r, parts: layouts.TupleType(tuple(map(r.value, parts))),
    "record": lambda r, parts: layouts.NamedTupleType(
        tuple(map(r.value, parts[2:])), r.value(parts[0]), r.value(parts[1])
    ),
    "union": lambda r, parts: layouts.union_type(r.value(parts[0]), tuple(map(r.value, parts[1:]))),
    "generator": lambda r, parts: _GENERATORS[_word(parts[0])](*map(r.value, parts[1:])),
}
