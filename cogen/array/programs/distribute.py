"""`Program.distribute`: a program called with arrays in pieces, on the machines of a Dask client.

    total = program.distribute(client)
    total(dask_array, 3)             as the program compiled on one machine, with the whole array

What each kernel does with a piece, how what pieces found is combined, and what is known between is
found by `cogen.array.distributed.pieceplaces`; the result is that of the program on one machine:
equal in ints, truth values and characters; in reals up to the order in which a reduction combines
its elements, of which only the places of the brackets differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from cogen.array.distributed.piecefiles import is_files, pieces_of
from cogen.array.distributed.pieceplaces import PiecePlaces
from cogen.array.distributed.planning import plan
from cogen.array.distributed.rounds import CutArgument, DistributionEngine, RoundsRun
from cogen.array.distributed.shipping import source_of
from cogen.array.distributed.tasks import Taker
from cogen.array.ir.layout import leaves_of
from cogen.array.ir.marshal import from_leaves
from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.l0.pythonvalues import to_python
from cogen.array.l0.storage import unpacked
from cogen.array.optimise.optimisations import Options
from cogen.array.optimise.optimise import optimise
from cogen.boundary import public_methods
from cogen.lang.errors import CogenError

if TYPE_CHECKING:
    from cogen.array.ir.graph import Graph
    from cogen.array.ir.node import Module
    from cogen.array.programs.arrayprogram import Program

PIECE: Final = 64 << 20
"""The bytes of a piece of a file, if nothing else is said."""

APART: Final = Options(off=frozenset({"chain", "chain-streams"}))
"""How programs are optimised: a loop goes through the rows of pieces in their order, not through
several arrays by index."""


@public_methods
class Distributed:
    """A function of an array program, to be called with arguments in pieces.

    An argument may be a Dask array, a Dask dataframe or series, or a list of paths; others are
    whole, and are sent to the machines as far as kernels need them.
    """

    def __init__(
        self, program: Program, engine: DistributionEngine, entry: str, arithmetic: Arithmetic,
        takers: Sequence[Taker], piece_bytes: int = PIECE,
        put: Callable[[Any], Any] | None = None,
    ) -> None:  # fmt: skip
        self.program = program
        self.put = put
        self.compiles = True
        self.entry = entry
        self.arithmetic = arithmetic
        self.engine = engine
        self.takers = tuple(takers)
        self.piece_bytes = piece_bytes
        self._optimised: tuple[Graph, Module] | None = None
        self._places: dict[tuple[int, ...], PiecePlaces] = {}

    def __repr__(self) -> str:
        return f"<distributed {self.entry}>"

    def __call__(self, *arguments: Any) -> Any:
        """The result, as of the compiled program on one machine.

        CogenError for arguments of other types, for pieces that do not fit together, where the
        program cannot be distributed, and where it fails.
        """
        cuts, leaves, sizes = self._taken(arguments)
        places = self.places([k for cut in cuts for k in range(cut.leaf, cut.leaf + cut.leaves)])
        found = RoundsRun(places, self.engine, cuts, leaves, sizes, self.compiles).run()
        result = self.program.result(self.entry)
        given = to_python(from_leaves(found, result), result, copy=False, a=self.arithmetic)
        return given if self.put is None else self.put(given)

    def kernels(self, *cut: int | str) -> list[str]:
        """The texts of the kernels, in the order in which they run, where the arguments of these
        numbers or names are in pieces: C, and the graph of what is so small that it is not
        compiled."""
        names = [taker.names[0] for taker in self.takers]
        numbers = [names.index(c) if isinstance(c, str) else c for c in cut]
        leaves: list[int] = []
        first = 0
        for number, taker in enumerate(self.takers):
            count = _leaves(taker)
            if number in numbers:
                leaves += range(first, first + count)
            first += count
        return [source_of(kernel).text for kernel in plan(self.places(leaves), True).kernels]

    def places(self, cut: Sequence[int]) -> PiecePlaces:
        """Where the program's values are if these leaves of its arguments come in pieces."""
        key = tuple(cut)
        if key not in self._places:
            if self._optimised is None:
                self._optimised = optimise(
                    self.program.facts, self.entry, APART, arithmetic=self.arithmetic
                )
            self._places[key] = PiecePlaces(*self._optimised, key)
        return self._places[key]

    def _taken(
        self, arguments: Sequence[Any]
    ) -> tuple[list[CutArgument], dict[int, Any], dict[int, int]]:
        """Arguments in pieces, and the leaves and sizes of the others."""
        if len(arguments) != len(self.takers):
            names = ", ".join([taker.names[0] for taker in self.takers])
            raise CogenError(
                f"`{self.entry}` takes {len(self.takers)} arguments ({names}), but "
                f"{len(arguments)} were given",
                self.program.function(self.entry).name.span,
            )
        cuts: list[CutArgument] = []
        leaves: dict[int, Any] = {}
        sizes: dict[int, int] = {}
        leaf = size = 0
        for argument, taker in zip(arguments, self.takers, strict=True):
            count = _leaves(taker)
            dimensions = sum([leaves_of(unpacked(t)).dimensions for t in taker.types])
            cut = self._cut(argument, taker)
            if cut is None:
                own, found = taker.take(argument)
                leaves |= dict(enumerate(own, leaf))
                sizes |= dict(enumerate(found, size))
            else:
                pieces, lengths, inner = cut
                cuts.append(
                    CutArgument(taker, pieces, leaf, count, size, dimensions, lengths, inner)
                )
            leaf, size = leaf + count, size + dimensions
        return cuts, leaves, sizes

    def _cut(
        self, argument: Any, taker: Taker
    ) -> tuple[list[Any], list[int] | None, list[int] | None] | None:
        """The pieces of an argument, with how long they are and the sizes of the first, as far as
        these are known; None for what is whole."""
        found: tuple[list[Any], list[int] | None, list[int] | None]
        if is_files(argument):
            found = pieces_of(argument, taker.types[0], self.piece_bytes, taker.names[0])
        elif isinstance(argument, InPieces):
            found = argument.pieces, None, None
        elif hasattr(argument, "__dask_graph__"):
            from cogen.array.distributed.dasking import pieces_of_collection

            found = pieces_of_collection(argument, taker.names[0])
        else:
            return None
        if not taker.is_array:
            raise CogenError(
                f"`{taker.names[0]}` is no array, so it cannot come in pieces",
                self.program.function(self.entry).name.span,
                "give its value",
            )
        return found


class InPieces:
    """An argument that is a list of its pieces."""

    def __init__(self, pieces: Sequence[Any]) -> None:
        self.pieces = list(pieces)


def _leaves(taker: Taker) -> int:
    return sum([len(leaves_of(unpacked(t)).leaves) for t in taker.types])


def distributed(
    program: Program, client: Any, entry: str, real: str, int: str, piece_bytes: int
) -> Distributed:
    """A function of a program on the machines of a client."""
    from cogen.array.distributed.dasking import OnDask

    arithmetic = program.arithmetic(real, int, entry)
    return Distributed(
        program, OnDask(client), entry, arithmetic, takers_of(program, entry, arithmetic),
        piece_bytes,
    )  # fmt: skip


def takers_of(program: Program, entry: str, arithmetic: Arithmetic) -> list[Taker]:
    """What takes the arguments of a function apart."""
    parameters = zip(program.function(entry).parameters, program.parameters(entry), strict=True)
    widths = arithmetic.int_bits, arithmetic.real_bits
    return [Taker((t,), (p.name.text,), *widths) for p, t in parameters]
