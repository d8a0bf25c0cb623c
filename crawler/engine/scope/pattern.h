/* Regular expressions over URLs, for --include, --exclude and --keep. A match that backtracks without end is stopped,
 * so that a stranger's URL cannot hold a worker. Whether the pattern would have matched is then unknown; the caller
 * decides what is safe. */
#pragma once

#include <crawl/base.h>

/* Immutable. */
typedef struct cw_scope_pattern cw_scope_pattern;

/* kind: what error calls the pattern. CRAWL_EPARSE: text is not a regular expression; error names it and the place in
 * it. */
crawl_err cw_scope_pattern_compile(const char *kind, const char *text, cw_scope_pattern **out, crawl_error *error);
void cw_scope_pattern_free(cw_scope_pattern *pattern);

/* One thread's memory for matching. */
typedef struct cw_scope_matcher cw_scope_matcher;
cw_scope_matcher *cw_scope_matcher_create(void);
void cw_scope_matcher_free(cw_scope_matcher *matcher);

typedef enum cw_scope_match {
    CW_SCOPE_MATCH_NONE,
    CW_SCOPE_MATCH_FOUND,
    CW_SCOPE_MATCH_STOPPED /* it took too many steps */
} cw_scope_match;

/* Looks for a match anywhere in the text. */
cw_scope_match cw_scope_pattern_match(const cw_scope_pattern *pattern, cw_scope_matcher *matcher, crawl_slice text);
