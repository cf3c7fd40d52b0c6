"""A headless Chromium: opens pages, runs programs in them, clicks, takes pictures.

The protocol is that of its developer tools: messages in JSON that end with a zero byte, on file
descriptors 3 and 4 of the browser's process.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE = 60
"""Seconds that an answer may take."""


def found() -> str | None:
    """The path of a browser, if there is one."""
    return next((path for name in NAMES if (path := shutil.which(name)) is not None), None)


class Browser:
    """One browser with one page; to be used in a `with`."""

    def __init__(self, width: int = 1500, height: int = 900, dark: bool = False) -> None:
        self.size = width, height
        self.dark = dark
        self._numbers = count(1)
        self._rest = b""
        self.messages: list[str] = []
        """What the page's programs wrote to the console, and their errors."""

    def __enter__(self) -> Browser:
        path = found()
        assert path is not None
        self._directory = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, from_browser = os.pipe(), os.pipe()
        arguments = [
            path, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--hide-scrollbars", "--disable-dev-shm-usage", "--remote-debugging-pipe",
            f"--user-data-dir={self._directory.name}", "about:blank",
        ]  # fmt: skip
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_browser[0], from_browser[1])]

        def give() -> None:
            for number, end in enumerate(ends, 3):
                os.dup2(end, number)

        self._process = subprocess.Popen(
            arguments,
            pass_fds=(3, 4),
            preexec_fn=give,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in ends:
            os.close(end)
        os.close(to_browser[0])
        os.close(from_browser[1])
        self._out, self._in = to_browser[1], from_browser[0]
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        made = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = made["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self.call(f"{domain}.enable")
        self.resize(*self.size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if self.dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.terminate()
        self._process.wait(PATIENCE)
        os.close(self._out)
        os.close(self._in)
        self._directory.cleanup()

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Ask the browser to do something; its answer."""
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == number:
                assert "error" not in answer, answer["error"]
                result: dict[str, Any] = answer["result"]
                return result
            self._note(answer)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._in], [], [], PATIENCE)
            assert ready, f"the browser has said nothing for {PATIENCE} s"
            data = os.read(self._in, 1 << 16)
            assert data, "the browser has ended"
            self._rest += data
        message, _, self._rest = self._rest.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def _note(self, event: dict[str, Any]) -> None:
        given = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            self.messages.append(json.dumps(given["exceptionDetails"]))
        elif event.get("method") == "Network.requestWillBeSent":
            self.messages.append("asks for " + given["request"]["url"][:200])
        elif event.get("method") == "Page.loadEventFired":
            self._loaded = True

    def open(self, url: str) -> None:
        """Open a page, and wait until it is there."""
        self._loaded = False
        self.messages = []
        self.call("Page.navigate", url=url)
        self._wait()
        self.messages = [text for text in self.messages if text != f"asks for {url}"]

    def submitted(self, selector: str) -> None:
        """Click an element that leads to another page, and wait until that is there."""
        self._loaded = False
        self.click(selector)
        self._wait()

    def changing(self, program: str) -> None:
        """Run what leads to another page, and wait until that is there."""
        self._loaded = False
        self.run(program)
        self._wait()

    def _wait(self) -> None:
        while not self._loaded:
            self._note(self._read())

    def resize(self, width: int, height: int) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip

    def run(self, program: str) -> Any:
        """The value of an expression in the page."""
        done = self.call(
            "Runtime.evaluate", expression=program, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def middle(self, selector: str) -> tuple[float, float]:
        """Where an element is: a character of its own, not within another."""
        x, y = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'center', inline: 'nearest'});"
            "const r = e.getClientRects()[0]; return [r.x + 4, r.y + r.height / 2]; })()"
        )
        return x, y

    def click(self, selector: str) -> None:
        """Press and let go a pointer's button on an element."""
        x, y = self.middle(selector)
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def move(self, selector: str) -> None:
        x, y = self.middle(selector)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def press(self, key: str) -> None:
        """Press a key of the keyboard."""
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def picture(self, path: Path) -> None:
        """Write what is to be seen as a picture."""
        data = self.call("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))
