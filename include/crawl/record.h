/* The findings of a crawl, as hooks of an engine get them and the writers of <crawl/output.h> take them: finished
 * requests, links and their fate, and requests as they went over the wire. */
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
    const char *outcome; /* "whole"; "cut": as far as it came; "failed": the record is of the page as it was fetched */
    const char *why;     /* it was rendered: "always", or as crawl_render_gate has it */
    const char *lack;    /* what it lacks, or why it failed; "": nothing */
    uint32_t parts;      /* that it asked for: */
    uint32_t asked;      /* those that were requests of the crawl, */
    uint32_t cached;     /* and those that had the answer of an earlier one */
    int64_t elapsed_ms;  /* in the browser */
    int64_t waited_ms;   /* of it, for its parts */
    crawl_slice html;    /* of the page alone, without its frames; empty: it failed */
    const char *picture_file; /* where it is, below its folder: set by whoever writes it */
    crawl_slice picture;      /* PNG, with crawl_engine_hooks.screenshots; empty: none came */
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
    bool external;         /* a link out of scope that was checked (crawl.check_external): by HEAD, or by GET without
                              reading a body. Not shown to on_response */
    bool requisite;        /* asked for as a part of a page alone: none of its links leads to a page */
    bool guessed;          /* no link leads to it: it was taken from a string of a script, and may be none */
    crawl_slice parent;    /* the page it was found on; empty: none */
    int64_t fetched_at_ms; /* since 1970, UTC */
    double elapsed_ms;
    const char *ip;                  /* "": none */
    crawl_slice content_type;        /* the media type, as it stands in the header; empty: none */
    crawl_slice content_type_header; /* the whole value that names it; of several lines the last that names one */
    const char *charset;             /* WHATWG name; NULL: not known */
    uint64_t bytes;                  /* decoded body */
    bool has_digest;
    crawl_fingerprint digest; /* SHA-1 of the decoded body */
    crawl_slice title;
    crawl_slice canonical_link; /* rel=canonical, resolved, without its fragment: of the page, or else of a Link header;
                                   empty: none that is http or https, or the page was not read */
    int64_t last_modified; /* by its header, seconds since 1970, UTC; CRAWL_SITEMAP_NO_DATE: none, or none that is read
                            */
    bool has_ids;          /* with crawl.check_fragments: it is an HTML page that was read */
    bool ids_cut;
    crawl_slice ids;      /* as crawl_page_ids has them */
    unsigned robots;      /* CRAWL_ROBOTS_ flags of meta robots and X-Robots-Tag together */
    size_t links;         /* found on the page, in its headers and in a sitemap that it is */
    bool links_cut;       /* the page has more than CRAWL_PAGE_MAX_LINKS: those behind are left out, and not in links */
    size_t fresh;         /* of them accepted by the frontier */
    crawl_slice redirect; /* where it points to; empty: nowhere */
    const char *error;    /* NULL: none; a class: "dns", "timeout", "robots", ... */
    const char *error_text; /* words; "" when none */
    const char *verdict;    /* of an answer that is not the page: a name of crawl_verdict_name; NULL: it is, or there is
                               no answer */
    const char *wall;       /* of a wall, a challenge or a parked name the service, as crawl_wall has it; NULL: none */
    uint32_t attempt;       /* from 1, in this visit */
    uint32_t visit;         /* from 1; beyond with revisit alone */
    crawl_change change;    /* since the visit before. Of NO the page is neither parsed nor followed, unless by its text
                               alone */
    crawl_slice body;       /* decoded */
    /* With dedupe.kind other than off, of complete 2xx answers with a body: */
    crawl_slice duplicate_of;      /* the first URL with the same body; empty: none before */
    crawl_slice near_duplicate_of; /* of a page that has nearly the same text; empty: none, or the same body */
    unsigned distance;             /* from it, in bits of the SimHash */
    bool has_simhash;
    uint64_t simhash; /* of an HTML page's text, see crawl_simhash_text */
    /* With sections [extract NAME], of pages that are read: */
    crawl_slice fields;  /* values by the rules, as crawl_extraction_json has them; empty: none */
    crawl_slice missing; /* required fields without a value, as crawl_extraction_missing has them; empty: none */
    crawl_slice data; /* with output.data, of the same pages if they are kept: as crawl_data_read has it; empty: none */
    /* With output.text, of HTML and XHTML pages that are read and kept: */
    crawl_slice text;  /* as crawl_text_make has it; empty: it says nothing */
    bool text_cut;     /* as crawl_text_is_cut has it */
    uint64_t exchange; /* the number of the exchange that this is the record of; 0: no request left */
    uint64_t receipt;  /* of this record, for crawl_engine_kept */
    bool left_out;     /* by output.keep and output.keep_type: it does not belong into records, bodies and archives */
    const crawl_header *headers; /* of the final answer, in order; NULL: there is none */
    size_t header_count;
    crawl_slice preferences; /* of the use of the page: as crawl_preferences_json has them; empty: none was stated */
    unsigned refused;        /* uses of the page that a statement refuses, as bits 1 << crawl_use */
    unsigned granted;        /* likewise those that one grants, and none refuses */
    const char *withheld; /* the first of politeness.respect that is refused: the record has no body, text, fields and
                             data, and its exchange is left out of archives; NULL: none */
    const char *withheld_by;           /* the source of the statement, as in crawl_statement */
    const crawl_record_render *render; /* links, title, text, data, fields and SimHash are those of the rendered page;
                                          NULL: it was not rendered */
    const char *signed_by;             /* thumbprint of the key by which the request was signed; NULL: it was not */
    const char *preprocessed; /* with parse.preprocess and parse.pdf: "whole", links, title, text, data and fields are
                                 those of the page that was made of the document; "failed", "crashed", "timeout":
                                 there is none, and error_text says why; NULL: it was not */
} crawl_record;

/* A URL that is about to be queued: a link of a page, where a redirect leads, or what a sitemap names. Borrowed for the
 * call. */
typedef struct crawl_found {
    const crawl_link *link; /* as it stands on the page; of a header, tag is "header" and attr "link" or "refresh";
                               NULL: a redirect, or of a sitemap */
    crawl_slice parent;     /* the URL it was found at */
    crawl_slice url;        /* as it will be fetched */
    crawl_slice canonical;
    crawl_fingerprint fingerprint;
    uint32_t depth;
    int64_t lastmod; /* of a sitemap: seconds since 1970, UTC; CRAWL_SITEMAP_NO_DATE: none */
} crawl_found;

/* The kinds of requests on the wire. */
typedef enum crawl_exchange_kind {
    CRAWL_EXCHANGE_PAGE,
    CRAWL_EXCHANGE_ROBOTS,  /* a robots.txt */
    CRAWL_EXCHANGE_SITEMAP, /* or a place where a feed may be, with crawl.find_feeds */
    CRAWL_EXCHANGE_TDMREP,  /* a tdmrep.json, with politeness.respect */
    CRAWL_EXCHANGE_LLMS,    /* an llms.txt, with crawl.llms_txt */
    CRAWL_EXCHANGE_MISSING, /* a page that cannot be there, with crawl.soft_404 */
    CRAWL_EXCHANGE_PART     /* asked for by a page in the browser, which is its parent, with render.render */
} crawl_exchange_kind;

/* A request and its answer as they went over the wire, borrowed for the call: pages, robots.txt and sitemaps, and those
 * that are tried again too. Its times are of one clock that does not go back, set once to the time since 1970, UTC; the
 * times of all exchanges of an engine can be compared: a request that started after another had ended has the later
 * time. */
typedef struct crawl_exchange {
    size_t size;        /* sizeof(crawl_exchange) */
    crawl_slice origin; /* "scheme://host:port" */
    crawl_slice url;
    crawl_slice parent; /* the page it was found on; empty: none */
    uint32_t depth;
    uint32_t attempt;      /* from 1 */
    int64_t fetched_at_ms; /* since 1970, UTC */
    crawl_exchange_kind kind;
    uint64_t number; /* of the request in this engine, from 1; at its departure and at its end */
    crawl_slice ip;  /* as text; empty: none, or that of a proxy */
    uint64_t seq; /* of the host's requests in this engine, from 1 in the order of their starts; 0: not counted, beyond
                        crawl.max_hosts */
    bool sent;    /* false: no connection came about */
    int64_t started_us; /* the request left, or else the connection was begun */
    int64_t ended_us;   /* the answer was there, before anything that follows from it */
    /* The manners in force for the host when the request was let out: */
    int64_t pause_us;         /* since the start of the one before; of one that was not sent, since its end */
    const char *pause_by;     /* "delay", "crawl-delay", "adaptive", "ratelimit" */
    uint32_t limit;           /* requests at once */
    bool per_ip;              /* both hold for its address too */
    uint32_t address_limit;   /* requests at once to its address, of all hosts there; 0: no limit but by per_ip */
    int64_t address_pause_us; /* likewise the pause since the one before */
    bool probe;               /* the first one to a host that was given up */
    /* And after its answer: */
    int64_t retry_after_us; /* what the host asked for; negative: nothing */
    int64_t hold_until_us;  /* no request to the host starts before; 0: it is not held */
    const char *hold_by;    /* "retry-after", "ratelimit", "backoff", "given-up", "wall"; NULL: not held */
    int64_t confirms_ms; /* of a 304: the fetched_at_ms of the answer that it says is still as it was; 0: none is known
                          */
    bool left_out;       /* as in crawl_record, and of an external link and of what is withheld; known at its end */
    const crawl_response *response;
    crawl_slice group;   /* the [group NAME] of the host, for which pause and limit hold together; empty: none */
    crawl_slice method;  /* empty: GET */
    crawl_slice site;    /* of a robots.txt that was redirected: the origin that it is about; empty: that of the URL */
    bool is_conditional; /* asked with the validators of an answer before */
} crawl_exchange;

/* The fate of a link. */
typedef enum crawl_edge_verdict {
    CRAWL_EDGE_NEW,       /* queued */
    CRAWL_EDGE_SEEN,      /* seen before, by this crawl */
    CRAWL_EDGE_REPEATED,  /* stands on its page, or in its headers, before: see what became of it there */
    CRAWL_EDGE_ELEMENT,   /* of an element or header that is not followed (parse.follow), or its rel names no page */
    CRAWL_EDGE_NOFOLLOW,  /* rel=nofollow, or its page or X-Robots-Tag says so of all */
    CRAWL_EDGE_DEPTH,     /* beyond crawl.depth */
    CRAWL_EDGE_SCOPE,     /* out of crawl.scope; with crawl.check_external it is checked */
    CRAWL_EDGE_FILTER,    /* left out by crawl.include and crawl.exclude */
    CRAWL_EDGE_REFUSED,   /* by on_response or on_link, or its page is parked (<crawl/wall.h>) */
    CRAWL_EDGE_DUPLICATE, /* on a page that is like one before, with dedupe.follow_duplicates off */
    CRAWL_EDGE_NOT_HTTP,  /* mailto: and the like */
    CRAWL_EDGE_NO_URL,    /* not to be parsed */
    CRAWL_EDGE_FULL,      /* crawl.max_queued or crawl.max_hosts is reached */
    CRAWL_EDGE_REDIRECTS, /* a redirect beyond politeness.max_redirects */
    CRAWL_EDGE_PORT,      /* a port that browsers block, and no seed names it for the host */
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
/* Elements of arrays by it in structs: more than there are, so that structs keep their size when there are further
 * ones. */
#define CRAWL_EDGE_ROOM 32u

/* "new", "seen", "repeated", "element", "nofollow", "depth", "scope", "filter", "refused", "duplicate", "not-http",
 * "no-url", "full", "redirects", "port"; of a limit the name of its setting, "max_url" and so on. */
CRAWL_API const char *crawl_edge_verdict_name(crawl_edge_verdict verdict);

/* A link of a page or of a header, or a redirect, after it was decided upon. Borrowed for the call. */
typedef struct crawl_edge {
    size_t size;            /* sizeof(crawl_edge) */
    const crawl_link *link; /* with its text; of a header as in crawl_found, and of kind 0 where it belongs to another
                               document; NULL: a redirect */
    crawl_slice from;
    crawl_slice to; /* resolved, with its fragment; as it stands where it is no URL */
    uint32_t depth; /* of what it leads to */
    bool requisite; /* asked for, or left out, as a part of the page */
    crawl_edge_verdict verdict;
} crawl_edge;

#ifdef __cplusplus
}
#endif
#endif
