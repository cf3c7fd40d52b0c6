/* Made by cogen from interpreted.scm: the residual program of power. */

#include <stdbool.h>
#include <stdint.h>

/* power, interpreted.scm:9:1 */
int64_t power(int64_t x)
{
    const int64_t t = x * x;
    return x * (t * t);
}
