"""Where each bit of an integer comes from.

    bits  ::= group ... ones                  64 bits, the two's complement of the integer
    group ::= (source, shift) mask            each target bit i of the mask is bit i - shift of
                                              the source, a residual variable (bits of it beyond
                                              63 are its sign)
    ones  ::= mask                            the bits known to be 1; all others are 0

Masks of groups and `ones` are disjoint.  What is made of them, `rules.masked` knows.
"""

from __future__ import annotations

Groups = dict[tuple[str, int], int]


class Bits:
    """The bits of an integer, see the module's docstring; `cost` counts the operations that build
    it from its sources in the way that was chosen."""

    __slots__ = ("cost", "groups", "ones")

    def __init__(self, groups: Groups, ones: int, cost: int = 0) -> None:
        self.groups = groups
        self.ones = ones
        self.cost = cost

    def total(self) -> int:
        """All bits that may be 1."""
        total = self.ones
        for mask in self.groups.values():
            total |= mask
        return total
