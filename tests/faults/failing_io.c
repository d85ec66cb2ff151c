/* Loaded before the C library (LD_PRELOAD): makes the Nth change to a folder fail, as a broken or full disk would.

   Counted are the calls that change something under the folder: (w)rites, (t)runcations, (s)yncs, and files or folders
   that are (c)reated, (r)enamed or (u)nlinked. A write that fails has written its first half, so that torn pages are
   met too. A full disk still renames, removes and syncs. A sync that does not fail is left out: only power loss would
   show the difference, and thousands of them are slow. */

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

enum { CALLS_MAX = 1 << 16 };
static char folder[PATH_MAX], kinds[CALLS_MAX];
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

/* The kinds of the calls that were counted, a letter each; nothing fails any more. */
const char *failing_io_disarm(void) {
  folder[0] = 0;
  kinds[calls] = 0;
  return kinds;
}

static int fails(char kind, const char *path) {
  if (!folder[0] || strncmp(path, folder, strlen(folder)) != 0 || calls + 1 >= CALLS_MAX) return 0;
  kinds[calls++] = kind;
  if (!fails_at || (fails_on ? calls < fails_at : calls != fails_at)) return 0;
  if (fails_with == ENOSPC && kind != 'w' && kind != 'c') return 0;
  errno = fails_with;
  return 1;
}

static int fails_fd(char kind, int fd) {
  char link[64], path[PATH_MAX];
  if (!folder[0]) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return 0;
  path[size] = 0;
  return fails(kind, path);
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
  if (!fails_fd('w', fd)) return real(fd, data, size);
  real(fd, data, size / 2);
  errno = fails_with;
  return -1;
}

#define POSITIONED_WRITE(name, offset_t) \
  ssize_t name(int fd, const void *data, size_t size, offset_t offset) { \
    REAL(name); \
    if (!fails_fd('w', fd)) return real(fd, data, size, offset); \
    real(fd, data, size / 2, offset); \
    errno = fails_with; \
    return -1; \
  }
POSITIONED_WRITE(pwrite, off_t)
POSITIONED_WRITE(pwrite64, off64_t)

#define TRUNCATES(name, size_type) \
  int name(int fd, size_type size) { \
    REAL(name); \
    return fails_fd('t', fd) ? -1 : real(fd, size); \
  }
TRUNCATES(ftruncate, off_t)
TRUNCATES(ftruncate64, off64_t)

#define SYNCS(name) \
  int name(int fd) { \
    REAL(name); \
    if (fails_fd('s', fd)) return -1; \
    return folder[0] ? 0 : real(fd); \
  }
SYNCS(fsync)
SYNCS(fdatasync)

int rename(const char *from, const char *to) {
  REAL(rename);
  return fails('r', from) ? -1 : real(from, to);
}

int unlink(const char *path) {
  REAL(unlink);
  return fails('u', path) ? -1 : real(path);
}

int mkdir(const char *path, mode_t mode) {
  REAL(mkdir);
  return fails('c', path) ? -1 : real(path, mode);
}

#define OPENS(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    if (creates(path, flags) && fails('c', path)) return -1; \
    return real(path, flags, mode); \
  }
OPENS(open)
OPENS(open64)
