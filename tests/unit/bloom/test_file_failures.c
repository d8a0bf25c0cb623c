/* A failed save, or a process that dies in one, leaves the complete old file or the complete new one, and nothing that
 * could be mistaken for it.
 *
 * The system calls of a save are intercepted here, so that each can be made to fail, to do half of its work, or to be
 * the process's last. All of them are tried, one by one; then a process that saves again and again is killed from
 * outside. */
#include "files.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

TestSuite(bloom_file_failures, .init = make_folder, .fini = remove_folder);

typedef enum fate { RUNS, FAILS, IS_INTERRUPTED, DOES_HALF, DIES_BEFORE, DIES_HALFWAY, DIES_AFTER } fate;

static struct {
    fate fate;
    int at;     /* the only call that is affected, from 0 on */
    int calls;  /* so far */
    int teller; /* a descriptor that gets a byte before each call; 0: none */
} trap;

static fate next_fate(void)
{
    if (trap.teller && write(trap.teller, "", 1) != 1)
        _exit(1);
    fate met = trap.calls++ == trap.at ? trap.fate : RUNS;
    if (met == DIES_BEFORE)
        raise(SIGKILL);
    if (met == FAILS)
        errno = EIO;
    if (met == IS_INTERRUPTED)
        errno = EINTR;
    return met;
}

static long end_call(fate met, long result)
{
    if (met == DIES_HALFWAY || met == DIES_AFTER)
        raise(SIGKILL);
    return result;
}

ssize_t pwrite(int file, const void *data, size_t size, off_t offset)
{
    fate met = next_fate();
    if (met == FAILS || met == IS_INTERRUPTED)
        return -1;
    size_t some = met == DOES_HALF || met == DIES_HALFWAY ? (size + 1) / 2 : size;
    return end_call(met, syscall(SYS_pwrite64, file, data, some, offset));
}

int fsync(int file)
{
    fate met = next_fate();
    return met == FAILS || met == IS_INTERRUPTED ? -1 : (int)end_call(met, syscall(SYS_fsync, file));
}

int rename(const char *from, const char *to)
{
    fate met = next_fate();
    return met == FAILS ? -1 : (int)end_call(met, syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

#define OLD_KEYS 100
#define NEW_KEYS 3000

/* Some twenty system calls per save: 16 arrays, the header, both syncs and the rename. */
static crawl_bloom *create_of(uint64_t keys)
{
    crawl_bloom_options options = options_of(CRAWL_BLOOM_EXACT, 16000, 1e-3);
    options.shards = 16;
    crawl_bloom *bloom = create(&options);
    cr_assert_eq(add_range(bloom, 0, keys), 0);
    return bloom;
}

/* Loads the file and returns whether it is the old one or the new one. */
static uint64_t keys_at(const char *path)
{
    crawl_bloom *bloom = open_with(crawl_bloom_load, path);
    uint64_t count = stats_of(bloom).count;
    cr_assert(count == OLD_KEYS || count == NEW_KEYS);
    cr_assert_eq(count_range(bloom, 0, NEW_KEYS), count);
    crawl_bloom_free(bloom);
    return count;
}

static void set_trap(fate met, int at)
{
    trap.fate = met;
    trap.at = at;
    trap.calls = 0;
}

static unsigned open_files(void)
{
    unsigned count = 0;
    for (int file = 0; file < 256; file++)
        count += fcntl(file, F_GETFD) >= 0;
    return count;
}

/* Counts the calls of one save. */
static int count_calls(void)
{
    crawl_bloom *bloom = create_of(OLD_KEYS);
    set_trap(RUNS, -1);
    save(bloom, in_folder("filter"));
    crawl_bloom_free(bloom);
    return trap.calls;
}

Test(bloom_file_failures, each_system_call_may_fail)
{
    int calls = count_calls();
    cr_assert_geq(calls, 20);
    crawl_bloom *bloom = create_of(NEW_KEYS);
    unsigned files = open_files();
    for (int at = 0; at < calls; at++) {
        crawl_error error = {0};
        set_trap(FAILS, at);
        cr_assert_eq(crawl_bloom_save(bloom, in_folder("filter"), &error), CRAWL_EIO);
        cr_assert(strstr(error.message, in_folder("filter")) && strstr(error.message, "Input/output error"), "%s",
                  error.message);
        cr_assert_eq(count_files(false), 1, "the temporary file is gone");
        cr_assert_eq(open_files(), files);
        /* The last call syncs the name to the disk; the file is already the new one. */
        cr_assert_eq(keys_at(in_folder("filter")), at + 1 < calls ? OLD_KEYS : NEW_KEYS);
    }
    crawl_bloom_free(bloom);
}

Test(bloom_file_failures, short_writes_and_interrupts_are_no_failures)
{
    int calls = count_calls();
    crawl_bloom *bloom = create_of(NEW_KEYS);
    for (int at = 0; at < calls; at++) {
        for (int i = 0; i < 2; i++) {
            if (i == 1 && at == calls - 2)
                continue; /* rename is not interrupted */
            set_trap(i ? IS_INTERRUPTED : DOES_HALF, at);
            save(bloom, in_folder("filter"));
            cr_assert_geq(trap.calls, calls);
            cr_assert_eq(keys_at(in_folder("filter")), NEW_KEYS);
        }
    }
    crawl_bloom_free(bloom);
}

/* A leftover temporary file has another name, and is refused unless it is complete. */
static void check_leftovers(void)
{
    DIR *list = opendir(folder);
    for (struct dirent *entry; (entry = readdir(list));) {
        size_t size = strlen(entry->d_name);
        if (size < 5 || strcmp(entry->d_name + size - 4, ".tmp") != 0)
            continue;
        crawl_bloom *bloom = NULL;
        crawl_err err = crawl_bloom_load(in_folder(entry->d_name), &bloom, NULL);
        crawl_bloom_free(bloom);
        cr_assert(err == CRAWL_OK ? keys_at(in_folder(entry->d_name)) : err == CRAWL_ECORRUPT);
        unlinkat(dirfd(list), entry->d_name, 0);
    }
    closedir(list);
    cr_assert_eq(count_files(false), 1);
}

static void die_while_saving(const crawl_bloom *bloom, fate met, int at)
{
    pid_t child = fork();
    if (child == 0) {
        set_trap(met, at);
        crawl_bloom_save(bloom, in_folder("filter"), NULL);
        _exit(0);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

Test(bloom_file_failures, a_process_may_die_in_any_of_them)
{
    int calls = count_calls();
    crawl_bloom *old = create_of(OLD_KEYS), *bloom = create_of(NEW_KEYS);
    for (int at = 0; at < calls; at++) {
        for (fate met = DIES_BEFORE; met <= DIES_AFTER; met++) {
            set_trap(RUNS, -1);
            save(old, in_folder("filter"));
            die_while_saving(bloom, met, at);
            bool renamed = at == calls - 1 || (at == calls - 2 && met != DIES_BEFORE);
            cr_assert_eq(keys_at(in_folder("filter")), renamed ? NEW_KEYS : OLD_KEYS, "call %d", at);
            check_leftovers();
        }
    }
    crawl_bloom_free(old);
    crawl_bloom_free(bloom);
}

/* Saves the two in turn, and reports each system call before it makes it. */
static void save_for_ever(const crawl_bloom *old, const crawl_bloom *bloom, int teller)
{
    set_trap(RUNS, -1);
    trap.teller = teller;
    for (int i = 0;; i++)
        crawl_bloom_save(i % 2 ? bloom : old, in_folder("filter"), NULL);
}

Test(bloom_file_failures, a_process_may_be_killed_at_any_moment)
{
    enum { ROUNDS = 60 };
    crawl_bloom *old = create_of(OLD_KEYS), *bloom = create_of(NEW_KEYS);
    save(old, in_folder("filter"));
    unsigned seen[2] = {0};
    for (uint64_t round = 0; round < ROUNDS; round++) {
        int ends[2];
        cr_assert_eq(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0)
            save_for_ever(old, bloom, ends[1]);
        close(ends[1]);
        char byte;
        for (uint64_t calls = 1 + mix(round) % 90; calls; calls--)
            cr_assert_eq(read(ends[0], &byte, 1), 1);
        cr_assert_eq(kill(child, SIGKILL), 0);
        cr_assert_eq(waitpid(child, NULL, 0), child);
        close(ends[0]);
        seen[keys_at(in_folder("filter")) == NEW_KEYS]++;
        check_leftovers();
    }
    cr_assert(seen[0] && seen[1]);
    crawl_bloom_free(old);
    crawl_bloom_free(bloom);
}
