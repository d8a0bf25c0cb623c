/* All calls that the server answers. */
#include "tools/serve/urlfrontier/methods.h"

#include "tools/serve/health.h"
#include "tools/serve/reflection.h"
#include "tools/serve/urlfrontier/handout.h"
#include "tools/serve/urlfrontier/service.h"

enum { METHODS = 24 };

static const cw_grpc_method *const all[METHODS] = {
    &cw_service_put_urls,          &cw_service_get_urls,        &cw_service_put_discovered, &cw_service_list_nodes,
    &cw_service_list_crawls,       &cw_service_delete_crawl,    &cw_service_get_stats,      &cw_service_set_active,
    &cw_service_get_active,        &cw_service_set_log_level,   &cw_service_list_queues,    &cw_service_delete_queue,
    &cw_service_set_delay,         &cw_service_set_crawl_limit, &cw_service_get_url_status, &cw_service_list_urls,
    &cw_service_count_urls,        &cw_service_purge_urls,      &cw_serve_health_check,     &cw_serve_health_watch,
    &cw_service_block_queue_until, &cw_serve_reflection,        &cw_serve_reflection_alpha, NULL,
};

const cw_grpc_method *const *cw_service_methods(void)
{
    return all;
}
