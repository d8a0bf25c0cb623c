#include "redis/identity.h"

#include "base/bytes.h"

#include <string.h>

static void identity_copy_id(crawl_slice text, char id[CW_REDIS_ID_MAX + 1])
{
    size_t size = text.size < CW_REDIS_ID_MAX ? text.size : CW_REDIS_ID_MAX;
    memcpy(id, text.data, size);
    id[size] = '\0';
}

static bool is_zeros(crawl_slice text)
{
    size_t zeros = 0;
    while (zeros < text.size && text.data[zeros] == '0')
        zeros++;
    return zeros == text.size;
}

void cw_redis_identity_read(cw_redis_identity *identity, crawl_slice info)
{
    while (info.size) {
        crawl_slice line = cw_trim(cw_cut_line(&info));
        if (cw_take_text(&line, "run_id:"))
            identity_copy_id(line, identity->run);
        else if (cw_take_text(&line, "master_replid:"))
            identity_copy_id(line, identity->history);
        else if (cw_take_text(&line, "master_replid2:"))
            identity->was_replica = !is_zeros(line);
        else if (cw_take_text(&line, "aof_enabled:"))
            identity->has_log = cw_is(line, "1");
    }
}

void cw_redis_identity_read_sync(cw_redis_identity *identity, const crawl_redis_reply *reply)
{
    bool is_always = reply->type == CRAWL_REDIS_ARRAY && reply->count == 2 &&
                     reply->items[1].type == CRAWL_REDIS_TEXT && cw_is(reply->items[1].text, "always");
    identity->is_durable = identity->has_log && is_always;
}

bool cw_redis_identity_went_back(const cw_redis_identity *before, const cw_redis_identity *now)
{
    if (!*before->run || !*now->run)
        return true;
    bool is_same_data = strcmp(before->history, now->history) == 0;
    if (strcmp(before->run, now->run) == 0 && is_same_data)
        return false;
    bool is_kept = before->is_durable && now->is_durable && !(now->was_replica && !is_same_data);
    return !is_kept;
}
