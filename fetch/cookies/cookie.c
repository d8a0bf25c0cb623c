/* See cookie.h. First places, then the parser of a Set-Cookie field, then the rules that match a cookie with a
 * request. */
#include "fetch/cookies/cookie.h"

#include "base/bytes.h"
#include "base/header.h"
#include "base/net.h"

/* ---- places ---- */

bool cw_cookie_is_address(crawl_slice host)
{
    size_t digits = 0;
    while (digits < host.size && (cw_is_digit((unsigned char)host.data[digits]) || host.data[digits] == '.'))
        digits++;
    return host.size && (digits == host.size || cw_find_char(host, ':') < host.size);
}

static crawl_slice cookie_path_of(crawl_slice rest)
{
    rest.size = cw_find_char(rest, '#');
    rest.size = cw_find_char(rest, '?');
    return rest.size ? rest : crawl_slice_from("/");
}

static bool is_this_machine(crawl_slice host)
{
    return cw_is_nocase(host, "localhost") || cw_is_nocase(host, "127.0.0.1") || cw_is_nocase(host, "::1");
}

crawl_err cw_cookie_place_of(crawl_slice url, cw_cookie_place *out)
{
    bool https = cw_starts_nocase(url, "https://");
    if (!https && !cw_starts_nocase(url, "http://"))
        return CRAWL_EPARSE;
    const cw_authority parts = cw_authority_of(url);
    crawl_slice host = parts.host;
    out->origin = crawl_slice_of(url.data, url.size - parts.rest.size);
    out->asked_us = 0;
    if (!host.size || host.size > CW_HOST_MAX)
        return CRAWL_EPARSE;
    cw_copy_lower(out->host, host);
    out->host_size = host.size;
    out->path = cookie_path_of(parts.rest);
    out->secure = https || is_this_machine(host);
    out->is_address = cw_cookie_is_address(host);
    return CRAWL_OK;
}

/* ---- a field ---- */

/* A tab would end the field in Netscape's format. */
static bool has_tab(crawl_slice text)
{
    return cw_find_char(text, '\t') < text.size;
}

/* Splits "name=value". Without a "=" all of the pair is the value. */
static void cookie_split(crawl_slice pair, crawl_slice *name, crawl_slice *value)
{
    bool named = cw_find_char(pair, '=') < pair.size;
    *name = named ? cw_trim(cw_cut(&pair, '=')) : (crawl_slice){0};
    *value = cw_trim(pair);
}

/* Parses a Max-Age: a number of seconds, zero if negative, limited to more than any lifetime. False: not a number. */
static bool read_max_age(crawl_slice text, int64_t *seconds)
{
    bool negative = text.size && text.data[0] == '-';
    crawl_slice digits = cw_drop(text, negative);
    int64_t value = 0;
    for (size_t i = 0; i < digits.size; i++) {
        if (!cw_is_digit((unsigned char)digits.data[i]))
            return false;
        value = cw_least(value * 10 + (digits.data[i] - '0'), CW_COOKIE_LIFETIME_MAX_MS);
    }
    *seconds = negative ? 0 : value;
    return digits.size > 0;
}

/* The lifetime of a cookie, by the attributes read so far. */
typedef struct life {
    int64_t now_ms, max_age_ms, expires_ms;
    bool has_max_age, has_expires;
} life;

static void take_max_age(life *times, crawl_slice value)
{
    int64_t seconds;
    if (!read_max_age(value, &seconds))
        return;
    times->has_max_age = true;
    times->max_age_ms = seconds > 0 ? times->now_ms + cw_least(seconds * 1000, CW_COOKIE_LIFETIME_MAX_MS) : INT64_MIN;
}

static void take_expires(life *times, crawl_slice value)
{
    int64_t ms;
    if (cw_cookie_date(value, &ms))
        return;
    times->has_expires = true;
    times->expires_ms = cw_least(ms, times->now_ms + CW_COOKIE_LIFETIME_MAX_MS);
}

static int64_t expiry(const life *times)
{
    if (times->has_max_age)
        return times->max_age_ms;
    return times->has_expires ? times->expires_ms : CW_COOKIE_SESSION;
}

/* A domain longer than any host name makes the whole field invalid: no host can match it. */
static crawl_err cookie_take_domain(cw_cookie_field *field, crawl_slice value)
{
    cw_take_text(&value, ".");
    if (value.size > CW_HOST_MAX)
        return CRAWL_EPARSE;
    cw_copy_lower(field->domain, value);
    field->domain_size = value.size;
    return CRAWL_OK;
}

static crawl_err cookie_take_attribute(cw_cookie_field *field, life *times, crawl_slice attribute)
{
    crawl_slice name = cw_trim(cw_cut(&attribute, '='));
    crawl_slice value = cw_trim(attribute);
    if (value.size > CW_COOKIE_ATTRIBUTE_MAX)
        return CRAWL_OK;
    if (cw_is_nocase(name, "Domain"))
        return cookie_take_domain(field, value);
    if (cw_is_nocase(name, "Expires"))
        take_expires(times, value);
    else if (cw_is_nocase(name, "Max-Age"))
        take_max_age(times, value);
    else if (cw_is_nocase(name, "Path"))
        field->words.path = cw_starts_with(value, "/") ? value : (crawl_slice){0};
    else if (cw_is_nocase(name, "Secure"))
        field->words.flags |= CW_COOKIE_SECURE;
    else if (cw_is_nocase(name, "HttpOnly"))
        field->words.flags |= CW_COOKIE_HTTP_ONLY;
    return CRAWL_OK;
}

crawl_err cw_cookie_parse(crawl_slice text, int64_t now_ms, cw_cookie_field *out)
{
    if (!cw_is_field_text(text))
        return CRAWL_EPARSE;
    cw_cookie_words *words = &out->words;
    *words = (cw_cookie_words){0};
    out->domain_size = 0;
    out->domain[0] = '\0';
    cookie_split(cw_cut(&text, ';'), &words->name, &words->value);
    if (words->name.size + words->value.size == 0 || words->name.size + words->value.size > CW_COOKIE_PAIR_MAX ||
        has_tab(words->name) || has_tab(words->value))
        return CRAWL_EPARSE;
    life times = {.now_ms = now_ms};
    crawl_err err = CRAWL_OK;
    while (text.size && !err)
        err = cookie_take_attribute(out, &times, cw_cut(&text, ';'));
    words->expires_ms = expiry(&times);
    return err || has_tab(words->path) ? CRAWL_EPARSE : CRAWL_OK;
}

bool cw_cookie_prefix_holds(const cw_cookie_words *words)
{
    /* A server that reads "Cookie: __Host-a=b" cannot see that the cookie has no name. */
    crawl_slice seen = words->name.size ? words->name : words->value;
    bool secure = cw_starts_nocase(seen, "__Secure-"), host = cw_starts_nocase(seen, "__Host-");
    if (!secure && !host)
        return true;
    if (!words->name.size || !(words->flags & CW_COOKIE_SECURE))
        return false;
    return !host || ((words->flags & CW_COOKIE_HOST_ONLY) && cw_is_nocase(words->path, "/"));
}

/* ---- matching ---- */

bool cw_cookie_domain_match(crawl_slice host, bool is_address, crawl_slice domain)
{
    if (host.size <= domain.size || is_address)
        return crawl_slice_equal(host, domain);
    size_t before = host.size - domain.size;
    return domain.size && host.data[before - 1] == '.' && memcmp(host.data + before, domain.data, domain.size) == 0;
}

bool cw_cookie_path_match(crawl_slice path, crawl_slice cookie_path)
{
    if (path.size < cookie_path.size || memcmp(path.data, cookie_path.data, cookie_path.size) != 0)
        return false;
    return path.size == cookie_path.size || cookie_path.data[cookie_path.size - 1] == '/' ||
           path.data[cookie_path.size] == '/';
}

crawl_slice cw_cookie_default_path(crawl_slice path)
{
    size_t size = path.size;
    while (size && path.data[size - 1] != '/')
        size--;
    return size <= 1 || path.data[0] != '/' ? crawl_slice_from("/") : crawl_slice_of(path.data, size - 1);
}
