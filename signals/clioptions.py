"""The options and arguments that the commands `cogen signal ...` have in common."""

from __future__ import annotations

from typing import Any

import click

from cogen.lang.errors import CogenError
from cogen.terminal import UsageError


def layout_of(
    _context: click.Context | None, _parameter: click.Parameter | None, value: Any
) -> Any:
    """The layout of an option, or the layouts of one that is given several times; a text that
    means none is wrong usage."""
    from cogen.signals.rows import to_shape

    if value is None:
        return None
    if isinstance(value, tuple):
        return tuple(layout_of(_context, _parameter, text) for text in value)
    try:
        return to_shape(value)
    except CogenError as error:
        raise UsageError(error.message, error.span, error.hint, error.notes) from None


def plain_layout_of(_context: click.Context, _parameter: click.Parameter, value: Any) -> Any:
    """The same, but no rows."""
    from cogen.signals.rows import Rows

    found = layout_of(_context, _parameter, value)
    if any(isinstance(x, Rows) for x in (found if isinstance(found, tuple) else (found,))):
        raise UsageError("rows can only be unpacked here", hint="leave out width=...")
    return found


class SampleFile(click.Path):
    """The path of a file of samples, or -."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; who writes the layout before it is told so."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            if isinstance(value, str) and _is_layout(value):
                told = f"{error.message} It is a layout, which comes behind the FILE."
                raise click.BadParameter(told, ctx, param) from None
            raise


def _is_layout(text: str) -> bool:
    try:
        layout_of(None, None, text)
    except CogenError:
        return False
    return True


def chosen(option: Any, behind: Any, name: str) -> Any:
    """The layout that an option of this name gives, or what stands behind FILE."""
    if option is not None and behind is not None:
        raise click.UsageError(f"the layout stands behind FILE, and {name} gives one, too")
    if option is None and behind is None:
        raise UsageError(
            f"say behind FILE, or with {name}, how the samples are packed",
            hint="such as u12 or raw10; `cogen signal formats` lists those with names",
        )
    return behind if option is None else option


file_argument = click.argument(
    "file", type=SampleFile(exists=True, dir_okay=False, allow_dash=True), default="-"
)
output_option = click.option("-o", "--output", metavar="PATH", help="Write it to a file instead.")
layout_option = click.option(
    "--layout", callback=layout_of, metavar="LAYOUT", help="How samples are packed."
)
behind_file = click.argument("behind", required=False, callback=layout_of, metavar="[LAYOUT]")
rate_option = click.option(
    "--rate", type=click.IntRange(min=1), metavar="HZ",
    help="Items a second, for a WAV file as output; by default those of one as input.",
)  # fmt: skip
plain_option = click.option(
    "--layout", callback=plain_layout_of, metavar="LAYOUT", help="How samples are packed."
)
plain_behind_file = click.argument(
    "behind", required=False, callback=plain_layout_of, metavar="[LAYOUT]"
)
wrap_option = click.option("--wrap", is_flag=True, help="Keep the low bits of values out of range.")
saturate_option = click.option("--saturate", is_flag=True, help="Clamp values out of range.")
text_help = "Numbers as text, an item a line."
