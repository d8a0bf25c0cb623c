/* A test's own redis-server, at a socket in its own folder. It dies with the test. */
#pragma once

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct server {
    char folder[32];
    char socket[48];
    pid_t process;
    bool is_durable; /* writes all data before its answers */
} server;

/* Waits until it listens. */
static inline void await_server(const server *s)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const struct timespec moment = {.tv_nsec = 2000000};
    bool up = false;
    strcpy(address.sun_path, s->socket);
    for (unsigned turn = 0; turn < 10000 && !up; turn++) {
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        up = connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
        close(fd);
        if (!up)
            nanosleep(&moment, NULL);
    }
    cr_assert(up, "no redis-server");
}

/* Starts it with the data that it has written. */
static inline void run_server(server *s)
{
    s->process = fork();
    cr_assert_geq(s->process, 0);
    if (s->process) {
        await_server(s);
        return;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    cr_assert(freopen("/dev/null", "w", stdout));
    execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", s->socket, "--dir", s->folder, "--save", "",
           "--appendonly", s->is_durable ? "yes" : "no", "--appendfsync", "always", (char *)NULL);
    _exit(127);
}

static inline void start_server(server *s)
{
    strcpy(s->folder, "/tmp/crawl-test-XXXXXX");
    cr_assert(mkdtemp(s->folder));
    snprintf(s->socket, sizeof s->socket, "%s/s", s->folder);
    run_server(s);
}

static inline void kill_server(server *s)
{
    kill(s->process, SIGKILL);
    waitpid(s->process, NULL, 0);
}

static inline void stop_server(server *s)
{
    char command[64];
    kill_server(s);
    snprintf(command, sizeof command, "rm -r %s", s->folder);
    cr_expect_eq(system(command), 0);
}
