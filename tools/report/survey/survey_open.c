/* See survey.h: opens the database and makes the tables. */
#include "tools/common/say.h"
#include "tools/report/survey/functions.h"
#include "tools/report/survey/survey_sql.h"

#include <stdlib.h>

static const char tool[] = "report";

/* Makes the tables. Temporary ones need no journal. */
static crawl_err survey_begin(cw_survey *survey)
{
    static const char ways[] = "PRAGMA temp_store=FILE; PRAGMA temp.journal_mode=OFF; PRAGMA temp.cache_size=-32768; "
                               "PRAGMA main.cache_size=-65536;";
    crawl_err err = survey->is_second ? CRAWL_OK : cw_survey_run(survey, ways);
    if (!err)
        err = cw_survey_add_functions(survey);
    return err ? err : cw_survey_run(survey, cw_survey_schema);
}

static cw_survey *survey_create(cw_survey *first)
{
    cw_survey *survey = calloc(1, sizeof *survey);
    if (!survey)
        return NULL;
    survey->url = crawl_url_create();
    survey->is_second = first != NULL;
    cw_hash_secret_draw(&survey->secret);
    if (first) {
        survey->secret = first->secret;
        survey->db = first->db;
    }
    if (survey->url)
        return survey;
    cw_survey_free(survey);
    return NULL;
}

/* Prints why the survey cannot be opened, and frees it. Returns NULL. */
static cw_survey *survey_refuse(cw_survey *survey, crawl_err err, const crawl_error *error)
{
    if (!survey || survey->failure != CRAWL_EIO) /* already printed */
        cw_tool_say(tool, "%s", *error->message ? error->message : crawl_strerror(err));
    cw_survey_free(survey);
    return NULL;
}

cw_survey *cw_survey_create(const char *path)
{
    crawl_error error = {0};
    cw_survey *survey = survey_create(NULL);
    crawl_err err = !survey ? CRAWL_ENOMEM
                    : path  ? cw_results_read(path, &survey->db, &error)
                            : cw_results_open(NULL, &survey->results, &error);
    if (!err && survey->results)
        survey->db = cw_results_database(survey->results);
    if (!err)
        err = survey_begin(survey);
    return err ? survey_refuse(survey, err, &error) : survey;
}

cw_survey *cw_survey_create_old(cw_survey *first)
{
    cw_survey *survey = survey_create(first);
    return survey ? survey : survey_refuse(NULL, CRAWL_ENOMEM, &(crawl_error){0});
}

crawl_err cw_survey_attach(cw_survey *old, const char *path)
{
    crawl_err err = cw_survey_run(old, "COMMIT");
    if (!err)
        err = cw_survey_run_with(old, "ATTACH ? AS old", path);
    if (!err)
        err = cw_survey_run(old, "BEGIN");
    return err ? err : survey_begin(old);
}
