/* Which pages a setting is about, by URL and by media type: those that are kept (output.keep, output.keep_type), which
 * decides about records, bodies and archives alone, and those that are rendered (render.pages). The set of requests
 * does not depend on either. */
#pragma once

#include "config/config_values.h"
#include "crawler/engine/scope/pattern.h"

/* Immutable. */
typedef struct cw_scope_keep cw_scope_keep;

/* Both are borrowed; types NULL: any. name: what the patterns are called. *out is NULL where both are empty, so that
 * everything is kept. CRAWL_EPARSE: a pattern is no regular expression; error names it and the place in it.
 * CRAWL_ENOMEM. */
crawl_err cw_scope_keep_create(const char *name, const crawl_texts *patterns, const crawl_texts *types,
                               cw_scope_keep **out, crawl_error *error);
void cw_scope_keep_free(cw_scope_keep *keep);

/* Does the URL match one of the patterns, if there are any? Where no pattern matches and one took too many steps, the
 * answer is yes, so that a page is rather kept than lost. *stopped: that pattern; NULL: none. */
bool cw_scope_keep_has_url(const cw_scope_keep *keep, cw_scope_matcher *matcher, crawl_slice canonical,
                           const char **stopped);
/* Is the media type one of those wanted, if there are any? content_type: the value of the header; empty: there is none,
 * and the page has no type. */
bool cw_scope_keep_has_type(const cw_scope_keep *keep, crawl_slice content_type);
