"""C tree -> C tree: drops variables that nothing reads, and what is computed only for them.

Printing folds tests and operations whose outcome intervals or types decide; what was computed
for them alone would otherwise stay behind, and C compilers warn of it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Set

from cogen.backends.ctree.tree import (
    CAssign,
    CDeclare,
    CDo,
    CFor,
    CIf,
    CInvoke,
    CVariable,
    CWhile,
    Expr,
    Statement,
    names_of,
)


def without_unused(
    statements: Iterable[Statement], variables: Set[str], calls: Set[str]
) -> tuple[Statement, ...]:
    """The statements without assignments of `variables` that are never read.

    `calls` are functions with effects: a call whose result is dropped stays a statement.
    """
    kept = tuple(statements)
    reads: Counter[str] = Counter()
    needs: dict[str, list[Expr]] = defaultdict(list)
    _count(kept, reads, needs, variables)
    unread = [name for name in needs if not reads[name]]
    dropped: set[str] = set()
    while unread:
        name = unread.pop()
        dropped.add(name)
        for expr in needs[name]:
            if isinstance(expr, CInvoke) and expr.function in calls:
                continue
            for other in names_of(expr):
                reads[other] -= 1
                if not reads[other] and other in needs and other not in dropped:
                    unread.append(other)
    return tuple(_sweep(kept, dropped, calls)) if dropped else kept


def _count(
    statements: Iterable[Statement],
    reads: Counter[str],
    needs: dict[str, list[Expr]],
    variables: Set[str],
) -> None:
    """Count reads; gather what each variable is assigned."""
    work = list(statements)
    while work:
        statement = work.pop()
        match statement:
            case CDeclare(_, name, value) if name in variables:
                needs[name] += [] if value is None else [value]
                reads.update(names_of(value))
            case CAssign(CVariable(name), value) if name in variables:
                needs[name].append(value)
                reads.update(names_of(value))
            case CIf(test, then, otherwise):
                reads.update(names_of(test))
                work += [*then, *otherwise]
            case CWhile(test, body):
                reads.update(names_of(test))
                work += body
            case CFor(first, test, step, body):
                for clause in (first, step):
                    if clause is not None:  # a loop's own variable always counts as read
                        reads.update(names_of(clause))
                reads.update(names_of(test))
                work += body
            case _:
                reads.update(names_of(statement))


def _sweep(
    statements: Iterable[Statement], dropped: Set[str], calls: Set[str]
) -> Iterable[Statement]:
    for statement in statements:
        match statement:
            case CDeclare(_, name, value) | CAssign(CVariable(name), value) if name in dropped:
                if isinstance(value, CInvoke) and value.function in calls:
                    yield CDo(value, places=statement.places)
            case CIf(test, then, otherwise):
                yield CIf(
                    test,
                    tuple(_sweep(then, dropped, calls)),
                    tuple(_sweep(otherwise, dropped, calls)),
                    places=statement.places,
                )
            case CWhile(test, body):
                inner = tuple(_sweep(body, dropped, calls))
                yield CWhile(test, inner, places=statement.places)
            case CFor(first, test, step, body):
                inner = tuple(_sweep(body, dropped, calls))
                yield CFor(first, test, step, inner, places=statement.places)
            case _:
                yield statement
