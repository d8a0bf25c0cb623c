/* The tables of a report. Each is an SQL query to the survey: the source of its rows, their order, and the columns.
 * Rows go one by one to any printer: the page, a CSV file, JUnit XML. A fault is a table that --fail-on and --junit
 * accept. */
#pragma once

#include "tools/report/survey/survey.h"

#include <crawl/config.h>

/* Maximum number of tables. */
enum { CW_SURVEY_TABLES_MAX = 60 };

/* The subject of a report, with all input read. */
typedef struct cw_survey_report {
    cw_survey *survey;
    cw_survey *old; /* of --compare; NULL: none */
    uint64_t slow_ms, large_bytes, heavy_bytes, deep;
    const crawl_config *config;            /* of the crawl; NULL: unknown */
    const char *ended_by;                  /* the limit or signal, as in the summary; NULL: unknown */
    uint64_t judged, responses;            /* pages that are fine, redirect or are broken; pages with any status */
    uint64_t answers, html_pages, deepest; /* pages that came well with 2xx; HTML pages of these that were read; the
                                            * largest depth */
    uint64_t externals, judged_externals;  /* links out of the crawl; those with a known result */
    bool tells_translations;      /* a record tells whether a translation names its page back, or no page names any */
    bool has_texts, is_encrypted; /* a page has a text; an HTML page came by https */
    uint64_t parts;               /* of pages */
    uint64_t guards, unguarded;   /* headers known for all pages; those that some page lacks */
    uint64_t bytes, hosts, median_ms;      /* of pages; hosts with pages; median of the time */
    uint64_t old_pages;                    /* of the earlier crawl */
    uint64_t invalid;                      /* links that are not URLs */
    uint64_t states[4];                    /* pages, by cw_survey_state */
    uint64_t counts[CW_SURVEY_TABLES_MAX]; /* rows of each table, in the tables' order */
    crawl_slice origin;                    /* "https://example.com" if all pages share it; else empty */
} cw_survey_report;

typedef enum cw_survey_kind {
    CW_CELL_TEXT,
    CW_CELL_URL,
    CW_CELL_COUNT,
    CW_CELL_BYTES,
    CW_CELL_MS,
    CW_CELL_LIST
} cw_survey_kind;

/* A value in a row. Texts are borrowed for the call. */
typedef struct cw_survey_cell {
    cw_survey_kind kind;
    bool is_none;     /* there is no value */
    crawl_slice text; /* of TEXT and URL */
    crawl_slice note; /* of a URL in a list: the words after it */
    bool is_quote;    /* the note is a quotation */
    const char *what; /* of LIST: the name of its items, for the rest */
    uint64_t number;  /* of COUNT, BYTES, MS; of LIST: how many there are beyond its items; of an item: how many it
                       * stands for */
    const struct cw_survey_cell *items;
    size_t item_count;
} cw_survey_cell;

typedef struct cw_survey_out {
    /* Gives a row for each member of a group (a copy, a hop, a link) instead of a row with a list of the first few. */
    bool is_flat;
    uint64_t most; /* maximum number of rows; 0: all */
    /* Gives the title of the group that follows. NULL: groups are ignored. */
    void (*group)(void *user, crawl_slice title, uint64_t rows);
    /* Takes a row, which has as many cells as the table has columns. */
    void (*row)(void *user, const cw_survey_cell *cells);
    void *user;
} cw_survey_out;

/* The SQL of a cell. TEXT: a text or a number. URL: a text, or a blob for a text that is not a URL. COUNT, BYTES and
 * MS: a number. LIST: a JSON array of items [URL, note, 1 if the note is a quote, number], and a number: how many more
 * there are. NULL: no value. */
typedef struct cw_survey_column {
    const char *name; /* for people; CSV has it in lower case with "_" for blanks */
    cw_survey_kind kind;
    const char *sql;
    const char *things; /* of LIST: the name of its items; NULL: URLs */
} cw_survey_column;

#define CW_SURVEY_COLUMNS_MAX 10

typedef enum cw_survey_chapter { CW_CHAPTER_FAULTS, CW_CHAPTER_CHANGES, CW_CHAPTER_SITE } cw_survey_chapter;

/* The limit that decides whether a page has the fault: a member of the report and the option that sets it. */
typedef struct cw_survey_limit {
    const char *option; /* NULL: no limit */
    cw_survey_kind kind;
    size_t offset;
} cw_survey_limit;

typedef struct cw_survey_table {
    const char *id;
    const char *title;
    const char *about; /* what the fault means, and what to do */
    cw_survey_chapter chapter;
    bool is_fault;   /* accepted by --fail-on */
    bool is_serious; /* shown as serious */
    cw_survey_limit limit;
    cw_survey_column columns[CW_SURVEY_COLUMNS_MAX + 1];
    cw_survey_column flat[CW_SURVEY_COLUMNS_MAX + 1];       /* if the first has no name: same as columns */
    const char *(*unknown)(const cw_survey_report *report); /* returns what it needs; NULL: always known */
    const char *from, *order; /* the SQL after FROM and ORDER BY, with parameters :slow, :large, :heavy, :deep,
                               * :has_links, :has_requests */
    const char *flat_from, *flat_order; /* of flat; NULL: the same */
    bool by_rank;                       /* rows are grouped by p.rank */
} cw_survey_table;

/* All tables, in the order of the page. The last one has no id. */
extern const cw_survey_table cw_survey_tables[];
extern const char cw_survey_pages_id[]; /* of the table of all pages */

/* Returns the table of this name, or NULL: none. */
const cw_survey_table *cw_survey_table_of(crawl_slice id);

/* Returns the input that the table lacks, in words, or NULL: none. */
static inline const char *cw_survey_unknown(const cw_survey_table *table, const cw_survey_report *report)
{
    return table->unknown ? table->unknown(report) : NULL;
}

/* Returns true if the table is a fault to look for. Changes count only with --compare. */
static inline bool cw_survey_asks(const cw_survey_table *table, const cw_survey_report *report)
{
    return table->is_fault && (table->chapter == CW_CHAPTER_FAULTS || report->old);
}

/* Passes the rows of the table to out. CRAWL_ENOMEM, CRAWL_EIO. */
crawl_err cw_survey_rows(const cw_survey_table *table, const cw_survey_report *report, const cw_survey_out *out);

/* Counts the rows of all tables as on the page. Unknown tables have none. CRAWL_ENOMEM, CRAWL_EIO. */
crawl_err cw_survey_count(cw_survey_report *report);

static inline uint64_t cw_survey_count_of(const cw_survey_table *table, const cw_survey_report *report)
{
    return report->counts[table - cw_survey_tables];
}
