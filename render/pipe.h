/* The pipe to the browser: messages with a NUL behind each, both ways, to its descriptor 3 and from its descriptor 4.
 * Nothing here waits: a browser that computes does not read. One socket for both would wake the browser's thread that
 * reads whenever we read. */
#pragma once

#include <crawl/base.h>

struct evbuffer;
struct event;
struct event_base;

/* Bytes of a message of the browser, and of messages that it has not read. The HTML of a page comes in one message, in
 * which a character may take six bytes; a part's body goes in one, as base64. A browser beyond either has failed. */
#define CW_RENDER_PIPE_MESSAGE_MAX ((size_t)128 << 20)
#define CW_RENDER_PIPE_QUEUE_MAX ((size_t)128 << 20)

/* Descriptors: what the browser says is read from one, what it is told is written to the other. */
typedef struct cw_render_ends {
    int in, out;
} cw_render_ends;

typedef struct cw_render_pipe {
    cw_render_ends ends;
    struct event *reads; /* NULL: closed */
    struct event *writes;
    struct evbuffer *out; /* what is to be written */
    unsigned opened;      /* how often it was */
    crawl_buf in;         /* the beginning of a message under way, */
    size_t looked;        /* of which so many bytes hold no NUL */
    /* A message has a NUL behind it, and may be changed in place; the pipe may be closed, and opened anew. */
    void (*on_message)(void *user, crawl_slice message);
    void (*on_end)(void *user, const char *why); /* by the browser; the pipe is closed already */
    void *user;
} cw_render_pipe;

/* Takes the descriptors over, which may be one. The callbacks and user are set already. CRAWL_ENOMEM: they are closed.
 */
crawl_err cw_render_pipe_open(cw_render_pipe *pipe, struct event_base *base, cw_render_ends ends);
/* Queues a message, which has no NUL. CRAWL_ENOMEM; CRAWL_FULL: the browser does not read; CRAWL_ESTATE: closed. */
crawl_err cw_render_pipe_send(cw_render_pipe *pipe, crawl_slice message);
/* May be called twice, and from the callbacks. */
void cw_render_pipe_close(cw_render_pipe *pipe);
/* Gives its memory back too. Not from the callbacks. */
void cw_render_pipe_free(cw_render_pipe *pipe);

/* Reads the browser's messages, which are JSON: what is wanted of one is picked out of its text, and no tree is built
 * of a page's HTML. */

/* A message. Borrowed from its text; objects as they stand there, empty where there is none. */
typedef struct cw_render_message {
    bool is_reply; /* to the command of this number; otherwise it is an event */
    int64_t number;
    crawl_slice method, params, session, result, error;
} cw_render_message;

/* Reads a message. Where a text of the page holds NULs or halves of surrogate pairs, which JSON cannot hold for us,
 * they become U+FFFD in place. False: it is none. */
bool cw_render_message_read(crawl_slice text, cw_render_message *out);

/* A constant as a slice. */
#define CW_RENDER_NAME(name) crawl_slice_of((name), sizeof(name) - 1)

/* Members of a JSON object. text: its text, appended to decoded where it has escapes and borrowed otherwise, empty if
 * there is none. */
crawl_slice cw_render_text(crawl_slice object, crawl_slice name, crawl_buf *decoded);
/* The value itself, an object, an array or a number as it stands; empty: there is none. */
crawl_slice cw_render_value(crawl_slice object, crawl_slice name);
double cw_render_number(crawl_slice object, crawl_slice name);
bool cw_render_is_true(crawl_slice object, crawl_slice name);
/* The next element of an array, whose text *rest is at first. False: there is no further one. */
bool cw_render_next(crawl_slice *rest, crawl_slice *element);

/* Appends the bytes that base64 stands for. CRAWL_EPARSE, with some of them appended; CRAWL_ENOMEM. */
crawl_err cw_render_base64(crawl_slice text, crawl_buf *out);
