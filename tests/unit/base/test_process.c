/* Child processes: start and end. */
#include "base/process.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DESCRIPTOR = 77 };

/* Returns a plan for a shell, with the streams of the test. */
static cw_process_plan plan_of(char **argv, const char *script)
{
    argv[0] = (char *)"sh";
    argv[1] = (char *)"-c";
    argv[2] = (char *)script;
    argv[3] = NULL;
    return (cw_process_plan){.program = "sh", .argv = argv, .streams = {-1, -1, -1}};
}

static int run(const cw_process_plan *plan)
{
    pid_t pid;
    cr_assert_eq(cw_process_start(plan, &pid), 0);
    return cw_process_wait(pid);
}

static void set_descriptor(int flags)
{
    int file = open("/dev/null", O_RDONLY);
    cr_assert_geq(file, 0);
    cr_assert_eq(dup3(file, DESCRIPTOR, flags), DESCRIPTOR);
    close(file);
}

Test(process, has_the_streams_that_it_was_given)
{
    char *argv[4], got[16] = "";
    int pipes[2];
    cr_assert_eq(pipe2(pipes, O_CLOEXEC), 0);
    cw_process_plan plan = plan_of(argv, "printf out; printf err >&2");
    plan.streams[1] = plan.streams[2] = pipes[1];
    cr_assert_eq(run(&plan), 0);
    cr_assert_eq(read(pipes[0], got, sizeof got - 1), 6);
    cr_assert_str_eq(got, "outerr");
}

Test(process, has_our_environment_or_the_one_that_it_was_given)
{
    char *argv[4];
    setenv("NAME", "ours", 1);
    cw_process_plan plan = plan_of(argv, "test \"$NAME\" = ours");
    cr_assert_eq(run(&plan), 0);
    plan.environment = (char *const[]){(char *)"PATH=/usr/bin:/bin", (char *)"NAME=its", NULL};
    cr_assert_neq(run(&plan), 0);
}

Test(process, that_is_no_program_is_told)
{
    char *argv[4];
    pid_t pid;
    cw_process_plan plan = plan_of(argv, "");
    plan.program = "/nonexistent/program";
    cr_assert_eq(cw_process_start(&plan, &pid), ENOENT);
}

Test(process, that_is_bare_has_its_streams_alone)
{
    char *argv[4];
    cw_process_plan plan = plan_of(argv, "test -e /proc/self/fd/77");
    set_descriptor(0);
    cr_assert_eq(run(&plan), 0);
    plan.is_bare = true;
    cr_assert_neq(run(&plan), 0);
}

Test(process, inherits_what_exec_would_close)
{
    char *argv[4];
    cw_process_plan plan = plan_of(argv, "test -e /proc/self/fd/77");
    set_descriptor(O_CLOEXEC);
    cr_assert_neq(run(&plan), 0);
    plan.inherited = (const int[]){DESCRIPTOR, -1};
    cr_assert_eq(run(&plan), 0);
}

Test(process, that_is_apart_has_a_group_and_the_usual_signals)
{
    char *argv[4];
    pid_t pid;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGINT, SIG_IGN);
    cw_process_plan plan = plan_of(argv, "kill -TERM $$; kill -INT $$; exit 3");
    cr_assert_eq(WEXITSTATUS(run(&plan)), 3);
    plan.is_apart = true;
    cr_assert_eq(WTERMSIG(run(&plan)), SIGTERM);
    plan = plan_of(argv, "kill -INT $$; exit 3");
    plan.is_apart = true;
    cr_assert_eq(WTERMSIG(run(&plan)), SIGINT);
    plan = plan_of(argv, "exec sleep 60");
    plan.is_apart = true;
    cr_assert_eq(cw_process_start(&plan, &pid), 0);
    cr_assert_eq(getpgid(pid), pid);
    cr_assert_eq(WTERMSIG(cw_process_kill(pid)), SIGKILL);
}

Test(process, is_killed_with_what_it_has_started)
{
    char *argv[4], got;
    int pipes[2];
    pid_t pid;
    cr_assert_eq(pipe2(pipes, O_CLOEXEC), 0);
    cw_process_plan plan = plan_of(argv, "sleep 60 & printf 1; wait");
    plan.streams[1] = pipes[1];
    plan.is_apart = true;
    cr_assert_eq(cw_process_start(&plan, &pid), 0);
    close(pipes[1]);
    cr_assert_eq(read(pipes[0], &got, 1), 1);
    cr_assert_eq(WTERMSIG(cw_process_kill(pid)), SIGKILL);
    struct pollfd end = {.fd = pipes[0]};
    cr_assert_eq(poll(&end, 1, 20000), 1, "nobody has the other end any more");
    cr_assert_eq(end.revents, POLLHUP);
}
