/* The words of a Set-Cookie field and the rules of matching. See cookie.h. */
#include "fetch/cookies/cookie.h"

#include "base/bytes.h"

static crawl_slice first(crawl_slice text, size_t size)
{
    return crawl_slice_of(text.data, size);
}

static crawl_slice after(crawl_slice text, size_t size)
{
    return size ? crawl_slice_of(text.data + size, text.size - size) : text;
}

static size_t find(crawl_slice text, char c)
{
    const char *at = text.size ? memchr(text.data, c, text.size) : NULL;
    return at ? (size_t)(at - text.data) : text.size;
}

/* Words come as they are written here, but for a few servers: of most texts no letter has to be made a small one. */
static inline bool equals(crawl_slice text, const char *word)
{
    size_t size = strlen(word);
    return text.size == size &&
           (memcmp(text.data, word, size) == 0 || cw_equal_nocase(text, crawl_slice_of(word, size)));
}

static inline bool begins(crawl_slice text, const char *prefix)
{
    size_t size = strlen(prefix);
    return text.size >= size && equals(first(text, size), prefix);
}

/* ---- places ---- */

bool cw_cookie_is_address(crawl_slice host)
{
    size_t digits = 0;
    while (digits < host.size && (cw_is_digit((unsigned char)host.data[digits]) || host.data[digits] == '.'))
        digits++;
    return host.size && (digits == host.size || find(host, ':') < host.size);
}

/* The host of "user@host:port", "[address]:port" and the like. */
static crawl_slice host_of(crawl_slice authority)
{
    for (size_t at; (at = find(authority, '@')) < authority.size;)
        authority = after(authority, at + 1);
    if (authority.size && authority.data[0] == '[')
        return first(after(authority, 1), find(after(authority, 1), ']'));
    crawl_slice host = first(authority, find(authority, ':'));
    return host.size > 1 && host.data[host.size - 1] == '.' ? first(host, host.size - 1) : host;
}

static size_t authority_end(crawl_slice rest)
{
    size_t end = 0;
    while (end < rest.size && rest.data[end] != '/' && rest.data[end] != '?' && rest.data[end] != '#')
        end++;
    return end;
}

static crawl_slice path_of(crawl_slice rest)
{
    crawl_slice path = first(rest, find(rest, '#'));
    path = first(path, find(path, '?'));
    return path.size ? path : crawl_slice_from("/");
}

static size_t copy_lower(char *to, crawl_slice from)
{
    for (size_t i = 0; i < from.size; i++)
        to[i] = (char)cw_lower((unsigned char)from.data[i]);
    to[from.size] = '\0';
    return from.size;
}

static bool is_this_machine(crawl_slice host)
{
    return equals(host, "localhost") || equals(host, "127.0.0.1") || equals(host, "::1");
}

crawl_err cw_cookie_place_of(crawl_slice url, cw_cookie_place *out)
{
    bool https = begins(url, "https://");
    if (!https && !begins(url, "http://"))
        return CRAWL_EPARSE;
    crawl_slice rest = after(url, strlen("http://") + https);
    size_t end = authority_end(rest);
    crawl_slice host = host_of(first(rest, end));
    if (!host.size || host.size > CW_HOST_MAX)
        return CRAWL_EPARSE;
    out->host_size = copy_lower(out->host, host);
    out->path = path_of(after(rest, end));
    out->secure = https || is_this_machine(host);
    out->is_address = cw_cookie_is_address(host);
    return CRAWL_OK;
}

/* ---- a field ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static crawl_slice trim(crawl_slice text)
{
    while (text.size && is_blank(text.data[0]))
        text = after(text, 1);
    while (text.size && is_blank(text.data[text.size - 1]))
        text.size--;
    return text;
}

/* Without a way out of the loop, so that the compiler looks at many bytes at once. */
static bool has_control(crawl_slice text)
{
    unsigned char found = 0;
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        found |= (c < ' ' && c != '\t') || c == 0x7f;
    }
    return found;
}

/* A tab would end the field in Netscape's format. */
static bool has_tab(crawl_slice text)
{
    return find(text, '\t') < text.size;
}

/* "name=value" apart; without "=" all of it is the value. */
static void split(crawl_slice pair, crawl_slice *name, crawl_slice *value)
{
    size_t equal = find(pair, '=');
    bool named = equal < pair.size;
    *name = named ? trim(first(pair, equal)) : (crawl_slice){0};
    *value = trim(named ? after(pair, equal + 1) : pair);
}

static int64_t at_most(int64_t value, int64_t most)
{
    return value < most ? value : most;
}

/* Max-Age: a number of seconds, maybe negative; none and too large a one are told apart by what it does. */
static bool read_max_age(crawl_slice text, int64_t *seconds)
{
    bool negative = text.size && text.data[0] == '-';
    crawl_slice digits = after(text, negative);
    int64_t value = 0;
    for (size_t i = 0; i < digits.size; i++) {
        if (!cw_is_digit((unsigned char)digits.data[i]))
            return false;
        value = at_most(value * 10 + (digits.data[i] - '0'), CW_COOKIE_LIFETIME_MAX_MS);
    }
    *seconds = negative ? 0 : value;
    return digits.size > 0;
}

/* What attributes have said of the time so far. */
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
    times->max_age_ms = seconds > 0 ? times->now_ms + at_most(seconds * 1000, CW_COOKIE_LIFETIME_MAX_MS) : INT64_MIN;
}

static void take_expires(life *times, crawl_slice value)
{
    int64_t ms;
    if (cw_cookie_date(value, &ms))
        return;
    times->has_expires = true;
    times->expires_ms = at_most(ms, times->now_ms + CW_COOKIE_LIFETIME_MAX_MS);
}

static int64_t expiry(const life *times)
{
    if (times->has_max_age)
        return times->max_age_ms;
    return times->has_expires ? times->expires_ms : CW_COOKIE_SESSION;
}

/* Too long a domain is one that no host has. */
static crawl_err take_domain(cw_cookie_field *field, crawl_slice value)
{
    if (value.size && value.data[0] == '.')
        value = after(value, 1);
    if (value.size > CW_HOST_MAX)
        return CRAWL_EPARSE;
    field->domain_size = copy_lower(field->domain, value);
    return CRAWL_OK;
}

static crawl_err take_attribute(cw_cookie_field *field, life *times, crawl_slice attribute)
{
    size_t equal = find(attribute, '=');
    crawl_slice name = trim(first(attribute, equal));
    crawl_slice value = equal < attribute.size ? trim(after(attribute, equal + 1)) : (crawl_slice){0};
    if (value.size > CW_COOKIE_ATTRIBUTE_MAX)
        return CRAWL_OK;
    if (equals(name, "Domain"))
        return take_domain(field, value);
    if (equals(name, "Expires"))
        take_expires(times, value);
    else if (equals(name, "Max-Age"))
        take_max_age(times, value);
    else if (equals(name, "Path"))
        field->words.path = value.size && value.data[0] == '/' ? value : (crawl_slice){0};
    else if (equals(name, "Secure"))
        field->words.flags |= CW_COOKIE_SECURE;
    else if (equals(name, "HttpOnly"))
        field->words.flags |= CW_COOKIE_HTTP_ONLY;
    return CRAWL_OK;
}

crawl_err cw_cookie_parse(crawl_slice text, int64_t now_ms, cw_cookie_field *out)
{
    if (has_control(text))
        return CRAWL_EPARSE;
    cw_cookie_words *words = &out->words;
    *words = (cw_cookie_words){0};
    out->domain_size = 0;
    out->domain[0] = '\0';
    size_t end = find(text, ';');
    split(first(text, end), &words->name, &words->value);
    if (words->name.size + words->value.size == 0 || words->name.size + words->value.size > CW_COOKIE_PAIR_MAX ||
        has_tab(words->name) || has_tab(words->value))
        return CRAWL_EPARSE;
    life times = {.now_ms = now_ms};
    crawl_err err = CRAWL_OK;
    while (end < text.size && !err) {
        text = after(text, end + 1);
        end = find(text, ';');
        err = take_attribute(out, &times, first(text, end));
    }
    words->expires_ms = expiry(&times);
    return err || has_tab(words->path) ? CRAWL_EPARSE : CRAWL_OK;
}

bool cw_cookie_prefix_holds(const cw_cookie_words *words)
{
    /* A server that reads "Cookie: __Host-a=b" cannot see that the cookie has no name. */
    crawl_slice seen = words->name.size ? words->name : words->value;
    bool secure = begins(seen, "__Secure-"), host = begins(seen, "__Host-");
    if (!secure && !host)
        return true;
    if (!words->name.size || !(words->flags & CW_COOKIE_SECURE))
        return false;
    return !host || ((words->flags & CW_COOKIE_HOST_ONLY) && equals(words->path, "/"));
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
    return size <= 1 || path.data[0] != '/' ? crawl_slice_from("/") : first(path, size - 1);
}
