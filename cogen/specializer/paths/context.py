"""What all paths of one specialization share, and the rules of operations with them.

This is all that code on a path sees of the specialization that it belongs to: the program and what
is found out about it, names and constants, limits, and what decides something of values when they
are met.  Each is a small object of its own, which knows nothing of paths.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any, Final, NoReturn

from cogen.lang import il
from cogen.lang.called import Named, buffers
from cogen.lang.chain import Calls, ChainNode, at_node
from cogen.lang.datum import Datum, Pair, RecordType
from cogen.lang.errors import Warnings
from cogen.lang.machine import Machine as RunMachine
from cogen.specializer.advice.assigned import Assignable
from cogen.specializer.paths.pairs import Pairs
from cogen.specializer.programs.liveness import Liveness
from cogen.specializer.programs.mutation import Mutations
from cogen.specializer.values.constants import Constants
from cogen.specializer.values.domain import EVERY_TURN, Cell, Dynamic, Reified, Static, Value
from cogen.specializer.values.fixed import Slots
from cogen.specializer.values.variables import Variables
from cogen.specializer.versions.auto import Auto
from cogen.specializer.versions.cells import BarrierCells, Globals
from cogen.specializer.versions.cycles import Cycles
from cogen.specializer.versions.demand import Demand
from cogen.specializer.versions.families import Families
from cogen.specializer.versions.limits import Limits
from cogen.specializer.versions.memo import Restart
from cogen.specializer.versions.options import SpecializerOptions
from cogen.specializer.versions.points import Points
from cogen.specializer.versions.worklist import Worklist

MOST_UNSETTLED: Final = 8
"""After so many sites of objects that are assigned late, none are settled."""


class Context:
    """See the module's docstring.

    `rule` gives the rule of an operation (`rules.rule`), `lift_closure` makes a residual
    procedure of a closure that a path comes to (`execution.procedures`); both know of paths.
    """

    rule: Callable[[str], Callable[..., Value]]
    lift_closure: Callable[..., Dynamic]

    def __init__(
        self,
        program: il.Program,
        options: SpecializerOptions,
        warnings: Warnings,
        liveness: Liveness,
        mutations: Mutations,
        assignable: Callable[[], Assignable],
    ) -> None:
        self.program = program
        self.options = options
        self.warnings = warnings
        self.liveness = liveness
        self.mutations = mutations
        self.globals = Globals()
        self.barriers = BarrierCells()
        self.variables = Variables()
        self.constants = Constants()
        self.cycles = Cycles()
        self.limits = Limits(options)
        self.worklist = Worklist()
        self.families = Families(self.worklist)
        self.points = Points(self.worklist)
        self.held: Any = None
        """The objects in boxes that are known (`paths.heldobjects`)."""
        self.slots = Slots()
        self.pairs = Pairs(mutations.pairs, assignable)
        self.demand = Demand(self.worklist)
        self.auto = Auto(options, self.demand)
        self.run_machine = RunMachine(options.word_size)
        self.passed: list[tuple[Datum, str]] = []
        """What is passed to the entry and known ahead, and what it is called there."""
        self.nodes: dict[int, ChainNode] = {}
        """Those of the interpreted programs that are known (`cogen.origins`)."""
        self.cyclic = False
        """Whether there may be cyclic values among those that code is carried out on."""
        self.residual_sites: set[int] = set()
        """The calls of `call/cc` that are to be residual."""
        self.unsettled: Mapping[Hashable, frozenset[int]] = {}
        """Sites that make objects of which some are assigned late (`paths.leaving`), and the turns
        of these."""
        self.counting: frozenset[Hashable] = frozenset()
        """Sites that make objects that are residual from the beginning."""

    def watch_demand(self, demand: Demand) -> None:
        """Ask another one what is asked for, before anything is."""
        self.demand = self.auto.demand = demand

    def may_settle(self, cell: Cell) -> bool:
        """Whether an object may be taken for never assigned any more."""
        late = self.unsettled.get(cell.site)
        if late is not None and (cell.turn in late or EVERY_TURN in late):
            return False
        return len(self.unsettled) < MOST_UNSETTLED

    def is_mutable(self, record: RecordType) -> bool:
        """Whether anything assigns a field of the record type."""
        return id(record) in self.mutations.records

    def named_buffers(self) -> Iterator[Named]:
        """Buffers that are known ahead, and what they are called (`lang.called`)."""
        for value, name in self.passed:
            yield from buffers(name, value)
        yield from self.globals.named(self.program)

    def at_nodes(self, values: Iterable[Value], calls: Calls) -> Calls:
        """The calls that lead into a procedure that is given a node of an interpreted program."""
        for value in values:
            if type(value) is Static and type(value.datum) is Pair:
                node = self.nodes.get(id(value.datum))
                if node is not None:
                    return at_node(node, calls)
        return calls

    def lift_continuation(self, reified: Reified) -> NoReturn:
        """A reified continuation escapes: its call/cc must be residual; start again there."""
        self.residual_sites.add(id(reified.site))
        raise Restart(reified.block)  # type: ignore[arg-type]
