/* See survey.h: a record becomes a row of the database. */
#include "base/bytes.h"
#include "base/utf8.h"
#include "tools/report/survey/survey.h"
#include "tools/report/survey/survey_judge.h"

/* The key of a request: a GET, and what was checked, is found by its URL alone, since that is what links lead to. */
static crawl_err survey_add_key(cw_survey *survey, const cw_survey_record *record, crawl_slice *key)
{
    *key = record->url;
    if (!record->method.size || cw_is(record->method, "GET") || record->is_external)
        return CRAWL_OK;
    crawl_buf_clear(&survey->canonical);
    crawl_err err = crawl_buf_printf(&survey->canonical, "%.*s %.*s", (int)record->method.size, record->method.data,
                                     (int)record->url.size, record->url.data);
    *key = crawl_buf_slice(&survey->canonical);
    return err;
}

static void note_times(cw_survey *survey, const cw_survey_record *record)
{
    survey->records++;
    survey->has_near |= record->near_to.size || record->text_hash.size;
    survey->has_data |= record->has_data;
    survey->has_externals |= record->is_external;
    if (record->when && (!survey->first || record->when < survey->first))
        survey->first = record->when;
    if (record->when > survey->last)
        survey->last = record->when;
}

static crawl_err note_origin(cw_survey *survey, const cw_survey_record *record)
{
    crawl_slice host = cw_survey_host_of(record->url);
    crawl_slice origin =
        crawl_slice_of(record->url.data, host.size ? (size_t)(host.data - record->url.data) + host.size : 0);
    if (record->is_external || survey->has_origins)
        return CRAWL_OK;
    if (!survey->last_id)
        return crawl_buf_append(&survey->origin, origin.data, origin.size);
    survey->has_origins = !crawl_slice_equal(origin, crawl_buf_slice(&survey->origin));
    return CRAWL_OK;
}

/* ---- ids ---- */

static crawl_err add_ids(cw_survey *survey, int64_t page, const cw_json_value *ids)
{
    cw_json_value id;
    crawl_err err = CRAWL_OK;
    crawl_slice rest = ids->bytes;
    while (!err && cw_json_next_element(&rest, &id)) {
        cw_keyed_hash hash = cw_keyed_hash_of(&survey->secret, cw_json_text(&id, &survey->decoded));
        err = cw_survey_do(survey, cw_survey_bound(survey, CW_SQL_ID, "ii", page, (int64_t)hash.low));
    }
    return err;
}

/* Keeps the ids of a record in place of those of an earlier one. They stay if the page was not read again because it
 * has not changed. */
static crawl_err survey_add_ids(cw_survey *survey, int64_t page, const cw_survey_record *record, bool *are_known)
{
    bool had = *are_known;
    if (record->is_unchanged && !record->ids)
        return CRAWL_OK;
    survey->has_ids |= record->ids != NULL;
    *are_known = record->ids && !record->ids_cut;
    crawl_err err = had ? cw_survey_do(survey, cw_survey_bound(survey, CW_SQL_IDS_AWAY, "i", page)) : CRAWL_OK;
    return err || !*are_known ? err : add_ids(survey, page, record->ids);
}

/* ---- rows ---- */

static int64_t text_hash_of(cw_survey *survey, crawl_slice text)
{
    return text.size ? (int64_t)cw_keyed_hash_of(&survey->secret, text).low : 0;
}

/* May the page name translations, as far as its record tells? */
static bool tells_translations(const cw_survey_record *record)
{
    bool is_html = cw_survey_is_html(record) && !record->is_withheld && !record->data_is_cut;
    return is_html || record->redirect.size || cw_survey_judge(record) == CW_SURVEY_BROKEN;
}

static crawl_err add_page(cw_survey *survey, int64_t id, crawl_slice key, const cw_survey_record *record, bool has_ids)
{
    int64_t host;
    cw_keyed_hash hash = cw_survey_hash(survey, key);
    cw_survey_state state = cw_survey_judge(record);
    bool is_whole = record->status >= 200 && record->status < 300;
    crawl_err err = cw_survey_host_at(survey, cw_survey_host_of(record->url), &host);
    sqlite3_stmt *page = cw_survey_bound(
        survey, CW_SQL_PAGE, "iiiiiiibbbbbbbbbbiiiiiiisiiii", id,
        (int64_t)(record->is_external ? CW_KIND_EXTERNAL : CW_KIND_PAGE), (int64_t)hash.low, (int64_t)hash.high,
        (int64_t)state, (int64_t)cw_survey_rank(record), (int64_t)record->status, cw_survey_is_html(record),
        record->redirect.size > 0, tells_translations(record), record->is_part, has_ids, record->noindex,
        record->nofollow, record->title.size > 0, record->description.size > 0, record->has_heading,
        (int64_t)record->no_alt, (int64_t)record->bytes, (int64_t)record->elapsed_ms, (int64_t)record->depth,
        (int64_t)record->when,
        (int64_t)(state == CW_SURVEY_UNCHECKED && !record->is_external
                      ? cw_survey_cut_of_answer(record->status, record->error)
                      : CW_SURVEY_CUT_NONE),
        host, &record->type, is_whole && record->bytes ? text_hash_of(survey, record->digest) : 0,
        text_hash_of(survey, record->title), text_hash_of(survey, record->text_hash),
        text_hash_of(survey, record->description));
    return err ? err : cw_survey_do(survey, page);
}

static crawl_err add_words(cw_survey *survey, int64_t id, const cw_survey_record *record)
{
    crawl_slice title = cw_utf8_cut(record->title, CW_SURVEY_TEXT_MAX);
    crawl_slice detail = cw_utf8_cut(record->detail, CW_SURVEY_TEXT_MAX);
    crawl_slice description = cw_utf8_cut(record->description, CW_SURVEY_TEXT_MAX);
    crawl_slice names = crawl_slice_equal(record->names, record->url) ? (crawl_slice){0} : record->names;
    return cw_survey_do(survey,
                        cw_survey_bound(survey, CW_SQL_WORDS, "issssssssssssss", id, &record->url, &title,
                                        &record->error, &detail, &record->redirect, &record->parent, &record->digest,
                                        &record->near_to, &record->wall, &names, &record->no_alt_image, &description,
                                        &record->translations, &record->uses));
}

static crawl_err add_canonical(cw_survey *survey, int64_t id, const cw_survey_record *record)
{
    if (!record->canonical.size || crawl_slice_equal(record->canonical, record->url))
        return CRAWL_OK;
    cw_keyed_hash hash = cw_survey_hash(survey, record->canonical);
    survey->has_canonicals = true;
    return cw_survey_do(survey, cw_survey_bound(survey, CW_SQL_CANONICAL, "iiii", (int64_t)hash.low, (int64_t)hash.high,
                                                (int64_t)record->is_external, id));
}

static crawl_err survey_fill(cw_survey *survey, int64_t id, crawl_slice key, const cw_survey_record *record,
                             bool has_ids)
{
    crawl_err err = survey_add_ids(survey, id, record, &has_ids);
    if (!err)
        err = add_page(survey, id, key, record, has_ids);
    if (!err)
        err = add_words(survey, id, record);
    return err ? err : add_canonical(survey, id, record);
}

/* Takes the place of an earlier record, unless it is older or says nothing new. */
static crawl_err survey_refill(cw_survey *survey, int64_t id, crawl_slice key, const cw_survey_record *record)
{
    bool stays = false, has_ids = false;
    sqlite3_stmt *before = cw_survey_bound(survey, CW_SQL_OLDER, "i", id);
    if (!before)
        return CRAWL_EIO;
    int result = sqlite3_step(before);
    if (result == SQLITE_ROW) {
        stays = record->when < (uint64_t)sqlite3_column_int64(before, 0) ||
                (record->status == 304 && sqlite3_column_int(before, 1));
        has_ids = sqlite3_column_int(before, 2);
    }
    crawl_err err = cw_survey_checked(survey, result);
    sqlite3_reset(before);
    return err || stays ? err : survey_fill(survey, id, key, record, has_ids);
}

crawl_err cw_survey_add(cw_survey *survey, const cw_survey_record *record)
{
    crawl_slice key;
    cw_survey_found known = {0};
    crawl_err err = survey_add_key(survey, record, &key);
    note_times(survey, record);
    if (!err)
        err = cw_survey_find_text(survey, key, record->is_external ? CW_KIND_EXTERNAL : CW_KIND_PAGE, &known);
    if (!err && known.id)
        return survey_refill(survey, known.id, key, record);
    if (!err)
        err = note_origin(survey, record);
    return err ? err : survey_fill(survey, ++survey->last_id, key, record, false);
}
