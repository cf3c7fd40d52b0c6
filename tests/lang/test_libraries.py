"""Libraries: finding them, exports, imports, what gets into the program, and mistakes."""

from __future__ import annotations

from collections.abc import Mapping
from io import StringIO
from pathlib import Path

import pytest

from cogen.lang import core
from cogen.lang.errors import CogenError
from cogen.lang.expand import expand
from cogen.lang.files import read_source
from cogen.lang.interp import Interpreter
from cogen.lang.load import load, loads
from cogen.lang.ownlibraries import srfis

pytestmark = pytest.mark.quick

STACK = """
(define-library (util stack)
  (export make push! (rename top peek) empty? when-empty)
  (import (scheme base))
  (begin
    (define-record-type stack (%make items) stack? (items items set-items!))
    (define (make) (%make '()))
    (define (push! s x) (set-items! s (cons x (items s))))
    (define (top s) (car (items s)))
    (define (empty? s) (null? (items s)))
    (define-syntax when-empty
      (syntax-rules () ((_ s e) (if (null? (items s)) e 'full))))))
"""


def write(directory: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def run_file(path: Path, library_path: tuple[Path, ...] = ()) -> str:
    output = StringIO()
    Interpreter(load(path, library_path), output=output).run()
    return output.getvalue()


def run_with(directory: Path, files: Mapping[str, str], program: str) -> str:
    write(directory, {**files, "main.scm": program})
    return run_file(directory / "main.scm")


def names_of(path: Path) -> list[str]:
    program = expand(read_source(path))
    return [form.name for form in program.forms if isinstance(form, core.DefineForm)]


IMPORTS = {
    "whole": ("(import (util stack)) (define s (make)) (push! s 1) (write (peek s))", "1"),
    "only": ("(import (only (util stack) make empty?)) (write (empty? (make)))", "#t"),
    "except": (
        "(import (except (util stack) push!)) (define (push! s x) 'mine) (write (push! 1 2))",
        "mine",
    ),
    "prefix": (
        "(import (prefix (util stack) s:)) (define (make) 'mine)"
        "(write (list (make) (s:empty? (s:make))))",
        "(mine #t)",
    ),
    "rename": (
        "(import (rename (util stack) (make new) (peek first)))"
        "(define s (new)) (push! s 'a) (write (first s))",
        "a",
    ),
    "nested": (
        "(import (prefix (only (rename (util stack) (make new)) new empty?) s:))"
        "(write (s:empty? (s:new)))",
        "#t",
    ),
    "two sets": (
        "(import (only (util stack) make) (only (util stack) empty?)) (write (empty? (make)))",
        "#t",
    ),
    "twice the same": ("(import (util stack)) (import (util stack)) (write (empty? (make)))", "#t"),
    "a macro that uses what is not exported": (
        "(import (util stack)) (define (items x) 'mine) (define null? 5)"
        "(write (when-empty (make) 'empty))",
        "empty",
    ),
    "import below a definition": (
        "(define x 1) (import (util stack)) (write (empty? (make)))",
        "#t",
    ),
}


@pytest.mark.parametrize("case", IMPORTS)
def test_import(case: str, tmp_path: Path) -> None:
    program, output = IMPORTS[case]
    assert run_with(tmp_path, {"util/stack.scm": STACK}, program) == output


def test_a_library_is_looked_up_beside_the_importing_file_first(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "app/main.scm": "(import (a b)) (write (f))",
            "app/a/b.scm": "(import (only (c) g)) (define (f) (list 'beside (g)))",
            "app/a/c.scm": "(define (g) 'own)",
            "app/c.scm": "(define (g) 'wrong)",
            "path/a/b.scm": "(define (f) 'path)",
        },
    )
    assert run_file(tmp_path / "app/main.scm", (tmp_path / "path",)) == "(beside own)"


def test_the_library_path(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "app/main.scm": "(import (a b)) (write (f))",
            "one/x.scm": "",
            "two/a/b.scm": "(define (f) 'two)",
        },
    )
    assert run_file(tmp_path / "app/main.scm", (tmp_path / "one", tmp_path / "two")) == "two"


def test_text_without_a_file_uses_the_library_path(tmp_path: Path) -> None:
    write(tmp_path, {"a.scm": "(define (f) 'found)"})
    output = StringIO()
    program = loads("(import (a)) (write (f))", library_path=(tmp_path,))
    Interpreter(program, output=output).run()
    assert output.getvalue() == "found"


def test_same_name_in_two_directories_is_two_libraries(tmp_path: Path) -> None:
    files = {
        "util.scm": "(define (name) 'outer)",
        "sub/util.scm": "(define (name) 'inner)",
        "sub/lib.scm": "(import (util)) (define (inner-name) (name))",
    }
    program = "(import (util) (only (sub lib) inner-name)) (write (list (name) (inner-name)))"
    assert run_with(tmp_path, files, program) == "(outer inner)"


def test_a_directory_with_all_in_it_is_a_library(tmp_path: Path) -> None:
    files = {"kit/all.scm": "(define one 1)"}
    assert run_with(tmp_path, files, "(import (kit)) (write one)") == "1"


def test_plain_file_exports_its_definitions_but_private_ones(tmp_path: Path) -> None:
    files = {
        "lib.scm": "(define (f) (%g)) (define (%g) 'g) (define-syntax m (syntax-rules () "
        "((_) (%g))))"
    }
    assert run_with(tmp_path, files, "(import (lib)) (write (list (f) (m)))") == "(g g)"
    with pytest.raises(CogenError, match="unbound name `%g`"):
        run_with(tmp_path, files, "(import (lib)) (%g)")


def test_plain_file_does_not_export_its_imports(tmp_path: Path) -> None:
    files = {"a.scm": "(define one 1)", "b.scm": "(import (a)) (define two (+ one one))"}
    assert run_with(tmp_path, files, "(import (b)) (write two)") == "2"
    with pytest.raises(CogenError, match="unbound name `one`"):
        run_with(tmp_path, files, "(import (b)) (write one)")


def test_a_library_may_export_what_it_imports(tmp_path: Path) -> None:
    files = {
        "a.scm": "(define one 1)",
        "b.scm": "(define-library (b) (export one (rename car first)) (import (a)))",
    }
    program = "(import (b)) (write (list one (first '(2))))"
    assert run_with(tmp_path, files, program) == "(1 2)"


def test_a_library_is_evaluated_once_and_before_its_importers(tmp_path: Path) -> None:
    files = {
        "a.scm": "(write 'a) (define x 1)",
        "b.scm": "(import (a)) (write 'b) (define y (+ x 1))",
        "c.scm": "(import (a)) (write 'c) (define z (+ x 2))",
    }
    program = "(import (c) (b)) (write (list y z))"
    assert run_with(tmp_path, files, program) == "acb(2 3)"


def test_state_of_a_library_is_shared(tmp_path: Path) -> None:
    files = {
        "counter.scm": "(define n 0) (define (next!) (set! n (+ n 1)) n)",
        "other.scm": "(import (counter)) (define (twice!) (next!) (next!))",
    }
    program = "(import (counter) (other)) (twice!) (write (list (next!) n))"
    assert run_with(tmp_path, files, program) == "(3 3)"


def test_define_library_in_the_program() -> None:
    text = (
        "(define-library (my lib) (export f) (begin (define (f) (g)) (define (g) 'lib)))"
        "(import (my lib)) (define (g) 'program) (write (list (f) (g)))"
    )
    output = StringIO()
    Interpreter(loads(text), output=output).run()
    assert output.getvalue() == "(lib program)"


def test_two_libraries_in_one_file(tmp_path: Path) -> None:
    files = {
        "a/b.scm": "(define-library (a inner) (export x) (begin (define x 1)))"
        "(define-library (a b) (export y) (begin (define y 2)))"
    }
    assert run_with(tmp_path, files, "(import (a b)) (write y)") == "2"


def test_include_splices_a_file_relative_to_the_including_one(tmp_path: Path) -> None:
    files = {
        "parts/all.scm": '(include "one.scm" "two.scm")',
        "parts/one.scm": "(define one 1)",
        "parts/two.scm": "(define two (+ one 1))",
    }
    assert run_with(tmp_path, files, '(include "parts/all.scm") (write two)') == "2"


def test_include_in_a_body_and_in_an_expression(tmp_path: Path) -> None:
    files = {"defs.scm": "(define x 5) (define y 6)", "sum.scm": "(write 'sum) (+ 1 2)"}
    program = (
        '(define (f) (include "defs.scm") (* x y)) (write (f)) (write (+ 1 (include "sum.scm")))'
    )
    assert run_with(tmp_path, files, program) == "30sum4"


def test_include_in_a_library(tmp_path: Path) -> None:
    files = {
        "lib.scm": '(define-library (lib) (export f) (include "body.scm"))',
        "body.scm": "(define (f) 'included)",
    }
    assert run_with(tmp_path, files, "(import (lib)) (write (f))") == "included"


def test_names_of_a_library_stay_unless_they_clash(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "lib.scm": "(define-library (lib) (export f)"
            " (begin (define (helper) 1) (define (other) 2) (define (f) (list (helper) (other)))))",
            "main.scm": "(import (lib)) (define (helper) 'mine) (write (list (helper) (f)))",
        },
    )
    names = names_of(tmp_path / "main.scm")
    assert names[-4:] == ["helper-2", "other", "f", "helper"]
    assert run_file(tmp_path / "main.scm") == "(mine (1 2))"
    assert load(tmp_path / "main.scm").own_globals == {"helper"}


def test_unreached_definitions_of_a_library_are_dropped_but_not_its_effects(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "lib.scm": "(define (used) (also)) (define (also) 1) (define (unused) 2) (define k 3)"
            " (define v (begin (write 'effect) 4))",
            "main.scm": "(import (lib)) (write (used))",
        },
    )
    assert names_of(tmp_path / "main.scm") == ["used", "also", "v"]


def test_installed_libraries_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(
        tmp_path,
        {
            "installed/signals/thing.scm": "(define thing 'installed)",
            "app/main.scm": "(import (signals thing)) (write thing)",
        },
    )
    monkeypatch.setattr("cogen.lang.libraries.INSTALLED", tmp_path / "installed")
    assert run_file(tmp_path / "app/main.scm") == "installed"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of libraries that comes along, of which one imports the other."""
    for module in ("libraries", "ownlibraries"):
        monkeypatch.setattr(f"cogen.lang.{module}.INSTALLED", tmp_path)
    write(
        tmp_path,
        {
            "sounds/all.scm": "(define-library (sounds) (export loud quiet unused)"
            " (import (sounds parts)) (begin (define (loud) (list part 'loud)) (define quiet 0)))",
            "sounds/parts.scm": "(define part 1) (define (unused) (cond (else)))",
        },
    )
    return tmp_path / "sounds"


def test_a_library_that_comes_along_is_expanded_where_it_is_used(package: Path) -> None:
    main = package.parent / "main.scm"
    main.write_text("(import (sounds)) (write (loud))")
    assert names_of(main) == ["list", "part", "loud"]
    main.write_text("(import (sounds)) (write (unused))")
    with pytest.raises(CogenError, match="cond"):
        names_of(main)


def test_a_library_that_comes_along_is_one_for_who_imports_a_part(package: Path) -> None:
    files = {
        "parts.scm": "(define-record-type part (make-part) part?)",
        "all.scm": "(define-library (sounds) (export is-part?) (import (sounds parts))"
        " (begin (define (is-part? x) (part? x))))",
    }
    write(package, files)
    for imported in ("(sounds) (sounds parts)", "(sounds parts) (sounds)"):
        program = f"(import {imported}) (write (is-part? (make-part)))"
        assert run_with(package.parent, {}, program) == "#t"


def test_a_library_that_comes_along_is_read_again_when_it_has_changed(package: Path) -> None:
    program = "(import (sounds)) (write (loud))"
    assert run_with(package.parent, {}, program) == "(1 loud)"
    write(package, {"parts.scm": "(define part 2) (define (unused) 0)"})
    assert run_with(package.parent, {}, program) == "(2 loud)"
    write(package, {"parts.scm": "(import (sounds)) (define part 2) (define unused 0)"})
    with pytest.raises(CogenError, match=r"the library \(sounds\) imports itself"):
        run_with(package.parent, {}, program)
    (package / "parts.scm").unlink()
    with pytest.raises(CogenError, match=r"there is no library \(sounds parts\)"):
        run_with(package.parent, {}, program)


MISTAKES = {
    "missing library": (
        {},
        "(import\n  (no such))",
        "there is no library (no such)",
        "main.scm",
        2,
        3,
    ),
    "missing export": (
        {"a.scm": "(define x 1)"},
        "(import (only (a) y))",
        "the library does not export `y`",
        "main.scm",
        1,
        19,
    ),
    "missing export to rename": (
        {"a.scm": "(define x 1)"},
        "(import (rename (a) (y z)))",
        "the library does not export `y`",
        "main.scm",
        1,
        22,
    ),
    "clash of two imports": (
        {"a.scm": "(define x 1)", "b.scm": "(define x 2)"},
        "(import (a)\n        (b))",
        "`x` is imported from two libraries",
        "main.scm",
        2,
        9,
    ),
    "clash with a definition above": (
        {"a.scm": "(define x 1)"},
        "(define x 1)\n(import (a))",
        "`x` is imported, but defined above",
        "main.scm",
        2,
        9,
    ),
    "definition of an imported name": (
        {"a.scm": "(define x 1)"},
        "(import (a))\n(define x 2)",
        "`x` is imported and cannot be defined again",
        "main.scm",
        2,
        9,
    ),
    "assignment of an imported name": (
        {"a.scm": "(define x 1)"},
        "(import (a))\n(set! x 2)",
        "`x` is imported and cannot be assigned",
        "main.scm",
        2,
        7,
    ),
    "two names become one": (
        {"a.scm": "(define x 1) (define y 1)"},
        "(import (rename (a) (x y)))",
        "two names become `y`",
        "main.scm",
        1,
        9,
    ),
    "cycle": (
        {"a.scm": "(import (b))", "b.scm": "\n(import (a))"},
        "(import (a))",
        "the library (a) imports itself",
        "b.scm",
        2,
        9,
    ),
    "a library that imports itself": (
        {"a.scm": "(import (a))"},
        "(import (a))",
        "the library (a) imports itself",
        "a.scm",
        1,
        9,
    ),
    "error in a library": (
        {"a.scm": "(define (f)\n  (foo))"},
        "(import (a))",
        "unbound name `foo`",
        "a.scm",
        2,
        4,
    ),
    "error in an included file": (
        {"a.scm": "(define (f)\n  (foo))"},
        '(include "a.scm")',
        "unbound name `foo`",
        "a.scm",
        2,
        4,
    ),
    "syntax error in a library": (
        {"a.scm": "(define (f)\n  (+ 1 2)"},
        "(import (a))",
        "",
        "a.scm",
        1,
        1,
    ),
    "a library that is not text": (
        {"a.scm/b.scm": ""},
        "(import (a))",
        "there is no library (a)",
        "main.scm",
        1,
        9,
    ),
    "a file with another library": (
        {"a.scm": "(define-library (b) (export))"},
        "(import (a))",
        "does not define the library (a)",
        "main.scm",
        1,
        9,
    ),
    "a form outside of the library": (
        {"a.scm": "(define-library (a))\n(define x 1)"},
        "(import (a))",
        "a form outside of `define-library`",
        "a.scm",
        2,
        1,
    ),
    "duplicate definition in a library": (
        {"a.scm": "(define x 1)\n(define x 2)"},
        "(import (a))",
        "duplicate definition of `x`",
        "a.scm",
        2,
        9,
    ),
    "wrong number of arguments across libraries": (
        {"a.scm": "(define (f x) x)"},
        "(import (a))\n(f)",
        "`f` takes 1 argument, but is given 0",
        "main.scm",
        2,
        1,
    ),
    "an include that is a directory": (
        {"dir/x.scm": ""},
        '(include "dir")',
        "is a directory",
        "main.scm",
        1,
        10,
    ),
    "a file that includes itself the long way": (
        {"dir/a.scm": '(include "../dir/a.scm")'},
        '(include "dir/a.scm")',
        "includes itself",
        "dir/a.scm",
        1,
        10,
    ),
    "a file that includes itself": (
        {"a.scm": '(include "a.scm")'},
        '(include "a.scm")',
        "includes itself",
        "a.scm",
        1,
        10,
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistake(case: str, tmp_path: Path) -> None:
    files, program, message, file, line, column = MISTAKES[case]
    with pytest.raises(CogenError) as caught:
        run_with(tmp_path, files, program)
    error = caught.value
    assert message in error.message
    assert str(error).startswith(f"{tmp_path / file}:{line}:{column}: ")


def test_cycle_shows_the_chain_of_imports(tmp_path: Path) -> None:
    write(tmp_path, {"main.scm": "(import (a))", "a.scm": "(import (b))", "b.scm": "(import (a))"})
    with pytest.raises(CogenError) as caught:
        load(tmp_path / "main.scm")
    assert caught.value.hint is not None
    assert "(a) -> (b) -> (a)" in caught.value.hint
    assert [note.message for note in caught.value.notes] == [
        "(a) is imported here",
        "(b) is imported here",
    ]


def test_missing_library_tells_where_it_was_looked_for(tmp_path: Path) -> None:
    write(tmp_path, {"main.scm": "(import (a b))"})
    with pytest.raises(CogenError) as caught:
        load(tmp_path / "main.scm", (tmp_path / "path",))
    assert caught.value.hint is not None
    assert str(tmp_path / "a/b.scm") in caught.value.hint
    assert str(tmp_path / "path/a/b.scm") in caught.value.hint


def test_a_library_that_is_not_utf8(tmp_path: Path) -> None:
    write(tmp_path, {"main.scm": "(import (a))"})
    (tmp_path / "a.scm").write_bytes(b"\xff")
    with pytest.raises(CogenError, match="is not UTF-8 text") as caught:
        load(tmp_path / "main.scm")
    assert str(caught.value).startswith(f"{tmp_path / 'main.scm'}:1:9: ")


def test_an_installed_library_is_named_by_its_place_among_the_packages() -> None:
    program = loads("(import (signals)) (signal-put! (make-constant-signal 1) 2)", "user.scm")
    with pytest.raises(CogenError) as caught:
        Interpreter(program).run()
    assert str(caught.value.span) == "user.scm:1:20"
    assert str(caught.value.inner).startswith("signals/signal.scm:")
    assert "constant signal cannot be written" in str(caught.value)


def test_a_library_of_ones_own_keeps_its_path(tmp_path: Path) -> None:
    file = tmp_path / "own.scm"
    file.write_text("(define (f) (car 1))")
    program = loads("(import (own)) (f)", library_path=(tmp_path,))
    with pytest.raises(CogenError) as caught:
        Interpreter(program).run()
    assert str(caught.value.span) == f"{file}:1:13"


# Libraries of the language


def test_srfi_libraries_are_named_by_their_number() -> None:
    with pytest.raises(CogenError) as caught:
        Interpreter(loads("(import (srfi 1))\n(define (f x) (take x 2))\n(display (f '(1)))")).run()
    assert str(caught.value).splitlines()[0].startswith("<string>:2:15: error: take: ")
    assert "in the library (srfi 1): srfi/1.scm:" in str(caught.value)


def test_a_program_gets_what_it_uses_of_a_library_of_the_language() -> None:
    program = loads("(import (srfi 1) (srfi 69)) (define (f l) (fold + 0 l))")
    names = {item.name for item in program.items}
    assert {"f", "fold"} <= names
    assert not {"filter", "%hash-of", "unfold"} & names


def test_srfi_libraries_that_are_not_there() -> None:
    with pytest.raises(CogenError, match=r"there is no library \(srfi 99999\)"):
        loads("(import (srfi 99999))")


def test_names_of_the_prelude_stay_its_own() -> None:
    with pytest.raises(CogenError, match="unbound name `%optional`"):
        loads('(import (srfi 1)) (%optional "f" 1 2)')


@pytest.mark.parametrize("name", ["(srfi 1)", "(srfi :1)", "(srfi 1 lists)", "(srfi :1 lists)"])
def test_spellings_of_a_srfi(name: str) -> None:
    output = StringIO()
    Interpreter(loads(f"(import (only {name} iota)) (write (iota 2))"), output=output).run()
    assert output.getvalue() == "(0 1)"


def test_cond_expand_knows_the_libraries_of_the_language() -> None:
    text = "(write (cond-expand ((and (library (srfi 1)) (library (srfi :69))) 1) (else 2)))"
    output = StringIO()
    Interpreter(loads(text), output=output).run()
    assert output.getvalue() == "1"


def test_what_a_srfi_has_and_the_language_has_not() -> None:
    with pytest.raises(CogenError) as caught:
        loads("(import (only (srfi 13) string-reverse!))")
    assert caught.value.message == "the library does not export `string-reverse!`"
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("change the string with string-set!")


def test_libraries_that_share_procedures_are_imported_together() -> None:
    """All of them, but the one of each pair that means something else by its names."""
    other = {"130": "13", "48": "28"}
    names = [path.stem for path in srfis() if path.stem not in other]
    imports = " ".join(f"(srfi {name})" for name in names if name not in ("69", "133"))
    loads(f"(import {imports} (srfi 133))")
    loads("(import (srfi 69) (srfi 1) (srfi 13) (srfi 128))")
    for name, like in other.items():
        with pytest.raises(CogenError, match="is imported from two libraries"):
            loads(f"(import (srfi {like}) (srfi {name}))")
