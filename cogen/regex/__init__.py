"""Regular expressions as native code: matchers specialized to a pattern.

    pattern = cogen.regex.compile(rb"[a-z]+@[a-z]+\\.(com|org)")
    pattern.fullmatch(b"me@example.org")          # True
    pattern.search(text)                          # (start, end) or None
    pattern.count(text), pattern.spans(text)      # how many matches, where they are

Matches are those of Python's `re`.  docs/regex.md tells what is accepted, and how it is done.
"""

from cogen.regex.pattern import Pattern as Pattern
from cogen.regex.pattern import compile as compile

__all__ = ["Pattern", "compile"]
