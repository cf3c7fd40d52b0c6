"""il.Program, entry, division -> the text of a generating extension.

The text is a Python module that defines the compiler: `specialize(*binding_times)`.  It holds

    the program     as data, for what memo points and diagnostics need of it (`image`)
    u0 u1 ...       what the specializer does on each block, compiled in (`unfold`)
    d0 d1 ...       the procedures, for calls that leave nothing residual (`direct`)

and runs on the specializer's own memo table, store and residual code, so that its output is the
specializer's.  Nothing is decided by the text about the data to come: that a call leaves nothing
residual is found when it is first made with arguments of that shape.

After Jones, Gomard, Sestoft, "Partial Evaluation and Automatic Program Generation", and Draves'
compiler generator (the chapter on the system): a generator written by hand, whose output has the
program's dispatch carried out already.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import cogen
from cogen.bt import BT, show_bt
from cogen.genext.direct import Direct
from cogen.genext.extension import HEADING
from cogen.genext.image import Image
from cogen.genext.unfold import Unfold
from cogen.spec.mutation import find_mutations
from lang import il
from lang.ilutil import all_blocks, conts, functions, item_block


def generate(
    program: il.Program, entry: str, division: Sequence[BT], options: Mapping[str, Any]
) -> str:
    """The text of the generating extension (on a deep stack)."""
    image = Image(program)
    unfold = Unfold(image, find_mutations(program).pairs)
    direct = Direct(program, image, unfold)
    unfoldings = [line for block in _entries(program) for line in unfold.text(block)]
    procedures = [line for function in image.functions for line in direct.text(function)]
    code = [f"{image.blocks[block]}: {name}" for block, name in unfold.entries.items()]
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
        "from cogen.genext.names import *  # noqa: F403",
        "",
        "# The program.",
        *image.lines,
        "",
        "# Pieces of it.",
        *(f"{node} = {expression}" for expression, node in unfold.nodes.items()),
        "",
        "# Its blocks.",
        *unfoldings,
        "",
        "# Its procedures, where nothing is left of a call.",
        *procedures,
        "",
        "specialize = Extension(",
        f"    {cogen.__version__!r},",
        "    PROGRAM,",
        f"    {entry!r},",
        f"    division({', '.join(map(repr, shown))}),",
        f"    {dict(options)!r},",
        *_table(code),
        *_table(bodies),
        ")",
    ]
    return "\n".join(lines) + "\n"


def _entries(program: il.Program) -> Iterator[il.Block]:
    """The blocks at which code is entered: bodies of procedures, continuations, definitions."""
    for item in program.items:
        yield item_block(item)
    for block in all_blocks(program):
        for function in functions(block):
            yield function.body
        for cont in conts(block):
            yield cont.body


def _table(rows: Sequence[str]) -> Iterator[str]:
    yield "    {"
    for row in rows:
        yield f"        {row},"
    yield "    },"


def _plain(text: str) -> str:
    """The text as it may stand in a docstring."""
    shown = text.encode("unicode_escape").decode("ascii").replace('"', "'")
    return shown if len(shown) <= 400 else shown[:399] + "..."
