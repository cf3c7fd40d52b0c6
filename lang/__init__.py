"""The language: reader, expander, IL, interpreter and the primitive table.

Imports nothing of `cogen` or `signals`.
"""

DISTRIBUTION = "cogen-specializer"
"""What `cogen.foreign` looks for: a package of this name that lacks the line is not ours."""
