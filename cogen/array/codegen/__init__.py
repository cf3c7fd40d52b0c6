"""The back ends of the array graph: C with OpenMP, and OpenCL."""
