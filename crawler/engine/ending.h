/* How a crawl ends: what ends it, who is told, what of it may still be done; and who is waiting for something to do
 * until then. Depends on no part of the engine but its frontier and its list of walled hosts, so that all parts may
 * call it. */
#pragma once

#include "crawler/engine/counters.h"

#include <crawl/engine.h>
#include <pthread.h>
#include <stdatomic.h>

struct event;

/* The thing that a worker's thread sleeps on. */
typedef struct cw_engine_waker {
    int fd;                           /* an eventfd; readable: look for something to do */
    struct event *again;              /* of the worker's loop: makes it look too, at a time */
    struct event *when_idle;          /* likewise, when there is nothing else to do; both for its own thread */
    atomic_bool runs;                 /* thread is set */
    _Atomic pthread_t thread;         /* that the loop runs on */
    atomic_bool waiting;              /* the worker has asked the frontier in vain, or is about to ask */
    char apart[CW_ENGINE_CACHE_LINE]; /* from the next worker's: waiting is written with each request */
} cw_engine_waker;

/* From any thread and from signal handlers. */
void cw_engine_waker_ring(cw_engine_waker *waker);

/* Makes the worker look when its loop has nothing else to do, and after some milliseconds in any case. On its own
 * thread alone. */
void cw_engine_waker_look_when_idle(cw_engine_waker *waker);

/* Wakes all workers, whether they wait or not: there is more to see to than requests. */
void cw_engine_wake(crawl_engine *engine);
/* Wakes one of the workers that wait, each in its turn: there may be something to ask for. It takes all that it has
 * room for, and hands on what is left. On its own thread a worker is woken without a word to the system. */
void cw_engine_wake_one(crawl_engine *engine);

/* The crawl ends; the first reason stands. From any thread and from signal handlers. */
void cw_engine_end(crawl_engine *engine, crawl_end how);
/* It fails, which stands above all other ends. words, and what the code says, are told to whoever runs the crawl. */
void cw_engine_fail(crawl_engine *engine, crawl_err err, const char *words);
bool cw_engine_ended(const crawl_engine *engine);
bool cw_engine_failed(const crawl_engine *engine);
/* Ends the crawl at crawl.max_pages and crawl.max_bytes. */
void cw_engine_end_at_limits(crawl_engine *engine);
/* Ends the crawl at crawl.max_time. */
void cw_engine_watch_time(crawl_engine *engine);
/* Tells on_notice. */
void cw_engine_notice(crawl_engine *engine, const crawl_buf *words);

/* Once the crawl has ended, what is under way has so much time. */
#define CW_ENGINE_GRACE_MS 5000

/* May another request be asked for? Not once the crawl has ended, while it is paused or held, or without a ticket. */
bool cw_engine_takes(crawl_engine *engine);
/* Likewise a part of a page, which has a ticket already. */
bool cw_engine_takes_parts(crawl_engine *engine);

/* Under max_pages each page takes a ticket right before it is asked for and gives it back if no answer comes, so that
 * exactly that many are answered. */
bool cw_engine_take_ticket(crawl_engine *engine);
void cw_engine_return_ticket(crawl_engine *engine);
/* It was answered, and is not given back any more. */
void cw_engine_use_ticket(crawl_engine *engine);

/* The frontier has nothing left: ends the crawl, unless on_idle has more. */
void cw_engine_drained(crawl_engine *engine);
/* The frontier has nothing for now. Without revisit this ends a crawl in which further visits alone are left; with
 * CRAWL_REVISIT_DUE one in which such visits are left that are not due. A URL that waits for hosts that are given up
 * for their walls keeps no crawl alive. */
void cw_engine_waits(crawl_engine *engine);
/* It gives a page for a further visit. False: the visit is not to be made, since the crawl ends without revisit where
 * such visits alone are left. */
bool cw_engine_wants_visit(crawl_engine *engine);
