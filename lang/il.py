"""The IL: continuation-passing style with second-class continuations.

    program ::= (program item ...)
    item    ::= (define g (lambda (x ... [. x]) k block))   a procedure; g is never assigned
              | (value g k block)                           block jumps to k with g's value
              | (expression k block)                        block jumps to k when done
    block   ::= (binding ... tail)
    binding ::= (let x (op a ...))                          a primitive operation
              | (fix (f (x ... [. x]) k block) ...)         mutually recursive procedures
              | (conts (k (x ...) block) ...)               continuations; may jump to each other
    tail    ::= (if a block block)
              | (jump k a ...)
              | (call a (a ...) k)                          k receives the procedure's value
    a       ::= x | (quote datum) | (global g) | (prim op)

After Kennedy, "Compiling with continuations, continued" (ICFP 2007): functions map to C
functions, continuations to labels, `conts` that jump to themselves are loops.  Laws:

* every variable and continuation name is bound once in the whole program;
* a block's names are in scope in the rest of the block, continuations also in their own bodies;
* the `k` of a function, value or expression leaves it: jumping to it returns;
* `op` is a row of `lang.prims`, with the right number of arguments;
* `(global g)` reads a global that is never assigned; assigned ones are read and written by the
  operations `(global-get 'g)` and `(global-set! 'g a)`;
* a control primitive (`call/cc`, `apply`, `dcall`, ...) is called: `(call (prim call/cc) (f) k)`.

Spans and `origin` are for people: they are no part of a program's identity or its text.
"""

from __future__ import annotations

from dataclasses import field
from typing import final

from cogen.lang.datum import Datum, RecordType
from cogen.lang.errors import Source, Span
from cogen.lang.node import leaf, node
from cogen.lang.shown import counted, listed


@final
@leaf
class Var:
    name: str


@final
@node
class Const:
    value: Datum


@final
@leaf
class Global:
    name: str


@final
@leaf
class Prim:
    name: str


Atom = Var | Const | Global | Prim


@final
@node
class Block:
    bindings: tuple[Binding, ...]
    tail: Tail

    def __repr__(self) -> str:
        return f"<block of {counted(len(self.bindings), 'binding')}>"


@final
@node
class Let:
    name: str
    op: str
    arguments: tuple[Atom, ...]
    span: Span | None = None


@final
@node
class Function:
    """`name` is the variable or global it is bound to; `label` what people called it."""

    name: str
    parameters: tuple[str, ...]
    rest: str | None
    cont: str
    body: Block
    span: Span | None = None
    label: str = ""


@final
@node
class Fix:
    functions: tuple[Function, ...]
    span: Span | None = None


@final
@node
class Cont:
    """A continuation; `label` names the loop or join for people (usually the source procedure)."""

    name: str
    parameters: tuple[str, ...]
    body: Block
    span: Span | None = None
    label: str = ""


@final
@node
class Conts:
    conts: tuple[Cont, ...]


@final
@node
class If:
    test: Atom
    then: Block
    otherwise: Block
    span: Span | None = None


@final
@node
class Jump:
    cont: str
    arguments: tuple[Atom, ...]
    span: Span | None = None


@final
@node
class Call:
    """`returned` is the call whose value this one's is, where a pass has put code that ends in
    this call in that one's place."""

    function: Atom
    arguments: tuple[Atom, ...]
    cont: str
    span: Span | None = None
    returned: Span | None = None


Binding = Let | Fix | Conts
Tail = If | Jump | Call


@final
@node
class Define:
    name: str
    function: Function


@final
@node
class Value:
    name: str
    cont: str
    body: Block
    span: Span | None = None


@final
@node
class Expression:
    cont: str
    body: Block
    span: Span | None = None


Item = Define | Value | Expression


@node
class Program:
    """Items in evaluation order; `assigned` are the globals read with `global-get`; `named` are
    buffers among the constants, and what messages about them call them."""

    items: tuple[Item, ...]
    assigned: frozenset[str] = frozenset()
    source: Source | None = None
    own_globals: frozenset[str] = field(default=frozenset())
    records: tuple[RecordType, ...] = ()
    named: tuple[tuple[Datum, str], ...] = ()
    digest: str = field(default="", compare=False, repr=False)
    """Tells programs apart that the store keeps (`cogen.kept_programs`); empty for others."""

    def __repr__(self) -> str:
        name = "program" if self.source is None else f"program {self.source.name}"
        own = self.own_globals
        items = (item.name for item in self.items if isinstance(item, Define | Value))
        return f"<{name}: {listed([item for item in items if not own or item in own])}>"
