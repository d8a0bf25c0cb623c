/* One page of `crawl render`: requested or read, rendered, and its parts fetched. */
#pragma once

#include <crawl/config.h>
#include <crawl/sys/render.h>

typedef struct cw_rendering {
    const crawl_config *config; /* how to request */
    const char *input;          /* a URL, or a file; "-": standard input */
    const char *url;            /* of a file */
    const char *browser;        /* NULL: the one that is found */
    bool screenshot, verbose, images, post;
    crawl_slice clicks;                                  /* in the form of crawl_render_options */
    int (*take)(void *user, const crawl_rendered *page); /* takes the rendered page; returns an exit status */
    void *user;
} cw_rendering;

/* Runs to the end, with messages about failures. Returns an exit status. */
int cw_rendering_run(const cw_rendering *rendering);
