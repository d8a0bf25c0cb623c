/* A host's pace as a process of a shared crawl has found it out, for the one that has the host next: failures in a
 * row, backoff, that it is given up, and the pause that follows its answer times. It stands in the host's note, before
 * what sites.c keeps there, and is written when the host is given back; so the record of the host can be forgotten. */
#pragma once

#include "crawler/engine/host/host_table.h"

#include <crawl/engine.h>
#include <crawl/sys/explain.h>

/* The part of a host's note that is the site's. */
crawl_slice cw_host_handover_skip(crawl_slice note);

/* Where the hosts that all processes ask have a limit (crawl.max_hosts): may this one be asked? A host counts once,
 * when it is asked for the first time; its note tells that it was. CRAWL_FULL: the limit is reached. CRAWL_AGAIN: Redis
 * is being asked. Other errors as those of crawl_frontier_note_set. */
crawl_err cw_host_handover_admit(crawl_engine *engine, cw_host_record *host);

/* This process is about to give the host back: writes what there is to hand over. */
void cw_host_handover_give(crawl_engine *engine, cw_host_record *host);
/* Before the host is asked for the first time: takes over what stands there. False: nothing does, or more is known. */
bool cw_host_handover_take(crawl_engine *engine, cw_host_record *host);

/* The form of a site on disk: the note that a durable frontier holds for its origin. Dates are those of the frontier's
 * clock, in milliseconds. */
typedef struct cw_host_site_note {
    crawl_host_robots robots;
    int64_t expires_ms;    /* of the verdict */
    int64_t hold_until_ms; /* see cw_host_sites_hold */
    int64_t away_until_ms; /* see cw_host_sites_stay_away */
    uint32_t sitemaps;     /* how many have room, those included that are queued */
    bool asked_sitemaps;
    unsigned vain;  /* see cw_host_sites_vain; 3 at most */
    bool no_tdmrep; /* it was asked for since robots.txt was read */
    crawl_error_class error_class;
    crawl_slice text; /* of robots.txt, or why it was refused; CRAWL_ROBOTS_MAX_SIZE + 1 bytes at most */
} cw_host_site_note;

/* Replaces *out. CRAWL_ENOMEM. */
crawl_err cw_host_site_note_write(const cw_host_site_note *note, crawl_buf *out);
/* False: the bytes are no such note, or one of another format. out->text is a slice of them. */
bool cw_host_site_note_read(crawl_slice bytes, cw_host_site_note *out);
