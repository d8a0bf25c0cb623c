/* The table of what pages say of their use by AI: for each use how many pages refuse and grant it, how many are at odds
 * with themselves, and which statements say so; and the licences that pages name. */
#include "tools/report/tables/rows.h"

#include "base/array.h"
#include "base/bytes.h"
#include "tools/report/survey/survey_uses.h"

#include <crawl/preferences.h>
#include <stdlib.h>

#define PAGE_AT(pointer) (*(cw_survey_page *const *)(pointer))

/* A line of the uses of pages, and the pages that have it. */
typedef struct use_row {
    crawl_slice line;
    uint64_t pages;
    crawl_slice first;
} use_row;

typedef struct use_rows {
    use_row *items;
    size_t count, capacity;
} use_rows;

static bool says_uses(const cw_survey_report *report, const cw_survey_page *page)
{
    (void)report;
    return page->says.uses.size > 0;
}

static int by_uses(const void *a, const void *b)
{
    return cw_survey_compare_slices(PAGE_AT(a)->says.uses, PAGE_AT(b)->says.uses);
}

static int by_use_line(const void *a, const void *b)
{
    const use_row *one = a, *other = b;
    int order = cw_survey_compare_slices(one->line, other->line);
    return order ? order : cw_survey_compare_slices(one->first, other->first);
}

static crawl_err add_uses(use_rows *rows, const cw_survey_run *run)
{
    const cw_survey_record *says = &run->pages[0]->says;
    for (crawl_slice rest = says->uses; rest.size;) {
        if (CW_ARRAY_RESERVE(rows->items, rows->capacity, rows->count + 1, 16))
            return CRAWL_ENOMEM;
        rows->items[rows->count++] = (use_row){cw_cut_line(&rest), run->count, says->url};
    }
    return CRAWL_OK;
}

static void put_use(const cw_survey_out *out, const use_row *row, uint64_t pages)
{
    static const char *const stands[] = {[CW_STAND_AT_ODDS] = "refused and granted",
                                         [CW_STAND_REFUSED] = "refused",
                                         [CW_STAND_GRANTED] = "granted",
                                         [CW_STAND_LICENSE] = "licence"};
    crawl_slice line = row->line;
    const cw_survey_use one = cw_survey_next_use(&line);
    const char *use = one.use < CRAWL_USE_COUNT ? crawl_use_name((crawl_use)one.use) : "";
    const cw_survey_cell cells[] = {
        cw_survey_text_cell(crawl_slice_from(use)),
        cw_survey_text_cell(crawl_slice_from(stands[one.stand])),
        cw_survey_text_cell(one.source.size ? one.source : crawl_slice_from("all")),
        cw_survey_text_cell(one.statement),
        cw_survey_number_cell(CW_CELL_COUNT, pages),
        cw_survey_url_cell(row->first),
    };
    out->row(out->user, cells);
}

/* Rows of one line come from pages that differ in others. */
static void put_use_rows(const cw_survey_out *out, const use_rows *rows)
{
    for (size_t at = 0, end; at < rows->count; at = end) {
        uint64_t pages = 0;
        for (end = at; end < rows->count && crawl_slice_equal(rows->items[at].line, rows->items[end].line); end++)
            pages += rows->items[end].pages;
        put_use(out, &rows->items[at], pages);
    }
}

crawl_err cw_survey_rows_uses(const cw_survey_report *report, const cw_survey_out *out)
{
    use_rows rows = {0};
    cw_survey_list list = {0};
    cw_survey_run *runs = NULL;
    size_t count = 0;
    crawl_err err = cw_survey_select(report, &report->survey->pages, says_uses, &list);
    if (!err)
        err = cw_survey_runs(&list, by_uses, 1, false, &runs, &count);
    for (size_t i = 0; i < count && !err; i++)
        err = add_uses(&rows, &runs[i]);
    if (!err && rows.count)
        qsort(rows.items, rows.count, sizeof *rows.items, by_use_line);
    if (!err)
        put_use_rows(out, &rows);
    free(rows.items);
    free(runs);
    free(list.items);
    return err;
}
