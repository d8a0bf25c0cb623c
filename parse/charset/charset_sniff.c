/* The encoding of a page (HTML standard, 13.2.3.2 "determining the character encoding") and of a Content-Type value. */
#include "base/utf8.h"
#include "parse/charset/charset_prescan.h"

#include "base/bytes.h"

#include <crawl/links.h>

/* Encoding Standard, 6 "BOM sniff". */
static const char *by_mark(crawl_slice html)
{
    if (cw_starts_with(html, "\xef\xbb\xbf"))
        return "utf-8";
    if (cw_starts_with(html, "\xfe\xff"))
        return "utf-16be";
    return cw_starts_with(html, "\xff\xfe") ? "utf-16le" : NULL;
}

const char *crawl_charset_sniff(crawl_slice html, const char *transport)
{
    const char *charset = by_mark(html);
    if (!charset && transport)
        charset = crawl_charset_name(crawl_slice_from(transport));
    if (!charset)
        charset = cw_charset_prescan(html);
    if (!charset)
        charset = cw_utf8_plausible(html) ? "utf-8" : "windows-1252";
    return charset;
}

/* RFC 9110, 5.6.2. */
static bool is_token_byte(unsigned char c)
{
    return c > ' ' && c < 0x7f && !strchr("\"(),/:;<=>?@[\\]{}", c);
}

static crawl_slice take_token(crawl_slice *rest)
{
    size_t size = 0;
    while (size < rest->size && is_token_byte((unsigned char)rest->data[size]))
        size++;
    return cw_take(rest, size);
}

/* To the next ";" or "," outside quotes, which stays. True if only white space was skipped. */
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

/* The inside of the quoted string at rest, which is stepped over; data NULL: it does not end. No label of an encoding
 * needs an escape, so none is undone. */
static crawl_slice take_quoted(crawl_slice *rest)
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

/* One parameter at rest (RFC 9110, 5.6.6), up to the next delimiter; the encoding it names if it is a sound
 * `charset`. */
static const char *take_parameter(crawl_slice *rest)
{
    *rest = cw_trim(*rest);
    crawl_slice name = take_token(rest);
    crawl_slice value = {0};
    if (name.size && cw_take_text(rest, "="))
        value = cw_starts_with(*rest, "\"") ? take_quoted(rest) : take_token(rest);
    bool sound = skip_to_delimiter(rest);
    bool wanted = sound && value.size && cw_is_nocase(name, "charset");
    return wanted ? crawl_charset_name(value) : NULL;
}

const char *crawl_charset_of_content_type(crawl_slice content_type)
{
    skip_to_delimiter(&content_type);
    const char *charset = NULL;
    while (!charset && content_type.size) {
        content_type = cw_drop(content_type, 1); /* the delimiter */
        charset = take_parameter(&content_type);
    }
    return charset;
}
