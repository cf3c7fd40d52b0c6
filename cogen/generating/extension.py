"""A generating extension at work: binding times -> residual program."""

from __future__ import annotations

import hashlib
import marshal
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from types import CodeType
from typing import Any, Final

from cogen import diskstore as store
from cogen.binding_times import BT, admits, check_bt, later_leaves, parse_bt, show_bt
from cogen.boundary import public_methods
from cogen.generating.compiling import compiling
from cogen.generating.specializer import CompiledSpecializer
from cogen.generating.support import Code
from cogen.lang import il
from cogen.lang.errors import CogenError, LimitationError, Warnings
from cogen.specialized import Residual, decisions_of
from cogen.specializer.analyses.analyses import analyses_of
from cogen.specializer.attempts import SpecializationAttempt
from cogen.specializer.specialization import Specializer
from cogen.specializer.specialize import specialize
from cogen.specializer.versions.options import SpecializerOptions
from cogen.version import __version__

HEADING: Final = '"""Generating extension of '
"""How the text of every generating extension begins."""

SEAL: Final = "\n# sha256 of the lines above: "
"""What stands before the last word of the text, their hash: what runs must be what was written."""


def sealed(text: str) -> str:
    """A text with its hash as the last line."""
    lines = text.rstrip("\n")
    return f"{lines}{SEAL}{hashlib.sha256(lines.encode()).hexdigest()}\n"


def is_sealed(text: str) -> bool:
    """Whether the last line of a text is the hash of those above."""
    return sealed(text.rpartition(SEAL)[0]) == text


@public_methods
class Extension:
    """The compiler that a generating extension defines.

    Called with binding times, one for each of the `division`, each the same with values in the
    places of `(static)`; none at all if the division has no such place.  Gives what
    `cogen.specialize` gives for the program, the entry and these binding times, and raises what it
    raises; CogenError, too, for binding times that the division did not foresee.  Keywords are
    those of `cogen.specialize` and override those of `cogen.generate`.
    """

    def __init__(
        self,
        made_by: str,
        program: il.Program,
        entry: str,
        division: tuple[BT, ...],
        options: Mapping[str, Any],
        code: Mapping[il.Function, Code],
    ) -> None:
        if made_by != __version__:
            raise LimitationError(
                f"this generating extension was made by version {made_by} of cogen, this is "
                f"{__version__}",
                hint="make it again with `cogen generate`",
            )
        self.entry = entry
        self.division = division
        self.options = dict(options)
        self.text = ""
        """The module that defines it, once it is known."""
        self._name = ""
        self._loaded: _Loaded | None = _Loaded(program, code)

    @classmethod
    def unread(
        cls, text: str, name: str, entry: str, division: tuple[BT, ...], options: Mapping[str, Any]
    ) -> Extension:
        """The extension of a text that was just written: it is loaded when it is first run."""
        self = cls.__new__(cls)
        self.entry, self.division, self.options = entry, division, dict(options)
        self.text, self._name, self._loaded = text, name, None
        return self

    def load(self) -> _Loaded:
        """What the text defines, loaded now if it has not been."""
        if self._loaded is None:
            self._loaded = make(self.text, self._name).load()
        return self._loaded

    def __call__(self, *bts: BT, **options: Any) -> Residual:
        given = self.fitting(bts)
        loaded = self.load()
        warnings = Warnings()
        chosen = SpecializerOptions(**{**self.options, **options})
        result = specialize(
            loaded.program,
            self.entry,
            given,
            chosen,
            warnings,
            loaded.analyses,
            loaded.specializer,
        )
        again = partial(decisions_of, loaded.program, self.entry, given, chosen)
        return Residual(result, warnings, again=again)

    def fitting(self, bts: Sequence[BT]) -> tuple[BT, ...]:
        """The binding times, if they are what the division foresaw."""
        if not bts and not any(later_leaves(bt) for bt in self.division):
            return self.division
        if len(bts) != len(self.division):
            raise CogenError(
                f"`{self.entry}` was generated for {len(self.division)} binding times, but "
                f"{len(bts)} {'was' if len(bts) == 1 else 'were'} given",
                hint=f"they are to be like {self.shown()}",
            )
        for number, (wanted, bt) in enumerate(zip(self.division, bts, strict=True), 1):
            if not admits(wanted, check_bt(bt)):
                if later_leaves(bt):
                    raise CogenError(
                        f"binding time {number} does not fit: a (static) of it has no datum",
                        hint=f"fill in what is known, (static DATUM), in {self.shown()}",
                    )
                raise CogenError(
                    f"binding time {number} does not fit: {show_bt(wanted)} was generated for, "
                    f"{show_bt(bt)} was given",
                    hint=f"generate an extension for it; this one takes {self.shown()}",
                )
        return tuple(bts)

    def shown(self) -> str:
        """The division as text."""
        return " ".join(map(show_bt, self.division))

    def __repr__(self) -> str:
        return f"<generating extension of {self.entry}: {self.shown()}>"


class _Loaded:
    """What a generating extension works with: the program, and its procedures compiled."""

    def __init__(self, program: il.Program, code: Mapping[il.Function, Code]) -> None:
        self.program = program
        self.analyses = analyses_of(program)
        self._code = code

    def specializer(self, attempt: SpecializationAttempt) -> Specializer:
        """What carries an attempt out in compiled code, as far as there is some."""
        program = attempt.program
        if program is not self.program:  # it is one with advice
            return compiling(attempt)
        return CompiledSpecializer(
            self._code, program, attempt.options, Warnings(), attempt.analyses
        )


def division(*texts: str) -> tuple[BT, ...]:
    """The binding times that texts write."""
    return tuple(map(parse_bt, texts))


def make(text: str, name: str) -> Extension:
    """The generating extension that a text defines; `name` is what diagnostics call it.

    CogenError if it is none, is damaged, or one of another version.
    """
    if not text.startswith(HEADING):
        raise CogenError(
            f"{name} is not a generating extension", hint="`cogen generate` makes them"
        )
    if not is_sealed(text):
        raise CogenError(
            f"{name} is not as `cogen generate` wrote it: it was damaged or edited",
            hint="make it again with `cogen generate`",
        )
    namespace: dict[str, Any] = {"__name__": "generating_extension"}
    try:
        exec(_compiled(text, name), namespace)
    except CogenError:
        raise
    except Exception as error:
        raise CogenError(
            f"{name} is not a generating extension that works: {type(error).__name__}: {error}",
            hint="make it again with `cogen generate`",
        ) from None
    found = namespace.get("specialize")
    if not isinstance(found, Extension):
        raise CogenError(f"{name} does not define `specialize`")
    found.text = text
    return found


def _compiled(text: str, name: str) -> CodeType:
    """The text's byte code, which the store keeps."""
    parts = (str(sys.implementation.cache_tag), str(sys.hexversion), name, text)
    kept = store.get("code", *parts)
    if kept is not None:
        code = marshal.loads(kept)
        assert isinstance(code, CodeType)
        return code
    code = compile(text, name, "exec", dont_inherit=True, optimize=0)
    store.put("code", *parts, content=marshal.dumps(code))
    return code
