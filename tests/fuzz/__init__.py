"""Differential fuzzing: random programs, each carried out in many ways that must agree.

`make fuzz` runs it (`python -m tests.fuzz --help`); docs/testing.md says what was run.
"""
