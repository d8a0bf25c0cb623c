/* Replies of a Redis server. The replies and the end must be the same however the bytes are split; the first byte
 * chooses how. */
#include "redis/reader.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Adds everything read to a sum, so that two readings can be compared. */
static uint64_t sum(uint64_t so_far, const crawl_redis_reply *reply)
{
    so_far = so_far * 31 + (uint64_t)reply->type;
    so_far = so_far * 31 + (uint64_t)reply->number;
    for (size_t i = 0; i < reply->text.size; i++)
        so_far = so_far * 31 + (unsigned char)reply->text.data[i];
    if (reply->text.data && reply->text.data[reply->text.size])
        abort();
    for (size_t i = 0; i < reply->count; i++)
        so_far = sum(so_far, &reply->items[i]);
    return so_far;
}

static uint64_t read_all(const uint8_t *data, size_t size, size_t piece)
{
    cw_redis_reader *reader = cw_redis_reader_create();
    uint64_t so_far = 0;
    crawl_err err = CRAWL_AGAIN;
    for (size_t at = 0; at < size && err == CRAWL_AGAIN; at += piece) {
        cw_redis_reader_feed(reader, data + at, piece < size - at ? piece : size - at);
        crawl_redis_reply *reply;
        while ((err = cw_redis_reader_next(reader, &reply, NULL)) == CRAWL_OK) {
            so_far = sum(so_far, reply);
            cw_redis_reply_free(reply);
        }
    }
    cw_redis_reader_free(reader);
    return so_far * 31 + (uint64_t)err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 1 << 16)
        return 0;
    if (read_all(data + 1, size - 1, 1 + data[0] % 16) != read_all(data + 1, size - 1, size))
        abort();
    return 0;
}
