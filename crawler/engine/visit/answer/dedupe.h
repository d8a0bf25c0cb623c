/* Pages that are the same as an earlier one, to the byte or nearly ([dedupe] of the configuration).
 *
 * The first page with a body is the original of all others with it. A page whose text is within the distance from that
 * of an original is near it, and does not become an original for near pages itself: otherwise each page could be near
 * the one before, and the last far from the first. */
#pragma once

#include <crawl/config.h>
#include <crawl/fingerprint.h>
#include <crawl/frontier.h>

/* Thread-safe. */
typedef struct cw_visit_dedupe cw_visit_dedupe;

/* A page with a longer URL does not become an original, so that what is kept of a page is small. */
#define CW_VISIT_DEDUPE_MAX_URL 2048u

/* Texts of fewer shingles are not compared: "Loading..." or "Please log in" tell nothing of their pages. */
#define CW_VISIT_DEDUPE_MIN_SHINGLES 16u

/* config->dedupe is not CRAWL_DEDUPE_OFF. CRAWL_ENOMEM. */
crawl_err cw_visit_dedupe_create(const crawl_config *config, cw_visit_dedupe **out);
void cw_visit_dedupe_free(cw_visit_dedupe *dedupe);

/* The notes with the originals (note_log.h). An entry is the digest of the body in 20 bytes; 1 and the SimHash in 8
 * bytes, the lowest first, or nine zeros; and the URL. */
#define CW_VISIT_BODIES_NOTE "#bodies "
/* Takes over the originals that stand in notes of the frontier, which is borrowed, and keeps those there that
 * are settled from now on. To be called before the first cw_visit_dedupe_ask. Errors as those of crawl_frontier_notes;
 * CRAWL_ENOMEM. */
crawl_err cw_visit_dedupe_keep(cw_visit_dedupe *dedupe, crawl_frontier *frontier);
/* To be called when the record of the page with this body is written. If the page is an original, it is one in the runs
 * to come too, where originals are kept; not earlier, because no page may be the duplicate of one without a record.
 * CRAWL_ENOMEM. */
crawl_err cw_visit_dedupe_settle(cw_visit_dedupe *dedupe, crawl_slice url, const crawl_fingerprint *digest);
/* Writes down what was settled since the last time. To be called now and then, and at the end. Errors as those of
 * crawl_frontier_note_set. */
crawl_err cw_visit_dedupe_flush(cw_visit_dedupe *dedupe);

typedef struct cw_visit_dedupe_answer {
    crawl_slice duplicate_of; /* a URL that lives as long as dedupe; empty: none */
    crawl_slice near_duplicate_of;
    unsigned distance; /* from the text of that page */
} cw_visit_dedupe_answer;

/* Is this page the same as an earlier one, or near it? If not, it is an original from now on, unless there are
 * dedupe.max_pages already. simhash NULL: its body alone is compared. A URL is no duplicate of itself. CRAWL_ENOMEM. */
crawl_err cw_visit_dedupe_ask(cw_visit_dedupe *dedupe, crawl_slice url, const crawl_fingerprint *digest,
                              const uint64_t *simhash, cw_visit_dedupe_answer *answer);
