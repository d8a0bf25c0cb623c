/* See coverage.h. */
#include "crawler/program/tools/report/survey/coverage.h"

#include "base/bytes.h"

#include <stdlib.h>

enum { FIRST_ROOM = 1024 };

cw_survey_cut cw_survey_cut_of(crawl_slice verdict)
{
    static const struct {
        const char *verdict;
        cw_survey_cut cut;
    } cuts[] = {
        {"new", CW_SURVEY_CUT_QUEUED},
        {"depth", CW_SURVEY_CUT_DEPTH},
        {"filter", CW_SURVEY_CUT_FILTER},
        {"nofollow", CW_SURVEY_CUT_NOFOLLOW},
        {"full", CW_SURVEY_CUT_LIMIT},
        {"max_url", CW_SURVEY_CUT_LIMIT},
        {"max_path_depth", CW_SURVEY_CUT_LIMIT},
        {"max_repeats", CW_SURVEY_CUT_LIMIT},
        {"max_queries", CW_SURVEY_CUT_LIMIT},
        {"max_sessions", CW_SURVEY_CUT_LIMIT},
        {"max_pages_per_host", CW_SURVEY_CUT_LIMIT},
        {"max_pages_per_domain", CW_SURVEY_CUT_LIMIT},
        {"refused", CW_SURVEY_CUT_OTHER},
        {"duplicate", CW_SURVEY_CUT_OTHER},
        {"redirects", CW_SURVEY_CUT_OTHER},
        {"port", CW_SURVEY_CUT_OTHER},
    };
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        if (cw_is(verdict, cuts[i].verdict))
            return cuts[i].cut;
    return CW_SURVEY_CUT_NONE;
}

/* The place of a hash, or the free one where it would be. */
static uint64_t *coverage_place(const cw_survey_coverage *coverage, uint64_t hash)
{
    size_t at = (size_t)hash & (coverage->room - 1);
    while (coverage->hashes[at] && coverage->hashes[at] != hash)
        at = (at + 1) & (coverage->room - 1);
    return &coverage->hashes[at];
}

/* Half of the places at least are free. */
static crawl_err grow_coverage(cw_survey_coverage *coverage)
{
    if (2 * (coverage->count + 1) <= coverage->room)
        return CRAWL_OK;
    cw_survey_coverage grown = *coverage;
    grown.room = coverage->room ? 2 * coverage->room : FIRST_ROOM;
    grown.hashes = calloc(grown.room, sizeof *grown.hashes);
    if (!grown.hashes)
        return CRAWL_ENOMEM;
    for (size_t i = 0; i < coverage->room; i++)
        if (coverage->hashes[i])
            *coverage_place(&grown, coverage->hashes[i]) = coverage->hashes[i];
    free(coverage->hashes);
    *coverage = grown;
    return CRAWL_OK;
}

crawl_err cw_survey_coverage_add(cw_survey_coverage *coverage, const cw_hash_secret *secret, crawl_slice url,
                                 cw_survey_cut cut)
{
    crawl_slice text = crawl_slice_of(url.data, cw_find_char(url, '#'));
    if (coverage->count == CW_SURVEY_CUT_MAX)
        return CRAWL_OK;
    if (grow_coverage(coverage))
        return CRAWL_ENOMEM;
    uint64_t hash = cw_keyed_hash_of(secret, text).low | 1;
    uint64_t *place = coverage_place(coverage, hash);
    if (*place)
        return CRAWL_OK;
    *place = hash;
    coverage->count++;
    coverage->cut[cut]++;
    return CRAWL_OK;
}

void cw_survey_coverage_free(cw_survey_coverage *coverage)
{
    free(coverage->hashes);
}
