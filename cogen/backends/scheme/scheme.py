"""IL -> Scheme for people: direct style, read back by `lang.reader` and meaning the same.

    direct     IL -> core, one binding for each operation      (cogen.backends.direct.direct)
    tidy       core -> core, nested expressions                (cogen.backends.direct.tidy)
    unparse    core -> trees of words, names chosen            (cogen.backends.scheme.unparse)
    pretty     trees -> indented text                          (lang.pretty)

Law: running `emit(p)` does and gives what running `p` does and gives, effects in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from cogen.backends.direct.direct import DirectTranslator
from cogen.backends.direct.logic import BINDERS, bound_variables, parts
from cogen.backends.direct.tidy import tidy
from cogen.backends.scheme.unparse import KEYWORDS, Unparse
from cogen.backends.scheme.unparsing import RecordNames, fresh
from cogen.lang import core, il
from cogen.lang.collector import collector_paused
from cogen.lang.datum import NIL, Datum, Pair, RecordType, symbol
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import Span
from cogen.lang.iltext import is_compound
from cogen.lang.ilutil import base_name
from cogen.lang.marks import NOWHERE, Marked, TextMark, joined, places_of
from cogen.lang.prelude import in_prelude
from cogen.lang.pretty import TextComment, TextForm, Tree, marked
from cogen.lang.printer import write_symbol
from cogen.lang.reader import read_datum

SHARED_NAME = "constant"
"""What a compound constant that stands at several places is called."""


def emit(program: il.Program, header: Sequence[str] = ()) -> str:
    """The program as Scheme text; the lines of `header` stand above it as comments.

    Raises LimitationError for a constant that cannot be written (a procedure, a buffer).
    """
    return emit_marked(program, header).text


def emit_marked(program: il.Program, header: Sequence[str] = ()) -> Marked:
    """The same text, with the places that its forms were made of; the form that defines a
    procedure says its name."""
    with collector_paused():
        return on_deep_stack(_emit, program, header)


@dataclass(slots=True)
class _Records:
    """Where the procedures of a record type are in the program."""

    uses: set[tuple[str, int]] = field(default_factory=set)
    """(operation, field) for every operation on the type; field -1 where there is none."""
    wrappers: dict[tuple[str, int], str] = field(default_factory=dict)
    """The globals that are just such an operation."""


def _emit(program: il.Program, header: Sequence[str]) -> Marked:
    direct = DirectTranslator(program, for_people=True)
    forms: list[core.DefineForm | core.ExpressionForm] = []
    for item in program.items:
        if is_in_prelude(item):
            continue
        form = direct.item(item)
        value = tidy(form.value, program.assigned)
        if isinstance(form, core.DefineForm):
            forms.append(core.DefineForm(form.name, value, form.span))
        else:
            forms.append(core.ExpressionForm(value, form.span))
    return _write(forms, program.assigned, header)


def is_in_prelude(item: il.Item) -> bool:
    """Whether the language itself defines the procedure, under that name: who reads the text has
    it.  A residual procedure of one of the prelude's may have another's name, and fewer parameters:
    one of `(list . items)` takes the list of its arguments."""
    span = item.function.span if isinstance(item, il.Define) else None
    if span is None or not in_prelude(span):
        return False
    from cogen.lang.expand import prelude

    assert isinstance(item, il.Define)
    place = prelude().defined_at.get(symbol(item.name))
    if place is None or not span.start <= place.start < span.end:
        return False
    function = item.function
    return (len(function.parameters), function.rest is not None) == _interface(span)


@cache
def _interface(span: Span) -> tuple[int, bool]:
    """How many parameters the definition at a place of the prelude has, and if it takes a rest."""
    datum = read_datum(span.source.text[span.start : span.end])
    assert isinstance(datum, Pair)
    head, count = datum.cdr.car.cdr, 0
    while isinstance(head, Pair):
        head, count = head.cdr, count + 1
    return count, head is not NIL


def _write(
    forms: list[core.DefineForm | core.ExpressionForm],
    assigned: frozenset[str],
    header: Sequence[str],
) -> Marked:
    taken = {form.name for form in forms if isinstance(form, core.DefineForm)}
    everything = [parts(form.value) for form in forms]
    primitives = {
        expr.name for inside in everything for expr in inside if type(expr) is core.PrimRef
    }
    literals = [expr for inside in everything for expr in inside if type(expr) is core.ConstForm]
    shared = _shared_constants(everything, literals, not primitives.isdisjoint(IDENTITY))
    if any(_parts_among(datum.value, {id(s): s for s in shared}) for datum in literals):
        primitives.add("cons")  # what they are made with
    taken = taken | primitives | KEYWORDS
    global_names: dict[str, str] = {}
    for form in forms:
        if isinstance(form, core.DefineForm) and form.name in primitives | KEYWORDS:
            global_names[form.name] = fresh(form.name, taken)
            taken.add(global_names[form.name])
    constants: dict[int, str] = {}
    for datum in shared:
        constants[id(datum)] = fresh(SHARED_NAME, taken)
        taken.add(constants[id(datum)])
    used = _records(forms, everything, literals, assigned)
    wrappers = {name for record in used.values() for name in record.wrappers.values()}
    records = {record: _record_names(record, uses, taken) for record, uses in used.items()}
    has_list = "cons" in primitives and not _has_name(forms, everything, records, "list")
    unparse = Unparse(global_names, records, constants, has_list)
    chunks: list[list[Tree]] = [[TextComment(line) for line in header]] if header else []
    chunks += [[_record_definition(record, names)] for record, names in records.items()]
    chunks += [
        [TextForm(["define", write_symbol(constants[id(datum)]), unparse.compound(datum)])]
        for datum in shared
    ]
    texts = [_chunk(chunk) for chunk in chunks]
    for form, inside in zip(forms, everything, strict=True):
        if isinstance(form, core.ExpressionForm) or form.name not in wrappers:
            texts.append(_procedure(form, unparse.top_level(form, inside)))
    whole = joined("\n\n", texts)
    return Marked(whole.text + "\n", whole.marks) if texts else whole


def _chunk(trees: list[Tree]) -> Marked:
    """Trees below each other."""
    return joined("\n", map(marked, trees))


def _procedure(form: core.DefineForm | core.ExpressionForm, trees: list[Tree]) -> Marked:
    """A form of the program; the mark around a definition says what it defines."""
    made = _chunk(trees)
    if isinstance(form, core.ExpressionForm):
        return made
    start = len(made.text) - len(marked(trees[-1]).text)
    inside = [mark for mark in made.marks if (mark.start, mark.end) != (start, len(made.text))]
    places = places_of(None if form.span is NOWHERE else form.span)
    around = TextMark(start, len(made.text), places, form.name)
    return Marked(made.text, (*inside, around))


def _has_name(
    forms: list[core.DefineForm | core.ExpressionForm],
    everything: list[list[core.Expr]],
    records: dict[RecordType, RecordNames],
    name: str,
) -> bool:
    """May the text define or bind the name?"""
    if any(isinstance(form, core.DefineForm) and form.name == name for form in forms):
        return True
    if any(name in names.all() for names in records.values()):
        return True
    return any(
        base_name(variable.name) == name
        for inside in everything
        for expr in inside
        if type(expr) in BINDERS
        for variable in bound_variables(expr)
    )


# Constants


def _shared_constants(
    everything: list[list[core.Expr]], constants: list[core.ConstForm], has_identity: bool
) -> list[Datum]:
    """The compound constants that stand at several places where their identity may matter; if it
    does, those in other constants too.  Those within others come first."""
    count: Counter[int] = Counter()
    found: dict[int, Datum] = {}
    if not any(is_compound(expr.value) for expr in constants):
        return []
    for inside in everything:
        for expr in inside:
            if type(expr) is core.ConstForm and is_compound(expr.value):
                count[id(expr.value)] += 1
                found.setdefault(id(expr.value), expr.value)
    if not has_identity:
        return [datum for key, datum in found.items() if count[key] > 1]
    inner: dict[int, Datum] = {}
    for datum in found.values():
        for part in _parts_among(datum, found):
            count[id(part)] += 1
            inner[id(part)] = part
    ordered = [*_inner_first(inner, found), *(d for k, d in found.items() if k not in inner)]
    return [datum for datum in ordered if count[id(datum)] > 1]


def _parts_among(datum: Datum, constants: dict[int, Datum]) -> list[Datum]:
    """The parts of a constant that are constants themselves, by identity; not theirs."""
    work = [datum.car, datum.cdr] if type(datum) is Pair else []
    found: list[Datum] = []
    while work:
        part = work.pop()
        if type(part) is Pair:
            if id(part) in constants:
                found.append(part)
            else:
                work += [part.car, part.cdr]
    return found


def _inner_first(inner: dict[int, Datum], constants: dict[int, Datum]) -> Iterator[Datum]:
    """Constants that are parts of others, each after those that are parts of it."""
    done: set[int] = set()
    work = [(datum, False) for datum in inner.values()]
    while work:
        datum, ready = work.pop()
        if ready:
            yield datum
        elif id(datum) not in done:
            done.add(id(datum))
            work.append((datum, True))
            work += [(part, False) for part in _parts_among(datum, constants)]


IDENTITY: Final = frozenset({"eq?", "eqv?", "memq", "memv", "assq", "assv"})
"""Operations that tell which of two equal pairs something is."""


# Records


def _records(
    forms: list[core.DefineForm | core.ExpressionForm],
    everything: list[list[core.Expr]],
    constants: list[core.ConstForm],
    assigned: frozenset[str],
) -> dict[RecordType, _Records]:
    """The record types that the program uses, and how."""
    found: dict[RecordType, _Records] = {}
    if not any(type(expr.value) is RecordType for expr in constants):
        return found
    for form, inside in zip(forms, everything, strict=True):
        for expr in inside:
            if type(expr) is core.ConstForm and isinstance(expr.value, RecordType):
                found.setdefault(expr.value, _Records())
            elif type(expr) is core.CallForm:
                _note_use(expr, found)
        if isinstance(form, core.DefineForm) and form.name not in assigned:
            _note_wrapper(form, found)
    return found


def _note_use(call: core.CallForm, found: dict[RecordType, _Records]) -> None:
    """Remember a call of an operation on a record type."""
    if type(call.function) is not core.PrimRef or not call.arguments:
        return
    first, *rest = call.arguments
    if type(first) is not core.ConstForm or not isinstance(first.value, RecordType):
        return
    op = call.function.name
    index = -1
    if op in ("record-ref", "record-set!") and rest and type(rest[0]) is core.ConstForm:
        index = rest[0].value
    found.setdefault(first.value, _Records()).uses.add((op, index))


def _note_wrapper(form: core.DefineForm, found: dict[RecordType, _Records]) -> None:
    """Remember a definition that does no more than `define-record-type` would define."""
    match form.value:
        case core.LambdaForm(
            parameters,
            None,
            core.CallForm(core.PrimRef(op), (core.ConstForm(RecordType() as record), *rest)),
        ):
            index = -1
            if op in ("record-ref", "record-set!"):
                first = rest.pop(0) if rest else None
                if not isinstance(first, core.ConstForm) or type(first.value) is not int:
                    return
                index = first.value
            elif op not in ("make-record", "record-is?"):
                return
            passed = [expr.variable for expr in rest if isinstance(expr, core.LocalRef)]
            if len(passed) == len(rest) and passed == list(parameters):
                found[record].wrappers.setdefault((op, index), form.name)


def _record_names(record: RecordType, used: _Records, taken: set[str]) -> RecordNames:
    """Names for the procedures of a record type: the program's own ones, else the usual ones."""

    def name(key: tuple[str, int], usual: str) -> str:
        given = used.wrappers.get(key)
        if given is None:
            given = fresh(usual, taken)
            taken.add(given)
        return given

    shown = fresh(record.name, taken)
    taken.add(shown)
    names = RecordNames(
        shown, name(("make-record", -1), f"make-{shown}"), name(("record-is?", -1), f"{shown}?")
    )
    for index, field_name in enumerate(record.fields):
        names.accessors[index] = name(("record-ref", index), f"{shown}-{field_name}")
        key = ("record-set!", index)
        if key in used.uses or key in used.wrappers:
            names.modifiers[index] = name(key, f"set-{shown}-{field_name}!")
    return names


def _record_definition(record: RecordType, names: RecordNames) -> Tree:
    fields: list[Tree] = []
    for index, field_name in enumerate(record.fields):
        words = [field_name, names.accessors[index]]
        if index in names.modifiers:
            words.append(names.modifiers[index])
        fields.append(TextForm([write_symbol(word) for word in words]))
    constructor = TextForm([write_symbol(word) for word in (names.constructor, *record.fields)])
    name, predicate = write_symbol(names.name), write_symbol(names.predicate)
    return TextForm(["define-record-type", name, constructor, predicate, *fields], 1)
