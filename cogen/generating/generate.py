"""il.Program, entry, division -> the text of a generating extension.

The text is a Python module that defines the compiler: `specialize(*binding_times)`.  It holds

    the program     as data, for what memo points and diagnostics need of it (`image`)
    d0 d1 ...       the procedures: what the specializer does to unfold their calls (`direct`)
    w0 w1 ...       where they can be left, for the specializer to go on (`leave`)

and runs on the specializer's own memo table, store and residual code, so that its output is the
specializer's.  Nothing is decided by the text about the data to come.

After Jones, Gomard, Sestoft, "Partial Evaluation and Automatic Program Generation", and Draves'
compiler generator (the chapter on the system): a generator written by hand, whose output has the
program's dispatch carried out already.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cogen.binding_times import BT, show_bt
from cogen.generating.direct import ExtensionWriter
from cogen.generating.extension import HEADING, sealed
from cogen.generating.image import Image
from cogen.lang import il
from cogen.specializer.analyses.analyses import analyses_of
from cogen.version import __version__


def generate(
    program: il.Program, entry: str, division: Sequence[BT], options: Mapping[str, Any]
) -> str:
    """The text of the generating extension (on a deep stack)."""
    image = Image(program)
    direct = ExtensionWriter(program, image, analyses_of(program))
    procedures = [line for function in image.functions for line in direct.text(function)]
    bodies = [f"{image.functions[f]}: {name}" for f, name in direct.names.items()]
    shown = [show_bt(bt) for bt in division]
    name = program.source.name if program.source is not None else "a program"
    lines = [
        f"{HEADING}{_plain(entry)} of {_plain(name)}: a compiler, made by cogen.",
        "",
        "    specialize(binding time, ...) -> residual program",
        "",
        f"for binding times like {_plain(' '.join(shown))}",
        '"""',
        "",
        "from cogen.generating.names import *  # noqa: F403",
        "",
        "# The program.",
        *image.lines,
        "",
        "# Pieces of it.",
        *(f"{node} = {expression}" for expression, node in direct.once.names.items()),
        "",
        "# Its procedures.",
        *procedures,
        "",
        "specialize = Extension(",
        f"    {__version__!r},",
        "    PROGRAM,",
        f"    {entry!r},",
        f"    division({', '.join(map(repr, shown))}),",
        f"    {dict(options)!r},",
        *_table(bodies),
        ")",
    ]
    return sealed("\n".join(lines))


def _table(rows: Sequence[str]) -> Iterator[str]:
    yield "    {"
    for row in rows:
        yield f"        {row},"
    yield "    },"


def _plain(text: str) -> str:
    """The text as it may stand in a docstring."""
    shown = text.encode("unicode_escape").decode("ascii").replace('"', "'")
    return shown if len(shown) <= 400 else shown[:399] + "..."
