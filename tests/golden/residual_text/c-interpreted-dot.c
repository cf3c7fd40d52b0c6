/* Made by cogen from interpreted.scm: the residual program of dot. */

#include <stdbool.h>
#include <stdint.h>

/* dot, interpreted.scm:39:1 */
double dot(double ys, double ys_1, double ys_2)
{
    return 2.0 * ys + (0.0 * ys_1 + 5.0 * ys_2);
}
