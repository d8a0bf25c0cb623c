#include "tools/audit/practices/practice.h"

#include "base/bytes.h"
#include "base/json/json_read.h"
#include "base/net.h"
#include "base/text/date_scan.h"

#include <arpa/inet.h>
#include <stdlib.h>

enum { DAY_S = 86400, EARLY_S = 300 /* tolerance for clocks */, BYTE_BITS = 8 };

typedef struct practice_address {
    int family;
    unsigned bits; /* of a prefix: significant bits */
    unsigned char bytes[sizeof(struct in6_addr)];
} practice_address;

static unsigned bits_of(int family)
{
    return BYTE_BITS * (family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr));
}

static bool read_ip(crawl_slice text, int family, practice_address *out)
{
    *out = (practice_address){.family = family, .bits = bits_of(family)};
    return cw_address_read(family, text, out->bytes);
}

/* Reads "192.0.2.0/24". */
static bool read_prefix(const char *text, int family, practice_address *out)
{
    crawl_slice digits = crawl_slice_from(text);
    crawl_slice address = cw_cut(&digits, '/');
    if (!digits.size || cw_count_digits(digits) != digits.size || !read_ip(address, family, out))
        return false;
    unsigned long bits = strtoul(digits.data, NULL, 10); /* the text ends after them */
    if (bits > out->bits)
        return false;
    out->bits = (unsigned)bits;
    return true;
}

static bool prefix_has(const practice_address *prefix, const practice_address *address)
{
    unsigned whole = prefix->bits / BYTE_BITS;
    unsigned rest = prefix->bits % BYTE_BITS;
    if (prefix->family != address->family || memcmp(prefix->bytes, address->bytes, whole) != 0)
        return false;
    return !rest || !((prefix->bytes[whole] ^ address->bytes[whole]) >> (BYTE_BITS - rest));
}

/* Returns the prefix of an entry as text. NULL: it has none, both, or an invalid one, and is ignored. */
static const char *entry_prefix(const json_t *entry, practice_address *out)
{
    const json_t *v4 = json_object_get(entry, "ipv4Prefix");
    const json_t *v6 = json_object_get(entry, "ipv6Prefix");
    const char *text = json_string_value(v4 ? v4 : v6);
    if (!v4 == !v6 || !text)
        return NULL;
    return read_prefix(text, v4 ? AF_INET : AF_INET6, out) ? text : NULL;
}

static void check_address(const json_t *prefixes, const char *text, const practice_address *address,
                          cw_practice_findings *findings)
{
    const char *found = NULL;
    unsigned most = 0;
    for (size_t i = 0; i < json_array_size(prefixes); i++) {
        practice_address prefix;
        const char *one = entry_prefix(json_array_get(prefixes, i), &prefix);
        if (one && prefix_has(&prefix, address) && (!found || prefix.bits > most)) {
            found = one;
            most = prefix.bits;
        }
    }
    if (found)
        cw_practice_tell(findings, CW_PRACTICE_ADDRESS, "%s is in %s", text, found);
    else
        cw_practice_break(findings, CW_PRACTICE_ADDRESS, 0, "--ranges: %s is in no prefix", text);
}

static void check_date(const json_t *list, int64_t now_s, cw_practice_findings *findings)
{
    const char *text = json_string_value(json_object_get(list, "creationTime"));
    cw_date_parts parts;
    if (!text || !cw_ends_with(crawl_slice_from(text), "Z") ||
        !cw_date_scan(crawl_slice_from(text), "%Y-%m-%dT%H:%M:%S%f%z", &parts)) {
        cw_practice_break(findings, CW_PRACTICE_RANGES, 0,
                          "--ranges: creationTime is missing, or not a time like 2026-11-29T00:00:00Z");
        return;
    }
    int64_t age_s = now_s - cw_date_seconds(&parts);
    if (age_s > DAY_S)
        cw_practice_break(findings, CW_PRACTICE_RANGES, 0, "--ranges: it was made %.1f hours ago: renew it every day",
                          (double)age_s / 3600);
    else if (age_s < -EARLY_S)
        cw_practice_break(findings, CW_PRACTICE_RANGES, 0, "--ranges: its creationTime %s is in the future", text);
}

static void check_prefixes(const json_t *prefixes, cw_practice_findings *findings)
{
    size_t count = json_array_size(prefixes);
    size_t good = 0;
    practice_address prefix;
    for (size_t i = 0; i < count; i++)
        good += entry_prefix(json_array_get(prefixes, i), &prefix) != NULL;
    if (!json_is_array(prefixes))
        cw_practice_break(findings, CW_PRACTICE_RANGES, 0, "--ranges: it has no list \"prefixes\"");
    else if (good < count)
        cw_practice_break(findings, CW_PRACTICE_RANGES, 0,
                          "--ranges: %zu of %zu prefixes are ignored: each needs one of ipv4Prefix and ipv6Prefix, "
                          "as 192.0.2.0/24",
                          count - good, count);
    else if (!count)
        cw_practice_break(findings, CW_PRACTICE_RANGES, 0, "--ranges: it has no prefix");
    else
        cw_practice_tell(findings, CW_PRACTICE_RANGES,
                         "%zu prefixes; see that it is reachable, and linked with rel=\"client-ranges\"", count);
}

crawl_err cw_practice_ranges_check(crawl_slice text, const char *address, int64_t now_s, cw_practice_findings *findings)
{
    practice_address own;
    json_error_t why;
    if (address && !read_ip(crawl_slice_from(address), AF_INET, &own) &&
        !read_ip(crawl_slice_from(address), AF_INET6, &own))
        return CRAWL_EINVAL;
    json_t *list = cw_json_read(text, &why);
    const json_t *prefixes = json_object_get(list, "prefixes");
    if (json_is_object(list)) {
        check_prefixes(prefixes, findings);
        check_date(list, now_s, findings);
        if (address)
            check_address(prefixes, address, &own, findings);
    } else {
        cw_practice_break(findings, CW_PRACTICE_RANGES, 0, "--ranges: not a JSON object");
    }
    json_decref(list);
    return CRAWL_OK;
}
