"""Options and fixtures of the whole suite.

--long             Hypothesis runs 2000 examples of each property, not 6; tests with the mark
                   `one_in` have all their cases, those with the mark `long` run too, C is
                   optimised as for users in all tests
--update-goldens   golden files are rewritten with what the tests found

Properties draw the same examples on every machine and keep none, so that what passed passes again:
new programs are the fuzzer's (`make fuzz`), and what it finds becomes a test.
"""

from __future__ import annotations

import difflib
import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from cogen import diskstore as store
from cogen.backends.ctree.check import check
from cogen.backends.ctree.printer import watchers
from cogen.compiled import is_compiled
from tests.everyday import of_every_kind
from tests.processortime import ProcessorTime

GOLDEN = Path(__file__).parent / "golden"

LEFT_OUT = (
    "tree-pta tree-sra tree-sink tree-loop-optimize if-conversion if-conversion2 ipa-pure-const "
    "ipa-reference ipa-modref ipa-profile guess-branch-probability cprop-registers compare-elim "
    "split-wide-types reorder-blocks shrink-wrap dse inline-functions-called-once "
    "branch-count-reg ssa-phiopt tree-slsr tree-phiprop tree-dominator-opts tree-dse"
)
"""Passes of GCC that calls which are jumps do not need."""

LINKER = ["-fuse-ld=gold"] if shutil.which("ld.gold") else []
"""A linker that takes two thirds of the time, where there is one."""

QUICK_CODE = " ".join(["-O0", *(f"-fno-{name}" for name in LEFT_OUT.split()), *LINKER])
"""What C compilers are told, after all else: code that is made in two thirds of the time.  Code of
whole programs, whose calls must be jumps, is made with -O1 all the same, without these passes."""

QUICK_KERNELS = "-cl-opt-disable"
"""The same for OpenCL: tests of kernels take two thirds of the time."""

for name, examples in (("everyday", 6), ("long", 2000)):
    settings.register_profile(
        name,
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="many more examples, all cases")
    parser.addoption("--update-goldens", action="store_true", help="rewrite the golden files")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(InOneOrder())
    config.pluginmanager.register(ProcessorTime())
    watchers.append(check)  # each file of C that any test prints
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # begun in the background, by a script
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.setdefault("COGEN_CACHE_DIR", str(_store(config)))  # not the user's
    os.environ.setdefault("COGEN_KEEP", "0")  # tests replace parts of the specializer
    gc.disable()  # until there are tests: what is imported stays
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    config.stash[GARBAGE] = Garbage(_plenty(workers))
    _keep_bytecode()
    # Threads of compiled code that have nothing to do leave the processor to the other workers.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    if config.getoption("--long"):
        settings.load_profile("long")
    else:
        settings.load_profile("everyday")
        # Without constants from our sources: which examples there are does not depend on what they
        # say, and on which of them are loaded, and no worker reads them all.
        providers._get_local_constants = lambda: providers._local_constants
        os.environ.setdefault("COGEN_CFLAGS", QUICK_CODE)
        os.environ.setdefault("PYOPENCL_BUILD_OPTIONS", QUICK_KERNELS)


def _keep_bytecode() -> None:
    """Bytecode is kept beside the modules, even where Python is told to keep none: this process
    and those that tests start would each compile some hundred modules again."""
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `-m "WORD ..."`, files that do not have the word are not even imported."""
    word = config.getoption("markexpr").split(" and ")[0]
    if not word.isidentifier() or not collection_path.name.startswith("test_"):
        return None
    return True if word not in collection_path.read_text(encoding="utf-8") else None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Every other worker begins with what comes last: where no bytecode is kept yet, each of two
    makes a half of it and reads the other's, instead of all at the same time."""
    report = yield
    worker = getattr(collector.config, "workerinput", {}).get("workerid", "gw0")
    if isinstance(collector, pytest.Directory) and int(worker.removeprefix("gw")) % 2:
        report.result.reverse()
    return report


def pytest_itemcollected(item: pytest.Item) -> None:
    """Before `-m golden` chooses."""
    if "golden" in getattr(item, "fixturenames", ()):
        item.add_marker("golden")


class InOneOrder:
    """All workers have the tests in one order, in which files come by name."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        if hasattr(config, "workerinput"):
            items.sort(key=lambda item: str(item.path))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--long"):
        _leave_out(config, items)
    compiled = is_compiled()
    for item in items:
        if compiled and item.get_closest_marker("sources"):
            reason = "it replaces what compiled modules do not look up"
            item.add_marker(pytest.mark.skip(reason=reason))


def _leave_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests with the mark `long` are left out, and cases of those with the mark `one_in`."""
    left_out = {item for item in items if item.get_closest_marker("long") is not None}
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item not in left_out and item.get_closest_marker("one_in") is not None:
            tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in tests.values():
        mark = cases[0].get_closest_marker("one_in")
        assert mark is not None
        stay = of_every_kind({item.nodeid: _parameters(item) for item in cases}, mark.args[0])
        left_out.update(item for item in cases if item.nodeid not in stay)
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]


def _parameters(item: pytest.Item) -> dict[str, object]:
    return getattr(getattr(item, "callspec", None), "params", {})


class Garbage:
    """When cycles are looked for: between tests, in what is new, once there is little memory.

    What there is when a module's tests begin (modules, programs that were loaded, residual
    programs) mostly stays, and is not looked at again; looking at it in each test took a sixth of
    the time.  Cycles of what has specialized a program are some million objects, and to find them
    takes as long as to make them: they lie where they are while the process has `plenty`.
    """

    EACH = 20
    """Tests of one module between two collections."""

    def __init__(self, plenty: int) -> None:
        self.plenty = plenty
        self.module: Path | None = None
        self.tests = 0

    def before(self, test: pytest.Item) -> None:
        """Collect if it is time to."""
        self.tests += 1
        if test.path != self.module:
            self.module, self.tests = test.path, 0
            if _resident() > self.plenty:
                gc.collect()
            gc.freeze()
        elif self.tests % self.EACH == 0 and _resident() > self.plenty:
            gc.collect(0)


GARBAGE = pytest.StashKey[Garbage]()


def _resident() -> int:
    """The memory that this process has, in bytes."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # a system that does not tell
        return sys.maxsize


def _plenty(workers: int) -> int:
    """So many bytes each process may have: together half of what there is for programs now."""
    try:
        told = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        limit = Path("/sys/fs/cgroup/memory.max")
        most = limit.read_text().strip() if limit.exists() else "max"
        available = int(told["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError):
        return 0
    return min(available, sys.maxsize if most == "max" else int(most)) // 2 // workers


def pytest_runtest_setup(item: pytest.Item) -> None:
    item.config.stash[GARBAGE].before(item)


def _store(config: pytest.Config) -> Path:
    """A directory for what is compiled: in the repository, unless others can write there."""
    objects = config.rootpath / ".pytest_cache" / "objects"
    objects.mkdir(parents=True, exist_ok=True)
    if store.distrust(objects.resolve()) is None:
        return objects
    return Path(tempfile.gettempdir()) / f"cogen-tests-{os.getuid()}"


@pytest.fixture
def full_optimisation(monkeypatch: pytest.MonkeyPatch) -> None:
    """C is compiled as for users."""
    for variable, quick in (
        ("COGEN_CFLAGS", QUICK_CODE),
        ("PYOPENCL_BUILD_OPTIONS", QUICK_KERNELS),
    ):
        if os.environ.get(variable) == quick:
            monkeypatch.delenv(variable)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[..., None]:
    """`golden(text, suffix=".txt")`: the text equals `tests/golden/<module>/<test><suffix>`.

    With `--update-goldens` the file is written instead; review the difference like code.  Tests
    that use it have the marker `golden`, so `make goldens` runs them alone.
    """
    update = request.config.getoption("--update-goldens")
    folder = GOLDEN / Path(request.node.path).stem.removeprefix("test_")
    name = "".join(c if c.isalnum() or c in "-_." else "-" for c in request.node.name)

    def compare(text: str, suffix: str = ".txt") -> None:
        path = folder / (name.removeprefix("test_").rstrip("-") + suffix)
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"no golden file {path}; write it with `make goldens`"
        difference = text_difference(path.read_text(encoding="utf-8"), text, path)
        if difference is not None:
            pytest.fail(f"{difference}\nif it is meant: `make goldens`", pytrace=False)

    return compare


def text_difference(recorded: str, text: str, path: Path) -> str | None:
    """How a text differs from what is recorded, as `diff -u` shows it; None if it does not."""
    if text == recorded:
        return None
    name = path.relative_to(GOLDEN.parent.parent)
    lines = difflib.unified_diff(
        recorded.splitlines(), text.splitlines(), f"{name} (recorded)", "now", lineterm=""
    )
    return "\n".join(lines) or f"{name}: the texts differ in ends of lines"
