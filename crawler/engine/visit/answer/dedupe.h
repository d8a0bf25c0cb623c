/* Finds pages that equal an earlier one exactly or nearly ([dedupe] of the configuration).
 *
 * The first page with a body is the original of all others with that body. A page whose text is within the distance
 * from an original's text is near it, and does not itself become an original for near pages: otherwise each page could
 * be near the one before, and the last far from the first. */
#pragma once

#include <crawl/config.h>
#include <crawl/fingerprint.h>
#include <crawl/frontier.h>

/* Thread-safe. */
typedef struct cw_visit_dedupe cw_visit_dedupe;

/* A page with a longer URL does not become an original, which limits the memory per page. */
#define CW_VISIT_DEDUPE_MAX_URL 2048u

/* Texts of fewer shingles are not compared: "Loading..." or "Please log in" say nothing about their pages. */
#define CW_VISIT_DEDUPE_MIN_SHINGLES 16u

/* config->dedupe must not be CRAWL_DEDUPE_OFF. CRAWL_ENOMEM. */
crawl_err cw_visit_dedupe_create(const crawl_config *config, cw_visit_dedupe **out);
void cw_visit_dedupe_free(cw_visit_dedupe *dedupe);

/* The notes with the originals (note_log.h). An entry is the digest of the body in 20 bytes; 1 and the SimHash in 8
 * bytes, little-endian, or nine zeros; and the URL. */
#define CW_VISIT_BODIES_NOTE "#bodies "
/* Takes over the originals in notes of the frontier, which is borrowed, and keeps there those settled from now on. Call
 * before the first cw_visit_dedupe_ask. Errors: see crawl_frontier_notes; CRAWL_ENOMEM. */
crawl_err cw_visit_dedupe_keep(cw_visit_dedupe *dedupe, crawl_frontier *frontier);
/* An original: lives as long as dedupe. */
typedef struct cw_visit_original cw_visit_original;
/* Returns the page as the original of its body; NULL: it is none. */
cw_visit_original *cw_visit_dedupe_original(cw_visit_dedupe *dedupe, crawl_slice url, const crawl_fingerprint *digest);
/* Keeps an original for later runs, if originals are kept. Call when its record is kept, and not before: no page may be
 * the duplicate of one without a record. NULL does nothing. CRAWL_ENOMEM. */
crawl_err cw_visit_dedupe_settle(cw_visit_dedupe *dedupe, cw_visit_original *page);
/* Writes the originals settled since the last call. Call from time to time, and at the end. Errors: see
 * crawl_frontier_note_set. */
crawl_err cw_visit_dedupe_flush(cw_visit_dedupe *dedupe);

typedef struct cw_visit_dedupe_answer {
    crawl_slice duplicate_of; /* a URL that lives as long as dedupe; empty: none */
    crawl_slice near_duplicate_of;
    unsigned distance; /* from the text of that page */
} cw_visit_dedupe_answer;

/* Tells whether this page equals an earlier one or is near one. If not, it becomes an original, unless there are
 * dedupe.max_pages already. simhash NULL: only its body is compared. A URL is no duplicate of itself. CRAWL_ENOMEM. */
crawl_err cw_visit_dedupe_ask(cw_visit_dedupe *dedupe, crawl_slice url, const crawl_fingerprint *digest,
                              const uint64_t *simhash, cw_visit_dedupe_answer *answer);
