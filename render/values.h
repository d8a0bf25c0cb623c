/* Reads the browser's messages, which are JSON: what is wanted of one is picked out of its text, and no tree is built
 * of a page's HTML. */
#ifndef CW_RENDER_VALUES_H
#define CW_RENDER_VALUES_H

#include <crawl/base.h>

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

#endif
