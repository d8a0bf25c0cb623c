/* One page of `crawl render`: asked for or read, rendered, and its parts fetched. */
#pragma once

#include <crawl/config.h>
#include <crawl/sys/render.h>

typedef struct cw_rendering {
    const crawl_config *config; /* how to ask */
    const char *input;          /* a URL, or a file; "-": standard input */
    const char *url;            /* of a file */
    const char *browser;        /* NULL: the one that is found */
    bool screenshot, verbose, images, post;
    crawl_slice clicks;                                  /* as crawl_render_options has them */
    int (*take)(void *user, const crawl_rendered *page); /* what was rendered; an exit status */
    void *user;
} cw_rendering;

/* Runs it to its end, with messages about what goes wrong. An exit status. */
int cw_rendering_run(const cw_rendering *rendering);
