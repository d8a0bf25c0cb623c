/* A host's pace as a process of a shared crawl has learnt it, for the process that gets the host next: failures in a
 * row, backoff, whether the host is given up, and the pause that follows its answer times. It is part of the host's
 * note, before the part that sites.c keeps there, and is written when the host is given back, so that its record can be
 * forgotten. */
#pragma once

#include "crawler/engine/host/host_table.h"

#include <crawl/engine.h>
#include <crawl/sys/explain.h>

/* Returns the site's part of a host's note. */
crawl_slice cw_host_handover_skip(crawl_slice note);

/* Admits the host if all processes together may ask a limited number of hosts (crawl.max_hosts). A host counts once,
 * when it is asked for the first time; its note records that. CRAWL_FULL: the limit is reached. CRAWL_AGAIN: Redis is
 * being asked. Other errors: see crawl_frontier_note_set. */
crawl_err cw_host_handover_admit(crawl_engine *engine, cw_host_record *host);

/* Writes the host's pace into its note, and forgets it, so that it is taken from the note if the host comes back: its
 * record may still be used then, for a request whose lease is parked. Call before this process gives the host back. */
void cw_host_handover_give(crawl_engine *engine, cw_host_record *host);
/* Takes over the pace in the host's note. Called before the host is first asked. False: the note has none, or this
 * process knows more. */
bool cw_host_handover_take(crawl_engine *engine, cw_host_record *host);

/* The form of a site on disk: the note that a durable frontier holds for its origin. Dates are milliseconds of the
 * frontier's clock. */
typedef struct cw_host_site_note {
    crawl_host_robots robots;
    int64_t expires_ms;    /* when the verdict expires */
    int64_t hold_until_ms; /* see cw_host_sites_hold */
    int64_t away_until_ms; /* see cw_host_sites_stay_away */
    uint32_t sitemaps;     /* sitemaps that have room, including the queued ones */
    bool asked_sitemaps;
    unsigned vain;  /* see cw_host_sites_vain; at most 3 */
    bool no_tdmrep; /* it was asked for since robots.txt was read, and there is none */
    crawl_error_class error_class;
    crawl_slice text; /* of robots.txt, or why it was refused; at most CRAWL_ROBOTS_MAX_SIZE + 1 bytes */
} cw_host_site_note;

/* Replaces *out. CRAWL_ENOMEM. */
crawl_err cw_host_site_note_write(const cw_host_site_note *note, crawl_buf *out);
/* False: the bytes are not such a note, or have another format. out->text is a slice of the bytes. */
bool cw_host_site_note_read(crawl_slice bytes, cw_host_site_note *out);
