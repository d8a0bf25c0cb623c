/* Tests the fence from inside and from outside. */
#include "base/process.h"
#include "render/fence.h"
#include "render/folder.h"
#include "render/spawn.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_refused(int domain)
{
    int descriptor = socket(domain, SOCK_STREAM, 0);
    return descriptor < 0 && errno == EAFNOSUPPORT;
}

static bool can_open(const char *path, int how)
{
    return open(path, how, 0600) >= 0;
}

/* Checks the rules from behind the fence. Returns 0, or the line number of the first check that failed. */
static int look_from_inside(const cw_render_fence *fence)
{
    struct rlimit limit;
    char own[160];
    snprintf(own, sizeof own, "%s/own", fence->folder);
    if (geteuid() == 0)
        return __LINE__;
    if (!is_refused(AF_INET) || !is_refused(AF_INET6) || !is_refused(AF_NETLINK) || !is_refused(AF_PACKET))
        return __LINE__;
    if (socket(AF_UNIX, SOCK_STREAM, 0) < 0)
        return __LINE__;
    if (syscall(SYS_io_uring_setup, 1, NULL) != -1 || errno != ENOSYS)
        return __LINE__;
    if (access("/sys/class/net/lo", F_OK) == 0 && can_open("/proc/net/route", O_RDONLY)) {
        char text[4096] = "";
        int routes = open("/proc/net/route", O_RDONLY);
        ssize_t got = read(routes, text, sizeof text - 1);
        if (got > 0 && strchr(text, '\n') && strchr(text, '\n')[1])
            return __LINE__; /* it has a route, so it is not a namespace of its own */
    }
    if (can_open("/etc/hostname", O_RDONLY) || can_open("/etc/shadow", O_RDONLY) || can_open("/tmp", O_RDONLY))
        return __LINE__;
    if (!can_open("/etc/passwd", O_RDONLY) || !can_open("/usr/lib", O_RDONLY) || !can_open(own, O_RDWR | O_CREAT))
        return __LINE__;
    if (getrlimit(RLIMIT_DATA, &limit) || limit.rlim_max > (rlim_t)1 << 30)
        return __LINE__;
    return 0;
}

Test(fence, what_holds_inside)
{
    cw_render_folder folder;
    char path[sizeof folder.path];
    crawl_error error = {0};
    cw_render_fence fence;
    cr_assert_eq(cw_render_folder_make(&folder, &error), CRAWL_OK, "%s", error.message);
    cr_assert_eq(cw_render_fence_plan(&fence, "/usr/bin/true", folder.path, &error), CRAWL_OK, "%s", error.message);
    pid_t pid = fork();
    if (pid == 0) {
        const char *step = cw_render_fence_raise(&fence);
        _exit(!step ? look_from_inside(&fence) : strcmp(step, "namespaces") == 0 ? 255 : 254);
    }
    int status;
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    snprintf(path, sizeof path, "%s", folder.path);
    cw_render_folder_remove(&folder);
    cr_assert(access(path, F_OK), "the folder is removed with what is in it");
    cr_assert(WIFEXITED(status));
    if (WEXITSTATUS(status) == 255)
        cr_skip_test("this system refuses namespaces");
    cr_assert_eq(WEXITSTATUS(status), 0, "line %d", WEXITSTATUS(status));
}

Test(fence, a_page_outside_of_the_sandbox_is_seen)
{
    enum { GROUP = 10 };
    const cw_render_process browser = {.pid = GROUP, .filters = 1};
    const cw_render_process good = {.pid = 11, .is_page = true, .is_in_namespace = true, .filters = 2};
    cw_render_process all[3] = {browser, good, good};
    cr_assert(cw_render_fence_is_boxed(all, 3, GROUP));
    cr_assert_not(cw_render_fence_is_boxed(all, 1, GROUP), "there is no page");
    all[2].filters = 1;
    cr_assert_not(cw_render_fence_is_boxed(all, 3, GROUP), "one has our filter alone");
    all[2].filters = 2;
    all[2].is_in_namespace = false;
    cr_assert_not(cw_render_fence_is_boxed(all, 3, GROUP), "one is in no namespace of its own");
}

Test(fence, processes_of_a_group_are_looked_at)
{
    cw_render_process all[4];
    pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        for (;;)
            pause();
    }
    setpgid(pid, pid);
    cr_assert_eq(cw_render_fence_look(pid, all, 4), 1);
    cr_assert_eq(all[0].pid, pid);
    cr_assert_not(all[0].is_page);
    cr_assert_gt(all[0].memory, 0);
    cw_process_kill(pid);
    cr_assert_eq(cw_render_fence_look(pid, all, 4), 0);
}

Test(fence, words_for_a_step_that_failed)
{
    crawl_error error = {0};
    cr_assert_eq(cw_render_fence_words("namespaces", EPERM, &error), CRAWL_REFUSED);
    cr_assert(strstr(error.message, "refuses user namespaces (EPERM)"), "%s", error.message);
    cr_assert_eq(cw_render_fence_words("landlock", EINVAL, &error), CRAWL_REFUSED);
    cr_assert(strstr(error.message, "landlock"), "%s", error.message);
}
