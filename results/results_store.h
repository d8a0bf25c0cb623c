/* Internals of results/: its statements, and the rows shared by records and links. */
#pragma once

#include "base/json/pick.h"
#include "base/keyed_hash.h"
#include "results/results.h"

#include <crawl/url.h>

typedef enum cw_results_sql {
    CW_RESULTS_URL_FIND,
    CW_RESULTS_URL_ADD,
    CW_RESULTS_PAGE,
    CW_RESULTS_VISIT,
    CW_RESULTS_LINK,
    CW_RESULTS_LINKS_DROP,
    CW_RESULTS_IDS_CLEAR,
    CW_RESULTS_ID,
    CW_RESULTS_HEADERS_CLEAR,
    CW_RESULTS_HEADER,
    CW_RESULTS_HREFLANG_CLEAR,
    CW_RESULTS_HREFLANG,
    CW_RESULTS_SITEMAP,
    CW_RESULTS_REQUEST,
    CW_RESULTS_SQL_COUNT
} cw_results_sql;

/* Most links lead to URLs that were linked before, so the latest URLs are found without the database, in a table that
 * grows with them up to 32 MiB. Powers of two. */
enum { CW_RESULTS_PLACES_LEAST = 1 << 11, CW_RESULTS_PLACES_MOST = 1 << 21 };

typedef struct cw_results_place {
    uint64_t high; /* of the hash */
    uint32_t low;
    uint32_t id; /* 0: a free place */
} cw_results_place;

struct cw_results {
    sqlite3 *db;
    bool is_writing;        /* a transaction is open */
    int64_t import;         /* number of the file being read */
    bool has_ordered_links; /* cw_results_order_links was called */
    cw_hash_secret secret;
    cw_results_place *places; /* by hash */
    size_t place_count, places_taken;
    sqlite3_stmt *statements[CW_RESULTS_SQL_COUNT];
    crawl_url *url;
    crawl_buf canonical;
    crawl_buf decoded; /* the texts of a line, with room reserved */
    crawl_buf words;   /* an array as text */
    crawl_buf line;    /* repaired, if its bytes are not UTF-8 */
};

/* Allocates this many free places, to be freed by the caller. NULL: out of memory. */
cw_results_place *cw_results_make_places(size_t count);

/* Fills error with SQLite's message. */
crawl_err cw_results_failed(const cw_results *results, crawl_error *error);

/* Prepares a statement with the given text, which is that for pages. NULL: cw_results_failed says why. */
sqlite3_stmt *cw_results_prepare(cw_results *results, cw_results_sql sql, const char *text);
/* Returns a statement. NULL: as above. */
sqlite3_stmt *cw_results_statement(cw_results *results, cw_results_sql sql);
/* Binds a text; without data: NULL. */
void cw_results_bind(sqlite3_stmt *statement, int at, crawl_slice text);
/* Runs a statement that returns no row. */
crawl_err cw_results_run(cw_results *results, sqlite3_stmt *statement, crawl_error *error);

/* Returns the number of a URL, which is added if needed. is_target: also finds its canonical form. */
crawl_err cw_results_url_id(cw_results *results, crawl_slice url, bool is_target, int64_t *id, crawl_error *error);

/* Store a line, which is UTF-8; results->decoded has room for its texts. CRAWL_ABSENT: an object of another kind;
 * CRAWL_EPARSE: not an object. */
crawl_err cw_results_record(cw_results *results, crawl_slice line, crawl_error *error);
crawl_err cw_results_link(cw_results *results, crawl_slice line, crawl_error *error);
crawl_err cw_results_link_array(cw_results *results, crawl_slice array, crawl_error *error);
crawl_err cw_results_request(cw_results *results, crawl_slice line, crawl_error *error);
crawl_err cw_results_request_array(cw_results *results, crawl_slice array, crawl_error *error);
