/* A kernel that a device must build and run. */

/* ---- probe ---- */
__kernel void probe(__global REAL *x) { x[get_global_id(0)] = exp(x[get_global_id(0)]); }
