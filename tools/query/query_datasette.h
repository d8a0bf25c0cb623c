/* What Datasette is told of a database of results (its metadata.json): what tables, columns and views are, and some
 * questions that have parameters. */
#pragma once

#include <crawl/base.h>

/* Takes the next statement "CREATE TABLE" or "CREATE VIEW" out of a text of SQL, with the comment before it, which may
 * have several lines, each behind "-- ". False: there is none. */
bool cw_query_next_made(crawl_slice *sql, crawl_slice *name, crawl_slice *comment);

/* docs/records.md. */
extern const char cw_query_records[];

/* Prints the metadata of this database. The exit status. */
int cw_query_datasette(const char *path);
