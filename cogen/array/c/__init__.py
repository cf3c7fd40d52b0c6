"""Array code as C with OpenMP: files of C, what is around their loops, and how they are called."""
