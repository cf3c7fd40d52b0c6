"""What is shipped, and which way it imports."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Collection
from pathlib import Path

import pytest

from tests.modules import circles, import_graph, module_of, parts_of

ROOT = Path(__file__).parent.parent
LAYERS = ("lang", "cogen", "signals")
"""Folders, lowest first: one imports from itself and from what stands before it."""

MODULES = sorted(path for layer in LAYERS for path in (ROOT / layer).rglob("*.py"))


def imports(path: Path) -> list[tuple[str, ast.stmt]]:
    """The modules a file imports anywhere in it, with the statements."""
    found: list[tuple[str, ast.stmt]] = []
    for node in parts_of(path).imports:
        if isinstance(node, ast.Import):
            found.extend((alias.name, node) for alias in node.names)
        else:
            found.append((node.module or "", node))
    return found


def layer_of(module: str) -> str:
    """The folder of a module of ours; of others the package."""
    parts = module.split(".")
    return parts[1] if parts[0] == "cogen" and parts[1:] and parts[1] in LAYERS else parts[0]


def test_imports_go_downwards() -> None:
    for path in MODULES:
        layer = path.relative_to(ROOT).parts[0]
        above = (*LAYERS[LAYERS.index(layer) + 1 :], "tests", "examples")
        for module, statement in imports(path):
            _goes_downwards(path, above, module, statement)


def _goes_downwards(path: Path, above: tuple[str, ...], module: str, statement: ast.stmt) -> None:
    place = f"{path}:{statement.lineno}"
    assert layer_of(module) not in above, f"{place} imports {module}"
    if isinstance(statement, ast.ImportFrom):
        names = {alias.name for alias in statement.names}
        assert module != "cogen" or names.isdisjoint(above), f"{place} imports {names}"
        assert statement.level == 0, f"{place}: relative import"
        assert "*" not in names, f"{place}: star import"


LARGEST = 1 << 20
"""Bytes of a file that the repository may have: pictures and recordings are made small."""


def test_no_file_of_the_repository_is_large() -> None:
    command = ["git", "ls-files", "-z"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if found.returncode:
        pytest.skip("these sources are no repository of git's")
    files = [ROOT / name for name in found.stdout.split("\0") if name]
    sizes = {str(path): path.stat().st_size for path in files if path.is_file()}
    assert {path: size for path, size in sizes.items() if size > LARGEST} == {}


STAGES = {
    "array": [
        *("l0", "ir", "rules", "lower", "fusion", "schedule", "optimise", "scheme"),
        *("loops", "codegen", "c", "opencl", "report", "distributed", "programs"),
    ],
    "specializer": [
        *(
            "programs",
            "values",
            "versions",
            "advice",
            "paths",
            "rules",
            "analyses",
            "memo",
            "growth",
        ),
        *("execution", "passes", "", "explain"),
    ],
}
"""The folders of parts of `cogen`: one imports from itself and from those before it; "" is for
modules that stand beside them."""


@pytest.mark.parametrize("part", STAGES)
def test_stages_import_downwards(part: str) -> None:
    """For types and inside functions, too; a package that only says what it is imports nothing."""
    places = {"": len(STAGES[part])} | {stage: n for n, stage in enumerate(STAGES[part])}
    inside = [path for path in MODULES if path.is_relative_to(ROOT / "cogen" / part)]
    beside = [p.name for p in inside if p.parent.name == part]
    assert beside == ["__init__.py"] or "" in STAGES[part]
    upwards = [
        f"{module} imports {other}"
        for module, others in import_graph(inside).items()
        for other in others
        if places[_stage(other, places)] > places[_stage(module, places)]
    ]
    assert upwards == []


def _stage(module: str, stages: Collection[str]) -> str:
    """The folder below a part of `cogen` that a module is in; "" for one that is in none."""
    stage = (*module.split("."), "")[2]
    return stage if stage in stages else ""


def test_circles_are_small() -> None:
    """No more than three modules import each other, whatever for, and those are of one folder."""
    folders = {module_of(path): path.parent for path in MODULES}
    found = circles(import_graph(MODULES))
    assert [circle for circle in found if len(circle) > 3] == []
    assert [circle for circle in found if len({folders[module] for module in circle}) > 1] == []


def test_experiments_need_no_benchmarks() -> None:
    """What measures, and shows what was measured, stands by itself."""
    graph = import_graph([path for path in MODULES if "cogen" in path.parts])
    mix = {name: found for name, found in graph.items() if name.startswith("cogen.mix")}
    assert [name for name, found in mix.items() if any("cogen.bench" in m for m in found)] == []


def test_circles() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set(), "e": {"f"}, "f": {"e", "a"}}
    assert circles(graph) == [["b", "c"], ["e", "f"]]


GRAMMARS = ("cogen/array/ir/node.py", "cogen/array/loops/tree.py", "cogen/backends/ctree/tree.py")
"""Representations with many kinds of nodes, whose docstrings are their grammars."""


def test_modules_and_functions_are_short() -> None:
    """A module has at most 500 lines, unless it is a grammar with its docstring; a function 60."""
    long = [path for path in MODULES if parts_of(path).lines > 500]
    assert {path.relative_to(ROOT).as_posix() for path in long} <= {*GRAMMARS}
    assert [(path, parts_of(path).longest) for path in MODULES if parts_of(path).longest > 60] == []


def test_modules_say_what_they_are() -> None:
    assert [path for path in MODULES if not parts_of(path).described] == []


def built(kind: str, root: Path, out: Path) -> Path:
    """What the build backend makes of a tree: the `wheel`, or the `sdist`."""
    build = f"from hatchling.build import build_{kind} as build; print(build({str(out)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", build], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return out / done.stdout.split()[-1]


def names_in(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The names in the wheel that the build backend makes."""
    return names_in(built("wheel", ROOT, tmp_path_factory.mktemp("wheel")))


def test_a_wheel_of_the_source_distribution_is_the_same(tmp_path: Path, wheel: list[str]) -> None:
    with tarfile.open(built("sdist", ROOT, tmp_path)) as archive:
        archive.extractall(tmp_path, filter="data")
    (tree,) = [path for path in tmp_path.iterdir() if path.is_dir()]
    assert set(names_in(built("wheel", tree, tmp_path))) == set(wheel)


def test_the_wheel_has_exactly_our_packages(wheel: list[str]) -> None:
    tops = {name.split("/")[0] for name in wheel}
    assert tops == {"cogen", "cogen_specializer-0.1.0.dist-info"}


def test_the_wheel_has_every_file_of_the_packages(wheel: list[str]) -> None:
    shipped = [
        ("" if layer == "cogen" else "cogen/") + path.relative_to(ROOT).as_posix()
        for layer in LAYERS
        for path in (ROOT / layer).rglob("*")
        if path.suffix in (".py", ".scm", ".l0", ".typed", ".c", ".h", ".cl")
    ]
    assert {"cogen/py.typed", "cogen/lang/py.typed", "cogen/signals/py.typed"} <= set(shipped)
    assert any(name.endswith(".scm") for name in shipped)
    assert set(shipped) <= set(wheel)
    assert not [name for name in wheel if "__pycache__" in name]


def test_no_file_is_large() -> None:
    """What a test or an example wrote where it ran is not kept with the sources."""
    known = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if known.returncode:
        pytest.skip("no repository of git: these are the sources of a distribution")
    paths = [ROOT / name for name in known.stdout.decode().split("\0") if name]
    large = [path for path in paths if path.is_file() and path.stat().st_size > 1 << 20]
    assert large == []


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
def test_other_modules_of_the_names_disturb_nothing(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.py").write_text("raise RuntimeError('not for cogen')\n")
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("raise RuntimeError('not for cogen')\n")
    code = (
        "import cogen.lang, cogen.signals\n"
        "program = cogen.loads('(import (signals)) (define (f x) (* x 2))')\n"
        "print(cogen.specialize(program, 'f', cogen.dynamic('int')).to_python()(21))\n"
        "print(cogen.signals.unpack(bytes([0x12, 0x34]), 'u8').tolist())"
    )
    done = run_python(tmp_path, code)
    assert (done.stdout, done.stderr) == ("42\n[18, 52]\n", "")


def test_names_are_imported_when_they_are_used(tmp_path: Path) -> None:
    code = "import sys, cogen; print('cogen.api' in sys.modules, 'specialize' in dir(cogen))"
    assert run_python(tmp_path, code).stdout == "False True\n"
    assert run_python(tmp_path, "import cogen; cogen.nothing").stderr.splitlines()[-1] == (
        "AttributeError: module 'cogen' has no attribute 'nothing'"
    )
