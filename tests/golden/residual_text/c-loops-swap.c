/* Made by cogen from loops.scm: the residual program of swap. */

#include <stdbool.h>
#include <stdint.h>

/* swap, loops.scm:75:1 */
int64_t swap(int64_t n, int64_t a, int64_t b)
{
    int64_t a_1 = a;
    int64_t b_1 = b;
    for (int64_t n_1 = n; n_1 != 0; n_1--) {
        const int64_t a_1_next = b_1;
        b_1 = a_1;
        a_1 = a_1_next;
    }
    return a_1 - b_1;
}
