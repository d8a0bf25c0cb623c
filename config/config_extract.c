/* The sections [extract NAME] of a configuration: rules for values of pages. The user chooses the names of their keys,
 * so they have no rows in the schema; the lines are stored as they are, and crawl_rules interprets them. */
#include "config/config.h"

#include "base/array.h"
#include "base/bytes.h"

#include <crawl/extract.h>
#include <stdlib.h>

#define PREFIX "extract "

crawl_slice cw_config_extract_name(crawl_slice section)
{
    return cw_starts_with(section, PREFIX) ? cw_trim(cw_drop(section, sizeof PREFIX - 1)) : (crawl_slice){0};
}

static void free_line(crawl_extract_line *line)
{
    free(line->section);
    free(line->key);
    free(line->value);
}

/* CRAWL_ENOMEM: the line must still be freed. */
static crawl_err config_extract_copy_line(crawl_slice section, crawl_slice key, crawl_slice value,
                                          crawl_extract_line *out)
{
    out->section = strndup(section.data, section.size);
    out->key = strndup(key.data, key.size);
    out->value = strndup(value.size ? value.data : "", value.size);
    return out->section && out->key && out->value ? CRAWL_OK : CRAWL_ENOMEM;
}

crawl_err cw_config_extract_add(crawl_config *config, crawl_slice name, crawl_slice key, crawl_slice value)
{
    if (CW_ARRAY_RESIZE(config->extracts, config->extract_count + 1))
        return CRAWL_ENOMEM;
    return config_extract_copy_line(name, key, value, &config->extracts[config->extract_count++]);
}

void cw_config_extract_remove(crawl_config *config, crawl_slice name)
{
    size_t kept = 0;
    for (size_t i = 0; i < config->extract_count; i++) {
        if (cw_is(name, config->extracts[i].section))
            free_line(&config->extracts[i]);
        else
            config->extracts[kept++] = config->extracts[i];
    }
    config->extract_count = kept;
}

crawl_err cw_config_extract_own(crawl_config *config)
{
    const crawl_extract_line *from = config->extracts;
    size_t count = config->extract_count;
    config->extracts = NULL;
    config->extract_count = 0;
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < count && !err; i++)
        err = cw_config_extract_add(config, crawl_slice_from(from[i].section), crawl_slice_from(from[i].key),
                                    crawl_slice_from(from[i].value));
    return err;
}

void cw_config_extract_free(crawl_config *config)
{
    for (size_t i = 0; i < config->extract_count; i++)
        free_line(&config->extracts[i]);
    free(config->extracts);
}

crawl_err crawl_config_rules(const crawl_config *config, crawl_rules **out, crawl_error *error)
{
    *out = NULL;
    crawl_rules *rules = config->extract_count ? crawl_rules_create() : NULL;
    crawl_err err = config->extract_count && !rules ? CRAWL_ENOMEM : CRAWL_OK;
    for (size_t i = 0; i < config->extract_count && !err; i++) {
        const crawl_extract_line *line = &config->extracts[i];
        err = crawl_rules_add(rules, crawl_slice_from(line->section), crawl_slice_from(line->key),
                              crawl_slice_from(line->value), error);
    }
    if (err)
        crawl_rules_free(rules);
    else
        *out = rules;
    return err;
}
