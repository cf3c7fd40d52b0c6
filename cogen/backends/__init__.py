"""Back ends that print C: one tree of C for all of them."""
