/* The inside of canonicalization: the profiles beside the default one, the query of a canonical URL, parameters that
 * are left out, and URLs as web archives take them. Errors leave what was appended to the caller. */
#pragma once

#include <crawl/url.h>

/* --- the profiles beside the default one: of any text, which need be no URL --- */

crawl_err cw_canonical_w3lib(crawl_slice text, const crawl_canonical_options *options, crawl_buf *out);
crawl_err cw_canonical_surt(crawl_slice text, crawl_buf *out);

/* --- canonical_query.c: the query, its pairs escaped in one way and sorted --- */

typedef struct cw_canonical_rules {
    const crawl_drop_params *drop; /* NULL: none */
    bool drop_blank;               /* pairs without a value */
    bool unsorted;                 /* to show the steps one by one */
} cw_canonical_rules;

/* Appends "?" and the canonical form of query, or nothing where no pair is left. CRAWL_ENOMEM: out is as it was. */
crawl_err cw_canonical_query(crawl_slice query, const cw_canonical_rules *rules, crawl_buf *out);

/* --- drop_params.c: query parameters, and session ids in paths, that are left out --- */

/* Is this parameter to be left out? name and value as a canonical query has them. */
bool cw_canonical_drops(const crawl_drop_params *params, crawl_slice name, crawl_slice value);

/* Does it ask for session ids in paths to be left out? */
bool cw_canonical_drops_sessions(const crawl_drop_params *params);

/* Removes ";jsessionid=VALUE", and the segment "(S(VALUE))" of ASP.NET, from a path in place. Returns its size then. */
size_t cw_canonical_strip_sessions(char *path, size_t size);

/* Are these all letters and digits, as session ids are? */
bool cw_canonical_is_id(const char *at, size_t count);

/* Is this a segment "(A(xxx)S(yyy))" of ASP.NET, letters each with 24 letters or digits in parentheses? */
bool cw_canonical_is_asp_session(crawl_slice segment);

/* --- archive_url.c: split by the expression of RFC 3986 (appendix B), and nothing resolved, so that anything has
 * parts --- */

typedef enum cw_canonical_part {
    CW_CANONICAL_SCHEME,
    CW_CANONICAL_USER,
    CW_CANONICAL_PASSWORD,
    CW_CANONICAL_HOST,
    CW_CANONICAL_PORT,
    CW_CANONICAL_PATH,
    CW_CANONICAL_QUERY,
    CW_CANONICAL_FRAGMENT,
    CW_CANONICAL_PART_COUNT
} cw_canonical_part;

/* Owns its text; `{0}` is an empty one. */
typedef struct cw_canonical_parts {
    crawl_buf part[CW_CANONICAL_PART_COUNT];
    bool has[CW_CANONICAL_PART_COUNT]; /* HOST: "//" stands before it */
} cw_canonical_parts;

void cw_canonical_parts_free(cw_canonical_parts *url);

/* Splits text. CRAWL_ENOMEM. */
crawl_err cw_canonical_split(crawl_slice text, cw_canonical_parts *url);

static inline crawl_slice cw_canonical_part_of(const cw_canonical_parts *url, cw_canonical_part part)
{
    return crawl_buf_slice(&url->part[part]);
}

/* Appends the URL again. */
crawl_err cw_canonical_write(const cw_canonical_parts *url, crawl_buf *out);

/* How a SURT is written. */
enum {
    CW_CANONICAL_WITH_SCHEME = 1 << 0,    /* "http://(" before it */
    CW_CANONICAL_TRAILING_COMMA = 1 << 1, /* behind a host that is reversed */
    CW_CANONICAL_REVERSE_IPV4 = 1 << 2    /* "4,3,2,1" for 1.2.3.4; and "[]" off an IPv6 address */
};

/* Appends "com,example)/path?query#fragment"; a URL without "//" as it is. User information is left out. */
crawl_err cw_canonical_write_surt(const cw_canonical_parts *url, unsigned flags, crawl_buf *out);

/* Appends the sort key "com,example,//81:http@user:password:/path". */
crawl_err cw_canonical_write_ssurt(const cw_canonical_parts *url, crawl_buf *out);

/* Appends "com,example,": the labels in reverse, each with a comma behind it; a comma within a label becomes a dot. */
crawl_err cw_canonical_reverse_host(crawl_slice host, crawl_buf *out);

/* The same, but for an address, which stays. */
crawl_err cw_canonical_ssurt_host(crawl_slice host, crawl_buf *out);

/* --- archive_rules.c --- */

/* Splits text that need not be a whole URL: white space around it goes, and "http://" is put before one without a
 * scheme. */
crawl_err cw_canonical_read(crawl_slice text, cw_canonical_parts *url);

/* The canonical form of Google Safe Browsing, with port and query kept: no fragment, escapes decoded until none is left
 * and then what is not printable escaped again, host in lower case and without extra dots, IPv4 addresses written out,
 * path without dot segments and repeated slashes. */
crawl_err cw_canonical_google(cw_canonical_parts *url);

/* The rules of the Internet Archive: no user information and no default port, host without "www.", path and query in
 * lower case, session ids and the last "/" of a path left out, parameters sorted. */
crawl_err cw_canonical_ia(cw_canonical_parts *url);

/* The rules one by one; each changes the text in place. */
void cw_canonical_unescape_repeatedly(crawl_buf *text);
void cw_canonical_massage_host(crawl_buf *host);
void cw_canonical_strip_path_session(crawl_buf *path);
crawl_err cw_canonical_sort_query(crawl_buf *query);
