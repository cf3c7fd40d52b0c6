"""The command `cogen lsp`."""

from __future__ import annotations

from pathlib import Path

import click

from cogen import terminal
from cogen.lang.errors import CogenError
from cogen.terminal import UsageError


@click.command(short_help="Answer an editor: the language server.")
@click.argument("folder", required=False, type=click.Path(file_okay=False))
@click.option(
    "--editor",
    type=click.Choice(("vscode", "emacs")),
    help="Write what the editor needs into FOLDER, and answer nobody.",
)
@click.option("--stdio", is_flag=True, help="By standard input and output: so it is anyway.")
def lsp(folder: str | None, editor: str | None, stdio: bool) -> int:
    """Answer an editor, by the language server protocol on standard input and output.

    Errors as they are typed, what names mean, definitions, completion, renaming, residual programs
    and the values that are known: docs/editors.md says how editors are told of it.
    """
    if (folder is None) != (editor is None):
        raise UsageError("--editor and FOLDER belong together", hint="--editor vscode FOLDER")
    if folder is not None and editor is not None:
        from cogen.editors.write import write

        for path in write(editor, Path(folder)):
            terminal.write_output(None, f"{path}\n")
        return 0
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
