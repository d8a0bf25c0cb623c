#include "crawler/program/live/live_shared.h"

#include "base/date.h"
#include "tools/common/io.h"
#include "tools/common/refused_memory.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- which workers ---- */

typedef struct worker_list {
    const crawl_shared_process *rows[CW_LIVE_WORKERS_MAX];
    size_t count;
    size_t alive, gone; /* of all workers */
} worker_list;

static bool live_shared_is_alive(const crawl_shared_crew *crew, const crawl_shared_process *process)
{
    return process->until_ms > crew->now_ms;
}

/* Sorts workers that are gone, the last seen first. */
static int compare_gone(const void *a, const void *b)
{
    const crawl_shared_process *left = *(const crawl_shared_process *const *)a;
    const crawl_shared_process *right = *(const crawl_shared_process *const *)b;
    return left->until_ms < right->until_ms ? 1 : -(left->until_ms > right->until_ms);
}

/* Returns the workers that get a row: those alive, sorted by name, and the last ones gone. */
static worker_list *list_workers(const crawl_shared_crew *crew)
{
    worker_list *list = cw_tool_memory_granted(calloc(1, sizeof *list));
    const crawl_shared_process **gone = cw_tool_memory_take(crew->process_count * sizeof *gone);
    for (size_t i = 0; i < crew->process_count; i++) {
        const crawl_shared_process *process = &crew->processes[i];
        if (!live_shared_is_alive(crew, process))
            gone[list->gone++] = process;
        else if (list->alive++ < CW_LIVE_WORKERS_MAX)
            list->rows[list->count++] = process;
    }
    qsort(gone, list->gone, sizeof *gone, compare_gone);
    for (size_t i = 0; i < list->gone && i < CW_LIVE_GONE_MAX && list->count < CW_LIVE_WORKERS_MAX; i++)
        list->rows[list->count++] = gone[i];
    list->gone += crew->forgotten;
    free(gone);
    return list;
}

static const char *state_of(const crawl_shared_crew *crew, const crawl_shared_process *process)
{
    if (live_shared_is_alive(crew, process))
        return "alive";
    return process->has_ended ? "ended" : "gone";
}

/* ---- JSON ---- */

static void live_shared_add_number(json_t *to, const char *name, uint64_t number)
{
    json_object_set_new(to, name, json_integer((json_int_t)number));
}

/* Adds a worker's figures; null: unknown. */
static void live_shared_add_report(json_t *to, const crawl_shared_report *report)
{
    const struct {
        const char *name;
        uint64_t number;
    } figures[] = {{"pages", report->pages},       {"failures", report->failures}, {"bytes", report->bytes},
                   {"received", report->received}, {"running", report->running},   {"hosts", report->hosts}};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        json_object_set_new(to, figures[i].name,
                            report->is_known ? json_integer((json_int_t)figures[i].number) : json_null());
    json_object_set_new(to, "pages_per_s", report->is_known ? json_real(report->pages_per_s) : json_null());
}

static json_t *live_shared_date_of(int64_t ms)
{
    return ms ? json_string(cw_date_or_end(ms).text) : json_null();
}

static json_t *worker_object(const cw_live_shared *shared, const crawl_shared_process *process)
{
    const crawl_shared_report *report = &process->report;
    json_t *worker =
        json_pack("{s:o, s:b, s:s, s:b, s:o, s:o, s:o}", "name", cw_tool_json_text(process->name), "self",
                  (int)crawl_slice_equal(process->name, shared->self), "state", state_of(shared->crew, process),
                  "feeding", (int)process->is_feeding, "version", cw_tool_json_text(crawl_slice_from(report->version)),
                  "started", live_shared_date_of(report->started_ms), "told", live_shared_date_of(report->told_ms));
    live_shared_add_report(worker, report);
    return worker;
}

static void add_workers(json_t *to, const cw_live_shared *shared)
{
    worker_list *list = list_workers(shared->crew);
    json_t *workers = json_array();
    json_t *total = json_object();
    live_shared_add_report(total, &shared->crew->total);
    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(workers, worker_object(shared, list->rows[i]));
    live_shared_add_number(to, "alive", list->alive);
    live_shared_add_number(to, "gone", list->gone);
    json_object_set_new(to, "workers", workers);
    json_object_set_new(to, "total", total);
    free(list);
}

json_t *cw_live_shared_json(const cw_live_shared *shared)
{
    const crawl_shared_figures *all = shared->figures;
    json_t *object = json_object();
    live_shared_add_number(object, "queued", all->queued);
    live_shared_add_number(object, "held", all->held);
    live_shared_add_number(object, "accepted", all->accepted);
    live_shared_add_number(object, "seen", all->seen);
    live_shared_add_number(object, "finished", all->finished);
    live_shared_add_number(object, "sessions", all->sessions);
    live_shared_add_number(object, "lost", all->lost);
    json_object_set_new(object, "away", json_boolean(all->is_away));
    json_object_set_new(object, "read", live_shared_date_of(shared->crew->now_ms));
    add_workers(object, shared);
    return object;
}

/* ---- metrics ---- */

#define OF_REPORT(field) offsetof(crawl_shared_report, field)
#define OF_FIGURES(field) offsetof(crawl_shared_figures, field)

/* A Prometheus metric whose value is a 64-bit number in a struct. */
typedef struct shared_metric {
    const char *name, *kind, *help;
    size_t offset;
} shared_metric;

/* Each row makes two metrics: with "worker" before the name it has a sample for each worker; with "shared" it is the
 * sum, including workers that are gone. */
static const shared_metric of_report[] = {
    {"pages_total", "counter", "Answers, robots.txt and sitemaps excluded", OF_REPORT(pages)},
    {"failures_total", "counter", "Requests finished with an error", OF_REPORT(failures)},
    {"body_bytes_total", "counter", "Decoded bodies", OF_REPORT(bytes)},
    {"received_bytes_total", "counter", "Received in all", OF_REPORT(received)},
    {"connections_in_use", "gauge", "Transfers under way", OF_REPORT(running)},
    {"hosts", "gauge", "Hosts that it has", OF_REPORT(hosts)},
};

static const shared_metric of_figures[] = {
    {"queue_requests", "gauge", "Requests of the shared crawl that wait in Redis.", OF_FIGURES(queued)},
    {"held_requests", "gauge", "Requests that workers have taken with their hosts.", OF_FIGURES(held)},
    {"accepted_total", "counter", "Requests that were new to all workers.", OF_FIGURES(accepted)},
    {"seen_total", "counter", "Requests that Redis knew, and dropped.", OF_FIGURES(seen)},
    {"finished_total", "counter", "Requests of the shared crawl that are finished.", OF_FIGURES(finished)},
    {"sessions", "gauge", "Hosts that workers have.", OF_FIGURES(sessions)},
    {"lost_sessions_total", "counter", "Sessions of hosts that ended with their worker.", OF_FIGURES(lost)},
};

enum { REPORTED = sizeof of_report / sizeof *of_report, FIGURES = sizeof of_figures / sizeof *of_figures };

static uint64_t number_at(const void *object, size_t offset)
{
    uint64_t number;
    memcpy(&number, (const char *)object + offset, sizeof number);
    return number;
}

/* Writes a worker's name as a label value. The name is that of a machine, or any text from an embedder; bytes that are
 * not printable ASCII become "?". */
static void put_label(cw_writer *out, crawl_slice name)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        if (c == '"' || c == '\\')
            cw_put_char(out, '\\');
        cw_put_char(out, c >= ' ' && c < 0x7f ? c : '?');
    }
}

static void live_shared_put_sample(cw_writer *out, const char *name, const crawl_shared_process *process,
                                   uint64_t number)
{
    cw_put_format(out, "crawl_worker_%s{worker=\"", name);
    put_label(out, process->name);
    cw_put_format(out, "\"} %" PRIu64 "\n", number);
}

static void put_of_workers(cw_writer *out, const worker_list *list, const shared_metric *metric)
{
    cw_put_format(out, "# HELP crawl_worker_%s %s, of each worker.\n# TYPE crawl_worker_%s %s\n", metric->name,
                  metric->help, metric->name, metric->kind);
    for (size_t i = 0; i < list->count; i++)
        if (list->rows[i]->report.is_known)
            live_shared_put_sample(out, metric->name, list->rows[i], number_at(&list->rows[i]->report, metric->offset));
}

static void put_up(cw_writer *out, const cw_live_shared *shared, const worker_list *list)
{
    cw_put_text(out, "# HELP crawl_worker_up 1: the worker is alive; 0: it has ended.\n# TYPE crawl_worker_up "
                     "gauge\n");
    for (size_t i = 0; i < list->count; i++)
        live_shared_put_sample(out, "up", list->rows[i], live_shared_is_alive(shared->crew, list->rows[i]));
}

static void put_shared(cw_writer *out, const shared_metric *metric, const char *end, uint64_t number)
{
    cw_put_format(out, "# HELP crawl_shared_%s %s%s\n# TYPE crawl_shared_%s %s\ncrawl_shared_%s %" PRIu64 "\n",
                  metric->name, metric->help, end, metric->name, metric->kind, metric->name, number);
}

static void put_sums(cw_writer *out, const cw_live_shared *shared, const worker_list *list)
{
    put_shared(out, &(shared_metric){"workers", "gauge", "Workers that are alive.", 0}, "", list->alive);
    for (size_t i = 0; i < REPORTED; i++)
        put_shared(out, &of_report[i], ", of all workers.", number_at(&shared->crew->total, of_report[i].offset));
    for (size_t i = 0; i < FIGURES; i++)
        put_shared(out, &of_figures[i], "", number_at(shared->figures, of_figures[i].offset));
}

void cw_live_shared_metrics(const cw_live_shared *shared, cw_writer *out)
{
    worker_list *list = list_workers(shared->crew);
    put_up(out, shared, list);
    for (size_t i = 0; i < REPORTED; i++)
        put_of_workers(out, list, &of_report[i]);
    put_sums(out, shared, list);
    free(list);
}
