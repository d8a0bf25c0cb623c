#include "frontier/disk/stage/settler.h"

#include "base/thread.h"
#include "frontier/disk/disk.h"
#include "frontier/disk/stage/settle.h"
#include "frontier/state.h"

#define WHOLE 1000u /* thousandths */

static void tell_waiting(void *user)
{
    cw_disk_settler *settler = user;
    pthread_mutex_lock(&settler->guard);
    if (settler->waiting)
        pthread_cond_broadcast(&settler->advanced);
    pthread_mutex_unlock(&settler->guard);
}

/* A caller that begins a settling while this one is ending finds the thread working, and does not wake it. */
static void settler_settle_all(cw_disk_settler *settler)
{
    cw_disk_settling *settling = &cw_disk_of(settler->frontier)->settling;
    crawl_err err;
    do {
        pthread_mutex_lock(&settling->work);
        err = cw_disk_settle_on(settler->frontier, &settler->stop, tell_waiting, settler);
        pthread_mutex_unlock(&settling->work);
        atomic_store(&settler->working, false);
    } while (!err && !atomic_load(&settler->stop) && cw_disk_settling_is_under_way(settling) &&
             !atomic_exchange(&settler->working, true));
    tell_waiting(settler);
}

static void *settler_run(void *argument)
{
    cw_disk_settler *settler = argument;
    pthread_mutex_lock(&settler->guard);
    while (!atomic_load(&settler->stop)) {
        if (!settler->asked) {
            pthread_cond_wait(&settler->wanted, &settler->guard);
            continue;
        }
        settler->asked = false;
        pthread_mutex_unlock(&settler->guard);
        settler_settle_all(settler);
        pthread_mutex_lock(&settler->guard);
    }
    pthread_mutex_unlock(&settler->guard);
    return NULL;
}

static crawl_err make_locks(cw_disk_settler *settler)
{
    if (pthread_mutex_init(&settler->guard, NULL))
        return CRAWL_ENOMEM;
    if (pthread_cond_init(&settler->wanted, NULL))
        goto destroy_guard;
    if (pthread_cond_init(&settler->advanced, NULL) == 0)
        return CRAWL_OK;
    pthread_cond_destroy(&settler->wanted);
destroy_guard:
    pthread_mutex_destroy(&settler->guard);
    return CRAWL_ENOMEM;
}

static void destroy_locks(cw_disk_settler *settler)
{
    pthread_cond_destroy(&settler->advanced);
    pthread_cond_destroy(&settler->wanted);
    pthread_mutex_destroy(&settler->guard);
}

crawl_err cw_disk_settler_start(cw_disk_settler *settler, crawl_frontier *frontier)
{
    *settler = (cw_disk_settler){.frontier = frontier};
    if (make_locks(settler))
        return CRAWL_ENOMEM;
    if (cw_thread_start(&settler->thread, settler_run, settler) == 0)
        return CRAWL_OK;
    destroy_locks(settler);
    return CRAWL_ENOMEM;
}

void cw_disk_settler_stop(cw_disk_settler *settler)
{
    pthread_mutex_lock(&settler->guard);
    atomic_store(&settler->stop, true);
    pthread_cond_signal(&settler->wanted);
    pthread_mutex_unlock(&settler->guard);
    pthread_join(settler->thread, NULL);
    destroy_locks(settler);
}

static void settler_wake(cw_disk_settler *settler)
{
    if (atomic_exchange(&settler->working, true))
        return;
    pthread_mutex_lock(&settler->guard);
    settler->asked = true;
    pthread_cond_signal(&settler->wanted);
    pthread_mutex_unlock(&settler->guard);
}

/* A stage without any room always counts as more than full: each call waits until all is settled. */
static unsigned settler_fill_of(const cw_disk *disk)
{
    const cw_disk_stage *stage = &disk->windows.stage;
    uint64_t filled = stage->limit ? stage->bytes[stage->odd] * WHOLE / stage->limit : 2 * WHOLE;
    uint64_t logged = (uint64_t)disk->donelog.names.count * WHOLE / disk->donelog.room;
    uint64_t more = filled > logged ? filled : logged;
    return more < 2 * WHOLE ? (unsigned)more : 2 * WHOLE;
}

/* Returns true if too many hosts are in memory, and the stage keeps many of them there. */
static bool keeps_hosts(const crawl_frontier *frontier)
{
    const cw_disk *disk = cw_disk_of(frontier);
    uint64_t hosts = cw_map_count(frontier->hosts.map);
    return hosts > 2 * disk->rest.most && 2 * disk->windows.stage.count > hosts;
}

void cw_disk_settle_if_due(crawl_frontier *frontier)
{
    cw_disk *disk = cw_disk_of(frontier);
    const cw_disk_stage *stage = &disk->windows.stage;
    bool due =
        stage->bytes[stage->odd] > stage->limit || cw_disk_donelog_is_full(&disk->donelog) || keeps_hosts(frontier);
    if (due && !cw_disk_settling_is_under_way(&disk->settling))
        (void)cw_disk_settle_begin(frontier);
    atomic_store_explicit(&disk->settler.filled, settler_fill_of(disk), memory_order_relaxed);
    if (disk->running && cw_disk_settling_is_under_way(&disk->settling))
        settler_wake(&disk->settler);
}

/* Returns the settled part in thousandths of the changes, each of which is written and then told. */
static unsigned settled_part(cw_disk_settling *settling)
{
    size_t done = atomic_load(&settling->written) + atomic_load(&settling->told);
    size_t all = 2 * atomic_load(&settling->all);
    return all ? (unsigned)(done * WHOLE / all) : 0;
}

static bool settler_must_wait(cw_disk_settler *settler)
{
    return atomic_load(&settler->working) &&
           atomic_load(&settler->filled) > WHOLE / 2 + settled_part(&cw_disk_of(settler->frontier)->settling) / 2;
}

void cw_disk_settler_wait(cw_disk_settler *settler)
{
    if (!settler_must_wait(settler))
        return;
    pthread_mutex_lock(&settler->guard);
    settler->waiting++;
    while (settler_must_wait(settler))
        pthread_cond_wait(&settler->advanced, &settler->guard);
    settler->waiting--;
    pthread_mutex_unlock(&settler->guard);
}
