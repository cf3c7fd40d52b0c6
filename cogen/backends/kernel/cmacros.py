"""What the text of a kernel leaves to macros of whoever uses it: how samples are stored that become
numbers, and what becomes of elements that it looks at on the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from cogen.backends.ctree.literals import small
from cogen.backends.ctree.tree import (
    CAssign,
    CBinary,
    CDeclare,
    CDo,
    CIf,
    CInvoke,
    CVariable,
    Statement,
)
from cogen.backends.ctree.types import BOOL, U8, VOID, CBasic, CConst, CPointer
from cogen.backends.kernel.cvectortypes import FROM, lane_number, vector_at, vector_of


@dataclass(frozen=True, slots=True)
class Storing:
    """How words are stored that are samples and become numbers: by a macro of that name; `value` is
    the number's type (`f4`, `i8`), `signed` whether samples have a sign, `factor` what the C text
    calls the number that each is multiplied by."""

    macro: str
    value: str
    signed: bool
    factor: str = ""

    @property
    def bytes(self) -> int:
        """The bytes of a number."""
        return int(self.value[1:])


@dataclass(frozen=True, slots=True)
class Gathering:
    """What is told of elements of `bits` bits, side by side, that vectors move.

    The macro `told` gets a vector of elements that has all bits which elements have with `added` to
    them, and where in memory the first of them began, and the last ended.  The macro `asked` says
    of where they begin whether somebody wants to know."""

    asked: str
    told: str
    bits: int
    added: int

    def kind(self, vector: int) -> str:
        """The type of a vector of so many bytes of elements."""
        return f"cogen_u{self.bits}x{8 * vector // self.bits}"

    def begun(self, vector: int) -> Iterator[Statement]:
        """Before the loop: nothing was seen."""
        kind = CBasic(self.kind(vector))
        yield CDeclare(CConst(BOOL), LOOKING.name, CInvoke(self.asked, (FROM,), BOOL))
        yield CDeclare(CConst(CPointer(CConst(U8))), BEGIN.name, FROM)
        yield CDeclare(kind, SEEN, vector_of(kind, [small(0)]))

    def looked(self, vector: int, count: int) -> Iterator[Statement]:
        """In the loop: look at so many bytes, in vectors, of which the last two may overlap."""
        kind = CBasic(self.kind(vector))
        looks: list[Statement] = []
        for start in (*range(0, count - vector, vector), max(0, count - vector)):
            lanes = vector_at(FROM, kind, start)
            if self.added:
                lanes = CBinary("+", lanes, lane_number(self.added, self.bits))
            looks.append(CAssign(CVariable(SEEN, kind), lanes, "|="))
        yield CIf(LOOKING, tuple(looks))

    def ended(self, vector: int) -> Statement:
        """Behind the loop."""
        return CDo(
            CInvoke(self.told, (CVariable(SEEN, CBasic(self.kind(vector))), BEGIN, FROM), VOID)
        )


SEEN: Final = "seen"
LOOKING: Final = CVariable("looking", BOOL)
BEGIN: Final = CVariable("begin", CPointer(CConst(U8)))
