"""What README.md shows is what happens: its Python, the residual program, its commands."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from cogen.cli import main

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def fenced(language: str) -> str:
    """The text of the only fenced block of a language."""
    (block,) = re.findall(rf"```{language}\n(.*?)```", README, re.S)
    return str(block)


def commands() -> list[str]:
    """The `cogen` commands, continued lines joined."""
    text = README.replace("\\\n", " ")
    return [line.strip() for line in text.splitlines() if line.startswith("    cogen ")]


def test_the_ten_lines_print_what_is_shown() -> None:
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(fenced("python"), "README.md", "exec"), {})
    lines = [line for line in output.getvalue().splitlines() if line]
    assert lines == [*fenced("scheme").splitlines(), "59"]


@pytest.mark.parametrize("command", commands())
def test_a_command_runs(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    assert main(shlex.split(command)[1:]) == 0
    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize("target", re.findall(r"^    make (\w+)", README, re.M))
def test_a_make_target_exists(target: str) -> None:
    assert re.search(rf"^{target}:.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)


@pytest.mark.parametrize("path", re.findall(r"\]\(([\w./-]+)\)", README))
def test_a_link_leads_somewhere(path: str) -> None:
    assert (ROOT / path).exists()
