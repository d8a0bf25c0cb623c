/* A sitemap of lines, a URL on each. Lines that are no absolute URL are skipped. */
#include "parse/sitemap/sitemap_private.h"

#include "base/bytes.h"

static crawl_err end_line(crawl_sitemap *sitemap)
{
    crawl_slice line = cw_trim(crawl_buf_slice(&sitemap->line));
    crawl_err err = CRAWL_OK;
    if (sitemap->line_too_long) {
        sitemap->stats.skipped++;
    } else if (line.size) {
        cw_sitemap_clear_entry(&sitemap->entry);
        err = cw_sitemap_collect(&sitemap->entry, CW_SITEMAP_LOC, line);
        if (!err)
            err = cw_sitemap_emit(sitemap, false, false);
    }
    crawl_buf_clear(&sitemap->line);
    sitemap->line_too_long = false;
    return err;
}

static crawl_err add_to_line(crawl_sitemap *sitemap, crawl_slice part)
{
    sitemap->line_too_long |= part.size > CRAWL_SITEMAP_MAX_LOCATION - sitemap->line.size;
    return sitemap->line_too_long ? CRAWL_OK : crawl_buf_append(&sitemap->line, part.data, part.size);
}

crawl_err cw_sitemap_lines(crawl_sitemap *sitemap, crawl_slice bytes, bool last)
{
    crawl_err err = CRAWL_OK;
    while (bytes.size && !err) {
        size_t size = 0;
        while (size < bytes.size && bytes.data[size] != '\n' && bytes.data[size] != '\r')
            size++;
        err = add_to_line(sitemap, crawl_slice_of(bytes.data, size));
        if (size == bytes.size)
            break;
        if (!err)
            err = end_line(sitemap);
        bytes.data += size + 1;
        bytes.size -= size + 1;
    }
    return last && !err ? end_line(sitemap) : err;
}
