/* Shared by the files of `crawl explain`, which says whether a crawl would fetch a URL, and why: tool_explain.c
 * (command line), command_explain.c (each URL, output), explain_state.c (facts from a directory of --state),
 * explain_shared.c (facts from the Redis server of a shared crawl), running.c (facts from the engine of a running
 * crawl), records.c (facts from files of records) and checks.c (the checks). */
#pragma once

#include "base/writer.h"

#include <crawl/config.h>
#include <crawl/frontier.h>
#include <crawl/robots.h>
#include <crawl/sys/explain.h>
#include <crawl/url.h>
#include <jansson.h>

typedef struct cw_explain_shared cw_explain_shared;

/* Everything that URLs are judged by: a crawl that does not run. */
typedef struct cw_explain_world {
    const crawl_config *config;
    crawl_judge *judge;
    crawl_robots *robots; /* NULL: no robots.txt is named */
    const char *robots_path;
    int64_t at_depth;           /* depth of the URLs; negative: not given */
    crawl_frontier_view *view;  /* NULL: no directory */
    cw_explain_shared *shared;  /* NULL: not a shared crawl */
    crawl_engine *engine;       /* of a running crawl, which knows what a directory would know; NULL: none */
    int64_t now_ms;             /* on the frontier's clock */
    const char *const *records; /* files of records or links */
    size_t record_count;
    crawl_url *url; /* of a link to the present URL */
    crawl_buf canonical;
    crawl_error error; /* why the directory, or one of the files, cannot be read */
} cw_explain_world;

/* The facts of a directory about a URL and its host. */
typedef struct cw_explain_found {
    bool seen;
    crawl_bloom_found held; /* filter that holds it, if seen */
    bool queued;
    uint64_t before; /* requests of its host ahead of it */
    uint32_t depth;
    uint32_t attempt;
    uint32_t visit;
    bool has_host;
    crawl_frontier_host host;
    int64_t due_ms;     /* INT64_MIN: as soon as its host may be asked */
    int64_t lastmod_ms; /* of its sitemap, if that makes it due; otherwise 0 */
    crawl_buf parent;   /* the page that it was found on; empty: none */
    crawl_buf origin;
    crawl_buf note;
    crawl_state_note kept; /* of its host, parsed from note; kind OTHER: none */
    crawl_buf wall_note;
    crawl_state_note wall; /* likewise, the last wall of its host */
    bool is_blocked;       /* its host is, by the operator */
    /* Of a shared crawl: */
    bool is_held;      /* the process that has its host holds it */
    bool is_cut;       /* its host has more requests than were examined */
    int64_t open_ms;   /* its host may not be taken earlier */
    crawl_buf process; /* has its host; empty: none */
    int64_t until_ms;  /* end of that hold, unless the process lives */
} cw_explain_found;

/* A URL and its facts. */
typedef struct cw_explain_url {
    crawl_url *url;
    crawl_judgement rules;
    cw_explain_found found; /* zeros without a directory */
    json_t *record;         /* its last record, a line of --output; NULL: none */
    json_t *edge;           /* the last link to it, a line of --links; NULL: none */
} cw_explain_url;

/* command_explain.c. Explains the URLs; count 0: those of standard input. Returns an exit status. */
int cw_explain_urls(cw_explain_world *world, bool jsonl, int count, char **urls);

/* Explains one URL. *out: the object that --jsonl prints; the caller owns it. Errors: those of the engine. */
crawl_err cw_explain_object(cw_explain_world *world, crawl_slice url, json_t **out);

/* explain_state.c. Opens the directory of config.state, if any, and takes over its places. On errors, world->error says
 * why. */
crawl_err cw_explain_open_state(cw_explain_world *world);
/* Fills in url->found. CRAWL_OK also without a directory. On errors, world->error says why. */
crawl_err cw_explain_find(cw_explain_world *world, cw_explain_url *url);
void cw_explain_found_free(cw_explain_found *found);

/* explain_shared.c. Asks the server of config.shared, if any, and puts the crawl's decided options into config, so call
 * it before the judge is made. On errors, world->error says why. */
crawl_err cw_explain_open_shared(cw_explain_world *world, crawl_config *config);
/* Passes the places of the scope to the judge. */
crawl_err cw_explain_take_shared_places(cw_explain_world *world);
void cw_explain_close_shared(cw_explain_world *world);
/* Fills in url->found. */
crawl_err cw_explain_find_shared(cw_explain_world *world, cw_explain_url *url);

/* records.c. Fills in url->record and url->edge. On errors, world->error says why. */
crawl_err cw_explain_read_records(cw_explain_world *world, cw_explain_url *url);
void cw_explain_drop_records(cw_explain_url *url);
/* The first returns true if the records say that the URL is a part of a page (crawl.requisites). The second then says
 * of which page, and by which link. */
bool cw_explain_is_part(const cw_explain_url *url);
void cw_explain_say_part(const cw_explain_url *url, cw_writer *rule);

/* Verdicts, from best to worst. */
typedef enum cw_explain_verdict {
    CW_EXPLAIN_PASS,
    CW_EXPLAIN_UNKNOWN, /* the deciding facts are unknown */
    CW_EXPLAIN_WAIT,    /* not before a known date */
    CW_EXPLAIN_REFUSE
} cw_explain_verdict;

/* Judges a URL. Returns the verdict, and appends the deciding setting, pattern or line of a file to rule, which is
 * empty. */
typedef cw_explain_verdict cw_explain_judge(const cw_explain_world *world, const cw_explain_url *url, cw_writer *rule);

typedef struct cw_explain_check {
    const char *name;
    bool of_state;   /* needs a directory, a server or an engine */
    bool of_records; /* needs files of records */
    cw_explain_judge *judge;
} cw_explain_check;

/* explain_state.c: the host's robots.txt as the directory keeps it, dates of the host, seen-set and queue. */
cw_explain_judge cw_explain_kept_robots, cw_explain_host, cw_explain_seen;
/* The verdict when the rules of robots.txt have expired. */
cw_explain_verdict cw_explain_say_expired(int64_t expired_ms, cw_writer *rule);
/* Does the same as cw_explain_seen for a seen-set of this kind. */
cw_explain_verdict cw_explain_seen_in(const cw_explain_world *world, const cw_explain_url *url, crawl_bloom_kind kind,
                                      cw_writer *rule);
/* The words for a host blocked by crawl_engine_block_host. */
#define CW_EXPLAIN_BLOCKED "blocked by the operator of the crawl"
/* Appends the host's last wall, if any: it explains why the host is held, or why a page of it is missing. */
void cw_explain_say_wall(const cw_explain_url *url, const crawl_state_note *last, cw_writer *rule);

/* explain_shared.c: the last two for a shared crawl. */
cw_explain_judge cw_explain_shared_host, cw_explain_shared_seen;

/* running.c: the same for a running crawl, from its engine. */
cw_explain_judge cw_explain_running_robots, cw_explain_running_host, cw_explain_running_seen;

/* records.c: counted limits, and the fate of the URL. */
cw_explain_judge cw_explain_counts, cw_explain_record;

/* explain_state.c. Checks the URL against a robots.txt. name: of the file, for messages. */
cw_explain_verdict cw_explain_ask_robots(const cw_explain_world *world, const cw_explain_url *url,
                                         const crawl_robots *robots, const char *name, cw_writer *rule);

#define CW_EXPLAIN_CHECKS 10u

/* A URL is fetched if no check refuses it. The checks of rules come before those that look up the URL's past, because a
 * URL that a rule excludes is also marked as seen and done. */
extern const cw_explain_check cw_explain_checks[CW_EXPLAIN_CHECKS];
