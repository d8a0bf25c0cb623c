#include "crawler/engine/reserve.h"

#include "crawler/engine/ending.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/visit/connections.h"
#include "crawler/engine/worker.h"

#include <sched.h>
#include <unistd.h>

enum {
    COMPUTES = 500, /* thousandths of each processor: a server on the same machine may use the rest */
    WAITS = 250,
    LEAST_ACTIVE = 2 /* one of them may be in a hook */
};

unsigned cw_engine_processors(void)
{
    cpu_set_t set;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    int allowed = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
    return allowed > 0 ? (unsigned)allowed : online > 0 ? (unsigned)online : 1;
}

unsigned cw_engine_reserve_few(unsigned workers, unsigned processors)
{
    unsigned few = processors > LEAST_ACTIVE ? processors : LEAST_ACTIVE;
    return few < workers ? few : workers;
}

unsigned cw_engine_reserve_active(unsigned active, unsigned workers, unsigned processors, unsigned busy)
{
    if (busy >= COMPUTES * processors)
        return cw_engine_reserve_few(workers, processors);
    return busy < WAITS * processors ? workers : active;
}

/* Call with connections_lock held. */
static void share_out(crawl_engine *engine)
{
    unsigned connections = atomic_load(&engine->connections);
    unsigned active = atomic_load(&engine->active);
    for (unsigned i = 0; i < engine->worker_count; i++)
        cw_visit_connections_set(&engine->workers[i]->maker, cw_engine_part_of(connections, i, active));
}

void cw_engine_reserve_share(crawl_engine *engine, unsigned connections)
{
    pthread_mutex_lock(&engine->connections_lock);
    atomic_store(&engine->connections, connections);
    share_out(engine);
    pthread_mutex_unlock(&engine->connections_lock);
    cw_engine_wake(engine); /* they may have room for more */
}

void cw_engine_reserve_look(crawl_engine *engine, unsigned busy)
{
    pthread_mutex_lock(&engine->connections_lock);
    unsigned active = atomic_load(&engine->active);
    unsigned wanted = cw_engine_reserve_active(active, engine->worker_count, engine->processors, busy);
    if (wanted != active) {
        atomic_store(&engine->active, wanted);
        share_out(engine);
    }
    pthread_mutex_unlock(&engine->connections_lock);
    if (wanted != active)
        cw_engine_wake(engine);
}
