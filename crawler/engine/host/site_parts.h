/* A site, and how the files that know its parts begin and end a look at it: see sites.h. */
#pragma once

#include "crawler/engine/host/sites.h"

#include <sys/queue.h>

typedef enum cw_host_asked { CW_HOST_ASKED_NOT, CW_HOST_ASKED_NOW, CW_HOST_ASKED_BEFORE } cw_host_asked;

typedef struct cw_host_site {
    TAILQ_ENTRY(cw_host_site) link; /* under `notes` */
    cw_host_record *host;
    crawl_host_robots state;
    bool pending;
    bool used;             /* since sites_drop_oldest looked at it */
    bool recalled;         /* read from its note, and its pace was not told yet */
    crawl_robots *robots;  /* RULES only */
    crawl_tdmrep *tdmrep;  /* NULL: none */
    bool has_asked_tdmrep; /* since robots.txt was read */
    bool has_no_tdmrep;    /* likewise, and the site has said so */
    int64_t expires_ms;    /* valid in all states but UNKNOWN */
    int64_t hold_until_ms;
    int64_t away_until_ms;
    crawl_error_class error_class; /* REFUSED only */
    unsigned sitemaps;             /* counted so far */
    unsigned sitemaps_kept;        /* sitemaps that have room in the note: whole steps */
    cw_host_asked sitemaps_asked;
    unsigned vain; /* see cw_host_sites_vain */
    char *words;   /* REFUSED only; may be NULL */
} cw_host_site;

struct cw_host_sites {
    cw_host_sites_options options;
    pthread_mutex_t notes;
    TAILQ_HEAD(site_list, cw_host_site) by_age; /* under `notes`; the oldest first */
    size_t count;                               /* likewise */
    uint64_t bytes;
    crawl_buf note;
};

/* Begins to read a site. Returns with the host locked, unless it fails. */
crawl_err cw_host_sites_begin_look(cw_host_sites *sites, cw_host_record *host, cw_host_site **out);

/* Begins a change that is kept. Returns with both locks held, unless it fails. */
crawl_err cw_host_sites_begin_change(cw_host_sites *sites, cw_host_record *host, cw_host_site **out);

/* Ends a change: writes the note, and releases both locks. text: the new text of robots.txt; data NULL: the note keeps
 * its text. */
crawl_err cw_host_sites_end_change(cw_host_sites *sites, cw_host_site *one, crawl_slice text);
