/* The parts of a live view, for its own files. live.c begins and ends it, and answers requests. */
#pragma once

#include "crawler/program/live/control.h"
#include "crawler/program/live/course/breakdown.h"
#include "crawler/program/live/course/timeline.h"
#include "crawler/program/live/events.h"
#include "crawler/program/live/live.h"

#include <crawl/sys/explain.h>
#include <event2/http.h>
#include <event2/listener.h>
#include <pthread.h>

struct cw_live {
    const crawl_config *config;
    crawl_listen listened;
    crawl_buf url;
    int socket; /* -1: the server owns it */
    int wake;   /* an eventfd; a write ends the loop */
    struct event_base *base;
    struct evhttp *http;
    struct evconnlistener *listener;
    struct event *stop;
    struct event *tick;
    cw_live_connections connections;
    cw_live_events events;
    cw_live_journal journal; /* used by all threads, as is breakdown */
    cw_live_breakdown breakdown;
    crawl_engine *engine;
    crawl_engine_stats stats;
    crawl_shared_crew crew; /* of a shared crawl */
    int64_t stats_us;       /* when stats were read, monotonic; 0: not yet */
    int64_t started_ms;     /* since 1970, UTC */
    cw_live_history history;
    cw_live_timeline timeline;
    crawl_buf identity; /* JSON; made before the thread starts */
    crawl_buf body;
    cw_live_control control;
    bool has_made_token;
    crawl_judge *judge; /* made for the first explanation of a URL */
    int64_t walk_us;    /* earliest next walk over all hosts, monotonic */
    pthread_t thread;
    bool has_thread;
};
