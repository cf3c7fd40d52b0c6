"""The signal library: packed samples of any layout, in the source language and from Python."""

DISTRIBUTION = "cogen-specializer"
"""What `cogen.foreign` looks for: a package of this name that lacks the line is not ours."""
