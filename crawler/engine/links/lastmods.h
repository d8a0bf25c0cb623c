/* The effect of a sitemap's dates of changes (lastmod) in a crawl that visits pages again: a known page whose lastmod
 * is later than its last visit is due at once.
 *
 * Many sitemaps have dates that say nothing about changes, such as the time of the request. So dates are not believed
 *
 *   - of a sitemap in which all of them were the same, or all within a day of now, in the last two readings. A sitemap
 *     with fewer than two dates tells neither. The count is kept in the sitemap's own memo.
 *   - of a site after CW_HOST_VAIN_MAX such visits in a row found no change. From then on a reading makes one page due,
 * to see whether its dates mean something again. The count is kept with the site.
 *
 * A date in the future makes no page due. */
#pragma once

#include <crawl/engine.h>
#include <crawl/fingerprint.h>
#include <crawl/sitemap.h>
#include <crawl/url.h>

#define CW_LINKS_DAY_S INT64_C(86400)

/* Suspicious readings in a row after which a sitemap's dates are not believed. */
#define CW_LINKS_LASTMODS_SUSPECT 2u

typedef struct cw_links_lastmod {
    crawl_fingerprint page;
    int64_t ms; /* since 1970 */
} cw_links_lastmod;

/* The dates of one reading; {0}: none. */
typedef struct cw_links_lastmods {
    cw_links_lastmod *all; /* pages that belong to the crawl */
    size_t count;
    size_t room;
    crawl_buf origins; /* of these pages, one per line */
    crawl_buf origin;  /* of the present page */
    uint64_t dates;    /* entries that had a date */
    int64_t first_ms;
    bool differ;  /* they are not all the same */
    bool has_old; /* they are not all within a day of now */
} cw_links_lastmods;

/* Returns the latest time that the lastmod of an entry may mean, in ms since 1970: the end of its day if it has no time
 * of day. */
int64_t cw_links_lastmods_until_ms(const crawl_sitemap_entry *entry);

/* Adds the date of an entry, which may mean any time from lastmod_ms to until_ms. page NULL: it does not belong to the
 * crawl. wall_ms: now. CRAWL_ENOMEM. */
crawl_err cw_links_lastmods_take(cw_links_lastmods *lastmods, const crawl_url *url, const crawl_fingerprint *page,
                                 int64_t lastmod_ms, int64_t until_ms, int64_t wall_ms);

/* Returns the number of suspicious readings in a row, given the number before this one; at most
 * CW_LINKS_LASTMODS_SUSPECT. */
uint8_t cw_links_lastmods_judge(const cw_links_lastmods *lastmods, uint8_t before);

/* Makes the pages due that have changed since their last visit. An error fails the crawl. */
void cw_links_lastmods_apply(cw_links_lastmods *lastmods, crawl_engine *engine);

void cw_links_lastmods_free(cw_links_lastmods *lastmods);
