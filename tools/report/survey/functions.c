#include "tools/report/survey/functions.h"

#include "base/bytes.h"
#include "base/json/pick.h"
#include "base/utf8.h"
#include "tools/report/survey/survey_judge.h"

#include <crawl/links.h>
#include <crawl/preferences.h>
#include <crawl/simhash.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static crawl_slice functions_text(sqlite3_value *value)
{
    const void *text = sqlite3_value_text(value);
    return crawl_slice_of(text, text ? (size_t)sqlite3_value_bytes(value) : 0);
}

static void functions_answer_number(sqlite3_context *context, crawl_err err, int64_t number)
{
    if (err)
        sqlite3_result_error_code(context, err == CRAWL_ENOMEM ? SQLITE_NOMEM : SQLITE_ERROR);
    else if (number)
        sqlite3_result_int64(context, number);
}

/* Answers NULL for an empty text. */
static void functions_answer_text(sqlite3_context *context, crawl_slice text)
{
    if (text.size)
        sqlite3_result_text64(context, text.data, text.size, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* ---- pages and hosts ---- */

static void functions_find(sqlite3_context *context, sqlite3_value *url, cw_survey_row_kind kind)
{
    int64_t id = 0;
    crawl_slice text = functions_text(url);
    crawl_err err = text.size ? cw_survey_find(sqlite3_user_data(context), text, kind, &id) : CRAWL_OK;
    functions_answer_number(context, err, id);
}

static void functions_find_page(sqlite3_context *context, int, sqlite3_value **values)
{
    functions_find(context, values[0], CW_KIND_PAGE);
}

static void functions_find_external(sqlite3_context *context, int, sqlite3_value **values)
{
    functions_find(context, values[0], CW_KIND_EXTERNAL);
}

/* Follows redirects to the page that a browser would show. NULL: it has no record, or a redirect has a fragment. */
static void functions_shown(sqlite3_context *context, int, sqlite3_value **values)
{
    cw_survey *survey = sqlite3_user_data(context);
    int64_t id = sqlite3_value_int64(values[0]);
    crawl_err err = CRAWL_OK;
    for (unsigned hops = 0; id && !err; hops++) {
        sqlite3_stmt *redirect = cw_survey_bound(survey, CW_SQL_REDIRECT, "i", id);
        if (!redirect || !cw_survey_has_row(survey, redirect)) {
            err = redirect && !survey->failure ? CRAWL_OK : CRAWL_EIO;
            sqlite3_reset(redirect);
            break;
        }
        crawl_slice next = crawl_slice_of(sqlite3_column_text(redirect, 0), (size_t)sqlite3_column_bytes(redirect, 0));
        id = 0;
        if (hops < CW_SURVEY_HOPS_MAX && cw_find_char(next, '#') == next.size)
            err = cw_survey_find(survey, next, CW_KIND_PAGE, &id);
        sqlite3_reset(redirect);
    }
    functions_answer_number(context, err, id);
}

static void functions_host_at(sqlite3_context *context, int, sqlite3_value **values)
{
    int64_t id = 0;
    crawl_err err = cw_survey_host_at(sqlite3_user_data(context), cw_survey_host_of(functions_text(values[0])), &id);
    functions_answer_number(context, err, id);
}

static void functions_origin_of(sqlite3_context *context, int, sqlite3_value **values)
{
    crawl_slice url = functions_text(values[0]), host = cw_survey_host_of(url);
    size_t size = host.size ? (size_t)(host.data - url.data) + host.size : 0;
    sqlite3_result_text64(context, url.data ? url.data : "", size, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* ---- records ---- */

/* Returns true if the response itself names an RSL licence. A licence named in a line of robots.txt does not count. */
static bool functions_names_license(crawl_slice preferences)
{
    enum { SOURCE, LINE, IGNORED, FIELDS };
    static const crawl_slice names[FIELDS] = {CW_JSON_NAME("source"), CW_JSON_NAME("line"), CW_JSON_NAME("ignored")};
    cw_json_value one, of[FIELDS];
    bool is_there = false;
    while (!is_there && preferences.size && cw_json_next_element(&preferences, &one))
        is_there = one.kind == CW_JSON_OBJECT && cw_json_pick(one.bytes, names, FIELDS, of) &&
                   of[IGNORED].kind != CW_JSON_STRING && of[LINE].kind != CW_JSON_NUMBER &&
                   of[SOURCE].kind == CW_JSON_STRING && cw_is(of[SOURCE].bytes, "rsl");
    return is_there;
}

/* Answers 4 * rank + state. */
static void functions_judged(sqlite3_context *context, int, sqlite3_value **values)
{
    enum { STATUS, ERROR, REDIRECTS, VERDICT, PREFERENCES };
    const cw_survey_record record = {
        .status = sqlite3_value_int(values[STATUS]),
        .error = functions_text(values[ERROR]),
        .redirects = sqlite3_value_int(values[REDIRECTS]),
        .is_limited = cw_is(functions_text(values[VERDICT]), "rate-limited"),
        .asks_license = functions_names_license(functions_text(values[PREFERENCES])),
    };
    sqlite3_result_int(context, (int)(cw_survey_rank(&record) << 2 | (unsigned)cw_survey_judge(&record)));
}

/* Answers whether the page was read as HTML, complete, and is not a soft 404, login or consent page. */
static void functions_is_html(sqlite3_context *context, int, sqlite3_value **values)
{
    enum { STATUS, ERROR, CHARSET, VERDICT, TYPE };
    int status = sqlite3_value_int(values[STATUS]);
    crawl_slice verdict = functions_text(values[VERDICT]);
    crawl_slice type = crawl_media_type(functions_text(values[TYPE]));
    bool is_in_place = cw_is(verdict, "soft-404") || cw_is(verdict, "login") || cw_is(verdict, "consent");
    bool is_html = cw_is_nocase(type, "text/html") || cw_is_nocase(type, "application/xhtml+xml");
    sqlite3_result_int(context, is_html && !is_in_place && status >= 200 && status < 300 &&
                                    !functions_text(values[ERROR]).size && functions_text(values[CHARSET]).size);
}

static void functions_media_type(sqlite3_context *context, int, sqlite3_value **values)
{
    functions_answer_text(context, crawl_media_type(functions_text(values[0])));
}

static void functions_short(sqlite3_context *context, int, sqlite3_value **values)
{
    functions_answer_text(context, cw_utf8_cut(functions_text(values[0]), CW_SURVEY_TEXT_MAX));
}

static void functions_trimmed(sqlite3_context *context, int, sqlite3_value **values)
{
    functions_answer_text(context, cw_trim_blanks(functions_text(values[0])));
}

static void functions_hash(sqlite3_context *context, int, sqlite3_value **values)
{
    const cw_survey *survey = sqlite3_user_data(context);
    crawl_slice text = functions_text(values[0]);
    sqlite3_result_int64(context, text.size ? (int64_t)cw_keyed_hash_of(&survey->secret, text).low : 0);
}

/* Takes the next word of a text. In scripts without spaces between words each character is a word. Empty: no more
 * words. */
static crawl_slice functions_next_word(crawl_slice *text)
{
    enum { FIRST_OF_EAST_ASIA = 0xe3 }; /* the first byte of U+3000 */
    size_t size = 0;
    *text = cw_trim_start(*text);
    bool is_alone = text->size && (unsigned char)*text->data >= FIRST_OF_EAST_ASIA;
    for (bool goes_on = text->size; goes_on;) {
        unsigned char next = ++size < text->size ? (unsigned char)text->data[size] : ' ';
        goes_on = is_alone ? (next & 0xc0) == 0x80 : !cw_is_space(next) && next < FIRST_OF_EAST_ASIA;
    }
    return cw_take(text, size);
}

static int functions_compare_words(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return (one > other) - (one < other);
}

/* Returns the sorted hashes of a text's words. The caller frees them. NULL: out of memory. */
static uint64_t *functions_words(const cw_survey *survey, crawl_slice text, size_t *count)
{
    uint64_t *words = malloc((text.size + 1) * sizeof *words);
    *count = 0;
    for (crawl_slice word; words && (word = functions_next_word(&text)).size;)
        words[(*count)++] = cw_keyed_hash_of(&survey->secret, word).low;
    if (words)
        qsort(words, *count, sizeof *words, functions_compare_words);
    return words;
}

/* Answers how many words of a text the other text lacks: "3 of 812 words". NULL: none. */
static void functions_words_apart(sqlite3_context *context, int, sqlite3_value **values)
{
    const cw_survey *survey = sqlite3_user_data(context);
    size_t own_count, other_count, apart = 0;
    uint64_t *own = functions_words(survey, functions_text(values[0]), &own_count);
    uint64_t *other = functions_words(survey, functions_text(values[1]), &other_count);
    for (size_t i = 0, k = 0; own && other && i < own_count; i++) {
        while (k < other_count && other[k] < own[i])
            k++;
        bool is_there = k < other_count && other[k] == own[i];
        k += is_there; /* each word matches only one */
        apart += !is_there;
    }
    char words[80];
    snprintf(words, sizeof words, "%zu of %zu word%s", apart, own_count, own_count == 1 ? "" : "s");
    if (!own || !other)
        sqlite3_result_error_nomem(context);
    else if (apart)
        sqlite3_result_text(context, words, -1, SQLITE_TRANSIENT);
    free(own);
    free(other);
}

/* Answers the number of bits in which two SimHashes, each of 16 hexadecimal digits, differ. */
static void functions_bits_apart(sqlite3_context *context, int, sqlite3_value **values)
{
    uint64_t hashes[2] = {0};
    for (int i = 0; i < 2; i++) {
        const char *digits = (const char *)sqlite3_value_text(values[i]);
        hashes[i] = strtoull(digits ? digits : "", NULL, 16);
    }
    sqlite3_result_int(context, (int)crawl_simhash_distance(hashes[0], hashes[1]));
}

/* Answers "2026-11-22T19:24:10.123Z" as 20261122192410123, which sorts by time. NULL: not such a date. */
static void functions_moment(sqlite3_context *context, int, sqlite3_value **values)
{
    enum { DIGITS = 17 };
    int64_t date = 0;
    unsigned digits = 0;
    crawl_slice text = functions_text(values[0]);
    for (size_t i = 0; i < text.size && digits < DIGITS; i++)
        if (cw_is_digit((unsigned char)text.data[i])) {
            date = date * 10 + (text.data[i] - '0');
            digits++;
        }
    if (digits == DIGITS)
        sqlite3_result_int64(context, date);
}

/* ---- words ---- */

static void functions_answer(sqlite3_context *context, int, sqlite3_value **values)
{
    cw_survey_cause cause = cw_survey_answer_of_rank((unsigned)sqlite3_value_int(values[0]));
    sqlite3_result_text(context, cause.text, -1, SQLITE_TRANSIENT);
}

static void functions_rank_of(sqlite3_context *context, int, sqlite3_value **values)
{
    const cw_survey_record record = {.error = functions_text(values[0])};
    sqlite3_result_int64(context, cw_survey_rank(&record));
}

static void functions_cut_of_answer(sqlite3_context *context, int, sqlite3_value **values)
{
    sqlite3_result_int(context, cw_survey_cut_of_answer(sqlite3_value_int(values[0]), functions_text(values[1])));
}

/* Answers the cut for a link's verdict and the number of the crawl's pages on the host of its target. */
static void functions_cut_of_link(sqlite3_context *context, int, sqlite3_value **values)
{
    crawl_slice verdict = functions_text(values[0]);
    bool is_beyond = cw_is(verdict, "scope") && sqlite3_value_int64(values[1]) > 0;
    sqlite3_result_int(context, is_beyond ? CW_SURVEY_CUT_SCOPE : cw_survey_cut_of(verdict));
}

/* Answers whether the crawl is known to have ended with an empty queue. */
static void functions_is_finished(sqlite3_context *context, int, sqlite3_value **)
{
    const cw_survey *survey = sqlite3_user_data(context);
    sqlite3_result_int(context, survey->ended_by ? !*survey->ended_by : survey->has_state && !survey->queued);
}

static void functions_cut_words(sqlite3_context *context, int, sqlite3_value **values)
{
    int cut = sqlite3_value_int(values[0]);
    if (cut > CW_SURVEY_CUT_NONE && cut < CW_SURVEY_CUTS)
        sqlite3_result_text(context, cw_survey_cut_words[cut], -1, SQLITE_STATIC);
}

static void functions_names_sitemap(sqlite3_context *context, int, sqlite3_value **values)
{
    crawl_slice url = functions_text(values[0]);
    crawl_slice path = crawl_slice_of(url.data, cw_find_any(url, "?#"));
    crawl_slice last = cw_drop(path, cw_find_last(path, '/') < path.size ? cw_find_last(path, '/') : 0);
    sqlite3_result_int(context, cw_ends_with(last, ".xml") || cw_ends_with(last, ".xml.gz") ||
                                    cw_find_text(last, "sitemap") < last.size);
}

static void functions_use_name(sqlite3_context *context, int, sqlite3_value **values)
{
    int use = sqlite3_value_type(values[0]) == SQLITE_NULL ? -1 : sqlite3_value_int(values[0]);
    if (use >= 0 && use < CRAWL_USE_COUNT)
        sqlite3_result_text(context, crawl_use_name((crawl_use)use), -1, SQLITE_STATIC);
}

static void functions_use_number(sqlite3_context *context, int, sqlite3_value **values)
{
    crawl_slice name = functions_text(values[0]);
    for (int use = 0; use < CRAWL_USE_COUNT; use++)
        if (cw_is(name, crawl_use_name((crawl_use)use)))
            sqlite3_result_int(context, use);
}

/* ---- the number of links to a URL ---- */

/* Adds to the tally of links to a URL: 4 for each link, and the flags 1 (a link leads out of the crawl) and 2 (its
 * links are kept), which stay set. This takes four bytes a URL, while a GROUP BY would sort all links. */
static void functions_tally(sqlite3_context *context, int, sqlite3_value **values)
{
    const uint32_t flags = 3;
    cw_survey *survey = sqlite3_user_data(context);
    crawl_buf *tallies = &survey->tallies;
    size_t at = (size_t)sqlite3_value_int64(values[0]) * sizeof(uint32_t), used = tallies->size;
    uint32_t tally, more = (uint32_t)sqlite3_value_int(values[1]);
    if (at >= used) {
        if (crawl_buf_reserve(tallies, at + sizeof tally - used)) {
            sqlite3_result_error_nomem(context);
            return;
        }
        tallies->size = at + sizeof tally;
        memset(tallies->data + used, 0, tallies->size - used);
    }
    memcpy(&tally, tallies->data + at, sizeof tally);
    tally = (tally + (more & ~flags)) | (more & flags);
    memcpy(tallies->data + at, &tally, sizeof tally);
}

/* Answers the tally of links to a URL; 0: no links. */
static void functions_tallied(sqlite3_context *context, int, sqlite3_value **values)
{
    const cw_survey *survey = sqlite3_user_data(context);
    size_t at = (size_t)sqlite3_value_int64(values[0]) * sizeof(uint32_t);
    uint32_t tally = 0;
    if (at < survey->tallies.size)
        memcpy(&tally, survey->tallies.data + at, sizeof tally);
    sqlite3_result_int64(context, tally);
}

crawl_err cw_survey_add_functions(cw_survey *survey)
{
    static const struct {
        const char *name, *old; /* name for the earlier crawl; NULL: both share it */
        int values;
        void (*call)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {
        {"find", "was", 1, functions_find_page},
        {"host_at", "old_host_at", 1, functions_host_at},
        {"find_external", NULL, 1, functions_find_external},
        {"tally", NULL, 2, functions_tally},
        {"tallied", NULL, 1, functions_tallied},
        {"shown", NULL, 1, functions_shown},
        {"origin_of", NULL, 1, functions_origin_of},
        {"judged", NULL, 5, functions_judged},
        {"is_html", NULL, 5, functions_is_html},
        {"media_type", NULL, 1, functions_media_type},
        {"short", NULL, 1, functions_short},
        {"trimmed", NULL, 1, functions_trimmed},
        {"hash", NULL, 1, functions_hash},
        {"words_apart", NULL, 2, functions_words_apart},
        {"bits_apart", NULL, 2, functions_bits_apart},
        {"moment", NULL, 1, functions_moment},
        {"answer", NULL, 1, functions_answer},
        {"rank_of", NULL, 1, functions_rank_of},
        {"cut_of_answer", NULL, 2, functions_cut_of_answer},
        {"cut_of_link", NULL, 2, functions_cut_of_link},
        {"is_finished", NULL, 0, functions_is_finished},
        {"cut_words", NULL, 1, functions_cut_words},
        {"names_sitemap", NULL, 1, functions_names_sitemap},
        {"use_name", NULL, 1, functions_use_name},
        {"use_number", NULL, 1, functions_use_number},
    };
    int result = SQLITE_OK;
    for (size_t i = 0; i < sizeof functions / sizeof *functions && !result; i++)
        if (!survey->is_second || functions[i].old)
            result = sqlite3_create_function_v2(survey->db, survey->is_second ? functions[i].old : functions[i].name,
                                                functions[i].values, SQLITE_UTF8, survey, functions[i].call, NULL, NULL,
                                                NULL);
    return cw_survey_checked(survey, result);
}
