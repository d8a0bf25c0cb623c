/* When a page is visited again, and what must be remembered of it for that. Pure: no clock, no lock.
 *
 * A page is taken to change at random, at a rate of its own (a Poisson process). A visit tells one thing of that rate:
 * whether the page changed since the visit before. The interval between its visits is meant to become the geometric
 * mean of the mean time between its changes and of the interval that the configuration gives to all: a page that
 * changes a hundred times as often is visited ten times as often. Visits in proportion to the changes keep fewer copies
 * current than even visits do, since on a page that changes often each is outdated soon (Cho and Garcia-Molina,
 * "Effective Page Refresh Policies for Web Crawlers", ACM Transactions on Database Systems 28(4), 2003); by this rule
 * they come within 7 % of the best that as many visits can do, for means from an hour to 90 days.
 *
 * The rate is estimated as by J. Cho and H. Garcia-Molina, "Estimating Frequency of Change" (ACM Transactions on
 * Internet Technology 3(3), 2003): the rate that makes what was seen most likely, for visits at irregular times,
 * corrected by half a visit without a change for the bias of few visits. Where a page changed, one change is certain,
 * but not when it came; so the visit counts as one change after the time that a change is expected to take (the step E
 * of expectation maximization, taken once per visit as it comes: O. Cappé and E. Moulines, "On-line
 * expectation-maximization algorithm for latent data models", 2009). The estimate is then one number divided by
 * another: changes by time. Each visit takes a tenth off both, so that about the last ten visits count, and the
 * estimate follows a page whose rate changes.
 *
 * As long as a page has changed at each visit, or at none, nothing but a bound of its rate is known: its interval
 * halves, as far as that of a page which changes once in min_ms, or doubles. The same is done when so many visits in a
 * row have found a change, or none, that the estimate gives them a probability below 1 %; then the past loses half its
 * weight each time. No other step is larger than half or double. A visit that a sitemap made early, within half the
 * interval, is no reason to double it. */
#pragma once

#include <crawl/config.h>
#include <crawl/fingerprint.h>

/* Longer tags and dates of servers are not kept, so that what is sent back and stays in the queue is small. */
#define CW_VISIT_REVISIT_MAX_ETAG 512u
#define CW_VISIT_REVISIT_MAX_DATE 64u

#define CW_VISIT_REVISIT_NO_DATE INT64_MIN

typedef struct cw_visit_revisit_rules {
    int64_t interval_ms; /* before the second visit, and of a page that changes as often */
    int64_t min_ms;      /* 1 and up */
    int64_t max_ms;      /* min_ms and up */
    uint32_t gone;       /* answers of 404 or 410 in a row after which a page is dropped; 0: never */
} cw_visit_revisit_rules;

cw_visit_revisit_rules cw_visit_revisit_rules_of(const crawl_config *config);

/* How often the page changes, as far as that is known. All zero: nothing is known. */
typedef struct cw_visit_revisit_rate {
    float changes;   /* how many there were within time_ms; older ones count less */
    float time_ms;   /* for how long the page was watched; older visits count less */
    float surprise;  /* logarithm of the probability that the last visits in a row had the same outcome; 0: no visit yet
                      */
    bool in_changes; /* that outcome: a change */
    bool is_settled; /* there was a visit of each outcome */
} cw_visit_revisit_rate;

/* The crawl's memory of a page. */
typedef struct cw_visit_revisit {
    int64_t interval_ms; /* until the next visit, but for jitter and failures; 0: not visited yet */
    int64_t lastmod_ms;  /* as its sitemap said, since 1970; CW_VISIT_REVISIT_NO_DATE: it did not */
    uint8_t suspect;     /* of a sitemap: see lastmods.h; 2 at most */
    uint8_t failures;    /* visits in a row without a usable answer; stays at 255 */
    uint8_t gone;        /* the last of them, in a row, that were answered by 404 or 410 */
    bool is_known;       /* there was a usable answer, to which all below belongs: */
    cw_visit_revisit_rate rate;
    int64_t known_ms;   /* when the last usable answer came: a time of the frontier's clock */
    int64_t fetched_ms; /* when the page that has this digest was asked for: a time of the wall clock */
    uint64_t digest;    /* of the body of the page, or of where it redirects to */
    bool is_kept;       /* see cw_visit_keeping_judge */
    bool has_simhash;
    uint64_t simhash;          /* of its text, see crawl_simhash_text */
    crawl_slice etag;          /* empty: none. Both of CW_VISIT_REVISIT_MAX_ bytes at most, and fit for a header */
    crawl_slice last_modified; /* as the server wrote it */
} cw_visit_revisit;

/* Replaces *out. CRAWL_ENOMEM. */
crawl_err cw_visit_revisit_write(const cw_visit_revisit *page, crawl_buf *out);
/* The slices of the result are slices of memo. Bytes that are no memo, or one of another version, say nothing. */
cw_visit_revisit cw_visit_revisit_read(crawl_slice memo);

typedef enum cw_visit_revisit_outcome {
    CW_VISIT_REVISIT_FIRST, /* a usable answer, with none before to compare it with */
    CW_VISIT_REVISIT_CHANGED,
    CW_VISIT_REVISIT_UNCHANGED,
    CW_VISIT_REVISIT_UNASKED, /* the page may not be asked for at present */
    CW_VISIT_REVISIT_FAILED,  /* no usable answer: says nothing of changes */
    CW_VISIT_REVISIT_GONE     /* 404 or 410 */
} cw_visit_revisit_outcome;

/* Does the answer tell what the page holds? */
static inline bool cw_visit_revisit_is_usable(cw_visit_revisit_outcome outcome)
{
    return outcome == CW_VISIT_REVISIT_FIRST || outcome == CW_VISIT_REVISIT_CHANGED ||
           outcome == CW_VISIT_REVISIT_UNCHANGED;
}

/* Takes what came of a visit at now_ms into *page and answers when the next one is due; CRAWL_FOREVER: never, it was
 * gone too often. last_modified_ms: since 1970, CW_VISIT_REVISIT_NO_DATE: none; wall_ms: the time of the visit by the
 * same clock; both matter to the outcome FIRST alone. The caller sets digest, validators and fetched_ms
 * itself.
 *
 * - First interval: rules->interval_ms, but a tenth of the page's age if that is longer (RFC 9111, 4.2.2), by
 *   Last-Modified or its sitemap's lastmod, whichever is later. An age never makes it shorter: pages that are made when
 *   they are asked for are always young.
 * - After a failure the interval stays; from the second in a row on the next visit is put off to twice as long each
 *   time, max_ms at most.
 * - Each time that the page is gone, the next visit is put off to four times as long.
 * - salt takes off or adds up to a tenth, within min_ms and max_ms, so that pages that were found together do not stay
 *   together. */
int64_t cw_visit_revisit_next(const cw_visit_revisit_rules *rules, cw_visit_revisit *page,
                              cw_visit_revisit_outcome outcome, int64_t last_modified_ms, int64_t wall_ms,
                              int64_t now_ms, uint64_t salt);

/* Is the next visit owed to the lastmod of a sitemap, since that is later than the last usable answer? now_ms, of the
 * frontier's clock, and wall_ms are one moment. */
bool cw_visit_revisit_is_hinted(const cw_visit_revisit *page, int64_t now_ms, int64_t wall_ms);

/* The mean time between two changes, by this rate; 0: nothing is known. */
double cw_visit_revisit_mean_ms(const cw_visit_revisit_rate *rate);

/* An entity tag of RFC 9110, 8.8.3, not too long; otherwise empty. */
crawl_slice cw_visit_revisit_etag(crawl_slice value);
/* A Last-Modified that is a date, not too long; otherwise empty. wall_ms is now; *date_ms (both since 1970):
 * CW_VISIT_REVISIT_NO_DATE if it is none. */
crawl_slice cw_visit_revisit_last_modified(crawl_slice value, int64_t wall_ms, int64_t *date_ms);

/* Appends the headers that make a request conditional (RFC 9110, 13.1): none where there is no validator, or where
 * the request's own headers have a condition already. *is_conditional: some were appended. CRAWL_ENOMEM. */
crawl_err cw_visit_revisit_conditions(const cw_visit_revisit *page, crawl_slice own_headers, crawl_buf *out,
                                      bool *is_conditional);
