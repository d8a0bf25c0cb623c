/* Tests messages over the pipe: only complete ones arrive, and the end is reported once. */
#include "render/pipe.h"

#include <criterion/criterion.h>
#include <event2/event.h>
#include <sys/socket.h>
#include <unistd.h>

static struct event_base *base;
static cw_render_pipe line; /* "pipe" is a system call */
static int peer;
static crawl_buf got;
static unsigned ends;
static bool closes;

static void on_message(void *, crawl_slice message)
{
    crawl_buf_printf(&got, "[%s]", message.data);
    if (closes)
        cw_render_pipe_close(&line);
}

static void on_end(void *, const char *)
{
    ends++;
}

static void setup(void)
{
    int both[2];
    base = event_base_new();
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, both), 0);
    peer = both[1];
    line = (cw_render_pipe){.on_message = on_message, .on_end = on_end};
    cr_assert_eq(cw_render_pipe_open(&line, base, (cw_render_ends){both[0], both[0]}), CRAWL_OK);
}

static void teardown(void)
{
    cw_render_pipe_free(&line);
    if (peer >= 0)
        close(peer);
    event_base_free(base);
    crawl_buf_free(&got);
}

TestSuite(pipe, .init = setup, .fini = teardown, .timeout = 60);

static void say(const char *bytes, size_t size)
{
    cr_assert_eq(write(peer, bytes, size), (ssize_t)size);
    event_base_loop(base, EVLOOP_NONBLOCK);
}

Test(pipe, messages_in_pieces_and_together)
{
    say("ab", 2);
    cr_assert_null(got.data);
    say("c", 1);
    say("\0d\0\0e", 5);
    cr_assert_str_eq(got.data, "[abc][d][]");
    say("\0", 1);
    cr_assert_str_eq(got.data, "[abc][d][][e]");
}

Test(pipe, what_is_sent_ends_in_a_nul)
{
    char bytes[8] = "xxxxxxx";
    cr_assert_eq(cw_render_pipe_send(&line, crawl_slice_from("ab")), CRAWL_OK);
    cr_assert_eq(cw_render_pipe_send(&line, crawl_slice_from("c")), CRAWL_OK);
    event_base_loop(base, EVLOOP_NONBLOCK);
    cr_assert_eq(read(peer, bytes, sizeof bytes), 5);
    cr_assert_arr_eq(bytes, "ab\0c", 5);
}

Test(pipe, its_end_is_told_once_and_half_a_message_is_none)
{
    say("half", 4);
    close(peer);
    peer = -1;
    for (int i = 0; i < 3; i++)
        event_base_loop(base, EVLOOP_NONBLOCK);
    cr_assert_eq(ends, 1);
    cr_assert_null(got.data);
    cr_assert_eq(cw_render_pipe_send(&line, crawl_slice_from("x")), CRAWL_ESTATE);
}

Test(pipe, may_be_closed_from_its_callback)
{
    closes = true;
    say("a\0b", 4);
    cr_assert_str_eq(got.data, "[a]");
    cr_assert_eq(ends, 0);
}

Test(pipe, a_browser_that_does_not_read_is_not_waited_for)
{
    static char part[(size_t)32 << 20];
    crawl_err err = CRAWL_OK;
    memset(part, 'x', sizeof part);
    for (int i = 0; i < 5 && !err; i++)
        err = cw_render_pipe_send(&line, crawl_slice_of(part, sizeof part));
    cr_assert_eq(err, CRAWL_FULL);
}

static int other[2]; /* the ends of a second peer */

static void on_message_open_anew(void *, crawl_slice message)
{
    crawl_buf_printf(&got, "[%s]", message.data);
    cw_render_pipe_close(&line);
    line.on_message = on_message;
    cr_assert_eq(cw_render_pipe_open(&line, base, (cw_render_ends){other[0], other[0]}), CRAWL_OK);
}

/* The callback may close the pipe and open it to another browser. Later data of the first browser is dropped. */
Test(pipe, may_be_opened_anew_from_its_callback)
{
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, other), 0);
    line.on_message = on_message_open_anew;
    say("a\0b\0c", 5);
    cr_assert_eq(write(other[1], "d\0", 2), 2);
    event_base_loop(base, EVLOOP_NONBLOCK);
    cr_assert_str_eq(got.data, "[a][d]");
    close(other[1]);
}

Test(pipe, may_have_an_end_for_each_way)
{
    int in[2], out[2];
    char bytes[4] = "";
    cr_assert(!pipe(in) && !pipe(out));
    cw_render_pipe_close(&line);
    cr_assert_eq(cw_render_pipe_open(&line, base, (cw_render_ends){in[0], out[1]}), CRAWL_OK);
    cr_assert_eq(cw_render_pipe_send(&line, crawl_slice_from("ab")), CRAWL_OK);
    cr_assert_eq(write(in[1], "x\0", 2), 2);
    event_base_loop(base, EVLOOP_NONBLOCK);
    cr_assert_eq(read(out[0], bytes, sizeof bytes), 3);
    cr_assert_str_eq(bytes, "ab");
    cr_assert_str_eq(got.data, "[x]");
    cw_render_pipe_close(&line);
    cr_assert_eq(read(out[0], bytes, sizeof bytes), 0);
    close(in[1]);
    close(out[0]);
}
