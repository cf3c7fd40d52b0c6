"""String templates: 20,000 records as HTML in 1 to 256 nested levels, against Jinja2 and `join`.

All take Python's strings and give one; Jinja2 has made its template before, and so have we.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from functools import cache, partial
from html import escape
from random import Random
from typing import Any, Final

from cogen.bench.studies.study import OURS, Study, Way
from cogen.templates import Template, template

RECORDS: Final = 20_000
LEVELS: Final = (1, 16, 256)

_ROW: Final = '<li class="file"><b>{}</b> <i>{}</i> ({} bytes)</li>\n'


@cache
def columns() -> dict[str, list[Any]]:
    """The fields of the records."""
    random = Random(3)
    letters = "abcdefghijklmnopqrstuvwxyz_-."
    names = ["".join(random.choices(letters, k=random.randint(6, 16))) for _ in range(RECORDS)]
    owners = random.choices(["root", "alice", "bob & co", "<nobody>"], k=RECORDS)
    sizes = [random.randrange(1 << 20) for _ in range(RECORDS)]
    return {"name": names, "owner": owners, "size": sizes}


def nested(levels: int) -> Template:
    """The template with its list in so many elements."""

    def page(files: Any) -> Any:
        made: Any = files.map(
            lambda file: _ROW.format(file.name, file.owner, format(file.size, "d"))
        )
        for _ in range(levels):
            made = ["<div>", made, "</div>"]
        return made

    return template(page)


def joined(levels: int) -> str:
    """The same by `join`."""
    data = columns()
    rows = [
        _ROW.format(escape(name), escape(owner), size)
        for name, owner, size in zip(data["name"], data["owner"], data["size"], strict=True)
    ]
    return "".join(["<div>" * levels, *rows, "</div>" * levels])


def ways(levels: int) -> Mapping[str, Way]:
    """All ways to a page of so many levels."""
    page, data = nested(levels), columns()
    page(files=data)
    found: dict[str, Way] = {OURS: lambda: page(files=data), "join": lambda: joined(levels)}
    if importlib.util.find_spec("jinja2") is not None:
        import jinja2

        fields = "{{ f.name }}", "{{ f.owner }}", "{{ f.size }}"
        row = "{% for f in files %}" + _ROW.format(*fields) + "{% endfor %}"
        environment = jinja2.Environment(autoescape=True, keep_trailing_newline=True)
        other = environment.from_string("<div>" * levels + row + "</div>" * levels)
        rows = zip(*data.values(), strict=True)
        records = [dict(zip(data, record, strict=True)) for record in rows]
        found["jinja2"] = lambda: other.render(files=records)
    return found


CASES: Final = tuple(
    Study(f"HTML, {levels} levels", partial(ways, levels), {"join": 3, "jinja2": 10})
    for levels in LEVELS
)
