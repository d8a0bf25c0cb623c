/* Determines the encoding of a page (HTML standard, 13.2.3.2 "determining the character encoding") and of a
 * Content-Type value. The prescan's rules for tags, comments and attributes differ from the tokenizer's only in ways
 * that no page depends on, so the tokenizer finds them. As the standard says, tags inside scripts and the like count
 * too. */
#include "parse/charset/charset.h"

#include "base/bytes.h"
#include "base/utf8.h"
#include "parse/html/html_token.h"

#include <crawl/links.h>

/* --- declarations in a page --- */

/* Returns the encoding that a declared name means in a <meta>: UTF-16 means UTF-8, since the <meta> could not be read
 * otherwise, and x-user-defined is an old name of windows-1252. */
static const char *as_declared(const char *charset)
{
    if (strcmp(charset, "utf-16le") == 0 || strcmp(charset, "utf-16be") == 0)
        return "utf-8";
    return strcmp(charset, "x-user-defined") == 0 ? "windows-1252" : charset;
}

/* Returns the encoding that one <meta> declares. A charset attribute decides, even if its name is unknown; a content
 * attribute decides only for a pragma (http-equiv). */
static const char *read_meta(const cw_html_values *values)
{
    const char *charset = NULL;
    if (values->found & CW_AT_CHARSET)
        charset = crawl_charset_name(cw_html_value(values, CW_AT_CHARSET));
    else if (cw_is_nocase(cw_html_value(values, CW_AT_HTTP_EQUIV), "content-type"))
        charset = cw_charset_of_meta_content(cw_html_value(values, CW_AT_CONTENT));
    return charset ? as_declared(charset) : NULL;
}

static crawl_slice skip_controls(crawl_slice text)
{
    while (text.size && (unsigned char)*text.data <= ' ')
        text = cw_drop(text, 1);
    return text;
}

static bool begins_with_quote(crawl_slice text)
{
    return cw_starts_with(text, "\"") || cw_starts_with(text, "'");
}

/* Returns the encoding whose label is in quotes at the start of text. */
static const char *quoted_label(crawl_slice text)
{
    if (!begins_with_quote(text))
        return NULL;
    char quote = *text.data;
    text = cw_drop(text, 1);
    size_t close = cw_find_char(text, quote);
    return close < text.size ? crawl_charset_name(crawl_slice_of(text.data, close)) : NULL;
}

/* Returns the encoding that the "<?xml" declaration at the start names after "encoding" and "=". */
static const char *xml_encoding(crawl_slice html)
{
    crawl_slice text = crawl_slice_of(html.data, cw_find_char(html, '>'));
    if (!cw_starts_with(html, "<?xml") || text.size == html.size)
        return NULL;
    const char *name = memmem(text.data, text.size, "encoding", 8);
    if (!name)
        return NULL;
    text = skip_controls(cw_drop(text, (size_t)(name - text.data) + 8));
    if (!cw_take_text(&text, "="))
        return NULL;
    const char *charset = quoted_label(skip_controls(text));
    return charset ? as_declared(charset) : NULL;
}

/* Skips the text of an element in which "<" begins no tag. */
static void skip_raw_text(cw_html_scanner *scanner, crawl_slice name)
{
    static const char *const raw[] = {"script", "style", "title", "textarea", "noscript", "template", "svg"};
    if (!cw_is_among(name, raw, sizeof raw / sizeof *raw))
        return;
    const char *at = memchr(scanner->at, '<', (size_t)(scanner->end - scanner->at));
    for (; at; at = memchr(at + 1, '<', (size_t)(scanner->end - at - 1))) {
        crawl_slice rest = crawl_slice_of(at, (size_t)(scanner->end - at));
        crawl_slice end_name = rest.size > 2 + name.size ? crawl_slice_of(at + 2, name.size) : (crawl_slice){0};
        if (end_name.size && at[1] == '/' && cw_equal_nocase(end_name, name))
            break;
    }
    scanner->at = at ? at : scanner->end;
}

/* Returns true if the head ends here. */
static bool is_behind_head(const cw_html_tag *tag)
{
    return cw_is_nocase(tag->name, tag->closing ? "head" : "body");
}

/* Returns the encoding that a <meta> declares, anywhere (the prescan of the standard, which ignores elements), or only
 * in the head. */
static const char *find_meta(crawl_slice html, bool in_head)
{
    cw_html_scanner scanner = {html.data, html.data + html.size, false, NULL};
    cw_html_values values;
    bool self_closing;
    for (cw_html_tag tag; cw_html_next_tag(&scanner, &tag);) {
        bool is_meta = !tag.closing && cw_is_nocase(tag.name, "meta");
        unsigned wanted = is_meta ? CW_AT_CHARSET | CW_AT_HTTP_EQUIV | CW_AT_CONTENT : 0;
        if (!cw_html_finish_tag(&scanner, wanted, &values, &self_closing) || (in_head && is_behind_head(&tag)))
            break;
        const char *charset = is_meta ? read_meta(&values) : NULL;
        if (charset)
            return charset;
        if (in_head && !tag.closing)
            skip_raw_text(&scanner, tag.name);
    }
    return NULL;
}

const char *cw_charset_prescan(crawl_slice html)
{
    if (!html.size)
        return NULL;
    crawl_slice first =
        crawl_slice_of(html.data, html.size < CW_CHARSET_PRESCAN_BYTES ? html.size : CW_CHARSET_PRESCAN_BYTES);
    crawl_slice head = crawl_slice_of(html.data, html.size < CW_CHARSET_HEAD_BYTES ? html.size : CW_CHARSET_HEAD_BYTES);
    if (html.size >= 6 && memcmp(html.data, "<\0?\0x\0", 6) == 0)
        return "utf-16le";
    if (html.size >= 6 && memcmp(html.data, "\0<\0?\0x", 6) == 0)
        return "utf-16be";
    const char *charset = find_meta(first, false);
    if (!charset)
        charset = xml_encoding(first);
    return charset || head.size == first.size ? charset : find_meta(head, true);
}

const char *cw_charset_of_meta_content(crawl_slice content)
{
    bool found = false;
    while (content.size && !found) {
        if (!cw_starts_nocase(content, "charset")) {
            content = cw_drop(content, 1);
            continue;
        }
        content = cw_trim_start(cw_drop(content, strlen("charset")));
        found = cw_take_text(&content, "=");
    }
    content = cw_trim_start(content);
    if (!found || begins_with_quote(content))
        return found ? quoted_label(content) : NULL;
    crawl_slice label = cw_cut(&content, ';');
    return crawl_charset_name(cw_take_word(&label, false));
}

/* --- the encoding of a page --- */

const char *cw_charset_of_mark(crawl_slice bytes)
{
    if (cw_starts_with(bytes, "\xef\xbb\xbf"))
        return "utf-8";
    if (cw_starts_with(bytes, "\xfe\xff"))
        return "utf-16be";
    return cw_starts_with(bytes, "\xff\xfe") ? "utf-16le" : NULL;
}

const char *cw_charset_sniff(crawl_slice html, const char *transport, bool *valid)
{
    *valid = false;
    const char *charset = cw_charset_of_mark(html);
    if (!charset && transport)
        charset = crawl_charset_name(crawl_slice_from(transport));
    if (!charset)
        charset = cw_charset_prescan(html);
    if (charset)
        return charset;
    *valid = cw_utf8_valid_prefix(html) == html.size;
    return *valid || cw_utf8_plausible(html) ? "utf-8" : "windows-1252";
}

const char *crawl_charset_sniff(crawl_slice html, const char *transport)
{
    bool valid;
    return cw_charset_sniff(html, transport, &valid);
}

/* Returns true if a token may contain this byte (RFC 9110, 5.6.2). */
static bool charset_sniff_is_token_byte(unsigned char c)
{
    return c > ' ' && c < 0x7f && !strchr("\"(),/:;<=>?@[\\]{}", c);
}

static crawl_slice charset_sniff_take_token(crawl_slice *rest)
{
    size_t size = 0;
    while (size < rest->size && charset_sniff_is_token_byte((unsigned char)rest->data[size]))
        size++;
    return cw_take(rest, size);
}

/* Skips to the next ";" or "," outside quotes, which it leaves in place. Returns true if it skipped only white
 * space. */
static bool skip_to_delimiter(crawl_slice *rest)
{
    bool clean = true;
    bool quoted = false;
    for (; rest->size; *rest = cw_drop(*rest, 1)) {
        unsigned char c = (unsigned char)*rest->data;
        if (!quoted && (c == ';' || c == ','))
            break;
        if (c == '"')
            quoted = !quoted;
        else if (quoted && c == '\\' && rest->size > 1)
            *rest = cw_drop(*rest, 1);
        clean = clean && cw_is_space(c);
    }
    return clean;
}

/* Returns the content of the quoted string at rest, which is skipped; its data is NULL if the string does not end. No
 * label of an encoding needs an escape, so escapes are not decoded. */
static crawl_slice charset_sniff_take_quoted(crawl_slice *rest)
{
    const char *start = rest->data + 1;
    for (size_t i = 1; i < rest->size; i++) {
        if (rest->data[i] == '\\') {
            i++;
        } else if (rest->data[i] == '"') {
            *rest = cw_drop(*rest, i + 1);
            return crawl_slice_of(start, i - 1);
        }
    }
    rest->size = 0;
    return (crawl_slice){0};
}

/* Reads one parameter at rest (RFC 9110, 5.6.6), up to the next delimiter. Returns the encoding that it names if it is
 * a valid `charset`; white space before its label does not matter (WHATWG MIME Sniffing, 4.4). */
static const char *charset_sniff_take_parameter(crawl_slice *rest)
{
    *rest = cw_trim(*rest);
    crawl_slice name = charset_sniff_take_token(rest);
    crawl_slice value = {0};
    bool has_value = name.size && cw_take_text(rest, "=");
    if (has_value && cw_starts_with(*rest, "\"")) {
        value = charset_sniff_take_quoted(rest);
    } else if (has_value) {
        *rest = cw_trim_start(*rest);
        value = charset_sniff_take_token(rest);
    }
    bool sound = skip_to_delimiter(rest);
    bool wanted = sound && value.size && cw_is_nocase(name, "charset");
    return wanted ? crawl_charset_name(value) : NULL;
}

/* Takes the text up to the next delimiter. */
static crawl_slice charset_sniff_take_type(crawl_slice *rest)
{
    crawl_slice text = *rest;
    skip_to_delimiter(rest);
    text.size -= rest->size;
    return cw_trim(text);
}

const char *crawl_charset_of_content_type(crawl_slice content_type)
{
    crawl_slice type = charset_sniff_take_type(&content_type);
    const char *charset = NULL;
    bool is_open = true;
    while (content_type.size) {
        bool begins_value = *content_type.data == ',';
        content_type = cw_drop(content_type, 1); /* the delimiter */
        crawl_slice rest = content_type;
        is_open = is_open || (begins_value && cw_equal_nocase(charset_sniff_take_type(&rest), type));
        const char *found = charset_sniff_take_parameter(&content_type);
        if (is_open && found) {
            charset = found;
            is_open = false;
        }
    }
    return charset;
}
