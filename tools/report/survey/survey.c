#include "tools/report/survey/survey.h"

#include "base/bytes.h"
#include "base/utf8.h"
#include "tools/common/say.h"
#include "tools/report/survey/survey_judge.h"
#include "tools/report/survey/survey_sql.h"

#include <stdarg.h>
#include <stdlib.h>

static const char tool[] = "report";

/* ---- SQL ---- */

crawl_err cw_survey_checked(cw_survey *survey, int result)
{
    if (result == SQLITE_OK || result == SQLITE_DONE || result == SQLITE_ROW)
        return CRAWL_OK;
    if (result != SQLITE_NOMEM)
        cw_tool_say(tool, "the database of the report: %s", sqlite3_errmsg(survey->db));
    crawl_err err = result == SQLITE_NOMEM ? CRAWL_ENOMEM : CRAWL_EIO;
    survey->failure = survey->failure ? survey->failure : err;
    return err;
}

bool cw_survey_has_row(cw_survey *survey, sqlite3_stmt *statement)
{
    int result = sqlite3_step(statement);
    return !cw_survey_checked(survey, result) && result == SQLITE_ROW;
}

static const char *survey_schema_name(const cw_survey *survey)
{
    return survey->is_second ? "old" : "main";
}

/* Puts the name of the schema for SCHEMA. */
static crawl_err survey_named(const cw_survey *survey, const char *sql, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    crawl_slice rest = crawl_slice_from(sql);
    while (rest.size && !err) {
        crawl_slice before = cw_take(&rest, cw_find_text(rest, "SCHEMA"));
        err = crawl_buf_append(out, before.data, before.size);
        if (!err && cw_take_text(&rest, "SCHEMA"))
            err = crawl_buf_append_text(out, survey_schema_name(survey));
    }
    return err;
}

crawl_err cw_survey_run(cw_survey *survey, const char *sql)
{
    crawl_buf named = {0};
    crawl_err err = survey_named(survey, sql, &named);
    if (!err)
        err = cw_survey_checked(survey, sqlite3_exec(survey->db, named.data, NULL, NULL, NULL));
    crawl_buf_free(&named);
    return err;
}

int64_t cw_survey_number(cw_survey *survey, const char *sql)
{
    sqlite3_stmt *question = NULL;
    int result = sqlite3_prepare_v2(survey->db, sql, -1, &question, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_step(question);
    (void)cw_survey_checked(survey, result);
    int64_t number = result == SQLITE_ROW ? sqlite3_column_int64(question, 0) : 0;
    sqlite3_finalize(question);
    return number;
}

static const char *const survey_statements[CW_SQL_STATEMENTS] = {
    [CW_SQL_FIND] = "SELECT id, kind, state, redirects, ids, cut FROM SCHEMA.page WHERE hash=? AND hash2=? AND kind=?",
    [CW_SQL_FIND_CANONICAL] = "SELECT page.id, page.kind, state, redirects, ids, cut FROM SCHEMA.canonical c JOIN "
                              "SCHEMA.page ON page.id=c.id WHERE c.hash=? AND c.hash2=? AND c.kind=?",
    [CW_SQL_OLDER] = "SELECT fetched, status, ids FROM SCHEMA.page WHERE id=?",
    [CW_SQL_PAGE] = "INSERT OR REPLACE INTO SCHEMA.page(id,kind,hash,hash2,state,rank,status,html,redirects,told,part,"
                    "ids,noindex,nofollow,titled,described,headed,no_alt,bytes,elapsed_ms,depth,fetched,cut,host,type,"
                    "digest_hash,title_hash,text_hash,description_hash) "
                    "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [CW_SQL_WORDS] = "INSERT OR REPLACE INTO SCHEMA.words(id,url,title,error,detail,redirect,parent,digest,near,wall,"
                     "names,image,description,translations,preferences) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [CW_SQL_CANONICAL] = "INSERT OR IGNORE INTO SCHEMA.canonical VALUES(?,?,?,?)",
    [CW_SQL_IDS_AWAY] = "DELETE FROM SCHEMA.ids WHERE page=?",
    [CW_SQL_ID] = "INSERT OR IGNORE INTO SCHEMA.ids VALUES(?,?)",
    [CW_SQL_HAS_ID] = "SELECT 1 FROM SCHEMA.ids WHERE page=? AND hash=?",
    [CW_SQL_HOST] = "SELECT id FROM SCHEMA.host WHERE name=?",
    [CW_SQL_HOST_ADD] = "INSERT INTO SCHEMA.host(name) VALUES(?)",
    [CW_SQL_HOST_PAGES] = "SELECT pages FROM SCHEMA.host WHERE id=?",
    [CW_SQL_UNASKED] = "INSERT INTO SCHEMA.page(id,kind,hash,hash2,host,state,rank) VALUES(?,?,?,?,?,?,?)",
    [CW_SQL_OTHER_WORDS] = "INSERT INTO SCHEMA.words(id,url,error) VALUES(?,?,?)",
    [CW_SQL_CUT] = "UPDATE SCHEMA.page SET cut=? WHERE id=?",
    [CW_SQL_COUNT] = "INSERT INTO SCHEMA.counted VALUES(?,?) ON CONFLICT DO UPDATE SET n=n+excluded.n",
    [CW_SQL_LINK] = "INSERT INTO SCHEMA.link VALUES(?,?,?,?)",
    [CW_SQL_REDIRECT] = "SELECT redirect FROM SCHEMA.words WHERE id=?",
    [CW_SQL_REQUEST] = "UPDATE SCHEMA.host SET requests=requests+1, retries=retries+?, robots=coalesce(?,robots) "
                       "WHERE id=?",
    [CW_SQL_SITEMAP] = "INSERT OR IGNORE INTO SCHEMA.sitemap VALUES(?)",
    [CW_SQL_LISTED] = "UPDATE SCHEMA.page SET in_sitemap=1 WHERE id=?",
};

static sqlite3_stmt *survey_statement(cw_survey *survey, cw_survey_statement which)
{
    sqlite3_stmt **statement = &survey->statements[which];
    crawl_buf sql = {0};
    if (!*statement && !survey_named(survey, survey_statements[which], &sql))
        (void)cw_survey_checked(
            survey, sqlite3_prepare_v3(survey->db, sql.data, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL));
    crawl_buf_free(&sql);
    return *statement;
}

/* kinds has a letter for each value: i int64_t, b int as a truth (NULL for false), s crawl_slice * (NULL for an empty
 * one). */
sqlite3_stmt *cw_survey_bound(cw_survey *survey, cw_survey_statement which, const char *kinds, ...)
{
    va_list values;
    sqlite3_stmt *statement = survey_statement(survey, which);
    va_start(values, kinds);
    for (int at = 1; statement && kinds[at - 1]; at++) {
        const crawl_slice *text;
        int is_true;
        switch (kinds[at - 1]) {
        case 'i':
            sqlite3_bind_int64(statement, at, va_arg(values, int64_t));
            break;
        case 'b':
            is_true = va_arg(values, int);
            (void)(is_true ? sqlite3_bind_int(statement, at, 1) : sqlite3_bind_null(statement, at));
            break;
        default:
            text = va_arg(values, const crawl_slice *);
            (void)(text->size ? sqlite3_bind_text64(statement, at, text->data, text->size, SQLITE_STATIC, SQLITE_UTF8)
                              : sqlite3_bind_null(statement, at));
        }
    }
    va_end(values);
    return statement;
}

crawl_err cw_survey_do(cw_survey *survey, sqlite3_stmt *statement)
{
    if (!statement)
        return CRAWL_EIO;
    int result = sqlite3_step(statement);
    crawl_err err = cw_survey_checked(survey, result);
    sqlite3_reset(statement);
    return err;
}

/* ---- the database ---- */

/* A file without a name, which nobody else sees, needs no journal. */
static crawl_err survey_open(cw_survey *survey, const cw_survey *first)
{
    static const char ways[] =
        "PRAGMA SCHEMA.page_size=8192; PRAGMA SCHEMA.journal_mode=OFF;"
        "PRAGMA SCHEMA.synchronous=OFF; PRAGMA SCHEMA.cache_size=-65536; PRAGMA temp_store=FILE;";
    survey->is_second = first != NULL;
    int result = first ? SQLITE_OK : sqlite3_open("", &survey->db);
    if (first)
        survey->db = first->db;
    crawl_err err = survey->db ? cw_survey_checked(survey, result) : CRAWL_ENOMEM;
    if (!err && first)
        err = cw_survey_run(survey, "COMMIT; ATTACH '' AS old;");
    if (!err)
        err = cw_survey_run(survey, ways);
    if (!err)
        err = cw_survey_run(survey, cw_survey_schema);
    if (!err)
        err = cw_survey_run(survey, "BEGIN");
    return err;
}

cw_survey *cw_survey_create(cw_survey *first)
{
    cw_survey *survey = calloc(1, sizeof *survey);
    if (!survey)
        return NULL;
    survey->url = crawl_url_create();
    cw_hash_secret_draw(&survey->secret);
    if (first)
        survey->secret = first->secret;
    if (survey->url && !survey_open(survey, first))
        return survey;
    cw_survey_free(survey);
    return NULL;
}

void cw_survey_free(cw_survey *survey)
{
    if (!survey)
        return;
    for (size_t i = 0; i < CW_SQL_STATEMENTS; i++)
        sqlite3_finalize(survey->statements[i]);
    if (!survey->is_second)
        sqlite3_close(survey->db);
    crawl_url_free(survey->url);
    crawl_buf_free(&survey->canonical);
    crawl_buf_free(&survey->key);
    crawl_buf_free(&survey->repaired);
    crawl_buf_free(&survey->decoded);
    crawl_buf_free(&survey->origin);
    crawl_buf_free(&survey->host_text);
    free(survey->targets);
    free(survey);
}

/* ---- hosts ---- */

crawl_slice cw_survey_host_of(crawl_slice url)
{
    const char *scheme = url.size ? memmem(url.data, url.size, "://", 3) : NULL;
    if (!scheme)
        return (crawl_slice){0};
    crawl_slice rest = cw_drop(url, (size_t)(scheme - url.data) + 3);
    return crawl_slice_of(rest.data, cw_find_any(rest, "/?#"));
}

crawl_err cw_survey_host_at(cw_survey *survey, crawl_slice name, int64_t *id)
{
    *id = 0;
    if (!name.size)
        return CRAWL_OK;
    if (survey->host_id && crawl_slice_equal(name, crawl_buf_slice(&survey->host_text))) {
        *id = survey->host_id;
        return CRAWL_OK;
    }
    sqlite3_stmt *known = cw_survey_bound(survey, CW_SQL_HOST, "s", &name);
    crawl_err err = known ? CRAWL_OK : CRAWL_EIO;
    if (!err && cw_survey_has_row(survey, known))
        *id = sqlite3_column_int64(known, 0);
    err = err ? err : survey->failure;
    sqlite3_reset(known);
    if (!err && !*id) {
        err = cw_survey_do(survey, cw_survey_bound(survey, CW_SQL_HOST_ADD, "s", &name));
        *id = sqlite3_last_insert_rowid(survey->db);
    }
    crawl_buf_clear(&survey->host_text);
    survey->host_id = 0;
    if (!err)
        err = crawl_buf_append(&survey->host_text, name.data, name.size);
    survey->host_id = err ? 0 : *id;
    return err;
}

/* ---- pages are found by hashes ---- */

/* A URL as it is looked for: of --map with its host as the other crawl has it. */
static crawl_slice survey_mapped(cw_survey *survey, crawl_slice url)
{
    crawl_slice host = cw_survey_host_of(url);
    if (!survey->host_from.size || !crawl_slice_equal(host, survey->host_from))
        return url;
    size_t before = (size_t)(host.data - url.data);
    crawl_slice after = cw_drop(url, before + host.size);
    crawl_buf_clear(&survey->key);
    crawl_err err = crawl_buf_printf(&survey->key, "%.*s%.*s%.*s", (int)before, url.data, (int)survey->host_to.size,
                                     survey->host_to.data, (int)after.size, after.data);
    return err ? url : crawl_buf_slice(&survey->key);
}

cw_keyed_hash cw_survey_hash(cw_survey *survey, crawl_slice url)
{
    return cw_keyed_hash_of(&survey->secret, survey_mapped(survey, url));
}

static crawl_err survey_find_by(cw_survey *survey, cw_survey_statement which, crawl_slice text, cw_survey_row_kind kind,
                                cw_survey_found *out)
{
    cw_keyed_hash hash = cw_survey_hash(survey, text);
    sqlite3_stmt *found = cw_survey_bound(survey, which, "iii", (int64_t)hash.low, (int64_t)hash.high, (int64_t)kind);
    *out = (cw_survey_found){0};
    if (!found)
        return CRAWL_EIO;
    int result = sqlite3_step(found);
    if (result == SQLITE_ROW)
        *out = (cw_survey_found){.id = sqlite3_column_int64(found, 0),
                                 .kind = (cw_survey_row_kind)sqlite3_column_int(found, 1),
                                 .state = sqlite3_column_int(found, 2),
                                 .redirects = sqlite3_column_int(found, 3),
                                 .has_ids = sqlite3_column_int(found, 4),
                                 .has_cut = sqlite3_column_int(found, 5)};
    crawl_err err = cw_survey_checked(survey, result);
    sqlite3_reset(found);
    return err;
}

crawl_err cw_survey_find_text(cw_survey *survey, crawl_slice text, cw_survey_row_kind kind, cw_survey_found *out)
{
    return survey_find_by(survey, CW_SQL_FIND, text, kind, out);
}

crawl_err cw_survey_find(cw_survey *survey, crawl_slice url, cw_survey_row_kind kind, cw_survey_found *out)
{
    crawl_slice plain = crawl_slice_of(url.data, cw_find_char(url, '#'));
    crawl_err err = cw_survey_find_text(survey, plain, kind, out);
    if (err || out->id || !survey->has_canonicals)
        return err;
    crawl_buf_clear(&survey->canonical);
    if (crawl_url_parse(survey->url, plain, NULL, NULL) || crawl_url_canonical(survey->url, &survey->canonical))
        return CRAWL_OK;
    crawl_slice canonical = crawl_buf_slice(&survey->canonical);
    err = cw_survey_find_text(survey, canonical, kind, out);
    return err || out->id ? err : survey_find_by(survey, CW_SQL_FIND_CANONICAL, canonical, kind, out);
}

crawl_err cw_survey_add_other(cw_survey *survey, crawl_slice text, cw_survey_row_kind kind, int64_t *id)
{
    int64_t host = 0;
    cw_keyed_hash hash = cw_survey_hash(survey, text);
    const cw_survey_record none = {.error = crawl_slice_from(kind == CW_KIND_INVALID ? "no-url" : "")};
    crawl_err err = kind == CW_KIND_UNASKED ? cw_survey_host_at(survey, cw_survey_host_of(text), &host) : CRAWL_OK;
    *id = ++survey->last_id;
    if (!err)
        err = cw_survey_do(survey, cw_survey_bound(survey, CW_SQL_UNASKED, "iiiiiii", *id, (int64_t)kind,
                                                   (int64_t)hash.low, (int64_t)hash.high, host,
                                                   (int64_t)cw_survey_judge(&none), (int64_t)cw_survey_rank(&none)));
    return err ? err
               : cw_survey_do(survey, cw_survey_bound(survey, CW_SQL_OTHER_WORDS, "iss", *id, &text, &none.error));
}
