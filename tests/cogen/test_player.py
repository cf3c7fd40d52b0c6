"""`cogen view`: pages that can be changed, served to browsers of this machine only."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from html import unescape
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from cogen.cli import main
from cogen.lang.errors import CogenError
from cogen.view.player import Player, changed
from cogen.view.serve import HOST, Server
from tests.browser import Browser, found
from tests.cogen.test_view import PRICES, Page

pytestmark = pytest.mark.quick

POWER = """(define (power x n)
  (if (= n 0)
      1
      (* x (power x (- n 1)))))
(define (double x)
  (* 2 x))
"""

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "power.scm"
    path.write_text(POWER, encoding="utf-8")
    return path


def fields(page: str) -> list[str]:
    """What the fields of a page's form have for binding times."""
    return [unescape(value) for value in re.findall(r'<input name="bt" value="([^"]*)"', page)]


def entry(page: str) -> str:
    (name,) = re.findall(r"<option selected>([^<]*)</option>", page.split("word size")[0])
    return unescape(name)


# -- pages -----------------------------------------------------------------------------------------


def test_what_is_wrong_is_marked_in_the_source(tmp_path: Path) -> None:
    path = tmp_path / "wrong.scm"
    path.write_text("(define (f x)\n  (car\n    y))\n(define (g)\n  (vectr-ref 1))\n")
    page = Page(Player(str(path)).page({}))
    assert page.text("source") == path.read_text(encoding="utf-8")
    assert page.places("source") == {"0", "1"}
    first, second = json.loads(page.data)["places"].values()
    assert (first["text"], first["at"]) == ("y", f"{path}:3:5")
    assert [note["said"] for note in first["notes"]] == ["unbound name `y`"]
    assert [note["verdict"] for note in second["notes"]] == ["error", "hint"]
    assert "vector-ref" in second["notes"][1]["said"]
    gone = Page(Player(str(tmp_path / "none.scm")).page({}))
    assert "source" not in gone.lines


@pytest.mark.slow
def test_the_first_page_is_what_the_command_line_says(file: Path) -> None:
    page = Player(str(file), "power", ["(dynamic int)", "(static 3)"]).page({})
    assert Page(page).text("scheme") == "; from power.scm:1\n(define (power x) (* x (* x x)))\n"
    assert fields(page) == ["(dynamic int)", "(static 3)"]
    assert entry(page) == "power"


def test_without_an_entry_it_is_the_last_procedure_and_nothing_is_known(file: Path) -> None:
    page = Player(str(file)).page({})
    assert entry(page) == "double"
    assert fields(page) == ["_"]


def test_other_arguments(file: Path) -> None:
    player = Player(str(file), "power", ["(dynamic int)", "(static 3)"])
    first = player.page({})
    assert 'class="l new"' not in first
    asked = {"entry": ["power"], "of": ["power"], "bt": ["(dynamic int)", "(static 4)"]}
    page = player.page(asked)
    assert "(* x (* x (* x x)))" in Page(page).text("scheme")
    assert "1 new line" in page
    assert 'class="l new"' in page
    assert "new line" not in player.page(asked)


def test_another_entry_begins_with_nothing_known(file: Path) -> None:
    player = Player(str(file), "power", ["(dynamic int)", "(static 3)"])
    page = player.page(
        {"entry": ["double"], "of": ["power"], "bt": ["(dynamic int)", "(static 3)"]}
    )
    assert entry(page) == "double"
    assert fields(page) == ["_"]


def test_the_word_size() -> None:
    bts = ["(dynamic memory)", "(cyclic 32 0)", "(cyclic 32 0)", "(static 8)", "(static 8)"]
    player = Player(str(EXAMPLES / "sum.scm"), "sum", bts)
    assert "word32" in Page(player.page({})).text("c")
    assert "word16" in Page(player.page({"word-size": ["16"]})).text("c")


def test_what_is_wrong_is_told_and_can_be_mended(file: Path) -> None:
    player = Player(str(file), "power", ["(dynamic int)", "(static 3)"])
    for bt, told in [
        ("(statik 3)", "statik"),
        ("(static x)", "power.scm:2:7"),
        ("(static @-)", "no standard input"),
        ("(static", "BT 2"),
    ]:
        page = player.page({"of": ["power"], "bt": ["(dynamic int)", bt]})
        assert told in unescape(page)
        assert fields(page) == ["(dynamic int)", bt]
    assert "does not define" in player.page({"entry": ["nothing"]})
    assert "Specialize" in player.page({"of": ["power"], "bt": ["_"]})


def test_the_file_is_read_anew(file: Path) -> None:
    player = Player(str(file), "double", ["(dynamic int)"])
    assert "(* 2 x)" in Page(player.page({})).text("scheme")
    file.write_text("(define (double x) (+ x x))", encoding="utf-8")
    assert "(+ x x)" in Page(player.page({})).text("scheme")
    file.write_text("(define (double x", encoding="utf-8")
    assert "power.scm:1:" in player.page({})


def test_array_programs(tmp_path: Path) -> None:
    path = tmp_path / "prices.l0"
    path.write_text(PRICES, encoding="utf-8")
    player = Player(str(path))
    page = player.page({})
    assert entry(page + "word size") == "main"
    assert "After fusion" in page
    assert entry(player.page({"entry": ["mean"]}) + "word size") == "mean"
    assert "does not define" in player.page({"entry": ["nothing"]})


def test_changed_lines() -> None:
    assert changed(None, "a\nb\n") == frozenset()
    assert changed("a\nb\n", "a\nb\n") == frozenset()
    assert changed("a\nb\nc\n", "a\nx\nc\ny\n") == {1, 3}


# -- the server ------------------------------------------------------------------------------------


@pytest.fixture
def server(file: Path) -> Iterator[Server]:
    made = Server(Player(str(file), "power", ["(dynamic int)", "(static 3)"]).page)
    thread = threading.Thread(target=made.run)
    thread.start()
    yield made
    made.stop()
    thread.join()


def get(address: str, path: str | None = None, host: str | None = None) -> tuple[int, str]:
    """The status and the text of what is at an address."""
    parts = urlsplit(address)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    headers = {} if host is None else {"Host": host}
    connection.request("GET", parts.path if path is None else path, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def test_the_server_answers(server: Server) -> None:
    status, page = get(server.address)
    assert status == 200
    assert Page(page).text("source") == POWER
    path = urlsplit(server.address).path + "?of=power&bt=(dynamic%20int)&bt=(static%202)"
    assert "(* x x)" in Page(get(server.address, path)[1]).text("scheme")


def test_only_this_machine_and_who_knows_the_address(server: Server) -> None:
    port = urlsplit(server.address).port
    assert urlsplit(server.address).hostname == HOST == "127.0.0.1"
    assert get(server.address, "/")[0] == 404
    assert get(server.address, "/elsewhere/")[0] == 404
    assert get(server.address, host="elsewhere.example")[0] == 403
    assert get(server.address, host=f"elsewhere.example:{port}")[0] == 403
    assert get(server.address, host=f"localhost:{port}")[0] == 200
    listening = [
        line.split()[1]
        for table in ("tcp", "tcp6")
        for line in _table(table)
        if line.split()[3] == "0A" and line.split()[1].endswith(f":{port:04X}")
    ]
    assert listening in ([f"0100007F:{port:04X}"], [])


def _table(name: str) -> list[str]:
    path = Path("/proc/net") / name
    return path.read_text().splitlines()[1:] if path.exists() else []


def test_a_port_that_is_taken(server: Server) -> None:
    port = urlsplit(server.address).port
    assert port is not None
    with pytest.raises(CogenError, match=f"port {port} cannot be listened at"):
        Server(lambda query: "", port)


@pytest.mark.slow
def test_command(file: Path) -> None:
    arguments = ["view", str(file), "(dynamic int)", "(static 3)", "--entry", "power", "--no-open"]
    process = subprocess.Popen(
        [sys.executable, "-m", "cogen", *arguments], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert "(* x (* x x))" in Page(get(address)[1]).text("scheme")
    finally:
        process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0


def test_wrong_usage(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", str(file), "--port", "70000"]) == 2
    assert main(["view", "nowhere.scm"]) == 2
    capsys.readouterr()


@pytest.mark.slow
@pytest.mark.skipif(found() is None, reason="there is no Chromium here")
def test_a_change_in_a_browser(server: Server) -> None:
    with Browser() as browser:
        browser.open(server.address)
        browser.press("1")
        field = "document.querySelectorAll('.player input[name=bt]')[1]"
        browser.run(f"{field}.value = '(static 2)'")
        browser.submitted(".player button")
        shown = "document.querySelector('#scheme pre').textContent"
        assert "(define (power x) (* x x))" in browser.run(shown)
        assert browser.run("document.getElementById('source').hidden")
        assert browser.run("document.querySelectorAll('#scheme .new').length") == 1
        asked = parse_qs(urlsplit(browser.run("location.href")).query)
        assert asked["bt"] == ["(dynamic int)", "(static 2)"]
        choose = "(e) => { e.value = 'double'; e.dispatchEvent(new Event('change')); }"
        browser.changing(f"({choose})(document.querySelector('.player select'))")
        assert "(define (double x) (* 2 x))" in browser.run(shown)
