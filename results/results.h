/* Results as an SQLite database (results/schema.sql and views.sql define its form), made from the lines of JSON that a
 * crawl writes, during the crawl or from its files. Records, links and requests may come in any order; anything that
 * two files have is stored once. Of several records of a page the latest is kept. Single-threaded. */
#pragma once

#include <crawl/base.h>

#include <sqlite3.h>

/* PRAGMA application_id ("crwl") and user_version of the files. */
#define CW_RESULTS_APPLICATION 0x6372776C
#define CW_RESULTS_VERSION 3

typedef struct cw_results cw_results;

/* Opens the database for writing, or creates it; NULL: a temporary one, deleted when closed. CRAWL_EINVAL: the file is
 * not a database of results, or has another version; CRAWL_ECORRUPT, CRAWL_EIO: error names the file and the reason.
 * CRAWL_ENOMEM. */
crawl_err cw_results_open(const char *path, cw_results **out, crawl_error *error);

/* Returns true if the file is an SQLite database. */
bool cw_results_is_file(const char *path);

/* Opens a database made by cw_results_open for reading; the caller closes *db. Errors as above. */
crawl_err cw_results_read(const char *path, sqlite3 **db, crawl_error *error);

/* Adds a line: a record has "url", a link "from" and "to", a line of the log of requests "event"; bytes that are not
 * UTF-8 become U+FFFD. CRAWL_EPARSE: none of these, and nothing was stored; other errors as above, and the transaction
 * is lost. */
crawl_err cw_results_line(cw_results *results, crawl_slice line, crawl_error *error);

/* Promises that all links of a page come before its record, which drops those of an earlier visit then. */
void cw_results_order_links(cw_results *results);

/* Adds the links of a JSON array. Errors as above; elements before one that is not a link were stored. */
crawl_err cw_results_links(cw_results *results, crawl_slice array, crawl_error *error);

/* Adds the requests of a JSON array of "end" or "depart" lines. Errors as above. */
crawl_err cw_results_requests(cw_results *results, crawl_slice array, crawl_error *error);

/* Starts another file: links that it repeats are the same links. */
void cw_results_next_file(cw_results *results);

/* Adds a URL named by a sitemap. */
crawl_err cw_results_sitemap(cw_results *results, crawl_slice url, crawl_slice sitemap, crawl_error *error);

/* Commits the transaction: everything added so far survives the process. */
crawl_err cw_results_commit(cw_results *results, crawl_error *error);

/* Must be called after the last line: stores links that several files have only once, and none of earlier visits. */
crawl_err cw_results_settle(cw_results *results, crawl_error *error);

/* As cw_results_settle; also finds the pages of links with other spellings, and creates the indexes for the views and
 * the full text search. May be called again after further lines. */
crawl_err cw_results_finish(cw_results *results, crawl_error *error);

/* Returns the connection, borrowed. */
sqlite3 *cw_results_database(cw_results *results);

/* Commits, leaves one file that can be copied, and frees. NULL is allowed. */
crawl_err cw_results_close(cw_results *results, crawl_error *error);

/* The text of schema.sql and of views.sql, for lists of tables and views with their comments. */
extern const char cw_results_schema[], cw_results_views[];
