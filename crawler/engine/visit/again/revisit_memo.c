/* See revisit.h. The memory of a page as bytes: a fixed head, then parts that are present if their flags are set. */
#include "crawler/engine/visit/again/revisit.h"

#include "base/bytes.h"

#include <math.h>

enum { FORMAT = 1, HEAD_SIZE = 20, KNOWN_SIZE = 36, FIXED_MAX = HEAD_SIZE + KNOWN_SIZE + 8 + 3 };

enum {
    IS_KNOWN = 1,
    HAS_SIMHASH = 2,
    IN_CHANGES = 4,
    IS_SETTLED = 8,
    IS_KEPT = 16,
    SUSPECT_SHIFT = 5,
    SUSPECT_MASK = 3,
    IS_TAGGED = 128
};

static char *put_float(char *at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return cw_le_put(at, bits, sizeof bits);
}

/* A number that is not finite comes from a damaged memo, and is read as 0. */
static float get_float(const char **at)
{
    uint32_t bits = (uint32_t)cw_le_get(at, sizeof bits);
    float value;
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? value : 0;
}

static char *revisit_memo_put_known(char *at, const cw_visit_revisit *page)
{
    at = cw_le_put(at, (uint64_t)page->known_ms, 8);
    at = cw_le_put(at, (uint64_t)page->fetched_ms, 8);
    at = cw_le_put(at, page->digest, 8);
    at = put_float(at, page->rate.changes);
    at = put_float(at, page->rate.time_ms);
    return put_float(at, page->rate.surprise);
}

static void get_known(const char **at, cw_visit_revisit *page)
{
    page->known_ms = (int64_t)cw_le_get(at, 8);
    page->fetched_ms = (int64_t)cw_le_get(at, 8);
    page->digest = cw_le_get(at, 8);
    page->rate.changes = get_float(at);
    page->rate.time_ms = get_float(at);
    page->rate.surprise = get_float(at);
}

static unsigned revisit_memo_flags_of(const cw_visit_revisit *page)
{
    return (page->is_known ? IS_KNOWN : 0u) | (page->has_simhash ? HAS_SIMHASH : 0u) |
           (page->rate.in_changes ? IN_CHANGES : 0u) | (page->rate.is_settled ? IS_SETTLED : 0u) |
           (page->is_kept ? IS_KEPT : 0u) | (page->is_tagged ? IS_TAGGED : 0u) |
           (page->suspect & SUSPECT_MASK) << SUSPECT_SHIFT;
}

crawl_err cw_visit_revisit_write(const cw_visit_revisit *page, crawl_buf *out)
{
    char fixed[FIXED_MAX];
    char *at = cw_le_put(fixed, FORMAT, 1);
    at = cw_le_put(at, revisit_memo_flags_of(page), 1);
    at = cw_le_put(at, page->failures, 1);
    at = cw_le_put(at, page->gone, 1);
    at = cw_le_put(at, (uint64_t)page->interval_ms, 8);
    at = cw_le_put(at, (uint64_t)page->lastmod_ms, 8);
    if (page->is_known)
        at = revisit_memo_put_known(at, page);
    if (page->is_known && page->has_simhash)
        at = cw_le_put(at, page->simhash, 8);
    if (page->is_known) {
        at = cw_le_put(at, page->etag.size, 2);
        at = cw_le_put(at, page->last_modified.size, 1);
    }
    crawl_buf_clear(out);
    crawl_err err = crawl_buf_append(out, fixed, (size_t)(at - fixed));
    if (!err && page->is_known)
        err = crawl_buf_append(out, page->etag.data, page->etag.size);
    if (!err && page->is_known)
        err = crawl_buf_append(out, page->last_modified.data, page->last_modified.size);
    return err;
}

static bool read_known(const char *at, const char *end, bool has_simhash, cw_visit_revisit *page)
{
    size_t size = KNOWN_SIZE + (has_simhash ? 8u : 0u) + 3u;
    if ((size_t)(end - at) < size)
        return false;
    get_known(&at, page);
    page->has_simhash = has_simhash;
    page->simhash = has_simhash ? cw_le_get(&at, 8) : 0;
    size_t etag = (size_t)cw_le_get(&at, 2);
    size_t date = (size_t)cw_le_get(&at, 1);
    if ((size_t)(end - at) != etag + date)
        return false;
    page->etag = crawl_slice_of(at, etag);
    page->last_modified = crawl_slice_of(at + etag, date);
    page->is_known = true;
    return true;
}

cw_visit_revisit cw_visit_revisit_read(crawl_slice memo)
{
    const cw_visit_revisit nothing = {.lastmod_ms = CW_VISIT_REVISIT_NO_DATE};
    cw_visit_revisit page = nothing;
    const char *at = memo.data;
    const char *end = memo.size ? memo.data + memo.size : NULL;
    if (memo.size < HEAD_SIZE || cw_le_get(&at, 1) != FORMAT)
        return nothing;
    uint64_t flags = cw_le_get(&at, 1);
    page.failures = (uint8_t)cw_le_get(&at, 1);
    page.gone = (uint8_t)cw_le_get(&at, 1);
    page.interval_ms = (int64_t)cw_le_get(&at, 8);
    page.lastmod_ms = (int64_t)cw_le_get(&at, 8);
    page.rate.in_changes = flags & IN_CHANGES;
    page.rate.is_settled = flags & IS_SETTLED;
    page.is_kept = flags & IS_KEPT;
    page.is_tagged = flags & IS_TAGGED;
    page.suspect = flags >> SUSPECT_SHIFT & SUSPECT_MASK;
    if (page.interval_ms < 0 || ((flags & IS_KNOWN) && !read_known(at, end, flags & HAS_SIMHASH, &page)))
        return nothing;
    return page;
}

/* ---- conditions ---- */

/* Returns true if a line of these headers begins with "If-". */
static bool has_condition(crawl_slice headers)
{
    while (headers.size)
        if (cw_starts_nocase(cw_cut_line(&headers), "If-"))
            return true;
    return false;
}

static crawl_err revisit_memo_add_header(crawl_buf *out, const char *name, crawl_slice value)
{
    crawl_err err = crawl_buf_append_text(out, name);
    if (!err)
        err = crawl_buf_append(out, value.data, value.size);
    return err ? err : crawl_buf_append_char(out, '\n');
}

crawl_err cw_visit_revisit_conditions(const cw_visit_revisit *page, crawl_slice own_headers, crawl_buf *out,
                                      bool *is_conditional)
{
    crawl_err err = CRAWL_OK;
    bool possible = page->is_known && (page->etag.size || page->last_modified.size) && !has_condition(own_headers);
    if (possible && page->etag.size)
        err = revisit_memo_add_header(out, "If-None-Match: ", page->etag);
    if (possible && !err && page->last_modified.size)
        err = revisit_memo_add_header(out, "If-Modified-Since: ", page->last_modified);
    *is_conditional = possible && !err;
    return err;
}
