/* The structure of the renders, for the files of this folder. */
#pragma once

#include "crawler/engine/render/renders.h"
#include "crawler/engine/render/renders_cache.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

struct event;
struct event_base;

/* A request of a page that waits for its answer. */
typedef struct cw_renders_part {
    cw_renders_page *page;
    uint64_t id;      /* given by the renderer */
    uint64_t number;  /* of its request in the frontier; 0: it waits for another part */
    bool is_answered; /* `answer` or `refusal` is set */
    bool is_get;
    bool is_document; /* of a frame */
    bool is_shared;   /* a part of another page may share its answer */
    cw_renders_answer *answer;
    crawl_render_refusal refusal;
    crawl_buf key; /* of the cache */
    crawl_buf url, origin, method, headers, body;
    TAILQ_ENTRY(cw_renders_part) link;
} cw_renders_part;

typedef TAILQ_HEAD(cw_renders_pages, cw_renders_page) cw_renders_pages;
typedef TAILQ_HEAD(cw_renders_parts, cw_renders_part) cw_renders_parts;

struct cw_renders {
    crawl_engine *engine;
    crawl_renderer *renderer;
    struct event_base *base;
    struct event *wake;
    int wake_fd; /* an eventfd: workers have left work */
    pthread_t thread;
    bool has_thread;
    crawl_url *url;         /* for the thread only */
    cw_renders_cache cache; /* likewise */
    uint64_t run;           /* random: part of the name of each part's request */
    uint64_t numbers;       /* of parts so far */
    bool has_noticed;       /* that the browser does not start */
    int64_t wait_ms;        /* how long a page waits for its parts */
    unsigned most;          /* from this many pages on cw_renders_is_full is true */
    atomic_uint pages;      /* not taken back */
    atomic_bool ends;
    pthread_mutex_t lock; /* protects the members below */
    cw_renders_pages waiting, rendered, done;
    cw_renders_parts parts;
    crawl_engine_renders figures;
};

/* The bytes that name a part's request in the frontier (crawl_request.memo). */
enum { CW_RENDERS_MEMO_SIZE = 16 };

/* Takes a request of a page, on the renders' thread. told: as the renderer passes it. */
void cw_renders_parts_on_part(cw_renders *renders, cw_renders_page *page, const crawl_render_part *told);
/* Passes on the answers that workers have left. */
void cw_renders_parts_answer(cw_renders *renders);
/* Forgets the parts of an ended page. */
void cw_renders_parts_drop(cw_renders *renders, const cw_renders_page *page);
void cw_renders_parts_free(cw_renders *renders);

/* Wakes the thread. */
static inline void cw_renders_ring(const cw_renders *renders)
{
    const uint64_t one = 1;
    ssize_t written = write(renders->wake_fd, &one, sizeof one);
    (void)written; /* a full counter wakes it as well */
}
