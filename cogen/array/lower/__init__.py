"""L0's checked tree -> the array graph."""
