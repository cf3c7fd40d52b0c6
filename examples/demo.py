"""Generic programs, specialized for real files: sound, a raw photograph, a colour picture.

Each demo specializes a program of this directory for the layout of a file, shows source, residual
program and C side by side, then runs three ways on the same data: the same source compiled with
nothing known ahead, the residual C, and NumPy.  Last, a regular expression becomes an automaton.
Exit status 1 if answers disagree.  What was made is in demo-output/: pictures, a sound, and a page
with source, residual program, C and assembly, linked.
"""

from __future__ import annotations

import re
import sys
import wave
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.columns import Columns
from rich.console import Console
from rich.panel import Panel
from rich.rule import Rule
from rich.syntax import Syntax
from rich.table import Table

import cogen
from cogen import signals
from cogen.measure.turns import Timings, interleaved

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"
LIBRARY = Path(signals.__file__).parent

MEGABYTES = 16.0
"""Files are repeated to about this size, so that times can be told apart."""

WIDE = 150
"""The columns that a terminal needs for three panels side by side."""

MAX_LINES = 44
"""The longest excerpt shown."""

Bytes = np.ndarray[Any, np.dtype[np.uint8]]
Outcome = tuple[object, bytes]
"""What a run gives: its value, and the bytes it wrote."""


@dataclass(frozen=True)
class Demo:
    """A program, what is known ahead, and data to run it on.

    `source` is what to show of the program; `bts` are the binding times, `arguments` the values of
    all parameters (the residual program takes those that are not static), `output` the buffer
    among them that is written, if any.  `usual` does the same in the usual way of Python.
    `general` tells whether the program can be compiled with nothing known.
    """

    title: str
    program: Path
    entry: str
    source: str
    bts: Sequence[Any]
    arguments: Sequence[Any]
    usual: Callable[[], object]
    output: Bytes | None = None
    word_size: int = 32
    general: bool = True


@dataclass(frozen=True)
class Chunk:
    """Samples inside a file's bytes: the first at byte `start`, up to byte `end`."""

    data: Bytes
    start: int
    end: int

    @property
    def samples(self) -> Bytes:
        return self.data[self.start : self.end]

    def addresses(self) -> tuple[int, int]:
        """Bit addresses of the first sample and of the end."""
        return 8 * self.start, 8 * self.end


def repeated(content: bytes, start: int) -> Chunk:
    """The file with its samples, from byte `start` on, repeated; the header stays.  Zeros fill up
    the last word."""
    body = content[start:]
    times = max(1, int(MEGABYTES * 2**20) // len(body))
    whole = content[:start] + body * times
    return Chunk(np.frombuffer(whole + bytes(-len(whole) % 8), np.uint8), start, len(whole))


def sound() -> Chunk:
    """The sound's samples: 24 bits, two channels interleaved."""
    path = DATA / "chime.wav"
    with wave.open(str(path)) as file:
        if file.getsampwidth() != 3:
            raise SystemExit(f"{path} must have 24-bit samples")
        size = 3 * file.getnchannels() * file.getnframes()
    content = path.read_bytes()
    start = content.index(b"data") + 8
    return repeated(content[: start + size], start)


def raw_photograph() -> Chunk:
    """A sensor's mosaic: 12-bit samples without gaps, no header."""
    return repeated((DATA / "cat.raw12").read_bytes(), 0)


def picture() -> Chunk:
    """The pixels of a binary PPM file: 8-bit red, green and blue interleaved."""
    content = (DATA / "coffee.ppm").read_bytes()
    header = re.match(rb"P6\s+\d+\s+\d+\s+255\s", content)
    if header is None:
        raise SystemExit("coffee.ppm must be a binary PPM file with 8-bit samples")
    return repeated(content, header.end())


def region(start: int, end: int) -> list[Any]:
    """The binding times of a buffer and of two bit addresses in it, of which only the places in
    their 32-bit words are known."""
    return [cogen.dynamic("memory"), cogen.cyclic(32, start % 32), cogen.cyclic(32, end % 32)]


def reduction(
    title: str, entry: str, chunk: Chunk, size: int, stride: int, usual: Callable[[], object]
) -> Demo:
    """A demo of an entry of sum.scm over the samples of a chunk."""
    start, end = chunk.addresses()
    return Demo(
        title,
        HERE / "sum.scm",
        entry,
        excerpt(HERE / "sum.scm", [entry])
        + excerpt(LIBRARY / "reduce.scm", [f"signal-{entry.removesuffix('-signed')}"])
        + excerpt(LIBRARY / "memory.scm", ["load-field", "load-from-words"]),
        [*region(start, end), cogen.static(size), cogen.static(stride)],
        [chunk.data, start, end, size, stride],
        usual,
    )


def sound_samples(chunk: Chunk) -> np.ndarray[Any, np.dtype[np.int32]]:
    """The way 24-bit sound is read with NumPy: pad to 32 bits, shift the sign into place."""
    triples = chunk.samples.reshape(-1, 3)
    padded = np.zeros((len(triples), 4), np.uint8)
    padded[:, 1:] = triples
    samples: np.ndarray[Any, np.dtype[np.int32]] = padded.view("<i4").reshape(-1) >> 8
    return samples


def raw_samples(chunk: Chunk) -> np.ndarray[Any, np.dtype[np.uint16]]:
    """The way 12-bit samples are read with NumPy: two of them from each three bytes."""
    triples = chunk.samples.reshape(-1, 3).astype(np.uint16)
    samples = np.empty((len(triples), 2), np.uint16)
    samples[:, 0] = triples[:, 0] | (triples[:, 1] & 15) << 8
    samples[:, 1] = triples[:, 1] >> 4 | triples[:, 2] << 4
    return samples.reshape(-1)


def sound_demos() -> Iterable[Demo]:
    chunk = sound()

    def total() -> int:
        return int(sound_samples(chunk).sum(dtype=np.int64))

    def peak() -> int:
        return int(np.abs(sound_samples(chunk)).max())

    def left_energy() -> int:
        left = sound_samples(chunk)[::2].astype(np.int64)
        return int((left * left).sum())

    yield reduction("sound, 24 bits: sum", "sum-signed", chunk, 24, 24, total)
    yield reduction("sound, 24 bits: peak", "peak", chunk, 24, 24, peak)
    yield reduction("sound: energy of one channel", "energy", chunk, 24, 48, left_energy)


def raw_demos() -> Iterable[Demo]:
    chunk = raw_photograph()

    def mean() -> float:
        return float(raw_samples(chunk).mean())

    yield reduction("raw photo, 12 bits: mean", "mean", chunk, 12, 12, mean)
    start, end = chunk.addresses()
    level = 1024
    bits = (end - start) // 12
    out = np.zeros(-(-bits // 64) * 8, np.uint8)

    def threshold() -> None:
        packed = np.packbits(raw_samples(chunk) >= level, bitorder="little")
        out[: len(packed)] = packed

    yield Demo(
        "raw photo: 12 bits to one",
        HERE / "grey.scm",
        "threshold!",
        excerpt(HERE / "grey.scm", ["threshold!"])
        + excerpt(LIBRARY / "pointwise.scm", ["signal-threshold!", "thresholder"]),
        [*region(start, end), *region(0, bits), cogen.static(12), cogen.static(level)],
        [chunk.data, start, end, out, 0, bits, 12, level],
        threshold,
        out,
    )


def picture_demos() -> Iterable[Demo]:
    chunk = picture()
    start, end = chunk.addresses()
    pixels = (chunk.end - chunk.start) // 3
    out = np.zeros(-(-pixels // 8) * 8, np.uint8)

    def grey() -> None:
        red, green, blue = (chunk.samples[k::3].astype(np.uint16) for k in range(3))
        out[:pixels] = (77 * red + 150 * green + 29 * blue) >> 8

    yield Demo(
        "picture: RGB to grey",
        HERE / "grey.scm",
        "grey!",
        excerpt(HERE / "grey.scm", ["grey!"])
        + excerpt(LIBRARY / "pointwise.scm", ["signal-grey!"]),
        [*region(start, end), *region(0, 8 * pixels), cogen.static(8)],
        [chunk.data, start, end, out, 0, 8 * pixels, 8],
        grey,
        out,
    )


def automaton_demos() -> Iterable[Demo]:
    text = b",".join(b"%d.%02d" % (i * i % 9973, i % 100) for i in range(int(MEGABYTES * 2**16)))
    digit = "(or " + " ".join(f"#\\{d}" for d in range(10)) + ")"
    number = f"(seq {digit} (star {digit}) #\\. {digit} (star {digit}))"
    pattern = re.compile(rb"[0-9]+\.[0-9]+(?:,[0-9]+\.[0-9]+)*")
    expression = cogen.datum(f"(seq {number} (star (seq #\\, {number})))")
    data = np.frombuffer(text, np.uint8)
    yield Demo(
        "regular expression",
        HERE / "regex.scm",
        "match-bytes?",
        excerpt(HERE / "regex.scm", ["match-bytes?", "match", "step", "continue", "derive"]),
        [cogen.static(expression), cogen.dynamic("memory"), cogen.dynamic("int")],
        [expression, data, len(data)],
        lambda: pattern.fullmatch(text) is not None,
        word_size=8,
        general=False,
    )


def excerpt(path: Path, names: Sequence[str]) -> str:
    """The definitions of the names in a source file, outdented."""
    text = path.read_text(encoding="utf-8")
    found = []
    for name in names:
        head = rf"^( *)\(define \({re.escape(name)}[ )]"
        match = re.search(rf"{head}.*?(?=\n *\n|\Z)", text, re.M | re.S)
        if match is not None:
            indent = match[1]
            found.append(re.sub(rf"^{indent}", "", match[0], flags=re.M).rstrip())
    return "\n\n".join(found) + "\n\n"


def run(demo: Demo, console: Console) -> list[str] | None:
    """Show and time one demo; a row of the table of ratios, or None if the answers differ."""
    program = cogen.load(demo.program)
    residual = cogen.specialize(program, demo.entry, *demo.bts, word_size=demo.word_size)
    show(demo, residual, console)

    native = residual.compile()
    unknown = [
        argument
        for bt, argument in zip(demo.bts, demo.arguments, strict=True)
        if not isinstance(bt, type(cogen.static(0)))
    ]
    ways = {"residual": lambda: native(*unknown), "usual": demo.usual}
    if demo.general:
        general = without_knowledge(demo, program).compile()
        ways["general"] = lambda: general(*demo.arguments)
    outcomes = {name: outcome(way, demo.output) for name, way in ways.items()}
    if any(found != outcomes["residual"] for found in outcomes.values()):
        for name, (value, written) in outcomes.items():
            console.print(f"{name}: {value!r}, wrote {written[:16].hex()}…", style="red")
        return None
    return row(demo, outcomes["residual"][0], interleaved(ways, repetitions=9, seconds=3.0))


def without_knowledge(demo: Demo, program: Any) -> Any:
    """The program specialized to nothing: everything is a parameter."""
    nothing = [
        cogen.dynamic("memory" if isinstance(argument, np.ndarray) else "int")
        for argument in demo.arguments
    ]
    return cogen.specialize(program, demo.entry, *nothing, word_size=demo.word_size)


def row(demo: Demo, value: object, times: Timings) -> list[str]:
    """The demo's row of the table."""
    size = sum(a.nbytes for a in demo.arguments if isinstance(a, np.ndarray))
    general = demo.general
    return [
        demo.title,
        "pixels agree" if demo.output is not None else show_value(value),
        f"{1000 * times.seconds('general'):.1f}" if general else "-",
        f"{1000 * times.seconds('residual'):.1f}",
        f"{1000 * times.seconds('usual'):.1f}",
        f"{size / times.seconds('residual') / 1e9:.1f} GB/s",
        f"{times.ratio('general', 'residual'):.0f}x" if general else "-",
        f"{times.ratio('usual', 'residual'):.1f}x",
    ]


def show_value(value: object) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def outcome(way: Callable[[], object], output: Bytes | None) -> Outcome:
    """What one way of running gives, from a cleared output."""
    if output is not None:
        output[:] = 0
    value = way()
    return (None, output.tobytes()) if output is not None else (value, b"")


def show(demo: Demo, residual: Any, console: Console) -> None:
    """Source, residual program and C, side by side where there is room."""
    console.print(Rule(demo.title))
    wide = console.width >= WIDE
    width = (console.width - 2) // 3 if wide else console.width
    panels = [
        Panel(Syntax(clipped(text), language, word_wrap=True), title=title, width=width)
        for title, text, language in (
            ("generic source", demo.source, "scheme"),
            ("residual program", residual.scheme, "scheme"),
            ("its loop in C", heart(residual.c), "c"),
        )
    ]
    if wide:
        console.print(Columns(panels, padding=(0, 1)))
    else:
        console.print(*panels, sep="\n")


def clipped(text: str) -> str:
    """The first lines of a text, and how many are missing."""
    lines = text.strip().splitlines()
    if len(lines) <= MAX_LINES:
        return "\n".join(lines)
    return "\n".join([*lines[:MAX_LINES], f"… {len(lines) - MAX_LINES} more lines"])


def heart(text: str) -> str:
    """The last function of a C file from its first loop on, with narrow indentation."""
    function = text[text.rindex("\n/* ") :]
    loop = re.search(r"^    (?:for|while|do)\b.*?^    \}", function, re.M | re.S)
    lines = (function if loop is None else loop[0]).strip("\n").splitlines()
    outdent = 4 if loop is not None else 0
    return "\n".join(
        " " * ((len(line) - len(line.lstrip()) - outdent) // 2) + line.lstrip() for line in lines
    )


HEADINGS = (
    ("", False),
    ("result", True),
    ("general", False),
    ("residual", False),
    ("NumPy", False),
    ("residual", True),
    ("general:", False),
    ("NumPy:", False),
)
"""Titles of the last table's columns, and whether only a wide terminal shows them."""


def ratios(rows: Iterable[list[str]], wide: bool) -> Table:
    """The table of all demos."""
    table = Table(
        title="the same answers, three ways: milliseconds, and times as long as the residual",
        title_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
    )
    shown = [k for k, (_, only_wide) in enumerate(HEADINGS) if wide or not only_wide]
    for k in shown:
        side: Literal["left", "right"] = "right" if k else "left"
        table.add_column(HEADINGS[k][0], justify=side, no_wrap=k == 0, overflow="fold")
    for cells in rows:
        table.add_row(*(cells[k] for k in shown))
    return table


OUTPUT = Path("demo-output")
"""Where what was made is left."""


def written(outputs: Mapping[str, Bytes]) -> Iterable[tuple[Path, str]]:
    """Files that show what residual programs wrote, and what they are."""
    OUTPUT.mkdir(exist_ok=True)
    width = signals.read_picture(str(DATA / "coffee.ppm")).width
    for title, name, layout, columns, rows, what in (
        ("picture: RGB to grey", "grey.png", signals.Layout(8), width, 320, "in grey"),
        ("raw photo: 12 bits to one", "mask.png", signals.Layout(1), 448, 300, "one bit a sample"),
    ):
        if title in outputs:
            data = outputs[title][: columns * rows * layout.size // 8].tobytes()
            path = OUTPUT / name
            signals.write_picture(str(path), signals.Picture(data, layout, columns))
            yield path, what
    sound = signals.read_sound(str(DATA / "chime.wav"))
    short = signals.Layout(16, signed=True, channels=2)
    samples = signals.unpack(sound.data, sound.layout) >> 8
    path = OUTPUT / "chime16.wav"
    signals.write_sound(str(path), signals.Sound(signals.pack(samples, short), short, sound.rate))
    yield path, "the sound with 16 bits"
    sums = cogen.load(HERE / "sum.scm")
    bts = [*region(0, 0), cogen.static(12), cogen.static(12)]
    path = OUTPUT / "sum.html"
    path.write_text(cogen.specialize(sums, "sum", *bts).html, encoding="utf-8")
    yield path, "a sum of 12-bit samples: source, residual, C, assembly"


def main() -> int:
    console = Console()
    rows: list[list[str]] = []
    outputs: dict[str, Bytes] = {}
    wrong = 0
    for demos in (sound_demos, raw_demos, picture_demos, automaton_demos):
        for demo in demos():
            cells = run(demo, console)
            if cells is None:
                wrong += 1
                console.print(f"the answers differ: {demo.title}", style="bold red")
            else:
                rows.append(cells)
            if demo.output is not None:
                outputs[demo.title] = demo.output
    console.print(ratios(rows, wide=console.width >= 120))
    for path, what in written(outputs):
        console.print(f"[bold]{path}[/bold]  {what}")
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except cogen.CogenError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
