/* The renders' own structure, for the files of this folder. */
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
    uint64_t id;      /* of the renderer */
    uint64_t number;  /* of its request in the frontier; 0: it waits for that of another part */
    bool is_answered; /* one of the two below is set */
    bool is_get;
    bool is_shared; /* another page's part may have its answer */
    cw_renders_answer *answer;
    crawl_render_refusal refusal;
    crawl_buf key; /* as the cache has it */
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
    int wake_fd; /* an eventfd: workers have left something to do */
    pthread_t thread;
    bool has_thread;
    crawl_url *url;         /* of the thread */
    cw_renders_cache cache; /* likewise */
    uint64_t run;           /* random: part of the name of each part's request */
    uint64_t numbers;       /* of parts, so far */
    int64_t wait_ms;        /* for which a page waits for its parts */
    unsigned most;          /* pages at once, from which on cw_renders_is_full */
    atomic_uint pages;      /* not taken back */
    atomic_bool ends;
    pthread_mutex_t lock; /* of what follows */
    cw_renders_pages waiting, rendered, done;
    cw_renders_parts parts;
    crawl_engine_renders figures;
};

/* The bytes that name a part's request in the frontier (crawl_request.memo). */
enum { CW_RENDERS_MEMO_SIZE = 16 };

/* Takes a request of a page, on the renders' thread: user is the page, whose `renders` it is of. */
void cw_renders_parts_on_part(cw_renders *renders, cw_renders_page *page, const crawl_render_part *told);
/* Hands the answers over that workers have left. */
void cw_renders_parts_answer(cw_renders *renders);
/* Forgets the parts of a page that is over. */
void cw_renders_parts_drop(cw_renders *renders, const cw_renders_page *page);
void cw_renders_parts_free(cw_renders *renders);

/* Makes the thread look. */
static inline void cw_renders_ring(const cw_renders *renders)
{
    const uint64_t one = 1;
    ssize_t written = write(renders->wake_fd, &one, sizeof one);
    (void)written; /* a full counter wakes as well */
}
