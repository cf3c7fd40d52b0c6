"""Small C functions that kernels call beside those for numbers; only those it uses are printed.

What they do about errors: noting one, the calls that led to it, and which of several accesses
fails first.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from cogen.backends import noting
from cogen.backends.ctree.helpers import arithmetic, parts

_OWN: Final = parts(Path(__file__).with_name("kernel.h"))

WIDE_TYPE: Final = _OWN.pop("cogen_wide")
LITTLE_ENDIAN: Final = _OWN.pop("little_endian")

HELPERS: Final[Mapping[str, str]] = {**noting.functions(), **arithmetic(), **_OWN}
"""The text of each helper by its name."""
