/* What `crawl report` knows of a site: a database of SQLite in a file that goes when it is closed (survey.sql), filled
 * by lines of records, links and requests, and asked by the tables of the report. Memory is bounded, whatever the site;
 * the file takes some 700 bytes for a page. The earlier crawl of --compare lies in the same
 * database as `old`, so that one question reaches both. */
#ifndef CW_SURVEY_H
#define CW_SURVEY_H

#include "base/json/pick.h"
#include "base/keyed_hash.h"
#include "tools/report/survey/coverage.h"

#include <crawl/url.h>
#include <sqlite3.h>

/* Bytes of a title, a detail or an anchor that are kept. */
#define CW_SURVEY_TEXT_MAX 512u
/* The most hops of a chain that are counted and shown; browsers follow 20. SQL has it as a number. */
#define CW_SURVEY_HOPS_MAX 50u

typedef enum cw_survey_row_kind {
    CW_KIND_PAGE,
    CW_KIND_EXTERNAL, /* a link that leads out of the crawl, and was checked */
    CW_KIND_UNASKED,  /* found, and without a record */
    CW_KIND_INVALID,  /* a link that is no URL */
    CW_KIND_FRAGMENT  /* a URL with the name of a place that its page does not have */
} cw_survey_row_kind;

/* A page as one record tells of it; texts are borrowed for the call. */
typedef struct cw_survey_record {
    crawl_slice url, canonical, method, title, type, error, detail, redirect, parent, digest, near_to, description;
    crawl_slice wall;                 /* the service of a wall */
    crawl_slice text_hash;            /* of --dedupe near */
    crawl_slice names;                /* what the page has for its canonical link, of --data */
    crawl_slice no_alt_image;         /* the first of its images that have no alt, of --data */
    crawl_slice translations, uses;   /* arrays of JSON */
    uint64_t bytes, elapsed_ms, when; /* when: as 20261122192410123 */
    uint32_t depth;
    uint32_t no_alt; /* how many of them there are */
    int status;
    bool is_unchanged; /* since the visit before, so that it was not read again */
    bool ids_cut;
    const cw_json_value *ids;   /* an array, of --check-fragments; NULL: it has none */
    bool is_external;           /* a link that leads out of the crawl, and was checked */
    bool is_part;               /* of a page, asked for by --requisites */
    bool is_limited;            /* the host asked to come back later */
    bool asks_license;          /* the answer names a licence of RSL */
    bool is_read;               /* as HTML: a title would have been found */
    bool has_data, has_heading; /* of --data */
    bool data_is_cut;           /* so that translations may be missing */
    bool is_withheld;           /* its data too, by --respect */
    bool noindex, nofollow;
} cw_survey_record;

/* Statements that many lines need. */
typedef enum cw_survey_statement {
    CW_SQL_FIND,
    CW_SQL_FIND_CANONICAL,
    CW_SQL_OLDER,
    CW_SQL_PAGE,
    CW_SQL_WORDS,
    CW_SQL_CANONICAL,
    CW_SQL_IDS_AWAY,
    CW_SQL_ID,
    CW_SQL_HAS_ID,
    CW_SQL_HOST,
    CW_SQL_HOST_ADD,
    CW_SQL_HOST_PAGES,
    CW_SQL_UNASKED,
    CW_SQL_OTHER_WORDS,
    CW_SQL_CUT,
    CW_SQL_COUNT,
    CW_SQL_LINK,
    CW_SQL_REDIRECT,
    CW_SQL_REQUEST,
    CW_SQL_SITEMAP,
    CW_SQL_LISTED,
    CW_SQL_STATEMENTS
} cw_survey_statement;

typedef struct cw_survey_target cw_survey_target; /* see survey_links.h */

typedef struct cw_survey {
    sqlite3 *db; /* of the first survey; the second borrows it */
    bool is_second;
    sqlite3_stmt *statements[CW_SQL_STATEMENTS];
    crawl_slice host_from, host_to; /* of --map: a host that is read as another; empty: none */
    cw_survey_target *targets;      /* the latest of links; NULL: there were none */
    crawl_slice host;               /* the latest of a record, in host_text */
    crawl_buf host_text;
    int64_t host_id;
    cw_hash_secret secret;
    crawl_url *url; /* to parse into */
    crawl_buf canonical, key;
    crawl_buf repaired, decoded; /* the line that is read, and texts of it */
    crawl_buf origin;            /* "https://example.com", of all pages */
    bool has_origins;            /* there are several */
    int64_t last_id;             /* of a page */
    uint64_t records;            /* that were read, of all pages */
    uint64_t bad_lines;
    uint64_t links;       /* lines of --links */
    uint64_t queued;      /* in the directory of --state */
    uint64_t first, last; /* when, of the records */
    cw_survey_coverage coverage;
    crawl_err failure;
    bool leads_out; /* a link does, by http or https */
    bool has_ids, has_canonicals, has_externals;
    bool has_links, has_requests, has_sitemap, has_sitemap_file, has_state, has_near, has_data;
} cw_survey;

/* first: the survey of the same report, to which this one is the earlier crawl; NULL: this one is the first. NULL: no
 * memory, or no room for the file; a message was written. */
cw_survey *cw_survey_create(cw_survey *first);
/* The earlier crawl goes before the first one. */
void cw_survey_free(cw_survey *survey);

/* Texts are copied. CRAWL_ENOMEM, CRAWL_EIO. */
crawl_err cw_survey_add(cw_survey *survey, const cw_survey_record *record);

/* A row of `page` as it is found. */
typedef struct cw_survey_found {
    int64_t id; /* 0: there is none */
    cw_survey_row_kind kind;
    int state;
    bool redirects, has_ids, has_cut;
} cw_survey_found;

/* The page of a URL, whatever its fragment and spelling; or else, if that is wanted, of a link that leads out of the
 * crawl. CRAWL_ENOMEM, CRAWL_EIO. */
crawl_err cw_survey_find(cw_survey *survey, crawl_slice url, cw_survey_row_kind kind, cw_survey_found *out);
/* The row of this very text. */
crawl_err cw_survey_find_text(cw_survey *survey, crawl_slice text, cw_survey_row_kind kind, cw_survey_found *out);

/* Adds a row that has no record. CRAWL_ENOMEM, CRAWL_EIO. */
crawl_err cw_survey_add_other(cw_survey *survey, crawl_slice text, cw_survey_row_kind kind, int64_t *id);

cw_keyed_hash cw_survey_hash(cw_survey *survey, crawl_slice url);

/* The host, with its port, of "scheme://host:port/..."; without data if it is no such URL. */
crawl_slice cw_survey_host_of(crawl_slice url);
/* The number of the host of a URL, added if needed; 0: it has none. CRAWL_ENOMEM, CRAWL_EIO. */
crawl_err cw_survey_host_at(cw_survey *survey, crawl_slice name, int64_t *id);

/* ---- SQL ---- */

/* A statement, with its values bound from 1 on; to be stepped, and reset before it is used again. */
sqlite3_stmt *cw_survey_bound(cw_survey *survey, cw_survey_statement which, const char *kinds, ...);
/* Runs such a statement to its end. */
crawl_err cw_survey_do(cw_survey *survey, sqlite3_stmt *statement);
/* Runs statements, with SCHEMA for the name of the survey's own. */
crawl_err cw_survey_run(cw_survey *survey, const char *sql);
/* The number that a question answers; 0: none, or it failed, which stays in failure. */
int64_t cw_survey_number(cw_survey *survey, const char *sql);
/* What sqlite3 answered, with a message; CRAWL_OK for what is no failure. The first failure stays in failure. */
crawl_err cw_survey_checked(cw_survey *survey, int result);
/* Takes a step. Is there a row? A failure stays in failure. */
bool cw_survey_has_row(cw_survey *survey, sqlite3_stmt *statement);

#endif
