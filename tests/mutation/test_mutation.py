"""The mutation tester makes mutants, and sees which of them a test notices."""

from __future__ import annotations

import ast
import gc
import subprocess
import sys
from pathlib import Path
from types import CodeType

import pytest

from tests.mutation.equivalent import equivalents
from tests.mutation.modules import TESTS
from tests.mutation.operators import NEVER, mutants
from tests.mutation.running import functions, original, replace_code

ROOT = Path(__file__).parents[2]

CLAMP = """\
LIMIT = 9


def clamp(x):
    if x < 0 and not x.imag:
        return 0
    return min(x, LIMIT)
"""


def test_the_mutants_of_a_function() -> None:
    found = {mutant.name for mutant in mutants(ast.parse(CLAMP))}
    assert found == {
        "module: 9 -> 10",
        "module: 9 -> 8",
        "clamp: x < 0 and (not x.imag) -> (True or x < 0) and (not x.imag)",
        "clamp: x < 0 and (not x.imag) -> x < 0 and (True or not x.imag)",
        "clamp: x < 0 and (not x.imag) -> False and (x < 0 and (not x.imag))",
        "clamp: x < 0 and (not x.imag) -> True or (x < 0 and (not x.imag))",
        "clamp: x < 0 -> x <= 0",
        "clamp: 0 -> 1",
        "clamp: not x.imag -> x.imag",
        "clamp: return 0 -> return None",
        "clamp: 0 -> 1 (2)",
        "clamp: return min(x, LIMIT) -> return None",
        "clamp: min -> max",
    }


def test_each_mutant_is_another_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions that exist already get the code of the mutant, and lose it again."""
    monkeypatch.setattr(gc, "unfreeze", lambda: None)  # the suite has put away millions of objects
    tree = ast.parse(CLAMP)
    space: dict[str, object] = {NEVER: False}
    exec(original(tree, "clamp.py"), space)
    (clamp,) = [one for one in functions() if one.__code__.co_filename == "clamp.py"]
    assert clamp is space["clamp"]

    def outcomes() -> list[object]:
        return [clamp(x) for x in (-1, 0, 1, 5, 9, 12)]

    before = outcomes()
    assert before == [0, 0, 1, 5, 9, 9]
    changed = []
    for mutant in mutants(tree):
        code = mutant.compiled(tree, "clamp.py")
        assert isinstance(code, CodeType)
        replace_code(original(tree, "clamp.py"), code, [clamp])
        if outcomes() != before:
            changed.append(mutant.name)
        replace_code(code, original(tree, "clamp.py"), [clamp])
        assert outcomes() == before
    assert "clamp: min -> max" in changed
    assert "clamp: x < 0 -> x <= 0" not in changed


@pytest.mark.parametrize("path", TESTS)
def test_what_is_listed_is_there(path: str) -> None:
    """Mutants that are called equivalent exist, with a reason each, and so do the tests."""
    text = (ROOT / path).read_text(encoding="utf-8")
    known = equivalents().get(path, {})
    assert set(known) <= {mutant.name for mutant in mutants(ast.parse(text))}
    assert all(known.values())
    assert all((ROOT / test).exists() for test in TESTS[path])


def test_only_modules_with_tests_have_a_list() -> None:
    assert set(equivalents()) <= set(TESTS)


def test_a_run() -> None:
    """Of the module of intervals: what its tests notice is killed."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.mutation", "cogen/interval.py", "--count", "3"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "cogen/interval.py: 3 killed, 0 survived" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0
