/* Made by cogen from interpreted.scm: the residual program of run. */

#include <stdbool.h>
#include <stdint.h>

/* run, interpreted.scm:15:1 */
int64_t run(int64_t argument)
{
    const int64_t t = 2 * argument;
    if (t < 10) {
        return t - argument;
    }
    return 100 - argument;
}
