"""Native code for the whole language."""
