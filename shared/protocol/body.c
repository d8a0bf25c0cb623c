/* Pages whose body another page had before: which of all that workers fetch was the first is decided by one key. */
#include "shared/protocol/protocol_state.h"

#include <stdlib.h>

typedef struct body_call {
    cw_shared_body_told *done;
    void *user;
} body_call;

static void body_on_first(void *user, const crawl_redis_answer *said)
{
    body_call *b = user;
    bool is_strange = !said->fault && said->reply->type != CRAWL_REDIS_TEXT;
    crawl_redis_fault fault = is_strange ? CRAWL_REDIS_PROTOCOL : said->fault;
    b->done(b->user, fault, is_strange ? CW_SHARED_STRANGE : said->words, fault ? (crawl_slice){0} : said->reply->text);
    free(b);
}

crawl_err cw_shared_ask_body(cw_shared *shared, const uint8_t *digest, crawl_slice url, uint64_t most,
                             cw_shared_body_told *done, void *user)
{
    cw_shared_words words;
    crawl_slice key = crawl_slice_of((const char *)digest, CW_SHARED_PRINT);
    crawl_slice kept = url.size <= CW_SHARED_BODY_URL_MAX ? url : (crawl_slice){0};
    body_call *b = malloc(sizeof *b);
    if (!b)
        return CRAWL_ENOMEM;
    *b = (body_call){.done = done, .user = user};
    crawl_err err = cw_shared_words_make(shared, cw_shared_partition(key), 3, &words);
    if (!err) {
        cw_shared_add_number(&words, (int64_t)((most + CW_SHARED_PARTITIONS - 1) / CW_SHARED_PARTITIONS));
        cw_shared_add(&words, key);
        cw_shared_add(&words, kept);
        err = cw_shared_send(shared, CW_SHARED_BODIES, &words, body_on_first, b);
    }
    if (err)
        free(b);
    return err;
}
