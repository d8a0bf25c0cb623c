/* Uncompresses a sitemap as it arrives. A file may have several compressed parts; bytes after the last one that do not
 * begin another are ignored, as gzip does. A server that compresses a compressed file makes a second layer. A bomb,
 * whose output is far larger than its input, is stopped. */
#include "parse/sitemap/sitemap_private.h"

#include "base/bytes.h"

enum { CHUNK = 16384, FREE_BYTES = 1 << 20 };

void cw_sitemap_uncompress_free(crawl_sitemap *sitemap)
{
    while (sitemap->layer_count)
        inflateEnd(&sitemap->layers[--sitemap->layer_count].inflater);
}

bool cw_sitemap_uncompress_is_whole(const crawl_sitemap *sitemap)
{
    for (unsigned i = 0; i < sitemap->layer_count; i++)
        if (!sitemap->layers[i].between)
            return false;
    return true;
}

static crawl_err sitemap_gzip_add_layer(crawl_sitemap *sitemap)
{
    enum { GZIP = 15 + 16 };
    if (inflateInit2(&sitemap->layers[sitemap->layer_count].inflater, GZIP) != Z_OK)
        return CRAWL_ENOMEM;
    sitemap->layer_count++;
    sitemap->stats.compressed = true;
    return CRAWL_OK;
}

/* Returns true if the output is too large for the input. */
static bool is_bomb(const cw_sitemap_layer *layer)
{
    return layer->out > FREE_BYTES && layer->out / CRAWL_SITEMAP_MAX_RATIO > layer->in;
}

/* Takes bytes that came out of `depth` layers. */
static crawl_err sitemap_gzip_take(crawl_sitemap *sitemap, unsigned depth, crawl_slice bytes);

/* Runs one step of the inflater, which reads some of its input and passes its output on. */
static crawl_err sitemap_gzip_step(crawl_sitemap *sitemap, unsigned depth)
{
    unsigned char out[CHUNK];
    cw_sitemap_layer *layer = &sitemap->layers[depth];
    z_stream *z = &layer->inflater;
    uInt before = z->avail_in;
    z->next_out = out;
    z->avail_out = sizeof out;
    int status = inflate(z, Z_NO_FLUSH);
    layer->in += before - z->avail_in;
    layer->out += sizeof out - z->avail_out;
    layer->between = status == Z_STREAM_END;
    crawl_err err = sitemap_gzip_take(sitemap, depth + 1, crawl_slice_of(out, sizeof out - z->avail_out));
    if (err)
        return err;
    if (is_bomb(layer)) {
        sitemap->stats.full = true;
        return CRAWL_FULL;
    }
    if (status == Z_MEM_ERROR)
        return CRAWL_ENOMEM;
    bool stuck = status == Z_BUF_ERROR && z->avail_in;
    return (status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR) && !stuck ? CRAWL_OK : CRAWL_EPARSE;
}

static crawl_err sitemap_gzip_inflate(crawl_sitemap *sitemap, unsigned depth, crawl_slice bytes)
{
    cw_sitemap_layer *layer = &sitemap->layers[depth];
    z_stream *z = &layer->inflater;
    crawl_err err = CRAWL_OK;
    while (!err && bytes.size) {
        enum { MOST = 1 << 30 };
        uInt size = bytes.size < MOST ? (uInt)bytes.size : MOST;
        if (layer->between && (unsigned char)bytes.data[0] != 0x1f)
            return CRAWL_OK;
        if (layer->between)
            err = inflateReset(z) == Z_OK ? CRAWL_OK : CRAWL_EPARSE;
        layer->between = false;
        z->next_in = (unsigned char *)bytes.data; /* zlib's type: it writes nothing there */
        z->avail_in = size;
        do
            err = err ? err : sitemap_gzip_step(sitemap, depth);
        while (!err && !layer->between && (z->avail_in || z->avail_out == 0));
        bytes.data += size - z->avail_in;
        bytes.size -= size - z->avail_in;
    }
    return err;
}

/* Determines from the first two bytes whether there is another layer. last: no bytes follow. */
static crawl_err sitemap_gzip_take_first(crawl_sitemap *sitemap, unsigned depth, crawl_slice bytes, bool last)
{
    crawl_err err = crawl_buf_append(&sitemap->line, bytes.data, bytes.size);
    if (err || (sitemap->line.size < 2 && !last))
        return err;
    crawl_buf first = sitemap->line;
    sitemap->line = (crawl_buf){0};
    bool is_layer = depth < CW_SITEMAP_LAYERS && cw_starts_with(crawl_buf_slice(&first), "\x1f\x8b");
    sitemap->head_done = !is_layer;
    if (is_layer)
        err = sitemap_gzip_add_layer(sitemap);
    if (!err)
        err = sitemap_gzip_take(sitemap, depth, crawl_buf_slice(&first));
    crawl_buf_free(&first);
    return err;
}

static crawl_err sitemap_gzip_take(crawl_sitemap *sitemap, unsigned depth, crawl_slice bytes)
{
    if (depth < sitemap->layer_count)
        return sitemap_gzip_inflate(sitemap, depth, bytes);
    return sitemap->head_done ? cw_sitemap_take(sitemap, bytes) : sitemap_gzip_take_first(sitemap, depth, bytes, false);
}

crawl_err cw_sitemap_uncompress(crawl_sitemap *sitemap, crawl_slice bytes)
{
    return sitemap_gzip_take(sitemap, 0, bytes);
}

crawl_err cw_sitemap_uncompress_end(crawl_sitemap *sitemap)
{
    bool is_short = !sitemap->head_done;
    return is_short ? sitemap_gzip_take_first(sitemap, sitemap->layer_count, (crawl_slice){0}, true) : CRAWL_OK;
}
