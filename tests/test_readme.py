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


def test_it_is_short_and_begins_with_how_to_install() -> None:
    """Two screens of a terminal or a browser, with the picture."""
    lines = README.splitlines()
    assert lines[:3] == ["# cogen", "", lines[2]]
    assert lines[2].startswith("    pip install ")
    assert len(lines) <= 70
    assert "](docs/images/view.png)" in README


def test_the_ten_lines_print_what_is_shown() -> None:
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(fenced("python"), "README.md", "exec"), {})
    lines = [line for line in output.getvalue().splitlines() if line]
    assert lines == [*fenced("scheme").splitlines(), "59"]


@pytest.mark.slow
@pytest.mark.parametrize("command", commands())
def test_a_command_runs(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    if "copy" not in command:
        (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    assert main(shlex.split(command, comments=True)[1:]) == 0
    assert capfd.readouterr().out.strip()


@pytest.mark.parametrize("target", re.findall(r"`make (\w+)`", README))
def test_a_make_target_exists(target: str) -> None:
    assert re.search(rf"^{target}:.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)


@pytest.mark.parametrize("path", re.findall(r"\]\(([\w./-]+)\)", README))
def test_a_link_leads_somewhere(path: str) -> None:
    assert (ROOT / path).exists()
