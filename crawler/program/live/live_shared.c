#include "crawler/program/live/live_shared.h"

#include "base/date.h"
#include "tools/common/io.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- which workers ---- */

typedef struct worker_list {
    const crawl_shared_process *rows[CW_LIVE_WORKERS_MAX];
    size_t count;
    size_t alive, gone; /* of all */
} worker_list;

static bool live_shared_is_alive(const crawl_shared_crew *crew, const crawl_shared_process *process)
{
    return process->until_ms > crew->now_ms;
}

/* Sorts workers that are gone: the one that was seen last comes first. */
static int compare_gone(const void *a, const void *b)
{
    const crawl_shared_process *left = *(const crawl_shared_process *const *)a;
    const crawl_shared_process *right = *(const crawl_shared_process *const *)b;
    return left->until_ms < right->until_ms ? 1 : -(left->until_ms > right->until_ms);
}

/* The workers that have a row: those alive, sorted by name, and the last of those that are gone. NULL: no memory. */
static worker_list *list_workers(const crawl_shared_crew *crew)
{
    worker_list *list = calloc(1, sizeof *list);
    const crawl_shared_process **gone = calloc(crew->process_count + 1, sizeof *gone);
    if (!list || !gone) {
        free(list);
        free(gone);
        return NULL;
    }
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

static int live_shared_add_number(json_t *to, const char *name, uint64_t number)
{
    return json_object_set_new(to, name, json_integer((json_int_t)number));
}

/* Adds a worker's figures; null where a figure is not known. */
static int live_shared_add_report(json_t *to, const crawl_shared_report *report)
{
    const struct {
        const char *name;
        uint64_t number;
    } figures[] = {{"pages", report->pages},       {"failures", report->failures}, {"bytes", report->bytes},
                   {"received", report->received}, {"running", report->running},   {"hosts", report->hosts}};
    int failed = 0;
    for (size_t i = 0; i < sizeof figures / sizeof *figures && !failed; i++)
        failed = report->is_known ? live_shared_add_number(to, figures[i].name, figures[i].number)
                                  : json_object_set_new(to, figures[i].name, json_null());
    return failed ||
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
    if (worker && live_shared_add_report(worker, report)) {
        json_decref(worker);
        return NULL;
    }
    return worker;
}

static int add_workers(json_t *to, const cw_live_shared *shared)
{
    worker_list *list = list_workers(shared->crew);
    json_t *workers = json_array();
    json_t *total = json_object();
    int failed = !list || !workers || !total || live_shared_add_report(total, &shared->crew->total);
    for (size_t i = 0; !failed && i < list->count; i++)
        failed = json_array_append_new(workers, worker_object(shared, list->rows[i]));
    failed = failed || live_shared_add_number(to, "alive", list->alive) ||
             live_shared_add_number(to, "gone", list->gone) || json_object_set(to, "workers", workers) ||
             json_object_set(to, "total", total);
    json_decref(workers);
    json_decref(total);
    free(list);
    return failed;
}

json_t *cw_live_shared_json(const cw_live_shared *shared)
{
    const crawl_shared_figures *all = shared->figures;
    json_t *object = json_object();
    int failed = !object || live_shared_add_number(object, "queued", all->queued) ||
                 live_shared_add_number(object, "held", all->held) ||
                 live_shared_add_number(object, "accepted", all->accepted) ||
                 live_shared_add_number(object, "seen", all->seen) ||
                 live_shared_add_number(object, "finished", all->finished) ||
                 live_shared_add_number(object, "sessions", all->sessions) ||
                 live_shared_add_number(object, "lost", all->lost) ||
                 json_object_set_new(object, "away", json_boolean(all->is_away)) ||
                 json_object_set_new(object, "read", live_shared_date_of(shared->crew->now_ms)) ||
                 add_workers(object, shared);
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

/* ---- metrics ---- */

#define OF_REPORT(field) offsetof(crawl_shared_report, field)
#define OF_FIGURES(field) offsetof(crawl_shared_figures, field)

/* A metric of Prometheus whose value is a number of 64 bits in a struct. */
typedef struct shared_metric {
    const char *name, *kind, *help;
    size_t offset;
} shared_metric;

/* Each of these is two metrics: with "worker" before the name it has a sample for each worker; with "shared" it is the
 * sum, in which workers that are gone count too. */
static const shared_metric of_report[] = {
    {"pages_total", "counter", "Answers, robots.txt and sitemaps excluded", OF_REPORT(pages)},
    {"failures_total", "counter", "Requests finished with an error", OF_REPORT(failures)},
    {"body_bytes_total", "counter", "Decoded bodies", OF_REPORT(bytes)},
    {"received_bytes_total", "counter", "Received in all", OF_REPORT(received)},
    {"connections_in_use", "gauge", "Transfers under way", OF_REPORT(running)},
    {"hosts", "gauge", "Hosts that it has", OF_REPORT(hosts)},
};

static const shared_metric of_figures[] = {
    {"shared_queue_requests", "gauge", "Requests of the shared crawl that wait in Redis.", OF_FIGURES(queued)},
    {"shared_held_requests", "gauge", "Requests that workers have taken with their hosts.", OF_FIGURES(held)},
    {"shared_accepted_total", "counter", "Requests that were new to all workers.", OF_FIGURES(accepted)},
    {"shared_seen_total", "counter", "Requests that Redis knew, and dropped.", OF_FIGURES(seen)},
    {"shared_finished_total", "counter", "Requests of the shared crawl that are finished.", OF_FIGURES(finished)},
    {"shared_sessions", "gauge", "Hosts that workers have.", OF_FIGURES(sessions)},
    {"shared_lost_sessions_total", "counter", "Sessions of hosts that ended with their worker.", OF_FIGURES(lost)},
};

enum { REPORTED = sizeof of_report / sizeof *of_report, FIGURES = sizeof of_figures / sizeof *of_figures };

static uint64_t number_at(const void *object, size_t offset)
{
    uint64_t number;
    memcpy(&number, (const char *)object + offset, sizeof number);
    return number;
}

/* Writes a worker's name as the value of a label. The name is that of a machine, or any text that an embedder has
 * given; bytes that are no printable characters of ASCII become "?". */
static crawl_err print_label(crawl_slice name, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < name.size && !err; i++) {
        char c = name.data[i];
        if (c == '"' || c == '\\')
            err = crawl_buf_append_char(out, '\\');
        if (!err)
            err = crawl_buf_append_char(out, c >= ' ' && c < 0x7f ? c : '?');
    }
    return err;
}

static crawl_err live_shared_print_sample(const char *name, const crawl_shared_process *process, uint64_t number,
                                          crawl_buf *out)
{
    crawl_err err = crawl_buf_printf(out, "crawl_worker_%s{worker=\"", name);
    if (!err)
        err = print_label(process->name, out);
    return err ? err : crawl_buf_printf(out, "\"} %" PRIu64 "\n", number);
}

static crawl_err print_of_workers(const worker_list *list, size_t figure, crawl_buf *out)
{
    const char *name = of_report[figure].name;
    crawl_err err = crawl_buf_printf(out, "# HELP crawl_worker_%s %s, of each worker.\n# TYPE crawl_worker_%s %s\n",
                                     name, of_report[figure].help, name, of_report[figure].kind);
    for (size_t i = 0; i < list->count && !err; i++)
        if (list->rows[i]->report.is_known)
            err = live_shared_print_sample(name, list->rows[i],
                                           number_at(&list->rows[i]->report, of_report[figure].offset), out);
    return err;
}

static crawl_err print_up(const cw_live_shared *shared, const worker_list *list, crawl_buf *out)
{
    crawl_err err = crawl_buf_append_text(out, "# HELP crawl_worker_up 1: the worker is alive; 0: it was.\n"
                                               "# TYPE crawl_worker_up gauge\n");
    for (size_t i = 0; i < list->count && !err; i++)
        err = live_shared_print_sample("up", list->rows[i], live_shared_is_alive(shared->crew, list->rows[i]), out);
    return err;
}

static crawl_err print_number(const char *name, const char *kind, const char *help, const char *end, uint64_t number,
                              crawl_buf *out)
{
    return crawl_buf_printf(out, "# HELP crawl_%s %s%s\n# TYPE crawl_%s %s\ncrawl_%s %" PRIu64 "\n", name, help, end,
                            name, kind, name, number);
}

static crawl_err print_sums(const cw_live_shared *shared, const worker_list *list, crawl_buf *out)
{
    crawl_err err = print_number("shared_workers", "gauge", "Workers that are alive.", "", list->alive, out);
    for (size_t i = 0; i < REPORTED && !err; i++) {
        char name[64];
        snprintf(name, sizeof name, "shared_%s", of_report[i].name);
        err = print_number(name, of_report[i].kind, of_report[i].help, ", of all workers.",
                           number_at(&shared->crew->total, of_report[i].offset), out);
    }
    for (size_t i = 0; i < FIGURES && !err; i++)
        err = print_number(of_figures[i].name, of_figures[i].kind, of_figures[i].help, "",
                           number_at(shared->figures, of_figures[i].offset), out);
    return err;
}

crawl_err cw_live_shared_metrics(const cw_live_shared *shared, crawl_buf *out)
{
    worker_list *list = list_workers(shared->crew);
    if (!list)
        return CRAWL_ENOMEM;
    crawl_err err = print_up(shared, list, out);
    for (size_t i = 0; i < REPORTED && !err; i++)
        err = print_of_workers(list, i, out);
    if (!err)
        err = print_sums(shared, list, out);
    free(list);
    return err;
}
