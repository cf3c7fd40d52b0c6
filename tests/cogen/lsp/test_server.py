"""`cogen lsp` as an editor sees it: one process, asked over standard input and output."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.cogen.lsp.editor import Editor, cut, document, marked, position

POWER = """\
;; cogen: (power (dynamic int) (static 3))

;; x to the n-th.
(define (power x n)
  (if (= n 0) 1 (* x (power x (- n 1)))))
"""


@pytest.fixture(scope="module")
def editor() -> Iterator[Editor]:
    editor = Editor()
    yield editor
    assert editor.close() == 0
    assert not editor.messages


def hover(editor: Editor, uri: str, position: types.Position) -> str:
    asked = types.HoverParams(document(uri), position)
    found = editor.wait(editor.client.text_document_hover_async(asked))
    if found is None:
        return ""
    assert isinstance(found.contents, types.MarkupContent)
    return found.contents.value


def at(text: str, word: str, number: int = 0) -> types.Position:
    """The position of the first letter of a word, the first of that text or a later one."""
    offset = -1
    for _ in range(number + 1):
        offset = text.index(word, offset + 1)
    return position(text, offset)


# Diagnostics


def test_all_independent_errors_are_told_with_hints(editor: Editor, tmp_path: Path) -> None:
    text = "(define (f x)\n  (+ x y))\n(define (g) (car 1 2))\n(define h (sqare 2))\n(f 1 2)\n"
    found = editor.diagnostics(editor.open(tmp_path / "a.scm", text))
    assert [(cut(text, one.range), one.message.split("\n")[0]) for one in found] == [
        ("y", "unbound name `y`"),
        ("(car 1 2)", "`car` takes 1 argument, but is given 2"),
        ("sqare", "unbound name `sqare`"),
        ("(f 1 2)", "`f` takes 1 argument, but is given 2"),
    ]
    assert "hint: did you mean `square`?" in found[2].message
    assert {one.source for one in found} == {"cogen"}
    assert [one.code for one in found] == ["unbound", "argument-count"] * 2
    assert found[0].code_description is not None
    page, _, anchor = found[0].code_description.href.partition("#")
    assert f"### {anchor}\n" in Path(unquote(urlparse(page).path)).read_text(encoding="utf-8")


def test_errors_come_and_go_as_the_text_changes(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "b.scm", "(define x (f 1")
    (first,) = editor.diagnostics(uri)
    assert first.message.startswith("unclosed `(`")
    assert first.related_information is not None
    editor.change(uri, "(define (f y) y)\n(define x (f 1))", 2)
    assert editor.diagnostics(uri, 2) == []


def test_nothing_crashes_on_half_written_text(editor: Editor, tmp_path: Path) -> None:
    """Every beginning of a program is answered, and the last version's errors are told."""
    text = (
        '(import (srfi 1))\n(define-record-type p (mk a) p? (a p-a))\n(define (f x . y)\n  "a\\n" '
        "#\\a `(1 ,@y)\n  (let loop ((i 0)) (if (< i 3) (loop (+ i 1)) '#(1 2))))\n"
        "(define-syntax m (syntax-rules () ((_ a) (f a))))\n(m 1)\n"
    )
    uri = editor.open(tmp_path / "c.scm", "")
    beginnings = [*range(0, len(text), 3), len(text)]
    for version, length in enumerate(beginnings, 2):
        editor.change(uri, text[:length], version)
        if version % 20 == 0:
            for ask in (
                editor.client.text_document_document_symbol_async(
                    types.DocumentSymbolParams(document(uri))
                ),
                editor.client.text_document_completion_async(
                    types.CompletionParams(document(uri), types.Position(2, 1))
                ),
                editor.client.text_document_code_lens_async(types.CodeLensParams(document(uri))),
            ):
                assert editor.wait(ask) is not None
    assert editor.diagnostics(uri, len(beginnings) + 1) == []


def test_a_text_without_a_file_and_other_units(editor: Editor) -> None:
    text = '(define 𝄞 "𝄞𝄞") (list 𝄞 unbound)'
    (found,) = editor.diagnostics(editor.open("untitled:Untitled-1", text))
    units = text.replace("𝄞", "__")
    assert cut(units, found.range) == "unbound"


# What names mean


def test_hover_tells_of_primitives_libraries_and_procedures(editor: Editor, tmp_path: Path) -> None:
    text = (
        POWER + "(import (srfi 1))\n(display (fold + 0 (list (vector-ref #(1) 0) (power 1 2))))\n"
    )
    uri = editor.open(tmp_path / "e.scm", text)
    editor.diagnostics(uri)
    assert "(vector-ref vector int) -> any" in hover(editor, uri, at(text, "vector-ref"))
    assert "of the library (srfi 1)" in hover(editor, uri, at(text, "fold"))
    told = hover(editor, uri, at(text, "power 1"))
    assert told.startswith("```scheme\n(power x n)\n```\n\nx to the n-th.")
    assert "a form of the language" in hover(editor, uri, at(text, "if"))
    assert hover(editor, uri, types.Position(1, 0)) == ""


def test_hover_tells_what_is_known(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "f.scm", POWER)
    values = editor.wait(
        editor.client.text_document_inlay_hint_async(
            types.InlayHintParams(
                document(uri), types.Range(types.Position(0, 0), types.Position(9, 0))
            )
        )
    )
    assert values is not None
    shown = [(one.position.line, one.position.character, one.label) for one in values]
    assert shown == [(3, 18, "= 3, 2, 1, 0"), (4, 13, "⇒ #f, #t"), (4, 37, "⇒ 2, 1, 0")]
    told = hover(editor, uri, at(POWER, "n)"))
    assert "In `(power (dynamic int) (static 3))`:" in told
    assert "its value: 3, 2, 1, 0" in told
    assert "(* x (* x x))" in hover(editor, uri, at(POWER, "(* x"))
    assert "only the run knows it" in hover(editor, uri, at(POWER, "x n"))
    assert "(define (power x) (* x (* x x)))" in hover(editor, uri, at(POWER, "(power (dyn"))


def test_what_goes_wrong_when_it_is_specialized_is_told(editor: Editor, tmp_path: Path) -> None:
    text = (
        ";; cogen: (f (static 0))\n;; cogen: (nothing _)\n;; cogen: (f _ _)\n;; cogen: (f\n"
        "(define (f x) (quotient 1 x))\n"
    )
    found = editor.diagnostics(editor.open(tmp_path / "g.scm", text), count=4)
    assert [(cut(text, one.range), one.message.split("\n")[0]) for one in found] == [
        ("(quotient 1 x)", "quotient: division by zero (in (f (static 0)))"),
        ("nothing", "no procedure `nothing` is defined here"),
        ("(f _ _)", "`f` has 1 parameter, but 2 binding times were given"),
        ("(", "unclosed `(`"),
    ]


def test_definitions_lead_across_imports(editor: Editor, tmp_path: Path) -> None:
    library = "(define-library (shapes)\n  (export area)\n  (begin (define (area x) (* x x))))\n"
    (tmp_path / "shapes.scm").write_text(library)
    text = "(import (shapes) (srfi 1))\n(define (main a) (area (iota a)))\n"
    uri = editor.open(tmp_path / "h.scm", text)

    def defined(word: str) -> types.Location:
        asked = types.DefinitionParams(document(uri), at(text, word))
        found = editor.wait(editor.client.text_document_definition_async(asked))
        assert isinstance(found, types.Location)
        return found

    area = defined("area")
    assert area.uri == (tmp_path / "shapes.scm").as_uri()
    assert cut(library, area.range) == "area"
    assert defined("shapes").uri == area.uri
    iota = defined("iota")
    path = Path(unquote(urlparse(iota.uri).path))
    assert cut(path.read_text(), iota.range) == "iota"
    assert defined("a)))").range.start == at(text, "a) (area")


def test_an_open_library_counts_before_it_is_saved(editor: Editor, tmp_path: Path) -> None:
    file = tmp_path / "lib.scm"
    file.write_text("(define-library (lib) (export f) (begin (define (f x) x)))\n")
    uri = editor.open(tmp_path / "i.scm", "(import (lib))\n(f 1)\n(g 1)\n")
    assert [one.message for one in editor.diagnostics(uri)] == ["unbound name `g`"]
    editor.versions.clear()
    editor.open(
        file, "(define-library (lib) (export f g) (begin (define (f x) x) (define (g x) x)))\n"
    )
    assert editor.diagnostics(uri) == []


def test_references_and_highlights(editor: Editor, tmp_path: Path) -> None:
    text = "(define (f x) (let ((x (+ x 1))) x))\n(f 2)\n"
    uri = editor.open(tmp_path / "j.scm", text)
    context = types.ReferenceContext(True)
    asked = types.ReferenceParams(context, document(uri), at(text, "x) (let"))
    found = editor.wait(editor.client.text_document_references_async(asked))
    assert [one.range.start.character for one in found or []] == [11, 26]
    asked_too = types.DocumentHighlightParams(document(uri), at(text, "f 2"))
    marks = editor.wait(editor.client.text_document_document_highlight_async(asked_too))
    assert [(m.range.start.line, m.range.start.character) for m in marks or []] == [(0, 9), (1, 1)]


def test_outline(editor: Editor, tmp_path: Path) -> None:
    text = (
        POWER
        + "(define (f)\n  (define inner 1)\n  inner)\n(define-record-type p (mk a) p? (a p-a))"
    )
    uri = editor.open(tmp_path / "k.scm", text)
    asked = types.DocumentSymbolParams(document(uri))
    found = editor.wait(editor.client.text_document_document_symbol_async(asked))
    symbols = [one for one in found or [] if isinstance(one, types.DocumentSymbol)]
    assert [one.name for one in symbols] == ["power", "f", "p"]
    assert [[inner.name for inner in one.children or []] for one in symbols] == [
        [], ["inner"], ["mk", "p?", "p-a"],
    ]  # fmt: skip


# Edits


def completed(editor: Editor, uri: str, position: types.Position) -> list[str]:
    asked = types.CompletionParams(document(uri), position)
    found = editor.wait(editor.client.text_document_completion_async(asked))
    assert isinstance(found, list)
    return [one.label for one in found]


def test_completion_knows_locals_of_unfinished_forms_first(editor: Editor, tmp_path: Path) -> None:
    text, place = marked("(define (f width)\n  (let ((wild 1)) (+ w|\n")
    uri = editor.open(tmp_path / "l.scm", text)
    names = completed(editor, uri, place)
    assert names[:2] == ["wild", "width"]
    assert "when" in names
    assert "car" not in names
    text, place = marked('(define s "ca|")')
    assert completed(editor, editor.open(tmp_path / "m.scm", text), place) == []


def test_completion_is_explained(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "n.scm", "(vector-re")
    asked = types.CompletionParams(document(uri), types.Position(0, 10))
    found = editor.wait(editor.client.text_document_completion_async(asked))
    assert isinstance(found, list)
    (item,) = [one for one in found if one.label == "vector-ref"]
    assert isinstance(item.text_edit, types.TextEdit)
    assert item.text_edit.range.start.character == 1
    told = editor.wait(editor.client.completion_item_resolve_async(item))
    assert told.detail == "(vector-ref vector int) -> any"
    assert isinstance(told.documentation, types.MarkupContent)
    assert "The element at an index" in told.documentation.value


def test_help_with_calls(editor: Editor, tmp_path: Path) -> None:
    text, place = marked(POWER + "(define (g v) (vector-ref v |")
    uri = editor.open(tmp_path / "w.scm", text)
    asked = types.SignatureHelpParams(document(uri), place)
    found = editor.wait(editor.client.text_document_signature_help_async(asked))
    assert found is not None
    assert [one.label for one in found.signatures] == ["(vector-ref vector int) -> any"]
    assert found.active_parameter == 1


def test_hints_are_repairs(editor: Editor, tmp_path: Path) -> None:
    text = ";;; Numbers.\n\n(define (f x) (squar x))\n(define (g x) (iota x))\n"
    uri = editor.open(tmp_path / "x.scm", text)
    told = editor.diagnostics(uri)
    context = types.CodeActionContext(told)
    whole = types.Range(types.Position(0, 0), types.Position(9, 0))
    asked = types.CodeActionParams(document(uri), whole, context)
    actions = editor.wait(editor.client.text_document_code_action_async(asked)) or []
    edits = {
        one.title: one.edit.changes[uri][0]
        for one in actions
        if isinstance(one, types.CodeAction) and one.edit is not None and one.edit.changes
    }
    assert list(edits) == ["write `square`", "add (import (srfi 1))"]
    assert cut(text, edits["write `square`"].range) == "squar"
    added = edits["add (import (srfi 1))"]
    assert (added.new_text, added.range.start.line) == ("(import (srfi 1))\n", 2)


def renamed(editor: Editor, uri: str, text: str, position: types.Position, name: str) -> str:
    asked = types.RenameParams(document(uri), position, name)
    edit = editor.wait(editor.client.text_document_rename_async(asked))
    assert edit is not None
    assert edit.changes is not None
    lines = text.split("\n")
    for one in reversed(edit.changes[uri]):
        line, start, end = one.range.start.line, one.range.start.character, one.range.end.character
        lines[line] = lines[line][:start] + one.new_text + lines[line][end:]
    return "\n".join(lines)


def test_rename_changes_what_is_meant_and_nothing_else(editor: Editor, tmp_path: Path) -> None:
    text = "(define (f x) (let ((x (+ x 1))) (list 'x x)))\n(define (g y) (f y))\n"
    uri = editor.open(tmp_path / "o.scm", text)
    inner = renamed(editor, uri, text, at(text, "x (+"), "z")
    assert inner == text.replace("((x (+", "((z (+").replace("'x x", "'x z")
    outer = renamed(editor, uri, text, at(text, "f y"), "h")
    assert outer == text.replace("(f ", "(h ")
    for place, name, why in (
        (at(text, "x) (let"), "list", "something else would be meant"),
        (at(text, "f y"), "a b", "is no name"),
        (at(text, "list"), "l", "only what is defined in this file"),
    ):
        with pytest.raises(JsonRpcException, match=why):
            renamed(editor, uri, text, place, name)
    asked = types.PrepareRenameParams(document(uri), at(text, "list"))
    assert editor.wait(editor.client.text_document_prepare_rename_async(asked)) is None


# Residual programs


def test_lenses_ask_for_residual_programs(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "p.scm", POWER)
    asked = types.CodeLensParams(document(uri))
    lenses = editor.wait(editor.client.text_document_code_lens_async(asked)) or []
    commands = [one.command for one in lenses if one.command is not None]
    assert [one.title for one in commands] == ["specialize", "residual program", "C", "page"]
    before = len(editor.shown)
    answers = [editor.command(one.command, *(one.arguments or [])) for one in commands[:3]]
    assert "(define (power x n)" in answers[0]["text"]
    assert "(define (power x) (* x (* x x)))" in answers[1]["text"]
    assert "int64_t power(int64_t x)" in answers[2]["text"]
    assert answers[1]["statistics"]
    files = [Path(unquote(urlparse(one.uri).path)) for one in editor.shown[before:]]
    assert [file.suffix for file in files] == [".scm", ".scm", ".c"]
    assert files[2].read_text() == answers[2]["text"]


def test_a_command_that_cannot_be_done_says_why(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "q.scm", POWER)
    answer = editor.command("cogen.specialize", uri, "(power 1)", "scheme")
    assert "`power` has 2 parameters" in answer["error"]
    assert any("`power` has 2 parameters" in message for message in editor.messages)
    editor.messages.clear()
    assert "no form" in editor.command("cogen.specialize", uri, "(power 1 2)", "cobol")["error"]
    editor.messages.clear()
    assert editor.command("cogen.specialize", "file:///nowhere.scm", "f") is None


def test_values_of_the_chosen_division(editor: Editor, tmp_path: Path) -> None:
    text = ";; cogen: (f (static 1))\n;; cogen: (f (static 2))\n(define (f x) (+ x 1))\n"
    uri = editor.open(tmp_path / "r.scm", text)

    def shown() -> list[str]:
        whole = types.Range(types.Position(0, 0), types.Position(9, 0))
        asked = types.InlayHintParams(document(uri), whole)
        found = editor.wait(editor.client.text_document_inlay_hint_async(asked))
        return [str(one.label) for one in found or []]

    assert shown() == ["= 1", "⇒ 2"]
    editor.command("cogen.showValues", uri, "(f (static 2))")
    assert shown() == ["= 2", "⇒ 3"]


def test_names_have_the_colours_of_what_is_known(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "v.scm", POWER)
    asked = types.SemanticTokensParams(document(uri))
    found = editor.wait(editor.client.text_document_semantic_tokens_full_async(asked))
    assert found is not None
    legend = editor.server.semantic_tokens_provider
    assert legend is not None
    line = column = 0
    shown: list[tuple[str, str]] = []
    for place in range(0, len(found.data), 5):
        down, right, width, kind, _ = found.data[place : place + 5]
        line, column = line + down, right if down else column + right
        text = POWER.split("\n")[line][column : column + width]
        shown.append((text, legend.legend.token_types[kind]))
    assert shown == [
        ("x", "dynamic"), ("n", "static"), ("=", "static"), ("n", "static"), ("*", "dynamic"),
        ("x", "dynamic"), ("power", "static"), ("x", "dynamic"), ("-", "static"), ("n", "static"),
    ]  # fmt: skip


# The process


def test_what_programs_print_and_read_does_not_disturb(editor: Editor, tmp_path: Path) -> None:
    text = ';; cogen: (f (static 1))\n(define (f x) (display "hello") (read-line) (+ x 1))\n'
    uri = editor.open(tmp_path / "s.scm", text)
    editor.diagnostics(uri)
    answer = editor.command("cogen.specialize", uri, "(f (static 1))")
    assert '(display "hello")' in answer["text"]


def test_requests_can_be_cancelled(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "t.scm", POWER)

    async def cancelled() -> None:
        asked = editor.client.protocol.send_request_async(
            types.TEXT_DOCUMENT_HOVER,
            types.HoverParams(document(uri), types.Position(3, 9)),
            msg_id="cancel-me",
        )
        waiting = asyncio.ensure_future(asked)
        await asyncio.sleep(0)
        editor.client.cancel_request(types.CancelParams("cancel-me"))
        (answer,) = await asyncio.gather(waiting, return_exceptions=True)
        assert isinstance(answer, JsonRpcException | types.Hover)  # it may have come before

    editor.wait(cancelled())
    assert hover(editor, uri, types.Position(3, 9))


def test_closing_takes_diagnostics_back(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "u.scm", "(")
    assert editor.diagnostics(uri)
    closed = types.DidCloseTextDocumentParams(document(uri))
    editor.client.text_document_did_close(closed)

    async def taken_back() -> None:
        while editor.told[uri]:
            await asyncio.sleep(0.01)

    editor.wait(taken_back())


# L0

PRICES = """\
// The greatest of an array.
fun real most([real] a) = reduce(fn real (real x, real y) => if x < y then y else x, 0.0, a)

fun real main([real] a) = let b = map(fn real (real x) => x * 2.0, a) in most(b)
"""


def test_l0(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "a.l0", PRICES, "l0")
    assert editor.diagnostics(uri) == []
    told = hover(editor, uri, at(PRICES, "most(b)"))
    assert told.startswith("```l0\nfun real most([real] a)\n```\n\nThe greatest of an array.")
    assert "[real] b" in hover(editor, uri, at(PRICES, "b ="))
    assert "reduce(F, e, a)" in hover(editor, uri, at(PRICES, "reduce"))
    asked = types.DefinitionParams(document(uri), at(PRICES, "most(b)"))
    found = editor.wait(editor.client.text_document_definition_async(asked))
    assert isinstance(found, types.Location)
    assert found.range.start == at(PRICES, "most([")
    assert "most" in completed(editor, uri, types.Position(3, 78))
    assert renamed(editor, uri, PRICES, at(PRICES, "most(b)"), "top") == PRICES.replace(
        "most(", "top("
    )
    place = types.Position(3, PRICES.split("\n")[3].index("most(b") + len("most("))
    help_asked = types.SignatureHelpParams(document(uri), place)
    told_of_call = editor.wait(editor.client.text_document_signature_help_async(help_asked))
    assert told_of_call is not None
    assert told_of_call.signatures[0].label == "fun real most([real] a)"
    answer = editor.command("cogen.specialize", uri, "main", "c")
    assert "double" in answer["text"]


def test_l0_knows_records_and_unions(editor: Editor, tmp_path: Path) -> None:
    text = (
        "union shape = circle {real radius} | dot\nrecord point {real x, real y}\n"
        "fun real f(point p, shape s) =\n"
        "  case s of {circle(r) => r * p.x, dot => point{x = 1.0, y = 2.0}.y}\n"
    )
    uri = editor.open(tmp_path / "c.l0", text, "l0")
    assert editor.diagnostics(uri) == []
    told = hover(editor, uri, at(text, "circle", 1))
    assert told.startswith("```l0\ncircle {real radius}\n```")
    asked = types.DefinitionParams(document(uri), at(text, "point{"))
    found = editor.wait(editor.client.text_document_definition_async(asked))
    assert isinstance(found, types.Location)
    assert found.range.start == at(text, "point")
    outline = editor.client.text_document_document_symbol_async(
        types.DocumentSymbolParams(document(uri))
    )
    assert [one.name for one in editor.wait(outline) or []] == ["shape", "point", "f"]


def test_l0_definitions_lead_across_imports(editor: Editor, tmp_path: Path) -> None:
    library = "// Twice.\nfun int twice(int x) = x + x\n"
    (tmp_path / "lib.l0").write_text(library)
    text = (
        'import "lib.l0"\nfun int f(int x) = twice(x)\nfun int g(int x) = f(x)\n'
        "law f(g(x)) = f(x)\n"
    )
    uri = editor.open(tmp_path / "d.l0", text, "l0")
    assert editor.diagnostics(uri) == []
    asked = types.DefinitionParams(document(uri), at(text, "twice"))
    found = editor.wait(editor.client.text_document_definition_async(asked))
    assert isinstance(found, types.Location)
    assert found.uri == (tmp_path / "lib.l0").as_uri()
    assert cut(library, found.range) == "twice"
    assert "Twice." in hover(editor, uri, at(text, "twice"))
    outline = editor.client.text_document_document_symbol_async(
        types.DocumentSymbolParams(document(uri))
    )
    assert [one.name for one in editor.wait(outline) or []] == ["f", "g"]
    assert renamed(editor, uri, text, at(text, "f(int"), "h") == text.replace("f(", "h(")
    with pytest.raises(JsonRpcException, match="only what is defined in this file"):
        renamed(editor, uri, text, at(text, "twice"), "h")


def test_l0_tells_all_errors(editor: Editor, tmp_path: Path) -> None:
    text = "fun int f(int x) = y\nfun int g(int x) = x +\nfun real h(real x) = x + 1\n"
    found = editor.diagnostics(editor.open(tmp_path / "b.l0", text, "l0"))
    assert [(one.range.start.line, cut(text, one.range)) for one in found] == [
        (0, "y"),
        (2, "fun"),
        (2, "x + 1"),
    ]
