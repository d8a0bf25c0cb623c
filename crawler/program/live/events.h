/* The stream of /events: server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) for so
 * many viewers at most.
 *
 *   requests   an array of the requests finished since the event before, several times a second
 *   end        the figures of /stats.json as the crawl ended, and nothing after it
 *
 * A viewer that reads slowly is passed over until it has read what it was sent, and sees by the numbers of the requests
 * that some are missing; one that takes nothing at all for a while loses its connection. Of the live view's thread. */
#ifndef CW_LIVE_EVENTS_H
#define CW_LIVE_EVENTS_H

#include "crawler/program/live/course/live_journal.h"
#include "crawler/program/live/live_connections.h"

#include <event2/event.h>

typedef struct cw_live_events {
    struct evhttp_request *viewers[CW_LIVE_KEPT]; /* NULL: none */
    cw_live_connections *connections;
    cw_live_journal *journal;
    struct event *tick;
    uint64_t sent; /* the number of the last request that viewers were told of */
    crawl_buf text;
} cw_live_events;

/* CRAWL_ENOMEM. */
crawl_err cw_live_events_open(cw_live_events *events, struct event_base *base, cw_live_connections *connections,
                              cw_live_journal *journal);

/* Answers the request, whose headers are set, by the stream. CRAWL_FULL: there are CW_LIVE_KEPT viewers, and it is not
 * answered. */
crawl_err cw_live_events_add(cw_live_events *events, struct evhttp_request *request);

/* Sends the last event to all viewers: the requests that they were not told of, and these figures, JSON of one line.
 * */
void cw_live_events_end(cw_live_events *events, crawl_slice figures);

/* To be called before the server is freed. */
void cw_live_events_close(cw_live_events *events);

#endif
