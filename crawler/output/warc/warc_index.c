#include "crawler/output/warc/warc_index.h"

#include "base/bytes.h"
#include "base/writer.h"

#include <crawl/links.h>
#include <crawl/url.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

/* Makes the JSON string of a header value that is not UTF-8, reading it as Latin-1. NULL: out of memory. */
static json_t *from_latin1(crawl_slice text)
{
    crawl_buf utf8 = {0};
    crawl_err err = crawl_buf_reserve(&utf8, 2 * text.size);
    for (size_t i = 0; i < text.size && !err; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c >= 0x80)
            err = crawl_buf_append_char(&utf8, (char)(0xc0 | c >> 6));
        if (!err)
            err = crawl_buf_append_char(&utf8, (char)(c < 0x80 ? c : 0x80 | (c & 0x3f)));
    }
    json_t *value = err ? NULL : json_stringn_nocheck(utf8.data, utf8.size);
    crawl_buf_free(&utf8);
    return value;
}

/* Appends a JSON string in ASCII; other characters become \uXXXX. */
static void warc_index_put_json(cw_writer *out, crawl_slice text)
{
    json_t *value = json_stringn(text.size ? text.data : "", text.size);
    if (!value)
        value = from_latin1(text);
    char *ascii = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;
    if (ascii)
        cw_put(out, crawl_slice_from(ascii));
    else
        out->err = CRAWL_ENOMEM;
    free(ascii);
    json_decref(value);
}

static crawl_slice media_type(crawl_slice content_type)
{
    crawl_slice type = crawl_media_type(content_type);
    return type.size ? type : crawl_slice_from("unk");
}

crawl_err cw_warc_index_key(crawl_slice url, crawl_slice date, crawl_buf *out)
{
    enum { SECONDS = 14 };
    const crawl_canonical_options surt = {.size = sizeof surt, .profile = CRAWL_PROFILE_SURT};
    cw_writer key = {.out = out, .err = crawl_text_canonical(url, &surt, out)};
    cw_put_char(&key, ' ');
    for (size_t i = 0, digits = 0; i < date.size && digits < SECONDS; i++)
        if (cw_is_digit((unsigned char)date.data[i])) {
            cw_put_char(&key, date.data[i]);
            digits++;
        }
    return key.err;
}

crawl_err cw_warc_index_line(const cw_warc_entry *entry, crawl_buf *out)
{
    cw_writer line = {.out = out, .err = cw_warc_index_key(entry->url, entry->date, out)};
    cw_put_format(&line, " {\"url\": ");
    warc_index_put_json(&line, entry->url);
    cw_put_format(&line, ", \"mime\": ");
    warc_index_put_json(&line, entry->is_revisit ? crawl_slice_from("warc/revisit") : media_type(entry->content_type));
    cw_put_format(&line,
                  ", \"status\": \"%d\", \"digest\": \"%.*s\", \"length\": \"%" PRIu64 "\", \"offset\": \"%" PRIu64
                  "\", \"filename\": ",
                  entry->status, (int)entry->digest.size, entry->digest.data, entry->length, entry->offset);
    warc_index_put_json(&line, entry->file);
    cw_put_char(&line, '}');
    return line.err;
}

/* Returns the form that a request sends; empty: none, or one too long for a key. */
static crawl_slice warc_index_form_of(crawl_slice request)
{
    enum { MOST = 16384 };
    crawl_slice fields = cw_warc_cut_message(&request);
    crawl_slice type = crawl_media_type(cw_warc_field_of(fields, "Content-Type"));
    bool is_form = cw_is_nocase(type, "application/x-www-form-urlencoded") && request.size <= MOST;
    return is_form ? request : (crawl_slice){0};
}

/* Appends a line with method and form. rest: of the line of a GET, from its date to its last member. */
static crawl_err put_asked(crawl_slice url, crawl_slice method, crawl_slice form, crawl_slice rest, crawl_buf *out)
{
    crawl_buf asked = {0};
    crawl_err err = crawl_buf_printf(&asked, "%.*s%c__wb_method=%.*s%s%.*s", (int)url.size, url.data,
                                     memchr(url.data, '?', url.size) ? '&' : '?', (int)method.size, method.data,
                                     form.size ? "&" : "", (int)form.size, form.size ? form.data : "");
    if (!err)
        err = cw_warc_index_key(crawl_buf_slice(&asked), (crawl_slice){0}, out);
    if (err == CRAWL_EPARSE) /* longer than a URL may be */
        err = cw_warc_index_key(url, (crawl_slice){0}, out);
    cw_writer line = {.out = out, .err = err};
    cw_put(&line, rest);
    cw_put_format(&line, ", \"method\": ");
    warc_index_put_json(&line, method);
    if (form.size) {
        cw_put_format(&line, ", \"requestBody\": ");
        warc_index_put_json(&line, form);
    }
    cw_put_char(&line, '}');
    crawl_buf_free(&asked);
    return line.err;
}

/* Returns what the last line has after the key of this URL and before its end; empty: it has another URL or date. */
static crawl_err rest_of_last(const cw_warc_index *index, crawl_slice url, crawl_slice date, crawl_slice *rest)
{
    crawl_buf begin = {0};
    crawl_slice line = crawl_slice_from(index->text.data + index->at[index->count - 1]);
    crawl_err err = cw_warc_index_key(url, date, &begin);
    bool is_same = !err && line.size > begin.size && memcmp(line.data, begin.data, begin.size) == 0;
    cw_cut(&line, ' ');
    *rest = is_same ? crawl_slice_of(line.data, line.size - 1) : (crawl_slice){0};
    crawl_buf_free(&begin);
    return err;
}

crawl_err cw_warc_index_ask(cw_warc_index *index, crawl_slice url, crawl_slice date, crawl_slice request)
{
    crawl_slice rest = request, method = cw_cut(&rest, ' ');
    crawl_buf line = {0};
    if (!method.size || cw_is(method, "GET") || !index->count)
        return CRAWL_OK;
    crawl_err err = rest_of_last(index, url, date, &rest);
    if (err || !rest.size)
        return err;
    bool is_head = cw_is(method, "HEAD");
    if (!is_head)
        err = put_asked(url, method, warc_index_form_of(request), rest, &line);
    if (!err)
        index->text.size = index->at[--index->count];
    if (!err && !is_head)
        err = cw_warc_index_add(index, crawl_buf_slice(&line));
    crawl_buf_free(&line);
    return err;
}

crawl_err cw_warc_index_record(cw_warc_index *index, const cw_warc_piece *record, crawl_slice file)
{
    crawl_slice type = cw_warc_field_of(record->header, "WARC-Type");
    crawl_slice url = cw_warc_uri_of(record->header, "WARC-Target-URI");
    crawl_slice date = cw_warc_field_of(record->header, "WARC-Date");
    crawl_slice digest = cw_warc_field_of(record->header, "WARC-Payload-Digest");
    crawl_slice message = record->block;
    crawl_slice fields = cw_warc_cut_message(&message);
    crawl_buf line = {0};
    if (cw_is(type, "request") && cw_warc_field_of(record->header, "WARC-Concurrent-To").size)
        return cw_warc_index_ask(index, url, date, record->block);
    if (!(cw_is(type, "response") || cw_is(type, "revisit")))
        return CRAWL_OK;
    const cw_warc_entry entry = {
        .url = url,
        .date = date,
        .is_revisit = cw_is(type, "revisit"),
        .status = cw_warc_status_of(cw_cut_line(&fields)),
        .content_type = cw_warc_field_of(fields, "Content-Type"),
        .digest = digest.size ? cw_starts_with(digest, "sha1:") ? cw_drop(digest, strlen("sha1:")) : digest
                              : crawl_slice_from("-"),
        .length = record->length,
        .offset = record->offset,
        .file = file,
    };
    crawl_err err = cw_warc_index_line(&entry, &line);
    if (!err)
        err = cw_warc_index_add(index, crawl_buf_slice(&line));
    crawl_buf_free(&line);
    return err;
}
