/* The methods of the service by subject. serve.c has the table of all. */
#pragma once

#include "tools/serve/grpc/grpc.h"

/* crawls.c: the service and its crawls. */
extern const cw_grpc_method cw_service_list_nodes;
extern const cw_grpc_method cw_service_list_crawls;
extern const cw_grpc_method cw_service_delete_crawl;
extern const cw_grpc_method cw_service_get_stats;
extern const cw_grpc_method cw_service_set_active;
extern const cw_grpc_method cw_service_get_active;
extern const cw_grpc_method cw_service_set_log_level;

/* queues.c */
extern const cw_grpc_method cw_service_list_queues;
extern const cw_grpc_method cw_service_delete_queue;
extern const cw_grpc_method cw_service_block_queue_until;
extern const cw_grpc_method cw_service_set_delay;
extern const cw_grpc_method cw_service_set_crawl_limit;

/* urls.c */
extern const cw_grpc_method cw_service_get_url_status;
extern const cw_grpc_method cw_service_list_urls;
extern const cw_grpc_method cw_service_count_urls;
extern const cw_grpc_method cw_service_purge_urls;

/* puts.c */
extern const cw_grpc_method cw_service_put_urls;
extern const cw_grpc_method cw_service_put_discovered;

#define CW_SERVICE_PATH "/urlfrontier.URLFrontier/"
