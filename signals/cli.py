"""The commands `cogen signal ...`: packed files, streaming.

Unpacking, packing and converting take memory that does not depend on the size of a file.  `run`
maps its files into memory.  What a command needs is imported when it runs.
"""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import click

import cogen
from cogen import terminal
from cogen.lang.errors import CogenError
from cogen.lang.warning import CogenWarning
from cogen.programarguments import check_entry, word_size_option
from cogen.signals import formats
from cogen.signals.bar import progress_bar
from cogen.signals.clioptions import (
    behind_file,
    chosen,
    file_argument,
    layout_of,
    layout_option,
    output_option,
    plain_behind_file,
    plain_layout_of,
    plain_option,
    rate_option,
    saturate_option,
    text_help,
    wrap_option,
)
from cogen.terminal import UsageError
from cogen.writing import GuardedFile, failed

if TYPE_CHECKING:
    import numpy as np

    from cogen.signals.buffers import Array
    from cogen.signals.layout import AnyLayout
    from cogen.signals.rows import AnyShape
    from cogen.signals.values import Fit


@click.group()
def signal() -> None:
    """Unpack, pack and convert files of packed samples."""


@signal.command(name="formats")
def list_formats() -> None:
    """List the named layouts."""
    width = max(map(len, formats.names()))
    lines = [f"{name:{width}}  {about}" for name, about in formats.names().items()]
    terminal.write_output(None, "\n".join(lines) + "\n")


@signal.command(short_help="Unpack samples to numbers of whole bytes.")
@file_argument
@behind_file
@layout_option
@click.option("--count", type=click.IntRange(min=0), metavar="N", help="That many samples only.")
@click.option("--text", is_flag=True, help=text_help)
@click.option("--strict", is_flag=True, help="An input that ends early is an error.")
@output_option
def unpack(
    file: str,
    behind: AnyShape | None,
    layout: AnyShape | None,
    count: int | None,
    text: bool,
    strict: bool,
    output: str | None,
) -> None:
    """Unpack samples to numbers of 8, 16, 32 or 64 bits, low byte first.

    FILE is standard input by default, or `-`; the LAYOUT stands behind it or with --layout.  With
    `width=...` (and `pitch=...`, `height=...`) in the LAYOUT, it is rows.  If it ends inside a
    sample, those that are whole are given, with a warning.
    """
    from cogen.signals.plainly import plain
    from cogen.signals.reading import check_streamable
    from cogen.signals.rows import Rows

    layout = chosen(layout, behind, "--layout")
    rows = layout if isinstance(layout, Rows) else None
    if rows is not None and count is not None:
        raise click.UsageError("rows are counted by height=... in the LAYOUT, not by --count")
    check_streamable(layout.layout if isinstance(layout, Rows) else layout)
    _check_no_wav(output)
    if not text:
        _check_terminal(output)
    told = _refuse_rest if strict else _warn_of_rest
    opened = _opened(file, layout)
    with opened as (source, report), terminal.output_stream(output) as sink:
        without = None if isinstance(layout, Rows) else plain(layout)
        if without is not None:
            for block in without.blocks(source, count, report, told):
                sink.write(without.lines(block) if text else block)
            return
        from cogen.signals import streaming
        from cogen.signals.textnumbers import as_text

        if isinstance(layout, Rows):
            arrays = streaming.unpack_rows_stream(source, layout, report, told)
        else:
            arrays = streaming.unpack_stream(source, layout, count, report, told)
        for array in arrays:
            if text:
                sink.write(as_text(array))
            else:
                sink.write(array.astype(_little(array.dtype), copy=False).tobytes())


def _warn_of_rest(message: str) -> None:
    warnings.warn(message, CogenWarning, stacklevel=1)


def _refuse_rest(message: str) -> None:
    raise CogenError(message, hint="without --strict, the samples that are whole are given")


@signal.command(short_help="Pack numbers of whole bytes.")
@file_argument
@plain_behind_file
@plain_option
@click.option("--dtype", metavar="TYPE", help="NumPy's name of the type of the numbers in FILE.")
@click.option("--text", is_flag=True, help=text_help)
@wrap_option
@saturate_option
@output_option
def pack(
    file: str,
    behind: AnyLayout | None,
    layout: AnyLayout | None,
    dtype: str | None,
    text: bool,
    wrap: bool,
    saturate: bool,
    output: str | None,
) -> None:
    """Pack numbers of 8, 16, 32 or 64 bits, low byte first; the reverse of unpack.

    FILE is standard input by default, or `-`; the LAYOUT stands behind it or with --layout.  The
    numbers have the type that unpack gives, unless --dtype names another one, such as int32.
    """
    from cogen.signals import streaming

    layout = chosen(layout, behind, "--layout")
    fit = _fit(wrap, saturate)
    kind = _element_type(layout, dtype)
    _check_no_wav(output)
    _check_terminal(output)
    items = streaming.items_per_chunk(layout)
    with _opened(file) as (source, report), terminal.output_stream(output) as sink:
        if text:
            from cogen.signals.textnumbers import read_text

            arrays = read_text(source, layout, items, report)
        else:
            arrays = streaming.read_raw(source, kind, layout.width, items, report)
        streaming.pack_stream(arrays, sink, layout, fit)


@signal.command()
@file_argument
@click.argument("behind", required=False, callback=plain_layout_of, metavar="[FROM]")
@click.argument("last", required=False, callback=plain_layout_of, metavar="[TO]")
@click.option(
    "--from", "source_layout", callback=plain_layout_of, metavar="LAYOUT",
    help="How samples are packed in FILE.",
)  # fmt: skip
@click.option(
    "--to", "target_layout", callback=plain_layout_of, metavar="LAYOUT",
    help="How they shall be packed.",
)  # fmt: skip
@wrap_option
@saturate_option
@rate_option
@output_option
def convert(
    file: str,
    behind: AnyLayout | None,
    last: AnyLayout | None,
    source_layout: AnyLayout | None,
    target_layout: AnyLayout | None,
    wrap: bool,
    saturate: bool,
    rate: int | None,
    output: str | None,
) -> None:
    """Pack the samples of a file in another way.

    FILE is standard input by default, or `-`; the layouts stand behind it or with --from and --to.
    A PATH that ends in .wav is a WAV file.
    """
    from cogen.signals import streaming
    from cogen.signals.wavfiles import is_wav

    source, target = _both(source_layout, target_layout, behind, last)
    fit = _fit(wrap, saturate)
    _check_terminal(output)
    if is_wav(output) or rate is not None:
        from cogen import signals

        made = signals.stream(sys.stdin.buffer if file == "-" else file, source)
        made.write(output, target, wrap, saturate, progress=True, rate=rate)
        return
    with _opened(file, source) as (data, report), terminal.output_stream(output) as sink:
        streaming.convert_stream(data, source, sink, target, fit, report)


def _both(
    source: AnyLayout | None,
    target: AnyLayout | None,
    behind: AnyLayout | None,
    last: AnyLayout | None,
) -> tuple[Any, Any]:
    """The two layouts of a conversion: options, or what stands behind FILE in their order."""
    if source is not None and target is None and last is None:
        behind, last = None, behind
    return chosen(source, behind, "--from"), chosen(target, last, "--to")


@signal.command(short_help="Send samples through stages: filter, decimate, process, pack.")
@file_argument
@click.argument("steps", nargs=-1, metavar="[STEP]...")
@click.option(
    "--layout", callback=layout_of, metavar="LAYOUT",
    help="How samples are packed; a WAV file says it itself.",
)  # fmt: skip
@click.option("--dtype", metavar="TYPE", help="NumPy's name of the type to work in, as complex64.")
@click.option(
    "--to", "target", callback=plain_layout_of, metavar="LAYOUT", help="Pack what comes out."
)
@wrap_option
@saturate_option
@click.option("--block", type=click.IntRange(min=1), metavar="N", help="Work on N items at a time.")
@rate_option
@click.option("--resume", is_flag=True, help="Go on with a run that was interrupted.")
@click.option("--strict", is_flag=True, help="An input that ends early is an error.")
@output_option
def stream(
    file: str,
    steps: tuple[str, ...],
    layout: AnyShape | None,
    dtype: str | None,
    target: AnyLayout | None,
    wrap: bool,
    saturate: bool,
    block: int | None,
    rate: int | None,
    resume: bool,
    strict: bool,
    output: str | None,
) -> None:
    """Send the samples of a file, or of a pipe (FILE is -), through stages.

    A STEP is, in quotes, `fir TAP ... [decimate=N]`, `fir @FILE`, `decimate N`, `times X`,
    `plus X`, `abs`, `square`, `real`, `imag`, `angle`, `log10`, `round`, `dither [seed=N]`, or
    `process PROGRAM ENTRY LAYOUT OUT [history=N] [step=N] [ARG ...]`.  Memory does not grow with
    the input.  The output is packed as --to says, or the elements of arrays, low byte first; a
    PATH that ends in .wav is a WAV file.  A file appears whole or not at all; with --resume an
    interrupted run leaves a part, with which the next one goes on.
    """
    from cogen import signals
    from cogen.signals.steps import with_steps
    from cogen.signals.wavfiles import wav_data

    if resume and (file == "-" or output in (None, "-")):
        raise click.UsageError("--resume needs a FILE to read and a file to write (-o)")
    if (wrap or saturate) and target is None:
        raise click.UsageError("--wrap and --saturate are for packing: name a layout with --to")
    fit = _fit(wrap, saturate)
    _check_terminal(output)
    source = sys.stdin.buffer if file == "-" else file
    if layout is None and (file == "-" or wav_data(file) is None):
        raise click.UsageError("say with --layout how the samples are packed")
    made = with_steps(signals.stream(source, layout, dtype, block, strict), steps)
    kept = {"wrap": fit == "wrap", "saturate": fit == "saturate", "progress": True}
    if output in (None, "-") and rate is None:
        with terminal.output_stream(None) as sink:
            made.write(sink, target, **kept)
    else:
        made.write(output, target, resume=resume, rate=rate, **kept)


@signal.command()
@click.argument("program", type=click.Path(exists=True, dir_okay=False))
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--entry", required=True, metavar="NAME", help="The procedure to run.")
@click.option(
    "--layout", "layouts", multiple=True, required=True, callback=plain_layout_of, metavar="LAYOUT",
    help="The layout of a signal; one for each FILE, and one for the output if there is any.",
)  # fmt: skip
@click.option(
    "--arg", "arguments", multiple=True, metavar="DATUM",
    help="A value for a parameter after the signals; it is known ahead.",
)  # fmt: skip
@click.option("--count", type=click.IntRange(min=0), metavar="N", help="That many samples only.")
@word_size_option
@click.option("--auto", is_flag=True, help="Try word sizes on the FILEs, and take the quickest.")
@output_option
def run(
    program: str,
    files: tuple[str, ...],
    entry: str,
    layouts: tuple[AnyLayout, ...],
    arguments: tuple[str, ...],
    count: int | None,
    word_size: int,
    auto: bool,
    output: str | None,
) -> None:
    """Run a procedure of a program over signals in files.

    Its parameters are the signals of the FILEs, then one for the output if there is a layout
    more than FILEs, then the --args.  Its value is printed, or the output written.
    """
    import numpy as np

    from cogen.signals.compiled import compile as compile_program
    from cogen.signals.layout import bytes_needed
    from cogen.signals.unpacking import items_in

    if len(layouts) - len(files) not in (0, 1):
        raise click.UsageError(f"there are {len(files)} FILEs, but {len(layouts)} layouts")
    writes = len(layouts) > len(files)
    if writes:
        _check_terminal(output)
    known = [cogen.static(_datum(text, i)) for i, text in enumerate(arguments, 1)]
    loaded = cogen.load(program)
    check_entry(loaded, entry)
    size: int | Literal["auto"] = "auto" if auto else word_size
    function = compile_program(loaded, entry, *layouts, *known, word_size=size)
    buffers = [_mapped(file) for file in files]
    counts = [items_in(x, len(b), count) for x, b in zip(layouts, buffers, strict=False)]
    if not counts and count is None:
        raise click.UsageError("without FILEs, say with --count how many samples to make")
    samples = min(counts) if counts else count or 0
    if not writes:
        value = function(*buffers, count=samples)
        if value is not None:
            from cogen.convert import to_datum
            from cogen.lang.printer import write_datum

            terminal.write_output(output, write_datum(to_datum(value)) + "\n")
        return
    result = np.zeros(bytes_needed(layouts[-1], samples), np.uint8)
    function(*buffers, result, count=samples)
    terminal.write_output(output, result.tobytes())


@signal.command()
@click.argument("layout", callback=layout_of, metavar="LAYOUT")
@click.option(
    "--emit", type=click.Choice(["c", "scheme"]), default="c", show_default=True,
    help="The whole C text, or the residual program in the language.",
)  # fmt: skip
@click.option(
    "--to", "target", callback=layout_of, metavar="LAYOUT",
    help="Of conversion to this layout, instead of unpacking.",
)  # fmt: skip
@click.option("--dtype", metavar="TYPE", help="NumPy's name of the type to unpack to.")
@saturate_option
@output_option
def kernel(
    layout: AnyShape,
    emit: str,
    target: AnyShape | None,
    dtype: str | None,
    saturate: bool,
    output: str | None,
) -> None:
    """Show the code that unpacks samples of a LAYOUT.

    The C stands alone; the comment at its top says how it is called.
    """
    if target is not None and dtype is not None:
        raise click.UsageError("--dtype is for unpacking, --to for converting")
    from cogen.signals.listing import listing

    terminal.write_output(output, listing(layout, target, dtype, saturate, emit))


def _datum(text: str, number: int) -> Any:
    from cogen.convert import from_datum
    from cogen.lang.reader import read_datum

    try:
        return from_datum(read_datum(text, f"--arg {number}"))
    except CogenError as error:
        raise UsageError(error.message, error.span, error.hint, error.notes) from None


def _fit(wrap: bool, saturate: bool) -> Fit:
    """What becomes of values out of range."""
    from cogen.signals.packing import choose_fit

    if wrap and saturate:
        raise click.UsageError("--wrap and --saturate exclude each other")
    return choose_fit(wrap, saturate)


def _check_terminal(output: str | None) -> None:
    if output in (None, "-") and sys.stdout.isatty():
        raise click.UsageError("packed data are no text for a terminal: name a file with -o")


def _check_no_wav(output: str | None) -> None:
    from cogen.signals.wavfiles import is_wav

    if is_wav(output):
        raise UsageError(
            "numbers without a rate make no WAV file",
            hint="cogen signal stream FILE --to pcm16le --rate 48000 -o out.wav writes one",
        )


def _mapped(file: str) -> Array:
    """The bytes of a file, without reading them yet; those of standard input, which are read."""
    import numpy as np

    from cogen.signals.buffers import mapped

    if file == "-":
        return np.frombuffer(sys.stdin.buffer.read(), np.uint8)
    return mapped(file)


@contextmanager
def _opened(
    file: str, layout: AnyShape | None = None
) -> Iterator[tuple[BinaryIO, Callable[[int], None]]]:
    """The stream of a file, and what to tell how much of it has been read: on a terminal, a
    progress bar.  Of a WAV file that is read as samples of a layout, the stream is these."""
    if file == "-":
        with progress_bar(None) as report:
            yield sys.stdin.buffer, report
        return
    from cogen.signals.wavfiles import WavSamples, wav_data

    wav = None if layout is None else wav_data(file)
    if wav is not None:
        wav.checked(layout, file)
    try:
        stream = GuardedFile(file, "rb", file) if wav is None else WavSamples(file, wav)
        size = os.fstat(stream.fileno()).st_size if wav is None else wav.end - wav.start
    except OSError as error:
        raise failed("read", file, error) from None
    with io.BufferedReader(stream) as source, progress_bar(size or None) as report:
        yield source, report


def _little(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return dtype.newbyteorder("<")


def _element_type(layout: AnyLayout, name: str | None) -> np.dtype[Any]:
    """The type of the numbers to pack."""
    import numpy as np

    if name is None:
        return _little(layout.dtype)
    if layout.dtype.names is not None:
        raise click.UsageError("--dtype is for layouts of one type, not for records")
    try:
        dtype = np.dtype(name)
    except TypeError:
        dtype = np.dtype(object)
    if dtype.kind not in "biuf":
        raise click.UsageError(f"--dtype {name} is no type of numbers; int32 and float64 are")
    return _little(dtype) if dtype.byteorder == "=" else dtype
