"""Compiled code under the sanitizers of the C compiler: `make sanitize`."""
