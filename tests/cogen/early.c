/* For tests: a process that reads from pipes gets SIGINT when it has read as many bytes as
   EARLY_AFTER says, has found no more, and is about to wait: after Python has looked whether there
   are signals, and before the call that would be interrupted. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <unistd.h>

static long total;
static int told;

static int is_pipe(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
}

static void about_to_wait(int fd)
{
    const char *after = getenv("EARLY_AFTER");
    int waiting = 0;
    if (!told && after && total >= atol(after) && is_pipe(fd) && ioctl(fd, FIONREAD, &waiting) == 0
        && waiting == 0) {
        told = 1;
        raise(SIGINT);
    }
}

ssize_t read(int fd, void *buffer, size_t size)
{
    ssize_t (*const real)(int, void *, size_t) = dlsym(RTLD_NEXT, "read");
    about_to_wait(fd);
    const ssize_t got = real(fd, buffer, size);
    if (got > 0 && is_pipe(fd)) {
        total += got;
    }
    return got;
}

int select(int count, fd_set *reading, fd_set *writing, fd_set *other, struct timeval *limit)
{
    int (*const real)(int, fd_set *, fd_set *, fd_set *, struct timeval *) =
        dlsym(RTLD_NEXT, "select");
    for (int fd = 0; !limit && fd < count; fd++) {
        if (FD_ISSET(fd, reading)) {
            about_to_wait(fd);
        }
    }
    return real(count, reading, writing, other, limit);
}
