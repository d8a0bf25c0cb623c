/* Drops a crawl. Finds its keys by their names, since there is no list of hosts that have nothing queued. */
#include "shared/protocol/protocol_state.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"
#include "redis/client.h"

#include <crawl/sys/shared_view.h>
#include <stdio.h>
#include <stdlib.h>

#define GLOB "*?[]^-\\" /* special in a pattern of the server */

typedef struct drop {
    crawl_redis *redis;
    crawl_shared_dropped *done;
    void *user;
    uint64_t keys;
    char start[CW_SHARED_NAME_MAX + 2]; /* prefix of the crawl's keys, and perhaps of others: "{NAME" */
    char crawl[CW_SHARED_KEY_MAX];      /* the key to delete last, so that an interrupted drop can be repeated */
    crawl_buf cursor;                   /* of the search; "0": it has ended */
    crawl_slice *words;                 /* of the next UNLINK */
    size_t room;
    bool is_last;
} drop;

static void drop_search(drop *d);

static void drop_finish(drop *d, crawl_err err, const char *words)
{
    crawl_error error = {0};
    if (err)
        crawl_error_set(&error, err, "%s", words);
    d->done(d->user, err, &error, d->keys);
    crawl_buf_free(&d->cursor);
    free(d->words);
    free(d);
}

/* Returns true if the answer has come and is of this type. Otherwise ends the drop. */
static bool drop_is_answered(drop *d, const crawl_redis_answer *said, crawl_redis_type type)
{
    if (said->fault)
        drop_finish(d, CRAWL_ENET, *said->words ? said->words : crawl_redis_fault_words(said->fault));
    else if (said->reply->type != type)
        drop_finish(d, CRAWL_ENET, "the answer does not match the command");
    else
        return true;
    return false;
}

static void drop_on_unlinked(void *user, const crawl_redis_answer *said)
{
    drop *d = user;
    if (!drop_is_answered(d, said, CRAWL_REDIS_NUMBER))
        return;
    d->keys += (uint64_t)said->reply->number;
    if (d->is_last)
        drop_finish(d, CRAWL_OK, "");
    else
        drop_search(d);
}

/* Deletes the keys that follow the first of the words, and goes on. */
static void drop_unlink(drop *d, size_t count)
{
    crawl_err err;
    if (count == 1) {
        drop_search(d);
        return;
    }
    d->words[0] = crawl_slice_from("UNLINK");
    err = crawl_redis_send(d->redis, d->words, count, drop_on_unlinked, d);
    if (err)
        drop_finish(d, err, crawl_strerror(err));
}

static bool drop_is_own(const drop *d, crawl_slice key)
{
    crawl_slice rest = key;
    bool is_named = cw_take_text(&rest, d->start);
    return is_named && cw_starts_with(cw_drop(rest, cw_shared_partition_size(rest)), "}") && !cw_is(key, d->crawl);
}

static void drop_on_found(void *user, const crawl_redis_answer *said)
{
    drop *d = user;
    size_t count = 1;
    if (!drop_is_answered(d, said, CRAWL_REDIS_ARRAY))
        return;
    crawl_slice cursor = cw_shared_text_of(cw_shared_item_of(said->reply, 0));
    const crawl_redis_reply *found = cw_shared_item_of(said->reply, 1);
    size_t most = found ? found->count + 1 : 1;
    crawl_buf_clear(&d->cursor);
    if (!cursor.size || CW_ARRAY_RESERVE(d->words, d->room, most, most) ||
        crawl_buf_append(&d->cursor, cursor.data, cursor.size)) {
        drop_finish(d, CRAWL_ENOMEM, crawl_strerror(CRAWL_ENOMEM));
        return;
    }
    for (size_t i = 0; cw_shared_item_of(found, i); i++) {
        crawl_slice key = cw_shared_text_of(&found->items[i]);
        if (drop_is_own(d, key))
            d->words[count++] = key;
    }
    drop_unlink(d, count);
}

/* Looks for more keys. If there are none, deletes the last. */
static void drop_search(drop *d)
{
    char pattern[sizeof d->start + 1];
    crawl_err err;
    snprintf(pattern, sizeof pattern, "%s*", d->start);
    for (size_t i = strcspn(d->start, GLOB); d->start[i]; i += 1 + strcspn(d->start + i + 1, GLOB))
        pattern[i] = '?';
    d->is_last = d->cursor.size && strcmp(d->cursor.data, "0") == 0;
    if (d->is_last)
        err = crawl_redis_send_texts(d->redis, drop_on_unlinked, d, "UNLINK", d->crawl, NULL);
    else
        err = crawl_redis_send_texts(d->redis, drop_on_found, d, "SCAN", d->cursor.size ? d->cursor.data : "0", "MATCH",
                                     pattern, "COUNT", "1000", NULL);
    if (err)
        drop_finish(d, err, crawl_strerror(err));
}

crawl_err crawl_shared_drop(crawl_redis *redis, const char *name, crawl_shared_dropped *done, void *user,
                            crawl_error *error)
{
    crawl_err err = cw_shared_check_name(name, error);
    if (err)
        return err;
    if (cw_redis_is_cluster(redis))
        return crawl_error_set(error, CRAWL_EINVAL,
                               "a crawl in a Redis Cluster cannot be dropped here: delete its keys on each master");
    drop *d = malloc(sizeof *d);
    if (!d)
        return cw_error(error, CRAWL_ENOMEM);
    *d = (drop){.redis = redis, .done = done, .user = user};
    snprintf(d->start, sizeof d->start, "{%s", name);
    snprintf(d->crawl, sizeof d->crawl, "{%s}:crawl", name);
    drop_search(d);
    return CRAWL_OK;
}
