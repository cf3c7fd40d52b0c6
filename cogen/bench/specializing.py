"""One case of `cogen bench specialize` at a time, in a process that is asked line by line.

    python -m cogen.bench.specializing           cases by name in, one a line; figures as JSON out

`generated NAME` measures the compiler that `generate` makes.

Each is measured in a process of its own, forked with the program loaded, so that its memory is
what it takes.  A first run does not count unless it is long: after it, analyses are remembered.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import resource
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median
from time import process_time
from types import ModuleType
from typing import Any, Final

import cogen
from cogen import binding_times
from cogen.binding_times import BT
from cogen.lang import il
from cogen.lang.errors import CogenError
from cogen.lang.ilutil import all_blocks
from cogen.lang.reader import read_datum
from cogen.measure.report import Figure
from cogen.mix.cases import ENTRY, INTERPRETERS, load_case, path_of

CORPUS: Final = Path(__file__).parents[2] / "tests" / "corpus" / "cases.py"
"""What reads the corpus, where the tests are at hand."""

GROWING: Final = (1, 2, 4, 8)
"""How many times as large the programs of the corpus are made."""

OUTRIGHT: Final = {
    "fib": """(define (fib n{x}) (if (< n 2) n (+ (fib (- n 1){x}) (fib (- n 2){x}))))
              (define (main x) (+ x (fib 14{x})))""",
    "primes": """(define (prime? n d{x})
                   (cond ((> (* d d) n) #t)
                         ((= 0 (remainder n d)) #f)
                         (else (prime? n (+ d 1){x}))))
                 (define (count n{x})
                   (if (= n 1) 0 (+ (if (prime? n 2{x}) 1 0) (count (- n 1){x}))))
                 (define (main x) (+ x (count 200{x})))""",
}
"""Programs in which all is known of some calls; with ` x` in place of `{x}`, not of all arguments,
so that they are unfolded."""

DIVERGING: Final = {
    "a number": "(define (fact n) (if (= n 0) 1 (* n (fact (- n 1)))))(define (main x) (fact -1))",
    "a text": """(define (f s x) (if (string=? s "") x (f (string-append s s) x)))
                 (define (main x) (f "a" x))""",
    "a name": """(define (f s n)
                   (if (= n 0)
                       s
                       (f (string->symbol (string-append (symbol->string s) "1")) (- n 1))))
                 (define (main n) (f 'a n))""",
}
"""Programs whose specialization comes to no end."""

LARGE: Final = {"bytecode": "stack-vm", "scheme": "scheme-alist", "objects": "objects"}
"""Interpreters of the corpus that are specialized to programs of thousands of lines."""

LINES: Final = (1250, 5000)
"""How long these programs are, about."""

PAIRS_IN_LINE: Final = 10
"""Pairs, elements and characters of a program to which a line comes, about."""

OBJECTS: Final = """
    ((%each
       (c% object (x y)
         (start (n) (begin (set! x n) (set! y %)))
         (up () (if (< 0 x)
                    (begin (set! y (+ y (* x %+))) (set! x (- x 1)) (send self up))
                    y))
         (down (n) (if (< n y) (begin (set! y (- y %+)) (send self down n)) y))
         (area (w) (* w (+ x y)))
         (twice (w) (send self area (+ w w)))))
     (total object (sum) (add (n) (set! sum (+ sum n))) (sum () sum))
     (let t (new total)
       (begin
         (%each (let o (new c%)
                  (begin
                    (send o start input)
                    (send t add (send o up))
                    (send t add (send o down 5))
                    (send t add (send o twice %+)))))
         (send t sum))))"""
"""A program of many classes of which each is used; that of the corpus uses one of them."""

GENERATED: Final = "generated "
"""Before the name of a case: the compiler that `generate` makes for it is asked for."""

MOST_SECONDS: Final = 10.0
"""A case that takes longer is given up;"""

MOST_FOR_LARGE: Final = 300.0
"""one of thousands of lines, if it takes longer than that."""
ROUNDS: Final = 5
ENOUGH: Final = 1.0
"""Seconds after which no further round is begun."""


@dataclass(frozen=True)
class SpecializerCase:
    """An interpreter, and binding times of which one is a program for it."""

    program: il.Program
    entry: str
    bts: Sequence[BT]
    seconds: float = MOST_SECONDS
    """After so many it is given up."""


def names() -> list[str]:
    """The cases there are: `futamura/NAME`, `NAME/CASE` of the corpus, `outright/NAME`,
    `diverging/NAME`."""
    found = [f"futamura/{name}" for name in INTERPRETERS]
    found += [f"outright/{name}" for name in OUTRIGHT]
    found += [f"diverging/{name}" for name in DIVERGING]
    corpus = _corpus()
    if corpus is not None:
        found += [case.id for name in corpus.names() for case in corpus.interpreter(name).cases]
    return found


def growing() -> list[str]:
    """The interpreters of the corpus with a program that can be made larger."""
    corpus = _corpus()
    if corpus is None:
        return []
    return [n for n in corpus.names() if corpus.interpreter(n).template is not None]


def case_of(name: str) -> SpecializerCase:
    """A case by its name; `NAME/grow-4` is the growing program four times as large,
    `outright/NAME/unfolded` does the same without knowing all, `large/NAME/5000` is a program of
    about so many lines."""
    owner, _, one = name.partition("/")
    if owner == "large":
        return _large(*one.split("/"))
    if owner == "outright":
        text, _, unfolded = one.partition("/")
        return _of_text(OUTRIGHT[text].replace("{x}", " x" if unfolded else ""))
    if owner == "diverging":
        return _of_text(DIVERGING[one])
    if owner == "futamura":
        case = load_case(one)
        bts: list[BT] = [binding_times.Static(case.source), *[cogen.dynamic()] * len(case.data)]
        return SpecializerCase(cogen.load(path_of(one)), ENTRY, bts)
    corpus = _corpus()
    assert corpus is not None, "cases of the corpus are named where it is at hand"
    found: Any = corpus.interpreter(owner)
    if one.startswith("grow-"):
        chosen = found.grown(int(one.removeprefix("grow-")))
    else:
        chosen = next(case for case in found.cases if case.name == one)
    return SpecializerCase(found.loaded, found.entry, chosen.times)


def _large(name: str, lines: str) -> SpecializerCase:
    """A program of about so many lines for one of the interpreters that are `LARGE`."""
    corpus = _corpus()
    assert corpus is not None, "cases of the corpus are named where it is at hand"
    found: Any = corpus.interpreter(LARGE[name])
    template = read_datum(OBJECTS) if name == "objects" else found.template[1]
    two, four = (corpus.weight(corpus.grow(template, units)) for units in (2, 4))
    units = 2 + round(2 * (int(lines) * PAIRS_IN_LINE - two) / (four - two))
    grown = corpus.Case(found, lines, corpus.grow(template, units), (), None)
    return SpecializerCase(found.loaded, found.entry, grown.times, MOST_FOR_LARGE)


def _of_text(text: str) -> SpecializerCase:
    return SpecializerCase(cogen.loads(text), "main", [cogen.dynamic()])


@cache
def _corpus() -> ModuleType | None:
    """The module that reads the corpus; None in an installation, which does not have it."""
    if not CORPUS.is_file():
        return None
    spec = importlib.util.spec_from_file_location("cogen_corpus", CORPUS)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def operations(residual: cogen.Residual) -> int:
    """The operations, jumps and calls of a residual program."""
    return sum(len(block.bindings) + 1 for block in all_blocks(residual.program.program))


def measured(case: SpecializerCase, rounds: int = ROUNDS) -> dict[str, Figure]:
    """Seconds of the processor, and what was done in them; `failure` if it comes to no end, after
    so many."""
    before, start = _resident(), process_time()
    try:
        residual = cogen.specialize(case.program, case.entry, *case.bts, max_time=case.seconds)
        first = process_time() - start
        times = [first] if first > ENOUGH else list(_times(case, rounds))
    except CogenError as error:
        return {"failure": error.message.splitlines()[0], "seconds": process_time() - start}
    statistics = residual.program.statistics
    return {
        "seconds": median(times),
        "operations": operations(residual),
        "calls": statistics["calls unfolded"],
        "restarts": statistics["restarts"],
        "megabytes": max(0.0, _most_resident() - before),
    }


def generated(case: SpecializerCase, rounds: int = ROUNDS) -> dict[str, Figure]:
    """Seconds of the processor that a compiler takes, which `generate` makes of the program."""
    compiler = cogen.generate(case.program, case.entry, *division(case.bts))
    compiler(*case.bts)  # which loads it
    times: list[float] = []
    while len(times) < rounds and sum(times) < ENOUGH:
        start = process_time()
        compiler(*case.bts)
        times.append(process_time() - start)
    return {"seconds": median(times)}


def division(bts: Sequence[BT]) -> list[BT]:
    """Binding times without the values of what is static: a compiler takes them later."""
    return [binding_times.Later() if isinstance(bt, binding_times.Static) else bt for bt in bts]


def _times(case: SpecializerCase, rounds: int) -> Iterator[float]:
    whole = 0.0
    for number in range(rounds):
        if number and whole > ENOUGH:
            return
        start = process_time()
        cogen.specialize(case.program, case.entry, *case.bts, max_time=case.seconds)
        yield process_time() - start
        whole += process_time() - start


def _resident() -> float:
    """Megabytes that the process has now; those that it had at most, where that is not known."""
    with contextlib.suppress(OSError):
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * resource.getpagesize() / (1 << 20)
    return _most_resident()


def _most_resident() -> float:
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / (1 << 20)


def apart(work: Callable[[], dict[str, Figure]]) -> dict[str, Figure]:
    """What some work gives in a forked process."""
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(sender, json.dumps(work()).encode())
        finally:
            os._exit(0)
    os.close(sender)
    with os.fdopen(receiver, "rb") as stream:
        text = stream.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"failure": "the process has died"}


def main() -> None:
    """Answer line by line; the argument says how often each case is measured."""
    rounds = int(sys.argv[1])
    for line in sys.stdin:
        name = line.strip().removeprefix(GENERATED)
        measure = generated if line.startswith(GENERATED) else measured
        case = case_of(name)
        found = apart(lambda case=case, measure=measure: measure(case, rounds))  # type: ignore[misc]
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
