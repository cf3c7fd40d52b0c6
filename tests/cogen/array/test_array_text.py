"""The text of array programs as it was reviewed: C, kernels of OpenCL, and reports of fusion.

The programs of `tests/programs/l0/text` have all kinds of nodes and generators between them. The
run-time library, which is the same in all texts, is recorded once.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from cogen.array import load
from cogen.array.c import runtimetext as runtime
from cogen.array.c.nativeprogram import c_text
from cogen.array.codegen.survey import all_statements
from cogen.array.ir.generators import Generator
from cogen.array.ir.node import (
    Multiloop,
    Node,
)
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.opencl.bucketkernels import functions
from cogen.array.opencl.devicememory import copy_text
from cogen.array.opencl.deviceprogram import device_text
from cogen.array.opencl.preamble import preamble
from cogen.array.optimise.preparing import prepare
from cogen.array.report.fusionreport import report
from cogen.array.report.fusiontable import fusion_table
from cogen.backends.ctree.printer import print_unit
from cogen.backends.ctree.tree import CUnit
from tests.cogen.array.programs import PROGRAMS

pytestmark = pytest.mark.quick

TEXTS = sorted((PROGRAMS / "text").glob("*.l0"))
NARROW = Arithmetic(32, 32)

Golden = Callable[..., None]


def _library(arithmetic: Arithmetic) -> list[str]:
    """The parts of the run-time libraries of C and of kernels."""
    files = [runtime.memory(), *runtime.tables(arithmetic).values()]
    files.append([*runtime.library("prefix.h").values()])
    parts = [print_unit(CUnit((item,))) for items in files for item in items]
    parts += runtime.operations(arithmetic).values()
    return [*parts, preamble(arithmetic), copy_text(), functions(arithmetic)]


def own(text: str, path: Path, arithmetic: Arithmetic = WIDE) -> str:
    """A text without the run-time library; files are called by their names."""
    text = text.replace(str(path), path.name)
    for part in _library(arithmetic):
        text = text.replace(part.rstrip("\n") + "\n", "...\n")
    while "...\n\n...\n" in text:
        text = text.replace("...\n\n...\n", "...\n")
    return text


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_c(path: Path, golden: Golden) -> None:
    golden(own(c_text(load(path), "main").text, path), ".c")


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_opencl(path: Path, golden: Golden) -> None:
    golden(own(device_text(load(path), "main"), path), ".cl")


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_fusion(path: Path, golden: Golden) -> None:
    written = io.StringIO()
    console = Console(file=written, width=100, color_system=None)
    source = load(path)
    console.print(fusion_table(report(source, "main"), source.source))
    text = written.getvalue().replace(str(path), path.name)
    golden("".join([f"{line.rstrip()}\n" for line in text.splitlines()]))


@pytest.mark.parametrize("name", ["histogram", "rearranging", "scan_stored", "sequential"])
def test_narrow(name: str, golden: Golden) -> None:
    """Ints and reals of 32 bits: sizes and indices have 64."""
    path = PROGRAMS / "text" / f"{name}.l0"
    program = load(path)
    golden(own(c_text(program, "main", None, NARROW).text, path, NARROW), ".c")
    golden(own(device_text(program, "main", NARROW), path, NARROW), ".cl")


def test_library(golden: Golden) -> None:
    golden("\n".join(_library(WIDE)), ".c")


def test_all_kinds_are_covered() -> None:
    """The programs have every kind of node that code is made for, and every generator."""
    found: set[str] = set()
    for path in TEXTS:
        ready = prepare(load(path).facts, "main")
        for block in (ready.entry, *ready.functions.values()):
            for statement in all_statements(block):
                found.add(type(statement.node).__name__)
                if isinstance(statement.node, Multiloop):
                    found.update(
                        [type(generator).__name__ for generator in statement.node.generators]
                    )
    without_code = {"Constant", "Parameter", "Part", "Conjoin"}
    assert _kinds(Node) | _kinds(Generator) == found | without_code


def _kinds(base: type) -> set[str]:
    """The names of the classes derived from one that have none derived themselves."""
    direct = base.__subclasses__()
    found = {kind.__name__ for kind in direct if not kind.__subclasses__()}
    return found.union(*map(_kinds, direct))
