"""Array programs as they are loaded, run, compiled and distributed: what users call."""
