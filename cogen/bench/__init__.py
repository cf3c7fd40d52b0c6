"""Benchmarks: ratios against named opponents, measured in one run.

`cogen bench [NAME ...]` runs them; the names are those of `cogen.bench.suite.BENCHES`.  Opponents
must agree on the answer before they are timed; their repetitions are interleaved, in another order
each time, so that a machine that changes speed changes it for all, and the median counts.
"""
