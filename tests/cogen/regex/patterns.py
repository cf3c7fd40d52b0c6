"""Random regular expressions and texts, and Python's answers to compare with."""

from __future__ import annotations

import re
import warnings
from random import Random

LETTERS = "abcA1_ \n."

ATOMS = ("a", "b", "c", "A", " ", "_", r"\.", ".", "[ab]", "[^a]", "[a-c1]", r"\d", r"\w", r"\s",
         r"\W", r"\n", "[^\\n]", r"[\w.]", "(?:)", r"\D")  # fmt: skip
PLACES = (r"\b", r"\B", "^", "$", r"\A", r"\Z")
REPEATS = ("*", "+", "?", "{2}", "{1,3}", "{,2}", "{2,}", "*?", "+?", "??", "{1,3}?", "{0,1}")
FLAGS = ("", "", "", "(?i)", "(?s)", "(?m)", "(?ims)")


def pattern(random: Random, depth: int = 3, places: bool = True) -> str:
    """A random pattern, as text."""
    kind = random.random()
    if depth == 0 or kind < 0.25:
        return random.choice(ATOMS)
    if places and kind < 0.32:
        return random.choice(PLACES)
    if kind < 0.6:
        return "".join(pattern(random, depth - 1, places) for _ in range(random.choice((2, 2, 3))))
    if kind < 0.78:
        parts = [pattern(random, depth - 1, places) for _ in range(random.choice((2, 2, 3)))]
        return f"(?:{'|'.join(parts)})"
    inside = pattern(random, depth - 1, places)
    return f"(?:{inside}){random.choice(REPEATS)}"


def compiled(random: Random, places: bool = True) -> re.Pattern[bytes]:
    """A random pattern that `re` takes."""
    while True:
        text = random.choice(FLAGS) + pattern(random, 3, places)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return re.compile(text.encode())
            except re.error:
                continue


def text(random: Random, expression: re.Pattern[bytes], most: int = 14) -> bytes:
    """A random text; sometimes one that steps and blocks matter for, if `re` can bear it: its time
    is exponential in nested repetitions."""
    size = random.randrange(most)
    repeats = sum(map(expression.pattern.count, (b"*", b"+", b"{")))
    if random.random() < 0.15 and repeats <= 1:
        size += random.choice((16, 40, 530, 1100))
    letters = random.choice(("ab", "abc", LETTERS, LETTERS))
    made = "".join(random.choice(letters) for _ in range(size))
    if random.random() < 0.2 and size > 600:
        made = made[:20] + random.choice("ab 1") * (size - 40) + made[-20:]
    return made.encode()
