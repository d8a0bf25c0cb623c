/* The pages of a crawl that are rendered: one browser for all of them (<crawl/sys/render.h>), on a thread of its own.
 *
 * A worker hands a page in and takes it back when it is rendered (visit/render_visit.h). A request of the page becomes
 * an urgent request of the frontier, which a worker makes as any other request (visit/render_visit.h), or comes from a
 * cache of what was fetched for other pages. While there are as many pages as the browser can do soon, workers lease
 * nothing but such parts.
 *
 * Thread-safe, but for create, run and free. */
#pragma once

#include <crawl/engine.h>
#include <crawl/frontier.h>
#include <crawl/sys/render.h>
#include <sys/queue.h>

typedef struct cw_renders cw_renders;

/* A page that is rendered, and what came of it. */
typedef struct cw_renders_page {
    /* Of the worker that asks: */
    unsigned worker;
    void *visit;
    uint32_t depth;
    const char *why;                /* see crawl_render_facts; static */
    const char *charset;            /* of the page as it was fetched; static */
    const crawl_response *response; /* borrowed until the page is taken back */
    crawl_slice url;                /* likewise */
    /* Once it was taken back: */
    bool failed;
    crawl_render_lack lack;
    char words[160];            /* why it failed, or what it lacks; "": nothing */
    crawl_render_frame *frames; /* of which it owns all, as the links; the page's own first. NULL: failed */
    size_t frame_count;
    crawl_render_link *links;
    size_t link_count;
    crawl_slice screenshot;
    uint32_t parts, asked, cached; /* requests of the page; those that left; those that the cache answered */
    int64_t waited_ms, elapsed_ms;
    /* Of the renders: */
    cw_renders *renders;
    char *block; /* that all slices above are of */
    uint64_t render;
    bool is_cut;
    TAILQ_ENTRY(cw_renders_page) link;
} cw_renders_page;

/* Frees a page that was taken back. */
void cw_renders_page_free(cw_renders_page *page);

/* Starts the browser. Errors as those of crawl_renderer_create, of which error says what to do. */
crawl_err cw_renders_create(crawl_engine *engine, cw_renders **out, crawl_error *error);
/* Starts the thread. CRAWL_ENOMEM: there is none. */
crawl_err cw_renders_run(cw_renders *renders);
/* Ends the thread and the browser. Every page was taken back, or is nobody's. */
void cw_renders_free(cw_renders *renders);

/* ---- pages, of workers ---- */

/* Has the page rendered; its worker is rung when it can be taken back. */
void cw_renders_ask(cw_renders *renders, cw_renders_page *page);
/* A page of this worker that is done; NULL: there is none now. */
cw_renders_page *cw_renders_take(cw_renders *renders, unsigned worker);
/* The pages of this worker end soon, as failed. */
void cw_renders_cut(cw_renders *renders, unsigned worker);

/* ---- parts, of workers ---- */

/* Are there so many pages that parts alone are to be leased? */
bool cw_renders_is_full(cw_renders *renders);
/* Does any page wait for a part? */
bool cw_renders_waits(cw_renders *renders);
/* As crawl_frontier_pop, of hosts alone that have a part; the lease may be of another request of such a host. */
crawl_err cw_renders_pop(cw_renders *renders, crawl_lease *lease, int64_t *wait_ms);

/* Does a page wait for the part of a lease? */
bool cw_renders_part_is_wanted(cw_renders *renders, crawl_slice memo);
/* How long a page waits for its parts, in milliseconds. */
int64_t cw_renders_longest_wait_ms(const cw_renders *renders);
/* Takes the part of a lease: appends the URL of its page to *page_url. CRAWL_ABSENT: its page is over, or is of a
 * process before. CRAWL_ENOMEM. */
crawl_err cw_renders_part_begin(cw_renders *renders, crawl_slice memo, crawl_buf *page_url);
/* Hands over the answer; response NULL: the request is refused. */
void cw_renders_part_end(cw_renders *renders, crawl_slice memo, const crawl_response *response,
                         crawl_render_refusal refusal);

/* The figures. */
void cw_renders_stats(cw_renders *renders, crawl_engine_renders *out);
