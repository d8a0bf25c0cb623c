#include "parse/url/host.h"

#include "base/bytes.h"
#include "base/text/percent.h"
#include "base/utf8.h"
#include "parse/idna/idna.h"
#include "parse/url/ip.h"

enum { HOST = 1, DOMAIN = 2 };

/* Forbidden host code points, and those forbidden only in a domain. */
static const uint8_t forbidden[256] = {
    [0x00] = HOST | DOMAIN,        [0x01 ... 0x08] = DOMAIN, ['\t' ... '\n'] = HOST | DOMAIN,
    [0x0b ... 0x0c] = DOMAIN,      ['\r'] = HOST | DOMAIN,   [0x0e ... 0x1f] = DOMAIN,
    [' '] = HOST | DOMAIN,         ['#'] = HOST | DOMAIN,    ['%'] = DOMAIN,
    ['/'] = HOST | DOMAIN,         [':'] = HOST | DOMAIN,    ['<'] = HOST | DOMAIN,
    ['>' ... '@'] = HOST | DOMAIN, ['['] = HOST | DOMAIN,    ['\\' ... '^'] = HOST | DOMAIN,
    ['|'] = HOST | DOMAIN,         [0x7f] = DOMAIN,
};

static bool has_forbidden(crawl_slice text, uint8_t kind)
{
    for (size_t i = 0; i < text.size; i++)
        if (forbidden[(unsigned char)text.data[i]] & kind)
            return true;
    return false;
}

static crawl_err parse_bracketed(crawl_slice host, crawl_buf *out)
{
    uint16_t pieces[8];
    if (host.size < 2 || host.data[host.size - 1] != ']')
        return CRAWL_EPARSE;
    crawl_err err = cw_url_ipv6_parse(crawl_slice_of(host.data + 1, host.size - 2), pieces);
    if (!err)
        err = crawl_buf_reserve(out, CW_URL_IPV6_MAX_TEXT + 2);
    if (err)
        return err;
    out->data[out->size++] = '[';
    out->size += cw_url_ipv6_write(pieces, out->data + out->size);
    out->data[out->size++] = ']';
    return CRAWL_OK;
}

static crawl_err parse_opaque(crawl_slice host, crawl_buf *out)
{
    if (has_forbidden(host, HOST))
        return CRAWL_EPARSE;
    crawl_err err = crawl_buf_reserve(out, 3 * host.size);
    if (err)
        return err;
    char *end = cw_percent_write(out->data + out->size, host.data, host.data + host.size, CW_SET_C0);
    out->size = (size_t)(end - out->data);
    return CRAWL_OK;
}

crawl_err cw_url_finish_domain(crawl_buf *out, size_t start)
{
    crawl_slice domain = crawl_slice_of(out->data + start, out->size - start);
    if (!cw_url_ends_in_number(domain))
        return CRAWL_OK;
    uint32_t address;
    crawl_err err = cw_url_ipv4_parse(domain, &address);
    if (err)
        return err;
    out->size = start;
    err = crawl_buf_reserve(out, CW_URL_IPV4_MAX_TEXT);
    if (!err)
        out->size += cw_url_ipv4_write(address, out->data + start);
    return err;
}

/* Appends a domain; one that is all ASCII is only lower-cased: as in browsers, labels that begin with "xn--" are not
 * checked. */
static crawl_err append_domain(crawl_slice domain, crawl_buf *out)
{
    if (!cw_utf8_is_ascii(domain))
        return cw_idna_to_ascii(domain, out);
    return cw_append_lower(out, domain);
}

/* Decodes the escapes of a domain into scratch, which then holds the bytes, followed by those bytes repaired. */
static crawl_err decode_domain(crawl_slice host, crawl_buf *scratch, crawl_slice *decoded)
{
    crawl_buf_clear(scratch);
    crawl_err err = crawl_buf_reserve(scratch, 5 * host.size); /* one byte may become a U+FFFD of three */
    if (!err)
        err = cw_percent_decode(host, scratch);
    size_t size = scratch->size;
    if (!err)
        err = cw_utf8_repair(crawl_buf_slice(scratch), scratch);
    if (!err)
        *decoded = crawl_slice_of(scratch->data + size, scratch->size - size);
    return err;
}

static crawl_err parse_domain(crawl_slice host, crawl_buf *out, crawl_buf *scratch)
{
    size_t start = out->size;
    crawl_slice domain = host;
    crawl_err err = CRAWL_OK;
    if (memchr(host.data, '%', host.size))
        err = decode_domain(host, scratch, &domain);
    if (!err)
        err = append_domain(domain, out);
    if (err)
        return err;
    crawl_slice ascii = crawl_slice_of(out->data + start, out->size - start);
    if (ascii.size == 0 || has_forbidden(ascii, DOMAIN))
        return CRAWL_EPARSE;
    return cw_url_finish_domain(out, start);
}

crawl_err cw_url_parse_host(crawl_slice host, bool special, crawl_buf *out, crawl_buf *scratch)
{
    if (host.data[0] == '[')
        return parse_bracketed(host, out);
    return special ? parse_domain(host, out, scratch) : parse_opaque(host, out);
}
