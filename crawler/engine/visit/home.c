#include "crawler/engine/visit/home.h"

#include "crawler/engine/ending.h"
#include "crawler/engine/visit/visit.h"
#include "crawler/engine/worker.h"

#include <stdlib.h>

enum { BUSIER_PERMILLE = 200 };

struct cw_visit_sent {
    crawl_lease lease;
    cw_host_record *host;
    STAILQ_ENTRY(cw_visit_sent) link;
};

static void set_open(cw_visit_inbox *inbox, bool open)
{
    pthread_mutex_lock(&inbox->lock);
    inbox->open = open;
    pthread_mutex_unlock(&inbox->lock);
}

void cw_visit_home_open(cw_visit_maker *maker)
{
    set_open(&maker->inbox, true);
}

void cw_visit_home_close(cw_visit_maker *maker)
{
    set_open(&maker->inbox, false);
    cw_visit_home_return(maker);
}

void cw_visit_home_settle(cw_visit *visit)
{
    if (visit->maker->engine->worker_count > 1)
        atomic_store_explicit(&visit->host->home, visit->maker->index + 1, memory_order_relaxed);
}

/* ---- sending ---- */

static unsigned busy(const cw_visit_maker *maker)
{
    return atomic_load_explicit(&maker->busy, memory_order_relaxed);
}

static bool is_under_way(cw_host_record *host)
{
    cw_host_record_lock(host);
    bool is = host->gate.running > 0;
    cw_host_record_unlock(host);
    return is;
}

/* Returns the maker that the lease should go to; NULL: this one. */
static cw_visit_maker *home_of(const cw_visit *visit)
{
    const cw_visit_maker *own = visit->maker;
    unsigned number = atomic_load_explicit(&visit->host->home, memory_order_relaxed);
    if (!number || number - 1 == own->index)
        return NULL;
    cw_visit_maker *home = &own->engine->workers[number - 1]->maker;
    if (busy(home) > busy(own) + BUSIER_PERMILLE || is_under_way(visit->host))
        return NULL;
    return home;
}

static bool home_put(cw_visit_maker *home, cw_visit_sent *sent)
{
    cw_visit_inbox *inbox = &home->inbox;
    pthread_mutex_lock(&inbox->lock);
    bool has_room = atomic_load(&home->running) + inbox->count < atomic_load(&home->allowed);
    bool takes = inbox->open && has_room;
    if (takes) {
        STAILQ_INSERT_TAIL(&inbox->sent, sent, link);
        inbox->count++;
    }
    pthread_mutex_unlock(&inbox->lock);
    return takes;
}

bool cw_visit_home_send(cw_visit *visit)
{
    cw_visit_maker *home = home_of(visit);
    cw_visit_sent *sent = home ? malloc(sizeof *sent) : NULL;
    if (!sent)
        return false;
    *sent = (cw_visit_sent){.lease = visit->lease, .host = visit->host};
    if (!home_put(home, sent)) {
        free(sent);
        return false;
    }
    visit->host = NULL; /* the other maker releases it */
    cw_visit_maker_release(visit);
    cw_engine_waker_ring(home->waker);
    return true;
}

/* ---- taking ---- */

bool cw_visit_home_take(cw_visit *visit)
{
    cw_visit_inbox *inbox = &visit->maker->inbox;
    pthread_mutex_lock(&inbox->lock);
    cw_visit_sent *sent = STAILQ_FIRST(&inbox->sent);
    if (sent) {
        STAILQ_REMOVE_HEAD(&inbox->sent, link);
        inbox->count--;
    }
    pthread_mutex_unlock(&inbox->lock);
    if (!sent)
        return false;
    visit->lease = sent->lease;
    visit->host = sent->host;
    free(sent);
    return true;
}

void cw_visit_home_return(cw_visit_maker *maker)
{
    cw_visit *visit = cw_visit_maker_take(maker);
    while (visit && cw_visit_home_take(visit)) {
        cw_visit_end(visit, CRAWL_DONE_RETURN, 0);
        visit = cw_visit_maker_take(maker);
    }
    if (visit)
        cw_visit_maker_release(visit);
}
