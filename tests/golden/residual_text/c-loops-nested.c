/* Made by cogen from loops.scm: the residual program of nested. */

#include <stdbool.h>
#include <stdint.h>

/* nested, loops.scm:20:1 */
int64_t nested(int64_t rows, int64_t columns)
{
    int64_t sum = 0;
    for (int64_t i = 0; i != rows; i++) {
        int64_t sum_1 = sum;
        for (int64_t j = 0; j != columns; j++) {
            sum_1 += i * j;
        }
        sum = sum_1;
    }
    return sum;
}
