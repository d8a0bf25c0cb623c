/* See spawn.h. */
#include "render/spawn.h"

#include "base/error.h"
#include "base/process.h"
#include "render/fence.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The purpose of each:
 * - from no-startup-window to password-store: the browser has no page, request, report, sound or keyring of its own;
 * - disable-gpu: draws in software;
 * - block-new-web-contents, deny-permission-prompts: window.open gives null, and permissions are denied;
 * - run-all-compositor-stages-before-draw: draws frames on our command;
 * - js-flags: two runs get the same random numbers, and an endless heap ends at 512 MiB.
 * Never --no-sandbox, --single-process, --no-zygote, --disable-web-security. */
static const char *const spawn_flags[] = {
    "--headless",
    "--remote-debugging-pipe",
    "--no-startup-window",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-extensions",
    "--no-pings",
    "--disable-breakpad",
    "--mute-audio",
    "--hide-scrollbars",
    "--password-store=basic",
    "--block-new-web-contents",
    "--deny-permission-prompts",
    "--run-all-compositor-stages-before-draw",
    "--js-flags=--random-seed=1 --max-old-space-size=512",
};

enum { FLAGS = sizeof spawn_flags / sizeof *spawn_flags };

/* Everything the child reads, made before fork. */
typedef struct spawn_plan {
    cw_render_fence fence;
    crawl_buf texts[4]; /* the folder as a flag, HOME, TMPDIR, the user agent as a flag */
    char *argv[FLAGS + 4];
    char *environment[5];
    int reads, writes, errors, failure; /* ends of the child */
} spawn_plan;

/* The report of a child that did not reach the program. */
typedef struct spawn_failure {
    char step[16];
    int number;
} spawn_failure;

static crawl_err spawn_make_plan(spawn_plan *plan, const char *program, const char *folder, const char *user_agent)
{
    static char path[] = "PATH=/usr/bin:/bin", language[] = "LANG=C.UTF-8";
    size_t count = 0;
    if (crawl_buf_printf(&plan->texts[0], "--user-data-dir=%s", folder) ||
        crawl_buf_printf(&plan->texts[1], "HOME=%s", folder) ||
        crawl_buf_printf(&plan->texts[2], "TMPDIR=%s", folder) ||
        crawl_buf_printf(&plan->texts[3], "--user-agent=%s", user_agent ? user_agent : ""))
        return CRAWL_ENOMEM;
    plan->argv[count++] = (char *)program;
    for (size_t i = 0; i < FLAGS; i++)
        plan->argv[count++] = (char *)spawn_flags[i];
    plan->argv[count++] = plan->texts[0].data;
    if (user_agent)
        plan->argv[count++] = plan->texts[3].data;
    plan->environment[0] = plan->texts[1].data;
    plan->environment[1] = plan->texts[2].data;
    plan->environment[2] = path;
    plan->environment[3] = language;
    return CRAWL_OK;
}

/* --- the child --- */

enum { FAILURE_DESCRIPTOR = 5 };

/* Sets its descriptors: 0 and 1 to /dev/null, 2 for errors, 3 and 4 for the pipe, and one for failures, which exec
 * closes. */
static bool child_set_descriptors(const spawn_plan *plan)
{
    int nothing = open("/dev/null", O_RDWR);
    int high[5] = {nothing, plan->errors, plan->reads, plan->writes, plan->failure};
    for (int i = 0; i < 5; i++) /* first above all their targets */
        if ((high[i] = fcntl(high[i], F_DUPFD_CLOEXEC, 10)) < 0)
            return false;
    return dup2(high[0], 0) >= 0 && dup2(high[0], 1) >= 0 && dup2(high[1], 2) >= 0 && dup2(high[2], 3) >= 0 &&
           dup2(high[3], 4) >= 0 && dup3(high[4], FAILURE_DESCRIPTOR, O_CLOEXEC) >= 0 &&
           !syscall(SYS_close_range, FAILURE_DESCRIPTOR + 1, ~0U, 0);
}

static void child_reset_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
}

_Noreturn static void child_fail(int descriptor, const char *step)
{
    spawn_failure failure = {.number = errno};
    strncpy(failure.step, step, sizeof failure.step - 1);
    (void)!write(descriptor, &failure, sizeof failure);
    _exit(127);
}

_Noreturn static void child_run(const spawn_plan *plan, pid_t parent)
{
    setpgid(0, 0);
    child_reset_signals();
    if (!child_set_descriptors(plan))
        child_fail(plan->failure, "descriptors");
    const char *step = cw_render_fence_raise(&plan->fence);
    if (step)
        child_fail(FAILURE_DESCRIPTOR, step);
    /* After the change of user, which would reset it. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) || getppid() != parent)
        child_fail(FAILURE_DESCRIPTOR, "parent");
    execve(plan->argv[0], plan->argv, plan->environment);
    child_fail(FAILURE_DESCRIPTOR, "program");
}

/* --- the parent --- */

/* Waits until the program runs, which takes milliseconds. */
static crawl_err spawn_await(int failures, const char *program, crawl_error *error)
{
    spawn_failure failure;
    ssize_t got;
    do
        got = read(failures, &failure, sizeof failure);
    while (got < 0 && errno == EINTR);
    if (got != sizeof failure)
        return CRAWL_OK;
    if (strcmp(failure.step, "program") == 0)
        return crawl_error_set(error, CRAWL_EIO, "%s cannot be started: %s", program, strerror(failure.number));
    return cw_render_fence_words(failure.step, failure.number, error);
}

/* Pipes, read end first. */
typedef struct spawn_pipes {
    int to[2], from[2], errors[2], failures[2];
} spawn_pipes;

static void spawn_close_all(spawn_pipes *pipes)
{
    int *ends = (int *)pipes;
    for (size_t i = 0; i < sizeof *pipes / sizeof *ends; i++)
        cw_close(&ends[i]);
}

/* Makes large pipes if the user may have them, so that a page's HTML comes in few pieces. */
static bool spawn_open(spawn_pipes *pipes)
{
    enum { LARGE = 1 << 20 };
    *pipes = (spawn_pipes){{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
    if (pipe2(pipes->to, O_CLOEXEC) || pipe2(pipes->from, O_CLOEXEC) || pipe2(pipes->errors, O_CLOEXEC) ||
        pipe2(pipes->failures, O_CLOEXEC))
        return false;
    (void)fcntl(pipes->to[1], F_SETPIPE_SZ, LARGE);
    (void)fcntl(pipes->from[1], F_SETPIPE_SZ, LARGE);
    return true;
}

static crawl_err spawn_fork(spawn_plan *plan, cw_render_spawned *out, crawl_error *error)
{
    spawn_pipes pipes;
    pid_t parent = getpid(), pid = -1;
    if (spawn_open(&pipes)) {
        plan->reads = pipes.to[0];
        plan->writes = pipes.from[1];
        plan->errors = pipes.errors[1];
        plan->failure = pipes.failures[1];
        pid = fork();
    }
    if (pid == 0)
        child_run(plan, parent);
    if (pid < 0) {
        crawl_error_set(error, CRAWL_EIO, "no process for the browser: %s", strerror(errno));
        spawn_close_all(&pipes);
        return CRAWL_EIO;
    }
    setpgid(pid, pid);
    cw_close(&pipes.to[0]);
    cw_close(&pipes.from[1]);
    cw_close(&pipes.errors[1]);
    cw_close(&pipes.failures[1]);
    crawl_err err = spawn_await(pipes.failures[0], plan->argv[0], error);
    cw_close(&pipes.failures[0]);
    *out =
        (cw_render_spawned){.pid = pid, .ends = {.in = pipes.from[0], .out = pipes.to[1]}, .errors = pipes.errors[0]};
    if (err) {
        spawn_close_all(&pipes);
        cw_process_kill(pid);
    }
    return err;
}

crawl_err cw_render_spawn(const char *program, const char *folder, const char *user_agent, cw_render_spawned *out,
                          crawl_error *error)
{
    spawn_plan plan = {0};
    crawl_err err = spawn_make_plan(&plan, program, folder, user_agent);
    err = err ? cw_error(error, err) : cw_render_fence_plan(&plan.fence, program, folder, error);
    if (!err)
        err = spawn_fork(&plan, out, error);
    for (size_t i = 0; i < sizeof plan.texts / sizeof *plan.texts; i++)
        crawl_buf_free(&plan.texts[i]);
    return err;
}
