"""The command `view`: pages of a program that can be changed."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import click

from cogen import terminal
from cogen.commands.specialize import specialization_options
from cogen.programarguments import limit_options
from cogen.programfiles import ProgramFile


@click.command(short_help="See what is known where, and change it.")
@click.argument("file", type=ProgramFile(dash=False))
@click.argument("bts", nargs=-1, metavar="[BT]...")
@click.option("--entry", metavar="NAME", help="The procedure; the last one, if none is given.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="Where; else any port."
)
@click.option("--no-open", is_flag=True, help="Print the address only, and open no browser.")
@specialization_options
@limit_options
def view(
    file: str, bts: tuple[str, ...], entry: str | None, port: int, no_open: bool, **options: Any
) -> int:
    """See what is known where in a program, in a browser, and change it.

    The page is that of `specialize --emit html`, or of `array graph` for a program in L0. In a form
    above it the procedure, the binding times and the word size can be changed; what becomes other
    in the residual program, C and assembly is marked. BTs are those of specialize, to begin with.

    Only browsers of this machine can see it. Ctrl-C ends it.
    """
    import webbrowser

    from cogen.view.player import Player
    from cogen.view.serve import Server

    given = {name: value for name, value in options.items() if value is not None}
    server = Server(Player(file, entry, bts, given).page, port)
    terminal.write_output(None, f"{server.address}\n")
    if not no_open:
        webbrowser.open(server.address)
    with suppress(KeyboardInterrupt):
        server.run()
    return 0
