/* A URL as web archives take it: split by the expression of RFC 3986 (appendix B) and nothing resolved, so that
 * anything has parts; and written as a URL or as a SURT, with the labels of its host reversed. */
#ifndef CW_ARCHIVE_URL_H
#define CW_ARCHIVE_URL_H

#include <crawl/base.h>

typedef enum cw_archive_part {
    CW_ARCHIVE_SCHEME,
    CW_ARCHIVE_USER,
    CW_ARCHIVE_PASSWORD,
    CW_ARCHIVE_HOST,
    CW_ARCHIVE_PORT,
    CW_ARCHIVE_PATH,
    CW_ARCHIVE_QUERY,
    CW_ARCHIVE_FRAGMENT,
    CW_ARCHIVE_PART_COUNT
} cw_archive_part;

/* Owns its text; `{0}` is an empty one. */
typedef struct cw_archive_url {
    crawl_buf part[CW_ARCHIVE_PART_COUNT];
    bool has[CW_ARCHIVE_PART_COUNT]; /* HOST: "//" stands before it */
} cw_archive_url;

void cw_archive_url_free(cw_archive_url *url);

/* Splits text. CRAWL_ENOMEM. */
crawl_err cw_archive_url_split(crawl_slice text, cw_archive_url *url);

static inline crawl_slice cw_archive_url_part(const cw_archive_url *url, cw_archive_part part)
{
    return crawl_buf_slice(&url->part[part]);
}

/* Appends the URL again. */
crawl_err cw_archive_url_write(const cw_archive_url *url, crawl_buf *out);

/* How a SURT is written. */
enum {
    CW_SURT_SCHEME = 1 << 0,         /* "http://(" before it */
    CW_SURT_TRAILING_COMMA = 1 << 1, /* behind a host that is reversed */
    CW_SURT_REVERSE_IPV4 = 1 << 2    /* "4,3,2,1" for 1.2.3.4; and "[]" off an IPv6 address */
};

/* Appends "com,example)/path?query#fragment"; a URL without "//" as it is. User information is left out. */
crawl_err cw_archive_url_surt(const cw_archive_url *url, unsigned flags, crawl_buf *out);

/* Appends the sort key "com,example,//81:http@user:password:/path". */
crawl_err cw_archive_url_ssurt(const cw_archive_url *url, crawl_buf *out);

/* Appends "com,example,": the labels in reverse, each with a comma behind it; a comma within a label becomes a dot. */
crawl_err cw_archive_reverse_host(crawl_slice host, crawl_buf *out);

/* The same, but for an address, which stays. */
crawl_err cw_archive_ssurt_host(crawl_slice host, crawl_buf *out);

#endif
