"""Native code for the whole language: IL -> C with its run time -> programs (docs/native.md)."""
