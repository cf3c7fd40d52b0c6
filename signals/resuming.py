"""Writing that can be gone on with: a file that is begun, and beside it how far it is.

    NAME.part         what has been written
    NAME.part.json    how many bytes of it count, how far the input is, what the stages remember

Both are gone when the file is whole and has its name.  Nothing that is read back runs: states are
numbers, texts and arrays.
"""

from __future__ import annotations

import base64
import io
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

from cogen.endings import ended_by_signals
from cogen.expected import shown
from cogen.lang.errors import CogenError
from cogen.writing import failed, replaced

SECONDS: Final = 2.0
"""How often the state is written while all goes well."""


@dataclass
class Progress:
    """How far a run is: bytes of the input that are done, items, what the stages remember."""

    consumed: int = 0
    items: int = 0
    states: Any = ()


class Resumable:
    """A file that is being written, and a run's progress; `told` says which run it is."""

    def __init__(self, path: Path, told: str) -> None:
        self.path = path
        self.part = path.with_name(path.name + ".part")
        self.notes = path.with_name(path.name + ".part.json")
        self._told = told
        self._saved = time.monotonic()
        self._last: str | None = None

    def begun(self) -> tuple[Progress, int] | None:
        """How far the last run came, and how many bytes of the part count; None if there was none.
        CogenError if it was another one, or cannot be understood."""
        try:
            text = self.notes.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise failed("read", self.notes, error) from None
        hint = f"remove {self.part} and {self.notes} to begin anew"
        try:
            found = json.loads(text)
            if found["run"] != self._told:
                raise CogenError(
                    f"{self.part} was begun from another input, or by other stages", hint=hint
                )
            size = int(found["written"])
            if self.part.stat().st_size < size:
                raise ValueError("the part is too short")
            return Progress(found["consumed"], found["items"], _decoded(found["states"])), size
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CogenError(f"{self.notes} cannot be gone on with: {error}", hint=hint) from None

    @contextmanager
    def writing(self, size: int) -> Iterator[BinaryIO]:
        """The part behind its first bytes.  If the block ends by an error, an interrupt or a
        signal, the progress that was noted last is kept; else the file gets its name."""
        with ended_by_signals():
            try:
                with open(self.part, "r+b") if size else open(self.part, "wb") as stream:
                    stream.truncate(size)
                    stream.seek(size)
                    try:
                        yield stream
                    except BaseException:
                        stream.flush()
                        self._save()
                        raise
                self.part.replace(self.path)
            except OSError as error:
                raise failed("write", self.path, error) from None
            with suppress(OSError):
                self.notes.unlink()

    def note(self, progress: Progress, stream: BinaryIO) -> None:
        """Remember how far a run is; it is written every few seconds."""
        self._last = json.dumps(
            {
                "run": self._told,
                "written": stream.tell(),
                "consumed": progress.consumed,
                "items": progress.items,
                "states": _encoded(progress.states),
            }
        )
        if time.monotonic() - self._saved >= SECONDS:
            stream.flush()
            os.fsync(stream.fileno())
            self._save()
            self._saved = time.monotonic()

    def _save(self) -> None:
        if self._last is not None:
            with replaced(self.notes) as stream:
                stream.write(self._last.encode())
        elif not self.notes.exists():  # nothing is worth to be kept
            self.part.unlink()


def _encoded(value: Any) -> Any:
    """Plain data as JSON; CogenError for what is none."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list):
        return [_encoded(item) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [_encoded(item) for item in value]}
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {"dict": {key: _encoded(item) for key, item in value.items()}}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
        saved = io.BytesIO()
        np.save(saved, value, allow_pickle=False)
        kind = "array" if isinstance(value, np.ndarray) else "scalar"
        return {kind: base64.b64encode(saved.getvalue()).decode()}
    raise CogenError(
        f"what a stage remembers cannot be kept: {shown(value)}",
        hint="numbers, strings, arrays, and lists, tuples and dicts of them can be",
    )


def _decoded(value: Any) -> Any:
    if isinstance(value, list):
        return [_decoded(item) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "tuple":
        return tuple(_decoded(item) for item in content)
    if kind == "dict":
        return {key: _decoded(item) for key, item in content.items()}
    if kind == "complex":
        return complex(*content)
    array = np.load(io.BytesIO(base64.b64decode(content)), allow_pickle=False)
    return array if kind == "array" else array[()]
