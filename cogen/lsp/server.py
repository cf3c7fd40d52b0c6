"""The server: the protocol's requests and notifications, over standard input and output.

The loop that reads messages does nothing that takes time.  Analyses are made in one thread, and
specializations in another, one after the other; each has its budget.  What goes wrong in an answer
is told as its error, and ends nothing.

Note [Who writes to standard output]
    Only the protocol may.  So the server takes the two streams for itself before it starts: what
    anything else prints goes to standard error, and what anything else reads has ended.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

import cogen
from cogen import terminal
from cogen.lang.errors import CogenError
from cogen.lsp import answers, whatisknown
from cogen.lsp.documents import Document, Documents, is_l0

P = ParamSpec("P")
R = TypeVar("R")

DELAY: Final = 0.15
"""Seconds without a change after which a text is looked at."""

REQUEST_FAILED: Final = types.LSPErrorCodes.RequestFailed
CONTENT_MODIFIED: Final = types.LSPErrorCodes.ContentModified
SUFFIXES: Final = {"c": ".c", "python": ".py", "array": ".l0", "html": ".html", "opencl": ".cl"}
"""How the names of files end that residual programs are shown in; of others `.scm`."""


class CogenServer(LanguageServer):
    """What the server knows of the editor's texts, and its two workers."""

    def __init__(self) -> None:
        full = types.TextDocumentSyncKind.Full
        super().__init__("cogen", cogen.__version__, text_document_sync_kind=full)
        self.documents = Documents()
        self.chosen: dict[str, str] = {}
        """The division whose values are shown, by the document."""
        self.quick = ThreadPoolExecutor(1, "analyses")
        self.slow = ThreadPoolExecutor(1, "specializations")
        self.waiting: dict[str, asyncio.TimerHandle] = {}
        self.tasks: set[asyncio.Task[None]] = set()
        self.folder = tempfile.TemporaryDirectory(prefix="cogen-lsp-")

    def end(self) -> int:
        """Stop working; the status that the process ends with."""
        for worker in (self.quick, self.slow):
            worker.shutdown(wait=False, cancel_futures=True)
        self.folder.cleanup()
        return 0 if self.protocol._shutdown else 1

    async def work(
        self,
        worker: ThreadPoolExecutor,
        function: Callable[P, R],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> R:
        """What a function gives, in a worker; JsonRpcException if it fails, whatever that is."""

        def guarded() -> R | JsonRpcException:
            try:
                return function(*args, **kwargs)
            except BaseException as error:  # an end of the worker would be the end of all answers
                return _failure(error)

        result = await asyncio.get_running_loop().run_in_executor(worker, guarded)
        if isinstance(result, JsonRpcException):
            raise result
        return result

    async def ask(self, uri: str, function: Callable[..., R], *args: Any) -> R | None:
        """The answer about a document that is open; None of one that is not."""
        document = self.documents.by_uri.get(uri)
        if document is None:
            return None
        return await self.work(self.quick, self.current(function), document, *args)

    def is_current(self, document: Document) -> bool:
        """Whether a document is what people see."""
        return self.documents.by_uri.get(document.uri) is document

    def current(self, function: Callable[..., R]) -> Callable[..., R]:
        """An answer about a document, which nobody waits for once that has changed."""

        def answer(document: Document, *args: Any) -> R:
            if not self.is_current(document):
                raise JsonRpcException("the text has changed", CONTENT_MODIFIED)
            return function(document, *args)

        return answer

    # Diagnostics

    def check_soon(self, documents: Iterable[Document]) -> None:
        """Look at documents, once nothing has changed for a moment."""
        loop = asyncio.get_running_loop()
        for document in documents:
            waiting = self.waiting.pop(document.uri, None)
            if waiting is not None:
                waiting.cancel()
            self.waiting[document.uri] = loop.call_later(DELAY, self._check, document)

    def _check(self, document: Document) -> None:
        self.waiting.pop(document.uri, None)
        task = asyncio.ensure_future(self._checked(document))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _checked(self, document: Document) -> None:
        """Tell what is wrong with a document; then also what is when it is specialized."""
        try:
            found = await self.work(self.quick, self.current(answers.diagnostics), document)
            self._publish(document, found)
            for division in document.divisions if not found else ():
                more = self.current(answers.diagnostics_of_division)
                found += await self.work(self.slow, more, document, division)
                self._publish(document, found)
        except JsonRpcException as error:
            if error.code == CONTENT_MODIFIED:
                return
            message = types.LogMessageParams(types.MessageType.Error, str(error))
            self.window_log_message(message)

    def _publish(self, document: Document, found: list[types.Diagnostic]) -> None:
        if self.is_current(document):
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(document.uri, [*found], document.version)
            )

    # What is shown

    async def show(self, answer: dict[str, Any], name: str) -> None:
        """Open the text of an answer in the editor, if it can do that."""
        window = self.client_capabilities.window
        can = window is not None and window.show_document is not None
        if not can or "text" not in answer:
            return
        form = answer["form"]
        path = Path(self.folder.name) / f"{name}{SUFFIXES.get(form, '.scm')}"
        path.write_text(answer["text"], encoding="utf-8")
        uri = from_fs_path(str(path))
        if uri is not None:
            shown = types.ShowDocumentParams(uri, external=form == "html", take_focus=False)
            self.window_show_document(shown)


def _failure(error: BaseException) -> JsonRpcException:
    """What the editor is told of an error: ours, or one of people."""
    if isinstance(error, JsonRpcException):
        return error
    if isinstance(error, CogenError):
        hint = f" ({error.hint})" if error.hint else ""
        return JsonRpcException(f"{error.message}{hint}", REQUEST_FAILED)
    if isinstance(error, MemoryError):
        return JsonRpcException("out of memory", REQUEST_FAILED)
    if not isinstance(error, Exception):
        return JsonRpcException(f"interrupted: {type(error).__name__}", REQUEST_FAILED)
    return JsonRpcException(terminal.internal_error(error).render(), REQUEST_FAILED)


def make_server() -> CogenServer:
    """A server that answers all that it can."""
    server = CogenServer()
    for register in (_texts, _names, _edits, _knowledge):
        register(server)
    return server


def _texts(server: CogenServer) -> None:
    """Texts are opened, changed and closed."""

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        given = params.text_document
        path = to_fs_path(given.uri) if given.uri.startswith("file:") else None
        path = f"<{given.uri}>" if path is None else str(Path(path).resolve())
        encoding = server.workspace.position_encoding or "utf-16"
        document = Document(
            given.uri,
            path,
            given.version,
            given.text,
            is_l0(path, given.language_id),
            str(getattr(encoding, "value", encoding)),
        )
        server.check_soon(server.documents.put(document))

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        old = server.documents.by_uri.get(params.text_document.uri)
        if old is not None:
            text = server.workspace.get_text_document(old.uri).source
            new = old.again(params.text_document.version, text)
            server.check_soon(server.documents.put(new))

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.check_soon(server.documents.remove(uri))
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        document = server.documents.by_uri.get(params.text_document.uri)
        if document is not None:
            server.check_soon(server.documents.changed(document.path, document.uri))

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files_changed(params: types.DidChangeWatchedFilesParams) -> None:
        for change in params.changes:
            path = to_fs_path(change.uri)
            if path is not None:
                server.check_soon(server.documents.changed(str(Path(path).resolve())))


def _names(server: CogenServer) -> None:
    """What names mean, and where they are."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        return await server.ask(params.text_document.uri, answers.hover, params.position)

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: types.DefinitionParams) -> types.Location | None:
        return await server.ask(params.text_document.uri, answers.definition, params.position)

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def references(params: types.ReferenceParams) -> list[types.Location] | None:
        return await server.ask(params.text_document.uri, answers.references, params.position)

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    async def highlights(
        params: types.DocumentHighlightParams,
    ) -> list[types.DocumentHighlight] | None:
        return await server.ask(params.text_document.uri, answers.highlights, params.position)

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol] | None:
        return await server.ask(params.text_document.uri, answers.symbols)


def _edits(server: CogenServer) -> None:
    """Completion, help with calls, repairs, renaming."""

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(resolve_provider=True))
    async def completions(params: types.CompletionParams) -> list[types.CompletionItem] | None:
        return await server.ask(params.text_document.uri, answers.completions, params.position)

    @server.feature(
        types.TEXT_DOCUMENT_SIGNATURE_HELP,
        types.SignatureHelpOptions(trigger_characters=["(", " ", ","]),
    )
    async def signatures(params: types.SignatureHelpParams) -> types.SignatureHelp | None:
        return await server.ask(params.text_document.uri, answers.signatures, params.position)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix]),
    )
    async def repairs(params: types.CodeActionParams) -> list[types.CodeAction] | None:
        told = params.context.diagnostics
        return await server.ask(params.text_document.uri, answers.repairs, told)

    @server.feature(types.COMPLETION_ITEM_RESOLVE)
    async def resolved(item: types.CompletionItem) -> types.CompletionItem:
        uri = item.data.get("uri", "") if isinstance(item.data, dict) else ""
        return await server.ask(uri, answers.resolved, item) or item

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    async def renamed(params: types.RenameParams) -> types.WorkspaceEdit | None:
        uri, name = params.text_document.uri, params.new_name
        return await server.ask(uri, answers.renamed, params.position, name)

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepared(params: types.PrepareRenameParams) -> types.Range | None:
        return await server.ask(params.text_document.uri, answers.prepared, params.position)


def _knowledge(server: CogenServer) -> None:
    """What is known where, and residual programs."""

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def lenses(params: types.CodeLensParams) -> list[types.CodeLens] | None:
        return await server.ask(params.text_document.uri, whatisknown.lenses)

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        document = server.documents.by_uri.get(params.text_document.uri)
        if document is None or not document.divisions:
            return []
        chosen = server.chosen.get(document.uri)
        shown = server.current(whatisknown.hints)
        return await server.work(server.slow, shown, document, params.range, chosen)

    legend = types.SemanticTokensLegend(list(whatisknown.COLOURS), [])

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)
    async def colours(params: types.SemanticTokensParams) -> types.SemanticTokens:
        document = server.documents.by_uri.get(params.text_document.uri)
        if document is None or not document.divisions:
            return types.SemanticTokens([])
        chosen = server.chosen.get(document.uri)
        return await server.work(server.slow, server.current(whatisknown.colours), document, chosen)

    @server.command(whatisknown.SPECIALIZE)
    async def specialize(uri: str, call: str, *forms: str) -> dict[str, Any] | None:
        form = forms[0] if forms else "scheme"
        document = server.documents.by_uri.get(uri)
        if document is None:
            return None
        answer = await server.work(server.slow, whatisknown.specialized, document, call, form)
        if "error" in answer:
            message = types.ShowMessageParams(types.MessageType.Warning, answer["error"])
            server.window_show_message(message)
        await server.show(answer, Path(document.path.strip("<>")).stem)
        return answer

    @server.command(whatisknown.SHOW_VALUES)
    async def show_values(uri: str, call: str) -> None:
        server.chosen[uri] = call
        workspace = server.client_capabilities.workspace
        if workspace is not None and workspace.inlay_hint is not None:
            server.workspace_inlay_hint_refresh(None)
        if workspace is not None and workspace.semantic_tokens is not None:
            server.workspace_semantic_tokens_refresh(None)


def serve() -> int:
    """Answer on standard input and output until the editor ends; the status of the process.

    See Note [Who writes to standard output].
    """
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    asked, answered = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115  # as long as the process lives
    sys.stdout = sys.stderr
    server = make_server()
    try:
        server.start_io(asked, answered)
    finally:
        status = server.end()
    return status
