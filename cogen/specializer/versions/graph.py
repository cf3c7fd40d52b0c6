"""The raw residual program: what the specializer leaves before it is cleaned.

    program   ::= functions by name, one of them the entry
    function  ::= parameters, cont, blocks by label, the label of its root block
    block     ::= parameters, body                      a memo point's code
    body      ::= (binding ... tail)                    an `il.Block`, of
    binding   ::= il.Let | il.Fix
                | il.Conts of one Cont                  the rest of the code after the
                                                        non-tail call that ends the block
    tail      ::= il.If | il.Jump | il.Call

Laws

* every name (variable, label, continuation) is bound once in the whole program;
* a block is closed: its body sees its parameters and what it binds itself; the code inside a
  Cont and inside the functions of a Fix sees what is in scope around it;
* a function's parameters are passed to the root block, all and in order; no other block sees them;
* a jump goes to a label of the same function or to the function's `cont`; a call's continuation
  is the function's `cont` or the Cont bound just before it;
* the functions of a Fix (escaping procedures) jump to their own `cont` only.

`clean` (in `passes.clean`) turns it into readable IL; `unclean` gives the same program as IL
without improving anything, to run raw code and to compare.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cogen.lang import il
from cogen.lang.datum import RecordType
from cogen.lang.errors import InternalError, Source, Span


@dataclass(slots=True, eq=False)
class RawBlock:
    """A memo point's code: a label of its function.

    `hint` is the source procedure the code came from (for naming).
    """

    label: str
    parameters: list[str]
    body: il.Block | None = None
    hint: str = ""
    span: Span | None = None


@dataclass(slots=True, eq=False)
class RawFunction:
    """A residual procedure; `entry` is the label of its root block, `results` how many values it
    returns: others than one are made one before cleaning (`passes.severalresults`)."""

    name: str
    parameters: list[str]
    cont: str
    entry: str
    blocks: dict[str, RawBlock] = field(default_factory=dict)
    hint: str = ""
    span: Span | None = None
    results: int = 1


@dataclass(frozen=True, slots=True)
class AssignedKinds:
    """What a program assigns: whether it may be pairs, and which types of records (by id)."""

    pairs: bool = True
    records: frozenset[int] | None = None
    """None if it may be any."""


@dataclass(slots=True, eq=False)
class RawProgram:
    """All residual procedures; `entry` names the one that stands for the source's entry.

    `types` are types (names as in `lang.prims`) that the specializer vouches for, by variable;
    `word_size` are the bits of a word, 64 where that is not known (such words may be anything);
    `assigned` what the program may assign; `boxes` the record types of boxes
    (`versions.families`): what reads their fields does not fail.
    """

    functions: dict[str, RawFunction]
    entry: str
    records: tuple[RecordType, ...] = ()
    source: Source | None = None
    types: dict[str, str] = field(default_factory=dict)
    word_size: int = 64
    assigned: AssignedKinds = field(default_factory=AssignedKinds)
    boxes: tuple[RecordType, ...] = ()


def body_of(block: RawBlock) -> il.Block:
    """The block's body; an `InternalError` if the specializer never filled it in."""
    if block.body is None:
        raise InternalError(f"residual block {block.label} has no body", block.span)
    return block.body


def unclean(raw: RawProgram) -> il.Program:
    """Raw residual program -> IL, as it stands: each function's blocks are one group of
    continuations that may jump to each other, entered at the root block."""
    names = [raw.entry, *(name for name in raw.functions if name != raw.entry)]
    items = tuple(_define(raw.functions[name]) for name in names)
    return il.Program(items, source=raw.source, records=raw.records)


def _define(function: RawFunction) -> il.Define:
    group = il.Conts(
        tuple(
            il.Cont(b.label, tuple(b.parameters), body_of(b), b.span, b.hint)
            for b in function.blocks.values()
        )
    )
    start = il.Jump(function.entry, tuple(il.Var(x) for x in function.parameters), function.span)
    parameters = tuple(function.parameters)
    body = il.Block((group,), start)
    return il.Define(
        function.name,
        il.Function(
            function.name, parameters, None, function.cont, body, function.span, function.hint
        ),
    )
