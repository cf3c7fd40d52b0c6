"""Pages for the browsers of this machine, and of nobody else.

The server listens at 127.0.0.1 alone.  A page of elsewhere that the browser shows could send
requests here as well, and a name of elsewhere can be made to mean this machine: so an address has a
secret in it, and a request that names another host is refused.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from cogen.lang.errors import CogenError
from cogen.view.player import Query

HOST: Final = "127.0.0.1"

SILENCE: Final = 30
"""Seconds after which a connection that says nothing is closed."""

Show = Callable[[Query], str]
"""What an address asks for -> a page."""


class Server:
    """Serves what `show` makes; `address` is where."""

    def __init__(self, show: Show, port: int = 0) -> None:
        secret = secrets.token_urlsafe(12)
        lock = threading.Lock()

        class Handler(_Handler):
            path_of_pages = f"/{secret}/"

            def made(self, query: Query) -> str:
                with lock:
                    return show(query)

        try:
            self._server = ThreadingHTTPServer((HOST, port), Handler)
        except OSError as error:
            raise CogenError(
                f"port {port} cannot be listened at: {error.strerror}",
                hint="leave --port out: one that is free is taken",
            ) from None
        Handler.port = self._server.server_port
        self.address = f"http://{HOST}:{self._server.server_port}/{secret}/"

    def run(self) -> None:
        """Answer until `stop` is called, or an interrupt comes."""
        try:
            self._server.serve_forever()
        finally:
            self._server.server_close()

    def stop(self) -> None:
        """Let `run` end; from another thread."""
        self._server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    timeout = SILENCE
    path_of_pages: str
    port: int

    def made(self, query: Query) -> str:
        raise NotImplementedError

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        host, port = self.headers.get("Host", "").partition(":")[::2]
        ours = (HOST, "localhost")
        if host not in ours or port != str(self.port):
            self.answer(403, "This server is for this machine.")
        elif parts.path != self.path_of_pages:
            self.answer(404, "There is nothing here.")
        else:
            self.answer(200, self.made(parse_qs(parts.query, keep_blank_values=True)), "text/html")

    def answer(self, status: int, text: str, kind: str = "text/plain") -> None:
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Frame-Options", "DENY")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing is written of requests."""
