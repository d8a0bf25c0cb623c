/* The pipe to the browser: messages that end with a NUL, to its descriptor 3 and from its descriptor 4. Nothing here
 * blocks, since a busy browser does not read. The directions are separate: one socket for both would wake the
 * browser's reading thread at each of our reads. */
#pragma once

#include <crawl/base.h>

struct evbuffer;
struct event;
struct event_base;

/* Maximum bytes of a message from the browser, and of messages that it has not read yet. The HTML of a page comes in
 * one message, in which a character may take six bytes; a part's body goes in one, as base64. A browser beyond
 * either limit has failed. */
#define CW_RENDER_PIPE_MESSAGE_MAX ((size_t)128 << 20)
#define CW_RENDER_PIPE_QUEUE_MAX ((size_t)128 << 20)

/* The descriptors to read from and to write to. */
typedef struct cw_render_ends {
    int in, out;
} cw_render_ends;

typedef struct cw_render_pipe {
    cw_render_ends ends;
    struct event *reads; /* NULL: closed */
    struct event *writes;
    struct evbuffer *out; /* not yet written */
    unsigned opened;      /* how often it was opened */
    crawl_buf in;         /* the beginning of an incomplete message, */
    size_t looked;        /* of which this many bytes hold no NUL */
    /* A NUL follows the message, which may be changed in place. The callback may close the pipe, and open it again. */
    void (*on_message)(void *user, crawl_slice message);
    void (*on_end)(void *user, const char *why); /* the browser has ended it; the pipe is already closed */
    void *user;
} cw_render_pipe;

/* Takes ownership of the descriptors, which may be the same. Set the callbacks and user first. CRAWL_ENOMEM: the
 * descriptors are closed. */
crawl_err cw_render_pipe_open(cw_render_pipe *pipe, struct event_base *base, cw_render_ends ends);
/* Queues a message without a NUL. CRAWL_ENOMEM; CRAWL_FULL: the browser does not read; CRAWL_ESTATE: closed. */
crawl_err cw_render_pipe_send(cw_render_pipe *pipe, crawl_slice message);
/* May be called twice, and from the callbacks. */
void cw_render_pipe_close(cw_render_pipe *pipe);
/* Also frees its memory. Not from the callbacks. */
void cw_render_pipe_free(cw_render_pipe *pipe);

/* Reads the browser's JSON messages: picks values out of the text, without a tree of a page's HTML. */

/* A message. All slices are borrowed from its text; objects are unparsed, empty if absent. */
typedef struct cw_render_message {
    bool is_reply; /* to the command with this number; otherwise an event */
    int64_t number;
    crawl_slice method, params, session, result, error;
} cw_render_message;

/* Reads a message. NULs and unpaired surrogates in texts of the page, which JSON cannot hold for us, become U+FFFD in
 * place. False: not a message. */
bool cw_render_message_read(crawl_slice text, cw_render_message *out);

/* A constant as a slice. */
#define CW_RENDER_NAME(name) crawl_slice_of((name), sizeof(name) - 1)

/* Reads members of a JSON object. text: appended to decoded if it has escapes, otherwise borrowed; empty: absent. */
crawl_slice cw_render_text(crawl_slice object, crawl_slice name, crawl_buf *decoded);
/* Returns the unparsed text of an object, an array or a number; empty: absent. */
crawl_slice cw_render_value(crawl_slice object, crawl_slice name);
double cw_render_number(crawl_slice object, crawl_slice name);
bool cw_render_is_true(crawl_slice object, crawl_slice name);
/* Takes the next element of the array in *rest. False: no more. */
bool cw_render_next(crawl_slice *rest, crawl_slice *element);

/* Decodes base64 and appends the bytes. CRAWL_EPARSE: some of them are appended; CRAWL_ENOMEM. */
crawl_err cw_render_base64(crawl_slice text, crawl_buf *out);
