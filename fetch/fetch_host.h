/* The host of a URL, and what has to be done to reach it: a name has to be resolved, an address does not, and some
 * names cannot be resolved at all. */
#pragma once

#include <crawl/base.h>

enum {
    CW_HOST_MAX = 253, /* bytes of a name in text, without a dot at its end (RFC 1035, 2.3.4: 255 octets on the wire) */
    CW_HOST_LABEL_MAX = 63 /* bytes of one part of a name */
};

typedef enum cw_fetch_host_kind {
    CW_HOST_NAME,    /* to be asked for in DNS */
    CW_HOST_DIRECT,  /* an address, or a name below .localhost: libcurl needs nobody for it */
    CW_HOST_LOCAL,   /* a name below "localhost.", for which libcurl would ask: this machine (RFC 6761, 6.3) */
    CW_HOST_NOWHERE, /* its last part says that it is not in DNS: .invalid (RFC 6761, 6.4), .onion (RFC 7686) */
    CW_HOST_BAD      /* DNS cannot hold it: it is too long, a part is empty, or it has bytes that no host may have */
} cw_fetch_host_kind;

typedef struct cw_fetch_host {
    cw_fetch_host_kind kind;
    unsigned port;
    char text[CW_HOST_MAX + 2]; /* as in the URL, in lower case, for libcurl; "" if it is too long, or not of NAME,
                                   LOCAL or DIRECT, or an IPv6 address */
    size_t name_size;           /* bytes of text without the dot at its end: this part is asked of DNS */
} cw_fetch_host;

/* Reads the host as libcurl does: with its parser, but for those URLs that can mean one host only, for which that takes
 * six thousand instructions too many. CRAWL_EPARSE: libcurl does not take the URL; CRAWL_ENOMEM. */
crawl_err cw_fetch_host_of_url(const char *url, cw_fetch_host *out);

/* The kind of a host, which is in lower case and written as in a URL. */
cw_fetch_host_kind cw_fetch_host_kind_of(crawl_slice host);
