"""The texts that an editor has open, and what is found out about them, once for each version.

A text belongs to a world of files: of those that are open too, what people have typed counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextvars import copy_context
from pathlib import Path
from threading import RLock
from typing import ParamSpec, TypeVar

from cogen.lang import il
from cogen.lang.errors import CogenError, Source
from cogen.lang.files import LOOKED, UNSAVED
from cogen.lsp import scheme
from cogen.lsp.analysis import Analysis
from cogen.lsp.divisions import Division, Specialized, divisions, load
from cogen.lsp.positions import Positions

P = ParamSpec("P")
R = TypeVar("R")

_LINE_END = re.compile("\r\n?")


class Document:
    """A version of a text; it does not change.  Methods may be called in several threads.

    `path` is the file, or a name in angle brackets for what has none; `looked` are the files that
    were looked at so far, or looked for.
    """

    def __init__(
        self,
        uri: str,
        path: str,
        version: int | None,
        text: str,
        is_l0: bool,
        encoding: str = "utf-16",
    ) -> None:
        self.uri = uri
        self.path = path
        self.version = version
        self.is_l0 = is_l0
        self.encoding = encoding
        self.source = Source(path, _LINE_END.sub("\n", text))
        self.unsaved: Mapping[str, str] = {}
        self.looked: set[str] = set()
        self._lock = RLock()
        self._analysis: Analysis | None = None
        self._program: il.Program | CogenError | None = None
        self._specialized: dict[str, Specialized] = {}
        self._divisions: list[Division] | None = None

    def again(self, version: int | None = None, text: str | None = None) -> Document:
        """The document with another text, or as it is, of which nothing is known yet."""
        changed = self.source.text if text is None else text
        given = self.version if text is None else version
        return Document(self.uri, self.path, given, changed, self.is_l0, self.encoding)

    @property
    def positions(self) -> Positions:
        """Offsets and places as the editor counts them."""
        return Positions(self.source.text, self.encoding)

    def in_world(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """`function(*args, **kwargs)` among the texts that are open."""

        def run() -> R:
            UNSAVED.set(self.unsaved)
            LOOKED.set(lambda path, _: self.looked.add(str(path.resolve())))
            return function(*args, **kwargs)

        return copy_context().run(run)

    @property
    def analysis(self) -> Analysis:
        """What is found out about the text."""
        with self._lock:
            if self._analysis is None:
                self._analysis = self.analysis_of(self.source)
            return self._analysis

    def analysis_of(self, source: Source) -> Analysis:
        """The analysis of another text in its place."""
        if not self.is_l0:
            return self.in_world(scheme.analyse, source)
        from cogen.lsp import l0

        return self.in_world(l0.analyse, source)

    @property
    def divisions(self) -> list[Division]:
        """The divisions that comments name."""
        with self._lock:
            if self._divisions is None:
                self._divisions = [] if self.is_l0 else divisions(self.source)
            return self._divisions

    def program(self) -> il.Program:
        """The program of the text; CogenError for whatever is wrong with it."""
        with self._lock:
            if self._program is None:
                try:
                    self._program = self.in_world(load, self.source)
                except CogenError as error:
                    self._program = error
            if isinstance(self._program, CogenError):
                raise self._program
            return self._program

    def specialized(self, division: Division) -> Specialized | None:
        """What becomes of the program by a division; None if the program has mistakes."""
        with self._lock:
            found = self._specialized.get(division.call)
            if found is None:
                try:
                    program = self.program()
                except CogenError:
                    return None
                found = self.in_world(Specialized, program, division.call, division.place)
                self._specialized[division.call] = found
            return found

    def known(self) -> list[Specialized]:
        """What has become of the program by its divisions, as far as that has been found out."""
        there = dict(self._specialized)
        return [there[one.call] for one in self.divisions if one.call in there]


class Documents:
    """The texts that are open, by their address."""

    def __init__(self) -> None:
        self.by_uri: dict[str, Document] = {}

    def put(self, document: Document) -> list[Document]:
        """A text was opened or changed; it, and those that must be looked at again."""
        self.by_uri[document.uri] = document
        return [document, *self.changed(document.path, document.uri)]

    def remove(self, uri: str) -> list[Document]:
        """A text was closed; those that must be looked at again."""
        document = self.by_uri.pop(uri, None)
        return [] if document is None else self.changed(document.path, uri)

    def changed(self, path: str, uri: str = "") -> list[Document]:
        """A file is another than it was; the documents that have looked at it, anew."""
        unsaved = {one.path: one.source.text for one in self.by_uri.values()}
        found: list[Document] = []
        for other in [*self.by_uri.values()]:
            if other.uri != uri and path in other.looked:
                self.by_uri[other.uri] = other.again()
                found.append(self.by_uri[other.uri])
        for one in self.by_uri.values():
            one.unsaved = unsaved
        return found


def is_l0(path: str, language: str) -> bool:
    """Whether a text is in L0: by what the editor says, or its name."""
    return language == "l0" or Path(path).suffix == ".l0"
