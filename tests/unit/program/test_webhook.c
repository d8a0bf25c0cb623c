/* Signatures of webhooks, and how long a failed message waits. */
#include "crawler/program/webhook/webhook_target.h"

#include <criterion/criterion.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>

#define KEY "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
#define OTHER "whsec_YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh" /* 24 bytes */

Test(webhook, signature_of_the_standard_s_own_package)
{
    cw_webhook_secrets secrets;
    crawl_buf out = {0};
    const crawl_slice body =
        crawl_slice_from("{\"type\":\"crawl.finished\",\"timestamp\":\"2026-11-21T10:00:00Z\",\"data\":{\"pages\":2}}");
    cr_assert_eq(cw_webhook_secrets_read(crawl_slice_from(KEY), &secrets), CRAWL_OK);
    cr_assert_eq(cw_webhook_sign(&secrets, "msg_1", 1795255200, body, &out), CRAWL_OK);
    cr_expect_str_eq(out.data, "v1,JtfHIYn1Vf6qDDIAh3XSbLh7320XjE5VHs40QTLVjsQ=");
    crawl_buf_clear(&out);
    cr_assert_eq(cw_webhook_secrets_read(crawl_slice_from(OTHER " " KEY), &secrets), CRAWL_OK);
    cr_assert_eq(cw_webhook_sign(&secrets, "msg_1", 1795255200, body, &out), CRAWL_OK);
    cr_expect(strncmp(out.data, "v1,", 3) == 0 &&
              strstr(out.data, " v1,JtfHIYn1Vf6qDDIAh3XSbLh7320XjE5VHs40QTLVjsQ=") == out.data + 47);
    crawl_buf_free(&out);
}

Test(webhook, what_is_a_secret)
{
    static const char *const good[] = {KEY, OTHER, "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY",
                                       " " KEY "  " KEY " " KEY " " KEY};
    static const char *const bad[] = {"",
                                      "whsec_",
                                      "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
                                      "whsec_YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE=", /* 23 bytes */
                                      "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY==",
                                      "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=x",
                                      "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWYwM",
                                      KEY " x",
                                      KEY " " KEY " " KEY " " KEY " " KEY};
    cw_webhook_secrets secrets;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        cr_expect_eq(cw_webhook_secrets_read(crawl_slice_from(good[i]), &secrets), CRAWL_OK, "%s", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_eq(cw_webhook_secrets_read(crawl_slice_from(bad[i]), &secrets), CRAWL_EPARSE, "%s", bad[i]);
    crawl_buf longest = {0};
    cr_assert_eq(crawl_buf_append_text(&longest, "whsec_"), CRAWL_OK);
    for (size_t i = 0; i < 86; i++)
        cr_assert_eq(crawl_buf_append_char(&longest, 'Q'), CRAWL_OK);
    cr_expect_eq(cw_webhook_secrets_read(crawl_buf_slice(&longest), &secrets), CRAWL_OK, "64 bytes");
    cr_assert_eq(crawl_buf_append_char(&longest, 'Q'), CRAWL_OK);
    cr_expect_eq(cw_webhook_secrets_read(crawl_buf_slice(&longest), &secrets), CRAWL_EPARSE, "65 bytes");
    crawl_buf_free(&longest);
}

Test(webhook, waits)
{
    static const int64_t least_s[] = {5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400, 86400};
    for (unsigned i = 0; i < sizeof least_s / sizeof *least_s; i++) {
        int64_t ms = cw_webhook_wait_ms(i + 1, false, "msg_1");
        cr_expect(ms >= least_s[i] * 1000 && ms <= least_s[i] * 1125, "%u: %lld", i, (long long)ms);
    }
    cr_expect_neq(cw_webhook_wait_ms(2, false, "msg_1"), cw_webhook_wait_ms(2, false, "msg_2"));
    static const int64_t hurried_s[] = {1, 2, 4, 8, 8};
    for (unsigned i = 0; i < sizeof hurried_s / sizeof *hurried_s; i++)
        cr_expect_eq(cw_webhook_wait_ms(i + 1, true, "msg_1"), hurried_s[i] * 1000);
}

typedef struct seen_figures {
    cw_webhook_figures sum;
    unsigned notices;
} seen_figures;

static void on_notice(void *of, const char *words)
{
    seen_figures *seen = of;
    seen->notices++;
    cr_expect_str_eq(words, "webhook http://127.0.0.1:1: 1,000 messages wait for it: others are dropped");
}

static void on_figures(void *of, const cw_webhook_figures *change)
{
    seen_figures *seen = of;
    seen->sum.delivered += change->delivered;
    seen->sum.failed += change->failed;
    seen->sum.dropped += change->dropped;
    seen->sum.waiting += change->waiting;
}

static cw_webhook_message *make_message(bool must_go)
{
    cw_webhook_message *message = calloc(1, sizeof *message);
    cr_assert(message);
    message->owners = 1;
    message->must_go = must_go;
    snprintf(message->id, sizeof message->id, "msg_x");
    cr_assert_eq(crawl_buf_append_text(&message->body, "{}"), CRAWL_OK);
    return message;
}

Test(webhook, a_queue_has_an_end)
{
    enum { MORE = 5 };
    seen_figures seen = {.sum = {.waiting = CW_WEBHOOK_QUEUE_MAX + MORE + 1}};
    cw_webhook_secrets secrets;
    crawl_fetch_options options;
    crawl_fetcher *fetcher;
    cw_webhook_target *target;
    struct event_base *base = event_base_new();
    cr_assert_eq(cw_webhook_secrets_read(crawl_slice_from(KEY), &secrets), CRAWL_OK);
    crawl_fetch_options_init(&options, sizeof options);
    cr_assert_eq(crawl_fetcher_create(base, &options, &fetcher, NULL), CRAWL_OK);
    const cw_webhook_target_options how = {.base = base,
                                           .fetcher = fetcher,
                                           .secrets = &secrets,
                                           .url = "http://127.0.0.1:1/a/secret?path",
                                           .notice = on_notice,
                                           .on_figures = on_figures,
                                           .of = &seen};
    cr_assert_eq(cw_webhook_target_create(&how, &target), CRAWL_OK);
    for (unsigned i = 0; i < CW_WEBHOOK_QUEUE_MAX + MORE; i++)
        cw_webhook_target_put(target, make_message(false));
    cr_expect_eq(seen.sum.dropped, MORE);
    cr_expect_eq(seen.sum.waiting, CW_WEBHOOK_QUEUE_MAX + 1);
    cw_webhook_message *last = make_message(true);
    last->owners = 2; /* including this test */
    cw_webhook_target_put(target, last);
    cr_expect_eq(seen.sum.dropped, MORE + 1);
    cr_expect_eq(seen.sum.waiting, CW_WEBHOOK_QUEUE_MAX);
    cr_expect_eq(last->owners, 2, "it was put");
    cr_expect_eq(seen.notices, 1);
    crawl_fetcher_free(fetcher);
    cw_webhook_target_free(target);
    cr_expect_eq(seen.sum.failed, CW_WEBHOOK_QUEUE_MAX);
    cr_expect_eq(seen.sum.waiting, 0);
    cw_webhook_message_leave(last);
    event_base_loop(base, EVLOOP_NONBLOCK);
    event_base_free(base);
}
