/* Internals of canonicalization: the profiles other than the default, the query of a canonical URL, dropped parameters,
 * and URLs in the form of web archives. On an error, the caller must remove what was appended. */
#pragma once

#include <crawl/url.h>

/* --- the profiles other than the default: for any text, even if it is not a URL --- */

crawl_err cw_canonical_w3lib(crawl_slice text, const crawl_canonical_options *options, crawl_buf *out);
crawl_err cw_canonical_surt(crawl_slice text, crawl_buf *out);

/* --- canonical_query.c: the query, its pairs escaped uniformly and sorted --- */

typedef struct cw_canonical_rules {
    const crawl_drop_params *drop; /* NULL: none */
    bool drop_blank;               /* pairs without a value */
    bool unsorted;                 /* to show the steps one by one */
} cw_canonical_rules;

/* Appends "?" and the canonical form of query, or nothing if no pair is left. CRAWL_ENOMEM: out is unchanged. */
crawl_err cw_canonical_query(crawl_slice query, const cw_canonical_rules *rules, crawl_buf *out);

/* --- drop_params.c: dropped query parameters, and session ids in paths --- */

/* Returns true if this parameter is dropped. name and value must be in the form of a canonical query. */
bool cw_canonical_drops(const crawl_drop_params *params, crawl_slice name, crawl_slice value);

/* Returns true if session ids in paths are dropped. */
bool cw_canonical_drops_sessions(const crawl_drop_params *params);

/* Removes ";jsessionid=VALUE", and the ASP.NET segment "(S(VALUE))", from a path in place. Returns the new size. */
size_t cw_canonical_strip_sessions(char *path, size_t size);

/* Returns true if all of these are letters and digits, as in session ids. */
bool cw_canonical_is_id(const char *at, size_t count);

/* Returns true for an ASP.NET segment "(A(xxx)S(yyy))": letters, each with 24 letters or digits in parentheses. */
bool cw_canonical_is_asp_session(crawl_slice segment);

/* --- archive_url.c: split by the expression of RFC 3986 (appendix B), nothing resolved: any text has parts --- */

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

/* Owns its text; `{0}` is empty. */
typedef struct cw_canonical_parts {
    crawl_buf part[CW_CANONICAL_PART_COUNT];
    bool has[CW_CANONICAL_PART_COUNT]; /* HOST: "//" precedes it */
} cw_canonical_parts;

void cw_canonical_parts_free(cw_canonical_parts *url);

/* Splits text. CRAWL_ENOMEM. */
crawl_err cw_canonical_split(crawl_slice text, cw_canonical_parts *url);

static inline crawl_slice cw_canonical_part_of(const cw_canonical_parts *url, cw_canonical_part part)
{
    return crawl_buf_slice(&url->part[part]);
}

/* Appends the URL, joined again. */
crawl_err cw_canonical_write(const cw_canonical_parts *url, crawl_buf *out);

/* Appends "com,example)/path?query#fragment"; a URL without "//" unchanged. Omits user information. The host is
 * "4,3,2,1" for 1.2.3.4; there is no "[]" around an IPv6 address. */
crawl_err cw_canonical_write_surt(const cw_canonical_parts *url, crawl_buf *out);

/* Appends "com,example,": the labels in reverse, each followed by a comma; a comma within a label becomes a dot. */
crawl_err cw_canonical_reverse_host(crawl_slice host, crawl_buf *out);

/* --- archive_rules.c --- */

/* Splits text that need not be a whole URL: trims white space, and prepends "http://" to a text without a scheme. */
crawl_err cw_canonical_read(crawl_slice text, cw_canonical_parts *url);

/* Applies the canonical form of Google Safe Browsing, but keeps port and query: no fragment, escapes decoded until none
 * is left, then unprintable bytes escaped again, host in lower case without extra dots, IPv4 addresses written out,
 * path without dot segments and repeated slashes. */
crawl_err cw_canonical_google(cw_canonical_parts *url);

/* Applies the rules of the Internet Archive: no user information and no default port, host without "www.", path and
 * query in lower case, session ids and the last "/" of a path removed, parameters sorted. */
crawl_err cw_canonical_ia(cw_canonical_parts *url);

/* The rules one by one; each changes the text in place. */
void cw_canonical_unescape_repeatedly(crawl_buf *text);
void cw_canonical_massage_host(crawl_buf *host);
void cw_canonical_strip_path_session(crawl_buf *path);
crawl_err cw_canonical_sort_query(crawl_buf *query);
