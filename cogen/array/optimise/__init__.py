"""Optimises graphs: which passes there are, in which order, and what they ask."""
