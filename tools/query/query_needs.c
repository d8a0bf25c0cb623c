#include "tools/query/query_rows.h"

#include <strings.h>

typedef struct needs_fact {
    const char *sql; /* a row: present */
    const char *words;
} needs_fact;

#define NO_RECORD "no record was read: a crawl writes them with --output"

static const needs_fact needs_records = {"SELECT 1 FROM pages", NO_RECORD};
static const needs_fact needs_targets = {"SELECT 1 FROM pages UNION ALL SELECT 1 FROM links WHERE verdict = 'no-url'",
                                         NO_RECORD};
static const needs_fact needs_links = {"SELECT 1 FROM links", "no links were read: a crawl writes them with --links"};
static const needs_fact needs_sitemap = {"SELECT 1 FROM sitemap", "no sitemap was read: --sitemap FILE"};
static const needs_fact needs_ids = {"SELECT 1 FROM pages WHERE ids_cut IS NOT NULL",
                                     "no record has ids: a crawl writes them with --check-fragments"};
static const needs_fact needs_data = {"SELECT 1 FROM pages WHERE data IS NOT NULL",
                                      "no record has data: a crawl writes it with --data"};
static const needs_fact needs_text = {"SELECT 1 FROM pages WHERE text IS NOT NULL",
                                      "no record has text: a crawl writes it with --text"};
static const needs_fact needs_headers = {"SELECT 1 FROM headers",
                                         "no record has headers: a crawl writes them with --audit or --answer-headers"};
static const needs_fact needs_parts = {"SELECT 1 FROM pages WHERE requisite",
                                       "no part of a page was asked for: a crawl does so with --requisites"};
static const needs_fact needs_digest = {"SELECT 1 FROM pages WHERE digest IS NOT NULL", "no record has a digest"};
static const needs_fact needs_simhash = {"SELECT 1 FROM pages WHERE simhash IS NOT NULL",
                                         "no record has a simhash: a crawl writes it with --dedupe near"};

static const needs_fact needs_requests = {"SELECT 1 FROM requests",
                                          "no requests were read: a crawl writes them with --requests"};

static const struct {
    const char *view;
    const needs_fact *facts[2];
} needs_views[] = {
    {"blocked_by_robots", {&needs_records}},
    {"broken_fragments", {&needs_ids, &needs_links}},
    {"broken_links", {&needs_targets}},
    {"canonical_elsewhere", {&needs_data}},
    {"canonical_faults", {&needs_data}},
    {"canonical_loops", {&needs_data}},
    {"duplicate_descriptions", {&needs_data}},
    {"duplicate_titles", {&needs_records}},
    {"duplicates", {&needs_digest}},
    {"host_requests", {&needs_requests}},
    {"hosts", {&needs_records}},
    {"hreflang_without_return", {&needs_data}},
    {"mixed_content", {&needs_links, &needs_parts}},
    {"near_duplicates", {&needs_simhash}},
    {"no_alt_images", {&needs_data}},
    {"no_heading", {&needs_data}},
    {"noindex", {&needs_records}},
    {"not_followed", {&needs_links}},
    {"orphans", {&needs_sitemap, &needs_links}},
    {"page_weight", {&needs_parts, &needs_links}},
    {"redirect_chains", {&needs_records}},
    {"redirect_loops", {&needs_records}},
    {"redirects", {&needs_records}},
    {"request", {&needs_requests}},
    {"security_headers", {&needs_headers}},
    {"sitemap_faults", {&needs_sitemap, &needs_records}},
    {"slow_pages", {&needs_records}},
    {"statuses", {&needs_records}},
    {"thin_pages", {&needs_text}},
    {"title_lengths", {&needs_records}},
    {"undescribed", {&needs_data}},
    {"untitled", {&needs_records}},
    {"walls", {&needs_records}},
};

static int needs_is_there(sqlite3 *db, const needs_fact *fact)
{
    sqlite3_stmt *question = NULL;
    int result = sqlite3_prepare_v2(db, fact->sql, -1, &question, NULL);
    result = result ? result : sqlite3_step(question);
    sqlite3_finalize(question);
    return result != SQLITE_DONE; /* a failure shows when the view is queried */
}

const char *cw_query_lacks(sqlite3 *db, const char *view)
{
    for (size_t i = 0; i < sizeof needs_views / sizeof *needs_views; i++)
        for (size_t k = 0; strcasecmp(view, needs_views[i].view) == 0 && k < 2 && needs_views[i].facts[k]; k++)
            if (!needs_is_there(db, needs_views[i].facts[k]))
                return needs_views[i].facts[k]->words;
    return NULL;
}
