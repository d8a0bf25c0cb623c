/* See reader.h. hiredis calls a function for each value that it has read. These functions build the reply in place,
 * with the items of an array side by side. */
#include "redis/reader.h"

#include "base/bytes.h"
#include "base/error.h"

#include <hiredis/hiredis.h>
#include <stdlib.h>

enum { LENGTH_LINE_MAX = 32 }; /* bytes of a length; a longer line is not a length */

struct cw_redis_reader {
    redisReader *reader;
    redisReplyObjectFunctions functions;
    size_t bytes; /* of the present reply */
    size_t items;
    const char *beyond; /* why the reply was refused; NULL: it was not */
};

#if HIREDIS_MAJOR >= 1
typedef size_t array_size;
#else
typedef int array_size;
#endif

/* ---- building ---- */

static void *reader_refuse(const redisReadTask *task, const char *why)
{
    cw_redis_reader *reader = task->privdata;
    reader->beyond = why;
    return NULL; /* hiredis takes this for a lack of memory */
}

/* Returns the place of the task's value: an item of its array, or a new reply. NULL: out of memory. */
static crawl_redis_reply *reader_place_of(const redisReadTask *task)
{
    if (!task->parent)
        return calloc(1, sizeof(crawl_redis_reply));
    crawl_redis_reply *array = task->parent->obj;
    return &array->items[task->idx];
}

/* Frees a value that could not be filled. One in an array goes with its array. */
static void *reader_give_up(const redisReadTask *task, crawl_redis_reply *reply)
{
    if (!task->parent)
        free(reply);
    return NULL;
}

static void *create_text(const redisReadTask *task, char *text, size_t size)
{
    cw_redis_reader *reader = task->privdata;
    if (task->type != REDIS_REPLY_STRING && task->type != REDIS_REPLY_STATUS && task->type != REDIS_REPLY_ERROR)
        return reader_refuse(task, "a type of RESP 3, which was not asked for");
    if (size > CRAWL_REDIS_REPLY_BYTES - reader->bytes)
        return reader_refuse(task, "a reply of more than 64 MiB");
    crawl_redis_reply *reply = reader_place_of(task);
    char *copy = reply ? malloc(size + 1) : NULL;
    if (!copy)
        return reader_give_up(task, reply);
    memcpy(copy, text, size);
    copy[size] = '\0';
    reader->bytes += size;
    reply->type = task->type == REDIS_REPLY_ERROR ? CRAWL_REDIS_ERROR : CRAWL_REDIS_TEXT;
    reply->text = crawl_slice_of(copy, size);
    return reply;
}

static unsigned reader_depth_of(const redisReadTask *task)
{
    unsigned depth = 1;
    for (; task->parent && depth <= CRAWL_REDIS_REPLY_DEPTH; task = task->parent)
        depth++;
    return depth;
}

static void *create_array(const redisReadTask *task, array_size count)
{
    cw_redis_reader *reader = task->privdata;
    if (task->type != REDIS_REPLY_ARRAY)
        return reader_refuse(task, "a type of RESP 3, which was not asked for");
    if (reader_depth_of(task) > CRAWL_REDIS_REPLY_DEPTH)
        return reader_refuse(task, "more than 7 nested arrays");
    if ((size_t)count > CRAWL_REDIS_REPLY_ITEMS - reader->items)
        return reader_refuse(task, "a reply of more than 1,048,576 items");
    crawl_redis_reply *reply = reader_place_of(task);
    crawl_redis_reply *items = reply && count ? calloc((size_t)count, sizeof *items) : NULL;
    if (!reply || (count && !items))
        return reader_give_up(task, reply);
    reader->items += (size_t)count;
    reply->type = CRAWL_REDIS_ARRAY;
    reply->count = (size_t)count;
    reply->items = items;
    return reply;
}

static void *create_number(const redisReadTask *task, long long number)
{
    crawl_redis_reply *reply = reader_place_of(task);
    if (!reply)
        return NULL;
    reply->type = CRAWL_REDIS_NUMBER;
    reply->number = number;
    return reply;
}

static void *create_nil(const redisReadTask *task)
{
    return reader_place_of(task); /* nil is all zeros */
}

static void release_parts(crawl_redis_reply *reply)
{
    for (size_t i = 0; i < reply->count; i++)
        release_parts(&reply->items[i]);
    free(reply->items);
    free((char *)reply->text.data);
}

void cw_redis_reply_free(crawl_redis_reply *reply)
{
    if (!reply)
        return;
    release_parts(reply);
    free(reply);
}

static void free_object(void *object)
{
    cw_redis_reply_free(object);
}

#if HIREDIS_MAJOR >= 1
static void *refuse_double(const redisReadTask *task, double, char *, size_t)
{
    return reader_refuse(task, "a type of RESP 3, which was not asked for");
}

static void *refuse_bool(const redisReadTask *task, int)
{
    return reader_refuse(task, "a type of RESP 3, which was not asked for");
}
#endif

static const redisReplyObjectFunctions functions = {
    .createString = create_text,
    .createArray = create_array,
    .createInteger = create_number,
    .createNil = create_nil,
    .freeObject = free_object,
#if HIREDIS_MAJOR >= 1
    .createDouble = refuse_double,
    .createBool = refuse_bool,
#endif
};

/* ---- reading ---- */

cw_redis_reader *cw_redis_reader_create(void)
{
    cw_redis_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return NULL;
    reader->functions = functions; /* hiredis wants a mutable table */
    reader->reader = redisReaderCreateWithFunctions(&reader->functions);
    if (!reader->reader) {
        free(reader);
        return NULL;
    }
    reader->reader->privdata = reader;
    return reader;
}

void cw_redis_reader_free(cw_redis_reader *reader)
{
    if (!reader)
        return;
    redisReaderFree(reader->reader);
    free(reader);
}

crawl_err cw_redis_reader_feed(cw_redis_reader *reader, const void *bytes, size_t size)
{
    return redisReaderFeed(reader->reader, bytes, size) == REDIS_OK ? CRAWL_OK : CRAWL_ENOMEM;
}

static crawl_err reader_fail(cw_redis_reader *reader, crawl_error *error)
{
    if (reader->beyond)
        return crawl_error_set(error, CRAWL_EPARSE, "%s", reader->beyond);
    if (reader->reader->err == REDIS_ERR_OOM)
        return cw_error(error, CRAWL_ENOMEM);
    return crawl_error_set(error, CRAWL_EPARSE, "not RESP: %.100s", reader->reader->errstr);
}

/* Returns true if hiredis has read the type of a bulk string, whose length comes next. */
static bool is_bulk(const redisReader *hiredis)
{
#if HIREDIS_MAJOR >= 1
    return hiredis->ridx >= 0 && hiredis->task[hiredis->ridx]->type == REDIS_REPLY_STRING;
#else
    return hiredis->ridx >= 0 && hiredis->rstack[hiredis->ridx].type == REDIS_REPLY_STRING;
#endif
}

/* Returns why the value is refused before all of it is there, or NULL. hiredis would buffer any announced size. */
static const char *too_much(const redisReader *hiredis)
{
    crawl_slice rest = crawl_slice_of(hiredis->buf + hiredis->pos, hiredis->len - hiredis->pos);
    if (!is_bulk(hiredis))
        return rest.size > CRAWL_REDIS_REPLY_LINE ? "a line of more than 64 KiB" : NULL;
    size_t end = cw_find_char(rest, '\n');
    if (end > LENGTH_LINE_MAX)
        return "an unterminated length";
    bool is_long = end < rest.size && strtoll(rest.data, NULL, 10) > (long long)CRAWL_REDIS_REPLY_BYTES;
    return is_long ? "a reply of more than 64 MiB" : NULL;
}

crawl_err cw_redis_reader_next(cw_redis_reader *reader, crawl_redis_reply **out, crawl_error *error)
{
    redisReader *hiredis = reader->reader;
    void *reply = NULL;
    if (hiredis->err || reader->beyond || redisReaderGetReply(hiredis, &reply) != REDIS_OK)
        return reader_fail(reader, error);
    if (!reply) {
        reader->beyond = too_much(hiredis);
        return reader->beyond ? reader_fail(reader, error) : CRAWL_AGAIN;
    }
    reader->bytes = reader->items = 0;
    *out = reply;
    return CRAWL_OK;
}
