/* Helpers for the rows of all tables: they choose and sort pages, find runs of pages that have something in common, and
 * make cells of what is known of a page. */
#ifndef CW_SURVEY_ROWS_H
#define CW_SURVEY_ROWS_H

#include "tools/report/survey/survey_judge.h"
#include "tools/report/tables/tables.h"

/* The most links, copies or hops that a row of the page names; the CSV file has all of them. */
#define CW_SURVEY_ITEMS_MAX 10u

typedef bool cw_survey_wanted(const cw_survey_report *report, const cw_survey_page *page);
/* Comparisons for qsort, of pointers to pages. */
typedef int cw_survey_order(const void *a, const void *b);

/* Adds the pages that are wanted (NULL: all) to *out, whose items the caller frees. CRAWL_ENOMEM. */
crawl_err cw_survey_select(const cw_survey_report *report, const cw_survey_list *from, cw_survey_wanted *wanted,
                           cw_survey_list *out);
void cw_survey_sort(cw_survey_list *list, cw_survey_order *order);

/* Orders pages by the result of the request, then by URL. */
int cw_survey_by_rank(const void *a, const void *b);
int cw_survey_by_url(const void *a, const void *b);
int cw_survey_compare_slices(crawl_slice a, crawl_slice b);

/* A run: neighbouring pages of a sorted list that are equal in its order. */
typedef struct cw_survey_run {
    cw_survey_page **pages;
    size_t count;
} cw_survey_run;

/* Sorts a list by `order` and then by URL, and finds its runs of at least `least` pages; the largest first if by_count.
 * The caller frees *runs. CRAWL_ENOMEM. */
crawl_err cw_survey_runs(cw_survey_list *list, cw_survey_order *order, size_t least, bool by_count,
                         cw_survey_run **runs, size_t *count);

/* Finds the runs of the pages that are wanted, and calls put for each. CRAWL_ENOMEM. */
typedef struct cw_survey_grouping {
    cw_survey_wanted *wanted;
    cw_survey_order *order;
    size_t least;
    bool by_count;
    void (*put)(const cw_survey_out *out, const cw_survey_run *run);
} cw_survey_grouping;
crawl_err cw_survey_put_runs(const cw_survey_report *report, const cw_survey_out *out, const cw_survey_grouping *by);

/* The field of a page that a cell shows. */
typedef enum cw_survey_field {
    CW_FIELD_END,
    CW_FIELD_URL,
    CW_FIELD_STATUS, /* the number, or the class of the error */
    CW_FIELD_ANSWER, /* the same in words */
    CW_FIELD_ERROR,
    CW_FIELD_DETAIL,
    CW_FIELD_TITLE,
    CW_FIELD_TYPE,
    CW_FIELD_SIZE,
    CW_FIELD_TIME,
    CW_FIELD_DEPTH,
    CW_FIELD_LINKS,
    CW_FIELD_FOUND, /* the page that it was found on */
    CW_FIELD_NEAR,
    CW_FIELD_NAMES,  /* its canonical link */
    CW_FIELD_NO_ALT, /* how many of its images have no alt */
    CW_FIELD_IMAGE,  /* the first of them */
    CW_FIELD_BEFORE  /* the answer in the earlier crawl */
} cw_survey_field;

/* Calls out->row with these fields of the page. */
void cw_survey_put_page(const cw_survey_report *report, const cw_survey_out *out, const cw_survey_page *page,
                        const cw_survey_field *fields);

static inline cw_survey_cell cw_survey_text_cell(crawl_slice text)
{
    return (cw_survey_cell){.kind = CW_CELL_TEXT, .text = text, .is_none = !text.size};
}

static inline cw_survey_cell cw_survey_url_cell(crawl_slice url)
{
    return (cw_survey_cell){.kind = CW_CELL_URL, .text = url, .is_none = !url.size};
}

static inline cw_survey_cell cw_survey_number_cell(cw_survey_kind kind, uint64_t number)
{
    return (cw_survey_cell){.kind = kind, .number = number};
}

static inline cw_survey_cell cw_survey_list_cell(const cw_survey_cell *items, size_t count, uint64_t more,
                                                 const char *what)
{
    return (cw_survey_cell){.kind = CW_CELL_LIST, .items = items, .item_count = count, .number = more, .what = what};
}

/* Is there a translation of which it can be told whether it names its page back, or no page that names any? */
bool cw_survey_tells_translations(const cw_survey_report *report);

/* The cell with the number of links; they are known only if --links was given. */
cw_survey_cell cw_survey_links_cell(const cw_survey_report *report, const cw_survey_page *page);

#endif
