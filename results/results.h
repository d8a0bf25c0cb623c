/* Results as a database of SQLite (results/schema.sql and views.sql say its form), made of the lines of JSON that a
 * crawl writes, as it goes or from its files. Records, links and requests come in any order; what two files have is
 * there once. Of several records of a page the latest stays. Single-thread. */
#pragma once

#include <crawl/base.h>

#include <sqlite3.h>

/* PRAGMA application_id ("crwl") and user_version of the files. */
#define CW_RESULTS_APPLICATION 0x6372776C
#define CW_RESULTS_VERSION 2

typedef struct cw_results cw_results;

/* Opens the database for writing, or makes it; NULL: a temporary one, gone with it. CRAWL_EINVAL: the file is no
 * database of results, or has a later form; CRAWL_ECORRUPT, CRAWL_EIO: error names the file and the reason.
 * CRAWL_ENOMEM. */
crawl_err cw_results_open(const char *path, cw_results **out, crawl_error *error);

/* Is the file a database of SQLite? */
bool cw_results_is_file(const char *path);

/* Opens a database that cw_results_open made, to read it; the caller closes *db. Errors as above. */
crawl_err cw_results_read(const char *path, sqlite3 **db, crawl_error *error);

/* Takes a line: a record has "url", a link "from" and "to", one of the log of requests "event"; bytes that are no UTF-8
 * become U+FFFD. CRAWL_EPARSE: it is neither, and nothing was stored; others as above, and the transaction is lost. */
crawl_err cw_results_line(cw_results *results, crawl_slice line, crawl_error *error);

/* Takes the links of an array of JSON. Errors as above; what stands before an element that is no link was stored. */
crawl_err cw_results_links(cw_results *results, crawl_slice array, crawl_error *error);

/* Takes the requests of an array of JSON, of lines "end" or "depart". As above. */
crawl_err cw_results_requests(cw_results *results, crawl_slice array, crawl_error *error);

/* Another file follows: links that it repeats are the same links. */
void cw_results_next_file(cw_results *results);

/* Takes a URL that a sitemap names. */
crawl_err cw_results_sitemap(cw_results *results, crawl_slice url, crawl_slice sitemap, crawl_error *error);

/* Ends the transaction: what was taken stays, whatever becomes of the process. */
crawl_err cw_results_commit(cw_results *results, crawl_error *error);

/* To be called when all is taken: links that several files have are there once. */
crawl_err cw_results_settle(cw_results *results, crawl_error *error);

/* The same, and finds the pages of links with other spellings, makes the indexes that the views need,
 * and the full text search. May be called again after further lines. */
crawl_err cw_results_finish(cw_results *results, crawl_error *error);

/* Its connection, borrowed. */
sqlite3 *cw_results_database(cw_results *results);

/* Commits, leaves one file that can be copied, and frees. NULL is allowed. */
crawl_err cw_results_close(cw_results *results, crawl_error *error);

/* The text of schema.sql and of views.sql, for lists of tables and views with their comments. */
extern const char cw_results_schema[], cw_results_views[];
