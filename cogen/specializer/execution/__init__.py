"""Symbolic execution: operations, calls, procedures, memo points."""
