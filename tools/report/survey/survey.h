/* All that `crawl report` knows of a site: results (results/results.h), of lines or as a crawl or `crawl query --save`
 * left them, and what is made of them in temporary tables of SQLite (survey.sql), asked by the tables of the report.
 * Memory is bounded, whatever the site. The earlier crawl of --compare lies in the same connection as `old`, with
 * tables old_page and so on, so that one question reaches both. */
#pragma once

#include "base/keyed_hash.h"
#include "results/results.h"
#include "tools/report/survey/coverage.h"

#include <crawl/url.h>

/* Bytes of a title, a detail or an anchor that are shown. */
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

/* Statements that are needed often. */
typedef enum cw_survey_statement {
    CW_SQL_FIND,
    CW_SQL_FIND_CANONICAL,
    CW_SQL_HOST,
    CW_SQL_HOST_ADD,
    CW_SQL_REDIRECT,
    CW_SQL_STATEMENTS
} cw_survey_statement;

typedef struct cw_survey {
    cw_results *results; /* that lines go to; NULL: those of a database, which are only read */
    sqlite3 *db;         /* of the first survey; the second borrows it */
    bool is_second;
    sqlite3_stmt *statements[CW_SQL_STATEMENTS];
    crawl_slice host_from, host_to; /* of --map: a host that is read as another; empty: none */
    crawl_slice host;               /* the latest of a record, in host_text */
    crawl_buf host_text;
    int64_t host_id;
    cw_hash_secret secret;
    crawl_url *url; /* to parse into */
    crawl_buf canonical, key;
    crawl_buf origin;  /* "https://example.com", of all pages; empty: they have several */
    crawl_buf tallies; /* of links, of each URL: functions.c */
    uint64_t records;  /* that were read, of all pages */
    uint64_t bad_lines;
    uint64_t links;       /* of results */
    uint64_t queued;      /* in the directory of --state */
    uint64_t first, last; /* when, of the records, as 20261122192410123 */
    cw_survey_coverage coverage;
    crawl_err failure;
    bool leads_out; /* a link does, by http or https */
    bool has_ids, has_canonicals;
    bool has_links, has_requests, has_sitemap, has_sitemap_file, has_state, has_near, has_data;
} cw_survey;

/* A survey of lines that come by cw_survey_read. path: a file of results that is read in place of lines; NULL: none.
 * NULL: it cannot be opened; a message was written. */
cw_survey *cw_survey_create(const char *path);
/* That of the earlier crawl of first, to be filled by cw_survey_read_old. NULL: no memory; likewise. */
cw_survey *cw_survey_create_old(cw_survey *first);
/* Takes the results of the earlier crawl, which are in a file. CRAWL_ENOMEM, CRAWL_EIO. */
crawl_err cw_survey_attach(cw_survey *old, const char *path);
/* The earlier crawl goes before the first one. */
void cw_survey_free(cw_survey *survey);

/* The page of a URL, whatever its fragment and spelling; or else, if that is wanted, of a link that leads out of the
 * crawl. *id is 0 if there is none. CRAWL_ENOMEM, CRAWL_EIO. */
crawl_err cw_survey_find(cw_survey *survey, crawl_slice url, cw_survey_row_kind kind, int64_t *id);

/* The host, with its port, of "scheme://host:port/..."; without data if it is no such URL. */
crawl_slice cw_survey_host_of(crawl_slice url);
/* The number of the host of a URL, added if needed; 0: it has none. CRAWL_ENOMEM, CRAWL_EIO. */
crawl_err cw_survey_host_at(cw_survey *survey, crawl_slice name, int64_t *id);

/* ---- SQL ---- */

/* A statement, with its values bound from 1 on; to be stepped, and reset before it is used again. */
sqlite3_stmt *cw_survey_bound(cw_survey *survey, cw_survey_statement which, const char *kinds, ...);
/* Runs such a statement to its end. */
crawl_err cw_survey_do(cw_survey *survey, sqlite3_stmt *statement);
/* Runs statements, with DB. for the schema of the survey's results and OF_ for the begin of its tables' names. */
crawl_err cw_survey_run(cw_survey *survey, const char *sql);
/* Fills numbers by the first row that a question answers; 0: there is none, or it failed, which stays in failure. */
void cw_survey_numbers(cw_survey *survey, const char *sql, uint64_t *const *numbers, size_t count);
/* The number that a question answers; 0: as above. */
int64_t cw_survey_number(cw_survey *survey, const char *sql);
/* sqlite3's answer as an error, with a message; CRAWL_OK if it is no failure. The first failure stays in failure. */
crawl_err cw_survey_checked(cw_survey *survey, int result);
/* Takes a step. Is there a row? A failure stays in failure. */
bool cw_survey_has_row(cw_survey *survey, sqlite3_stmt *statement);
