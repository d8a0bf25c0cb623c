/* The rules of one host: the [host NAME] sections that its origin matches, merged key by key with [fetch], and the
 * users that the URLs of seeds name.
 *
 * The particular goes before the general: a host's own name, then *.DOMAIN from the longest; of one name first those
 * with scheme and port. A setting that identifies the asker (header, user, password, bearer, client_cert) is given to
 * no origin but the one that the section means: the scheme and the port of its name or, if it has neither, https at 443
 * and the origins that seeds name.
 *
 * A [group NAME] section stands for one section per host; a [host NAME] section of the same name goes before it. */
#pragma once

#include "config/config_values.h"

#include <crawl/fetch.h>
#include <crawl/identity.h>
#include <crawl/url.h>

/* Thread-safe. Memory grows with the sections and the seeds, not with the hosts met. */
typedef struct cw_host_book cw_host_book;

/* Immutable; lives as long as the cw_host_book. */
typedef struct cw_host_rules {
    crawl_fetch_access access;
    bool has_access;              /* some member is set */
    int64_t delay_ms;             /* of the most particular section that sets it; -1: none does */
    uint32_t per_host;            /* likewise, or else that of all hosts; 1 and up. Likewise below */
    uint64_t rate_limit;          /* bytes per second; 0: no limit */
    uint64_t max_pages;           /* 0: no limit */
    uint32_t share;               /* 1: as for a host without a section */
    crawl_sign_when sign;         /* not 0 */
    crawl_signing signing;        /* how to sign, unless sign is never */
    crawl_slice group;            /* the name of its group; empty: none */
    crawl_fetch_rate *group_rate; /* NULL: none, or the host has a rate_limit of its own */
} cw_host_rules;

/* Reads the files with secrets. config is borrowed. CRAWL_EINVAL: a name is not a host, a user contains a colon, or as
 * cw_host_identity_open; CRAWL_EIO: a file cannot be read; CRAWL_ENOMEM. */
crawl_err cw_host_book_create(const crawl_config *config, cw_host_book **out, crawl_error *error);
void cw_host_book_free(cw_host_book *hosts);

/* Notes that a seed names this URL's origin. CRAWL_ENOMEM. */
crawl_err cw_host_book_name(cw_host_book *hosts, const crawl_url *url);

/* Takes the user and password of a seed's URL, which override those of sections for its origin from now on.
 * CRAWL_EINVAL: a colon in user, or a NUL. CRAWL_ENOMEM. */
crawl_err cw_host_book_add_user(cw_host_book *hosts, const crawl_url *url, crawl_slice user, crawl_slice password);

/* origin: "scheme://host[:port]", as crawl_url_origin writes it. NULL: out of memory. */
const cw_host_rules *cw_host_book_find(cw_host_book *hosts, crawl_slice origin);

/* Returns a number above 0 that changes when a seed names an origin or a user that a section may be about. Until then
 * the answers of cw_host_book_find hold. */
uint32_t cw_host_book_age(const cw_host_book *hosts);

/* Returns true if any section limits pages. */
bool cw_host_book_limit_pages(const cw_host_book *hosts);
/* Returns the most requests at once that any host may have. */
uint32_t cw_host_book_most_at_once(const cw_host_book *hosts);
