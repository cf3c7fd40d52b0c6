"""The page of a residual program: what it says, and what a browser makes of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cogen
import cogen.array
from cogen.array.fusion import reasons
from cogen.binding_times import parse_bt
from cogen.cli import main
from cogen.lang.errors import Source
from cogen.view.fusion import BECAUSE
from cogen.view.opening import framed
from cogen.view.references import comments, references
from cogen.view.rendering import Range, lines
from tests.browser import Browser, found

pytestmark = pytest.mark.quick

EXAMPLES = Path(__file__).parents[2] / "examples"

POWER = """;; <x> & "n"
(define (power x n)
  (if (= n 0)
      1
      (* x (power x (- n 1)))))
"""


def of_text(text: str, entry: str, *bts: str) -> cogen.Residual:
    return cogen.specialize(cogen.loads(text, "p.scm"), entry, *map(parse_bt, bts))


@cache
def power() -> cogen.Residual:
    return of_text(POWER, "power", "(dynamic int)", "(static 3)")


class Page(HTMLParser):
    """A page taken apart: texts by pane, elements with their attributes."""

    EMPTY = ("meta", "link", "br", "img", "input")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.pane = ""
        self.lines: dict[str, list[str]] = {}
        self.elements: list[tuple[str, dict[str, str | None], str]] = []
        self.script = ""
        self.data = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag not in self.EMPTY:
            self.open.append(tag)
        if tag == "section":
            self.pane = given["id"] or ""
        if (given.get("class") or "").split()[:1] == ["l"]:
            self.lines.setdefault(self.pane, []).append("")
        self.elements.append((tag, given, self.pane))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            last = self.elements[-1][1]
            self.data, self.script = (data, "") if last.get("id") else (self.data, data)
        elif "pre" in self.open and self.pane in self.lines:
            self.lines[self.pane][-1] += data

    def text(self, pane: str) -> str:
        return "".join(self.lines[pane])

    def places(self, pane: str) -> set[str]:
        return {
            place
            for _, given, where in self.elements
            if where == pane and "data-p" in given
            for place in (given["data-p"] or "").split()
        }


def test_the_texts_are_in_the_page() -> None:
    page = Page(power().html)
    assert page.text("source") == POWER
    assert page.text("scheme") == power().scheme
    assert page.text("c") == power().c
    assert page.text("asm") == power().asm


def test_the_page_needs_nothing_else() -> None:
    text = power().html
    page = Page(text)
    for tag, attributes, _ in page.elements:
        assert tag not in ("link", "img", "iframe", "object", "base")
        assert {"src", "srcset", "action"}.isdisjoint(attributes)
    assert "url(" not in text
    assert "@import" not in text
    assert not re.search(r"\bfetch\(|XMLHttpRequest|import\(", page.script)
    assert re.findall(r"https?://[^\"\s]*", text) == []


def test_the_panes_are_linked() -> None:
    page = Page(power().html)
    data = json.loads(page.data)
    for pane in ("scheme", "c", "asm"):
        assert page.places(pane)
        assert page.places(pane) <= page.places("source")
    assert set(data["places"]) == page.places("source")
    texts = {place["text"]: place for place in data["places"].values()}
    times = texts["(* x (power x (- n 1)))"]
    assert times["made"] == "It left 2 operations to the run."
    assert {told["shade"] for told in times["notes"]} == {"dynamic"}
    assert any("x is not known" in told["said"] for told in times["notes"])
    test = texts["(= n 0)"]["notes"][0]
    assert test["verdict"] in ("static", "decided")
    assert test["rule"] in data["rules"]


def test_colours() -> None:
    page = power().html
    for shade, text in [("static", "(= "), ("dynamic", "(* "), ("static", "n"), ("dynamic", "x")]:
        assert re.search(rf'<span class="{shade}" data-p="\d+"[^>]*>{re.escape(text)}', page)
    masked = of_text(
        "(define (f b)\n  (bitwise-ior (bitwise-and b 3) (bitwise-and b 12)))\n",
        "f",
        "(dynamic int)",
    )
    assert 'class="masked"' in masked.html


def test_heat() -> None:
    """What a form left to the run: the form that left most is the hottest."""
    heats = re.findall(r'style="--h:([\d.]+)"', power().html)
    assert max(map(float, heats)) == 1


def test_a_conditional_tells_of_its_test() -> None:
    text = "(define (f x)\n  (if (< x 0)\n      (- x)\n      x))\n"
    data = json.loads(Page(of_text(text, "f", "(dynamic int)").html).data)
    (whole,) = [p for p in data["places"].values() if p["text"].startswith("(if ")]
    assert whole["notes"][0]["verdict"] == "residual"


def test_what_libraries_did_is_shown_in_their_text() -> None:
    bts = ["(dynamic memory)", "(cyclic 32 0)", "(cyclic 32 0)", "(static 8)", "(static 8)"]
    program = cogen.load(EXAMPLES / "sum.scm")
    page = Page(cogen.specialize(program, "sum", *map(parse_bt, bts)).html)
    assert "(define (load-from-words buf q r size w)" in page.text("source")
    places = json.loads(page.data)["places"]
    ((number, load),) = [
        (number, place)
        for number, place in places.items()
        if place["text"] == "(load-word buffer index)"
    ]
    assert load["made"] == "It is in the library (signals)."
    (via,) = load["via"]
    assert places[via]["text"] == "(signal-sum (make-signal buffer from to size stride))"
    linked = {given.get("data-p") for _, given, pane in page.elements if pane == "c"}
    assert f"{number} {via}" in linked


def test_whole_programs_show_their_own_part() -> None:
    text = "(define (pairs n)\n  (if (= n 0)\n      '()\n      (cons (* n n) (pairs (- n 1)))))\n"
    residual = of_text(text, "pairs", "(dynamic int)")
    shown = Page(residual.html).text("c")
    assert residual.c.endswith(shown)
    assert len(shown) < len(residual.c) / 10


def test_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "/nowhere/cc")
    page = of_text(POWER, "power", "(dynamic int)", "(static 3)").html
    assert "there is no C compiler" in page
    assert set(Page(page).lines) == {"source", "scheme", "c"}


def test_generating_extensions_have_the_same_page() -> None:
    program = cogen.loads(POWER, "p.scm")
    extension = cogen.generate(program, "power", cogen.dynamic("int"), cogen.static())
    assert extension(cogen.dynamic("int"), cogen.static(3)).html == power().html


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.scm").write_text(POWER, encoding="utf-8")
    arguments = ["--entry", "power", "(dynamic int)", "(static 3)", "--emit", "html"]
    assert main(["specialize", str(tmp_path / "p.scm"), *arguments]) == 0
    assert Page(capsys.readouterr().out).text("source") == POWER


def test_view_and_notebooks(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    path = power().view()
    try:
        assert opened == [path.as_uri()]
        assert path.read_text(encoding="utf-8") == power().html
    finally:
        path.unlink()
    (frame,) = re.findall(r'srcdoc="([^"]*)"', power()._repr_html_())
    assert "allow-same-origin" not in framed("")
    assert frame.startswith("&lt;!DOCTYPE html&gt;")


# -- array programs --------------------------------------------------------------------------------

PRICES = """fun real mean([real] a) = reduce(op +, 0.0, a) / toReal(size(a))

fun [real] main([real] prices, real limit) =
  let kept = filter(op <(limit), prices) in
  map(op -(mean(kept)), kept)
"""

LEVELS = """(import (array))
(define (levels x gain)
  (let* ((y (array-map (lambda (v) (* v gain)) x))
         (loud (array-filter (lambda (v) (> v 1.0)) y))
         (mean (/ (array-reduce + 0.0 loud) (inexact (array-size loud)))))
    (array-map (lambda (v) (- v mean)) loud)))
"""


@cache
def prices() -> str:
    return cogen.array.loads(PRICES, "prices.l0").html()


def test_an_array_program() -> None:
    page = Page(prices())
    assert page.text("source") == PRICES
    assert "3 operations · 2 loops · 1 intermediate array in memory" in prices()
    data = json.loads(page.data)
    kept = next(p for p in data["places"].values() if p["text"].startswith("kept: filter"))
    assert [(told["verdict"], told["shade"]) for told in kept["notes"]] == [
        ("loop 1", "fused"),
        ("duplicates-work", "stored"),
    ]
    assert "filter+redomap" in kept["notes"][0]["said"]
    assert "see line 5" in kept["notes"][1]["said"]
    assert data["rules"]["duplicates-work"]["law"]


@pytest.mark.slow
def test_the_c_of_an_array_program_is_linked_with_its_operations() -> None:
    page = Page(prices())
    assert {"source", "loops"} <= {pane for _, given, pane in page.elements if "data-p" in given}
    assert page.places("loops") == page.places("source")
    residual = of_text(LEVELS, "levels", "(dynamic (array float))", "(dynamic float)")
    page = Page(residual.html)
    assert page.places("loops")
    assert page.places("loops") <= page.places("source")


def test_loops_are_boxes_with_what_fused_into_them() -> None:
    after = prices()[prices().index('id="after"') :]
    box = after[after.index('<g class="loop"') :]
    box = box[: box.index("</g>")]
    assert re.findall(r"<text[^>]*>([^<]*)", box)[1:] == [
        "reads 1, writes 1, ≈ 4 additions", "reduce · 1", "filter kept · 4",
    ]  # fmt: skip
    assert re.findall(r'<text class="rule"[^>]*>([^<]*)', after) == ["duplicates-work"]
    before = prices()[: prices().index('id="after"')]
    assert 'class="rule"' not in before


def test_arrows_that_are_values_have_no_rule() -> None:
    """One loop gives arrays that are stored, and numbers: only the arrow of those has the rule."""
    program = """fun {real, [real]} main([real] a, int n) =
  let b = map(fn real (real x) => x * 1.5, a) in
  let sums = scan(op +, 0.0, b) in
  {reduce(op +, 0.0, b), map(fn real (int i) => sums[i / 2], iota(n))}
"""
    page = cogen.array.loads(program, "sums.l0").html()
    after = page[page.index('id="after"') :]
    assert len(re.findall(r'class="arrow"', after)) == 3
    assert len(re.findall(r'class="arrow kept"', after)) == 1
    assert re.findall(r'<text class="rule"[^>]*>([^<]*)', after) == ["indexed"]
    assert "reads 1, writes 1, ≈ 5 additions" in after


def test_an_array_program_of_the_language() -> None:
    residual = of_text(LEVELS, "levels", "(dynamic (array float))", "(dynamic float)")
    page = Page(residual.html)
    assert {pane for _, given, pane in page.elements if "data-p" in given} >= {
        "source", "scheme", "before", "after", "c",
    }  # fmt: skip
    assert page.places("after") <= page.places("source")
    notes = [
        told["verdict"] for p in json.loads(page.data)["places"].values() for told in p["notes"]
    ]
    assert "duplicates-work" in notes
    assert "residual call" in notes


def test_the_rules_that_forbid_fusion_are_explained() -> None:
    """Each rule that `cogen.array.fusion.reasons` knows has a sentence."""
    text = reasons.__doc__ or ""
    listed = re.findall(r"^([a-z][a-z, -]*?)  +\S", text, re.M)
    rules = {rule.strip() for entry in listed for rule in entry.split(",")}
    assert len(rules) > 10
    assert rules - {"from-branch"} <= set(BECAUSE) | {"from-branch"}


def test_array_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.l0").write_text(PRICES, encoding="utf-8")
    source, target = str(tmp_path / "p.l0"), str(tmp_path / "p.html")
    assert main(["array", "graph", source, "-o", target]) == 0
    assert Page(Path(target).read_text(encoding="utf-8")).text("source") == PRICES
    assert main(["array", "graph", source, "--before", "-o", target]) == 2
    assert main(["array", "graph", source, "-o", str(tmp_path / "p.png")]) == 2
    assert "neither .dot, .svg nor .html" in capsys.readouterr().err


def test_an_array_program_shows_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    program = cogen.array.loads(PRICES, "prices.l0")
    monkeypatch.setattr("webbrowser.open", lambda address: None)
    path = program.view()
    assert path.read_text(encoding="utf-8") == program.html("main")
    path.unlink()
    assert "srcdoc=" in program._repr_html_()


# -- parts -----------------------------------------------------------------------------------------


ranges = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 30)), max_size=8)


@given(st.text("ab <&\n", max_size=40), ranges)
def test_rendering_keeps_the_text(text: str, found: list[tuple[int, int]]) -> None:
    inside = [
        Range(start, min(start + size, len(text)), f'data-p="{n}"')
        for n, (start, size) in enumerate(found)
    ]
    page = Page(f'<section id="s"><pre>{lines(text, inside)}</pre></section>')
    shown = page.text("s") if page.lines else ""
    assert shown == (text if text.endswith("\n") and text else text + "\n")


def test_deep_nests_have_few_elements() -> None:
    """Lines say to which outer ranges they belong, so that all of a range is found."""
    deep = 50
    text = "".join(f"{' ' * n}(x\n" for n in range(deep)) + ")" * deep
    starts = [text.index("(x\n", n * (n + 1) // 2 + 2 * n) for n in range(deep)]
    ranges = [Range(start, len(text) - n, f'data-p="{n}"') for n, start in enumerate(starts)]
    page = Page(f'<section id="s"><pre>{lines(text, ranges)}</pre></section>')
    assert page.text("s") == f"{text}\n"
    found: dict[str, set[int]] = {}
    line = -1
    for _, attributes, _ in page.elements:
        line += attributes.get("class") == "l"
        belongs = (attributes.get("data-p") or attributes.get("data-q") or "").split()
        for place in belongs:
            found.setdefault(place, set()).add(line)
    assert found == {str(n): set(range(n, deep + 1)) for n in range(deep)}
    assert sum("data-p" in attributes for _, attributes, _ in page.elements) < deep * 14


def test_references() -> None:
    text = """(define (f x . more)
  (define y (* x 2)) ; x
  (let loop ((i 0) (x y))
    (let* ((i (+ i x)) (j i))
      (do ((k j (+ k 1))) ((= k 9)) (loop k 'x)))))
"""
    source = Source("p.scm", text)
    found = references(source)

    def binder(line: int, column: int) -> tuple[int, int]:
        start = source.line_starts[line - 1] + column - 1
        (place,) = [place for (s, _), place in found.bound.items() if s == start]
        return place.line, place.column

    assert binder(2, 16) == (1, 12)  # x of f
    assert binder(3, 23) == (2, 11)  # y
    assert binder(4, 18) == (3, 15)  # i of the loop
    assert binder(4, 20) == (3, 21)  # x of the loop
    assert binder(4, 27) == (4, 13)  # i of let*
    assert binder(5, 15) == (4, 25)  # j
    assert binder(5, 20) == (5, 13)  # k, in its step
    assert [text[s.start : s.end] for s in found.constants] == ["2", "0", "1", "9", "'x"]
    assert [text[slice(*span)] for span in comments(text)] == ["; x"]
    assert references(Source("p.scm", "(unclosed")).bound == {}


def test_comments_in_strings_are_none() -> None:
    text = '(f ";" #\\; |a;b|) #| a\n b |# x'
    assert [text[slice(*span)] for span in comments(text)] == ["#| a\n b |#"]


# -- in a browser ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as browser:
        yield browser


@pytest.mark.skipif(found() is None, reason="there is no Chromium here")
class TestBrowser:
    @pytest.fixture
    def page(self, browser: Browser, tmp_path: Path) -> Browser:
        path = tmp_path / "power.html"
        path.write_text(power().html, encoding="utf-8")
        browser.open(path.as_uri())
        return browser

    TIMES = '.source [data-p="{}"]'

    def number(self, page: Browser, text: str) -> str:
        """The number of the place of a form."""
        program = (
            f"Object.keys(data.places).find((p) => data.places[p].text === {json.dumps(text)})"
        )
        place = page.run(program)
        assert isinstance(place, str)
        return place

    def marked(self, page: Browser, pane: str, name: str) -> list[str]:
        """The texts that are marked in a pane."""
        found = page.run(
            f"[...document.querySelectorAll('#{pane} .{name}')].map((e) => e.textContent)"
        )
        assert isinstance(found, list)
        return found

    @pytest.mark.slow
    def test_what_is_clicked_is_what_is_shown(self, page: Browser) -> None:
        place = self.number(page, "(* x (power x (- n 1)))")
        page.click(f'.source [data-p="{place}"]')
        assert self.marked(page, "source", "pin") == ["(* x (power x (- n 1)))"]
        assert self.marked(page, "scheme", "pin") == ["(* x (* x x))", "(* x x)"]
        assert "x * (x * x)" in self.marked(page, "c", "pin")
        told = page.run("document.querySelector('aside').innerText")
        assert "(* x (power x (- n 1)))" in told
        assert "dynamic" in told
        assert "It left 2 operations to the run." in told
        page.click(f'.source [data-p="{place}"]')
        assert self.marked(page, "scheme", "pin") == []

    def test_a_click_on_the_residual_program_leads_to_the_source(self, page: Browser) -> None:
        place = self.number(page, "(* x (power x (- n 1)))")
        page.click(f'#c [data-p="{place}"]')
        assert self.marked(page, "source", "pin") == ["(* x (power x (- n 1)))"]

    def test_a_pointer_over_a_form_links_it(self, page: Browser) -> None:
        place = self.number(page, "(* x (power x (- n 1)))")
        page.move(f'#scheme [data-p="{place}"]')
        assert self.marked(page, "source", "on") == ["(* x (power x (- n 1)))"]
        page.move("h1")
        assert self.marked(page, "source", "on") == []

    def test_keys(self, page: Browser) -> None:
        visible = (
            "[...document.querySelectorAll('.pane')].filter((e) => !e.hidden).map((e) => e.id)"
        )
        assert page.run(visible) == ["source", "scheme", "c"]
        page.press("4")
        page.press("2")
        assert page.run(visible) == ["source", "c", "asm"]
        page.press("ArrowRight")
        first = self.marked(page, "source", "pin")
        page.press("ArrowRight")
        assert self.marked(page, "source", "pin") != first
        page.press("ArrowUp")
        page.press("Escape")
        assert self.marked(page, "source", "pin") == []
        page.press("h")
        assert page.run("document.body.classList.contains('heat')")
        hot = "getComputedStyle(document.querySelector('[style*=\"--h:1\"]')).backgroundColor"
        assert page.run(hot) != "rgba(0, 0, 0, 0)"

    def test_nothing_goes_wrong_and_nothing_is_asked_for(self, page: Browser) -> None:
        page.press("ArrowRight")
        assert page.messages == []

    def test_a_place_can_be_linked_to(self, page: Browser) -> None:
        place = self.number(page, "(= n 0)")
        address = page.run("location.href")
        page.open("about:blank")
        page.open(f"{address}#p{place}")
        assert self.marked(page, "source", "pin") == ["(= n 0)"]

    def test_dark_and_light(self, tmp_path: Path, page: Browser) -> None:
        paper = "getComputedStyle(document.body).backgroundColor"
        light = page.run(paper)
        scheme = {"name": "prefers-color-scheme", "value": "dark"}
        page.call("Emulation.setEmulatedMedia", features=[scheme])
        assert page.run(paper) != light
        page.call("Emulation.setEmulatedMedia", features=[{**scheme, "value": "light"}])

    def test_a_loop_and_its_operations(self, browser: Browser, tmp_path: Path) -> None:
        path = tmp_path / "prices.html"
        path.write_text(prices(), encoding="utf-8")
        browser.open(path.as_uri())
        browser.click("#after text.note:nth-of-type(4)")
        assert self.marked(browser, "source", "pin") == ["filter(op <(limit), prices)"]
        assert "duplicates-work" in browser.run("document.querySelector('aside').innerText")
        loops = "[...document.querySelectorAll('#after g.loop > rect')]"
        fills = f"{loops}.map((e) => getComputedStyle(e).fill)"
        first, second = browser.run(fills)
        assert first != second
        assert browser.messages == []

    @pytest.mark.slow
    def test_a_thousand_lines(self, browser: Browser, tmp_path: Path) -> None:
        parts = [
            f"(define (f{i} x n)\n  (if (= n 0)\n      (+ x {i})\n      (f{i} (* x {i}) (- n 1))))"
            for i in range(250)
        ]
        calls = "\n     ".join(f"(f{i} x 2)" for i in range(250))
        text = "\n".join([*parts, f"(define (f x)\n  (+ {calls}))"])
        path = tmp_path / "large.html"
        path.write_text(of_text(text, "f", "(dynamic int)").html, encoding="utf-8")
        browser.open(path.as_uri())
        elements = browser.run("document.querySelectorAll('*').length")
        assert elements < 16 * text.count("\n"), "what a browser lays out"
        step = (
            "(() => { const start = performance.now(); for (let i = 0; i < 20; i++)"
            "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'j', bubbles: true}));"
            "return (performance.now() - start) / 20; })()"
        )
        assert browser.run(step) < 100

    @pytest.mark.slow
    def test_a_frame_of_a_notebook(self, browser: Browser, tmp_path: Path) -> None:
        path = tmp_path / "notebook.html"
        path.write_text(f"<p>Out[1]:</p>{power()._repr_html_()}", encoding="utf-8")
        browser.open(path.as_uri())
        assert browser.run("document.querySelector('iframe').getBoundingClientRect().height") > 300
        assert browser.messages in ([], ["asks for about:srcdoc"])
