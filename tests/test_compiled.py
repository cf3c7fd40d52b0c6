"""Wheels with compiled modules: what is compiled, as what, and doing without."""

from __future__ import annotations

import ast
import builtins
import importlib.util
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from cogen.compiled import SourcesOnly

ROOT = Path(__file__).parent.parent
BUILDHOOK = ROOT / "buildhook"

needs_packaging = pytest.mark.skipif(
    not BUILDHOOK.is_dir(), reason="the build hook is not among the files here"
)
needs_tools = pytest.mark.skipif(
    importlib.util.find_spec("setuptools") is None
    or not any(map(shutil.which, ("cc", "gcc", "clang"))),
    reason="there is no C compiler, or no setuptools",
)
pytestmark = [needs_packaging]


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_the_tests_of_compiled_wheels_exist() -> None:
    """What `make compiled` runs."""
    asked = ["make", "-n", "compiled", "PYTHON=python"]
    said = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    named = [word for word in said.split() if word.startswith("tests/") and word.endswith(".py")]
    assert len(named) > 30
    assert [name for name in named if not (ROOT / name).is_file()] == []


def loaded(name: str) -> ModuleType:
    """A module of the build hook."""
    spec = importlib.util.spec_from_file_location(name, BUILDHOOK / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rewritten(text: str, *bases: str) -> dict[str, Any]:
    """What a module defines, rewritten as for the compiler."""
    made = ModuleType("rewritten")
    sys.modules["rewritten"] = made
    exec(loaded("compilable").compilable(text, bases), made.__dict__)
    return made.__dict__


DATACLASSES = '''"""Docstring."""

from __future__ import annotations

from dataclasses import dataclass, field

from cogen.lang.node import leaf, node


@dataclass(frozen=True, slots=True)
class Place:
    """A place."""

    line: int
    column: int = 1
    notes: list[str] = field(default_factory=list, compare=False, repr=False)

    @property
    def shown(self) -> str:
        return f"{self.line}:{self.column}"


@node
class Block:
    size: int


@leaf
class Name:
    text: str


@dataclass(slots=True)
class Open:
    parts: tuple[int, ...]

    def __post_init__(self) -> None:
        self.parts = self.parts[:2]
'''


def test_dataclasses_become_plain_classes_that_do_the_same() -> None:
    there = rewritten(DATACLASSES)
    Place, Block, Name, Open = (there[name] for name in ("Place", "Block", "Name", "Open"))
    place = Place(3)
    assert (place.line, place.column, place.notes, place.shown) == (3, 1, [], "3:1")
    assert place.notes is not Place(3).notes
    assert place == Place(3, 1, ["other"])
    assert hash(place) == hash(Place(3, notes=["other"]))
    assert place != Place(3, 2)
    assert place != 3
    assert repr(place) == "Place(line=3, column=1)"
    assert replace(place, line=7).line == 7
    assert Block(1) != Block(1)
    assert len({Name("a"), Name("a"), Name("b")}) == 2
    assert Open((1, 2, 3)) == Open((1, 2))
    match place:
        case Place(line, column):
            assert (line, column) == (3, 1)
        case _:
            pytest.fail("no place")
    with pytest.raises(TypeError, match="unhashable"):
        hash(Open(()))


def test_cached_properties_find_once() -> None:
    text = """from __future__ import annotations
from functools import cached_property

class Counted:
    def __init__(self) -> None:
        self.times = 0

    @cached_property
    def _size(self) -> int:
        self.times += 1
        return 7

    def twice(self) -> int:
        return self._size + self._size
"""
    counted = rewritten(text)["Counted"]()
    assert counted.twice() == 14
    assert counted.times == 1


def test_classes_with_subclasses_elsewhere_say_so() -> None:
    text = "from __future__ import annotations\n\nimport os\n\n\nclass Base:\n    pass\n"
    made = loaded("compilable").compilable(text, {"Base"})
    assert "@_mypyc_attr(allow_interpreted_subclasses=True)\nclass Base:" in made
    assert loaded("compilable").compilable(text, {"Other"}) == text


def test_what_is_compiled_is_there() -> None:
    hook = loaded("hook")
    modules = hook.chosen(ROOT)
    assert {
        "cogen/lang/il.py",
        "cogen/specializer/execution/machine.py",
        "cogen/specializer/rules/__init__.py",
    } <= set(modules)
    assert all((ROOT / name).is_file() for name in (*modules, *hook.LEFT))
    assert not set(modules) & hook.LEFT
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in modules]
    for name in hook.OPEN:
        assert any(f"\nclass {name}" in text for text in texts), name
    compilable = loaded("compilable").compilable
    for name, text in zip(modules, texts, strict=True):
        made = compilable(text, hook.OPEN)
        compile(made, name, "exec")
        assert "\n@dataclass" not in made, name
        assert "\n    @cached_property" not in made, name


def imported(tree: ast.AST) -> dict[str, str]:
    """The names that are imported anywhere in a piece of a module, and from where."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module or "" for node in found for alias in node.names}


def has_slots(node: ast.ClassDef) -> bool:
    return any(ast.unparse(statement).startswith("__slots__") for statement in node.body)


def slotted(module: str) -> set[str]:
    """The classes with slots of a module of ours."""
    tree = ast.parse((ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8"))
    return {n.name for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and has_slots(n)}


def classes_that_break(text: str, compiled: set[str]) -> list[str]:
    """The classes of a compiled module that could not be made when it is loaded: named tuples with
    types that are imported for the checker alone, which the compiler looks up; classes of those
    with slots that are not compiled; and of those that Python has, but for `Exception`."""
    tree = ast.parse(text)
    for_types = {
        name
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for name in imported(node)
    }
    origins = imported(tree)
    found = []
    for node in [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]:
        bases = {ast.unparse(base) for base in node.bases}
        fields = [s.annotation for s in node.body if isinstance(s, ast.AnnAssign)]
        types = {n.id for field in fields for n in ast.walk(field) if isinstance(n, ast.Name)}
        foreign = {base: origins.get(base, "") for base in bases}
        inherits = {base for base in bases if hasattr(builtins, base)} - {"Exception", "object"}
        breaks = bool(inherits) or any(
            module.startswith("cogen.") and module not in compiled and base in slotted(module)
            for base, module in foreign.items()
        )
        if breaks or ("NamedTuple" in bases and types & for_types):
            found.append(node.name)
    return found


def test_classes_of_compiled_modules_can_be_made() -> None:
    files = loaded("hook").chosen(ROOT)
    names = {name.removesuffix(".py").replace("/", ".") for name in files}
    for name in files:
        text = (ROOT / name).read_text(encoding="utf-8")
        assert classes_that_break(text, names) == [], name
    broken = (
        "from typing import TYPE_CHECKING, NamedTuple\n"
        "from cogen.lang.datum import Record\n"
        "if TYPE_CHECKING:\n    from cogen.lang.errors import Span\n"
        "class Node(NamedTuple):\n    place: Span | None\n"
        "class Family(Record):\n    pass\n"
        "class Stopped(KeyboardInterrupt):\n    pass\n"
    )
    assert classes_that_break(broken, names) == ["Node", "Family", "Stopped"]


def closed_bases(text: str, compiled: set[str], opened: set[str]) -> list[str]:
    """The classes of compiled modules that a module which is not compiled makes subclasses of,
    although they are not open to that."""
    tree = ast.parse(text)
    origins = imported(tree)
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    bases = {ast.unparse(base) for node in nodes for base in node.bases}
    return sorted(base for base in bases - opened if origins.get(base) in compiled)


def test_classes_with_subclasses_that_are_not_compiled_are_open() -> None:
    hook = loaded("hook")
    files = hook.chosen(ROOT)
    names = {name.removesuffix(".py").replace("/", ".") for name in files}
    paths = [path for folder in hook.PACKAGES for path in (ROOT / folder).rglob("*.py")]
    for path in paths:
        if path.relative_to(ROOT).as_posix() not in files:
            text = path.read_text(encoding="utf-8")
            assert closed_bases(text, names, hook.OPEN) == [], path
    broken = "from cogen.specializer.trying import Trying\nclass Task(Trying):\n    pass\n"
    assert closed_bases(broken, {"cogen.specializer.trying"}, hook.OPEN) == ["Trying"]


def endless_generators(text: str) -> list[int]:
    """The lines of a module with a generator expression over `count` or `cycle`: compiled, it is
    carried out to its end when it is made."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.GeneratorExp | ast.ListComp)
        for part in node.generators
        for call in ast.walk(part.iter)
        if isinstance(call, ast.Call)
        and ast.unparse(call.func) in ("count", "cycle", "repeat")
        and "itertools" in imported(ast.parse(text)).get(ast.unparse(call.func), "")
    ]


def test_generators_of_compiled_modules_end() -> None:
    for name in loaded("hook").chosen(ROOT):
        assert endless_generators((ROOT / name).read_text(encoding="utf-8")) == [], name
    broken = "from itertools import count\nfound = next(n for n in count(2) if n > 4)\n"
    assert endless_generators(broken) == [2]


@needs_tools
@pytest.mark.slow
def test_modules_are_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hook = loaded("hook")
    monkeypatch.setattr(hook, "PACKAGES", {"small": "small"})
    monkeypatch.setattr(hook, "chosen", lambda root: ["small/place.py"])
    sources = tmp_path / "sources" / "small"
    sources.mkdir(parents=True)
    (sources / "__init__.py").write_text("")
    text = DATACLASSES.replace("from cogen.lang.node import leaf, node\n", "")
    text = text[: text.index("@node")]
    (sources / "place.py").write_text(text)
    tree = tmp_path / "tree"
    found = hook.compiled(tmp_path / "sources", tree)
    assert any(path.parent == tree / "small" for path in found)
    times = [path.stat().st_mtime_ns for path in found]
    assert [path.stat().st_mtime_ns for path in hook.compiled(tmp_path / "sources", tree)] == times
    code = (
        "import small.place as p; print(p.__file__.endswith('.py'), p.Place(3), "
        "p.Place(3) == p.Place(3), p.Place(2).shown)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tree, capture_output=True, text=True, check=False
    )
    assert done.stdout.split(maxsplit=1)[0] == "False", done.stderr
    assert done.stdout.strip() == "False Place(line=3, column=1) True 2:1"


def test_sources_are_found_beside_compiled_modules(tmp_path: Path) -> None:
    (tmp_path / "machine.py").write_text("x = 1\n")
    (tmp_path / "machine.so").write_text("")
    spec = SourcesOnly.find_spec("cogen.specializer.execution.machine", [str(tmp_path)])
    assert spec is not None
    assert spec.origin == str(tmp_path / "machine.py")
    assert SourcesOnly.find_spec("cogen.specializer.nothing", [str(tmp_path)]) is None
    assert SourcesOnly.find_spec("others.machine", [str(tmp_path)]) is None


def test_the_environment_asks_for_sources() -> None:
    code = "import cogen, sys; print(sys.meta_path[0].__name__, cogen.compiled.is_compiled())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "COGEN_PURE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["SourcesOnly", "False"], done.stderr
