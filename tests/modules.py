"""Modules of our packages, and which of them import each other."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
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


def _imports(path: Path, modules: Mapping[str, Path]) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from [alias.name for alias in node.names if alias.name in modules]
        elif isinstance(node, ast.ImportFrom):
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
