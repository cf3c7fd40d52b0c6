/* Made by cogen from loops.scm: the residual program of down. */

#include <stdbool.h>
#include <stdint.h>

/* down, loops.scm:16:1 */
int64_t down(int64_t n)
{
    int64_t product = 1;
    for (int64_t i = n; i > 0; i -= 2) {
        product = i * product;
    }
    return product;
}
