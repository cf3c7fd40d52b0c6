"""The operations that are extensions of the thesis' L0: their words, and what they take.

    bucketReduce(F, e, n, keys, a)      n buckets that start as e: bucket keys[i] becomes
                                        F(bucket, a[i]), for every i in order
    bucketCollect(n, keys, a)           {offsets, b}: the elements of a by key, 0 ... n-1, those of
                                        one key in their order; those of key k are b[offsets[k]] to
                                        b[offsets[k+1] - 1]
    groupBy(F, a)                       {keys, offsets, b}: likewise with the keys F(a[i]), which
                                        are numbered as they first occur
    reduceSegments(F, e, offsets, a)    the reduction of a[offsets[k]] to a[offsets[k+1] - 1], for
                                        every k
    flatMap(F, a)                       the arrays F(a[i]), one after the other
    distinct(a)                         the elements of a as they first occur, each once
    scatter(a, is, vs)                  a, with vs[i] at is[i] for every i in order; consumes a

The words are not reserved: before `(` they mean these, unless the program defines a function of
the name. Keys and indices out of bounds are errors; what has no bucket is filtered out before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

OPERANDS: Final[Mapping[str, tuple[str, ...]]] = {
    "bucketReduce": ("an initial value", "a number of buckets", "an array of keys", "an array"),
    "bucketCollect": ("a number of buckets", "an array of keys", "an array"),
    "groupBy": ("an array",),
    "reduceSegments": ("an initial value", "an array of offsets", "an array"),
    "flatMap": ("an array",),
    "distinct": ("an array",),
    "scatter": ("an array", "an array of indices", "an array of values"),
}
"""What each operation takes, after its function if it has one."""

WITH_FUNCTION: Final = ("bucketReduce", "groupBy", "reduceSegments", "flatMap")
"""Those whose first operand is a function."""

WITHOUT_FUNCTION: Final = tuple([word for word in OPERANDS if word not in WITH_FUNCTION])

NO_OFFSETS: Final = "segments have at least one offset, and there is none"
BAD_KEY: Final = "the key {} is out of bounds of {} buckets"
BAD_SEGMENT: Final = "the segment from {} to {} is not within an array of size {}"
"""What may go wrong while they run, beside what indexing, zip, replicate and reduce report."""
