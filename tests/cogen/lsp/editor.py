"""An editor for tests: pygls' client, and the server in a process of its own."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.client import LanguageClient

R = TypeVar("R")

ROOT = Path(__file__).parents[3]
COMMAND = ["-m", "cogen", "lsp"]
PATIENCE = 60.0
"""Seconds that an answer may take."""


class Editor:
    """Opens texts, and asks about places in them, which `|` marks."""

    def __init__(self, *command: str, **capabilities: Any) -> None:
        self.loop = asyncio.new_event_loop()
        self.client = LanguageClient("tests", "1")
        self.told: dict[str, list[types.Diagnostic]] = {}
        self.versions: dict[str, int] = {}
        self.shown: list[types.ShowDocumentParams] = []
        self.messages: list[str] = []
        self._listen()
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "COGEN_DEBUG": "1"}
        words = command or (sys.executable, *COMMAND)
        self.wait(self.client.start_io(*words, env=environment))
        given = types.ClientCapabilities(
            window=types.WindowClientCapabilities(
                show_document=types.ShowDocumentClientCapabilities(support=True)
            ),
            **capabilities,
        )
        asked = types.InitializeParams(given, process_id=os.getpid())
        self.server = self.wait(self.client.initialize_async(asked)).capabilities
        self.client.initialized(types.InitializedParams())

    def _listen(self) -> None:
        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def told(params: types.PublishDiagnosticsParams) -> None:
            self.told[params.uri] = list(params.diagnostics)
            if params.version is not None:
                self.versions[params.uri] = params.version

        @self.client.feature(types.WINDOW_SHOW_DOCUMENT)
        def show(params: types.ShowDocumentParams) -> types.ShowDocumentResult:
            self.shown.append(params)
            return types.ShowDocumentResult(True)

        @self.client.feature(types.WINDOW_SHOW_MESSAGE)
        def message(params: types.ShowMessageParams) -> None:
            self.messages.append(params.message)

        @self.client.feature(types.WINDOW_LOG_MESSAGE)
        def log(params: types.LogMessageParams) -> None:
            self.messages.append(params.message)

    def wait(self, asked: Awaitable[R]) -> R:
        """What is awaited."""
        return self.loop.run_until_complete(asyncio.wait_for(asked, PATIENCE))

    def close(self) -> int:
        """End the server; its status."""
        process = self.client._server
        assert process is not None
        self.wait(self.client.shutdown_async(None))
        self.client.exit(None)
        status = self.wait(process.wait())
        self.wait(self.client.stop())
        self.loop.close()
        return status

    def open(self, path: Path | str, text: str, language: str = "cogen") -> str:
        """Open a text; its address.  The file need not be there."""
        uri = path if isinstance(path, str) else path.as_uri()
        self.versions.pop(uri, None)
        self.told.pop(uri, None)
        item = types.TextDocumentItem(uri, language, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def change(self, uri: str, text: str, version: int) -> None:
        """Replace the text."""
        changed = types.VersionedTextDocumentIdentifier(version, uri)
        whole = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(changed, [whole]))

    def diagnostics(self, uri: str, version: int = 1, count: int = 0) -> list[types.Diagnostic]:
        """What is wrong with a version, once that is told, and is so much at least."""

        async def told() -> list[types.Diagnostic]:
            while self.versions.get(uri) != version or len(self.told[uri]) < count:
                await asyncio.sleep(0.01)
            return self.told[uri]

        return self.wait(told())

    def command(self, name: str, *arguments: Any) -> Any:
        """What a command answers."""
        asked = types.ExecuteCommandParams(name, list(arguments))
        return self.wait(self.client.workspace_execute_command_async(asked))


def document(uri: str) -> types.TextDocumentIdentifier:
    """A document in the protocol's words."""
    return types.TextDocumentIdentifier(uri)


def marked(text: str) -> tuple[str, types.Position]:
    """The text without its mark `|`, and the mark's position."""
    offset = text.index("|")
    return text[:offset] + text[offset + 1 :], position(text, offset)


def position(text: str, offset: int) -> types.Position:
    """The position of an offset."""
    before = text[:offset]
    column = len(before.rpartition("\n")[2].encode("utf-16-le")) // 2
    return types.Position(before.count("\n"), column)


def cut(text: str, place: types.Range) -> str:
    """What of a text, whose characters are units of UTF-16, is at a place of one line."""
    line = text.split("\n")[place.start.line]
    return line[place.start.character : place.end.character]
