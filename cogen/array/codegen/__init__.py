"""Makes loops of scheduled graphs: what C and OpenCL have in common."""
