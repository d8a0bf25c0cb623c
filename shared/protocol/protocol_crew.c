/* The processes of a crawl: the report of this one, and the reports of all. */
#include "base/bytes.h"
#include "shared/protocol/protocol_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- telling ---- */

typedef struct report_call {
    cw_shared_on_reported *done;
    void *user;
} report_call;

/* False: not an answer of the script. */
static bool read_others(const crawl_redis_reply *reply, cw_shared_reported *out)
{
    int64_t alive = cw_shared_number(cw_shared_item_of(reply, 0), -1);
    int64_t idle = cw_shared_number(cw_shared_item_of(reply, 1), -1);
    out->was_forgotten = reply->type == CRAWL_REDIS_ARRAY && !reply->count;
    if (!out->was_forgotten && (alive < 0 || idle < 0))
        return false;
    out->alive = alive > 0 ? (uint64_t)alive : 0;
    out->idle = idle > 0 ? (uint64_t)idle : 0;
    return true;
}

static void protocol_crew_on_reported(void *user, const crawl_redis_answer *said)
{
    report_call *r = user;
    cw_shared_reported answer = {.fault = said->fault, .words = said->words};
    if (!said->fault && !read_others(said->reply, &answer)) {
        answer.fault = CRAWL_REDIS_PROTOCOL;
        answer.words = CW_SHARED_STRANGE;
    }
    r->done(r->user, &answer);
    free(r);
}

enum { NUMBERS = 9, NUMBER_ROOM = 21, REPORT_ROOM = NUMBERS * NUMBER_ROOM + CRAWL_SHARED_VERSION_MAX };

/* Writes the numbers of a report in the order of the protocol; the pace in thousandths. */
static void write_report(const crawl_shared_report *report, char out[REPORT_ROOM])
{
    snprintf(out, REPORT_ROOM,
             "%" PRId64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s",
             report->started_ms, report->pages, report->failures, report->bytes, report->received, report->running,
             report->hosts, (uint64_t)(report->pages_per_s * 1000), report->version);
}

crawl_err cw_shared_report(cw_shared *shared, const crawl_shared_report *report, cw_shared_state state,
                           cw_shared_on_reported *done, void *user)
{
    enum { OWN_WORDS = 6 };
    char text[REPORT_ROOM];
    cw_shared_words words;
    report_call *r = malloc(sizeof *r);
    if (!r)
        return CRAWL_ENOMEM;
    *r = (report_call){.done = done, .user = user};
    crawl_err err = cw_shared_words_make(shared, CW_SHARED_WHOLE, OWN_WORDS, &words);
    if (!err) {
        write_report(report, text);
        cw_shared_add_number(&words, shared->options.lease_ms);
        cw_shared_add(&words, crawl_slice_from(shared->options.worker));
        cw_shared_add(&words, crawl_slice_from(state.is_end ? "1" : "0"));
        cw_shared_add(&words, crawl_slice_from(state.has_told ? "1" : "0"));
        cw_shared_add(&words, crawl_slice_from(state.is_idle ? "1" : "0"));
        cw_shared_add(&words, crawl_slice_from(text));
        err = cw_shared_send(shared, CW_SHARED_REPORT, &words, protocol_crew_on_reported, r);
    }
    if (err)
        free(r);
    return err;
}

/* ---- lists ---- */

void crawl_shared_crew_free(crawl_shared_crew *crew)
{
    if (!crew)
        return;
    for (size_t i = 0; i < crew->process_count; i++)
        free((char *)crew->processes[i].name.data);
    free(crew->processes);
    *crew = (crawl_shared_crew){0};
}

/* Adds a process. A NUL follows each name. */
static bool protocol_crew_add(crawl_shared_crew *crew, crawl_slice name)
{
    size_t count = crew->process_count;
    bool is_full = (count & (count - 1)) == 0; /* capacities are powers of two */
    char *copy = malloc(name.size + 1);
    crawl_shared_process *list = crew->processes;
    if (is_full)
        list = realloc(list, (count ? 2 * count : 1) * sizeof *list);
    crew->processes = list ? list : crew->processes;
    if (!copy || !list) {
        free(copy);
        return false;
    }
    memcpy(copy, name.size ? name.data : "", name.size);
    copy[name.size] = '\0';
    list[count] = (crawl_shared_process){.name = crawl_slice_of(copy, name.size)};
    crew->process_count++;
    return true;
}

crawl_err cw_shared_crew_copy(const crawl_shared_crew *crew, crawl_shared_crew *out)
{
    *out = *crew;
    out->processes = NULL;
    out->process_count = 0;
    for (size_t i = 0; i < crew->process_count; i++) {
        if (!protocol_crew_add(out, crew->processes[i].name)) {
            crawl_shared_crew_free(out);
            return CRAWL_ENOMEM;
        }
        crawl_slice name = out->processes[i].name;
        out->processes[i] = crew->processes[i];
        out->processes[i].name = name;
    }
    return CRAWL_OK;
}

crawl_shared_process *cw_shared_crew_get(crawl_shared_crew *crew, crawl_slice name)
{
    for (size_t i = 0; i < crew->process_count; i++)
        if (crawl_slice_equal(crew->processes[i].name, name))
            return &crew->processes[i];
    return protocol_crew_add(crew, name) ? &crew->processes[crew->process_count - 1] : NULL;
}

/* ---- reading ---- */

crawl_slice cw_shared_text_of(const crawl_redis_reply *reply)
{
    return reply && reply->type == CRAWL_REDIS_TEXT ? reply->text : (crawl_slice){0};
}

double cw_shared_number_in(crawl_slice text)
{
    double number = text.size ? strtod(text.data, NULL) : 0;
    return number >= 0 && number <= (double)CW_SHARED_MS_MAX ? number : 0;
}

/* Reads a pair of texts from an array. */
static bool pair_of(const crawl_redis_reply *pairs, size_t index, crawl_slice *name, crawl_slice *value)
{
    const crawl_redis_reply *second = cw_shared_item_of(pairs, 2 * index + 1);
    if (second) {
        *name = cw_shared_text_of(&pairs->items[2 * index]);
        *value = cw_shared_text_of(second);
    }
    return second;
}

static bool take_deadlines(crawl_shared_crew *crew, const crawl_redis_reply *members, bool is_feeding)
{
    crawl_slice name;
    crawl_slice until;
    for (size_t i = 0; pair_of(members, i, &name, &until); i++) {
        crawl_shared_process *process = cw_shared_crew_get(crew, name);
        int64_t until_ms = (int64_t)cw_shared_number_in(until);
        if (!process)
            return false;
        process->until_ms = process->until_ms > until_ms ? process->until_ms : until_ms;
        process->is_feeding = is_feeding;
    }
    return true;
}

/* Takes the number before the next space; 0: not a number. */
static uint64_t protocol_crew_take_number(crawl_slice *text)
{
    const char *space = text->size ? memchr(text->data, ' ', text->size) : NULL;
    crawl_slice word = cw_take(text, space ? (size_t)(space - text->data) : text->size);
    *text = cw_drop(*text, space ? 1 : 0);
    uint64_t number = 0;
    for (size_t i = 0; i < word.size; i++) {
        if (word.data[i] < '0' || word.data[i] > '9' || number > (uint64_t)CW_SHARED_MS_MAX)
            return 0;
        number = number * 10 + (uint64_t)(word.data[i] - '0');
    }
    return number;
}

/* Reads a report. A process that is gone was alive until it told last. */
static void read_report(crawl_shared_process *process, crawl_slice text)
{
    crawl_shared_report *report = &process->report;
    *report = (crawl_shared_report){.is_known = true, .told_ms = (int64_t)protocol_crew_take_number(&text)};
    process->has_ended = protocol_crew_take_number(&text) == 1;
    report->started_ms = (int64_t)protocol_crew_take_number(&text);
    report->pages = protocol_crew_take_number(&text);
    report->failures = protocol_crew_take_number(&text);
    report->bytes = protocol_crew_take_number(&text);
    report->received = protocol_crew_take_number(&text);
    report->running = protocol_crew_take_number(&text);
    report->hosts = protocol_crew_take_number(&text);
    report->pages_per_s = (double)protocol_crew_take_number(&text) / 1000;
    snprintf(report->version, sizeof report->version, "%.*s", (int)text.size, text.size ? text.data : "");
    process->until_ms = process->until_ms > report->told_ms ? process->until_ms : report->told_ms;
}

static bool take_reports(crawl_shared_crew *crew, const crawl_redis_reply *rows)
{
    crawl_slice name;
    crawl_slice row;
    for (size_t i = 0; pair_of(rows, i, &name, &row); i++) {
        crawl_shared_process *process = cw_shared_crew_get(crew, name);
        if (!process)
            return false;
        read_report(process, row);
    }
    return true;
}

static void take_gone(crawl_shared_crew *crew, const crawl_redis_reply *figures)
{
    crawl_slice name;
    crawl_slice value;
    const struct {
        const char *name;
        uint64_t *to;
    } known[] = {{"workers", &crew->forgotten},
                 {"pages", &crew->total.pages},
                 {"failures", &crew->total.failures},
                 {"bytes", &crew->total.bytes},
                 {"received", &crew->total.received}};
    for (size_t i = 0; pair_of(figures, i, &name, &value); i++)
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (cw_is(name, known[k].name))
                *known[k].to = (uint64_t)cw_shared_number_in(value);
}

bool cw_shared_crew_take(crawl_shared_crew *crew, const crawl_redis_reply *reply)
{
    crew->now_ms = cw_shared_number(cw_shared_item_of(reply, 4), 0);
    take_gone(crew, cw_shared_item_of(reply, 3));
    return take_deadlines(crew, cw_shared_item_of(reply, 0), false) &&
           take_deadlines(crew, cw_shared_item_of(reply, 1), true) && take_reports(crew, cw_shared_item_of(reply, 2));
}

/* ---- the sum ---- */

static int protocol_crew_compare(const void *a, const void *b)
{
    const crawl_shared_process *left = a;
    const crawl_shared_process *right = b;
    return strcmp(left->name.data, right->name.data);
}

static void protocol_crew_add_report(crawl_shared_report *total, const crawl_shared_report *report, bool is_alive)
{
    total->is_known = true;
    total->pages += report->pages;
    total->failures += report->failures;
    total->bytes += report->bytes;
    total->received += report->received;
    if (report->told_ms > total->told_ms)
        total->told_ms = report->told_ms;
    if (!total->started_ms || report->started_ms < total->started_ms)
        total->started_ms = report->started_ms;
    if (!is_alive)
        return;
    total->running += report->running;
    total->hosts += report->hosts;
    total->pages_per_s += report->pages_per_s;
}

void cw_shared_crew_finish(crawl_shared_crew *crew)
{
    if (crew->process_count)
        qsort(crew->processes, crew->process_count, sizeof *crew->processes, protocol_crew_compare);
    for (size_t i = 0; i < crew->process_count; i++) {
        crawl_shared_process *process = &crew->processes[i];
        bool is_alive = process->until_ms > crew->now_ms;
        process->has_ended = process->has_ended && !is_alive;
        if (process->report.is_known)
            protocol_crew_add_report(&crew->total, &process->report, is_alive);
    }
}

/* ---- asking ---- */

typedef struct crew_call {
    cw_shared_crew_told *done;
    void *user;
} crew_call;

static void protocol_on_crew(void *user, const crawl_redis_answer *said)
{
    crew_call *m = user;
    crawl_shared_crew crew = {0};
    crawl_redis_fault fault = said->fault;
    const char *words = said->words;
    if (!fault && said->reply->type != CRAWL_REDIS_ARRAY) {
        fault = CRAWL_REDIS_PROTOCOL;
        words = CW_SHARED_STRANGE;
    } else if (!fault && !cw_shared_crew_take(&crew, said->reply)) { /* out of memory: as if it had not been asked */
        fault = CRAWL_REDIS_UNSENT;
        words = crawl_redis_fault_words(fault);
    }
    if (fault)
        crawl_shared_crew_free(&crew);
    else
        cw_shared_crew_finish(&crew);
    m->done(m->user, fault, words, fault ? NULL : &crew);
    free(m);
}

crawl_err cw_shared_read_crew(cw_shared *shared, cw_shared_crew_told *done, void *user)
{
    cw_shared_words words;
    crew_call *m = malloc(sizeof *m);
    if (!m)
        return CRAWL_ENOMEM;
    *m = (crew_call){.done = done, .user = user};
    crawl_err err = cw_shared_words_make(shared, CW_SHARED_WHOLE, 0, &words);
    if (!err)
        err = cw_shared_send(shared, CW_SHARED_CREW, &words, protocol_on_crew, m);
    if (err)
        free(m);
    return err;
}
