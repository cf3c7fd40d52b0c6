"""Array programs in the Scheme-like language: residual IL -> a program in L0."""
