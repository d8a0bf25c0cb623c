/* See cookie_file.h. What is read is checked field by field, and the first line that is none ends it: a user's file
 * with a mistake is not to be half a login. A dot before the domain and TRUE mean the same, that the cookie is for
 * hosts below it too; curl writes both and reads either. */
#include "fetch/cookies/cookie_file.h"

#include "base/bytes.h"
#include "base/header.h"

enum { DOMAIN, WIDE, PATH, SECURE, EXPIRY, NAME, VALUE, FIELDS };

static const char http_only[] = "#HttpOnly_";

/* ---- read ---- */

static bool is_word(crawl_slice field, const char *word)
{
    return cw_equal_nocase(field, crawl_slice_from(word));
}

static bool is_flag(crawl_slice field)
{
    return is_word(field, "TRUE") || is_word(field, "FALSE");
}

static bool is_time(crawl_slice field)
{
    for (size_t i = 0; i < field.size; i++)
        if (!cw_is_digit((unsigned char)field.data[i]))
            return false;
    return field.size > 0 && field.size < 20;
}

/* Cuts the line at its tabs; how many fields, of which the first FIELDS are kept. */
static size_t cut_fields(crawl_slice line, crawl_slice fields[FIELDS])
{
    size_t count = 0;
    for (bool more = true; more; count++) {
        const char *tab = line.size ? memchr(line.data, '\t', line.size) : NULL;
        size_t size = tab ? (size_t)(tab - line.data) : line.size;
        if (count < FIELDS)
            fields[count] = crawl_slice_of(line.data, size);
        more = tab != NULL;
        line = crawl_slice_of(line.data + size + more, line.size - size - more);
    }
    return count;
}

static bool has_control(crawl_slice line)
{
    for (size_t i = 0; i < line.size; i++) {
        unsigned char c = (unsigned char)line.data[i];
        if ((c < ' ' && c != '\t') || c == 0x7f)
            return true;
    }
    return false;
}

/* What is kept is written in lines that can be read again. */
static bool is_too_long(const crawl_slice fields[FIELDS])
{
    return fields[NAME].size + fields[VALUE].size > CW_COOKIE_PAIR_MAX || fields[PATH].size > CW_COOKIE_ATTRIBUTE_MAX;
}

/* NULL: it is one. */
static const char *why_no_cookie(crawl_slice line, crawl_slice fields[FIELDS])
{
    if (line.size > CW_COOKIE_LINE_MAX)
        return "a cookie of more than 6000 bytes";
    if (memchr(line.data, '\0', line.size))
        return "a NUL: not a text file?";
    if (has_control(line))
        return "a control character, which no request can have";
    size_t count = cut_fields(line, fields);
    if (count != FIELDS && count != FIELDS - 1) /* without a value */
        return "expected domain, TRUE or FALSE, path, TRUE or FALSE, time of expiry, name, value, apart by tabs";
    if (memchr(line.data, ' ', fields[DOMAIN].size) || fields[DOMAIN].size > CW_HOST_MAX + strlen(http_only) ||
        is_word(crawl_slice_of(line.data, fields[DOMAIN].size < 11 ? fields[DOMAIN].size : 11), "Set-Cookie:"))
        return "a cookie's domain is no name of a host";
    if (!fields[DOMAIN].size || !fields[PATH].size || fields[PATH].data[0] != '/' || !fields[NAME].size)
        return "a cookie needs a domain, a path from / and a name";
    if (is_too_long(fields))
        return "a cookie has 4096 bytes of name and value at most, and 1024 of its path";
    if (!is_flag(fields[WIDE]) || !is_flag(fields[SECURE]))
        return "the second and the fourth field must be TRUE or FALSE";
    return is_time(fields[EXPIRY]) ? NULL : "the fifth field must be a time: seconds since 1970, or 0";
}

/* The next line that should be a cookie; false: there is none. */
static bool next_line(crawl_slice *rest, crawl_slice *line, unsigned *number)
{
    while (rest->size) {
        *line = cw_cut_line(rest);
        ++*number;
        if (line->size && line->data[line->size - 1] == '\r')
            line->size--;
        bool is_comment = cw_starts_with(*line, "#") && !cw_starts_with(*line, http_only);
        if (!is_comment && cw_trim(*line).size)
            return true;
    }
    return false;
}

/* 0: until it is dropped. What is beyond all times, too. */
static int64_t expiry_of(crawl_slice field)
{
    int64_t seconds = 0;
    for (size_t i = 0; i < field.size; i++) {
        if (seconds > CW_COOKIE_SESSION / 10000)
            return CW_COOKIE_SESSION;
        seconds = seconds * 10 + (field.data[i] - '0');
    }
    return !seconds || seconds > CW_COOKIE_SESSION / 1000 ? CW_COOKIE_SESSION : seconds * 1000;
}

static bool is_host(crawl_slice domain)
{
    for (size_t i = 0; i < domain.size; i++) {
        unsigned char c = (unsigned char)domain.data[i];
        if (!cw_is_alpha(c) && !cw_is_digit(c) && c < 0x80 && !strchr("-_.:", c))
            return false;
    }
    return domain.size && domain.size <= CW_HOST_MAX && domain.data[0] != '.' && domain.data[domain.size - 1] != '.';
}

/* "#HttpOnly_.example.com.", "[::1]". False: what is left of it is no host. */
static bool take_domain(crawl_slice field, cw_cookie_entry *out)
{
    size_t skip = cw_starts_with(field, http_only) ? strlen(http_only) : 0;
    out->words.flags |= skip ? CW_COOKIE_HTTP_ONLY : 0;
    skip += skip < field.size && (field.data[skip] == '.' || field.data[skip] == '[');
    crawl_slice domain = crawl_slice_of(field.data + skip, field.size - skip);
    domain.size -= domain.size && (domain.data[domain.size - 1] == ']' || domain.data[domain.size - 1] == '.');
    if (!is_host(domain))
        return false;
    for (size_t i = 0; i < domain.size; i++)
        out->domain[i] = (char)cw_lower((unsigned char)domain.data[i]);
    out->domain[domain.size] = '\0';
    out->domain_size = domain.size;
    return true;
}

crawl_err cw_cookie_next(crawl_slice *rest, unsigned *number, cw_cookie_entry *out, const char **why)
{
    crawl_slice line, fields[FIELDS] = {0};
    if (!next_line(rest, &line, number))
        return CRAWL_DRAINED;
    *why = why_no_cookie(line, fields);
    if (*why)
        return CRAWL_EPARSE;
    out->words = (cw_cookie_words){.name = fields[NAME], .value = fields[VALUE], .path = fields[PATH]};
    if (!take_domain(fields[DOMAIN], out)) {
        *why = "a cookie's domain is no name of a host";
        return CRAWL_EPARSE;
    }
    bool wide = is_word(fields[WIDE], "TRUE") && !cw_cookie_is_address(crawl_slice_of(out->domain, out->domain_size));
    out->words.expires_ms = expiry_of(fields[EXPIRY]);
    out->words.flags |= (wide ? 0 : CW_COOKIE_HOST_ONLY) | (is_word(fields[SECURE], "TRUE") ? CW_COOKIE_SECURE : 0);
    return CRAWL_OK;
}

/* ---- write ---- */

static void append(crawl_buf *out, crawl_slice text)
{
    crawl_buf_append(out, text.data, text.size);
}

crawl_err cw_cookie_line(crawl_slice domain, const cw_cookie *cookie, crawl_buf *out)
{
    crawl_slice name = cw_cookie_name(cookie), value = cw_cookie_value(cookie), path = cw_cookie_path(cookie);
    bool wide = !(cookie->flags & CW_COOKIE_HOST_ONLY);
    int64_t seconds = cookie->expires_ms == CW_COOKIE_SESSION ? 0 : cookie->expires_ms / 1000;
    if (!name.size)
        return CRAWL_OK;
    /* All fits into what is reserved here. */
    crawl_err err = crawl_buf_reserve(out, domain.size + name.size + value.size + path.size + 80);
    if (err)
        return err;
    crawl_buf_append_text(out, cookie->flags & CW_COOKIE_HTTP_ONLY ? http_only : "");
    crawl_buf_append_text(out, wide ? "." : "");
    append(out, domain);
    crawl_buf_append_text(out, wide ? "\tTRUE\t" : "\tFALSE\t");
    append(out, path);
    crawl_buf_printf(out, "\t%s\t%lld\t", cookie->flags & CW_COOKIE_SECURE ? "TRUE" : "FALSE", (long long)seconds);
    append(out, name);
    crawl_buf_append_char(out, '\t');
    append(out, value);
    crawl_buf_append_char(out, '\n');
    return CRAWL_OK;
}
