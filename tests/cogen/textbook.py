"""Helpers for tests on residual programs: specialize an example, count what is left in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from cogen import binding_times, generate
from cogen.backends.scheme import scheme
from cogen.binding_times import parse_bt
from cogen.lang import il
from cogen.lang.datum import Datum
from cogen.lang.iltext import show
from cogen.lang.interp import Interpreter
from cogen.lang.load import load, loads
from cogen.lang.reader import read_datum
from cogen.residual import ResidualProgram
from cogen.specializer.specialize import specialize
from cogen.specializer.versions.options import SpecializerOptions

EXAMPLES = Path(__file__).parents[2] / "examples"


def residual_of(program: str, entry: str, *times: str, **options: object) -> ResidualProgram:
    """The residual program of a text, or of the example of that file name; a generating extension
    must give the same."""
    loaded = load(EXAMPLES / program) if program.endswith(".scm") else loads(program)
    bts = [parse_bt(t) for t in times]
    residual = specialize(loaded, entry, bts, SpecializerOptions(**options))  # type: ignore[arg-type]
    division = [binding_times.Later() if isinstance(bt, binding_times.Static) else bt for bt in bts]
    generated = generate(loaded, entry, *division, **options)(*bts)
    assert generated.il == show(residual.program)
    return residual


def text_of(residual: ResidualProgram) -> str:
    """The residual program in direct style, comments left out, white space made single."""
    lines = [line.partition(";")[0] for line in scheme.emit(residual.program).splitlines()]
    return " ".join(" ".join(lines).split())


def running(residual: ResidualProgram) -> Interpreter:
    """The interpreter on a residual program, its definitions evaluated."""
    interpreter = Interpreter(residual.program, residual.word_size)
    interpreter.run()
    return interpreter


def call(residual: ResidualProgram, *arguments: str | Datum) -> Datum:
    """What the residual entry gives for arguments, those in strings read as data."""
    interpreter = running(residual)
    data = [read_datum(a) if isinstance(a, str) else a for a in arguments]
    return interpreter.call(residual.entry, data)


def blocks(residual: ResidualProgram) -> Iterator[il.Block]:
    """All blocks of a residual program."""
    work = [i.function.body for i in residual.program.items if isinstance(i, il.Define)]
    while work:
        block = work.pop()
        yield block
        for binding in block.bindings:
            if isinstance(binding, il.Fix):
                work.extend(f.body for f in binding.functions)
            elif isinstance(binding, il.Conts):
                work.extend(c.body for c in binding.conts)
        if isinstance(block.tail, il.If):
            work.extend((block.tail.then, block.tail.otherwise))


def operations(residual: ResidualProgram) -> Counter[str]:
    """How often each operation stands in the residual program; `if` and `call` count too."""
    found: Counter[str] = Counter()
    for block in blocks(residual):
        found.update(b.op for b in block.bindings if isinstance(b, il.Let))
        if isinstance(block.tail, il.If):
            found["if"] += 1
        elif isinstance(block.tail, il.Call):
            found["call"] += 1
    return found


def loop_heads(residual: ResidualProgram) -> list[il.Cont]:
    """The continuations that jump to themselves."""
    heads = []
    for block in blocks(residual):
        for binding in block.bindings:
            if isinstance(binding, il.Conts):
                heads.extend(c for c in binding.conts if c.name in _jumps(c.body))
    return heads


def _jumps(block: il.Block) -> set[str]:
    found: set[str] = set()
    work = [block]
    while work:
        block = work.pop()
        for binding in block.bindings:
            if isinstance(binding, il.Conts):
                work.extend(c.body for c in binding.conts)
        if isinstance(block.tail, il.If):
            work.extend((block.tail.then, block.tail.otherwise))
        elif isinstance(block.tail, il.Jump):
            found.add(block.tail.cont)
    return found
