/* See view.h and <crawl/frontier.h>. */
#include "frontier/view/view.h"

#include "base/error.h"
#include "frontier/push/depths.h"

#include <errno.h>
#include <unistd.h>

#define CACHE_BYTES ((size_t)8 << 20)

/* Looks for CURRENT, the file without which there is no RocksDB database. */
static crawl_err view_find_database(const char *directory, const char *path, crawl_error *error)
{
    crawl_buf file = {0};
    crawl_err err = crawl_buf_printf(&file, "%s/CURRENT", path);
    bool found = !err && access(file.data, R_OK) == 0;
    crawl_buf_free(&file);
    if (err || found)
        return err;
    bool is_folder = errno == ENOENT && access(directory, X_OK) == 0;
    return is_folder ? crawl_error_set(error, CRAWL_ECORRUPT, "%s: holds no frontier", directory)
                     : cw_error_of_file(error, directory);
}

static crawl_err view_open_database(crawl_frontier_view *view, crawl_error *error)
{
    crawl_buf path = {0};
    crawl_err err = crawl_buf_printf(&path, "%s/db", view->directory);
    if (!err)
        err = view_find_database(view->directory, path.data, error);
    if (!err)
        err = cw_disk_database_open(&view->database, path.data, CW_DATABASE_READ_ONLY, CACHE_BYTES, error);
    crawl_buf_free(&path);
    return err;
}

/* Reads the figures, and the stage. Without figures the summary stays zero. */
static crawl_err view_read_figures(crawl_frontier_view *view, crawl_error *error)
{
    crawl_frontier_summary *summary = &view->summary;
    cw_disk_figures figures;
    crawl_err err = cw_disk_figures_read(&view->database, &figures, error);
    if (err)
        return err == CRAWL_ABSENT ? CRAWL_OK : err;
    summary->pushed = figures.pushed;
    summary->accepted = figures.accepted;
    summary->seen_refused = figures.refused_seen;
    summary->full = figures.refused_full;
    summary->again = figures.again;
    summary->revisits = figures.revisits;
    summary->forgetting = figures.forgets;
    view->numbers = figures.hosts;
    view->sequence = (cw_frontier_sequence){.up = figures.up, .down = figures.down};
    return cw_view_read_stage(view, error);
}

typedef struct counter {
    cw_view_visitor visitor;
    uint64_t hosts;
} counter;

static bool count_host(cw_view_visitor *visitor, uint32_t, const cw_disk_host_record *)
{
    ((counter *)visitor)->hosts++;
    return true;
}

static crawl_err view_read_all(crawl_frontier_view *view, crawl_error *error)
{
    crawl_frontier_summary *summary = &view->summary;
    counter hosts = {.visitor = {.host = count_host}};
    crawl_err err = cw_disk_config_check_format(&view->database, error);
    if (err == CRAWL_ABSENT)
        return crawl_error_set(error, CRAWL_ECORRUPT, "%s: holds no frontier", view->directory);
    if (!err)
        err = cw_disk_config_get(&view->database, &view->config, &view->options, &summary->fingerprints, error);
    if (!err)
        err = view_read_figures(view, error);
    if (!err)
        err = cw_disk_figures_was_clean(&view->database, &summary->clean, error);
    if (!err)
        err = cw_disk_journal_snapshot_number(&view->database, &summary->snapshot, error);
    if (!err)
        err = cw_view_walk(view, &hosts.visitor, error);
    summary->order = view->options.order;
    summary->seen = view->options.seen;
    summary->hosts = hosts.hosts;
    for (int family = 0; family < CW_FAMILIES; family++)
        summary->bytes += cw_disk_database_bytes(&view->database, (cw_disk_family)family);
    return err;
}

crawl_err crawl_frontier_view_open(const char *directory, crawl_frontier_view **out, crawl_error *error)
{
    crawl_frontier_view *view = calloc(1, sizeof *view);
    char *path = strdup(directory);
    if (!view || !path) {
        free(view);
        free(path);
        return crawl_error_set(error, CRAWL_ENOMEM, "no memory for a view");
    }
    view->directory = path;
    crawl_frontier_options_init(&view->options, sizeof view->options);
    view->witnessed = cw_disk_witness_read(directory, &view->testimony, &view->witness_error); /* first, since writing
                                                                                                  goes on */
    crawl_err err = view->witnessed ? CRAWL_OK : cw_disk_testimony_of_list(&view->testimony, directory, error);
    if (!err)
        err = view_open_database(view, error);
    if (!err)
        err = view_read_all(view, error);
    if (err) {
        crawl_frontier_view_free(view);
        return err;
    }
    *out = view;
    return CRAWL_OK;
}

void crawl_frontier_view_free(crawl_frontier_view *view)
{
    if (!view)
        return;
    cw_disk_database_close(&view->database);
    crawl_bloom_free(view->seen);
    cw_view_free_stage(view);
    crawl_buf_free(&view->config);
    free(view->directory);
    free(view);
}

const crawl_frontier_summary *crawl_frontier_view_summary(const crawl_frontier_view *view)
{
    return &view->summary;
}

/* The walk. */

typedef struct walk {
    cw_view_visitor *visitor;
    cw_disk_cursor hosts;
    cw_view_cursor queue;
    bool goes_on;
    crawl_err err;
    crawl_error *error;
} walk;

static void tell_stray(walk *w, const char *what)
{
    if (w->visitor->stray)
        w->goes_on = w->visitor->stray(w->visitor, what);
    else
        w->err = crawl_error_set(w->error, CRAWL_ECORRUPT, "%s", what);
}

/* Visits requests of hosts up to this number; hosts with lower numbers have no record. */
static void visit_requests(walk *w, uint64_t number)
{
    for (; !w->err && w->goes_on && cw_view_cursor_valid(&w->queue); cw_view_cursor_next(&w->queue)) {
        uint32_t host;
        unsigned range;
        cw_heap_key key;
        if (!cw_disk_queue_key_read(cw_view_cursor_key(&w->queue), &host, &range, &key)) {
            tell_stray(w, "an invalid key in the queue");
            continue;
        }
        if (host > number)
            return;
        if (host < number)
            tell_stray(w, "a queued request of a host without a record");
        else
            w->goes_on = w->visitor->request(w->visitor, host, range, key, cw_view_cursor_value(&w->queue));
    }
}

static void visit_host(walk *w)
{
    uint32_t number;
    cw_disk_host_record record;
    if (!cw_disk_host_key_read(cw_disk_cursor_key(&w->hosts), &number) ||
        !cw_disk_host_read(cw_disk_cursor_value(&w->hosts), &record)) {
        tell_stray(w, "a record of a host cannot be read");
        return;
    }
    if (w->visitor->request && number > 0)
        visit_requests(w, number - 1);
    if (!w->err && w->goes_on && w->visitor->host)
        w->goes_on = w->visitor->host(w->visitor, number, &record);
    if (w->visitor->request)
        visit_requests(w, number);
    if (!w->err && w->goes_on && w->visitor->host_end)
        w->goes_on = w->visitor->host_end(w->visitor);
}

crawl_err cw_view_walk(crawl_frontier_view *view, cw_view_visitor *visitor, crawl_error *error)
{
    static const char end[CW_DISK_QUEUE_KEY_SIZE] = "\xff\xff\xff\xff\xff";
    static const cw_disk_queue_key first = {{0}};
    walk w = {.visitor = visitor, .goes_on = true, .error = error};
    cw_disk_host_key first_host = cw_disk_host_key_make(0);
    const char last_host[] = {(char)(first_host.bytes[0] + 1)};
    cw_disk_cursor_open(&w.hosts, &view->database, CW_FAMILY_META, CW_DISK_SLICE_OF_KEY(first_host),
                        crawl_slice_of(last_host, 1), true);
    cw_view_cursor_open(&w.queue, view, CW_DISK_SLICE_OF_KEY(first), crawl_slice_of(end, sizeof end));
    for (; !w.err && w.goes_on && cw_disk_cursor_valid(&w.hosts); cw_disk_cursor_next(&w.hosts))
        visit_host(&w);
    if (visitor->request)
        visit_requests(&w, UINT64_MAX);
    if (!w.err)
        w.err = cw_disk_cursor_error(&w.hosts, error);
    if (!w.err)
        w.err = cw_view_cursor_error(&w.queue, error);
    cw_disk_cursor_close(&w.hosts);
    cw_view_cursor_close(&w.queue);
    return w.err;
}

/* Hosts. */

typedef struct host_lister {
    cw_view_visitor visitor;
    crawl_frontier_view *view;
    bool (*each)(const crawl_frontier_host *host, void *user);
    void *user;
    crawl_buf origin; /* of the current host, after the prefix of its note's key */
    crawl_frontier_host host;
    crawl_err err;
    crawl_error *error;
} host_lister;

static bool view_begin_host(cw_view_visitor *visitor, uint32_t number, const cw_disk_host_record *record)
{
    host_lister *l = (host_lister *)visitor;
    (void)number;
    crawl_buf_clear(&l->origin);
    l->err = cw_disk_note_key(record->origin, &l->origin);
    l->host = (crawl_frontier_host){.pause_ms = record->pause,
                                    .blocked_ms = record->blocked,
                                    .started_ms = record->last_start,
                                    .share = record->share};
    return !l->err;
}

static bool view_count_request(cw_view_visitor *visitor, uint32_t number, unsigned range, cw_heap_key key,
                               crawl_slice record)
{
    crawl_frontier_host *host = &((host_lister *)visitor)->host;
    (void)number;
    (void)key;
    (void)record;
    host->ready += cw_frontier_range_lane(range) == CW_LANE_READY;
    host->delayed += cw_frontier_range_lane(range) == CW_LANE_DELAYED;
    host->urgent += cw_frontier_range_queue(range) == CW_URGENT;
    return true;
}

static bool end_host(cw_view_visitor *visitor)
{
    host_lister *l = (host_lister *)visitor;
    crawl_buf note = {0};
    crawl_err err =
        cw_disk_database_get(&l->view->database, CW_FAMILY_META, crawl_buf_slice(&l->origin), &note, l->error);
    crawl_buf_free(&note);
    if (err && err != CRAWL_ABSENT) {
        l->err = err;
        return false;
    }
    l->host.has_note = !err;
    l->host.origin = crawl_slice_of(l->origin.data + 1, l->origin.size - 1);
    return l->each(&l->host, l->user);
}

crawl_err crawl_frontier_view_hosts(crawl_frontier_view *view,
                                    bool (*each)(const crawl_frontier_host *host, void *user), void *user,
                                    crawl_error *error)
{
    host_lister l = {.visitor = {.host = view_begin_host, .request = view_count_request, .host_end = end_host},
                     .view = view,
                     .each = each,
                     .user = user,
                     .error = error};
    crawl_err err = cw_view_walk(view, &l.visitor, error);
    crawl_buf_free(&l.origin);
    return err ? err : l.err;
}

/* Requests. */

typedef struct request_lister {
    cw_view_visitor visitor;
    bool (*each)(const crawl_lease *request, int64_t due_ms, void *user);
    void *user;
    crawl_buf origin;
    crawl_buf url;
    crawl_err err;
    crawl_error *error;
} request_lister;

static bool begin_list(cw_view_visitor *visitor, uint32_t number, const cw_disk_host_record *record)
{
    request_lister *l = (request_lister *)visitor;
    (void)number;
    crawl_buf_clear(&l->origin);
    l->err = crawl_buf_append(&l->origin, record->origin.data, record->origin.size);
    return !l->err;
}

static crawl_err view_describe(request_lister *l, const cw_frontier_item *item, crawl_lease *lease)
{
    cw_frontier_item_describe(item, lease);
    lease->origin = crawl_buf_slice(&l->origin);
    lease->url = cw_frontier_item_url(item);
    if (item->flags & CW_ITEM_WHOLE)
        return CRAWL_OK;
    crawl_buf_clear(&l->url);
    crawl_err err = crawl_buf_append(&l->url, l->origin.data, l->origin.size);
    if (!err)
        err = crawl_buf_append(&l->url, lease->url.data, lease->url.size);
    lease->url = crawl_buf_slice(&l->url);
    return err;
}

static bool list_request(cw_view_visitor *visitor, uint32_t number, unsigned range, cw_heap_key key, crawl_slice record)
{
    request_lister *l = (request_lister *)visitor;
    cw_frontier_item *item = NULL;
    cw_frontier_parent *parent = NULL;
    crawl_lease lease = {0};
    bool goes_on = true;
    (void)number;
    l->err = cw_disk_request_read(record, &item, &parent);
    if (l->err)
        crawl_error_set(l->error, l->err, "an invalid request in the queue");
    else
        l->err = view_describe(l, item, &lease);
    if (!l->err)
        goes_on = l->each(&lease,
                          cw_frontier_range_lane(range) == CW_LANE_DELAYED ? cw_heap_time_of_key(key.high)
                                                                           : CW_FRONTIER_NEVER,
                          l->user);
    free(item);
    free(parent);
    return goes_on && !l->err;
}

crawl_err crawl_frontier_view_requests(crawl_frontier_view *view, crawl_slice origin,
                                       bool (*each)(const crawl_lease *request, int64_t due_ms, void *user), void *user,
                                       crawl_error *error)
{
    request_lister l = {
        .visitor = {.host = begin_list, .request = list_request}, .each = each, .user = user, .error = error};
    crawl_err err =
        origin.size ? cw_view_walk_host(view, origin, &l.visitor, error) : cw_view_walk(view, &l.visitor, error);
    if (err == CRAWL_ABSENT)
        err = CRAWL_OK; /* nothing of it was ever queued */
    crawl_buf_free(&l.origin);
    crawl_buf_free(&l.url);
    return err ? err : l.err;
}

/* The rest of a directory, beside hosts and requests: notes, and the seen-set. See <crawl/frontier.h>. */

crawl_err crawl_frontier_view_notes(crawl_frontier_view *view, crawl_slice prefix,
                                    bool (*each)(crawl_slice name, crawl_slice note, void *user), void *user,
                                    crawl_error *error)
{
    return cw_disk_notes_walk(&view->database, prefix, (crawl_slice){0}, each, user, error);
}

/* Loads the filter once; one of many millions takes seconds to read. */
static crawl_err load_seen(crawl_frontier_view *view, crawl_error *error)
{
    cw_disk_journal journal;
    if (view->seen)
        return CRAWL_OK;
    return cw_disk_journal_open(&journal, &view->database, view->directory, &view->options.seen, &view->seen, error);
}

crawl_err crawl_frontier_view_filter(crawl_frontier_view *view, crawl_bloom_stats *out, crawl_error *error)
{
    crawl_err err = load_seen(view, error);
    if (!err)
        crawl_bloom_stats_get(view->seen, out);
    return err;
}

crawl_err crawl_frontier_view_seen(crawl_frontier_view *view, const crawl_fingerprint *fingerprint,
                                   crawl_bloom_found *where, crawl_error *error)
{
    crawl_err err = load_seen(view, error);
    return err ? err : cw_frontier_depths_find(&view->options, view->seen, fingerprint, where);
}

crawl_err crawl_frontier_view_forget_due(crawl_frontier_view *view, int64_t now_ms, crawl_error *error)
{
    cw_disk_cursor cursor;
    cw_frontier_forget due;
    crawl_err err = load_seen(view, error);
    if (err)
        return err;
    crawl_bloom_advance(view->seen, now_ms > 0 ? (uint64_t)now_ms : 0);
    cw_disk_forget_key from = cw_disk_forget_key_make((cw_heap_key){0});
    cw_disk_forget_key to = cw_disk_forget_key_make(CW_FRONTIER_FORGETS_END);
    cw_disk_cursor_open(&cursor, &view->database, CW_FAMILY_META, CW_DISK_SLICE_OF_KEY(from), CW_DISK_SLICE_OF_KEY(to),
                        true);
    for (; cw_disk_cursor_valid(&cursor); cw_disk_cursor_next(&cursor)) {
        if (!cw_disk_forget_read(cw_disk_cursor_key(&cursor), cw_disk_cursor_value(&cursor), &due))
            continue; /* told by crawl_frontier_view_check */
        if (due.at > now_ms)
            break;
        (void)crawl_bloom_forget(view->seen, due.fingerprint.bytes, CRAWL_FINGERPRINT_SIZE, due.where);
    }
    err = cw_disk_cursor_error(&cursor, error);
    cw_disk_cursor_close(&cursor);
    return err;
}
