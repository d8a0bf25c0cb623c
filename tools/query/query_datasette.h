/* The description of a database of results for Datasette (its metadata.json): its tables, columns and views, and some
 * questions with parameters. */
#pragma once

#include <crawl/base.h>

/* Takes the next "CREATE TABLE" or "CREATE VIEW" from a text of SQL, with the comment before it, whose lines each begin
 * with "-- ". Returns false if there is none. */
bool cw_query_next_made(crawl_slice *sql, crawl_slice *name, crawl_slice *comment);

/* docs/records.md. */
extern const char cw_query_records[];

/* Prints the metadata of this database. Returns the exit status. */
int cw_query_datasette(const char *path);
