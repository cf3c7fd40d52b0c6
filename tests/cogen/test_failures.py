"""What Python and C agree on about run-time errors, and the files of C that are printed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cogen.array.c.interface import CALL
from cogen.array.c.runtimetext import operations
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.backends import noting
from cogen.backends.ctree.helpers import parts
from cogen.backends.ctree.printer import print_unit
from cogen.backends.ctree.tree import CInclude, CLibrary, CUnit
from cogen.backends.failures import ARRAY_ERROR, KERNEL_ERROR, LIMITS, NOTED_CALL, noted_at
from cogen.backends.kernel.cruntime import HELPERS
from cogen.backends.native import limits
from cogen.backends.objectcode import cache, foreign
from cogen.backends.objectcode.toolchain import find_compiler
from cogen.backends.structures import INT64, KINDS, TRACE, SharedMember, SharedStructure
from cogen.lang import chain

SHARED = [(KERNEL_ERROR, NOTED_CALL), (ARRAY_ERROR,), (CALL, ARRAY_ERROR)]


@pytest.mark.parametrize("definitions", SHARED, ids=lambda one: one[0].name)
def test_structures_are_laid_out_as_in_c(definitions: tuple[SharedStructure, ...]) -> None:
    """What C writes to each member is what Python reads."""
    whole, *others = definitions
    numbers = {member.name: member for member in whole.members if member.kind == INT64}
    stores = [
        f"    x->{name}{'[1]' if member.extent else ''} = {at};"
        for at, (name, member) in enumerate(numbers.items(), 1)
    ]
    function = f"void fill({whole.name} *x)\n{{\n" + "\n".join(stores) + "\n}\n"
    unit = CUnit((CInclude("stdint.h"), *reversed(others), whole, CLibrary(function)))
    library = foreign.SharedObject(cache.shared_object(print_unit(unit)))
    kind = foreign.pointer_to(foreign.structure(whole, *others))
    made = foreign.new(kind)
    library.function("fill", [kind], foreign.VOID)(made)
    found = [getattr(made, name) for name in numbers]
    assert [one if isinstance(one, int) else one[1] for one in found] == [
        *range(1, len(numbers) + 1)
    ]
    assert len(numbers) > 1


def test_kinds_of_members_are_known_on_both_sides() -> None:
    """A member of each kind, as large for Python as for C."""
    members = [SharedMember(k, f"x{at}", at % 3) for at, k in enumerate(KINDS) if k != TRACE]
    whole = SharedStructure("all", (*members, SharedMember(TRACE, "trace")))
    size = CLibrary("int64_t size(void)\n{\n    return sizeof(all);\n}\n")
    text = print_unit(CUnit((CInclude("stdint.h"), whole, size)))
    library = foreign.SharedObject(cache.shared_object(text))
    made = foreign.new(foreign.pointer_to(foreign.structure(whole)))
    assert library.function("size", [], foreign.INT64)() == len(foreign.bytes_at(made, -1))


def test_limits_are_said_once() -> None:
    """The text of kernels and the header of native programs have the numbers of the table."""
    header = limits.header()
    for name in ("TOLD_FIRST", "TOLD_LAST", "NUMBER_SIZE"):
        assert f"#define {name} {LIMITS[name].number}\n" in header
    assert (LIMITS["TOLD_FIRST"].number, LIMITS["TOLD_LAST"].number) == (chain.FIRST, chain.LAST)
    called = noting.functions()["cogen_called"]
    assert all(name not in called for name in LIMITS)
    assert f"if (count >= {LIMITS['NOTED_CALLS'].number})" in called
    run_time = Path(limits.__file__).with_name("runtime")
    texts = [path.read_text(encoding="utf-8") for path in run_time.glob("*.[ch]")]
    for name in ("TOLD_FIRST", "TOLD_LAST", "SLACK", "MOST_ARGUMENTS", "MORE"):
        assert any(name in text for text in texts), name
        assert not any(f"{name} =" in text for text in texts), name


def test_the_last_calls_take_turns() -> None:
    first, last = LIMITS["NOTED_FIRST"].number, LIMITS["NOTED_LAST"].number
    assert first + last == LIMITS["NOTED_CALLS"].number
    assert [noted_at(call) for call in range(first)] == [*range(first)]
    for begin in range(first, first + 3 * last):
        turn = {noted_at(call) for call in range(begin, begin + last)}
        assert turn == {*range(first, first + last)}


def test_parts_of_files(tmp_path: Path) -> None:
    file = tmp_path / "some.h"
    file.write_text(
        "/* What it is: INT. */\n\n"
        "/* ---- one ---- */\nINT one;\n\n/* ---- two ---- */\n\nINT_ two;\n"
    )
    assert parts(file, {"INT": "long"}) == {"one": "long one;\n", "two": "\nINT_ two;\n"}
    assert parts(file) == {"one": "INT one;\n", "two": "\nINT_ two;\n"}


@pytest.mark.parametrize("arithmetic", [WIDE, Arithmetic(32, 32), Arithmetic(32, 64)])
def test_files_are_c_when_words_are_filled_in(arithmetic: Arithmetic) -> None:
    """Without a word that is left, and without a warning."""
    text = "".join(operations(arithmetic).values())
    unit = CUnit((CInclude("math.h"), CInclude("stdint.h"), CLibrary(text)))
    _compiles(print_unit(unit))


def test_what_kernels_call_is_c() -> None:
    own = [NOTED_CALL, KERNEL_ERROR]
    wide = CLibrary("__extension__ typedef __int128 cogen_wide;")
    headers = map(CInclude, ("math.h", "stdbool.h", "stdint.h", "string.h"))
    _compiles(print_unit(CUnit((*headers, *own, wide, *map(CLibrary, HELPERS.values())))))


def _compiles(text: str) -> None:
    options = [
        "-std=c11",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Wno-unused-function",
        "-Wno-unused-parameter",
        "-fsyntax-only",
    ]
    command = [*find_compiler().command, *options, "-x", "c", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
