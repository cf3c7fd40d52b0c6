"""Collections of programs in a folder: `cogen bench native --suite`."""

from __future__ import annotations

from pathlib import Path

import pytest

from cogen.bench import collected, schemes
from cogen.terminal import UsageError
from tests.cogen.residualways import native

READING = """
(import (scheme base) (scheme read) (scheme write) (scheme file))
(define (main)
  (let* ((count (read)) (name (read)))
    (check name count (lambda () (call-with-input-file name read)) (lambda (x) (equal? x '(1 2))))))
"""

COMMON = """
(define (check name count run right?)
  (let loop ((n count) (result #f))
    (cond ((> n 0) (loop (- n 1) (run)))
          ((right? result) (display (this-scheme-implementation-name)))
          (else (display "ERROR: returned incorrect result: ") (write result)))))
"""

COUNTED = """
(define (half x) (FLOAT/ x 2.))
(define (main . arguments)
  (run-benchmark "halves" halves-iters (lambda (x) (equal? x RIGHT))
    (lambda (file) (lambda () (list (half 3.) (call-with-input-file file read))))
    "../../src/halves.scm"))
"""


@pytest.fixture
def with_inputs(tmp_path: Path) -> Path:
    for name, text in {
        "src/reading.scm": READING,
        "src/common.scm": COMMON,
        "src/unread.scm": "(define (main) 1)",
        "inputs/reading.input": '3 "inputs/data"',
        "inputs/data": "(1 2)",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def with_counts(folder: Path, right: str) -> Path:
    (folder / "src").mkdir()
    (folder / "num-iters").mkdir()
    (folder / "num-iters" / "num-iters.scm").write_text("(define halves-iters  2)\n")
    (folder / "src" / "halves.scm").write_text(COUNTED.replace("RIGHT", right), encoding="latin-1")
    (folder / "src" / "uncounted.scm").write_bytes(b"; \xe9\n(define (main) 1)")
    return folder


def answers(folder: Path, place: Path) -> dict[str, str]:
    """What the programs of a collection say, compiled."""
    found = {}
    for program in collected.programs(folder):
        command = schemes._native(program.name, program.text)
        found[program.name] = schemes._run(command, program.settle(place), program.input)[0]
    return found


@native
def test_programs_that_read_what_they_do(
    with_inputs: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert answers(with_inputs, tmp_path_factory.mktemp("place")) == {"reading": "this"}


@native
def test_programs_that_are_told_how_often(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = with_counts(tmp_path, "'(1.5 (define (half x) (FLOAT/ x 2.)))")
    assert answers(folder, tmp_path_factory.mktemp("place")) == {"halves": "right"}


@native
def test_wrong_results_and_what_is_not_compiled_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = with_counts(tmp_path, "1")
    (folder / "src" / "large.scm").write_text("(define (main) 9223372036854775808)")
    counts = folder / "num-iters" / "num-iters.scm"
    counts.write_text(counts.read_text() + "(define large-iters 1)\n")
    monkeypatch.setattr(
        schemes, "_systems", lambda place: {"native": schemes._native, "other": schemes._native}
    )
    monkeypatch.setattr(schemes, "ROUNDS", 1)
    report = schemes.bench(folder)
    assert [row["program"] for row in report.rows] == ["halves"]
    assert "large: integer out of range: integers lie in [-2^63, 2^63)" in report.notes
    assert collected.is_wrong("*** wrong result: 2")
    assert not collected.is_wrong("right")
    assert schemes.bench(folder, ["large"]).rows == []


def test_other_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no collection of programs"):
        list(collected.programs(tmp_path))
