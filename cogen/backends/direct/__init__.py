"""Residual programs in direct style, as the printers of Scheme and Python have them."""
