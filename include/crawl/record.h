/* The findings of a crawl, passed to the hooks of an engine and to the writers of <crawl/output.h>: finished requests,
 * links and their fate, and requests as sent over the wire. */
#ifndef CRAWL_RECORD_H
#define CRAWL_RECORD_H

#include <crawl/fetch.h>
#include <crawl/fingerprint.h>
#include <crawl/links.h>
#include <crawl/preferences.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a page has changed since the visit before. */
typedef enum crawl_change {
    CRAWL_CHANGE_UNKNOWN, /* the first visit, a failure, or nothing to compare with */
    CRAWL_CHANGE_NO,      /* the same bytes, or status 304; with dedupe.kind = near also nearly the same text */
    CRAWL_CHANGE_YES
} crawl_change;

/* How a page was rendered (render.render). Everything is borrowed for the call. */
typedef struct crawl_record_render {
    const char *outcome; /* "whole"; "cut": as far as it got; "failed": the record is of the page as it was fetched */
    const char *why;     /* why it was rendered: "always", or a word of crawl_render_gate */
    const char *lack;    /* what is missing, or why it failed; "": nothing */
    uint32_t parts;      /* requests for its parts */
    uint32_t asked;      /* of these, sent by the crawl */
    uint32_t cached;     /* of these, answered from an earlier request */
    int64_t elapsed_ms;  /* in the browser */
    int64_t waited_ms;   /* of that, waiting for its parts */
    crawl_slice html;    /* of the page without its frames; empty: it failed */
    const char *picture_file; /* its path below its folder, set by the writer of it */
    crawl_slice picture;      /* PNG, with crawl_engine_hooks.screenshots; empty: none */
    bool has_digest;
    crawl_fingerprint digest; /* SHA-1 of html */
    uint64_t reserved[4];     /* 0, for later versions */
} crawl_record_render;

/* One finished request: an answer, a failure, a redirect or a refusal. Everything is borrowed for the call. */
typedef struct crawl_record {
    size_t size;     /* sizeof(crawl_record) */
    crawl_slice url; /* as fetched */
    crawl_slice canonical;
    crawl_fingerprint fingerprint;
    crawl_slice method;
    int status; /* 0: no answer */
    uint32_t depth;
    bool external; /* a checked link out of scope (crawl.check_external): by HEAD, or by GET without reading a body. Not
                      passed to on_response */
    bool requisite;        /* requested only as a part of a page: none of its links leads to a page */
    bool guessed;          /* no link leads to it: it was guessed from a string in a script, and may not exist */
    crawl_slice parent;    /* the page it was found on; empty: none */
    int64_t fetched_at_ms; /* since 1970, UTC */
    double elapsed_ms;
    const char *ip;                  /* "": none */
    crawl_slice content_type;        /* the media type, as written in the header; empty: none */
    crawl_slice content_type_header; /* the whole value that names it; of several lines the last such */
    const char *charset;             /* WHATWG name; NULL: not known */
    uint64_t bytes;                  /* decoded body */
    bool has_digest;
    crawl_fingerprint digest; /* SHA-1 of the decoded body */
    crawl_slice title;
    crawl_slice canonical_link; /* rel=canonical, resolved, without its fragment: from the page, or else from a Link
                                   header; empty: none that is http or https, or the page was not read */
    int64_t last_modified; /* from its header, seconds since 1970, UTC; CRAWL_SITEMAP_NO_DATE: none, or not valid */
    bool has_ids;          /* with crawl.check_fragments: an HTML page that was read */
    bool ids_cut;
    crawl_slice ids;        /* as from crawl_page_ids */
    unsigned robots;        /* CRAWL_ROBOTS_ flags of meta robots and X-Robots-Tag together */
    size_t links;           /* found on the page, in its headers and, if it is a sitemap, in that */
    bool links_cut;         /* more than CRAWL_PAGE_MAX_LINKS links: the rest is left out and not counted in links */
    size_t fresh;           /* of these, accepted by the frontier */
    crawl_slice redirect;   /* target of a redirect; empty: none */
    const char *error;      /* NULL: none; a class: "dns", "timeout", "robots", ... */
    const char *error_text; /* words for a person; "" if none */
    const char *verdict; /* for an answer that is not the page: a name from crawl_verdict_name; NULL: it is the page, or
                            there is no answer */
    const char *wall;    /* the service behind a wall, a challenge or a parked name, as in crawl_wall; NULL: none */
    uint32_t attempt;    /* from 1, in this visit */
    uint32_t visit;      /* from 1; above 1 only with revisit */
    crawl_change change; /* since the previous visit. With NO the page is neither parsed nor followed, unless only its
                            text is the same */
    crawl_slice body;    /* decoded */
    /* With dedupe.kind other than off, for complete 2xx answers with a body: */
    crawl_slice duplicate_of;      /* the first URL with the same body; empty: this is the first */
    crawl_slice near_duplicate_of; /* a page with nearly the same text; empty: none, or the same body */
    unsigned distance;             /* distance to it, in bits of the SimHash */
    bool has_simhash;
    uint64_t simhash; /* of an HTML page's text, see crawl_simhash_text */
    /* With sections [extract NAME], for pages that are read: */
    crawl_slice fields;  /* values by the rules, as from crawl_extraction_json; empty: none */
    crawl_slice missing; /* required fields without a value, as from crawl_extraction_missing; empty: none */
    crawl_slice data; /* with output.data, for the same pages if they are kept: as from crawl_data_read; empty: none */
    /* With output.text, for HTML and XHTML pages that are read and kept: */
    crawl_slice text;            /* as from crawl_text_make; empty: no text */
    bool text_cut;               /* as from crawl_text_is_cut */
    uint64_t exchange;           /* the number of its exchange; 0: no request departed */
    uint64_t receipt;            /* identifies this record for crawl_engine_kept */
    bool left_out;               /* excluded by output.keep and output.keep_type from records, bodies and archives */
    const crawl_header *headers; /* of the final answer, in order; NULL: none */
    size_t header_count;
    crawl_slice preferences; /* stated about the use of the page, as from crawl_preferences_json; empty: none */
    unsigned refused;        /* uses of the page that a statement refuses, as bits 1 << crawl_use */
    unsigned granted;        /* likewise those that one grants and none refuses */
    const char *withheld; /* the first refused use in politeness.respect: the record has no body, text, fields and data,
                             and archives leave out its exchange; NULL: none */
    const char *withheld_by;           /* the source of the statement, as in crawl_statement */
    const crawl_record_render *render; /* links, title, text, data, fields and SimHash are those of the rendered page;
                                          NULL: not rendered */
    const char *signed_by;             /* thumbprint of the key that signed the request; NULL: not signed */
    const char *preprocessed; /* with parse.preprocess and parse.pdf: "whole": links, title, text, data and fields are
                                 those of the page made from the document; "failed", "crashed", "timeout": there is no
                                 such page, and error_text says why; NULL: not preprocessed */
} crawl_record;

/* A URL that will be queued: a link of a page, the target of a redirect, or an entry of a sitemap. Borrowed for the
 * call. */
typedef struct crawl_found {
    const crawl_link *link; /* as written on the page; for a header, tag is "header" and attr "link" or "refresh"; NULL:
                               a redirect or an entry of a sitemap */
    crawl_slice parent;     /* the URL it was found at */
    crawl_slice url;        /* as it will be fetched */
    crawl_slice canonical;
    crawl_fingerprint fingerprint;
    uint32_t depth;
    int64_t lastmod; /* from a sitemap: seconds since 1970, UTC; CRAWL_SITEMAP_NO_DATE: none */
} crawl_found;

/* The kinds of requests on the wire. */
typedef enum crawl_exchange_kind {
    CRAWL_EXCHANGE_PAGE,
    CRAWL_EXCHANGE_ROBOTS,  /* a robots.txt */
    CRAWL_EXCHANGE_SITEMAP, /* or a place that may hold a feed, with crawl.find_feeds */
    CRAWL_EXCHANGE_TDMREP,  /* a tdmrep.json, with politeness.respect */
    CRAWL_EXCHANGE_LLMS,    /* an llms.txt, with crawl.llms_txt */
    CRAWL_EXCHANGE_MISSING, /* a page that cannot exist, with crawl.soft_404 */
    CRAWL_EXCHANGE_PART     /* requested by a page in the browser, which is its parent, with render.render */
} crawl_exchange_kind;

/* A request and its answer as sent over the wire, borrowed for the call: pages, robots.txt and sitemaps, including
 * retries. Its times come from one clock that does not go back, set once to the time since 1970, UTC. The times of all
 * exchanges of an engine are comparable: a request that started after another had ended has the later time. */
typedef struct crawl_exchange {
    size_t size;        /* sizeof(crawl_exchange) */
    crawl_slice origin; /* "scheme://host:port" */
    crawl_slice url;
    crawl_slice parent; /* the page it was found on; empty: none */
    uint32_t depth;
    uint32_t attempt;      /* from 1 */
    int64_t fetched_at_ms; /* since 1970, UTC */
    crawl_exchange_kind kind;
    uint64_t number;    /* of the request in this engine, from 1; set at its departure and at its end */
    crawl_slice ip;     /* as text; empty: none, or a proxy's */
    uint64_t seq;       /* number among the host's requests in this engine, from 1 in the order of their starts; 0: not
                           counted, beyond crawl.max_hosts */
    bool sent;          /* false: no connection was made */
    int64_t started_us; /* the request departed, or else the connection attempt began */
    int64_t ended_us;   /* the answer was complete, before anything that follows from it */
    /* The limits in force for the host when the request was let out: */
    int64_t pause_us;       /* since the start of the previous request, or since its end if it was not sent */
    const char *pause_by;   /* "delay", "crawl-delay", "adaptive", "ratelimit" */
    uint32_t limit;         /* concurrent requests */
    bool per_ip;            /* both apply to its address too */
    uint32_t address_limit; /* concurrent requests to its address, for all hosts there; 0: no limit except by per_ip */
    int64_t address_pause_us; /* likewise the pause since the previous one */
    bool probe;               /* the first request to a host that was given up */
    /* After its answer: */
    int64_t retry_after_us; /* requested by the host; negative: none */
    int64_t hold_until_us;  /* no request to the host starts before this; 0: not held */
    const char *hold_by;    /* "retry-after", "ratelimit", "backoff", "given-up", "wall"; NULL: not held */
    int64_t confirms_ms;    /* for a 304: fetched_at_ms of the answer that it confirms; 0: not known */
    bool left_out; /* as in crawl_record, also for an external link and for a withheld page; known at its end */
    const crawl_response *response;
    crawl_slice group;   /* the [group NAME] of the host, which shares pause and limit; empty: none */
    crawl_slice method;  /* empty: GET */
    crawl_slice site;    /* for a redirected robots.txt: the origin that it applies to; empty: that of the URL */
    bool is_conditional; /* sent with the validators of an earlier answer */
    bool requisite;      /* as in crawl_record */
} crawl_exchange;

/* The fate of a link. */
typedef enum crawl_edge_verdict {
    CRAWL_EDGE_NEW,       /* queued */
    CRAWL_EDGE_SEEN,      /* seen before by this crawl */
    CRAWL_EDGE_REPEATED,  /* occurs earlier on its page or in its headers: see its verdict there */
    CRAWL_EDGE_ELEMENT,   /* in an element or header not followed (parse.follow), or with a rel that names no page */
    CRAWL_EDGE_NOFOLLOW,  /* rel=nofollow, or nofollow for all links by its page or X-Robots-Tag */
    CRAWL_EDGE_DEPTH,     /* beyond crawl.depth */
    CRAWL_EDGE_SCOPE,     /* outside crawl.scope; checked with crawl.check_external */
    CRAWL_EDGE_FILTER,    /* left out by crawl.include and crawl.exclude */
    CRAWL_EDGE_REFUSED,   /* by on_response or on_link, or its page is parked (<crawl/wall.h>) */
    CRAWL_EDGE_DUPLICATE, /* on a duplicate of an earlier page, with dedupe.follow_duplicates off */
    CRAWL_EDGE_NOT_HTTP,  /* mailto: and similar */
    CRAWL_EDGE_NO_URL,    /* cannot be parsed */
    CRAWL_EDGE_FULL,      /* crawl.max_queued or crawl.max_hosts is reached */
    CRAWL_EDGE_REDIRECTS, /* a redirect beyond politeness.max_redirects */
    CRAWL_EDGE_PORT,      /* a port that browsers block, and that no seed names for the host */
    /* Refused by a limit of crawl_trap, in its order. */
    CRAWL_EDGE_MAX_URL,
    CRAWL_EDGE_MAX_PATH_DEPTH,
    CRAWL_EDGE_MAX_REPEATS,
    CRAWL_EDGE_MAX_QUERIES,
    CRAWL_EDGE_MAX_PAGES_PER_HOST,
    CRAWL_EDGE_MAX_PAGES_PER_DOMAIN,
    CRAWL_EDGE_MAX_SESSIONS,
    CRAWL_EDGE_MAX_VARIANTS,
    CRAWL_EDGE_COUNT
} crawl_edge_verdict;
/* Size of arrays indexed by verdict in structs: larger than needed, so that structs keep their size when values are
 * added. */
#define CRAWL_EDGE_ROOM 32u

/* Returns "new", "seen", "repeated", "element", "nofollow", "depth", "scope", "filter", "refused", "duplicate",
 * "not-http", "no-url", "full", "redirects", "port"; for a limit the name of its setting, "max_url" and so on. */
CRAWL_API const char *crawl_edge_verdict_name(crawl_edge_verdict verdict);

/* A link of a page or of a header, or a redirect, with its verdict. Borrowed for the call. */
typedef struct crawl_edge {
    size_t size;            /* sizeof(crawl_edge) */
    const crawl_link *link; /* with its text; for a header as in crawl_found, with kind 0 if it belongs to another
                               document; NULL: a redirect */
    crawl_slice from;
    crawl_slice to; /* resolved, with its fragment; as written if it is not a URL */
    uint32_t depth; /* of its target */
    bool requisite; /* requested, or left out, as a part of the page */
    crawl_edge_verdict verdict;
} crawl_edge;

#ifdef __cplusplus
}
#endif
#endif
