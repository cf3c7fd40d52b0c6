/* Made by cogen from loops.scm: the residual program of even-steps. */

#include <stdbool.h>
#include <stdint.h>

/* even-steps, loops.scm:68:1 */
bool even_steps(int64_t n, bool up)
{
    if (n < 1) {
        return up;
    }
    const int64_t t = n - 1;
    int64_t n_4;
    int64_t n_5;
    int64_t n_1;
    int64_t n_2;
    if (!up) {
        n_4 = t;
        n_5 = n;
        goto odd_steps_2;
    }
    n_1 = t;
    n_2 = n;
odd_steps_1:;
    if (n_1 < 1) {
        return n_2 >= 100;
    }
    const int64_t n_3 = n_1 - 1;
    if (n_3 < 1) {
        return n_2 < 100;
    }
    const int64_t t_1 = n_3 - 1;
    if (n_2 < 100) {
        n_1 = t_1;
        n_2 = n_3;
        goto odd_steps_1;
    }
    n_4 = t_1;
    n_5 = n_3;
odd_steps_2:;
    if (n_4 < 1) {
        return n_5 <= 5;
    }
    const int64_t n_6 = n_4 - 1;
    if (n_6 < 1) {
        return n_5 > 5;
    }
    const int64_t t_2 = n_6 - 1;
    if (n_5 > 5) {
        n_1 = t_2;
        n_2 = n_6;
        goto odd_steps_1;
    }
    n_4 = t_2;
    n_5 = n_6;
    goto odd_steps_2;
}
