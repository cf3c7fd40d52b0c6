"""The list of mutants that mean the same as the module: `equivalent.txt`.

list     ::= (module mutant*)*
module   ::= PATH                       at the start of a line
mutant   ::= "    " NAME                `Mutant.name`
             "        # " REASON        one line or more
"""

from __future__ import annotations

from pathlib import Path

LIST = Path(__file__).with_name("equivalent.txt")


def equivalents() -> dict[str, dict[str, str]]:
    """By module, and name of the mutant, why the mutant means the same."""
    found: dict[str, dict[str, str]] = {}
    module, mutant = "", ""
    for line in LIST.read_text(encoding="utf-8").splitlines():
        if line.startswith("        # "):
            found[module][mutant] += line.removeprefix("        # ") + " "
        elif line.startswith("    "):
            mutant = line.strip()
            found[module][mutant] = ""
        elif line:
            module = line
            found.setdefault(module, {})
    return found
