/* See <crawl/sitemap.h> and sitemap_private.h. This file holds the object, determines the form of a sitemap from its
 * first bytes, and enforces the limits. */
#include "parse/sitemap/sitemap_private.h"

#include "base/bytes.h"
#include "base/sized.h"

#include <stdlib.h>

enum { MAX_HEAD = 4096 }; /* bytes of white space at the start; after more it is read as lines */

const char *crawl_sitemap_type_name(crawl_sitemap_type type)
{
    static const char *const names[] = {
        [CRAWL_SITEMAP_UNKNOWN] = "unknown", [CRAWL_SITEMAP_URLSET] = "urlset", [CRAWL_SITEMAP_INDEX] = "index",
        [CRAWL_SITEMAP_TEXT] = "text",       [CRAWL_SITEMAP_RSS] = "rss",       [CRAWL_SITEMAP_ATOM] = "atom",
        [CRAWL_SITEMAP_LLMS] = "llms",
    };
    return (size_t)type < sizeof names / sizeof *names ? names[type] : "unknown";
}

const char *crawl_sitemap_link_name(crawl_sitemap_link_kind kind)
{
    static const char *const names[] = {
        [CRAWL_SITEMAP_ALTERNATE] = "alternate", [CRAWL_SITEMAP_IMAGE] = "image",
        [CRAWL_SITEMAP_VIDEO] = "video",         [CRAWL_SITEMAP_PLAYER] = "player",
        [CRAWL_SITEMAP_THUMBNAIL] = "thumbnail",
    };
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "";
}

crawl_err crawl_sitemap_create(const crawl_sitemap_options *options, crawl_sitemap **out)
{
    crawl_sitemap_options own;
    options = cw_sized(&own, sizeof own, options);
    if (!options || !options->on_entry)
        return CRAWL_EINVAL;
    crawl_sitemap *sitemap = calloc(1, sizeof *sitemap);
    if (!sitemap)
        return CRAWL_ENOMEM;
    sitemap->options = *options;
    if (!options->max_entries)
        sitemap->options.max_entries = CRAWL_SITEMAP_MAX_ENTRIES;
    if (!options->max_bytes)
        sitemap->options.max_bytes = options->is_llms ? CRAWL_LLMS_MAX_BYTES : CRAWL_SITEMAP_MAX_BYTES;
    sitemap->url = crawl_url_create();
    sitemap->base = crawl_url_create();
    crawl_err err = sitemap->url && sitemap->base ? CRAWL_OK : CRAWL_ENOMEM;
    if (!err && options->url)
        err = crawl_url_copy(sitemap->base, options->url);
    sitemap->has_base = options->url != NULL;
    if (err) {
        crawl_sitemap_free(sitemap);
        return err;
    }
    *out = sitemap;
    return CRAWL_OK;
}

void crawl_sitemap_free(crawl_sitemap *sitemap)
{
    if (!sitemap)
        return;
    crawl_buf *texts[] = {&sitemap->head,         &sitemap->encoded,        &sitemap->utf8,
                          &sitemap->line,         &sitemap->filter.pending, &sitemap->filter.clean,
                          &sitemap->filter.names, &sitemap->feed_link_text};
    cw_sitemap_uncompress_free(sitemap);
    cw_sitemap_xml_free(sitemap);
    cw_charset_decoder_close(&sitemap->decoder);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        crawl_buf_free(texts[i]);
    for (size_t i = 0; i < CW_SITEMAP_PARTS; i++)
        crawl_buf_free(&sitemap->entry.part[i]);
    crawl_buf_free(&sitemap->entry.link_text);
    free(sitemap->entry.links);
    crawl_url_free(sitemap->url);
    crawl_url_free(sitemap->base);
    free(sitemap);
}

void crawl_sitemap_stats_get(const crawl_sitemap *sitemap, crawl_sitemap_stats *out)
{
    *out = sitemap->stats;
}

/* --- a sitemap of lines, a URL on each, which a tab ends; lines that are not an absolute URL are skipped --- */

static crawl_err sitemap_end_line(crawl_sitemap *sitemap)
{
    crawl_slice line = cw_trim(crawl_buf_slice(&sitemap->line));
    crawl_err err = CRAWL_OK;
    if (sitemap->line_too_long) {
        sitemap->stats.skipped++;
    } else if (sitemap->options.is_llms) {
        err = cw_sitemap_llms_line(sitemap, line);
    } else if (line.size) {
        cw_sitemap_clear_entry(&sitemap->entry);
        err = cw_sitemap_collect(&sitemap->entry, CW_SITEMAP_LOC, cw_cut(&line, '\t'));
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

static crawl_err sitemap_read_lines(crawl_sitemap *sitemap, crawl_slice bytes, bool last)
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
            err = sitemap_end_line(sitemap);
        bytes.data += size + 1;
        bytes.size -= size + 1;
    }
    return last && !err ? sitemap_end_line(sitemap) : err;
}

/* --- the stages --- */

static crawl_err read_xml(crawl_sitemap *sitemap, crawl_slice bytes, bool last)
{
    crawl_err dangerous = cw_sitemap_filter_run(&sitemap->filter, bytes, last);
    sitemap->stats.broken |= sitemap->filter.broken;
    if (dangerous == CRAWL_ENOMEM)
        return dangerous;
    crawl_err err = cw_sitemap_xml_feed(sitemap, crawl_buf_slice(&sitemap->filter.clean), last);
    return err ? err : dangerous;
}

static crawl_err read_form(crawl_sitemap *sitemap, crawl_slice bytes, bool last)
{
    crawl_err err = cw_sitemap_decode(sitemap, bytes, last);
    if (err)
        return err;
    bytes = crawl_buf_slice(&sitemap->utf8);
    return sitemap->form == CW_SITEMAP_XML ? read_xml(sitemap, bytes, last) : sitemap_read_lines(sitemap, bytes, last);
}

/* Returns the encoding by a byte order mark, or UTF-16 by the first character. NULL: neither tells. */
static const char *charset_of_start(crawl_slice text)
{
    const char *charset = cw_charset_of_mark(text);
    if (charset || text.size < 2)
        return charset;
    return memcmp(text.data, "<\0", 2) == 0 ? "utf-16le" : memcmp(text.data, "\0<", 2) == 0 ? "utf-16be" : NULL;
}

/* Returns true if the first character other than white space is a "<", or there is none yet. The other byte of such
 * characters is 0. */
static bool is_markup_of_utf16(crawl_slice text)
{
    text = cw_drop(text, cw_charset_of_mark(text) ? 2 : 0);
    while (text.size && (!text.data[0] || cw_is_space((unsigned char)text.data[0])))
        text = cw_drop(text, 1);
    return !text.size || text.data[0] == '<';
}

/* Returns the text without white space at its start and without a byte order mark after it. */
static crawl_slice behind_blank(crawl_slice text)
{
    do
        text = cw_trim_start(text);
    while (cw_take_text(&text, "\xef\xbb\xbf"));
    return text;
}

static crawl_err begin_form(crawl_sitemap *sitemap, crawl_slice text, bool xml)
{
    if (xml && sitemap->options.is_llms)
        return CRAWL_EPARSE;
    sitemap->form = xml ? CW_SITEMAP_XML : CW_SITEMAP_LINES;
    if (!xml && !sitemap->options.is_llms)
        sitemap->stats.type = CRAWL_SITEMAP_TEXT;
    crawl_err err = read_form(sitemap, text, false);
    crawl_buf_free(&sitemap->head);
    return err;
}

/* Determines form and encoding from the first bytes, which are held back until both are known. */
static crawl_err sitemap_begin(crawl_sitemap *sitemap, crawl_slice bytes, bool last)
{
    static const char declaration[] = "<?xml";
    crawl_err err = crawl_buf_append(&sitemap->head, bytes.data, bytes.size);
    if (err)
        return err;
    crawl_slice text = crawl_buf_slice(&sitemap->head);
    last |= text.size > MAX_HEAD;
    if (text.size < sizeof declaration && !last)
        return CRAWL_OK;
    const char *charset = charset_of_start(text);
    if (charset && strcmp(charset, "utf-8") != 0) {
        sitemap->charset = charset;
        return begin_form(sitemap, text, is_markup_of_utf16(text));
    }
    text = behind_blank(text);
    if (text.size < sizeof declaration && !last)
        return CRAWL_OK;
    bool declares = cw_starts_with(text, declaration);
    const char *end = declares ? memmem(text.data, text.size, "?>", 2) : NULL;
    if (declares && !end && !last)
        return CRAWL_OK;
    if (end && !charset)
        cw_sitemap_decode_declared(sitemap, crawl_slice_of(text.data, (size_t)(end - text.data)));
    return begin_form(sitemap, text, text.size && text.data[0] == '<');
}

crawl_err cw_sitemap_take(crawl_sitemap *sitemap, crawl_slice bytes)
{
    uint64_t room = sitemap->options.max_bytes - sitemap->stats.bytes;
    bool over = bytes.size > room;
    if (over)
        bytes.size = (size_t)room;
    sitemap->stats.bytes += bytes.size;
    crawl_err err = CRAWL_OK;
    if (bytes.size)
        err =
            sitemap->form == CW_SITEMAP_START ? sitemap_begin(sitemap, bytes, false) : read_form(sitemap, bytes, false);
    if (err || !over)
        return err;
    sitemap->stats.full = true;
    return CRAWL_FULL;
}

static bool sitemap_is_empty(const crawl_sitemap_stats *stats)
{
    return stats->type == CRAWL_SITEMAP_UNKNOWN || (stats->type == CRAWL_SITEMAP_TEXT && !stats->entries);
}

/* Records an error as the result of this call and all further ones. */
static crawl_err sitemap_settle(crawl_sitemap *sitemap, crawl_err err)
{
    sitemap->err = err;
    sitemap->stats.broken |= err == CRAWL_EPARSE;
    sitemap->stats.none = (err == CRAWL_EPARSE || err == CRAWL_FULL) && sitemap_is_empty(&sitemap->stats);
    return err;
}

/* Feeds the bytes in pieces, because each stage holds its output for a piece in memory. */
crawl_err crawl_sitemap_feed(crawl_sitemap *sitemap, crawl_slice bytes)
{
    enum { PIECE = 65536 };
    while (bytes.size && !sitemap->err) {
        size_t size = bytes.size < PIECE ? bytes.size : PIECE;
        sitemap_settle(sitemap, cw_sitemap_uncompress(sitemap, crawl_slice_of(bytes.data, size)));
        bytes = cw_drop(bytes, size);
    }
    return sitemap->err;
}

crawl_err crawl_sitemap_end(crawl_sitemap *sitemap)
{
    if (sitemap->err)
        return sitemap->err;
    crawl_err err = cw_sitemap_uncompress_end(sitemap);
    if (!err && sitemap->form == CW_SITEMAP_START)
        err = sitemap_begin(sitemap, (crawl_slice){0}, true);
    bool is_whole = cw_sitemap_uncompress_is_whole(sitemap);
    if (!err && (is_whole || sitemap->form == CW_SITEMAP_XML)) /* otherwise the last line is part of one */
        err = read_form(sitemap, (crawl_slice){0}, true);
    if (!err)
        cw_sitemap_llms_end(sitemap);
    sitemap->stats.broken |= !is_whole;
    return sitemap_settle(sitemap, !err && sitemap_is_empty(&sitemap->stats) ? CRAWL_EPARSE : err);
}
