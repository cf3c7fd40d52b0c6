"""Native code for the whole language: IL -> C -> an executable (see docs/native.md)."""
