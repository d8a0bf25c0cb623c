#include "tests/simulation/sim_redis.h"

#include "tests/simulation/sim_crew.h"
#include "tests/simulation/sim_threads.h"
#include "tests/simulation/sim_world.h"

#include <crawl/base.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINKS_MAX = 8, ANSWERS_MAX = 256, LATE_US = 3000, BREAK_SIDES = 2000, READ_SIZE = 65536 };
/* The time between two outages, and the longest outage: longer than a lease, but less than processes that start or end
 * wait. */
enum { APART_US = 30000000, OUT_US = 4000000 };

typedef struct sim_reply {
    int64_t at_us;
    crawl_buf bytes;
    bool breaks; /* breaks the connection instead of answering */
} sim_reply;

/* A connection of the process. */
typedef struct sim_link {
    int descriptor; /* of the process; 0: the link is free */
    int far;        /* the other end of the socket pair */
    int server;
    crawl_buf commands;             /* incomplete commands */
    sim_reply replies[ANSWERS_MAX]; /* under way, in the order of their arrival */
    unsigned count;
    bool is_broken;
    uint32_t made; /* value of disconnected when it was made */
} sim_link;

static sim_link links[LINKS_MAX];
static char server_path[64];

const char *sim_redis_socket(void)
{
    return server_path;
}

/* ---- RESP ---- */

/* Returns the end of a command or a reply; NULL: it is incomplete. */
static const char *resp_end(const char *at, const char *end)
{
    const char *line = at < end ? memmem(at, (size_t)(end - at), "\r\n", 2) : NULL;
    if (!line)
        return NULL;
    long count = *at == '$' || *at == '*' ? strtol(at + 1, NULL, 10) : -1;
    const char *rest = line + 2;
    if (*at == '$')
        return count < 0 ? rest : end - rest >= count + 2 ? rest + count + 2 : NULL;
    for (; count > 0 && rest; count--)
        rest = resp_end(rest, end);
    return rest;
}

/* ---- the server ---- */

static int connect_server(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", server_path);
    if (syscall(SYS_connect, server, &address, sizeof address) == 0)
        return server;
    syscall(SYS_close, server);
    return -1;
}

static void send_server(int server, const char *bytes, size_t size)
{
    while (size) {
        long sent = syscall(SYS_write, server, bytes, size);
        if (sent <= 0)
            abort();
        bytes += sent;
        size -= (size_t)sent;
    }
}

/* Appends this many replies to out. */
static void read_replies(int server, unsigned count, crawl_buf *out)
{
    static char room[READ_SIZE];
    size_t done = 0;
    while (count) {
        const char *rest = out->size > done ? resp_end(out->data + done, out->data + out->size) : NULL;
        if (rest) {
            done = (size_t)(rest - out->data);
            count--;
            continue;
        }
        long size = syscall(SYS_read, server, room, sizeof room);
        if (size <= 0 || crawl_buf_append(out, room, (size_t)size))
            abort();
    }
}

static void command(int server, const char *text)
{
    crawl_buf reply = {0};
    send_server(server, text, strlen(text));
    read_replies(server, 1, &reply);
    crawl_buf_free(&reply);
}

static _Noreturn void run_server(int world)
{
    char number[16];
    snprintf(number, sizeof number, "%d", world);
    int nothing = open("/dev/null", O_RDWR);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) || fcntl(world, F_SETFD, 0) || dup2(nothing, 1) < 0 ||
        setenv("SIM_WORLD", number, 1) || setenv("LD_PRELOAD", SIM_REDIS_CLOCK, 1))
        _exit(127);
    /* A background thread of jemalloc would wait for moments of a clock that the world holds back: it would never rest.
     */
    execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", server_path, "--save", "", "--appendonly",
           "no", "--activerehashing", "no", "--jemalloc-bg-thread", "no", (char *)NULL);
    _exit(127);
}

static void await_server(pid_t server)
{
    for (;;) {
        int link = connect_server();
        if (link >= 0) {
            syscall(SYS_close, link);
            return;
        }
        if (waitpid(server, NULL, WNOHANG) == server) {
            fprintf(stderr, "redis-server does not start\n");
            exit(4);
        }
        usleep(2000);
    }
}

static void remove_socket(void)
{
    unlink(server_path);
}

void sim_redis_begin(int world)
{
    snprintf(server_path, sizeof server_path, "/dev/shm/simulate-redis-%d", (int)getpid());
    atexit(remove_socket);
    pid_t server = fork();
    if (server == 0)
        run_server(world);
    await_server(server);
}

static void commands(const char *const *texts)
{
    int server = connect_server();
    for (; *texts; texts++)
        command(server, *texts);
    syscall(SYS_close, server);
}

void sim_redis_empty(void)
{
    commands((const char *const[]){"REPLICAOF NO ONE\r\n", "FLUSHALL\r\n", "SCRIPT FLUSH\r\n", NULL});
    sim_world_now->outage_us = sim_world_now->now_us + sim_throw(APART_US);
}

/* ---- outages ---- */

/* A replica refuses writes, and has another history once it is a master again. */
static const char becomes_replica[] = "REPLICAOF 127.0.0.1 1\r\n";
static const char becomes_master[] = "REPLICAOF NO ONE\r\n";
static const char copies_all[] =
    "EVAL \"for _, k in ipairs(redis.call('KEYS', '*')) do redis.call('COPY', k, k, 'DB', '1') end\" 0\r\n";

static void begin_outage(sim_world *world)
{
    if (world->plan.outage == SIM_REDIS_AWAY)
        world->disconnected++;
    else if (world->plan.outage == SIM_REDIS_REFUSES)
        commands((const char *const[]){becomes_replica, NULL});
    else
        commands((const char *const[]){"SELECT 1\r\n", "FLUSHDB\r\n", "SELECT 0\r\n", copies_all, NULL});
}

/* Ends the outage. Leases may have ended meanwhile, and nobody could notice. */
static void end_outage(sim_world *world)
{
    if (world->plan.outage == SIM_REDIS_FORGETS)
        commands((const char *const[]){"FLUSHDB\r\n", "SWAPDB 0 1\r\n", "SCRIPT FLUSH\r\n", becomes_replica, NULL});
    if (world->plan.outage != SIM_REDIS_AWAY) {
        commands((const char *const[]){becomes_master, NULL});
        world->disconnected++;
    }
    sim_crew_lose_all();
}

static void pass_time(void)
{
    sim_world *world = sim_world_now;
    bool has_begun = world->requests > 0; /* before, Redis might lose the whole crawl, which ends all processes */
    bool is_over = !world->is_out && world->outages == world->plan.outages;
    if (world->plan.outage == SIM_REDIS_STAYS || is_over || !has_begun || world->now_us < world->outage_us)
        return;
    world->is_out = !world->is_out;
    world->outages += world->is_out;
    world->outage_us = world->now_us + sim_throw(world->is_out ? OUT_US : APART_US);
    if (world->is_out)
        begin_outage(world);
    else
        end_outage(world);
    sim_step("an outage of redis %s", world->is_out ? "begins" : "ends"); /* last: the process may be killed here */
}

static bool is_away(void)
{
    return sim_world_now->is_out && sim_world_now->plan.outage == SIM_REDIS_AWAY;
}

/* ---- links ---- */

static sim_link *find_link(int descriptor)
{
    for (unsigned i = 0; i < LINKS_MAX && descriptor > 0; i++)
        if (links[i].descriptor == descriptor)
            return &links[i];
    return NULL;
}

static void drop_reply(sim_link *link)
{
    crawl_buf_free(&link->replies[0].bytes);
    memmove(link->replies, link->replies + 1, --link->count * sizeof *link->replies);
}

static void add_reply(sim_link *link, crawl_buf bytes, bool breaks)
{
    int64_t least_us = link->count ? link->replies[link->count - 1].at_us : sim_world_now->now_us;
    if (link->count == ANSWERS_MAX)
        abort();
    link->is_broken = breaks;
    link->replies[link->count++] =
        (sim_reply){.at_us = least_us + 20 + sim_throw(LATE_US), .bytes = bytes, .breaks = breaks};
}

/* Carries out the complete commands, unless the connection breaks first. */
static void carry_out(sim_link *link)
{
    crawl_buf replies = {0};
    const char *end = link->commands.data + link->commands.size;
    const char *whole = link->commands.data;
    unsigned count = 0;
    for (const char *next = whole; (next = resp_end(next, end)); count++)
        whole = next;
    size_t size = (size_t)(whole - link->commands.data);
    if (!count)
        return;
    pass_time();
    bool is_old = link->made != sim_world_now->disconnected;
    bool breaks = is_old || (sim_world_now->plan.breaks && sim_throw(BREAK_SIDES) == 0);
    if (!is_old && (!breaks || sim_throw(2))) {
        send_server(link->server, link->commands.data, size);
        read_replies(link->server, count, &replies);
    }
    if (breaks)
        crawl_buf_free(&replies);
    memmove(link->commands.data, whole, link->commands.size - size);
    link->commands.size -= size;
    add_reply(link, replies, breaks);
}

int64_t sim_redis_next_us(void)
{
    int64_t next = INT64_MAX;
    for (unsigned i = 0; i < LINKS_MAX; i++)
        if (links[i].descriptor && links[i].count && links[i].replies[0].at_us < next)
            next = links[i].replies[0].at_us;
    return next;
}

static void deliver(sim_link *link)
{
    const sim_reply *reply = &link->replies[0];
    if (reply->breaks)
        shutdown(link->far, SHUT_RDWR);
    else
        send_server(link->far, reply->bytes.data, reply->bytes.size);
    drop_reply(link);
}

void sim_redis_fire(int64_t now_us)
{
    for (unsigned i = 0; i < LINKS_MAX; i++)
        while (links[i].descriptor && links[i].count && links[i].replies[0].at_us <= now_us)
            deliver(&links[i]);
}

void sim_redis_closed(int descriptor)
{
    sim_link *link = find_link(descriptor);
    if (!link)
        return;
    while (link->count)
        drop_reply(link);
    crawl_buf_free(&link->commands);
    syscall(SYS_close, link->far);
    syscall(SYS_close, link->server);
    *link = (sim_link){0};
}

/* ---- functions that replace the system's ---- */

static int make_link(int descriptor)
{
    int pair[2];
    int flags = fcntl(descriptor, F_GETFL);
    sim_link *link = links;
    while (link < links + LINKS_MAX && link->descriptor)
        link++;
    if (link == links + LINKS_MAX || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) ||
        dup3(pair[0], descriptor, O_CLOEXEC) < 0 || fcntl(descriptor, F_SETFL, flags))
        abort();
    syscall(SYS_close, pair[0]);
    *link = (sim_link){
        .descriptor = descriptor, .far = pair[1], .server = connect_server(), .made = sim_world_now->disconnected};
    sim_crew_connected();
    return 0;
}

int connect(int descriptor, const struct sockaddr *address, socklen_t size)
{
    if (!sim_threads_are_simulated() || address->sa_family != AF_UNIX)
        return (int)syscall(SYS_connect, descriptor, address, size);
    pass_time();
    if (!is_away())
        return make_link(descriptor);
    errno = ECONNREFUSED;
    return -1;
}

ssize_t writev(int descriptor, const struct iovec *parts, int count)
{
    sim_link *link = find_link(descriptor);
    ssize_t size = 0;
    if (!link)
        return syscall(SYS_writev, descriptor, parts, count);
    for (int i = 0; i < count && !link->is_broken; i++)
        if (crawl_buf_append(&link->commands, parts[i].iov_base, parts[i].iov_len))
            abort();
    for (int i = 0; i < count; i++)
        size += (ssize_t)parts[i].iov_len;
    if (!link->is_broken)
        carry_out(link);
    return size;
}
