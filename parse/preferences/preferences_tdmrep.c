/* /.well-known/tdmrep.json (TDMRep, 7.1): an array of rules for locations, which are patterns like those of robots.txt.
 * The first matching rule counts, not the longest. The rules are kept in one block of memory with their texts. */
#include "parse/preferences/preferences.h"

#include "parse/robots/robots_private.h"

#include "base/bytes.h"
#include "base/json/json_read.h"

#include <stdlib.h>

typedef struct tdmrep_span {
    uint32_t at;
    uint32_t size;
} tdmrep_span;

typedef struct tdmrep_rule {
    tdmrep_span location; /* raw */
    tdmrep_span pattern;  /* normalized, without its "$" */
    tdmrep_span policy;
    bool anchored;
    char reservation; /* '0' or '1'; NUL: not stated */
} tdmrep_rule;

struct crawl_tdmrep {
    size_t bytes;
    size_t count;
    const char *text;
    tdmrep_rule rules[];
};

typedef struct tdmrep_builder {
    crawl_buf rules; /* tdmrep_rule[] */
    crawl_buf text;
} tdmrep_builder;

static crawl_err tdmrep_put(tdmrep_builder *b, crawl_slice text, tdmrep_span *span)
{
    *span = (tdmrep_span){(uint32_t)b->text.size, (uint32_t)text.size};
    return crawl_buf_append(&b->text, text.data, text.size);
}

static crawl_err put_pattern(tdmrep_builder *b, crawl_slice location, tdmrep_rule *rule)
{
    crawl_err err = crawl_buf_reserve(&b->text, location.size * 3);
    if (err)
        return err;
    rule->anchored = location.size && location.data[location.size - 1] == '$';
    location.size -= rule->anchored;
    rule->pattern = (tdmrep_span){
        .at = (uint32_t)b->text.size,
        .size = (uint32_t)cw_robots_normalize(location, true, b->text.data + b->text.size),
    };
    b->text.size += rule->pattern.size;
    return CRAWL_OK;
}

static crawl_slice text_of_member(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return crawl_slice_of(json_is_string(value) ? json_string_value(value) : "", json_string_length(value));
}

/* Returns the reservation: a number, or a string of it, as some files have. */
static char reservation_of(const json_t *object)
{
    const json_t *value = json_object_get(object, "tdm-reservation");
    crawl_slice text = text_of_member(object, "tdm-reservation");
    if (json_is_integer(value))
        return json_integer_value(value) == 1 ? '1' : json_integer_value(value) == 0 ? '0' : '\0';
    return cw_is(text, "1") || cw_is(text, "0") ? *text.data : '\0';
}

static crawl_err add_entry(tdmrep_builder *b, const json_t *object)
{
    tdmrep_rule rule = {.reservation = reservation_of(object)};
    crawl_slice location = text_of_member(object, "location");
    if (!location.size)
        return CRAWL_OK;
    crawl_err err = tdmrep_put(b, location, &rule.location);
    if (!err)
        err = tdmrep_put(b, text_of_member(object, "tdm-policy"), &rule.policy);
    if (!err)
        err = put_pattern(b, location, &rule);
    return err ? err : crawl_buf_append(&b->rules, &rule, sizeof rule);
}

static crawl_tdmrep *tdmrep_pack(const tdmrep_builder *b)
{
    size_t bytes = sizeof(crawl_tdmrep) + b->rules.size + b->text.size;
    crawl_tdmrep *tdmrep = malloc(bytes);
    if (!tdmrep)
        return NULL;
    char *text = (char *)tdmrep->rules;
    if (b->rules.size)
        text = mempcpy(text, b->rules.data, b->rules.size);
    if (b->text.size)
        memcpy(text, b->text.data, b->text.size);
    tdmrep->bytes = bytes;
    tdmrep->count = b->rules.size / sizeof(tdmrep_rule);
    tdmrep->text = text;
    return tdmrep;
}

crawl_err crawl_tdmrep_parse(crawl_slice body, crawl_tdmrep **out)
{
    tdmrep_builder b = {0};
    crawl_err err = CRAWL_OK;
    cw_take_text(&body, "\xef\xbb\xbf");
    json_t *all = body.size <= CRAWL_TDMREP_MAX_SIZE ? cw_json_read(body, NULL) : NULL;
    if (!json_is_array(all)) {
        json_decref(all);
        return CRAWL_EPARSE;
    }
    for (size_t i = 0; i < json_array_size(all) && i < CRAWL_TDMREP_MAX_ENTRIES && !err; i++)
        err = add_entry(&b, json_array_get(all, i));
    crawl_tdmrep *tdmrep = err ? NULL : tdmrep_pack(&b);
    json_decref(all);
    crawl_buf_free(&b.rules);
    crawl_buf_free(&b.text);
    if (tdmrep)
        *out = tdmrep;
    return tdmrep ? CRAWL_OK : CRAWL_ENOMEM;
}

void crawl_tdmrep_free(crawl_tdmrep *tdmrep)
{
    free(tdmrep);
}

size_t crawl_tdmrep_bytes(const crawl_tdmrep *tdmrep)
{
    return tdmrep->bytes;
}

static crawl_slice tdmrep_slice(const crawl_tdmrep *tdmrep, tdmrep_span span)
{
    return crawl_slice_of(tdmrep->text + span.at, span.size);
}

static const tdmrep_rule *first_match(const crawl_tdmrep *tdmrep, crawl_slice subject)
{
    for (size_t i = 0; i < tdmrep->count; i++)
        if (cw_robots_match(tdmrep_slice(tdmrep, tdmrep->rules[i].pattern), tdmrep->rules[i].anchored, subject))
            return &tdmrep->rules[i];
    return NULL;
}

/* A policy gives the terms for reserved rights, so it only accompanies a reservation. */
static crawl_err tdmrep_add(crawl_preferences *preferences, const crawl_tdmrep *tdmrep, const tdmrep_rule *rule)
{
    cw_preferences_said said = {
        .source = CW_PREFERENCES_TDMREP,
        .label = crawl_slice_from("tdm-reservation"),
        .pattern = tdmrep_slice(tdmrep, rule->location),
    };
    crawl_err err = cw_preferences_add_tdm(preferences, said, crawl_slice_of(&rule->reservation, 1));
    said.label = crawl_slice_from("tdm-policy");
    return err || rule->reservation != '1'
               ? err
               : cw_preferences_add_tdm(preferences, said, tdmrep_slice(tdmrep, rule->policy));
}

crawl_err crawl_preferences_add_tdmrep(crawl_preferences *preferences, const crawl_tdmrep *tdmrep, const crawl_url *url)
{
    crawl_buf subject = {0};
    crawl_err err = cw_robots_subject(url, &subject);
    const tdmrep_rule *rule = err ? NULL : first_match(tdmrep, crawl_buf_slice(&subject));
    if (rule)
        err = tdmrep_add(preferences, tdmrep, rule);
    crawl_buf_free(&subject);
    return err;
}
