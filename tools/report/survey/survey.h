/* What `crawl report` knows of a site: its pages as the records of a crawl describe them, the links that lead to broken
 * pages, its hosts, and the URLs that a sitemap names. A page is a method and a URL. If it has several records the
 * latest counts, except that a 304 changes nothing of what is known. Texts that occur often (media types, errors,
 * parents, anchors) are kept once. A page takes about 1.2 KB of memory with its texts, a link that is kept about 64
 * bytes. */
#ifndef CW_SURVEY_H
#define CW_SURVEY_H

#include "base/json/pick.h"
#include "base/keyed_hash.h"
#include "base/map.h"
#include "tools/report/survey/coverage.h"

#include <crawl/url.h>

/* The most pages that are kept: 1.3 GB of memory. Further ones are counted and left out. */
#define CW_SURVEY_PAGES_MAX 2000000u
/* The most links to broken pages that are kept, in all (64 MB) and for one page; further ones are counted. */
#define CW_SURVEY_SOURCES_MAX 1000000u
#define CW_SURVEY_SOURCES_OF_PAGE 10000u
/* The most hosts that are distinguished: links may lead to any number of them. */
#define CW_SURVEY_HOSTS_MAX 100000u
/* The most ids that are kept, in all (128 MB); pages beyond have none, and links into them are not judged. */
#define CW_SURVEY_IDS_MAX 16000000u
/* The most bytes of the translations that a page names: some hundred; all pages of a group mostly name the same. */
#define CW_SURVEY_TRANSLATIONS_MAX 8192u
/* Bytes of a title, a detail or an anchor that are kept. */
#define CW_SURVEY_TEXT_MAX 512u

typedef struct cw_survey_host {
    uint64_t pages;    /* with a record */
    uint64_t links;    /* that lead to it */
    uint64_t requests; /* as --requests has them, and how many of these were further attempts */
    uint64_t retries;
    int robots; /* the status of its robots.txt; 0: no answer, or not known */
    bool asked_robots;
    bool in_sitemap;  /* one of its pages is */
    crawl_slice name; /* with its port */
    char text[];
} cw_survey_host;

/* A link to a broken page. */
typedef struct cw_survey_source {
    crawl_slice from;
    crawl_slice text; /* of the anchor */
    crawl_slice tag;
    struct cw_survey_source *next;
} cw_survey_source;

/* A page as one record tells of it; texts are borrowed for the call. */
typedef struct cw_survey_record {
    crawl_slice url, canonical, method, title, type, error, detail, redirect, parent, digest, near_to;
    crawl_slice wall;                 /* the service of a wall */
    crawl_slice uses;                 /* see survey_uses.h */
    crawl_slice names;                /* what the page has for its canonical link, of --data */
    crawl_slice translations;         /* its hreflang, of --data: a line each, of the language, a blank and the URL */
    crawl_slice no_alt_image;         /* the first of its images that have no alt, of --data */
    uint64_t bytes, elapsed_ms, when; /* when: as 20261122192410123 */
    uint32_t depth;
    uint32_t no_alt; /* how many of them there are */
    int status;
    bool is_unchanged; /* since the visit before, so that it was not read again */
    bool ids_cut;
    const cw_json_value *ids;                    /* an array, of --check-fragments; NULL: it has none */
    bool is_external;                            /* a link that leads out of the crawl, and was checked */
    bool is_part;                                /* of a page, asked for by --requisites */
    bool is_limited;                             /* the host asked to come back later */
    bool asks_license;                           /* the answer names a licence of RSL */
    bool is_read;                                /* as HTML: a title would have been found */
    bool has_text_hash;                          /* of --dedupe near */
    bool has_data, has_description, has_heading; /* of --data */
    bool data_is_cut;                            /* so that translations may be missing */
    bool is_withheld;                            /* its data too, by --respect */
    bool noindex, nofollow;
} cw_survey_record;

typedef struct cw_survey_page {
    cw_survey_record says; /* its texts are the survey's; digest and canonical too */
    cw_survey_host *host;
    struct cw_survey_page *target; /* of its redirect; NULL: none, or one without a record */
    cw_survey_source *sources, *last_source;
    uint32_t source_count; /* kept or not */
    uint32_t linked;       /* links that lead to it */
    uint64_t *ids;         /* hashes, sorted; NULL: not known */
    uint32_t id_count;
    uint32_t hops;  /* see redirects.h */
    bool is_target; /* of a redirect */
    bool in_loop, loop_begins;
    bool in_sitemap;
    bool is_copy; /* not the first of its digest */
    char text[];  /* the key */
} cw_survey_page;

typedef struct cw_survey_list {
    cw_survey_page **items;
    size_t count;
    size_t capacity;
} cw_survey_list;

typedef struct cw_survey {
    cw_survey_list pages;     /* in the order in which they came */
    cw_survey_list invalid;   /* links that are no URL, as pages that were not asked for */
    cw_survey_list externals; /* links that lead out of the crawl; they are no pages */
    cw_survey_list fragments; /* URLs with the name of a place that their page does not have */
    cw_survey_list unasked;   /* URLs that sitemaps name and no record has */
    cw_map *by_url, *by_canonical, *by_invalid, *by_unasked;
    cw_map *by_fragment, *by_external, *by_external_canonical;
    cw_map *hosts;
    cw_map *texts;
    cw_map *sitemaps; /* their own URLs, as --requests names them */
    crawl_url *url;   /* to parse into */
    crawl_buf canonical;
    crawl_buf repaired, decoded; /* the line that is read, and texts of it */
    crawl_buf uses;              /* of its page */
    crawl_buf translations;      /* likewise */
    uint64_t records;            /* that were read, of all pages */
    uint64_t left_out;           /* beyond a maximum */
    uint64_t bad_lines;
    uint64_t links;   /* lines of --links */
    uint64_t sources; /* kept */
    uint64_t queued;  /* in the directory of --state */
    cw_survey_coverage coverage;
    uint64_t first, last; /* when, of the records */
    bool has_ids;         /* a page has */
    uint64_t ids;         /* kept, of all pages */
    cw_hash_secret of_ids;
    bool leads_out; /* a link does, by http or https */
    bool has_links, has_requests, has_sitemap, has_sitemap_file, has_state, has_near, has_data;
} cw_survey;

/* NULL: no memory. */
cw_survey *cw_survey_create(void);
void cw_survey_free(cw_survey *survey);

/* Texts are copied. CRAWL_ENOMEM. */
crawl_err cw_survey_add(cw_survey *survey, const cw_survey_record *record);

/* The page of a URL, whatever its fragment and spelling; NULL: it has no record. */
cw_survey_page *cw_survey_find(cw_survey *survey, crawl_slice url);

/* Likewise of a link that leads out of the crawl; NULL: it was not checked. */
cw_survey_page *cw_survey_find_external(cw_survey *survey, crawl_slice url);

/* Has the page an element with this id? Hashes of ids are kept, as its last record that was read names them. */
bool cw_survey_has_id(const cw_survey *survey, const cw_survey_page *page, crawl_slice id);

/* Keeps a text as long as the survey lives: replaces *text by a copy of no more than `most` bytes. CRAWL_ENOMEM. */
crawl_err cw_survey_keep(cw_survey *survey, crawl_slice *text, size_t most);

/* Adds a URL that is no page of its own, or finds it there; *out is NULL if there are too many. CRAWL_ENOMEM. */
crawl_err cw_survey_add_other(cw_survey_list *list, cw_map *map, crawl_slice text, cw_survey_page **out);
/* Adds a page that holds a link to this one. CRAWL_ENOMEM. */
typedef struct cw_survey_link cw_survey_link;
crawl_err cw_survey_add_source(cw_survey *survey, cw_survey_page *page, const cw_survey_link *link);

/* Adds a link, when all records are there. `to` is no URL if is_invalid. CRAWL_ENOMEM. */
struct cw_survey_link {
    crawl_slice from, to, text, tag;
    bool is_invalid;
    bool leads_out; /* of the scope of the crawl */
    cw_survey_cut cut;
};
crawl_err cw_survey_add_link(cw_survey *survey, const cw_survey_link *link);

/* Notes that a sitemap names the URL; to be called when all records are there, and before the links. CRAWL_ENOMEM. */
crawl_err cw_survey_add_sitemap_url(cw_survey *survey, crawl_slice url);

/* Notes that this is the URL of a sitemap. CRAWL_ENOMEM. */
crawl_err cw_survey_add_sitemap(cw_survey *survey, crawl_slice url);

/* The host, with its port, of "scheme://host:port/..."; without data if it is no such URL. */
crawl_slice cw_survey_host_of(crawl_slice url);
/* The host of this name, added if needed; NULL: there is no memory, or there are too many hosts. */
cw_survey_host *cw_survey_host_at(cw_survey *survey, crawl_slice name);

#endif
