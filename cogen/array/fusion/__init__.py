"""Fusion on the array graph: one rule a module; `cogen.array.fusion.fuse` applies them."""
