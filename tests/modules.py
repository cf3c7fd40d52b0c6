"""Modules of our packages, and which of them import each other."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent


def module_of(path: Path) -> str:
    """What a file is imported as."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    if parts[0] in ("lang", "signals"):
        parts = ("cogen", *parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def import_graph(paths: Sequence[Path]) -> dict[str, set[str]]:
    """What modules import, for types and inside functions too."""
    modules = {module_of(path): path for path in paths}
    return {
        name: {found for found in _imports(path, modules) if found != name}
        for name, path in modules.items()
    }


@dataclass(frozen=True)
class Parts:
    """What tests ask of a file: whether it says what it is, what it imports and which classes it
    defines anywhere in it, how many lines it has, and how many its longest function has."""

    described: bool
    imports: tuple[ast.Import | ast.ImportFrom, ...]
    classes: tuple[str, ...]
    lines: int
    longest: int


@cache
def parts_of(path: Path) -> Parts:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    found: list[ast.Import | ast.ImportFrom] = []
    classes: list[str] = []
    longest = 0
    for statement in _statements(tree):
        if isinstance(statement, ast.Import | ast.ImportFrom):
            found.append(statement)
        elif isinstance(statement, ast.ClassDef):
            classes.append(statement.name)
        elif isinstance(statement, ast.FunctionDef):
            longest = max(longest, (statement.end_lineno or 0) - statement.lineno + 1)
    described = ast.get_docstring(tree) is not None
    return Parts(described, tuple(found), tuple(classes), text.count("\n"), longest)


BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.expr):  # a lambda's body has no statements
            for block in BLOCKS:
                waiting += getattr(node, block, ())


def _imports(path: Path, modules: Mapping[str, Path]) -> Iterator[str]:
    for node in parts_of(path).imports:
        if isinstance(node, ast.Import):
            yield from [alias.name for alias in node.names if alias.name in modules]
            continue
        own = node.module or ""
        inner = [f"{own}.{alias.name}" for alias in node.names]
        yield from [name for name in inner if name in modules]
        if own in modules and any(name not in modules for name in inner):
            yield own


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """The largest sets of modules that all lead to one another, of two and more."""
    reached = {name: _reached(graph, name) for name in graph}
    found = {
        frozenset([other for other in reached[name] if name in reached[other]]) for name in graph
    }
    return sorted([sorted(circle) for circle in found if len(circle) > 1])


def _reached(graph: Mapping[str, set[str]], start: str) -> set[str]:
    """The modules that one leads to; itself only by a way round."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = graph[waiting.pop()] - found
        found |= new
        waiting += new
    return found
