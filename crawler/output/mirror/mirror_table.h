/* The fate of each URL of an offline copy: its file, or where it redirects to. The table is a file of lines, to
 * which the crawl appends; when the crawl ends, the last line of each URL counts. Memory is needed only then: 16 to 32
 * bytes for each URL. The lines themselves are read from the mapped file. */
#pragma once

#include "crawler/output/mirror/files.h"

/* The most URLs, which take 512 MiB of memory. Further ones are not found, and links to them lead to the web. */
#define CW_MIRROR_MAX_URLS ((size_t)1 << 24)

typedef enum cw_mirror_kind {
    CW_MIRROR_FILE, /* it stays as it came */
    CW_MIRROR_HTML, /* its links are rewritten; so are those of the next two */
    CW_MIRROR_XML,  /* XHTML, SVG */
    CW_MIRROR_CSS,
    CW_MIRROR_REDIRECT, /* it has no file */
    CW_MIRROR_GONE,     /* it has no file any more */
    CW_MIRROR_KINDS
} cw_mirror_kind;

typedef struct cw_mirror_row {
    cw_mirror_kind kind;
    crawl_slice key;     /* canonical form of the URL */
    crawl_slice url;     /* as it was fetched */
    crawl_slice value;   /* path of the file; of a redirect, the URL that it leads to */
    crawl_slice charset; /* that the server declared; empty: none */
} cw_mirror_row;

typedef struct cw_mirror_table cw_mirror_table;

/* Opens the table of a copy, or makes one. CRAWL_ESTATE: another process has it open. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_mirror_table_open(cw_mirror_files *files, cw_mirror_table **out, crawl_error *error);
void cw_mirror_table_free(cw_mirror_table *table);

/* The mark of paths in this copy (path.h): that with which it was begun. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_mirror_table_mark(const cw_mirror_table *table, char *mark, crawl_error *error);

/* Appends a row. Thread-safe. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_mirror_table_add(cw_mirror_table *table, const cw_mirror_row *row, crawl_error *error);

/* --- at the end, when nothing is added any more --- */

/* Was anything added since cw_mirror_table_finish? */
bool cw_mirror_table_changed(cw_mirror_table *table);
/* Reads the table; to be called before the calls below. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_mirror_table_index(cw_mirror_table *table, crawl_error *error);
/* The last row of a URL, by its canonical form. Its slices hold until the table is freed. *has_file: it names a file,
 * which was there when this was asked for the first time. */
bool cw_mirror_table_find(cw_mirror_table *table, crawl_slice key, cw_mirror_row *row, bool *has_file);
/* Gets the next row, in the order in which rows were added; *at is 0 at first. *last: it is the last row of its URL. */
bool cw_mirror_table_next(const cw_mirror_table *table, size_t *at, cw_mirror_row *row, bool *last);
/* Leaves out of the file all rows that do not count. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_mirror_table_finish(cw_mirror_table *table, crawl_error *error);
