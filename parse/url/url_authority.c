/* The authority of the URL parser: credentials, host and port. One scan finds its end and what it contains, so that a
 * plain domain is copied unchanged. See url_parser.h. */
#include "parse/url/url_parser.h"

#include "base/bytes.h"
#include "base/text/percent.h"
#include "parse/url/host.h"

enum {
    ENDS = 1 << 0,      /* / ? # */
    BACKSLASH = 1 << 1, /* ends it in special schemes */
    AT = 1 << 2,
    COLON = 1 << 3,
    BRACKET = 1 << 4,
    CARE = 1 << 5, /* not in a domain that is copied unchanged */
    ANY = 0xff
};

static const uint8_t classes[256] = {
    [0x00 ... ' '] = CARE,  ['#'] = ENDS,         ['%'] = CARE,           ['/'] = ENDS,
    [':'] = COLON,          ['<'] = CARE,         ['>'] = CARE,           ['?'] = ENDS,
    ['@'] = AT | CARE,      ['A' ... 'Z'] = CARE, ['['] = BRACKET | CARE, ['\\'] = BACKSLASH | CARE,
    [']'] = BRACKET | CARE, ['^'] = CARE,         ['|'] = CARE,           [0x7f ... 0xff] = CARE,
};

/* Returns the end of the authority, and in *seen the classes of all its bytes. */
static const char *find_end(const cw_url_parser *parser, unsigned *seen)
{
    unsigned stop = cw_url_is_special(parser) ? ENDS | BACKSLASH : ENDS;
    *seen = 0;
    for (const char *at = parser->at;; at++) {
        at = cw_find_class(classes, ANY, at, parser->end);
        if (at == parser->end || (classes[(unsigned char)*at] & stop))
            return at;
        *seen |= classes[(unsigned char)*at];
    }
}

static cw_url_span put_credential(cw_url_parser *parser, const char *from, const char *end)
{
    uint32_t start = cw_url_position(parser);
    if (cw_url_room(parser, 3 * (size_t)(end - from))) {
        char *to = cw_percent_write(parser->out->data + start, from, end, CW_SET_USERINFO);
        parser->out->size = (size_t)(to - parser->out->data);
    }
    return cw_url_span_from(parser, start);
}

/* Reads the text before the last "@": a name, and after the first ":" a password. Writes nothing if both are empty. */
static void take_credentials(cw_url_parser *parser, const char *from, const char *end)
{
    const char *colon = memchr(from, ':', (size_t)(end - from));
    const char *name_end = colon ? colon : end;
    bool has_password = colon && colon + 1 < end;
    if (name_end == from && !has_password)
        return;
    parser->parts.username = put_credential(parser, from, name_end);
    if (has_password) {
        cw_url_put_char(parser, ':');
        parser->parts.password = put_credential(parser, colon + 1, end);
    }
    cw_url_put_char(parser, '@');
}

/* Returns the colon before the port, which is the first outside brackets; end: there is none. */
static const char *url_authority_find_port(const char *host, const char *end)
{
    bool inside = false;
    for (; host < end; host++) {
        if (*host == ':' && !inside)
            return host;
        inside = *host == '[' || (inside && *host != ']');
    }
    return end;
}

/* digits..end is the text after the colon: nothing, or a number up to 65535. */
static bool take_port(cw_url_parser *parser, const char *digits, const char *end)
{
    if (digits == end)
        return true;
    int32_t port = cw_port_of(crawl_slice_of(digits, (size_t)(end - digits)));
    if (port < 0)
        return false;
    if (port == cw_url_default_port(parser->parts.special))
        return true;
    char text[5];
    size_t at = sizeof text;
    for (int32_t rest = port; at == sizeof text || rest; rest /= 10)
        text[--at] = (char)('0' + rest % 10);
    cw_url_put_char(parser, ':');
    uint32_t start = cw_url_position(parser);
    cw_url_put(parser, text + at, sizeof text - at);
    parser->parts.port = cw_url_span_from(parser, start);
    parser->parts.port_number = port;
    return true;
}

/* A plain domain has nothing to map, decode or refuse. */
static crawl_err url_authority_put_host(cw_url_parser *parser, const char *host, const char *end, bool plain)
{
    crawl_slice text = crawl_slice_of(host, (size_t)(end - host));
    if (text.size == 0)
        return CRAWL_OK;
    if (!plain)
        return cw_url_parse_host(text, cw_url_is_special(parser), parser->out, &parser->url->scratch);
    uint32_t start = cw_url_position(parser);
    cw_url_put(parser, host, text.size);
    return parser->err ? parser->err : cw_url_finish_domain(parser->out, start);
}

static bool url_authority_take_host(cw_url_parser *parser, const char *host, const char *end, bool plain)
{
    uint32_t start = cw_url_position(parser);
    crawl_err err = url_authority_put_host(parser, host, end, plain);
    parser->err = err == CRAWL_ENOMEM ? err : parser->err;
    parser->parts.host = cw_url_span_from(parser, start);
    parser->parts.has_host = true;
    return !err;
}

bool cw_url_take_host(cw_url_parser *parser, const char *host, const char *end)
{
    return url_authority_take_host(parser, host, end, false);
}

static bool take_host_and_port(cw_url_parser *parser, const char *host, const char *end, unsigned seen)
{
    const char *host_end = seen & (COLON | BRACKET) ? url_authority_find_port(host, end) : end;
    if (host == host_end && (cw_url_is_special(parser) || host_end < end))
        return false;
    bool plain = !(seen & CARE) && cw_url_is_special(parser);
    if (!url_authority_take_host(parser, host, host_end, plain))
        return false;
    return host_end == end || take_port(parser, host_end + 1, end);
}

cw_url_state cw_url_in_authority(cw_url_parser *parser)
{
    unsigned seen;
    const char *end = find_end(parser, &seen);
    const char *host = parser->at;
    cw_url_put(parser, "//", 2);
    const char *at_sign = seen & AT ? memrchr(host, '@', (size_t)(end - host)) : NULL;
    if (at_sign) {
        if (at_sign + 1 == end)
            return CW_URL_FAILED;
        take_credentials(parser, host, at_sign);
        host = at_sign + 1;
    }
    if (!take_host_and_port(parser, host, end, seen))
        return CW_URL_FAILED;
    parser->parts.authority_end = cw_url_position(parser);
    parser->at = end;
    return CW_URL_PATH_START;
}
