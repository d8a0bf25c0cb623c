/* The tables of a report. Each is a question to the survey, in SQL: whence its rows come, in which order, and what its
 * columns show. Its rows go one by one to any printer: the page, a CSV file, JUnit's XML. A fault is a table that
 * --fail-on and --junit know. */
#pragma once

#include "tools/report/survey/survey.h"

#include <crawl/config.h>

/* The most tables. */
enum { CW_SURVEY_TABLES_MAX = 60 };

/* The subject of a report, with all its input read. */
typedef struct cw_survey_report {
    cw_survey *survey;
    cw_survey *old; /* of --compare; NULL: none */
    uint64_t slow_ms, large_bytes, heavy_bytes, deep;
    const crawl_config *config;            /* of the crawl; NULL: not known */
    const char *ended_by;                  /* the limit or signal that did, as the summary has it; NULL: not known */
    uint64_t judged, responses;            /* pages that are fine, redirect or are broken; that any status came for */
    uint64_t answers, html_pages, deepest; /* pages of an answer 2xx that came well, of these HTML that was read; the
                                              largest depth */
    uint64_t externals, judged_externals;  /* links out of the crawl; those of which something is known */
    bool tells_translations; /* of a translation it can be told whether it names its page back, or no page names any */
    bool has_texts, is_encrypted;     /* a page has a text; an HTML page goes by https */
    uint64_t parts;                   /* of pages */
    uint64_t guards, unguarded;       /* headers of which it is known which pages have them; those that a page lacks */
    uint64_t bytes, hosts, median_ms; /* of pages; hosts that have some */
    uint64_t old_pages;               /* of the earlier crawl */
    uint64_t invalid;                 /* links that are no URL */
    uint64_t states[4];               /* pages, by cw_survey_state */
    uint64_t counts[CW_SURVEY_TABLES_MAX]; /* rows of each table, in their order */
    crawl_slice origin;                    /* "https://example.com", where all pages are of one; else empty */
} cw_survey_report;

typedef enum cw_survey_kind {
    CW_CELL_TEXT,
    CW_CELL_URL,
    CW_CELL_COUNT,
    CW_CELL_BYTES,
    CW_CELL_MS,
    CW_CELL_LIST
} cw_survey_kind;

/* Texts are borrowed for the call. */
typedef struct cw_survey_cell {
    cw_survey_kind kind;
    bool is_none;     /* there is nothing to say */
    crawl_slice text; /* of TEXT and URL */
    crawl_slice note; /* of a URL in a list: words behind it */
    bool is_quote;    /* the note: somebody else's words */
    const char *what; /* of LIST: the name of the things that the list has more of */
    uint64_t number;  /* of COUNT, BYTES, MS; of LIST how many there are beyond its items; of an item how many it is for
                       */
    const struct cw_survey_cell *items;
    size_t item_count;
} cw_survey_cell;

typedef struct cw_survey_out {
    /* Gives a row for each member of a group (a copy, a hop, a link), in place of one with a list of the first few. */
    bool is_flat;
    uint64_t most; /* rows that are wanted; 0: all */
    /* Tells what the following rows have in common. NULL: not of interest. */
    void (*group)(void *user, crawl_slice title, uint64_t rows);
    /* Takes a row, which has as many cells as there are columns. */
    void (*row)(void *user, const cw_survey_cell *cells);
    void *user;
} cw_survey_out;

/* The SQL of a cell: of TEXT a text or a number; of URL a text, or bytes for a text that is no URL; of COUNT, BYTES and
 * MS a number; of LIST an array of JSON, of its items as [URL, note, is the note a quote?, number] and, as a number,
 * how many more there are. NULL: there is nothing to say. */
typedef struct cw_survey_column {
    const char *name; /* for people; a CSV file has it with "_" for blanks, in lower case */
    cw_survey_kind kind;
    const char *sql;
    const char *things; /* of LIST: that there are more of; NULL: URLs */
} cw_survey_column;

#define CW_SURVEY_COLUMNS_MAX 10

typedef enum cw_survey_chapter { CW_CHAPTER_FAULTS, CW_CHAPTER_CHANGES, CW_CHAPTER_SITE } cw_survey_chapter;

/* The limit that decides whether a page has the fault: a member of the report, and the option that sets it. */
typedef struct cw_survey_limit {
    const char *option; /* NULL: nothing does */
    cw_survey_kind kind;
    size_t offset;
} cw_survey_limit;

typedef struct cw_survey_table {
    const char *id;
    const char *title;
    const char *about; /* what it means, and what to do */
    cw_survey_chapter chapter;
    bool is_fault;   /* what --fail-on may name */
    bool is_serious; /* shown as such */
    cw_survey_limit limit;
    cw_survey_column columns[CW_SURVEY_COLUMNS_MAX + 1];
    cw_survey_column flat[CW_SURVEY_COLUMNS_MAX + 1];       /* without a name at once: as columns */
    const char *(*unknown)(const cw_survey_report *report); /* what it needs; NULL: it is known */
    const char *from, *order; /* what follows FROM and ORDER BY; the parameters are :slow, :large, :heavy, :deep,
                                 :has_links and :has_requests */
    const char *flat_from, *flat_order; /* of flat; NULL: the same */
    bool by_rank;                       /* rows are grouped by p.rank */
} cw_survey_table;

/* All, in the order of the page; the last one has no id. */
extern const cw_survey_table cw_survey_tables[];
extern const char cw_survey_pages_id[]; /* of the table of all pages */

/* The table of this name; NULL: there is none. */
const cw_survey_table *cw_survey_table_of(crawl_slice id);

/* The input that the table lacks, in words; NULL: none. */
static inline const char *cw_survey_unknown(const cw_survey_table *table, const cw_survey_report *report)
{
    return table->unknown ? table->unknown(report) : NULL;
}

/* Is it a fault whose answer somebody may look for? Changes are asked for by --compare alone. */
static inline bool cw_survey_asks(const cw_survey_table *table, const cw_survey_report *report)
{
    return table->is_fault && (table->chapter == CW_CHAPTER_FAULTS || report->old);
}

/* Tells the rows of the table. CRAWL_ENOMEM, CRAWL_EIO. */
crawl_err cw_survey_rows(const cw_survey_table *table, const cw_survey_report *report, const cw_survey_out *out);

/* Counts the rows of all tables, as the page has them; tables that are not known have none. CRAWL_ENOMEM, CRAWL_EIO. */
crawl_err cw_survey_count(cw_survey_report *report);

static inline uint64_t cw_survey_count_of(const cw_survey_table *table, const cw_survey_report *report)
{
    return report->counts[table - cw_survey_tables];
}
