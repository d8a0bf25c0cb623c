/* Verifies a directory: see crawl_frontier_view_check. Each message begins with the name of the broken rule. */
#include "frontier/view/view.h"

#include "base/error.h"
#include "frontier/push/depths.h"

#include <inttypes.h>
#include <stdio.h>

#define REPORTS_MAX 1000u

typedef struct checker {
    cw_view_visitor visitor;
    crawl_frontier_view *view;
    void (*report)(const char *violation, void *user);
    void *user;
    uint64_t violations;
    crawl_bloom *seen;                 /* as the directory has it */
    crawl_bloom *queued;               /* fingerprints met; exact */
    crawl_buf origin;                  /* of the current host, */
    cw_frontier_lane lanes[CW_RANGES]; /* its queues according to its record, */
    cw_frontier_lane found[CW_RANGES]; /* and as found */
    uint64_t requests;                 /* not urgent */
    uint64_t revisits;                 /* with a visit above 1 */
    crawl_err err;
} checker;

static void CRAWL_PRINTF(2, 3) view_check_tell(checker *c, const char *format, ...)
{
    char text[400];
    va_list arguments;
    if (++c->violations > REPORTS_MAX)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    c->report(text, c->user);
}

#define ORIGIN(c) (int)((c)->origin.size < 200 ? (c)->origin.size : 200), (c)->origin.data

static bool check_stray(cw_view_visitor *visitor, const char *what)
{
    view_check_tell((checker *)visitor, "records: %s", what);
    return true;
}

static bool view_check_host(cw_view_visitor *visitor, uint32_t number, const cw_disk_host_record *record)
{
    checker *c = (checker *)visitor;
    crawl_buf_clear(&c->origin);
    c->err = crawl_buf_append(&c->origin, record->origin.data, record->origin.size);
    memcpy(c->lanes, record->lanes, sizeof c->lanes);
    memset(c->found, 0, sizeof c->found);
    if (!c->err && number >= c->view->numbers)
        view_check_tell(c, "figures: %.*s has number %u, of %" PRIu64 " given", ORIGIN(c), number, c->view->numbers);
    return !c->err;
}

static bool check_host_end(cw_view_visitor *visitor)
{
    checker *c = (checker *)visitor;
    for (unsigned range = 0; range < CW_RANGES && c->view->summary.clean; range++) {
        const cw_frontier_lane *said = &c->lanes[range];
        const cw_frontier_lane *found = &c->found[range];
        bool same_edge = said->edge.high == found->edge.high && said->edge.low == found->edge.low;
        if (said->count != found->count)
            view_check_tell(c, "counts: %.*s, range %u: %" PRIu64 " by its record, %" PRIu64 " queued", ORIGIN(c),
                            range, said->count, found->count);
        else if (said->count && !same_edge)
            view_check_tell(c, "heads: %.*s, range %u: the first request differs from its record", ORIGIN(c), range);
    }
    return true;
}

/* Checks that the record is under the key it must have. */
static void check_key(checker *c, const cw_frontier_item *item, unsigned range, cw_heap_key key)
{
    crawl_order order = c->view->options.order;
    bool urgent = cw_frontier_range_queue(range) == CW_URGENT;
    if (((item->flags & CW_ITEM_URGENT) != 0) != urgent)
        view_check_tell(c, "ranges: %.*s: a request in a range that is not its own", ORIGIN(c));
    if (cw_frontier_range_lane(range) == CW_LANE_READY && cw_frontier_order_key(order, item, key.low).high != key.high)
        view_check_tell(c, "keys: %.*s: a request under a key that does not match its priority and depth", ORIGIN(c));
    bool given =
        !urgent && order == CRAWL_ORDER_DFS ? key.low >= c->view->sequence.down : key.low < c->view->sequence.up;
    if (!given)
        view_check_tell(c, "sequences: %.*s: a request with a sequence that was never assigned", ORIGIN(c));
}

static void check_seen(checker *c, const cw_frontier_item *item)
{
    bool forgets = c->view->options.seen.kind == CRAWL_BLOOM_ROTATING;
    if ((item->flags & CW_ITEM_URGENT) || item->where == CW_FRONTIER_NOWHERE)
        return;
    crawl_fingerprint key = cw_frontier_depths_key_of(&c->view->options, item);
    if (!forgets && crawl_bloom_test(c->seen, key.bytes, CRAWL_FINGERPRINT_SIZE) != CRAWL_EXISTS)
        view_check_tell(c, "seen: %.*s: a queued request that is not in the seen-set: %.*s", ORIGIN(c),
                        (int)(item->url_size < 100 ? item->url_size : 100), item->tail);
    crawl_err err = crawl_bloom_add(c->queued, key.bytes, CRAWL_FINGERPRINT_SIZE, NULL);
    if (err == CRAWL_EXISTS && !forgets)
        view_check_tell(c, "twice: %.*s: queued twice: %.*s", ORIGIN(c),
                        (int)(item->url_size < 100 ? item->url_size : 100), item->tail);
    else if (err && err != CRAWL_EXISTS)
        c->err = err;
}

static bool check_request(cw_view_visitor *visitor, uint32_t number, unsigned range, cw_heap_key key,
                          crawl_slice record)
{
    checker *c = (checker *)visitor;
    cw_frontier_item *item = NULL;
    cw_frontier_parent *parent = NULL;
    (void)number;
    if (!c->found[range].count++)
        c->found[range].edge = key;
    c->requests += cw_frontier_range_queue(range) == CW_NORMAL;
    crawl_err err = cw_disk_request_read(record, &item, &parent);
    if (err == CRAWL_ECORRUPT) {
        view_check_tell(c, "records: %.*s: an invalid request in the queue", ORIGIN(c));
        return true;
    }
    c->err = err;
    if (!err) {
        c->revisits += cw_frontier_item_visits(item) > 0;
        check_key(c, item, range, key);
        check_seen(c, item);
    }
    free(item);
    free(parent);
    return !c->err;
}

static crawl_err view_check_forgets(checker *c, crawl_error *error)
{
    cw_disk_cursor cursor;
    uint64_t count = 0;
    cw_frontier_forget entry;
    cw_disk_forget_key from = cw_disk_forget_key_make((cw_heap_key){0});
    cw_disk_forget_key to = cw_disk_forget_key_make(CW_FRONTIER_FORGETS_END);
    cw_disk_cursor_open(&cursor, &c->view->database, CW_FAMILY_META, CW_DISK_SLICE_OF_KEY(from),
                        CW_DISK_SLICE_OF_KEY(to), true);
    for (; cw_disk_cursor_valid(&cursor); cw_disk_cursor_next(&cursor), count++)
        if (!cw_disk_forget_read(cw_disk_cursor_key(&cursor), cw_disk_cursor_value(&cursor), &entry))
            view_check_tell(c, "forgets: a record of URLs to forget cannot be read");
    crawl_err err = cw_disk_cursor_error(&cursor, error);
    cw_disk_cursor_close(&cursor);
    if (!err && count != c->view->summary.forgetting)
        view_check_tell(c, "forgets: %" PRIu64 " requests are to be forgotten, %" PRIu64 " by the figures", count,
                        c->view->summary.forgetting);
    return err;
}

static void check_figures(checker *c)
{
    const crawl_frontier_summary *summary = &c->view->summary;
    if (c->requests > summary->accepted)
        view_check_tell(c, "figures: %" PRIu64 " requests are queued, %" PRIu64 " were ever accepted", c->requests,
                        summary->accepted);
    if (c->revisits != summary->revisits)
        view_check_tell(c, "figures: %" PRIu64 " further visits are queued, %" PRIu64 " by the figures", c->revisits,
                        summary->revisits);
}

/* Checks that as much is there as was written. */
static void check_witness(checker *c)
{
    const crawl_frontier_view *view = c->view;
    crawl_error error = {0};
    if (view->witnessed == CRAWL_ABSENT)
        view_check_tell(c, CW_DISK_WITNESS_FILE ": is missing, and with it the proof that nothing else is");
    else if (view->witnessed)
        view_check_tell(c, "%s", view->witness_error.message);
    else if (cw_disk_testimony_of_writes(&view->testimony, cw_disk_database_sequence(&view->database), &error))
        view_check_tell(c, "db: %s", error.message);
    if (!view->witnessed && cw_disk_leftover_testify(&view->leftover, &view->testimony, &error))
        view_check_tell(c, "done: %s", error.message);
}

/* A file that is gone may have been dropped by the crawl since the view was opened: that is no violation. */
static crawl_err check_files(checker *c, crawl_error *error)
{
    for (int family = 0; family < CW_FAMILIES; family++) {
        crawl_error why = {0};
        crawl_err err = cw_disk_database_verify(&c->view->database, (cw_disk_family)family, &why);
        if (err == CRAWL_EIO)
            return crawl_error_set(error, err, "%s", why.message);
        if (err)
            view_check_tell(c, "db, %s: %s", cw_disk_database_family_name((cw_disk_family)family), why.message);
    }
    return CRAWL_OK;
}

/* A damaged set is a violation, and ends the check. */
static crawl_err load_sets(checker *c, crawl_error *error)
{
    cw_disk_journal journal;
    crawl_bloom_options exact;
    crawl_error why = {0};
    crawl_frontier_view *view = c->view;
    crawl_err err =
        cw_disk_journal_open(&journal, &view->database, view->directory, &view->options.seen, &c->seen, &why);
    if (err == CRAWL_ECORRUPT)
        view_check_tell(c, "log: %s", why.message);
    if (err)
        return crawl_error_set(error, err, "%s", why.message);
    crawl_bloom_options_init(&exact);
    exact.kind = CRAWL_BLOOM_EXACT;
    return crawl_bloom_create(&exact, &c->queued, error);
}

crawl_err crawl_frontier_view_check(crawl_frontier_view *view, void (*report)(const char *violation, void *user),
                                    void *user, uint64_t *violations, crawl_error *error)
{
    checker c = {
        .visitor = {.host = view_check_host,
                    .request = check_request,
                    .host_end = check_host_end,
                    .stray = check_stray},
        .view = view,
        .report = report,
        .user = user,
    };
    check_witness(&c);
    crawl_err err = check_files(&c, error);
    if (!err)
        err = load_sets(&c, error);
    if (!err)
        err = cw_view_walk(view, &c.visitor, error);
    if (!err && c.err)
        err = cw_error(error, c.err);
    if (!err)
        err = view_check_forgets(&c, error);
    if (!err)
        check_figures(&c);
    crawl_bloom_free(c.seen);
    crawl_bloom_free(c.queued);
    crawl_buf_free(&c.origin);
    *violations = c.violations;
    return err == CRAWL_ECORRUPT && c.violations ? CRAWL_OK : err;
}
