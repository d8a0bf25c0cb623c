/* Measures the memory that a crawl in memory keeps per host once nothing is queued for it: the frontier's part, the
 * engine's record with its gate and rules, and the verdict of robots.txt.
 *
 *   bench_hosts [--hosts N]
 *
 * Each host is used as in a crawl: its page is queued, leased and done, its robots.txt is absent or has 20 rules, and
 * one request passes the gate. Origins have 28 bytes. The figures are bytes of resident memory per host; each row is a
 * process of its own. The seen-set is the frontier's default, with one URL per host. */
#include "base/clock.h"
#include "bench/programs/keys.h"
#include "bench/programs/measure.h"
#include "config/config_values.h"
#include "crawler/engine/host/host_table.h"
#include "crawler/engine/host/pacer.h"
#include "crawler/engine/host/sites.h"

#include <crawl/frontier.h>
#include <string.h>
#include <sys/wait.h>

#define NOW 1000

enum { ORIGIN_SIZE = 64 };

typedef struct world {
    crawl_config config;
    crawl_frontier *frontier;
    cw_host_book *book;
    cw_host_table *table;
    cw_host_sites *sites;
    cw_host_pacer *pacer;
    crawl_url *url;
} world;

static crawl_slice origin_of(uint64_t number, char text[ORIGIN_SIZE])
{
    int size = snprintf(text, ORIGIN_SIZE, "http://host%09llu.example", (unsigned long long)number);
    return crawl_slice_of(text, (size_t)size);
}

static void create(world *w)
{
    crawl_frontier_options options;
    crawl_frontier_options_init(&options, sizeof options);
    options.pause_ms = 0;
    require(cw_config_init(&w->config) == CRAWL_OK, "no memory");
    require(crawl_frontier_create(&options, &w->frontier, NULL) == CRAWL_OK, "no memory");
    require(cw_host_book_create(&w->config, &w->book, NULL) == CRAWL_OK, "no memory");
    w->table = cw_host_table_create(0);
    w->sites = cw_host_sites_create(&(cw_host_sites_options){.agent = "crawl"});
    w->pacer = cw_host_pacer_create(
        &(cw_host_pacer_options){.rules = cw_host_pace_rules_of(&w->config), .per_host = 2, .clock_us = cw_now_us});
    w->url = crawl_url_create();
    require(w->table && w->sites && w->pacer && w->url, "no memory");
}

static void queue_and_finish(world *w, uint64_t number)
{
    char text[ORIGIN_SIZE + 1];
    crawl_slice origin = origin_of(number, text);
    crawl_lease lease;
    crawl_request request = {.url = crawl_slice_of(text, origin.size + 1)};
    text[origin.size] = '/';
    make_key(number, (char *)request.fingerprint.bytes);
    require(crawl_frontier_push(w->frontier, &request, 1, (crawl_slice){0}, NULL, NULL, NOW) == CRAWL_OK, "push");
    require(crawl_frontier_pop(w->frontier, NOW, &lease, NULL) == CRAWL_OK, "pop");
    require(crawl_frontier_done(w->frontier, lease.id, CRAWL_DONE_FINISHED, 0, NOW) == CRAWL_OK, "done");
}

static void ask(world *w, uint64_t number, crawl_slice robots)
{
    char text[ORIGIN_SIZE];
    cw_host_record *host = cw_host_table_get(w->table, origin_of(number, text));
    cw_host_site_answer answer;
    cw_host_site_settlement settlement = {.body = robots};
    cw_host_pass pass = {0};
    bool first;
    crawl_response response = {.size = sizeof response, .status = 200, .error_text = "", .ip = "127.0.0.1"};
    require(host && crawl_url_parse(w->url, cw_host_record_origin(host), NULL, NULL) == CRAWL_OK, "no memory");
    require(cw_host_sites_check(w->sites, host, w->url, false, false, NOW, &answer) == CRAWL_OK, "check");
    if (robots.size)
        require(crawl_robots_parse(robots, crawl_slice_from("crawl"), &settlement.robots) == CRAWL_OK, "robots");
    require(cw_host_sites_settle(w->sites, host, &settlement, NOW) == CRAWL_OK, "settle");
    require(cw_host_record_rules(host, w->book, &first) != NULL, "rules");
    require(cw_host_pacer_admit(w->pacer, host, NULL, &pass) == CW_ADMIT_GO, "admit");
    require(cw_host_pacer_start(w->pacer, host, crawl_slice_from(response.ip), &pass) == CRAWL_OK, "start");
    cw_host_pacer_done(w->pacer, host, &response, -1, &(cw_host_quota){0}, &pass);
}

static void run(uint64_t hosts, const char *name, crawl_slice robots)
{
    static world w;
    create(&w);
    double before = resident();
    for (uint64_t i = 0; i < hosts; i++)
        queue_and_finish(&w, i);
    double with_frontier = resident();
    for (uint64_t i = 0; i < hosts; i++)
        ask(&w, i, robots);
    double all = resident();
    double n = (double)hosts;
    printf("| %-22s | %8.0f | %6.0f | %5.0f |\n", name, (with_frontier - before) / n, (all - with_frontier) / n,
           (all - before) / n);
    fflush(stdout);
}

static void run_alone(uint64_t hosts, const char *name, crawl_slice robots)
{
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        run(hosts, name, robots);
        _exit(0);
    }
    require(child > 0 && waitpid(child, &status, 0) == child && status == 0, "a run has failed");
}

int main(int argc, char **argv)
{
    char robots[2048] = "User-agent: *\n";
    uint64_t hosts = 1000000;
    if (argc == 3 && strcmp(argv[1], "--hosts") == 0)
        hosts = strtoull(argv[2], NULL, 10);
    else
        require(argc == 1, "usage: bench_hosts [--hosts N]");
    require(hosts > 0, "--hosts is a number above 0");
    for (int i = 0; i < 20; i++) {
        size_t at = strlen(robots);
        snprintf(robots + at, sizeof robots - at, "Disallow: /section-%d/private*\n", i);
    }
    printf("%llu hosts, 28 bytes an origin; bytes of resident memory per host\n\n", (unsigned long long)hosts);
    printf("| robots.txt             | frontier | engine |   all |\n|---|--:|--:|--:|\n");
    fflush(stdout);
    run_alone(hosts, "absent", (crawl_slice){0});
    run_alone(hosts, "20 rules, 650 bytes", crawl_slice_from(robots));
    return 0;
}
