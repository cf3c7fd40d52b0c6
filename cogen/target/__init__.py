"""Back ends: IL as Scheme and Python; the C compiler, and C as callables."""
