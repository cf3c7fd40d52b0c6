"""The command `cogen errors`: the index of errors."""

from __future__ import annotations

import click

from cogen import terminal
from cogen.programarguments import meant, near_names
from cogen.terminal import UsageError


@click.command(short_help="Tell what an error means, and what to do.")
@click.argument("code", required=False)
def errors(code: str | None) -> None:
    """Tell what an error means, and what to do; without CODE, which kinds of errors there are.

    Editors and --json show the codes; the whole index is docs/errors.md.
    """
    from cogen.errorindex import entries

    found = entries()
    if code is None:
        width = max(map(len, found))
        lines = [f"{name:{width}}  {entry.messages[0]}" for name, entry in found.items()]
        terminal.write_output(None, "\n".join(lines) + "\n")
        return
    if code not in found:
        near = near_names(code, found)
        hint = meant(near) if near else "cogen errors lists the codes"
        raise UsageError(f"there is no error `{code}` in the index", hint=hint)
    terminal.write_output(None, found[code].text)
