"""What `--help` shows, and hints where a command line or a program is wrong."""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from cogen.cli import commands, main
from cogen.commands.helpexamples import EXAMPLES
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads

pytestmark = pytest.mark.quick


def all_commands(group: click.Group, words: str = "") -> Iterator[tuple[str, click.Command]]:
    """The commands that are no groups, with their words."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        inner = f"{words} {name}".strip()
        if isinstance(command, click.Group):
            yield from all_commands(command, inner)
        else:
            yield inner, command


COMMANDS = dict(all_commands(commands))


def test_examples_are_of_commands() -> None:
    assert set(EXAMPLES) == set(COMMANDS)


@pytest.mark.parametrize("words", sorted(COMMANDS))
def test_help_ends_with_an_example(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words.split(), "--help"]) == 0
    lines = capsys.readouterr().out.rstrip().splitlines()
    examples = EXAMPLES[words]
    assert lines[-len(examples) :] == [f"    {line}" for line in examples]


@pytest.mark.parametrize(
    ("words", "line"), [(words, line) for words, lines in EXAMPLES.items() for line in lines]
)
def test_an_example_is_a_command_line(
    words: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its options and their values are taken; the files that it names are made."""
    monkeypatch.chdir(tmp_path)
    command = COMMANDS[words]
    for part in line.split(" | "):
        word, *arguments = shlex.split(part)
        if word != "cogen":
            continue
        given = arguments[len(words.split()) :]
        for name in given:
            if re.fullmatch(r"[\w./]+\.[a-z0-9]+", name):
                Path(name).touch()
        assert arguments[: len(words.split())] == words.split()
        command.make_context(words, given)


def test_a_wrong_entry_names_the_procedures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p.scm"
    path.write_text(
        "(import (signals)) (define (power x) x) (define size 3)"
        + "".join(f"(define (f{i}) {i})" for i in range(9))
    )
    for command in ("run", "specialize", "compile"):
        output = ["-o", str(tmp_path / "out")] if command == "compile" else []
        assert main([command, str(path), "--entry", "zzz", *output]) == 2
        assert capsys.readouterr().err == (
            f"error: {path} does not define `zzz`\n"
            "hint: its procedures are: power, f0, f1, f2, f3 and 5 more\n"
        )
    assert main(["run", str(path), "--entry", "powr"]) == 2
    assert capsys.readouterr().err.endswith("hint: did you mean `power`?\n")
    path.write_text("(display 1)")
    assert main(["run", str(path), "--entry", "zzz"]) == 2
    assert capsys.readouterr().err.endswith("hint: its procedures are: none\n")


def test_completion_of_the_shell(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")
    shells = re.findall(r"_COGEN_COMPLETE=(\w+)_source cogen", page)
    assert shells == ["bash", "zsh", "fish"]
    monkeypatch.setenv("COMP_WORDS", "cogen spec")
    monkeypatch.setenv("COMP_CWORD", "1")
    monkeypatch.setenv("_COGEN_COMPLETE", "bash_complete")
    with pytest.raises(SystemExit):
        main([])
    assert capsys.readouterr().out == "plain,specialize\n"


OPERATOR = "an operator stands first: (+ 1 2)"
QUOTED = "a list of data is quoted: '(1 2 3)"
PAIR = "parentheses call what stands first in them: is a pair too much?"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("(display (1 + 2))", OPERATOR),
        ("(define (f) 2) (display (1.5\n + (f)))", OPERATOR),
        ("(car (1 2 3))", QUOTED),
        ('("a" "b")', QUOTED),
        ("(#t)", QUOTED),
        ("((+ 1 2))", PAIR),
        ("(define x 3) (x 1)", None),
    ],
)
def test_calls_of_what_is_no_procedure(text: str, hint: str | None) -> None:
    with pytest.raises(CogenError) as caught:
        Interpreter(loads(text), output=io.StringIO()).run()
    assert caught.value.message.startswith("expected a procedure to call, got ")
    assert caught.value.hint == hint


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("(display nil)", "`'()` is the empty list"),
        ("def f(x): return x", "a procedure is defined so: (define (name parameter"),
        ("(make-hash-table)", "it is in a library: (import (srfi 69))"),
        ("(sort (list 2 1) <)", "it is in a library: (import (srfi"),
        ("(printf 1)", ""),
    ],
)
def test_names_of_other_languages(text: str, hint: str) -> None:
    with pytest.raises(CogenError) as caught:
        loads(text)
    assert caught.value.others == ()
    assert caught.value.hint is not None
    assert caught.value.hint.startswith(hint)
