/* The tables that list pages one by one. Each is made of a question that chooses pages, an order, and the fields that
 * are shown of a page. */
#include "tools/report/tables/rows.h"

#include <stdlib.h>

typedef enum listed_from {
    FROM_PAGES,   /* what was asked for */
    FROM_SITEMAP, /* and what a sitemap names beside it */
    FROM_OLD      /* what was asked for in the earlier crawl */
} listed_from;

typedef struct listing {
    cw_survey_wanted *wanted; /* NULL: all */
    listed_from from;
    cw_survey_order *order; /* NULL: by URL */
    cw_survey_field fields[CW_SURVEY_COLUMNS_MAX + 1];
    cw_survey_field flat[CW_SURVEY_COLUMNS_MAX + 1]; /* none: as fields */
} listing;

/* ---- orders: the largest first ---- */

static int larger_first(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

#define PAGE_AT(pointer) (*(cw_survey_page *const *)(pointer))

static int by_time(const void *a, const void *b)
{
    int order = larger_first(PAGE_AT(a)->says.elapsed_ms, PAGE_AT(b)->says.elapsed_ms);
    return order ? order : cw_survey_by_url(a, b);
}

static int by_size(const void *a, const void *b)
{
    int order = larger_first(PAGE_AT(a)->says.bytes, PAGE_AT(b)->says.bytes);
    return order ? order : cw_survey_by_url(a, b);
}

static int by_depth(const void *a, const void *b)
{
    int order = larger_first(PAGE_AT(a)->says.depth, PAGE_AT(b)->says.depth);
    return order ? order : cw_survey_by_url(a, b);
}

static int by_no_alt(const void *a, const void *b)
{
    int order = larger_first(PAGE_AT(a)->says.no_alt, PAGE_AT(b)->says.no_alt);
    return order ? order : cw_survey_by_url(a, b);
}

/* ---- questions ---- */

static bool is_fine(const cw_survey_page *page)
{
    return cw_survey_judge(&page->says) == CW_SURVEY_FINE;
}

/* Was the page slow? For a request that failed the time is that of its failure. */
static bool rows_pages_is_slow(const cw_survey_report *report, const cw_survey_page *page)
{
    return page->says.status && page->says.elapsed_ms >= report->slow_ms;
}

static bool is_large(const cw_survey_report *report, const cw_survey_page *page)
{
    return page->says.bytes >= report->large_bytes;
}

static bool rows_pages_is_near(const cw_survey_report *report, const cw_survey_page *page)
{
    (void)report;
    return page->says.near_to.size;
}

static bool is_untitled(const cw_survey_report *report, const cw_survey_page *page)
{
    (void)report;
    return cw_survey_is_html(&page->says) && !page->says.title.size;
}

static bool is_undescribed(const cw_survey_report *report, const cw_survey_page *page)
{
    (void)report;
    return cw_survey_is_html(&page->says) && !page->says.has_description;
}

static bool is_headless(const cw_survey_report *report, const cw_survey_page *page)
{
    (void)report;
    return cw_survey_is_html(&page->says) && !page->says.has_heading;
}

static bool has_no_alt(const cw_survey_report *report, const cw_survey_page *page)
{
    (void)report;
    return cw_survey_is_html(&page->says) && page->says.no_alt;
}

/* Does the page name another one as the one to be found in its place? */
static bool names_another(const cw_survey_report *report, const cw_survey_page *page)
{
    const cw_survey_record *says = &page->says;
    return cw_survey_is_html(says) && says->names.size && cw_survey_find(report->survey, says->names) != page &&
           !crawl_slice_equal(says->names, says->url);
}

static bool is_noindex(const cw_survey_report *report, const cw_survey_page *page)
{
    (void)report;
    return is_fine(page) && page->says.noindex;
}

static bool is_nofollow(const cw_survey_report *report, const cw_survey_page *page)
{
    (void)report;
    return is_fine(page) && page->says.nofollow;
}

static bool is_deep(const cw_survey_report *report, const cw_survey_page *page)
{
    return is_fine(page) && page->says.depth >= report->deep;
}

/* Is the page an orphan, which no link leads to? A seed is none: visitors start there. */
static bool is_orphan(const cw_survey_report *report, const cw_survey_page *page)
{
    (void)report;
    bool is_seed = page->says.status && !page->says.parent.size;
    return page->in_sitemap && !page->linked && !is_seed;
}

static bool is_unlisted(const cw_survey_report *report, const cw_survey_page *page)
{
    (void)report;
    return cw_survey_is_html(&page->says) && !page->says.noindex && !page->in_sitemap && page->host &&
           page->host->in_sitemap;
}

/* ---- the same, against the earlier crawl ---- */

static bool is_new(const cw_survey_report *report, const cw_survey_page *page)
{
    return !cw_survey_find(report->old, page->says.url);
}

static bool is_gone(const cw_survey_report *report, const cw_survey_page *page)
{
    return !cw_survey_find(report->survey, page->says.url);
}

static bool was_broken(const cw_survey_report *report, const cw_survey_page *page)
{
    const cw_survey_page *before = cw_survey_find(report->old, page->says.url);
    return before && cw_survey_is_broken(before);
}

static bool is_newly_broken(const cw_survey_report *report, const cw_survey_page *page)
{
    return cw_survey_is_broken(page) && !was_broken(report, page);
}

static bool is_mended(const cw_survey_report *report, const cw_survey_page *page)
{
    cw_survey_state state = cw_survey_judge(&page->says);
    return (state == CW_SURVEY_FINE || state == CW_SURVEY_REDIRECTS) && was_broken(report, page);
}

/* ---- the tables ---- */

static const listing listings[] = {
    [CW_PAGES_SLOW] = {.wanted = rows_pages_is_slow,
                       .order = by_time,
                       .fields = {CW_FIELD_URL, CW_FIELD_TIME, CW_FIELD_SIZE, CW_FIELD_TYPE}},
    [CW_PAGES_LARGE] = {.wanted = is_large,
                        .order = by_size,
                        .fields = {CW_FIELD_URL, CW_FIELD_SIZE, CW_FIELD_TIME, CW_FIELD_TYPE}},
    [CW_PAGES_NEAR] = {.wanted = rows_pages_is_near, .fields = {CW_FIELD_URL, CW_FIELD_NEAR, CW_FIELD_TITLE}},
    [CW_PAGES_UNTITLED] = {.wanted = is_untitled, .fields = {CW_FIELD_URL, CW_FIELD_FOUND, CW_FIELD_SIZE}},
    [CW_PAGES_UNDESCRIBED] = {.wanted = is_undescribed, .fields = {CW_FIELD_URL, CW_FIELD_TITLE, CW_FIELD_FOUND}},
    [CW_PAGES_HEADLESS] = {.wanted = is_headless, .fields = {CW_FIELD_URL, CW_FIELD_TITLE, CW_FIELD_FOUND}},
    [CW_PAGES_NO_ALT] = {.wanted = has_no_alt,
                         .order = by_no_alt,
                         .fields = {CW_FIELD_URL, CW_FIELD_NO_ALT, CW_FIELD_IMAGE, CW_FIELD_TITLE}},
    [CW_PAGES_NAMES] = {.wanted = names_another, .fields = {CW_FIELD_URL, CW_FIELD_NAMES, CW_FIELD_TITLE}},
    [CW_PAGES_NOINDEX] = {.wanted = is_noindex, .fields = {CW_FIELD_URL, CW_FIELD_TITLE, CW_FIELD_FOUND}},
    [CW_PAGES_NOFOLLOW] = {.wanted = is_nofollow, .fields = {CW_FIELD_URL, CW_FIELD_TITLE, CW_FIELD_FOUND}},
    [CW_PAGES_DEEP] = {.wanted = is_deep,
                       .order = by_depth,
                       .fields = {CW_FIELD_URL, CW_FIELD_DEPTH, CW_FIELD_TITLE, CW_FIELD_FOUND}},
    [CW_PAGES_ORPHANS] = {.wanted = is_orphan,
                          .from = FROM_SITEMAP,
                          .fields = {CW_FIELD_URL, CW_FIELD_STATUS, CW_FIELD_TITLE}},
    [CW_PAGES_UNLISTED] = {.wanted = is_unlisted,
                           .fields = {CW_FIELD_URL, CW_FIELD_DEPTH, CW_FIELD_LINKS, CW_FIELD_TITLE}},
    [CW_PAGES_NEW] = {.wanted = is_new, .fields = {CW_FIELD_URL, CW_FIELD_STATUS, CW_FIELD_TITLE, CW_FIELD_FOUND}},
    [CW_PAGES_GONE] = {.wanted = is_gone, .from = FROM_OLD, .fields = {CW_FIELD_URL, CW_FIELD_STATUS, CW_FIELD_TITLE}},
    [CW_PAGES_NEWLY_BROKEN] = {.wanted = is_newly_broken,
                               .fields = {CW_FIELD_URL, CW_FIELD_ANSWER, CW_FIELD_BEFORE, CW_FIELD_FOUND}},
    [CW_PAGES_MENDED] = {.wanted = is_mended, .fields = {CW_FIELD_URL, CW_FIELD_ANSWER, CW_FIELD_BEFORE}},
    [CW_PAGES_ALL] = {.fields = {CW_FIELD_URL, CW_FIELD_STATUS, CW_FIELD_TITLE, CW_FIELD_DEPTH, CW_FIELD_SIZE,
                                 CW_FIELD_TIME, CW_FIELD_LINKS},
                      .flat = {CW_FIELD_URL, CW_FIELD_STATUS, CW_FIELD_ERROR, CW_FIELD_TITLE, CW_FIELD_TYPE,
                               CW_FIELD_DEPTH, CW_FIELD_SIZE, CW_FIELD_TIME, CW_FIELD_LINKS, CW_FIELD_FOUND}},
};

static void rows_pages_put_all(const cw_survey_report *report, const cw_survey_out *out, cw_survey_list *list,
                               const listing *by)
{
    bool is_flat = out->is_flat && by->flat[0] != CW_FIELD_END;
    cw_survey_sort(list, by->order ? by->order : cw_survey_by_url);
    for (size_t i = 0; i < list->count; i++)
        cw_survey_put_page(report, out, list->items[i], is_flat ? by->flat : by->fields);
}

static crawl_err select_all(const cw_survey_report *report, const listing *by, cw_survey_list *out)
{
    const cw_survey *survey = by->from == FROM_OLD ? report->old : report->survey;
    crawl_err err = cw_survey_select(report, &survey->pages, by->wanted, out);
    if (!err && by->from == FROM_SITEMAP)
        err = cw_survey_select(report, &survey->unasked, by->wanted, out);
    return err;
}

crawl_err cw_survey_rows_listed(cw_survey_listing which, const cw_survey_report *report, const cw_survey_out *out)
{
    const listing *by = &listings[which];
    cw_survey_list list = {0};
    crawl_err err = select_all(report, by, &list);
    if (!err)
        rows_pages_put_all(report, out, &list, by);
    free(list.items);
    return err;
}
