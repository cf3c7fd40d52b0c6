"""Which buffers are certainly different: what the type of a dynamic buffer says of it.

    type   ::= memory                      a buffer of which nothing is known
             | memory:[NUMBER] claim ...
    claim  ::= /ID.SIDE                    `assume-disjoint` number ID gave this as its first
                                           (SIDE 0) or second (SIDE 1) result

Two buffers are different, or are used for different words only, if both have a NUMBER (parameters
of the entry, which do not overlap) and these differ, or if they stand on the two sides of one
claim.  Seed 004 asks for this negative information and has none.

A claim's ID is new at every evaluation, so no claim is ever taken for another one.  In memo keys
IDs count in the order in which they are met (`canonical`): only which of them are the same tells
states apart, as with the names of dynamic values.
"""

from __future__ import annotations

from functools import cache

MEMORY = "memory"
Facts = tuple[str, dict[str, str]]
"""The number of an entry's parameter ("" if it is none), and the side by claim."""


@cache
def facts(type: str) -> Facts | None:
    """What a type says of a buffer; None if it is not that of a buffer."""
    kind, _, rest = type.partition(":")
    if kind != MEMORY:
        return None
    number, *claims = rest.split("/")
    return number, dict(claim.split(".") for claim in claims)


def buffers_differ(a: str, b: str) -> bool:
    """Whether no word is accessed through both of two buffers of these types."""
    first, second = facts(a), facts(b)
    if first is None or second is None:
        return False
    if first[0] and second[0] and first[0] != second[0]:
        return True
    sides = second[1]
    return any(sides.get(claim, side) != side for claim, side in first[1].items())


def claimed(type: str, claim: int, side: int) -> str:
    """The type of the same buffer on one side of a new claim."""
    head = type if ":" in type else type + ":"
    return f"{head}/{claim}.{side}"


def canonical(type: str, claims: dict[str, str]) -> str:
    """The type as it counts in a memo key; `claims` numbers the claims that were met before."""
    head, *rest = type.split("/")
    for part in rest:
        claim, side = part.split(".")
        head += f"/{claims.setdefault(claim, str(len(claims)))}.{side}"
    return head
