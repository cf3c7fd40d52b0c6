"""Residual programs as Python."""
