/* The durable frontier from one process to the next: requests that come again or not, and refusals. */
#include "tests/unit/frontier/pages.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* Runs in a child process, started before this one has threads. Returns how it ended. */
static int in_child(void (*run)(const char *path), const char *path)
{
    int status = -1;
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        run(path);
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    return status;
}

Test(durable, all_of_a_request_is_there_in_the_next_process)
{
    directory dir = make_directory();
    crawl_frontier_options options = test_options();
    crawl_frontier *f = open_in(dir.path, &options, 0);
    crawl_request request = request_for("https://me@a:8443/x?y=z", 4, -3);
    request.method = crawl_slice_from("POST");
    request.headers = crawl_slice_from("A: b\nC: d\n");
    request.body = crawl_slice_of("\0body", 5);
    request.tag = 77;
    cr_assert_eq(crawl_frontier_push(f, &request, 1, crawl_slice_from("https://p/"), NULL, NULL, 0), CRAWL_OK);
    done(f, pop(f, "https://me@a:8443/x?y=z", 0), CRAWL_DONE_RETRY, 0, 0);
    cr_assert_eq(crawl_frontier_close(f, NULL), CRAWL_OK);
    check_directory(dir.path);
    f = open_in(dir.path, &options, 0);
    cr_assert_eq(push_request(f, request, 0), CRAWL_PUSHED_SEEN);
    crawl_lease lease = pop(f, "https://me@a:8443/x?y=z", 0);
    cr_assert(crawl_slice_equal(lease.origin, crawl_slice_from("https://a:8443")));
    cr_assert(crawl_slice_equal(lease.method, request.method));
    cr_assert(crawl_slice_equal(lease.headers, request.headers));
    cr_assert(crawl_slice_equal(lease.body, request.body));
    cr_assert(crawl_slice_equal(lease.parent, crawl_slice_from("https://p/")));
    cr_assert_eq(memcmp(&lease.fingerprint, &request.fingerprint, sizeof request.fingerprint), 0);
    cr_assert_eq(lease.priority, -3);
    cr_assert_eq(lease.depth, 4);
    cr_assert_eq(lease.tag, 77);
    cr_assert_eq(lease.attempt, 2);
    finish(f, lease, 0);
    crawl_frontier_free(f);
    f = open_in(dir.path, &options, 0);
    pop_drained(f, 0);
    cr_assert_eq(stats_of(f, 0).finished, 1);
    crawl_frontier_free(f);
    remove_directory(dir.path);
}

Test(durable, by_depth_is_decided_when_the_directory_is_made)
{
    for (int is_killed = 0; is_killed < 2; is_killed++) {
        directory dir = make_directory();
        crawl_frontier_options options = test_options();
        options.order = CRAWL_ORDER_DFS;
        options.by_depth = true;
        crawl_frontier *f = open_in(dir.path, &options, 0);
        crawl_request part = request_for("http://a/part", 3, 0);
        part.any_depth = true;
        push_new(f, "http://a/1", 3, 0, 0);
        cr_assert_eq(push_request(f, part, 0), CRAWL_PUSHED_NEW);
        if (is_killed)
            crawl_frontier_free(f);
        else
            cr_assert_eq(crawl_frontier_close(f, NULL), CRAWL_OK);
        check_directory(dir.path);
        options.by_depth = false;
        f = open_in(dir.path, &options, 0);
        cr_expect_eq(push_request(f, request_for("http://a/1", 3, 0), 0), CRAWL_PUSHED_SEEN);
        cr_expect_eq(push_request(f, request_for("http://a/1", 2, 0), 0), CRAWL_PUSHED_NEW);
        part.depth = 1;
        cr_expect_eq(push_request(f, part, 0), CRAWL_PUSHED_SEEN);
        crawl_frontier_free(f);
        remove_directory(dir.path);
        dir = make_directory();
        options.by_depth = false;
        f = open_in(dir.path, &options, 0);
        push_new(f, "http://a/1", 3, 0, 0);
        crawl_frontier_free(f);
        options.by_depth = true;
        f = open_in(dir.path, &options, 0);
        cr_expect_eq(push_request(f, request_for("http://a/1", 2, 0), 0), CRAWL_PUSHED_SEEN);
        crawl_frontier_free(f);
        remove_directory(dir.path);
    }
}

Test(durable, by_depth_what_waits_deeper_is_told_after_a_restart)
{
    enum { CLOSED, KILLED, NEARER_LATER, WAYS };
    for (int way = 0; way < WAYS; way++) {
        directory dir = make_directory();
        crawl_frontier_options options = test_options();
        crawl_request again = request_for("http://a/1", 2, 0);
        again.revisit = true;
        options.by_depth = true;
        options.pause_ms = 0;
        crawl_frontier *f = open_in(dir.path, &options, 0);
        push_new(f, "http://a/1", 3, 0, 0);
        cr_assert_eq(push_request(f, again, 0), CRAWL_PUSHED_NEW);
        if (way != NEARER_LATER)
            push_new(f, "http://a/1", 1, 0, 0);
        if (way == KILLED)
            crawl_frontier_free(f);
        else
            cr_assert_eq(crawl_frontier_close(f, NULL), CRAWL_OK);
        check_directory(dir.path);
        f = open_in(dir.path, &options, 0);
        if (way == NEARER_LATER)
            push_new(f, "http://a/1", 1, 0, 0);
        for (uint32_t depth = 1; depth <= 3; depth++) {
            crawl_lease lease;
            cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_OK);
            cr_expect_eq(lease.depth, depth);
            cr_expect_eq(lease.nearer, depth == 3, "way %d, depth %u", way, depth);
            done(f, lease, CRAWL_DONE_FINISHED, 0, 0);
        }
        crawl_frontier_free(f);
        remove_directory(dir.path);
    }
}

/* Between two clean shutdowns, time alone makes requests ready: while the frontier is opened, or while another host is
 * asked. */
Test(durable, requests_that_became_ready_by_time_alone_are_counted_where_they_are)
{
    enum { AT_OPEN, WHILE_OPEN, WAYS };
    crawl_frontier_options options = test_options();
    options.sync = CRAWL_SYNC_NEVER;
    for (int way = 0; way < WAYS; way++) {
        directory dir = make_directory();
        crawl_frontier *f = open_in(dir.path, &options, 0);
        push_new(f, "http://a/1", 0, 0, 0);
        push_new(f, "http://b/1", 0, 0, 0);
        done(f, pop(f, "http://a/1", 0), CRAWL_DONE_RETRY, 500, 0);
        done(f, pop(f, "http://b/1", 0), CRAWL_DONE_RETRY, 500, 0);
        cr_assert_eq(crawl_frontier_close(f, NULL), CRAWL_OK);
        f = open_in(dir.path, &options, way == AT_OPEN ? 600 : 100);
        if (way == WHILE_OPEN)
            visit(f, "http://a/1", 600);
        cr_assert_eq(crawl_frontier_close(f, NULL), CRAWL_OK);
        check_directory(dir.path);
        f = open_in(dir.path, &options, 700);
        if (way == AT_OPEN)
            visit(f, "http://a/1", 700);
        visit(f, "http://b/1", 700);
        pop_drained(f, 700);
        crawl_frontier_free(f);
        remove_directory(dir.path);
    }
}

static unsigned writes_left;
static __typeof__(cw_disk_rocksdb.write) write_really;

static void write_until_full(rocksdb_t *db, const rocksdb_writeoptions_t *options, rocksdb_writebatch_t *batch,
                             char **why)
{
    if (writes_left) {
        writes_left--;
        write_really(db, options, batch, why);
    } else {
        *why = strdup("IO error: No space left on device");
    }
}

/* Due requests are moved during the opening: the mark of a clean shutdown must be removed before that. */
Test(durable, a_disk_that_is_full_at_any_write_of_an_opening_loses_nothing)
{
    crawl_frontier_options options = test_options();
    options.sync = CRAWL_SYNC_NEVER;
    bool is_open = false;
    for (unsigned writes = 0; !is_open; writes++) {
        directory dir = make_directory();
        crawl_frontier *f = open_in(dir.path, &options, 0);
        push_new(f, "http://a/1", 0, 0, 0);
        push_new(f, "http://b/1", 0, 0, 0);
        done(f, pop(f, "http://a/1", 0), CRAWL_DONE_RETRY, 500, 0);
        done(f, pop(f, "http://b/1", 0), CRAWL_DONE_RETRY, 500, 0);
        cr_assert_eq(crawl_frontier_close(f, NULL), CRAWL_OK);
        write_really = cw_disk_rocksdb.write;
        writes_left = writes;
        cw_disk_rocksdb.write = write_until_full;
        is_open = crawl_frontier_open(dir.path, &options, 600, &f, NULL) == CRAWL_OK;
        cw_disk_rocksdb.write = write_really;
        if (is_open)
            crawl_frontier_free(f);
        check_directory(dir.path);
        f = open_in(dir.path, &options, 700);
        visit(f, "http://a/1", 700);
        visit(f, "http://b/1", 700);
        pop_drained(f, 700);
        crawl_frontier_free(f);
        remove_directory(dir.path);
        cr_assert(is_open || writes < 50);
    }
}

/* Ten pages: one finished, one to be tried again at 500, one given back, two in flight. */
static void work_and_be_killed(const char *path)
{
    crawl_frontier_options options = test_options();
    options.per_host = 10;
    crawl_frontier *f = open_in(path, &options, 0);
    crawl_lease leases[5];
    push_pages(f, 1, 0, 10, 0);
    for (size_t i = 0; i < 5; i++)
        crawl_frontier_pop(f, 0, &leases[i], NULL);
    crawl_frontier_done(f, leases[0].id, CRAWL_DONE_FINISHED, 0, 0);
    crawl_frontier_done(f, leases[1].id, CRAWL_DONE_RETRY, 500, 0);
    crawl_frontier_done(f, leases[2].id, CRAWL_DONE_RETURN, 0, 0);
    push_urgent(f, "http://host1/robots.txt", 0);
    raise(SIGKILL);
}

Test(durable, after_a_kill_what_was_in_flight_comes_again_and_nothing_else)
{
    directory dir = make_directory();
    crawl_frontier_options options = test_options();
    options.per_host = 10;
    int status = in_child(work_and_be_killed, dir.path);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    check_directory(dir.path);
    crawl_frontier *f = open_in(dir.path, &options, 100);
    cr_assert_eq(stats_of(f, 100).queued, 10);
    cr_assert_eq(stats_of(f, 100).finished, 1);
    cr_assert(pop(f, "http://host1/robots.txt", 100).urgent);
    for (unsigned page = 2; page < 10; page++) {
        char url[64];
        url_of(url, 1, page);
        cr_assert_eq(pop(f, url, 100).attempt, 1);
    }
    pop_again(f, 100, 400);
    cr_assert_eq(pop(f, "http://host1/1", 500).attempt, 2);
    cr_assert_eq(push_pages(f, 1, 0, 10, 500), 0);
    crawl_frontier_free(f);
    remove_directory(dir.path);
}

static void push_two_batches(const char *path)
{
    crawl_frontier_options options = test_options();
    crawl_frontier *f = open_in(path, &options, 0);
    push_pages(f, 1, 0, 50, 0);
    push_pages(f, 1, 50, 50, 0);
    raise(SIGKILL);
}

static char newest_log[300];
static long newest_number;

static int find_log(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    const char *name = path + walk->base;
    (void)status;
    if (type == FTW_F && strstr(name, ".log") && atol(name) >= newest_number) {
        newest_number = atol(name);
        snprintf(newest_log, sizeof newest_log, "%s", path);
    }
    return 0;
}

static directory cut_by(off_t bytes)
{
    directory dir = make_directory();
    struct stat status;
    cr_assert(WIFSIGNALED(in_child(push_two_batches, dir.path)));
    newest_number = 0;
    nftw(dir.path, find_log, 8, FTW_PHYS);
    cr_assert_eq(stat(newest_log, &status), 0);
    cr_assert_gt(status.st_size, 2 * bytes);
    cr_assert_eq(truncate(newest_log, status.st_size - bytes), 0);
    start_machine_anew(dir.path);
    return dir;
}

/* Any number of bytes may be missing from the end of the last write: that batch is lost as a whole, with its part of
 * the seen-set, and nothing else. A view of a directory starts the database's threads, so forked processes make all
 * directories before one is viewed. */
Test(durable, a_torn_write_loses_its_batch_as_a_whole)
{
    const off_t cuts[] = {1, 7, 100, 1000, 3000};
    enum { CUTS = sizeof cuts / sizeof *cuts };
    crawl_frontier_options options = test_options();
    directory dirs[CUTS];
    for (size_t i = 0; i < CUTS; i++)
        dirs[i] = cut_by(cuts[i]);
    for (size_t i = 0; i < CUTS; i++) {
        check_directory(dirs[i].path);
        crawl_frontier *f = open_in(dirs[i].path, &options, 0);
        cr_assert_eq(stats_of(f, 0).queued, 50, "cut by %lld", (long long)cuts[i]);
        cr_assert_eq(push_pages(f, 1, 0, 50, 0), 0);
        cr_assert_eq(push_pages(f, 1, 50, 50, 0), 50);
        crawl_frontier_free(f);
        remove_directory(dirs[i].path);
    }
}

Test(durable, hosts_keep_pause_block_note_and_last_start)
{
    directory dir = make_directory();
    crawl_frontier_options options = test_options();
    crawl_buf note = {0};
    crawl_slice a = crawl_slice_from("http://a");
    crawl_slice b = crawl_slice_from("http://b");
    crawl_frontier *f = open_in(dir.path, &options, 0);
    cr_assert_eq(crawl_frontier_block(f, a, 5000, 0), CRAWL_OK);
    cr_assert_eq(crawl_frontier_set_pause(f, b, 300, 0), CRAWL_OK);
    cr_assert_eq(crawl_frontier_note_set(f, b, crawl_slice_from("robots: no")), CRAWL_OK);
    cr_assert_eq(crawl_frontier_note_set(f, crawl_slice_from(""), crawl_slice_from("seeded")), CRAWL_OK);
    push_new(f, "http://a/", 0, 0, 0);
    push_new(f, "http://b/1", 0, 0, 0);
    push_new(f, "http://b/2", 0, 0, 0);
    visit(f, "http://b/1", 10);
    cr_assert_eq(crawl_frontier_close(f, NULL), CRAWL_OK);
    f = open_in(dir.path, &options, 20);
    pop_again(f, 20, 290);
    visit(f, "http://b/2", 310);
    pop_again(f, 310, 4690);
    visit(f, "http://a/", 5000);
    cr_assert_eq(crawl_frontier_note_get(f, b, &note), CRAWL_OK);
    cr_assert(crawl_slice_equal(crawl_buf_slice(&note), crawl_slice_from("robots: no")));
    crawl_buf_clear(&note);
    cr_assert_eq(crawl_frontier_note_get(f, crawl_slice_from(""), &note), CRAWL_OK);
    cr_assert(crawl_slice_equal(crawl_buf_slice(&note), crawl_slice_from("seeded")));
    cr_assert_eq(crawl_frontier_note_get(f, a, &note), CRAWL_ABSENT);
    cr_assert_eq(crawl_frontier_note_set(f, b, crawl_slice_from("")), CRAWL_OK);
    cr_assert_eq(crawl_frontier_note_get(f, b, &note), CRAWL_ABSENT);
    crawl_frontier_free(f);
    crawl_buf_free(&note);
    remove_directory(dir.path);
}

Test(durable, a_clock_that_was_set_back_holds_nobody_up)
{
    directory dir = make_directory();
    crawl_frontier_options options = test_options();
    options.pause_ms = 100;
    crawl_frontier *f = open_in(dir.path, &options, 1000000);
    push_new(f, "http://a/1", 0, 0, 1000000);
    push_new(f, "http://a/2", 0, 0, 1000000);
    visit(f, "http://a/1", 1000000);
    crawl_frontier_free(f);
    f = open_in(dir.path, &options, 500);
    pop_again(f, 500, 100);
    visit(f, "http://a/2", 600);
    crawl_frontier_free(f);
    remove_directory(dir.path);
}

Test(durable, one_at_a_time_has_a_directory)
{
    directory dir = make_directory();
    crawl_frontier_options options = test_options();
    crawl_frontier *other = NULL;
    crawl_error error = {0};
    crawl_frontier *f = open_in(dir.path, &options, 0);
    cr_assert_eq(crawl_frontier_open(dir.path, &options, 0, &other, &error), CRAWL_ESTATE);
    cr_assert_not_null(strstr(error.message, "in use by process"), "%s", error.message);
    char lock[300];
    snprintf(lock, sizeof lock, "%s/lock", dir.path);
    cr_assert_eq(unlink(lock), 0);
    cr_assert_eq(crawl_frontier_open(dir.path, &options, 0, &other, &error), CRAWL_ESTATE);
    cr_assert_not_null(strstr(error.message, "whose file \"lock\" was removed"), "%s", error.message);
    crawl_frontier_free(f);
    crawl_frontier_free(open_in(dir.path, &options, 0));
    remove_directory(dir.path);
}

static void expect_refused(const char *path, const crawl_frontier_options *options, const char *why)
{
    crawl_frontier *f = NULL;
    crawl_error error = {0};
    cr_assert_eq(crawl_frontier_open(path, options, 0, &f, &error), CRAWL_EINVAL);
    cr_assert_not_null(strstr(error.message, why), "%s", error.message);
    cr_assert_not_null(strstr(error.message, path), "%s", error.message);
}

Test(durable, what_is_decided_once_cannot_change)
{
    directory dir = make_directory();
    crawl_frontier_options options = test_options();
    options.fingerprints = "sha1 1";
    crawl_frontier_free(open_in(dir.path, &options, 0));
    crawl_frontier_options other = options;
    other.order = CRAWL_ORDER_DFS;
    expect_refused(dir.path, &other, "order: was bfs");
    other = options;
    other.seen.kind = CRAWL_BLOOM_DIGEST;
    expect_refused(dir.path, &other, "seen.kind: was exact");
    other = options;
    other.seen.seed = 9;
    expect_refused(dir.path, &other, "seed: was 0");
    other = options;
    other.seen.fpr = 0.25;
    expect_refused(dir.path, &other, "cannot become 0.25");
    other = options;
    other.fingerprints = "sha1 2";
    expect_refused(dir.path, &other, "\"sha1 1\"");
    other = options;
    other.fingerprints = NULL;
    expect_refused(dir.path, &other, "fingerprints");
    other = options;
    other.pause_ms = 17;
    other.per_host = 9;
    other.max_queued = 4;
    other.sync = CRAWL_SYNC_ALWAYS;
    crawl_frontier *f = open_in(dir.path, &other, 0);
    cr_assert_eq(push_pages(f, 1, 0, 9, 0), 4);
    crawl_frontier_free(f);
    remove_directory(dir.path);
}

static void put_meta(const char *path, const char *key, const char *value)
{
    cw_disk_database database;
    char db[300];
    crawl_error error = {0};
    snprintf(db, sizeof db, "%s/db", path);
    cr_assert_eq(cw_disk_database_open(&database, db, CW_DATABASE_THERE, 1 << 20, &error), CRAWL_OK, "%s",
                 error.message);
    rocksdb_writebatch_t *batch = cw_disk_rocksdb.writebatch_create();
    cw_disk_database_put(&database, batch, CW_FAMILY_META, crawl_slice_from(key), crawl_slice_from(value));
    cr_assert_eq(cw_disk_database_write(&database, batch, true, &error), CRAWL_OK, "%s", error.message);
    cw_disk_rocksdb.writebatch_destroy(batch);
    cw_disk_database_close(&database);
}

Test(durable, another_format_is_refused)
{
    directory dir = make_directory();
    crawl_frontier_options options = test_options();
    crawl_frontier *f = NULL;
    crawl_frontier_view *view = NULL;
    crawl_error error = {0};
    crawl_frontier_free(open_in(dir.path, &options, 0));
    put_meta(dir.path, "mformat", "\x09");
    cr_assert_eq(crawl_frontier_open(dir.path, &options, 0, &f, &error), CRAWL_ECORRUPT);
    cr_assert_not_null(strstr(error.message, "format 9"), "%s", error.message);
    cr_assert_eq(crawl_frontier_view_open(dir.path, &view, &error), CRAWL_ECORRUPT);
    remove_directory(dir.path);
}

Test(durable, what_cannot_be_a_directory_is_refused)
{
    directory dir = make_directory();
    crawl_frontier_options options = test_options();
    crawl_frontier *f = NULL;
    crawl_frontier_view *view = NULL;
    crawl_error error = {0};
    cr_assert_eq(crawl_frontier_open("/proc/crawl-frontier", &options, 0, &f, &error), CRAWL_EIO);
    cr_assert_not_null(strstr(error.message, "/proc/crawl-frontier"), "%s", error.message);
    cr_assert_eq(crawl_frontier_open("/dev/null", &options, 0, &f, &error), CRAWL_EIO);
    cr_assert_eq(crawl_frontier_view_open("/proc/crawl-frontier", &view, &error), CRAWL_EIO);
    cr_assert_eq(crawl_frontier_view_open(dir.path, &view, &error), CRAWL_ECORRUPT);
    options.sync_ms = 0;
    cr_assert_eq(crawl_frontier_open(dir.path, &options, 0, &f, &error), CRAWL_EINVAL);
    cr_assert_not_null(strstr(error.message, "sync_ms"), "%s", error.message);
    if (geteuid() != 0) { /* root can write anywhere */
        options.sync_ms = 1;
        chmod(dir.path, 0555);
        cr_assert_eq(crawl_frontier_open(dir.path, &options, 0, &f, &error), CRAWL_EIO);
        chmod(dir.path, 0755);
    }
    remove_directory(dir.path);
}

/* Pushes until a file reaches its limit. Its exit status tells how many batches of 100 were accepted, or that a rule
 * was violated. */
static void push_until_full(const char *path)
{
    enum { BROKEN = 255 };
    const struct rlimit limit = {.rlim_cur = 200000, .rlim_max = RLIM_INFINITY};
    crawl_frontier_options options = test_options();
    crawl_error error = {0};
    crawl_lease lease;
    unsigned batches = 0;
    crawl_frontier *f = open_in(path, &options, 0);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    while (batches < BROKEN && push_pages(f, batches % 3, batches * 100, 100, 0) == 100)
        batches++;
    uint64_t queued = stats_of(f, 0).queued;
    if (crawl_frontier_failure(f, &error) != CRAWL_EIO || !error.message[0] || queued != batches * 100ull ||
        push_pages(f, 1, 99999, 1, 0) != 0 || crawl_frontier_pop(f, 0, &lease, NULL) != CRAWL_EIO ||
        crawl_frontier_block(f, crawl_slice_from("http://host1"), 1000, 0) != CRAWL_EIO || check_frontier(f, NULL) ||
        crawl_frontier_close(f, &error) != CRAWL_EIO)
        _exit(BROKEN);
    _exit((int)batches);
}

Test(durable, a_full_disk_is_told_and_loses_nothing_that_was_accepted)
{
    directory dir = make_directory();
    crawl_frontier_options options = test_options();
    int status = in_child(push_until_full, dir.path);
    cr_assert(WIFEXITED(status));
    unsigned batches = (unsigned)WEXITSTATUS(status);
    cr_assert(batches > 3 && batches < 255, "%u", batches);
    check_directory(dir.path);
    crawl_frontier *f = open_in(dir.path, &options, 0);
    cr_assert_eq(stats_of(f, 0).queued, batches * 100);
    cr_assert_eq(push_pages(f, 0, 0, 100, 0), 0);
    cr_assert_eq(push_pages(f, batches % 3, batches * 100, 100, 0), 100, "what was refused can be pushed again");
    check(f);
    crawl_frontier_free(f);
    remove_directory(dir.path);
}

/* Forgotten requests stay forgotten, and requests know in the next process where they are in the filter. */
static void forget_across(crawl_bloom_kind kind, bool crash)
{
    directory dir = make_directory();
    crawl_frontier_options options = test_options();
    options.seen.kind = kind;
    crawl_frontier *f = open_in(dir.path, &options, 0);
    push_new(f, "http://a/1", 0, 0, 0);
    push_new(f, "http://a/2", 0, 0, 0);
    push_new(f, "http://a/3", 0, 0, 0);
    done(f, pop(f, "http://a/1", 0), CRAWL_DONE_FORGET, 0, 0);
    if (crash)
        cw_frontier_abandon(f);
    else
        crawl_frontier_free(f);
    f = open_in(dir.path, &options, 0);
    done(f, pop(f, "http://a/2", 0), CRAWL_DONE_FORGET, 0, 0);
    push_new(f, "http://a/1", 0, 0, 0);
    push_new(f, "http://a/2", 0, 0, 0);
    cr_assert_eq(push_request(f, request_for("http://a/3", 0, 0), 0), CRAWL_PUSHED_SEEN);
    crawl_frontier_free(f);
    check_directory(dir.path);
    remove_directory(dir.path);
}

Test(durable, forgetting_goes_on_in_the_next_process)
{
    const crawl_bloom_kind kinds[] = {CRAWL_BLOOM_EXACT, CRAWL_BLOOM_DIGEST, CRAWL_BLOOM_TABLE, CRAWL_BLOOM_COUNTING};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        forget_across(kinds[i], false);
        forget_across(kinds[i], true);
    }
}

/* The thread makes a snapshot of the filter while it is in use. */
Test(durable, a_snapshot_under_way_changes_nothing)
{
    directory dir = make_directory();
    crawl_error error = {0};
    crawl_frontier_options options = test_options();
    crawl_frontier *f = open_in(dir.path, &options, 0);
    for (unsigned round = 0; round < 4; round++) {
        cw_disk *disk = cw_disk_of(f);
        push_pages(f, 1, round * 100, 100, 0);
        cr_assert_eq(cw_disk_journal_snapshot(&disk->journal, &disk->database, dir.path, NULL, &error), CRAWL_OK, "%s",
                     error.message);
        cr_assert_eq(atomic_load(&disk->journal.keys), 0);
        push_pages(f, 2, round * 100, 100, 0);
        if (round % 2)
            cw_frontier_abandon(f);
        else
            crawl_frontier_free(f);
        check_directory(dir.path);
        f = open_in(dir.path, &options, 0);
        for (unsigned host = 1; host <= 2; host++)
            for (unsigned before = 0; before <= round; before++)
                cr_assert_eq(push_pages(f, host, before * 100, 100, 0), 0);
    }
    cr_assert_eq(stats_of(f, 0).queued, 800);
    crawl_frontier_free(f);
    remove_directory(dir.path);
}

/* In any order, a host holds no more in memory than its window. */
Test(durable, memory_is_bounded)
{
    const crawl_order orders[] = {CRAWL_ORDER_BFS, CRAWL_ORDER_DFS, CRAWL_ORDER_BEST};
    for (size_t i = 0; i < 3; i++) {
        directory dir = make_directory();
        crawl_frontier_options options = test_options();
        options.order = orders[i];
        crawl_frontier *f = open_in(dir.path, &options, 0);
        cw_disk_of(f)->windows.stage.limit = 20000;
        for (unsigned batch = 0; batch < 100; batch++)
            cr_assert_eq(push_pages(f, 1, batch * 200, 200, 0), 200);
        check(f);
        cr_assert_eq(stats_of(f, 0).queued, 20000);
        cr_assert_lt(stats_of(f, 0).bytes, 100000);
        for (unsigned page = 0; page < 500; page++) {
            crawl_lease lease;
            char url[64];
            url_of(url, 1, orders[i] == CRAWL_ORDER_DFS ? (99 - page / 200) * 200 + page % 200 : page);
            cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_OK);
            cr_assert(crawl_slice_equal(lease.url, crawl_slice_from(url)), "%s", url);
            crawl_frontier_done(f, lease.id, CRAWL_DONE_FINISHED, 0, 0);
        }
        check(f);
        crawl_frontier_free(f);
        remove_directory(dir.path);
    }
}

Test(durable, always_means_on_the_disk)
{
    directory dir = make_directory();
    crawl_frontier_options options = test_options();
    options.sync = CRAWL_SYNC_ALWAYS;
    crawl_frontier *f = open_in(dir.path, &options, 0);
    cw_disk_sync *sync = &cw_disk_of(f)->sync;
    push_pages(f, 1, 0, 10, 0);
    cr_assert_eq(sync->synced, atomic_load(&sync->written));
    visit(f, "http://host1/0", 0);
    cr_assert_eq(sync->synced, atomic_load(&sync->written));
    cr_assert_eq(crawl_frontier_block(f, crawl_slice_from("http://host1"), 1000, 0), CRAWL_OK);
    cr_assert_eq(crawl_frontier_note_set(f, crawl_slice_from("http://host1"), crawl_slice_from("n")), CRAWL_OK);
    cr_assert_eq(sync->synced, atomic_load(&sync->written));
    cr_assert_geq(sync->synced, 4);
    crawl_frontier_free(f);
    options.sync = CRAWL_SYNC_NEVER;
    f = open_in(dir.path, &options, 0);
    push_pages(f, 1, 10, 10, 0);
    cr_assert_eq(cw_disk_of(f)->sync.synced, 0);
    cr_assert_eq(crawl_frontier_sync(f), CRAWL_OK);
    cr_assert_geq(cw_disk_of(f)->sync.synced, 1);
    crawl_frontier_free(f);
    remove_directory(dir.path);
}
