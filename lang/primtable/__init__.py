"""The rows of the primitive table, by kind of data; `lang.prims` puts them together."""
