/* Everything that `crawl report` knows of a site: results (results/results.h), read from lines or from a file that a
 * crawl or `crawl query --save` wrote, and temporary SQLite tables derived from them (survey.sql), which the tables of
 * the report query. Memory is bounded, whatever the site. The earlier crawl of --compare is attached to the same
 * connection as `old`, with tables old_page and so on, so that one query reaches both. */
#pragma once

#include "base/keyed_hash.h"
#include "results/results.h"
#include "tools/report/survey/coverage.h"

#include <crawl/url.h>

/* Maximum number of bytes shown of a title, a detail or an anchor. */
#define CW_SURVEY_TEXT_MAX 512u
/* Maximum number of hops of a chain that are counted and shown. Browsers follow 20. SQL repeats the number. */
#define CW_SURVEY_HOPS_MAX 50u

typedef enum cw_survey_row_kind {
    CW_KIND_PAGE,
    CW_KIND_EXTERNAL, /* a link out of the crawl that was checked */
    CW_KIND_UNASKED,  /* found, without a record */
    CW_KIND_INVALID,  /* a link that is not a URL */
    CW_KIND_FRAGMENT  /* a URL whose fragment its page does not have */
} cw_survey_row_kind;

/* Prepared statements. */
typedef enum cw_survey_statement {
    CW_SQL_FIND,
    CW_SQL_FIND_CANONICAL,
    CW_SQL_HOST,
    CW_SQL_HOST_ADD,
    CW_SQL_REDIRECT,
    CW_SQL_STATEMENTS
} cw_survey_statement;

typedef struct cw_survey {
    cw_results *results; /* where lines go; NULL: those of a database, which is only read */
    sqlite3 *db;         /* of the first survey; borrowed by the second */
    bool is_second;
    sqlite3_stmt *statements[CW_SQL_STATEMENTS];
    crawl_slice host_from, host_to; /* of --map: a host, or an origin, that is read as another; empty: none */
    uint64_t mapped;                /* URLs read so */
    crawl_slice host;               /* the latest of a record, in host_text */
    crawl_buf host_text;
    int64_t host_id;
    cw_hash_secret secret;
    crawl_url *url; /* parsed into */
    crawl_buf canonical, key;
    crawl_buf origin;  /* "https://example.com" if all pages share it; else empty */
    crawl_buf tallies; /* of the links to each URL: functions.c */
    uint64_t records;  /* read, of all pages */
    uint64_t bad_lines;
    uint64_t links;       /* in the results */
    uint64_t queued;      /* in the directory of --state, for a first visit */
    uint64_t first, last; /* times of the records, as 20261122192410123 */
    cw_survey_coverage coverage;
    crawl_err failure;
    bool leads_out;       /* by http or https */
    const char *ended_by; /* the limit or signal; empty: nothing, its queue was empty; NULL: unknown */
    bool has_ids, has_canonicals;
    bool has_links, has_requests, has_sitemap, has_sitemap_file, has_state, has_near, has_data;
} cw_survey;

/* Returns a survey to be filled by cw_survey_read, or, if path is not NULL, of a file of results. NULL: it cannot be
 * opened; the error has been printed. */
cw_survey *cw_survey_create(const char *path);
/* Returns the survey of the earlier crawl, to be filled by cw_survey_read_old. NULL: out of memory; the error has been
 * printed. */
cw_survey *cw_survey_create_old(cw_survey *first);
/* Attaches a file with the results of the earlier crawl. CRAWL_ENOMEM, CRAWL_EIO. */
crawl_err cw_survey_attach(cw_survey *old, const char *path);
/* Free the earlier crawl before the first survey. */
void cw_survey_free(cw_survey *survey);

/* Finds the page of a URL, whatever its fragment and spelling, or with CW_KIND_EXTERNAL the link out of the crawl. *id:
 * 0 if there is none. CRAWL_ENOMEM, CRAWL_EIO. */
crawl_err cw_survey_find(cw_survey *survey, crawl_slice url, cw_survey_row_kind kind, int64_t *id);

/* Returns the host with its port of "scheme://host:port/...". Its data is NULL if the URL has another form. */
crawl_slice cw_survey_host_of(crawl_slice url);
/* Finds the number of a host, and adds the host if needed. *id: 0 if the name is empty. CRAWL_ENOMEM, CRAWL_EIO. */
crawl_err cw_survey_host_at(cw_survey *survey, crawl_slice name, int64_t *id);

/* ---- SQL ---- */

/* Returns a statement with its values bound from 1 on. Step it, and reset it before its next use. */
sqlite3_stmt *cw_survey_bound(cw_survey *survey, cw_survey_statement which, const char *kinds, ...);
/* Runs such a statement to its end. */
crawl_err cw_survey_do(cw_survey *survey, sqlite3_stmt *statement);
/* Runs statements, in which DB. stands for the schema of the survey's results and OF_ for the prefix of its tables. */
crawl_err cw_survey_run(cw_survey *survey, const char *sql);
/* Runs one such statement with a text as its value. */
crawl_err cw_survey_run_with(cw_survey *survey, const char *sql, const char *text);
/* Fills numbers from the first row of a query. 0: no row, or a failure, which is stored in failure. */
void cw_survey_numbers(cw_survey *survey, const char *sql, uint64_t *const *numbers, size_t count);
/* Returns the number that a query answers; 0: as above. */
int64_t cw_survey_number(cw_survey *survey, const char *sql);
/* Converts a result of SQLite to an error and prints it. CRAWL_OK: no failure. The first failure is stored in
 * failure. */
crawl_err cw_survey_checked(cw_survey *survey, int result);
/* Steps a statement. Returns true if there is a row. A failure is stored in failure. */
bool cw_survey_has_row(cw_survey *survey, sqlite3_stmt *statement);
