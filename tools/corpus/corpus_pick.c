#include "tools/corpus/corpus_pick.h"

#include "base/bytes.h"
#include "base/failed_visit.h"
#include "base/keyed_hash.h"
#include "base/map.h"
#include "tools/common/io.h"

#include <stddef.h>
#include <stdlib.h>

struct cw_corpus_pick {
    const char *use;
    cw_map *urls; /* pick_url by the hash of the URL */
    cw_hash_secret secret;
};

/* The latest record of a URL that says anything of its text. */
typedef struct pick_url {
    uint64_t time; /* 20261122192410123 */
    int64_t visit;
    uint64_t number; /* 0: it has no text */
    char text[];
} pick_url;

cw_corpus_pick *cw_corpus_pick_create(const char *use)
{
    cw_corpus_pick *pick = calloc(1, sizeof *pick);
    if (!pick)
        return NULL;
    pick->use = use;
    cw_hash_secret_draw(&pick->secret);
    pick->urls = cw_map_create(0); /* its keys are hashes with a secret */
    if (pick->urls)
        return pick;
    free(pick);
    return NULL;
}

void cw_corpus_pick_free(cw_corpus_pick *pick)
{
    if (!pick)
        return;
    cw_map_free_values(pick->urls);
    free(pick);
}

/* ---- what a record says ---- */

static bool pick_has_noindex(const json_t *row)
{
    size_t i;
    json_t *rule;
    bool has = false;
    json_array_foreach(json_object_get(row, "robots"), i, rule)
    {
        has = has || (json_is_string(rule) && strcmp(json_string_value(rule), "noindex") == 0);
    }
    return has;
}

static bool pick_is_refused(const cw_corpus_pick *pick, const json_t *row)
{
    const char *may = pick->use ? cw_tool_json_field(json_object_get(row, "may"), pick->use) : NULL;
    return cw_tool_json_field(row, "withheld") || pick_has_noindex(row) || (may && strcmp(may, "n") == 0);
}

static bool pick_is_page(const cw_corpus_pick *pick, const json_t *row, int status)
{
    static const char *const marks[] = {"error", "verdict", "duplicate_of", "near_duplicate_of"};
    crawl_slice text = crawl_slice_from(cw_tool_json_field(row, "text"));
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (cw_tool_json_field(row, marks[i]))
            return false;
    return cw_trim(text).size && status >= 200 && status < 300 && !pick_is_refused(pick, row);
}

/* Returns true if the earlier text stays: the page has not changed, or the visit failed. */
static bool pick_says_nothing(const cw_corpus_pick *pick, const json_t *row, int status)
{
    crawl_slice error = crawl_slice_from(cw_tool_json_field(row, "error"));
    bool is_failure = cw_is_failed_visit(status, error) && !cw_is(error, "robots"); /* which refuses the text */
    return json_is_true(json_object_get(row, "external")) ||
           (!pick_is_refused(pick, row) &&
            (status == 304 || is_failure || json_is_false(json_object_get(row, "changed"))));
}

/* ---- the latest ---- */

static uint64_t pick_time(const json_t *row)
{
    const char *text = cw_tool_json_field(row, "fetched_at");
    uint64_t time = 0;
    for (; text && *text; text++)
        time = cw_is_digit((unsigned char)*text) ? 10 * time + (uint64_t)(*text - '0') : time;
    return time;
}

/* Other methods may have a body, which only the fingerprint knows. */
static cw_keyed_hash pick_key(const cw_corpus_pick *pick, const json_t *row)
{
    const char *method = cw_tool_json_field(row, "method");
    const char *request = method && strcmp(method, "GET") != 0 ? cw_tool_json_field(row, "fingerprint") : NULL;
    request = request ? request : cw_tool_json_field(row, "url");
    cw_keyed_hash key = cw_keyed_hash_of(&pick->secret, crawl_slice_from(request));
    cw_keyed_hash other = cw_keyed_hash_of(&pick->secret, crawl_slice_from(method ? method : "GET"));
    return (cw_keyed_hash){key.low ^ other.low, key.high ^ other.high};
}

crawl_err cw_corpus_pick_note(cw_corpus_pick *pick, const json_t *row, uint64_t number, bool *is_page)
{
    int status = (int)json_integer_value(json_object_get(row, "status"));
    bool has_text = pick_is_page(pick, row, status);
    *is_page = false;
    if (!cw_tool_json_field(row, "url") || (!has_text && pick_says_nothing(pick, row, status)))
        return CRAWL_OK;
    cw_keyed_hash hash = pick_key(pick, row);
    const crawl_slice key = crawl_slice_of((const char *)&hash, sizeof hash);
    pick_url *latest = cw_map_get(pick->urls, key);
    uint64_t time = pick_time(row);
    int64_t visit = json_integer_value(json_object_get(row, "visit"));
    if (latest && (time < latest->time || (time == latest->time && visit < latest->visit)))
        return CRAWL_OK;
    if (!latest)
        latest = cw_map_make(pick->urls, key, sizeof *latest, offsetof(pick_url, text));
    if (!latest)
        return CRAWL_ENOMEM;
    latest->time = time;
    latest->visit = visit;
    latest->number = has_text ? number : 0;
    *is_page = has_text;
    return CRAWL_OK;
}

bool cw_corpus_pick_keeps(const cw_corpus_pick *pick, const json_t *row, uint64_t number)
{
    cw_keyed_hash hash = pick_key(pick, row);
    const pick_url *latest = cw_map_get(pick->urls, crawl_slice_of((const char *)&hash, sizeof hash));
    return latest && latest->number == number;
}
