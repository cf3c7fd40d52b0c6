"""Fuzzing of everything that reads bytes: whatever the input, the end is a result or a diagnostic.

`make fuzz-bytes` runs it (`python -m tests.bytefuzz --help`); docs/testing.md says what was run.
"""
