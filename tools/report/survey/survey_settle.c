#include "tools/report/survey/survey_settle.h"

#include "tools/report/survey/folders.h"
#include "tools/report/survey/functions.h"
#include "tools/report/survey/survey_sql.h"

crawl_err cw_survey_settle_records(cw_survey *survey)
{
    crawl_err err = cw_survey_add_functions(survey);
    if (!err)
        err = cw_survey_run(survey, cw_survey_after_records);
    survey->has_sitemap |= !err && sqlite3_changes(survey->db) > 0;
    return err;
}

/* Counts the URLs of which nothing is known. */
static crawl_err count_coverage(cw_survey *survey)
{
    sqlite3_stmt *cuts = NULL;
    int result = sqlite3_prepare_v2(survey->db, "SELECT cut, count(*) FROM main.page WHERE cut > 0 GROUP BY cut", -1,
                                    &cuts, NULL);
    for (result = result ? result : sqlite3_step(cuts); result == SQLITE_ROW; result = sqlite3_step(cuts)) {
        uint64_t count = (uint64_t)sqlite3_column_int64(cuts, 1);
        survey->coverage.cut[sqlite3_column_int(cuts, 0)] = count;
        survey->coverage.missing += count;
    }
    sqlite3_finalize(cuts);
    return cw_survey_checked(survey, result);
}

/* Ties pages to those of the earlier crawl. */
static crawl_err tie_to(cw_survey *survey, cw_survey *old)
{
    crawl_err err = old ? cw_survey_add_functions(old) : CRAWL_OK;
    return old && !err
               ? cw_survey_run(survey,
                               "UPDATE main.page SET was = was((SELECT url FROM main.words w WHERE w.id = page.id)) "
                               "WHERE kind = 0; CREATE INDEX main.page_was ON page(was) WHERE was IS NOT NULL;")
               : err;
}

crawl_err cw_survey_settle_links(cw_survey *survey, cw_survey *old)
{
    crawl_err err = cw_survey_run(survey, cw_survey_after_links);
    if (!err)
        err = tie_to(survey, old);
    if (!err)
        err = count_coverage(survey);
    return err ? err : cw_survey_folders_build(survey);
}
