/* Shared by the files of `crawl explain`, which tells whether a crawl would fetch a URL and why: tool_explain.c
 * (command line), command_explain.c (URL by URL, output), explain_state.c (what a directory of --state knows of them),
 * explain_shared.c (what the Redis server of a crawl that processes share does), running.c (what the engine of a crawl
 * that runs does), records.c (what files of records do) and checks.c (the judgements). */
#pragma once

#include "base/writer.h"

#include <crawl/config.h>
#include <crawl/frontier.h>
#include <crawl/robots.h>
#include <crawl/sys/explain.h>
#include <crawl/url.h>
#include <jansson.h>

typedef struct cw_explain_shared cw_explain_shared;

/* All that URLs are judged by: a crawl that does not run. */
typedef struct cw_explain_world {
    const crawl_config *config;
    crawl_judge *judge;
    crawl_robots *robots; /* NULL: no robots.txt was named */
    const char *robots_path;
    int64_t at_depth;           /* links away from a seed that the URLs are; negative: not said */
    crawl_frontier_view *view;  /* NULL: there is no directory */
    cw_explain_shared *shared;  /* NULL: processes do not share the crawl */
    crawl_engine *engine;       /* of a crawl that runs, which knows what a directory would; NULL: none */
    int64_t now_ms;             /* of the frontier's clock */
    const char *const *records; /* files of records or of links */
    size_t record_count;
    crawl_url *url; /* of a link to the URL at hand */
    crawl_buf canonical;
    crawl_error error; /* why the directory, or one of the files, cannot be read */
} cw_explain_world;

/* A URL and its host, as a directory knows them. */
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
    int64_t due_ms;     /* INT64_MIN: as soon as its host may be asked */
    int64_t lastmod_ms; /* of its sitemap, if that makes it due; 0: it does not */
    crawl_buf parent;   /* the page it was found on; empty: none */
    crawl_buf origin;
    crawl_buf note;
    crawl_state_note kept; /* of its host, read from note; of the kind OTHER where there is none */
    crawl_buf wall_note;
    crawl_state_note wall; /* likewise the last wall of its host */
    /* Of a crawl that processes share: */
    bool is_held;      /* by the process that has its host */
    bool is_cut;       /* its host has more requests than were looked at */
    int64_t open_ms;   /* its host may not be taken before */
    crawl_buf process; /* that has its host; empty: none */
    int64_t until_ms;  /* and until when, unless it lives */
} cw_explain_found;

/* One URL, and what is known of it. */
typedef struct cw_explain_url {
    crawl_url *url;
    crawl_judgement rules;
    cw_explain_found found; /* zeros without a directory */
    json_t *record;         /* the last of it, as a line of --output; NULL: none */
    json_t *edge;           /* the last link to it, as a line of --links; NULL: none */
} cw_explain_url;

/* command_explain.c. Explains the URLs, or those of standard input where count is 0. An exit status. */
int cw_explain_urls(cw_explain_world *world, bool jsonl, int count, char **urls);

/* The same for one URL, as the object that --jsonl prints; *out is the caller's. An error: what came of asking the
 * engine. */
crawl_err cw_explain_object(cw_explain_world *world, crawl_slice url, json_t **out);

/* explain_state.c. Opens the directory of config.state, if there is one, and takes its places; world->error says what
 * went wrong. */
crawl_err cw_explain_open_state(cw_explain_world *world);
/* Fills in url->found. CRAWL_OK also if there is nothing to ask; world->error says what went wrong. */
crawl_err cw_explain_find(cw_explain_world *world, cw_explain_url *url);
void cw_explain_found_free(cw_explain_found *found);

/* explain_shared.c. Asks the server of config.shared, if there is one: what was decided goes into config, and so before
 * the judge is made; world->error says what went wrong. */
crawl_err cw_explain_open_shared(cw_explain_world *world, crawl_config *config);
/* Makes the places of the scope known to the judge. */
crawl_err cw_explain_take_shared_places(cw_explain_world *world);
void cw_explain_close_shared(cw_explain_world *world);
/* Fills in url->found. */
crawl_err cw_explain_find_shared(cw_explain_world *world, cw_explain_url *url);

/* records.c. Fills in url->record and url->edge; world->error says what went wrong. */
crawl_err cw_explain_read_records(cw_explain_world *world, cw_explain_url *url);
void cw_explain_drop_records(cw_explain_url *url);
/* Do they say that the URL is a part of a page (crawl.requisites)? Then the second one says of which, and by what. */
bool cw_explain_is_part(const cw_explain_url *url);
void cw_explain_say_part(const cw_explain_url *url, cw_writer *rule);

/* Verdicts; worse ones come later. */
typedef enum cw_explain_verdict {
    CW_EXPLAIN_PASS,
    CW_EXPLAIN_UNKNOWN, /* nothing is known that would decide it */
    CW_EXPLAIN_WAIT,    /* not before a date that is known */
    CW_EXPLAIN_REFUSE
} cw_explain_verdict;

/* Judges a URL. Returns the verdict, and writes what decided it into rule, which is empty: a setting, a pattern, a line
 * of a file. */
typedef cw_explain_verdict cw_explain_judge(const cw_explain_world *world, const cw_explain_url *url, cw_writer *rule);

typedef struct cw_explain_check {
    const char *name;
    bool of_state;   /* only where there is a directory, a server or an engine */
    bool of_records; /* only where files of records are named */
    cw_explain_judge *judge;
} cw_explain_check;

/* explain_state.c: robots.txt as the directory keeps it for the URL's host, dates of the host, seen-set and queue. */
cw_explain_judge cw_explain_kept_robots, cw_explain_host, cw_explain_seen;
/* As cw_explain_seen, of a seen-set of this kind. */
cw_explain_verdict cw_explain_seen_in(const cw_explain_world *world, const cw_explain_url *url, crawl_bloom_kind kind,
                                      cw_writer *rule);
/* Adds the last wall of the host, if there is one: it tells why the host is held, or why a page of it is not there. */
void cw_explain_say_wall(const cw_explain_url *url, const crawl_state_note *last, cw_writer *rule);

/* explain_shared.c: the last two, of a crawl that processes share. */
cw_explain_judge cw_explain_shared_host, cw_explain_shared_seen;

/* running.c: the same of a crawl that runs, by its engine. */
cw_explain_judge cw_explain_running_robots, cw_explain_running_host, cw_explain_running_seen;

/* records.c: limits that are counted, and what became of the URL. */
cw_explain_judge cw_explain_counts, cw_explain_record;

/* explain_state.c. Asks a robots.txt about the URL; name: what messages call the file. */
cw_explain_verdict cw_explain_ask_robots(const cw_explain_world *world, const cw_explain_url *url,
                                         const crawl_robots *robots, const char *name, cw_writer *rule);

#define CW_EXPLAIN_CHECKS 10u

/* A URL is fetched if no check refuses it. The checks of rules come before those that look up what happened to the URL,
 * because a URL that a rule keeps out is marked as seen and done too. */
extern const cw_explain_check cw_explain_checks[CW_EXPLAIN_CHECKS];
