"""Inputs of a corpus -> inputs that are almost like them.

Texts are taken for tokens, and for trees where brackets match; bytes for bytes and for integers
of 2 and 4 bytes.  The same generator of random numbers gives the same input.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Final

MAX_LENGTH: Final = 60_000
"""Inputs are cut to so many bytes or characters: what is longer takes time, and shows no more."""

INTEGERS: Final = (
    0, 1, 2, 3, 7, 8, 9, 15, 16, 31, 32, 33, 63, 64, 65, 100, 127, 128, 255, 256, 1000, 32767,
    32768, 65535, 65536, 1 << 29, 1 << 30, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32,
    1 << 48, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 1 << 64, 10**40,
)  # fmt: skip

ODD: Final = (
    "\0", "\x07", "\x1b", "\x7f", "\r", "\r\n", "\n", "\t", " ", "\u00a0", "\u2028", "\ufeff",
    "é", "λ", "\u0301", "😀", "\ud800", "\uffff", "'", '"', "|", "\\", "#", ";", "`", ",", "@",
    "0", "-", "+", ".", "e", "/", "//", "(", ")", "[", "]", "{", "}", "<", ">", "_", "$", "%",
)  # fmt: skip

_TOKEN: Final = re.compile(r"\s+|[\w.]+|[()\[\]{}]|.", re.DOTALL)

_OPEN: Final = {"(": ")", "[": "]", "{": "}"}

Step = Callable[["Texts", list[str]], None]


def tokens_of(text: str) -> list[str]:
    """The words, brackets, gaps and other characters of a text."""
    return _TOKEN.findall(text)


class Texts:
    """Makes texts from those of a corpus and from words that mean something in them."""

    def __init__(self, corpus: Sequence[str], words: Sequence[str]) -> None:
        self.corpus = [tokens_of(text) for text in corpus]
        self.words = list(words)
        self.random = Random(0)

    def make(self, random: Random) -> str:
        """A text; the same for generators in the same state."""
        self.random = random
        tokens = list(random.choice(self.corpus))
        for _ in range(random.choice((1, 1, 1, 2, 3, 5, 10))):
            random.choice(_STEPS)(self, tokens)
        return "".join(tokens)[:MAX_LENGTH]

    def place(self, tokens: list[str]) -> int:
        """The index of a token, or of the end."""
        return self.random.randrange(len(tokens) + 1)

    def word(self) -> str:
        """A token of the corpus, or one of the words."""
        if self.words and self.random.random() < 0.6:
            return self.random.choice(self.words)
        other = self.random.choice(self.corpus)
        return self.random.choice(other) if other else ""

    def subtree(self, tokens: list[str]) -> slice:
        """A bracket with all up to the one that closes it; else one token."""
        openers = [i for i, token in enumerate(tokens) if token in _OPEN]
        if not openers:
            start = self.place(tokens)
            return slice(start, start + 1)
        start, depth = self.random.choice(openers), 0
        for i in range(start, len(tokens)):
            depth += (tokens[i] in _OPEN) - (tokens[i] in _OPEN.values())
            if depth == 0:
                return slice(start, i + 1)
        return slice(start, start + 1)

    def replace(self, tokens: list[str]) -> None:
        """One token for another."""
        i = self.place(tokens)
        tokens[i : i + 1] = [self.word()]

    def insert(self, tokens: list[str]) -> None:
        """A token, with gaps."""
        i = self.place(tokens)
        tokens[i:i] = [" ", self.word(), " "]

    def delete(self, tokens: list[str]) -> None:
        """Some tokens."""
        i = self.place(tokens)
        del tokens[i : i + self.random.choice((1, 1, 2, 5, 20))]

    def number(self, tokens: list[str]) -> None:
        """Another number in the place of one."""
        found = [i for i, token in enumerate(tokens) if token[:1].isdecimal()]
        if found:
            sign = self.random.choice(("", "", "-"))
            tokens[self.random.choice(found)] = sign + str(self.random.choice(INTEGERS))

    def odd(self, tokens: list[str]) -> None:
        """An odd character."""
        i = self.place(tokens)
        tokens[i:i] = [self.random.choice(ODD)]

    def truncate(self, tokens: list[str]) -> None:
        """The end is missing, or the start."""
        i = self.place(tokens)
        del tokens[slice(i, None) if self.random.random() < 0.7 else slice(0, i)]

    def duplicate(self, tokens: list[str]) -> None:
        """A subtree several times."""
        part = tokens[self.subtree(tokens)]
        i = self.place(tokens)
        tokens[i:i] = [*part, " "] * self.random.choice((1, 1, 2, 3, 30))

    def move(self, tokens: list[str]) -> None:
        """A subtree in the place of another."""
        part = tokens[self.subtree(tokens)]
        tokens[self.subtree(tokens)] = part

    def graft(self, tokens: list[str]) -> None:
        """A subtree of another text in the place of one."""
        other = self.random.choice(self.corpus)
        tokens[self.subtree(tokens)] = other[self.subtree(other)]

    def remove(self, tokens: list[str]) -> None:
        """A subtree less."""
        del tokens[self.subtree(tokens)]

    def nest(self, tokens: list[str]) -> None:
        """Brackets, or another token, many times over."""
        where = self.subtree(tokens)
        count = self.random.choice((1, 2, 10, 300, 20_000))
        opener = self.random.choice([*_OPEN, "'", "-", "#;", self.word()])
        closer = _OPEN.get(opener, "")
        closed = [closer] * (count if self.random.random() < 0.8 else count - 1)
        tokens[where] = [opener] * count + tokens[where] + closed


_STEPS: Final[tuple[Step, ...]] = (
    Texts.replace, Texts.replace, Texts.insert, Texts.delete, Texts.number, Texts.number,
    Texts.odd, Texts.truncate, Texts.duplicate, Texts.move, Texts.graft, Texts.remove, Texts.nest,
)  # fmt: skip


class Bytes:
    """Makes byte strings from those of a corpus and from pieces that mean something in them."""

    def __init__(self, corpus: Sequence[bytes], pieces: Sequence[bytes] = ()) -> None:
        self.corpus = list(corpus)
        self.pieces = list(pieces)

    def make(self, random: Random) -> bytes:
        """A byte string; the same for generators in the same state."""
        data = bytearray(random.choice(self.corpus))
        for _ in range(random.choice((1, 1, 2, 3, 5, 20))):
            self.step(random, data)
        return bytes(data[:MAX_LENGTH])

    def step(self, random: Random, data: bytearray) -> None:
        """One change."""
        # Headers are at the start, and decide the most.
        end = len(data) if random.random() < 0.5 else min(len(data), 64)
        i = random.randrange(end + 1)
        kind = random.randrange(8)
        if kind == 0 and i < len(data):
            data[i] ^= 1 << random.randrange(8)
        elif kind == 1:
            data[i : i + 1] = bytes([random.randrange(256)])
        elif kind <= 3:
            size = random.choice((2, 4))
            number = random.choice(INTEGERS) % (1 << 8 * size)
            data[i : i + size] = number.to_bytes(size, random.choice(("little", "big")))
        elif kind == 4:
            del data[i : i + random.choice((1, 1, 4, 16, 200))]
        elif kind == 5:
            del data[i:]
        elif kind == 6:
            other = random.choice(self.corpus)
            start = random.randrange(len(other) + 1)
            data[i:i] = other[start : start + random.choice((1, 4, 40, 400))]
        elif self.pieces:
            piece = random.choice(self.pieces)
            data[i : i + len(piece)] = piece
