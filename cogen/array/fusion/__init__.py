"""Fusion on the array graph: one rule a module; `cogen.array.fuse` applies them."""
