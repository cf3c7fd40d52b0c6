"""Times of candidates in turns, and tables of what was measured: for benchmarks and experiments."""
