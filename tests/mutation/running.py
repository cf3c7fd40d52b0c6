"""Runs mutants: pytest collects the tests once, then each mutant has a process of its own.

The process is forked and gets the code of the mutant in place of that of the module's functions;
where the change is in what the module computes when it is imported, a new Python imports the
mutant.  Only tests that come to the changed place run, those first that noticed most mutants so
far, and the first that fails ends it.  A process that takes much more processor time or memory than
the tests without a mutant has noticed as well.
"""

from __future__ import annotations

import ast
import gc
import importlib
import importlib.abc
import importlib.machinery
import os
import pickle
import re
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final, TextIO

import pytest
from hypothesis import Phase, settings

from tests.mutation.operators import NEVER, Marks, Mutant, mutants

HIT: Final = "__hit__"
MEMORY: Final = 4 << 30
"""Bytes that a mutant's process may take."""


SURVIVED: Final = "survived"
NOT_REACHED: Final = "not reached"


def survivors(output: str, path: str) -> set[str]:
    """The names of the module's mutants that survived, by what a run printed."""
    line = re.compile(f"(?:{SURVIVED}|{NOT_REACHED}) {re.escape(path)}:[0-9]+: (.*)")
    return {found[1].strip() for found in line.finditer(output)}


def name_of(path: str) -> str:
    """The name by which a file is imported."""
    return path.removesuffix(".py").replace("/", ".")


@dataclass
class Outcome:
    """What became of a module's mutants."""

    killed: int = 0
    survived: list[Mutant] = field(default_factory=list)


class Mutation:
    """A plugin of pytest that runs the collected tests once for each mutant."""

    def __init__(self, path: str, chosen: Sequence[Mutant], tree: ast.Module, out: TextIO) -> None:
        self.path = path
        self.chosen = chosen
        self.tree = tree
        self.out = out
        self.outcome = Outcome()
        self.base = original(tree, path)
        self.kills: Counter[str] = Counter()
        self.items: list[pytest.Item] = []
        self.reached: dict[str, set[int]] = {}
        self.seconds: dict[str, float] = {}

    def pytest_collection(self) -> None:
        without_shrinking()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = session.items
        module = importlib.import_module(name_of(self.path))
        found = self._in_child(lambda pipe: self._measure(session, module, pipe), 3600)
        if not isinstance(found, dict) or found["failed"]:
            failed = found["failed"] if isinstance(found, dict) else found
            raise pytest.UsageError(f"tests fail without any mutant: {failed}")
        self.reached, self.seconds = found["reached"], found["seconds"]
        print(f"{len(self.items)} tests, {sum(self.seconds.values()):.1f} s", file=self.out)
        for mutant in self.chosen:
            self._try(session, module, mutant)
        return True

    def _try(self, session: pytest.Session, module: ModuleType, mutant: Mutant) -> None:
        tests = [item for item in self.items if mutant.unit in self.reached[item.nodeid]]
        tests.sort(key=lambda t: (-self.kills[t.nodeid], self.seconds[t.nodeid]))
        if not tests:
            killer: Any = self._fresh(mutant)
        else:
            limit = 5 + 5 * sum(self.seconds[t.nodeid] for t in tests)
            killer = self._in_child(
                lambda pipe: self._carry_out(session, module, mutant, tests, pipe), limit
            )
        if killer is None:
            self.outcome.survived.append(mutant)
            found = SURVIVED if tests else NOT_REACHED
            place = f"{self.path}:{mutant.line}: {mutant.name}"
            print(f"\n{found} {place}", file=self.out, flush=True)
        else:
            self.outcome.killed += 1
            self.kills[str(killer)] += 1

    def _in_child(self, work: Any, limit: float) -> Any:
        """What a forked process answers; "died" if it does not."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            os.setpgid(0, 0)
            quiet = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(quiet, stream)
            resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 2))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            try:
                work(writing)
            finally:
                os._exit(3)
        os.close(writing)
        signal.signal(signal.SIGALRM, lambda *_: os.killpg(child, signal.SIGKILL))
        signal.alarm(int(20 * limit) + 60)  # for one that waits
        with os.fdopen(reading, "rb") as pipe:
            answer = pipe.read()
        os.waitpid(child, 0)
        signal.alarm(0)
        return pickle.loads(answer) if answer else "died"

    def _measure(self, session: pytest.Session, module: ModuleType, pipe: int) -> None:
        """Run all tests once, without a mutant: which come where, and how long they take."""
        met: set[int] = set()
        marked = ast.parse(Path(self.path).read_text(encoding="utf-8"))
        code = compile(
            ast.fix_missing_locations(Marks(HIT).visit(marked)),
            self.path,
            "exec",
            dont_inherit=True,
        )
        setattr(module, HIT, met.add)
        replace_code(self.base, code)
        found: dict[str, Any] = {"reached": {}, "seconds": {}, "failed": []}
        for item, following in _pairs(self.items):
            met.clear()
            start = time.process_time()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            found["seconds"][item.nodeid] = time.process_time() - start
            found["reached"][item.nodeid] = set(met)
            if session.testsfailed:
                found["failed"].append(item.nodeid)
                break
        os.write(pipe, pickle.dumps(found))
        os._exit(0)

    def _carry_out(
        self,
        session: pytest.Session,
        module: ModuleType,
        mutant: Mutant,
        tests: list[pytest.Item],
        pipe: int,
    ) -> None:
        """Run tests with a mutant until one fails: answer which, or None."""
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        setattr(module, NEVER, False)
        code = mutant.compiled(self.tree, self.path)
        assert isinstance(code, CodeType)
        replace_code(self.base, code)
        for item, following in _pairs(tests):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                os.write(pipe, pickle.dumps(item.nodeid))
                os._exit(0)
        os.write(pipe, pickle.dumps(None))
        os._exit(0)

    def _fresh(self, mutant: Mutant) -> str | None:
        """Run all tests in a new Python that imports the mutant."""
        number = [m.name for m in mutants(self.tree)].index(mutant.name)
        files = list(dict.fromkeys(item.nodeid.partition("::")[0] for item in self.items))
        command = [sys.executable, "-m", "tests.mutation.fresh", self.path, str(number), *files]
        limit = 60 + 20 * sum(self.seconds.values())
        try:
            done = subprocess.run(command, capture_output=True, timeout=limit, check=False)
        except subprocess.TimeoutExpired:
            return "died"
        return None if done.returncode == 0 else "import"


def without_shrinking() -> None:
    """An example that fails is enough, it need not be small."""
    settings.register_profile("mutants", settings(), phases=[Phase.explicit, Phase.generate])
    settings.load_profile("mutants")


def _pairs(items: Sequence[pytest.Item]) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    """Each with the one that follows."""
    for i, item in enumerate(items):
        yield item, items[i + 1] if i + 1 < len(items) else None


def original(tree: ast.Module, path: str) -> CodeType:
    """The code of a module as it is."""
    return compile(tree, path, "exec", dont_inherit=True)


def functions() -> list[FunctionType]:
    """All functions there are."""
    gc.unfreeze()  # what the suite has put away (tests/conftest.py) is meant, too
    return [found for found in gc.get_objects() if isinstance(found, FunctionType)]


def replace_code(old: CodeType, new: CodeType, among: Sequence[FunctionType] | None = None) -> None:
    """Give all functions (or some) that have code of one module that of another of the same
    shape."""
    codes = list(_corresponding(old, new))
    for function in functions() if among is None else among:
        for was, becomes in codes:
            if function.__code__ == was and function.__code__.co_qualname == was.co_qualname:
                function.__code__ = becomes


def _corresponding(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    inner = [[c for c in code.co_consts if isinstance(c, CodeType)] for code in (old, new)]
    for was, becomes in zip(*inner, strict=True):
        if was != becomes:
            yield was, becomes
            yield from _corresponding(was, becomes)


class Importer(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from given code."""

    def __init__(self, name: str, path: str, code: object) -> None:
        self.name = name
        self.path = path
        self.code = code

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self.name:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, origin=self.path)

    def exec_module(self, module: ModuleType) -> None:
        setattr(module, NEVER, False)
        module.__file__ = self.path
        assert isinstance(self.code, CodeType)
        exec(self.code, module.__dict__)
