/* Uncompresses a sitemap as it arrives. A file may have several compressed parts; bytes after the last one that do not
 * begin another are ignored, as gzip does. A bomb, whose output is far larger than its input, is stopped. */
#include "parse/sitemap/sitemap_private.h"

enum { CHUNK = 16384, FREE_BYTES = 1 << 20 };

void cw_sitemap_inflate_end(crawl_sitemap *sitemap)
{
    if (sitemap->inflates)
        inflateEnd(&sitemap->inflater);
    sitemap->inflates = false;
}

static crawl_err sitemap_gzip_start(crawl_sitemap *sitemap)
{
    enum { GZIP = 15 + 16 };
    if (sitemap->inflates)
        return inflateReset(&sitemap->inflater) == Z_OK ? CRAWL_OK : CRAWL_EPARSE;
    int status = inflateInit2(&sitemap->inflater, GZIP);
    sitemap->inflates = status == Z_OK;
    return status == Z_OK ? CRAWL_OK : CRAWL_ENOMEM;
}

/* Is the output too large for the input? */
static bool is_bomb(const crawl_sitemap *sitemap)
{
    return sitemap->stats.bytes > FREE_BYTES && sitemap->stats.bytes / CRAWL_SITEMAP_MAX_RATIO > sitemap->compressed;
}

/* One step of the inflater: it reads some of its input and hands its output on. */
static crawl_err sitemap_gzip_step(crawl_sitemap *sitemap)
{
    unsigned char out[CHUNK];
    z_stream *z = &sitemap->inflater;
    uInt before = z->avail_in;
    z->next_out = out;
    z->avail_out = sizeof out;
    int status = inflate(z, Z_NO_FLUSH);
    sitemap->compressed += before - z->avail_in;
    sitemap->between = status == Z_STREAM_END;
    crawl_err err = cw_sitemap_take(sitemap, crawl_slice_of(out, sizeof out - z->avail_out));
    if (err)
        return err;
    if (is_bomb(sitemap)) {
        sitemap->stats.full = true;
        return CRAWL_FULL;
    }
    if (status == Z_MEM_ERROR)
        return CRAWL_ENOMEM;
    bool stuck = status == Z_BUF_ERROR && z->avail_in;
    return (status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR) && !stuck ? CRAWL_OK : CRAWL_EPARSE;
}

crawl_err cw_sitemap_inflate(crawl_sitemap *sitemap, crawl_slice bytes)
{
    crawl_err err = sitemap->inflates ? CRAWL_OK : sitemap_gzip_start(sitemap);
    z_stream *z = &sitemap->inflater;
    while (!err && bytes.size) {
        enum { MOST = 1 << 30 };
        uInt size = bytes.size < MOST ? (uInt)bytes.size : MOST;
        if (sitemap->between && (unsigned char)bytes.data[0] != 0x1f)
            return CRAWL_OK;
        if (sitemap->between)
            err = sitemap_gzip_start(sitemap);
        sitemap->between = false;
        z->next_in = (unsigned char *)bytes.data; /* the type that zlib asks for: it writes nothing there */
        z->avail_in = size;
        do
            err = err ? err : sitemap_gzip_step(sitemap);
        while (!err && !sitemap->between && (z->avail_in || z->avail_out == 0));
        bytes.data += size - z->avail_in;
        bytes.size -= size - z->avail_in;
    }
    return err;
}
