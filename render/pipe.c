/* See pipe.h. */
#include "render/pipe.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/util.h>
#include <unistd.h>

static void pipe_end(cw_render_pipe *pipe, const char *why)
{
    cw_render_pipe_close(pipe);
    pipe->on_end(pipe->user, why);
}

/* Moves the next message out of the input. CRAWL_AGAIN: it has not come as a whole. */
static crawl_err pipe_take(cw_render_pipe *pipe, struct evbuffer *input)
{
    struct evbuffer_ptr from, end;
    size_t size = evbuffer_get_length(input);
    if (pipe->looked >= size || evbuffer_ptr_set(input, &from, pipe->looked, EVBUFFER_PTR_SET))
        return CRAWL_AGAIN;
    end = evbuffer_search(input, "", 1, &from);
    if (end.pos < 0) {
        pipe->looked = size;
        return size > CW_RENDER_PIPE_MESSAGE_MAX ? CRAWL_FULL : CRAWL_AGAIN;
    }
    pipe->looked = 0;
    crawl_buf_clear(&pipe->message);
    if (crawl_buf_reserve(&pipe->message, (size_t)end.pos + 1))
        return CRAWL_ENOMEM;
    evbuffer_remove(input, pipe->message.data, (size_t)end.pos + 1);
    pipe->message.size = (size_t)end.pos;
    return CRAWL_OK;
}

static void pipe_read(struct bufferevent *events, void *user)
{
    cw_render_pipe *pipe = user;
    crawl_err err = CRAWL_OK;
    while (pipe->events == events && !(err = pipe_take(pipe, bufferevent_get_input(events))))
        pipe->on_message(pipe->user, &pipe->message);
    if (pipe->events == events && err == CRAWL_FULL)
        pipe_end(pipe, "a message of it is too long");
    else if (pipe->events == events && err == CRAWL_ENOMEM)
        pipe_end(pipe, "there is no memory for a message of it");
}

static void pipe_event(struct bufferevent *events, short what, void *user)
{
    (void)events;
    (void)what;
    pipe_end(user, "it ended");
}

crawl_err cw_render_pipe_open(cw_render_pipe *pipe, struct event_base *base, int descriptor)
{
    pipe->looked = 0;
    evutil_make_socket_nonblocking(descriptor);
    pipe->events = bufferevent_socket_new(base, descriptor, BEV_OPT_CLOSE_ON_FREE);
    if (!pipe->events) {
        close(descriptor);
        return CRAWL_ENOMEM;
    }
    bufferevent_setcb(pipe->events, pipe_read, NULL, pipe_event, pipe);
    bufferevent_set_max_single_read(pipe->events, (size_t)1 << 20);
    bufferevent_set_max_single_write(pipe->events, (size_t)1 << 20);
    bufferevent_enable(pipe->events, EV_READ | EV_WRITE);
    return CRAWL_OK;
}

crawl_err cw_render_pipe_send(cw_render_pipe *pipe, crawl_slice message)
{
    if (!pipe->events)
        return CRAWL_ESTATE;
    struct evbuffer *output = bufferevent_get_output(pipe->events);
    if (evbuffer_get_length(output) + message.size > CW_RENDER_PIPE_QUEUE_MAX)
        return CRAWL_FULL;
    /* Room first, so that never half a message is queued. */
    if (evbuffer_expand(output, message.size + 1) || evbuffer_add(output, message.data, message.size) ||
        evbuffer_add(output, "", 1))
        return CRAWL_ENOMEM;
    return CRAWL_OK;
}

void cw_render_pipe_close(cw_render_pipe *pipe)
{
    if (pipe->events)
        bufferevent_free(pipe->events);
    pipe->events = NULL;
}

void cw_render_pipe_free(cw_render_pipe *pipe)
{
    cw_render_pipe_close(pipe);
    crawl_buf_free(&pipe->message);
}
