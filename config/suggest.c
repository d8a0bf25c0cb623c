/* See suggest.h. Suggests the nearest key of the same section, otherwise of all sections, otherwise the nearest
 * section. */
#include "config/suggest.h"

#include "base/bytes.h"
#include "base/text/nearest.h"
#include "config/schema.h"

#include <stdio.h>

/* Returns true for a section of hosts, which also has a name. */
static bool suggest_is_host(const char *section)
{
    return strcmp(section, "host") == 0 || strcmp(section, "group") == 0;
}

/* Returns the row with the nearest name, in this section, or in all if section is NULL. NULL: none is near enough. */
static const cw_config_key *nearest_key(const crawl_slice *section, crawl_slice name)
{
    size_t counts[2];
    const cw_config_key *tables[2] = {cw_config_schema(&counts[0]), cw_config_schema_host(&counts[1])};
    const cw_config_key *found = NULL;
    cw_nearest nearest = {.text = name};
    for (size_t table = 0; table < 2; table++)
        for (size_t i = 0; i < counts[table]; i++) {
            const cw_config_key *key = &tables[table][i];
            const char *before = nearest.best;
            if (!section || cw_is(*section, key->section))
                cw_nearest_offer(&nearest, key->name);
            if (nearest.best != before)
                found = key;
        }
    return found;
}

cw_config_suggestion cw_config_suggest_key(crawl_slice section, crawl_slice name)
{
    cw_config_suggestion suggestion = {""};
    const cw_config_key *key = nearest_key(&section, name);
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
    const cw_config_key *keys = cw_config_schema(&count);
    cw_nearest nearest = {.text = section};
    for (size_t i = 0; i < count; i++)
        cw_nearest_offer(&nearest, keys[i].section);
    cw_nearest_offer(&nearest, "host");
    cw_nearest_offer(&nearest, "group");
    return nearest.best;
}

cw_config_suggestion cw_config_suggest_section(crawl_slice section)
{
    cw_config_suggestion suggestion = {""};
    const char *name = nearest_section(cw_cut(&section, ' '));
    if (name)
        snprintf(suggestion.text, sizeof suggestion.text, "; did you mean [%s%s]?", name,
                 suggest_is_host(name) ? " NAME" : "");
    return suggestion;
}

cw_config_suggestion cw_config_suggest_full(crawl_slice full)
{
    cw_config_suggestion suggestion = {""};
    bool has_dot = cw_find_char(full, '.') < full.size;
    crawl_slice section = has_dot ? cw_cut(&full, '.') : (crawl_slice){0};
    const char *near = nearest_section(section);
    crawl_slice meant = crawl_slice_from(near);
    const cw_config_key *key = near ? nearest_key(&meant, full) : NULL;
    if (!key)
        key = nearest_key(NULL, full);
    if (key)
        snprintf(suggestion.text, sizeof suggestion.text, "; did you mean \"%s%s.%s\"?", key->section,
                 suggest_is_host(key->section) ? " NAME" : "", key->name);
    return suggestion;
}
