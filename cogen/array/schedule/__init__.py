"""The order in which a graph is computed, and what is copied before it is overwritten."""
