/* Explains how a crawl would treat a URL, and reads a crawl's directory: for tools that explain a crawl or look into
 * it. Nothing is fetched, and nothing is printed: verdicts are values, and the words are the caller's.
 *
 * A crawl_judge is asked by one thread at a time. It knows a configuration, seeds, and nothing of a crawl that runs:
 * robots.txt is crawl_robots's, the queue and the set of URLs seen are crawl_frontier_view's. */
#ifndef CRAWL_EXPLAIN_H
#define CRAWL_EXPLAIN_H

#include <crawl/config.h>
#include <crawl/engine.h>
#include <crawl/fingerprint.h>
#include <crawl/url.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Says of a URL what a crawl of this configuration would do. */
typedef struct crawl_judge crawl_judge;

/* config is borrowed and must neither change nor go before the judge. CRAWL_EINVAL, CRAWL_EPARSE: a setting is wrong;
 * CRAWL_ENOMEM: error says so. */
CRAWL_API crawl_err crawl_judge_create(const crawl_config *config, crawl_judge **out, crawl_error *error);
CRAWL_API void crawl_judge_free(crawl_judge *judge);

/* Makes a seed known, as crawl_engine_seed: it widens the scope, and its host may be at a private address.
 * CRAWL_EXISTS: it was known before. CRAWL_EPARSE: no absolute URL. CRAWL_EINVAL: not http or https, or beyond the
 * depth of the crawl. CRAWL_ENOMEM. error says which of these. */
CRAWL_API crawl_err crawl_judge_seed(crawl_judge *judge, const crawl_seed *seed, crawl_error *error);

/* Makes a place of the scope known that a directory keeps (crawl_state_note.place); of_seed: its host may be at a
 * private address. CRAWL_ECORRUPT: url is none. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_judge_place(crawl_judge *judge, crawl_slice url, bool of_seed);

/* A judge of a crawl that runs, which has its scope as it is at each call: its seeds need not be made known, and are
 * not told apart from other URLs (crawl_judgement.seed is NULL, and within has no URL). engine must not go before the
 * judge. Errors as of crawl_judge_create. */
CRAWL_API crawl_err crawl_judge_create_of(crawl_engine *engine, crawl_judge **out, crawl_error *error);

/* How the crawl makes canonical forms. Borrowed from the judge. */
CRAWL_API const crawl_canonical_options *crawl_judge_canonical(const crawl_judge *judge);

/* A seed, or a place that a directory keeps. */
typedef struct crawl_judge_origin {
    crawl_slice url;
    crawl_slice place; /* what the scope goes by: the host, its registrable domain or the URL's directory, by
                          crawl.scope; empty where that is any */
    uint32_t depth;
} crawl_judge_origin;

/* May the port and the host of a URL be asked? By the URL and the seeds alone: where the host is a name, the address
 * that it has when the crawl connects counts too. */
typedef enum crawl_address_verdict {
    CRAWL_ADDRESS_PUBLIC,   /* it is an address of the internet */
    CRAWL_ADDRESS_NAME,     /* it is a name, which may lead anywhere */
    CRAWL_ADDRESS_ALLOWED,  /* fetch.allow_private admits all */
    CRAWL_ADDRESS_SEED,     /* a seed admits its private address */
    CRAWL_ADDRESS_INTERNAL, /* politeness.internal_hosts does */
    CRAWL_ADDRESS_PORT,     /* refused: browsers block the port, and no seed names it for this host */
    CRAWL_ADDRESS_NO_SEED,  /* refused: its address is private, and no seed names the host */
    CRAWL_ADDRESS_NO_PORT,  /* refused: a seed names the host, but not this port, nor does politeness.private_ports */
    CRAWL_ADDRESS_COUNT
} crawl_address_verdict;

/* The verdict of each rule on a URL, as if it were a link. Slices and pointers are borrowed from the judge until its
 * next call. */
typedef struct crawl_judgement {
    crawl_slice canonical;
    crawl_fingerprint fingerprint;    /* of a GET request without a body */
    const crawl_judge_origin *seed;   /* the seed that the URL is; NULL: none. A seed is asked neither for scope and
                                         patterns nor for the limits of trap */
    bool has_origins;                 /* there are seeds or places that a scope can be relative to */
    crawl_slice place;                /* of the URL, as crawl_judge_origin.place */
    const crawl_judge_origin *within; /* the first seed or place whose scope has the URL; NULL: none, or crawl.scope is
                                         any */
    bool passes;                      /* crawl.include and crawl.exclude let it pass */
    const crawl_filter_rule *rule;    /* the one of the configuration that decides that; NULL: none matches */
    bool rule_stopped;                /* its match takes too many steps, so that the URL does not pass */
    crawl_trap trap;                  /* LENGTH, DEPTH, REPEATS or NONE: the other limits count the pages of a crawl */
    crawl_address_verdict address;
    uint64_t reserved[8]; /* 0, for later versions */
} crawl_judgement;

/* url: of http or https. CRAWL_EPARSE, CRAWL_EINVAL: it has no canonical form. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_judge_url(crawl_judge *judge, const crawl_url *url, crawl_judgement *out);

/* Something that was decided when a crawl was made that processes share, as crawl_shared_view tells it, goes into a
 * configuration in place of what stands there. An unknown name does nothing. CRAWL_EINVAL: a value that makes no
 * sense; error says so. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_shared_adopt(crawl_config *config, crawl_slice name, crawl_slice value, crawl_error *error);

/* ---- notes of a directory ---- */

/* Notes that the engine keeps in state.directory, which crawl_frontier_view_notes reads. */
typedef enum crawl_state_note_kind {
    CRAWL_STATE_OTHER, /* something that is not told of here, or of another version */
    CRAWL_STATE_HOST,
    CRAWL_STATE_PLACE,
    CRAWL_STATE_SEEDS,
    CRAWL_STATE_WALL
} crawl_state_note_kind;

/* The names of notes of the kind HOST are origins, "scheme://host:port"; those of the kind PLACE begin so: */
#define CRAWL_STATE_PLACES "#place "
/* Likewise those of the kind WALL, before the origin: */
#define CRAWL_STATE_WALLS "#wall "

/* The state of a host's robots.txt. */
typedef enum crawl_host_robots {
    CRAWL_HOST_ROBOTS_UNKNOWN, /* not asked for yet */
    CRAWL_HOST_ROBOTS_ABSENT,  /* there is none: all is allowed */
    CRAWL_HOST_ROBOTS_RULES,   /* text is robots.txt */
    CRAWL_HOST_ROBOTS_REFUSED, /* nothing may be asked: text says why, in words */
    CRAWL_HOST_ROBOTS_COUNT
} crawl_host_robots;

/* Slices are borrowed from the note that was read. Dates are those of the frontier's clock, in milliseconds. */
typedef struct crawl_state_note {
    crawl_state_note_kind kind;
    /* HOST: */
    crawl_host_robots robots;
    int64_t robots_expires_ms; /* when robots.txt is asked for anew */
    int64_t hold_until_ms;     /* the host asked not to come before, also by its quota; in the past or 0: it does not */
    int64_t away_until_ms; /* likewise, and for longer than politeness.max_retry_delay: nothing is asked until then */
    crawl_slice text;
    /* PLACE: a URL whose place is part of the scope. */
    crawl_slice place;
    bool of_seed; /* a seed's; else, where a seed redirected to */
    /* SEEDS: they are being read, or were when a run ended, so that some are missing. */
    crawl_slice seeds_from; /* what crawl_engine_seeds_begin was told */
    /* WALL: the last answer of the host that was a challenge or a wall. */
    crawl_slice wall_url; /* where it was */
    crawl_slice wall;     /* in words: its verdict, its service and the sign that gave it away */
    int64_t wall_ms;      /* when */
    uint64_t reserved[3]; /* 0, for later versions */
} crawl_state_note;

/* Pure; out->kind is also returned. */
CRAWL_API crawl_state_note_kind crawl_state_note_read(crawl_slice name, crawl_slice note, crawl_state_note *out);

/* Is the next visit of a request that is queued in the directory, and has this memo, owed to a sitemap whose lastmod is
 * later than the last visit? *lastmod_ms: that, since 1970. Pure. */
CRAWL_API bool crawl_state_lastmod(crawl_slice memo, int64_t *lastmod_ms);

/* ---- a host of a crawl that runs ---- */

/* The last wall of the host, as a note of the kind WALL, which lives as long as *storage; origin as in crawl_exchange.
 * From any thread. CRAWL_ABSENT: it has answered with none, or processes share the crawl. CRAWL_ENOMEM, CRAWL_EIO. */
CRAWL_API crawl_err crawl_engine_host_wall(crawl_engine *engine, crawl_slice origin, crawl_state_note *out,
                                           crawl_buf *storage);

/* The robots.txt of a host, as the crawl knows it. */
typedef struct crawl_robots_state {
    crawl_host_robots robots;
    bool is_asked;        /* for it, or it is queued */
    int64_t expires_ms;   /* when it is asked for anew, since 1970, UTC; 0: not known */
    bool is_allowed;      /* the URL; also where nothing is known that forbids it */
    char words[256];      /* of one that is not: the rule, or what happened */
    uint64_t reserved[8]; /* 0, for later versions */
} crawl_robots_state;

/* url: NULL, or what is_allowed is about. text gets the rules that are kept, those that apply to
 * politeness.robots_agent, as lines "NUMBER: RULE", or why nothing may be asked. From any thread; nothing is fetched
 * because of it. CRAWL_ABSENT: the host was not asked in this run. CRAWL_ENOMEM; otherwise as crawl_frontier_note_get.
 */
CRAWL_API crawl_err crawl_engine_robots(crawl_engine *engine, crawl_slice origin, const crawl_url *url,
                                        crawl_robots_state *out, crawl_buf *text);

/* Was this URL, by the fingerprint of its canonical form, met before? CRAWL_EXISTS or CRAWL_ABSENT. From any thread. */
CRAWL_API crawl_err crawl_engine_seen(crawl_engine *engine, const crawl_fingerprint *fingerprint);

#ifdef __cplusplus
}
#endif
#endif
