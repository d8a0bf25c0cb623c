/* Decides which URLs belong to the crawl: by the scope relative to the seeds, then by the include and exclude
 * patterns. */
#pragma once

#include <crawl/config.h>
#include <crawl/url.h>

/* Thread-safe. */
typedef struct cw_scope cw_scope;

/* config is borrowed. CRAWL_EPARSE: a pattern is not a regular expression; error names it and the place in it. */
crawl_err cw_scope_create(const crawl_config *config, cw_scope **out, crawl_error *error);
void cw_scope_free(cw_scope *scope);

/* Widens the scope by the place of this URL: a seed, or the target of a seed's redirect. CRAWL_ENOMEM. */
crawl_err cw_scope_add(cw_scope *scope, const crawl_url *url);

/* Returns the registrable domain of a host by the public suffix list, or the host itself if it has none, like an
 * address or a suffix. text: memory that the result may point into. */
crawl_slice cw_scope_domain(crawl_slice host, crawl_buf *text);
/* Returns the URL's directory: its href up to the last slash of its path, borrowed. This is enough for every kind of
 * scope. */
crawl_slice cw_scope_prefix(const crawl_url *url);

/* The note of a crawl whose seeds are being read. Its text names their source. */
#define CW_SCOPE_SEEDS_NOTE "#seeds"

/* Returns a number that grows whenever the scope is widened. */
uint32_t cw_scope_changes(cw_scope *scope);

/* One thread's reader: memory for matches, and the last answers. */
typedef struct cw_scope_reader cw_scope_reader;
cw_scope_reader *cw_scope_reader_create(cw_scope *scope);
void cw_scope_reader_free(cw_scope_reader *reader);

/* Returns true if this http(s) URL belongs to the crawl by its host, domain or prefix. */
bool cw_scope_contains(cw_scope_reader *reader, const crawl_url *url);

/* Returns true if the patterns let this canonical URL pass. The last pattern that matches decides. If none matches, a
 * URL passes unless the first pattern is an include: `--include A` means only A, `--exclude B --include C` everything
 * except B, but including C. *stopped: a pattern that took too many steps, so that the URL does not pass; NULL:
 * none. */
bool cw_scope_passes(cw_scope_reader *reader, crawl_slice canonical, const crawl_filter_rule **stopped);
/* Likewise, for a part of a page, which passes if no pattern matches. */
bool cw_scope_passes_part(cw_scope_reader *reader, crawl_slice canonical, const crawl_filter_rule **stopped);

typedef enum cw_scope_rule {
    CW_SCOPE_RULE_NONE,    /* no pattern matches */
    CW_SCOPE_RULE_DECIDES, /* the last pattern that matches decides */
    CW_SCOPE_RULE_STOPPED  /* a pattern took too many steps, and none after it matches */
} cw_scope_rule;

/* Finds the pattern that decides on this canonical URL. *index: its place in crawl_config.rules, unless none
 * matches. */
cw_scope_rule cw_scope_rule_of(cw_scope_reader *reader, crawl_slice canonical, size_t *index);

/* Returns the part of a URL that the scope compares: its host, its registrable domain or its directory; empty if the
 * scope is any. Borrowed from url and the reader until the next call. */
crawl_slice cw_scope_place(cw_scope_reader *reader, const crawl_url *url);
