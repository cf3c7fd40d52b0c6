"""Examples that `--help` shows, by the words of the command."""

from __future__ import annotations

from typing import Final

import click

EXAMPLES: Final = {
    "array check": ["cogen array check prices.l0"],
    "array compile": ["cogen array compile prices.l0 --target opencl -o prices.cl"],
    "array fuse-report": ["cogen array fuse-report prices.l0 --json"],
    "array graph": ["cogen array graph prices.l0 --before -o prices.svg"],
    "array run": ["cogen array run prices.l0 --target c '[1.0, 2.5]' 3"],
    "bench": ["cogen bench specialize --json", "cogen bench native --suite r7rs-benchmarks"],
    "check": ["cogen check power.scm prices.l0", "cogen check --json power.scm"],
    "compile": ["cogen compile power.scm --entry power -o power", "./power 2 10"],
    "compile-with": ["cogen compile-with compiler.py '(static @p.imp)' _ --emit c -o p.c"],
    "dev bisect": ["cogen dev bisect power.scm --entry power _ '(static 5)' --arg 2"],
    "dev check": ["cogen dev check power.scm --entry power _ '(static 5)'"],
    "dev show": ["cogen dev show power.scm --entry power _ '(static 5)' --after clean"],
    "dev steps": ["cogen dev steps power.scm --entry power _ '(static 5)'"],
    "dev time": ["cogen dev time power.scm --entry power _ '(static 5)'"],
    "doctor": ["cogen doctor", "cogen doctor --json"],
    "errors": ["cogen errors", "cogen errors unbound"],
    "examples copy": ["cogen examples copy my-examples"],
    "examples list": ["cogen examples list"],
    "examples run": ["cogen examples run power", "cogen examples run gallery/dither"],
    "examples show": ["cogen examples show power"],
    "futamura": ["cogen futamura", "cogen futamura --json"],
    "generate": ["cogen generate imp.scm --entry run '(static)' _ -o compiler.py"],
    "lsp": ["cogen lsp", "cogen lsp --editor emacs ~/.emacs.d/cogen"],
    "mix compile": ["cogen mix compile compiler.scm '(static @program.imp)' -o program.scm"],
    "mix compiler": ["cogen mix compiler imp.scm --entry run '(static)' _ -o compiler.scm"],
    "mix specialize": ["cogen mix specialize power.scm --entry power _ '(static 5)'"],
    "new-language": ["cogen new-language calc"],
    "repl": ["cogen repl power.scm", "echo '(expt 2 20)' | cogen repl"],
    "run": ["cogen run power.scm --entry power 2 10", "cogen run sum.scm --entry f @data.scm"],
    "signal convert": ["cogen signal convert take.pcm pcm24be pcm16le -o take16.pcm"],
    "signal formats": ["cogen signal formats"],
    "signal kernel": ["cogen signal kernel raw12 --emit c"],
    "signal pack": ["cogen signal pack pixels.u16 raw12 -o photo.raw"],
    "signal run": ["cogen signal run sum.scm take.pcm --entry sum --layout pcm24le"],
    "signal stream": [
        "cogen signal stream radio.cs16 'fir @taps.txt' --layout cs16 --dtype complex64 -o smooth",
    ],
    "signal unpack": ["cogen signal unpack photo.raw raw12 -o pixels.u16"],
    "specialize": [
        "cogen specialize power.scm --entry power '(dynamic int)' '(static 5)'",
        "cogen specialize power.scm --entry power _ '(static 5)' --emit c -o power.c",
    ],
    "view": ["cogen view power.scm --entry power '(dynamic int)' '(static 5)'"],
}
"""The lines to type."""


def with_example(command: click.Command, words: str) -> click.Command:
    """The command, whose help ends with an example, if there is one for its words."""
    lines = EXAMPLES.get(words)
    if lines is not None and command.epilog is None:
        title = "Example:" if len(lines) == 1 else "Examples:"
        command.epilog = "\n".join(["\b", title, *[f"  {line}" for line in lines]])
    return command


def with_examples(group: click.Group, words: str = "") -> None:
    """Give the commands of a group, those of its groups too, their examples."""
    for name, command in group.commands.items():
        inner = f"{words} {name}".strip()
        with_example(command, inner)
        if isinstance(command, click.Group):
            with_examples(command, inner)
