/* The form of a site on disk: the note that a durable frontier holds for its origin. */
#ifndef CW_SITE_NOTE_H
#define CW_SITE_NOTE_H

#include <crawl/engine.h>

typedef enum cw_host_site_robots {
    CW_SITE_ROBOTS_UNKNOWN, /* not asked for yet */
    CW_SITE_ROBOTS_ABSENT,  /* there is none: all is allowed */
    CW_SITE_ROBOTS_BODY,    /* text is robots.txt */
    CW_SITE_ROBOTS_REFUSED, /* nothing may be asked: error_class, and text says why */
    CW_SITE_ROBOTS_KINDS
} cw_host_site_robots;

/* Dates are those of the frontier's clock, in milliseconds. */
typedef struct cw_host_site_note {
    cw_host_site_robots robots;
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

#endif
