"""The array graph: nodes, how they are made, checked, shown, read back and interpreted."""
