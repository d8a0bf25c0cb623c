/* Reads what sites state about the use of their pages by AI: Content-Usage, Content-Signal, TDMRep, noai, RSL. */
#ifndef CRAWL_PREFERENCES_H
#define CRAWL_PREFERENCES_H

#include <crawl/links.h>
#include <crawl/robots.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The uses that are judged. */
typedef enum crawl_use {
    CRAWL_USE_TRAIN,  /* training of models */
    CRAWL_USE_INPUT,  /* input to a model that answers */
    CRAWL_USE_SEARCH, /* finding and linking */
    CRAWL_USE_COUNT
} crawl_use;

/* Returns "train", "input" or "search". */
CRAWL_API const char *crawl_use_name(crawl_use use);

/* One statement, borrowed from its crawl_preferences until that changes. */
typedef struct crawl_statement {
    const char *source;  /* "robots": Content-Usage in robots.txt; "header": Content-Usage, tdm-reservation and
                            tdm-policy of the answer; "signal": Content-Signal; "meta", "xrt": <meta> and X-Robots-Tag;
                            "tdmrep": tdmrep.json; "rsl": an RSL licence; "link": another licence */
    crawl_slice label;   /* "train-ai", "ai-train", "tdm-reservation", "noai", "license", ... */
    crawl_slice value;   /* as written; for licences resolved; empty: the label says it */
    unsigned line;       /* of robots.txt, from 1; 0: not from robots.txt */
    crawl_slice pattern; /* in robots.txt and tdmrep.json: paths that it applies to; empty: all */
    crawl_slice agent;   /* named by a <meta> or X-Robots-Tag; empty: none */
    const char *ignored; /* NULL: it counts; "agent": it applies to another agent; "superseded": a later place of TDMRep
                            overrides it; "label": the label is no longer in use; "value": the value is meaningless */
    bool ambiguous;      /* for a License in robots.txt: see docs/preferences.md */
    unsigned refuses;    /* bits 1 << crawl_use */
    unsigned grants;
    uint64_t reserved[2]; /* 0, for later versions */
} crawl_statement;

/* Maximum number of statements kept per page; refusals of later ones count all the same. */
#define CRAWL_PREFERENCES_MAX 200u

/* All statements about one page and their result; reused with its memory for one page after another.
 * Single-threaded. */
typedef struct crawl_preferences crawl_preferences;

/* Creates an empty set of statements. agent: the product token whose statements are read; copied; NULL: none. NULL: out
 * of memory. */
CRAWL_API crawl_preferences *crawl_preferences_create(const char *agent);
CRAWL_API void crawl_preferences_free(crawl_preferences *preferences);

/* Removes all statements. */
CRAWL_API void crawl_preferences_clear(crawl_preferences *preferences);

/* Return true if a page, or a header with this name and value, says anything about use. Most do not. */
CRAWL_API bool crawl_page_speaks_of_use(const crawl_page *page);
CRAWL_API bool crawl_header_speaks_of_use(crawl_slice name, crawl_slice value);

/* Returns true if a robots.txt says anything about use to the agent that it was parsed for. Most do not. */
CRAWL_API bool crawl_robots_speaks_of_use(const crawl_robots *robots);

/* Reports a part of a robots.txt line (from 1) about use that has no effect: the label, the value or the line, borrowed
 * for the call, and the reason in words. */
typedef void (*crawl_on_use_fault)(void *user, unsigned line, crawl_slice text, const char *why);

/* Reports the mistakes in the lines of a robots.txt about use, whatever agent they apply to: lines before the first
 * group, labels that no vocabulary has, meaningless values, licences that are not URLs. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_robots_use_faults(crawl_slice body, crawl_on_use_fault on_fault, void *user);

/* Each of these calls adds the statements of one source about the page at url. CRAWL_ENOMEM. */

/* Adds Content-Usage (draft-ietf-aipref-attach-05) and Content-Signal of the longest matching pattern, and licences.
 * Adds nothing if the URL is disallowed. */
CRAWL_API crawl_err crawl_preferences_add_robots(crawl_preferences *preferences, const crawl_robots *robots,
                                                 const crawl_url *url);
/* Adds a header line of the answer if it is about use: Content-Usage, Content-Signal, tdm-reservation, tdm-policy,
 * X-Robots-Tag, Robots-Tag (draft-illyes-repext-03), Link. */
CRAWL_API crawl_err crawl_preferences_add_header(crawl_preferences *preferences, crawl_slice name, crawl_slice value,
                                                 const crawl_url *url);
/* Adds the <meta> of a parsed page, and its licences. */
CRAWL_API crawl_err crawl_preferences_add_page(crawl_preferences *preferences, const crawl_page *page);

/* A parsed /.well-known/tdmrep.json (TDMRep, 2024, 7.1). Immutable, so thread-safe. */
typedef struct crawl_tdmrep crawl_tdmrep;

/* Maximum bytes of the file; a longer one is ignored. Entries beyond the maximum are left out. */
#define CRAWL_TDMREP_MAX_SIZE 262144u
#define CRAWL_TDMREP_MAX_ENTRIES 1000u

/* Parses the file. CRAWL_EPARSE: not a JSON array. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_tdmrep_parse(crawl_slice body, crawl_tdmrep **out);
CRAWL_API void crawl_tdmrep_free(crawl_tdmrep *tdmrep);
/* Returns the bytes of memory held. */
CRAWL_API size_t crawl_tdmrep_bytes(const crawl_tdmrep *tdmrep);
/* Adds the first entry whose location matches. */
CRAWL_API crawl_err crawl_preferences_add_tdmrep(crawl_preferences *preferences, const crawl_tdmrep *tdmrep,
                                                 const crawl_url *url);

/* Joins the lines of Content-Usage and decides among the places of TDMRep. Must be called after the last source.
 * CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_preferences_finish(crawl_preferences *preferences);

/* Return the statements kept, in the order in which they were added; an empty one for an index beyond the last. */
CRAWL_API size_t crawl_preferences_count(const crawl_preferences *preferences);
CRAWL_API crawl_statement crawl_preferences_statement(const crawl_preferences *preferences, size_t index);

/* Return the uses that a statement refuses, as bits 1 << crawl_use, and those that one grants and none refuses. */
CRAWL_API unsigned crawl_preferences_refused(const crawl_preferences *preferences);
CRAWL_API unsigned crawl_preferences_granted(const crawl_preferences *preferences);
/* Returns the source of the first statement that refuses a use, static; NULL: none. */
CRAWL_API const char *crawl_preferences_refused_by(const crawl_preferences *preferences, crawl_use use);

/* Appends the statements as a JSON array; nothing if there are none. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_preferences_json(const crawl_preferences *preferences, crawl_buf *out);
/* Appends the result, {"train":"n","input":null,"search":"y"}; nothing if no use is refused or granted.
 * CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_may_json(unsigned refused, unsigned granted, crawl_buf *out);

#ifdef __cplusplus
}
#endif
#endif
