/* What is beside hosts and requests in a directory: notes, and the seen-set. See <crawl/frontier.h>. */
#include "frontier/view.h"

crawl_err crawl_frontier_view_notes(crawl_frontier_view *view, crawl_slice prefix,
                                    bool (*each)(crawl_slice name, crawl_slice note, void *user), void *user, crawl_error *error)
{
    return cw_notes_walk(&view->database, prefix, each, user, error);
}

crawl_err crawl_frontier_view_filter(crawl_frontier_view *view, crawl_bloom_stats *out, crawl_error *error)
{
    cw_journal journal;
    crawl_bloom *seen = NULL;
    crawl_err err = cw_journal_open(&journal, &view->database, view->directory, &view->options.seen, &seen, error);
    if (!err)
        crawl_bloom_stats_get(seen, out);
    crawl_bloom_free(seen);
    return err;
}
