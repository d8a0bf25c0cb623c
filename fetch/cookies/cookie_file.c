/* See cookie_file.h. Each line is checked field by field; jar.c decides what an invalid one means for the file. A dot
 * before the domain and TRUE in the second field both mean that the cookie goes to hosts below the domain too; curl
 * writes both and accepts either. */
#include "fetch/cookies/cookie_file.h"

#include "base/bytes.h"
#include "base/header.h"
#include "base/writer.h"

enum { DOMAIN, WIDE, PATH, SECURE, EXPIRY, NAME, VALUE, FIELDS };

static const char http_only[] = "#HttpOnly_";

/* ---- read ---- */

/* Some programs write 1 and 0. */
static bool is_true(crawl_slice field)
{
    return cw_is_nocase(field, "TRUE") || cw_is(field, "1");
}

static bool is_flag(crawl_slice field)
{
    return is_true(field) || cw_is_nocase(field, "FALSE") || cw_is(field, "0");
}

/* Returns the whole seconds of a time. For a session cookie add-ons write -1, and Python's http.cookiejar nothing.
 * Add-ons write fractions, too. Data NULL: not a time. */
static crawl_slice cookie_file_seconds_of(crawl_slice field)
{
    if (!field.size)
        return crawl_slice_from("0");
    if (cw_take_text(&field, "-"))
        return cw_count_digits(field) == field.size && field.size ? crawl_slice_from("0") : (crawl_slice){0};
    crawl_slice seconds = cw_cut(&field, '.');
    bool is_time = seconds.size > 0 && seconds.size < 20 && cw_count_digits(seconds) == seconds.size &&
                   cw_count_digits(field) == field.size;
    return is_time ? seconds : (crawl_slice){0};
}

/* Splits the line at its tabs, stores the first FIELDS parts, and returns the number of parts. */
static size_t cut_fields(crawl_slice line, crawl_slice fields[FIELDS])
{
    size_t count = 0;
    for (bool more = true; more; count++) {
        more = cw_find_char(line, '\t') < line.size;
        crawl_slice field = cw_cut(&line, '\t');
        if (count < FIELDS)
            fields[count] = field;
    }
    return count;
}

/* Returns true if a field is so long that its cookie could not be written and read again. */
static bool is_too_long(const crawl_slice fields[FIELDS])
{
    return fields[NAME].size + fields[VALUE].size > CW_COOKIE_PAIR_MAX || fields[PATH].size > CW_COOKIE_ATTRIBUTE_MAX;
}

/* Returns why a line is not a cookie, in words; NULL: it is one. */
static const char *why_no_cookie(crawl_slice line, crawl_slice fields[FIELDS])
{
    if (line.size > CW_COOKIE_LINE_MAX)
        return "a cookie of more than 6000 bytes";
    if (memchr(line.data, '\0', line.size))
        return "a NUL: not a text file?";
    if (!cw_is_field_text(line))
        return "a control character, which no request can have";
    size_t count = cut_fields(line, fields);
    if (count != FIELDS && count != FIELDS - 1) /* the line of a cookie without a value may lack its last tab */
        return "expected domain, TRUE or FALSE, path, TRUE or FALSE, time of expiry, name, value, separated by tabs";
    if (memchr(line.data, ' ', fields[DOMAIN].size) || fields[DOMAIN].size > CW_HOST_MAX + strlen(http_only) ||
        cw_starts_nocase(fields[DOMAIN], "Set-Cookie:"))
        return "a cookie's domain is not a host name";
    if (!fields[DOMAIN].size || !fields[PATH].size || fields[PATH].data[0] != '/' || !fields[NAME].size)
        return "a cookie needs a domain, a path from / and a name";
    if (is_too_long(fields))
        return "a cookie has at most 4096 bytes of name and value, and 1024 of path";
    if (!is_flag(fields[WIDE]) || !is_flag(fields[SECURE]))
        return "the second and the fourth field must be TRUE or FALSE";
    return cookie_file_seconds_of(fields[EXPIRY]).data ? NULL
                                                       : "the fifth field must be a time: seconds since 1970, or 0";
}

/* Finds the next line that is neither empty nor a comment. False: there are no more. */
static bool cookie_file_next_line(crawl_slice *rest, crawl_slice *line, unsigned *number)
{
    while (rest->size) {
        *line = cw_cut_line(rest);
        ++*number;
        line->size -= cw_ends_with(*line, "\r");
        bool is_comment = cw_starts_with(*line, "#") && !cw_starts_with(*line, http_only);
        if (!is_comment && cw_trim(*line).size)
            return true;
    }
    return false;
}

/* 0 in the file means that the cookie stays until it is dropped, and so does a time too large for ms. */
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

static bool cookie_file_is_host(crawl_slice domain)
{
    for (size_t i = 0; i < domain.size; i++) {
        unsigned char c = (unsigned char)domain.data[i];
        if (!cw_is_alnum(c) && c < 0x80 && !strchr("-_.:", c))
            return false;
    }
    return domain.size && domain.size <= CW_HOST_MAX && domain.data[0] != '.' && domain.data[domain.size - 1] != '.';
}

/* Parses a domain such as "#HttpOnly_.example.com." or "[::1]". False: the rest is not a host. */
static bool cookie_file_take_domain(crawl_slice field, cw_cookie_entry *out)
{
    out->words.flags |= cw_take_text(&field, http_only) ? CW_COOKIE_HTTP_ONLY : 0;
    if (!cw_take_text(&field, "."))
        cw_take_text(&field, "[");
    field.size -= cw_ends_with(field, "]") || cw_ends_with(field, ".");
    if (!cookie_file_is_host(field))
        return false;
    cw_copy_lower(out->domain, field);
    out->domain_size = field.size;
    return true;
}

crawl_err cw_cookie_next(crawl_slice *rest, unsigned *number, cw_cookie_entry *out, const char **why)
{
    crawl_slice line, fields[FIELDS] = {0};
    if (!cookie_file_next_line(rest, &line, number))
        return CRAWL_DRAINED;
    *why = why_no_cookie(line, fields);
    if (*why)
        return CRAWL_EPARSE;
    out->words = (cw_cookie_words){.name = fields[NAME], .value = fields[VALUE], .path = fields[PATH]};
    if (!cookie_file_take_domain(fields[DOMAIN], out)) {
        *why = "a cookie's domain is not a host name";
        return CRAWL_EPARSE;
    }
    bool wide = is_true(fields[WIDE]) && !cw_cookie_is_address(crawl_slice_of(out->domain, out->domain_size));
    out->words.expires_ms = expiry_of(cookie_file_seconds_of(fields[EXPIRY]));
    out->words.flags |= (wide ? 0 : CW_COOKIE_HOST_ONLY) | (is_true(fields[SECURE]) ? CW_COOKIE_SECURE : 0);
    return CRAWL_OK;
}

/* ---- write ---- */

crawl_err cw_cookie_line(crawl_slice domain, const cw_cookie *cookie, crawl_buf *out)
{
    crawl_slice name = cw_cookie_name(cookie), value = cw_cookie_value(cookie), path = cw_cookie_path(cookie);
    bool wide = !(cookie->flags & CW_COOKIE_HOST_ONLY);
    int64_t seconds = cookie->expires_ms == CW_COOKIE_SESSION ? 0 : cookie->expires_ms / 1000;
    if (!name.size)
        return CRAWL_OK;
    /* Reserves room for the whole line, so that no half of it remains when memory runs out. */
    cw_writer to = {out, crawl_buf_reserve(out, domain.size + name.size + value.size + path.size + 80)};
    cw_put_text(&to, cookie->flags & CW_COOKIE_HTTP_ONLY ? http_only : "");
    cw_put_text(&to, wide ? "." : "");
    cw_put(&to, domain);
    cw_put_text(&to, wide ? "\tTRUE\t" : "\tFALSE\t");
    cw_put(&to, path);
    cw_put_format(&to, "\t%s\t%lld\t", cookie->flags & CW_COOKIE_SECURE ? "TRUE" : "FALSE", (long long)seconds);
    cw_put(&to, name);
    cw_put_char(&to, '\t');
    cw_put(&to, value);
    cw_put_char(&to, '\n');
    return to.err;
}
