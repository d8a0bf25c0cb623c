/* See charset_prescan.h. The prescan's notions of a tag, a comment and an attribute are the tokenizer's but for what no
 * page depends on, so the tokenizer finds them; text inside scripts and the like is not told from tags, as the standard
 * has it. */
#include "parse/charset/charset_prescan.h"

#include "parse/html/html_token.h"

#include "base/bytes.h"

#include <crawl/links.h>

/* A page whose <meta> could be read is no UTF-16, and x-user-defined is an old name of windows-1252. */
static const char *as_declared(const char *charset)
{
    if (strcmp(charset, "utf-16le") == 0 || strcmp(charset, "utf-16be") == 0)
        return "utf-8";
    return strcmp(charset, "x-user-defined") == 0 ? "windows-1252" : charset;
}

/* What one <meta> declares. A charset attribute decides, even by an unknown name; a content attribute does for a pragma
 * only. */
static const char *read_meta(const cw_html_values *values)
{
    const char *charset = NULL;
    if (values->found & CW_AT_CHARSET)
        charset = crawl_charset_name(cw_html_value(values, CW_AT_CHARSET));
    else if (cw_equal_nocase(cw_html_value(values, CW_AT_HTTP_EQUIV), crawl_slice_from("content-type")))
        charset = cw_charset_of_meta_content(cw_html_value(values, CW_AT_CONTENT));
    return charset ? as_declared(charset) : NULL;
}

/* Text being read. */
typedef struct stream {
    const char *at;
    const char *end;
} stream;

static void skip_space(stream *s)
{
    while (s->at < s->end && cw_is_space((unsigned char)*s->at))
        s->at++;
}

static void skip_controls(stream *s)
{
    while (s->at < s->end && (unsigned char)*s->at <= ' ')
        s->at++;
}

/* The label in quotes at s. */
static const char *quoted_label(stream s)
{
    if (s.at == s.end || (*s.at != '"' && *s.at != '\''))
        return NULL;
    const char *label = s.at + 1;
    const char *close = memchr(label, *s.at, (size_t)(s.end - label));
    return close ? crawl_charset_name(crawl_slice_of(label, (size_t)(close - label))) : NULL;
}

/* What follows "encoding" and "=" in the "<?xml" declaration at the start. */
static const char *xml_encoding(crawl_slice html)
{
    if (html.size < 5 || memcmp(html.data, "<?xml", 5) != 0)
        return NULL;
    const char *close = memchr(html.data, '>', html.size);
    const char *name = close ? memmem(html.data, (size_t)(close - html.data), "encoding", 8) : NULL;
    if (!name)
        return NULL;
    stream s = {name + 8, close};
    skip_controls(&s);
    if (s.at == s.end || *s.at++ != '=')
        return NULL;
    skip_controls(&s);
    const char *charset = quoted_label(s);
    return charset ? as_declared(charset) : NULL;
}

const char *cw_charset_prescan(crawl_slice html)
{
    if (!html.size)
        return NULL;
    if (html.size > CW_PRESCAN_BYTES)
        html.size = CW_PRESCAN_BYTES;
    if (html.size >= 6 && memcmp(html.data, "<\0?\0x\0", 6) == 0)
        return "utf-16le";
    if (html.size >= 6 && memcmp(html.data, "\0<\0?\0x", 6) == 0)
        return "utf-16be";
    cw_html_scanner scanner = {html.data, html.data + html.size, false, false};
    cw_html_values values;
    bool self_closing;
    for (cw_html_tag tag; cw_html_next_tag(&scanner, &tag);) {
        bool is_meta = !tag.closing && cw_equal_nocase(tag.name, crawl_slice_from("meta"));
        unsigned wanted = is_meta ? CW_AT_CHARSET | CW_AT_HTTP_EQUIV | CW_AT_CONTENT : 0;
        if (!cw_html_finish_tag(&scanner, wanted, &values, &self_closing))
            break;
        const char *charset = is_meta ? read_meta(&values) : NULL;
        if (charset)
            return charset;
    }
    return xml_encoding(html);
}

static bool starts_with(const stream *s, const char *text)
{
    crawl_slice wanted = crawl_slice_from(text);
    return (size_t)(s->end - s->at) >= wanted.size && cw_equal_nocase(crawl_slice_of(s->at, wanted.size), wanted);
}

/* Past "charset" and "="; false: they are not there. */
static bool find_charset(stream *s)
{
    while (s->at < s->end) {
        if (!starts_with(s, "charset")) {
            s->at++;
            continue;
        }
        s->at += 7;
        skip_space(s);
        if (s->at < s->end && *s->at == '=') {
            s->at++;
            return true;
        }
    }
    return false;
}

const char *cw_charset_of_meta_content(crawl_slice content)
{
    if (!content.size)
        return NULL;
    stream s = {content.data, content.data + content.size};
    if (!find_charset(&s))
        return NULL;
    skip_space(&s);
    if (s.at == s.end)
        return NULL;
    if (*s.at == '"' || *s.at == '\'')
        return quoted_label(s);
    const char *label = s.at;
    while (s.at < s.end && !cw_is_space((unsigned char)*s.at) && *s.at != ';')
        s.at++;
    return crawl_charset_name(crawl_slice_of(label, (size_t)(s.at - label)));
}
