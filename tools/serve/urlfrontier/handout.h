/* Hand-outs, the answers of GetURLs. A hand-out visits each queue of a crawl, or of all crawls, at most once, and takes
 * as many due URLs of each as the client wants. It proceeds in steps, as its client reads. */
#pragma once

#include "tools/serve/grpc/grpc.h"
#include "tools/serve/urlfrontier/crawl.h"

extern const cw_grpc_method cw_service_get_urls;

/* Ends the turn of a queue that is about to be removed. */
void cw_service_handout_leave(struct cw_service_handout *handout);
/* Does the same for all queues of a crawl. Clients that read slowly may be in the middle of a turn. */
void cw_service_handout_leave_crawl(const cw_service_crawl *crawl);
