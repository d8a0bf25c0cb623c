/* Opens and closes a joint frontier. Opening joins the crawl on the caller's thread, and waits for it, before the
 * frontier's thread begins. */
#include "base/away.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/sized.h"
#include "base/thread.h"
#include "shared/store/budget.h"
#include "shared/store/hold.h"
#include "shared/store/joint.h"
#include "shared/store/joint_clock.h"
#include "shared/store/joint_cookies.h"
#include "shared/store/joint_crew.h"
#include "shared/store/joint_join.h"
#include "shared/store/joint_notes.h"
#include "shared/store/joint_seeds.h"
#include "shared/store/joint_sessions.h"
#include "shared/store/lone.h"
#include "shared/store/look.h"
#include "shared/store/offer.h"
#include "shared/store/partitions.h"
#include "shared/store/places.h"
#include "shared/store/spread.h"
#include "shared/store/stray.h"
#include "shared/store/turns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

enum { WORKER_MAX = 100 };

/* All parts and the connection's own data, in one allocation. */
typedef struct joint_opened {
    cw_joint joint; /* first: its address is that of the whole */
    cw_joint_clock clock;
    cw_joint_holds holds;
    cw_joint_partitions partitions;
    cw_joint_pushes pushes;
    cw_joint_seeds seeds;
    cw_joint_strays strays;
    cw_joint_lones lones;
    cw_joint_places places;
    cw_joint_turns turns;
    cw_joint_notes notes;
    cw_joint_budget budget;
    cw_joint_runs runs;
    cw_joint_crew crew;
    cw_joint_spread spread;
    cw_joint_renewal renewal;
    cw_joint_look look;
    cw_joint_joining joining;
    crawl_redis_url url;
    char *password, *ca_file;
    cw_away away;
} joint_opened;

static joint_opened *opened_of(cw_joint *joint)
{
    return (joint_opened *)joint;
}

/* ---- options ---- */

void crawl_shared_options_init(crawl_shared_options *options, size_t size)
{
    const crawl_shared_options own = {.lease_ms = 30000,
                                      .hosts = 512,
                                      .window = 32,
                                      .remembers = 1u << 20,
                                      .owed_bytes = 32u << 20,
                                      .bodies = 1000000};
    cw_sized_fill(options, size, &own, sizeof own);
}

static crawl_err joint_open_take_shared(const crawl_shared_options *given, crawl_shared_options *shared,
                                        crawl_error *error)
{
    crawl_shared_options_init(shared, sizeof *shared);
    if (!cw_sized_copy(shared, sizeof *shared, given))
        return cw_sized_refused(given, sizeof *shared, "crawl_shared_options", error);
    return CRAWL_OK;
}

static crawl_err joint_open_check(const crawl_shared_options *shared, const crawl_frontier_options *options,
                                  crawl_error *error)
{
    if (options->seen.kind != CRAWL_BLOOM_SCALABLE && options->seen.kind != CRAWL_BLOOM_EXACT)
        return crawl_error_set(error, CRAWL_EINVAL, "seen: a shared crawl needs scalable or exact, not %s",
                               crawl_bloom_kind_name(options->seen.kind));
    if (shared->dupefilter && options->seen.kind != CRAWL_BLOOM_EXACT)
        return crawl_error_set(error, CRAWL_EINVAL, "seen: sharing with spiders of scrapy-redis needs exact, not %s",
                               crawl_bloom_kind_name(options->seen.kind));
    if (!shared->hosts)
        return crawl_error_set(error, CRAWL_EINVAL, "hosts: below 1");
    if (shared->window < 1 || shared->window > CW_SHARED_WINDOW_MAX)
        return crawl_error_set(error, CRAWL_EINVAL, "window: not 1 to %u", CW_SHARED_WINDOW_MAX);
    return CRAWL_OK;
}

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

/* Under DFS the links of a page precede everything its host has queued, so nothing is taken ahead. */
static unsigned window_of(const crawl_frontier_options *options, unsigned window)
{
    bool is_exact = options->order == CRAWL_ORDER_DFS && options->per_host < window;
    return is_exact ? options->per_host : window;
}

static crawl_err copy_options(cw_joint *joint, const crawl_shared_options *shared)
{
    const crawl_redis_url *url = shared->url;
    joint_opened *opened = opened_of(joint);
    joint->options = *shared;
    joint->options.window = window_of(&joint->frontier->options, shared->window);
    opened->url = (crawl_redis_url){.tls = url->tls, .port = url->port, .db = url->db};
    bool copied =
        joint_open_copy_text(url->path, &opened->url.path) && joint_open_copy_text(url->host, &opened->url.host) &&
        joint_open_copy_text(url->user, &opened->url.user) &&
        joint_open_copy_text(shared->password, &opened->password) &&
        joint_open_copy_text(shared->ca_file, &opened->ca_file) && joint_open_copy_text(shared->name, &joint->name) &&
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
    int64_t before_us = cw_clock_us(CLOCK_BOOTTIME); /* before the call, so that its duration makes the result later,
                                                        and never earlier */
    if (crawl_redis_time(joint->redis, cw_now_us(), &time_us, &bound_us))
        return;
    int64_t took_us = cw_clock_us(CLOCK_BOOTTIME) - before_us;
    pthread_mutex_lock(&joint->frontier->lock);
    cw_joint_clock_set(joint->clock, time_us + bound_us - before_us, 2 * bound_us + took_us);
    pthread_mutex_unlock(&joint->frontier->lock);
}

static void joint_open_tell(cw_joint *joint, crawl_redis_fault fault, const char *words)
{
    char text[400];
    bool is_away = fault != CRAWL_REDIS_OK;
    if (!joint->thread.has_begun || !cw_away_tells(&opened_of(joint)->away, is_away, cw_now_us()))
        return;
    if (is_away)
        snprintf(text, sizeof text, "redis is unavailable: %s; retrying", words);
    cw_joint_say(joint, is_away ? text : "redis is back");
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
    joint->look->knows_crawl = joint->look->knows_crawl && is_up;
    joint_open_tell(joint, fault, words);
    if (!joint->thread.has_begun)
        cw_joint_join_on_state(joint, fault, words);
    else if (!is_up)
        cw_joint_fault(joint, fault == CRAWL_REDIS_PROTOCOL ? CRAWL_REDIS_AWAY : fault, words);
}

static void joint_open_on_news(void *user, unsigned partition)
{
    cw_joint_stir(user, partition, 0);
}

static void on_push_fault(void *user, crawl_redis_fault fault, const char *words)
{
    char text[300];
    cw_joint *joint = user;
    bool is_refused = cw_joint_is_refused_write(fault, words);
    bool is_news = fault == CRAWL_REDIS_NOREPLICAS && !is_refused && !joint->faults.was_short;
    snprintf(text, sizeof text, "redis: %s; pages are done only when they do", words);
    if (is_news)
        cw_joint_say(joint, text);
    joint->faults.was_short = joint->faults.was_short || is_news;
    cw_joint_fault(user, fault, words);
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
    const cw_shared_outbox_options outbox = {
        .shared = joint->shared, .on_fault = on_push_fault, .on_news = joint_open_on_news, .user = joint};
    if (cw_shared_outbox_create(&outbox, &joint->pushes->outbox))
        return cw_error(error, CRAWL_ENOMEM);
    return CRAWL_OK;
}

/* A server that is silent for long costs this process its hosts, unless a new connection reaches it. */
static int64_t patience_ms(const cw_joint *joint)
{
    enum { SHORTEST_MS = 2000, LONGEST_MS = 10000 };
    int64_t third = joint->options.lease_ms / 3;
    return third < SHORTEST_MS ? SHORTEST_MS : third < LONGEST_MS ? third : LONGEST_MS;
}

static crawl_err joint_open_connect(cw_joint *joint, crawl_error *error)
{
    const joint_opened *opened = opened_of(joint);
    const crawl_redis_options options = {.size = sizeof options,
                                         .base = joint->thread.base,
                                         .url = &opened->url,
                                         .password = opened->password,
                                         .name = "crawl",
                                         .ca_file = opened->ca_file,
                                         .timeout_ms = patience_ms(joint),
                                         .on_state = joint_open_on_state,
                                         .user = joint};
    return crawl_redis_open(&options, &joint->redis, error);
}

/* NULL: out of memory. */
static cw_joint *create_joint(void)
{
    joint_opened *made = calloc(1, sizeof *made);
    if (!made || cw_condition_init(&made->joint.looked)) {
        free(made);
        return NULL;
    }
    cw_joint *joint = &made->joint;
    joint->clock = &made->clock;
    joint->holds = &made->holds;
    joint->partitions = &made->partitions;
    joint->pushes = &made->pushes;
    joint->seeds = &made->seeds;
    joint->strays = &made->strays;
    joint->lones = &made->lones;
    joint->places = &made->places;
    joint->turns = &made->turns;
    joint->notes = &made->notes;
    joint->budget = &made->budget;
    joint->runs = &made->runs;
    joint->crew = &made->crew;
    joint->spread = &made->spread;
    joint->renewal = &made->renewal;
    joint->look = &made->look;
    joint->joining = &made->joining;
    return joint;
}

static void free_empty(cw_joint *joint)
{
    if (!joint)
        return;
    pthread_cond_destroy(&joint->looked);
    free(opened_of(joint));
}

static crawl_err joint_open_start(cw_joint *joint, const crawl_shared_options *shared, crawl_error *error)
{
    crawl_err err = copy_options(joint, shared);
    if (err || cw_joint_offer_open(joint->pushes, shared->remembers) || cw_joint_cookies_open(joint))
        return cw_error(error, CRAWL_ENOMEM);
    err = cw_joint_loop_create(joint, error);
    if (!err)
        err = joint_open_connect(joint, error);
    if (!err)
        err = create_shared(joint, error);
    if (!err)
        err = cw_joint_join_wait(joint, error);
    if (!err && cw_joint_loop_start(joint))
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

/* ---- close ---- */

static crawl_err close_joint(crawl_frontier *frontier, crawl_error *error)
{
    cw_joint *joint = cw_joint_of(frontier);
    cw_joint_loop_end(joint, &joint->thread.closing);
    crawl_err err = (crawl_err)atomic_load(&joint->faults.failed);
    if (err) {
        if (error)
            *error = joint->faults.failure;
        return err;
    }
    return joint->thread.gave_back
               ? CRAWL_OK
               : crawl_error_set(error, CRAWL_ENET,
                                 "redis is unavailable: the hosts of this process return to the crawl when its "
                                 "lease ends");
}

static void stop_joint(crawl_frontier *frontier)
{
    cw_joint *joint = cw_joint_of(frontier);
    cw_joint_loop_end(joint, &joint->thread.stopping);
    crawl_redis_free(joint->redis); /* answers everything under way; the frontier is still complete */
    joint->redis = NULL;
}

static void free_joint(crawl_frontier *frontier)
{
    cw_joint *joint = cw_joint_of(frontier);
    joint_opened *opened = opened_of(joint);
    cw_joint_offer_free(joint->pushes);
    cw_shared_free(joint->shared);
    cw_joint_notes_free(joint->notes);
    cw_joint_places_free(joint->places);
    cw_joint_turns_free(joint->turns);
    cw_joint_bodies_free(joint);
    cw_joint_cookies_free(joint);
    cw_joint_crew_free(joint->crew);
    cw_joint_links_free(joint->seeds->first);
    cw_joint_strays_free(joint->strays);
    cw_joint_lones_free(joint->lones);
    cw_joint_holds_free(joint->holds);
    cw_joint_loop_free(&joint->thread);
    char *texts[] = {opened->password, opened->ca_file,  joint->name,     joint->worker,
                     opened->url.path, opened->url.host, opened->url.user};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    free_empty(joint);
}

/* ---- open ---- */

/* Options must be complete and checked. */
static crawl_err joint_open_join(const crawl_shared_options *shared, const crawl_frontier_options *options,
                                 crawl_frontier **out, bool *made, crawl_error *error)
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
    frontier->options.fingerprints = options->fingerprints; /* for the join only */
    joint->frontier = frontier;
    joint->thread.wake_fd = -1;
    joint->order.epoch = 1;
    joint->seeds->fed = shared->feeding;
    joint->seeds->feeding = shared->feeding;
    joint->clock->best_us = INT64_MAX;
    joint->partitions->has_moved = true;
    cw_joint_budget_open(joint->budget);
    for (size_t i = 0; i < CW_SHARED_PARTITIONS; i++)
        joint->partitions->of[i] = (cw_joint_partition){.joint = joint, .due_us = INT64_MAX};
    cw_joint_store(frontier, joint);
    frontier->store.close = close_joint; /* set by the opener */
    frontier->store.stop = stop_joint;
    frontier->store.free = free_joint;
    err = joint_open_start(joint, shared, error);
    frontier->options.fingerprints = NULL;
    if (err) {
        cw_frontier_abandon(frontier);
        return err;
    }
    if (made)
        *made = joint->joining->made;
    *out = frontier;
    return CRAWL_OK;
}

crawl_err crawl_frontier_join(const crawl_shared_options *shared, const crawl_frontier_options *options,
                              crawl_frontier **out, bool *made, crawl_error *error)
{
    crawl_shared_options own_shared;
    crawl_frontier_options own;
    crawl_err err = joint_open_take_shared(shared, &own_shared, error);
    if (!err)
        err = cw_frontier_take_options(options, &own, error);
    own.by_depth = false;
    if (!err)
        err = joint_open_check(&own_shared, &own, error);
    return err ? err : joint_open_join(&own_shared, &own, out, made, error);
}
