"""A procedure's IL -> the C functions it becomes.

A node is the body of the procedure, a continuation, or the return of a call to a continuation.
A C function starts at the body, at each return, and at each continuation that is jumped to from
several of them; what is jumped to from one only is part of it, as a label.  In terms of graphs:
the nodes that nothing but the virtual start dominates.

`live` says what a node needs when it is entered: the variables of the enclosing procedures that
it, or what it goes to, mentions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from cogen.lang import il
from cogen.lang.eachonce import each_once

START = "\0start"
"""The node of the body."""

_RETURN = "\0return"


def return_name(cont: str, site: int) -> str:
    """The node where calls from a site return to a continuation."""
    return f"{_RETURN} {site} {cont}"


def is_return(name: str) -> bool:
    """Is it the name of such a node?"""
    return name.startswith(_RETURN)


def returned_to(name: str) -> str:
    """The continuation that such a node goes on with."""
    return name.split(" ", 2)[2]


@dataclass(slots=True, eq=False)
class CodeNode:
    """The body or a continuation: `entries` counts the ways to it, `owner` names the node that
    its C function starts at."""

    name: str
    block: il.Block
    parameters: tuple[str, ...]
    goes_to: list[str] = field(default_factory=list)
    entries: int = 0
    bound: set[str] = field(default_factory=set)
    uses: set[str] = field(default_factory=set)
    live: frozenset[str] = frozenset()
    is_function: bool = False
    is_loop: bool = False
    owner: str = ""


class CodeRegions:
    """The nodes of a procedure's body, `exit` being its return continuation.

    `mentions` gives the variables that a block itself needs, `site` the number of the site
    that a call leaves in its frame, `starts` continuations that are C functions
    in any case.
    """

    def __init__(
        self,
        body: il.Block,
        exit: str,
        mentions: Callable[[il.Block], Iterable[str]],
        site: Callable[[il.Call], int],
        starts: frozenset[str] = frozenset(),
    ) -> None:
        self.exit = exit
        self.starts = starts
        self.mentions = mentions
        self.site = site
        self.nodes: dict[str, CodeNode] = {}
        self.returns: set[str] = set()
        self._collect(body)
        self._drop_unreached()
        self._find_owners()
        self._find_live()

    def _collect(self, body: il.Block) -> None:
        self.nodes[START] = CodeNode(START, body, ())
        work: list[tuple[str, il.Block]] = [(START, body)]
        while work:
            name, block = work.pop()
            node = self.nodes[name]
            node.uses.update(self.mentions(block))
            for binding in block.bindings:
                match binding:
                    case il.Let(bound):
                        node.bound.add(bound)
                    case il.Fix(functions):
                        node.bound.update(function.name for function in functions)
                    case il.Conts(conts):
                        for cont in conts:
                            self.nodes[cont.name] = CodeNode(cont.name, cont.body, cont.parameters)
                            self.nodes[cont.name].bound.update(cont.parameters)
                            work.append((cont.name, cont.body))
            match block.tail:
                case il.If(_, then, otherwise):
                    work.append((name, otherwise))
                    work.append((name, then))
                case il.Jump(target) if target != self.exit:
                    node.goes_to.append(target)
                case il.Call(cont=target) if target != self.exit:
                    node.goes_to.append(return_name(target, self.site(block.tail)))

    def _drop_unreached(self) -> None:
        reached: set[str] = set()
        work = [START]
        for name in each_once(work, reached):
            work.extend([returned_to(name)] if is_return(name) else self.nodes[name].goes_to)
        self.nodes = {name: node for name, node in self.nodes.items() if name in reached}
        self.returns = {name for name in reached if is_return(name)}
        for node in self.nodes.values():
            for target in node.goes_to:
                if not is_return(target):
                    self.nodes[target].entries += 1
        for name in self.returns:
            self.nodes[returned_to(name)].entries += 1

    # Owners

    def _successors(self, name: str) -> list[str]:
        if name == "":
            return [START, *sorted(self.returns), *sorted(self.starts & self.nodes.keys())]
        if is_return(name):
            return [returned_to(name)]
        return [target for target in self.nodes[name].goes_to if not is_return(target)]

    def _find_owners(self) -> None:
        """Dominators (Cooper, Harvey, Kennedy: "A simple, fast dominance algorithm")."""
        order = self._order()
        number = {name: i for i, name in enumerate(order)}
        before: dict[str, list[str]] = {name: [] for name in order}
        for name in order:
            for target in self._successors(name):
                before[target].append(name)
                if target in self.nodes and number[target] <= number[name]:
                    self.nodes[target].is_loop = True
        above: dict[str, str] = {"": ""}
        changed = True
        while changed:
            changed = False
            for name in order[1:]:
                known = [other for other in before[name] if other in above]
                found = known[0]
                for other in known[1:]:
                    while other != found:
                        if number[other] > number[found]:
                            other = above[other]
                        else:
                            found = above[found]
                if above.get(name) != found:
                    above[name] = found
                    changed = True
        for name in order[1:]:
            if name not in self.nodes:
                continue
            node = self.nodes[name]
            node.is_function = above[name] == ""
            node.owner = name
            while above[node.owner] != "":
                node.owner = above[node.owner]

    def _order(self) -> list[str]:
        """Reverse postorder from the virtual start."""
        order: list[str] = []
        seen = {""}
        work = [("", iter(self._successors("")))]
        while work:
            name, targets = work[-1]
            for target in targets:
                if target not in seen:
                    seen.add(target)
                    work.append((target, iter(self._successors(target))))
                    break
            else:
                work.pop()
                order.append(name)
        order.reverse()
        return order

    # Liveness

    def _find_live(self) -> None:
        for node in self.nodes.values():
            node.live = frozenset(node.uses - node.bound)
        changed = True
        while changed:
            changed = False
            for node in reversed(self.nodes.values()):
                live = set(node.live)
                for target in node.goes_to:
                    name = returned_to(target) if is_return(target) else target
                    live |= self.nodes[name].live
                live -= node.bound
                if len(live) != len(node.live):
                    node.live = frozenset(live)
                    changed = True
