"""What is found out about texts that are being written, without a server."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogen.api import library_path
from cogen.array.programs.arrayprogram import Program
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, Source
from cogen.lang.governor import Budget
from cogen.lang.load import load_source
from cogen.lsp import l0, scheme
from cogen.lsp.analysis import Analysis
from cogen.lsp.divisions import Specialized, divisions, load
from cogen.lsp.formsaround import is_in_text, local_names, word_at
from cogen.lsp.help import usages
from cogen.lsp.helpl0 import usages_in_l0
from cogen.lsp.outline import outline
from cogen.lsp.positions import UNITS, Positions
from cogen.lsp.reading import read_forms
from cogen.lsp.reference import libraries, markdown
from cogen.lsp.rename import rename, replaced

ROOT = Path(__file__).parents[3]
PROGRAMS = sorted([*ROOT.glob("tests/programs/**/*.scm"), *ROOT.glob("examples/**/*.scm")], key=str)
ARRAY_PROGRAMS = sorted(ROOT.glob("tests/programs/l0/**/*.l0"), key=str)[::3]


def told(load: Callable[[Source], object], source: Source) -> set[tuple[str, str]]:
    """What loading a program tells, and where."""
    try:
        load(source)
    except CogenError as error:
        return {(one.message, str(one.span)) for one in (error, *error.others)}
    return set()


def found(analysis: Analysis) -> set[tuple[str, str]]:
    """What an analysis tells, and where."""
    return {(one.message, str(one.span)) for one in analysis.errors}


# Laws


def test_programs_have_the_errors_that_loading_tells() -> None:
    for path in PROGRAMS[::3]:
        source = Source(str(path), path.read_text(encoding="utf-8"))
        expected = told(lambda source: load_source(source, library_path()), source)
        errors = found(scheme.analyse(source))
        assert expected <= errors, path
        assert bool(expected) == bool(errors), path


def test_array_programs_have_the_errors_that_checking_tells() -> None:
    for path in ARRAY_PROGRAMS[::3]:
        source = Source(str(path), path.read_text(encoding="utf-8"))
        expected = told(lambda source: on_deep_stack(Program, source), source)
        errors = found(l0.analyse(source))
        assert expected <= errors, path
        assert bool(expected) == bool(errors), path


def asked(analysis: Analysis, offset: int) -> None:
    """Ask all that can be asked."""
    analysis.symbols()
    analysis.meaning_at(offset)
    for candidate in list(analysis.candidates(offset))[:20]:
        candidate.describe()
    occurrence = analysis.at(offset)
    if occurrence is not None:
        assert occurrence in analysis.same(occurrence) or analysis.same(occurrence)
    for error in analysis.errors:
        assert error.render()


@given(st.data())
def test_nothing_crashes_on_what_is_half_written(data: st.DataObject) -> None:
    of_arrays = data.draw(st.booleans())
    path = data.draw(st.sampled_from(ARRAY_PROGRAMS if of_arrays else PROGRAMS[:30]))
    text = path.read_text(encoding="utf-8")[:3000]
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 40)))
    typed = data.draw(st.text("()'`,\"|#\\;[]{}.a1 \n", max_size=5))
    changed = text[:start] + typed + data.draw(st.sampled_from([text[end:], ""]))
    analyse = l0.analyse if of_arrays else scheme.analyse
    asked(analyse(Source(str(path), changed), Budget(20)), start + len(typed))


@given(st.text("ab𝄞é\n"), st.sampled_from(sorted(UNITS)))
def test_positions_are_offsets(text: str, encoding: str) -> None:
    positions = Positions(text, encoding)
    for offset in range(len(text) + 1):
        assert positions.offset(*positions.of(offset)) == offset
    assert positions.offset(0, 10**6) == len(text.split("\n")[0])
    assert positions.offset(10**6, 0) == positions.offset(text.count("\n") + 1, 0) == len(text)
    assert positions.offset(-1, 5) == 0
    assert positions.width(0, len(text)) == len(text.encode(CODECS[encoding])) // UNITS[encoding]


CODECS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}


# Mistakes


def messages(text: str) -> list[str]:
    return [one.message for one in scheme.analyse(Source("a.scm", text)).errors]


def test_a_mistake_hides_nothing_of_other_forms() -> None:
    text = (
        "(define (f x) (let ((y 1) (+ x y)))\n(define (g) (f unbound))\n(if)\n(define (h) (g 1))\n"
    )
    assert len(messages(text)) == 4


def test_what_follows_from_a_mistake_is_not_told() -> None:
    unread = '(define (f x) "open)\n(define (g) 1)\n'
    (first,) = messages(unread.replace("g", "f2") + "")
    assert "string" in first
    assert messages("(define (f x) (g x\n(define (h) (f 1))\n")[1:] == []
    (missing,) = messages("(import (no such))\n(define (f) (from-there 1))\n")
    assert "there is no library" in missing


def test_work_is_within_its_budget() -> None:
    text = (
        "(define-syntax m (syntax-rules () ((_ x ...) (m x ... x ...))))\n"
        "(define (f x) x)\n(define y (m 1))\n"
    )
    start = time.monotonic()
    analysis = scheme.analyse(Source("a.scm", text), Budget(0.2))
    assert time.monotonic() - start < 5
    (error,) = analysis.errors
    assert error.span is not None
    assert error.span.line == 3
    assert [one.name for one in analysis.symbols()] == ["m", "f", "y"]


def test_deep_text_is_no_danger() -> None:
    analysis = scheme.analyse(Source("a.scm", "(f " * 50_000), Budget(20))
    assert analysis.errors
    analysis = scheme.analyse(Source("a.scm", f"(define x {'(list ' * 5000}1{')' * 5000})"))
    assert not analysis.errors
    form = scheme.form_at(analysis.forms, 40)
    assert form is not None


# Unfinished text


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("(define (f a . rest) (let ((b 1)) |", ["b", "a", "rest", "f"]),
        ("(define (f a) (define (g x) 1) |", ["g", "a"]),
        ("(lambda all |", ["all"]),
        ("(let loop ((i 0) (j 1)) |", ["loop", "i", "j"]),
        ("(let-values (((a b) (f)) (c (g))) |", ["a", "b", "c"]),
        ("(case-lambda ((a) 1) ((b . c) |", ["b", "c"]),
        ("(define (f a) a) (g |", []),
        ("(let* ((a 1) b (c)) |", ["a", "c"]),
        ("(let ((a 1)) 2) word (f . |", []),
        ("(define ((curried a) b) |", ["b"]),
        ("(lambda (a . no-dot) |", ["a", "no-dot"]),
        ('(let ((s "(let ((no 1))") ; (let ((no 2))\n (t #\\()) |', ["s", "t"]),
    ],
)
def test_local_names(text: str, names: list[str]) -> None:
    offset = text.index("|")
    found = local_names(text.replace("|", ""), offset)
    assert [one for one in found if one in names] == names
    assert "." not in found
    assert "no" not in found


def test_words_and_texts() -> None:
    text = '(vector-ref v "a b" ; c d\n #|x|# y)'
    assert word_at(text, 4) == ("vector-ref", 1, 11)
    assert word_at("a", 0) == word_at("a", 1) == ("a", 0, 1)
    assert word_at("(a   b)", 4) is None
    assert word_at("(a\nbc", 4) == ("bc", 3, 5)
    assert word_at(text, text.index("a b")) is None
    assert word_at(text, text.index("c d")) is None
    assert is_in_text(text, text.index("b"))
    assert not is_in_text(text, text.index("y"))


@pytest.mark.parametrize(
    ("text", "forms", "errors"),
    [
        ("(a) (b)", ["(a)", "(b)"], []),
        ("(a)\n(b (c\n(d)\n)\n(e)\n", ["(a)", "(d)", "(e)"], [(2, 1), (4, 1)]),
        ("(a\n\n; (x)\n(b)", ["(b)"], [(1, 1)]),
        ('(a "b)\n(c)', ["(c)"], [(1, 4)]),
        ("  (a\n(b) (c", ["(b)"], [(2, 5)]),
        (") ) (a)", [], [(1, 1)]),
        (")\n(a)\n\n", ["(a)"], [(1, 1)]),
        (" ; c\n", [], []),
    ],
)
def test_reading_goes_on_after_a_mistake(
    text: str, forms: list[str], errors: list[tuple[int, int]]
) -> None:
    made = read_forms(Source("a.scm", text))
    assert [text[one.span.start : one.span.end] for one in made.forms] == forms
    spans = [one.span for one in made.errors if one.span is not None]
    assert [(one.line, one.column) for one in spans] == errors
    for span in spans:
        assert any(one.start <= span.start <= one.end for one in made.skipped)


def test_outline_has_what_is_within() -> None:
    forms = read_forms(
        Source("a.scm", "(define-library (a b) (begin (define (f) (define g 1) g)))(define x 1)")
    ).forms
    (library, x) = outline(forms)
    assert (library.name, library.kind, x.kind) == ("(a b)", "library", "variable")


# Names


def renamed(text: str, word: str, new: str) -> str:
    source = Source("a.scm", text)
    places = rename(scheme.analyse(source), text.index(word), new, scheme.analyse)
    return replaced(text, places, new)


@pytest.mark.parametrize(
    ("text", "word", "changed"),
    [
        ("(define (f n) (* n (f n))) (f 1)", "f n", "(define (new n) (* n (new n))) (new 1)"),
        ("(let loop ((i 0)) (loop i))", "i 0", "(let loop ((new 0)) (loop new))"),
        ("(define x 1) (set! x 2) 'x", "x 1", "(define new 1) (set! new 2) 'x"),
        (
            "(define-syntax m (syntax-rules () ((_ a) (g a)))) (define (g x) x) (m 1)",
            "g x",
            "(define-syntax m (syntax-rules () ((_ a) (new a)))) (define (new x) x) (m 1)",
        ),
        (
            "(define-record-type p (mk a) p? (a p-a)) (p-a (mk 1))",
            "p-a",
            "(define-record-type p (mk a) p? (a new)) (new (mk 1))",
        ),
        ("(do ((i 0 (+ i 1))) ((= i 3) i))", "i 0", "(do ((new 0 (+ new 1))) ((= new 3) new))"),
        (
            ";; cogen: ( f _ 3)\n; cogen: (f 2 _)\n; cogen: (g _)\n(define (f x f) (+ x f))",
            "f x",
            ";; cogen: ( new _ 3)\n; cogen: (new 2 _)\n; cogen: (g _)\n(define (new x f) (+ x f))",
        ),
        (";; cogen: (x _)\n(define (f x) x)", "x) x", ";; cogen: (x _)\n(define (f new) new)"),
        (
            "; cogen: (g _)\n(f 1) (define (f x) x)",
            "f x",
            "; cogen: (g _)\n(new 1) (define (new x) x)",
        ),
    ],
)
def test_renaming(text: str, word: str, changed: str) -> None:
    assert renamed(text, word, "new") == changed


CHANGES = "something else would be meant"
NO_NAME = "is no name"
NOT_HERE = "only what is defined in this file"
HIDDEN = "mend the errors of the file first"


@pytest.mark.parametrize(
    ("text", "word", "new", "why"),
    [
        ("(define (f x) (let ((y 1)) (+ x y)))", "x)", "y", CHANGES),
        ("(define (f x) (car x))", "f x", "car", CHANGES),
        ("(define x 1) (define (f y) x)", "x 1", "y", CHANGES),
        ("(define (f x) (if x 1 2))", "x)", "if", CHANGES),
        ("(define (f x) x)", "f x", "", NO_NAME),
        ("(define (f x) x)", "f x", "a b", NO_NAME),
        ("(define (f x) x)", "f x", "a(b", NO_NAME),
        ("(define (f x) (car x))", "car", "first", NOT_HERE),
        ("(define (f x) 'q)", "q", "r", NOT_HERE),
        ("(define (f x) x)\n(define (g) (f 1)", "f x", "h", HIDDEN),
        ("(define (f x) x)\n(define (g) (if) (f 1))", "f x", "h", HIDDEN),
    ],
)
def test_renaming_is_refused(text: str, word: str, new: str, why: str) -> None:
    with pytest.raises(CogenError, match=why):
        renamed(text, word, new)


@pytest.mark.parametrize(
    "rest",
    [
        "(define (g) (unknown (f 1)))",
        '(define (g) (if) "f" ; f\n)',
        "(define (g) (if) (off 1))",
        "(define (g (off 1)",
        "(define (g) (case 1 ((f) 2)))",
    ],
)
def test_mistakes_that_hide_nothing_do_not_keep_from_renaming(rest: str) -> None:
    text = f"(define (f x) x)\n{rest}\n"
    assert renamed(text, "f x", "h") == text.replace("(f x)", "(h x)").replace("(f 1)", "(h 1)")


def test_renaming_in_l0() -> None:
    text = "fun int f(int x) = x\nfun int g(int x) = f(x)\nfun int h(int x) = x +\n"
    analysis = l0.analyse(Source("a.l0", text))
    assert len(analysis.errors) == 1
    places = rename(analysis, text.index("f("), "k", l0.analyse)
    assert replaced(text, places, "k") == text.replace("f(", "k(")
    hidden = text.replace("x +", "f(x) +")
    analysis = l0.analyse(Source("a.l0", hidden))
    with pytest.raises(CogenError, match=HIDDEN):
        rename(analysis, hidden.index("f("), "k", l0.analyse)


def test_names_of_several_files_are_not_renamed(tmp_path: Path) -> None:
    comment = f";;; {'Far behind all of the other file. ' * 10}\n"
    (tmp_path / "b.scm").write_text(f"{comment}(define (theirs x) (ours x))\n")
    text = '(include "b.scm")\n(define (ours x) x)\n(define (mine x) (ours (theirs x)))\n'
    source = Source(str(tmp_path / "a.scm"), text)
    analysis = scheme.analyse(source)
    assert not analysis.errors
    for word, why in (("ours", "is used in other files"), ("theirs", "only what is defined")):
        with pytest.raises(CogenError, match=why):
            rename(analysis, text.index(word), "new", scheme.analyse)
    places = rename(analysis, text.index("mine"), "new", scheme.analyse)
    assert [one.start for one in places] == [text.index("mine")]


def test_signatures_and_comments() -> None:
    text = (
        ";; Doubles.\n;; cogen: (twice _)\n(define (twice x) (* 2 x))\n"
        "(define pair (lambda (a . b) a))\n"
        "(define several (case-lambda ((a) a) ((a b) b)))\n"
        "(define (curried a) (lambda (b) a))\n"
        "(define (long a)\n  (list a))\n"
        "(define-record-type point\n  (make-point x y)\n  point?\n  (x point-x)\n  (y point-y))\n"
        "(list twice pair several curried long point-y)\n"
    )
    analysis = scheme.analyse(Source("a.scm", text))
    start = text.index("(list")

    def meaning(word: str) -> tuple[str, str]:
        found = analysis.meaning_at(text.index(word, start))
        assert found is not None
        return found[0].signature, found[0].doc

    parameter = analysis.meaning_at(text.index("x)"))
    assert parameter is not None
    assert parameter[0].doc == ""
    assert meaning("twice") == ("(twice x)", "Doubles.")
    assert meaning("pair") == (
        "(pair a . b)",
        "```scheme\n(define pair (lambda (a . b) a))\n```",
    )
    assert meaning("several")[0] == "(several a)\n(several a b)"
    assert meaning("long") == ("(long a)", "")
    assert "(y point-y)" in meaning("point-y")[1]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("(vector-ref |", ["vector"]),
        ("(vector-ref v|", ["vector"]),
        ("(vector-ref v |", ["int"]),
        ("(vector-ref v 1 |", [None]),
        ("(vector-ref (f 1) |", ["int"]),
        ("(vector-ref (f 1)|", ["int"]),
        ("(define (g a . b) a)\n(g 1 2 3 |", ["b"]),
        ("(define h (case-lambda ((a) a) ((a b) b)))\n(h 1 |", [None, "b"]),
        ("(+ 1 2 |", ["number"]),
        ("(vector-re|", []),
        ("(vector-ref|", []),
        ("(unknown |", []),
        ("|", []),
    ],
)
def test_usages(text: str, shown: list[str | None]) -> None:
    offset = text.index("|")
    found = usages(scheme.analyse(Source("a.scm", text.replace("|", ""))), offset)
    lines = [] if found is None else found[1]
    active = [
        None if one.active is None else one.text[slice(*one.parameters[one.active])]
        for one in lines
    ]
    assert active == shown


def test_the_last_parameter_may_be_for_several_arguments() -> None:
    for text, number in (("(+ ", 0), ("(+ 1 ", 1), ("(+ 1 2 ", 1), ("(+ 1 2 3 ", 1)):
        found = usages(scheme.analyse(Source("a.scm", text)), len(text))
        assert found is not None
        assert found[1][0].active == number


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("fun int main([int] a) = reduce(op +, |", ["e"]),
        ("fun int main([int] a) = reduce(fn int (int x, int y) => x, |", ["e"]),
        ("fun int main([int] a) = reduce(fn int (int x, |", []),
        ("fun int f([int] a, int n) = n\nfun int main([int] a) = f(a, |", ["int n"]),
        ("fun int f([int] a, int n) = n\nfun int main([int] a) = f((1, 2), size(0, |", ["a"]),
        ("fun [int] main([int] a) = map(f, a, |", ["a"]),
        ("fun real main(real a) = exp(|", ["real"]),
        ("fun int main([int] a) = // reduce(op +, |", []),
        ('fun int main([int] a) = "reduce(|', []),
        ('fun int main([int] a) = /* no */ reduce("//", |', ["e"]),
        ("fun int main([int] a) = unknown(|", []),
        ("fun int main([int] a) = (1, |", []),
        ("|", []),
    ],
)
def test_usages_in_l0(text: str, shown: list[str | None]) -> None:
    found = usages_in_l0(l0.analyse(Source("a.l0", text.replace("|", ""))), text.index("|"))
    lines = [] if found is None else found[1]
    active = [
        None if one.active is None else one.text[slice(*one.parameters[one.active])]
        for one in lines
    ]
    assert active == shown


# The reference


def test_every_name_of_the_language_and_its_libraries_is_told_of() -> None:
    """What has a comment tells of itself by it, a record type or a short definition by its text."""
    texts = ["", *[f"(import {library})" for library in libraries()]]
    for text in texts:
        analysis = scheme.analyse(Source("a.scm", text))
        candidates = [one.describe() for one in analysis.candidates(0)]
        names = [one for one in (*candidates, *analysis.imported()) if one is not None]
        assert len(names) > 400
        assert [one.name for one in names if not (one.doc or one.origin.startswith("a "))] == []


def test_the_reference_tells_how_names_are_used() -> None:
    text = markdown()
    assert "`(list-tail items k)`\n: The list without its first k items.\n" in text
    assert "`(caddr x)`\n: ```scheme\n  (define (caddr x) (car (cdr (cdr x))))\n  ```\n" in text
    assert "## `(srfi 133)`" in text
    assert "(define-record-type %box" in text


# Divisions


def test_values_of_a_division() -> None:
    text = """\
; cogen: (run '((push 2) (add)) (dynamic int))
(define (run code top)
  (if (null? code) top
      (let ((op (caar code)))
        (cond ((eq? op 'push) (run (cdr code) (+ top (cadr (car code)))))
              (else (run (cdr code) (* top top)))))))
"""
    source = Source("a.scm", text)
    (division,) = divisions(source)
    found = Specialized(load(source), division.call, division.place)
    assert found.error is None
    shown = {text[one.start : one.end]: one.text for one in found.hints("a.scm")}
    assert shown["op"] == "= push, add"
    assert shown["(null? code)"] == "⇒ #f, #t"
    assert shown["code"].startswith("= ((push 2) (add)), ((add)), ()")
    assert "top" not in shown
    start = text.index("(* top top)")
    assert found.made_of("a.scm", start, start + len("(* top top)"))


def test_files_of_divisions_are_beside_the_text(tmp_path: Path) -> None:
    (tmp_path / "n.data").write_text("3")
    source = Source(
        str(tmp_path / "a.scm"), "; cogen: (f (static @n.data))\n(define (f x) (* x x))"
    )
    (division,) = divisions(source)
    found = Specialized(load(source), division.call, division.place)
    assert found.residual is not None
    assert "9" in found.residual.scheme
