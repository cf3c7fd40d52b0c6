"""Accesses that tests prove to be in bounds have no check in C; all others keep theirs."""

from __future__ import annotations

from random import Random

import pytest

import cogen
from cogen.lang.errors import CogenError

CHECKED = "(if (and (<= 0 from) (<= from to) (<= to (buffer-words buf))) {} -1)"


def residual(body: str) -> cogen.Residual:
    """The kernel of a body, in which the text from `from` to `to` lies in `buf`."""
    memory, number = cogen.dynamic("memory"), cogen.dynamic("int")
    program = cogen.loads(f"(define (run buf from to) {CHECKED.format(body)})", "p.scm")
    return cogen.specialize(program, "run", memory, number, number, word_size=8)


PROVEN = {
    "early end": """(let loop ((i from) (s 0))
        (if (< i to) (let ((s (+ s (load-word buf i)))) (if (> s 99) i (loop (+ i 1) s))) s))""",
    "steps": """(let loop ((i from) (s 0))
        (if (<= 4 (- to i))
            (let ((s (bitwise-xor s (load-word buf i) (load-word buf (+ i 3)))))
              (if (= s 7) i (loop (+ i (if (> s 9) 4 2)) s)))
            s))""",
    "backwards": """(let loop ((i to) (s 0))
        (if (< from i)
            (let ((s (bitwise-xor (* s 3) (load-word buf (- i 1)))))
              (if (= s 7) i (loop (- i 1) (modulo s 100))))
            s))""",
    "blocks": """(let loop ((i from))
        (if (< i (- to 15))
            (let look ((j (lift 0)) (least (lift 255)))
              (if (< j 16)
                  (look (+ j 1) (min least (bitwise-xor 5 (load-word buf (+ i j)))))
                  (if (= least 0) i (loop (+ i 16)))))
            -2))""",
    "the smaller end": """(let ((end (min (+ from 8) to)))
        (let loop ((i from) (s 0))
          (if (< i end)
              (let ((s (+ s (load-word buf i)))) (if (> s 99) i (loop (+ i 1) s)))
              s)))""",
}

CHECKED_ONES = {
    "one too far": """(let loop ((i from) (s 0))
        (if (< i to)
            (let ((s (+ s (load-word buf (+ i 1))))) (if (> s 99) i (loop (+ i 1) s)))
            s))""",
    "one before": """(let loop ((i to) (s 0))
        (if (< from i)
            (let ((s (+ s (load-word buf i)))) (if (> s 99) i (loop (- i 1) s)))
            s))""",
    "both ways": """(let loop ((i from) (s 0))
        (if (and (< i to) (< s 9))
            (loop (+ i (if (> (load-word buf i) 9) 1 -1)) (+ s 1))
            i))""",
    "a bound that grows": """(let loop ((i from) (end to) (s 0))
        (if (< i end)
            (let ((s (+ s (load-word buf i)))) (if (> s 99) i (loop (+ i 1) (+ end 1) s)))
            s))""",
}

BUFFERS = (b"", b"\1", bytes(range(40)), b"\5" * 33, bytes([200, 3] * 20))


def answers(run: object, buffer: bytes) -> list[object]:
    """What a kernel gives for ranges in the buffer and outside of it; errors as texts."""
    found: list[object] = []
    size = len(buffer)
    for start, end in ((0, size), (1, size), (0, size + 1), (-1, size), (size, size), (2, 9)):
        try:
            found.append(run(buffer, start, end))  # type: ignore[operator]
        except CogenError as error:
            found.append(str(error).splitlines()[0])
    return found


@pytest.mark.parametrize("name", [*PROVEN, *CHECKED_ONES])
def test_answers_are_those_of_python(name: str) -> None:
    made = residual({**PROVEN, **CHECKED_ONES}[name])
    python, native = made.to_python(), made.compile()
    for buffer in BUFFERS:
        assert answers(native, buffer) == answers(python, buffer), buffer


@pytest.mark.parametrize("name", PROVEN)
def test_no_check(name: str) -> None:
    text = residual(PROVEN[name]).c
    assert "buf[" in text
    assert "cogen_fail" not in text


@pytest.mark.parametrize("name", CHECKED_ONES)
def test_a_check(name: str) -> None:
    assert "cogen_fail" in residual(CHECKED_ONES[name]).c


def test_bytes_are_combined_as_bytes() -> None:
    assert "uint8_t least = 255;" in residual(PROVEN["blocks"]).c


def test_literals_are_there_once_and_say_what_is_in_them() -> None:
    program = cogen.loads(
        "(define (run t buf) (+ (load-word t (load-word buf 0)) (load-word t 1)))"
    )
    table = cogen.static(bytes(range(7)) * 40)
    made = cogen.specialize(program, "run", table, cogen.dynamic("memory"), word_size=8)
    assert made.c.count("cogen_literal_1[] = {") == 1
    assert "cogen_literal_2" not in made.c
    assert made.compile()(b"\x09") == 3


def test_quick_calls_are_those_with_all_checks() -> None:
    """Bytes and ints go a quick way; what is refused, or fails, is told as on the long one."""
    made = residual(CHECKED_ONES["one too far"])
    native = made.compile()
    assert native.quick is not native._checked  # type: ignore[attr-defined]  # of native code
    for arguments in ((b"\1\2", 0, 2), (bytearray(b"\1\2"), 0, 2), (b"", 0, 0), (b"\7", True, 1),
                      (b"\7", 0, 1 << 70), ("text", 0, 1), (b"\7", 0), (b"\7", 0, 0)):  # fmt: skip
        found = []
        for call in (native, native._checked):  # type: ignore[attr-defined]  # of native code
            try:
                found.append(call(*arguments))
            except CogenError as error:
                found.append(str(error))
        assert found[0] == found[1], arguments
    assert native(b"\1" * 9, 0, 8) == 8


def random_body(random: Random) -> str:
    """Loops within loops whose indices may be just inside or just outside."""

    def index(name: str) -> str:
        return f"(+ {name} {random.choice((-1, 0, 0, 0, 1, 2, 3))})"

    def guard(name: str) -> str:
        return random.choice((
            f"(< {name} to)", f"(< {name} (- to {random.randrange(4)}))", f"(<= 3 (- to {name}))",
            f"(< from {name})", f"(and (< {name} to) (< from {name}))", f"(< {name} (min to 9))",
        ))  # fmt: skip

    def loop(depth: int, outer: str, s: str) -> str:
        name = f"i{depth}"
        moved = f"(+ {name} {random.choice((1, 1, 2, 3, -1))})"
        after = f"(bitwise-and 63 (+ s (load-word buf {index(name)})))"
        inner = after
        if depth < 3 and random.random() < 0.6:
            inner = f"(let ((s {after})) {loop(depth + 1, name, 's')})"
        test = f"(and (< n 12) {guard(name)})"
        start = random.choice((outer, "from", "to", f"(+ {outer} 1)", f"(- {outer} 1)"))
        left = random.choice(("s", f"(load-word buf {index(name)})", "(quotient s 2)"))
        stop = random.choice(("(> s 50)", "(= s 7)", "#f"))
        return f"""(let loop{depth} (({name} {start}) (s {s}) (n (lift 0)))
            (if {test}
                (let ((s {inner})) (if {stop} s (loop{depth} {moved} s (+ n 1))))
                {left}))"""

    return loop(1, "from", "(lift 3)")


def test_random_loops(request: pytest.FixtureRequest) -> None:
    """Nothing is read outside of a buffer: errors, and their order, are those of the source."""
    random = Random(11)
    for _ in range(150 if request.config.getoption("--long") else 5):
        body = random_body(random)
        made = residual(body)
        python, native = made.to_python(), made.compile()
        for buffer in BUFFERS:
            assert answers(native, buffer) == answers(python, buffer), body
