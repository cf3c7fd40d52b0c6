"""Programs and residual programs that are kept in the store: the next process has them at once.

    program(source, budget, expand)   what a text expands to
    facts(source, check)              what is known of a text in L0, and what it is kept by
    residual(program, ...)            what specializing it gives
    made(kind, key, ..., make)        what is made of a program that is kept by a key
    digest_of(program)                such a key, of a program that is a tree

Note [Kept programs]: what an expansion gives is kept by the text, by where libraries are looked
for, and by our own code (`cogen.identity`).  With it are kept the files that were read meanwhile,
and those that were looked for and are not there: if one of them is different now, the text is
expanded anew.  A program that came from here, or was put here, has a digest of all that; residual
programs are kept by it, by the binding times and by the options, which say all that the
specializer is told.  Where a program asks for files, input, the environment or the time, which its
top level may do while specializing, what is specialized is not kept.  Only what took some time is.
Nothing is taken from here or put here with COGEN_KEEP=0 in the environment, or while `cogen dev`
looks on; what cannot be pickled, for instance because it is nested too deeply, is not kept either.

What is unpickled runs; it comes from the store, which is trusted as the machine code in it is.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from cogen import diskstore as store
from cogen.identity import code_identity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cogen.array.l0.facts import CheckedFacts
    from cogen.lang import il
    from cogen.lang.errors import Source, Warnings
    from cogen.residual import ResidualProgram

KEEP: Final = "COGEN_KEEP"
"""The variable of the environment with which nothing is kept."""

WORTH: Final = 0.02
"""Seconds that it must take to make something that is kept."""

MOST: Final = 1 << 24
"""Bytes of an entry, at most."""

Made = TypeVar("Made")

Looked = dict[str, str | None]
"""Files that were looked for: the digest of what they hold, None where there is none."""


def program(source: Source, expand: Callable[[], il.Program]) -> il.Program:
    """The program of a source, kept or expanded now."""

    def make() -> tuple[il.Program, bool]:
        expanded = expand()
        return expanded, _active() and _asks(expanded)

    (found, asks), key = _of_files("program", source, make)
    return replace(found, digest=key) if key and not asks else found


def facts(source: Source, check: Callable[[], CheckedFacts]) -> tuple[CheckedFacts, str]:
    """What the check of a program in L0 found, kept or found now, and what it is kept by (empty if
    it is not)."""
    return _of_files("facts", source, check)


def _of_files(kind: str, source: Source, make: Callable[[], Made]) -> tuple[Made, str]:
    """What is made of a text and of the files that are read meanwhile, kept or made now; and what
    it is kept by (empty if it is not)."""
    if not _active():
        return make(), ""
    parts = (code_identity(), os.getcwd(), source.name, source.path, source.library, source.text)
    found = _get(kind, *parts)
    if found is not None:
        looked, content = found
        if all(_digest_of(path) == digest for path, digest in looked.items()):
            return content, _hashed((*parts, repr(sorted(looked.items()))))
    looked = {}
    began = time.perf_counter()
    with _Watching(looked):
        new = make()
    worth = time.perf_counter() - began >= WORTH
    if not (worth and _put(kind, *parts, content=(looked, new))):
        return new, ""
    return new, _hashed((*parts, repr(sorted(looked.items()))))


def residual(
    source: il.Program,
    entry: str,
    bts: object,
    options: object,
    specialize: Callable[[], tuple[ResidualProgram, Warnings]],
) -> tuple[ResidualProgram, Warnings, str]:
    """The residual program, kept or made now, its warnings, and what it is kept by (empty if it
    is not)."""
    key = _key(source, entry, bts, options) if source.digest and _active() else ""
    if key:
        found = _get("residual", code_identity(), key)
        if found is not None:
            return (*found, key)
    began = time.perf_counter()
    made = specialize()
    worth = time.perf_counter() - began >= WORTH
    if key and not (worth and _put("residual", code_identity(), key, content=made)):
        key = ""
    return (*made, key)


def made(kind: str, key: str, *parts: str, make: Callable[[], Made]) -> Made:
    """What is made of a program that is kept by a key, kept or made now; anew if the key is empty.

    `kind` says what it is, `parts` what else it depends on.
    """
    if not key or not _active():
        return make()
    found: Made | None = _get(kind, code_identity(), key, *parts)
    if found is not None:
        return found
    new = make()
    _put(kind, code_identity(), key, *parts, content=new)
    return new


def digest_of(program: object) -> str:
    """What a program is kept by that no text says, but a tree; empty if it cannot be told."""
    try:
        told = pickle.dumps(program, 5)
    except (pickle.PicklingError, RecursionError, TypeError, AttributeError):
        return ""
    return hashlib.sha256(told).hexdigest()


def _key(source: il.Program, entry: str, bts: object, options: object) -> str:
    try:
        told = pickle.dumps((entry, bts, options), 5)
    except Exception:  # whatever the data of a user are
        return ""
    return hashlib.sha256(source.digest.encode() + told).hexdigest()


def _active() -> bool:
    """Whether anything is kept now."""
    if os.environ.get(KEEP, "1") == "0":
        return False
    clean = sys.modules.get("cogen.specializer.passes.clean")
    return clean is None or clean.OBSERVER.get() is None


def _asks(made: il.Program) -> bool:
    """Whether a program asks for what it does not say itself."""
    from cogen.lang.ilutil import primitives
    from cogen.lang.prims import OUTSIDE

    return not primitives(made).isdisjoint(OUTSIDE)


def _hashed(parts: Iterable[str]) -> str:
    hashed = hashlib.sha256()
    for part in parts:
        hashed.update(b"%d " % len(part))
        hashed.update(part.encode("utf-8", "surrogatepass"))
    return hashed.hexdigest()


class _Watching:
    """Notes which files are looked for meanwhile, but for our own."""

    def __init__(self, looked: Looked) -> None:
        self.looked = looked
        self.own = str(Path(__file__).resolve().parent)

    def __enter__(self) -> None:
        from cogen.lang.files import LOOKED

        self.token = LOOKED.set(self.note)

    def __exit__(self, *_error: object) -> None:
        from cogen.lang.files import LOOKED

        LOOKED.reset(self.token)

    def note(self, path: Path, content: bytes | None) -> None:
        """A file was read, or is not there."""
        absolute = os.path.abspath(path)
        if content is None:
            self.looked[absolute] = None
        elif not os.path.realpath(absolute).startswith(self.own + os.sep):
            self.looked[absolute] = hashlib.sha256(content).hexdigest()


def _digest_of(path: str) -> str | None:
    """The digest of what a file holds; None if there is none."""
    try:
        with open(path, "rb") as stream:
            return hashlib.sha256(stream.read()).hexdigest()
    except OSError:
        return None


def _get(kind: str, *parts: str) -> Any:
    """What is kept; None if nothing is, or it is of no use."""
    content = store.get(kind, *parts)
    if content is None:
        return None
    try:
        return pickle.loads(content)
    except Exception:  # of another version of Python, say
        return None


def _put(kind: str, *parts: str, content: object) -> bool:
    """Keep something; whether that could be done."""
    try:
        data = pickle.dumps(content, 5)
    except Exception:  # nested too deeply, or compiled
        return False
    if len(data) > MOST:
        return False
    store.put(kind, *parts, content=data)
    return True
