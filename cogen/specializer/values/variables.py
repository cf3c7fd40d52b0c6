"""Residual variables: new names that people can recognize, and what types the variables have."""

from __future__ import annotations

from cogen.specializer.values.domain import Dynamic


class Variables:
    """The names given in one specialization; `types` are those that are known, by name."""

    def __init__(self) -> None:
        self.types: dict[str, str] = {}
        self._last: dict[str, int] = {}
        self._number = 0

    def fresh(self, hint: str) -> str:
        """A new name that people can recognize."""
        hint = hint or "x."
        number = self._last.get(hint, 0) + 1
        self._last[hint] = number
        return f"{hint}.{number}"

    def typed(self, name: str, type: str) -> Dynamic:
        """The residual variable of that name, its type noted."""
        if type != "any":
            self.types[name] = type.partition(":")[0]
        return Dynamic(name, type)

    def number(self) -> int:
        """A new number, for what has no name."""
        self._number += 1
        return self._number
