/* The walk behind a view of a directory: hosts in the order of their numbers, each followed by its requests. Hosts and
 * queue are sorted alike, so one pass over both is enough and nothing is kept. */
#pragma once

#include "frontier/disk/disk_config.h"
#include "frontier/disk/disk_figures.h"
#include "frontier/disk/disk_notes.h"
#include "frontier/disk/log/leftover.h"

struct crawl_frontier_view {
    cw_disk_database database;
    char *directory;
    crawl_frontier_options options;
    crawl_frontier_summary summary;
    crawl_buf config; /* the record that summary.fingerprints is a slice of */
    uint64_t numbers; /* hosts that were given one */
    cw_frontier_sequence sequence;
    cw_disk_testimony testimony;
    crawl_err witnessed; /* how reading the testimony ended */
    crawl_error witness_error;
    crawl_bloom *seen; /* NULL: not asked for yet */
    cw_disk_leftover leftover;
    struct cw_view_staged *staged; /* requests in the stage, sorted like the queue; offsets into `stage` */
    size_t staged_count;
    crawl_buf stage;
};

/* Reads the stage, and which requests are done. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
crawl_err cw_view_read_stage(crawl_frontier_view *view, crawl_error *error);
void cw_view_free_stage(crawl_frontier_view *view);

/* A walk over the requests in queue and stage that are not done, in the order of their names. */
typedef struct cw_view_cursor {
    const crawl_frontier_view *view;
    cw_disk_cursor queue;
    size_t staged; /* next one, */
    size_t staged_end;
    bool from_stage;
} cw_view_cursor;

/* Opens a walk over the keys from first up to, but excluding, end. */
void cw_view_cursor_open(cw_view_cursor *cursor, crawl_frontier_view *view, crawl_slice first, crawl_slice end);
void cw_view_cursor_close(cw_view_cursor *cursor);
bool cw_view_cursor_valid(const cw_view_cursor *cursor);
void cw_view_cursor_next(cw_view_cursor *cursor);
crawl_slice cw_view_cursor_key(const cw_view_cursor *cursor);
crawl_slice cw_view_cursor_value(const cw_view_cursor *cursor);
crawl_err cw_view_cursor_error(const cw_view_cursor *cursor, crawl_error *error);

/* The callbacks of the walk; any may be NULL. A return of false ends it. */
typedef struct cw_view_visitor {
    bool (*host)(struct cw_view_visitor *visitor, uint32_t number, const cw_disk_host_record *record);
    bool (*request)(struct cw_view_visitor *visitor, uint32_t number, unsigned range, cw_heap_key key,
                    crawl_slice record);
    bool (*host_end)(struct cw_view_visitor *visitor);
    /* A request of a host without a record, or a record that is not a request. */
    bool (*stray)(struct cw_view_visitor *visitor, const char *what);
} cw_view_visitor;

/* CRAWL_EIO, CRAWL_ECORRUPT: an unreadable record, and there is no `stray` callback to report it. */
crawl_err cw_view_walk(crawl_frontier_view *view, cw_view_visitor *visitor, crawl_error *error);
/* The same for one host, skipping the queues of the others; `host` must be set. CRAWL_ABSENT: the host is not known. */
crawl_err cw_view_walk_host(crawl_frontier_view *view, crawl_slice origin, cw_view_visitor *visitor,
                            crawl_error *error);
