"""Back ends: IL as Scheme, Python and C, and C as callables."""
