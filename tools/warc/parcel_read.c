/* See parcel.h: reads the WARC files. */
#include "base/bytes.h"
#include "base/json/json_write.h"
#include "crawler/output/warc/warc_index.h"
#include "tools/warc/archived.h"
#include "tools/warc/parcel.h"

#include <crawl/links.h>

typedef struct parcel_reading {
    cw_parcel *parcel;
    const char *path; /* of the present file */
    crawl_page *parser;
    crawl_buf id, url, page; /* last page: its record, and its line without the end, which a later record gives */
    crawl_buf room, decoded;
} parcel_reading;

/* ---- pages ---- */

/* Takes the main page: the first seed; until one is known, the last page. */
static crawl_err reading_take_main(parcel_reading *r)
{
    cw_parcel *parcel = r->parcel;
    crawl_slice title = crawl_page_title(r->parser);
    if (parcel->seed_count)
        return CRAWL_OK;
    crawl_buf_clear(&parcel->main_url);
    crawl_buf_clear(&parcel->main_title);
    crawl_err err = crawl_buf_append(&parcel->main_url, r->url.data, r->url.size);
    return err ? err : crawl_buf_append(&parcel->main_title, title.data, title.size);
}

/* Ends the line of a page. depth: 0 also if unknown. */
static crawl_err reading_end_page(parcel_reading *r, size_t depth)
{
    cw_parcel *parcel = r->parcel;
    if (!r->page.size)
        return CRAWL_OK;
    crawl_err err = reading_take_main(r);
    cw_writer out = {.out = depth ? &parcel->others : &parcel->seeds, .err = err};
    cw_put_format(&out, "{\"id\":\"%llu\"", (unsigned long long)++parcel->page_count);
    cw_put(&out, crawl_buf_slice(&r->page));
    cw_put_format(&out, ",\"depth\":%zu%s}\n", depth, depth ? "" : ",\"seed\":true");
    parcel->seed_count += !depth;
    crawl_buf_clear(&r->page);
    return out.err;
}

static crawl_err reading_put_page(parcel_reading *r, crawl_slice header, crawl_slice type, int status)
{
    cw_writer out = {.out = &r->page};
    crawl_slice id = cw_warc_field_of(header, "WARC-Record-ID"), url = cw_warc_uri_of(header, "WARC-Target-URI");
    crawl_slice title = crawl_page_title(r->parser);
    cw_json_text(&out, ",\"url\":", url);
    cw_json_text(&out, ",\"ts\":", cw_warc_field_of(header, "WARC-Date"));
    if (title.size)
        cw_json_text(&out, ",\"title\":", title);
    cw_json_text(&out, ",\"mime\":", type);
    cw_json_int(&out, ",\"status\":", status);
    crawl_buf_clear(&r->id);
    crawl_buf_clear(&r->url);
    if (!out.err)
        out.err = crawl_buf_append(&r->id, id.data, id.size);
    return out.err ? out.err : crawl_buf_append(&r->url, url.data, url.size);
}

/* Begins a page if the answer is one: HTML with status 2xx, and whole. Its beginning is enough for the title; a revisit
 * has none. */
static crawl_err reading_begin_page(parcel_reading *r, const cw_warc_piece *record)
{
    enum { HEAD = 256 << 10 };
    cw_archived message;
    crawl_err err = cw_archived_read(record->block, &r->room, &message);
    crawl_slice content_type = cw_warc_field_of(message.header, "Content-Type");
    crawl_slice type = crawl_media_type(content_type);
    bool is_html = cw_is_nocase(type, "text/html") || cw_is_nocase(type, "application/xhtml+xml");
    bool is_cut = cw_warc_field_of(record->header, "WARC-Truncated").size;
    if (err || message.status < 200 || message.status > 299 || !is_html || is_cut)
        return err;
    crawl_buf_clear(&r->decoded);
    err = cw_archived_decode(&message, HEAD, &r->decoded);
    if (!err)
        err = crawl_page_parse(r->parser, crawl_buf_slice(&r->decoded), NULL,
                               crawl_charset_of_content_type(content_type));
    return err ? err : reading_put_page(r, record->header, type, message.status);
}

/* ---- records ---- */

static crawl_err reading_take_revisit(parcel_reading *r, crawl_slice header)
{
    cw_writer out = {.out = &r->parcel->revisits};
    cw_put(&out, cw_warc_uri_of(header, "WARC-Refers-To-Target-URI"));
    cw_put_char(&out, ' ');
    cw_put(&out, cw_warc_field_of(header, "WARC-Refers-To-Date"));
    cw_put_char(&out, '\n');
    return out.err;
}

static crawl_err reading_take(parcel_reading *r, const cw_warc_piece *record)
{
    crawl_slice type = cw_warc_field_of(record->header, "WARC-Type");
    crawl_slice of = cw_warc_field_of(record->header, "WARC-Refers-To");
    crawl_slice hops = cw_is(type, "metadata") ? cw_warc_field_of(record->block, "hopsFromSeed") : (crawl_slice){0};
    crawl_err err = cw_warc_index_record(&r->parcel->index, record, crawl_slice_from(cw_archived_name(r->path)));
    if (cw_is(type, "request") && !cw_starts_with(record->block, "GET ") &&
        crawl_slice_equal(cw_warc_field_of(record->header, "WARC-Concurrent-To"), crawl_buf_slice(&r->id)))
        crawl_buf_clear(&r->page); /* readers open a page by GET */
    if (!err && cw_is(type, "revisit"))
        err = reading_take_revisit(r, record->header);
    if (!err && hops.size && crawl_slice_equal(of, crawl_buf_slice(&r->id))) {
        if (cw_ends_with(hops, "P") || cw_ends_with(hops, "E")) /* a robots.txt and the like, or a part of a page */
            crawl_buf_clear(&r->page);
        err = reading_end_page(r, hops.size); /* a letter for each hop */
    }
    if (err || !(cw_is(type, "response") || cw_is(type, "revisit")))
        return err;
    err = reading_end_page(r, 0);
    return err ? err : reading_begin_page(r, record);
}

static crawl_err reading_take_all(parcel_reading *r, crawl_slice bytes)
{
    cw_warc_reader reader;
    cw_warc_piece record;
    crawl_error *error = &r->parcel->error;
    crawl_err err = cw_warc_reader_open(&reader, bytes, CW_WARC_HEAD_MAX);
    if (!err && bytes.size && cw_warc_reader_is_gzip(&reader) != cw_ends_with(crawl_slice_from(r->path), ".gz"))
        err = crawl_error_set(error, CRAWL_EINVAL, "%s: the name must end in .gz if the file is gzip, and only then",
                              r->path);
    for (uint64_t at = 0; at < bytes.size && !err; at += record.length) {
        err = cw_warc_read(&reader, at, &record);
        if (err == CRAWL_ECORRUPT)
            crawl_error_set(error, err, "%s: byte %llu: %s", r->path, (unsigned long long)at, record.fault);
        if (!err)
            err = reading_take(r, &record);
    }
    cw_warc_reader_close(&reader);
    return err ? err : reading_end_page(r, 0);
}

crawl_err cw_parcel_read(cw_parcel *parcel)
{
    parcel_reading r = {.parcel = parcel, .parser = crawl_page_create()};
    crawl_err err = r.parser ? CRAWL_OK : CRAWL_ENOMEM;
    if (r.parser)
        crawl_page_set_kinds(r.parser, 0);
    for (size_t i = 0; i < parcel->warc_count && !err; i++) {
        crawl_slice bytes;
        r.path = parcel->warcs[i];
        err = cw_archived_map(r.path, &bytes, &parcel->error);
        if (!err)
            err = reading_take_all(&r, bytes);
        cw_warc_unmap(bytes);
    }
    crawl_page_free(r.parser);
    crawl_buf *bufs[] = {&r.id, &r.url, &r.page, &r.room, &r.decoded};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        crawl_buf_free(bufs[i]);
    return err;
}
