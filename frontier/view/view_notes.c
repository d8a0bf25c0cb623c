/* What is beside hosts and requests in a directory: notes, and the seen-set. See <crawl/frontier.h>. */
#include "frontier/push/depths.h"
#include "frontier/view/view.h"

crawl_err crawl_frontier_view_notes(crawl_frontier_view *view, crawl_slice prefix,
                                    bool (*each)(crawl_slice name, crawl_slice note, void *user), void *user,
                                    crawl_error *error)
{
    return cw_disk_notes_walk(&view->database, prefix, (crawl_slice){0}, each, user, error);
}

/* Made once; a filter of many millions takes seconds to read. */
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
