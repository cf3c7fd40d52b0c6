"""The build hook that puts compiled modules and kernels into wheels, if it is enabled.

    HATCH_BUILD_HOOK_ENABLE_CUSTOM=true pip wheel .

COGEN_WHEEL says what: `modules` (as if nothing was said), `kernels` (`kernels.py` says more), or
`modules,kernels`.

The modules in which a specialization spends its time (`MODULES`) are compiled by mypyc; the wheel
has them beside their sources.  What is not compiled runs as ever, and a wheel without them is the
same program.  Editable installs stay as they are.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))

from compilable import compilable

PACKAGES = {"cogen": "cogen", "lang": "cogen/lang", "signals": "cogen/signals"}
"""The folders of the repository, and where they are in the package."""

MODULES = (
    "cogen/lang/chain.py",
    "cogen/lang/components.py",
    "cogen/lang/errors.py",
    "cogen/lang/il.py",
    "cogen/lang/ilutil.py",
    "cogen/lang/prelude.py",
    "cogen/among.py",
    "cogen/dominance.py",
    "cogen/interval.py",
    "cogen/specializer/*.py",
    "cogen/specializer/advice/*.py",
    "cogen/specializer/analyses/*.py",
    "cogen/specializer/execution/*.py",
    "cogen/specializer/growth/*.py",
    "cogen/specializer/memo/*.py",
    "cogen/specializer/passes/*.py",
    "cogen/specializer/paths/*.py",
    "cogen/specializer/programs/*.py",
    "cogen/specializer/rules/*.py",
    "cogen/specializer/values/*.py",
    "cogen/specializer/versions/*.py",
)
"""What is compiled, but for `LEFT` and modules without code."""

LEFT = frozenset(
    {
        "cogen/specializer/passes/library_closures.py",  # takes nodes apart by `match`, by name
        "cogen/specializer/packed.py",  # the same
        "cogen/specializer/versions/options.py",  # part of the interface: stays a dataclass
        "cogen/specializer/specialize.py",  # copies options by `dataclasses.replace`
        "cogen/specializer/trying.py",  # the same
    }
)

OPEN = frozenset(
    {
        "Calling",
        "Calls",
        "CogenError",
        "Context",
        "Demand",
        "Engine",
        "InternalError",
        "LimitationError",
        "Path",
        "PathMachine",
        "Specializer",
        "Way",
    }
)
"""Classes that have subclasses in modules that are not compiled, and those that these are of."""

SETUP = """
from mypyc.build import mypycify
from setuptools import setup

modules = mypycify(
    ["--config-file", "mypy.ini", *{modules!r}],
    opt_level="3",
    debug_level="0",
    multi_file=True,
    group_name="cogen",
)
setup(name="cogen-compiled", packages=[], ext_modules=modules)
"""

CHECKING = """
[mypy]
ignore_missing_imports = true
follow_imports = silent
# What is rewritten looks other than what was checked: `dataclasses.replace` of plain classes.
disable_error_code = arg-type, assignment, misc
"""


class CompiledModules(BuildHookInterface):  # type: ignore[type-arg, misc]
    """See the module's docstring."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and have the results put into the wheel."""
        if version == "editable":
            return
        root = Path(self.root)
        wanted = os.environ.get("COGEN_WHEEL", "modules").split(",")
        if not set(wanted) <= {"modules", "kernels"}:
            raise RuntimeError("COGEN_WHEEL is `modules`, `kernels` or `modules,kernels`")
        build_data["pure_python"] = False
        if "kernels" in wanted:
            from kernels import prebuilt_kernels

            made, system = prebuilt_kernels(root, root / "build" / "kernels")
            for path in made:
                build_data["force_include"][str(path)] = f"cogen/signals/prebuilt/{path.name}"
            build_data["tag"] = f"py3-none-{system}"
        if "modules" in wanted:
            tree = root / "build" / "compiled"
            for path in compiled(root, tree):
                build_data["force_include"][str(path)] = path.relative_to(tree).as_posix()
            build_data.pop("tag", None)
            build_data["infer_tag"] = True


def compiled(root: Path, tree: Path) -> list[Path]:
    """The extension modules, compiled in a copy of the sources."""
    modules = chosen(root)
    written = _copy(root, tree, modules)
    libraries = sorted(tree.rglob("*.so")) + sorted(tree.rglob("*.pyd"))
    if written or not libraries:
        for library in libraries:
            library.unlink()
        shutil.rmtree(tree / "build" / "lib", ignore_errors=True)
        _compile(tree, modules)
    built = [*tree.rglob("*.so"), *tree.rglob("*.pyd")]
    return sorted(path for path in built if "build" not in path.relative_to(tree).parts)


def chosen(root: Path) -> list[str]:
    """The modules to be compiled."""
    found = {path for pattern in MODULES for path in root.glob(pattern)}
    names = {path.relative_to(root).as_posix() for path in found if path.name != "__init__.py"}
    return sorted((names | {"cogen/specializer/rules/__init__.py"}) - LEFT)


def _copy(root: Path, tree: Path, modules: list[str]) -> bool:
    """Bring the copy of the sources up to date; whether anything had to be written."""
    texts = {"setup.py": SETUP.format(modules=modules), "mypy.ini": CHECKING}
    for folder, place in PACKAGES.items():
        for path in sorted((root / folder).rglob("*.py")):
            inner = path.relative_to(root / folder).as_posix()
            name, text = f"{place}/{inner}", path.read_text(encoding="utf-8")
            texts[name] = compilable(text, OPEN) if name in modules else text
    written = False
    for name, text in texts.items():
        target = tree / name
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
            written = True
    return written


def _compile(tree: Path, modules: list[str]) -> None:
    command = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace", "--parallel", "2"]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"mypyc could not compile the modules:\n{done.stdout}{done.stderr}")
