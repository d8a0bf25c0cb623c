/* The first signal stops the engine at any time; a second at the same moment is the same one; waiting for input ends.
 */
#include "config/config_values.h"
#include "crawler/program/seeds.h"
#include "crawler/program/stop_file.h"
#include "tools/common/signals.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

static crawl_config config;

static crawl_engine *make_engine(void)
{
    crawl_engine *engine = NULL;
    cw_config_init(&config);
    cr_assert_eq(crawl_engine_create(&config, NULL, &engine, NULL), CRAWL_OK);
    return engine;
}

static void drop_engine(crawl_engine *engine)
{
    crawl_engine_free(engine);
    cw_config_clear(&config);
}

static void wait_for_stop(crawl_engine *engine)
{
    crawl_engine_stats stats;
    do
        crawl_engine_stats_get(engine, &stats);
    while (stats.end == CRAWL_END_RUNNING);
    cr_assert_eq(stats.end, CRAWL_END_STOPPED);
}

static cw_tool_signals *open_signals(void)
{
    cw_tool_signals *signals = NULL;
    cr_assert_eq(cw_tool_signals_open(NULL, &signals, NULL), CRAWL_OK);
    cr_assert_not(cw_program_stop_told(cw_tool_signals_event()));
    return signals;
}

Test(signals, each_of_them_stops_the_engine, .timeout = 30)
{
    cw_tool_signals *signals = open_signals();
    crawl_engine *engine = make_engine();
    cw_tool_signals_stop_engine(signals, engine);
    raise(SIGHUP);
    cr_assert(cw_program_stop_told(cw_tool_signals_event()));
    wait_for_stop(engine);
    cw_tool_signals_stop_engine(signals, NULL);
    drop_engine(engine);
    cw_tool_signals_close(signals);
}

Test(signals, one_that_came_before_the_engine_stops_it_too, .timeout = 30)
{
    cw_tool_signals *signals = open_signals();
    raise(SIGTERM);
    crawl_engine *engine = make_engine();
    cw_tool_signals_stop_engine(signals, engine);
    wait_for_stop(engine);
    cw_tool_signals_close(signals);
    drop_engine(engine);
}

Test(signals, two_at_one_moment_are_one, .timeout = 30)
{
    cw_tool_signals *signals = open_signals();
    raise(SIGTERM);
    raise(SIGTERM);
    raise(SIGINT);
    cw_tool_signals_close(signals);
}

Test(signals, none_comes_to_an_engine_that_is_freed, .timeout = 30)
{
    cw_tool_signals *signals = open_signals();
    crawl_engine *engine = make_engine();
    cw_tool_signals_stop_engine(signals, engine);
    cw_tool_signals_stop_engine(signals, NULL);
    drop_engine(engine);
    raise(SIGINT);
    cw_tool_signals_close(signals);
}

Test(signals, what_was_ignored_stays_so, .timeout = 30)
{
    signal(SIGHUP, SIG_IGN);
    cw_tool_signals *signals = open_signals();
    raise(SIGHUP);
    cr_assert_not(cw_program_stop_told(cw_tool_signals_event()));
    cw_tool_signals_close(signals);
}

/* ---- input ---- */

typedef struct scene {
    char folder[32];
    char path[48];
    int stop;
    char urls[256];
} scene;

static scene make_scene(void)
{
    scene s = {.folder = "/tmp/signals.XXXXXX", .stop = eventfd(0, EFD_NONBLOCK)};
    cr_assert(s.stop >= 0 && mkdtemp(s.folder));
    snprintf(s.path, sizeof s.path, "%s/seeds", s.folder);
    return s;
}

static void drop_scene(const scene *s)
{
    close(s->stop);
    unlink(s->path);
    rmdir(s->folder);
}

static void say_stop(const scene *s)
{
    uint64_t one = 1;
    cr_assert_eq(write(s->stop, &one, sizeof one), (ssize_t)sizeof one);
}

static crawl_err note(void *user, const crawl_seed *seed, crawl_error *)
{
    scene *s = user;
    strncat(s->urls, seed->url.data, seed->url.size);
    strcat(s->urls, " ");
    if (strncmp(seed->url.data, "stop", 4) == 0)
        say_stop(s);
    return CRAWL_OK;
}

static crawl_err read_all(scene *s)
{
    cw_program_seed_count count = {0};
    crawl_error error = {0};
    return cw_program_seeds_each(s->path, s->stop, note, s, &count, &error);
}

static void put(const scene *s, const char *text)
{
    FILE *file = fopen(s->path, "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

Test(stop_file, is_read_like_any_other)
{
    scene s = make_scene();
    put(&s, "a\nb\nc");
    cr_assert_eq(read_all(&s), CRAWL_OK);
    cr_assert_str_eq(s.urls, "a b c ");
    drop_scene(&s);
}

Test(stop_file, no_line_is_taken_after_the_word)
{
    scene s = make_scene();
    put(&s, "a\nstop\nc\n");
    cr_assert_eq(read_all(&s), CRAWL_DRAINED);
    cr_assert_str_eq(s.urls, "a stop ");
    drop_scene(&s);
}

Test(stop_file, a_fifo_without_a_writer_is_not_waited_for, .timeout = 30)
{
    scene s = make_scene();
    cr_assert_eq(mkfifo(s.path, 0600), 0);
    say_stop(&s);
    cr_assert_eq(read_all(&s), CRAWL_DRAINED);
    drop_scene(&s);
}

static void *write_half_a_line(void *user)
{
    const scene *s = user;
    FILE *file = fopen(s->path, "w");
    fputs("whole\nstop", file);
    fflush(file);
    say_stop(s);
    fclose(file);
    return NULL;
}

/* An interrupted writer leaves half a line before the end of the file: it is no seed. */
Test(stop_file, half_a_line_is_none, .timeout = 30)
{
    scene s = make_scene();
    pthread_t writer;
    cr_assert_eq(mkfifo(s.path, 0600), 0);
    cr_assert_eq(pthread_create(&writer, NULL, write_half_a_line, &s), 0);
    crawl_err err = read_all(&s);
    pthread_join(writer, NULL);
    cr_assert_eq(err, CRAWL_DRAINED);
    cr_assert_null(strstr(s.urls, "stop"), "%s", s.urls);
    drop_scene(&s);
}
