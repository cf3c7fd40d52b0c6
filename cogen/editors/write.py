"""The support for an editor -> files in a folder of the user's.

What stands beside this module is copied; the grammars and the words in it are made of the tables of
the languages, so they are those of the version that writes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from cogen.editors.textmate import l0_grammar, scheme_grammar
from cogen.editors.words import l0_words, scheme_words
from cogen.terminal import write_output
from cogen.version import __version__

EDITORS: Final = ("vscode", "emacs")

_HERE: Final = Path(__file__).parent


def files(editor: str) -> dict[str, str]:
    """The files for an editor, by their path in its folder."""
    found = {
        path.name: path.read_text(encoding="utf-8").replace("@VERSION@", __version__)
        for path in sorted((_HERE / editor).iterdir())
        if path.is_file()
    }
    if editor == "vscode":
        found["cogen.tmLanguage.json"] = _json(scheme_grammar())
        found["l0.tmLanguage.json"] = _json(l0_grammar())
    else:
        found["cogen-mode.el"] = _with_words(found["cogen-mode.el"])
    return found


def write(editor: str, folder: Path) -> list[Path]:
    """Write the files for an editor into a folder, which is made if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    made = {folder / name: text for name, text in files(editor).items()}
    for path, text in made.items():
        write_output(str(path), text)
    return [*made]


def _json(grammar: object) -> str:
    return json.dumps(grammar, indent=2, ensure_ascii=False) + "\n"


def _with_words(text: str) -> str:
    """The Emacs mode with the words of the languages."""
    for name, words in (("COGEN", scheme_words()), ("L0", l0_words())):
        text = text.replace(f"@{name}-SYNTAX@", _lisp(words.defining | words.syntax))
        text = text.replace(f"@{name}-BUILTIN@", _lisp(words.builtin))
    return text


def _lisp(words: Iterable[str]) -> str:
    """Strings of Emacs Lisp, in lines of 100 characters."""
    lines = [""]
    for word in sorted(words):
        quoted = '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'
        if len(lines[-1]) + len(quoted) > 90:
            lines.append("")
        lines[-1] += f"{quoted} "
    return "\n    ".join(line.rstrip() for line in lines)
