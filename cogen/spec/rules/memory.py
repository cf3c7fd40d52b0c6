"""Rules of words in memory: loads and stores of one straight line of code are combined.

Within a residual block a word that was loaded or stored is not loaded again, and a store that a
later one to the same word overwrites disappears: a small write-back cache (seed 004) that needs
no annotation.  What makes it sound:

* addresses are compared as name + known offset: the same name with different offsets is a
  different word (negative alias information), different names may be the same word;
* different buffers do not alias: only the entry's own parameters, which carry a number in their
  type (`memory:0`), are known to be different;
* a store stays where it is as soon as anything may observe it: a load that may be of the same
  word, output, a call, the end of the block.  An error observes nothing: where one is reported,
  the contents of buffers written by the failing call are not specified.
"""

from __future__ import annotations

from typing import Any

from cogen.spec.domain import Dynamic, Static, Value
from cogen.spec.path import Path, type_of
from cogen.spec.rules.arith import constant, view
from cogen.spec.rules.bits import both, note_bits
from cogen.spec.rules.rule import Rule
from lang.datum import UNSPECIFIED
from lang.errors import Span
from lang.prims import PRIMITIVES

Address = tuple[str, str, Any, int]
"""A buffer's name and type, the name of the index (None for a known one), what is added to it."""


def _address(buffer: Value, index: Value) -> Address | None:
    if type(buffer) is not Dynamic:
        return None
    k = constant(index)
    if k is not None:
        return buffer.name, buffer.type, None, k
    seen = view(index)
    if seen is None or seen[0] != 1:
        return None
    return buffer.name, buffer.type, seen[2].name, seen[1]


def _may_be_same(a: Address, b: Address) -> bool:
    if a[1] != b[1] and a[1].startswith("memory:") and b[1].startswith("memory:"):
        return False
    return a[0] != b[0] or a[2] != b[2] or a[3] == b[3]


def _load_word(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    buffer, index = values
    if type(buffer) is Static and (k := constant(index)) is not None:
        row = PRIMITIVES["load-word"]
        return Static(row.python(path.spec.run_machine, buffer.datum, k))
    address = _address(buffer, index)
    if address is None:
        path.observe()
        return note_bits(path, "load-word", values, path.emit("load-word", values, span, hint))
    known = path.words.get(address)
    if known is not None:
        return known[0]
    for other, (value, store) in path.words.items():
        if store is not None and _may_be_same(address, other):
            path.words[other] = (value, None)  # observed: it must stay
    result = path.emit("load-word", values, span, hint)
    note_bits(path, "load-word", values, result)
    path.words[address] = (result, None)
    return result


def _store_word(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    buffer, index, value = values
    address = _address(buffer, index)
    if address is None or type_of(value) != "int":
        path.emit("store-word!", values, span, hint)
        return Static(UNSPECIFIED)
    earlier = path.words.get(address)
    kept = {other: word for other, word in path.words.items() if not _may_be_same(address, other)}
    if earlier is not None and earlier[1] is not None:
        path.remove(earlier[1])
    size = path.spec.options.word_size
    word = value if size == 64 else both(path, value, (1 << size) - 1, span, hint)
    path.emit("store-word!", (buffer, index, value), span, hint)
    path.words = kept
    path.words[address] = (word, path.last_binding())
    return Static(UNSPECIFIED)


RULES: dict[str, Rule] = {"load-word": _load_word, "store-word!": _store_word}
