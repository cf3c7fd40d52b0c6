"""The language server: what editors ask of a program while it is written.

Texts become analyses (`scheme`, `l0`), which survive errors; answers are functions of analyses and
speak of offsets and spans.  `server` alone knows the protocol.
"""
