"""Kernels: residual programs of numbers and buffers -> one C function, and calls of it."""
