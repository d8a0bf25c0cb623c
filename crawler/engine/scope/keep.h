/* Selects pages for a setting, by URL and by media type: pages to keep (output.keep, output.keep_type), which affects
 * only records, bodies and archives, and pages to render (render.pages). The set of requests does not depend on
 * either. */
#pragma once

#include "config/config_values.h"
#include "crawler/engine/scope/pattern.h"

/* Immutable. */
typedef struct cw_scope_keep cw_scope_keep;

/* Both lists are borrowed; types NULL: any type. name: what error calls the patterns. *out is NULL if both lists are
 * empty, so that everything is kept. CRAWL_EPARSE: a pattern is not a regular expression; error names it and the place
 * in it. CRAWL_ENOMEM. */
crawl_err cw_scope_keep_create(const char *name, const crawl_texts *patterns, const crawl_texts *types,
                               cw_scope_keep **out, crawl_error *error);
void cw_scope_keep_free(cw_scope_keep *keep);

/* Returns true if the URL matches one of the patterns, or if there are none. Also returns true if no pattern matches
 * and one took too many steps, so that a page is kept rather than lost. *stopped: that pattern; NULL: none. */
bool cw_scope_keep_has_url(const cw_scope_keep *keep, cw_scope_matcher *matcher, crawl_slice canonical,
                           const char **stopped);
/* Returns true if the media type is a wanted one, or if any is. content_type: the value of the header; empty: the page
 * has no type. */
bool cw_scope_keep_has_type(const cw_scope_keep *keep, crawl_slice content_type);
