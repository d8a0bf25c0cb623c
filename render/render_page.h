/* One render: the states of a page from its browser context to its contents. render_page.c leads through the states;
 * render_clock.c, part.c and read.c do the main work in them. */
#pragma once

#include "base/map.h"
#include "render/browser.h"

/* Fixed limits, for hostile pages. */
enum {
    CW_RENDER_DIALOGS_MAX = 20,
    CW_RENDER_LINKS_MAX = 200,
    CW_RENDER_LINK_BYTES = 2048,
    CW_RENDER_RELOADS_MAX = 2, /* cookie walls need one */
    CW_RENDER_FRAME_DEPTH = 8,
    CW_RENDER_FRAMES_KNOWN = 2000 /* all frames and workers that a page ever made */
};

typedef enum cw_render_page_state {
    CW_RENDER_PAGE_QUEUED,  /* the browser is not up */
    CW_RENDER_PAGE_OPENING, /* context, page, settings */
    CW_RENDER_PAGE_LOADING, /* its document is being fetched */
    CW_RENDER_PAGE_RUNNING, /* its clock is granted step by step */
    CW_RENDER_PAGE_READING,
    CW_RENDER_PAGE_ENDED /* on_done will be called from the loop */
} cw_render_page_state;

/* The state of a part. */
typedef enum cw_render_part_state {
    CW_RENDER_PART_ASKED, /* the caller must answer */
    CW_RENDER_PART_READY, /* its answer waits for answers to earlier requests */
    CW_RENDER_PART_SENT   /* the browser has not confirmed the answer */
} cw_render_part_state;

typedef struct cw_render_part {
    TAILQ_ENTRY(cw_render_part) link;
    struct cw_render_page *page;
    uint64_t id;
    cw_render_part_state state;
    bool is_blocking;   /* the page, or a worker of it, does nothing else until it has the answer */
    bool is_reload;     /* its answer gives the page another document */
    const char *method; /* of the command that carries the answer */
    crawl_buf params;   /* of that command */
    crawl_buf request;  /* the browser's name of the request */
    crawl_buf url;      /* of a script or of data, whose lack is noted; otherwise empty */
} cw_render_part;

/* A frame or a worker, by the browser's name. */
typedef struct cw_render_place {
    struct cw_render_page *page;
    unsigned depth; /* 0: the page itself */
    size_t size;
    char text[]; /* without a NUL */
} cw_render_place;

typedef struct cw_render_clock {
    unsigned steps;  /* since left_ms was set */
    int64_t step_ms; /* length of the last step; 0: none */
    int64_t left_ms; /* still to be granted */
    int64_t granted_ms;
    bool is_at_end; /* all was granted once, and the workers got their last rest */
    bool is_moving; /* a frame after the last step showed a change */
    double base_ms; /* time of the first grant, in the browser's ticks */
    bool is_granting, is_drawing, is_blind;
    int64_t drawn_at; /* spent_ms at the request for the present frame */
    unsigned frames, burst;
    cw_render_reply_fn wanted;   /* called with the frame that the page waits to draw; NULL: none */
    cw_render_reply_fn on_frame; /* called with the frame under way */
    struct event *soon;
} cw_render_clock;

typedef struct cw_render_storage {
    bool is_named; /* the page or a script names IndexedDB */
    bool is_asked; /* our question is on its way to the page */
    bool waits;    /* the question before is not answered yet */
    unsigned steps;
} cw_render_storage;

/* A document that was read: offsets in the page's buffer of texts. */
typedef struct cw_render_read {
    size_t url, url_size, base, base_size, html, html_size;
    bool is_own;
} cw_render_read;

typedef struct cw_render_page {
    TAILQ_ENTRY(cw_render_page) link;
    struct crawl_renderer *renderer;
    uint64_t id;
    cw_render_page_state state;
    crawl_render_request request; /* its slices point into texts of this page */
    crawl_buf url, answer;        /* answer: the params of Fetch.fulfillRequest that follow requestId */
    crawl_buf context, target, session;
    bool is_answered; /* the page's own request */
    bool has_workers;
    cw_render_storage storage;
    crawl_render_lack lack;
    bool has_failed;
    crawl_buf words;
    int64_t begun_ms, counted_ms; /* of cw_render_now */
    int64_t waited_ms;            /* while the caller had to answer a part */
    int64_t spent_ms;             /* other time, scaled by crawl_renderer.share; measures silence and limits */
    unsigned spent_rest;          /* hundredths of a millisecond */
    unsigned silences;
    cw_render_clock clock;
    TAILQ_HEAD(cw_render_parts, cw_render_part) parts; /* unanswered, in the order of the requests */
    uint32_t asked;                                    /* parts that the caller must answer */
    uint64_t passing;                                  /* a part whose answer the page has not taken up; 0: none */
    uint32_t part_count, answered, reloads, dialogs, streams, places;
    uint32_t unasked; /* parts that were answered without the caller */
    uint64_t bytes;
    unsigned growths, clicks; /* how often the view has grown, and elements were clicked */
    bool has_grown_boxes;     /* at the last look */
    int height;               /* of the view, in pixels; 0: unchanged */
    crawl_buf frame_ids;      /* frames to read, each after READ_OWN or READ_FOREIGN and before a NUL */
    size_t frame_at;
    crawl_buf texts; /* of the documents read */
    cw_render_read *reads;
    size_t read_count, read_capacity;
    crawl_buf link_texts;                  /* each with a NUL */
    const char *hows[CW_RENDER_LINKS_MAX]; /* NULL: it is no link after all */
    size_t link_count;
    crawl_buf screenshot;
} cw_render_page;

struct crawl_renderer {
    struct event_base *base;
    crawl_render_options options;
    crawl_buf names;  /* the texts of options */
    crawl_buf clicks; /* XPaths of options as a JSON array; empty: none */
    cw_render_browser browser;
    crawl_renderer_stats stats;
    TAILQ_HEAD(cw_render_pages, cw_render_page) pages;
    uint32_t page_count;
    unsigned share; /* share of a processor that a process gets on this machine: percent, 1 to 100 */
    uint64_t last_id;
    cw_map *places;              /* cw_render_place */
    const cw_render_page *drawn; /* the page whose frame is under way; NULL: none */
    struct event *tick;
    struct event *ended; /* calls on_done of ended pages */
};

/* --- render.c --- */

/* Makes a renderer over a running browser at the other end of descriptor, and takes ownership of it. For tests. */
crawl_err cw_render_create_with(struct event_base *base, const crawl_render_options *options, int descriptor,
                                crawl_renderer **out);

/* Returns the percentage of a processor that a task gets on a machine with this many processors, by the number of
 * runnable tasks in /proc/loadavg, without the reading one. On a busy machine a page gets less, and less counts towards
 * its limits. 100 if the text has another format. */
unsigned cw_render_share_of(const char *loadavg, long processors);

/* --- render_page.c --- */

/* Opens the page in the browser, which must be up. */
void cw_render_page_open(cw_render_page *page);
/* Takes an event of the page's session. */
void cw_render_page_event(cw_render_page *page, const cw_render_event *event);
/* Stops the page, which lacks something, and reads it as it is; fails without a document. The first lack counts. */
void cw_render_page_cut(cw_render_page *page, crawl_render_lack lack, const char *words);
/* Records that the page lacks something, and goes on. The first lack counts. */
void cw_render_page_lacks(cw_render_page *page, crawl_render_lack lack, const char *words);
/* Notes something missing that is no lack of the page. The first note counts, and any lack replaces it. */
void cw_render_page_note(cw_render_page *page, const char *words, crawl_slice url);
/* Ends the page without contents. */
void cw_render_page_fail(cw_render_page *page, crawl_render_lack lack, const char *words);
/* Ends the page with all contents read. */
void cw_render_page_end(cw_render_page *page);
/* Checks its limits. Called several times per second. */
void cw_render_page_tick(cw_render_page *page);
/* Adds the time since the last call to the time of waiting for parts, or to the page's own. Call before the number of
 * parts asked changes. */
void cw_render_page_count(cw_render_page *page);
/* Sends a command in the page's session; reply may be NULL. */
void cw_render_page_send(cw_render_page *page, const char *method, const char *params, cw_render_reply_fn reply,
                         uint64_t tag);
/* The same in the browser's session. */
void cw_render_page_send_browser(cw_render_page *page, const char *method, crawl_slice params, cw_render_reply_fn reply,
                                 uint64_t tag);
/* Calls reply with our own script world in the page's document. */
void cw_render_page_send_world(cw_render_page *page, cw_render_reply_fn reply);
void cw_render_page_add_link(cw_render_page *page, crawl_slice url, const char *how);
/* Drops the link of a window that a posted form opened. */
void cw_render_page_drop_window(cw_render_page *page, crawl_slice url);
/* Registers a frame or a worker of the page. */
void cw_render_page_add_place(cw_render_page *page, crawl_slice name, unsigned depth);
/* Drops the page in the browser, and its parts. */
void cw_render_page_close(cw_render_page *page);
void cw_render_page_free(cw_render_page *page);

/* --- render_clock.c --- */

void cw_render_clock_start(cw_render_page *page);
/* Looks again in a moment whether anything still waits. */
void cw_render_clock_rest(cw_render_page *page);
void cw_render_clock_expired(cw_render_page *page);
/* Grants some more time. */
void cw_render_clock_extend(cw_render_page *page);
void cw_render_clock_tick(cw_render_page *page);
void cw_render_clock_stop(cw_render_page *page);
/* Draws the last frame of a page that was read, in its turn; the reply has the picture. */
void cw_render_clock_picture(cw_render_page *page, cw_render_reply_fn on_reply);
/* Ends drawing for the page, so that another page may draw. */
void cw_render_clock_leave(cw_render_page *page);
/* Searches the text of the page, or of a script, for databases. */
void cw_render_storage_note(cw_render_page *page, crawl_slice text);

/* --- part.c --- */

/* Makes the answer of the page itself, except the requestId. CRAWL_EINVAL: bad status. */
crawl_err cw_render_part_write(const crawl_render_response *response, crawl_buf *out);
/* Takes a request of the browser, which waits for an answer. */
void cw_render_part_paused(struct crawl_renderer *renderer, crawl_slice params);
/* Sends the answers that may go now. */
void cw_render_part_pass(cw_render_page *page);
/* Refuses and forgets all waiting parts. */
void cw_render_part_drop(cw_render_page *page);
/* NULL: no such part waits for the caller. */
cw_render_part *cw_render_part_find(struct crawl_renderer *renderer, uint64_t id);
crawl_err cw_render_part_answer(cw_render_part *part, const crawl_render_response *response);
/* Notes the lack of a part by its size. */
void cw_render_part_is_too_large(const cw_render_part *part);
void cw_render_part_refuse(cw_render_part *part, const char *reason);

/* --- growth.c --- */

/* Called when the clock has run out: grows the view of the page and goes on, or clicks elements. */
void cw_render_growth_look(cw_render_page *page);
/* Resets small boxes to the page's own size, before the reply; world: our script world. */
void cw_render_growth_take_back(cw_render_page *page, uint64_t world, cw_render_reply_fn on_reply);

/* --- click.c --- */

/* Called when the page is quiet: clicks elements and goes on, or reads the page. */
void cw_render_click_look(cw_render_page *page);
/* Appends the paths of options as JSON; nothing if there are none. CRAWL_ENOMEM. */
crawl_err cw_render_click_write(const crawl_render_options *options, crawl_buf *out);

/* --- read.c --- */

/* Reads the frames, then the screenshot, and ends the page. */
void cw_render_read_begin(cw_render_page *page);
/* Ends a page that does not answer, with the contents read so far. */
void cw_render_read_stop(cw_render_page *page);
