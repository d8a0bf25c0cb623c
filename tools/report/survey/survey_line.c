#include "tools/report/survey/survey_line.h"

#include "base/bytes.h"
#include "base/json/json_read.h"
#include "base/utf8.h"
#include "tools/report/survey/survey_links.h"

#include <crawl/links.h>

/* ---- fields ---- */

static crawl_slice survey_line_text_of(cw_survey *survey, const cw_json_value *value)
{
    return cw_json_text(value, &survey->decoded);
}

/* Reads a number, limited to the range from 0 to most. */
static uint64_t survey_line_number_of(const cw_json_value *value, double most)
{
    double number = cw_json_number(value);
    return number > 0 ? (uint64_t)(number < most ? number : most) : 0;
}

/* "2026-11-22T19:24:10.123Z" as 20261122192410123: in the order of time. 0: it is no such date. */
static uint64_t survey_line_date_of(crawl_slice text)
{
    enum { DIGITS = 17 };
    uint64_t date = 0;
    unsigned digits = 0;
    for (size_t i = 0; i < text.size && digits < DIGITS; i++)
        if (cw_is_digit((unsigned char)text.data[i])) {
            date = date * 10 + (uint64_t)(text.data[i] - '0');
            digits++;
        }
    return digits == DIGITS ? date : 0;
}

/* Is one of the elements of a list this word? */
static bool asks_for(cw_survey *survey, const cw_json_value *list, const char *word)
{
    bool is_there = false;
    cw_json_value element;
    size_t decoded = survey->decoded.size;
    crawl_slice rest = list->bytes;
    while (!is_there && list->kind == CW_JSON_ARRAY && cw_json_next_element(&rest, &element))
        is_there = cw_is(survey_line_text_of(survey, &element), word);
    survey->decoded.size = decoded;
    return is_there;
}

static bool has_elements(const cw_json_value *list)
{
    cw_json_value element;
    crawl_slice rest = list->bytes;
    return list->kind == CW_JSON_ARRAY && cw_json_next_element(&rest, &element);
}

/* Counts the elements of a list; *first: the text of the first one. */
static uint32_t count_elements(cw_survey *survey, const cw_json_value *list, crawl_slice *first)
{
    uint32_t count = 0;
    cw_json_value element;
    crawl_slice rest = list->bytes;
    while (list->kind == CW_JSON_ARRAY && cw_json_next_element(&rest, &element))
        if (count++ == 0)
            *first = survey_line_text_of(survey, &element);
    return count;
}

/* Says what is wrong in a line. */
static crawl_err survey_line_refuse(crawl_slice line, crawl_error *error)
{
    json_error_t why = {0};
    json_t *value = cw_json_read(line, &why);
    json_decref(value);
    return crawl_error_set(error, CRAWL_EPARSE, "%s", value ? "not an object" : why.text);
}

/* Picks members of a line, whose bytes need not be UTF-8. Their texts are in the line or in the survey's buffers until
 * the next line. */
static crawl_err pick(cw_survey *survey, crawl_slice line, const crawl_slice *names, size_t count,
                      cw_json_value *values, crawl_error *error)
{
    crawl_err err = CRAWL_OK;
    crawl_buf_clear(&survey->repaired);
    crawl_buf_clear(&survey->decoded);
    if (cw_utf8_valid_prefix(line) != line.size) {
        err = cw_utf8_repair(line, &survey->repaired);
        line = crawl_buf_slice(&survey->repaired);
    }
    if (!err)
        err = crawl_buf_reserve(&survey->decoded, line.size);
    if (err)
        return err;
    return cw_json_pick(line, names, count, values) ? CRAWL_OK : survey_line_refuse(line, error);
}

static crawl_err survey_line_want(crawl_error *error, const char *field)
{
    return crawl_error_set(error, CRAWL_EPARSE, "no \"%s\"", field);
}

/* ---- records ---- */

/* In the order in which a crawl writes them. */
enum {
    URL,
    CANONICAL,
    METHOD,
    STATUS,
    DEPTH,
    PARENT,
    FETCHED_AT,
    ELAPSED_MS,
    TYPE,
    CHARSET,
    BYTES,
    DIGEST,
    TITLE,
    REDIRECT,
    ERROR,
    DETAIL,
    ROBOTS,
    CHANGED,
    VERDICT,
    WALL,
    EXTERNAL,
    GUESSED,
    REQUISITE,
    SIMHASH,
    NEAR_TO,
    IDS,
    IDS_CUT,
    DATA,
    PREFERENCES,
    WITHHELD,
    RECORD_FIELDS
};

static const crawl_slice record_names[RECORD_FIELDS] = {
    [URL] = CW_JSON_NAME("url"),
    [CANONICAL] = CW_JSON_NAME("canonical"),
    [METHOD] = CW_JSON_NAME("method"),
    [STATUS] = CW_JSON_NAME("status"),
    [DEPTH] = CW_JSON_NAME("depth"),
    [PARENT] = CW_JSON_NAME("parent"),
    [FETCHED_AT] = CW_JSON_NAME("fetched_at"),
    [ELAPSED_MS] = CW_JSON_NAME("elapsed_ms"),
    [TYPE] = CW_JSON_NAME("content_type"),
    [CHARSET] = CW_JSON_NAME("charset"),
    [BYTES] = CW_JSON_NAME("bytes"),
    [DIGEST] = CW_JSON_NAME("digest"),
    [TITLE] = CW_JSON_NAME("title"),
    [REDIRECT] = CW_JSON_NAME("redirect"),
    [ERROR] = CW_JSON_NAME("error"),
    [DETAIL] = CW_JSON_NAME("detail"),
    [ROBOTS] = CW_JSON_NAME("robots"),
    [CHANGED] = CW_JSON_NAME("changed"),
    [VERDICT] = CW_JSON_NAME("verdict"),
    [WALL] = CW_JSON_NAME("wall"),
    [EXTERNAL] = CW_JSON_NAME("external"),
    [GUESSED] = CW_JSON_NAME("guessed"),
    [REQUISITE] = CW_JSON_NAME("requisite"),
    [SIMHASH] = CW_JSON_NAME("simhash"),
    [NEAR_TO] = CW_JSON_NAME("near_duplicate_of"),
    [IDS] = CW_JSON_NAME("ids"),
    [IDS_CUT] = CW_JSON_NAME("ids_cut"),
    [DATA] = CW_JSON_NAME("data"),
    [PREFERENCES] = CW_JSON_NAME("preferences"),
    [WITHHELD] = CW_JSON_NAME("withheld"),
};

/* An array as it stands in the line, which may be empty. */
static crawl_slice array_of(const cw_json_value *list)
{
    return list->kind == CW_JSON_ARRAY && has_elements(list) ? list->bytes : (crawl_slice){0};
}

static void survey_line_take_data(cw_survey *survey, const cw_json_value *data, cw_survey_record *record)
{
    enum { NAMES, DESCRIPTION, TRANSLATIONS, HEADINGS, NO_ALT, CUT, DATA_FIELDS };
    static const crawl_slice names[DATA_FIELDS] = {
        [NAMES] = CW_JSON_NAME("canonical"),       [DESCRIPTION] = CW_JSON_NAME("description"),
        [TRANSLATIONS] = CW_JSON_NAME("hreflang"), [HEADINGS] = CW_JSON_NAME("h1"),
        [NO_ALT] = CW_JSON_NAME("no_alt"),         [CUT] = CW_JSON_NAME("cut")};
    cw_json_value of[DATA_FIELDS];
    record->has_data = data->kind == CW_JSON_OBJECT && cw_json_pick(data->bytes, names, DATA_FIELDS, of);
    if (!record->has_data)
        return;
    record->names = survey_line_text_of(survey, &of[NAMES]);
    record->description = survey_line_text_of(survey, &of[DESCRIPTION]);
    record->has_heading = has_elements(&of[HEADINGS]);
    record->no_alt = count_elements(survey, &of[NO_ALT], &record->no_alt_image);
    record->data_is_cut = of[CUT].kind == CW_JSON_TRUE;
    record->translations = array_of(&of[TRANSLATIONS]);
}

/* Does the answer name a licence of RSL? In robots.txt, by a line of it, one says nothing of the answer. */
static bool names_license(cw_survey *survey, const cw_json_value *statements)
{
    enum { SOURCE, LINE, IGNORED, FIELDS };
    static const crawl_slice names[FIELDS] = {CW_JSON_NAME("source"), CW_JSON_NAME("line"), CW_JSON_NAME("ignored")};
    cw_json_value one, of[FIELDS];
    bool is_there = false;
    crawl_slice rest = statements->bytes;
    while (statements->kind == CW_JSON_ARRAY && !is_there && cw_json_next_element(&rest, &one))
        is_there = one.kind == CW_JSON_OBJECT && cw_json_pick(one.bytes, names, FIELDS, of) &&
                   of[IGNORED].kind != CW_JSON_STRING && of[LINE].kind != CW_JSON_NUMBER &&
                   cw_is(survey_line_text_of(survey, &of[SOURCE]), "rsl");
    return is_there;
}

/* Does the answer stand in the place of its page? */
static bool is_in_place(cw_survey *survey, const cw_json_value *verdict)
{
    crawl_slice word = survey_line_text_of(survey, verdict);
    return cw_is(word, "soft-404") || cw_is(word, "login") || cw_is(word, "consent");
}

static cw_survey_record survey_line_record_of(cw_survey *survey, const cw_json_value *of)
{
    const double most = 1e15;
    cw_survey_record record = {
        .url = survey_line_text_of(survey, &of[URL]),
        .canonical = survey_line_text_of(survey, &of[CANONICAL]),
        .method = survey_line_text_of(survey, &of[METHOD]),
        .title = cw_trim(survey_line_text_of(survey, &of[TITLE])),
        .type = crawl_media_type(survey_line_text_of(survey, &of[TYPE])),
        .error = survey_line_text_of(survey, &of[ERROR]),
        .detail = survey_line_text_of(survey, &of[DETAIL]),
        .redirect = survey_line_text_of(survey, &of[REDIRECT]),
        .parent = survey_line_text_of(survey, &of[PARENT]),
        .digest = survey_line_text_of(survey, &of[DIGEST]),
        .wall = survey_line_text_of(survey, &of[WALL]),
        .is_limited = cw_is(survey_line_text_of(survey, &of[VERDICT]), "rate-limited"),
        .near_to = survey_line_text_of(survey, &of[NEAR_TO]),
        .bytes = survey_line_number_of(&of[BYTES], most),
        .elapsed_ms = survey_line_number_of(&of[ELAPSED_MS], most),
        .when = survey_line_date_of(survey_line_text_of(survey, &of[FETCHED_AT])),
        .depth = (uint32_t)survey_line_number_of(&of[DEPTH], UINT32_MAX),
        .status = (int)survey_line_number_of(&of[STATUS], 999),
        .is_unchanged = of[CHANGED].kind == CW_JSON_FALSE,
        .ids = of[IDS].kind == CW_JSON_ARRAY ? &of[IDS] : NULL,
        .ids_cut = of[IDS_CUT].kind == CW_JSON_TRUE,
        .is_external = of[EXTERNAL].kind == CW_JSON_TRUE,
        .is_read = survey_line_text_of(survey, &of[CHARSET]).size > 0 && !is_in_place(survey, &of[VERDICT]),
        .is_withheld = of[WITHHELD].kind == CW_JSON_STRING,
        .is_part = of[REQUISITE].kind == CW_JSON_TRUE,
        .text_hash = survey_line_text_of(survey, &of[SIMHASH]),
        .noindex = asks_for(survey, &of[ROBOTS], "noindex"),
        .nofollow = asks_for(survey, &of[ROBOTS], "nofollow"),
    };
    return record;
}

crawl_err cw_survey_take_record(cw_survey *survey, crawl_slice line, crawl_error *error)
{
    cw_json_value of[RECORD_FIELDS];
    crawl_err err = pick(survey, line, record_names, RECORD_FIELDS, of, error);
    if (err)
        return err;
    cw_survey_record record = survey_line_record_of(survey, of);
    bool is_no_page = of[GUESSED].kind == CW_JSON_TRUE && (record.status >= 400 || record.error.size);
    if (is_no_page) /* nothing of the site leads to it */
        return CRAWL_OK;
    if (!record.url.size)
        return survey_line_want(error, "url");
    survey_line_take_data(survey, &of[DATA], &record);
    record.uses = array_of(&of[PREFERENCES]);
    record.asks_license = record.uses.size && names_license(survey, &of[PREFERENCES]);
    return cw_survey_add(survey, &record);
}

/* ---- links and requests ---- */

crawl_err cw_survey_take_link(cw_survey *survey, crawl_slice line, crawl_error *error)
{
    enum { FROM, TO, TAG, WORDS, FATE, LINK_FIELDS };
    static const crawl_slice names[LINK_FIELDS] = {[FROM] = CW_JSON_NAME("from"),
                                                   [TO] = CW_JSON_NAME("to"),
                                                   [TAG] = CW_JSON_NAME("tag"),
                                                   [WORDS] = CW_JSON_NAME("text"),
                                                   [FATE] = CW_JSON_NAME("verdict")};
    cw_json_value of[LINK_FIELDS];
    crawl_err err = pick(survey, line, names, LINK_FIELDS, of, error);
    if (err)
        return err;
    crawl_slice verdict = survey_line_text_of(survey, &of[FATE]);
    const cw_survey_link link = {
        .from = survey_line_text_of(survey, &of[FROM]),
        .to = survey_line_text_of(survey, &of[TO]),
        .text = cw_trim(survey_line_text_of(survey, &of[WORDS])),
        .tag = survey_line_text_of(survey, &of[TAG]),
        .is_invalid = cw_is(verdict, "no-url"),
        .leads_out = cw_is(verdict, "scope"),
        .cut = cw_survey_cut_of(verdict),
    };
    return link.from.size && verdict.size ? cw_survey_add_link(survey, &link) : survey_line_want(error, "from");
}

/* In the order in which a crawl writes them, which has robots.txt and sitemaps as requests of a kind. */
enum { EVENT, HOST, REQUEST_URL, KIND, ATTEMPT, REQUEST_STATUS, REQUEST_FIELDS };

static crawl_err survey_line_count_request(cw_survey *survey, const cw_json_value *of)
{
    int64_t host;
    crawl_slice kind = survey_line_text_of(survey, &of[KIND]);
    crawl_slice url = survey_line_text_of(survey, &of[REQUEST_URL]);
    crawl_slice name = cw_survey_host_of(survey_line_text_of(survey, &of[HOST]));
    crawl_err err = cw_survey_host_at(survey, name, &host);
    if (!err && cw_is(kind, "sitemap") && url.size)
        return cw_survey_do(survey, cw_survey_bound(survey, CW_SQL_SITEMAP, "s", &url));
    if (err || !host)
        return err;
    int64_t is_retry = survey_line_number_of(&of[ATTEMPT], 1e9) > 1;
    sqlite3_stmt *count = cw_survey_bound(survey, CW_SQL_REQUEST, "ibi", is_retry, 0, host);
    if (count && cw_is(kind, "robots"))
        sqlite3_bind_int64(count, 2, (int64_t)survey_line_number_of(&of[REQUEST_STATUS], 999));
    return cw_survey_do(survey, count);
}

crawl_err cw_survey_take_request(cw_survey *survey, crawl_slice line, crawl_error *error)
{
    static const crawl_slice names[REQUEST_FIELDS] = {
        [EVENT] = CW_JSON_NAME("event"), [HOST] = CW_JSON_NAME("host"),       [REQUEST_URL] = CW_JSON_NAME("url"),
        [KIND] = CW_JSON_NAME("kind"),   [ATTEMPT] = CW_JSON_NAME("attempt"), [REQUEST_STATUS] = CW_JSON_NAME("status"),
    };
    cw_json_value of[REQUEST_FIELDS];
    crawl_err err = pick(survey, line, names, REQUEST_FIELDS, of, error);
    if (err)
        return err;
    crawl_slice event = survey_line_text_of(survey, &of[EVENT]);
    if (!event.size)
        return survey_line_want(error, "event");
    return cw_is(event, "end") ? survey_line_count_request(survey, of) : CRAWL_OK;
}
