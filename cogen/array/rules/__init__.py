"""Rules of the graph's smart constructors, in modules that are combined by listing them.

A module has `RULES`, which maps classes of nodes to functions: each takes the graph and a node that
was just made of simplified operands, and returns what stands for it, or None. What it returns is
made by the graph too, so it has been simplified. A rule must make progress: towards fewer or
cheaper operations, or towards one order of those that are there.
"""
