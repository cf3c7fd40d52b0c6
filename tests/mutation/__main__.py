"""`python -m tests.mutation [MODULE ...]`: which changes of a module no test notices.

--count N     only so many mutants of each module, drawn at random
--seed N      which ones (0)
--line N      only mutants of this line; may be repeated
--again FILE  only those that survived when an earlier run wrote this

Exits with 1 if a mutant survives that is not in `equivalent.txt`.
"""

from __future__ import annotations

import argparse
import ast
import os
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import TextIO

import pytest

from tests.mutation.equivalent import equivalents
from tests.mutation.modules import TESTS
from tests.mutation.operators import mutants
from tests.mutation.running import Mutation, survivors


def main() -> int:
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("module", nargs="*", default=list(TESTS))
    parser.add_argument("--count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--line", type=int, action="append", help="only mutants of this line")
    parser.add_argument("--again", type=Path, help="only what survived in the run that wrote this")
    given = parser.parse_args()
    out = os.fdopen(os.dup(1), "w")
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        os.environ["COGEN_CACHE_DIR"] = folder
        for path in given.module:
            failed |= _in_process(path, given, out)
    return failed


def _in_process(path: str, given: argparse.Namespace, out: TextIO) -> bool:
    """Look at one module in a process of its own: what it imports is not imported before."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(look_at(path, given, out))
        finally:
            os._exit(2)
    return os.waitpid(child, 0)[1] != 0


def look_at(path: str, given: argparse.Namespace, out: TextIO) -> bool:
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    known = equivalents().get(path, {})
    every = mutants(tree)
    chosen = [mutant for mutant in every if mutant.name not in known]
    if given.line:
        chosen = [mutant for mutant in chosen if mutant.line in given.line]
    if given.again:
        survived = survivors(given.again.read_text(encoding="utf-8"), path)
        chosen = [mutant for mutant in chosen if mutant.name in survived]
    if given.count is not None and given.count < len(chosen):
        drawn = set(Random(given.seed).sample(range(len(chosen)), given.count))
        chosen = [mutant for i, mutant in enumerate(chosen) if i in drawn]
    print(f"{path}: {len(every)} mutants, {len(chosen)} tried", file=out, flush=True)
    plugin = Mutation(path, chosen, tree, out)
    options = ["-q", "--no-header", "--no-summary", "-p", "no:cacheprovider", "-p", "no:xdist"]
    status = pytest.main([*options, *TESTS[path]], plugins=[plugin])
    found = plugin.outcome
    print(
        f"{path}: {found.killed} killed, {len(found.survived)} survived, "
        f"{len(every) - len(chosen)} not tried",
        file=out,
        flush=True,
    )
    return bool(found.survived or status)


if __name__ == "__main__":
    sys.exit(main())
