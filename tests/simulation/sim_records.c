#include "tests/simulation/sim_records.h"

#include "tests/simulation/sim_args.h"
#include "tests/simulation/sim_web.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The records of a page. */
typedef struct sim_record {
    int status;     /* of the last record; 0: no record, or no answer */
    uint32_t depth; /* the least */
    uint32_t count;
    uint64_t depths; /* a bit for each depth that a record has, up to SIM_DEPTH_MAX */
    bool is_twice;   /* has two records for one depth */
} sim_record;

static sim_record *records; /* by number of the page */
static uint32_t recorded;   /* pages with an answer, as --max-pages counts */

static bool find_page(const char *url, sim_place *out)
{
    uint32_t host;
    crawl_slice path;
    return url && sim_web_find(crawl_slice_from(url), &host, &path) && sim_web_page(host, path, out);
}

static const char *word(const json_t *line, const char *name)
{
    return json_string_value(json_object_get(line, name));
}

static uint32_t number(const json_t *line, const char *name)
{
    return (uint32_t)json_integer_value(json_object_get(line, name));
}

/* ---- one record ---- */

static bool leads(const char *parent, sim_place to)
{
    sim_place from;
    uint32_t host;
    crawl_slice path;
    if (find_page(parent, &from))
        return sim_web_is_linked(from, to);
    return sim_web_find(crawl_slice_from(parent), &host, &path) && sim_maps_lead(host, path, to);
}

static void check_parent(sim_place place, const json_t *line)
{
    const char *parent = word(line, "parent");
    if (!parent && (place.page || place.host >= sim_web_seeds()))
        sim_fault("h%u/p%u has no parent, and is no seed", place.host, place.page);
    if (parent && !leads(parent, place))
        sim_fault("h%u/p%u has the parent %s, where no link to it is", place.host, place.page, parent);
}

static void check_content(sim_place place, const json_t *line)
{
    char title[32];
    const char *told = word(line, "title");
    snprintf(title, sizeof title, "h%u p%u", place.host, place.page);
    if (json_is_false(json_object_get(line, "changed")))
        return;
    if (!told || strcmp(told, title) != 0)
        sim_fault("h%u/p%u has the title %s", place.host, place.page, told ? told : "of none");
    if (number(line, "links") != sim_web_links(place))
        sim_fault("h%u/p%u has %u links in its record, not %u", place.host, place.page, number(line, "links"),
                  sim_web_links(place));
}

static void check_soft(sim_place place, const json_t *line)
{
    const char *verdict = word(line, "verdict");
    if (json_is_false(json_object_get(line, "changed"))) /* it was not parsed again */
        return;
    if (!verdict || strcmp(verdict, "soft-404") != 0)
        sim_fault("h%u/p%u says that it is missing, and has the verdict %s", place.host, place.page,
                  verdict ? verdict : "of none");
}

static void check_attempt(sim_place place, const json_t *line, int status)
{
    uint32_t attempt = number(line, "attempt");
    uint32_t most = sim_world_now->plan.retries + 1;
    if (attempt > most || (sim_web_kind(place) == SIM_DEAD && status == 500 && attempt != most))
        sim_fault("h%u/p%u ended with attempt %u of %u", place.host, place.page, attempt, most);
}

static void note_record(sim_place place, const json_t *line)
{
    sim_record *out = &records[sim_web_number(place)];
    uint32_t depth = number(line, "depth");
    uint64_t bit = (uint64_t)1 << (depth < SIM_DEPTH_MAX ? depth : SIM_DEPTH_MAX);
    out->is_twice = out->is_twice || (out->depths & bit);
    out->depths |= bit;
    out->depth = !out->count || depth < out->depth ? depth : out->depth;
    out->status = (int)number(line, "status");
    out->count++;
    recorded += out->status != 0;
    check_parent(place, line);
    check_attempt(place, line, out->status);
    if (out->status == 403 && strcmp(word(line, "error") ? word(line, "error") : "", "wall") != 0)
        sim_fault("h%u/p%u was a challenge, and its record has the error %s", place.host, place.page,
                  word(line, "error"));
    if (out->status == 200 && sim_web_kind(place) == SIM_SOFT)
        check_soft(place, line);
    else if (out->status == 200)
        check_content(place, line);
}

static void take_record(const char *text)
{
    json_t *line = json_loads(text, 0, NULL);
    sim_place place;
    if (find_page(word(line, "url"), &place))
        note_record(place, line);
    else
        sim_fault("a record of nothing: %.200s", text);
    json_decref(line);
}

static void read_file(uint32_t birth)
{
    char *line = NULL;
    size_t room = 0;
    char name[SIM_NAME_SIZE];
    FILE *file = fopen(sim_args_records(birth, name), "r");
    while (file && getline(&line, &room, file) > 0)
        take_record(line);
    free(line);
    if (file)
        fclose(file);
}

static void read_records(void)
{
    free(records);
    records = calloc(sim_world_now->page_count, sizeof *records);
    if (!records)
        abort();
    recorded = 0;
    for (uint32_t i = 0; i == 0 || i < sim_world_now->births; i++)
        read_file(i);
}

void sim_records_check_life(bool killed)
{
    sim_world *world = sim_world_now;
    world->was_short = false;
    if (!world->plan.max_pages)
        return;
    read_records();
    if (!killed && recorded - world->recorded > world->plan.max_pages)
        sim_fault("life %u has records of %u pages, and might of %u", world->life, recorded - world->recorded,
                  world->plan.max_pages);
    world->was_short = !killed && recorded - world->recorded < world->plan.max_pages;
    world->recorded = recorded;
}

/* ---- all records ---- */

/* Returns true if the crawl was to end with nothing left. */
static bool is_complete(void)
{
    const sim_world *world = sim_world_now;
    return !world->gave_up && (world->plan.kept || !(world->plan.max_pages || world->plan.max_seconds));
}

static void check_status(sim_place place, const sim_record *record)
{
    int wanted = sim_web_status(place);
    const sim_host *host = &sim_world_now->hosts[place.host];
    bool is_wall = host->wall_us && record->status == 403;
    bool may_be_refused = (host->gave_up && record->status == 0) || is_wall;
    if (sim_web_vanishes(place) && (sim_world_now->life > 1 || host->pages[place.page].status == 410))
        may_be_refused = may_be_refused || record->status == 410;
    if (record->status != wanted && !may_be_refused && !sim_web_forbids(place))
        sim_fault("h%u/p%u has status %d in its record, not %d", place.host, place.page, record->status, wanted);
}

static void check_count(sim_place place, const sim_record *record)
{
    const sim_world *world = sim_world_now;
    const sim_page *page = &world->hosts[place.host].pages[place.page];
    bool fails_once = sim_web_kind(place) == SIM_FLAKY;
    uint32_t more = sim_web_kind(place) == SIM_DEAD ? record->count * world->plan.retries : fails_once;
    /* The request that would have failed may be the one that was cancelled. */
    more -= fails_once && page->cancelled && page->asked == record->count;
    if (world->plan.revisit_s)
        return;
    if (world->life == 1 && record->is_twice)
        sim_fault("h%u/p%u has two records for one depth", place.host, place.page);
    if (record->count > sim_web_depths() * world->life)
        sim_fault("h%u/p%u has %u records", place.host, place.page, record->count);
    /* A page that waits for another attempt is dropped if it is found at less depth. */
    bool may_be_left = sim_web_depths() > 1 && sim_web_kind(place) == SIM_DEAD;
    bool is_wrong = may_be_left ? page->asked < record->count + more : page->asked != record->count + more;
    if (world->life == 1 && is_complete() && !sim_web_forbids(place) && !page->unnamed && is_wrong)
        sim_fault("h%u/p%u has %u records of %u requests, not of %u", place.host, place.page, record->count,
                  page->asked, record->count + more);
}

static void check_depth(sim_place place, uint32_t least, uint32_t most, const sim_record *record)
{
    if (is_complete() && sim_web_depths() > 1 && !sim_web_forbids(place) &&
        (record->depth < least || record->depth > most))
        sim_fault("h%u/p%u has depth %u in its records, and is %u links from a seed", place.host, place.page,
                  record->depth, most);
}

static void check_page(sim_place place, uint32_t least, uint32_t most)
{
    const sim_plan *plan = &sim_world_now->plan;
    const sim_host *host = &sim_world_now->hosts[place.host];
    const sim_page *page = &host->pages[place.page];
    const sim_record *record = &records[sim_web_number(place)];
    if (least == UINT32_MAX && page->asked)
        sim_fault("h%u/p%u is out of reach, and was asked", place.host, place.page);
    if (most != UINT32_MAX && !page->asked && is_complete())
        sim_fault("h%u/p%u was lost: nobody asked for it, %u links from a seed", place.host, place.page, most);
    uint32_t visits = plan->max_seconds >= 8 * plan->revisit_s ? 3 : 2; /* one after the first interval, another after
                                                                           three */
    if (plan->revisit_s && sim_web_kind(place) == SIM_PAGE && !sim_web_vanishes(place) && !sim_maps_list(place) &&
        !host->gave_up && page->asked && page->asked < visits)
        sim_fault("h%u/p%u was visited %u times in %u s", place.host, place.page, page->asked, plan->max_seconds);
    if (page->asked && !record->count && is_complete())
        sim_fault("h%u/p%u has no record", place.host, place.page);
    if (!record->count)
        return;
    check_status(place, record);
    check_count(place, record);
    check_depth(place, least, most, record);
}

static void check_order(void)
{
    uint32_t pages[SIM_PAGES_MAX];
    const sim_world *world = sim_world_now;
    size_t count = sim_web_order(pages);
    for (size_t i = 0; i < count && i < world->order_count; i++)
        if (pages[i] != world->order[i])
            sim_fault("request %zu was for p%u, where %s has p%u", i + 1, world->order[i], world->plan.order, pages[i]);
}

void sim_records_check_run(void)
{
    sim_reach reach;
    size_t number = 0;
    sim_web_reach(&reach);
    read_records();
    for (uint32_t host = 0; host < sim_world_now->plan.hosts; host++)
        for (uint32_t page = 0; page < sim_web_pages(host); page++, number++)
            check_page((sim_place){host, page}, reach.least[number], reach.most[number]);
    free(reach.least);
    free(reach.most);
    if (sim_world_now->plan.is_strict && strcmp(sim_world_now->plan.order, "best") != 0)
        check_order();
}
