/* Which host a URL asks for, and what is to be done to reach it by name. */
#ifndef CW_FETCH_HOST_H
#define CW_FETCH_HOST_H

#include <crawl/base.h>

enum {
    CW_HOST_MAX = 253, /* bytes of a name in text, without a dot at its end (RFC 1035, 2.3.4: 255 octets on the wire) */
    CW_HOST_LABEL_MAX = 63 /* of a part of it */
};

typedef enum cw_fetch_host_kind {
    CW_HOST_NAME,    /* to be asked for in DNS */
    CW_HOST_DIRECT,  /* an address, or a name below .localhost: libcurl needs nobody for it */
    CW_HOST_NOWHERE, /* by its last part no name of DNS: .invalid (RFC 6761, 6.4), .onion (RFC 7686) */
    CW_HOST_BAD      /* DNS cannot hold it: too long, an empty part, bytes that are no letters of a host */
} cw_fetch_host_kind;

typedef struct cw_fetch_host {
    cw_fetch_host_kind kind;
    unsigned port;
    char text[CW_HOST_MAX + 2]; /* as it stands in the URL, in lower case, for libcurl; of NAME alone */
    size_t name_size;           /* of text, without the dot at its end: what DNS is asked for */
} cw_fetch_host;

/* By libcurl's own parser, so that both mean the same host. CRAWL_EPARSE: no URL to it; CRAWL_ENOMEM. */
crawl_err cw_fetch_host_of_url(const char *url, cw_fetch_host *out);

/* Kind of a host in lower case, as it stands in a URL. */
cw_fetch_host_kind cw_fetch_host_kind_of(crawl_slice host);

#endif
