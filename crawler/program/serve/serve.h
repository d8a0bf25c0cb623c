/* The server of `crawl serve`: a socket, a loop, and the service behind it, until a signal comes. */
#ifndef CW_SERVE_H
#define CW_SERVE_H

#include <crawl/config.h>

typedef struct cw_serve_options {
    crawl_listen listen;
    const char *directory;
    bool always; /* each acknowledgement is for what is on the disk */
} cw_serve_options;

/* Serves until a signal comes. started is called once, with where it listens. CRAWL_EINVAL: not an address of this
 * machine alone. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ESTATE, CRAWL_ENOMEM: error says why. */
crawl_err cw_serve(const cw_serve_options *options, void (*started)(const char *address), crawl_error *error);

#endif
