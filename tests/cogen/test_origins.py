"""Interpreted programs: errors, pages and source maps speak of them, in all ways alike."""

from __future__ import annotations

import pickle
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import cogen
from cogen import binding_times, origins
from cogen.cli import main
from cogen.lang.chain import Calls, ChainNode, at_node
from cogen.lang.errors import Source, Span
from cogen.lang.reader import read_datum

pytestmark = pytest.mark.quick

needs_c = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
)

INTERPRETER = """\
(define (run program x)                       ; program ::= ((name parameter body) ...)
  (apply-function (caddr (car program)) (cadr (car program)) x program))

(define (apply-function body parameter x program)
  (evaluate body parameter x program))

(define (evaluate e name x program)
  (cond ((number? e) e)
        ((symbol? e) (if (eq? e name) x (error "no such variable:" e)))
        ((eq? (car e) 'if)
         (if (< 0 (evaluate (cadr e) name x program))
             (evaluate (caddr e) name x program)
             (evaluate (cadddr e) name x program)))
        ((assq (car e) program)
         => (lambda (f)
              (let ((y (evaluate (cadr e) name x program)))
                (apply-function (caddr f) (cadr f) y program))))
        (else
         (let* ((a (evaluate (cadr e) name x program)) (b (evaluate (caddr e) name x program)))
           (case (car e)
             ((+) (+ a b))
             ((-) (- a b))
             ((/) (quotient a b)))))))
"""

PROGRAM = """\
((main n (+ (half (- n 1)) 1))
 (half m (if m
             (/ 100 (- m
                       3))
             (ratio (- m 1))))
 (ratio k (- (/ 7 (+ k 1)) 0)))
"""


def origin(text: str, name: str = "half.fun") -> cogen.Origin:
    return cogen.Origin(name, text, None)


@cache
def interpreter() -> object:
    return cogen.loads(INTERPRETER, "fun.scm")


@cache
def extension() -> Callable[..., cogen.Residual]:
    return cogen.generate(interpreter(), "run", cogen.static(), cogen.dynamic("int"))


def specialized(text: str = PROGRAM) -> cogen.Residual:
    known = cogen.static(cogen.datum(text), origin(text))
    return cogen.specialize(interpreter(), "run", known, cogen.dynamic("int"))


def generated(text: str = PROGRAM) -> cogen.Residual:
    return extension()(cogen.static(cogen.datum(text), origin(text)), cogen.dynamic("int"))


def failure(run: Callable[..., object], *arguments: object) -> cogen.CogenError:
    with pytest.raises(cogen.CogenError) as caught:
        run(*arguments)
    return caught.value


IN_HALF = """\
half.fun:3:14: error: quotient: division by zero
 3 |              (/ 100 (- m
   |              ^^^^^^^^^^^
  in the interpreter: fun.scm:23:19: (quotient a b)
  called from half.fun:1:13: (half (- n 1))"""

IN_RATIO = """\
half.fun:6:14: error: quotient: division by zero
 6 |  (ratio k (- (/ 7 (+ k 1)) 0)))
   |              ^^^^^^^^^^^^^
  in the interpreter: fun.scm:23:19: (quotient a b)
  called from half.fun:5:14: (ratio (- m 1))
  called from half.fun:1:13: (half (- n 1))"""


@pytest.mark.parametrize("make", [specialized, generated])
def test_errors_at_run_time(make: Callable[[], cogen.Residual]) -> None:
    run = make().to_python()
    assert run(5) == 101
    assert str(failure(run, 4)) == IN_HALF
    assert str(failure(run, 1)) == IN_RATIO


@pytest.mark.slow
@needs_c
@pytest.mark.parametrize("make", [specialized, generated])
def test_errors_of_native_code(make: Callable[[], cogen.Residual], tmp_path: Path) -> None:
    residual = make()
    run = residual.compile()
    assert run(5) == 101
    assert str(failure(run, 4)) == IN_HALF
    program = residual.executable(tmp_path / "half")
    done = subprocess.run([program, "4"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, IN_HALF + "\n")
    done = subprocess.run([program, "5"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "101\n")


@pytest.mark.parametrize("make", [specialized, generated])
def test_errors_while_specializing(make: Callable[[str], cogen.Residual]) -> None:
    error = failure(make, "((main n (+ n\n  (- n m))))")
    assert str(error).startswith("half.fun:2:3: error: no such variable: m\n 2 |   (- n m))))\n")
    assert error.inner is not None
    assert error.inner.line == 9


def test_recursion_of_the_interpreted_program_is_told() -> None:
    text = "((main n (if n (+ 1 (main (- n 1))) (/ 1 0))))"
    error = failure(specialized(text).to_python(), 2)
    assert error.span is not None
    assert error.span.column == 37
    assert "called from half.fun:1:21: (main (- n 1))" in str(error)


def test_a_generating_extension_notes_what_the_specializer_notes() -> None:
    one, two = specialized(), generated()
    assert one.scheme == two.scheme
    assert one.source_map() == two.source_map()
    assert list(map(str, one.program.nodes)) == list(map(str, two.program.nodes))


def test_source_maps_have_the_interpreted_places() -> None:
    found = specialized().source_map()
    assert found["sources"]["half.fun"] == PROGRAM
    lines = specialized().scheme.splitlines()
    texts = set()
    for region in found["regions"]:
        if region["target"] == "scheme" and "interpreted" in region:
            (line, start), (last, end) = region["start"], region["end"]
            if line == last:
                texts.add((lines[line - 1][start - 1 : end - 1], *region["interpreted"]["start"]))
    assert ("(quotient 100 (- x-1 3))", 3, 14) in texts


def test_pages_show_the_interpreted_program() -> None:
    page = specialized().html
    assert '<section class="pane" id="interpreted" aria-label="Interpreted program">' in page
    assert "<h2>Interpreter<span>fun.scm</span>" in page
    assert '"by":"Interpreted at "' in page
    assert "The interpreter has carried it out." in page
    assert "interpreted" not in cogen.specialize(
        cogen.loads("(define (f x) (+ x 1))"), "f", cogen.dynamic("int")
    ).html.replace("is_interpreted", "")


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "fun.scm").write_text(INTERPRETER)
    program = tmp_path / "p.fun"
    program.write_text("((main n (+ n (- n m))))")
    words = ["specialize", str(tmp_path / "fun.scm"), "--entry", "run", f"(static @{program})", "_"]
    assert main(words) == 1
    assert capsys.readouterr().err.startswith(f"{program}:1:15: error: no such variable: m\n")
    program.write_text("(main n 1)")
    assert main(words) == 1
    assert f"{program}:1:1: error" in capsys.readouterr().err


# Places in data


def told(text: str, data: str, at: tuple[int, ...] | None = (1, 2)) -> dict[str, str | None]:
    """The texts of nodes, and those of the nodes around them."""
    found = origins.nodes(read_datum(data), cogen.Origin("a", text, at))
    return {cut(node.place) or "": cut(node.around) for node in found.values()}


def cut(span: Span | None) -> str | None:
    return None if span is None else span.source.text[span.start : span.end]


def test_nodes_tell_lines_and_columns() -> None:
    text = "let x = a *\n  (b + 12)"
    data = "((let 1 1 x (* 1 9 (name 1 9 a) (+ 2 4 (name 2 4 b) (number 2 8 12)))))"
    whole, product = text[:-1], text[8:-1]
    assert told(text, data) == {
        whole: None, product: whole, "a": product, "b + 12": product, "b": "b + 12", "12": "b + 12",
    }  # fmt: skip
    assert told(text, "(n 1 5 1 6 #((m 1 9 1 12 1)))", (1, 2, 3, 4)) == {"x": None, "a *": "x"}
    assert told(text, "(n 9 1 (m 1 99 (k 0 0)) (list 1 #t 2) (k . 3))") == {}


def test_lists_of_a_text_are_nodes() -> None:
    assert told("(+ (* 1 x) ((f) 2))", "(+ (* 1 x) ((f) 2))", None) == {
        "(+ (* 1 x) ((f) 2))": None,
        "(* 1 x)": "(+ (* 1 x) ((f) 2))",
        "(f)": "(+ (* 1 x) ((f) 2))",
    }
    assert told("(+ 1)", "(+ 1 (f))", None) == {"(+ 1)": None}


POSITIONS = "an origin tells places by two or four positions in a list"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, "x"), "the name of an origin must be a string, not 1"),
        (("a", b"x"), "the text of an origin must be a string, not b'x'"),
        (
            ("a", "x", (1,)),
            f"{POSITIONS}, not a tuple",
        ),
        (("a", "x", "12"), f"{POSITIONS}, not '12'"),
    ],
)
def test_wrong_origins(arguments: tuple[object, ...], message: str) -> None:
    assert failure(cogen.Origin, *arguments).message == message


def test_origins_of_values() -> None:
    given = origin("(f)")
    known = cogen.static([cogen.symbol("f")], given)
    assert isinstance(known, binding_times.Static)
    assert known.origin == pickle.loads(pickle.dumps(known)).origin == given
    assert "must be a cogen.Origin" in failure(cogen.static, 1, "text").message


# From node to node

TEXT = Source("t", "f (g (a b) c) h", is_interpreted=True)


def node(start: int, end: int, around: tuple[int, int] | None = None) -> ChainNode:
    return ChainNode(Span(TEXT, start, end), None if around is None else Span(TEXT, *around))


def test_nodes_among_calls() -> None:
    site = Span(Source("i.scm", "(evaluate e)"), 0, 12)
    outer, inner, other = node(2, 13), node(5, 10, (2, 13)), node(11, 12, (2, 13))
    elsewhere = node(14, 15)

    def through(calls: Calls, *steps: ChainNode) -> list[tuple[int, int, int]]:
        for step in steps:
            calls = at_node(step, calls)
        return [(one.start, one.end, times) for one, times in calls if one is not None]

    assert through((), outer, inner) == [(5, 10, 1)]
    assert through((), outer, inner, other) == [(11, 12, 1)]
    assert through((), inner, outer) == [(2, 13, 1)]
    assert through((), inner, elsewhere) == [(14, 15, 1), (5, 10, 1)]
    called = ((site, 1), *at_node(inner, ()))
    assert through(called, outer) == [(2, 13, 1), (5, 10, 1)]
    assert through(called, other) == [(11, 12, 1)]
    assert through(((site, 1), *at_node(outer, called)), inner) == [(5, 10, 2)]
