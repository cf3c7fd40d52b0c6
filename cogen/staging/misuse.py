"""Python's errors about staged values: what a program does that values of their kind do not."""

from __future__ import annotations

import re
from typing import Final

from cogen.lang.errors import CogenError
from cogen.staging.sourceplaces import raised_at
from cogen.staging.stagedscalars import Staged

_WORDS: Final = {
    "Scalar": "a staged number", "Array": "a staged array", "View": "a staged array",
    "StagedComplex": "a staged complex number", "ComplexArray": "a staged array of complex numbers",
    "StagedCharacter": "a staged string", "StagedText": "a staged string",
    "StagedList": "a staged list", "StagedDict": "a staged dictionary", "StagedSet": "a staged set",
    "StagedOptional": "a value or None", "UnionCase": "an object of several classes",
    "Records": "a staged array of records", "StagedRecord": "a staged record",
    "StagedDeque": "a staged deque", "PooledList": "a staged list",
    "LoopSteps": "a staged range", "Groups": "groups",
}  # fmt: skip
"""What messages call the classes of staged values."""

_NAMES: Final = re.compile(rf"'?\b({'|'.join(_WORDS)})\b'?")


def misused(error: TypeError | AttributeError) -> CogenError | None:
    """The diagnostic of what Python says of a staged value; None where it speaks of none."""
    message = str(error)
    lacks = isinstance(error, AttributeError) and isinstance(error.obj, Staged)
    if not lacks and not _NAMES.search(message):
        return None
    said = _NAMES.sub(lambda found: _WORDS[found[1]], message)
    return CogenError(said, raised_at(error), "docs/staging.md lists what they have")
