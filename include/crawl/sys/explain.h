/* Explains how a crawl would treat a URL, and reads a crawl's directory: for tools that explain or inspect a crawl.
 * Fetches and prints nothing: verdicts are values, and the caller puts them into words.
 *
 * A crawl_judge must be used by one thread at a time. It knows a configuration and seeds, but nothing of a running
 * crawl: for robots.txt see crawl_robots, for the queue and the set of URLs seen crawl_frontier_view. */
#ifndef CRAWL_EXPLAIN_H
#define CRAWL_EXPLAIN_H

#include <crawl/config.h>
#include <crawl/engine.h>
#include <crawl/fingerprint.h>
#include <crawl/url.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Judges URLs as a crawl with this configuration would. */
typedef struct crawl_judge crawl_judge;

/* Creates a judge. config is borrowed and must neither change nor be freed before it. CRAWL_EINVAL, CRAWL_EPARSE: a
 * setting is wrong; CRAWL_ENOMEM; error says so. */
CRAWL_API crawl_err crawl_judge_create(const crawl_config *config, crawl_judge **out, crawl_error *error);
CRAWL_API void crawl_judge_free(crawl_judge *judge);

/* Adds a seed, as crawl_engine_seed does: it widens the scope, and its host may be at a private address. CRAWL_EXISTS:
 * it was added before. CRAWL_EPARSE: not an absolute URL. CRAWL_EINVAL: not http or https, or beyond the depth of the
 * crawl. CRAWL_ENOMEM. error says which of these. */
CRAWL_API crawl_err crawl_judge_seed(crawl_judge *judge, const crawl_seed *seed, crawl_error *error);

/* Adds a place of the scope that a directory stores (crawl_state_note.place); of_seed: its host may be at a private
 * address. CRAWL_ECORRUPT: url is invalid. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_judge_place(crawl_judge *judge, crawl_slice url, bool of_seed);

/* Creates a judge of a running crawl, which uses its scope at the time of each call. Its seeds need not be added, and
 * are not distinguished from other URLs (crawl_judgement.seed is NULL, and within has no URL). engine must outlive the
 * judge. Errors as for crawl_judge_create. */
CRAWL_API crawl_err crawl_judge_create_of(crawl_engine *engine, crawl_judge **out, crawl_error *error);

/* Returns the canonicalization options of the crawl, borrowed from the judge. */
CRAWL_API const crawl_canonical_options *crawl_judge_canonical(const crawl_judge *judge);

/* A seed, or a place stored in a directory. */
typedef struct crawl_judge_origin {
    crawl_slice url;
    crawl_slice place; /* what the scope compares: the host, its registrable domain or the URL's directory, by
                          crawl.scope; empty if that is any */
    uint32_t depth;
} crawl_judge_origin;

/* Whether the port and the host of a URL are allowed, judged by the URL and the seeds only: if the host is a name, the
 * address that the crawl connects to counts too. */
typedef enum crawl_address_verdict {
    CRAWL_ADDRESS_PUBLIC,   /* a public address */
    CRAWL_ADDRESS_NAME,     /* a name, which may resolve to any address */
    CRAWL_ADDRESS_ALLOWED,  /* fetch.allow_private allows all */
    CRAWL_ADDRESS_SEED,     /* a seed allows its private address */
    CRAWL_ADDRESS_INTERNAL, /* politeness.internal_hosts allows it */
    CRAWL_ADDRESS_PORT,     /* refused: browsers block the port, and no seed names it for this host */
    CRAWL_ADDRESS_NO_SEED,  /* refused: its address is private, and no seed names the host */
    CRAWL_ADDRESS_NO_PORT,  /* refused: a seed names the host, but neither a seed nor private_ports names the port */
    CRAWL_ADDRESS_COUNT
} crawl_address_verdict;

/* The verdict of each rule on a URL, as if it were a link. Slices and pointers are borrowed from the judge until its
 * next call. */
typedef struct crawl_judgement {
    crawl_slice canonical;
    crawl_fingerprint fingerprint;  /* of a GET request without a body */
    const crawl_judge_origin *seed; /* the seed that equals the URL; NULL: none. A seed is subject neither to scope and
                                       patterns nor to the limits of trap */
    bool has_origins;               /* there are seeds or places for a scope to be relative to */
    crawl_slice place;              /* of the URL, as crawl_judge_origin.place */
    const crawl_judge_origin *within; /* the first seed or place whose scope contains the URL; NULL: none, or
                                         crawl.scope is any */
    bool passes;                      /* crawl.include and crawl.exclude let it pass */
    const crawl_filter_rule *rule;    /* the rule of the configuration that decides passes; NULL: none matches */
    bool rule_stopped;                /* its match takes too many steps, so that the URL does not pass */
    crawl_trap trap;                  /* LENGTH, DEPTH, REPEATS or NONE: the other limits count the pages of a crawl */
    crawl_address_verdict address;
    uint64_t reserved[8]; /* 0, for later versions */
} crawl_judgement;

/* Judges a URL, which must be http or https. CRAWL_EPARSE, CRAWL_EINVAL: it has no canonical form. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_judge_url(crawl_judge *judge, const crawl_url *url, crawl_judgement *out);

/* Puts a choice made when a shared crawl was created, as reported by crawl_shared_view, into a configuration. Ignores
 * an unknown name. CRAWL_EINVAL: an invalid value; error says so. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_shared_adopt(crawl_config *config, crawl_slice name, crawl_slice value, crawl_error *error);

/* ---- notes of a directory ---- */

/* Notes that the engine stores in state.directory, to be read by crawl_frontier_view_notes. */
typedef enum crawl_state_note_kind {
    CRAWL_STATE_OTHER, /* none of these, or of another version */
    CRAWL_STATE_HOST,
    CRAWL_STATE_PLACE,
    CRAWL_STATE_SEEDS,
    CRAWL_STATE_WALL,
    CRAWL_STATE_BLOCK /* the host is blocked by crawl_engine_block_host */
} crawl_state_note_kind;

/* Prefix of the names of PLACE notes. The names of HOST notes are origins, "scheme://host:port". */
#define CRAWL_STATE_PLACES "#place "
/* Prefix of the names of WALL notes, before the origin. */
#define CRAWL_STATE_WALLS "#wall "
/* Prefix of the names of BLOCK notes, before the origin. */
#define CRAWL_STATE_BLOCKS "#block "

/* The state of a host's robots.txt. */
typedef enum crawl_host_robots {
    CRAWL_HOST_ROBOTS_UNKNOWN, /* not requested yet */
    CRAWL_HOST_ROBOTS_ABSENT,  /* there is none: everything is allowed */
    CRAWL_HOST_ROBOTS_RULES,   /* text is robots.txt */
    CRAWL_HOST_ROBOTS_REFUSED, /* nothing may be requested: text says why, in words */
    CRAWL_HOST_ROBOTS_COUNT
} crawl_host_robots;

/* A note in its parts. Slices are borrowed from the note that was read. Dates are by the frontier's clock, in
 * milliseconds. */
typedef struct crawl_state_note {
    crawl_state_note_kind kind;
    /* HOST: */
    crawl_host_robots robots;
    int64_t robots_expires_ms; /* when robots.txt is requested again */
    int64_t hold_until_ms; /* the host asked not to be contacted before this, possibly by its quota; in the past or 0:
                              no hold */
    int64_t away_until_ms; /* likewise, for longer than politeness.max_retry_delay: nothing is requested until then */
    crawl_slice text;
    /* PLACE: a URL whose place is part of the scope. */
    crawl_slice place;
    bool of_seed; /* from a seed; otherwise the target of a redirected seed */
    /* SEEDS: they are being read, or were when a run ended, so that some are missing. */
    crawl_slice seeds_from; /* the text given to crawl_engine_seeds_begin */
    /* WALL: the last answer of the host that was a challenge or a wall. */
    crawl_slice wall_url; /* its URL */
    crawl_slice wall;     /* in words: its verdict, its service and the sign that revealed it */
    int64_t wall_ms;      /* its time */
    uint64_t reserved[3]; /* 0, for later versions */
} crawl_state_note;

/* Parses a note. Pure; also returns out->kind. */
CRAWL_API crawl_state_note_kind crawl_state_note_read(crawl_slice name, crawl_slice note, crawl_state_note *out);

/* Returns true if a queued request with this memo owes its next visit to a sitemap whose lastmod is later than the last
 * visit. *lastmod_ms: that date, since 1970. Pure. */
CRAWL_API bool crawl_state_lastmod(crawl_slice memo, int64_t *lastmod_ms);

/* ---- a host of a running crawl ---- */

/* Returns the last wall of the host, as a WALL note that lives as long as *storage; origin as in crawl_exchange. From
 * any thread. CRAWL_ABSENT: there was none, or processes share the crawl. CRAWL_ENOMEM, CRAWL_EIO. */
CRAWL_API crawl_err crawl_engine_host_wall(crawl_engine *engine, crawl_slice origin, crawl_state_note *out,
                                           crawl_buf *storage);

/* The robots.txt of a host, as the crawl knows it. */
typedef struct crawl_robots_state {
    crawl_host_robots robots;
    bool is_asked;        /* its request is in flight or queued */
    int64_t expires_ms;   /* when it is requested again, since 1970, UTC; 0: not known */
    bool is_allowed;      /* the URL is; also if nothing is known that forbids it */
    char words[256];      /* if not allowed: the rule, or what happened */
    uint64_t reserved[8]; /* 0, for later versions */
} crawl_robots_state;

/* Returns the robots.txt of a host. url: the URL for is_allowed, or NULL. text gets the rules kept for
 * politeness.robots_agent, as lines "NUMBER: RULE", or the reason why nothing may be requested. From any thread;
 * fetches nothing. CRAWL_ABSENT: the host was not asked in this run. CRAWL_ENOMEM; otherwise as
 * crawl_frontier_note_get. */
CRAWL_API crawl_err crawl_engine_robots(crawl_engine *engine, crawl_slice origin, const crawl_url *url,
                                        crawl_robots_state *out, crawl_buf *text);

/* Looks up a URL, by the fingerprint of its canonical form, among those seen. Returns CRAWL_EXISTS or CRAWL_ABSENT.
 * From any thread. */
CRAWL_API crawl_err crawl_engine_seen(crawl_engine *engine, const crawl_fingerprint *fingerprint);

#ifdef __cplusplus
}
#endif
#endif
