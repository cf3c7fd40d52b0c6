"""The specializer in the language, and compilers that it makes, as native code."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings

from cogen.cli import main
from cogen.lang.datum import from_iterable, symbol
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from cogen.lang.printer import write_datum, write_symbol
from cogen.lang.reader import read_datum
from cogen.mix import subset
from cogen.mix.cases import ENTRY, load_case
from cogen.mix.compilers import write_standalone
from cogen.mix.futamura import generator
from cogen.mix.native import native_phase, native_procedure, text_of
from cogen.mix.show import RESERVED, show
from cogen.mix.system import DEFAULT_LIMIT, HERE, MixProgram, phase
from tests.cogen.smallprograms import SmallProgram, small_programs

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.mark.parametrize("name", [pytest.param("mp", marks=pytest.mark.long), "machine"])
def test_the_whole_specializer_is_the_same_natively(
    name: str, request: pytest.FixtureRequest
) -> None:
    """tidy gives the text that it gives by the interpreter; so do bta, mix and a compiler (with
    --long, as they are made for seconds; compilers, which mix has made, stand alone below)."""
    case = load_case(name)
    annotated = case.annotated
    statics = annotated.statics([case.source])
    raw = phase("mix").call("mix", [*annotated.as_known(), DEFAULT_LIMIT, statics])
    tidied = native_phase("tidy", "tidy", 1).on_text(text_of([raw]))
    assert tidied == write_datum(phase("tidy").call("tidy", [raw]))
    if request.config.getoption("--long"):
        kinds = from_iterable(map(symbol, annotated.division))
        arguments = [case.interpreter.definitions, symbol(ENTRY), kinds, symbol(annotated.care)]
        analysed = native_phase("bta", "analyse", 4).on_text(text_of(arguments))
        assert analysed == write_datum(annotated.definitions)
        known = [annotated.definitions, symbol(ENTRY), DEFAULT_LIMIT, statics]
        assert native_phase("mix", "mix", 4).on_text(text_of(known)) == write_datum(raw)
        compiler = generator().compiler_by_mix(annotated)
        given = text_of([DEFAULT_LIMIT, statics])
        assert native_procedure(compiler, "mix", 2).on_text(given) == write_datum(raw)


def test_a_compiler_that_stands_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The five commands of docs/native.md: interpreter to native compiler to native program."""
    monkeypatch.chdir(tmp_path)
    source = "((power (n) (if (n = 0) then 1) (else (2 * (power (n - 1))))))"
    little = str(EXAMPLES / "little.scm")
    make = ["mix", "compiler", little, "--entry", "run", "(static)", "_", "--standalone"]
    assert main([*make, "-o", "compiler.scm"]) == 0
    assert main(["compile", "compiler.scm", "--entry", "compile", "-o", "little"]) == 0
    made = subprocess.run(["./little", source], capture_output=True, text=True, check=True).stdout
    Path("power.little").write_text(source.replace(" ", "\n"), encoding="utf-8")
    for word in ("@power.little", "@-"):
        with Path("power.little").open() as stream:
            again = subprocess.run(
                ["./little", word], stdin=stream, capture_output=True, text=True, check=True
            )
        assert again.stdout == made
    Path("power.scm").write_text(made, encoding="utf-8")
    assert main(["compile", "power.scm", "--entry", "run", "-o", "power"]) == 0
    done = subprocess.run(["./power", "10"], capture_output=True, text=True, check=True)
    assert done.stdout == "1024\n"
    for static in (f"(static {source})", "(static @power.little)"):
        specialize = ["mix", "specialize", little, "--entry", "run", static, "_"]
        assert main([*specialize, "-o", "by-mix.scm"]) == 0
        by_mix = Path("by-mix.scm").read_text(encoding="utf-8")
        assert write_datum(read_datum(f"({made})")) == write_datum(read_datum(f"({by_mix})"))


COUNTING = """
;; A language of commands: (say word), (add n), (twice command).
(define-record-type state (make-state depth) state? (depth state-depth))
(define total 0)
(define (run program input)
  (set! total input)
  (for-each (lambda (command) (execute command (make-state 0))) program)
  total)
(define (execute command state)
  (case (car command)
    ((say) (display (cadr command)) (display (state-depth state)))
    ((add) (set! total (+ total (cadr command))))
    (else
     (let ((inner (make-state (+ 1 (state-depth state)))))
       (execute (cadr command) inner)
       (execute (cadr command) inner)))))
"""


def test_a_compiler_of_a_language_with_effects_stands_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("counting.scm").write_text(COUNTING, encoding="utf-8")
    source = "((say hello) (add 5) (twice (twice (add 1))) (twice (say bye)))"
    make = ["mix", "compiler", "counting.scm", "--entry", "run", "(static)", "_", "--standalone"]
    assert main([*make, "-o", "compiler.scm"]) == 0
    assert main(["compile", "compiler.scm", "--entry", "compile", "-o", "counting"]) == 0
    made = subprocess.run(["./counting", source], capture_output=True, text=True, check=True).stdout
    assert "execute" not in made
    Path("target.scm").write_text(made, encoding="utf-8")
    assert main(["compile", "target.scm", "--entry", "run", "-o", "target"]) == 0
    done = subprocess.run(["./target", "10"], capture_output=True, text=True, check=True)
    assert done.stdout == "hello0bye1bye1\n19\n"


TAPE = """
;; Commands: left, right, (put datum), (while (command ...)) as long as the square is not 0.
(define (run program tape) (execute program '() tape))
(define (execute commands left right)
  (cond ((null? commands) (append (reverse left) right))
        ((null? right) (execute commands left '(0)))
        ((eq? (car commands) 'right) (execute (cdr commands) (cons (car right) left) (cdr right)))
        ((eq? (car commands) 'left)
         (if (null? left)
             (execute (cdr commands) '() (cons 0 right))
             (execute (cdr commands) (cdr left) (cons (car left) right))))
        ((eq? (caar commands) 'put)
         (execute (cdr commands) left (cons (cadar commands) (cdr right))))
        ((eqv? (car right) 0) (execute (cdr commands) left right))
        (else (execute (append (cadar commands) commands) left right))))
"""


@pytest.mark.long
def test_a_compiler_that_stands_alone_takes_care(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The left half of the tape is known, and grows in a loop."""
    monkeypatch.chdir(tmp_path)
    Path("tape.scm").write_text(TAPE, encoding="utf-8")
    make = ["mix", "compiler", "tape.scm", "--entry", "run", "(static)", "_", "--standalone"]
    assert main([*make, "-o", "compiler.scm"]) == 0
    assert main(["compile", "compiler.scm", "--entry", "compile", "-o", "tape"]) == 0
    annotated = MixProgram.load(Path("tape.scm")).annotate("run", "sd")
    sources = ("(right (put 1) left (put 2))", "((while (right)) left (while ((put 0) right)))")
    for source in sources:
        made = subprocess.run(["./tape", source], capture_output=True, text=True, check=True).stdout
        target = annotated.specialize([read_datum(source)])
        assert write_datum(read_datum(f"({made})")) == write_datum(read_datum(f"({target.text})"))
        known = f"(static {source})"
        assert main(["mix", "compile", "compiler.scm", known, "_", "-o", "b.scm"]) == 0
        assert Path("b.scm").read_text(encoding="utf-8") == target.text


def test_it_takes_known_arguments_in_their_order() -> None:
    """The interpreter's parameters that are not known are no parameters of the compiler."""
    case = load_case("turing")
    text = write_standalone([generator().compiler_by_cogen(case.annotated)], case.annotated)
    assert text.count("(lambda (source-1)") == 1


SHOWN = """
(define reserved '({reserved}))
{show}
(define (shown program) (show-program program))
"""


@cache
def showing() -> Interpreter:
    reserved = " ".join(map(write_symbol, sorted(RESERVED)))
    own = (HERE / "show.scm").read_text(encoding="utf-8")
    interpreter = Interpreter(loads(SHOWN.format(reserved=reserved, show=own), "shown"))
    interpreter.run()
    return interpreter


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(small_programs())
def test_programs_are_shown_the_same(program: SmallProgram) -> None:
    """show.scm gives the data of the text that show.py gives."""
    definitions = subset.loads(program.text)
    made = showing().call("shown", [definitions])
    assert write_datum(made) == write_datum(read_datum(f"({show(definitions)})"))
