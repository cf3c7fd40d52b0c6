"""docs/errors.md: each example fails as the page says, and each message has an entry."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cogen import errorindex
from cogen.array.programs.arrayprogram import Program
from cogen.cli import main
from cogen.errorindex import ErrorEntry, code_of, entries
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, Source
from cogen.lang.governor import Budget
from cogen.lang.interp import Interpreter
from cogen.lsp.divisions import Specialized, divisions, load

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "errors.md"
WITHOUT_EXAMPLE = {
    "nesting",
    "library-circle",
    "not-utf8",
    "barrier",
    "option",
    "origin",
    "resuming",
    "can-database",
    "can-value",
    "kernel",
    "array-record",
    "array-loop",
    "array-change",
    "template-data",
    "c-limits",
    "no-compiler",
    "machine",
    "examples-command",
    "limit",
    "endless",
    "l0-no-lark",
    "l0-recursion",
    "no-device",
    "not-distributed",
    "pieces",
}
"""They need several files, a machine's patience, or Python."""


def failure(entry: ErrorEntry) -> CogenError:
    """What is told of an example."""
    if entry.language == "python":
        return failure_of_python(entry)
    source = Source(f"example.{'l0' if entry.language == 'l0' else 'scm'}", entry.example)
    try:
        if entry.language == "l0":
            array_program = on_deep_stack(Program, source)
            run = re.match(r"// run (\w+) (.*)\n", entry.example)
            if run is not None:
                array_program.run_text(run[2], run[1], "<values>")
        else:
            program = load(source)
            for division in divisions(source):
                error = Specialized(program, division.call, division.place).error
                if error is not None:
                    raise error
            Interpreter(program, budget=Budget(5)).run()
    except CogenError as error:
        return error
    raise AssertionError(f"{entry.code}: the example does not fail")


def failure_of_python(entry: ErrorEntry) -> CogenError:
    """What is told of an example in Python."""
    with pytest.raises(CogenError) as caught:
        exec(compile(entry.example, "example.py", "exec"), {})
    return caught.value


def written(entry: ErrorEntry) -> str:
    """What is told of an example; where files are looked for is another place on each machine."""
    return failure(entry).render().replace(f"{ROOT}/", "/home/me/cogen/") + "\n"


@pytest.mark.slow
@pytest.mark.parametrize("code", [code for code, one in entries().items() if one.example])
def test_examples_fail_as_the_page_says(code: str, request: pytest.FixtureRequest) -> None:
    entry = entries()[code]
    told = written(entry)
    if request.config.getoption("--update-goldens") and told != entry.told:
        text = PAGE.read_text(encoding="utf-8")
        start = text.index(f"### {code}\n")
        head, tail = text[:start], text[start:]
        old = f"{entry.example}```\n\n```text\n{entry.told}```\n"
        PAGE.write_text(head + tail.replace(old, old.replace(entry.told, told), 1))
        return
    assert told == entry.told
    assert code_of(failure(entry).message) == code


def test_entries_are_whole() -> None:
    for code, entry in entries().items():
        assert re.fullmatch(r"[a-z0-9-]+", code)
        assert entry.messages, code
        assert entry.remedy, code
        assert bool(entry.example) != (code in WITHOUT_EXAMPLE), code


# Every message has an entry

OF_DEVELOPERS = ("graphtext.py", "naive.py", "read.py", "settle.py", "structuredtext.py")
"""Modules of `cogen dev` and of comparisons."""

MODULES = [
    *[p for p in ROOT.glob("lang/*.py") if p.stem not in ("ilparse", "iltext", "ilcheck")],
    *ROOT.glob("lang/primtable/*.py"),
    *ROOT.glob("cogen/specializer/**/*.py"),
    *ROOT.glob("cogen/*.py"),
    *ROOT.glob("cogen/commands/*.py"),
    *ROOT.glob("signals/*.py"),
    *[p for p in ROOT.glob("cogen/array/**/*.py") if p.name not in OF_DEVELOPERS],
    *[
        path
        for folder in ("backends", "regex", "staging", "templates")
        for path in ROOT.glob(f"cogen/{folder}/**/*.py")
        if path.name not in OF_DEVELOPERS
    ],
]
"""Where errors come from that people see."""


MAKERS = {
    "CogenError": 0, "LimitationError": 0, "PrimitiveError": 1, "EscapeError": 0, "Endless": 0,
    "Fault": 0,
    "fail": 0, "unterminated": 0,
}  # fmt: skip
"""What makes an error: the number of its argument that is the message."""


OF_READER = ("fail", "unterminated")
"""Methods of the reader; others of these names take no messages."""


def template(node: ast.AST) -> str | None:
    """The text of an expression, with `…` for what differs; None if all of it does."""
    match node:
        case ast.Constant(str() as value):
            return value
        case ast.JoinedStr(values=parts):
            return "".join(template(part) or "…" for part in parts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return f"{template(left) or '…'}{template(right) or '…'}"
    return None


def templates() -> Iterator[tuple[str, str]]:
    """The messages of errors in the product's text."""
    made = re.compile(rf"\b({'|'.join(MAKERS)})\(")
    for path in MODULES:
        content = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(content)) if made.search(content) else ():
            if isinstance(node, ast.Call):
                func = node.func
                name = getattr(func, "id", getattr(func, "attr", ""))
                first = MAKERS.get(name, len(node.args))
                if name in OF_READER and path.name != "reader.py":
                    continue
                if len(node.args) > first:
                    text = template(node.args[first])
                    if text is not None and re.search("[a-z]{2}", text):
                        yield f"{path.relative_to(ROOT)}:{node.lineno}", text


TOO_GENERAL = "… must be …, not …"
"""What errors that people raise themselves may say as well."""


@pytest.mark.slow
def test_every_message_has_an_entry() -> None:
    found = [one for one in templates() if one[1] != TOO_GENERAL]
    assert len(found) > 150
    missing = [(place, text) for place, text in found if code_of(text.replace("…", "x")) is None]
    assert missing == []


@pytest.mark.slow
def test_every_message_of_the_page_is_told_somewhere() -> None:
    """The longest piece of it stands in a text of the product."""
    texts = [path.read_text(encoding="utf-8") for path in (*ROOT.glob("lang/*.scm"), *MODULES)]
    everything = "\n".join(re.sub(r"['\"]\s+[rf]*['\"]", "", text) for text in texts)
    messages = [message for entry in entries().values() for message in entry.messages]
    pieces = {message: max(message.split("…"), key=len).strip("` ") for message in messages}
    assert [message for message, piece in pieces.items() if piece not in everything] == []


# The command, and where codes are told


def test_the_command_prints_entries(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["errors"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(entries())
    assert main(["errors", "unbound"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("unbound name `…`\n\nDefine the name")
    assert "example.scm:1:21: error: unbound name `pi`" in out
    assert main(["errors", "unbund"]) == 2
    assert "did you mean `unbound`?" in capsys.readouterr().err


def test_reports_have_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.scm"
    file.write_text('(error "mine" 1)')
    assert main(["run", str(file), "--json"]) == 1
    assert json.loads(capsys.readouterr().err)["diagnostics"][0]["code"] is None
    file.write_text("(car 1)")
    assert main(["run", str(file), "--json"]) == 1
    assert json.loads(capsys.readouterr().err)["diagnostics"][0]["code"] == "wrong-type"


def test_the_page_is_found_in_a_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '"docs/errors.md" = "cogen/errors.md"' in project
    copy = tmp_path / "errors.md"
    copy.write_text("### one\n\n```text\na …\n```\n\nDo it.\n")
    monkeypatch.setattr(errorindex, "_PLACES", (copy, PAGE))
    assert errorindex.page() == copy
