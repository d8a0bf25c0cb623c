#include "base/header.h"

bool cw_is_token(crawl_slice text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (!cw_is_alnum(c) && (c == '\0' || !strchr("!#$%&'*+-.^_`|~", c)))
            return false;
    }
    return text.size > 0;
}

bool cw_header_split(crawl_slice line, crawl_slice *name, crawl_slice *value)
{
    size_t size = cw_find_char(line, ':');
    if (size == line.size)
        return false;
    *name = crawl_slice_of(line.data, size);
    *value = cw_trim(cw_drop(line, size + 1));
    return true;
}

/* The loop has no early exit, so that the compiler can check many bytes at once. */
bool cw_is_field_text(crawl_slice text)
{
    unsigned char control = 0;
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        control |= (c < ' ' && c != '\t') || c == 0x7f;
    }
    return !control;
}

const char *cw_header_refused(crawl_slice line)
{
    static const char *const framing[] = {"Content-Length", "Transfer-Encoding", "TE", "Trailer", "Expect"};
    static const char *const connection[] = {"Connection", "Keep-Alive", "Proxy-Connection", "Upgrade"};
    crawl_slice name, value;
    if (!cw_header_split(line, &name, &value) || !cw_is_token(name))
        return "expected a header, as \"Name: value\"";
    if (!cw_is_field_text(value))
        return "a header's value cannot hold control characters";
    if (cw_is_among(name, framing, sizeof framing / sizeof *framing))
        return "follows from the request's body and cannot be set";
    if (cw_is_among(name, connection, sizeof connection / sizeof *connection))
        return "belongs to the connection (RFC 9110, 7.6.1) and cannot be set";
    if (cw_is_nocase(name, "Host"))
        return "follows from the URL and cannot be set";
    if (cw_is_nocase(name, "Proxy-Authorization"))
        return "would be shown to every host; write user and password into the proxy's URL";
    return NULL;
}

static bool header_is_language(crawl_slice line)
{
    return cw_starts_nocase(line, "accept-language:");
}

crawl_err cw_header_append_of_page(crawl_slice lines, const char *ours, crawl_buf *out)
{
    bool is_ours = false;
    crawl_err err = CRAWL_OK;
    for (crawl_slice rest = crawl_slice_from(ours); rest.size;)
        is_ours = header_is_language(cw_cut_line(&rest)) || is_ours;
    while (lines.size && !err) {
        crawl_slice line = cw_cut_line(&lines);
        if (!is_ours || !header_is_language(line))
            err = crawl_buf_printf(out, "%.*s\n", (int)line.size, line.data);
    }
    return err;
}

bool cw_header_is_personal(crawl_slice name)
{
    static const char *const names[] = {"Authorization", "Cookie"};
    return cw_is_among(name, names, sizeof names / sizeof *names);
}

static bool holds_nocase(crawl_slice text, const char *word)
{
    for (; text.size; text = cw_drop(text, 1))
        if (cw_starts_nocase(text, word))
            return true;
    return false;
}

bool cw_header_is_secret(crawl_slice name)
{
    static const char *const words[] = {"auth",    "cookie",   "key",        "token",    "secret",
                                        "session", "password", "credential", "signature"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (holds_nocase(name, words[i]))
            return true;
    return false;
}
