"""Calls that led to a failure are shortened alike by Python, by the run time of whole programs, and
by what kernels note."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogen.backends import noting
from cogen.backends.ctree.printer import print_unit
from cogen.backends.ctree.tree import CInclude, CLibrary, CUnit
from cogen.backends.failures import KERNEL_ERROR, NOTED_CALL
from cogen.backends.kernel.cmodule import CALL, ErrorSite
from cogen.backends.kernel.load import calls_noted
from cogen.backends.native.build import runtime_texts
from cogen.backends.native.limits import MORE
from cogen.backends.objectcode import cache, foreign
from cogen.backends.objectcode.toolchain import find_compiler
from cogen.lang.chain import LANGUAGE, Call, Chain
from cogen.lang.errors import Source, Span

LIBRARIES = (None, "signals", "other", LANGUAGE)
SPANS = [
    Span(Source(f"{library}{k}.scm", "(f) (g) (h)", library=library or ""), 4 * k, 4 * k + 3)
    for library in LIBRARIES
    for k in range(3)
]
CALLS = st.lists(st.tuples(st.sampled_from([None, *SPANS]), st.integers(1, 5)), max_size=40)
OWN = st.lists(st.sampled_from(SPANS[:3]), max_size=60)

FOLDING = """
#include "chain.c"
#include <stdlib.h>

const known_failure known_failures[1];
const frame *frame_of(RT, word address) { return NULL; }

size_t fold(const char *const *libraries, const long *calls, int count, char *to, size_t size) {
    place places[32] = {0};
    for (int i = 0; libraries[i] != NULL; i++) {
        places[i + 1].library = *libraries[i] == '-' ? NULL : libraries[i];
    }
    const program p = {.places = places};
    runtime *rt = calloc(1, sizeof *rt);
    rt->program = &p;
    chain c = {0};
    for (int i = 0; i < count; i++) add_told(rt, &c, (int)calls[2 * i], calls[2 * i + 1]);
    free(rt);
    return chain_numbers(to, size, &c);
}
"""
"""Places are numbered from 1 on; "-" is in no library."""


@pytest.fixture(scope="module")
def run_time(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The folding of the run time, and nothing else of it."""
    place = tmp_path_factory.mktemp("chain")
    for name, text in {**runtime_texts(), "folding.c": FOLDING}.items():
        (place / name).write_text(text, encoding="utf-8")
    made = place / "folding.so"
    options = ["-shared", "-fPIC", "-w", "-std=gnu11", "-o", str(made), str(place / "folding.c")]
    subprocess.run([*find_compiler().command, *options], check=True, capture_output=True)
    return ctypes.CDLL(str(made), mode=os.RTLD_LAZY).fold


def numbered(calls: Sequence[Call]) -> list[int]:
    """Calls as the tables of a program have them."""
    return [
        n for span, times in calls for n in (MORE if span is None else SPANS.index(span) + 1, times)
    ]


@given(calls=CALLS)
def test_the_run_time_folds_as_python_does(run_time: Any, calls: list[Call]) -> None:
    names = [
        b"-" if not span.source.library else b"" if span.source.library == LANGUAGE
        else span.source.library.encode()
        for span in SPANS
    ]  # fmt: skip
    libraries = (ctypes.c_char_p * (len(names) + 1))(*names, None)
    numbers = numbered(calls)
    given_ = (ctypes.c_long * max(1, len(numbers)))(*numbers)
    room = ctypes.create_string_buffer(1000)
    run_time(libraries, given_, len(calls), room, ctypes.c_size_t(len(room)))
    _, _, left_out, count, *rows = map(int, room.value.split())
    told = [(SPANS[place - 1], times) for place, times in zip(rows[::2], rows[1::2], strict=True)]
    found = Chain(calls)
    assert [line(span, times) for span, times in told[:count]] == texts(found)[0]
    assert [line(span, times) for span, times in told[count:]] == texts(found)[1]
    assert (f"  … {left_out:,} more" in "\n".join(found.lines())) == (left_out > 0)


def line(span: Span, times: int) -> str:
    """One call, as a diagnostic tells it."""
    library = span.source.library
    return f"  … in the library ({library})" if library else Chain([(span, times)]).lines()[0]


def texts(chain: Chain) -> tuple[list[str], list[str]]:
    """The lines before and after the one that says how many are left out."""
    lines = chain.lines()
    gaps = [at for at, text in enumerate(lines) if text.endswith((" more call", " more calls"))]
    return (lines[: gaps[0]], lines[gaps[0] + 1 :]) if gaps else split(lines)


def split(lines: list[str]) -> tuple[list[str], list[str]]:
    """Without such a line the first ones are as many as there may be."""
    return lines[:6], lines[6:]


@pytest.fixture(scope="module")
def noted() -> Iterator[Any]:
    """What kernels note calls by."""
    function = noting.functions()["cogen_called"].replace("static void", "void")
    unit = CUnit((CInclude("stdint.h"), NOTED_CALL, KERNEL_ERROR, CLibrary(function)))
    library = foreign.SharedObject(cache.shared_object(print_unit(unit)))
    kind = foreign.pointer_to(foreign.structure(KERNEL_ERROR, NOTED_CALL))
    takes = [kind, foreign.INT64, foreign.INT64]
    yield kind, library.function("cogen_called", takes, foreign.VOID)
    del library  # until then its functions are there


@given(spans=OWN)
def test_kernels_note_what_is_told(noted: Any, spans: list[Span]) -> None:
    """Though they keep a part only, a diagnostic says the same."""
    kind, called = noted
    error = foreign.new(kind)
    sites = [ErrorSite(CALL, (), span, 32) for span in SPANS]
    for span in spans:
        number = SPANS.index(span) + 1
        called(error, number, sites[number - 1].told)
    assert Chain(calls_noted(sites, error)).lines() == Chain([(s, 1) for s in spans]).lines()
