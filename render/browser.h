/* The browser as a child process: starts it behind the fence, waits until it answers, checks that its pages are in
 * their sandbox, watches its memory, and ends it. */
#pragma once

#include "render/folder.h"
#include "render/render_session.h"

#include <crawl/sys/render.h>
#include <sys/types.h>

struct event;

/* Deaths in a row, without a finished render in between, after which it is not started again. Those with one page alone
 * count only from the second number on. */
enum { CW_RENDER_BROWSER_DEATHS_MAX = 3, CW_RENDER_BROWSER_LONE_DEATHS_MAX = 20 };

typedef enum cw_render_browser_state {
    CW_RENDER_BROWSER_DOWN,
    CW_RENDER_BROWSER_STARTING, /* it has not answered yet, or its sandbox was not seen */
    CW_RENDER_BROWSER_UP
} cw_render_browser_state;

typedef struct cw_render_browser {
    struct event_base *base;
    const crawl_render_options *options;
    crawl_buf program; /* its path; ends in NUL */
    cw_render_browser_state state;
    cw_render_session session;
    pid_t pid; /* of the first process and its group; 0: not ours to end */
    cw_render_folder folder;
    struct event *errors; /* its standard error */
    struct event *look;   /* once per second */
    struct event *again;  /* for the sandbox */
    crawl_buf said;       /* the beginning of its standard error */
    crawl_buf context;    /* of the page whose sandbox is checked at the start */
    int64_t started_ms;
    bool is_hung;         /* it opens no page any more: look ends it */
    unsigned deaths;      /* in a row; without lone_deaths, until they are too many */
    unsigned lone_deaths; /* in a row, each with one page */
    uint32_t renders;
    crawl_renderer_stats *stats;
    void (*on_up)(void *user);
    /* The browser has ended; if not was_up, it did not start. May start it again. */
    void (*on_down)(void *user, const char *why, bool was_up);
    void (*on_event)(void *user, const cw_render_event *event);
    void *user;
} cw_render_browser;

/* Returns CLOCK_MONOTONIC in ms. */
int64_t cw_render_now(void);

/* Finds the program: the one that options name, Debian's, or one in $PATH. CRAWL_ABSENT: none; error says why. */
crawl_err cw_render_browser_find(cw_render_browser *browser, crawl_error *error);
/* Starts the browser. Set base, options, stats, the callbacks and the program first. CRAWL_REFUSED: the fence;
 * CRAWL_EIO; CRAWL_ENOMEM. */
crawl_err cw_render_browser_start(cw_render_browser *browser, crawl_error *error);
/* For tests: uses a running browser at the other end of descriptor. CRAWL_ENOMEM. */
crawl_err cw_render_browser_adopt(cw_render_browser *browser, int descriptor);
/* Ends a browser that has stopped answering, from the loop, as if it had ended by itself. */
void cw_render_browser_give_up(cw_render_browser *browser);
/* Ends the browser without a callback. */
void cw_render_browser_stop(cw_render_browser *browser);
void cw_render_browser_free(cw_render_browser *browser);
