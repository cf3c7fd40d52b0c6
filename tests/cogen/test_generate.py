"""Generating extensions: kept as files, imported, run from the command line, layered, refused."""

from __future__ import annotations

import importlib.util
import os
import random
import re
import shlex
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import cogen
from cogen import binding_times
from cogen.binding_times import show_bt
from cogen.cli import main
from cogen.convert import from_datum
from cogen.generating.extension import SEAL, sealed
from cogen.generating.image import Image
from cogen.lang import il
from cogen.lang.errors import CogenError
from cogen.lang.iltext import show
from cogen.lang.ilutil import all_blocks
from cogen.lang.printer import write_datum
from cogen.mix.cases import INTERPRETERS, InterpreterCase, load_case, path_of
from cogen.specializer.memo.fast_memo import Quick
from cogen.specializer.paths.path import Path as Path_
from cogen.specializer.values.freeze import Frozen
from cogen.specializer.values.states import State
from cogen.specializer.values.summary import split

EXAMPLES = Path(__file__).parents[2] / "examples"
POWER = "(define (power x n) (if (= n 0) 1 (* x (power x (- n 1)))))"
GCD = "((a b) (while b (begin (:= t (remainder a b)) (:= a b) (:= b t))) a)"
INTS = "(list (dynamic int) (dynamic int))"


def load_module(path: Path) -> ModuleType:
    """The module of a file, as `import` would load it."""
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def imperative() -> il.Program:
    return cogen.load(EXAMPLES / "imp.scm")


def test_the_contract() -> None:
    program = cogen.loads(POWER)
    residual = cogen.specialize(program, "power", cogen.dynamic("int"), cogen.static(5))
    extension = cogen.generate(program, "power", cogen.dynamic("int"), cogen.static())
    made = extension(cogen.dynamic("int"), cogen.static(5))
    assert made.scheme == residual.scheme
    assert made.c == residual.c
    assert made.compile()(2) == 32
    assert extension(cogen.dynamic("int"), cogen.static(3)).to_python()(2) == 8


def test_an_extension_is_a_module(tmp_path: Path) -> None:
    division = cogen.bt.parse_bt("(static)"), cogen.bt.parse_bt(INTS)
    path = tmp_path / "compiler.py"
    path.write_text(cogen.generate(imperative(), "run", *division).text)
    module = load_module(path)
    program = cogen.bt.parse_bt(f"(static {GCD})")
    residual = module.specialize(program, division[1])
    assert residual.to_python()(12, 18) == 6
    assert residual.scheme == cogen.specialize(imperative(), "run", program, division[1]).scheme
    assert cogen.load_extension(path)(program, division[1]).scheme == residual.scheme


def test_the_image_of_a_program_is_the_program() -> None:
    program = cogen.load(EXAMPLES / "regex.scm")
    image = Image(program)
    namespace: dict[str, object] = {}
    exec("from cogen.generating.names import *\n" + "\n".join(image.lines), namespace)
    made = namespace["PROGRAM"]
    assert isinstance(made, il.Program)
    assert show(made) == show(program)
    for old, new in zip(all_blocks(program), all_blocks(made), strict=True):
        assert str(old.tail.span) == str(new.tail.span)
        for a, b in zip(old.bindings, new.bindings, strict=True):
            if isinstance(a, il.Let) and isinstance(b, il.Let):
                assert str(a.span) == str(b.span)
            elif isinstance(a, il.Fix) and isinstance(b, il.Fix):
                assert [f.label for f in a.functions] == [f.label for f in b.functions]


def test_constants_keep_their_identity() -> None:
    text = """
(define shared '(1 (2 "three") #\\4 5.5 #(six) #u8(7)))
(define (f x) (list (eq? shared x) (eq? (cdr shared) (cdr shared)) shared))
(define (g y) (f (if y shared '(1))))
"""
    program = cogen.loads(text)
    extension = cogen.generate(program, "g", cogen.static())
    for value in (True, False):
        expected = cogen.specialize(program, "g", cogen.static(value)).scheme
        assert extension(cogen.static(value)).scheme == expected


def test_a_compiler_in_a_compiler() -> None:
    """A generating extension's output is again a program for `generate`."""
    evaluator = cogen.loads("""
(define (run expression a b)
  (cond ((eq? expression 'a) a)
        ((eq? expression 'b) b)
        ((number? expression) expression)
        ((eq? (car expression) 'if)
         (if (= 0 (run (cadr expression) a b))
             (run (cadddr expression) a b)
             (run (caddr expression) a b)))
        ((eq? (car expression) '+)
         (+ (run (cadr expression) a b) (run (caddr expression) a b)))
        (else (* (run (cadr expression) a b) (run (caddr expression) a b)))))
""")
    first = cogen.generate(
        evaluator, "run", binding_times.Later(), cogen.dynamic("int"), cogen.dynamic("int")
    )
    source = cogen.datum("(if a (+ (* a b) (* b b)) (* b (+ b 1)))")
    middle = first(cogen.static(source), cogen.dynamic("int"), cogen.dynamic("int"))
    layer = cogen.loads(middle.scheme, "middle.scm")
    second = cogen.generate(layer, "run", binding_times.Later(), cogen.dynamic("int"))
    for a in (0, 1, 7):
        last = second(cogen.static(a), cogen.dynamic("int"))
        whole = cogen.specialize(
            evaluator, "run", cogen.static(source), cogen.static(a), cogen.dynamic("int")
        )
        assert last.to_python()(5) == whole.to_python()(5)
        assert last.il == cogen.specialize(
            layer, "run", cogen.static(a), cogen.dynamic("int")
        ).il  # fmt: skip


MACHINE = """
((code x)
 (while code
   (begin (:= op (remainder code 4))
          (:= code (quotient code 4))
          (if (= op 1) (:= x (+ x 1)) (if (= op 2) (:= x (* x x)) (:= x (- x 3))))))
 x)
"""


def test_a_language_in_a_language() -> None:
    """An interpreter (of numbers, digit by digit) in a language that an interpreter defines."""
    first = cogen.generate(imperative(), "run", binding_times.Later(), cogen.bt.parse_bt(INTS))
    middle = first(cogen.bt.parse_bt(f"(static {MACHINE})"), cogen.bt.parse_bt(INTS))
    layer = cogen.loads(middle.scheme, "middle.scm")
    second = cogen.generate(layer, "run", binding_times.Later(), cogen.dynamic("int"))
    known, unknown = cogen.static(1 + 4 * (2 + 4 * (3 + 4 * 1))), cogen.dynamic("int")
    last = second(known, unknown)
    assert last.scheme == cogen.specialize(layer, "run", known, unknown).scheme
    assert [last.to_python()(x) for x in (0, 1, 5)] == [(x + 1) ** 2 - 2 for x in (0, 1, 5)]
    assert "while" not in last.scheme
    assert "remainder" not in last.scheme


def test_options_of_generate_are_defaults() -> None:
    program = cogen.loads("(define (f x) (word-size))")
    extension = cogen.generate(program, "f", cogen.dynamic(), word_size=16)
    assert extension(cogen.dynamic()).to_python()(0) == 16
    assert extension(cogen.dynamic(), word_size=64).to_python()(0) == 64


def test_no_binding_times_where_nothing_is_left_open() -> None:
    extension = cogen.generate(cogen.loads(POWER), "power", cogen.dynamic("int"), cogen.static(2))
    assert extension().to_python()(9) == 81


@pytest.mark.parametrize(
    ("bts", "message"),
    [
        ([], "`power` was generated for 2 binding times, but 0 were given"),
        (["_"], "`power` was generated for 2 binding times, but 1 was given"),
        (["_", "(static 2)"], "binding time 1 does not fit: (dynamic int) was generated for, _"),
        (["(dynamic int)", "_"], "binding time 2 does not fit: (static) was generated for, _ was"),
        (["(dynamic int)", "(static)"], "binding time 2 does not fit: a (static) of it has no"),
    ],
)
def test_binding_times_that_do_not_fit(bts: list[str], message: str) -> None:
    extension = cogen.generate(cogen.loads(POWER), "power", cogen.dynamic("int"), cogen.static())
    with pytest.raises(CogenError) as error:
        extension(*map(cogen.bt.parse_bt, bts))
    assert message in error.value.message
    assert "(dynamic int) (static)" in (error.value.hint or "")


def test_a_fixed_static_value_must_be_the_same() -> None:
    fixed = cogen.list_(cogen.static([1, 2]), cogen.static())
    extension = cogen.generate(cogen.loads("(define (f x) x)"), "f", fixed)
    with pytest.raises(CogenError, match="does not fit"):
        extension(cogen.list_(cogen.static([1, 3]), cogen.static(4)))
    assert extension(cogen.list_(cogen.static([1, 2]), cogen.static(4))).to_python()() == [
        [1, 2],
        4,
    ]


def test_errors_are_those_of_specialize() -> None:
    program = cogen.loads("(define (f n)\n  (car (vector-ref #(1 2) n)))", "bad.scm")
    extension = cogen.generate(program, "f", cogen.static())
    with pytest.raises(CogenError) as expected:
        cogen.specialize(program, "f", cogen.static(1))
    with pytest.raises(CogenError) as found:
        extension(cogen.static(1))
    assert str(found.value) == str(expected.value)
    assert str(found.value).startswith("bad.scm:2:3: ")


def test_limits_are_those_of_specialize() -> None:
    program = cogen.loads(
        "(define (f keys x) (if (pair? keys) (or (eq? x (car keys)) (f (cdr keys) x)) #f))"
    )
    extension = cogen.generate(program, "f", cogen.static(), cogen.dynamic())
    keys = cogen.static(cogen.datum("(a b c d e f)"))
    with pytest.raises(CogenError, match="more than 4 versions"):
        extension(keys, cogen.dynamic(), max_variants=4)


def interpreter_bts(case: InterpreterCase) -> list[cogen.bt.BT]:
    """The program is known, its inputs are not."""
    known = cogen.bt.parse_bt(f"(static {write_datum(case.source)})")
    return [known, *[cogen.dynamic()] * len(case.data)]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", INTERPRETERS)
def test_interpreters_are_compiled(name: str) -> None:
    """`specialize` and the compiler make the same of a program, and it gives the same answer."""
    program, case = cogen.load(path_of(name)), load_case(name)
    bts = interpreter_bts(case)
    residual = cogen.specialize(program, "run", *bts)
    assert (
        cogen.generate(program, "run", binding_times.Later(), *bts[1:])(*bts).scheme
        == residual.scheme
    )
    inputs = map(from_datum, case.data)
    assert residual.to_python()(*inputs) == from_datum(case.interpret())


def test_procedure_values_have_the_name_of_what_is_around_them() -> None:
    """... whoever called that last, in the compiler as in `specialize`."""
    program = cogen.loads("""
(define (adder n) (lift (lambda (x) (if (< x n) (adder x) (outer n x)))))
(define (outer n x) (cons n (inner x)))
(define (inner n) (cons 1 (lift (lambda (x) (if (< x n) ((adder x) x) (outer n x))))))
""")
    residual = cogen.specialize(program, "outer", cogen.dynamic("int"), cogen.dynamic("int"))
    extension = cogen.generate(program, "outer", cogen.dynamic("int"), cogen.dynamic("int"))
    assert extension(cogen.dynamic("int"), cogen.dynamic("int")).scheme == residual.scheme
    assert set(re.findall(r"^\(define \((\S+)", residual.scheme, re.MULTILINE)) == {
        "outer",
        "inner",
        "adder",
    }


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["mp", "turing"])
def test_what_grows_is_generalized(name: str) -> None:
    """Without `lift`, too, and as with --generalize: values that are collected are variables."""
    text = path_of(name).read_text().replace("(lift (", "(begin (")
    program = cogen.loads(text, f"{name}.scm")
    case = load_case(name)
    bts = interpreter_bts(case)
    extension = cogen.generate(program, "run", binding_times.Later(), *bts[1:])
    residual = cogen.specialize(program, "run", *bts)
    assert extension(*bts).scheme == residual.scheme
    assert residual.to_python()(*map(from_datum, case.data)) == from_datum(case.interpret())


def test_a_list_may_grow_while_something_counts() -> None:
    program = cogen.loads("""
(define (collect n x found)
  (if (= n 0) found (collect (- n 1) x (if (< x n) (cons x found) (cons n found)))))
(define (first n x) (car (collect n x '())))
(define (reverse n x found) (if (< x n) (if (= n 0) found (reverse (- n 1) x (cons x found))) n))
""")
    bts = cogen.static(100), cogen.dynamic("int"), cogen.static([])
    assert cogen.specialize(program, "reverse", *bts).to_python()(-1) == [-1] * 100


def test_a_window_may_fill() -> None:
    """A list of dynamic values may decide by its length alone when it is long enough."""
    program = cogen.loads("""
(define (fill x n w)
  (cond ((> x n) 0) ((= (length w) 100) (apply + w)) (else (fill (+ x 1) n (cons x w)))))
""")
    bts = cogen.dynamic("int"), cogen.dynamic("int"), cogen.static([])
    made = cogen.specialize(program, "fill", *bts).to_python()
    assert made(0, 200) == sum(range(100))
    assert made(0, 50) == 0


def test_endless_unfolding_is_found() -> None:
    program = cogen.loads("(define (f n) (f n))")
    extension = cogen.generate(program, "f", cogen.static())
    told: list[str] = []
    for run in (partial(cogen.specialize, program, "f"), extension):
        with pytest.raises(CogenError, match="f is called again and again") as failure:
            run(cogen.static(0), max_unfoldings=30_000)
        told.append(str(failure.value))
    assert told[0] == told[1]


def test_deep_static_recursion() -> None:
    program = cogen.loads("(define (count n) (if (= n 0) 0 (+ 1 (count (- n 1)))))")
    extension = cogen.generate(program, "count", cogen.static())
    for n in (15_000, 60_000):
        assert extension(cogen.static(n)).to_python()() == n


def test_specialize_refuses_values_for_later() -> None:
    with pytest.raises(CogenError, match="a static argument needs its value"):
        cogen.specialize(cogen.loads(POWER), "power", cogen.dynamic(), cogen.static())


@pytest.mark.parametrize(
    "text",
    [
        "(static)",
        "_",
        "(dynamic int)",
        "(cyclic 32 8)",
        "(list _ (static (1 . 2)))",
        "(cons (static) _)",
        '(vector (static "a") (record point _ (static 1)))',
    ],
)
def test_binding_times_as_text(text: str) -> None:
    assert show_bt(cogen.bt.parse_bt(text)) == text


class TestCommandLine:
    def test_generate_and_compile_with(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        source, out = str(EXAMPLES / "imp.scm"), str(tmp_path / "out.py")
        assert main(["generate", source, "--entry", "run", "(static)", INTS, "-o", out]) == 0
        assert capsys.readouterr().out == ""
        assert main(["compile-with", out, f"(static {GCD})", INTS]) == 0
        made = capsys.readouterr().out
        assert main(["specialize", source, "--entry", "run", f"(static {GCD})", INTS]) == 0
        assert made == capsys.readouterr().out
        target = tmp_path / "gcd.il"
        words = ["compile-with", out, f"(static {GCD})", INTS, "--emit", "il", "-o", str(target)]
        assert main(words) == 0
        assert target.read_text().startswith("(program")

    @pytest.mark.parametrize(
        ("words", "status", "message"),
        [
            (["_"], 2, "`power` was generated for 2 binding times"),
            (["_", "(static 3)"], 2, "binding time 1 does not fit"),
            (["(dynamic int)", "(static"], 2, "unclosed `(`"),
            (["(dynamic int)", "(static a)"], 1, "expected a number, got a"),
        ],
    )
    def test_refusals(
        self,
        words: list[str],
        status: int,
        message: str,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        out, left = tmp_path / "out.py", tmp_path / "left.scm"
        (tmp_path / "p.scm").write_text(POWER)
        source = str(tmp_path / "p.scm")
        words = [*words, "-o", str(left)]
        generate = ["generate", source, "--entry", "power", "(dynamic int)", "(static)"]
        assert main([*generate, "-o", str(out)]) == 0
        assert main(["compile-with", str(out), *words]) == status
        captured = capsys.readouterr()
        assert message in captured.err
        assert captured.out == ""
        assert not left.exists()

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("print('hello')", "is not a generating extension"),
            ('"""Generating extension of x"""\n', "was damaged or edited"),
            (sealed('"""Generating extension of x"""\n1 / 0'), "ZeroDivisionError"),
            (sealed('"""Generating extension of x"""\n'), "does not define `specialize`"),
            (sealed('"""Generating extension of x"""\n('), "SyntaxError"),
        ],
    )
    def test_files_that_are_no_extensions(
        self, text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "other.py"
        path.write_text(text)
        assert main(["compile-with", str(path)]) == 1
        captured = capsys.readouterr()
        assert message in captured.err
        assert captured.out == ""

    def test_another_version(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        extension = cogen.generate(cogen.loads(POWER), "power", cogen.dynamic(), cogen.static(1))
        path = tmp_path / "old.py"
        text = extension.text.rpartition(SEAL)[0]
        path.write_text(sealed(text.replace(f"    {cogen.__version__!r},", "    '0.0.1',")))
        assert main(["compile-with", str(path)]) == 1
        assert "made by version 0.0.1 of cogen" in capsys.readouterr().err

    def test_flipped_bits_are_told(self, tmp_path: Path) -> None:
        """One bit anywhere: a diagnostic, and the text does not run."""
        extension = cogen.generate(cogen.loads(POWER), "power", cogen.dynamic(), cogen.static())
        whole = extension.text.encode()
        path = tmp_path / "power.py"
        draw = random.Random(5)
        for _ in range(200):
            at, bit = draw.randrange(len(whole)), 1 << draw.randrange(8)
            path.write_bytes(whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1 :])
            with pytest.raises(CogenError, match=r"power\.py"):
                cogen.load_extension(path)
        for end in range(0, len(whole), 97):
            path.write_bytes(whole[:end])
            with pytest.raises(CogenError, match=r"power\.py"):
                cogen.load_extension(path)
        path.write_bytes(whole.replace(b"\n", b"\r\n"))
        static = cogen.static(3)
        assert cogen.load_extension(path)(cogen.dynamic(), static).to_python()(2) == 8

    def test_static_without_datum_is_for_generate(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "p.scm"
        path.write_text(POWER)
        assert main(["specialize", str(path), "--entry", "power", "_", "(static)"]) == 2
        assert "(static) needs its datum" in capsys.readouterr().err


STATES = [
    ("imp.scm", "run", (f"(static {GCD})", INTS)),
    ("kmp.scm", "search", ('(static "abab")', "_")),
    ("turing.scm", "run", ("(static ((if 0 goto 3) (right) (goto 0) (write 1)))", "_")),
    ("regex.scm", "match?", (r"(static (seq (star (or #\a #\b)) #\a #\b #\b))", "_")),
]


@pytest.mark.sources
@pytest.mark.parametrize(("file", "entry", "texts"), STATES)
def test_keys_of_states_are_those_of_freeze(
    file: str, entry: str, texts: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two states have one key if and only if their tokens are equal, and one order of leaves."""
    bts = [cogen.bt.parse_bt(text) for text in texts]
    expected = cogen.specialize(cogen.load(EXAMPLES / file), entry, *bts).scheme
    keys: dict[object, object] = {}
    tokens: dict[object, object] = {}
    quick = Quick.state

    def watched(self: Quick, path: Path_, roots: Any) -> State | None:
        state = quick(self, path, roots)
        if state is not None:
            frozen = Frozen([*roots], path.store, path.lifted, path.context.liveness)
            assert keys.setdefault((self, state.key), frozen.key) == frozen.key
            assert tokens.setdefault((self, frozen.key), state.key) == state.key
            met = dict.fromkeys(leaf for level in state.summary.levels for leaf, _, _ in level)
            assert [split(leaf) for leaf in met] == [(x.name, x.offset) for x in frozen.leaves]
        return state

    monkeypatch.setattr(Quick, "state", watched)
    extension = cogen.generate(cogen.load(EXAMPLES / file), entry, *bts)
    assert extension(*bts).scheme == expected
    assert len(keys) > 2


def test_extensions_need_no_program_file(tmp_path: Path) -> None:
    path = tmp_path / "p.scm"
    path.write_text(POWER)
    out = tmp_path / "out.py"
    assert main(["generate", str(path), "--entry", "power", "_", "(static)", "-o", str(out)]) == 0
    path.unlink()
    assert cogen.load_extension(out)(cogen.dynamic(), cogen.static(2)).to_python()(3) == 9


def test_text_does_not_depend_on_the_hash_seed() -> None:
    command = [sys.executable, "-m", "cogen", "generate", str(EXAMPLES / "imp.scm")]
    texts = {
        subprocess.run(
            [*command, "--entry", "run", "(static)", "_"],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=EXAMPLES.parent,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1


class TestTheGuide:
    """What docs/generate.md shows is what happens."""

    text = (EXAMPLES.parent / "docs" / "generate.md").read_text(encoding="utf-8")

    def test_its_commands(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.chdir(EXAMPLES.parent)
        lines = self.text.replace("\\\n", " ").splitlines()
        commands = [line for line in lines if line.startswith("    cogen ")]
        assert len(commands) == 2
        for command in commands:
            words = shlex.split(command)[1:]
            assert main([str(tmp_path / w) if w == "impc.py" else w for w in words]) == 0
        assert "(define (run inputs inputs-1)" in capsys.readouterr().out

    def test_its_python(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "examples").symlink_to(EXAMPLES)
        (code,) = re.findall(r"```python\n(.*?)```", self.text, re.S)
        exec(compile(code, "generate.md", "exec"), {})
        assert capsys.readouterr().out == "6\n"
        assert load_module(tmp_path / "impc.py").specialize.entry == "run"
