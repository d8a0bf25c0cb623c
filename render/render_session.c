/* See render_session.h. */
#include "render/render_session.h"

#include "base/json/json_write.h"

#include <stdlib.h>

typedef struct cw_render_waiting {
    TAILQ_ENTRY(cw_render_waiting) link;
    int64_t number;
    int64_t sent_ms;
    void *owner;
    uint64_t tag;
    cw_render_reply_fn on_reply;
} cw_render_waiting;

/* --- messages from the browser --- */

static cw_render_waiting *session_find(const cw_render_session *session, int64_t number)
{
    cw_render_waiting *waiting;
    TAILQ_FOREACH(waiting, &session->waiting, link)
    if (waiting->number == number)
        return waiting;
    return NULL;
}

static void session_answer(cw_render_session *session, int64_t number, const cw_render_reply *reply)
{
    cw_render_waiting *waiting = session_find(session, number);
    if (!waiting)
        return;
    cw_render_waiting own = *waiting;
    TAILQ_REMOVE(&session->waiting, waiting, link);
    free(waiting);
    own.on_reply(own.owner, own.tag, reply);
}

static void session_take(void *user, crawl_slice message)
{
    cw_render_session *session = user;
    cw_render_message read;
    if (!cw_render_message_read(message, &read))
        return;
    if (read.is_reply) {
        const cw_render_reply reply = {.result = read.result, .error = read.error};
        session_answer(session, read.number, &reply);
        return;
    }
    const cw_render_event event = {.method = read.method, .params = read.params, .session = read.session};
    session->on_event(session->user, &event);
}

static void session_end(void *user, const char *why)
{
    cw_render_session *session = user;
    cw_render_session_close(session);
    session->on_end(session->user, why);
}

/* --- commands --- */

crawl_err cw_render_session_open(cw_render_session *session, struct event_base *base, cw_render_ends ends)
{
    TAILQ_INIT(&session->waiting);
    session->pipe.on_message = session_take;
    session->pipe.on_end = session_end;
    session->pipe.user = session;
    return cw_render_pipe_open(&session->pipe, base, ends);
}

static crawl_err session_write(cw_render_session *session, const cw_render_command *command)
{
    crawl_buf_clear(&session->out);
    cw_writer out = {.out = &session->out};
    cw_json_int(&out, "{\"id\":", session->last_number);
    cw_json_words(&out, ",\"method\":", command->method);
    if (command->params.size) {
        cw_put_text(&out, ",\"params\":");
        cw_put(&out, command->params);
    }
    if (command->session.size)
        cw_json_text(&out, ",\"sessionId\":", command->session);
    cw_put_char(&out, '}');
    return out.err ? out.err : cw_render_pipe_send(&session->pipe, crawl_buf_slice(&session->out));
}

void cw_render_session_send(cw_render_session *session, const cw_render_command *command, int64_t now_ms)
{
    cw_render_waiting *waiting = command->on_reply ? malloc(sizeof *waiting) : NULL;
    session->last_number++;
    if (waiting) {
        *waiting = (cw_render_waiting){.number = session->last_number,
                                       .sent_ms = now_ms,
                                       .owner = command->owner,
                                       .tag = command->tag,
                                       .on_reply = command->on_reply};
        TAILQ_INSERT_TAIL(&session->waiting, waiting, link);
    }
    /* If the message was not sent, it is never answered, and its owner reaches its limit of silence. */
    (void)session_write(session, command);
}

void cw_render_session_forget(cw_render_session *session, const void *owner)
{
    for (cw_render_waiting *waiting = TAILQ_FIRST(&session->waiting), *next; waiting; waiting = next) {
        next = TAILQ_NEXT(waiting, link);
        if (waiting->owner != owner)
            continue;
        TAILQ_REMOVE(&session->waiting, waiting, link);
        free(waiting);
    }
}

int64_t cw_render_session_oldest(const cw_render_session *session, const void *owner)
{
    const cw_render_waiting *waiting;
    TAILQ_FOREACH(waiting, &session->waiting, link)
    if (waiting->owner == owner)
        return waiting->sent_ms;
    return INT64_MAX;
}

void cw_render_session_close(cw_render_session *session)
{
    cw_render_pipe_close(&session->pipe);
    for (cw_render_waiting *waiting; (waiting = TAILQ_FIRST(&session->waiting));) {
        TAILQ_REMOVE(&session->waiting, waiting, link);
        free(waiting);
    }
}
