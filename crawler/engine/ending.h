/* How a crawl ends: what ends it, who is told, and what may still be done; and which workers wait for something to do
 * until then. Depends on no part of the engine except its frontier and its list of walled hosts, so that all parts may
 * call it. */
#pragma once

#include "crawler/engine/counters.h"

#include <crawl/engine.h>
#include <pthread.h>
#include <stdatomic.h>

struct event;

/* A worker's thread sleeps on this. */
typedef struct cw_engine_waker {
    int fd;                           /* an eventfd; readable: look for something to do */
    struct event *again;              /* in the worker's loop: makes it look too, at a time */
    struct event *when_idle;          /* likewise, when there is nothing else to do; both only for its own thread */
    atomic_bool runs;                 /* thread is set */
    _Atomic pthread_t thread;         /* the loop's thread */
    atomic_bool waiting;              /* the worker has asked the frontier in vain, or is about to ask */
    char apart[CW_ENGINE_CACHE_LINE]; /* separates it from the next worker's: waiting is written with each request */
} cw_engine_waker;

/* May be called from any thread and from signal handlers. */
void cw_engine_waker_ring(cw_engine_waker *waker);

/* Makes the worker look when its loop has nothing else to do, and after some milliseconds in any case. Call only on its
 * own thread. */
void cw_engine_waker_look_when_idle(cw_engine_waker *waker);

/* Wakes all workers, whether they wait or not: there may be more to do than a request. */
void cw_engine_wake(crawl_engine *engine);
/* Wakes one of the waiting workers, in turn: there may be something to ask for. It takes all that it has room for, and
 * passes on the rest. A worker is woken on its own thread without a system call. */
void cw_engine_wake_one(crawl_engine *engine);

/* Ends the crawl; the first reason stands. May be called from any thread and from signal handlers. */
void cw_engine_end(crawl_engine *engine, crawl_end how);
/* Makes the crawl fail, which overrides all other ends. words, and the meaning of the code, are reported to the person
 * who runs the crawl. */
void cw_engine_fail(crawl_engine *engine, crawl_err err, const char *words);
bool cw_engine_ended(const crawl_engine *engine);
bool cw_engine_failed(const crawl_engine *engine);
/* Ends the crawl at crawl.max_pages and crawl.max_bytes. */
void cw_engine_end_at_limits(crawl_engine *engine);
/* Ends the crawl at crawl.max_time. */
void cw_engine_watch_time(crawl_engine *engine);
/* Calls on_notice. */
void cw_engine_notice(crawl_engine *engine, const crawl_buf *words);

/* The time that requests under way have after the crawl has ended. */
#define CW_ENGINE_GRACE_MS 5000

/* Returns true if another request may be asked for: not after the crawl has ended, while it is paused or held, or
 * without a ticket. */
bool cw_engine_takes(crawl_engine *engine);
/* Likewise, for a part of a page, which has a ticket already. */
bool cw_engine_takes_parts(crawl_engine *engine);

/* Under max_pages each page takes a ticket right before it is asked for, and gives it back if no answer comes, so that
 * exactly that many are answered. */
bool cw_engine_take_ticket(crawl_engine *engine);
void cw_engine_return_ticket(crawl_engine *engine);
/* The page was answered: its ticket is not given back. */
void cw_engine_use_ticket(crawl_engine *engine);

/* The frontier has nothing left: ends the crawl, unless on_idle has more. */
void cw_engine_drained(crawl_engine *engine);
/* The frontier has nothing for now. Without revisit this ends a crawl that has only further visits left; with
 * CRAWL_REVISIT_DUE, one that has only further visits left that are not due. URLs that wait for hosts given up for
 * their walls do not keep a crawl alive. */
void cw_engine_waits(crawl_engine *engine);
/* The frontier gives a page for a further visit. False: the visit must not be made, since the crawl ends; without
 * revisit it does if only such visits are left. */
bool cw_engine_wants_visit(crawl_engine *engine);
