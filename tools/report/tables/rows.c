#include "tools/report/tables/rows.h"

#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>

crawl_err cw_survey_select(const cw_survey_report *report, const cw_survey_list *from, cw_survey_wanted *wanted,
                           cw_survey_list *out)
{
    if (CW_ARRAY_RESIZE(out->items, out->count + from->count))
        return CRAWL_ENOMEM;
    for (size_t i = 0; i < from->count; i++)
        if (!wanted || wanted(report, from->items[i]))
            out->items[out->count++] = from->items[i];
    return CRAWL_OK;
}

void cw_survey_sort(cw_survey_list *list, cw_survey_order *order)
{
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, order);
}

int cw_survey_compare_slices(crawl_slice a, crawl_slice b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size ? memcmp(a.data, b.data, size) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

int cw_survey_by_url(const void *a, const void *b)
{
    const cw_survey_page *one = *(cw_survey_page *const *)a, *other = *(cw_survey_page *const *)b;
    return cw_survey_compare_slices(one->says.url, other->says.url);
}

int cw_survey_by_rank(const void *a, const void *b)
{
    unsigned one = cw_survey_rank(&(*(cw_survey_page *const *)a)->says);
    unsigned other = cw_survey_rank(&(*(cw_survey_page *const *)b)->says);
    return (one > other) - (one < other);
}

/* ---- runs ---- */

static int by_count_and_url(const void *a, const void *b)
{
    const cw_survey_run *one = a, *other = b;
    if (one->count != other->count)
        return one->count < other->count ? 1 : -1;
    return cw_survey_by_url(one->pages, other->pages);
}

static size_t run_at(const cw_survey_list *list, size_t at, cw_survey_order *order)
{
    size_t end = at + 1;
    while (end < list->count && order(&list->items[at], &list->items[end]) == 0)
        end++;
    return end - at;
}

crawl_err cw_survey_runs(cw_survey_list *list, cw_survey_order *order, size_t least, bool by_count,
                         cw_survey_run **runs, size_t *count)
{
    *count = 0;
    *runs = calloc(list->count / least + 1, sizeof **runs);
    if (!*runs)
        return CRAWL_ENOMEM;
    cw_survey_sort(list, order);
    for (size_t at = 0, size; at < list->count; at += size) {
        size = run_at(list, at, order);
        cw_survey_list part = {.items = list->items + at, .count = size};
        cw_survey_sort(&part, cw_survey_by_url);
        if (size >= least)
            (*runs)[(*count)++] = (cw_survey_run){part.items, size};
    }
    if (by_count && *count)
        qsort(*runs, *count, sizeof **runs, by_count_and_url);
    return CRAWL_OK;
}

crawl_err cw_survey_put_runs(const cw_survey_report *report, const cw_survey_out *out, const cw_survey_grouping *by)
{
    size_t count = 0;
    cw_survey_run *runs = NULL;
    cw_survey_list list = {0};
    crawl_err err = cw_survey_select(report, &report->survey->pages, by->wanted, &list);
    if (!err)
        err = cw_survey_runs(&list, by->order, by->least, by->by_count, &runs, &count);
    for (size_t i = 0; i < count && !err; i++)
        by->put(out, &runs[i]);
    free(runs);
    free(list.items);
    return err;
}

/* ---- cells ---- */

/* Texts of cells that no record has. */
typedef struct made_texts {
    char status[16];
    cw_survey_cause answer, before;
} made_texts;

cw_survey_cell cw_survey_links_cell(const cw_survey_report *report, const cw_survey_page *page)
{
    cw_survey_cell cell = cw_survey_number_cell(CW_CELL_COUNT, page->linked);
    cell.is_none = !report->survey->has_links;
    return cell;
}

static cw_survey_cell status_cell(const cw_survey_record *says, char made[16])
{
    snprintf(made, 16, "%d", says->status);
    return cw_survey_text_cell(says->status ? crawl_slice_from(made) : says->error);
}

static cw_survey_cell before_cell(const cw_survey_report *report, const cw_survey_page *page, cw_survey_cause *made)
{
    const cw_survey_page *before = report->old ? cw_survey_find(report->old, page->says.url) : NULL;
    *made = before ? cw_survey_answer_of(&before->says) : (cw_survey_cause){"Not in that crawl"};
    return cw_survey_text_cell(crawl_slice_from(made->text));
}

/* A page of which nothing came has no size, and one that was not asked for took no time. */
static cw_survey_cell amount_cell(const cw_survey_record *says, cw_survey_kind kind, uint64_t number)
{
    cw_survey_cell cell = cw_survey_number_cell(kind, number);
    cell.is_none = !says->status && !number;
    return cell;
}

static cw_survey_cell cell_of(const cw_survey_report *report, const cw_survey_page *page, cw_survey_field field,
                              made_texts *made)
{
    const cw_survey_record *says = &page->says;
    switch (field) {
    case CW_FIELD_URL:
        return cw_survey_url_cell(says->url);
    case CW_FIELD_STATUS:
        return status_cell(says, made->status);
    case CW_FIELD_ANSWER:
        made->answer = cw_survey_answer_of(says);
        return cw_survey_text_cell(crawl_slice_from(made->answer.text));
    case CW_FIELD_ERROR:
        return cw_survey_text_cell(says->error);
    case CW_FIELD_DETAIL:
        return cw_survey_text_cell(says->detail);
    case CW_FIELD_TITLE:
        return cw_survey_text_cell(says->title);
    case CW_FIELD_TYPE:
        return cw_survey_text_cell(says->type);
    case CW_FIELD_SIZE:
        return amount_cell(says, CW_CELL_BYTES, says->bytes);
    case CW_FIELD_TIME:
        return amount_cell(says, CW_CELL_MS, says->elapsed_ms);
    case CW_FIELD_DEPTH:
        return cw_survey_number_cell(CW_CELL_COUNT, says->depth);
    case CW_FIELD_LINKS:
        return cw_survey_links_cell(report, page);
    case CW_FIELD_FOUND:
        return cw_survey_url_cell(says->parent);
    case CW_FIELD_NEAR:
        return cw_survey_url_cell(says->near_to);
    case CW_FIELD_NAMES:
        return cw_survey_url_cell(says->names);
    case CW_FIELD_NO_ALT:
        return cw_survey_number_cell(CW_CELL_COUNT, says->no_alt);
    case CW_FIELD_IMAGE:
        return cw_survey_url_cell(says->no_alt_image);
    default:
        return before_cell(report, page, &made->before);
    }
}

void cw_survey_put_page(const cw_survey_report *report, const cw_survey_out *out, const cw_survey_page *page,
                        const cw_survey_field *fields)
{
    made_texts made;
    cw_survey_cell cells[CW_SURVEY_COLUMNS_MAX] = {0};
    for (size_t i = 0; i < CW_SURVEY_COLUMNS_MAX && fields[i] != CW_FIELD_END; i++)
        cells[i] = cell_of(report, page, fields[i], &made);
    out->row(out->user, cells);
}
