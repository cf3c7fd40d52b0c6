"""IL program -> executable or library: the passes of the native back end, in order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from cogen.backends.native.build import executable
from cogen.backends.native.contents import use_contents
from cogen.backends.native.contify import contify
from cogen.backends.native.given import given
from cogen.backends.native.inline import inline
from cogen.backends.native.members import compare_members
from cogen.backends.native.module import changes_lists
from cogen.backends.native.program import NativeText, emit
from cogen.backends.native.prune import prune
from cogen.backends.native.receive import receive
from cogen.backends.native.searches import watch
from cogen.lang import il
from cogen.lang.deep import on_deep_stack
from cogen.lang.ilcheck import check


def compile_program(program: il.Program, entry: str | None = None, word_size: int = 32) -> Path:
    """The executable of a program, in the build cache: it runs the top level and then, if an
    entry is named, calls it with the data of its command line and prints the result.

    `word_size` is that of memory, in bits.  CogenError if there is no C compiler, the cache
    cannot be used, or there is no such entry.
    """
    return executable(c_text(program, entry, word_size).text)


def c_text(program: il.Program, entry: str | None = None, word_size: int = 32) -> NativeText:
    """The C text of the program, which needs the headers of the run time.

    InternalError if the passes leave no well-formed IL, as a variable out of scope: so the C
    compiler does not have to find it.
    """
    return on_deep_stack(_c_text, program, entry, word_size)


def _c_text(program: il.Program, entry: str | None, word_size: int) -> NativeText:
    for _, run in PASSES:
        program = run(program, entry)
    check(program)
    return emit(program, entry, word_size)


def _watch(program: il.Program, entry: str | None) -> il.Program:
    """Searches look for circular lists, where there may be some."""
    return watch(program) if entry is not None or changes_lists(program) else program


Pass = Callable[[il.Program, str | None], il.Program]
"""IL -> IL; the entry, if there is one, is kept."""

PASSES: Final[tuple[tuple[str, Pass], ...]] = (
    ("watch", _watch),  # before loops of the library are inlined
    ("given", given),  # before inlining, which sees more known calls then
    ("inline", lambda program, entry: inline(program)),
    ("members", lambda program, entry: compare_members(program)),
    ("contify", lambda program, entry: contify(program)),  # finds loops that inlining leaves
    ("receive", lambda program, entry: receive(program)),  # where loops end with several values
    ("contents", lambda program, entry: use_contents(program)),
    ("prune", prune),
)
"""The passes by name, in order."""
