"""Array code as kernels of OpenCL, and the host that has them run."""
