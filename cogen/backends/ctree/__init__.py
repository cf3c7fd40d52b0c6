"""Trees of C: types, expressions, statements, files; their check and their printer."""
