"""What variables may hold, for `advice.flow`: tokens, and what tests ask about them.

See the list of tokens there.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass, field
from typing import Any, Final

from cogen import binding_times
from cogen.kinds import EQUALITIES
from cogen.lang import il
from cogen.lang.datum import NIL, Pair, RecordType, Symbol
from cogen.lang.ilutil import all_blocks
from cogen.specializer.programs.mutation import find_mutations

DATA: Final = "data"
UNKNOWN: Final = "unknown"
GROUND: Final = "ground"
NULL: Final = "null"
NUMBER: Final = "number"
TRUTH: Final = "truth"


Context = tuple[int, ...]
"""The places of calls that led here, the last ones, by identity."""

Token = Any


class Slot:
    """A place that holds values: a variable, or a part of what is made; what it holds flows on."""

    __slots__ = ("next", "tokens", "watchers")

    def __init__(self) -> None:
        self.tokens: set[Any] = set()
        self.next: list[Slot] = []
        self.watchers: list[Callable[[Any], None]] = []


@dataclass(eq=False)
class Made:
    """What a place of the program makes in a context: its parts by name; of a procedure its code
    and its context."""

    kind: str
    place: Any
    parts: dict[Any, Slot] = field(default_factory=dict)
    context: Context = ()
    is_result: bool = False
    """Whether it is what a call gives, of a primitive that somebody calls as a value."""

    def part(self, name: Any) -> Slot:
        """One of its parts."""
        node = self.parts.get(name)
        if node is None:
            node = self.parts[name] = Slot()
        return node


@dataclass(eq=False)
class LiteralPlace:
    """A constant at a place of the program's text: an atom, or a short list of atoms that begins
    with a symbol, as `'(halt)`."""

    atom: il.Const

    @property
    def tag(self) -> Symbol | None:
        """The symbol that it begins with."""
        value = self.atom.value
        return value.car if type(value) is Pair else None


@dataclass(eq=False)
class Resumption:
    """What `call/cc` gives: where what it is called with goes."""

    target: Slot


DATA_KINDS: Final = frozenset({"pair", "vector", "record"})
"""What is made that has parts which can be read; the others are procedures."""


def record_type(place: Any) -> Any:
    """The record type that an operation is about, if its place tells."""
    first = place.arguments[0] if type(place) is il.Let and place.arguments else None
    return first.value if type(first) is il.Const and type(first.value) is RecordType else None


def may_be_of(place: Any) -> Callable[[Made], bool] | None:
    """Whether something may be a record of the type that a `record-ref` is about."""
    record = record_type(place)
    return None if record is None else lambda made: record_type(made.place) in (None, record)


def is_of_type(made: Made, record: RecordType) -> bool:
    """Whether a record, one that is given or that the program makes, is of a type."""
    if type(made.place) is binding_times.Record:
        return made.place.name == record.name
    return record_type(made.place) is record


def tag_of(made: Made) -> Any:
    """The symbol that a list or vector begins with, where it is made."""
    place = made.place
    if type(place) is il.Let:
        begins = place.op in ("cons", "vector")
    else:
        begins = type(place) is il.Call and place.function == LIST and made.context[-1:] == (0,)
    if not begins or not place.arguments:
        return None
    first = place.arguments[0]
    return first.value if type(first) is il.Const and type(first.value) is Symbol else None


LIST: Final = il.Global("list")


@dataclass(frozen=True)
class Question:
    """What a test asks about a variable: whether it is a list that begins with a symbol, a record
    of a type, or what a predicate says; or whether it is NOWHERE or begins with what `is_absent`,
    as nothing static is or does (`advice.absent`)."""

    subject: str
    about: Any
    is_absent: bool = False

    def answer(self, token: Token) -> bool | None:
        """The answer for something that a variable may hold; None if that is not known."""
        about = self.about
        if self.is_absent and (token == GROUND or about == NOWHERE):
            return None if token in (DATA, UNKNOWN) else False
        if type(token) is Made:
            if type(about) is Symbol:
                tag = tag_of(token)
                return None if token.kind == "pair" and tag is None else tag is about
            if type(about) is RecordType:
                return token.kind == "record" and is_of_type(token, about)
            return token.kind == "pair" if about == "pair?" else False
        if type(token) is LiteralPlace:
            value = token.atom.value
            if type(about) is Symbol:
                return token.tag is about
            is_null, is_symbol, is_pair = value is NIL, type(value) is Symbol, token.tag is not None
            answers = {"null?": is_null, "symbol?": is_symbol, "pair?": is_pair}
            return answers.get(str(about), False)
        if token == NULL:
            return bool(about == "null?")
        return False if token in (NUMBER, TRUTH) else None


ASKING: Final = EQUALITIES | {"string=?"}
"""Operations that ask whether something is a constant."""

NOWHERE: Final = "nowhere"
"""What is asked about is a constant that nothing static is."""


def questions(program: il.Program, absent: Container[Any] = ()) -> dict[str, Question]:
    """What tests ask, by variable; of symbols and strings, some are `absent` from what is
    static."""
    lets = {
        binding.name: binding
        for block in all_blocks(program)
        for binding in block.bindings
        if type(binding) is il.Let
    }
    tags_last = not find_mutations(program).pairs
    found: dict[str, Question] = {}
    for let in lets.values():
        names = [atom.name for atom in let.arguments if type(atom) is il.Var]
        constants = [atom.value for atom in let.arguments if type(atom) is il.Const]
        if len(names) != 1:
            continue
        if let.op in ("pair?", "null?", "symbol?"):
            found[let.name] = Question(names[0], let.op)
        elif let.op == "record-is?" and type(constants[0]) is RecordType:
            found[let.name] = Question(names[0], constants[0])
        elif (
            tags_last
            and let.op in EQUALITIES
            and len(constants) == 1
            and type(constants[0]) is Symbol
        ):
            first = lets.get(names[0])
            if first is not None and first.op == "car" and type(first.arguments[0]) is il.Var:
                name, is_absent = first.arguments[0].name, constants[0] in absent
                found[let.name] = Question(name, constants[0], is_absent)
        if let.op in ASKING and len(constants) == 1 and let.name not in found:
            word = constants[0]
            if type(word) in (Symbol, str) and word in absent:
                found[let.name] = Question(names[0], NOWHERE, True)
    return found


def is_procedure(token: Token) -> bool:
    """Whether it is a procedure that is known."""
    return type(token) is Made and token.kind in _PROCEDURES


def is_pair(token: Token) -> bool:
    """Whether it is a pair that the program makes."""
    return type(token) is Made and token.kind == "pair"


def is_mixed(node: Slot) -> bool:
    """Whether a node holds data of the run, and values that are known or may be constants."""
    return DATA in node.tokens and (not KNOWN.isdisjoint(node.tokens) or holds_values(node))


def holds_values(node: Slot) -> bool:
    """Whether a node holds data of the run, and known numbers or procedures."""
    return DATA in node.tokens and any(
        token == NUMBER or is_procedure(token) for token in node.tokens
    )


def leads_to(to: set[Slot]) -> Callable[[Slot], bool]:
    """Whether what a node holds gets to some others."""

    def leads(node: Slot) -> bool:
        seen, work = {node}, [node]
        for one in work:
            if one in to:
                return True
            fresh = [n for n in one.next if n not in seen]
            seen.update(fresh)
            work += fresh
        return False

    return leads


KNOWN: Final = frozenset({GROUND, NULL})
"""Pieces of what is static."""
_PROCEDURES: Final = frozenset({"procedure", "global", "primitive"})

IN_ARM: Final = "@"
"""In what a variable is called in an arm."""
