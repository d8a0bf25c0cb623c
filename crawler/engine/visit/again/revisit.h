/* Decides when a page is visited again, and what must be remembered of it for that. Pure: no clock, no lock.
 *
 * A page is assumed to change at random, at a rate of its own (a Poisson process). A visit tells one thing about that
 * rate: whether the page changed since the last visit. The interval between visits aims at the geometric mean of two
 * times: the mean time between the page's changes, and the interval configured for all pages. So a page that changes a
 * hundred times as often is visited ten times as often. Visits in proportion to the changes would keep fewer copies
 * current than even visits, since each copy of a page that changes often is outdated soon (Cho and Garcia-Molina,
 * "Effective Page Refresh Policies for Web Crawlers", ACM Transactions on Database Systems 28(4), 2003). This rule
 * comes within 7 % of the best result of as many visits, for means from an hour to 90 days.
 *
 * The rate is estimated as in J. Cho and H. Garcia-Molina, "Estimating Frequency of Change" (ACM Transactions on
 * Internet Technology 3(3), 2003): it is the rate that makes the observations most likely, for visits at irregular
 * times, corrected by half a visit without a change for the bias of few visits. If a page changed, one change is
 * certain, but not its time; so the visit counts as one change after the time that a change is expected to take (the
 * step E of expectation maximization, taken once per visit as it comes: O. Cappé and E. Moulines, "On-line
 * expectation-maximization algorithm for latent data models", 2009). The estimate is then one number divided by
 * another: changes by time. Each visit takes a tenth off both, so about the last ten visits count, and the estimate
 * follows a page whose rate changes.
 *
 * While a page has changed at each visit, or at none, only a bound of its rate is known: its interval halves, down to
 * that of a page that changes once in min_ms, or doubles. The same is done if so many visits in a row have found a
 * change, or none, that the estimate gives this a probability below 1 %; the past then loses half its weight each time.
 * No other step goes beyond half or double. A visit that a sitemap made early, within half the interval, does not
 * double it. */
#pragma once

#include <crawl/config.h>
#include <crawl/fingerprint.h>

#define CW_VISIT_REVISIT_NO_DATE INT64_MIN

typedef struct cw_visit_revisit_rules {
    int64_t interval_ms; /* before the second visit, and for a page that changes as often */
    int64_t min_ms;      /* at least 1 */
    int64_t max_ms;      /* at least min_ms */
    uint32_t gone;       /* a page is dropped after this many answers of 404 or 410 in a row; 0: never */
} cw_visit_revisit_rules;

cw_visit_revisit_rules cw_visit_revisit_rules_of(const crawl_config *config);

/* How often the page changes, as far as known. All zero: unknown. */
typedef struct cw_visit_revisit_rate {
    float changes;   /* number within time_ms; older ones count less */
    float time_ms;   /* how long the page was watched; older visits count less */
    float surprise;  /* logarithm of the probability of the last run of equal outcomes; 0: no visit yet */
    bool in_changes; /* that outcome: a change */
    bool is_settled; /* both outcomes have occurred */
} cw_visit_revisit_rate;

/* The crawl's memory of a page. */
typedef struct cw_visit_revisit {
    int64_t interval_ms; /* until the next visit, before jitter and failures; 0: not visited yet */
    int64_t lastmod_ms;  /* from its sitemap, since 1970; CW_VISIT_REVISIT_NO_DATE: none */
    uint8_t suspect;     /* of a sitemap: see lastmods.h; at most 2 */
    uint8_t failures;    /* visits in a row without a usable answer; saturates at 255 */
    uint8_t gone;        /* how many of the last of them were answered by 404 or 410 */
    bool is_known;       /* there was a usable answer, which everything below belongs to: */
    cw_visit_revisit_rate rate;
    int64_t known_ms;   /* when the last usable answer came, by the frontier's clock */
    int64_t fetched_ms; /* when the page with this digest was asked for, by the wall clock */
    uint64_t digest;    /* of the page's body or its redirect's target, and of X-Robots-Tag */
    bool is_kept;       /* see cw_visit_keeping_judge; and it is not withheld */
    bool is_tagged;     /* it had an X-Robots-Tag with noindex or nofollow */
    bool has_simhash;
    uint64_t simhash;          /* of its text; see crawl_simhash_text */
    crawl_slice etag;          /* empty: none. Both at most CW_VISIT_REVISIT_MAX_ bytes, and fit for a header */
    crawl_slice last_modified; /* as the server wrote it */
} cw_visit_revisit;

/* Replaces *out. CRAWL_ENOMEM. */
crawl_err cw_visit_revisit_write(const cw_visit_revisit *page, crawl_buf *out);
/* The slices of the result are slices of memo. Bytes that are not a memo, or one of another version, give an empty
 * result. */
cw_visit_revisit cw_visit_revisit_read(crawl_slice memo);

typedef enum cw_visit_revisit_outcome {
    CW_VISIT_REVISIT_FIRST, /* a usable answer, the first */
    CW_VISIT_REVISIT_CHANGED,
    CW_VISIT_REVISIT_UNCHANGED,
    CW_VISIT_REVISIT_UNASKED, /* the page may not be asked for at present */
    CW_VISIT_REVISIT_FAILED,  /* no usable answer: says nothing about changes */
    CW_VISIT_REVISIT_GONE     /* 404 or 410 */
} cw_visit_revisit_outcome;

/* Returns true if the answer shows the content of the page. */
static inline bool cw_visit_revisit_is_usable(cw_visit_revisit_outcome outcome)
{
    return outcome == CW_VISIT_REVISIT_FIRST || outcome == CW_VISIT_REVISIT_CHANGED ||
           outcome == CW_VISIT_REVISIT_UNCHANGED;
}

/* Updates *page with the outcome of a visit at now_ms, and returns when the next one is due; CRAWL_FOREVER: never,
 * since the page was gone too often. last_modified_ms: since 1970, CW_VISIT_REVISIT_NO_DATE: none; wall_ms: the time of
 * the visit by the same clock; both matter only for FIRST. The caller sets digest, validators and fetched_ms.
 *
 * - First interval: rules->interval_ms, or a tenth of the page's age if that is longer (RFC 9111, 4.2.2), by
 *   Last-Modified or its sitemap's lastmod, whichever is later. The age never shortens it: pages that are generated on
 *   request are always young.
 * - After a failure the interval stays; from the second failure in a row, the delay doubles each time, up to max_ms.
 * - Each time that the page is gone, the delay is multiplied by four.
 * - salt subtracts or adds up to a tenth, within min_ms and max_ms, so that pages found together do not stay
 * together. */
int64_t cw_visit_revisit_next(const cw_visit_revisit_rules *rules, cw_visit_revisit *page,
                              cw_visit_revisit_outcome outcome, int64_t last_modified_ms, int64_t wall_ms,
                              int64_t now_ms, uint64_t salt);

/* Returns true if a sitemap's lastmod causes the next visit, being later than the last usable answer. now_ms, of the
 * frontier's clock, and wall_ms are the same moment. */
bool cw_visit_revisit_is_hinted(const cw_visit_revisit *page, int64_t now_ms, int64_t wall_ms);

/* Appends the headers that make a request conditional (RFC 9110, 13.1), unless there is no validator or the request's
 * own headers have a condition already. *is_conditional: some were appended. CRAWL_ENOMEM. */
crawl_err cw_visit_revisit_conditions(const cw_visit_revisit *page, crawl_slice own_headers, crawl_buf *out,
                                      bool *is_conditional);
