/* Loaded before the C library (LD_PRELOAD): makes the Nth change to a folder fail, as a broken or full disk would.

   Counted are the calls that change something under the folder: writes, truncations, syncs, and files that are made,
   renamed or removed. A write that fails has written its first half, so that torn pages are met too. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static char folder[PATH_MAX];
static long calls, fails_at;
static int fails_with, fails_on;

/* From now on call number `at` fails with `error`; with `lasting` all later ones do too. 0 only counts. */
void failing_io_arm(const char *under, long at, int error, int lasting) {
  snprintf(folder, sizeof folder, "%s", under);
  calls = 0;
  fails_at = at;
  fails_with = error;
  fails_on = lasting;
}

/* How many calls were counted; nothing fails any more. */
long failing_io_disarm(void) {
  folder[0] = 0;
  return calls;
}

static int fails(const char *path) {
  if (!folder[0] || strncmp(path, folder, strlen(folder)) != 0) return 0;
  calls++;
  if (!fails_at || (fails_on ? calls < fails_at : calls != fails_at)) return 0;
  errno = fails_with;
  return 1;
}

static int fails_fd(int fd) {
  char link[64], path[PATH_MAX];
  if (!folder[0]) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return 0;
  path[size] = 0;
  return fails(path);
}

static int creates(const char *path, int flags) {
  struct stat found;
  return folder[0] && (flags & O_CREAT) && stat(path, &found) != 0;
}

#define REAL(name) \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *data, size_t size) {
  REAL(write);
  if (!fails_fd(fd)) return real(fd, data, size);
  real(fd, data, size / 2);
  errno = fails_with;
  return -1;
}

#define POSITIONED_WRITE(name, offset_t) \
  ssize_t name(int fd, const void *data, size_t size, offset_t offset) { \
    REAL(name); \
    if (!fails_fd(fd)) return real(fd, data, size, offset); \
    real(fd, data, size / 2, offset); \
    errno = fails_with; \
    return -1; \
  }
POSITIONED_WRITE(pwrite, off_t)
POSITIONED_WRITE(pwrite64, off64_t)

#define ON_DESCRIPTOR(name, parameters, arguments) \
  int name parameters { \
    REAL(name); \
    return fails_fd(fd) ? -1 : real arguments; \
  }
ON_DESCRIPTOR(ftruncate, (int fd, off_t size), (fd, size))
ON_DESCRIPTOR(ftruncate64, (int fd, off64_t size), (fd, size))
ON_DESCRIPTOR(fsync, (int fd), (fd))
ON_DESCRIPTOR(fdatasync, (int fd), (fd))

#define ON_PATH(name, parameters, arguments) \
  int name parameters { \
    REAL(name); \
    return fails(path) ? -1 : real arguments; \
  }
ON_PATH(rename, (const char *path, const char *to), (path, to))
ON_PATH(unlink, (const char *path), (path))
ON_PATH(mkdir, (const char *path, mode_t mode), (path, mode))

#define OPENS(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    if (creates(path, flags) && fails(path)) return -1; \
    return real(path, flags, mode); \
  }
OPENS(open)
OPENS(open64)
