#include "tools/report/survey/coverage.h"

#include "base/bytes.h"

const char *const cw_survey_cut_words[CW_SURVEY_CUTS] = {
    [CW_SURVEY_CUT_ROBOTS] = "forbidden by robots.txt",
    [CW_SURVEY_CUT_HOST] = "of a host that asked to be left alone or failed too often",
    [CW_SURVEY_CUT_LICENSE] = "behind a licence",
    [CW_SURVEY_CUT_DEPTH] = "deeper than --depth",
    [CW_SURVEY_CUT_QUEUED] = "left when the crawl ended",
    [CW_SURVEY_CUT_SCOPE] = "outside of --scope",
    [CW_SURVEY_CUT_FILTER] = "left out by --include or --exclude",
    [CW_SURVEY_CUT_LIMIT] = "beyond a limit of the crawl",
    [CW_SURVEY_CUT_NOFOLLOW] = "linked by nofollow alone",
    [CW_SURVEY_CUT_OTHER] = "refused by the crawl",
};

typedef struct coverage_word {
    const char *word;
    cw_survey_cut cut;
} coverage_word;

static cw_survey_cut coverage_cut_of(crawl_slice word, const coverage_word *words, size_t count, cw_survey_cut other)
{
    for (size_t i = 0; i < count; i++)
        if (cw_is(word, words[i].word))
            return words[i].cut;
    return other;
}

cw_survey_cut cw_survey_cut_of(crawl_slice verdict)
{
    static const coverage_word verdicts[] = {
        {"new", CW_SURVEY_CUT_QUEUED},
        {"seen", CW_SURVEY_CUT_QUEUED}, /* without a record: queued by a sitemap, or by a link of another run */
        {"depth", CW_SURVEY_CUT_DEPTH},
        {"filter", CW_SURVEY_CUT_FILTER},
        {"nofollow", CW_SURVEY_CUT_NOFOLLOW},
        {"full", CW_SURVEY_CUT_LIMIT},
        {"max_url", CW_SURVEY_CUT_LIMIT},
        {"max_path_depth", CW_SURVEY_CUT_LIMIT},
        {"max_repeats", CW_SURVEY_CUT_LIMIT},
        {"max_queries", CW_SURVEY_CUT_LIMIT},
        {"max_sessions", CW_SURVEY_CUT_LIMIT},
        {"max_variants", CW_SURVEY_CUT_LIMIT},
        {"max_pages_per_host", CW_SURVEY_CUT_LIMIT},
        {"max_pages_per_domain", CW_SURVEY_CUT_LIMIT},
        {"refused", CW_SURVEY_CUT_OTHER},
        {"duplicate", CW_SURVEY_CUT_OTHER},
        {"redirects", CW_SURVEY_CUT_OTHER},
        {"port", CW_SURVEY_CUT_OTHER},
    };
    return coverage_cut_of(verdict, verdicts, sizeof verdicts / sizeof *verdicts, CW_SURVEY_CUT_NONE);
}

cw_survey_cut cw_survey_cut_of_answer(int status, crawl_slice error)
{
    static const coverage_word errors[] = {
        {"robots", CW_SURVEY_CUT_ROBOTS}, {"retry-after", CW_SURVEY_CUT_HOST}, {"given-up", CW_SURVEY_CUT_HOST},
        {"wall", CW_SURVEY_CUT_HOST},     {"too-large", CW_SURVEY_CUT_LIMIT},  {"limit", CW_SURVEY_CUT_LIMIT},
        {"scope", CW_SURVEY_CUT_NONE}, /* a redirect to another site */
    };
    enum { UNAUTHORIZED = 401, PAYMENT_REQUIRED = 402, TOO_MANY_REQUESTS = 429 };
    bool asks_license = !error.size && (status == UNAUTHORIZED || status == PAYMENT_REQUIRED); /* else it is broken */
    cw_survey_cut other = asks_license ? CW_SURVEY_CUT_LICENSE : CW_SURVEY_CUT_OTHER;
    return status == TOO_MANY_REQUESTS ? CW_SURVEY_CUT_HOST
                                       : coverage_cut_of(error, errors, sizeof errors / sizeof *errors, other);
}
