/* Reads what sites say of the use of their pages by machines that learn: Content-Usage, Content-Signal, TDMRep, noai,
 * RSL. */
#ifndef CRAWL_PREFERENCES_H
#define CRAWL_PREFERENCES_H

#include <crawl/links.h>
#include <crawl/robots.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Uses that are judged. */
typedef enum crawl_use {
    CRAWL_USE_TRAIN,  /* training of models */
    CRAWL_USE_INPUT,  /* input to a model that answers */
    CRAWL_USE_SEARCH, /* finding and linking */
    CRAWL_USE_COUNT
} crawl_use;

/* "train", "input", "search". */
CRAWL_API const char *crawl_use_name(crawl_use use);

/* One thing that was said, borrowed from its crawl_preferences until that changes. */
typedef struct crawl_statement {
    const char *source;  /* "robots": Content-Usage in robots.txt; "header": Content-Usage, tdm-reservation and
                            tdm-policy of the answer; "signal": Content-Signal; "meta", "xrt": <meta> and X-Robots-Tag;
                            "tdmrep": tdmrep.json; "rsl": a licence of RSL; "link": another one */
    crawl_slice label;   /* "train-ai", "ai-train", "tdm-reservation", "noai", "license", ... */
    crawl_slice value;   /* as it stands; of licences resolved; empty: the label says it */
    unsigned line;       /* of robots.txt, from 1; 0: it stands elsewhere */
    crawl_slice pattern; /* of robots.txt and tdmrep.json: paths that it is for; empty: all */
    crawl_slice agent;   /* that a <meta> or X-Robots-Tag names; empty: none */
    const char *ignored; /* NULL: it counts; "agent": it is for another one; "superseded": a later place of TDMRep says
                            otherwise; "label": that is not in use any more; "value": it means nothing */
    bool ambiguous;      /* of a License in robots.txt: see docs/preferences.md */
    unsigned refuses;    /* bits 1 << crawl_use */
    unsigned grants;
    uint64_t reserved[2]; /* 0, for later versions */
} crawl_statement;

/* Statements kept about one page; what others refuse counts all the same. */
#define CRAWL_PREFERENCES_MAX 200u

/* All that was said about one page, and what that comes to; used again and again with its memory kept. Single-thread.
 */
typedef struct crawl_preferences crawl_preferences;

/* agent: the product token that statements for one agent are read for; copied; NULL: none. NULL when there is no
 * memory. */
CRAWL_API crawl_preferences *crawl_preferences_create(const char *agent);
CRAWL_API void crawl_preferences_free(crawl_preferences *preferences);

/* Forgets all statements. */
CRAWL_API void crawl_preferences_clear(crawl_preferences *preferences);

/* Does a page, or a header of this name with this value, say anything of use? Most do not. */
CRAWL_API bool crawl_page_speaks_of_use(const crawl_page *page);
CRAWL_API bool crawl_header_speaks_of_use(crawl_slice name, crawl_slice value);

/* Does a robots.txt say anything of use, to the agent that it was parsed for? Most do not. */
CRAWL_API bool crawl_robots_speaks_of_use(const crawl_robots *robots);

/* Takes something in a line (from 1) of a robots.txt about use that says nothing: the label, the value or the line,
 * borrowed for the call, and why it does, in words. */
typedef void (*crawl_on_use_fault)(void *user, unsigned line, crawl_slice text, const char *why);

/* Tells what is wrong with the lines of a robots.txt about use, whatever agent they are for: lines before the first
 * group, labels that no vocabulary has, values that say nothing, licences that are no URL. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_robots_use_faults(crawl_slice body, crawl_on_use_fault on_fault, void *user);

/* Each of these adds what one source says; the page is the URL's. CRAWL_ENOMEM. */

/* Content-Usage (draft-ietf-aipref-attach-05) and Content-Signal of the longest pattern that matches, and licences.
 * Nothing where the URL is disallowed. */
CRAWL_API crawl_err crawl_preferences_add_robots(crawl_preferences *preferences, const crawl_robots *robots,
                                                 const crawl_url *url);
/* A header line of the answer, if it is one that speaks of use: Content-Usage, Content-Signal, tdm-reservation,
 * tdm-policy, X-Robots-Tag, Robots-Tag (draft-illyes-repext-03), Link. */
CRAWL_API crawl_err crawl_preferences_add_header(crawl_preferences *preferences, crawl_slice name, crawl_slice value,
                                                 const crawl_url *url);
/* The <meta> of a parsed page, and its licences. */
CRAWL_API crawl_err crawl_preferences_add_page(crawl_preferences *preferences, const crawl_page *page);

/* /.well-known/tdmrep.json (TDMRep, 2024, 7.1). Immutable, so thread-safe. */
typedef struct crawl_tdmrep crawl_tdmrep;

/* Bytes of the file that are read; a longer one is none. Entries beyond the maximum are left out. */
#define CRAWL_TDMREP_MAX_SIZE 262144u
#define CRAWL_TDMREP_MAX_ENTRIES 1000u

/* CRAWL_EPARSE: it is no array of JSON. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_tdmrep_parse(crawl_slice body, crawl_tdmrep **out);
CRAWL_API void crawl_tdmrep_free(crawl_tdmrep *tdmrep);
/* Bytes of memory held. */
CRAWL_API size_t crawl_tdmrep_bytes(const crawl_tdmrep *tdmrep);
/* The first entry whose location matches. */
CRAWL_API crawl_err crawl_preferences_add_tdmrep(crawl_preferences *preferences, const crawl_tdmrep *tdmrep,
                                                 const crawl_url *url);

/* To be called after the last of them: joins the lines of Content-Usage, and decides among the places of TDMRep.
 * CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_preferences_finish(crawl_preferences *preferences);

/* The statements that are kept, in the order in which they were added; of an index beyond, an empty one. */
CRAWL_API size_t crawl_preferences_count(const crawl_preferences *preferences);
CRAWL_API crawl_statement crawl_preferences_statement(const crawl_preferences *preferences, size_t index);

/* The uses that a statement refuses, as bits 1 << crawl_use; those that one grants, and none refuses. */
CRAWL_API unsigned crawl_preferences_refused(const crawl_preferences *preferences);
CRAWL_API unsigned crawl_preferences_granted(const crawl_preferences *preferences);
/* The source of the first statement that refuses it, static; NULL: none does. */
CRAWL_API const char *crawl_preferences_refused_by(const crawl_preferences *preferences, crawl_use use);

/* Appends the statements as an array of JSON; nothing where there are none. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_preferences_json(const crawl_preferences *preferences, crawl_buf *out);
/* Appends what they come to, {"train":"n","input":null,"search":"y"}; nothing where no use is refused or granted.
 * CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_may_json(unsigned refused, unsigned granted, crawl_buf *out);

#ifdef __cplusplus
}
#endif
#endif
