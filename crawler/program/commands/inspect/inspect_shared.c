/* `crawl inspect redis://HOST/DB?name=NAME`: does the same for a shared crawl. One answer of the server has
 * everything. */
#include "base/date.h"
#include "config/config_values.h"
#include "crawler/program/commands/inspect/inspect.h"
#include "crawler/program/program_config.h"
#include "crawler/program/redis/remote.h"
#include "crawler/program/summary/units.h"
#include "tools/common/status.h"

#include <crawl/sys/shared_view.h>
#include <event2/event.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/* --- --drop: a deleted crawl does not come back, so the user must confirm --- */

/* Of a crawl to drop. */
typedef struct inspect_standing {
    size_t alive; /* workers */
    uint64_t finished, queued;
} inspect_standing;

typedef struct inspect_drop {
    cw_remote *remote;
    const char *name;
    uint64_t keys;
    crawl_err err;
    crawl_error *error;
} inspect_drop;

static void inspect_drop_on_dropped(void *user, crawl_err err, const crawl_error *error, uint64_t keys)
{
    inspect_drop *drop = user;
    drop->keys = keys;
    drop->err = err ? crawl_error_set(drop->error, err, "%s, %s: %s, after %" PRIu64 " keys",
                                      cw_remote_name(drop->remote), drop->name, error->message, keys)
                    : CRAWL_OK;
    event_base_loopbreak(cw_remote_base(drop->remote));
}

/* Asks the user to confirm; *agreed is false if they do not. */
static crawl_err inspect_drop_agree(const char *name, const inspect_standing *standing, bool *agreed,
                                    crawl_error *error)
{
    char answer[8] = "";
    if (!isatty(STDIN_FILENO))
        return crawl_error_set(error, CRAWL_EINVAL, "--drop deletes a crawl: without a terminal, add --yes");
    fprintf(stderr, "%s: %" PRIu64 " request%s finished, %" PRIu64 " queued. Delete all of it? (type 'yes'): ", name,
            standing->finished, cw_program_plural(standing->finished), standing->queued);
    *agreed = fgets(answer, sizeof answer, stdin) && strcmp(answer, "yes\n") == 0;
    return CRAWL_OK;
}

static crawl_err inspect_drop_carry_out(inspect_drop *drop)
{
    enum { DROP_MS = 3600 * 1000 }; /* a running server answers for a part within ten seconds */
    drop->err = crawl_error_set(drop->error, CRAWL_ENET, "%s: it does not answer", cw_remote_name(drop->remote));
    crawl_err err =
        crawl_shared_drop(cw_remote_redis(drop->remote), drop->name, inspect_drop_on_dropped, drop, drop->error);
    if (err)
        return err;
    cw_remote_run(drop->remote, DROP_MS);
    if (!drop->err && !drop->keys)
        return crawl_error_set(drop->error, CRAWL_ABSENT, "%s, %s: there is no crawl of this name",
                               cw_remote_name(drop->remote), drop->name);
    return drop->err;
}

/* Drops the crawl of this name after confirmation, unless workers are alive. CRAWL_EINVAL: nobody can be asked, or a
 * Redis Cluster; CRAWL_ENET: the server; CRAWL_ABSENT: no keys of this name. */
static crawl_err inspect_drop_crawl(cw_inspect *inspect, cw_remote *remote, const char *name,
                                    const inspect_standing *standing, crawl_error *error)
{
    inspect_drop drop = {.remote = remote, .name = name, .error = error};
    bool agreed = true;
    crawl_err err = CRAWL_OK;
    if (standing->alive)
        return crawl_error_set(error, CRAWL_ESTATE, "%s, %s: %zu worker%s alive: end the crawl first",
                               cw_remote_name(remote), name, standing->alive, standing->alive == 1 ? " is" : "s are");
    if (!inspect->yes)
        err = inspect_drop_agree(name, standing, &agreed, error);
    if (!err && agreed)
        err = inspect_drop_carry_out(&drop);
    if (err)
        return err;
    if (!agreed) {
        inspect->status = CW_EXIT_NOTHING;
        return puts("nothing was deleted") < 0 ? CRAWL_EIO : CRAWL_OK;
    }
    if (inspect->jsonl)
        return cw_tool_json_print(json_pack("{s:I}", "keys", (json_int_t)drop.keys));
    return printf("%s: %" PRIu64 " keys deleted\n", name, drop.keys) < 0 ? CRAWL_EIO : CRAWL_OK;
}

typedef struct shared_look {
    cw_inspect *inspect;
    cw_remote *remote;
    const char *name;                                                                     /* of the crawl */
    crawl_err (*print)(const struct shared_look *a, const crawl_shared_picture *picture); /* NULL: drop it */
    inspect_standing standing;                                                            /* for --drop */
    crawl_err err;
    crawl_error *error;
} shared_look;

#define INT(value) (json_int_t)(value)

static const char *inspect_shared_date_of(int64_t ms, cw_date *room)
{
    *room = cw_date_or_end(ms);
    return room->text;
}

/* ---- the summary ---- */

/* Returns the partition with the most requests. */
static size_t largest(const crawl_shared_picture *picture)
{
    size_t found = 0;
    for (size_t i = 1; i < CRAWL_SHARED_PARTITIONS; i++)
        if (picture->parts[i].queued > picture->parts[found].queued)
            found = i;
    return found;
}

static bool inspect_shared_is_alive(const crawl_shared_picture *picture, const crawl_shared_process *process)
{
    return process->until_ms > picture->now_ms;
}

static size_t alive(const crawl_shared_picture *picture)
{
    size_t count = 0;
    for (size_t i = 0; i < picture->process_count; i++)
        count += inspect_shared_is_alive(picture, &picture->processes[i]);
    return count;
}

static void print_report(const crawl_shared_report *report, bool lives)
{
    printf("; %" PRIu64 " page%s, %" PRIu64 " failure%s, %s received", report->pages, cw_program_plural(report->pages),
           report->failures, cw_program_plural(report->failures), cw_program_size(report->received).text);
    if (lives)
        printf(", %" PRIu64 " under way, %.1f pages a second", report->running, report->pages_per_s);
}

static void print_worker(const crawl_shared_picture *picture, const crawl_shared_process *process)
{
    cw_date date;
    bool lives = inspect_shared_is_alive(picture, process);
    const char *how = lives ? "alive, its deadline is" : process->has_ended ? "ended at" : "gone since";
    printf("worker      %.*s: %" PRIu64 " host%s, %s %s%s", (int)process->name.size, process->name.data, process->hosts,
           cw_program_plural(process->hosts), how, inspect_shared_date_of(process->until_ms, &date),
           process->is_feeding ? "; has seeds to push" : "");
    if (process->report.is_known)
        print_report(&process->report, lives);
    printf("\n");
}

/* Prints the workers that are alive, those that still have hosts, and those gone only lately; the sum has all. */
static void print_workers(const crawl_shared_picture *picture)
{
    enum { LATELY_MS = 10 * 60 * 1000 };
    for (size_t i = 0; i < picture->process_count; i++) {
        const crawl_shared_process *process = &picture->processes[i];
        if (process->hosts || process->until_ms > picture->now_ms - LATELY_MS)
            print_worker(picture, process);
    }
    if (!picture->total.is_known)
        return;
    printf("all workers %" PRIu64 " so far", picture->process_count + picture->forgotten);
    print_report(&picture->total, alive(picture));
    printf("\n");
}

static crawl_err print_summary_text(const shared_look *a, const crawl_shared_picture *picture)
{
    const crawl_shared_counts *sum = &picture->sum;
    const crawl_shared_filter *filter = &picture->filter;
    size_t most = largest(picture);
    printf("crawl       %s, %s: %zu worker%s alive\n", cw_remote_name(a->remote), a->name, alive(picture),
           cw_program_plural(alive(picture)));
    for (size_t i = 0; i < picture->decided_count; i++)
        printf("decided     %.*s = %.*s\n", (int)picture->decided[i].name.size, picture->decided[i].name.data,
               (int)picture->decided[i].value.size, picture->decided[i].value.data);
    printf("requests    %" PRIu64 " accepted, %" PRIu64 " seen before, %" PRIu64 " finished\n", sum->accepted,
           sum->refused, sum->finished);
    printf("queue       %" PRIu64 " queued, %" PRIu64 " held by workers; partition %zu is the largest, with %" PRIu64
           " queued\n",
           sum->queued, sum->held, most, picture->parts[most].queued);
    if (sum->later)
        printf("later       %" PRIu64 " requests are for a later run\n", sum->later);
    printf("hosts       %" PRIu64 " wait, %" PRIu64 " are held by workers\n", sum->waiting, sum->sessions);
    printf("sessions    %" PRIu64 " ended by their deadline; %" PRIu64 " writes came too late and were refused\n",
           sum->lost, sum->stale);
    if (filter->is_exact)
        printf("seen        exact, %" PRIu64 " URLs\n", filter->count);
    else
        printf("seen        scalable, %" PRIu64 " URLs in %s, %.4g of them expected to be lost\n", filter->count,
               cw_program_size(filter->bytes).text, filter->lost);
    if (sum->cookie_hosts)
        printf("cookies     %" PRIu64 " of %" PRIu64 " host%s and domain%s\n", sum->cookies, sum->cookie_hosts,
               cw_program_plural(sum->cookie_hosts), cw_program_plural(sum->cookie_hosts));
    print_workers(picture);
    return CRAWL_OK;
}

/* Makes the report of a worker, or the sum of all. */
static json_t *report_object(const crawl_shared_report *report)
{
    cw_date date;
    if (!report->is_known)
        return json_null();
    json_t *object = json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:I, s:f}", "started", inspect_shared_date_of(report->started_ms, &date), "pages",
        INT(report->pages), "failures", INT(report->failures), "bytes", INT(report->bytes), "received",
        INT(report->received), "running", INT(report->running), "pages_per_s", report->pages_per_s);
    if (object && *report->version)
        json_object_set_new(object, "version", cw_tool_json_text(crawl_slice_from(report->version)));
    return object;
}

static json_t *workers_array(const crawl_shared_picture *picture)
{
    json_t *array = json_array();
    cw_date date;
    for (size_t i = 0; i < picture->process_count; i++) {
        const crawl_shared_process *process = &picture->processes[i];
        json_array_append_new(
            array, json_pack("{s:o, s:b, s:b, s:s, s:I, s:b, s:o}", "name", cw_tool_json_text(process->name), "alive",
                             (int)inspect_shared_is_alive(picture, process), "ended", (int)process->has_ended, "until",
                             inspect_shared_date_of(process->until_ms, &date), "hosts", INT(process->hosts), "feeding",
                             (int)process->is_feeding, "report", report_object(&process->report)));
    }
    return array;
}

static json_t *decided_object(const crawl_shared_picture *picture)
{
    json_t *object = json_object();
    for (size_t i = 0; i < picture->decided_count; i++)
        json_object_set_new(object, picture->decided[i].name.data, cw_tool_json_text(picture->decided[i].value));
    return object;
}

static crawl_err print_summary_json(const shared_look *a, const crawl_shared_picture *picture)
{
    const crawl_shared_counts *sum = &picture->sum;
    cw_date date;
    size_t most = largest(picture);
    json_t *requests = json_pack("{s:I, s:I, s:I}", "accepted", INT(sum->accepted), "seen", INT(sum->refused),
                                 "finished", INT(sum->finished));
    json_t *queue =
        json_pack("{s:I, s:I, s:I, s:I, s:I}", "queued", INT(sum->queued), "held", INT(sum->held), "later",
                  INT(sum->later), "largest_partition", INT(most), "largest_queued", INT(picture->parts[most].queued));
    json_t *hosts = json_pack("{s:I, s:I}", "waiting", INT(sum->waiting), "held", INT(sum->sessions));
    json_t *sessions = json_pack("{s:I, s:I}", "lost", INT(sum->lost), "stale", INT(sum->stale));
    json_t *seen = json_pack("{s:s, s:I, s:f}", "kind", picture->filter.is_exact ? "exact" : "scalable", "count",
                             INT(picture->filter.count), "expected_false", picture->filter.lost);
    json_t *cookies = json_pack("{s:I, s:I, s:I}", "count", INT(sum->cookies), "hosts", INT(sum->cookie_hosts), "sites",
                                INT(sum->cookie_sites));
    return cw_tool_json_print(json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "server", cw_remote_name(a->remote), "name",
        a->name, "now", inspect_shared_date_of(picture->now_ms, &date), "decided", decided_object(picture), "requests",
        requests, "queue", queue, "hosts", hosts, "sessions", sessions, "seen", seen, "cookies", cookies, "workers",
        workers_array(picture), "all_workers", report_object(&picture->total)));
}

static crawl_err inspect_shared_print_summary(const shared_look *a, const crawl_shared_picture *picture)
{
    return a->inspect->jsonl ? print_summary_json(a, picture) : print_summary_text(a, picture);
}

/* ---- lines ---- */

static json_t *inspect_shared_host_object(const crawl_shared_place *place)
{
    cw_date date;
    bool is_held = place->process.size > 0;
    inspect_shared_date_of(place->at_ms, &date);
    return json_pack("{s:o, s:o, s:s, s:I, s:I, s:I, s:I}", "origin", cw_tool_json_text(place->origin), "worker",
                     is_held ? cw_tool_json_text(place->process) : json_null(), is_held ? "until" : "due_at", date.text,
                     "pause_ms", INT(place->pause_ms), "ready", INT(place->ready), "delayed", INT(place->delayed),
                     "held", INT(place->held));
}

static crawl_err inspect_shared_print_hosts(const shared_look *a, const crawl_shared_picture *picture)
{
    crawl_err err = CRAWL_OK;
    uint64_t waiting = picture->place_count - picture->sum.sessions;
    if (!a->inspect->jsonl)
        printf("%8s %8s %7s %7s  %-25s %-20s %s\n", "READY", "DELAYED", "HELD", "PAUSE", "UNTIL, OR DUE", "WORKER",
               "ORIGIN");
    for (size_t i = 0; i < picture->place_count && !err; i++) {
        const crawl_shared_place *place = &picture->places[i];
        cw_date date;
        if (a->inspect->jsonl)
            err = cw_tool_json_print(inspect_shared_host_object(place));
        else if (printf("%8" PRIu64 " %8" PRIu64 " %7" PRIu64 " %5" PRId64 "ms  %-25s %-20s %s\n", place->ready,
                        place->delayed, place->held, place->pause_ms,
                        place->at_ms > picture->now_ms || place->process.size
                            ? inspect_shared_date_of(place->at_ms, &date)
                            : "now",
                        place->process.size ? place->process.data : "-", place->origin.data) < 0)
            err = CRAWL_EIO;
    }
    if (!err && !a->inspect->jsonl && picture->place_count >= picture->sum.sessions && waiting < picture->sum.waiting)
        printf("and %" PRIu64 " hosts more that wait\n", picture->sum.waiting - waiting);
    return err;
}

static crawl_err inspect_shared_print_queue(const shared_look *a, const crawl_shared_picture *picture)
{
    crawl_err err = CRAWL_OK;
    if (!a->inspect->jsonl)
        printf("%9s %9s %9s %9s %9s\n", "PARTITION", "QUEUED", "HELD", "WAITING", "SESSIONS");
    for (size_t i = 0; i < CRAWL_SHARED_PARTITIONS && !err; i++) {
        const crawl_shared_counts *part = &picture->parts[i];
        if (!part->queued && !part->held && !part->sessions)
            continue;
        if (a->inspect->jsonl)
            err = cw_tool_json_print(json_pack("{s:I, s:I, s:I, s:I, s:I}", "partition", INT(i), "queued",
                                               INT(part->queued), "held", INT(part->held), "waiting",
                                               INT(part->waiting), "sessions", INT(part->sessions)));
        else if (printf("%9zu %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 "\n", i, part->queued, part->held,
                        part->waiting, part->sessions) < 0)
            err = CRAWL_EIO;
    }
    return err;
}

static crawl_err print_filter(const shared_look *a, const crawl_shared_picture *picture)
{
    const crawl_shared_filter *filter = &picture->filter;
    const crawl_bloom_stats stats = {.count = filter->count,
                                     .capacity = filter->capacity,
                                     .bytes = filter->bytes,
                                     .fill = filter->fill,
                                     .fpr = filter->rate,
                                     .fpr_now = filter->rate_now,
                                     .expected_false = filter->lost,
                                     .filters = (uint32_t)picture->sum.links};
    return cw_inspect_print_filter(a->inspect, &stats, filter->is_exact ? CRAWL_BLOOM_EXACT : CRAWL_BLOOM_SCALABLE);
}

static crawl_err print_check(const shared_look *a, const crawl_shared_picture *picture)
{
    for (size_t i = 0; i < picture->violation_count; i++)
        cw_inspect_print_violation(picture->violations[i], a->inspect);
    return cw_inspect_print_violations(a->inspect, a->name, picture->violation_count);
}

/* ---- requests ---- */

static void inspect_shared_on_viewed(void *user, crawl_err err, const crawl_error *error,
                                     const crawl_shared_picture *picture)
{
    shared_look *a = user;
    a->err = err ? crawl_error_set(a->error, err, "%s, %s: %s", cw_remote_name(a->remote), a->name, error->message)
             : a->print ? a->print(a, picture)
                        : CRAWL_OK;
    if (!err)
        a->standing = (inspect_standing){alive(picture), picture->sum.finished, picture->sum.queued};
    event_base_loopbreak(cw_remote_base(a->remote));
}

/* The connection's own patience is shorter. */
enum { PATIENCE_MS = 60000 };

static crawl_err inspect_shared_ask(shared_look *a, const crawl_shared_view_options *options)
{
    a->err = crawl_error_set(a->error, CRAWL_ENET, "%s: it does not answer", cw_remote_name(a->remote));
    crawl_err err = crawl_shared_view(cw_remote_redis(a->remote), options, inspect_shared_on_viewed, a, a->error);
    if (err)
        return err;
    cw_remote_run(a->remote, PATIENCE_MS);
    return a->err;
}

static crawl_err configure(const cw_inspect *inspect, crawl_config *config, crawl_error *error)
{
    char program[] = "crawl";
    char option[] = "--config";
    char *words[] = {program, option, (char *)inspect->config, NULL};
    return cw_program_configure(config, &(cw_program_arguments){.argc = inspect->config ? 3 : 1, .argv = words}, error);
}

crawl_err cw_inspect_shared(cw_inspect *inspect, const char *word, crawl_error *error)
{
    static const char *const names[] = {"name", NULL};
    static const struct {
        const char *word;
        crawl_err (*print)(const shared_look *a, const crawl_shared_picture *picture);
    } parts[] = {{"hosts", inspect_shared_print_hosts},
                 {"queue", inspect_shared_print_queue},
                 {"filter", print_filter},
                 {"check", print_check},
                 {"drop", NULL}};
    shared_look a = {.inspect = inspect, .print = inspect_shared_print_summary, .error = error};
    crawl_config config;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && word; i++)
        if (strcmp(parts[i].word, word) == 0)
            a.print = parts[i].print;
    crawl_err err = configure(inspect, &config, error) ? CRAWL_EINVAL : CRAWL_OK;
    if (!err)
        err = cw_remote_open(inspect->directory, names, &config, &a.remote, error);
    if (!err) {
        a.name = cw_remote_url(a.remote)->values[0];
        const crawl_shared_view_options options = {.size = sizeof options,
                                                   .name = a.name,
                                                   .waiting = a.print == inspect_shared_print_hosts,
                                                   .check = a.print == print_check};
        err = a.name ? inspect_shared_ask(&a, &options)
                     : crawl_error_set(error, CRAWL_EINVAL, "%s: name the crawl, with ?name=NAME",
                                       cw_remote_name(a.remote));
        if (!a.print && (!err || err == CRAWL_ABSENT)) /* a partly dropped crawl may have left keys */
            err = inspect_drop_crawl(inspect, a.remote, a.name, &a.standing, error);
        cw_remote_close(a.remote);
    }
    cw_config_clear(&config);
    return err;
}
