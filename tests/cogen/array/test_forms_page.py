"""The page docs/arrays-in-scheme.md: its program and its commands do what it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

import cogen
from cogen.cli import commands

pytestmark = pytest.mark.quick

PAGE = (Path(__file__).parents[3] / "docs" / "arrays-in-scheme.md").read_text(encoding="utf-8")


def sessions() -> list[tuple[str, str]]:
    """The commands of the page with what they print."""
    found = []
    for block in re.findall(r"(?:^    .*\n)+", PAGE, re.M):
        text = re.sub(r"^    ", "", block, flags=re.M).replace("\\\n", " ")
        for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("command", "output"), sessions())
def test_the_commands_print_what_the_page_says(
    command: str, output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (program,) = re.findall(r"```scheme\n(.*?)```", PAGE, re.S)
    (tmp_path / "fir.scm").write_text(program)
    monkeypatch.chdir(tmp_path)
    word, *arguments = shlex.split(command)
    assert word == "cogen"
    result = CliRunner().invoke(commands, arguments)
    assert (result.exit_code, result.output) == (0, output)


def test_the_names_of_the_page_are_those_of_the_library() -> None:
    for name in re.findall(r"`\((array[\w-]*|tuple[\w-]*|let-tuple)", PAGE):
        assert name in ("array-loop", "let-tuple") or cogen.loads(f"(define x {name})")
