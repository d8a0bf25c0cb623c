/* The statements about one page, and their combined result: see <crawl/preferences.h>. No standard orders the kinds, so
 * the strictest statement counts for each use: no other kind lifts a refusal. Within TDMRep a later place supersedes an
 * earlier one. */
#include "parse/preferences/preferences.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/json/json_write.h"

#include <stdlib.h>

typedef struct preferences_span {
    size_t at;
    size_t size;
} preferences_span;

typedef struct kept_statement {
    preferences_span label;
    preferences_span value;
    preferences_span pattern;
    preferences_span agent;
    const char *ignored;
    cw_preferences_source source;
    unsigned line;
    unsigned refuses;
    unsigned grants;
    bool ambiguous;
} kept_statement;

struct crawl_preferences {
    crawl_buf agent;
    crawl_buf text;
    kept_statement *all;
    size_t count;
    size_t capacity;
    unsigned grants;
    cw_preferences_source refused_by[CRAWL_USE_COUNT]; /* SOURCES: nobody */
    crawl_buf usage;                                   /* the lines of the header Content-Usage, joined */
    bool has_tdm;
    cw_preferences_said tdm; /* the reservation that counts */
    crawl_url *url;          /* of licences */
};

static const char *const source_names[CW_PREFERENCES_SOURCES] = {
    [CW_PREFERENCES_ROBOTS] = "robots", [CW_PREFERENCES_SIGNAL] = "signal", [CW_PREFERENCES_TDMREP] = "tdmrep",
    [CW_PREFERENCES_HEADER] = "header", [CW_PREFERENCES_META] = "meta",     [CW_PREFERENCES_XRT] = "xrt",
    [CW_PREFERENCES_RSL] = "rsl",       [CW_PREFERENCES_LINK] = "link",
};

const char *crawl_use_name(crawl_use use)
{
    static const char *const names[CRAWL_USE_COUNT] = {"train", "input", "search"};
    return names[use];
}

/* --- collecting --- */

crawl_preferences *crawl_preferences_create(const char *agent)
{
    crawl_preferences *preferences = calloc(1, sizeof *preferences);
    if (!preferences)
        return NULL;
    preferences->url = crawl_url_create();
    if (!preferences->url || crawl_buf_append_text(&preferences->agent, agent ? agent : "")) {
        crawl_preferences_free(preferences);
        return NULL;
    }
    crawl_preferences_clear(preferences);
    return preferences;
}

void crawl_preferences_free(crawl_preferences *preferences)
{
    if (!preferences)
        return;
    crawl_buf_free(&preferences->agent);
    crawl_buf_free(&preferences->text);
    crawl_buf_free(&preferences->usage);
    crawl_url_free(preferences->url);
    free(preferences->all);
    free(preferences);
}

void crawl_preferences_clear(crawl_preferences *preferences)
{
    crawl_buf_clear(&preferences->text);
    crawl_buf_clear(&preferences->usage);
    preferences->count = 0;
    preferences->grants = 0;
    preferences->has_tdm = false;
    for (int use = 0; use < CRAWL_USE_COUNT; use++)
        preferences->refused_by[use] = CW_PREFERENCES_SOURCES;
}

bool cw_preferences_is_own(const crawl_preferences *preferences, crawl_slice agent)
{
    return preferences->agent.size && cw_equal_nocase(agent, crawl_buf_slice(&preferences->agent));
}

static crawl_err preferences_put(crawl_preferences *preferences, crawl_slice text, preferences_span *span)
{
    *span = (preferences_span){preferences->text.size, text.size};
    return crawl_buf_append(&preferences->text, text.data, text.size);
}

static void count_uses(crawl_preferences *preferences, const cw_preferences_said *said)
{
    if (said->ignored)
        return;
    preferences->grants |= said->grants;
    for (unsigned use = 0; use < CRAWL_USE_COUNT; use++)
        if ((said->refuses >> use & 1) && preferences->refused_by[use] == CW_PREFERENCES_SOURCES)
            preferences->refused_by[use] = said->source;
}

/* Only the latest place counts; of several statements in one place, a reservation. */
static void weigh_tdm(crawl_preferences *preferences, const cw_preferences_said *said)
{
    const cw_preferences_said *before = &preferences->tdm;
    bool counts = !preferences->has_tdm || said->source > before->source ||
                  (said->source == before->source && said->refuses && !before->refuses);
    if (counts)
        preferences->tdm =
            (cw_preferences_said){.source = said->source, .refuses = said->refuses, .grants = said->grants};
    preferences->has_tdm = true;
}

static bool is_reservation(const cw_preferences_said *said)
{
    return !said->ignored && cw_is(said->label, "tdm-reservation");
}

crawl_err cw_preferences_add(crawl_preferences *preferences, const cw_preferences_said *said)
{
    if (is_reservation(said))
        weigh_tdm(preferences, said);
    else
        count_uses(preferences, said);
    if (preferences->count == CRAWL_PREFERENCES_MAX)
        return CRAWL_OK;
    if (CW_ARRAY_RESERVE(preferences->all, preferences->capacity, preferences->count + 1, 8))
        return CRAWL_ENOMEM;
    kept_statement *one = &preferences->all[preferences->count];
    *one = (kept_statement){.ignored = said->ignored,
                            .source = said->source,
                            .line = said->line,
                            .refuses = said->refuses,
                            .grants = said->grants,
                            .ambiguous = said->ambiguous};
    crawl_err err = preferences_put(preferences, said->label, &one->label);
    if (!err)
        err = preferences_put(preferences, said->value, &one->value);
    if (!err)
        err = preferences_put(preferences, said->pattern, &one->pattern);
    if (!err)
        err = preferences_put(preferences, said->agent, &one->agent);
    preferences->count += !err;
    return err;
}

crawl_err cw_preferences_add_license(crawl_preferences *preferences, cw_preferences_said said, crawl_slice href,
                                     const crawl_url *base, const char *charset)
{
    crawl_err err = crawl_url_parse(preferences->url, href, base, charset);
    said.label = crawl_slice_from("license");
    said.value = err ? href : crawl_url_href(preferences->url);
    said.ignored = err ? "value" : NULL;
    return err == CRAWL_ENOMEM ? err : cw_preferences_add(preferences, &said);
}

crawl_err cw_preferences_join_usage(crawl_preferences *preferences, crawl_slice value)
{
    crawl_err err = preferences->usage.size ? crawl_buf_append_text(&preferences->usage, ", ") : CRAWL_OK;
    return err ? err : crawl_buf_append(&preferences->usage, value.data, value.size);
}

crawl_slice cw_preferences_joined_usage(const crawl_preferences *preferences)
{
    return crawl_buf_slice(&preferences->usage);
}

void cw_preferences_settle(crawl_preferences *preferences)
{
    crawl_buf_clear(&preferences->usage);
    if (!preferences->has_tdm)
        return;
    count_uses(preferences, &preferences->tdm);
    preferences->has_tdm = false;
    for (size_t i = 0; i < preferences->count; i++) {
        kept_statement *one = &preferences->all[i];
        crawl_slice label = crawl_slice_of(preferences->text.data + one->label.at, one->label.size);
        if (!one->ignored && one->source < preferences->tdm.source && cw_is(label, "tdm-reservation"))
            one->ignored = "superseded";
    }
}

/* --- the result --- */

size_t crawl_preferences_count(const crawl_preferences *preferences)
{
    return preferences->count;
}

static crawl_slice preferences_slice(const crawl_preferences *preferences, preferences_span span)
{
    return span.size ? crawl_slice_of(preferences->text.data + span.at, span.size) : crawl_slice_of("", 0);
}

crawl_statement crawl_preferences_statement(const crawl_preferences *preferences, size_t index)
{
    if (index >= preferences->count)
        return (crawl_statement){.source = ""};
    const kept_statement *one = &preferences->all[index];
    return (crawl_statement){
        .source = source_names[one->source],
        .label = preferences_slice(preferences, one->label),
        .value = preferences_slice(preferences, one->value),
        .line = one->line,
        .pattern = preferences_slice(preferences, one->pattern),
        .agent = preferences_slice(preferences, one->agent),
        .ignored = one->ignored,
        .ambiguous = one->ambiguous,
        .refuses = one->ignored ? 0 : one->refuses,
        .grants = one->ignored ? 0 : one->grants,
    };
}

const char *crawl_preferences_refused_by(const crawl_preferences *preferences, crawl_use use)
{
    cw_preferences_source source = preferences->refused_by[use];
    return source < CW_PREFERENCES_SOURCES ? source_names[source] : NULL;
}

unsigned crawl_preferences_refused(const crawl_preferences *preferences)
{
    unsigned refused = 0;
    for (unsigned use = 0; use < CRAWL_USE_COUNT; use++)
        refused |= (unsigned)(preferences->refused_by[use] != CW_PREFERENCES_SOURCES) << use;
    return refused;
}

unsigned crawl_preferences_granted(const crawl_preferences *preferences)
{
    return preferences->grants & ~crawl_preferences_refused(preferences);
}

static void put_uses(cw_writer *out, const char *name, unsigned uses)
{
    const char *before = name;
    for (unsigned use = 0; use < CRAWL_USE_COUNT; use++)
        if (uses >> use & 1) {
            cw_put_format(out, "%s\"%s\"", before, crawl_use_name((crawl_use)use));
            before = ",";
        }
    cw_put_text(out, uses ? "]" : "");
}

static void put_statement(cw_writer *out, const crawl_statement *one)
{
    cw_json_words(out, "{\"source\":", one->source);
    cw_json_text(out, ",\"label\":", one->label);
    if (one->value.size)
        cw_json_text(out, ",\"value\":", one->value);
    if (one->line)
        cw_json_int(out, ",\"line\":", one->line);
    if (one->pattern.size)
        cw_json_text(out, ",\"pattern\":", one->pattern);
    if (one->agent.size)
        cw_json_text(out, ",\"agent\":", one->agent);
    if (one->ignored)
        cw_json_words(out, ",\"ignored\":", one->ignored);
    put_uses(out, ",\"refuses\":[", one->refuses);
    put_uses(out, ",\"grants\":[", one->grants);
    cw_put_text(out, one->ambiguous ? ",\"ambiguous\":true}" : "}");
}

crawl_err crawl_preferences_json(const crawl_preferences *preferences, crawl_buf *out)
{
    cw_writer writer = {.out = out};
    for (size_t i = 0; i < preferences->count; i++) {
        const crawl_statement one = crawl_preferences_statement(preferences, i);
        cw_put_char(&writer, i ? ',' : '[');
        put_statement(&writer, &one);
    }
    cw_put_text(&writer, preferences->count ? "]" : "");
    return writer.err;
}

crawl_err crawl_may_json(unsigned refused, unsigned granted, crawl_buf *out)
{
    cw_writer writer = {.out = out};
    bool stated = refused | granted;
    for (unsigned use = 0; stated && use < CRAWL_USE_COUNT; use++) {
        cw_put_text(&writer, use ? ",\"" : "{\"");
        cw_put_text(&writer, crawl_use_name((crawl_use)use));
        cw_put_text(&writer, refused >> use & 1 ? "\":\"n\"" : granted >> use & 1 ? "\":\"y\"" : "\":null");
    }
    cw_put_text(&writer, stated ? "}" : "");
    return writer.err;
}
