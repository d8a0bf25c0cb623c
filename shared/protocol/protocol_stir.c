/* The words that partitions have something new: how they are said, and how they are read. */
#include "shared/protocol/protocol_state.h"

#include <stdlib.h>

typedef struct stir_call {
    cw_shared_done *done;
    void *user;
} stir_call;

static void on_stirred(void *user, const crawl_redis_answer *said)
{
    stir_call *s = user;
    s->done(s->user, said->fault, said->words);
    free(s);
}

crawl_err cw_shared_stir(cw_shared *shared, const unsigned *numbers, size_t count, cw_shared_done *done, void *user)
{
    cw_shared_words words;
    stir_call *s = malloc(sizeof *s);
    if (!s)
        return CRAWL_ENOMEM;
    *s = (stir_call){.done = done, .user = user};
    crawl_err err = cw_shared_words_make(shared, CW_SHARED_WHOLE, count, &words);
    if (!err) {
        for (size_t i = 0; i < count; i++)
            cw_shared_add_number(&words, numbers[i]);
        err = cw_shared_send(shared, CW_SHARED_STIR, &words, on_stirred, s);
    }
    if (err)
        free(s);
    return err;
}

crawl_err cw_shared_read_stirs(cw_shared *shared, crawl_redis_done done, void *user)
{
    return cw_shared_get(shared, "stirs", done, user);
}
