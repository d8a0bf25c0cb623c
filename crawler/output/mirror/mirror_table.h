/* The fate of each URL of an offline copy: its file, or the target of its redirect. The table is a file of lines, to
 * which the crawl appends; at its end, the last line of each URL counts. Only then it needs memory, 16 to 32 bytes per
 * URL. The lines themselves are read from the mapped file. */
#pragma once

#include "crawler/output/mirror/files.h"

/* Maximum number of URLs, which take 512 MiB of memory. Further ones are not found, and links to them lead to the
 * web. */
#define CW_MIRROR_MAX_URLS ((size_t)1 << 24)

typedef enum cw_mirror_kind {
    CW_MIRROR_FILE, /* stays unchanged */
    CW_MIRROR_HTML, /* links are rewritten, as in the next two */
    CW_MIRROR_XML,  /* XHTML, SVG */
    CW_MIRROR_CSS,
    CW_MIRROR_REDIRECT, /* has no file */
    CW_MIRROR_GONE,     /* no longer has a file */
    CW_MIRROR_KINDS
} cw_mirror_kind;

typedef struct cw_mirror_row {
    cw_mirror_kind kind;
    crawl_slice key;     /* canonical form of the URL */
    crawl_slice url;     /* as fetched */
    crawl_slice value;   /* path of the file; for a redirect, its target URL */
    crawl_slice charset; /* declared by the server; empty: none */
} cw_mirror_row;

typedef struct cw_mirror_table cw_mirror_table;

/* Opens or creates the table of a copy. CRAWL_ESTATE: another process has it open. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_mirror_table_open(cw_mirror_files *files, cw_mirror_table **out, crawl_error *error);
void cw_mirror_table_free(cw_mirror_table *table);

/* Gets the mark of paths in this copy (path.h), with which it was begun. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_mirror_table_mark(const cw_mirror_table *table, char *mark, crawl_error *error);

/* Appends a row. Thread-safe. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_mirror_table_add(cw_mirror_table *table, const cw_mirror_row *row, crawl_error *error);

/* Returns true if rows were added since cw_mirror_table_finish, by this run or one before. Thread-safe. */
bool cw_mirror_table_changed(const cw_mirror_table *table);

/* --- at the end, when nothing more is added --- */

/* Reads the table. Call before the functions below. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_mirror_table_index(cw_mirror_table *table, crawl_error *error);
/* Finds the last row of a URL by its canonical form. Its slices are valid until the table is freed. *has_file: its file
 * existed at the first lookup. */
bool cw_mirror_table_find(cw_mirror_table *table, crawl_slice key, cw_mirror_row *row, bool *has_file);
/* Gets the next row, in the order of addition; *at is 0 at first. *last: it is the last row of its URL. */
bool cw_mirror_table_next(const cw_mirror_table *table, size_t *at, cw_mirror_row *row, bool *last);
/* Removes rows that do not count from the file. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_mirror_table_finish(cw_mirror_table *table, crawl_error *error);
