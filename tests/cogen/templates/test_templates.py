"""Templates give what the same function gives of Python's strings."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import cogen
from cogen.templates import Template, raw, template

ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;"}

ROOM = 1 << 16


def escaped(text: str) -> str:
    return "".join(ENTITIES.get(character, character) for character in text)


@template
def listing(title: Any, files: Any) -> Any:
    rows = files.map(
        lambda file: f'<li class="{file.kind}">{file.name} ({file.size:d}) {raw(file.name)}</li>\n'
    )
    return ["<h1>" + title + "</h1>", ["<ul>", (rows, "</ul>")], "-" * 100, 7, title]


def expected(title: str, files: dict[str, list[Any]]) -> str:
    rows = "".join(
        f'<li class="{escaped(kind)}">{escaped(name)} ({size}) {name}</li>\n'
        for kind, name, size in zip(files["kind"], files["name"], files["size"], strict=True)
    )
    head = escaped(title)
    return f"<h1>{head}</h1><ul>{rows}</ul>{'-' * 100}7{head}"


def columns(random: Random, count: int) -> dict[str, list[Any]]:
    def text() -> str:
        return "".join(random.choices("ab ü€<>&\"'\n", k=random.randrange(9)))

    limits = [0, 1, 9, 10, 99, 100, 10**9, 10**18, (1 << 63) - 1]
    sizes = [random.choice(limits) * random.choice((1, -1)) for _ in range(count)]
    return {"kind": [text() for _ in range(count)], "name": [text() for _ in range(count)],
            "size": sizes}  # fmt: skip


@pytest.mark.parametrize("count", [0, 1, 2, 300])
def test_the_same_as_strings(count: int) -> None:
    random = Random(count)
    files, title = columns(random, count), "a < b"
    assert listing(title=title, files=files) == expected(title, files)
    assert listing.bytes(title="", files=files) == expected("", files).encode()


def test_all_ways_agree() -> None:
    files = columns(Random(5), 20)
    texts = ["\0".join(files[name]).encode() for name in ("kind", "name")]
    ints = b"".join(size.to_bytes(8, "little", signed=True) for size in files["size"])
    layout = listing._made[1]
    by_name = {"kind": texts[0], "name": texts[1], "size": ints, "title": b"t"}
    given = [by_name[name] for _, name, _ in layout.columns]
    out = bytearray(ROOM)
    size = listing.residual.to_python()(20, *given, out)
    assert out[:size].decode() == expected("t", files)
    assert listing.residual.to_python()(20, *given, bytearray(50)) == -1


def nested(depth: int) -> Template:
    def page(items: Any) -> Any:
        made: Any = items.map(lambda item: ["<li>", [item.text], "</li>"])
        for level in range(depth):
            made = [f"<div id={level}>", [made, "</div>"]]
        return made

    return template(page)


def test_levels_of_nesting_leave_nothing() -> None:
    """Texts that meet are one, and there is one loop over the records however deep it is."""
    loops = set()
    for depth in (1, 40):
        page = nested(depth)
        around = "".join(f"<div id={level}>" for level in reversed(range(depth)))
        assert page(items={"text": ["a", "b"]}) == (
            around + "<li>a</li><li>b</li>" + "</div>" * depth
        )
        loops.add(page.residual.scheme.count("(let records"))
    assert loops == {1}


def of(function: Any) -> Template:
    return template(function)


@pytest.mark.parametrize(
    ("made", "arguments", "problem"),
    [
        (of(lambda a: a), {}, "the argument a is missing"),
        (of(lambda a: a), {"a": 7}, "a is a text, and not all of it are str"),
        (of(lambda a: a), {"a": "x\0y"}, "a text has a character 0"),
        (of(lambda a: f"{a:d}"), {"a": "x"}, "a is written as an int"),
        (of(lambda a: f"{a:>8}"), {"a": "x"}, "cannot format a text by `>8`"),
        (of(lambda a: "x" if a else "y"), {"a": "x"}, "not known while it is made"),
        (of(lambda a: 1.5), {"a": "x"}, "not float"),
        (of(lambda a: a.map(lambda r: r.x)), {"a": ["x"]}, "a is a collection: a dictionary"),
        (of(lambda a: a.map(lambda r: r.x)), {"a": {"y": []}}, "a has no column x"),
        (of(lambda a: a.map(lambda r: r.x + r.y)), {"a": {"x": ["1"], "y": []}},
         "x has 1 records, y has 0"),
        (of(lambda a, b: a.map(lambda r: r.x + b)), {"a": {"x": ["1"]}, "b": ""},
         "the parameter b is used inside of a map"),
        (of(lambda a: a.map(lambda r: [r.x, f"{r.x:d}"])), {"a": {"x": ["1"]}},
         "written as a text and as a number"),
        (of(lambda a: a.map(lambda r: a.map(lambda s: s.x))), {"a": {"x": ["1"]}},
         "a map inside of a map"),
    ],
)  # fmt: skip
def test_errors(made: Template, arguments: dict[str, Any], problem: str) -> None:
    with pytest.raises(cogen.CogenError, match=problem):
        made(**arguments)
