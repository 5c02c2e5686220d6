/* The n-th write to a file below FAIL_BELOW fails with FAIL_ERRNO, and with FAIL_STAYS every later one too. Who has
   this library preloaded and forks may let writes_counted point to memory that it shares with its child. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static long seen;
long *writes_counted = &seen;

static int fails(int file) {
    char link[64], path[4096];
    const char *below = getenv("FAIL_BELOW"), *number = getenv("FAIL_AT");
    if (!below || !number) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    if (strncmp(path, below, strlen(below))) return 0;
    long now = __sync_add_and_fetch(writes_counted, 1), at = atoi(number);
    if (now != at && !(now > at && getenv("FAIL_STAYS"))) return 0;
    errno = atoi(getenv("FAIL_ERRNO"));
    return 1;
}

#define REAL(name, type, given, passed) \
    type name given { \
        static type (*real) given; \
        if (fails(file)) return -1; \
        if (!real) real = dlsym(RTLD_NEXT, #name); \
        return real passed; \
    }

REAL(write, ssize_t, (int file, const void *data, size_t n), (file, data, n))
REAL(pwrite, ssize_t, (int file, const void *data, size_t n, off_t at), (file, data, n, at))
REAL(pwrite64, ssize_t, (int file, const void *data, size_t n, off64_t at), (file, data, n, at))
REAL(writev, ssize_t, (int file, const struct iovec *parts, int n), (file, parts, n))
REAL(fsync, int, (int file), (file))
REAL(fdatasync, int, (int file), (file))
REAL(ftruncate, int, (int file, off_t n), (file, n))
REAL(ftruncate64, int, (int file, off64_t n), (file, n))
