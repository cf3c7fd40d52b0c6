"""What commands on programs take: a file, an entry, binding times; and how these are checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from cogen import terminal
from cogen.lang.errors import CogenError, Note, Source, Span
from cogen.lang.files import read_source
from cogen.lang.governor import READING, Budget, Exhausted, governed
from cogen.lang.shown import listed
from cogen.programfiles import ProgramFile
from cogen.terminal import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cogen.binding_times import BT
    from cogen.lang import il
    from cogen.lang.datum import Datum
    from cogen.origins import Origin

file_argument = click.argument("file", type=ProgramFile())


def entry_to_write(program: il.Program, words: Sequence[str] = ()) -> str:
    """How the procedure is named that was meant, perhaps by the first of the words."""
    procedures = _procedures(program)
    meant_one = [text for text in words[:1] if text in procedures]
    if meant_one or len(procedures) == 1:
        return f"Write: --entry {(meant_one or procedures)[0]}"
    return f"--entry names one of the procedures: {listed(procedures, 'none')}"


class _EntryName(click.types.StringParamType):
    """The name of a procedure: if there is none, it is told which there are."""

    def get_missing_message(
        self, param: click.Parameter, ctx: click.Context | None = None
    ) -> str | None:
        """What is said beside that the option is missing."""
        given = {} if ctx is None else ctx.params
        file = given.get("file", "-")
        if file == "-":  # it may be read once only
            return None
        try:
            program = load_program(file)
        except CogenError:
            return None
        return entry_to_write(program, given.get("bts", ()))


entry_option = click.option(
    "--entry", required=True, type=_EntryName(), metavar="NAME", help="The procedure to specialize."
)
word_size_option = click.option(
    "--word-size",
    type=click.Choice([str(size) for size in range(8, 65, 8)]),
    default="32",
    show_default=True,
    metavar="N",
    callback=lambda _context, _parameter, value: int(value),
    help="Bits of a memory word: a multiple of 8 from 8 to 64.",
)


_time_option = click.option(
    "--max-time",
    type=click.FloatRange(min=0, min_open=True),
    metavar="S",
    help="Seconds, at most.",
)
_memory_option = click.option(
    "--max-memory",
    type=click.FloatRange(min=0, min_open=True),
    metavar="MB",
    help="Megabytes of memory, at most.",
)

Command = Callable[..., Any]


def limit_options(command: Command) -> Command:
    """Gives a command `--max-time` and `--max-memory`."""
    return _time_option(_memory_option(command))


def given_budget(max_time: float | None, max_memory: float | None, usual: Budget) -> Budget:
    """The budget that the options give, or the usual one where they do not."""
    if max_time is None and max_memory is None:
        return usual
    return Budget(
        usual.seconds if max_time is None else max_time,
        usual.megabytes if max_memory is None else max_memory,
    )


def limited(what: str, usual: Budget) -> Callable[[Command], Command]:
    """A decorator that gives a command `--max-time` and `--max-memory`, and keeps it within them,
    or within the usual budget where they are not given.

    `what` says in messages what took too much.
    """

    def decorate(command: Command) -> Command:
        @wraps(command)
        def run(*args: Any, max_time: float | None, max_memory: float | None, **rest: Any) -> Any:
            budget = given_budget(max_time, max_memory, usual)
            try:
                return governed(what, budget, command, *args, **rest)
            except Exhausted as error:
                file = rest.get("file")
                if error.span is None and isinstance(file, str):
                    error.span = Span(Source(file, ""), 0, 0)
                raise

        return limit_options(run)

    return decorate


def asks_for_its_command_line(program: il.Program) -> bool:
    """Whether the program looks at the words that it is given."""
    from cogen.lang.ilutil import primitives

    return "command-line" in primitives(program)


def load_program(file: str, budget: Budget = READING) -> il.Program:
    """The program of a file, or of standard input, within the budget."""
    from cogen.api import program_of

    if file == "-":
        return program_of(Source("<stdin>", terminal.standard_input()), budget)
    try:
        return program_of(read_source(Path(file)), budget)
    except CogenError as error:
        if Path(file).suffix == ".l0":
            error.hint = f"array programs in L0 are run so: cogen array run {file}"
        raise


def near_names(name: str, known: Iterable[str]) -> list[str]:
    """Known names that look like one."""
    from difflib import get_close_matches

    return get_close_matches(name, sorted(known))


class CommandWithValues(click.Command):
    """A command whose arguments may be negative numbers, which `is_number` tells from options."""

    @staticmethod
    def is_number(word: str) -> bool:
        """Whether a word is one."""
        raise NotImplementedError

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        known = {name for option in self.get_params(context) for name in option.opts}
        for word in args[:end]:
            name = word.partition("=")[0]
            if word in ("", "-") or word[0] != "-" or name in known or self.is_number(word):
                continue
            raise click.NoSuchOption(name, possibilities=near_names(name, known), ctx=context)
        return super().parse_args(context, args)


def meant(near: Iterable[str]) -> str:
    """The question which of some names was meant."""
    return f"did you mean {' or '.join(f'`{name}`' for name in near)}?"


def as_usage(error: CogenError) -> UsageError:
    """A mistake of the command line."""
    return UsageError(error.message, error.span, error.hint, error.notes)


def datum_argument(text: str, name: str, folder: Path | None = None) -> Datum:
    """The datum that a word of the command line writes; `@FILE` is the datum in a file, which is
    looked for in the folder, `@-` the one on standard input.

    The run time of native programs has the same rule (cogen/backends/native/runtime/main.c).
    """
    from cogen.lang.reader import read_datum

    try:
        if not text.startswith("@"):
            return read_datum(text, name)
        if text == "@":
            raise CogenError(f"{name}: `@` needs the name of a file")
        if text == "@-":
            return read_datum(terminal.standard_input(), "<stdin>")
        path = (folder or Path()) / text[1:]
        source = _source_in(path, name, text)
        return read_datum(source.text, source.name)
    except CogenError as error:
        raise as_usage(error) from None


def _source_in(path: Path, name: str, text: str) -> Source:
    """The text of a file that a word names."""
    if not path.exists():
        raise CogenError(
            f"there is no file {path}",
            hint=f"{name} is to be read from a file; the symbol is written |{text}|",
        )
    return read_source(path)


def in_file(program: il.Program, entry: str | None, text: str, number: int) -> Datum:
    """What an ARG `@FILE` is: the datum in the file, or its bytes, for a packed parameter."""
    from cogen.lang.ilutil import find_procedure
    from cogen.specializer.packed import packed_positions

    function = None if entry is None else find_procedure(program, entry)
    if function is None or number - 1 not in packed_positions(function):
        return datum_argument(text, f"ARG {number}")
    try:
        return bytearray(Path(text[1:]).read_bytes())
    except OSError as error:
        raise as_usage(CogenError(f"cannot read {text[1:]}: {error.strerror}")) from None


_STATIC_FILE: Final = re.compile(r"\(static\s+(@[^\s()]+)\)")


def static_in_file(text: str, name: str, folder: Path | None = None) -> tuple[Datum] | None:
    """The datum of a binding time `(static @FILE)`; None for any other."""
    match = _STATIC_FILE.fullmatch(text.strip())
    return None if match is None else (datum_argument(match[1], name, folder),)


def _origin(text: str) -> Origin | None:
    """Where the datum of a binding time `(static @FILE)` comes from; None for standard input."""
    from cogen.origins import Origin

    match = _STATIC_FILE.fullmatch(text.strip())
    if match is None or match[1] == "@-":
        return None
    source = read_source(Path(match[1][1:]))
    return Origin(source.name, source.text, None)


def binding_time(text: str, name: str) -> BT:
    """The binding time that a word of the command line writes."""
    from cogen import binding_times
    from cogen.binding_times import parse_bt

    known = static_in_file(text, name)
    if known is not None:
        return binding_times.Static(known[0], _origin(text))
    if text.startswith("@"):
        raise UsageError(
            f"{name}: {text} is no binding time",
            hint=f'"(static {text})" is the datum in a file, known to the specializer',
        )
    try:
        return parse_bt(text, name)
    except CogenError as error:
        raise as_usage(error) from None


def check_entry(program: il.Program, entry: str) -> None:
    """The entry must be a procedure of the program."""
    if entry in program.own_globals:
        return
    near = near_names(entry, set(program.own_globals))
    name = program.source.name if program.source else "the program"
    hint = meant(near) if near else f"its procedures are: {listed(_procedures(program), 'none')}"
    raise UsageError(f"{name} does not define `{entry}`", hint=hint)


def _procedures(program: il.Program) -> list[str]:
    """The procedures that the program itself defines, in its order."""
    from cogen.lang import il

    own = program.own_globals
    names = [item.name for item in program.items if isinstance(item, il.Define)]
    return [name for name in names if name in own]


def check_count(program: il.Program, entry: str, count: int) -> None:
    """One binding time a parameter, where the definition shows how many there are."""
    from cogen.lang.ilutil import find_procedure

    function = find_procedure(program, entry)
    if function is None:
        return
    expected = len(function.parameters)
    if count == expected or (function.rest is not None and count > expected):
        return
    least = "" if function.rest is None else "at least "
    raise wrong_count(entry, expected, count, least, [Note("it is defined here", function.span)])


def wrong_count(
    entry: str, expected: int, count: int, least: str = "", notes: Sequence[Note] = ()
) -> UsageError:
    """There are more or fewer binding times than parameters."""
    return UsageError(
        f"`{entry}` has {least}{_counted(expected, 'parameter')}, but "
        f"{_counted(count, 'binding time')} {'was' if count == 1 else 'were'} given",
        hint="give one BT for each parameter; quote each for the shell",
        notes=notes,
    )


def check_records(program: il.Program, bt: BT, name: str) -> None:
    """The record types that a binding time names, and how many fields they have."""
    from cogen import binding_times
    from cogen.binding_times import Cons

    types = {record.name: record for record in reversed(program.records)}
    work = [bt]
    while work:
        match work.pop():
            case Cons(car, cdr):
                work += [cdr, car]
            case binding_times.Vector(items):
                work += reversed(items)
            case binding_times.Record(record, fields):
                if record not in types:
                    near = near_names(record, set(types))
                    hint = meant(near) if near else None
                    raise UsageError(f"{name}: there is no record type `{record}`", hint=hint)
                expected = types[record].fields
                if len(fields) != len(expected):
                    given = _counted(len(fields), "binding time")
                    raise UsageError(
                        f"{name}: the record type `{record}` has "
                        f"{_counted(len(expected), 'field')}, but {given} "
                        f"{'was' if len(fields) == 1 else 'were'} given",
                        hint=f"give one BT for each field: {' '.join(expected)}",
                    )
                work += reversed(fields)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
