/* Made by cogen from loops.scm: the residual program of collatz. */

#include <stdbool.h>
#include <stdint.h>

/* collatz, loops.scm:35:1 */
int64_t collatz(int64_t n)
{
    int64_t steps = 0;
    int64_t n_1 = n;
    while (n_1 != 1) {
        if ((n_1 & 1) == 0) {
            steps++;
            n_1 = n_1 / 2;
        } else {
            steps++;
            n_1 = 3 * n_1 + 1;
        }
    }
    return steps;
}
