"""`--explain`: what was decided at each line, by which rule and why."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import cogen
from cogen.backends.scheme.scheme import emit
from cogen.binding_times import BT, parse_bt
from cogen.cli import main
from cogen.lang import il
from cogen.lang.errors import CogenError
from cogen.specializer.attempts import SpecializationAttempt, usual_specializer
from cogen.specializer.explain.decisions import KNOWLEDGE, RULES
from cogen.specializer.explain.explain import Explanation, explain
from cogen.specializer.specialization import Specializer
from cogen.specializer.specialize import SpecializationTask, specialize
from cogen.specializer.versions.options import SpecializerOptions
from cogen.terminal import show_explanation
from tests.corpus.cases import interpreter, weight

SIGNAL = """(import (signals))
(define (total b n)
  (let ((s (make-signal b 0 (* 8 n) 8 8)))
    (let loop ((s s) (acc 0))
      (if (signal-end? s)
          acc
          (loop (signal-next s) (+ acc (clip (signal-get s) 0 255)))))))
(define (clip x lo hi) (max lo (min hi x)))
"""

BYTES = """(define (total b n)
  (let loop ((at 0) (acc 0))
    (if (= at n)
        acc
        (loop (+ at 8) (+ acc (byte b at))))))
(define (byte b at)
  (bitwise-and 255 (arithmetic-shift (load-word b (floor-quotient at 32))
                                     (- (floor-remainder at 32)))))
"""

FACTORIAL = """(define (factorial n)
  (if (= n 0)
      1
      (* n (factorial (- n 1)))))
"""


def explained(program: il.Program, entry: str, *bts: BT, **options: Any) -> Explanation:
    """The explanation, when it is seen that the residual program is the usual one."""
    made = explain(program, entry, bts, SpecializerOptions(**options))
    usual = specialize(program, entry, bts, SpecializerOptions(**options))
    assert emit(made.program.program) == emit(usual.program)
    own = r" *[0-9]+ \| "
    lines = made.explanation.text.splitlines()
    assert all(len(line) <= 100 for line in lines if not re.match(own, line))
    return made.explanation


def of_text(text: str, entry: str, *bts: str, **options: Any) -> Explanation:
    return explained(cogen.loads(text, "p.scm"), entry, *map(parse_bt, bts), **options)


def notes(explanation: Explanation, line: int) -> list[str]:
    """What stands below a line of the program, without the margin."""
    lines = explanation.text.splitlines()
    margin = lines[next(i for i, x in enumerate(lines) if x.lstrip().startswith("1 | "))].index("|")
    numbered = [i for i, x in enumerate(lines) if x[:margin].strip() == str(line)]
    first = next(i for i in numbered if lines[i][margin] == "|")
    found = []
    for text in lines[first + 1 :]:
        if text[:margin].strip() or text[margin : margin + 1] != "|":
            break
        found.append(text[margin + 2 :])
    return found


def verdicts(explanation: Explanation, what: str, kind: str) -> dict[tuple[str, str], int]:
    """By verdict and rule, how often it holds of something."""
    return {
        (one.verdict, one.rule): one.times
        for one in explanation.decisions
        if one.what == what and one.kind == kind
    }


def test_signal_loop() -> None:
    found = of_text(SIGNAL, "total", "(dynamic memory)", "(cyclic 4 0)")
    assert notes(found, 2) == [
        "               ^ b: dynamic",
        "                 ^ n: cyclic: 4 q + 0",
    ]
    assert notes(found, 4)[:3] == [
        "         ^^^^ loop: unfolded [unfolding]",
        "                ^ s: partially static",
        "                  s: generalised: a part of it is known on arrival, but never asked for",
    ]
    assert notes(found, 5)[2:] == [
        "                          decided: false [values]",
        "                          residual: (signal-end? s) is not known [conditional]",
    ]
    assert notes(found, 8)[1:3] == [
        "                ^^ lo: static",
        "                   ^^ hi: static",
    ]
    states = {(one.procedure, one.name): one.verdict for one in found.variables}
    assert states["total", "n"] == "cyclic"
    assert states["loop", "acc"] == "generalised"
    assert states["clip", "lo"] == "static"


def test_address_that_gives_its_quotient_up() -> None:
    found = of_text(BYTES, "total", "(dynamic memory)", "(dynamic int)")
    reason = "known to be 0 on arrival, but only its remainder by 32 is asked for"
    told = [one for one in found.decisions if one.rule == "cyclic-demand"]
    assert [(one.what, one.verdict, one.reason) for one in told] == [("at", "cyclic", reason)]
    assert (told[0].place.line, told[0].place.column, told[0].procedure) == (2, 15, "loop")
    assert verdicts(found, "at", "variable")["cyclic", "cyclic-demand"] == 1
    assert ("generalised", "demand") in verdicts(found, "acc", "variable")


def test_matcher() -> None:
    case = interpreter("kmp").cases[0]
    found = explained(case.interpreter.loaded, "run", *case.times)
    assert [tried.outcome for tried in found.attempts] == ["this is the residual program"]
    states = {(one.procedure, one.name): one.verdict for one in found.variables}
    assert states["search", "pattern"] == states["search", "seen"] == "static"
    assert states["search", "text"] == "dynamic"
    assert states["search", "at"] == "generalised"
    assert notes(found, 9) == [
        "      ^^^^^^^^^^^^ decided: false in 4 versions, true in 1 version [values]"
    ]
    assert notes(found, 10)[0] == "      ^^^^^^^^^^^^^^^^^^^^^^^ dynamic: at is not known"
    assert verdicts(found, "(null? text)", "test") == {("residual", "conditional"): 3}
    assert verdicts(found, "(prefix? seen pattern)", "test") == {("decided", "values"): 2}


def test_interpreter_that_needs_advice() -> None:
    case = next(one for one in interpreter("scheme-alist").cases if one.name == "forty-five")
    found = explained(case.interpreter.loaded, "run", *case.times)
    first, second = found.attempts
    assert (first.how, first.outcome) == ("as it is", "given up: it cost much for its size")
    assert second.how.endswith("lifts that the analysis of the whole program asks for")
    assert notes(found, 5) == [
        "             ^^^^^^^ program: static",
        "                     ^^^^^ input: dynamic",
    ]
    advised = [one for one in found.decisions if one.rule == "advice"]
    assert {one.reason for one in advised} >= {
        "it holds what only a run knows in other cases",
        "it is a value, and values are put into it",
    }
    assert {one.verdict for one in advised} == {"generalised"}
    assert any(one.what == "(cons (car args) (cadr args))" for one in advised)
    assert set(verdicts(found, "(symbol? e)", "test")) == {("decided", "values")}
    states = {(one.procedure, one.name): one.verdict for one in found.variables}
    assert states["evaluate", "e"] == states["evaluate", "globals"] == "static"
    assert states["primitive", "name"] == "static"


def test_recursion() -> None:
    found = of_text(FACTORIAL, "factorial", "_")
    assert notes(found, 1) == ["                   ^ n: dynamic"]
    assert notes(found, 2) == ["      ^^^^^^^ residual: n is not known [conditional]"]
    assert notes(found, 4) == [
        "      ^^^^^^^^^^^^^^^^^^^^^^^^^ dynamic: n and (factorial (- n 1)) are not known",
        "            ^^^^^^^^^ factorial: residual call: factorial is being carried out already "
        "with the",
        "                      same static arguments [recursion]",
    ]


def test_unfolded_recursion() -> None:
    found = of_text(FACTORIAL, "factorial", "(static 3)")
    assert verdicts(found, "factorial", "call") == {("unfolded", "unfolding"): 3}
    assert notes(found, 2) == [
        "      ^^^^^^^ decided: false in 3 versions, true in 1 version [values]"
    ]


def test_loop_that_asks() -> None:
    """What was tried in vain is told with the place that asked for it."""
    text = """(define (rounds p)
  (let loop ((i 0))
    (if (= i 3) p (if (null? p) i (begin (write p) (loop (+ i 1)))))))
"""
    found = of_text(text, "rounds", "_")
    kept = [one for one in found.decisions if one.verdict == "kept"]
    assert {(one.what, one.place.line) for one in kept} == {("i", 2)}
    assert {one.reason for one in kept} == {
        "tried without what is known of it, which is asked for at 3:9"
    }


def test_lift_escape_and_calls_that_stay() -> None:
    text = """(define (f g n i)
  (let ((v (make-vector 3 n)))
    (vector-set! v i (lift 2))
    (g (dcall h n) (vector-ref v 1))))
(define (h x) (* x (set-base x 4)))
"""
    found = of_text(text, "f", "_", "(dynamic int)", "(dynamic int)")
    assert verdicts(found, "(lift 2)", "operation") == {("dynamic", "lift"): 1}
    assert verdicts(found, "h", "call") == {("memo point", "dcall"): 1}
    assert verdicts(found, "(set-base x 4)", "operation") == {("cyclic", "set-base"): 4}
    escaped = [one for one in found.decisions if one.verdict == "escaped"]
    assert [(one.place.line, one.reason) for one in escaped] == [
        (3, "code of the run may reach this vector from here on")
    ]
    stays = [one for one in found.decisions if one.rule == "unknown-procedure"]
    assert [(one.place.line, one.verdict) for one in stays] == [(4, "residual call")]


def test_calls_that_stay_because_nothing_is_known() -> None:
    calls = "".join(f"((eq? s {i}) (cons {i} (walk t s)))" for i in range(5))
    text = f"""(define (f t s)
  (cond {calls} (else (reverse s))))
(define (walk t s)
  (if (pair? t) (walk (cdr t) s) s))
"""
    told = of_text(text, "f", "_", "_").text
    assert "reverse: residual call: nothing that steers it is known [library-call]" in told
    assert "nothing is known of its arguments here and in other places" in " ".join(told.split())
    assert "[shared]" in told


def test_what_grows() -> None:
    text = (
        "(define (f n) (let loop ((l '(a)) (n n)) (if (= n 0) (car l) (loop (cons n l) (- n 1)))))"
    )
    found = of_text(text, "f", "_", generalize=True)
    assert found.attempts[-1].how == "with what grows made dynamic"
    assert {one.rule for one in found.decisions if one.verdict == "generalised"} <= set(RULES)
    assert {"site", "whistle", "demand"} & {one.rule for one in found.decisions}


def test_variables_that_advice_lifts_keep_their_places() -> None:
    text = """(define (f n)
  (let loop ((l '(a)) (m n))
    (if (= m 0)
        (car l)
        (loop (cons 'b l) (- m 1)))))
"""
    found = of_text(text, "f", "_")
    assert len(found.attempts) > 1
    assert notes(found, 3)[-1].endswith("m is not known [conditional]")
    places = {(one.name, one.place.line, one.place.column) for one in found.variables}
    assert places == {("n", 1, 12), ("l", 2, 15), ("m", 2, 24)}


def test_objects_that_are_assigned_late() -> None:
    """An attempt that was begun again is told, and nothing else of it."""
    text = """(define (f n)
  (let ((count 0))
    (define (g i) (if (= i 0) count (begin (set! count (+ count 1)) (+ 1 (g (- i 1))))))
    (g n)))
"""
    found = of_text(text, "f", "_")
    assert [(tried.how, tried.outcome) for tried in found.attempts] == [
        ("as it is", "begun again: objects that were taken for never assigned again are"),
        ("as it is", "this is the residual program"),
    ]
    assert verdicts(found, "g", "call")["residual call", "recursion"] == 1


def test_versions_that_grow_one_from_another() -> None:
    """A few of them are enough to try something else, not as many as are usual."""
    case = next(one for one in interpreter("scheme-cps").cases if one.name == "factorial")
    found = explained(case.interpreter.loaded, "run", *case.times)
    *others, last = [tried.outcome for tried in found.attempts]
    assert others
    assert set(others) == {"given up: its versions grow one from another"}
    assert last == "this is the residual program"


@pytest.mark.parametrize(("name", "most"), [("scheme-cps", 40), ("stack-vm", 100)])
def test_versions_of_what_is_given_up_are_few(name: str, most: int) -> None:
    """Not as many as are usual for the size: 549 and 672."""
    made: list[Specializer] = []

    def make(attempt: SpecializationAttempt) -> Specializer:
        made.append(usual_specializer(attempt))
        return made[-1]

    case = interpreter(name).cases[{"scheme-cps": 0, "stack-vm": -1}[name]]
    specialize(case.interpreter.loaded, case.interpreter.entry, case.times, make=make)
    assert 6 < made[0].context.limits.versions < most


def test_calls_of_what_is_given_up_are_few() -> None:
    """Of calls within each other some that have grown one from another tell as much: of the 6180
    that are usual for the size, few are unfolded."""
    made: list[Specializer] = []

    def make(attempt: SpecializationAttempt) -> Specializer:
        made.append(usual_specializer(attempt))
        return made[-1]

    case = next(one for one in interpreter("forth").cases if one.name == "recursive")
    specialize(case.interpreter.loaded, case.interpreter.entry, case.times, make=make)
    *others, _ = [one.context.limits.unfoldings for one in made]
    assert others
    assert max(others) < 1500


@pytest.mark.parametrize("rounds", ["8", "(length '(a b c d e f g h))"])
def test_what_grows_in_each_round_of_a_known_number(rounds: str) -> None:
    """It comes to an end, so there is nothing else to try."""
    text = f"""(define (f n)
  (let loop ((i {rounds}) (found '()))
    (cond ((= i 0) (length found))
          ((> n i) (loop (- i 1) (cons n found)))
          (else (length found)))))
"""
    (only,) = of_text(text, "f", "_").attempts
    assert (only.how, only.outcome) == ("as it is", "this is the residual program")


def test_automatic_set_base() -> None:
    text = BYTES.replace("(at 0)", "(at from)").replace("(b n)", "(b from n)")
    text = text.replace("total b n", "total b from n")
    found = of_text(text, "total", "(dynamic memory)", "(cyclic 8 0)", "(cyclic 8 0)", auto=True)
    split = [one for one in found.decisions if one.rule == "auto"]
    assert {one.what for one in split} == {"at"}
    assert all("a case for each remainder by" in one.reason for one in split)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["forth", "imperative-vector", "lambda-need", "scheme-callcc"])
def test_residual_programs_are_the_same(name: str) -> None:
    """And each decision is at a place of the user's program, by a rule that there is."""
    case = min(interpreter(name).cases, key=lambda one: weight(one.program))
    found = explained(case.interpreter.loaded, case.interpreter.entry, *case.times)
    assert found.decisions
    for one in found.decisions:
        assert one.place.source.name == str(case.interpreter.path)
        assert one.rule in RULES
        assert one.times > 0
    assert {one.procedure for one in found.variables} >= {case.interpreter.entry}


def test_data() -> None:
    found = of_text(SIGNAL, "total", "(dynamic memory)", "(cyclic 4 0)").json()
    assert json.loads(json.dumps(found)) == found
    assert found["entry"] == "total"
    assert found["binding times"] == ["(dynamic memory)", "(cyclic 4 0)"]
    decisions = found["decisions"]
    assert isinstance(decisions, list)
    first = decisions[0]
    assert (first["file"], first["line"], first["column"]) == ("p.scm", 2, 16)
    assert (first["kind"], first["what"], first["verdict"]) == ("variable", "b", "dynamic")
    assert {one["file"] for one in decisions} == {"p.scm"}
    assert {one["rule"] for one in decisions} <= set(RULES)
    assert all(one["verdict"] in KNOWLEDGE for one in decisions if one["kind"] == "operation")


def test_python() -> None:
    program = cogen.loads(FACTORIAL)
    residual = cogen.specialize(program, "factorial", cogen.dynamic(), explain=True)
    assert residual.scheme == cogen.specialize(program, "factorial", cogen.dynamic()).scheme
    assert "residual: n is not known [conditional]" in residual.explain().text
    assert str(residual.explain()) == residual.explain().text


def test_not_noted() -> None:
    residual = cogen.specialize(cogen.loads(FACTORIAL), "factorial", cogen.dynamic())
    with pytest.raises(CogenError, match="not noted") as caught:
        residual.explain()
    assert caught.value.hint == "cogen.specialize(..., explain=True)"


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, output = tmp_path / "p.scm", tmp_path / "out.scm"
    source.write_text(FACTORIAL)
    command = ["specialize", str(source), "--entry", "factorial", "_"]
    assert main(command) == 0
    usual = capsys.readouterr().out
    assert main([*command, "--explain", "-o", str(output)]) == 0
    assert output.read_text() == usual
    assert "residual: n is not known [conditional]" in capsys.readouterr().out
    assert main([*command, "--explain", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["variables"][0]["verdict"] == "dynamic"


def test_colours(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """On a terminal; the program's own lines have none."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    show_explanation(" 1 | dynamic\n   | ^ n: dynamic [values]\n")
    assert capsys.readouterr().out == (
        "\x1b[2m 1 |\x1b[0m dynamic\n"
        "\x1b[2m   |\x1b[0m \x1b[1;36m^\x1b[0m n: \x1b[33mdynamic\x1b[0m \x1b[2m[values]\x1b[0m\n"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--explain", "-o", "-"], "--explain prints to standard output"),
    ],
)
def test_wrong_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    source = tmp_path / "p.scm"
    source.write_text(FACTORIAL)
    assert main(["specialize", str(source), "--entry", "factorial", "_", *options]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(("much", "chosen"), [(0.0, "with"), (100.0, "as it is")])
def test_of_two_residual_programs_the_smaller_is_explained(
    much: float, chosen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cogen.specializer.specialize.MANY_BLOCKS", 0)
    monkeypatch.setattr("cogen.specializer.specialize.MANY_FOR_EACH", 0.0)
    monkeypatch.setattr("cogen.specializer.specialize.MUCH", much)
    monkeypatch.setattr(SpecializationTask, "_shared_one", lambda self, found: found)
    case = interpreter("scheme-alist").cases[0]
    first, last = explained(case.interpreter.loaded, "run", *case.times).attempts
    assert last.how.startswith(chosen)
    assert not first.how.startswith(chosen)
    assert first.outcome == "its residual program is larger, or hardly smaller"
    assert last.outcome == "this is the residual program"


def test_what_splits_a_path_is_explained() -> None:
    """Where one of several procedures is applied, each has an arm, in which the state has dropped
    what was asked for."""
    case = interpreter("closures-record").cases[0]
    attempts = explained(case.interpreter.loaded, "run", *case.times).attempts
    assert attempts[-1].outcome == "this is the residual program"
