"""The conversation with people: `cogen repl`."""
