/* A call of the gRPC server: the lifetime of its messages, and their limits. */
#include "tools/serve/grpc/call.h"

#include "tools/serve/urlfrontier/urlfrontier.pb-c.h"

#include <criterion/criterion.h>

enum { MESSAGES = 100, SIZE = 100 * 1000, HEAD = 5 };

/* Calls as the methods of this file saw them. */
typedef struct seen {
    const Urlfrontier__URLItem *items[MESSAGES]; /* since the last flush */
    size_t count;
    size_t flushes;
    size_t all;
} seen;

static void append_head(crawl_buf *out, size_t size)
{
    for (int shift = 32; shift >= 0; shift -= 8)
        cr_assert_eq(crawl_buf_append_char(out, (char)(size >> shift)), CRAWL_OK); /* uncompressed: a zero first */
}

static void append_item(crawl_buf *out, Urlfrontier__URLItem *item)
{
    size_t size = urlfrontier__urlitem__get_packed_size(item);
    append_head(out, size);
    cr_assert_eq(crawl_buf_reserve(out, size), CRAWL_OK);
    urlfrontier__urlitem__pack(item, (uint8_t *)out->data + out->size);
    out->size += size;
}

static void take_item(cw_grpc_call *call, ProtobufCMessage *message)
{
    seen *s = cw_grpc_user(call);
    cr_assert_lt(s->count, MESSAGES);
    s->items[s->count++] = (const Urlfrontier__URLItem *)message;
}

/* Expects each as sent, with its own letters. */
static void look_at_items(cw_grpc_call *call)
{
    seen *s = cw_grpc_user(call);
    for (size_t i = 0; i < s->count; i++, s->all++) {
        const char letters[] = {(char)('0' + s->all % 64), '\0'};
        cr_expect_eq(strlen(s->items[i]->id), SIZE);
        cr_expect_eq(strspn(s->items[i]->id, letters), SIZE);
    }
    cr_expect_leq(s->count, CW_GRPC_BATCH_MAX / SIZE + 1);
    s->count = 0;
    s->flushes++;
}

static const cw_grpc_method put = {.path = "/p",
                                   .client_streams = true,
                                   .request = &urlfrontier__urlitem__descriptor,
                                   .message = take_item,
                                   .flush = look_at_items};

/* Runs a call with these bytes. Free it by cw_grpc_call_free. */
static cw_grpc_call *work(const cw_grpc_method *method, const crawl_buf *bytes, seen *s, size_t *held)
{
    cw_grpc_call *call = cw_grpc_call_create(NULL, 1, s, held);
    cr_assert_not_null(call);
    call = cw_grpc_call_widen(call, method);
    cr_assert_not_null(call);
    cw_grpc_call_take(call, crawl_buf_slice(bytes));
    call->ended = true;
    cw_grpc_call_work(call);
    return call;
}

Test(call, messages_stay_until_they_are_flushed)
{
    crawl_buf bytes = {0};
    seen s = {0};
    size_t held = 0;
    char id[SIZE + 1] = {0};
    Urlfrontier__URLItem item = URLFRONTIER__URLITEM__INIT;
    item.id = id;
    for (size_t i = 0; i < MESSAGES; i++) {
        memset(id, (int)('0' + i % 64), SIZE);
        append_item(&bytes, &item);
    }
    cw_grpc_call *call = work(&put, &bytes, &s, &held);
    cr_expect_eq(s.all, MESSAGES);
    cr_expect_geq(s.flushes, MESSAGES / (CW_GRPC_BATCH_MAX / SIZE + 1));
    cr_expect(call->finished && call->code == CW_GRPC_OK);
    cr_expect_null(call->messages.chunks);
    cr_expect_eq(held, 0);
    cw_grpc_call_free(call);
    crawl_buf_free(&bytes);
}

static void take_params(cw_grpc_call *call, ProtobufCMessage *message)
{
    const Urlfrontier__GetParams *params = (const Urlfrontier__GetParams *)message;
    (void)call;
    cr_expect_str_eq(params->key, "example.com");
}

static void answer_later(cw_grpc_call *call)
{
    cw_grpc_finish(call, CW_GRPC_OK, NULL);
}

static void look_once_more(cw_grpc_call *call)
{
    seen *s = cw_grpc_user(call);
    s->all++;
}

/* A message may be large, and the answers may take long. */
Test(call, a_message_is_gone_before_what_is_answered_later)
{
    static const cw_grpc_method get = {.path = "/g",
                                       .request = &urlfrontier__get_params__descriptor,
                                       .message = take_params,
                                       .more = answer_later,
                                       .closed = look_once_more};
    crawl_buf bytes = {0};
    seen s = {0};
    size_t held = 0;
    uint8_t packed[64];
    Urlfrontier__GetParams params = URLFRONTIER__GET_PARAMS__INIT;
    char key[] = "example.com";
    params.key = key;
    size_t size = urlfrontier__get_params__pack(&params, packed);
    append_head(&bytes, size);
    cr_assert_eq(crawl_buf_append(&bytes, packed, size), CRAWL_OK);
    cw_grpc_call *call = work(&get, &bytes, &s, &held);
    cr_expect_null(call->messages.chunks);
    answer_later(call);
    cw_grpc_call_free(call);
    cr_expect_eq(s.all, 1);
    crawl_buf_free(&bytes);
}

/* A found URL whose `info` comes a million times, each with metadata that are joined to those before. */
Test(call, a_message_that_takes_too_much_is_refused, .timeout = 60)
{
    enum { TIMES = 1000 * 1000, INFO = 4, LENGTH = 4 }; /* a length of 4 MB has 4 bytes */
    crawl_buf bytes = {0};
    seen s = {0};
    size_t held = 0;
    size_t size = TIMES * INFO;
    append_head(&bytes, 1 + LENGTH + size);
    cr_assert_eq(crawl_buf_append_char(&bytes, 1 << 3 | 2), CRAWL_OK);
    for (int i = 0; i < LENGTH; i++)
        cr_assert_eq(crawl_buf_append_char(&bytes, (char)((size >> 7 * i & 127) | (i < LENGTH - 1 ? 128 : 0))),
                     CRAWL_OK);
    for (size_t i = 0; i < TIMES; i++)
        cr_assert_eq(crawl_buf_append(&bytes, "\x0a\x02\x1a\x00", INFO), CRAWL_OK);
    cw_grpc_call *call = work(&put, &bytes, &s, &held);
    cr_expect(call->finished && call->code == CW_GRPC_RESOURCE_EXHAUSTED);
    cr_expect_str_eq(call->words, "a message takes more than 128 MiB of memory, or there is none");
    cr_expect_eq(s.all, 0);
    cr_expect_null(call->messages.chunks);
    cw_grpc_call_free(call);
    crawl_buf_free(&bytes);
}

/* All calls together have one limit, until they are over. */
Test(grpc_call, what_methods_keep_is_bounded)
{
    seen s = {0};
    size_t held = 0;
    cw_grpc_call *first = cw_grpc_call_create(NULL, 1, &s, &held);
    cw_grpc_call *second = cw_grpc_call_create(NULL, 3, &s, &held);
    cr_assert(first && second);
    cr_expect(cw_grpc_keep(first, CW_GRPC_HELD_MAX - 1));
    cr_expect(cw_grpc_keep(second, 1));
    cr_expect(!cw_grpc_keep(second, 1));
    cr_expect(cw_grpc_finished(second));
    cr_expect_eq(second->code, CW_GRPC_RESOURCE_EXHAUSTED);
    cw_grpc_call_free(second);
    cr_expect_eq(held, CW_GRPC_HELD_MAX - 1);
    cw_grpc_call_free(first);
    cr_expect_eq(held, 0);
}

/* A client that reads its acknowledgements slower than it writes never reads the last one. */
Test(grpc_call, what_was_sent_is_dropped_while_more_waits)
{
    enum { STEP = 100, TIMES = 10000 };
    seen s = {0};
    size_t held = 0;
    char bytes[STEP - HEAD];
    cw_grpc_call *call = cw_grpc_call_create(NULL, 1, &s, &held);
    cr_assert_not_null(call);
    for (int i = 0; i < TIMES; i++) {
        memset(bytes, 'a' + i % 26, sizeof bytes);
        cw_grpc_send_packed(call, crawl_slice_of(bytes, sizeof bytes));
        cw_grpc_send_packed(call, crawl_slice_of("x", 1));
        cw_grpc_take_back(call, cw_grpc_waiting(call) - HEAD - 1);
        if (i) {
            cr_assert_eq(call->out.data[call->sent + HEAD], 'a' + (i - 1) % 26);
            call->sent += STEP;
        }
        cr_assert_eq(cw_grpc_waiting(call), STEP);
    }
    cr_expect_leq(call->out.size, 3 * STEP);
    cw_grpc_call_free(call);
}
