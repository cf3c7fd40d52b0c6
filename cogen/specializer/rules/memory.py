"""Rules of words in memory: accesses of one straight line of code are combined.

Within a residual block a word that was loaded is not loaded again, and stores into one word
(`store-word!`, and `store-bits!` into a part of it) become one: a small write-back cache with
partially dirty lines (seed 004) that needs no annotation.  What makes it sound:

* addresses are compared as factor * name + known offset: the same name and factor with different
  offsets is a different word (negative alias information), different names may be the same word;
* different buffers do not alias: the types of buffers say which are different (`alias`);
* a store stays where it is as soon as anything may observe it: a load that may be of the same
  word, output, a call, the end of the block, and in a program with handlers whatever can fail.  An
  error that nothing handles observes nothing: where one is reported, the contents of buffers
  written by the failing call are not specified;
* what was stored is never taken for what a load would give: of the last word of a buffer only
  some bytes may exist.
"""

from __future__ import annotations

from cogen.lang.datum import UNSPECIFIED
from cogen.lang.errors import Span
from cogen.lang.prims import PRIMITIVES
from cogen.specializer.paths.operation_site import OperationSite
from cogen.specializer.paths.path import Path
from cogen.specializer.rules.arith import constant, view
from cogen.specializer.rules.bits import both, note_bits
from cogen.specializer.rules.rule import Rule
from cogen.specializer.values.domain import Dynamic, Static, Value
from cogen.specializer.values.value_facts import type_of
from cogen.specializer.values.words import Address, Word, Words


def _address(buffer: Value, index: Value) -> Address | None:
    if type(buffer) is not Dynamic:
        return None
    k = constant(index)
    if k is not None:
        return buffer.name, buffer.type, None, k
    seen = view(index)
    if seen is None:
        return None
    return buffer.name, buffer.type, (seen[0], seen[2].name), seen[1]


def _load_word(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
    buffer, index = values
    k = constant(index)
    if type(buffer) is Static and k is not None and not path.context.mutations.bytes:
        row = PRIMITIVES["load-word"]
        return Static(row.python(path.context.run_machine, buffer.datum, k))
    address = _address(buffer, index)
    if address is None:
        path.observe()
        return note_bits(path, "load-word", values, path.emit("load-word", values, site))
    known = path.words.get(address)
    if known is not None and known.store is None and known.loaded is not None:
        return known.loaded
    path.words.load(address)
    result = path.emit("load-word", values, site)
    note_bits(path, "load-word", values, result)
    path.words.set(address, Word(result))
    return result


def _store_word(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
    buffer, index, value = values
    address = _address(buffer, index)
    if address is None or type_of(value) != "int":
        path.emit("store-word!", values, site)
        return Static(UNSPECIFIED)
    _take_back(path, address)
    full = _full(path)
    word = value if full == -1 else both(path, value, full, site.span, site.hint)
    _put(path, address, values, Word(None, full, word), site.span)
    return Static(UNSPECIFIED)


def _store_bits(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
    """`(store-bits! buffer i mask v)`, as part of what was stored in the word before if nothing
    has observed that."""
    buffer, index, mask_value, value = values
    span = None if site.span is None else site.span.part_of("store-bits!")
    address, mask = _address(buffer, index), constant(mask_value)
    rule = path.context.rule
    if address is None or mask is None or type_of(value) != "int":
        others = rule("bitwise-not")(path, (mask_value,), OperationSite(span, "mask"))
        new = rule("bitwise-and")(path, (value, mask_value), OperationSite(span, "new"))
        word = rule("load-word")(path, (buffer, index), OperationSite(span, "word"))
        kept = rule("bitwise-and")(path, (word, others), OperationSite(span, "kept"))
        whole = rule("bitwise-ior")(path, (kept, new), OperationSite(span, "word"))
        return _store_word(path, (buffer, index, whole), OperationSite(span, site.hint, site.delay))
    full = _full(path)
    mask &= full
    new = both(path, value, mask, span, "new")
    earlier = path.words.get(address)
    loaded = None if earlier is None else earlier.loaded
    if earlier is not None and earlier.store is not None:
        _take_back(path, address)
        kept = both(path, earlier.value, earlier.mask & ~mask, span, "kept")
        new = rule("bitwise-ior")(path, (kept, new), OperationSite(span, "word"))
        mask |= earlier.mask
    whole = new
    if mask != full:
        if loaded is None:
            loaded = path.emit("load-word", (buffer, index), OperationSite(span, "word"))
            note_bits(path, "load-word", (buffer, index), loaded)
        kept = both(path, loaded, full & ~mask, span, "kept")
        whole = rule("bitwise-ior")(path, (kept, new), OperationSite(span, "word"))
    _put(path, address, (buffer, index, whole), Word(loaded, mask, new), span)
    return Static(UNSPECIFIED)


def _full(path: Path) -> int:
    """The mask of a whole word: of 64 bits it is -1, words being signed then."""
    size = path.context.options.word_size
    return -1 if size == 64 else (1 << size) - 1


def _take_back(path: Path, address: Address) -> None:
    """Remove the store into the word that nothing has observed, if there is one."""
    earlier = path.words.get(address)
    if earlier is not None and earlier.store is not None:
        path.remove(earlier.store)


def _put(
    path: Path, address: Address, values: tuple[Value, ...], word: Word, span: Span | None
) -> None:
    """Emit a store; what may be the same word is forgotten, this one is known from now on."""
    if path.context.mutations.handlers:
        path.observe()  # the store may fail
    known, path.words = path.words, Words()  # those that the operation would forget
    known.store(address)
    path.emit("store-word!", values, OperationSite(span))
    word.store = path.last_binding()
    known.set(address, word)
    path.words = known


RULES: dict[str, Rule] = {
    "load-word": _load_word,
    "store-word!": _store_word,
    "store-bits!": _store_bits,
}
