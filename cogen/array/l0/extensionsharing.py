"""The uniqueness of the extensions, `cogen.array.l0.extensions`.

All give new arrays, which are unique. Some consume their first array, as their rows say. Their
functions may not consume what they are passed.
"""

from __future__ import annotations

from cogen.array.l0 import tree
from cogen.array.l0.extensions import EXTENSIONS
from cogen.array.l0.sharing import NOTHING, Occurrences, Sharing
from cogen.array.l0.soacsharing import SoacSharing
from cogen.array.l0.types import ArrayType, is_unique
from cogen.lang.errors import CogenError


class ExtensionSharing(SoacSharing):
    """The part of the check that concerns extensions."""

    def extension(self, e: tree.ExtensionExpression) -> Sharing:
        operands = [self.operand(operand) for operand in e.operands]
        outside, self.now = self.now, Occurrences()
        for function in e.functions:
            if any(is_unique(t) for t in self.applied(function).parameters):
                raise CogenError(
                    f"the function of `{e.name}` must not consume what it is passed",
                    function.span,
                    "declare its parameters without `*`",
                )
        inside, self.now = self.now, outside
        consumed = EXTENSIONS[e.name].consumes
        if consumed is not None:
            array = operands[0]
            unique = [ArrayType(t, unique=True) for t in self.leaves_of(array.expression)]
            how = [consumed] * len(unique)
            self.consume_operands([array], unique, how)
        occurrences = self.together(operands)
        occurrences.join(inside)
        return self.finish((NOTHING,) * len(self.leaves_of(e)), occurrences)
