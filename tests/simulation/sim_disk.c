/* The functions below have the names of the C library; off_t has 64 bits anyway. */
#undef _FILE_OFFSET_BITS
#include "tests/simulation/sim_disk.h"

#include "tests/simulation/sim_threads.h"
#include "tests/simulation/sim_world.h"
#include "tools/common/status.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The copy of a file as last synced is in "synced", under its inode number. */
enum { PATH_SIZE = 64, SECTOR = 4096, BOOT_SIZE = 37 };

static void kept_path(ino_t number, char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "synced/%llu", (unsigned long long)number);
}

/* Returns true for a regular file of a simulated process, except its standard streams. */
static bool is_file(int file, struct stat *status)
{
    return sim_threads_are_simulated() && file > STDERR_FILENO && fstat(file, status) == 0 && S_ISREG(status->st_mode);
}

/* Counts a call. True: it fails, with errno set, like all calls from the drawn one on. */
static bool is_refused(sim_disk kind, int file, int why)
{
    struct stat status;
    sim_world *world = sim_world_now;
    if (!world->disk_fails_at || world->plan.disk != kind || !is_file(file, &status) ||
        ++world->disk_calls < world->disk_fails_at)
        return false;
    if (!world->disk_failed_us)
        world->disk_failed_us = world->now_us;
    errno = why;
    return true;
}

/* ---- a full disk, or a slow one ---- */

enum { SLOW_SIDES = 3, SLOW_US = 2000000 };

static void take_time(int file)
{
    struct stat status;
    bool is_slow = sim_world_now && sim_world_now->plan.disk == SIM_DISK_SLOW && is_file(file, &status);
    if (is_slow && sim_throw(SLOW_SIDES) == 0)
        sim_threads_sleep(sim_world_now->now_us + sim_throw(SLOW_US));
}

ssize_t write(int file, const void *bytes, size_t size)
{
    take_time(file);
    return is_refused(SIM_DISK_FULL, file, ENOSPC) ? -1 : syscall(SYS_write, file, bytes, size);
}

/* Logs and records are written with fwrite, unbuffered. */
size_t fwrite(const void *restrict bytes, size_t size, size_t count, FILE *restrict file)
{
    take_time(fileno(file));
    return fwrite_unlocked(bytes, size, count, file);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at)
{
    return is_refused(SIM_DISK_FULL, file, ENOSPC) ? -1 : syscall(SYS_pwrite64, file, bytes, size, at);
}

/* Does not allocate disk blocks: in a memory file system that costs more time than the writes. */
int fallocate(int file, int mode, off_t at, off_t size)
{
    struct stat status;
    if (is_refused(SIM_DISK_FULL, file, ENOSPC))
        return -1;
    if (!is_file(file, &status))
        return (int)syscall(SYS_fallocate, file, mode, at, size);
    bool grows = !(mode & FALLOC_FL_KEEP_SIZE) && at + size > status.st_size;
    return grows ? ftruncate(file, at + size) : 0;
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off_t at) __attribute__((alias("pwrite")));
int fallocate64(int file, int mode, off_t at, off_t size) __attribute__((alias("fallocate")));

/* ---- assertions of a library ---- */

_Noreturn void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function);

/* RocksDB fails an assertion in a compaction whose output has no key yet. Ends the life as the program would end. */
void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function)
{
    const sim_world *world = sim_world_now;
    bool is_known = world && world->disk_failed_us && strstr(function, "ExtractUserKey");
    fprintf(stderr, "%s:%u: %s: assertion %s failed\n", file, line, function, assertion);
    if (!is_known)
        abort();
    fprintf(stderr, "RocksDB: %s\n", strerror(world->plan.disk == SIM_DISK_FULL ? ENOSPC : EIO));
    _exit(CW_EXIT_LOCAL);
}

/* ---- syncing ---- */

/* Copies through another descriptor, since the file's own may be write-only. */
static void keep(int file, const struct stat *status)
{
    char from_path[PATH_SIZE];
    char to_path[PATH_SIZE];
    snprintf(from_path, sizeof from_path, "/proc/self/fd/%d", file);
    kept_path(status->st_ino, to_path);
    int from = (int)syscall(SYS_openat, AT_FDCWD, from_path, O_RDONLY | O_CLOEXEC);
    int to = (int)syscall(SYS_openat, AT_FDCWD, to_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (from < 0 || to < 0 || sendfile(to, from, NULL, (size_t)status->st_size) != (ssize_t)status->st_size)
        abort();
    close(from);
    close(to);
}

static int bring(int file)
{
    struct stat status;
    if (is_refused(SIM_DISK_FAILS, file, EIO))
        return -1;
    if (sim_world_now->plan.disk == SIM_DISK_FORGETS && is_file(file, &status))
        keep(file, &status);
    return 0;
}

int fsync(int file)
{
    return sim_threads_are_simulated() ? bring(file) : (int)syscall(SYS_fsync, file);
}

int fdatasync(int file)
{
    return sim_threads_are_simulated() ? bring(file) : (int)syscall(SYS_fdatasync, file);
}

/* ---- the power fails ---- */

/* The machine has a new boot id after a power cut. */
int open(const char *path, int flags, ...)
{
    char boot[BOOT_SIZE];
    va_list rest;
    va_start(rest, flags);
    mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    if (!sim_world_now || strcmp(path, "/proc/sys/kernel/random/boot_id") != 0)
        return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    snprintf(boot, sizeof boot, "00000000-0000-4000-8000-%012u", sim_world_now->cuts);
    int file = memfd_create("boot_id", MFD_CLOEXEC);
    if (file < 0 || syscall(SYS_write, file, boot, sizeof boot - 1) < 0 || lseek(file, 0, SEEK_SET))
        abort();
    return file;
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

static size_t size_of(const char *path)
{
    struct stat status;
    return stat(path, &status) ? 0 : (size_t)status.st_size;
}

static void load(const char *path, char *out, size_t size)
{
    FILE *file = size ? fopen(path, "r") : NULL;
    if (size && (!file || fread(out, 1, size, file) != size))
        abort();
    if (file)
        fclose(file);
}

/* Leaves a file as after a power cut: each sector that had been synced has its old or its new contents, and the file
 * ends at a length that the dice choose. */
static int tear(const char *path, const struct stat *status, int kind, struct FTW *)
{
    char old_path[PATH_SIZE];
    kept_path(status->st_ino, old_path);
    size_t size = (size_t)status->st_size;
    size_t old_size = size_of(old_path);
    char *bytes = calloc(1, size + old_size + 1);
    if (kind != FTW_F || !bytes) {
        free(bytes);
        return kind == FTW_F;
    }
    char *old = bytes + size;
    load(path, bytes, size);
    load(old_path, old, old_size);
    for (size_t i = 0; i < old_size && i < size; i += SECTOR) {
        size_t end = old_size < size ? old_size : size;
        if (sim_throw(2))
            memcpy(bytes + i, old + i, end - i < SECTOR ? end - i : SECTOR);
    }
    size_t kept = size < old_size ? size : old_size;
    if (kept < size && sim_throw(2))
        kept += sim_throw((uint32_t)(size - kept) + 1);
    FILE *file = fopen(path, "w");
    if (!file || fwrite(bytes, 1, kept, file) != kept || fclose(file))
        abort();
    free(bytes);
    return 0;
}

void sim_disk_cut(void)
{
    sim_world_now->cuts++;
    if (nftw("state", tear, 16, FTW_PHYS) && errno != ENOENT)
        abort();
}
