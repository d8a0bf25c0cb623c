/* The rendered pages of a crawl: one browser for all of them (<crawl/sys/render.h>), on its own thread.
 *
 * A worker hands a page in and takes it back when it is rendered (visit/render_visit.h). A request of the page becomes
 * an urgent request of the frontier, which a worker makes like any other (visit/render_visit.h), or is answered from a
 * cache of answers to other pages. While there are as many pages as the browser can do soon, workers lease only such
 * parts.
 *
 * Thread-safe, except for create, run and free. */
#pragma once

#include <crawl/engine.h>
#include <crawl/frontier.h>
#include <crawl/sys/render.h>
#include <sys/queue.h>

typedef struct cw_renders cw_renders;

/* A page to render, and its result. */
typedef struct cw_renders_page {
    /* Set by the asking worker: */
    unsigned worker;
    void *visit;
    uint32_t depth;
    const char *why;                /* see crawl_render_facts; static */
    const char *charset;            /* of the fetched page; static */
    const crawl_response *response; /* borrowed until the page is taken back */
    crawl_slice url;                /* likewise */
    /* Set when it is taken back: */
    bool failed;
    crawl_render_lack lack;
    char words[160];            /* why it failed, or what it lacks; "": neither */
    crawl_render_frame *frames; /* owned, like the links; the page's own frame first. NULL: failed */
    size_t frame_count;
    crawl_render_link *links;
    size_t link_count;
    crawl_slice screenshot;
    crawl_buf nofollow;            /* URLs of frames whose answer has X-Robots-Tag: nofollow, each with a NUL */
    uint32_t parts, asked, cached; /* requests of the page; those that left; those answered by the cache */
    int64_t waited_ms, elapsed_ms;
    /* Of the renders: */
    cw_renders *renders;
    char *block; /* memory of all slices above */
    uint64_t render;
    bool is_cut;
    bool is_again; /* its first browser ended */
    TAILQ_ENTRY(cw_renders_page) link;
} cw_renders_page;

/* Frees a page that was taken back. NULL does nothing. */
void cw_renders_page_free(cw_renders_page *page);

/* Starts the browser. Errors are those of crawl_renderer_create; error says what to do. */
crawl_err cw_renders_create(crawl_engine *engine, cw_renders **out, crawl_error *error);
/* Starts the thread. CRAWL_ENOMEM: no thread. */
crawl_err cw_renders_run(cw_renders *renders);
/* Ends the thread and the browser. Every page must have been taken back, or have no owner. */
void cw_renders_free(cw_renders *renders);

/* ---- pages, for workers ---- */

/* Renders the page. Rings its worker when it can be taken back. */
void cw_renders_ask(cw_renders *renders, cw_renders_page *page);
/* Returns a finished page of this worker; NULL: none now. */
cw_renders_page *cw_renders_take(cw_renders *renders, unsigned worker);
/* Ends the pages of this worker soon, as failed. */
void cw_renders_cut(cw_renders *renders, unsigned worker);

/* ---- parts, for workers ---- */

/* Returns true if there are so many pages that only parts should be leased. */
bool cw_renders_is_full(cw_renders *renders);
/* Returns true if any page waits for a part. */
bool cw_renders_waits(cw_renders *renders);
/* As crawl_frontier_pop, but only from hosts with a part. The lease may be of another request of such a host. */
crawl_err cw_renders_pop(cw_renders *renders, crawl_lease *lease, int64_t *wait_ms);

/* Returns true if a page waits for the part of a lease. */
bool cw_renders_part_is_wanted(cw_renders *renders, crawl_slice memo);
/* Returns how long a page waits for its parts, in milliseconds. */
int64_t cw_renders_longest_wait_ms(const cw_renders *renders);
/* Takes the part of a lease, and appends the URL of its page to *page_url. CRAWL_ABSENT: the page has ended, or belongs
 * to an earlier process. CRAWL_ENOMEM. */
crawl_err cw_renders_part_begin(cw_renders *renders, crawl_slice memo, crawl_buf *page_url);
/* Passes on the answer; response NULL: the request is refused. */
void cw_renders_part_end(cw_renders *renders, crawl_slice memo, const crawl_response *response,
                         crawl_render_refusal refusal);

/* Copies the figures. */
void cw_renders_stats(cw_renders *renders, crawl_engine_renders *out);
