"""Back ends that print C: the tree of C that all have, and kernels."""
