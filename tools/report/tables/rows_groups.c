/* The tables whose rows have members: a broken link and the pages that hold it, a chain and its hops, copies of one
 * page. In the page a row names the first few members; a CSV file has a row for each. */
#include "tools/report/survey/redirects.h"
#include "tools/report/tables/rows.h"

#include <stdio.h>
#include <stdlib.h>

#define PAGE_AT(pointer) (*(cw_survey_page *const *)(pointer))

/* ---- broken, and not checked: grouped by cause ---- */

static bool is_broken(const cw_survey_report *report, const cw_survey_page *page)
{
    (void)report;
    return cw_survey_is_broken(page);
}

/* A URL that redirects alone lead to is no link of the site; the one that they begin with is. */
static bool is_broken_external(const cw_survey_report *report, const cw_survey_page *page)
{
    bool is_hop = !page->sources && cw_survey_find_external(report->survey, page->says.parent);
    return cw_survey_is_broken(page) && !is_hop;
}

static bool is_unchecked(const cw_survey_report *report, const cw_survey_page *page)
{
    (void)report;
    return cw_survey_judge(&page->says) == CW_SURVEY_UNCHECKED;
}

/* The text of a link, or what kind of link it is: redirects have no anchor, and other elements no text. */
static crawl_slice rows_groups_note_of(const cw_survey_source *source)
{
    return source->text.size ? source->text : source->tag;
}

static cw_survey_cell noted_url(crawl_slice url, crawl_slice note)
{
    cw_survey_cell cell = cw_survey_url_cell(url);
    cell.note = note;
    return cell;
}

/* Takes each page that holds a link once, with the words of its first link; returns how many pages. Texts are kept
 * once, so equal ones have the same address. */
static size_t take_holders(const cw_survey_page *page, cw_survey_cell items[CW_SURVEY_ITEMS_MAX], uint64_t *more)
{
    size_t count = 0;
    *more = page->source_count;
    for (const cw_survey_source *source = page->sources; source; source = source->next) {
        size_t i = 0;
        while (i < count && items[i].text.data != source->from.data)
            i++;
        if (i == CW_SURVEY_ITEMS_MAX)
            continue;
        if (i == count) {
            items[count] = noted_url(source->from, rows_groups_note_of(source));
            items[count++].is_quote = source->text.size > 0;
        }
        items[i].number++;
        (*more)--;
    }
    return count;
}

/* The cell of a broken link. A text that is no URL is shown without a link. */
static cw_survey_cell broken_cell(const cw_survey_page *page)
{
    return page->host || !page->says.error.size ? cw_survey_url_cell(page->says.url)
                                                : cw_survey_text_cell(page->says.url);
}

/* Puts a broken link. Without --links only the page that it was found on first is known. */
static void rows_groups_put_broken(const cw_survey_report *report, const cw_survey_out *out, const cw_survey_page *page)
{
    uint64_t more;
    cw_survey_cell items[CW_SURVEY_ITEMS_MAX];
    size_t count = take_holders(page, items, &more);
    if (!count && page->says.parent.size)
        items[count++] = noted_url(page->says.parent, (crawl_slice){0});
    const cw_survey_cell cells[] = {
        broken_cell(page),
        cw_survey_list_cell(items, count, more, "links"),
        cw_survey_links_cell(report, page),
    };
    out->row(out->user, cells);
}

static void put_broken_link(const cw_survey_out *out, const cw_survey_page *page, const cw_survey_source *source)
{
    char status[16];
    cw_survey_cause cause = cw_survey_answer_of(&page->says);
    snprintf(status, sizeof status, "%d", page->says.status);
    const cw_survey_cell cells[] = {
        cw_survey_text_cell(crawl_slice_from(cause.text)),
        cw_survey_url_cell(page->says.url),
        cw_survey_text_cell(crawl_slice_from(status)),
        cw_survey_text_cell(page->says.error),
        cw_survey_text_cell(page->says.detail),
        cw_survey_url_cell(source->from),
        cw_survey_text_cell(source->text),
        cw_survey_text_cell(source->tag),
    };
    out->row(out->user, cells);
}

static void put_broken_links(const cw_survey_out *out, const cw_survey_page *page)
{
    const cw_survey_source found_on = {.from = page->says.parent};
    if (!page->sources)
        put_broken_link(out, page, &found_on);
    for (const cw_survey_source *source = page->sources; source; source = source->next)
        put_broken_link(out, page, source);
}

static void put_unchecked(const cw_survey_report *report, const cw_survey_out *out, const cw_survey_page *page)
{
    static const cw_survey_field fields[] = {CW_FIELD_URL, CW_FIELD_DETAIL, CW_FIELD_FOUND, CW_FIELD_END};
    static const cw_survey_field flat[] = {CW_FIELD_ANSWER, CW_FIELD_URL,   CW_FIELD_STATUS, CW_FIELD_ERROR,
                                           CW_FIELD_DETAIL, CW_FIELD_FOUND, CW_FIELD_END};
    cw_survey_put_page(report, out, page, out->is_flat ? flat : fields);
}

static void begin_group(const cw_survey_out *out, crawl_slice title, uint64_t rows)
{
    if (out->group)
        out->group(out->user, title, rows);
}

static crawl_err put_causes(const cw_survey_report *report, const cw_survey_out *out, cw_survey_list *list,
                            void (*put)(const cw_survey_report *, const cw_survey_out *, const cw_survey_page *))
{
    size_t count;
    cw_survey_run *runs;
    crawl_err err = cw_survey_runs(list, cw_survey_by_rank, 1, false, &runs, &count);
    for (size_t i = 0; i < count && !err; i++) {
        cw_survey_cause cause = cw_survey_answer_of(&runs[i].pages[0]->says);
        begin_group(out, crawl_slice_from(cause.text), runs[i].count);
        for (size_t k = 0; k < runs[i].count; k++)
            put(report, out, runs[i].pages[k]);
    }
    free(runs);
    return err;
}

static void put_either(const cw_survey_report *report, const cw_survey_out *out, const cw_survey_page *page)
{
    if (out->is_flat)
        put_broken_links(out, page);
    else
        rows_groups_put_broken(report, out, page);
}

crawl_err cw_survey_rows_broken(const cw_survey_report *report, const cw_survey_out *out)
{
    cw_survey_list list = {0};
    crawl_err err = cw_survey_select(report, &report->survey->pages, is_broken, &list);
    if (!err)
        err = cw_survey_select(report, &report->survey->invalid, NULL, &list);
    if (!err)
        err = put_causes(report, out, &list, put_either);
    free(list.items);
    return err;
}

crawl_err cw_survey_rows_broken_external(const cw_survey_report *report, const cw_survey_out *out)
{
    cw_survey_list list = {0};
    crawl_err err = cw_survey_select(report, &report->survey->externals, is_broken_external, &list);
    if (!err)
        err = put_causes(report, out, &list, put_either);
    free(list.items);
    return err;
}

static void put_fragment_links(const cw_survey_out *out, const cw_survey_page *page)
{
    for (const cw_survey_source *source = page->sources; source; source = source->next) {
        const cw_survey_cell cells[] = {
            cw_survey_url_cell(page->says.url),
            cw_survey_url_cell(source->from),
            cw_survey_text_cell(source->text),
            cw_survey_text_cell(source->tag),
        };
        out->row(out->user, cells);
    }
}

crawl_err cw_survey_rows_broken_fragments(const cw_survey_report *report, const cw_survey_out *out)
{
    cw_survey_list list = {0};
    crawl_err err = cw_survey_select(report, &report->survey->fragments, NULL, &list);
    cw_survey_sort(&list, cw_survey_by_url);
    for (size_t i = 0; i < list.count && !err; i++)
        if (out->is_flat)
            put_fragment_links(out, list.items[i]);
        else
            rows_groups_put_broken(report, out, list.items[i]);
    free(list.items);
    return err;
}

crawl_err cw_survey_rows_unchecked(const cw_survey_report *report, const cw_survey_out *out)
{
    cw_survey_list list = {0};
    crawl_err err = cw_survey_select(report, &report->survey->pages, is_unchecked, &list);
    if (!err)
        err = cw_survey_select(report, &report->survey->externals, is_unchecked, &list);
    if (!err)
        err = put_causes(report, out, &list, put_unchecked);
    free(list.items);
    return err;
}

/* ---- walls ---- */

static bool is_walled(const cw_survey_report *report, const cw_survey_page *page)
{
    (void)report;
    return cw_survey_is_walled(&page->says);
}

static int by_wall(const void *a, const void *b)
{
    const cw_survey_record *one = &PAGE_AT(a)->says;
    const cw_survey_record *other = &PAGE_AT(b)->says;
    int order = cw_survey_compare_slices(cw_survey_host_of(one->url), cw_survey_host_of(other->url));
    return order ? order : cw_survey_compare_slices(one->wall, other->wall);
}

static void put_wall(const cw_survey_out *out, const cw_survey_run *run)
{
    const cw_survey_record *first = &run->pages[0]->says;
    const cw_survey_cell cells[] = {
        cw_survey_text_cell(cw_survey_host_of(first->url)),
        cw_survey_text_cell(first->wall),
        cw_survey_number_cell(CW_CELL_COUNT, run->count),
        cw_survey_url_cell(first->url),
    };
    out->row(out->user, cells);
}

crawl_err cw_survey_rows_walls(const cw_survey_report *report, const cw_survey_out *out)
{
    cw_survey_list list = {0};
    size_t count = 0;
    cw_survey_run *runs = NULL;
    crawl_err err = cw_survey_select(report, &report->survey->pages, is_walled, &list);
    if (!err)
        err = cw_survey_select(report, &report->survey->externals, is_walled, &list);
    if (!err)
        err = cw_survey_runs(&list, by_wall, 1, true, &runs, &count);
    for (size_t i = 0; i < count; i++)
        put_wall(out, &runs[i]);
    free(runs);
    free(list.items);
    return err;
}

/* ---- redirects ---- */

static bool begins_loop(const cw_survey_report *report, const cw_survey_page *page)
{
    (void)report;
    return page->loop_begins;
}

static bool begins_chain(const cw_survey_report *report, const cw_survey_page *page)
{
    (void)report;
    return cw_survey_is_chain(page);
}

/* A hop of a row: a URL and the status that it answered with; the last one of a chain need not have a record. */
typedef struct hop {
    crawl_slice url;
    char status[16];
} hop;

static hop hop_of(const cw_survey_page *page)
{
    hop made = {.url = page->says.url};
    if (page->says.status)
        snprintf(made.status, sizeof made.status, "%d", page->says.status);
    return made;
}

/* Takes the hops of a chain or a loop, with the URL that it leads to; returns how many there are. */
static size_t take_hops(const cw_survey_page *page, hop hops[CW_SURVEY_HOPS_MAX + 1])
{
    size_t count = 0;
    const cw_survey_page *begin = page;
    do {
        hops[count++] = hop_of(page);
        if (!page->target && page->says.redirect.size && count <= CW_SURVEY_HOPS_MAX)
            hops[count++] = (hop){.url = page->says.redirect};
        page = page->target;
    } while (page && page != begin && count <= CW_SURVEY_HOPS_MAX && !(page->in_loop && !begin->in_loop));
    if (page && count <= CW_SURVEY_HOPS_MAX)
        hops[count++] = hop_of(page);
    return count;
}

static void put_hops_flat(const cw_survey_out *out, const hop *hops, size_t count, uint64_t number)
{
    for (size_t i = 0; i < count; i++) {
        const cw_survey_cell cells[] = {
            cw_survey_number_cell(CW_CELL_COUNT, number),
            cw_survey_number_cell(CW_CELL_COUNT, i),
            cw_survey_url_cell(hops[i].url),
            cw_survey_text_cell(crawl_slice_from(hops[i].status)),
        };
        out->row(out->user, cells);
    }
}

static const char *end_of_chain(const cw_survey_page *begin, cw_survey_cause *made)
{
    const cw_survey_page *end = begin;
    for (uint32_t i = 0; i < begin->hops && end->target && !end->in_loop; i++)
        end = end->target;
    if (end->in_loop)
        return "A loop";
    if (end->says.redirect.size)
        return end->target ? "Further redirects" : "Not asked for";
    *made = cw_survey_answer_of(&end->says);
    return made->text;
}

static void put_hops(const cw_survey_report *report, const cw_survey_out *out, const cw_survey_page *page,
                     const hop *hops, size_t count)
{
    cw_survey_cause made;
    cw_survey_cell items[CW_SURVEY_HOPS_MAX + 1];
    for (size_t i = 0; i < count; i++)
        items[i] = noted_url(hops[i].url, crawl_slice_from(hops[i].status));
    const char *end = end_of_chain(page, &made);
    const cw_survey_cell cells[] = {
        cw_survey_list_cell(items, count, 0, "hops"),
        cw_survey_number_cell(CW_CELL_COUNT, count - 1),
        cw_survey_text_cell(crawl_slice_from(end)),
        cw_survey_links_cell(report, page),
    };
    out->row(out->user, cells);
}

static crawl_err put_redirects(const cw_survey_report *report, const cw_survey_out *out, cw_survey_wanted *wanted)
{
    cw_survey_list list = {0};
    crawl_err err = cw_survey_select(report, &report->survey->pages, wanted, &list);
    cw_survey_sort(&list, cw_survey_by_url);
    for (size_t i = 0; i < list.count && !err; i++) {
        hop hops[CW_SURVEY_HOPS_MAX + 1];
        size_t count = take_hops(list.items[i], hops);
        if (out->is_flat)
            put_hops_flat(out, hops, count, i + 1);
        else
            put_hops(report, out, list.items[i], hops, count);
    }
    free(list.items);
    return err;
}

crawl_err cw_survey_rows_loops(const cw_survey_report *report, const cw_survey_out *out)
{
    return put_redirects(report, out, begins_loop);
}

crawl_err cw_survey_rows_chains(const cw_survey_report *report, const cw_survey_out *out)
{
    return put_redirects(report, out, begins_chain);
}

/* ---- pages that have something in common ---- */

static bool rows_groups_has_body(const cw_survey_report *report, const cw_survey_page *page)
{
    (void)report;
    return page->says.digest.size && page->says.bytes && page->says.status >= 200 && page->says.status < 300;
}

static bool has_own_title(const cw_survey_report *report, const cw_survey_page *page)
{
    (void)report;
    return cw_survey_is_html(&page->says) && page->says.title.size && !page->is_copy;
}

static int by_digest(const void *a, const void *b)
{
    return cw_survey_compare_slices(PAGE_AT(a)->says.digest, PAGE_AT(b)->says.digest);
}

static int by_title(const void *a, const void *b)
{
    return cw_survey_compare_slices(PAGE_AT(a)->says.title, PAGE_AT(b)->says.title);
}

static void mark_run(const cw_survey_out *out, const cw_survey_run *run)
{
    (void)out;
    for (size_t i = 1; i < run->count; i++)
        run->pages[i]->is_copy = true;
}

crawl_err cw_survey_mark_copies(const cw_survey_report *report)
{
    return cw_survey_put_runs(report, NULL, &(cw_survey_grouping){rows_groups_has_body, by_digest, 2, false, mark_run});
}

static cw_survey_cell members(const cw_survey_run *run, cw_survey_cell items[CW_SURVEY_ITEMS_MAX])
{
    size_t count = run->count < CW_SURVEY_ITEMS_MAX ? run->count : CW_SURVEY_ITEMS_MAX;
    for (size_t i = 0; i < count; i++)
        items[i] = cw_survey_url_cell(run->pages[i]->says.url);
    return cw_survey_list_cell(items, count, run->count - count, "URLs");
}

static void put_copies(const cw_survey_out *out, const cw_survey_run *run)
{
    cw_survey_cell items[CW_SURVEY_ITEMS_MAX];
    const cw_survey_record *first = &run->pages[0]->says;
    const cw_survey_cell cells[] = {members(run, items), cw_survey_number_cell(CW_CELL_COUNT, run->count),
                                    cw_survey_number_cell(CW_CELL_BYTES, first->bytes)};
    for (size_t i = 0; i < run->count && out->is_flat; i++) {
        const cw_survey_cell flat[] = {cw_survey_text_cell(first->digest), cw_survey_url_cell(run->pages[i]->says.url),
                                       cw_survey_number_cell(CW_CELL_BYTES, first->bytes)};
        out->row(out->user, flat);
    }
    if (!out->is_flat)
        out->row(out->user, cells);
}

static void put_titles(const cw_survey_out *out, const cw_survey_run *run)
{
    cw_survey_cell items[CW_SURVEY_ITEMS_MAX];
    cw_survey_cell title = cw_survey_text_cell(run->pages[0]->says.title);
    const cw_survey_cell cells[] = {title, members(run, items), cw_survey_number_cell(CW_CELL_COUNT, run->count)};
    for (size_t i = 0; i < run->count && out->is_flat; i++) {
        const cw_survey_cell flat[] = {title, cw_survey_url_cell(run->pages[i]->says.url)};
        out->row(out->user, flat);
    }
    if (!out->is_flat)
        out->row(out->user, cells);
}

crawl_err cw_survey_rows_duplicates(const cw_survey_report *report, const cw_survey_out *out)
{
    return cw_survey_put_runs(report, out, &(cw_survey_grouping){rows_groups_has_body, by_digest, 2, true, put_copies});
}

crawl_err cw_survey_rows_same_titles(const cw_survey_report *report, const cw_survey_out *out)
{
    return cw_survey_put_runs(report, out, &(cw_survey_grouping){has_own_title, by_title, 2, true, put_titles});
}
