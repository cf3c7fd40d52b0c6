"""The language: reader, expander, IL, interpreter and the primitive table.

Imports nothing of `cogen` or `signals`.
"""
