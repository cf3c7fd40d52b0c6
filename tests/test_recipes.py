"""Each recipe of CONTRIBUTING.md is followed in a copy of the tree, and does what it says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.recipes import ROOT, Change, Recipe, recipes

COPIED = ("cogen", "lang", "signals", "tests", "docs", "pyproject.toml", "README.md")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree, one for all recipes, with the bytecode that is kept."""
    place = tmp_path_factory.mktemp("recipes")
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            ignored = shutil.ignore_patterns("golden", "corpus", "*.pyc.*")
            shutil.copytree(source, place / name, ignore=ignored, symlinks=True)
        else:
            shutil.copy(source, place / name)
    return place


@contextmanager
def changed(tree: Path, recipe: Recipe) -> Iterator[None]:
    """With the changes of a recipe, which are taken back."""
    paths = {tree / change.path for change in recipe.changes}
    before = {path: path.read_bytes() for path in paths if path.exists()}
    try:
        for change in recipe.changes:
            change.apply(tree)
        yield
    finally:
        for path in paths:
            path.unlink(missing_ok=True)
            if path in before:
                path.write_bytes(before[path])


@pytest.mark.parametrize("recipe", recipes(), ids=lambda recipe: recipe.heading)
def test_recipe(recipe: Recipe, tree: Path) -> None:
    assert recipe.commands
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(tree)}
    with changed(tree, recipe):
        for command in recipe.commands:
            done = subprocess.run(
                command, shell=True, cwd=tree, env=environment, capture_output=True, text=True,
                check=False,
            )  # fmt: skip
            assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


def test_little_is_touched() -> None:
    """A primitive is a row and a test; an array operation at most four files, with its face in the
    language, besides its tests and what is a rule of fusion of its own."""
    touched = {recipe.heading: {change.path for change in recipe.changes} for recipe in recipes()}
    primitive = touched["A primitive in all back ends"]
    assert [path for path in primitive if not path.startswith("tests/")] == [
        "lang/primtable/words.py"
    ]
    assert len(primitive) == 2
    operation = touched["An array operation, with a rule of fusion"]
    own = {path for path in operation if not path.startswith(("tests/", "cogen/array/rules/"))}
    assert len(own) <= 4


def test_the_tree_is_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "f.py").write_text("a\n", encoding="utf-8")
    changes = Change("f.py", (("a\n", "b\n"),)), Change("g.py", (("", "x\n"),))
    with changed(tmp_path, Recipe("both", changes, ())):
        assert (tmp_path / "f.py").read_text(encoding="utf-8") == "b\n"
        assert (tmp_path / "g.py").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["f.py"]
    assert (tmp_path / "f.py").read_text(encoding="utf-8") == "a\n"


def test_changes_fit_in_one_place_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "f.py").write_text("a\nb\na\n", encoding="utf-8")
    Change("f.py", (("b\n", "b\nc\n"),)).apply(tmp_path)
    assert (tmp_path / "f.py").read_text(encoding="utf-8") == "a\nb\nc\na\n"
    for before in ("a\n", "d\n"):
        with pytest.raises(ValueError, match=r"f\.py: these lines are there [02] times"):
            Change("f.py", ((before, ""),)).apply(tmp_path)
    Change("new/g.py", (("", "x\n"),)).apply(tmp_path)
    assert (tmp_path / "new" / "g.py").read_text(encoding="utf-8") == "x\n"
