"""Words, lexers, grammars and modes: what editors and pages show programs with."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from pygments.token import Comment, Keyword, Name, Number, String

from cogen import terminal
from cogen.cli import main
from cogen.editors.lexers import CogenLexer, L0Lexer
from cogen.editors.textmate import l0_grammar, scheme_grammar
from cogen.editors.words import l0_words, scheme_words
from cogen.editors.write import EDITORS, files
from cogen.version import __version__

ROOT = Path(__file__).parents[2]
PROGRAMS = [
    *sorted(ROOT.glob("lang/*.scm")), *sorted(ROOT.glob("examples/**/*.scm")),
    *sorted(ROOT.glob("tests/programs/**/*.scm")), ROOT / "cogen" / "mix" / "mix.scm",
]  # fmt: skip
ARRAY_PROGRAMS = sorted(ROOT.glob("tests/programs/l0/**/*.l0"))[::4]

SAMPLE = r"""
;; cogen: (power (dynamic int) (static 3))
#| a #| nested |# comment |#
(define (power x n)
  (if (= n 0) 1. (* x (power x (- n 1))))) ; so
(define-array (f (a (array float))) '("a\"\x41;b" #\a #\x41 #\( #t #false -1e3 #xFF 'if |if|))
"""
SAMPLE_L0 = r"""
// fun
fun real main([real] a) = reduce(fn real (real x, real y) => x + y, 1.5e3, map(sqrt, a))
"if" 'i' '\n' True 0xFF x_if
import "a.l0"
law f(x) = law
"""


def kinds(text: str, lexer: Any) -> list[tuple[str, Any]]:
    """The tokens of a text that are not space."""
    return [(value, kind) for kind, value in lexer().get_tokens(text) if value.strip()]


# Words


def test_words_are_those_of_the_language() -> None:
    words = scheme_words()
    assert {"define", "define-array", "define-record-type"} <= words.defining
    assert {"if", "let*", "else", "let-tuple", "case-lambda"} <= words.syntax
    assert {"car", "map", "load-word", "call/cc", "array-map"} <= words.builtin
    assert not [one for some in words for one in some if one.startswith("%")]
    assert not words.syntax & words.builtin
    assert {"map", "let", "packed"} <= l0_words().syntax
    assert {"sqrt", "bucketReduce"} <= l0_words().builtin


# Lexers


@pytest.mark.parametrize(
    ("lexer", "programs"), [(CogenLexer, PROGRAMS), (L0Lexer, ARRAY_PROGRAMS)], ids=["cogen", "l0"]
)
def test_lexers_take_all_programs(lexer: Any, programs: list[Path]) -> None:
    assert programs
    for path in programs:
        text = path.read_text(encoding="utf-8")
        tokens = list(lexer(stripnl=False, ensurenl=False).get_tokens(text))
        assert "".join(value for _, value in tokens) == text, path
        others = {value for kind, value in tokens if str(kind) in ("Token.Text", "Token.Error")}
        assert not others, path


def test_tokens_of_the_language() -> None:
    found = kinds(SAMPLE, CogenLexer)
    for pair in (
        (";; cogen: (power (dynamic int) (static 3))", Comment.Special),
        ("; so", Comment.Single),
        ("define", Keyword.Declaration),
        ("power", Name.Function),
        ("if", Keyword),
        ("=", Name.Builtin),
        ("n", Name),
        ("1.", Number),
        ("0", Number.Integer),
        ("-1e3", Number),
        ("#xFF", Number),
        (r"\"", String.Escape),
        (r"\x41;", String.Escape),
        (r"#\a", String.Char),
        (r"#\x41", String.Char),
        (r"#\(", String.Char),
        ("#t", Keyword.Constant),
        ("#false", Keyword.Constant),
        ("|if|", Name.Variable),
        ("define-array", Keyword.Declaration),
    ):
        assert pair in found, pair
    nested = [value for value, kind in found if kind is Comment.Multiline]
    assert "".join(nested) == "#| a #| nested |# comment |#"


def test_tokens_of_l0() -> None:
    found = kinds(SAMPLE_L0, L0Lexer)
    for pair in (
        ("// fun", Comment.Single),
        ("fun", Keyword.Declaration),
        ("real", Keyword.Type),
        ("main", Name),
        ("reduce", Keyword),
        ("sqrt", Name.Builtin),
        ("1.5e3", Number.Float),
        ('"if"', String),
        ("'i'", String.Char),
        ("True", Keyword.Constant),
        ("0xFF", Number.Integer),
        ("x_if", Name),
        ("import", Keyword.Declaration),
        ("law", Keyword.Declaration),
        ("law", Name),
    ):
        assert pair in found, pair


def test_pygments_finds_the_lexers() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = project["entry-points"]["pygments.lexers"]
    for name, place in found.items():
        module, attribute = place.split(":")
        assert name in getattr(import_module(module), attribute).aliases


# Grammars


class TextMate:
    """As much of an editor as colours a text by a grammar: rules by lines, the first match wins."""

    def __init__(self, grammar: dict[str, Any]) -> None:
        self.grammar = grammar

    def rules(self, patterns: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for rule in patterns:
            if "include" in rule:
                included = self.grammar["repository"][rule["include"][1:]]
                group = "patterns" in included and "begin" not in included
                yield from self.rules(included["patterns"]) if group else [included]
            else:
                yield rule

    def scopes(self, text: str) -> list[str]:
        """The innermost scope of each character."""
        found: list[str] = []
        stack: list[dict[str, Any]] = []
        for line in text.splitlines(keepends=True):
            place = 0
            while place <= len(line):
                place = self.step(line, place, stack, found)
        return found

    def step(self, line: str, place: int, stack: list[dict[str, Any]], found: list[str]) -> int:
        """Colour what the next rule takes of a line; where to go on."""
        top = stack[-1] if stack else self.grammar
        outer = top.get("name", "") if stack else ""
        tried = [(re.compile(top["end"]), None)] if stack else []
        for rule in self.rules(top.get("patterns", [])):
            tried.append((re.compile(rule.get("match") or rule["begin"]), rule))
        matches = [(match, rule) for one, rule in tried if (match := one.search(line, place))]
        if not matches:
            found += [outer] * (len(line) - place)
            return len(line) + 1
        match, rule = min(matches, key=lambda pair: pair[0].start())
        found += [outer] * (match.start() - place)
        name = outer if rule is None else rule.get("name", "")
        made = [name] * len(match[0])
        for number, capture in (rule or {}).get("captures", {}).items():
            start, end = match.span(int(number))
            made[start - match.start() : end - match.start()] = [capture["name"]] * (end - start)
        found += made
        if rule is None:
            stack.pop()
        elif "begin" in rule:
            stack.append(rule)
        return match.end() if match.end() > place or rule is None else place + 1


ALIKE = {
    Comment: "comment", String: "string", Keyword.Declaration: "keyword.declaration",
    Keyword: "keyword.control", Name.Builtin: "support", Name.Function: "entity",
}  # fmt: skip


def alike(kind: Any) -> str:
    """The first word of the scope that a token of Pygments stands for."""
    while kind is not None:
        if kind in (String.Char, Keyword.Constant):
            return "constant"
        if kind is Number or kind.parent is Number:
            return "constant"
        if kind is Keyword.Type:
            return "storage"
        if kind is Comment.Preproc:
            return ""
        if kind in ALIKE:
            return ALIKE[kind]
        kind = kind.parent
    return ""


@pytest.mark.parametrize(
    ("lexer", "grammar", "programs", "sample"),
    [
        (CogenLexer, scheme_grammar(), PROGRAMS[::6], SAMPLE),
        (L0Lexer, l0_grammar(), ARRAY_PROGRAMS[::6], SAMPLE_L0),
    ],
    ids=["cogen", "l0"],
)
def test_grammars_colour_as_lexers_do(
    lexer: Any, grammar: dict[str, Any], programs: list[Path], sample: str
) -> None:
    for text in (sample, *(path.read_text(encoding="utf-8")[:6000] for path in programs)):
        scopes = TextMate(grammar).scopes(text)
        assert len(scopes) == len(text)
        offset = 0
        for kind, value in lexer(stripnl=False, ensurenl=False).get_tokens(text):
            expected = alike(kind)
            if expected and value.strip():
                here = {scopes[i] for i in range(offset, offset + len(value))}
                escapes = {one for one in here if one.startswith("constant.character.escape")}
                told = here - escapes if here != escapes else {"string"}
                assert all(one.startswith(expected) for one in told), (value, expected, here)
            offset += len(value)


# Files for editors


@pytest.mark.parametrize("editor", EDITORS)
def test_files_are_whole(editor: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "new" / editor
    assert main(["lsp", "--editor", editor, str(folder)]) == 0
    written = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    assert written == files(editor)
    assert sorted(capsys.readouterr().out.split()) == sorted(map(str, folder.iterdir()))
    for name, text in written.items():
        assert not re.search(r"@[A-Z0-9-]+@", text), name
        if name.endswith(".json"):
            json.loads(text)


def test_the_extension_names_its_files_and_version() -> None:
    written = files("vscode")
    package = json.loads(written["package.json"])
    assert package["version"] == __version__
    contributed = package["contributes"]
    named = [one["path"] for one in contributed["grammars"]]
    named += [one["configuration"] for one in contributed["languages"]] + [package["main"]]
    assert {name.removeprefix("./") for name in named} <= written.keys()
    for one in contributed["grammars"]:
        grammar = json.loads(written[one["path"].removeprefix("./")])
        assert grammar["scopeName"] == one["scopeName"]
    for one in contributed["commands"]:
        assert f'"{one["command"]}"' in written["extension.js"]


def test_editor_and_folder_belong_together(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lsp", "--editor", "vscode"]) == 2
    assert "--editor and FOLDER belong together" in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js here to read the extension")
def test_the_extension_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "extension.js"
    path.write_text(files("vscode")["extension.js"])
    subprocess.run(["node", "--check", str(path)], check=True)


STAND_IN = """
const Module = require("module");
const log = [];
const range = {};
const vscode = {
  workspace: {
    getConfiguration: () => ({ get: () => ["cogen", "lsp"] }),
    createFileSystemWatcher: (pattern) => pattern,
  },
  window: {
    activeTextEditor: {
      selection: { active: 7 },
      document: { uri: "file:a.scm", getWordRangeAtPosition: () => range, getText: () => "power" },
    },
    showInputBox: async ({ value }) => { log.push(["asked", value]); return "(power _ 5)"; },
    showQuickPick: async (forms) => forms[1],
    showErrorMessage: (text) => log.push(["error", text]),
  },
  commands: {
    registered: {},
    registerCommand(name, run) { this.registered[name] = run; return name; },
    executeCommand: async (...words) => log.push(["command", ...words]),
  },
};
class LanguageClient {
  constructor(id, name, server, options) {
    log.push(["client", server.command, ...server.args]);
    log.push(["languages", ...options.documentSelector.map((one) => one.language)]);
    this.code2ProtocolConverter = { asUri: (uri) => `<${uri}>` };
  }
  async start() { log.push(["start"]); if (process.argv[3] === "fail") throw new Error("no"); }
  async stop() { log.push(["stop"]); }
}
const load = Module._load;
const ours = { vscode, "vscode-languageclient/node": { LanguageClient } };
Module._load = (name, ...rest) => ours[name] || load(name, ...rest);
(async () => {
  const extension = require(process.argv[2]);
  const context = { subscriptions: [] };
  await extension.activate(context);
  if (process.argv[3] !== "fail") {
    await vscode.commands.registered["cogen.specializeCall"]();
    await vscode.commands.registered["cogen.restart"]();
    await extension.deactivate();
  }
  console.log(JSON.stringify({ log, subscriptions: context.subscriptions }));
})();
"""


def activated(folder: Path, *words: str) -> dict[str, Any]:
    """What the extension does in an editor that notes it."""
    (folder / "extension.js").write_text(files("vscode")["extension.js"])
    (folder / "stand-in.js").write_text(STAND_IN)
    command = ["node", str(folder / "stand-in.js"), str(folder / "extension.js"), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js here to run the extension")
def test_the_extension_starts_the_server_and_asks(tmp_path: Path) -> None:
    found = activated(tmp_path)
    package = json.loads(files("vscode")["package.json"])
    assert found["subscriptions"] == [one["command"] for one in package["contributes"]["commands"]]
    begun = [["client", "cogen", "lsp"], ["languages", "cogen", "l0"], ["start"]]
    assert found["log"] == [
        *begun,
        ["asked", "(power _)"],
        ["command", "cogen.specialize", "<file:a.scm>", "(power _ 5)", "c"],
        ["stop"],
        *begun,
        ["stop"],
    ]
    (error,) = [one for one in activated(tmp_path, "fail")["log"] if one[0] == "error"]
    assert 'cogen cannot be started (no): pip install "cogen-specializer[lsp]"' in error[1]


@pytest.mark.skipif(shutil.which("emacs") is None, reason="no Emacs here to try the mode in")
def test_the_mode_colours(tmp_path: Path) -> None:
    (tmp_path / "cogen-mode.el").write_text(files("emacs")["cogen-mode.el"])
    (tmp_path / "a.scm").write_text(SAMPLE)
    program = """
      (add-to-list 'load-path "FOLDER") (setq byte-compile-error-on-warn t)
      (unless (byte-compile-file "FOLDER/cogen-mode.el") (kill-emacs 1))
      (require 'cogen-mode) (find-file "FOLDER/a.scm") (cogen-mode) (font-lock-ensure)
      (dolist (word '("cogen:" "define" "power" "if" "vector-ref" "#t"))
        (goto-char 1)
        (when (search-forward word nil t) (princ (get-text-property (1- (point)) 'face)))
        (terpri))
    """
    script = program.replace("FOLDER", str(tmp_path))
    done = subprocess.run(
        ["emacs", "-Q", "--batch", "--eval", f"(progn {script})"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    faces = [line.removeprefix("font-lock-").removesuffix("-face") for line in done.stdout.split()]
    assert faces == ["preprocessor", "keyword", "preprocessor", "keyword", "constant"]


# Terminals


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("language", ["scheme", "l0", "c", "python"])
def test_code_is_coloured_on_terminals(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"\n{SAMPLE}\n{SAMPLE_L0}\n   \n{'x' * 200}\n\n"
    shown = Terminal()
    monkeypatch.setattr(sys, "stdout", shown)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    terminal.write_code(text, language)
    assert "\x1b[" in shown.getvalue()
    assert re.sub(r"\x1b\[[0-9;]*m", "", shown.getvalue()) == text
