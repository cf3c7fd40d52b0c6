/* Made by cogen from words.scm: the residual program of table. */

#include <stdbool.h>
#include <stdint.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "words are little-endian: this code needs a little-endian machine"
#endif

typedef uint8_t word8 __attribute__((aligned(1), may_alias));

static const word8 cogen_literal_1[] = {
    2, 3, 5, 7, 11, 13, 17, 19
};

/* table, words.scm:33:1 */
int64_t table(int64_t i)
{
    const int64_t t = i & 7;
    return cogen_literal_1[t];
}
