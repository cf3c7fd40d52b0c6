"""Random programs that read and write signals with any overlap, and addresses to run them on."""

from __future__ import annotations

import random
from dataclasses import dataclass
from math import lcm

BYTES = 56
"""The most bytes of a buffer."""

PRELUDE = """
(import (signals signal) (signals layouts) (signals pointwise) (signals loops)
        (signals versions))
(define (touch s x) (signal-put! s x) (signal-get s))
(define (climb s x)
  (if (< x 3)
      1
      (begin
        (signal-put! s x)
        (+ 1 (bitwise-and 255 (bitwise-xor (climb s (arithmetic-shift x -2)) (signal-get s)))))))
"""
UNKNOWN = """
(define table (vector (lambda (s x) (signal-put! s x) 1) (lambda (s x) (signal-get s))))
"""


@dataclass(frozen=True, slots=True)
class Stream:
    """A signal of a program: `name` is that of its first address, `offset` what is added."""

    buffer: str
    name: str
    offset: int
    size: int
    stride: int
    order: str

    def text(self) -> str:
        at = f"(+ {self.name} {self.offset})"
        signal = f"(make-signal {self.buffer} {at} {at} {self.size} {self.stride})"
        return signal if self.order == "little" else f"(big-endian-signal {signal})"


@dataclass(frozen=True, slots=True)
class Program:
    """`(f a b p q n x)`: buffers, two addresses, a number of rounds, a number.

    `bts` are binding times of the addresses, `remainders` what they are modulo the word size, if
    that is known; `reach` is how far below and above each address memory is used.
    """

    body: str
    word_size: int
    bts: tuple[str, str]
    remainders: tuple[int | None, int | None]
    reach: dict[str, tuple[int, int]]
    rounds: int
    unknown: bool

    def text(self, annotation: str) -> str:
        """The source, with an annotation in the entry."""
        prelude = PRELUDE + (UNKNOWN if self.unknown else "")
        return f"{prelude}(define (f a b p q n x) {annotation} {self.body})"

    def times(self) -> list[str]:
        """The binding times of all parameters."""
        memory = "(dynamic memory)"
        return [memory, memory, *self.bts, "(dynamic int)", "(dynamic int)"]

    def arguments(self, rng: random.Random) -> list[object] | None:
        """Arguments that stay in the buffers; None if there are none."""
        lengths = {"a": rng.randint(BYTES - 9, BYTES), "b": rng.randint(BYTES - 9, BYTES)}
        addresses = []
        for name, remainder in zip("pq", self.remainders, strict=True):
            low, high = self.reach[name]
            least, most = -low, 8 * min(lengths.values()) - high
            choices = range(least, most + 1)
            if remainder is not None:
                first = least + (remainder - least) % self.word_size
                choices = range(first, most + 1, self.word_size)
            if not choices:
                return None
            addresses.append(rng.choice(choices))
        buffers = [bytearray(rng.randbytes(lengths[name])) for name in "ab"]
        return [*buffers, *addresses, rng.randint(0, self.rounds), rng.randint(0, 40000)]


def random_program(rng: random.Random, first_order: bool) -> Program:
    """A program; `first_order`: one that C can be made of."""
    word = rng.choice([8, 16, 24, 32, 32, 40, 64])
    if rng.random() < 0.3:
        return _random_processor(rng, word)
    return _random_loop(rng, word, first_order)


def _random_loop(rng: random.Random, word: int, first_order: bool) -> Program:
    """A loop over a few signals with a few statements."""
    streams = [_random_stream(rng, word) for _ in range(rng.randint(1, 3))]
    if len(streams) > 1 and rng.random() < 0.5:
        first = streams[0]
        streams[1] = Stream(
            first.buffer, first.name, rng.choice([0, 8, word, -word, first.stride]),
            first.size, first.stride, first.order,
        )  # fmt: skip
    rounds = rng.randint(1, 4)
    lines = [_statement(rng, len(streams), word, first_order) for _ in range(rng.randint(2, 6))]
    nexts = " ".join(f"(signal-next s{i})" for i in range(len(streams)))
    begins = " ".join(f"(s{i} {stream.text()})" for i, stream in enumerate(streams))
    body = "\n     ".join(lines)
    loop = (
        f"\n (let loop ((i n) {begins})\n  (if (= i 0)\n   (+ x 0)\n   (begin\n     {body}\n"
        f"     (loop (- i 1) {nexts}))))"
    )
    remainders, bts = _random_addresses(rng, word)
    reach = {"p": (0, 0), "q": (0, 0)}
    for stream in streams:
        ends = [stream.offset, stream.offset + stream.stride * (rounds + 1)]
        low, high = reach[stream.name]
        reach[stream.name] = (min(low, *ends), max(high, max(ends) + stream.size))
    return Program(loop, word, bts, remainders, reach, rounds, "table" in loop)


PROCESSORS = [
    "(signal-copy! s1 s0)",
    "(signal-gain! s1 s0 3 1)",
    "(signal-mix! s1 s2 s0)",
    "(signal-map! (lambda (a b) (+ a (* 2 b))) s0 s2 s1)",
    "(begin (signal-copy! s1 s0) (signal-copy! s0 s2))",
]


def _random_processor(rng: random.Random, word: int) -> Program:
    """Processors of the library on three signals of `n` periods; with `by-alignment`, of any
    alignment."""
    streams = []
    for _ in range(3):
        stream = _random_stream(rng, word)
        while stream.stride == 0:
            stream = _random_stream(rng, word)
        streams.append(stream)
    period = max(lcm(abs(stream.stride), word) // abs(stream.stride) for stream in streams)
    begins, reach = [], {"p": (0, 0), "q": (0, 0)}
    for i, s in enumerate(streams):
        at, step = f"(+ {s.name} {s.offset})", period * s.stride
        to = f"(+ {at} (set-base (* {step} n) {word}))"
        if step < 0:
            to = f"(- {at} (set-base (* {-step} n) {word}))"
        signal = f"(make-signal {s.buffer} {at} {to} {s.size} {s.stride})"
        if s.order == "big":
            signal = f"(big-endian-signal {signal})"
        begins.append(f"(s{i} {signal})")
        ends = [s.offset, s.offset + step - s.stride]
        low, high = reach[s.name]
        reach[s.name] = (min(low, *ends), max(high, max(ends) + s.size))
    body = rng.choice(PROCESSORS)
    if rng.random() < 0.3:
        body = (
            f"(by-alignment '(0 {8 % word}) 0 (list s0 s1 s2) (lambda (state signals)"
            f" (let ((s0 (car signals)) (s1 (cadr signals)) (s2 (caddr signals))) {body} state)))"
        )
    remainders, bts = _random_addresses(rng, word)
    text = f"(let ({' '.join(begins)}) {body} x)"
    return Program(text, word, bts, remainders, reach, 1, False)


def _random_addresses(
    rng: random.Random, word: int
) -> tuple[tuple[int | None, int | None], tuple[str, str]]:
    """What is known of both addresses, and the binding times that say so."""
    p, q = (
        rng.choice([0, 0, 8 % word, rng.randrange(word)]) if rng.random() < 0.75 else None
        for _ in "pq"
    )
    bts = ["(dynamic int)" if r is None else f"(cyclic {word} {r})" for r in (p, q)]
    return (p, q), (bts[0], bts[1])


def _random_stream(rng: random.Random, word: int) -> Stream:
    stride = rng.choice([8, 8, 12, 16, 24, word, 2 * word, 4, 0]) * rng.choice([1, 1, -1])
    if word in (24, 40):
        stride = rng.choice([8, word, -8])
    size = rng.choice([1, 4, 8, 8, 12, 16, word, 24, 33, 64])
    offset = rng.choice([0, 0, 8, -8, 3, word, -word, 16])
    order = rng.choice(["little", "little", "little", "big"])
    return Stream(rng.choice("aab"), rng.choice("ppq"), offset, size, stride, order)


def _statement(rng: random.Random, count: int, word: int, first_order: bool) -> str:
    s, t = (f"s{rng.randrange(count)}" for _ in range(2))
    buffer = rng.choice("ab")
    forms = [
        f"(set! x (bitwise-xor (bitwise-and (* x 5) 65535) (bitwise-and (signal-get {s}) 65535)))",
        f"(signal-put! {s} (+ x {rng.randrange(300)}))",
        f"(signal-put! {s} x)",
        f"(signal-put! {s} {rng.randrange(-9, 300)})",
        f"(signal-put! {s} (signal-get {t}))",
        f"(signal-put! (signal-next {s}) (signal-get {t}))",
        f"(set! x (bitwise-and (+ x (signal-get (signal-next {s}))) 65535))",
        f"(if (odd? x) (signal-put! {s} x) (signal-put! {t} 3))",
        f"(if (odd? x) (set! x (bitwise-and (signal-get {s}) 1023)))",
        f"(set! x (bitwise-and (+ x (load-word {buffer} {rng.randrange(3)})) 65535))",
        f"(store-word! {buffer} {rng.randrange(3)} x)",
        f"(set! x (bitwise-and (dcall touch {s} x) 65535))",
        f"(set! x (+ (bitwise-and x 4095) (climb {s} x)))",
        f"(init-cache {rng.randrange(4)} '{rng.choice(['carry', 'reload'])})",
    ]
    if not first_order:
        call = f"((vector-ref table (bitwise-and x 1)) {s} x)"
        forms.append(f"(set! x (bitwise-and (+ x {call}) 65535))")
        byte = f"(bytevector-u8-ref {buffer} {rng.randrange(40)})"
        forms.append(f"(set! x (+ (bitwise-and x 4095) {byte}))")
    return rng.choice([*forms[:8], *forms[:8], *forms])
