/* The inside of `crawl explain`, shared by explain.c (command line, output), world.c (what URLs are judged by),
 * state.c (what a directory of --state knows of them), records.c (what files of records do) and
 * checks.c (the judgements). */
#ifndef CW_TOOL_EXPLAIN_H
#define CW_TOOL_EXPLAIN_H

#include "base/map.h"
#include "crawler/engine/host/guard.h"
#include "crawler/engine/host/site_note.h"
#include "crawler/engine/links/key.h"
#include "crawler/engine/links/scope.h"

#include <crawl/config.h>
#include <crawl/engine.h>
#include <crawl/fingerprint.h>
#include <crawl/frontier.h>
#include <crawl/robots.h>
#include <crawl/url.h>
#include <jansson.h>

/* A seed, known by its fingerprint; or, of a directory, a place that a seed made part of the scope. */
typedef struct cw_explain_seed {
    struct cw_explain_seed *next; /* in the order given */
    crawl_fingerprint fingerprint;
    uint32_t depth;
    size_t place_size; /* what the scope goes by, at the front of text; the URL stands behind it */
    size_t url_size;
    char text[];
} cw_explain_seed;

/* By what URLs are judged: a crawl that does not run. */
typedef struct cw_explain_world {
    const crawl_config *config;
    cw_key_rules key;
    cw_scope *scope;
    cw_scope_reader *reader;
    cw_guard *guard;
    crawl_fingerprinter *fingerprinter;
    cw_map *seeds; /* fingerprint -> the seed */
    cw_explain_seed *first;
    cw_explain_seed **last;
    crawl_robots *robots; /* NULL: no robots.txt was named */
    const char *robots_path;
    crawl_url *url; /* scratch for seeds */
    crawl_buf canonical;
    int64_t at_depth;           /* links away from a seed that the URLs are; negative: not said */
    crawl_frontier_view *view;  /* NULL: there is no directory */
    int64_t now_ms;             /* of the frontier's clock */
    const char *const *records; /* files of records or of links */
    size_t record_count;
    crawl_error error; /* why the directory, or one of them, cannot be read */
} cw_explain_world;

/* CRAWL_EPARSE: error says what of the configuration is wrong. CRAWL_ENOMEM. config is borrowed. */
crawl_err cw_explain_open(cw_explain_world *world, const crawl_config *config, crawl_error *error);
void cw_explain_close(cw_explain_world *world);
/* A place that a directory keeps; is_seed: its host may be at a private address. */
crawl_err cw_explain_take_place(cw_explain_world *world, crawl_slice url, bool is_seed);
/* A cw_seed_take; user is the world. */
crawl_err cw_explain_take_seed(void *user, const crawl_seed *seed, crawl_error *error);

/* What a directory knows of a URL and of its site. */
typedef struct cw_explain_found {
    bool seen;
    crawl_bloom_found held; /* of seen */
    bool queued;
    uint64_t before; /* requests of its host that stand before it */
    uint32_t depth;
    uint32_t attempt;
    uint32_t visit;
    bool has_host;
    crawl_frontier_host host;
    int64_t due_ms;   /* INT64_MIN: as soon as its host may be asked */
    crawl_buf parent; /* the page it was found on; empty: none */
    crawl_buf origin;
    crawl_buf note;
    bool has_site;
    cw_site_note site; /* read from note */
} cw_explain_found;

/* One URL, and what is known of it. */
typedef struct cw_explain_url {
    crawl_url *url;
    crawl_buf canonical;
    crawl_fingerprint fingerprint;
    const cw_explain_seed *seed; /* NULL: it is none */
    cw_explain_found found;      /* zeros without a directory */
    json_t *record;              /* the last of it, as a line of --output; NULL: none */
    json_t *edge;                /* the last link to it, as a line of --links; NULL: none */
} cw_explain_url;

/* Fills in what follows from url->url, an http(s) URL. CRAWL_ENOMEM; CRAWL_EPARSE: there is no canonical form. */
crawl_err cw_explain_look_up(cw_explain_world *world, cw_explain_url *url);

/* state.c. Opens the directory of config.state, if there is one, and takes its places; closes it. */
crawl_err cw_explain_open_state(cw_explain_world *world);
void cw_explain_close_state(cw_explain_world *world);
/* Fills in url->found. CRAWL_OK also where there is no directory; world->error says what went wrong. */
crawl_err cw_explain_find(cw_explain_world *world, cw_explain_url *url);
void cw_explain_found_free(cw_explain_found *found);

/* records.c. Fills in url->record and url->edge; world->error says what went wrong. */
crawl_err cw_explain_read_records(cw_explain_world *world, cw_explain_url *url);
void cw_explain_drop_records(cw_explain_url *url);

/* What is worse stands later. */
typedef enum cw_verdict {
    CW_VERDICT_PASS,
    CW_VERDICT_UNKNOWN, /* nothing is known that would decide it */
    CW_VERDICT_WAIT,    /* not before a date that is known */
    CW_VERDICT_REFUSE
} cw_verdict;

/* "pass", "unknown", "wait", "refuse" */
const char *cw_verdict_name(cw_verdict verdict);

/* A judgement: the verdict, and into *rule, which is empty, what decided it: a setting, a pattern, a line of a file.
 * CRAWL_ENOMEM. */
typedef struct cw_explain_check {
    const char *name;
    bool of_state;   /* only where there is a directory */
    bool of_records; /* only where files of records are named */
    crawl_err (*judge)(const cw_explain_world *world, const cw_explain_url *url, cw_verdict *verdict, crawl_buf *rule);
} cw_explain_check;

/* state.c: robots.txt as the directory keeps it for the URL's site, dates of the site, seen-set and queue. */
crawl_err cw_explain_kept_robots(const cw_explain_world *world, const cw_explain_url *url, cw_verdict *verdict,
                                 crawl_buf *rule);
crawl_err cw_explain_host(const cw_explain_world *world, const cw_explain_url *url, cw_verdict *verdict,
                          crawl_buf *rule);
crawl_err cw_explain_seen(const cw_explain_world *world, const cw_explain_url *url, cw_verdict *verdict,
                          crawl_buf *rule);

/* records.c: limits that are counted, and what became of the URL. */
crawl_err cw_explain_counts(const cw_explain_world *world, const cw_explain_url *url, cw_verdict *verdict,
                            crawl_buf *rule);
crawl_err cw_explain_record(const cw_explain_world *world, const cw_explain_url *url, cw_verdict *verdict,
                            crawl_buf *rule);

#define CW_EXPLAIN_CHECKS 10u

/* Until the one whose name is NULL. A URL is fetched if none refuses. Why it is not comes before that it was found to
 * be so: what a rule keeps out is marked seen and done too. */
extern const cw_explain_check cw_explain_checks[CW_EXPLAIN_CHECKS + 1];

#endif
