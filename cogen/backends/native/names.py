"""C names for the names of the IL."""

from __future__ import annotations

from cogen.backends.ctree.names import Numbered


class NativeNames(Numbered):
    """Names of one program: each variable of the IL, which is unique in it, has one."""

    def __init__(self) -> None:
        super().__init__()
        self.of_variable: dict[str, str] = {}

    def variable(self, name: str) -> str:
        """The name of a variable of the IL."""
        found = self.of_variable.get(name)
        if found is None:
            found = self.of_variable[name] = self.fresh(name)
        return found
