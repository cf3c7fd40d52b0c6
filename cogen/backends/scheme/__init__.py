"""Residual programs as Scheme for people."""
