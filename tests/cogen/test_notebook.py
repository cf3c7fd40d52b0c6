"""`%load_ext cogen`, in IPython's shell; what results show in notebooks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import cogen
from cogen.lang import il

pytest.importorskip("IPython")

from IPython.core.interactiveshell import InteractiveShell  # it may be missing
from IPython.testing.globalipapp import start_ipython
from IPython.utils.io import capture_output


@pytest.fixture(scope="module")
def the_shell() -> Any:
    return start_ipython() or InteractiveShell.instance()


class Notebook:
    """A notebook: cells are run one after the other."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell = shell
        self.out = self.err = ""

    def __call__(self, cell: str) -> Any:
        """The value of a cell, which does not fail."""
        with capture_output() as captured:
            done = self.shell.run_cell(cell, store_history=True)
        self.out, self.err = captured.stdout, captured.stderr
        assert done.success, self.out + self.err
        return done.result

    def fails(self, cell: str) -> str:
        """What is shown when a cell fails."""
        with capture_output() as captured:
            done = self.shell.run_cell(cell, store_history=True)
        assert not done.success
        return captured.stdout + captured.stderr


@pytest.fixture
def notebook(the_shell: InteractiveShell) -> Iterator[Notebook]:
    the_shell.run_line_magic("colors", "nocolor")
    the_shell.run_line_magic("reload_ext", "cogen")
    yield Notebook(the_shell)
    the_shell.reset()


POWER = "%%cogen\n(define (power x n)\n  (if (= n 0) 1 (* x (power x (- n 1)))))\n"


def test_cells_define_a_program_that_python_uses(notebook: Notebook) -> None:
    assert notebook(POWER) is None
    notebook(
        "import cogen\n"
        "five = cogen.specialize(program, 'power', cogen.dynamic('int'), cogen.static(5))"
    )
    assert notebook("five.to_python()(2)") == 32
    assert repr(notebook("program")) == "<program <repl>: power>"


def test_cells_go_on_with_each_other(notebook: Notebook) -> None:
    notebook(POWER)
    assert notebook('%%cogen\n(define y 3)\n(display "hi")\n(list \'a (power 2 y) "s")') == [
        cogen.symbol("a"),
        8,
        "s",
    ]
    assert notebook.out.startswith("hi")
    notebook("%%cogen\n(define (power x n) 'mine)")
    assert notebook("%cogen (power 1 2)") == cogen.symbol("mine")
    assert notebook("value = %cogen (+ y 1)\nvalue") == 4


def test_a_cell_may_be_a_program_of_its_own(notebook: Notebook) -> None:
    notebook(POWER)
    notebook("%%cogen other\n(define (f x) (* 2 x))")
    other = notebook("other")
    assert isinstance(other, il.Program)
    assert other.own_globals == {"f"}
    assert "f" not in notebook("program").own_globals


def test_errors_show_the_diagnostic_alone(notebook: Notebook) -> None:
    notebook(POWER)
    shown = notebook.fails("%%cogen\n(power 'a 2)")
    lines = shown.strip().splitlines()
    assert lines[0].endswith("error: *: expected a number, got a")
    assert lines[-2].startswith("  called from <cell ")
    assert lines[-1].startswith("hint: a name with a quote")
    assert "Traceback" not in shown
    assert "cogen/" not in shown
    assert notebook.fails("%%cogen\n(list 1").splitlines()[0].endswith("error: unclosed `(`")
    assert "is no name of a variable" in notebook.fails("%%cogen a b\n1")


def test_errors_of_python_cells_show_the_cell_and_the_diagnostic(notebook: Notebook) -> None:
    notebook("import cogen")
    shown = notebook.fails("def mine():\n    return cogen.loads('(car', 'p.scm')\nmine()")
    assert "mine()" in shown
    assert "p.scm:1:1: error: unclosed `(`" in shown
    assert "cogen/" not in shown


def test_the_cells_of_the_page(notebook: Notebook) -> None:
    page = (Path(__file__).parents[2] / "docs" / "notebook.md").read_text(encoding="utf-8")
    cells = re.findall(r"^```python\n(.*?)^```", page, re.S | re.M)
    values = [notebook(cell) for cell in cells if "load_ext" not in cell]
    assert values[:2] == [1024, 125]
    assert "(define (value x)" in values[-1]


def test_a_program_that_is_not_whole(notebook: Notebook) -> None:
    notebook(POWER)
    before = notebook("program")
    notebook("%%cogen\n(define (f) (later))")
    assert "`later` is not defined yet" in notebook.err
    assert notebook("program") is before
    notebook("%%cogen\n(define (later) 1)")
    assert notebook("program").own_globals == {"power", "f", "later"}


def test_what_results_show() -> None:
    pytest.importorskip("lark")
    program = cogen.array.loads("fun [real] main([real] xs) = map(fn real (real x) => x + 1.0, xs)")
    from cogen.array.report.fusionreport import report

    told = report(program)
    assert repr(told).startswith("<fusion of main in <string>")
    assert "map" in told._repr_html_()
    assert "<pre>" in told._repr_html_()
    error = cogen.CogenError("a < b", hint="c")
    assert error._repr_html_() == "<pre><b>error: a &lt; b</b>\nhint: c</pre>"
    less = cogen.loads("(define (f x) (< x 1))")
    residual = cogen.specialize(less, "f", cogen.dynamic("int"), explain=True)
    assert "&lt;" in residual.explain()._repr_html_()
    assert residual._repr_html_().startswith("<iframe")
    assert program._repr_html_().startswith("<iframe")
