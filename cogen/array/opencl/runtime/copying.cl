/* Kernels that copy arrays with any strides, and transpose, of elements of a TYPE
   (cogen/array/opencl/devicememory.py). */

/* ---- copy ---- */
/* y[i, ...] = x[i, ...]; the layout has the rank, then of each dimension its size, and the strides
   of y and x. */
__kernel void copy_TYPE(__global TYPE *y, const int64_t y_offset, __global const TYPE *x,
                        const int64_t x_offset, __global const int64_t *layout,
                        const int64_t count)
{
    int64_t at = get_global_id(0);
    if (at >= count) {
        return;
    }
    int64_t to = y_offset;
    int64_t from = x_offset;
    for (int64_t k = layout[0] - 1; k >= 0; k--) {
        const int64_t index = at % layout[1 + 3 * k];
        at /= layout[1 + 3 * k];
        to += index * layout[2 + 3 * k];
        from += index * layout[3 + 3 * k];
    }
    y[to] = x[from];
}

/* ---- turn ---- */
/* y[k, i, j] = x[k, j, i]: squares of TILE x TILE elements are read along the rows of x and written
   along those of y. */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void turn_TYPE(__global TYPE *restrict y, __global const TYPE *restrict x, const int64_t x_offset,
               const int64_t rows, const int64_t columns)
{
    __local TYPE tile[TILE][TILE + 1];
    const int64_t whole = get_global_id(2) * rows * columns;
    const int64_t i = get_group_id(0) * TILE;
    const int64_t j = get_group_id(1) * TILE;
    const int64_t a = get_local_id(0);
    const int64_t b = get_local_id(1);
    if (j + b < columns && i + a < rows) {
        tile[b][a] = x[x_offset + whole + (j + b) * rows + i + a];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i + b < rows && j + a < columns) {
        y[whole + (i + b) * columns + j + a] = tile[a][b];
    }
}
