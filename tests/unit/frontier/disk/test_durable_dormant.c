/* Hosts that rest on disk with requests: they are asked as if they had stayed in memory. */
#include "frontier/disk/stage/settle.h"
#include "tests/unit/frontier/pages.h"

enum { HOSTS = 3000, PAUSE = 1000 };

static crawl_frontier_options dormant_options(int64_t pause)
{
    crawl_frontier_options options = test_options();
    options.seen.capacity = HOSTS;
    options.host_bytes = 0;
    options.pause_ms = pause;
    return options;
}

/* Opens a frontier that settles each push before the next one. */
static crawl_frontier *open_settling(const char *path, const crawl_frontier_options *options, int64_t now)
{
    crawl_frontier *f = open_in(path, options, now);
    cw_disk_of(f)->windows.stage.limit = 0;
    return f;
}

static void push_hosts(crawl_frontier *f, unsigned count, unsigned pages, int64_t now)
{
    for (unsigned host = 0; host < count; host++)
        cr_assert_eq(push_pages(f, host, 0, pages, now), pages);
}

static size_t in_memory(const crawl_frontier *f)
{
    return cw_map_count(f->hosts.map);
}

static void expect(crawl_frontier *f, unsigned host, unsigned page, int64_t now)
{
    char url[64];
    crawl_lease lease;
    url_of(url, host, page);
    cr_assert_eq(crawl_frontier_pop(f, now, &lease, NULL), CRAWL_OK, "%s", url);
    cr_assert(crawl_slice_equal(lease.url, crawl_slice_from(url)), "got %.*s, expected %s", (int)lease.url.size,
              lease.url.data, url);
    cr_assert_eq(crawl_frontier_done(f, lease.id, CRAWL_DONE_FINISHED, 0, now), CRAWL_OK);
}

Test(durable_dormant, hosts_with_requests_leave_memory)
{
    crawl_frontier_options options = dormant_options(0);
    directory dir = make_directory();
    crawl_frontier *f = open_settling(dir.path, &options, 0);
    push_hosts(f, HOSTS, 1, 0);
    check(f);
    cr_assert_leq(in_memory(f), 16, "%zu", in_memory(f));
    crawl_frontier_stats stats = stats_of(f, 0);
    cr_assert_eq(stats.hosts, HOSTS);
    cr_assert_eq(stats.hosts_queued, HOSTS);
    cr_assert_eq(stats.queued, HOSTS);
    cr_assert_leq(stats.bytes, (uint64_t)HOSTS * 24 + 65536, "%llu", (unsigned long long)stats.bytes);
    for (unsigned host = 0; host < HOSTS; host++)
        expect(f, host, 0, 0);
    pop_drained(f, 0);
    check(f);
    crawl_frontier_free(f);
    remove_directory(dir.path);
}

/* Holds for any part of the hosts in memory, and however the process ended. */
Test(durable_dormant, hosts_take_turns_in_order)
{
    enum { FEW = 60, PAGES = 3 };
    static const uint64_t memory[] = {0, (uint64_t)CW_DISK_HOST_BYTES * 20, 1 << 20};
    for (unsigned i = 0; i < 2 * sizeof memory / sizeof *memory; i++) {
        crawl_frontier_options options = dormant_options(0);
        options.host_bytes = memory[i / 2];
        directory dir = make_directory();
        crawl_frontier *f = open_settling(dir.path, &options, 0);
        push_hosts(f, FEW, PAGES, 0);
        for (unsigned host = 0; host < FEW; host++)
            expect(f, host, 0, 0);
        for (unsigned host = 0; host < FEW / 2; host++)
            expect(f, host, 1, 0);
        check(f);
        if (i % 2)
            cw_frontier_abandon(f);
        else
            cr_assert_eq(crawl_frontier_close(f, NULL), CRAWL_OK);
        check_directory(dir.path);
        f = open_settling(dir.path, &options, 0);
        check(f);
        for (unsigned host = 0; i % 2 && host < FEW; host++) /* turns begin anew */
            expect(f, host, host < FEW / 2 ? 2 : 1, 0);
        for (unsigned host = FEW / 2; i % 2 == 0 && host < FEW; host++)
            expect(f, host, 1, 0);
        for (unsigned host = i % 2 ? FEW / 2 : 0; host < FEW; host++)
            expect(f, host, 2, 0);
        pop_drained(f, 0);
        check(f);
        crawl_frontier_free(f);
        remove_directory(dir.path);
    }
}

/* A host at rest that gets a nearer page, or one of higher priority, is asked for it first. */
Test(durable_dormant, priority_and_depth_precede)
{
    crawl_frontier_options options = dormant_options(0);
    directory dir = make_directory();
    crawl_frontier *f = open_settling(dir.path, &options, 0);
    for (unsigned host = 0; host < 50; host++) {
        char url[64];
        url_of(url, host, 0);
        push_new(f, url, 5, 0, 0);
    }
    cr_assert_leq(in_memory(f), 2);
    push_new(f, "http://host40/near", 2, 0, 0);
    push_new(f, "http://host30/nearer", 1, 0, 0);
    push_new(f, "http://host20/first", 9, 1, 0);
    push_new(f, "http://new/last", 6, 0, 0);
    visit(f, "http://host20/first", 0);
    visit(f, "http://host30/nearer", 0);
    visit(f, "http://host40/near", 0);
    push_urgent(f, "http://host10/urgent", 0);
    visit(f, "http://host10/urgent", 0);
    visit(f, "http://host0/0", 0);
    crawl_frontier_free(f);
    remove_directory(dir.path);
}

/* Hosts whose requests are for later wait on disk, and each comes at its date. */
Test(durable_dormant, dates_are_kept)
{
    enum { FEW = 40 };
    for (int is_killed = 0; is_killed < 2; is_killed++) {
        crawl_frontier_options options = dormant_options(0);
        directory dir = make_directory();
        crawl_frontier *f = open_settling(dir.path, &options, 0);
        push_hosts(f, FEW, 1, 0);
        for (unsigned host = 0; host < FEW; host++) {
            char url[64];
            url_of(url, host, 0);
            crawl_lease lease = pop(f, url, 0);
            done(f, lease, CRAWL_DONE_RETURN, 1000 - (int64_t)host, 0);
        }
        cr_assert_eq(push_pages(f, FEW, 0, 1, 0), 1);
        cr_assert_leq(in_memory(f), 2);
        crawl_frontier_binding binding;
        crawl_frontier_binding_get(f, 0, &binding);
        cr_assert_eq(binding.hosts[CRAWL_STANDING_DATED], FEW);
        cr_assert_eq(binding.due_ms, 1001 - FEW);
        cr_assert_str_eq(binding.due.origin, "http://host39");
        if (is_killed)
            cw_frontier_abandon(f);
        else
            cr_assert_eq(crawl_frontier_close(f, NULL), CRAWL_OK);
        f = open_settling(dir.path, &options, 0);
        expect(f, FEW, 0, 0);
        pop_again(f, 0, 1001 - FEW);
        for (unsigned host = FEW; host-- > 0;) {
            pop_again(f, 999 - (int64_t)host, 1);
            expect(f, host, 0, 1000 - (int64_t)host);
        }
        pop_drained(f, 1000);
        check(f);
        crawl_frontier_free(f);
        remove_directory(dir.path);
    }
}

/* After a crash all hosts count as asked at the opening. Those with their own pause may be asked when that is over. */
Test(durable_dormant, hosts_pause_after_a_kill)
{
    enum { FEW = 100 };
    crawl_frontier_options options = dormant_options(PAUSE);
    directory dir = make_directory();
    crawl_frontier_binding binding;
    crawl_frontier *f = open_settling(dir.path, &options, 0);
    push_hosts(f, FEW, 1, 0);
    cr_assert_eq(crawl_frontier_set_pause(f, crawl_slice_from("http://host99"), 200, 0), CRAWL_OK);
    cr_assert_eq(crawl_frontier_set_pause(f, crawl_slice_from("http://host98"), 5000, 0), CRAWL_OK);
    cr_assert_eq(crawl_frontier_set_pause(f, crawl_slice_from("http://host97"), 0, 0), CRAWL_OK);
    cw_frontier_abandon(f);
    f = open_settling(dir.path, &options, 100);
    cr_assert_leq(in_memory(f), CW_FRONTIER_WATCHED + 1);
    check(f);
    crawl_frontier_binding_get(f, 100, &binding);
    cr_assert_eq(binding.hosts[CRAWL_STANDING_PAUSED], FEW - 1);
    cr_assert_eq(binding.due_ms, 300);
    expect(f, 97, 0, 100);
    pop_again(f, 100, 200);
    expect(f, 99, 0, 300);
    cr_assert_eq(push_pages(f, 50, 1, 1, 400), 1); /* wakes, and pauses still */
    check(f);
    pop_again(f, 400, 700);
    for (unsigned host = 0; host < FEW - 3; host++)
        expect(f, host, 0, 1100);
    crawl_frontier_binding_get(f, 1100, &binding);
    cr_assert_eq(binding.hosts[CRAWL_STANDING_READY], 0);
    cr_assert_eq(binding.hosts[CRAWL_STANDING_PAUSED], 2);
    pop_again(f, 1100, 1000);
    expect(f, 50, 1, 2100);
    pop_again(f, 2100, 3000);
    expect(f, 98, 0, 5100);
    pop_drained(f, 5100);
    check(f);
    crawl_frontier_free(f);
    remove_directory(dir.path);
}

static bool hasten_all(const crawl_lease *, crawl_slice *, void *)
{
    return true;
}

Test(durable_dormant, calls_for_one_host_find_it)
{
    crawl_frontier_options options = dormant_options(0);
    directory dir = make_directory();
    crawl_lease lease;
    crawl_held_host held;
    int64_t wait;
    uint64_t hastened = 0;
    crawl_frontier *f = open_settling(dir.path, &options, 0);
    push_hosts(f, 20, 2, 0);
    cr_assert_eq(crawl_frontier_pop_host(f, crawl_slice_from("http://host7"), 0, &lease, &wait), CRAWL_OK);
    cr_assert(crawl_slice_equal(lease.url, crawl_slice_from("http://host7/0")));
    cr_assert_eq(crawl_frontier_done_again(f, lease.id, 5000, (crawl_slice){0}, 0), CRAWL_OK);
    for (unsigned page = 2; page < 6; page++)
        cr_assert_eq(push_pages(f, 1, page, 1, 0), 1);
    cr_assert_null(cw_frontier_hosts_find(&f->hosts, crawl_slice_from("http://host7")));
    cr_assert_eq(crawl_frontier_hasten(f, crawl_slice_from("http://host7"), 0, hasten_all, NULL, &hastened), CRAWL_OK);
    cr_assert_eq(hastened, 1);
    cr_assert_eq(crawl_frontier_host_get(f, crawl_slice_from("http://host9"), 0, &held), CRAWL_OK);
    cr_assert_eq(held.queued, 2);
    cr_assert_eq(held.standing, CRAWL_STANDING_READY);
    cr_assert_eq(crawl_frontier_block(f, crawl_slice_from("http://host0"), CRAWL_FOREVER, 0), CRAWL_OK);
    check(f);
    visit(f, "http://host1/0", 0);
    crawl_frontier_free(f);
    remove_directory(dir.path);
}

/* Nothing can be asked of a host whose record is lost, and nothing else is lost with it. */
Test(durable_dormant, a_record_that_is_gone_is_a_failure)
{
    crawl_frontier_options options = dormant_options(0);
    directory dir = make_directory();
    crawl_error error = {0};
    crawl_lease lease;
    crawl_frontier *f = open_settling(dir.path, &options, 0);
    push_hosts(f, 20, 1, 0);
    cw_disk *disk = cw_disk_of(f);
    cw_disk_host_key name = cw_disk_host_key_make(1);
    cw_disk_begin(disk);
    cw_disk_database_delete(&disk->database, disk->batch, CW_FAMILY_META, CW_DISK_SLICE_OF_KEY(name));
    cr_assert_eq(cw_disk_commit(disk), CRAWL_OK);
    expect(f, 0, 0, 0);
    cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_ECORRUPT);
    cr_assert_eq(crawl_frontier_failure(f, &error), CRAWL_ECORRUPT);
    cr_assert_str_eq(error.message, "the record of host 1 is missing");
    cw_frontier_abandon(f);
    remove_directory(dir.path);
}

/* Hosts come to rest even if the stage would keep them in memory. */
Test(durable_dormant, the_stage_is_settled_for_hosts_to_rest)
{
    crawl_frontier_options options = dormant_options(0);
    options.host_bytes = (uint64_t)CW_DISK_HOST_BYTES * 100;
    directory dir = make_directory();
    crawl_frontier *f = open_in(dir.path, &options, 0);
    for (unsigned host = 0; host < HOSTS; host++) {
        cr_assert_eq(push_pages(f, host, 0, 1, 0), 1);
        if (host % 100 == 99)
            cw_disk_settler_wait(&cw_disk_of(f)->settler);
    }
    cr_assert_eq(cw_disk_settle(f), CRAWL_OK);
    for (unsigned page = 1; page < 40; page++)
        cr_assert_eq(push_pages(f, 0, page, 1, 0), 1);
    cr_assert_leq(in_memory(f), 300, "%zu", in_memory(f));
    check(f);
    crawl_frontier_free(f);
    remove_directory(dir.path);
}

/* ---- the same crawl twice, in one of which hosts rest ---- */

enum { CRAWLED = 60, PAIR = 2, MOST_OUT = 8 };

typedef struct pair {
    crawl_frontier *frontiers[PAIR];
    directory directories[PAIR];
    crawl_frontier_options options[PAIR];
    crawl_lease out[PAIR][MOST_OUT];
    unsigned seed, step;
    unsigned leased;
    unsigned page;
    int64_t now;
    uint64_t random;
} pair;

static uint64_t draw(pair *p, uint64_t limit)
{
    p->random = p->random * 6364136223846793005u + 1442695040888963407u;
    return (p->random >> 33) % limit;
}

static void open_pair(pair *p)
{
    for (int i = 0; i < PAIR; i++) {
        p->frontiers[i] = open_settling(p->directories[i].path, &p->options[i], p->now);
        cw_disk_of(p->frontiers[i])->windows.stage.limit = 2000;
        cw_disk_of(p->frontiers[i])->rest.most = i ? 10 : CRAWLED;
    }
}

static void reopen_pair(pair *p)
{
    bool is_killed = draw(p, 2);
    for (int i = 0; i < PAIR; i++) {
        if (is_killed)
            cw_frontier_abandon(p->frontiers[i]);
        else
            cr_assert_eq(crawl_frontier_close(p->frontiers[i], NULL), CRAWL_OK);
        check_directory(p->directories[i].path);
    }
    p->leased = 0;
    open_pair(p);
}

static void push_pair(pair *p)
{
    char urls[PAIR][64];
    crawl_request requests[PAIR];
    for (int i = 0; i < PAIR; i++) {
        url_of(urls[i], (unsigned)draw(p, CRAWLED), p->page++);
        requests[i] = request_for(urls[i], (uint32_t)draw(p, 3), draw(p, 9) ? 0 : 1);
    }
    for (int i = 0; i < PAIR; i++)
        cr_assert_eq(crawl_frontier_push(p->frontiers[i], requests, PAIR, (crawl_slice){0}, NULL, NULL, p->now),
                     CRAWL_OK);
}

static void pop_pair(pair *p)
{
    crawl_err errs[PAIR];
    crawl_frontier_binding bindings[PAIR];
    int64_t waits[PAIR] = {0};
    crawl_lease leases[PAIR];
    if (p->leased == MOST_OUT)
        return;
    for (int i = 0; i < PAIR; i++) {
        errs[i] = crawl_frontier_pop(p->frontiers[i], p->now, &leases[i], &waits[i]);
        crawl_frontier_binding_get(p->frontiers[i], p->now, &bindings[i]);
    }
    cr_assert_eq(errs[0], errs[1], "seed %u, step %u: %s, at rest %s", p->seed, p->step, crawl_strerror(errs[0]),
                 crawl_strerror(errs[1]));
    cr_assert_eq(waits[0], waits[1]);
    cr_assert_arr_eq(bindings[0].hosts, bindings[1].hosts, sizeof bindings[0].hosts);
    cr_assert_eq(bindings[0].due_ms, bindings[1].due_ms);
    if (errs[0])
        return;
    cr_assert(crawl_slice_equal(leases[0].url, leases[1].url), "seed %u, step %u: %.*s, at rest %.*s", p->seed, p->step,
              (int)leases[0].url.size, leases[0].url.data, (int)leases[1].url.size, leases[1].url.data);
    cr_assert_eq(leases[0].session_ends, leases[1].session_ends);
    for (int i = 0; i < PAIR; i++)
        p->out[i][p->leased] = leases[i];
    p->leased++;
}

static void end_pair(pair *p)
{
    unsigned which = p->leased ? (unsigned)draw(p, p->leased) : 0;
    crawl_outcome outcome = (crawl_outcome)draw(p, 3);
    int64_t at = draw(p, 2) ? p->now + (int64_t)draw(p, 300) : 0;
    if (!p->leased)
        return;
    p->leased--;
    for (int i = 0; i < PAIR; i++) {
        cr_assert_eq(crawl_frontier_done(p->frontiers[i], p->out[i][which].id, outcome, at, p->now), CRAWL_OK);
        p->out[i][which] = p->out[i][p->leased];
    }
}

static void set_up_pair(pair *p)
{
    unsigned what = (unsigned)draw(p, 4);
    int64_t value = (int64_t)draw(p, 60);
    char url[64];
    unsigned host = (unsigned)draw(p, CRAWLED);
    url_of(url, host, p->page++);
    crawl_slice name = crawl_slice_of(url, strlen("http://host") + (host < 10 ? 1 : 2));
    crawl_request urgent = request_for(url, 0, 0);
    for (int i = 0; i < PAIR; i++) {
        crawl_frontier *f = p->frontiers[i];
        crawl_err err = what == 0   ? crawl_frontier_set_pause(f, name, value - 20, p->now)
                        : what == 1 ? crawl_frontier_set_share(f, name, 1 + (uint32_t)value % 3, p->now)
                        : what == 2 ? crawl_frontier_block(f, name, p->now + 2 * value, p->now)
                                    : crawl_frontier_push_urgent(f, &urgent, p->now);
        cr_assert_eq(err, CRAWL_OK);
    }
}

static void crawl_pair(pair *p)
{
    enum { STEPS = 3000 };
    open_pair(p);
    for (p->step = 0; p->step < STEPS; p->step++) {
        unsigned what = (unsigned)draw(p, 600);
        p->now += draw(p, 4) ? 0 : (int64_t)draw(p, 10);
        if (what < 2)
            reopen_pair(p);
        else if (what < 200)
            push_pair(p);
        else if (what < 400)
            pop_pair(p);
        else if (what < 590)
            end_pair(p);
        else
            set_up_pair(p);
        if (p->step % 64 == 0)
            check(p->frontiers[1]);
    }
}

/* Compares the crawls in every order, with sessions and without. */
Test(durable_dormant, a_crawl_is_the_same_as_one_whose_hosts_stay)
{
    enum { SEEDS = 10 };
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        static pair p;
        p = (pair){.seed = seed, .random = seed};
        for (int i = 0; i < PAIR; i++) {
            p.options[i] = dormant_options(seed % 4 ? 30 : 0);
            p.options[i].order = seed % 5 ? CRAWL_ORDER_BFS : seed % 2 ? CRAWL_ORDER_DFS : CRAWL_ORDER_BEST;
            p.options[i].sessions = seed % 2 ? 0 : 4;
            p.options[i].host_turns = seed % 3 == 0;
            p.options[i].per_host = 1 + seed % 2;
            p.options[i].host_bytes = i ? (uint64_t)CW_DISK_HOST_BYTES * 10 : 1 << 20;
            p.directories[i] = make_directory();
        }
        crawl_pair(&p);
        for (int i = 0; i < PAIR; i++) {
            cr_assert_eq(crawl_frontier_close(p.frontiers[i], NULL), CRAWL_OK);
            remove_directory(p.directories[i].path);
        }
    }
}
