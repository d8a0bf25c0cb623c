/* Hand-outs: what GetURLs gives. One goes round the queues of a crawl, or of all, once at most, and gives of each as
 * many due URLs as its client wants. It goes in steps, as its client reads. */
#pragma once

#include "tools/serve/grpc/grpc.h"
#include "tools/serve/urlfrontier/crawl.h"

extern const cw_grpc_method cw_service_get_urls;

/* The queue is about to go. */
void cw_service_handout_leave(struct cw_service_handout *handout);
/* All queues of the crawl are: clients that read slowly may be in the middle of a turn. */
void cw_service_handout_leave_crawl(const cw_service_crawl *crawl);
