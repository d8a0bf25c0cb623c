/* The beginning and the end of a joint frontier. The crawl is joined before the thread begins, on the thread of the
 * caller, who waits for it. */
#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "shared/store/joint_join.h"

#include <event2/event.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

enum { WORKER_MAX = 100 };

/* ---- what is given ---- */

static bool joint_open_copy_text(const char *from, char **to)
{
    *to = from ? strdup(from) : NULL;
    return !from || *to;
}

/* "HOST-PROCESS-RANDOM" */
static char *make_worker(void)
{
    char name[WORKER_MAX] = {0};
    char host[48] = {0};
    uint64_t salt = (uint64_t)cw_clock_us(CLOCK_BOOTTIME);
    (void)gethostname(host, sizeof host - 1);
    (void)!getrandom(&salt, sizeof salt, 0);
    snprintf(name, sizeof name, "%s-%ld-%016" PRIx64, host, (long)getpid(), salt);
    return strdup(name);
}

/* Under DFS what a page brings goes before all that its host has queued: nothing of it is taken ahead. */
static unsigned window_of(const crawl_frontier_options *options, unsigned window)
{
    bool is_exact = options->order == CRAWL_ORDER_DFS && options->per_host < window;
    return is_exact ? options->per_host : window;
}

static crawl_err copy_options(cw_joint *joint, const crawl_shared_options *shared)
{
    const crawl_redis_url *url = shared->url;
    joint->options = *shared;
    joint->options.window = window_of(&joint->frontier->options, shared->window);
    joint->url = (crawl_redis_url){.tls = url->tls, .port = url->port, .db = url->db};
    bool copied =
        joint_open_copy_text(url->path, &joint->url.path) && joint_open_copy_text(url->host, &joint->url.host) &&
        joint_open_copy_text(url->user, &joint->url.user) && joint_open_copy_text(shared->password, &joint->password) &&
        joint_open_copy_text(shared->ca_file, &joint->ca_file) && joint_open_copy_text(shared->name, &joint->name) &&
        joint_open_copy_text(shared->worker, &joint->worker);
    if (copied && !joint->worker)
        joint->worker = make_worker();
    return copied && joint->worker ? CRAWL_OK : CRAWL_ENOMEM;
}

/* ---- the connection ---- */

static void joint_open_learn_time(cw_joint *joint)
{
    int64_t time_us;
    int64_t bound_us;
    int64_t before_us = cw_clock_us(CLOCK_BOOTTIME); /* so that what comes between makes it later, and never earlier */
    if (crawl_redis_time(joint->redis, cw_now_us(), &time_us, &bound_us))
        return;
    int64_t took_us = cw_clock_us(CLOCK_BOOTTIME) - before_us;
    pthread_mutex_lock(&joint->frontier->lock);
    joint->server_us = time_us + bound_us - before_us;
    joint->server_within_us = 2 * bound_us + took_us;
    pthread_mutex_unlock(&joint->frontier->lock);
}

static void joint_open_tell(cw_joint *joint, crawl_redis_fault fault, const char *words)
{
    char text[400];
    bool is_away = fault != CRAWL_REDIS_OK;
    if (!joint->has_thread || !cw_away_tells(&joint->away, is_away, cw_now_us()))
        return;
    if (is_away)
        snprintf(text, sizeof text, "redis is away: %s; it is tried again", words);
    if (joint->options.on_words)
        joint->options.on_words(joint->options.user, is_away ? text : "redis is back");
}

static void joint_open_on_state(void *user, crawl_redis_fault fault, const char *words)
{
    cw_joint *joint = user;
    bool is_up = fault == CRAWL_REDIS_OK;
    if (is_up)
        joint_open_learn_time(joint);
    cw_frontier_enter(joint->frontier, INT64_MIN);
    joint->is_up = is_up;
    pthread_cond_broadcast(&joint->looked);
    cw_frontier_leave(joint->frontier);
    joint->knows_crawl = joint->knows_crawl && is_up;
    snprintf(joint->words, sizeof joint->words, "%.199s", words);
    joint_open_tell(joint, fault, words);
    if (!joint->has_thread)
        cw_joint_join_on_state(joint, fault, words);
    else if (!is_up)
        cw_joint_fault(joint, fault == CRAWL_REDIS_PROTOCOL ? CRAWL_REDIS_AWAY : fault, words);
}

static void on_push_fault(void *user, crawl_redis_fault fault, const char *words)
{
    char text[300];
    cw_joint *joint = user;
    bool is_news = fault == CRAWL_REDIS_NOREPLICAS && !joint->was_short;
    snprintf(text, sizeof text, "redis: %s; no page is done until they have it", words);
    if (is_news && joint->options.on_words)
        joint->options.on_words(joint->options.user, text);
    joint->was_short = joint->was_short || is_news;
    cw_joint_fault(user, fault, words);
}

/* ---- the thread ---- */

static void joint_open_on_tick(evutil_socket_t fd, short what, void *user)
{
    (void)fd;
    (void)what;
    cw_joint_turn(user);
}

static void joint_open_on_wake(evutil_socket_t fd, short what, void *user)
{
    (void)what;
    uint64_t count;
    ssize_t got = read(fd, &count, sizeof count); /* one read takes all that was rung */
    (void)got;
    cw_joint_turn(user);
}

/* With all signals blocked: they are the process's, but for SIGPIPE, which a server that goes away would bring. */
static void *joint_open_run(void *user)
{
    cw_joint *joint = user;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    event_base_dispatch(joint->base);
    return NULL;
}

static void joint_open_wake(cw_joint *joint)
{
    uint64_t one = 1;
    ssize_t written = write(joint->wake_fd, &one, sizeof one);
    (void)written;
}

static crawl_err joint_open_start_thread(cw_joint *joint)
{
    const struct timeval every = {.tv_usec = CW_JOINT_TICK_MS * 1000};
    if (event_add(joint->tick, &every) || event_add(joint->wake, NULL))
        return CRAWL_ENOMEM;
    joint->has_thread = true;
    if (pthread_create(&joint->thread, NULL, joint_open_run, joint) == 0)
        return CRAWL_OK;
    joint->has_thread = false;
    return CRAWL_EIO;
}

/* ---- made ---- */

static cw_shared_seen seen_of(const cw_joint *joint)
{
    if (joint->options.dupefilter)
        return CW_SHARED_DUPEFILTER;
    return joint->frontier->options.seen.kind == CRAWL_BLOOM_EXACT ? CW_SHARED_EXACT : CW_SHARED_SCALABLE;
}

static crawl_err create_shared(cw_joint *joint, crawl_error *error)
{
    const crawl_frontier_options *options = &joint->frontier->options;
    const cw_shared_options shared = {.redis = joint->redis,
                                      .name = joint->name,
                                      .worker = joint->worker,
                                      .seen = seen_of(joint),
                                      .rate = options->seen.fpr,
                                      .capacity = options->seen.capacity,
                                      .newest_first = options->order == CRAWL_ORDER_DFS,
                                      .lease_ms = joint->options.lease_ms,
                                      .replicas = joint->options.replicas};
    crawl_err err = cw_shared_create(&shared, &joint->shared, error);
    if (err)
        return err;
    const cw_shared_outbox_options outbox = {.shared = joint->shared, .on_fault = on_push_fault, .user = joint};
    if (cw_shared_outbox_create(&outbox, &joint->outbox))
        return cw_error(error, CRAWL_ENOMEM);
    return CRAWL_OK;
}

/* A server that is silent for long costs the hosts that this process has, unless a new connection finds it. */
static int64_t patience_ms(const cw_joint *joint)
{
    enum { SHORTEST_MS = 2000, LONGEST_MS = 10000 };
    int64_t third = joint->options.lease_ms / 3;
    return third < SHORTEST_MS ? SHORTEST_MS : third < LONGEST_MS ? third : LONGEST_MS;
}

static crawl_err joint_open_create_loop(cw_joint *joint, crawl_error *error)
{
    joint->base = event_base_new();
    joint->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (!joint->base || joint->wake_fd < 0)
        return cw_error(error, CRAWL_EIO);
    joint->tick = event_new(joint->base, -1, EV_PERSIST, joint_open_on_tick, joint);
    joint->wake = event_new(joint->base, joint->wake_fd, EV_READ | EV_PERSIST, joint_open_on_wake, joint);
    if (!joint->tick || !joint->wake)
        return cw_error(error, CRAWL_ENOMEM);
    const crawl_redis_options options = {.size = sizeof options,
                                         .base = joint->base,
                                         .url = &joint->url,
                                         .password = joint->password,
                                         .name = "crawl",
                                         .ca_file = joint->ca_file,
                                         .timeout_ms = patience_ms(joint),
                                         .on_state = joint_open_on_state,
                                         .user = joint};
    return crawl_redis_open(&options, &joint->redis, error);
}

/* NULL: no memory. */
static cw_joint *create_joint(void)
{
    cw_joint *joint = calloc(1, sizeof *joint);
    if (joint && cw_joint_look_create_condition(&joint->looked))
        return joint;
    free(joint);
    return NULL;
}

static void free_empty(cw_joint *joint)
{
    if (!joint)
        return;
    pthread_cond_destroy(&joint->looked);
    free(joint);
}

static crawl_err create_memory(cw_joint *joint)
{
    uint64_t remembers = joint->options.remembers;
    for (joint->met_slots = remembers > 0; joint->met_slots && joint->met_slots < remembers;)
        joint->met_slots *= 2;
    if (joint->met_slots)
        joint->met = calloc(joint->met_slots, sizeof *joint->met);
    return !joint->met_slots || joint->met ? CRAWL_OK : CRAWL_ENOMEM;
}

static crawl_err joint_open_start(cw_joint *joint, const crawl_shared_options *shared, crawl_error *error)
{
    crawl_err err = copy_options(joint, shared);
    if (err || create_memory(joint) || cw_joint_cookies_open(joint))
        return cw_error(error, CRAWL_ENOMEM);
    err = joint_open_create_loop(joint, error);
    if (!err)
        err = create_shared(joint, error);
    if (!err)
        err = cw_joint_join_wait(joint, error);
    if (!err && joint_open_start_thread(joint))
        err = cw_error(error, CRAWL_EIO);
    return err;
}

/* The frontier's own seen-set stays empty: that of the crawl is in Redis. */
static crawl_err make_frontier(const crawl_frontier_options *options, crawl_frontier **out, crawl_error *error)
{
    crawl_bloom *seen = NULL;
    crawl_bloom_options none;
    crawl_bloom_options_init(&none);
    none.kind = CRAWL_BLOOM_EXACT;
    none.capacity = 1000;
    crawl_err err = crawl_bloom_create(&none, &seen, error);
    return err ? err : cw_frontier_make(options, seen, out, error);
}

static void set_ends(crawl_frontier *frontier);

crawl_err cw_joint_join(const crawl_shared_options *shared, const crawl_frontier_options *options, crawl_frontier **out,
                        bool *made, crawl_error *error)
{
    crawl_error own = {0};
    crawl_frontier *frontier = NULL;
    error = error ? error : &own;
    cw_joint *joint = create_joint();
    crawl_err err = joint ? CRAWL_OK : cw_error(error, CRAWL_ENOMEM);
    if (!err)
        err = make_frontier(options, &frontier, error);
    if (err) {
        free_empty(joint);
        return err;
    }
    frontier->hosts.away = true;
    frontier->options.fingerprints = options->fingerprints; /* for the join alone */
    joint->frontier = frontier;
    joint->wake_fd = -1;
    joint->epoch = 1;
    joint->fed = shared->feeding;
    joint->feeding = shared->feeding;
    joint->best_server_us = INT64_MAX;
    joint->has_moved = true;
    cw_joint_budget_open(joint);
    for (size_t i = 0; i < CW_SHARED_PARTITIONS; i++)
        joint->partitions[i].joint = joint;
    cw_joint_store(frontier, joint);
    set_ends(frontier);
    err = joint_open_start(joint, shared, error);
    frontier->options.fingerprints = NULL;
    if (err) {
        cw_frontier_abandon(frontier);
        return err;
    }
    if (made)
        *made = joint->made;
    *out = frontier;
    return CRAWL_OK;
}

/* ---- the end ---- */

static void end_thread(cw_joint *joint, atomic_bool *how)
{
    if (!joint->has_thread)
        return;
    atomic_store(how, true);
    joint_open_wake(joint);
    pthread_join(joint->thread, NULL);
    joint->has_thread = false;
}

static crawl_err close_joint(crawl_frontier *frontier, crawl_error *error)
{
    cw_joint *joint = cw_joint_of(frontier);
    end_thread(joint, &joint->closing);
    crawl_err err = (crawl_err)atomic_load(&joint->failed);
    if (err) {
        if (error)
            *error = joint->failure;
        return err;
    }
    return joint->gave_back ? CRAWL_OK
                            : crawl_error_set(error, CRAWL_ENET,
                                              "redis is away: what this process has comes back to the crawl when its "
                                              "time is over");
}

static void stop_joint(crawl_frontier *frontier)
{
    cw_joint *joint = cw_joint_of(frontier);
    end_thread(joint, &joint->stopping);
    crawl_redis_free(joint->redis); /* answers all that is under way; the frontier is whole still */
    joint->redis = NULL;
}

static void joint_open_free_event(struct event *event)
{
    if (event)
        event_free(event);
}

static void free_joint(crawl_frontier *frontier)
{
    cw_joint *joint = cw_joint_of(frontier);
    cw_shared_outbox_free(joint->outbox);
    cw_shared_free(joint->shared);
    cw_joint_notes_free(joint);
    cw_joint_places_free(joint);
    cw_joint_bodies_free(joint);
    cw_joint_cookies_free(joint);
    cw_joint_crew_free(joint);
    cw_joint_offer_free(joint);
    cw_joint_stray_free(joint);
    for (size_t i = 0; i < joint->hold_count; i++)
        cw_joint_hold_free(joint->holds[i]);
    free(joint->holds);
    free(joint->by_number);
    free(joint->leaving);
    joint_open_free_event(joint->tick);
    joint_open_free_event(joint->wake);
    if (joint->base) {
        event_base_loop(joint->base, EVLOOP_NONBLOCK); /* what libevent frees late */
        event_base_free(joint->base);
    }
    if (joint->wake_fd >= 0)
        close(joint->wake_fd);
    char *texts[] = {joint->password, joint->ca_file,  joint->name,    joint->worker,
                     joint->url.path, joint->url.host, joint->url.user};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    free_empty(joint);
}

/* Of the store, what belongs to whoever has opened it. */
static void set_ends(crawl_frontier *frontier)
{
    frontier->store.close = close_joint;
    frontier->store.stop = stop_joint;
    frontier->store.free = free_joint;
}
