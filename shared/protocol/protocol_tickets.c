/* What all workers together may use up: tickets for pages, of the crawl or of a place, and bytes. */
#include "shared/protocol/protocol_state.h"

#include <stdlib.h>

typedef struct ticket_call {
    cw_shared_ticketed *done;
    void *user;
} ticket_call;

enum { OWN, LEFT, OTHERS, BYTES, WORDS };

static void protocol_on_tickets(void *user, const crawl_redis_answer *said)
{
    ticket_call *t = user;
    int64_t figures[WORDS];
    cw_shared_tickets tickets = {.fault = said->fault, .words = said->words};
    for (size_t i = 0; i < WORDS && !tickets.fault; i++) {
        figures[i] = cw_shared_number(cw_shared_item_of(said->reply, i), -1);
        if (figures[i] < 0) {
            tickets.fault = CRAWL_REDIS_PROTOCOL;
            tickets.words = CW_SHARED_STRANGE;
        }
    }
    if (!tickets.fault) {
        tickets.had = (uint64_t)figures[OWN];
        tickets.left = (uint64_t)figures[LEFT];
        tickets.others = (uint64_t)figures[OTHERS];
        tickets.bytes = (uint64_t)figures[BYTES];
    }
    t->done(t->user, &tickets);
    free(t);
}

crawl_err cw_shared_take_tickets(cw_shared *shared, const cw_shared_wish *wish, cw_shared_ticketed *done, void *user)
{
    enum { OWN_WORDS = 7 };
    unsigned partition = wish->place.size ? cw_shared_partition(wish->place) : CW_SHARED_WHOLE;
    cw_shared_words words;
    ticket_call *t = malloc(sizeof *t);
    if (!t)
        return CRAWL_ENOMEM;
    *t = (ticket_call){.done = done, .user = user};
    crawl_err err = cw_shared_words_make(shared, partition, OWN_WORDS, &words);
    if (!err) {
        cw_shared_add_number(&words, shared->options.lease_ms);
        cw_shared_add(&words, crawl_slice_from(shared->options.worker));
        cw_shared_add_number(&words, (int64_t)wish->limit);
        cw_shared_add_number(&words, (int64_t)wish->wanted);
        cw_shared_add_number(&words, (int64_t)wish->used);
        cw_shared_add_number(&words, (int64_t)wish->bytes);
        cw_shared_add(&words, wish->place);
        err = cw_shared_send(shared, CW_SHARED_TICKETS, &words, protocol_on_tickets, t);
    }
    if (err)
        free(t);
    return err;
}
