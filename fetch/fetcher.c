/* The fetcher: waiting, running and ending transfers, and the only place that reports to callers.
 *
 *     crawl_fetch -> waiting -> libcurl -> done -> on_done -> idle -> crawl_fetch ...
 *                     |    \__________\__> ending ____/
 *                     name (resolve.h)
 *
 * libcurl must not be called from its own callbacks, while a caller may call us from anywhere. So crawl_fetch and
 * crawl_fetch_cancel only move a transfer to a list. progress(), which runs only from the event loop, outside of
 * libcurl, does the rest: it ends finished transfers, calling on_done, and then starts the waiting ones. */
#include "fetch/transfer.h"

#include "base/array.h"
#include "base/clock.h"

#include <event2/event.h>
#include <stdlib.h>

/* Bits of a request's id that hold the index of its transfer; a serial number is above them. */
#define INDEX_BITS 24
#define MAX_TRANSFERS ((size_t)1 << INDEX_BITS)

/* How long libcurl uses a resolved name: longer than most pauses between requests to one host. */
#define DNS_CACHE_SECONDS 60L
/* At the end of each transfer libcurl scans all the names that it knows for old ones, which takes 2 ms with 40000
 * hosts. So only one transfer in this many seconds is told that names expire; the others are told that they never
 * do. */
#define DNS_PRUNE_SECONDS 2

struct crawl_fetcher {
    cw_fetch_settings settings;
    cw_fetch_loop loop;
    crawl_jar *jar;
    bool own_jar;
    cw_dns_resolver *resolver; /* NULL: libcurl resolves names */
    cw_dns_resolver_stats resolver_stats;
    cw_names_uses *uses;
    cw_fetch_transfer **transfers; /* all ever created, by index */
    size_t count;
    size_t capacity;
    uint64_t serial;
    cw_fetch_transfer_list idle;
    cw_fetch_transfer_list waiting;
    cw_fetch_transfer_list ending; /* cancelled, or failed to start */
    unsigned idle_handles;         /* idle transfers that kept their easy handle */
    unsigned running;              /* transfers that are not idle and whose end was not yet reported */
    time_t dns_pruned;             /* when a transfer was last told to drop old names */
    cw_fetch_bodies bodies;
    struct event *clock; /* every second, while bodies counts the time of a transfer */
    cw_fetch_throttle throttle;
    struct event *release; /* when a held transfer may continue */
    bool in_progress;
};

/* ---- transfers of a fetcher ---- */

static cw_fetch_transfer *new_transfer(crawl_fetcher *fetcher)
{
    bool has_room = fetcher->count < MAX_TRANSFERS &&
                    !CW_ARRAY_RESERVE(fetcher->transfers, fetcher->capacity, fetcher->count + 1, 64);
    cw_fetch_transfer *transfer = has_room ? calloc(1, sizeof *transfer) : NULL;
    if (!transfer)
        return NULL;
    transfer->loop = &fetcher->loop;
    transfer->settings = &fetcher->settings;
    transfer->bodies = &fetcher->bodies;
    transfer->throttle = &fetcher->throttle;
    transfer->uses = fetcher->uses;
    transfer->index = fetcher->count;
    fetcher->transfers[fetcher->count++] = transfer;
    return transfer;
}

static cw_fetch_transfer *take_idle(crawl_fetcher *fetcher)
{
    cw_fetch_transfer *transfer = TAILQ_FIRST(&fetcher->idle);
    if (!transfer)
        return new_transfer(fetcher);
    TAILQ_REMOVE(&fetcher->idle, transfer, link);
    fetcher->idle_handles -= transfer->easy != NULL;
    return transfer;
}

/* Puts a transfer into the list of idle ones; those with a handle go first, so that they are reused first. Keeps as
 * many handles as there are concurrent transfers. */
static void give_idle(crawl_fetcher *fetcher, cw_fetch_transfer *transfer)
{
    cw_fetch_transfer_clear(transfer);
    if (fetcher->idle_handles >= fetcher->settings.options.transfers)
        cw_fetch_transfer_release(transfer);
    if (!transfer->easy) {
        TAILQ_INSERT_TAIL(&fetcher->idle, transfer, link);
        return;
    }
    fetcher->idle_handles++;
    TAILQ_INSERT_HEAD(&fetcher->idle, transfer, link);
}

static cw_fetch_transfer *fetcher_find(const crawl_fetcher *fetcher, uint64_t id)
{
    size_t index = (size_t)(id & (MAX_TRANSFERS - 1));
    if (id == 0 || index >= fetcher->count || fetcher->transfers[index]->id != id)
        return NULL;
    return fetcher->transfers[index];
}

/* ---- progress ---- */

static void fetcher_wake(crawl_fetcher *fetcher)
{
    if (!fetcher->in_progress)
        cw_fetch_loop_wake(&fetcher->loop);
}

static void put_waiting(crawl_fetcher *fetcher, cw_fetch_transfer *transfer)
{
    transfer->state = CW_TRANSFER_WAITING;
    TAILQ_INSERT_TAIL(&fetcher->waiting, transfer, link);
    fetcher_wake(fetcher);
}

/* Handles the resolver's result for a transfer's host: its addresses, or that there are none. Runs from the loop,
 * outside of libcurl. */
static void on_name(void *user, cw_dns_wait *wait, const cw_names_answer *answer, int64_t waited_ms)
{
    crawl_fetcher *fetcher = user;
    cw_fetch_transfer *transfer = (cw_fetch_transfer *)((char *)wait - offsetof(cw_fetch_transfer, name));
    cw_fetch_transfer_take_name(transfer, answer, waited_ms);
    put_waiting(fetcher, transfer);
}

/* Moves a transfer from the list of its state to the list of ending ones. */
static void move_to_ending(crawl_fetcher *fetcher, cw_fetch_transfer *transfer)
{
    if (transfer->ending)
        return;
    if (transfer->state == CW_TRANSFER_WAITING)
        TAILQ_REMOVE(&fetcher->waiting, transfer, link);
    if (transfer->state == CW_TRANSFER_NAMING)
        cw_dns_resolver_leave(fetcher->resolver, &transfer->name);
    transfer->ending = true;
    TAILQ_INSERT_TAIL(&fetcher->ending, transfer, link);
    fetcher_wake(fetcher);
}

/* Clears a transfer whose answer the caller no longer reads, and makes it idle. */
static void fetcher_let_go(crawl_fetcher *fetcher, cw_fetch_transfer *transfer)
{
    cw_fetch_bodies_leave(&fetcher->bodies, &transfer->wait);
    give_idle(fetcher, transfer);
}

/* Reports the end of a transfer; only this calls on_done. During the call the transfer is in no list and its id is
 * gone, so the caller may start another one. */
static void fetcher_end(crawl_fetcher *fetcher, cw_fetch_transfer *transfer, CURLcode code)
{
    if (transfer->ending)
        TAILQ_REMOVE(&fetcher->ending, transfer, link);
    transfer->ending = false;
    if (transfer->state == CW_TRANSFER_RUNNING)
        curl_multi_remove_handle(fetcher->loop.multi, transfer->easy);
    transfer->state = CW_TRANSFER_IDLE;
    transfer->id = 0;
    fetcher->running--;
    cw_fetch_throttle_leave(&fetcher->throttle, &transfer->hold);
    cw_fetch_transfer_finish(transfer, code, &transfer->response);
    transfer->is_told = true;
    if (transfer->asked.on_done)
        transfer->asked.on_done(transfer->asked.user, &transfer->response);
    transfer->is_told = false;
    if (!transfer->kept)
        fetcher_let_go(fetcher, transfer);
}

/* Runs a transfer once more, from the end of the queue. */
static void repeat(crawl_fetcher *fetcher, cw_fetch_transfer *transfer)
{
    curl_multi_remove_handle(fetcher->loop.multi, transfer->easy);
    cw_fetch_throttle_leave(&fetcher->throttle, &transfer->hold);
    transfer->is_repeated = true;
    put_waiting(fetcher, transfer);
}

static void end_done(crawl_fetcher *fetcher)
{
    int left;
    CURLM *multi = fetcher->loop.multi;
    for (CURLMsg *message = curl_multi_info_read(multi, &left); message; message = curl_multi_info_read(multi, &left)) {
        cw_fetch_transfer *transfer = NULL;
        CURLcode code = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
        if (message->msg != CURLMSG_DONE)
            continue;
        if (cw_fetch_transfer_was_unseen(transfer, code))
            repeat(fetcher, transfer);
        else
            fetcher_end(fetcher, transfer, code);
    }
}

/* Ends the transfers that are in the list now. Transfers that on_done adds end in the next turn of the loop, so that a
 * caller who starts and cancels endlessly does not block it. */
static void end_ending(crawl_fetcher *fetcher)
{
    cw_fetch_transfer *last = TAILQ_LAST(&fetcher->ending, cw_fetch_transfer_list);
    bool more = last != NULL;
    while (more && !TAILQ_EMPTY(&fetcher->ending)) {
        cw_fetch_transfer *transfer = TAILQ_FIRST(&fetcher->ending);
        more = transfer != last;
        fetcher_end(fetcher, transfer, CURLE_OK);
    }
}

static void fetcher_start(crawl_fetcher *fetcher, cw_fetch_transfer *transfer)
{
    CURLMcode code = curl_multi_add_handle(fetcher->loop.multi, transfer->easy);
    if (code != CURLM_OK) {
        cw_fetch_transfer_stop(transfer, CRAWL_FETCH_LOCAL, curl_multi_strerror(code));
        move_to_ending(fetcher, transfer);
        return;
    }
    TAILQ_REMOVE(&fetcher->waiting, transfer, link);
    transfer->state = CW_TRANSFER_RUNNING;
}

static void start_waiting(crawl_fetcher *fetcher)
{
    while (!TAILQ_EMPTY(&fetcher->waiting)) {
        cw_fetch_transfer *transfer = TAILQ_FIRST(&fetcher->waiting);
        cw_fetch_naming naming =
            transfer->stopped ? CW_NAMING_FAILED : cw_fetch_transfer_find_name(transfer, fetcher->resolver);
        if (naming == CW_NAMING_WAITS) {
            TAILQ_REMOVE(&fetcher->waiting, transfer, link);
            transfer->state = CW_TRANSFER_NAMING;
        } else
            (naming == CW_NAMING_DONE ? fetcher_start : move_to_ending)(fetcher, transfer);
    }
}

static cw_fetch_transfer *transfer_of(cw_fetch_body_wait *wait)
{
    return (cw_fetch_transfer *)((char *)wait - offsetof(cw_fetch_transfer, wait));
}

static void set_clock(crawl_fetcher *fetcher)
{
    const struct timeval second = {.tv_sec = 1};
    if (!evtimer_pending(fetcher->clock, NULL))
        evtimer_add(fetcher->clock, &second);
}

/* Resumes waiting bodies that have room now. */
static void fetcher_resume(crawl_fetcher *fetcher)
{
    cw_fetch_bodies *bodies = &fetcher->bodies;
    if (cw_fetch_bodies_wait(bodies))
        set_clock(fetcher);
    for (cw_fetch_body_wait *wait = cw_fetch_bodies_next(bodies); wait; wait = cw_fetch_bodies_next(bodies)) {
        cw_fetch_transfer *transfer = transfer_of(wait);
        cw_fetch_transfer_resume(transfer);
        if (transfer->stopped)
            move_to_ending(fetcher, transfer);
    }
}

/* Resumes held transfers that may be read now. */
static void on_release(evutil_socket_t, short, void *user)
{
    crawl_fetcher *fetcher = user;
    cw_fetch_throttle *throttle = &fetcher->throttle;
    for (cw_fetch_hold *hold = NULL; (hold = cw_fetch_throttle_next(throttle, cw_now_us()));) {
        cw_fetch_transfer *transfer = (cw_fetch_transfer *)((char *)hold - offsetof(cw_fetch_transfer, hold));
        cw_fetch_transfer_release_hold(transfer);
        if (transfer->stopped)
            move_to_ending(fetcher, transfer);
        set_clock(fetcher);
    }
}

static void progress(void *user)
{
    crawl_fetcher *fetcher = user;
    fetcher->in_progress = true;
    end_done(fetcher);
    end_ending(fetcher);
    fetcher_resume(fetcher);
    start_waiting(fetcher);
    cw_fetch_loop_trim(&fetcher->loop);
    fetcher->in_progress = false;
    if (!TAILQ_EMPTY(&fetcher->ending))
        fetcher_wake(fetcher);
}

/* Ends the transfers whose time, as counted by bodies, is over. */
static void on_clock(evutil_socket_t, short, void *user)
{
    crawl_fetcher *fetcher = user;
    cw_fetch_bodies *bodies = &fetcher->bodies;
    for (cw_fetch_body_wait *wait = cw_fetch_bodies_overdue(bodies); wait; wait = cw_fetch_bodies_overdue(bodies)) {
        cw_fetch_transfer_stop(transfer_of(wait), CRAWL_FETCH_TIMEOUT,
                               "took too long, not counting its wait for memory");
        move_to_ending(fetcher, transfer_of(wait));
    }
    if (cw_fetch_bodies_count_time(bodies))
        set_clock(fetcher);
}

/* ---- the interface ---- */

static crawl_err take_jar(crawl_fetcher *fetcher, const crawl_fetch_options *options)
{
    fetcher->jar = options->jar;
    fetcher->own_jar = !options->jar;
    return fetcher->own_jar ? crawl_jar_create(options->cookies, &fetcher->jar) : CRAWL_OK;
}

crawl_err crawl_fetcher_create(struct event_base *base, const crawl_fetch_options *options, crawl_fetcher **out,
                               crawl_error *error)
{
    if (!base || !options || !out)
        return crawl_error_set(error, CRAWL_EINVAL, "a fetcher needs an event loop and options");
    /* libcurl counts and locks this itself. A fetcher that has called it must be freed. */
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return crawl_error_set(error, CRAWL_ENOMEM, "libcurl cannot be initialized");
    crawl_fetcher *fetcher = calloc(1, sizeof *fetcher);
    if (!fetcher) {
        curl_global_cleanup();
        return crawl_error_set(error, CRAWL_ENOMEM, "no memory for a fetcher");
    }
    TAILQ_INIT(&fetcher->idle);
    TAILQ_INIT(&fetcher->waiting);
    TAILQ_INIT(&fetcher->ending);
    crawl_err err = cw_fetch_settings_init(&fetcher->settings, options, error);
    options = &fetcher->settings.options;
    if (!err) {
        err = cw_fetch_loop_init(&fetcher->loop, base, options->max_connections, progress, fetcher);
        if (!err)
            err = take_jar(fetcher, options);
        if (err)
            crawl_error_set(error, err, "no memory for a fetcher");
    }
    cw_fetch_bodies_init(&fetcher->bodies, options->max_bodies_bytes, options->timeout_ms);
    fetcher->clock = evtimer_new(base, on_clock, fetcher);
    fetcher->release = evtimer_new(base, on_release, fetcher);
    cw_fetch_throttle_init(&fetcher->throttle, fetcher->release);
    fetcher->uses = cw_names_uses_create();
    if (!err && (!fetcher->clock || !fetcher->release || !fetcher->uses))
        err = crawl_error_set(error, CRAWL_ENOMEM, "no memory for a fetcher");
    if (!err)
        err = cw_dns_resolver_create(base, options, &fetcher->resolver_stats, on_name, fetcher, &fetcher->resolver,
                                     error);
    if (err) {
        crawl_fetcher_free(fetcher);
        return err;
    }
    *out = fetcher;
    return CRAWL_OK;
}

void crawl_fetcher_free(crawl_fetcher *fetcher)
{
    if (!fetcher)
        return;
    cw_dns_resolver_free(fetcher->resolver);
    for (size_t i = 0; i < fetcher->count; i++) {
        cw_fetch_transfer *transfer = fetcher->transfers[i];
        if (transfer->state == CW_TRANSFER_RUNNING)
            curl_multi_remove_handle(fetcher->loop.multi, transfer->easy);
        cw_fetch_transfer_release(transfer);
        free(transfer);
    }
    free(fetcher->transfers);
    cw_names_uses_free(fetcher->uses);
    cw_fetch_bodies_free(&fetcher->bodies);
    if (fetcher->clock)
        event_free(fetcher->clock);
    if (fetcher->release)
        event_free(fetcher->release);
    cw_fetch_loop_free(&fetcher->loop);
    if (fetcher->own_jar)
        crawl_jar_free(fetcher->jar);
    cw_fetch_settings_free(&fetcher->settings);
    free(fetcher);
    curl_global_cleanup();
}

static bool dns_prune_due(crawl_fetcher *fetcher)
{
    struct timeval now;
    event_base_gettimeofday_cached(fetcher->loop.base, &now);
    bool due = now.tv_sec >= fetcher->dns_pruned + DNS_PRUNE_SECONDS || now.tv_sec < fetcher->dns_pruned;
    if (due)
        fetcher->dns_pruned = now.tv_sec;
    return due;
}

crawl_err crawl_fetch(crawl_fetcher *fetcher, const crawl_fetch_request *request, uint64_t *id)
{
    crawl_fetch_request own;
    crawl_fetch_access access;
    request = cw_fetch_request_whole(request, &own, &access);
    if (!request)
        return CRAWL_EINVAL;
    cw_fetch_transfer *transfer = take_idle(fetcher);
    if (!transfer)
        return CRAWL_ENOMEM;
    crawl_err err = cw_fetch_transfer_begin(transfer, request, fetcher->jar);
    if (err) {
        give_idle(fetcher, transfer);
        return err;
    }
    curl_easy_setopt(transfer->easy, CURLOPT_DNS_CACHE_TIMEOUT,
                     dns_prune_due(fetcher) ? DNS_CACHE_SECONDS : fetcher->settings.names_for_ever);
    transfer->id = ++fetcher->serial << INDEX_BITS | transfer->index;
    fetcher->running++;
    put_waiting(fetcher, transfer);
    if (id)
        *id = transfer->id;
    return CRAWL_OK;
}

static void fetcher_cancel(crawl_fetcher *fetcher, cw_fetch_transfer *transfer)
{
    cw_fetch_transfer_stop(transfer, CRAWL_FETCH_CANCELLED, "cancelled");
    move_to_ending(fetcher, transfer);
}

crawl_err crawl_fetch_cancel(crawl_fetcher *fetcher, uint64_t id)
{
    cw_fetch_transfer *transfer = fetcher_find(fetcher, id);
    if (!transfer)
        return CRAWL_ABSENT;
    fetcher_cancel(fetcher, transfer);
    return CRAWL_OK;
}

void crawl_fetch_cancel_all(crawl_fetcher *fetcher)
{
    for (size_t i = 0; i < fetcher->count; i++)
        if (fetcher->transfers[i]->id != 0)
            fetcher_cancel(fetcher, fetcher->transfers[i]);
}

/* Returns the transfer of an answer, which is one of its members. */
static cw_fetch_transfer *transfer_of_response(const crawl_fetcher *fetcher, const crawl_response *response)
{
    const char *at = (const char *)response - offsetof(cw_fetch_transfer, response);
    return fetcher->transfers[((const cw_fetch_transfer *)(const void *)at)->index];
}

void crawl_fetch_keep(crawl_fetcher *fetcher, const crawl_response *response)
{
    cw_fetch_transfer *transfer = transfer_of_response(fetcher, response);
    transfer->kept = true;
    cw_fetch_bodies_end(&fetcher->bodies, &transfer->wait);
}

void crawl_fetch_give_back(crawl_fetcher *fetcher, const crawl_response *response)
{
    cw_fetch_transfer *transfer = transfer_of_response(fetcher, response);
    transfer->kept = false;
    if (!transfer->is_told)
        fetcher_let_go(fetcher, transfer);
    fetcher_wake(fetcher); /* bodies may be waiting for its room */
}

crawl_slice crawl_fetch_address(const crawl_fetcher *fetcher, uint64_t id)
{
    cw_fetch_transfer *transfer = fetcher_find(fetcher, id);
    return crawl_slice_from(transfer ? cw_fetch_transfer_ip(transfer) : "");
}

unsigned crawl_fetcher_running(const crawl_fetcher *fetcher)
{
    return fetcher->running;
}

void crawl_fetcher_stats_get(const crawl_fetcher *fetcher, crawl_fetcher_stats *out)
{
    const cw_dns_resolver_stats *stats = &fetcher->resolver_stats;
    *out = (crawl_fetcher_stats){
        .waiting_for_names = atomic_load_explicit(&stats->waiting, memory_order_relaxed),
        .names_asked = atomic_load_explicit(&stats->asked, memory_order_relaxed),
        .names_cached = atomic_load_explicit(&stats->cached, memory_order_relaxed),
        .names_failed = atomic_load_explicit(&stats->failed, memory_order_relaxed),
        .body_bytes = atomic_load_explicit(&fetcher->bodies.bytes, memory_order_relaxed),
        .bodies_waiting = atomic_load_explicit(&fetcher->bodies.paused, memory_order_relaxed),
        .held = atomic_load_explicit(&fetcher->throttle.held, memory_order_relaxed),
    };
}
