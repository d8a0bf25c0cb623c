/* See pipe.h. */
#include "render/pipe.h"
#include "base/bytes.h"
#include "base/json/pick.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/util.h>
#include <unistd.h>

/* Least buffer for one read, in bytes. */
enum { READ_LEAST = 64 * 1024 };

static void pipe_close(cw_render_pipe *pipe)
{
    if (pipe->reads)
        event_free(pipe->reads);
    if (pipe->writes)
        event_free(pipe->writes);
    if (pipe->out)
        evbuffer_free(pipe->out);
    close(pipe->ends.in);
    if (pipe->ends.out != pipe->ends.in)
        close(pipe->ends.out);
    pipe->reads = pipe->writes = NULL;
    pipe->out = NULL;
}

static void pipe_end(cw_render_pipe *pipe, const char *why)
{
    cw_render_pipe_close(pipe);
    pipe->on_end(pipe->user, why);
}

/* --- in --- */

/* Hands over the complete messages and keeps the rest. Returns false if the pipe was closed meanwhile. */
static bool pipe_hand_over(cw_render_pipe *pipe)
{
    unsigned opened = pipe->opened;
    char *from = pipe->in.data, *end = from + pipe->in.size, *nul = from + pipe->looked;
    while ((nul = memchr(nul, '\0', (size_t)(end - nul)))) {
        pipe->on_message(pipe->user, crawl_slice_of(from, (size_t)(nul - from)));
        if (!pipe->reads || pipe->opened != opened)
            return false;
        from = ++nul;
    }
    pipe->in.size = pipe->looked = (size_t)(end - from);
    memmove(pipe->in.data, from, pipe->looked);
    return true;
}

static void pipe_read(evutil_socket_t descriptor, short, void *user)
{
    cw_render_pipe *pipe = user;
    if (crawl_buf_reserve(&pipe->in, READ_LEAST)) {
        pipe_end(pipe, "no memory for a message of it");
        return;
    }
    ssize_t got = read(descriptor, pipe->in.data + pipe->in.size, pipe->in.capacity - pipe->in.size - 1);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        pipe_end(pipe, "it ended");
    if (got <= 0)
        return;
    pipe->in.size += (size_t)got;
    if (pipe_hand_over(pipe) && pipe->in.size > CW_RENDER_PIPE_MESSAGE_MAX)
        pipe_end(pipe, "a message of it is too long");
}

/* --- out --- */

static void pipe_write(evutil_socket_t descriptor, short, void *user)
{
    cw_render_pipe *pipe = user;
    if (evbuffer_write(pipe->out, descriptor) < 0 && errno != EAGAIN && errno != EINTR)
        pipe_end(pipe, "it ended");
    else if (evbuffer_get_length(pipe->out))
        event_add(pipe->writes, NULL);
}

/* Messages sent in one turn of the loop are written at its end. The loop waits for writability only when the pipe is
 * full. */
crawl_err cw_render_pipe_send(cw_render_pipe *pipe, crawl_slice message)
{
    if (!pipe->reads)
        return CRAWL_ESTATE;
    size_t before = evbuffer_get_length(pipe->out);
    if (before + message.size > CW_RENDER_PIPE_QUEUE_MAX)
        return CRAWL_FULL;
    /* Reserves room, so that no partial message is queued. */
    if (evbuffer_expand(pipe->out, message.size + 1) || evbuffer_add(pipe->out, message.data, message.size) ||
        evbuffer_add(pipe->out, "", 1))
        return CRAWL_ENOMEM;
    if (!before)
        event_active(pipe->writes, EV_WRITE, 0);
    return CRAWL_OK;
}

/* --- open and close --- */

crawl_err cw_render_pipe_open(cw_render_pipe *pipe, struct event_base *base, cw_render_ends ends)
{
    pipe->opened++;
    pipe->in.size = pipe->looked = 0;
    pipe->ends = ends;
    evutil_make_socket_nonblocking(ends.in);
    evutil_make_socket_nonblocking(ends.out);
    pipe->reads = event_new(base, ends.in, EV_READ | EV_PERSIST, pipe_read, pipe);
    pipe->writes = event_new(base, ends.out, EV_WRITE, pipe_write, pipe);
    pipe->out = evbuffer_new();
    if (pipe->reads && pipe->writes && pipe->out && !event_add(pipe->reads, NULL))
        return CRAWL_OK;
    pipe_close(pipe);
    return CRAWL_ENOMEM;
}

void cw_render_pipe_close(cw_render_pipe *pipe)
{
    if (pipe->reads)
        pipe_close(pipe);
}

void cw_render_pipe_free(cw_render_pipe *pipe)
{
    cw_render_pipe_close(pipe);
    crawl_buf_free(&pipe->in);
}

/* --- messages --- */

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

/* Returns the number of an escape \uXXXX at text[at]; -1: none. */
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

/* Replaces escapes that our JSON must not hold, unpaired surrogates and NULs, by U+FFFD in place: a page's texts may
 * have both. */
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
