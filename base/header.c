/* See header.h. */
#include "base/header.h"

#include "base/bytes.h"

bool cw_is_token(crawl_slice text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (!cw_is_alpha(c) && !cw_is_digit(c) && (c == '\0' || !strchr("!#$%&'*+-.^_`|~", c)))
            return false;
    }
    return text.size > 0;
}

bool cw_header_split(crawl_slice line, crawl_slice *name, crawl_slice *value)
{
    const char *colon = line.size ? memchr(line.data, ':', line.size) : NULL;
    if (!colon)
        return false;
    size_t size = (size_t)(colon - line.data);
    *name = crawl_slice_of(line.data, size);
    *value = cw_trim(crawl_slice_of(colon + 1, line.size - size - 1));
    return true;
}

static bool is_one_of(crawl_slice name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (cw_equal_nocase(name, crawl_slice_from(names[i])))
            return true;
    return false;
}

/* Tab and what can be seen (RFC 9110, 5.5). */
static bool is_value(crawl_slice value)
{
    for (size_t i = 0; i < value.size; i++) {
        unsigned char c = (unsigned char)value.data[i];
        if ((c < ' ' && c != '\t') || c == 0x7f)
            return false;
    }
    return true;
}

const char *cw_header_refused(crawl_slice line)
{
    static const char *const framing[] = {"Content-Length", "Transfer-Encoding", "TE", "Trailer", "Expect"};
    static const char *const connection[] = {"Connection", "Keep-Alive", "Proxy-Connection", "Upgrade"};
    crawl_slice name, value;
    if (!cw_header_split(line, &name, &value) || !cw_is_token(name))
        return "expected a header, as \"Name: value\"";
    if (!is_value(value))
        return "a header's value cannot hold control characters";
    if (is_one_of(name, framing, sizeof framing / sizeof *framing))
        return "follows from the request's body and cannot be set";
    if (is_one_of(name, connection, sizeof connection / sizeof *connection))
        return "belongs to the connection (RFC 9110, 7.6.1) and cannot be set";
    if (cw_equal_nocase(name, crawl_slice_from("Host")))
        return "follows from the URL and cannot be set";
    if (cw_equal_nocase(name, crawl_slice_from("Proxy-Authorization")))
        return "would be shown to every host; write user and password into the proxy's URL";
    return NULL;
}

bool cw_header_is_personal(crawl_slice name)
{
    static const char *const names[] = {"Authorization", "Cookie"};
    return is_one_of(name, names, sizeof names / sizeof *names);
}

static bool holds_nocase(crawl_slice text, crawl_slice word)
{
    for (size_t i = 0; i + word.size <= text.size; i++)
        if (cw_equal_nocase(crawl_slice_of(text.data + i, word.size), word))
            return true;
    return false;
}

bool cw_header_is_secret(crawl_slice name)
{
    static const char *const words[] = {"auth",    "cookie",   "key",        "token",    "secret",
                                        "session", "password", "credential", "signature"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (holds_nocase(name, crawl_slice_from(words[i])))
            return true;
    return false;
}

crawl_slice cw_cut_line(crawl_slice *rest)
{
    const char *end = rest->size ? memchr(rest->data, '\n', rest->size) : NULL;
    size_t size = end ? (size_t)(end - rest->data) : rest->size;
    crawl_slice line = crawl_slice_of(rest->data, size);
    size += end != NULL;
    *rest = crawl_slice_of(rest->data + size, rest->size - size);
    return line;
}
