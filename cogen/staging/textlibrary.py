"""What strings do, in Python, on the codes of their characters: staged like people's own functions
(as `cogen.staging.library`)."""

from __future__ import annotations

from typing import Any


def ranges_before(bounds: Any, code: Any) -> Any:
    """How many of the bounds, which are in order, a code is not below."""
    low, high = 0, len(bounds)
    while low < high:
        middle = (low + high) // 2
        if code < bounds[middle]:
            high = middle
        else:
            low = middle + 1
    return low


def is_before(a: Any, b: Any) -> Any:
    """Whether a string stands before another one."""
    i = 0
    while i < len(a) and i < len(b) and a[i] == b[i]:
        i += 1
    return i < len(b) and (i == len(a) or a[i] < b[i])


def stands_at(codes: Any, part: Any, at: Any) -> Any:
    """Whether a part stands in a string at a place."""
    if at < 0 or at + len(part) > len(codes):
        return False
    k = 0
    while k < len(part) and codes[at + k] == part[k]:
        k += 1
    return k == len(part)


def find(codes: Any, part: Any, start: Any) -> Any:
    """Where a part stands first, from a place on; -1 where it does not."""
    at = start
    while at + len(part) <= len(codes):
        if stands_at(codes, part, at):
            return at
        at += 1
    return -1


def find_last(codes: Any, part: Any) -> Any:
    """Where a part stands last; -1 where it does not."""
    at = len(codes) - len(part)
    while at >= 0:
        if stands_at(codes, part, at):
            return at
        at -= 1
    return -1


def count(codes: Any, part: Any) -> Any:
    """How often a part stands in a string, one behind the other."""
    if len(part) == 0:
        return len(codes) + 1
    found = at = 0
    while at + len(part) <= len(codes):
        if stands_at(codes, part, at):
            found += 1
            at += len(part)
        else:
            at += 1
    return found


def replaced(codes: Any, old: Any, new: Any) -> Any:
    """The codes with others in the place of a part."""
    out = []
    at = 0
    while at < len(codes):
        if stands_at(codes, old, at):
            for c in new:
                out.append(c)
            at += len(old)
        else:
            out.append(codes[at])
            at += 1
    return out


def joined(codes: Any, between: Any) -> Any:
    """The codes with others between each two."""
    out = []
    for k, c in enumerate(codes):
        if k > 0:
            for x in between:
                out.append(x)
        out.append(c)
    return out


def extended(codes: Any, more: Any) -> Any:
    """A list of codes with more behind it."""
    for c in more:
        codes.append(c)
    return codes


def first_beside(codes: Any, others: Any) -> Any:
    """The first place where none of some characters stands."""
    i = 0
    while i < len(codes) and codes[i] in others:
        i += 1
    return i


def end_beside(codes: Any, others: Any, start: Any) -> Any:
    """The place behind the last one, not before a start, where none of some characters stands."""
    i = len(codes)
    while i > start and codes[i - 1] in others:
        i -= 1
    return i


def number(codes: Any, spaces: Any) -> Any:
    """`int` of a string: what is read is below 0, where ints reach one further."""
    i = first_beside(codes, spaces)
    end = end_beside(codes, spaces, i)
    negative = False
    if i < end and (codes[i] == 43 or codes[i] == 45):
        negative = codes[i] == 45
        i += 1
    if i == end:
        raise ValueError("int() of a string that is no number")
    value = 0
    while i < end:
        digit = codes[i] - 48
        if digit < 0 or digit > 9:
            raise ValueError("int() of a string that is no number")
        if value < -922337203685477580 or (value == -922337203685477580 and digit > 8):
            raise OverflowError("int() of a number beyond 64 bits")
        value = 10 * value - digit
        i += 1
    if not negative and value < -9223372036854775807:
        raise OverflowError("int() of a number beyond 64 bits")
    return value if negative else -value


def digits(n: Any) -> Any:
    """The codes of `str` of an int."""
    out = []
    rest = n if n < 0 else -n
    while rest <= -10:
        out.append(48 - (rest % -10))
        rest = -(rest // -10)
    out.append(48 - rest)
    if n < 0:
        out.append(45)
    return out[::-1]
