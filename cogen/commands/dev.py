"""The commands `cogen dev ...`: look into the passes that a program goes through.

What a command needs is imported when it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cogen import terminal
from cogen.lang.errors import CogenError
from cogen.programarguments import (
    as_usage,
    check_entry,
    datum_argument,
    load_program,
    word_size_option,
)
from cogen.terminal import UsageError

if TYPE_CHECKING:
    from cogen.dev.road import PassChoice, Road

Command = Callable[..., Any]

_OPTIONS = (
    click.argument("file", type=click.Path(exists=True, dir_okay=False)),
    click.argument("bts", nargs=-1, metavar="[BT]..."),
    click.option("--entry", metavar="NAME", default="main", show_default=True, help="What to run."),
    click.option("--off", multiple=True, metavar="PASS", help="Leave out a pass, or a rule."),
    click.option("--generalize", is_flag=True, help="Make dynamic what grows without end."),
    click.option("--checked", is_flag=True, help="C that reports integer overflow."),
    word_size_option,
)


def _road_options(command: Command) -> Command:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.group(short_help="Look into passes: print, stop, check, time, bisect.")
def dev() -> None:
    """Look into the passes that a program goes through.

    FILE is a program in the Scheme-like language (.scm) with a BT for each parameter of the entry,
    as for `cogen specialize`; or one in L0 (.l0). Steps are counted from 1: passes over the
    residual program that are run, then those on the code of kernels; or rules over the array
    graph that change something, then the passes on loops.
    """


@dev.command()
@_road_options
@click.option("--way", default="c", show_default=True, help="To c, whole; of L0 graph, c, opencl.")
def steps(way: str, off: tuple[str, ...], **program: Any) -> None:
    """List the steps: the number, the pass or rule, - where nothing changed."""
    road = _road(program, (), way)
    lines = [
        f"{number:5} {step.name}{'' if step.changed else ' -'}"
        for number, step in enumerate(road.steps(frozenset(off)), 1)
    ]
    terminal.write_output(None, "\n".join([*lines, ""]))


@dev.command()
@_road_options
@click.option(
    "--stage",
    metavar="STAGE",
    help="source, il, scheme, python, structured, c, whole; "
    "l0, graph, nodes, loops, c, kernels, opencl.",
)
@click.option("--steps", "limit", type=click.IntRange(min=0), help="Stop after so many steps.")
@click.option("--after", metavar="PASS", help="Stop when this pass has first been run.")
def show(
    stage: str | None, limit: int | None, after: str | None, off: tuple[str, ...], **program: Any
) -> None:
    """Print the program at a stage, after all or some of the steps."""
    is_array = _is_array(program["file"])
    chosen = stage or _stage_after(after or "", is_array)
    ways = {"whole": "whole", "structured": "c", "c": "c", "kernels": "opencl", "opencl": "opencl"}
    road = _road(program, (), ways.get(chosen, "c" if is_array else "interp"))
    if chosen not in road.stages:
        raise UsageError(f"there is no stage {chosen}", hint=f"there are {', '.join(road.stages)}")
    terminal.write_output(None, road.show(chosen, _choice(road, off, limit, after)).rstrip() + "\n")


@dev.command()
@_road_options
def time(off: tuple[str, ...], **program: Any) -> None:
    """Print how often each pass was run and changed something, and its milliseconds."""
    road = _road(program, ())
    lines = [f"{'pass':18}{'runs':>6}{'changes':>9}{'ms':>10}"]
    lines += [
        f"{count.name:18}{count.runs:6}{count.changes:9}{1000 * count.seconds:10.2f}"
        for count in road.counts()
        if count.name not in off
    ]
    terminal.write_output(None, "\n".join([*lines, ""]))


@dev.command()
@_road_options
def check(off: tuple[str, ...], **program: Any) -> int:
    """Check the program after each pass; say after which it is not well-formed."""
    problem = _road(program, ()).check()
    terminal.write_output(
        None, "well-formed after each pass\n" if problem is None else f"{problem}\n"
    )
    return 0 if problem is None else 1


@dev.command()
@_road_options
@click.option(
    "--arg", "arguments", multiple=True, metavar="VALUE", help="A value of what is unknown."
)
@click.option(
    "--way",
    metavar="WAY",
    help="interp, python, c, whole; for L0 graph, c, opencl.  [interp, graph]",
)
def bisect(
    arguments: tuple[str, ...], way: str | None, off: tuple[str, ...], **program: Any
) -> int:
    """Find the step that makes an answer wrong, and show what it changed.

    The answer that is right is that of the source program by the interpreter. Exit status 1 if
    the answer is wrong.
    """
    from cogen.dev import bisect as finding

    road = _road(program, arguments, way)
    chosen = frozenset(off)
    found = finding.bisect(road, chosen)
    if found.step is None:
        terminal.write_output(None, f"right after all {found.steps} steps: {found.expected}\n")
        return 0
    lines = [f"expected: {found.expected}", f"found:    {found.found}"]
    if found.step == 0:
        lines.append(f"wrong before the first of {found.steps} steps")
    else:
        lines.append(f"step {found.step} of {found.steps} is to blame: {found.name}")
        lines.append(finding.difference(road, _stage_of(found, road), chosen, found.step))
    terminal.write_output(None, "\n".join([*lines, ""]))
    return 1


def _stage_of(found: Any, road: Road) -> str:
    from cogen.array.loops.passes import PASSES
    from cogen.backends.kernel.passes import CHANGES

    if found.name.startswith("kernel-"):
        changes = {f"kernel-{change.name}" for change in CHANGES}
        return "structured" if found.name in changes else "c"
    if road.way == "opencl":
        from cogen.dev.arrays import LATER

        return "kernels" if found.name in LATER["opencl"] else road.stages[1]
    on_loops = "loops" in road.stages and found.name in {step.name for step in PASSES}
    return "loops" if on_loops else road.stages[1]


def _stage_after(after: str, is_array: bool) -> str:
    """Where it is seen what a pass has done, if nothing else is asked for."""
    if is_array:
        from cogen.dev.arrays import FORMS, LOOPS

        return "loops" if after in LOOPS else "kernels" if after in FORMS else "graph"
    name, _, _ = after.partition("-")
    return {"kernel": "structured", "whole": "whole"}.get(name, "il")


def _choice(road: Road, off: tuple[str, ...], limit: int | None, after: str | None) -> PassChoice:
    from cogen.dev.road import PassChoice

    chosen = frozenset(off)
    if after is None:
        return PassChoice(chosen, limit)
    if limit is not None:
        raise UsageError("--steps and --after both say where to stop", hint="give one of them")
    ends = road.ends(chosen)
    if after not in ends:
        raise UsageError(f"no step is of `{after}`", hint=f"there are {', '.join(ends)}")
    return PassChoice(chosen, ends[after])


def _is_array(file: str) -> bool:
    return Path(file).suffix == ".l0"


def _road(program: dict[str, Any], arguments: tuple[str, ...], way: str | None = None) -> Road:
    """The road of a program."""
    file, entry = program["file"], program["entry"]
    if _is_array(file):
        from cogen.array import load
        from cogen.dev.arrays import WAYS as ARRAY_WAYS
        from cogen.dev.arrays import ArrayRoad

        _check_way(way, ARRAY_WAYS)
        if program["bts"]:
            raise UsageError("a program in L0 has no binding times", hint="--arg gives values")
        return ArrayRoad(load(file), entry, "\n".join(arguments), way or ARRAY_WAYS[0])
    from cogen.binding_times import parse_bt
    from cogen.dev.scheme import WAYS, SchemeRoad
    from cogen.specializer.versions.options import SpecializerOptions

    _check_way(way, WAYS)
    loaded = load_program(file)
    check_entry(loaded, entry)
    try:
        bts = [parse_bt(text) for text in program["bts"]]
    except CogenError as error:
        raise as_usage(error) from None
    options = SpecializerOptions(
        word_size=program["word_size"],
        generalize=program["generalize"],
        checked=program["checked"],
    )
    data = [datum_argument(text, f"--arg {i}") for i, text in enumerate(arguments, 1)]
    return SchemeRoad(loaded, entry, bts, options, data, way or WAYS[0])


def _check_way(way: str | None, ways: tuple[str, ...]) -> None:
    if way is not None and way not in ways:
        raise UsageError(f"there is no way {way}", hint=f"there are {', '.join(ways)}")
