"""A class name means one thing: what CONTRIBUTING.md says of names."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import pytest

from tests.modules import ROOT, module_of, parts_of

pytestmark = pytest.mark.quick

MODULES = {
    module_of(path): path
    for folder in ("lang", "cogen", "signals")
    for path in sorted((ROOT / folder).rglob("*.py"))
}
GRAMMARS = (
    "cogen.lang.core",
    "cogen.lang.il",
    "cogen.binding_times",
    "cogen.array.l0.tree",
    "cogen.array.loops.tree",
    "cogen.backends.ctree.tree",
    "cogen.backends.kernel.structured",
    "cogen.specializer.passes.flow_graph",
)
"""Modules whose classes are the words of a language, and may have the names that are natural there,
as long as they are used with the module's name: `il.If`."""

FACADES = ("cogen.bt", "cogen.generating.names")
"""What gives classes by their names to users, and to the text of compilers."""


def homonyms(
    classes: Mapping[str, Iterable[str]], imported: Mapping[str, Iterable[str]]
) -> dict[str, list[str]]:
    """Names that stand for the classes of several modules, and these; `classes` are those of a
    module, `imported` the names that are imported from one.

    What a grammar defines counts where it is imported by its name alone.
    """
    found: defaultdict[str, list[str]] = defaultdict(list)
    for module, names in classes.items():
        for name in names:
            if module not in GRAMMARS or name in imported.get(module, ()):
                found[name].append(module)
    return {name: modules for name, modules in found.items() if len(modules) > 1}


def _imported(modules: Sequence[str]) -> dict[str, set[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for module in modules:
        for statement in parts_of(MODULES[module]).imports:
            if isinstance(statement, ast.ImportFrom):
                found[statement.module or ""].update(alias.name for alias in statement.names)
    return found


@pytest.mark.slow
def test_no_class_has_the_name_of_another() -> None:
    assert set(GRAMMARS) <= set(MODULES)
    classes = {module: parts_of(path).classes for module, path in MODULES.items()}
    assert (
        homonyms(classes, _imported([module for module in MODULES if module not in FACADES])) == {}
    )


def test_a_grammar_has_its_own_names_where_it_is_named() -> None:
    classes = {"a": ["If", "_Walk"], "b": ["_Walk"], "cogen.lang.il": ["If"]}
    assert homonyms(classes, {"b": ["If"]}) == {"_Walk": ["a", "b"]}
    assert homonyms(classes, {"cogen.lang.il": ["If"]}) == {
        "If": ["a", "cogen.lang.il"],
        "_Walk": ["a", "b"],
    }
