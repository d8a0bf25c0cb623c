#include "crawler/engine/links/redirect_row.h"

#include "crawler/engine/parts.h"
#include "crawler/engine/tags.h"

/* The pages that a row of redirects has passed, as the memo of the next request: ROW_MARK, how many of the first of
 * them had a cookie set since, and the first bytes of their fingerprints. */
enum { ROW_MARK = 'R', ROW_HEAD = 2, ROW_KEY = 8 };

/* Adds the page of this lease to the row. A row has at most 255 pages, by CW_ENGINE_TAG_REDIRECTS. */
static crawl_err redirect_row_add(const crawl_lease *lease, bool sets_cookie, crawl_buf *row)
{
    static const char none[ROW_HEAD] = {ROW_MARK};
    crawl_slice before = lease->memo;
    bool goes_on = (lease->tag & CW_ENGINE_TAG_REDIRECTS) && before.size >= ROW_HEAD && *before.data == ROW_MARK;
    crawl_err err = goes_on ? crawl_buf_append(row, before.data, before.size) : crawl_buf_append(row, none, ROW_HEAD);
    if (!err)
        err = crawl_buf_append(row, lease->fingerprint.bytes, ROW_KEY);
    if (!err && sets_cookie)
        row->data[1] = (char)((row->size - ROW_HEAD) / ROW_KEY);
    return err;
}

/* Returns true if the redirect leads back to a page of its row, and a cookie was set since. A site that wants a cookie
 * redirects a client without one to a page that sets it, from there perhaps to one that tests it, and from there back:
 * that page must be asked again, although it was seen. max_redirects ends this if the cookie does not help. */
static bool leads_back_with_cookie(crawl_slice row, const crawl_fingerprint *target)
{
    size_t pages = row.size ? (unsigned char)row.data[1] : 0;
    for (size_t i = 0; i < pages && i < (row.size - ROW_HEAD) / ROW_KEY; i++) /* fewer in a damaged state */
        if (memcmp(row.data + ROW_HEAD + i * ROW_KEY, target->bytes, ROW_KEY) == 0)
            return true;
    return false;
}

/* Likewise, for a page whose key has another method, as when a form is sent to the page that shows it. Only the last
 * two pages are known by their URLs. */
static bool leads_back_by_get(crawl_slice row, const crawl_lease *lease, crawl_slice target)
{
    size_t pages = row.size ? (row.size - ROW_HEAD) / ROW_KEY : 0;
    size_t with_cookie = row.size ? (unsigned char)row.data[1] : 0;
    if (crawl_slice_equal(target, lease->url))
        return pages && with_cookie >= pages;
    return pages > 1 && with_cookie >= pages - 1 && crawl_slice_equal(target, lease->parent);
}

/* Returns true if the target is the page itself by the crawl's key, but not for the server, as when parameters are put
 * in order: it counts as seen, although nobody asked for it. */
static bool is_respelled(const crawl_lease *lease, const crawl_url *url, const crawl_fingerprint *target)
{
    return memcmp(lease->fingerprint.bytes, target->bytes, sizeof target->bytes) == 0 &&
           !crawl_slice_equal(crawl_url_request(url), lease->url);
}

crawl_err cw_links_redirect_row_trace(cw_links_judge *judge, const crawl_lease *lease, const crawl_url *url,
                                      crawl_slice method, bool sets_cookie, crawl_request *request, crawl_buf *row)
{
    crawl_fingerprint target;
    crawl_err err = cw_links_judge_fingerprint(judge, method, request->body, &target);
    if (!err && judge->engine->jar)
        err = redirect_row_add(lease, sets_cookie, row);
    if (err)
        return err;
    request->memo = crawl_buf_slice(row);
    request->revisit = leads_back_with_cookie(request->memo, &target) || is_respelled(lease, url, &target) ||
                       leads_back_by_get(request->memo, lease, crawl_url_request(url));
    request->tag |= request->revisit ? CW_ENGINE_TAG_ONCE : 0;
    return CRAWL_OK;
}
