#include "crawler/engine/scope/keep.h"

#include "base/bytes.h"
#include "base/error.h"

#include <crawl/links.h>
#include <stdlib.h>

struct cw_scope_keep {
    const crawl_texts *patterns;
    cw_scope_pattern **compiled;
    size_t compiled_count;
    const crawl_texts *types;
};

static crawl_err keep_compile(const char *name, cw_scope_keep *keep, crawl_error *error)
{
    keep->compiled = calloc(keep->patterns->count + 1, sizeof(cw_scope_pattern *));
    if (!keep->compiled)
        return cw_error(error, CRAWL_ENOMEM);
    for (size_t i = 0; i < keep->patterns->count; i++) {
        crawl_err err = cw_scope_pattern_compile(name, keep->patterns->items[i], &keep->compiled[i], error);
        if (err)
            return err;
        keep->compiled_count++;
    }
    return CRAWL_OK;
}

crawl_err cw_scope_keep_create(const char *name, const crawl_texts *patterns, const crawl_texts *types,
                               cw_scope_keep **out, crawl_error *error)
{
    *out = NULL;
    if (!patterns->count && (!types || !types->count))
        return CRAWL_OK;
    cw_scope_keep *keep = calloc(1, sizeof *keep);
    if (!keep)
        return cw_error(error, CRAWL_ENOMEM);
    keep->patterns = patterns;
    keep->types = types;
    crawl_err err = keep_compile(name, keep, error);
    if (err)
        cw_scope_keep_free(keep);
    else
        *out = keep;
    return err;
}

void cw_scope_keep_free(cw_scope_keep *keep)
{
    if (!keep)
        return;
    for (size_t i = 0; i < keep->compiled_count; i++)
        cw_scope_pattern_free(keep->compiled[i]);
    free(keep->compiled);
    free(keep);
}

bool cw_scope_keep_has_url(const cw_scope_keep *keep, cw_scope_matcher *matcher, crawl_slice canonical,
                           const char **stopped)
{
    *stopped = NULL;
    for (size_t i = 0; i < keep->compiled_count; i++) {
        cw_scope_match found = cw_scope_pattern_match(keep->compiled[i], matcher, canonical);
        if (found == CW_SCOPE_MATCH_STOPPED)
            *stopped = keep->patterns->items[i];
        if (found == CW_SCOPE_MATCH_FOUND) {
            *stopped = NULL;
            return true;
        }
    }
    return keep->compiled_count == 0 || *stopped;
}

/* Returns true if the type is the wanted one. wanted: "type/subtype", or "type" followed by "/" and an asterisk for all
 * of its subtypes. */
static bool keep_is_type(crawl_slice type, crawl_slice wanted)
{
    if (!cw_ends_with(wanted, "/*"))
        return cw_equal_nocase(type, wanted);
    size_t stem = wanted.size - 1;
    return type.size > stem && cw_equal_nocase(crawl_slice_of(type.data, stem), crawl_slice_of(wanted.data, stem));
}

bool cw_scope_keep_has_type(const cw_scope_keep *keep, crawl_slice content_type)
{
    crawl_slice type = crawl_media_type(content_type);
    for (size_t i = 0; i < keep->types->count; i++)
        if (keep_is_type(type, crawl_slice_from(keep->types->items[i])))
            return true;
    return keep->types->count == 0;
}
