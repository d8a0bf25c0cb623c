/* Pages that are the same as one before, to the byte or nearly ([dedupe] of the configuration).
 *
 * The first page with a body is the original of all others with it; a page whose text is within the distance of an
 * original's is near it, and is no original of near ones itself, so that likeness does not wander from page to page. */
#ifndef CW_VISIT_DEDUPE_H
#define CW_VISIT_DEDUPE_H

#include <crawl/config.h>
#include <crawl/fingerprint.h>
#include <crawl/frontier.h>

/* Thread-safe. */
typedef struct cw_visit_dedupe cw_visit_dedupe;

/* Originals have URLs no longer than this: what is kept of a page stays small. */
#define CW_VISIT_DEDUPE_MAX_URL 2048u

/* Texts of fewer shingles are not compared: "Loading..." and "Please log in" are not what their pages are. */
#define CW_VISIT_DEDUPE_MIN_SHINGLES 16u

/* CRAWL_ENOMEM. Not of CRAWL_DEDUPE_OFF. */
crawl_err cw_visit_dedupe_create(const crawl_config *config, cw_visit_dedupe **out);
void cw_visit_dedupe_free(cw_visit_dedupe *dedupe);

/* Notes of originals (note_log.h). An entry is the digest of the body in 20 bytes, 1 and the SimHash in 8, the lowest
 * first, or nine zeros, and the URL. */
#define CW_VISIT_BODIES_NOTE "#bodies "
/* Takes over the originals that stand in notes of the frontier, which is borrowed, and keeps there those that are
 * settled from now on. Before the first question. As crawl_frontier_notes; CRAWL_ENOMEM. */
crawl_err cw_visit_dedupe_keep(cw_visit_dedupe *dedupe, crawl_frontier *frontier);
/* The record of the page with this body is written: if the page is an original, it is one in the runs to come, where
 * they are kept; not before, since none may be the duplicate of a page that has no record. CRAWL_ENOMEM. */
crawl_err cw_visit_dedupe_settle(cw_visit_dedupe *dedupe, crawl_slice url, const crawl_fingerprint *digest);
/* Writes down what was settled since the last time: now and then, and at the end. As crawl_frontier_note_set. */
crawl_err cw_visit_dedupe_flush(cw_visit_dedupe *dedupe);

typedef struct cw_visit_dedupe_answer {
    crawl_slice duplicate_of; /* a URL that lives as long as dedupe; empty: none */
    crawl_slice near_duplicate_of;
    unsigned distance; /* from it */
} cw_visit_dedupe_answer;

/* Is this page like one before? If not, it is an original from now on, unless dedupe.max_pages are known. simhash NULL:
 * its body alone is compared. A URL is no duplicate of itself. CRAWL_ENOMEM. */
crawl_err cw_visit_dedupe_ask(cw_visit_dedupe *dedupe, crawl_slice url, const crawl_fingerprint *digest,
                              const uint64_t *simhash, cw_visit_dedupe_answer *answer);

#endif
