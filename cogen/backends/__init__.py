"""Back ends: Scheme and Python by direct style; kernels and native code by the tree of C."""
