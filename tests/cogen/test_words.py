"""The words of memory that a path knows (`cogen.specializer.values.words`)."""

from __future__ import annotations

import random

import pytest

from cogen.specializer.values.alias import buffers_differ
from cogen.specializer.values.domain import Static
from cogen.specializer.values.words import Address, Word, Words

pytestmark = pytest.mark.quick

BUFFERS = [("a", "memory:1"), ("b", "memory:2"), ("c", "memory"), ("d", "memory:1/3.0")]
TERMS = [None, (1, "i"), (2, "i"), (1, "j")]


def may_be_same(a: Address, b: Address) -> bool:
    """Whether two addresses may be one: different buffers as their types say, and in one buffer
    different offsets from the same thing, are not."""
    if a[1] != b[1] and buffers_differ(a[1], b[1]):
        return False
    return a[0] != b[0] or a[2] != b[2] or a[3] == b[3]


@pytest.mark.parametrize("seed", range(30))
def test_words_are_forgotten_as_if_one_by_one(seed: int) -> None:
    source = random.Random(seed)
    words, model = Words(), dict[Address, Word]()
    every = [(*buffer, term, offset) for buffer in BUFFERS for term in TERMS for offset in range(3)]
    for _ in range(300):
        address = source.choice(every)
        action = source.choice(["load", "load", "load", "store", "store", "observe", "seen"])
        if action == "load":
            words.load(address)
            model = {
                a: w for a, w in model.items() if w.store is None or not may_be_same(address, a)
            }
            words.set(address, word := Word(None))
            model[address] = word
        elif action == "store":
            words.store(address)
            model = {a: w for a, w in model.items() if not may_be_same(address, a)}
            words.set(address, word := Word(None, 1, Static(0), (None, 0)))
            model[address] = word
        elif source.random() < 0.2:
            model = {a: w for a, w in model.items() if w.store is None}
            if action == "observe":
                words.observe()
            else:
                words = words.seen()
        assert [words.get(a) for a in every] == [model.get(a) for a in every]
