"""The command `cogen lsp`."""

from __future__ import annotations

import click

from cogen.lang.errors import CogenError


@click.command(short_help="Answer an editor: the language server.")
@click.option("--stdio", is_flag=True, help="By standard input and output: so it is anyway.")
def lsp(stdio: bool) -> int:
    """Answer an editor, by the language server protocol on standard input and output.

    Errors as they are typed, what names mean, definitions, completion, renaming, residual programs
    and the values that are known: docs/editors.md says how editors are told of it.
    """
    try:
        from cogen.lsp.server import serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("cogen"):
            raise
        raise CogenError(
            f"the language server needs the package {error.name.partition('.')[0]}",
            hint="pip install 'cogen-specializer[lsp]'",
        ) from None
    return serve()
