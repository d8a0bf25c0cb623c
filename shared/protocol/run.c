/* Runs: which requests that were kept for later are due, decided by one date for all workers that are there at once. */
#include "shared/protocol/protocol_state.h"

#include <stdlib.h>

typedef struct run_call {
    cw_shared *shared;
    cw_shared_ran *done;
    void *user;
    bool takes_part;
} run_call;

static void on_run(void *user, const crawl_redis_answer *said)
{
    run_call *r = user;
    int64_t date = said->fault ? 0 : cw_shared_number(said->reply, -1);
    bool is_strange = date < 0 || date > CW_SHARED_MS_MAX || (r->takes_part && !said->fault && !date);
    if (!said->fault && !is_strange && r->takes_part)
        r->shared->due_ms = date;
    r->done(r->user, is_strange ? CRAWL_REDIS_PROTOCOL : said->fault, is_strange ? CW_SHARED_STRANGE : said->words);
    free(r);
}

crawl_err cw_shared_run(cw_shared *shared, bool takes_part, cw_shared_ran *done, void *user)
{
    cw_shared_words words;
    run_call *r = malloc(sizeof *r);
    if (!r)
        return CRAWL_ENOMEM;
    *r = (run_call){.shared = shared, .done = done, .user = user, .takes_part = takes_part};
    crawl_err err = cw_shared_words_make(shared, CW_SHARED_WHOLE, 3, &words);
    if (!err) {
        cw_shared_add_number(&words, shared->options.lease_ms);
        cw_shared_add(&words, crawl_slice_from(shared->options.worker));
        cw_shared_add(&words, crawl_slice_from(takes_part ? "1" : "0"));
        err = cw_shared_send(shared, CW_SHARED_RUN, &words, on_run, r);
    }
    if (err)
        free(r);
    return err;
}

int64_t cw_shared_run_date(const cw_shared *shared)
{
    return shared->due_ms;
}
