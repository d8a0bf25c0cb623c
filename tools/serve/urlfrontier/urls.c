/* GetURLStatus: the record of one URL. */
#include "tools/serve/urlfrontier/methods.h"
#include "tools/serve/urlfrontier/service.h"
#include "tools/serve/urlfrontier/urlfrontier.pb-c.h"

static crawl_err urlfrontier_read_url(const cw_service *service, const Urlfrontier__URLStatusRequest *request,
                                      crawl_slice key, cw_service_record *record)
{
    crawl_fingerprint fingerprint;
    cw_service_crawl *crawl = cw_service_find(service, request->crawlid);
    const cw_service_queue *queue = crawl ? cw_service_queue_find(crawl, key) : NULL;
    if (!queue)
        return CRAWL_ABSENT;
    crawl_err err = cw_service_crawl_name(crawl, queue, crawl_slice_from(request->url), &fingerprint);
    return err ? err : cw_service_crawl_read(crawl, &fingerprint, record);
}

static void get_url_status(cw_grpc_call *call, ProtobufCMessage *message)
{
    const Urlfrontier__URLStatusRequest *request = (const Urlfrontier__URLStatusRequest *)message;
    crawl_slice key = cw_service_key(request->key, request->url);
    cw_service_record record;
    if (!key.size) {
        cw_grpc_finish(call, CW_GRPC_INVALID_ARGUMENT, "no key is given, and the URL has none");
        return;
    }
    crawl_err err = urlfrontier_read_url(cw_grpc_user(call), request, key, &record);
    if (err == CRAWL_ABSENT)
        cw_grpc_finish(call, CW_GRPC_NOT_FOUND, "the URL is not known");
    else if (!err)
        cw_service_send_item(call, &record);
    cw_service_end(call, err);
}

const cw_grpc_method cw_service_get_url_status = {.path = CW_SERVICE_PATH "GetURLStatus",
                                                  .request = &urlfrontier__urlstatus_request__descriptor,
                                                  .message = get_url_status};
