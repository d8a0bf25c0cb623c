/* The pipe to the browser: messages with a NUL behind each, both ways, over one socket that is its descriptors 3 and 4.
 * Nothing here waits: a browser that computes does not read. */
#ifndef CW_RENDER_PIPE_H
#define CW_RENDER_PIPE_H

#include <crawl/base.h>

struct bufferevent;
struct event_base;

/* Bytes of a message of the browser, and of messages that it has not read. The HTML of a page comes in one message, in
 * which a character may take six bytes; a part's body goes in one, as base64. A browser beyond either has failed. */
#define CW_RENDER_PIPE_MESSAGE_MAX ((size_t)128 << 20)
#define CW_RENDER_PIPE_QUEUE_MAX ((size_t)128 << 20)

typedef struct cw_render_pipe {
    struct bufferevent *events; /* NULL: closed */
    size_t looked;              /* bytes of the message under way that hold no NUL */
    crawl_buf message;
    void (*on_message)(void *user, crawl_buf *message); /* may be changed in place, and the pipe be closed */
    void (*on_end)(void *user, const char *why);        /* by the browser; the pipe is closed already */
    void *user;
} cw_render_pipe;

/* Takes descriptor over. The callbacks and user are set already. CRAWL_ENOMEM: descriptor is closed. */
crawl_err cw_render_pipe_open(cw_render_pipe *pipe, struct event_base *base, int descriptor);
/* Queues a message, which has no NUL. CRAWL_ENOMEM; CRAWL_FULL: the browser does not read; CRAWL_ESTATE: closed. */
crawl_err cw_render_pipe_send(cw_render_pipe *pipe, crawl_slice message);
/* May be called twice, and from the callbacks. */
void cw_render_pipe_close(cw_render_pipe *pipe);
/* Gives its memory back too. Not from the callbacks. */
void cw_render_pipe_free(cw_render_pipe *pipe);

#endif
