/* See pipe.h. */
#include "render/pipe.h"
#include "base/bytes.h"
#include "base/json/pick.h"

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
        pipe_end(pipe, "no memory for a message of it");
}

static void pipe_event(struct bufferevent *, short, void *user)
{
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

static cw_json_value values_pick(crawl_slice object, crawl_slice name)
{
    cw_json_value value = {0};
    (void)cw_json_pick(object, &name, 1, &value);
    return value;
}

crawl_slice cw_render_text(crawl_slice object, crawl_slice name, crawl_buf *decoded)
{
    cw_json_value value = values_pick(object, name);
    if (value.has_escapes && crawl_buf_reserve(decoded, value.bytes.size))
        return (crawl_slice){0};
    return cw_json_decoded(&value, decoded);
}

crawl_slice cw_render_value(crawl_slice object, crawl_slice name)
{
    return values_pick(object, name).bytes;
}

double cw_render_number(crawl_slice object, crawl_slice name)
{
    cw_json_value value = values_pick(object, name);
    return value.kind == CW_JSON_NUMBER ? cw_json_number(&value) : 0;
}

bool cw_render_is_true(crawl_slice object, crawl_slice name)
{
    return values_pick(object, name).kind == CW_JSON_TRUE;
}

/* The number of an escape \uXXXX at text[at]; -1: there is none. */
static int32_t values_escape(crawl_slice text, size_t at)
{
    int32_t number = 0;
    if (at + 6 > text.size || text.data[at] != '\\' || text.data[at + 1] != 'u')
        return -1;
    for (size_t i = at + 2; i < at + 6; i++) {
        int digit = cw_hex_value((unsigned char)text.data[i]);
        if (digit < 0)
            return -1;
        number = number << 4 | digit;
    }
    return number;
}

static bool values_is_low(int32_t number)
{
    return number >= 0xdc00 && number <= 0xdfff;
}

/* Replaces what a JSON text may not hold for us, halves of surrogate pairs and NULs as escapes, by U+FFFD in place: a
 * page's texts may have both. */
static void values_mend(crawl_slice text)
{
    char *bytes = (char *)text.data;
    for (size_t at = 0; at + 1 < text.size; at++) {
        if (bytes[at] != '\\')
            continue;
        int32_t number = values_escape(text, at);
        bool is_high = number >= 0xd800 && number < 0xdc00;
        if (is_high && values_is_low(values_escape(text, at + 6)))
            at += 11;
        else if (number == 0 || is_high || values_is_low(number))
            memcpy(bytes + at, "\\ufffd", 6);
        else
            at++;
    }
}

bool cw_render_next(crawl_slice *rest, crawl_slice *element)
{
    cw_json_value value = {0};
    bool is_there = cw_json_next_element(rest, &value);
    *element = value.bytes;
    return is_there;
}

bool cw_render_message_read(crawl_slice text, cw_render_message *out)
{
    enum { ID, METHOD, PARAMS, SESSION, RESULT, ERROR, COUNT };
    static const crawl_slice names[COUNT] = {CW_JSON_NAME("id"),        CW_JSON_NAME("method"), CW_JSON_NAME("params"),
                                             CW_JSON_NAME("sessionId"), CW_JSON_NAME("result"), CW_JSON_NAME("error")};
    cw_json_value values[COUNT];
    if (!cw_json_pick(text, names, COUNT, values)) {
        values_mend(text);
        if (!cw_json_pick(text, names, COUNT, values))
            return false;
    }
    *out = (cw_render_message){.is_reply = values[ID].kind == CW_JSON_NUMBER,
                               .number = values[ID].kind == CW_JSON_NUMBER ? (int64_t)cw_json_number(&values[ID]) : 0,
                               .method = values[METHOD].bytes,
                               .params = values[PARAMS].bytes,
                               .session = values[SESSION].bytes,
                               .result = values[RESULT].bytes,
                               .error = values[ERROR].bytes};
    return out->is_reply || values[METHOD].kind == CW_JSON_STRING;
}

crawl_err cw_render_base64(crawl_slice text, crawl_buf *out)
{
    size_t size;
    if (crawl_buf_reserve(out, text.size / 4 * 3 + 3))
        return CRAWL_ENOMEM;
    size_t digits = cw_base64_decode(text, "+/", out->data + out->size, &size);
    out->size += size;
    out->data[out->size] = '\0';
    return digits == text.size || text.data[digits] == '=' ? CRAWL_OK : CRAWL_EPARSE;
}
