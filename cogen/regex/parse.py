"""The text of a regular expression, in Python's syntax -> its tree.

    alternatives ::= sequence | sequence "|" alternatives
    sequence     ::= (atom [repetition ["?"]]) ...
    repetition   ::= "*" | "+" | "?" | "{n}" | "{n,}" | "{,m}" | "{n,m}"
    atom         ::= character | "." | "[...]" | "\\" escape | "(" group ")" | "^" | "$"
    group        ::= alternatives | "?:" ... | "?P<name>" ... | "?flags:" ... | "?flags" | "?#..."

Flags are those of the letters i, m, s, x (and a, which is always so).  In a pattern of bytes sets
are of bytes; in one of characters, of characters, as UTF-8 has them, and \\d, \\w, \\s and case are
those of ASCII.  Groups are brackets only.  What is not regular (references, looking ahead or
behind, possessive repetitions) is a CogenError, and so is wrong syntax.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from cogen.lang.errors import CogenError, Source, Span
from cogen.regex.tree import (
    ALL,
    DIGITS,
    SPACE,
    WORD,
    Bytes,
    Choice,
    Look,
    LookKind,
    Regex,
    Repeat,
    Sequence,
    of_ranges,
    ranges_of,
    without_case,
)
from cogen.regex.utf8 import characters

IGNORED: Final = int(re.ASCII | re.UNICODE)
KNOWN: Final = int(re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE) | IGNORED
LETTERS: Final = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE, "a": 0}

CLASSES: Final = {"d": DIGITS, "w": WORD, "s": SPACE}
CONTROLS: Final = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
LOOKS: Final[dict[str, LookKind]] = {"A": "start", "Z": "end", "b": "word", "B": "no word"}

MOST_REPEATED: Final = 1000
"""The greatest number in braces."""

Ranges = list[tuple[int, int]]


def parse(pattern: str | bytes, flags: int = 0) -> Regex:
    """The tree of a pattern, with flags of the module `re`."""
    if flags & ~KNOWN:
        unknown = re.RegexFlag(flags & ~KNOWN)
        raise CogenError(f"regular expressions here have no flag {unknown!r}")
    of_bytes = isinstance(pattern, bytes)
    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    return _RegexParser(text, of_bytes, int(flags) & ~IGNORED).whole()


class _RegexParser:
    """`at` is the index of the next character of the text."""

    def __init__(self, text: str, of_bytes: bool, flags: int) -> None:
        self.text = text
        self.of_bytes = of_bytes
        self.flags = flags
        self.at = 0
        self.top = 0xFF if of_bytes else 0x10FFFF

    def fail(self, problem: str, start: int | None = None, hint: str | None = None) -> CogenError:
        first = self.at if start is None else start
        source = Source("<pattern>", self.text)
        last = min(max(self.at, first + 1), max(len(self.text), first))
        return CogenError(problem, Span(source, first, last), hint=hint)

    def has(self, flag: re.RegexFlag) -> bool:
        return bool(self.flags & flag)

    # Characters

    def peek(self) -> str:
        """The next character; empty at the end."""
        return self.text[self.at : self.at + 1]

    def accept(self, text: str) -> bool:
        found = self.text.startswith(text, self.at)
        if found:
            self.at += len(text)
        return found

    def until(self, end: str, start: int) -> str:
        """The text up to `end`, which is read too."""
        place = self.text.find(end, self.at)
        if place < 0:
            raise self.fail(f"`{end}` is missing", start)
        found = self.text[self.at : place]
        self.at = place + len(end)
        return found

    def skip(self) -> None:
        """White space and comments, where they mean nothing."""
        while self.has(re.VERBOSE) and self.peek():
            if self.peek() == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif self.peek() not in " \t\n\r\f\v":
                return
            else:
                self.at += 1

    # Expressions

    def whole(self) -> Regex:
        found = self.alternatives()
        if self.peek():
            raise self.fail("this `)` closes nothing")
        return found

    def alternatives(self) -> Regex:
        parts = [self.sequence()]
        while self.accept("|"):
            parts.append(self.sequence())
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def sequence(self) -> Regex:
        parts: list[Regex] = []
        while True:
            self.skip()
            if self.peek() in ("", "|", ")"):
                return parts[0] if len(parts) == 1 else Sequence(tuple(parts))
            start = self.at
            atom = self.atom()
            if atom is not None:
                parts.append(self.repeated(atom, start))

    def repeated(self, atom: Regex, start: int) -> Regex:
        """What follows the atom says how often it is repeated."""
        self.skip()
        bounds = self.bounds()
        if bounds is None:
            return atom
        if isinstance(atom, Look) and self.text[start] != "(":
            raise self.fail("nothing to repeat", start)
        least, most = bounds
        if most is not None and most < least:
            raise self.fail("the least number of repetitions is greater than the most", start)
        if max(least, most or 0) > MOST_REPEATED:
            hint = f"the greatest number in braces is {MOST_REPEATED}"
            raise self.fail("this is repeated too often", start, hint)
        if self.peek() == "+":
            raise self.fail("possessive repetitions are not regular")
        greedy = not self.accept("?")
        self.skip()
        again = self.at
        if self.bounds() is not None:
            raise self.fail("a repetition cannot be repeated", again, "put it in brackets")
        return Repeat(atom, least, most, greedy)

    def bounds(self) -> tuple[int, int | None] | None:
        """A repetition's numbers; None if none stands here."""
        for sign, numbers in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self.accept(sign):
                return numbers
        found = re.compile(r"\{(\d*)(,?)(\d*)\}", re.ASCII).match(self.text, self.at)
        if found is None or not (found[1] or found[2]):
            return None
        self.at = found.end()
        least = int(found[1] or 0)
        if not found[2]:
            return least, least
        return least, int(found[3]) if found[3] else None

    def atom(self) -> Regex | None:
        """One atom; None for what is none, as a comment."""
        start = self.at
        character = self.text[start]
        self.at += 1
        match character:
            case "(":
                return self.group(start)
            case "[":
                return self.set(start)
            case ".":
                return self.any_but([] if self.has(re.DOTALL) else [(10, 10)])
            case "^":
                return Look("line start" if self.has(re.MULTILINE) else "start")
            case "$":
                return Look("line end" if self.has(re.MULTILINE) else "last")
            case "\\":
                return self.escape(start)
            case "*" | "+" | "?":
                raise self.fail("nothing to repeat", start)
        if character == "{" and self._braces(start):
            raise self.fail("nothing to repeat", start)
        return self.one_of([(ord(character), ord(character))])

    def _braces(self, start: int) -> bool:
        self.at = start
        found = self.bounds() is not None
        self.at = start + 1
        return found

    def group(self, start: int) -> Regex | None:
        flags = self.flags
        if self.accept("?"):
            if self.accept("#"):
                self.until(")", start)
                return None
            if self.accept("P<"):
                name = self.until(">", start)
                if not name.isidentifier():
                    raise self.fail("a group's name is an identifier", start)
            elif not self.accept(":") and not self.group_flags(start):
                return None
        found = self.alternatives()
        self.flags = flags
        if not self.accept(")"):
            raise self.fail("this `(` is not closed", start)
        return found

    def group_flags(self, start: int) -> bool:
        """The flags of a group; False if they hold for the whole pattern, as (?i) does."""
        found = re.compile(r"([a-z]*)(-[a-z]+)?([:)])").match(self.text, self.at)
        if found is None or (not found[1] and not found[2]):
            hint = "looking ahead or behind, references and conditions are not regular"
            raise self.fail("no group of regular expressions starts so", start, hint)
        for letter in found[1] + (found[2] or "")[1:]:
            if letter not in LETTERS:
                raise self.fail(f"there is no flag `{letter}` here", start)
        on = sum({int(LETTERS[letter]) for letter in found[1]})
        off = sum({int(LETTERS[letter]) for letter in (found[2] or "")[1:]})
        if found[3] == ")" and (start or off):
            raise self.fail("flags for the whole pattern stand at its start", start)
        self.at = found.end()
        self.flags = (self.flags | on) & ~off
        return found[3] == ":"

    # Sets

    def one_of(self, ranges: Ranges) -> Regex:
        """One character of the ranges."""
        if self.of_bytes or all(high < 0x80 for _, high in ranges):
            set_ = of_ranges(*ranges)
            return Bytes(without_case(set_) if self.has(re.IGNORECASE) else set_)
        if self.has(re.IGNORECASE):
            ascii_ = of_ranges(*[(low, min(high, 0x7F)) for low, high in ranges if low < 0x80])
            ranges = [*ranges, *ranges_of(without_case(ascii_))]
        return characters(_joined(ranges))

    def any_but(self, ranges: Ranges) -> Regex:
        """One character that is not in the ranges."""
        if self.has(re.IGNORECASE):
            ascii_ = of_ranges(*[(low, min(high, 0x7F)) for low, high in ranges if low < 0x80])
            ranges = [*ranges, *ranges_of(without_case(ascii_))]
        others: Ranges = []
        following = 0
        for low, high in _joined(ranges):
            if following < low:
                others.append((following, low - 1))
            following = high + 1
        if following <= self.top:
            others.append((following, self.top))
        if self.of_bytes:
            return Bytes(of_ranges(*others))
        return characters(others)

    def set(self, start: int) -> Regex:
        """What stands in square brackets."""
        negative = self.accept("^")
        ranges: Ranges = []
        first = True
        while first or self.peek() != "]":
            if not self.peek():
                raise self.fail("this `[` is not closed", start)
            first = False
            here = self.at
            low = self.member()
            if (
                self.text[self.at : self.at + 1] != "-"
                or self.text[self.at + 1 : self.at + 2] == "]"
            ):
                ranges += low
                continue
            self.at += 1
            if not self.peek():
                raise self.fail("this `[` is not closed", start)
            high = self.member()
            if not (_is_one(low) and _is_one(high)):
                raise self.fail("a range goes from a character to a character", here)
            if high[0][0] < low[0][0]:
                raise self.fail("this range ends before it starts", here)
            ranges.append((low[0][0], high[0][0]))
        self.at += 1
        return self.any_but(ranges) if negative else self.one_of(_joined(ranges))

    def member(self) -> Ranges:
        """A member of a set: a character, or the characters of a class."""
        start = self.at
        character = self.text[start]
        self.at += 1
        if character != "\\":
            return [(ord(character), ord(character))]
        letter = self.peek()
        if letter.lower() in CLASSES:
            self.at += 1
            return self.class_(letter)
        code = self.code(start, in_set=True)
        return [(code, code)]

    def class_(self, letter: str) -> Ranges:
        """The characters of \\d, \\w, \\s or, with a capital letter, the others."""
        set_ = CLASSES[letter.lower()]
        if letter.islower():
            return ranges_of(set_)
        ranges = ranges_of(ALL & ~set_)
        return ranges if self.of_bytes else [*ranges[:-1], (ranges[-1][0], self.top)]

    def escape(self, start: int) -> Regex:
        letter = self.peek()
        if letter in LOOKS and letter:
            self.at += 1
            return Look(LOOKS[letter])
        if letter and letter.lower() in CLASSES:
            self.at += 1
            set_ = CLASSES[letter.lower()]
            if letter.islower():
                return Bytes(set_)
            return Bytes(ALL & ~set_) if self.of_bytes else characters(self.class_(letter))
        code = self.code(start, in_set=False)
        return self.one_of([(code, code)])

    def code(self, start: int, in_set: bool) -> int:
        """The character that an escape stands for; the backslash is read."""
        letter = self.peek()
        if not letter:
            raise self.fail("nothing follows the backslash", start)
        self.at += 1
        if letter in CONTROLS and (letter != "b" or in_set):
            return CONTROLS[letter]
        digits: dict[str, tuple[int, Callable[[], bool]]] = {
            "x": (2, lambda: True),
            "u": (4, lambda: not self.of_bytes),
            "U": (8, lambda: not self.of_bytes),
        }
        if letter in digits and digits[letter][1]():
            return self.hexadecimal(start, digits[letter][0])
        if letter in "01234567":
            found = re.compile(r"[0-7]{1,3}").match(self.text, self.at - 1)
            octal = found is not None and (letter == "0" or in_set or len(found.group()) == 3)
            if found is not None and octal:
                self.at = found.end()
                return int(found.group(), 8) & 0xFF
        if letter.isdigit():
            raise self.fail("references to groups are not regular", start)
        if letter.isascii() and letter.isalpha():
            raise self.fail(f"there is no escape \\{letter}", start)
        return ord(letter)

    def hexadecimal(self, start: int, count: int) -> int:
        digits = self.text[self.at : self.at + count]
        if len(digits) < count or not all(digit in "0123456789abcdefABCDEF" for digit in digits):
            raise self.fail(f"{count} hexadecimal digits are needed here", start)
        self.at += count
        code = int(digits, 16)
        if code > self.top:
            raise self.fail("there is no such character", start)
        return code


def _is_one(ranges: Ranges) -> bool:
    return len(ranges) == 1 and ranges[0][0] == ranges[0][1]


def _joined(ranges: Ranges) -> Ranges:
    """The ranges in order, and apart."""
    joined: Ranges = []
    for low, high in sorted(ranges):
        if joined and low <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(high, joined[-1][1])
        else:
            joined.append((low, high))
    return joined
