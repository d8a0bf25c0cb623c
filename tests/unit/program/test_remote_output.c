/* Records that a Redis server does not acknowledge: how many are kept here, and the effect on the crawl. The server is
 * a thread that answers everything else, until it is told to. */
#include "config/config_values.h"
#include "crawler/program/redis/remote_output.h"

#include <criterion/criterion.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct world {
    int listener;
    atomic_bool generous; /* records are acknowledged */
    atomic_size_t pushes;
    pthread_t server;
    crawl_engine *engine;
    cw_remote_output *output;
    unsigned step;
    unsigned ticks;
} world;

/* Returns the replies to a greeting and to the commands at the start, each recognized by a word of its command. */
static const char *reply_to(const char *command)
{
    if (strstr(command, "TIME"))
        return "*2\r\n$10\r\n1700000000\r\n$1\r\n5\r\n";
    if (strstr(command, "TYPE"))
        return "+none\r\n";
    if (strstr(command, "CLUSTER"))
        return "-ERR This instance has cluster support disabled\r\n";
    return strstr(command, "INFO") ? "$0\r\n\r\n" : "+OK\r\n";
}

/* Runs the start, in which each command is answered before the next one; but the two of the greeting may come together.
 */
static void answer_start(int fd)
{
    char bytes[4096];
    for (unsigned answered = 0; answered < 5;) {
        ssize_t size = recv(fd, bytes, sizeof bytes - 1, 0);
        cr_assert_gt(size, 0);
        bytes[size] = '\0';
        bool is_name = strstr(bytes, "SETNAME") != NULL;
        const char *reply = is_name && !strstr(bytes, "TIME") ? "" : reply_to(bytes);
        cr_assert_eq(send(fd, "+OK\r\n", is_name ? 5 : 0, 0), is_name ? 5 : 0);
        cr_assert_eq(send(fd, reply, strlen(reply), 0), (ssize_t)strlen(reply));
        answered += is_name + (*reply != '\0');
    }
}

/* Each record here ends with the same byte, which is in no command. */
static void *serve(void *user)
{
    world *w = user;
    char bytes[65536];
    size_t owed = 0;
    int fd = accept(w->listener, NULL, NULL);
    answer_start(fd);
    for (;;) {
        ssize_t size = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (size == 0)
            break;
        for (ssize_t i = 0; i < size; i++)
            owed += bytes[i] == '!';
        for (; owed && atomic_load(&w->generous); owed--) {
            atomic_fetch_add(&w->pushes, 1);
            send(fd, ":1\r\n", 4, MSG_NOSIGNAL);
        }
        if (size < 0)
            usleep(1000);
    }
    close(fd);
    return NULL;
}

static void notice(void *, const char *words)
{
    cr_expect_fail("nothing is to be said: %s", words);
}

static bool is_paused(crawl_engine *engine)
{
    crawl_engine_stats stats;
    crawl_engine_stats_get(engine, &stats);
    cr_expect_eq(stats.bound.load.held, stats.bound.bound == CRAWL_BOUND_RECORDS);
    return stats.bound.load.held;
}

/* Receipts belong to no lease here; the engine accepts that. */
static void write_records(world *w, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(cw_remote_output_write(w->output, i, crawl_slice_from("{}!")), CRAWL_AGAIN);
}

static crawl_err on_tick(void *user, crawl_engine *engine)
{
    world *w = user;
    cr_assert_lt(w->ticks++, 200, "step %u", w->step);
    switch (w->step) {
    case 0:
        cr_expect_not(is_paused(engine));
        write_records(w, CW_OUTPUTS_WINDOW_RECORDS - 1);
        w->step++;
        break;
    case 1:
        cr_expect_not(is_paused(engine), "one less than the maximum");
        write_records(w, 1);
        w->step++;
        break;
    case 2:
        cr_expect(is_paused(engine), "the maximum");
        atomic_store(&w->generous, true);
        w->step++;
        break;
    default:
        if (!is_paused(engine))
            crawl_engine_stop(engine);
    }
    return CRAWL_OK;
}

static void open_world(world *w, crawl_config *config)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    char url[80];
    crawl_error error = {0};
    w->listener = socket(AF_INET, SOCK_STREAM, 0);
    cr_assert_eq(bind(w->listener, (struct sockaddr *)&address, sizeof address), 0);
    cr_assert_eq(listen(w->listener, 1), 0);
    getsockname(w->listener, (struct sockaddr *)&address, &size);
    pthread_create(&w->server, NULL, serve, w);
    snprintf(url, sizeof url, "redis://127.0.0.1:%u?list=items", ntohs(address.sin_port));
    cr_assert_eq(crawl_config_set(config, "output.output", url, &error), CRAWL_OK, "%s", error.message);
    cr_assert_eq(cw_remote_output_open(config, w->engine, notice, NULL, &w->output, &error), CRAWL_OK, "%s",
                 error.message);
}

Test(remote_output, pauses_the_crawl_at_its_maximum_and_goes_on_at_half)
{
    world w = {0};
    crawl_config config;
    crawl_config of_engine;
    const crawl_engine_hooks hooks = {.size = sizeof hooks, .on_tick = on_tick, .user = &w};
    crawl_error error = {0};
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    of_engine = config;
    cr_assert_eq(crawl_engine_create(&of_engine, &hooks, &w.engine, &error), CRAWL_OK, "%s", error.message);
    open_world(&w, &config);
    crawl_engine_expect(w.engine, true);
    cr_assert_eq(crawl_engine_run(w.engine, &error), CRAWL_OK);
    cw_remote_output_settle(w.output, 30000);
    cr_expect_eq(cw_remote_output_close(w.output, &error), CRAWL_OK, "%s", error.message);
    pthread_join(w.server, NULL);
    cr_expect_eq(atomic_load(&w.pushes), CW_OUTPUTS_WINDOW_RECORDS);
    close(w.listener);
    crawl_engine_free(w.engine);
    cw_config_clear(&config);
}

Test(remote_output, says_what_was_not_acknowledged)
{
    world w = {0};
    crawl_config config;
    crawl_config of_engine;
    crawl_error error = {0};
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    of_engine = config;
    cr_assert_eq(crawl_engine_create(&of_engine, NULL, &w.engine, &error), CRAWL_OK, "%s", error.message);
    open_world(&w, &config);
    write_records(&w, 7);
    cw_remote_output_settle(w.output, 0);
    cr_expect_eq(cw_remote_output_close(w.output, &error), CRAWL_EIO);
    cr_expect(strstr(error.message, "has not acknowledged 7 records"), "%s", error.message);
    pthread_join(w.server, NULL);
    close(w.listener);
    crawl_engine_free(w.engine);
    cw_config_clear(&config);
}
