"""The Futamura projections are performed, and their identities hold; the commands for that."""

from __future__ import annotations

import io
import json
import re
import textwrap
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

from cogen.cli import main
from cogen.lang.datum import Datum, from_iterable, iterate
from cogen.lang.errors import CogenError
from cogen.lang.primtable.equivalence import equal
from cogen.lang.reader import read_datum
from cogen.measure.report import Column, Figure, Report
from cogen.mix import futamura, show, towers
from cogen.mix.anonymous import anonymous
from cogen.mix.cases import INTERPRETERS, InterpreterCase, load_case, path_of
from cogen.mix.futamura import compile_with, generator
from cogen.mix.system import MixProgram
from cogen.mix.towers import by_mix, by_specialize, direct, same_text
from tests.corpus.cases import interpreter as interpreter_of_corpus

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "futamura.md").read_text(encoding="utf-8")
LITTLE = ROOT / "examples" / "little.scm"

MORE: dict[str, list[str]] = {
    "mp": ["(())", "((5))", "((2 1 3 2))"],
    "mixwell": ["(0)", "(4)"],
    "lazy": ["0", "1", "3"],
    "by-value": ["0", "1", "7"],
    "by-name": ["0", "3"],
    "turing": ["()", "(one)", "(zero one)"],
    "stack": ["0", "1", "5"],
    "regex": ["()", "(c a b)", "(a c a b)", "(a b c c c)", "(a b b b c b c a a)"],
    "scheme": ["1", "4"],
    "machine": ["1", "2", "20"],
    "arrays": ["2", "7", "30"],
    "self": ["(0)", "(6)"],
}
"""Further inputs for the programs of the interpreters."""


@cache
def case(name: str) -> InterpreterCase:
    return load_case(name)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", INTERPRETERS)
def test_a_target_gives_the_same_answers(name: str) -> None:
    interpreter = case(name)
    target = interpreter.annotated.specialize([interpreter.source])
    inputs: list[list[Datum]] = [[read_datum(text, name)] for text in MORE[name]]
    for data in [interpreter.data, *inputs]:
        answer = interpreter.original.call("run", [interpreter.source, *data])
        assert equal(target.run("run", data), answer)


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", INTERPRETERS)
def test_a_compiler_makes_what_the_specializer_makes(name: str) -> None:
    interpreter = case(name)
    annotated = interpreter.annotated
    compiler = generator().compiler_by_mix(annotated)
    target = annotated.specialize([interpreter.source])
    assert compile_with(compiler, annotated, [interpreter.source]).text == target.text
    assert generator().compiler_by_cogen(annotated).text == compiler.text


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("name", "of_corpus"),
    [("scheme", "scheme-alist"), ("machine", "stack-vm"), ("arrays", "imperative-vector")],
)
def test_interpreters_of_the_corpus(name: str, of_corpus: str) -> None:
    """Interpreters as people write them are taken as they are, and all their programs."""
    owner = interpreter_of_corpus(of_corpus)
    text = owner.path.read_text(encoding="utf-8")
    assert path_of(name).read_text(encoding="utf-8").startswith(text.rstrip())
    annotated = case(name).annotated
    compiler = generator().compiler_by_cogen(annotated)
    for program in owner.cases:
        target = annotated.specialize([program.program])
        assert compile_with(compiler, annotated, [program.program]).text == target.text
        for inputs, answer in program.runs:
            assert equal(target.run("run", list(inputs)), answer)
        assert not re.search(r"assq|lookup|'if|'while|'jump", target.text)
        assert show.pairs(read_datum(f"({target.text})", name)) < 3.5 * program.ideal_pairs


def test_a_compiler_compiles_other_programs() -> None:
    interpreter = case("by-value")
    compiler = generator().compiler_by_cogen(interpreter.annotated)
    for source, data, answer in [
        ("(lambda x (* x x))", 7, 49),
        ("(lambda x (((lambda f (lambda y (f (f y)))) (lambda z (+ z x))) 1))", 5, 11),
        ("(lambda x (if0 x 1 ((lambda y (+ y y)) x)))", 0, 1),
    ]:
        known = [read_datum(source, "a term")]
        target = compile_with(compiler, interpreter.annotated, known)
        assert target.run("run", [data]) == answer
        assert target.text == interpreter.annotated.specialize(known).text


@pytest.mark.long
def test_the_generator_makes_itself() -> None:
    """Every day the example of the page says so."""
    made = generator()
    assert made.cogen_by_cogen.program.text == made.cogen.program.text
    assert made.is_fixed_point


def test_the_generator_is_made_by_running_the_specializer() -> None:
    """A compiler is nothing but what is left of the specializer: no dispatch on annotations."""
    compiler = generator().compiler_by_mix(case("turing").annotated)
    assert "'dprim" not in compiler.text
    assert "'sif" not in compiler.text
    assert "'dprim" in generator().mix.text
    assert generator().ratio < 7.3


def test_towers_by_the_specializer_in_the_language() -> None:
    program, arguments = case("self").source, case("self").data[0]
    levels = by_mix(program)
    assert [level.height for level in levels] == [1, 2, 3]
    assert same_text(levels)
    own, entry = direct(program)
    answer = own.call(entry, list(iterate(arguments)))
    for level in levels:
        assert equal(level.run.call(level.entry, [arguments]), answer)


def test_towers_by_specialize(request: pytest.FixtureRequest) -> None:
    program, arguments = case("self").source, case("self").data[0]
    height = 3 if request.config.getoption("--long") else 2  # each level costs thirty times more
    levels = by_specialize(program, height)
    assert [level.height for level in levels] == [1, 2, 3][:height]
    assert same_text(levels)
    own, entry = direct(program)
    answer = own.call(entry, list(iterate(arguments)))
    assert all(equal(level.run.call(level.entry, [arguments]), answer) for level in levels)


def test_the_self_interpreter_leaves_the_program() -> None:
    """Jones optimality: but for its entry, which takes a list, the residual is the program."""
    text = """((loop (n) (if (prim = (var n) (quote 0)) (quote done)
                (call loop (prim - (var n) (quote 1))))))"""
    program = read_datum(text, "a program")
    level = by_mix(program, 1)[0]
    assert level.text == (
        "(define (run arguments.1)\n"
        "  (let* ((value.2 (car arguments.1)) (rest.3 (cdr arguments.1)))\n"
        "    (evaluate-1 value.2)))\n\n"
        "(define (evaluate-1 n.1) (if (= n.1 0) 'done (evaluate-1 (- n.1 1))))\n"
    )


def test_the_self_interpreter_takes_itself() -> None:
    """Two levels of interpretation, not specialised, give the program's answer."""
    self = case("self")
    definitions = self.interpreter.definitions
    arguments = from_iterable([self.source, from_iterable([4])])
    assert self.original.call("run", [definitions, arguments]) == 27


def test_a_levels_residual_is_a_self_interpreter_again() -> None:
    self = case("self")
    compiled = self.annotated.specialize([self.interpreter.definitions])
    arguments = from_iterable([self.source, from_iterable([4])])
    assert compiled.run("run", [arguments]) == 27
    assert show.show(anonymous(compiled.definitions)) != show.show(self.interpreter.definitions)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("file", "source", "data", "answer"),
    [
        (
            "imp.scm",
            "((a b) (while b (begin (:= t (remainder a b)) (begin (:= a b) (:= b t)))) a)",
            "(12 18)",
            6,
        ),
        ("lambda.scm", "(fix f n (if (< n 2) n (+ (f (- n 1)) (f (- n 2)))))", "10", 55),
    ],
)
def test_interpreters_that_were_written_for_specialize(
    file: str, source: str, data: str, answer: int
) -> None:
    annotated = MixProgram.load(ROOT / "examples" / file).annotate("run", "sd")
    known = [read_datum(source, file)]
    target = annotated.specialize(known)
    assert target.run("run", [read_datum(data, file)]) == answer
    compiler = generator().compiler_by_cogen(annotated)
    assert compile_with(compiler, annotated, known).text == target.text


# Commands


def test_the_command_prints_tables(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    keep = tmp_path / "made"
    command = ["futamura", "turing", str(LITTLE), "--seconds", "0", "--keep", str(keep)]
    assert main(command) == 0
    out = capsys.readouterr().out
    assert re.search(r"turing .* yes", out)
    assert re.search(r"little .* yes", out)
    assert re.search(r"cogen\(mix\) .* yes", out)
    assert sorted(path.name for path in keep.iterdir()) == [
        "cogen.scm",
        "little-compiler.scm",
        "little-target.scm",
        "turing-compiler.scm",
        "turing-target.scm",
    ]


def test_the_command_writes_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["futamura", "by-value", "towers", "--seconds", "0", "--json"]) == 0
    reports = json.loads(capsys.readouterr().out)["benches"]
    names = [report["name"] for report in reports]
    assert names == ["targets", "compilers", "making", "generator", "towers"]
    ((target,), (compiler,), (making,)) = [report["rows"] for report in reports[:3]]
    assert target["name"] == "by-value"
    assert target["interpreter_pairs"] == case("by-value").interpreter.size
    assert target["target_equal"] == "yes"
    assert compiler["compile_equal"] == "yes"
    assert making["make_equal"] == "yes"
    assert len(reports[4]["rows"]) == 5


def test_a_failing_identity_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def wrong(compiler: object, annotated: object, known: object) -> object:
        return case("turing").annotated.specialize([read_datum("((s))", "a machine")])

    monkeypatch.setattr("cogen.mix.futamura.compile_with", wrong)
    assert main(["futamura", "turing", "--seconds", "0"]) == 1
    captured = capsys.readouterr()
    assert "turing: comp(src) is not mix(int, src)" in captured.err
    assert re.search(r"turing .* no", captured.out)


def test_an_unknown_interpreter_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["futamura", "nothing"]) == 2
    assert "there is no interpreter `nothing`" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(define (run p x) x) (define data '(1))", "does not define the constant `program`"),
        ("(define (run p x) x) (define program 1) (define data 5)", "`data` is not the list of 1"),
        ("(define (run p) p) (define program 1) (define data '(5))", "has 1 parameters"),
    ],
)
def test_a_file_that_is_no_case(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "case.scm"
    path.write_text(text)
    with pytest.raises(CogenError, match=re.escape(message)):
        load_case(str(path))


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["specialize", "--entry", "run", "(static)", "_"], 2, "not one of _ and (static DATUM)"),
        (["specialize", "--entry", "run", "(cyclic 2 0)", "_"], 2, "not one of _ and (static"),
        (["specialize", "--entry", "run", "(static", "_"], 2, "BT 1:1:1: error:"),
        (["specialize", "--entry", "run", "_"], 2, "`run` has 2 parameters, but 1 binding time "),
        (["specialize", "--entry", "rum", "_"], 2, "does not define a procedure `rum`"),
        (["specialize", "--entry", "rum", "_"], 2, "hint: did you mean `run`?"),
        (["specialize", "--entry", "run", "(static 5)", "_"], 1, "specialising `run`: car:"),
        (["compile", "(static 5)", "_"], 1, "is not a compiler"),
    ],
)
def test_wrong_commands(
    arguments: list[str], status: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command, *rest = arguments
    assert main(["mix", command, str(LITTLE), *rest]) == status
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""


def test_both_ways_to_make_a_compiler_agree(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    command = ["mix", "compiler", str(path_of("turing")), "--entry", "run", "(static)", "_"]
    assert main([*command, "-o", str(tmp_path / "a.scm")]) == 0
    assert main([*command, "--direct", "-o", str(tmp_path / "b.scm")]) == 0
    assert (tmp_path / "a.scm").read_text() == (tmp_path / "b.scm").read_text()
    assert main(["mix", "compile", str(tmp_path / "a.scm"), "_", "_"]) == 1
    assert "takes the binding times (static DATUM) _" in capsys.readouterr().err


def test_a_program_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = b"(define (f x y) (if (= x 1) (* x y) (known-size? x)))"
    monkeypatch.setattr(
        "sys.stdin", io.TextIOWrapper(io.BytesIO(text.replace(b"known-size?", b"+")))
    )
    assert main(["mix", "specialize", "-", "--entry", "f", "(static 1)", "_"]) == 0
    assert "(* 1 y" in capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert main(["mix", "specialize", "-", "--entry", "f", "(static 1)", "_"]) == 1
    assert "<stdin>:1:37: limitation: `known-size?`" in capsys.readouterr().err


def test_the_page_shows_what_happens(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The commands of docs/futamura.md, in order, print what is shown below them."""
    (tmp_path / "little.scm").write_text(LITTLE.read_text(encoding="utf-8"))
    monkeypatch.chdir(tmp_path)
    commands = 0
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.S):
        for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
            source = re.search(r"^SOURCE='(.*)'$", PAGE, re.M)
            assert source is not None
            words = shell_words(command.replace("$SOURCE", source[1]))
            assert words[0] == "cogen"
            assert main(words[1:]) == 0
            assert capsys.readouterr().out.strip() == shown.strip()
            commands += 1
    assert commands == 5


def shell_words(command: str) -> list[str]:
    """The words of a command; double quotes hold them together."""
    return [quoted or plain for quoted, plain in re.findall(r'"([^"]*)"|(\S+)', command)]


def test_the_page_shows_how_python_says_it(tmp_path: Path) -> None:
    """What is written of each step holds."""
    shown = re.search(r"^## From Python\n\n((?: {4}.*\n|\n)+)", PAGE, re.M)
    assert shown is not None
    lines = textwrap.dedent(shown[1]).replace('"little.scm"', repr(str(LITTLE))).splitlines()
    tests = [line for line in lines if "==" in line or "is_fixed_point" in line]
    assert len(tests) == 2
    names: dict[str, object] = {}
    exec("\n".join(line for line in lines if line not in tests), names)
    for test in tests:
        assert eval(test, names) is True


def test_the_page_shows_the_example() -> None:
    shown = re.findall(r"```scheme\n(.*?)```", PAGE, re.S)[0]
    assert shown in LITTLE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "columns",
    [
        futamura.TARGET_COLUMNS,
        futamura.COMPILER_COLUMNS,
        futamura.MAKING_COLUMNS,
        futamura.GENERATOR_COLUMNS,
        towers.COLUMNS,
    ],
)
def test_tables_fit_into_eighty_columns(columns: tuple[Column, ...]) -> None:
    row: dict[str, Figure] = {column.key: 1234.5 for column in columns}
    row |= {columns[0].key: "specialize", "equal": "yes"}
    console = Console(width=80)
    with console.capture() as capture:
        Report("some", "a table", columns, [row]).print(console)
    header = capture.get().splitlines()[2].split()
    assert header == " ".join(column.title for column in columns).split()
