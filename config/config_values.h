/* The settings of a crawl as used by the library and the program: one structure, whose fields are named by the schema
 * (config/schema.c). Others set and get them by these names (<crawl/config.h>). */
#pragma once

#include <crawl/bloom.h>
#include <crawl/config.h>
#include <crawl/fetch.h>
#include <crawl/frontier.h>
#include <crawl/identity.h>
#include <crawl/links.h>

/* Which links belong to a crawl, relative to its seeds. */
typedef enum crawl_scope { CRAWL_SCOPE_HOST, CRAWL_SCOPE_DOMAIN, CRAWL_SCOPE_PREFIX, CRAWL_SCOPE_ANY } crawl_scope;

/* Which duplicates are detected: none; pages with the same body; also pages with nearly the same text. */
typedef enum crawl_dedupe { CRAWL_DEDUPE_OFF, CRAWL_DEDUPE_EXACT, CRAWL_DEDUPE_NEAR } crawl_dedupe;

/* Which pages are rendered (<crawl/sys/render.h>): none, those that seem to need it, or all. */
typedef enum crawl_render_when { CRAWL_RENDER_NEVER, CRAWL_RENDER_AUTO, CRAWL_RENDER_ALWAYS } crawl_render_when;

/* The digest of a body in its record. */
typedef enum crawl_digest { CRAWL_DIGEST_SHA1, CRAWL_DIGEST_NONE } crawl_digest;

/* The text of a page in its record, made by <crawl/text.h>. ALL: includes the parts that belong to the page's frame. */
typedef enum crawl_record_text {
    CRAWL_RECORD_TEXT_NONE,
    CRAWL_RECORD_TEXT_PLAIN,
    CRAWL_RECORD_TEXT_MARKDOWN,
    CRAWL_RECORD_TEXT_ALL,
    CRAWL_RECORD_TEXT_ALL_MARKDOWN
} crawl_record_text;

/* Which requests are signed. ASKED: repeats, signed, those answered by a 401, a 403 or a 429 with Accept-Signature, as
 * ALWAYS does too. */
typedef enum crawl_sign_when { CRAWL_SIGN_NEVER = 1, CRAWL_SIGN_ASKED, CRAWL_SIGN_ALWAYS } crawl_sign_when;

/* Texts in the order given; owned. */
typedef struct crawl_texts {
    char **items;
    size_t count;
} crawl_texts;

/* A [host NAME] section: settings that differ for a host, or for those below a domain. Or a [group NAME] section:
 * settings of all its hosts, which share pause, concurrent requests and rate. NULL, 0, and -1 for delay_ms: not set. */
typedef struct crawl_host_config {
    char *name; /* [http:// or https://] example.com, *.example.com, 127.0.0.1 or [::1] [:port], in lower case; for a
                   group a word */
    bool is_group;
    char *hosts;         /* for a group: names of hosts as above, separated by blanks or commas */
    crawl_texts headers; /* "Name: value"; without a value, a header of that name in a less specific section or [fetch]
                            is not sent */
    char *user;
    char *password;
    char *password_file;
    char *bearer;
    char *bearer_file;
    char *proxy; /* as crawl_config.proxy, or "direct" */
    char *client_cert;
    char *client_key;
    char *ca_file;
    int64_t delay_ms;
    uint32_t per_host;
    uint64_t rate_limit; /* bytes per second */
    uint64_t max_pages;
    uint32_t share;
    char *withheld;          /* as crawl_config.withheld */
    crawl_sign_when sign;    /* 0: not set; likewise form */
    crawl_signing_form form; /* of Signature-Agent */
} crawl_host_config;

/* Whether pages are visited again. DUE: only those that are due; the crawl ends when no other is left. */
typedef enum crawl_revisit { CRAWL_REVISIT_OFF, CRAWL_REVISIT_ON, CRAWL_REVISIT_DUE } crawl_revisit;

/* Where a shared crawl keeps its seen-set. */
typedef enum crawl_redis_layout {
    CRAWL_REDIS_LAYOUT_CRAWL,
    CRAWL_REDIS_LAYOUT_SCRAPY_REDIS /* in NAME:dupefilter, shared with spiders of scrapy-redis */
} crawl_redis_layout;

/* The treatment of an existing file of records, links or requests that does not belong to this crawl. */
typedef enum crawl_existing {
    CRAWL_EXISTING_REFUSE, /* the crawl does not start */
    CRAWL_EXISTING_APPEND, /* appends further lines */
    CRAWL_EXISTING_OVERWRITE
} crawl_existing;

/* A line of a section [extract NAME]: rules for values of pages, as crawl_rules_add takes them. */
typedef struct crawl_extract_line {
    char *section; /* NAME */
    char *key;     /* "pages", "field.title" */
    char *value;
} crawl_extract_line;

/* Output on standard error during a crawl. */
typedef enum crawl_progress {
    CRAWL_PROGRESS_AUTO,  /* FULL on a terminal, LINES elsewhere */
    CRAWL_PROGRESS_LINE,  /* one line, drawn in place */
    CRAWL_PROGRESS_FULL,  /* several lines, drawn in place */
    CRAWL_PROGRESS_LINES, /* a line with a timestamp, every progress_ms */
    CRAWL_PROGRESS_JSON,  /* the same as JSON objects */
    CRAWL_PROGRESS_NONE
} crawl_progress;

/* The minimum severity of messages in the program's log. */
typedef enum crawl_log_level { CRAWL_LOG_ERROR, CRAWL_LOG_WARNING, CRAWL_LOG_INFO, CRAWL_LOG_DEBUG } crawl_log_level;

/* The form of messages. */
typedef enum crawl_log_format {
    CRAWL_LOG_TEXT, /* lines with a timestamp */
    CRAWL_LOG_JSON  /* a JSON object for each message */
} crawl_log_format;

/* The program's own settings. An engine refuses those that name a file or an address. */
typedef struct cw_config_program {
    char *seeds;   /* file, "-" standard input */
    bool wait;     /* for more seeds from a Redis list, once it is empty */
    char *report;  /* file; NULL: none */
    bool audit;    /* records everything that a report examines: see cw_program_configure */
    char *sitemap; /* folder; NULL: none */
    bool sitemap_gzip;
    char *wacz;            /* file; NULL: none */
    crawl_texts webhooks;  /* URLs */
    char *upload;          /* s3://BUCKET/PREFIX; NULL: none */
    char *upload_endpoint; /* as for crawl-upload; NULL: its own choice; likewise the next */
    char *upload_region;
    char *upload_credentials; /* file; NULL: the environment */
    bool upload_delete;
    char *webhook_secret_file; /* NULL: none */
    int verbosity;             /* -1 quiet, 0, 1 verbose */
    crawl_progress progress;
    int64_t progress_ms; /* interval of its lines; 250 and up */
    char *log;           /* file of messages; NULL: none */
    crawl_log_level log_level;
    crawl_log_format log_format; /* of the log; without one, of standard error */
    char *listen;                /* as for crawl_listen_parse; NULL: no live view */
    char *live_token_file;       /* NULL: none */
    struct {
        char *urlfrontier; /* as for crawl_listen_parse; NULL: not set */
        char *state;       /* directory; NULL: not set */
        crawl_sync sync;   /* CRAWL_SYNC_INTERVAL or CRAWL_SYNC_ALWAYS */
        char *tls_cert;    /* PEM; NULL: no TLS; likewise the next */
        char *tls_key;
        char *token_file; /* NULL: none */
    } serve;
} cw_config_program;

/* All settings. Strings are owned by the structure; NULL: not set. Written through crawl_config_set, read directly. */
struct crawl_config {
    cw_config_program program;
    /* [crawl] */
    uint32_t depth;
    crawl_order order;
    crawl_scope scope;
    crawl_filter_rule *rules;
    size_t rule_count;
    uint64_t max_pages;      /* 0: no limit */
    uint64_t max_url;        /* bytes; for this and the next seven, 0: no limit */
    uint32_t max_path_depth; /* segments */
    uint32_t max_repeats;    /* consecutive repeats of a segment or a sequence of them */
    uint64_t max_queries;    /* distinct queries per path */
    uint64_t max_sessions;   /* per page */
    uint64_t max_variants;   /* per page, by parameters that change nothing */
    uint64_t max_pages_per_host;
    uint64_t max_pages_per_domain; /* per registrable domain */
    uint64_t max_queued;           /* 0: no limit */
    uint64_t max_hosts;            /* 0: no limit */
    int64_t max_time_ms;           /* 0: no limit */
    uint64_t max_bytes;            /* 0: no limit */
    uint32_t workers;              /* 0: number of cores */
    bool sitemaps;
    bool find_feeds; /* at the usual places for feeds */
    bool llms_txt;
    bool requisites;      /* the parts of pages */
    bool check_external;  /* links out of scope */
    bool check_fragments; /* collects the ids of pages */
    bool soft_404;        /* a page that says "not found" is an error */
    /* [seen] */
    crawl_bloom_options seen; /* kind, capacity, fpr, growth, tightening, max_memory, window, generations */
    crawl_profile canonical;
    crawl_fingerprint_kind fingerprint;
    char *drop_params;              /* as for crawl_drop_params_create; NULL: none */
    int64_t forget_after_ms;        /* finished requests; 0: never */
    int64_t forget_failed_after_ms; /* failed requests; 0: never */
    /* [revisit] */
    crawl_revisit revisit;
    int64_t revisit_interval_ms; /* the first interval */
    int64_t revisit_min_ms;
    int64_t revisit_max_ms;
    uint32_t revisit_gone; /* consecutive 404 or 410 after which a page is dropped; 0: never */
    /* [politeness] */
    int64_t delay_ms;
    uint32_t random_delay; /* percent by which each pause varies at random; 0 to 90 */
    uint32_t per_host;
    uint64_t host_rate_limit; /* bytes per second from one host; 0: no limit */
    bool adaptive;            /* the pause follows the host's answer time */
    double target;            /* average requests in flight to a host */
    int64_t max_delay_ms;     /* longest pause derived from the answer time */
    bool rate_headers;        /* holds or slows a host by the quotas in its RateLimit headers */
    bool per_ip;              /* pause and limit apply to all hosts at one address together */
    uint32_t per_address;     /* without per_ip: concurrent requests to one public address; 0: no limit */
    double address_delay;     /* likewise: the pause between two of them, as a fraction of delay_ms */
    bool per_address_private; /* applies these two to other addresses too */
    int64_t backoff_ms;       /* after a second consecutive failure, doubled for each further one */
    int64_t max_backoff_ms;
    uint32_t give_up;        /* consecutive failures of a host; 0: never */
    int64_t away_ms;         /* until a host that was given up is asked again */
    int64_t wall_backoff_ms; /* after a second consecutive wall, doubled for each further one; 0: walls hold no host */
    bool robots;
    unsigned respect; /* uses, as bits 1 << crawl_use: pages for which a statement refuses one of them are not stored */
    char *robots_agent_set; /* NULL: not set */
    char *robots_agent; /* product token for robots.txt: that one, or the name in the User-Agent, or "crawl"; no key */
    int64_t max_crawl_delay_ms; /* a longer Crawl-delay counts as this */
    uint32_t retries;           /* attempts after the first */
    int64_t retry_delay_ms;     /* first backoff, doubled for each further one */
    int64_t max_retry_delay_ms; /* a request with a longer Retry-After or backoff is given up */
    uint32_t max_redirects;     /* consecutive ones */
    char *internal_hosts; /* names allowed to resolve to private addresses, "intranet *.corp.example"; NULL: none */
    char *private_ports;  /* allowed at private addresses besides those of seeds, "8080 9000-9100"; NULL: none */
    bool trust_seeds;     /* seeds open private addresses and ports that browsers block */
    /* [fetch] */
    uint32_t connections;
    uint32_t idle_connections; /* 0: as crawl_engine_create chooses */
    char *user_agent;
    int64_t timeout_ms;
    int64_t connect_timeout_ms;
    int64_t low_speed_ms;
    int64_t low_speed_bytes;
    uint64_t rate_limit; /* bytes per second of all transfers; 0: no limit */
    uint64_t max_header_bytes;
    uint64_t max_body_bytes;
    uint64_t body_memory_bytes;
    bool http2;
    bool cookies;
    bool insecure;
    bool allow_private;
    char *ca_file;
    char *interface_name;
    crawl_texts headers; /* "Name: value", sent to every host */
    char *proxy;    /* "http://host:port", https, socks5 or socks5h; optionally with user:password@ before the host */
    char *no_proxy; /* hosts that bypass it: names, including those below them, addresses, or "*" */
    char *client_cert; /* PEM files */
    char *client_key;
    char *cookies_file; /* Netscape format */
    char *cookies_save;
    uint64_t max_cookies; /* bytes of memory for cookies set by servers */
    bool hsts;            /* RFC 6797 */
    char *withheld;       /* secrets left out by crawl_config_print: "password, header X-Key" */
    crawl_resolver resolver;
    char *dns_servers; /* NULL: the system's */
    int64_t dns_timeout_ms;
    /* [identity] */
    char *identity_key_file; /* NULL: none */
    char *identity_agent;    /* NULL: none */
    crawl_sign_when identity_sign;
    crawl_signing_form identity_form;
    crawl_signing_components identity_components;
    bool identity_http; /* signs plain http requests too */
    /* [parse] */
    crawl_extractor html;
    unsigned follow;    /* CRAWL_LINK_ bits */
    char *lazy;         /* as for crawl_page_set_lazy; NULL: none */
    bool obey_nofollow; /* rel=nofollow, and nofollow in meta robots and X-Robots-Tag */
    bool pdf;           /* reads PDFs, by crawl-pdf in ../libexec/crawl from the program's folder, or by preprocess */
    /* [render] */
    crawl_render_when render;
    crawl_texts render_pages; /* PCRE2; pages that match none are not rendered; empty: all pages */
    crawl_texts render_click; /* CSS selectors of elements to click */
    char *render_browser;     /* as for crawl_render_options.program; NULL: Debian's */
    bool render_images;       /* requests pictures, fonts and media */
    bool render_post;         /* allows requests of scripts other than GET and HEAD */
    uint32_t render_open;     /* concurrent pages in the browser */
    uint64_t render_cache_bytes;
    /* [dedupe] */
    crawl_dedupe dedupe;
    uint32_t dedupe_distance; /* 0 to CRAWL_SIMHASH_MAX_DISTANCE */
    uint64_t dedupe_max_pages;
    bool follow_duplicates;
    /* [output] */
    char *warc;          /* prefix; NULL: none */
    uint64_t warc_size;  /* bytes */
    char *output;        /* file, "-" standard output */
    char *requests;      /* file; NULL: none */
    char *links;         /* file; NULL: none */
    char *fields;        /* file; NULL: none */
    char *bodies;        /* folder; NULL: none */
    char *mirror;        /* folder; NULL: none */
    char *screenshots;   /* folder; NULL: none */
    crawl_digest digest; /* of bodies, in records */
    crawl_record_text text;
    bool data;            /* <crawl/data.h>, in records */
    char *dedupe_against; /* file of an index; NULL: none */
    char *answer_headers; /* names of the headers in records, separated by spaces or commas; NULL: none */
    char *columns;        /* names of fields, separated by spaces or commas; NULL: those of crawl_record_columns */
    crawl_existing existing;
    crawl_texts keep;       /* PCRE2; URLs that match none are not stored; empty: all URLs */
    crawl_texts keep_types; /* "type/subtype", or an asterisk for the subtype; others are not stored; empty: all */
    /* [state] */
    char *state;             /* directory of a durable crawl; NULL: in memory, or shared */
    char *shared;            /* a shared crawl, "redis://HOST/DB?name=NAME"; NULL: none */
    int64_t shared_lease_ms; /* how long hosts stay with a dead process of a shared crawl */
    crawl_sync state_sync;
    int64_t state_sync_ms;
    uint64_t state_queue_bytes;
    uint64_t state_host_bytes;
    uint64_t state_cache_bytes;
    uint64_t state_site_bytes;
    /* [live] */
    char *redis_password_file; /* NULL: none */
    char *redis_ca_file;       /* NULL: the system's certificates */
    crawl_redis_layout redis_layout;
    uint32_t redis_replicas;
    /* [host NAME] */
    crawl_host_config *hosts;
    size_t host_count;
    /* [extract NAME]: the lines of all sections in order */
    crawl_extract_line *extracts;
    size_t extract_count;
    /* [parse], continued */
    crawl_texts preprocess; /* "type/subtype=COMMAND": the program that makes pages from documents of this type; the
                               first match counts */
};

/* As crawl_config_create, crawl_config_free and crawl_config_copy, for a structure allocated by the caller: *config and
 * *to are overwritten without being freed. CRAWL_ENOMEM: they hold nothing to free. */
crawl_err cw_config_init(crawl_config *config);
void cw_config_clear(crawl_config *config);
crawl_err cw_config_copy(const crawl_config *from, crawl_config *to);

/* Returns the User-Agent among the headers, or `otherwise`. */
crawl_slice cw_config_user_agent(const crawl_texts *headers, crawl_slice otherwise);
