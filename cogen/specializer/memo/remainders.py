"""A block of which integers are to be split by their remainders -> an arm for each combination.

    (case (floor-remainder x m)  ((0) <the block's state with x = m*q>)
                                 ((1) <the block's state with x = m*q + 1>) ...)

behind `(if (exact-integer? x) … <the block's state>)` where x may be something else.

Which integers these are, `versions.auto` has found.
"""

from __future__ import annotations

from collections.abc import Iterator

from cogen.lang import il
from cogen.lang.ilutil import base_name
from cogen.specializer.paths.operation_site import OperationSite
from cogen.specializer.paths.path import Path
from cogen.specializer.paths.segment import Segment
from cogen.specializer.values.domain import Cyclic, Dynamic, Static
from cogen.specializer.values.freeze import Names
from cogen.specializer.versions.auto import remainders
from cogen.specializer.versions.memo import ResidualBlock, Wider


def by_remainders(
    path: Path, block: ResidualBlock, wider: Wider, first: Names
) -> Iterator[tuple[Path, Names, bool]]:
    """The paths on which a block goes on that is to be split, behind tests of remainders: each with
    the names of the block's leaves (`first` those without tests), in which remainders are known,
    and whether it is the version in which nothing is split."""
    splits = list(zip(wider.splits.items(), remainders(wider), strict=True))
    work: list[tuple[Path, int, Names]] = [(path, 0, first)]
    while work:
        path, done, names = work.pop()
        if done == len(splits):
            yield path, names, False
            continue
        (parameter, (modulus, _)), cases = splits[done]
        hint, site = base_name(parameter), OperationSite(block.raw.span)
        if path.context.variables.types.get(parameter) != "int":
            integer = path.emit("exact-integer?", (Dynamic(parameter),), site)
            path, other = _forked(path, path.atom(integer), block)
            yield other, first, True
            names = {**names, (parameter, 0): Dynamic(parameter, "int")}
        operands = (Dynamic(parameter, "int"), Static(modulus))
        remainder = path.emit("floor-remainder", operands, site.named(hint + "r"))
        quotient = path.emit("floor-quotient", operands, site.named(hint + "q"))
        complete = len(cases) == modulus
        for case in cases[:-1] if complete else cases:
            test = path.atom(path.emit("=", (remainder, Static(case)), site))
            then, path = _forked(path, test, block)
            split: Names = {**names, (parameter, 0): Cyclic(modulus, case, quotient)}
            work.append((then, done + 1, split))
        if complete:
            split = {**names, (parameter, 0): Cyclic(modulus, cases[-1], quotient)}
            work.append((path, done + 1, split))
        else:
            yield path, first, True


def _forked(path: Path, test: il.Atom, block: ResidualBlock) -> tuple[Path, Path]:
    """The paths on which the test holds, and on which it does not."""
    then, otherwise = Segment(), Segment()
    path.segment.tail = (test, then, otherwise, block.raw.span)
    return path.fork(then), path.fork(otherwise)
