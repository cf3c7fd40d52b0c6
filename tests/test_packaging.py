"""What is shipped, and which way it imports."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from cogen.foreign import refuse_foreign_packages
from tests.modules import circles, import_graph

ROOT = Path(__file__).parent.parent
LAYERS = ("lang", "cogen", "signals")
"""Lowest first: a package imports from itself and from what stands before it."""

MODULES = sorted(path for layer in LAYERS for path in (ROOT / layer).rglob("*.py"))


def imports(path: Path) -> list[tuple[str, ast.stmt]]:
    """The modules a file imports anywhere in it, with the statements."""
    found: list[tuple[str, ast.stmt]] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.extend((alias.name, node) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.append((node.module or "", node))
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_downwards(path: Path) -> None:
    layer = path.relative_to(ROOT).parts[0]
    above = (*LAYERS[LAYERS.index(layer) + 1 :], "tests", "examples")
    for module, statement in imports(path):
        assert module.split(".")[0] not in above, f"{path}:{statement.lineno} imports {module}"
        if isinstance(statement, ast.ImportFrom):
            assert statement.level == 0, f"{path}:{statement.lineno}: relative import"
            assert all(alias.name != "*" for alias in statement.names), (
                f"{path}:{statement.lineno}: star import"
            )


UNTIED = ("cogen.spec.", "lang.")
"""The specializer's modules are one circle so far, and so are five of the expander's."""


def test_circles_are_small() -> None:
    """No more than three modules import each other, whatever for."""
    large = [c for c in circles(import_graph(MODULES)) if len(c) > 3]
    assert [circle for circle in large if not all(m.startswith(UNTIED) for m in circle)] == []


def test_circles() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set(), "e": {"f"}, "f": {"e", "a"}}
    assert circles(graph) == [["b", "c"], ["e", "f"]]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_say_what_they_are(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The names in the wheel that the build backend makes."""
    out = tmp_path_factory.mktemp("wheel")
    build = f"from hatchling.build import build_wheel; print(build_wheel({str(out)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", build], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(out / done.stdout.split()[-1]) as archive:
        return archive.namelist()


def test_the_wheel_has_exactly_our_packages(wheel: list[str]) -> None:
    tops = {name.split("/")[0] for name in wheel}
    assert tops == {"lang", "cogen", "signals", "cogen_specializer-0.1.0.dist-info"}


def test_the_wheel_has_every_file_of_the_packages(wheel: list[str]) -> None:
    shipped = [
        path.relative_to(ROOT).as_posix()
        for layer in LAYERS
        for path in (ROOT / layer).rglob("*")
        if path.suffix in (".py", ".scm", ".l0", ".typed", ".c", ".h")
    ]
    assert {"lang/py.typed", "cogen/py.typed", "signals/py.typed"} <= set(shipped)
    assert any(name.endswith(".scm") for name in shipped)
    assert set(shipped) <= set(wheel)
    assert not [name for name in wheel if "__pycache__" in name]


def run_python(path: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Python with `path` before our packages on the import path."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(path), str(ROOT)])}
    return subprocess.run(
        [sys.executable, "-P", "-c", code],
        env=environment,
        cwd=path,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", ["lang", "signals"])
def test_a_foreign_package_is_named(tmp_path: Path, name: str) -> None:
    foreign = tmp_path / name / "__init__.py"
    foreign.parent.mkdir()
    foreign.write_text("")
    done = run_python(tmp_path, "import cogen")
    assert done.returncode != 0
    assert done.stderr.splitlines()[-1] == (
        f"ImportError: the package `{name}` found at {foreign} is not the one that comes with "
        "cogen-specializer: remove that one, or put ours before it on the import path"
    )


def test_a_foreign_directory_without_modules_is_named(tmp_path: Path) -> None:
    (tmp_path / "lang").mkdir()
    assert run_python(tmp_path, "import cogen").returncode == 0, "ours wins over a mere directory"


def test_a_missing_package_is_named() -> None:
    with pytest.raises(ImportError, match="the package `no_such_package` is missing"):
        refuse_foreign_packages(("no_such_package",))
    refuse_foreign_packages()
