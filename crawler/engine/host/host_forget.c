#include "crawler/engine/host/host_forget.h"

#include "crawler/engine/host/handover.h"
#include "crawler/engine/host/sites.h"
#include "crawler/engine/host/steer.h"
#include "crawler/engine/parts.h"

static bool may_go(const cw_host_record *host)
{
    return cw_host_steer_is_plain(host) && !cw_host_sites_is_pending(host);
}

static void host_forget_on_gone(void *user, cw_host_record *host)
{
    const crawl_engine *engine = user;
    cw_host_sites_forget(engine->sites, host);
}

void cw_host_forget_open(crawl_engine *engine)
{
    const cw_host_leaving leaving = {.may_go = may_go, .on_gone = host_forget_on_gone, .user = engine};
    cw_host_table_let_go(engine->host_table, &leaving);
}

void cw_host_forget(crawl_engine *engine, crawl_slice origin)
{
    cw_host_record *host = cw_host_table_find(engine->host_table, origin);
    if (host)
        cw_host_handover_give(engine, host);
    cw_host_record_release(host);
    cw_host_table_leave(engine->host_table, origin);
}
