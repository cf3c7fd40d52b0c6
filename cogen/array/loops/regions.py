"""Which regions of memory the addresses of a function are in, and what uses which.

allocate r           r is a region
let a = data(r)      a is in r
let b = a + i        so is b
variable p = a of q  p is in q, which has a reference of its own to what a is in
parameters a, r      a is in r
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise

from cogen.array.loops import tree, treewalk
from cogen.array.loops.expressions import ONE
from cogen.array.loops.tree import BLOCK, Block, Expr, Kernel, Pointer, Statement, Var
from cogen.lang.errors import InternalError


def is_drop(statement: Statement) -> Var | None:
    """The region of which a statement gives up a reference."""
    match statement:
        case tree.Do(tree.Invoke("drop", (Var() as region,))):
            return region
    return None


def start_of(statement: Statement, region: Var) -> Var | None:
    """The variable that is declared as the first address in a region, if a statement does that."""
    match statement:
        case tree.Let(variable, tree.Data(own)) if own == region:
            return variable
    return None


def elements_copied(statement: Statement) -> tuple[Var, Var, Expr] | None:
    """From where to where a statement copies how many elements, if it does that and no more."""
    match statement:
        case tree.Do(tree.Invoke("copy", (Var() as to, Var() as source, size))):
            count = _elements(size, tree.target(to))
            return None if count is None else (to, source, count)
    return None


def _elements(size: Expr, element: tree.Type) -> Expr | None:
    """How many elements so many bytes are."""
    match size:
        case tree.Binary("*", tree.Convert(tree.SIZE, count), tree.SizeOf(of)) if of == element:
            return count
        case tree.SizeOf(of) if of == element:
            return ONE
    return None


def is_mentioned(block: Block, variable: Var) -> bool:
    """Whether statements have to do with a variable."""
    inner = [*treewalk.all_statements(block)]
    regions = [s.region for s in inner if isinstance(s, tree.Variable)]
    return variable in regions or variable.name in treewalk.mentioned(block)


def without_drops(block: Block, region: Var) -> Block:
    """Statements that do not give a region up."""
    return without(block, lambda statement: is_drop(statement) == region)


def without(block: Block, goes: Callable[[Statement], bool]) -> Block:
    """Statements, and those within them, but for those that go."""
    kept = [s for s in block if not goes(s)]
    inner = [[without(own, goes) for own in treewalk.blocks(s)] for s in kept]
    return tuple([treewalk.with_blocks(s, own) for s, own in zip(kept, inner, strict=True)])


def regions_of(e: Expr, known: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The regions that an address is in, by their names; `known` are those of variables."""
    found: set[str] = set()
    for part in treewalk.within(e):
        if isinstance(part, tree.Data) and isinstance(part.region, Var):
            found.add(part.region.name)
        elif isinstance(part, Var):
            found |= known.get(part.name, frozenset())
    return frozenset(found)


def addresses(part: tree.Function | Kernel, own: Iterable[str] = ()) -> dict[str, frozenset[str]]:
    """The regions that each variable of an address may be in, whatever comes to it. Those that
    parameters of the names `own` point to have no other name."""
    known: dict[str, frozenset[str]] = {
        address.name: frozenset([region.name])
        for address, region in pairwise(part.parameters)
        if isinstance(address.type, Pointer) and region.type == BLOCK
    }
    known.update((name, frozenset([name])) for name in own)
    moves: list[tuple[str, Expr]] = []
    owned: set[str] = set()
    for statement in treewalk.all_statements(part.body):
        match statement:
            case tree.Variable(variable, _, Var() as region):
                known[variable.name] = frozenset([region.name])
                owned.add(variable.name)
            case tree.Let(variable, e) | tree.Variable(variable, e) | tree.Assign(variable, e):
                if e is not None and isinstance(variable.type, Pointer):
                    moves.append((variable.name, e))
    moves = [(name, e) for name, e in moves if name not in owned]
    changed = True
    while changed:
        changed = False
        for name, e in moves:
            before = known.get(name, frozenset())
            known[name] = before | regions_of(e, known)
            changed = changed or known[name] != before
    return known


def uses(statement: Statement) -> frozenset[str]:
    """The names of all variables that a statement, or what is within it, has to do with."""
    found = set(treewalk.mentioned((statement,)))
    for inner in treewalk.all_statements((statement,)):
        if isinstance(inner, tree.For) and inner.sharing is not None:
            for e in treewalk.shared_expressions(inner.sharing):
                found |= treewalk.names(e)
            found |= joined(inner.sharing)
    return frozenset(found)


def joined(sharing: tree.Sharing) -> frozenset[str]:
    """What the operators of a loop that may be shared out mention."""
    found: set[str] = set()
    for operator in treewalk.operators(sharing):
        found |= treewalk.mentioned(operator.body)
        for e in operator.results:
            found |= treewalk.names(e)
    for join in sharing.joins:
        if isinstance(join, tree.Scanned) and join.first is not None:
            found |= uses(join.first)
    return frozenset(found)


def users(region: str, known: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """The names of a region, and of the addresses in it."""
    return frozenset([region, *[name for name, found in known.items() if region in found]])


def check_regions(part: tree.Function | Kernel) -> None:
    """Refuse statements that use a region when their reference to it is gone."""
    _follow(part.body, frozenset(), addresses(part))


def _follow(
    block: Block, gone: frozenset[str], known: Mapping[str, frozenset[str]]
) -> frozenset[str]:
    """What is gone after statements, of what is declared before them."""
    own: set[str] = set()
    for statement in block:
        region = is_drop(statement)
        _need(statement, gone, known)
        if region is not None:
            gone |= {region.name}
            continue
        before = gone
        gone = gone.union(*[_follow(s, gone, known) for s in treewalk.blocks(statement)])
        if gone != before and isinstance(statement, (tree.For, tree.While)):  # in the next round
            gone = gone.union(*[_follow(s, gone, known) for s in treewalk.blocks(statement)])
        made = [*treewalk.declared(statement)]
        own |= {variable.name for variable in made}
        if isinstance(statement, tree.Assign):
            made.append(statement.variable)
        gone -= {variable.name for variable in made}
    return gone - own


def _need(statement: Statement, gone: frozenset[str], known: Mapping[str, frozenset[str]]) -> None:
    """All that a statement itself evaluates is there."""
    if not gone:
        return
    for e in treewalk.expressions(statement):
        for name in treewalk.names(e):
            lost = gone & {name, *known.get(name, ())}
            if lost:
                raise InternalError(f"{name} is used when {min(lost)} is given up")
