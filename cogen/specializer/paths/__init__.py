"""A path of residual code, and what operations on it may ask."""
