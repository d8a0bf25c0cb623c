/* "did you mean": the nearest key of the same section, then of all, then the nearest section. */
#include "config/config.h"

#include "config/nearest.h"
#include "config/schema.h"

#include <stdio.h>

/* Its sections have a name besides. */
static bool is_host(const char *section)
{
    return strcmp(section, "host") == 0;
}

static bool in_section(const cw_key *key, crawl_slice section)
{
    return crawl_slice_equal(section, crawl_slice_from(key->section));
}

/* The row whose name is nearest: of this section, or of all (section NULL). NULL: none is near enough. */
static const cw_key *nearest_key(const crawl_slice *section, crawl_slice name)
{
    size_t counts[2];
    const cw_key *tables[2] = {cw_schema(&counts[0]), cw_schema_host(&counts[1])};
    const cw_key *found = NULL;
    cw_nearest nearest = {.text = name};
    for (size_t table = 0; table < 2; table++)
        for (size_t i = 0; i < counts[table]; i++) {
            const cw_key *key = &tables[table][i];
            const char *before = nearest.best;
            if (!section || in_section(key, *section))
                cw_nearest_offer(&nearest, key->name);
            if (nearest.best != before)
                found = key;
        }
    return found;
}

cw_suggestion cw_suggest_key(crawl_slice section, crawl_slice name)
{
    cw_suggestion suggestion = {""};
    const cw_key *key = nearest_key(&section, name);
    if (key) {
        snprintf(suggestion.text, sizeof suggestion.text, "; did you mean \"%s\"?", key->name);
    } else {
        key = nearest_key(NULL, name);
        if (key)
            snprintf(suggestion.text, sizeof suggestion.text, "; did you mean \"%s\" of [%s]?", key->name,
                     key->section);
    }
    return suggestion;
}

static const char *nearest_section(crawl_slice section)
{
    size_t count;
    const cw_key *keys = cw_schema(&count);
    cw_nearest nearest = {.text = section};
    for (size_t i = 0; i < count; i++)
        cw_nearest_offer(&nearest, keys[i].section);
    cw_nearest_offer(&nearest, "host");
    return nearest.best;
}

cw_suggestion cw_suggest_section(crawl_slice section)
{
    cw_suggestion suggestion = {""};
    const char *space = section.size ? memchr(section.data, ' ', section.size) : NULL;
    const char *name =
        nearest_section(crawl_slice_of(section.data, space ? (size_t)(space - section.data) : section.size));
    if (name)
        snprintf(suggestion.text, sizeof suggestion.text, "; did you mean [%s%s]?", name, is_host(name) ? " NAME" : "");
    return suggestion;
}

cw_suggestion cw_suggest_full(crawl_slice full)
{
    cw_suggestion suggestion = {""};
    const char *dot = full.size ? memchr(full.data, '.', full.size) : NULL;
    crawl_slice section = crawl_slice_of(full.data, dot ? (size_t)(dot - full.data) : 0);
    crawl_slice name = dot ? crawl_slice_of(dot + 1, full.size - section.size - 1) : full;
    const char *near = nearest_section(section);
    crawl_slice meant = crawl_slice_from(near);
    const cw_key *key = near ? nearest_key(&meant, name) : NULL;
    if (!key)
        key = nearest_key(NULL, name);
    if (key)
        snprintf(suggestion.text, sizeof suggestion.text, "; did you mean \"%s%s.%s\"?", key->section,
                 is_host(key->section) ? " NAME" : "", key->name);
    return suggestion;
}
