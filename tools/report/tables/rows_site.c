/* The tables about a site as a whole: folders, statuses, types, hosts, and how depth, size and time are distributed. */
#include "tools/report/tables/rows.h"

#include <stdio.h>
#include <stdlib.h>

#define PAGE_AT(pointer) (*(cw_survey_page *const *)(pointer))

static cw_survey_cell count_cell(uint64_t number)
{
    return cw_survey_number_cell(CW_CELL_COUNT, number);
}

/* ---- how much was seen ---- */

crawl_err cw_survey_rows_coverage(const cw_survey_report *report, const cw_survey_out *out)
{
    const cw_survey_cell seen[] = {cw_survey_text_cell(crawl_slice_from("checked")), count_cell(report->judged)};
    out->row(out->user, seen);
    for (size_t i = 0; i < CW_SURVEY_CUTS; i++) {
        const char *words = cw_survey_cut_words[i];
        uint64_t count = report->survey->coverage.cut[i];
        if (!words || !count)
            continue;
        const cw_survey_cell cells[] = {cw_survey_text_cell(crawl_slice_from(words)), count_cell(count)};
        out->row(out->user, cells);
    }
    return CRAWL_OK;
}

/* ---- folders ---- */

static void rows_site_put_folder(const cw_survey_out *out, const cw_survey_folder *folder)
{
    cw_survey_cell cells[CW_FOLDER_CLASSES + 4] = {cw_survey_url_cell(folder->path), count_cell(folder->pages)};
    for (size_t i = 0; i < CW_FOLDER_CLASSES; i++)
        cells[2 + i] = count_cell(folder->classes[i]);
    cells[CW_FOLDER_CLASSES + 2] = count_cell(folder->broken);
    cells[CW_FOLDER_CLASSES + 3] = cw_survey_number_cell(CW_CELL_BYTES, folder->bytes);
    out->row(out->user, cells);
}

crawl_err cw_survey_rows_folders(const cw_survey_report *report, const cw_survey_out *out)
{
    enum { OF_PAGE = 3 }; /* the host, and two levels below it */
    size_t count;
    unsigned levels = out->is_flat ? CW_SURVEY_FOLDER_LEVELS + 1 : OF_PAGE;
    const cw_survey_folder **folders = cw_survey_folders_sorted(&report->folders.root, levels, &count);
    for (size_t i = 0; folders && i < count; i++)
        rows_site_put_folder(out, folders[i]);
    free(folders);
    return folders || !count ? CRAWL_OK : CRAWL_ENOMEM;
}

/* ---- statuses and types ---- */

static int by_type(const void *a, const void *b)
{
    return cw_survey_compare_slices(PAGE_AT(a)->says.type, PAGE_AT(b)->says.type);
}

static bool rows_site_is_answered(const cw_survey_report *report, const cw_survey_page *page)
{
    (void)report;
    return page->says.status >= 200 && page->says.status < 300;
}

static void put_status(const cw_survey_out *out, const cw_survey_run *run)
{
    cw_survey_cause answer = cw_survey_answer_of(&run->pages[0]->says);
    const cw_survey_cell cells[] = {cw_survey_text_cell(crawl_slice_from(answer.text)), count_cell(run->count)};
    out->row(out->user, cells);
}

static void rows_site_put_type(const cw_survey_out *out, const cw_survey_run *run)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < run->count; i++)
        bytes += run->pages[i]->says.bytes;
    crawl_slice type = run->pages[0]->says.type;
    const cw_survey_cell cells[] = {cw_survey_text_cell(type.size ? type : crawl_slice_from("none named")),
                                    count_cell(run->count), cw_survey_number_cell(CW_CELL_BYTES, bytes)};
    out->row(out->user, cells);
}

crawl_err cw_survey_rows_statuses(const cw_survey_report *report, const cw_survey_out *out)
{
    return cw_survey_put_runs(report, out, &(cw_survey_grouping){NULL, cw_survey_by_rank, 1, false, put_status});
}

crawl_err cw_survey_rows_types(const cw_survey_report *report, const cw_survey_out *out)
{
    return cw_survey_put_runs(report, out,
                              &(cw_survey_grouping){rows_site_is_answered, by_type, 1, true, rows_site_put_type});
}

/* ---- distributions ---- */

/* A step of a distribution: its upper bound and its name; the last step has no bound. */
typedef struct step {
    uint64_t below;
    const char *name;
} step;

static const step time_steps[] = {
    {10, "under 10 ms"},     {30, "10 to 30 ms"}, {100, "30 to 100 ms"}, {300, "100 to 300 ms"},
    {1000, "300 ms to 1 s"}, {3000, "1 to 3 s"},  {10000, "3 to 10 s"},  {UINT64_MAX, "10 s and more"},
};
static const step size_steps[] = {
    {1 << 10, "under 1 KiB"},   {4 << 10, "1 to 4 KiB"},        {16 << 10, "4 to 16 KiB"},
    {64 << 10, "16 to 64 KiB"}, {256 << 10, "64 to 256 KiB"},   {1 << 20, "256 KiB to 1 MiB"},
    {4 << 20, "1 to 4 MiB"},    {UINT64_MAX, "4 MiB and more"},
};
static const step depth_steps[] = {
    {1, "0"},
    {2, "1"},
    {3, "2"},
    {4, "3"},
    {5, "4"},
    {6, "5"},
    {7, "6"},
    {8, "7"},
    {9, "8"},
    {10, "9"},
    {UINT64_MAX, "10 and more"},
};
enum { STEPS_MAX = 16 };

static void rows_site_put_steps(const cw_survey_out *out, const step *steps, size_t count, const uint64_t *counts)
{
    size_t last = 0; /* what lies behind the last page is left out */
    for (size_t i = 0; i < count; i++)
        last = counts[i] ? i : last;
    for (size_t i = 0; i <= last; i++) {
        const cw_survey_cell cells[] = {cw_survey_text_cell(crawl_slice_from(steps[i].name)), count_cell(counts[i])};
        out->row(out->user, cells);
    }
}

static size_t step_of(const step *steps, uint64_t value)
{
    size_t i = 0;
    while (value >= steps[i].below && steps[i].below != UINT64_MAX)
        i++;
    return i;
}

crawl_err cw_survey_rows_times(const cw_survey_report *report, const cw_survey_out *out)
{
    uint64_t counts[STEPS_MAX] = {0};
    const cw_survey_list *pages = &report->survey->pages;
    for (size_t i = 0; i < pages->count; i++)
        if (pages->items[i]->says.status)
            counts[step_of(time_steps, pages->items[i]->says.elapsed_ms)]++;
    rows_site_put_steps(out, time_steps, sizeof time_steps / sizeof *time_steps, counts);
    return CRAWL_OK;
}

crawl_err cw_survey_rows_sizes(const cw_survey_report *report, const cw_survey_out *out)
{
    uint64_t counts[STEPS_MAX] = {0};
    const cw_survey_list *pages = &report->survey->pages;
    for (size_t i = 0; i < pages->count; i++)
        if (rows_site_is_answered(report, pages->items[i]))
            counts[step_of(size_steps, pages->items[i]->says.bytes)]++;
    rows_site_put_steps(out, size_steps, sizeof size_steps / sizeof *size_steps, counts);
    return CRAWL_OK;
}

crawl_err cw_survey_rows_depths(const cw_survey_report *report, const cw_survey_out *out)
{
    uint64_t counts[STEPS_MAX] = {0};
    const cw_survey_list *pages = &report->survey->pages;
    for (size_t i = 0; i < pages->count; i++)
        counts[step_of(depth_steps, pages->items[i]->says.depth)]++;
    rows_site_put_steps(out, depth_steps, sizeof depth_steps / sizeof *depth_steps, counts);
    return CRAWL_OK;
}

/* ---- hosts ---- */

static int by_weight(const void *a, const void *b)
{
    const cw_survey_host *one = *(cw_survey_host *const *)a, *other = *(cw_survey_host *const *)b;
    if (one->pages != other->pages)
        return one->pages < other->pages ? 1 : -1;
    if (one->links != other->links)
        return one->links < other->links ? 1 : -1;
    return cw_survey_compare_slices(one->name, other->name);
}

static void rows_site_put_host(const cw_survey_report *report, const cw_survey_out *out, const cw_survey_host *host)
{
    char robots[16] = "";
    if (host->asked_robots)
        snprintf(robots, sizeof robots, "%d", host->robots);
    cw_survey_cell cells[] = {
        cw_survey_text_cell(host->name),
        count_cell(host->pages),
        count_cell(host->links),
        count_cell(host->requests),
        count_cell(host->retries),
        cw_survey_text_cell(crawl_slice_from(host->asked_robots && !host->robots ? "no answer" : robots)),
    };
    cells[2].is_none = !report->survey->has_links;
    cells[3].is_none = cells[4].is_none = !report->survey->has_requests;
    out->row(out->user, cells);
}

crawl_err cw_survey_rows_hosts(const cw_survey_report *report, const cw_survey_out *out)
{
    size_t count = 0, cursor = 0;
    cw_survey_host **hosts = calloc(cw_map_count(report->survey->hosts) + 1, sizeof *hosts);
    if (!hosts)
        return CRAWL_ENOMEM;
    for (cw_survey_host *host; (host = cw_map_next(report->survey->hosts, &cursor));)
        hosts[count++] = host;
    if (count)
        qsort(hosts, count, sizeof *hosts, by_weight);
    for (size_t i = 0; i < count; i++)
        rows_site_put_host(report, out, hosts[i]);
    free(hosts);
    return CRAWL_OK;
}
