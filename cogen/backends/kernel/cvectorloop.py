"""What loops that move bits in vectors have in common: what they are made of, and what they tell of
the elements that they move."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from cogen.backends.ctree.tree import CDeclare, CVariable, Expr, Statement
from cogen.backends.ctree.types import CBasic, CConst
from cogen.backends.kernel.cmacros import Gathering, Storing
from cogen.backends.kernel.cvectormachines import VectorMachine
from cogen.backends.kernel.provenance import Bit, Bits, Moved, Reached


@dataclass(slots=True)
class VectorLoop:
    """The loop for one kind of processor."""

    moved: Moved
    word_size: int
    storing: Storing | None
    machine: VectorMachine
    types: set[str]
    gathering: Gathering | None
    numbered: int = 0
    looking: tuple[Statement, ...] = ()
    """What looks at the elements that one turn moves."""
    out: list[Statement] = field(default_factory=list)

    @property
    def compares(self) -> bool:
        """Whether bits are comparisons."""
        return any(isinstance(bit, Reached) for bit in self.moved.bits)

    def with_what_is_told(self, loop: list[Statement]) -> list[Statement]:
        """The loop, and around it what is told of the elements that it looks at."""
        if self.gathering is None or not self.looking:
            return loop
        vector = self.machine.vector
        return [*self.gathering.begun(vector), *loop, self.gathering.ended(vector)]

    def look(self, count: int) -> None:
        """Let each turn look at so many bytes."""
        if self.gathering is not None:
            self.types.add(self.gathering.kind(self.machine.vector))
            self.looking = tuple(self.gathering.looked(self.machine.vector, count))

    def bits(self, rounds: int, lane: int) -> Bits:
        """The bits that so many rounds store, words made as long as lanes."""
        bits: list[Bit] = []
        apart = self.moved.read * self.word_size
        for number in range(rounds):
            here = [further(bit, number * apart) for bit in self.moved.bits]
            if self.storing is None:
                bits += here
                continue
            for start in range(0, len(here), self.word_size):
                word = here[start : start + self.word_size]
                more = lane - self.word_size
                bits += word + [word[-1] if self.storing.signed else False] * more
        return tuple(bits)

    def named(self, kind: CBasic, value: Expr) -> CVariable:
        """The variable of a value: that which it has, or a new one."""
        for statement in self.out:
            if isinstance(statement, CDeclare) and statement.value == value:
                return CVariable(statement.name, kind)
        self.numbered += 1
        variable = CVariable(f"v{self.numbered}", kind)
        self.out.append(CDeclare(CConst(kind), variable.name, value))
        return variable

    def vector_type(self, kind: str, size: int, total: int) -> CBasic:
        """Vectors of so many bytes, of elements of so many bits."""
        name = f"cogen_{kind}{size}x{8 * total // size}"
        self.types.add(name)
        return CBasic(name)


def further(bit: Bit, apart: int) -> Bit:
    """The bit that is so many bits further on."""
    if isinstance(bit, Reached):
        return replace(bit, address=bit.address + apart)
    return (bit[0] + apart, bit[1]) if isinstance(bit, tuple) else bit
