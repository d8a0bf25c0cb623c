/* One render: a page's states from its browser context to what is read of it. render_page.c is the way through them;
 * render_clock.c, part.c and read.c are the three things that happen on it. */
#pragma once

#include "base/map.h"
#include "render/browser.h"

/* Bounds that are no options, for pages that nobody made by mistake. */
enum {
    CW_RENDER_DIALOGS_MAX = 20,
    CW_RENDER_LINKS_MAX = 200,
    CW_RENDER_LINK_BYTES = 2048,
    CW_RENDER_RELOADS_MAX = 2, /* cookie walls want one */
    CW_RENDER_FRAME_DEPTH = 8,
    CW_RENDER_FRAMES_KNOWN = 2000 /* frames and workers that a page has ever made */
};

typedef enum cw_render_page_state {
    CW_RENDER_PAGE_QUEUED,  /* the browser is not up */
    CW_RENDER_PAGE_OPENING, /* context, page, settings */
    CW_RENDER_PAGE_LOADING, /* its document is on its way */
    CW_RENDER_PAGE_RUNNING, /* its clock is granted step by step */
    CW_RENDER_PAGE_READING,
    CW_RENDER_PAGE_ENDED /* on_done comes from the loop */
} cw_render_page_state;

/* Where a part stands. */
typedef enum cw_render_part_state {
    CW_RENDER_PART_ASKED, /* the caller has it */
    CW_RENDER_PART_READY, /* its answer waits for those of earlier requests */
    CW_RENDER_PART_SENT   /* the browser has not confirmed it */
} cw_render_part_state;

typedef struct cw_render_part {
    TAILQ_ENTRY(cw_render_part) link;
    struct cw_render_page *page;
    uint64_t id;
    cw_render_part_state state;
    const char *method; /* of the command that answers it */
    crawl_buf params;   /* of that */
    crawl_buf request;  /* the browser's name of it */
} cw_render_part;

/* A frame or a worker, under the browser's name for it. */
typedef struct cw_render_place {
    struct cw_render_page *page;
    unsigned depth; /* 0: the page itself */
    size_t size;
    char text[]; /* without a NUL */
} cw_render_place;

typedef struct cw_render_clock {
    unsigned steps;  /* since left_ms was set */
    int64_t step_ms; /* the last one; 0: there was none */
    int64_t left_ms; /* to be granted */
    int64_t granted_ms;
    bool is_at_end; /* all was granted once, and its workers got their last rest */
    bool is_moving; /* a frame after the last step showed a change */
    double base_ms; /* of the first grant, in the browser's ticks */
    bool is_granting, is_drawing, is_blind;
    int64_t drawn_at; /* spent_ms when the frame under way was asked for */
    unsigned frames, burst;
    cw_render_reply_fn wanted;   /* gets the frame that the page waits to draw; NULL: none */
    cw_render_reply_fn on_frame; /* gets the one that is on its way */
    struct event *soon;
} cw_render_clock;

typedef struct cw_render_storage {
    bool is_named; /* IndexedDB is, by the page or by a script */
    bool is_asked; /* our question is on its way to the page */
    bool waits;    /* the one before is not answered yet */
    unsigned steps;
} cw_render_storage;

/* A document that was read: places in the page's buffer of texts. */
typedef struct cw_render_read {
    size_t url, url_size, base, base_size, html, html_size;
    bool is_own;
} cw_render_read;

typedef struct cw_render_page {
    TAILQ_ENTRY(cw_render_page) link;
    struct crawl_renderer *renderer;
    uint64_t id;
    cw_render_page_state state;
    crawl_render_request request; /* its slices are in texts of this page */
    crawl_buf url, answer;        /* answer: the rest of Fetch.fulfillRequest's params, behind the requestId */
    crawl_buf context, target, session;
    bool is_answered; /* the page's own request */
    bool has_workers;
    cw_render_storage storage;
    crawl_render_lack lack;
    bool has_failed;
    crawl_buf words;
    int64_t begun_ms, counted_ms; /* of cw_render_now */
    int64_t waited_ms;            /* in which a part was the caller's to answer */
    int64_t spent_ms;             /* in which none was, of a processor of its own (crawl_renderer.share): by this,
                                     silence and limits are measured */
    unsigned spent_rest;          /* hundredths of a millisecond */
    unsigned silences;
    cw_render_clock clock;
    TAILQ_HEAD(cw_render_parts, cw_render_part) parts; /* without an answer, in the order of the requests */
    uint32_t asked;                                    /* of them, that the caller has */
    bool is_passing;                                   /* an answer was sent, and the page has not taken it up yet */
    int64_t passed_at;                                 /* in spent_ms */
    uint32_t part_count, answered, reloads, dialogs, streams, places;
    uint64_t bytes;
    unsigned growths, clicks; /* so often its view has grown, or elements were clicked */
    bool has_grown_boxes;     /* at the last look */
    int height;               /* of its view, pixels; 0: as it began */
    crawl_buf frame_ids;      /* to be read, each behind READ_OWN or READ_FOREIGN, ended by a NUL */
    size_t frame_at;
    crawl_buf texts; /* of what was read */
    cw_render_read *reads;
    size_t read_count, read_capacity;
    crawl_buf link_texts; /* each ended by a NUL */
    const char *hows[CW_RENDER_LINKS_MAX];
    size_t link_count;
    crawl_buf screenshot;
} cw_render_page;

struct crawl_renderer {
    struct event_base *base;
    crawl_render_options options;
    crawl_buf names;  /* the texts of options */
    crawl_buf clicks; /* those of them, a JSON array; empty: none */
    cw_render_browser browser;
    crawl_renderer_stats stats;
    TAILQ_HEAD(cw_render_pages, cw_render_page) pages;
    uint32_t page_count;
    unsigned share; /* of a processor, that a process gets of this machine: percent, 1 to 100 */
    uint64_t last_id;
    cw_map *places;              /* cw_render_place */
    const cw_render_page *drawn; /* whose frame is on its way; NULL: of none */
    struct event *tick;
    struct event *ended; /* calls on_done of pages that have ended */
};

/* --- render.c --- */

/* A renderer over a browser that runs already, at the other end of descriptor, which is taken over: for tests. */
crawl_err cw_render_create_with(struct event_base *base, const crawl_render_options *options, int descriptor,
                                crawl_renderer **out);

/* The share of a processor, in percent, that a task gets on a machine with so many: by what /proc/loadavg says of the
 * tasks that can run now, the one that reads it aside. A busy machine leaves a page less, and less counts to its
 * limits. 100 where the text is none of that file. */
unsigned cw_render_share_of(const char *loadavg, long processors);

/* --- render_page.c --- */

/* Opens the page in the browser, which is up. */
void cw_render_page_open(cw_render_page *page);
/* Takes an event of its session. */
void cw_render_page_event(cw_render_page *page, const cw_render_event *event);
/* Something is missing: the page stops where it is, and what is there is read. The first lack counts. */
void cw_render_page_cut(cw_render_page *page, crawl_render_lack lack, const char *words);
/* Something is missing, and the page goes on. The first lack counts. */
void cw_render_page_lacks(cw_render_page *page, crawl_render_lack lack, const char *words);
/* Nothing can be read. */
void cw_render_page_fail(cw_render_page *page, crawl_render_lack lack, const char *words);
/* All was read. */
void cw_render_page_end(cw_render_page *page);
/* Looks at its limits; called several times a second. */
void cw_render_page_tick(cw_render_page *page);
/* Adds the time since the last call to that which a part waited, or to the page's own. To be called before that
 * changes. */
void cw_render_page_count(cw_render_page *page);
/* Sends a command of its session; reply may be NULL. */
void cw_render_page_send(cw_render_page *page, const char *method, const char *params, cw_render_reply_fn reply,
                         uint64_t tag);
/* The same of the browser's session. */
void cw_render_page_send_browser(cw_render_page *page, const char *method, crawl_slice params, cw_render_reply_fn reply,
                                 uint64_t tag);
/* Has the reply tell of the world of scripts that is ours in the page's document. */
void cw_render_page_send_world(cw_render_page *page, cw_render_reply_fn reply);
void cw_render_page_add_link(cw_render_page *page, crawl_slice url, const char *how);
/* Takes a frame or a worker for the page's. */
void cw_render_page_add_place(cw_render_page *page, crawl_slice name, unsigned depth);
/* Forgets all that the browser has of it, and its parts. */
void cw_render_page_close(cw_render_page *page);
void cw_render_page_free(cw_render_page *page);

/* --- render_clock.c --- */

void cw_render_clock_start(cw_render_page *page);
/* Nothing waits any more, perhaps: looks again in a moment. */
void cw_render_clock_rest(cw_render_page *page);
void cw_render_clock_expired(cw_render_page *page);
/* Some time more. */
void cw_render_clock_extend(cw_render_page *page);
void cw_render_clock_tick(cw_render_page *page);
void cw_render_clock_stop(cw_render_page *page);
/* Draws the last frame of a page that is read, in its turn; the reply has the picture. */
void cw_render_clock_picture(cw_render_page *page, cw_render_reply_fn on_reply);
/* The page ends: it draws nothing more, and another one may. */
void cw_render_clock_leave(cw_render_page *page);
/* Looks at the text of the page, or at that of a script, for databases. */
void cw_render_storage_note(cw_render_page *page, crawl_slice text);

/* --- part.c --- */

/* Makes the answer of the page itself, all but the requestId. CRAWL_EINVAL: its status. */
crawl_err cw_render_part_write(const crawl_render_response *response, crawl_buf *out);
/* A request of the browser, which waits for an answer. */
void cw_render_part_paused(struct crawl_renderer *renderer, crawl_slice params);
/* The answers that may go now. */
void cw_render_part_pass(cw_render_page *page);
/* A page that is stuck in one request that stops it gets the answers behind the last one all the same. */
void cw_render_part_tick(cw_render_page *page);
/* All that wait get a refusal, and are forgotten. */
void cw_render_part_drop(cw_render_page *page);
/* NULL: there is none that waits for the caller. */
cw_render_part *cw_render_part_find(struct crawl_renderer *renderer, uint64_t id);
crawl_err cw_render_part_answer(cw_render_part *part, const crawl_render_response *response);
void cw_render_part_refuse(cw_render_part *part, const char *reason);

/* --- growth.c --- */

/* The clock has run out: the view of the page grows, and the clock goes on, or elements are clicked. */
void cw_render_growth_look(cw_render_page *page);
/* Gives small boxes the size again that they have by the page; world: of scripts, ours. They have it at the reply. */
void cw_render_growth_take_back(cw_render_page *page, uint64_t world, cw_render_reply_fn on_reply);

/* --- click.c --- */

/* The page is quiet: elements are clicked, and the clock goes on, or the page is read. */
void cw_render_click_look(cw_render_page *page);
/* Appends the paths of options as JSON; nothing where there are none. CRAWL_ENOMEM. */
crawl_err cw_render_click_write(const crawl_render_options *options, crawl_buf *out);

/* --- read.c --- */

/* Reads the frames, then the screenshot, and ends the page. */
void cw_render_read_begin(cw_render_page *page);
/* The page does not answer: it ends with what was read. */
void cw_render_read_stop(cw_render_page *page);
