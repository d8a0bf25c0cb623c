#include "crawler/output/warc/warc_index.h"

#include "base/bytes.h"
#include "base/writer.h"

#include <crawl/links.h>
#include <crawl/url.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

/* The JSON string of a header value that is no UTF-8, and so is taken for Latin-1. NULL: no memory. */
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

/* Appends a JSON string in ASCII: all other characters are written as \uXXXX. */
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

/* The date without its punctuation, to the second. */
static void digits_of(crawl_slice date, char out[15])
{
    size_t size = 0;
    for (size_t i = 0; i < date.size && size < 14; i++)
        if (cw_is_digit((unsigned char)date.data[i]))
            out[size++] = date.data[i];
    out[size] = '\0';
}

crawl_err cw_warc_index_line(const cw_warc_entry *entry, crawl_buf *out)
{
    char when[15];
    cw_writer line = {.out = out};
    const crawl_canonical_options surt = {.size = sizeof surt, .profile = CRAWL_PROFILE_SURT};
    digits_of(entry->date, when);
    line.err = crawl_text_canonical(entry->url, &surt, out);
    cw_put_format(&line, " %s {\"url\": ", when);
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
