/* See fence.h. A step that the kernel does not support is skipped only if another one covers it: without Landlock
 * the user and the namespaces remain. */
#include "render/fence.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/fence_parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <pwd.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* User ids that systemd's table (UIDS-GIDS) leaves unassigned. */
enum { FREE_UID_FIRST = 60578, FREE_UID_COUNT = 606 };

/* A page that fills its heap ends at 1 GiB, which is enough for React, Vue and pages full of pictures. Never
 * RLIMIT_AS: V8 reserves terabytes. */
#define DATA_MAX ((rlim_t)1 << 30)
#define FILES_MAX ((rlim_t)4096)

#ifndef CW_FENCE_ARCH
#error "render/ knows the system calls of x86-64 and arm64 alone: configure with -DCRAWL_RENDER=OFF"
#endif

/* --- before fork --- */

static uid_t fence_free_uid(void)
{
    for (unsigned i = 0; i < FREE_UID_COUNT; i++) {
        uid_t uid = FREE_UID_FIRST + ((unsigned)getpid() + i) % FREE_UID_COUNT;
        if (!getpwuid(uid))
            return uid;
    }
    return FREE_UID_FIRST;
}

bool cw_render_fence_may_own(uid_t uid)
{
    bool is_free = uid >= FREE_UID_FIRST && uid < FREE_UID_FIRST + FREE_UID_COUNT;
    return uid == geteuid() || (geteuid() == 0 && is_free);
}

/* A container that maps a single user has no free id; the namespace then shows root as another user. */
crawl_err cw_render_fence_plan(cw_render_fence *fence, const char *program, const char *folder, crawl_error *error)
{
    *fence = (cw_render_fence){.program = program, .folder = folder};
    unsigned uid = geteuid(), gid = getegid(), shown = uid ? uid : fence_free_uid();
    if (uid == 0 && !chown(folder, shown, shown))
        fence->uid = fence->gid = uid = gid = shown;
    else if (uid == 0 && errno != EINVAL)
        return cw_error_of_file(error, folder);
    snprintf(fence->uid_map, sizeof fence->uid_map, "%u %u 1", shown, uid);
    snprintf(fence->gid_map, sizeof fence->gid_map, "%u %u 1", uid ? gid : shown, gid);
    return CRAWL_OK;
}

/* --- users and namespaces, in the child --- */

static bool fence_write(const char *path, const char *text)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    size_t size = strlen(text);
    bool is_written = file >= 0 && write(file, text, size) == (ssize_t)size;
    int number = errno;
    if (file >= 0)
        close(file);
    errno = number;
    return is_written;
}

/* Enters a network namespace without a device: by the rights of root, or within a user namespace. */
static bool fence_leave_network(const cw_render_fence *fence)
{
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
        return false;
    return fence_write("/proc/self/setgroups", "deny") && fence_write("/proc/self/uid_map", fence->uid_map) &&
           fence_write("/proc/self/gid_map", fence->gid_map);
}

static bool fence_become_user(const cw_render_fence *fence)
{
    if (setgroups(0, NULL) || setresgid(fence->gid, fence->gid, fence->gid) ||
        setresuid(fence->uid, fence->uid, fence->uid))
        return false;
    return !prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* otherwise /proc/self/uid_map stays root's */
}

static const char *fence_raise_user(const cw_render_fence *fence)
{
    bool is_offline = fence->uid && !unshare(CLONE_NEWNET);
    if (fence->uid && !fence_become_user(fence))
        return "user";
    return is_offline || fence_leave_network(fence) ? NULL : "namespaces";
}

/* --- Landlock --- */

#define READ_FILES (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define READ_AND_RUN (READ_FILES | LANDLOCK_ACCESS_FS_EXECUTE)
#define WRITE_TOO (READ_FILES | LANDLOCK_ACCESS_FS_WRITE_FILE)
#define ALL_OF_FILES (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE)

static const struct {
    const char *path;
    __u64 rights;
} fence_paths[] = {
    {"/usr", READ_AND_RUN},
    {"/lib", READ_AND_RUN},
    {"/lib64", READ_AND_RUN},
    {"/bin", READ_AND_RUN},
    {"/etc/fonts", READ_FILES},
    {"/etc/chromium", READ_FILES},
    {"/sys", READ_FILES},
    {"/var/cache/fontconfig", READ_FILES},
    {"/etc/ld.so.cache", LANDLOCK_ACCESS_FS_READ_FILE},
    {"/etc/passwd", LANDLOCK_ACCESS_FS_READ_FILE},
    {"/etc/group", LANDLOCK_ACCESS_FS_READ_FILE},
    {"/etc/nsswitch.conf", LANDLOCK_ACCESS_FS_READ_FILE},
    {"/etc/localtime", LANDLOCK_ACCESS_FS_READ_FILE},
    {"/proc", WRITE_TOO | LANDLOCK_ACCESS_FS_EXECUTE}, /* uid_map and oom_score_adj; /proc/self/exe is run */
    {"/dev/null", ALL_OF_FILES},
    {"/dev/zero", ALL_OF_FILES},
    {"/dev/full", ALL_OF_FILES},
    {"/dev/random", LANDLOCK_ACCESS_FS_READ_FILE},
    {"/dev/urandom", LANDLOCK_ACCESS_FS_READ_FILE},
    {"/dev/shm", CW_FENCE_ALL_RIGHTS},
};

/* A program outside the system's folders has its data files in its own folder. */
static bool landlock_allow_program(int rules, const char *program)
{
    char folder[4096];
    size_t size = cw_find_last(crawl_slice_from(program), '/');
    if (size == 0 || size >= sizeof folder)
        return true;
    memcpy(folder, program, size);
    folder[size] = '\0';
    return cw_fence_allow(rules, folder, READ_AND_RUN);
}

static bool fence_raise_landlock(const cw_render_fence *fence)
{
    int rules = cw_fence_begin_rules();
    if (rules < 0)
        return errno == ENOSYS || errno == EOPNOTSUPP; /* this kernel has none */
    bool is_allowed =
        cw_fence_allow(rules, fence->folder, CW_FENCE_ALL_RIGHTS) && landlock_allow_program(rules, fence->program);
    for (size_t i = 0; i < sizeof fence_paths / sizeof *fence_paths && is_allowed; i++)
        is_allowed = cw_fence_allow(rules, fence_paths[i].path, fence_paths[i].rights);
    if (!is_allowed)
        close(rules);
    return is_allowed && cw_fence_enforce_rules(rules);
}

/* --- system calls --- */

/* The second set of system calls of x86-64, "x32", would bypass the filter. */
#define OTHER_NUMBERS 0x40000000u

/* socket() for a network fails with EAFNOSUPPORT: a second fence behind the namespace. io_uring makes sockets too. */
static bool fence_raise_filter(void)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CW_FENCE_ARCH, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, OTHER_NUMBERS, 8, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_io_uring_setup, 7, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_socket, 0, 7),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_PACKET, 0, 2),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAFNOSUPPORT),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {.len = sizeof steps / sizeof *steps, .filter = steps};
    return !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
}

const char *cw_render_fence_raise(const cw_render_fence *fence)
{
    const char *step = fence_raise_user(fence);
    if (step)
        return step;
    if (!cw_fence_limit(RLIMIT_DATA, DATA_MAX) || !cw_fence_limit(RLIMIT_CORE, 0) ||
        !cw_fence_limit(RLIMIT_NOFILE, FILES_MAX))
        return "limits";
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || !fence_raise_landlock(fence))
        return "landlock";
    return fence_raise_filter() ? NULL : "filter";
}

crawl_err cw_render_fence_words(const char *step, int number, crawl_error *error)
{
    const char *name = strerrorname_np(number);
    if (strcmp(step, "namespaces") == 0)
        return crawl_error_set(error, CRAWL_REFUSED,
                               "this system refuses user namespaces (%s), so the browser has no sandbox; see "
                               "docs/render.md. It is not started without one",
                               name ? name : strerror(number));
    return crawl_error_set(error, CRAWL_REFUSED, "cannot raise the fence around the browser (%s: %s)", step,
                           strerror(number));
}

/* --- the processes, from outside --- */

bool cw_render_fence_is_boxed(const cw_render_process *processes, size_t count, pid_t group)
{
    uint64_t filters = 0;
    bool is_page_there = false, is_boxed = true;
    for (size_t i = 0; i < count; i++)
        filters = processes[i].pid == group ? processes[i].filters : filters;
    for (size_t i = 0; i < count; i++) {
        is_page_there = is_page_there || processes[i].is_page;
        if (processes[i].is_page)
            is_boxed = is_boxed && processes[i].is_in_namespace && processes[i].filters > filters;
    }
    return is_page_there && is_boxed;
}

/* Reads a file of /proc as a text of at most size - 1 bytes; NULs become spaces. */
static crawl_slice proc_read(pid_t pid, const char *name, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? 0 : read(file, text, size - 1);
    if (file >= 0)
        close(file);
    got = got < 0 ? 0 : got;
    for (ssize_t i = 0; i < got; i++)
        text[i] = text[i] ? text[i] : ' ';
    text[got] = '\0';
    return crawl_slice_of(text, (size_t)got);
}

static crawl_slice proc_value(crawl_slice status, const char *name)
{
    while (status.size) {
        crawl_slice line = cw_cut_line(&status);
        if (cw_take_text(&line, name))
            return cw_trim(line);
    }
    return (crawl_slice){0};
}

static uint64_t proc_number(crawl_slice status, const char *name)
{
    crawl_slice value = proc_value(status, name);
    return value.size ? strtoull(value.data, NULL, 10) : 0;
}

/* Reads the facts of a process. False: it has ended, and waits to be reaped. */
static bool proc_look(pid_t pid, cw_render_process *process)
{
    char text[4096];
    crawl_slice status = proc_read(pid, "status", text, sizeof text);
    crawl_slice pids = proc_value(status, "NSpid:"); /* one for each of its namespaces */
    bool is_boxed = crawl_slice_equal(proc_value(status, "NoNewPrivs:"), crawl_slice_from("1"));
    *process = (cw_render_process){
        .pid = pid,
        .is_in_namespace = is_boxed && cw_find_char(pids, '\t') < pids.size,
        .filters = proc_number(status, "Seccomp_filters:"),
        .memory = (proc_number(status, "RssAnon:") + proc_number(status, "RssShmem:")) * 1024,
    };
    return status.size && !cw_starts_with(proc_value(status, "State:"), "Z");
}

void cw_render_fence_find_pages(cw_render_process *processes, size_t count)
{
    char text[4096];
    for (size_t i = 0; i < count; i++)
        processes[i].is_page =
            strstr(proc_read(processes[i].pid, "cmdline", text, sizeof text).data, "--type=renderer") != NULL;
}

size_t cw_render_fence_look(pid_t group, cw_render_process *processes, size_t most)
{
    size_t count = 0;
    DIR *all = opendir("/proc");
    for (struct dirent *entry; all && (entry = readdir(all));) {
        pid_t pid = (pid_t)atoi(entry->d_name);
        if (count < most && pid > 0 && getpgid(pid) == group)
            count += proc_look(pid, &processes[count]);
    }
    if (all)
        closedir(all);
    return count;
}
