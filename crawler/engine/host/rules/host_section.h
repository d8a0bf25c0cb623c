/* One [host NAME] section, one host of a [group NAME] section, or the user that a seed's URL names for its origin: the
 * origins that it is about, and its settings, with the secrets read from their files. */
#pragma once

#include "config/config_values.h"
#include "crawler/engine/host/rules/host_rules.h"
#include <crawl/config.h>
#include <crawl/fetch.h>
#include <crawl/url.h>

typedef struct cw_host_section {
    struct cw_host_section *next_of_name; /* of the same name, less particular; used by the book */
    struct cw_host_section *next;         /* of all sections; used by the book */
    const crawl_host_config *config;
    crawl_host_config own; /* what config points to, for the user of a seed */
    char *password;        /* NULL: none */
    char *bearer;
    crawl_fetch_rate *rate; /* of a group that has one, shared by its hosts */
    bool owns_rate;
    char scheme[8];   /* "": any */
    unsigned port;    /* 0: any */
    unsigned serial;  /* from 0; used by the book */
    size_t name_size; /* of host */
    char host[];      /* as in URLs, or "*." before that */
} cw_host_section;

/* An origin in its parts. */
typedef struct cw_host_place {
    crawl_slice origin;
    crawl_slice scheme;
    crawl_slice host;
    unsigned port;
} cw_host_place;

/* Reads one section. config is borrowed; name: its own, or one of its hosts. CRAWL_EINVAL: the name is not a host, or
 * its user contains a colon; CRAWL_EIO: a file cannot be read; CRAWL_ENOMEM. */
crawl_err cw_host_section_read(const crawl_host_config *config, const char *name, cw_host_section **out,
                               crawl_error *error);
/* NULL: out of memory. user and password must not contain a NUL. */
cw_host_section *cw_host_section_of_user(const crawl_url *url, crawl_slice user, crawl_slice password);
void cw_host_section_free(cw_host_section *section);

/* CRAWL_EIO: one of the files cannot be read (NULL: no such file); CRAWL_EINVAL: the key has a passphrase;
 * CRAWL_ENOMEM. where: the section, in words. */
crawl_err cw_host_check_files(const char *where, const char *cert, const char *key, const char *ca, crawl_error *error);

/* origin: "scheme://host[:port]". */
cw_host_place cw_host_place_of(crawl_slice origin);

/* Returns how particular the section is among those of one name; greater is more particular. */
unsigned cw_host_section_rank(const cw_host_section *section);

/* Returns true if the section's scheme and port match the place. The caller has matched the host. */
bool cw_host_section_matches(const cw_host_section *section, const cw_host_place *at);

/* Returns true if the section means exactly this origin, so that the origin may get what identifies the asker. is_seed:
 * a seed names the origin. */
bool cw_host_section_means(const cw_host_section *section, const cw_host_place *at, bool is_seed);

/* The key with which a crawl signs its requests, and whether the rest of the configuration agrees with that. */

/* Reads the key if any section signs requests; otherwise sets *out to NULL. CRAWL_EINVAL: no key or no agent, the agent
 * is not an https URL, or a User-Agent is empty or a browser's: a signer says who it is. CRAWL_EIO, CRAWL_REFUSED,
 * CRAWL_EPARSE: as crawl_identity_read. CRAWL_ENOMEM. */
crawl_err cw_host_identity_open(const crawl_config *config, crawl_identity **out, crawl_error *error);

/* Merges the rules that all sections give an origin. */

/* A section that matches, and whether it means exactly this origin. */
typedef struct cw_host_match {
    const cw_host_section *section;
    bool personal;
} cw_host_match;

/* identity: signs requests; NULL: none. chain: the most particular first. rules ({0} before) borrows from config, the
 * sections and headers. CRAWL_ENOMEM. */
crawl_err cw_host_merge(const crawl_config *config, const crawl_identity *identity, const cw_host_match *chain,
                        size_t count, bool without_proxy, cw_host_rules *rules, crawl_buf *headers);
