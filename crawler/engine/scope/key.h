/* The key by which the crawl recognises a request: the canonical form of its URL, and the fingerprint of that form. The
 * settings are canonical, fingerprint and drop_params of [seen]; they do not affect what is fetched. */
#pragma once

#include <crawl/config.h>
#include <crawl/fingerprint.h>
#include <crawl/url.h>

/* `{0}` is the default. Immutable once opened, so thread-safe. */
typedef struct cw_scope_key_rules {
    crawl_canonical_options canonical;
    crawl_fingerprint_options fingerprint;
    crawl_drop_params *drop;
} cw_scope_key_rules;

/* Reads the settings. CRAWL_EPARSE: seen.drop_params is not a list; error says why. CRAWL_ENOMEM. */
crawl_err cw_scope_key_open(const crawl_config *config, cw_scope_key_rules *rules, crawl_error *error);
void cw_scope_key_close(cw_scope_key_rules *rules);

/* Appends a text that describes the rules: two crawls with the same text give the same request the same fingerprint.
 * CRAWL_ENOMEM. */
crawl_err cw_scope_key_describe(const crawl_config *config, const cw_scope_key_rules *rules, crawl_buf *out);

/* Replaces *out with the canonical form of an http(s) URL. CRAWL_ENOMEM. */
crawl_err cw_scope_key_canonical(const cw_scope_key_rules *rules, const crawl_url *url, crawl_buf *out);

/* Makes the fingerprint of the request for a canonical form. method empty: GET. CRAWL_ENOMEM. */
crawl_err cw_scope_key_fingerprint(const cw_scope_key_rules *rules, crawl_fingerprinter *fingerprinter,
                                   crawl_slice method, crawl_slice canonical, crawl_slice body, crawl_fingerprint *out);
