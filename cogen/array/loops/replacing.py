"""Other statements in the place of loops: what stands for a loop is said by a rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, wraps

from cogen.array.loops import tree, treewalk
from cogen.array.loops.copying import UntakenNames
from cogen.array.loops.tree import Block, Statement

Rule = Callable[[tree.For, list[Statement]], Sequence[Statement] | None]
"""What stands for a loop that comes after some statements of its block, which the rule may change;
None if the loop stays, with the loops within it replaced."""

NamingRule = Callable[[UntakenNames, tree.For, list[Statement]], Sequence[Statement] | None]
"""A rule that needs names for what it makes."""


def other_loops(functions: Sequence[tree.Function], rule: NamingRule) -> tuple[tree.Function, ...]:
    """Functions with other statements in the place of loops, outermost first."""
    own = partial(rule, UntakenNames(functions))
    return tuple([replace(f, body=other_loops_in(f.body, own)) for f in functions])


def of_loops(rule: NamingRule) -> Callable[[Sequence[tree.Function]], tuple[tree.Function, ...]]:
    """The pass on functions that a rule says: what stands for a loop, beside its docstring."""

    @wraps(rule)
    def changed(functions: Sequence[tree.Function]) -> tuple[tree.Function, ...]:
        return other_loops(functions, rule)

    return changed


def other_loops_in(block: Block, rule: Rule) -> Block:
    """Statements with others in the place of loops; what stands for a loop stays as it is."""
    found: list[Statement] = []
    for statement in block:
        made = rule(statement, found) if isinstance(statement, tree.For) else None
        if made is not None:
            found += made
            continue
        inner = [other_loops_in(own, rule) for own in treewalk.blocks(statement)]
        found.append(treewalk.with_blocks(statement, inner))
    return tuple(found)
