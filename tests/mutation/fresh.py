"""`python -m tests.mutation.fresh MODULE NUMBER TEST...`: tests of a mutant."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from tests.mutation.operators import mutants
from tests.mutation.running import Importer, name_of, without_shrinking


class _Plugin:
    def pytest_collection(self) -> None:
        without_shrinking()


def main(path: str, number: str, *files: str) -> int:
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    code = mutants(tree)[int(number)].compiled(tree, path)
    sys.meta_path.insert(0, Importer(name_of(path), path, code))
    return int(pytest.main(["-q", "-x", "-p", "no:cacheprovider", *files], plugins=[_Plugin()]))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
