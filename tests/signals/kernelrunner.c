/* Run kernels of a shared object on what standard input says: for each a record, the bytes to move
   and those to move them to; the latter are written to standard output. */

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    char name[40];
    int64_t in_bytes, in_at, out_bytes, out_at, samples;
    double scale;
} record;

typedef int64_t mover(const uint8_t *, int64_t, int64_t, uint8_t *, int64_t, int64_t, int64_t, double);

int main(int count, char **arguments)
{
    void *library = count == 2 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    record r;
    while (fread(&r, sizeof r, 1, stdin) == 1) {
        mover *move = (mover *)dlsym(library, r.name);
        uint8_t *in = malloc(r.in_bytes + 1), *out = malloc(r.out_bytes + 1);
        if (move == NULL || fread(in, 1, r.in_bytes, stdin) != (size_t)r.in_bytes
            || fread(out, 1, r.out_bytes, stdin) != (size_t)r.out_bytes) {
            return 2;
        }
        if (move(in, r.in_bytes, r.in_at, out, r.out_bytes, r.out_at, r.samples, r.scale)) {
            return 3;
        }
        fwrite(out, 1, r.out_bytes, stdout);
        free(in);
        free(out);
    }
    return 0;
}
