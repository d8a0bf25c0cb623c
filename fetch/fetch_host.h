/* The host of a URL, and how to reach it: a name must be resolved, an address not, and some names cannot be resolved at
 * all. */
#pragma once

#include <crawl/base.h>

enum {
    CW_HOST_MAX = 253, /* maximum bytes of a name as text, without a trailing dot (RFC 1035, 2.3.4: 255 octets on the
                          wire) */
    CW_HOST_LABEL_MAX = 63 /* maximum bytes of one label */
};

typedef enum cw_fetch_host_kind {
    CW_HOST_NAME,    /* to be looked up in DNS */
    CW_HOST_DIRECT,  /* an address, or a name below .localhost: libcurl needs no lookup */
    CW_HOST_LOCAL,   /* a name below "localhost.", which libcurl would look up: this machine (RFC 6761, 6.3) */
    CW_HOST_NOWHERE, /* never in DNS, by its last label: .invalid (RFC 6761, 6.4), .onion (RFC 7686) */
    CW_HOST_BAD      /* impossible in DNS: too long, an empty label, or bytes that no host may have */
} cw_fetch_host_kind;

typedef struct cw_fetch_host {
    cw_fetch_host_kind kind;
    unsigned port;
    char text[CW_HOST_MAX + 2]; /* as in the URL, in lower case, for libcurl; "" if too long, not NAME, LOCAL or DIRECT,
                                   or an IPv6 address */
    size_t name_size;           /* bytes of text without the trailing dot: this part is looked up in DNS */
} cw_fetch_host;

/* Parses the host as libcurl does: with its parser, except for URLs with only one interpretation, for which that takes
 * six thousand needless instructions. CRAWL_EPARSE: rejected by libcurl; CRAWL_ENOMEM. */
crawl_err cw_fetch_host_of_url(const char *url, cw_fetch_host *out);

/* Returns the kind of a host, which is in lower case and written as in a URL. */
cw_fetch_host_kind cw_fetch_host_kind_of(crawl_slice host);
