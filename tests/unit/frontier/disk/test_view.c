/* Views of a directory: its contents, in use or not, and its faults. */
#include "frontier/disk/disk.h"
#include "tests/unit/frontier/help.h"

#include <glob.h>

static crawl_frontier_view *view_of(const char *path)
{
    crawl_frontier_view *view = NULL;
    crawl_error error = {0};
    cr_assert_eq(crawl_frontier_view_open(path, &view, &error), CRAWL_OK, "%s", error.message);
    return view;
}

/* Makes two requests ready and one delayed at a, and one urgent at b, which has a note and a block. */
static crawl_frontier *fill(const char *path)
{
    crawl_frontier_options options = test_options();
    options.fingerprints = "sha1 1";
    crawl_frontier *f = open_in(path, &options, 0);
    push_new(f, "http://a/1", 0, 0, 0);
    push_new(f, "http://a/2", 1, 0, 0);
    push_new(f, "http://a/3", 2, 5, 0);
    push_urgent(f, "http://b/robots.txt", 0);
    crawl_frontier_block(f, crawl_slice_from("http://b"), 900, 0);
    crawl_frontier_set_share(f, crawl_slice_from("http://b"), 7, 0);
    crawl_frontier_note_set(f, crawl_slice_from("http://b"), crawl_slice_from("note"));
    crawl_lease robots = pop(f, "http://b/robots.txt", 0);
    done(f, pop(f, "http://a/3", 0), CRAWL_DONE_RETRY, 700, 0);
    done(f, robots, CRAWL_DONE_RETURN, 0, 0);
    return f;
}

typedef struct text {
    char all[2000];
} text;

static void add(text *t, const char *format, ...) CRAWL_PRINTF(2, 3);

static void add(text *t, const char *format, ...)
{
    va_list arguments;
    size_t size = strlen(t->all);
    va_start(arguments, format);
    vsnprintf(t->all + size, sizeof t->all - size, format, arguments);
    va_end(arguments);
}

static bool write_host(const crawl_frontier_host *host, void *user)
{
    add(user, "%.*s ready %d delayed %d urgent %d blocked %d%s; ", (int)host->origin.size, host->origin.data,
        (int)host->ready, (int)host->delayed, (int)host->urgent, host->blocked_ms > 0 ? (int)host->blocked_ms : 0,
        host->has_note ? " note" : "");
    return true;
}

static bool write_request(const crawl_lease *request, int64_t due, void *user)
{
    add(user, "%.*s depth %u attempt %u due %d; ", (int)request->url.size, request->url.data, request->depth,
        request->attempt, due == INT64_MIN ? -1 : (int)due);
    if (request->visit > 1)
        add(user, "visit %u memo %.*s; ", request->visit, (int)request->memo.size, request->memo.data);
    return true;
}

static bool stop_at_once(const crawl_lease *, int64_t, void *user)
{
    ++*(int *)user;
    return false;
}

static void expect_hosts_alone(crawl_frontier_view *view)
{
    crawl_frontier_host host = {.share = 99};
    cr_assert_eq(crawl_frontier_view_host(view, crawl_slice_from("http://c"), &host, NULL), CRAWL_ABSENT);
    cr_assert_eq(host.share, 99);
    cr_assert_eq(crawl_frontier_view_host(view, crawl_slice_from("http://b"), &host, NULL), CRAWL_OK);
    cr_assert_eq(host.blocked_ms, 900);
    cr_assert_eq(host.share, 7);
    cr_assert_eq(crawl_frontier_view_host(view, crawl_slice_from("http://a"), &host, NULL), CRAWL_OK);
    cr_assert_eq(host.share, 1);
    cr_assert_lt(host.pause_ms, 0);
}

static void expect_contents(const char *path)
{
    text hosts = {""};
    text requests = {""};
    text of_b = {""};
    int calls = 0;
    crawl_frontier_view *view = view_of(path);
    cr_assert_eq(crawl_frontier_view_hosts(view, write_host, &hosts, NULL), CRAWL_OK);
    cr_assert_str_eq(
        hosts.all,
        "http://a ready 2 delayed 1 urgent 0 blocked 0; http://b ready 1 delayed 0 urgent 1 blocked 900 note; ");
    cr_assert_eq(crawl_frontier_view_requests(view, crawl_slice_from(""), write_request, &requests, NULL), CRAWL_OK);
    cr_assert_str_eq(requests.all,
                     "http://a/1 depth 0 attempt 1 due -1; http://a/2 depth 1 attempt 1 due -1; "
                     "http://a/3 depth 2 attempt 2 due 700; http://b/robots.txt depth 0 attempt 1 due -1; ");
    cr_assert_eq(crawl_frontier_view_requests(view, crawl_slice_from("http://b"), write_request, &of_b, NULL),
                 CRAWL_OK);
    cr_assert_str_eq(of_b.all, "http://b/robots.txt depth 0 attempt 1 due -1; ");
    cr_assert_eq(crawl_frontier_view_requests(view, crawl_slice_from("http://c"), stop_at_once, &calls, NULL),
                 CRAWL_OK);
    cr_assert_eq(calls, 0);
    cr_assert_eq(crawl_frontier_view_requests(view, crawl_slice_from("http://a"), stop_at_once, &calls, NULL),
                 CRAWL_OK);
    cr_assert_eq(calls, 1);
    calls = 0;
    expect_hosts_alone(view);
    cr_assert_eq(crawl_frontier_view_requests(view, crawl_slice_from(""), stop_at_once, &calls, NULL), CRAWL_OK);
    cr_assert_eq(calls, 1);
    crawl_frontier_view_free(view);
}

Test(view, shows_hosts_and_requests_while_it_is_in_use_and_after)
{
    directory dir = make_directory();
    crawl_frontier *f = fill(dir.path);
    expect_contents(dir.path);
    crawl_frontier_view *view = view_of(dir.path);
    cr_assert(!crawl_frontier_view_summary(view)->clean);
    crawl_frontier_view_free(view);
    crawl_frontier_free(f);
    expect_contents(dir.path);
    view = view_of(dir.path);
    const crawl_frontier_summary *summary = crawl_frontier_view_summary(view);
    cr_assert(summary->clean);
    cr_assert_eq(summary->order, CRAWL_ORDER_BFS);
    cr_assert_eq(summary->seen.kind, CRAWL_BLOOM_EXACT);
    cr_assert(crawl_slice_equal(summary->fingerprints, crawl_slice_from("sha1 1")));
    cr_assert_eq(summary->accepted, 3);
    cr_assert_eq(summary->hosts, 2);
    cr_assert_eq(summary->snapshot, 3);
    crawl_frontier_view_free(view);
    remove_directory(dir.path);
}

static void write_violation(const char *violation, void *user)
{
    add(user, "%s\n", violation);
}

/* Expects violations that begin with each of these words, at least one. */
static void expect_violation(const char *path, const char *named)
{
    text found = {""};
    uint64_t count = 0;
    crawl_error error = {0};
    crawl_frontier_view *view = view_of(path);
    cr_assert_eq(crawl_frontier_view_check(view, write_violation, &found, &count, &error), CRAWL_OK, "%s",
                 error.message);
    cr_assert_eq(count > 0, named != NULL, "%s", found.all);
    cr_assert(!named || strstr(found.all, named), "expected \"%s\", got: %s", named, found.all);
    crawl_frontier_view_free(view);
}

/* Puts a record into the database, or deletes it. */
static void tamper(const char *path, cw_disk_family family, crawl_slice key, const crawl_slice *value)
{
    cw_disk_database database;
    char db[300];
    snprintf(db, sizeof db, "%s/db", path);
    cr_assert_eq(cw_disk_database_open(&database, db, CW_DATABASE_THERE, 1 << 20, NULL), CRAWL_OK);
    rocksdb_writebatch_t *batch = cw_disk_rocksdb.writebatch_create();
    if (value)
        cw_disk_database_put(&database, batch, family, key, *value);
    else
        cw_disk_database_delete(&database, batch, family, key);
    cr_assert_eq(cw_disk_database_write(&database, batch, true, NULL), CRAWL_OK);
    cw_disk_rocksdb.writebatch_destroy(batch);
    cw_disk_database_close(&database);
}

/* Writes the record of a request at http://a, number 0, under its key. */
static void write_stray_request(const char *path, const char *url, uint32_t host, uint64_t sequence)
{
    char record[500];
    crawl_request request = request_for(url, 0, 0);
    cw_frontier_item *item = cw_frontier_item_create(&request, crawl_slice_from("http://a"), 0);
    item->where = 0;
    cw_disk_queue_key key =
        cw_disk_queue_key_make(host, CW_RANGE_NORMAL, cw_frontier_order_key(CRAWL_ORDER_BFS, item, sequence));
    crawl_slice value = crawl_slice_of(record, cw_disk_request_write(record, item, NULL));
    tamper(path, CW_FAMILY_QUEUE, CW_DISK_SLICE_OF_KEY(key), &value);
    free(item);
}

static directory filled(bool close)
{
    directory dir = make_directory();
    crawl_frontier *f = fill(dir.path);
    if (close)
        crawl_frontier_free(f);
    else
        cw_frontier_abandon(f);
    expect_violation(dir.path, NULL);
    return dir;
}

/* Returns a directory with one request for its second visit, and two to be forgotten. */
static directory filled_with_dates(void)
{
    directory dir = make_directory();
    crawl_frontier_options options = test_options();
    crawl_frontier *f = open_in(dir.path, &options, 0);
    for (char url[] = "http://a/1"; url[9] <= '3'; url[9]++)
        push_new(f, url, 0, 0, 0);
    crawl_lease lease = pop(f, "http://a/1", 0);
    cr_assert_eq(crawl_frontier_done_again(f, lease.id, 900, crawl_slice_from("tag"), 0), CRAWL_OK);
    done(f, pop(f, "http://a/2", 0), CRAWL_DONE_FORGET, 500, 0);
    done(f, pop(f, "http://a/3", 0), CRAWL_DONE_FORGET, 400, 0);
    cw_frontier_abandon(f);
    expect_violation(dir.path, NULL);
    return dir;
}

Test(view, shows_further_visits_and_what_is_to_be_forgotten)
{
    directory dir = filled_with_dates();
    text requests = {""};
    crawl_frontier_view *view = view_of(dir.path);
    const crawl_frontier_summary *summary = crawl_frontier_view_summary(view);
    cr_assert_eq(summary->again, 1);
    cr_assert_eq(summary->revisits, 1);
    cr_assert_eq(summary->forgetting, 2);
    cr_assert_eq(crawl_frontier_view_requests(view, crawl_slice_from(""), write_request, &requests, NULL), CRAWL_OK);
    cr_assert_str_eq(requests.all, "http://a/1 depth 0 attempt 1 due 900; visit 2 memo tag; ");
    crawl_frontier_view_free(view);
    remove_directory(dir.path);
}

/* The sequence of the second pushed request is 1. */
Test(view, check_names_dates_that_are_lost_or_cannot_be_read)
{
    directory dir = filled_with_dates();
    cw_disk_forget_key key = cw_disk_forget_key_make((cw_heap_key){.high = cw_heap_key_of_time(500), .low = 1});
    crawl_slice value = crawl_slice_from("no date");
    tamper(dir.path, CW_FAMILY_META, CW_DISK_SLICE_OF_KEY(key), &value);
    expect_violation(dir.path, "forgets: a record of URLs to forget cannot be read");
    tamper(dir.path, CW_FAMILY_META, CW_DISK_SLICE_OF_KEY(key), NULL);
    expect_violation(dir.path, "forgets: 1 requests are to be forgotten, 2 by the figures");
    remove_directory(dir.path);
}

/* A damaged date stops the frontier like a damaged request. */
Test(view, a_damaged_date_stops_the_frontier)
{
    directory dir = filled_with_dates();
    crawl_frontier_options options = test_options();
    crawl_error error = {0};
    crawl_request request = request_for("http://a/9", 0, 0);
    cw_disk_forget_key key = cw_disk_forget_key_make((cw_heap_key){.high = cw_heap_key_of_time(500), .low = 1});
    crawl_slice value = crawl_slice_from("no date");
    tamper(dir.path, CW_FAMILY_META, CW_DISK_SLICE_OF_KEY(key), &value);
    crawl_frontier *f = open_in(dir.path, &options, 0);
    cr_assert_eq(crawl_frontier_push(f, &request, 1, (crawl_slice){0}, NULL, NULL, 450), CRAWL_ECORRUPT);
    cr_assert_eq(crawl_frontier_failure(f, &error), CRAWL_ECORRUPT);
    cr_assert_not_null(strstr(error.message, "to forget"), "%s", error.message);
    crawl_frontier_free(f);
    remove_directory(dir.path);
}

Test(view, check_names_a_lost_host)
{
    directory dir = filled(true);
    cw_disk_host_key key = cw_disk_host_key_make(1);
    tamper(dir.path, CW_FAMILY_META, CW_DISK_SLICE_OF_KEY(key), NULL);
    expect_violation(dir.path, "records: a queued request of a host without a record");
    remove_directory(dir.path);
}

/* As a snapshot of a crawl at work does. */
Test(view, a_file_that_is_dropped_during_a_check_is_no_violation)
{
    directory dir = filled(true);
    crawl_frontier_view *view = view_of(dir.path);
    text reports = {""};
    uint64_t violations = 0;
    crawl_error error = {0};
    char pattern[sizeof dir.path + 8];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/seen-*", dir.path);
    cr_assert_eq(glob(pattern, 0, NULL, &found), 0);
    cr_assert_eq(unlink(found.gl_pathv[0]), 0);
    globfree(&found);
    cr_assert_eq(crawl_frontier_view_check(view, write_violation, &reports, &violations, &error), CRAWL_EIO);
    cr_assert_str_empty(reports.all);
    crawl_frontier_view_free(view);
    remove_directory(dir.path);
}

Test(view, check_names_a_gap_in_the_log)
{
    directory dir = filled(false);
    cw_disk_seen_key key = cw_disk_seen_key_make(2);
    tamper(dir.path, CW_FAMILY_SEEN, CW_DISK_SLICE_OF_KEY(key), NULL);
    expect_violation(dir.path, "log: the log of the seen-set has a gap after batch 1");
    remove_directory(dir.path);
}

Test(view, check_names_requests_that_were_not_pushed)
{
    directory dir = filled(true);
    write_stray_request(dir.path, "http://a/9", 0, 2);
    expect_violation(dir.path, "seen: http://a: a queued request that is not in the seen-set: /9");
    expect_violation(dir.path, "counts: http://a, range 1: 2 by its record, 3 queued");
    write_stray_request(dir.path, "http://a/1", 0, 1000);
    expect_violation(dir.path, "twice: http://a: queued twice: /1");
    expect_violation(dir.path, "sequences: http://a");
    remove_directory(dir.path);
}

Test(view, check_names_a_record_that_cannot_be_read)
{
    directory dir = filled(true);
    cw_disk_queue_key key = cw_disk_queue_key_make(0, CW_RANGE_NORMAL, (cw_heap_key){.high = UINT64_MAX, .low = 1});
    crawl_slice value = crawl_slice_from("no request");
    tamper(dir.path, CW_FAMILY_QUEUE, CW_DISK_SLICE_OF_KEY(key), &value);
    expect_violation(dir.path, "records: http://a: an invalid request in the queue");
    remove_directory(dir.path);
}

/* A frontier that is about to lease such a record returns an error, and stops. */
Test(view, a_damaged_record_stops_the_frontier)
{
    directory dir = filled(true);
    crawl_frontier_options options = test_options();
    crawl_error error = {0};
    crawl_lease lease;
    options.fingerprints = "sha1 1";
    crawl_frontier *f = open_in(dir.path, &options, 0);
    cw_disk_of(f)->windows.budget = 0;
    crawl_lease first = pop(f, "http://b/robots.txt", 0);
    crawl_frontier_close(f, NULL);
    (void)first;
    cw_disk_queue_key key = cw_disk_queue_key_make(
        0, CW_RANGE_NORMAL, (cw_heap_key){.high = (uint64_t)1 << 63 | (uint64_t)INT32_MAX << 31, .low = 0});
    crawl_slice value = crawl_slice_from("no request");
    tamper(dir.path, CW_FAMILY_QUEUE, CW_DISK_SLICE_OF_KEY(key), &value);
    f = open_in(dir.path, &options, 0);
    pop(f, "http://b/robots.txt", 0);
    cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_ECORRUPT);
    cr_assert_eq(crawl_frontier_failure(f, &error), CRAWL_ECORRUPT);
    cr_assert_not_null(strstr(error.message, "invalid request"), "%s", error.message);
    crawl_request request = request_for("http://a/77", 0, 0);
    cr_assert_eq(crawl_frontier_push(f, &request, 1, (crawl_slice){0}, NULL, NULL, 0), CRAWL_ECORRUPT);
    crawl_frontier_free(f);
    remove_directory(dir.path);
}

static bool write_note(crawl_slice name, crawl_slice note, void *user)
{
    add(user, "%.*s = %.*s; ", (int)name.size, name.data, (int)note.size, note.data);
    return true;
}

Test(view, shows_notes_and_the_figures_of_the_seen_set)
{
    directory d = make_directory();
    crawl_frontier *f = fill(d.path);
    crawl_error error = {0};
    crawl_bloom_stats seen;
    text notes = {0};
    crawl_frontier_note_set(f, crawl_slice_from("#own"), crawl_slice_from("2"));
    crawl_frontier_view *view = view_of(d.path);
    cr_assert_eq(crawl_frontier_view_notes(view, (crawl_slice){0}, write_note, &notes, &error), CRAWL_OK, "%s",
                 error.message);
    cr_expect_str_eq(notes.all, "#own = 2; http://b = note; ");
    cr_assert_eq(crawl_frontier_view_filter(view, &seen, &error), CRAWL_OK, "%s", error.message);
    cr_expect_eq(seen.count, 3);
    crawl_request queued = request_for("http://a/1", 0, 0);
    crawl_request never = request_for("http://a/never", 0, 0);
    cr_expect_eq(crawl_frontier_view_seen(view, &queued.fingerprint, NULL, &error),
                 crawl_frontier_seen(f, &queued.fingerprint));
    cr_expect_eq(crawl_frontier_view_seen(view, &never.fingerprint, NULL, &error), CRAWL_ABSENT);
    crawl_frontier_view_free(view);
    crawl_frontier_free(f);
    remove_directory(d.path);
}

Test(view, forgets_what_the_next_run_forgets)
{
    directory d = make_directory();
    crawl_frontier_options options = test_options();
    crawl_error error = {0};
    options.seen.kind = CRAWL_BLOOM_TABLE;
    crawl_frontier *f = open_in(d.path, &options, 0);
    push_new(f, "http://a/1", 0, 0, 0);
    push_new(f, "http://a/2", 0, 0, 0);
    done(f, pop(f, "http://a/1", 0), CRAWL_DONE_FORGET, 1000, 0);
    crawl_frontier_view *view = view_of(d.path);
    crawl_request due = request_for("http://a/1", 0, 0), other = request_for("http://a/2", 0, 0);
    cr_expect_eq(crawl_frontier_view_forget_due(view, 999, &error), CRAWL_OK, "%s", error.message);
    cr_expect_eq(crawl_frontier_view_seen(view, &due.fingerprint, NULL, &error), CRAWL_EXISTS);
    cr_expect_eq(crawl_frontier_view_forget_due(view, 1000, &error), CRAWL_OK, "%s", error.message);
    cr_expect_eq(crawl_frontier_view_seen(view, &due.fingerprint, NULL, &error), CRAWL_ABSENT);
    cr_expect_eq(crawl_frontier_view_seen(view, &other.fingerprint, NULL, &error), CRAWL_EXISTS);
    crawl_frontier_view_free(view);
    crawl_frontier_free(f);
    remove_directory(d.path);
}

Test(view, what_was_seen_is_found_at_any_depth)
{
    directory d = make_directory();
    crawl_frontier_options options = test_options();
    crawl_error error = {0};
    options.by_depth = true;
    crawl_frontier *f = open_in(d.path, &options, 0);
    push_new(f, "http://a/1", 3, 0, 0);
    crawl_frontier_view *view = view_of(d.path);
    crawl_request far = request_for("http://a/1", 0, 0);
    cr_expect_eq(crawl_frontier_view_seen(view, &far.fingerprint, NULL, &error), CRAWL_EXISTS);
    crawl_frontier_view_free(view);
    crawl_frontier_free(f);
    remove_directory(d.path);
}
