#include "tools/report/survey/functions.h"

#include "base/bytes.h"
#include "tools/report/survey/survey_judge.h"

#include <crawl/preferences.h>

static crawl_slice functions_text(sqlite3_value *value)
{
    const void *text = sqlite3_value_text(value);
    return crawl_slice_of(text, text ? (size_t)sqlite3_value_bytes(value) : 0);
}

static void functions_find(sqlite3_context *context, sqlite3_value *url, cw_survey_row_kind kind)
{
    cw_survey *survey = sqlite3_user_data(context);
    cw_survey_found found = {0};
    crawl_slice text = functions_text(url);
    crawl_err err = text.size ? cw_survey_find(survey, text, kind, &found) : CRAWL_OK;
    if (err)
        sqlite3_result_error_code(context, err == CRAWL_ENOMEM ? SQLITE_NOMEM : SQLITE_ERROR);
    else if (found.id)
        sqlite3_result_int64(context, found.id);
}

static void functions_find_page(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    functions_find(context, values[0], CW_KIND_PAGE);
}

static void functions_find_external(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    functions_find(context, values[0], CW_KIND_EXTERNAL);
}

static void functions_answer(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    cw_survey_cause cause = cw_survey_answer_of_rank((unsigned)sqlite3_value_int(values[0]));
    sqlite3_result_text(context, cause.text, -1, SQLITE_TRANSIENT);
}

static void functions_rank_of(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const cw_survey_record record = {.error = functions_text(values[0])};
    sqlite3_result_int64(context, cw_survey_rank(&record));
}

static void functions_cut_words(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    int cut = sqlite3_value_int(values[0]);
    if (cut > CW_SURVEY_CUT_NONE && cut < CW_SURVEY_CUTS)
        sqlite3_result_text(context, cw_survey_cut_words[cut], -1, SQLITE_STATIC);
}

static void functions_names_sitemap(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    crawl_slice url = functions_text(values[0]);
    crawl_slice path = crawl_slice_of(url.data, cw_find_any(url, "?#"));
    crawl_slice last = cw_drop(path, cw_find_last(path, '/') < path.size ? cw_find_last(path, '/') : 0);
    sqlite3_result_int(context, cw_ends_with(last, ".xml") || cw_ends_with(last, ".xml.gz") ||
                                    cw_find_text(last, "sitemap") < last.size);
}

static void functions_use_name(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    int use = sqlite3_value_type(values[0]) == SQLITE_NULL ? -1 : sqlite3_value_int(values[0]);
    if (use >= 0 && use < CRAWL_USE_COUNT)
        sqlite3_result_text(context, crawl_use_name((crawl_use)use), -1, SQLITE_STATIC);
}

static void functions_use_number(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    crawl_slice name = functions_text(values[0]);
    for (int use = 0; use < CRAWL_USE_COUNT; use++)
        if (cw_is(name, crawl_use_name((crawl_use)use)))
            sqlite3_result_int(context, use);
}

crawl_err cw_survey_add_functions(cw_survey *survey)
{
    static const struct {
        const char *name;
        void (*call)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {
        {"find", functions_find_page},      {"find_external", functions_find_external},
        {"answer", functions_answer},       {"rank_of", functions_rank_of},
        {"cut_words", functions_cut_words}, {"names_sitemap", functions_names_sitemap},
        {"use_name", functions_use_name},   {"use_number", functions_use_number},
    };
    size_t count = survey->is_second ? 1 : sizeof functions / sizeof *functions;
    int result = SQLITE_OK;
    for (size_t i = 0; i < count && !result; i++)
        result = sqlite3_create_function_v2(survey->db, survey->is_second ? "was" : functions[i].name, 1, SQLITE_UTF8,
                                            survey, functions[i].call, NULL, NULL, NULL);
    return cw_survey_checked(survey, result);
}
