/* Without memory for a transfer the crawl ends with that error, and none of its pending requests counts as done. */
#include "config/config_values.h"
#include "tests/support/script_server.h"

#include <crawl/engine.h>
#include <criterion/criterion.h>
#include <curl/curl.h>
#include <dlfcn.h>
#include <event2/event.h>
#include <ftw.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_bool without_memory;

/* Replaces libcurl's. */
CURL *curl_easy_init(void)
{
    CURL *(*init)(void);
    *(void **)&init = dlsym(RTLD_NEXT, "curl_easy_init");
    return atomic_load(&without_memory) ? NULL : init();
}

static const script_answer site[] = {
    {.bytes = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\nConnection: close\r\n\r\npage",
     .end = SCRIPT_CLOSE},
    {0},
};

typedef struct run_of {
    const char *state;
    bool fails;
    unsigned port;
    unsigned records;
    crawl_err result;
} run_of;

static crawl_err on_record(void *user, const crawl_record *record)
{
    run_of *run = user;
    cr_expect_eq(record->error, NULL, "%s", record->error);
    run->records++;
    return CRAWL_OK;
}

static crawl_err crawl(run_of *run, crawl_engine *engine)
{
    char url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%u/", run->port);
    crawl_seed seed = {.size = sizeof seed, .url = crawl_slice_from(url)};
    crawl_err err = crawl_engine_seed(engine, &seed, NULL);
    atomic_store(&without_memory, run->fails);
    if (!err || err == CRAWL_EXISTS)
        err = crawl_engine_run(engine, NULL);
    atomic_store(&without_memory, false);
    return err;
}

static void *begin(void *user)
{
    run_of *run = user;
    crawl_config config;
    crawl_engine *engine = NULL;
    crawl_engine_hooks hooks = {.size = sizeof hooks, .on_record = on_record, .user = run};
    crawl_error error = {0};
    run->result = cw_config_init(&config);
    crawl_config_set(&config, "politeness.delay", "0s", NULL);
    crawl_config_set(&config, "politeness.robots", "false", NULL);
    crawl_config_set(&config, "state.directory", run->state, NULL);
    if (!run->result)
        run->result = crawl_engine_create(&config, &hooks, &engine, &error);
    cr_expect_not_null(engine, "%s", error.message);
    if (engine)
        run->result = crawl(run, engine);
    crawl_engine_free(engine);
    cw_config_clear(&config);
    return NULL;
}

static void serve(struct event_base *base, run_of *run)
{
    cr_assert(script_server_while(base, begin, run));
}

static int drop(const char *path, const struct stat *what, int kind, struct FTW *walk)
{
    (void)what, (void)kind, (void)walk;
    return remove(path);
}

Test(no_memory, for_a_transfer_ends_the_crawl_and_not_the_page)
{
    char state[] = "/tmp/crawl-no-memory-XXXXXX";
    cr_assert_not_null(mkdtemp(state));
    struct event_base *base = event_base_new();
    script_server *server = script_server_start(base, site);
    cr_assert_not_null(server);
    run_of first = {.state = state, .fails = true, .port = script_server_port(server)};
    serve(base, &first);
    cr_expect_eq(first.result, CRAWL_ENOMEM);
    cr_expect_eq(first.records, 0);
    run_of second = {.state = state, .port = script_server_port(server)};
    serve(base, &second);
    cr_expect_eq(second.result, CRAWL_OK);
    cr_expect_eq(second.records, 1);
    script_server_stop(server);
    event_base_free(base);
    nftw(state, drop, 16, FTW_DEPTH | FTW_PHYS);
}
