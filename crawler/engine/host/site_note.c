/* See site_note.h. A fixed head, then the text: of a refusal the name of its class, a space and the words. */
#include "crawler/engine/host/site_note.h"

#include "base/bytes.h"
#include "crawler/engine/host/handover.h"

enum { FORMAT = 1, HEAD_SIZE = 31, ASKED_SITEMAPS = 1, VAIN_SHIFT = 1, VAIN_MASK = 3, NO_TDMREP = 8 };

crawl_err cw_host_site_note_write(const cw_host_site_note *note, crawl_buf *out)
{
    char head[HEAD_SIZE];
    char *at = cw_le_put(head, FORMAT, 1);
    at = cw_le_put(at, note->robots, 1);
    at = cw_le_put(at,
                   (note->asked_sitemaps ? ASKED_SITEMAPS : 0u) | (note->vain & VAIN_MASK) << VAIN_SHIFT |
                       (note->no_tdmrep ? NO_TDMREP : 0u),
                   1);
    at = cw_le_put(at, note->sitemaps, 4);
    at = cw_le_put(at, (uint64_t)note->expires_ms, 8);
    at = cw_le_put(at, (uint64_t)note->hold_until_ms, 8);
    cw_le_put(at, (uint64_t)note->away_until_ms, 8);
    crawl_buf_clear(out);
    crawl_err err = crawl_buf_append(out, head, sizeof head);
    if (!err && note->robots == CW_SITE_ROBOTS_REFUSED)
        err = crawl_buf_printf(out, "%s ", crawl_error_class_name(note->error_class));
    return err ? err : crawl_buf_append(out, note->text.data, note->text.size);
}

/* A class of error that only a later version knows is taken for CRAWL_CLASS_ROBOTS. */
static bool read_refusal(crawl_slice text, cw_host_site_note *out)
{
    const char *space = text.size ? memchr(text.data, ' ', text.size) : NULL;
    if (!space)
        return false;
    size_t size = (size_t)(space - text.data);
    out->error_class = CRAWL_CLASS_ROBOTS;
    for (int i = 0; i < CRAWL_CLASS_COUNT; i++)
        if (crawl_slice_equal(crawl_slice_of(text.data, size),
                              crawl_slice_from(crawl_error_class_name((crawl_error_class)i))))
            out->error_class = (crawl_error_class)i;
    out->text = crawl_slice_of(space + 1, text.size - size - 1);
    return true;
}

bool cw_host_site_note_read(crawl_slice bytes, cw_host_site_note *out)
{
    bytes = cw_host_handover_skip(bytes);
    const char *at = bytes.data;
    if (bytes.size < HEAD_SIZE || cw_le_get(&at, 1) != FORMAT)
        return false;
    *out = (cw_host_site_note){.robots = (cw_host_site_robots)cw_le_get(&at, 1)};
    uint64_t flags = cw_le_get(&at, 1);
    out->asked_sitemaps = flags & ASKED_SITEMAPS;
    out->vain = flags >> VAIN_SHIFT & VAIN_MASK;
    out->no_tdmrep = flags & NO_TDMREP;
    out->sitemaps = (uint32_t)cw_le_get(&at, 4);
    out->expires_ms = (int64_t)cw_le_get(&at, 8);
    out->hold_until_ms = (int64_t)cw_le_get(&at, 8);
    out->away_until_ms = (int64_t)cw_le_get(&at, 8);
    out->text = crawl_slice_of(at, bytes.size - HEAD_SIZE);
    if (out->robots == CW_SITE_ROBOTS_REFUSED)
        return read_refusal(out->text, out);
    return out->robots < CW_SITE_ROBOTS_KINDS;
}
