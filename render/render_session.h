/* Commands to the browser, their answers, and events: Chromium's DevTools protocol. Each command has a number that
 * identifies its answer. Commands of a page carry the session that the browser has named. */
#pragma once

#include "base/writer.h"
#include "render/pipe.h"

#include <sys/queue.h>

/* An answer. Borrowed for the call. */
typedef struct cw_render_reply {
    crawl_slice result; /* JSON; empty: the command was refused, or the browser is gone */
    crawl_slice error;  /* JSON of the refusal; empty: none */
} cw_render_reply;

typedef void (*cw_render_reply_fn)(void *owner, uint64_t tag, const cw_render_reply *reply);

typedef struct cw_render_event {
    crawl_slice method;
    crawl_slice params;  /* JSON */
    crawl_slice session; /* empty: the browser's own */
} cw_render_event;

typedef struct cw_render_command {
    crawl_slice session; /* empty: the browser's */
    const char *method;
    crawl_slice params;          /* a JSON object; empty: none */
    void *owner;                 /* passed to on_reply; see cw_render_session_forget */
    uint64_t tag;                /* likewise */
    cw_render_reply_fn on_reply; /* NULL: the answer is not wanted, and does not count for silence */
} cw_render_command;

struct cw_render_waiting;

typedef struct cw_render_session {
    cw_render_pipe pipe;
    int64_t last_number;
    TAILQ_HEAD(cw_render_waiters, cw_render_waiting) waiting; /* in the order of sending */
    crawl_buf out;
    void (*on_event)(void *user, const cw_render_event *event);
    void (*on_end)(void *user, const char *why);
    void *user;
} cw_render_session;

/* Set the callbacks and user before. CRAWL_ENOMEM: the ends are closed. */
crawl_err cw_render_session_open(cw_render_session *session, struct event_base *base, cw_render_ends ends);
/* Sends a command. now_ms: of any clock, for cw_render_session_oldest. A failure of the pipe ends the session soon. A
 * command for which there is no memory, or no room in the queue, is lost, and the limits of its page end that: callers
 * need not check. */
void cw_render_session_send(cw_render_session *session, const cw_render_command *command, int64_t now_ms);
/* Passes no more answers to this owner. */
void cw_render_session_forget(cw_render_session *session, const void *owner);
/* Returns when the oldest unanswered command of this owner was sent; INT64_MAX: none. */
int64_t cw_render_session_oldest(const cw_render_session *session, const void *owner);
/* Calls no callback. */
void cw_render_session_close(cw_render_session *session);
