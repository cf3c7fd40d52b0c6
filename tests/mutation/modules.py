"""Which tests tell whether a module is right: modules -> files of tests, all of them quick."""

from __future__ import annotations

from typing import Final

FUSION: Final = [
    "tests/cogen/array/test_fusion_legality.py",
    "tests/cogen/array/test_fusion.py",
    "tests/cogen/array/test_fusion_report.py",
]
RULES: Final = [
    "tests/cogen/test_rules_table.py",
    "tests/cogen/test_rules_of_constants.py",
    "tests/cogen/test_intervals.py",
    "tests/cogen/test_ranges.py",
    "tests/cogen/test_textbook.py",
    "tests/laws/test_cyclic.py",
]

TESTS: Final[dict[str, list[str]]] = {
    "cogen/lsp/formsaround.py": ["tests/cogen/lsp/test_analysis.py"],
    "cogen/lsp/help.py": ["tests/cogen/lsp/test_analysis.py"],
    "cogen/lsp/positions.py": ["tests/cogen/lsp/test_analysis.py"],
    "cogen/lsp/reading.py": ["tests/cogen/lsp/test_analysis.py"],
    "cogen/lsp/rename.py": ["tests/cogen/lsp/test_analysis.py"],
    "cogen/array/fusion/legal.py": FUSION,
    "cogen/array/fusion/cluster.py": [
        "tests/cogen/array/test_fusion_clusters.py",
        "tests/cogen/array/test_fusion_legality.py",
    ],
    "cogen/interval.py": ["tests/laws/test_interval.py", "tests/cogen/test_intervals.py"],
    "lang/primtable/intervals.py": [
        "tests/laws/test_interval.py",
        "tests/cogen/test_intervals.py",
    ],
    "cogen/specializer/rules/interval.py": RULES,
    "cogen/specializer/rules/compare.py": [*RULES, "tests/cogen/test_auto.py"],
    "cogen/specializer/rules/arith.py": [*RULES, "tests/cogen/test_auto.py"],
    "cogen/array/schedule/copies.py": [
        "tests/cogen/array/test_copies.py",
        "tests/cogen/array/test_schedule.py",
    ],
    "cogen/specializer/memo/barriers.py": ["tests/cogen/test_barriers.py"],
    "cogen/specializer/values/alias.py": ["tests/cogen/test_barriers.py"],
    "cogen/view/nesting.py": ["tests/cogen/test_mapping.py"],
    "cogen/array/rules/algebra.py": ["tests/cogen/array/test_algebra.py"],
}
"""Tests that start processes do not see a mutant in them; so none of these stands here for that."""
