#include "redis/redis_request.h"

#include "redis/redis_slots.h"

#include <hiredis/hiredis.h>
#include <stdlib.h>

enum { TEXTS_MAX = 16 };

cw_redis_request *cw_redis_request_make(const crawl_slice *arguments, size_t count, crawl_redis_done done, void *user)
{
    const char **texts = malloc(count * sizeof *texts);
    size_t *sizes = malloc(count * sizeof *sizes);
    cw_redis_request *r = calloc(1, sizeof *r);
    long long size = -1;
    for (size_t i = 0; i < count && texts && sizes; i++) {
        texts[i] = arguments[i].size ? arguments[i].data : "";
        sizes[i] = arguments[i].size;
    }
    if (texts && sizes && r)
        size = redisFormatCommandArgv(&r->bytes, (int)count, texts, sizes);
    free(texts);
    free(sizes);
    if (size < 0) {
        free(r);
        return NULL;
    }
    r->size = (size_t)size;
    r->done = done;
    r->user = user;
    r->slot = cw_redis_slot_of(arguments, count, &r->is_script);
    return r;
}

cw_redis_request *cw_redis_request_of_texts(const char *const *texts, crawl_redis_done done, void *user)
{
    crawl_slice arguments[TEXTS_MAX];
    size_t count = 0;
    for (; texts[count] && count < TEXTS_MAX; count++)
        arguments[count] = crawl_slice_from(texts[count]);
    return cw_redis_request_make(arguments, count, done, user);
}

void cw_redis_request_end(cw_redis_request *request, crawl_redis_fault fault, const char *words,
                          const crawl_redis_reply *reply)
{
    const crawl_redis_answer said = {.fault = fault, .words = words, .reply = reply};
    if (request->done)
        request->done(request->user, &said);
    redisFreeCommand(request->bytes);
    free(request);
}

void cw_redis_requests_append(cw_redis_requests *list, cw_redis_request *request)
{
    request->next = NULL;
    *(list->last ? &list->last->next : &list->first) = request;
    list->last = request;
}

void cw_redis_requests_prepend(cw_redis_requests *list, cw_redis_request *request)
{
    request->next = list->first;
    list->first = request;
    if (!list->last)
        list->last = request;
}

cw_redis_request *cw_redis_requests_take(cw_redis_requests *list)
{
    cw_redis_request *request = list->first;
    if (!request)
        return NULL;
    list->first = request->next;
    if (!list->first)
        list->last = NULL;
    return request;
}
