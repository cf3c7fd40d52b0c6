"""The specializer: from IL and binding times to residual IL."""
