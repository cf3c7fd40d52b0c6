"""Collections of Scheme programs that lie in a folder, as they stand: folder -> programs to run.

    FOLDER/src/*.scm, FOLDER/inputs/*.input       as r7rs-benchmarks has them
    FOLDER/src/*.scm, FOLDER/num-iters/*.scm      as Gambit's folder bench has them

A program of the first kind reads what it is to do from standard input; src/common.scm and
common-postlude.scm belong to all.  One of the second kind is told by a definition how often it is
to run, and uses names that each system defines in its own way, we in `collected.scm`; it finds
files as ../../src/NAME.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cogen.terminal import UsageError

OWN: Final = Path(__file__).with_name("collected.scm")
"""What programs of Gambit's collection find defined."""

_NAMED: Final = '(define (this-scheme-implementation-name) "this")\n'

_PARTS: Final = frozenset({"common", "common-postlude"})

_TIMES: Final = re.compile(r"\(define ([^\s()]+)-iters\s+(\d+)\)")

_WRONG: Final = re.compile(r"\*\*\* wrong result|incorrect result")


@dataclass(frozen=True)
class CollectedProgram:
    """A program as text, what it reads from standard input, and where it expects to be run: a path
    from which its files are where it looks for them, made in a folder of ours."""

    name: str
    text: str
    input: str = ""
    links: tuple[tuple[str, Path], ...] = ()
    place: str = "."

    def settle(self, folder: Path) -> Path:
        """Make the place in a folder that is ours, with links to the files."""
        place = folder / self.name / self.place
        place.mkdir(parents=True, exist_ok=True)
        for name, target in self.links:
            link = folder / self.name / name
            if not link.exists():
                link.symlink_to(target)
        return place


def is_wrong(output: str) -> bool:
    """Whether a program of a collection says that its result is not what it should be."""
    return _WRONG.search(output) is not None


def programs(folder: Path) -> Iterator[CollectedProgram]:
    """The programs of a collection, by name.  UsageError if the folder is no collection."""
    sources = sorted((folder / "src").glob("*.scm"))
    if sources and (folder / "inputs").is_dir():
        yield from _with_inputs(folder, sources)
    elif sources and (folder / "num-iters").is_dir():
        yield from _with_counts(folder, sources)
    else:
        raise UsageError(
            f"{folder} is no collection of programs",
            hint="it must have a folder src, and one of inputs (as r7rs-benchmarks) or num-iters "
            "(as Gambit's folder bench)",
        )


def _with_inputs(folder: Path, sources: list[Path]) -> Iterator[CollectedProgram]:
    common = _NAMED + _read(folder / "src" / "common.scm")
    postlude = _read(folder / "src" / "common-postlude.scm") or "(main)\n"
    links = (("inputs", (folder / "inputs").resolve()),)
    for path in sources:
        given = folder / "inputs" / f"{path.stem}.input"
        if path.stem not in _PARTS and given.exists():
            text = f"{_read(path)}\n{common}\n{postlude}"
            yield CollectedProgram(path.stem, text, _read(given), links)


def _with_counts(folder: Path, sources: list[Path]) -> Iterator[CollectedProgram]:
    times = dict(_TIMES.findall(_read(folder / "num-iters" / "num-iters.scm")))
    links = (("src", (folder / "src").resolve()),)
    for path in sources:
        if path.stem in times:
            counted = f"(define {path.stem}-iters {times[path.stem]})\n"
            text = f"{counted}{_read(OWN)}\n{_read(path)}\n(main)\n"
            yield CollectedProgram(path.stem, text, links=links, place="runs/here")


def _read(path: Path) -> str:
    """The text of a file; none if it is not there.  Old sources are not always in UTF-8."""
    if not path.exists():
        return ""
    data = path.read_bytes()
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")
