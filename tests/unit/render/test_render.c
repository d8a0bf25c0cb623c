/* Tests renders in a fake browser: the course of a page, its parts, its clock. */
#include "tests/unit/render/one_renderer.h"

TestSuite(render, .init = setup, .fini = teardown, .timeout = 60);

/* --- a page --- */

Test(render, a_page_is_read_when_its_time_is_over)
{
    begin();
    loop_until_done(1);
    cr_assert(!got.failed && !got.lack);
    cr_assert_str_eq(got.html.data, "<p>\xc3\xa9\n</p>");
    cr_assert_str_eq(got.base.data, "http://a.example/b/");
    cr_assert_eq(fake_count(&fake, "Emulation.setVirtualTimePolicy {\"policy\":\"pauseIfNetworkFetchesPending\""), 4);
    cr_assert_lt(place_of("Runtime.evaluate {\"expression\":\"0\"}"), place_of("Page.navigate"));
    cr_assert_lt(place_of("{\"policy\":\"pause\""), place_of("Page.navigate"));
    place_of("Target.disposeBrowserContext {\"browserContextId\":\"C1\"}");
    place_of("\"responseHeaders\":[{\"name\":\"Content-Type\",\"value\":\"text/html\"}],\"body\":\"PHA+\"");
}

Test(render, the_clock_grants_as_much_as_it_may)
{
    options.clock_ms = 130;
    begin();
    loop_until_done(1);
    cr_assert_lt(place_of("\"budget\":50,"), place_of("\"budget\":80,"));
    cr_assert_eq(fake_count(&fake, "Emulation.setVirtualTimePolicy"), 3);
}

Test(render, frames_are_drawn_while_something_changes_and_not_without_end)
{
    fake.rules[0] =
        (fake_rule){"HeadlessExperimental.beginFrame", NULL, "{\"id\":$I,\"result\":{\"hasDamage\":true}}|", 0};
    begin();
    loop_until_done(1);
    cr_assert_eq(fake_count(&fake, "HeadlessExperimental.beginFrame"), 120);
}

Test(render, the_clock_goes_by_long_steps_where_nothing_moves)
{
    begin();
    loop_until_done(1);
    cr_assert_lt(place_of("\"budget\":50,"), place_of("\"budget\":250,"));
    cr_assert_lt(place_of("\"budget\":1250,"), place_of("\"budget\":3450,"));
}

Test(render, the_clock_goes_by_short_steps_while_the_page_moves_and_by_eight_at_most)
{
    fake.rules[0] =
        (fake_rule){"HeadlessExperimental.beginFrame", NULL, "{\"id\":$I,\"result\":{\"hasDamage\":true}}|", 0};
    begin();
    loop_until_done(1);
    cr_assert_eq(fake_count(&fake, "Emulation.setVirtualTimePolicy {\"policy\":\"pauseIfNetworkFetchesPending\""), 8);
    cr_assert_lt(place_of("\"budget\":300,"), place_of("\"budget\":3150,"));
}

Test(render, the_clock_stands_nearly_while_databases_do_not_answer)
{
    page_answer.body = crawl_slice_from("<script>indexedDB.open('x')</script>");
    fake.rules[0] =
        (fake_rule){"Runtime.evaluate", "indexedDB", "{\"id\":$I,\"result\":{\"result\":{\"value\":true}}}|", 3};
    begin();
    loop_until_done(1);
    cr_assert_eq(fake_count(&fake, "Emulation.setVirtualTimePolicy {\"policy\":\"pauseIf"), 3 + 4);
    cr_assert_lt(place_of("\"budget\":50,"), place_of("\"budget\":1,"));
    cr_assert_lt(place_of("\"budget\":1,"), place_of("\"budget\":300,"));
    fake.rules[0].times = 0; /* the pending work never ends */
    begin();
    loop_until_done(2);
    cr_assert(!got.failed && !got.lack);
    cr_assert_eq(fake_count(&fake, "Emulation.setVirtualTimePolicy {\"policy\":\"pauseIf"), 3 + 4 + 100 + 4);
}

Test(render, a_page_is_clicked_while_there_is_something_to_click_and_twenty_times_at_most)
{
    fake.rules[0] =
        (fake_rule){"Runtime.evaluate", "XPathEvaluator", "{\"id\":$I,\"result\":{\"result\":{\"value\":1}}}|", 2};
    options.clicks = crawl_slice_of("//a[.=\"b\"]\0//c\0", 15);
    begin();
    loop_until_done(1);
    cr_assert_eq(fake_count(&fake, "Runtime.evaluate {\"contextId\":5,\"returnByValue\":true,\"expression\":\"(paths"),
                 3);
    cr_assert_eq(fake_count(&fake, "Emulation.setVirtualTimePolicy {\"policy\":\"pauseIf"), 4 + 2 * 3);
    place_of("([\\\"//a[.=\\\\\\\"b\\\\\\\"]\\\",\\\"//c\\\"])");
    fake.rules[0].times = 0; /* there is always something to find */
    begin();
    loop_until_done(2);
    cr_assert(!got.failed && !got.lack);
    cr_assert_eq(fake_count(&fake, "Runtime.evaluate {\"contextId\":5,\"returnByValue\":true,\"expression\":\"(paths"),
                 3 + 20);
}

Test(render, the_view_grows_with_the_page_three_times)
{
    static const char *const heights[] = {"{\"id\":$I,\"result\":{\"result\":{\"value\":2000}}}|",
                                          "{\"id\":$I,\"result\":{\"result\":{\"value\":3000}}}|",
                                          "{\"id\":$I,\"result\":{\"result\":{\"value\":1e9}}}|"};
    for (int i = 0; i < 3; i++)
        fake.rules[i] = (fake_rule){"Runtime.evaluate", "documentElement.scrollHeight", heights[i], 1};
    begin();
    loop_until_done(1);
    cr_assert(!got.failed);
    cr_assert_eq(fake_count(&fake, "Emulation.setDeviceMetricsOverride"), 3);
    place_of("\"height\":1984,");
    place_of("\"height\":2984,");
    place_of("\"height\":11984,");
    cr_assert_eq(fake_count(&fake, "Emulation.setVirtualTimePolicy {\"policy\":\"pauseIf"), 4 + 3 * 3);
}

Test(render, a_message_may_come_in_pieces_and_with_what_is_none)
{
    fake.piece = 7;
    fake.rules[0] = (fake_rule){"Page.enable", NULL, "{\"id\":99999,\"result\":{}}|}no|[]|{\"id\":$I}|||", 0};
    begin();
    loop_until_done(1);
    cr_assert(!got.failed);
    cr_assert_str_eq(got.html.data, "<p>\xc3\xa9\n</p>");
}

Test(render, texts_of_pages_that_json_cannot_hold_are_mended)
{
    fake.rules[0] = (fake_rule){"DOM.getOuterHTML", NULL,
                                "{\"id\":$I,\"result\":{\"outerHTML\":\"a\\ud800b\\u0000c\\udc00\\ud83d\\ude00"
                                "\\\\ud800\"}}|",
                                0};
    begin();
    loop_until_done(1);
    cr_assert_str_eq(got.html.data, "a\xef\xbf\xbd"
                                    "b\xef\xbf\xbd"
                                    "c\xef\xbf\xbd\xf0\x9f\x98\x80\\ud800");
}

Test(render, html_is_cut_between_two_characters)
{
    options.max_html_bytes = strlen("http://a.example/http://a.example/b/") + 4;
    begin();
    loop_until_done(1);
    cr_assert(!got.failed);
    cr_assert_eq(got.lack, CRAWL_RENDER_BYTES);
    cr_assert_str_eq(got.html.data, "<p>");
}

/* --- parts --- */

Test(render, answers_go_in_the_order_of_the_requests)
{
    ask_in_first_grant(GRANTED PAUSED("P1", "XHR", "GET", "") PAUSED("P2", "Script", "GET", "") EXPIRED);
    begin();
    loop_until_asked(2);
    cr_assert_eq(crawl_render_answer(renderer, got.ids[1], &page_answer), CRAWL_OK);
    cr_assert_eq(crawl_render_answer(renderer, got.ids[1], &page_answer), CRAWL_ABSENT);
    loop_until_idle();
    cr_assert_eq(fake_count(&fake, "Fetch.fulfillRequest"), 1);
    cr_assert_eq(fake_count(&fake, "Emulation.setVirtualTimePolicy"), 2, "the clock stands while a part waits");
    cr_assert_eq(crawl_render_refuse(renderer, got.ids[0], CRAWL_RENDER_REFUSE_NAME), CRAWL_OK);
    loop_until_done(1);
    cr_assert(!got.failed && !got.lack);
    cr_assert_lt(place_of("Fetch.failRequest {\"requestId\":\"P1\",\"errorReason\":\"NameNotResolved\"}"),
                 place_of("Fetch.fulfillRequest {\"requestId\":\"P2\""));
    cr_assert_eq(crawl_render_answer(renderer, got.ids[0], &page_answer), CRAWL_ABSENT);
}

#define BLOCKING "GET\",\"initialPriority\":\"VeryHigh"

Test(render, the_request_that_blocks_a_page_is_answered_before_those_that_wait)
{
    ask_in_first_grant(GRANTED PAUSED("P1", "XHR", "GET", "") PAUSED("P2", "XHR", "GET", "")
                           PAUSED("P3", "XHR", BLOCKING, "") EXPIRED);
    begin();
    loop_until_asked(3);
    fake.rules[1] = (fake_rule){"Runtime.evaluate", "Blob", "", 1};
    cr_assert_eq(crawl_render_answer(renderer, got.ids[0], &page_answer), CRAWL_OK);
    cr_assert_eq(crawl_render_answer(renderer, got.ids[2], &page_answer), CRAWL_OK);
    loop_until_idle();
    cr_assert_lt(place_of("Fetch.fulfillRequest {\"requestId\":\"P1"),
                 place_of("Fetch.fulfillRequest {\"requestId\":\"P3"));
    cr_assert_eq(crawl_render_answer(renderer, got.ids[1], &page_answer), CRAWL_OK);
    loop_until_idle();
    cr_assert_eq(fake_count(&fake, "Fetch.fulfillRequest"), 3, "the page has not taken up P1");
}

Test(render, the_clock_goes_on_after_a_request_that_blocked)
{
    ask_in_first_grant(GRANTED PAUSED("P1", "XHR", "GET", "") PAUSED("P2", "XHR", BLOCKING, "") EXPIRED);
    begin();
    loop_until_asked(2);
    for (int i = 1; i >= 0; i--)
        cr_assert_eq(crawl_render_answer(renderer, got.ids[i], &page_answer), CRAWL_OK);
    loop_until_done(1);
    cr_assert(!got.failed && !got.lack);
    cr_assert_lt(place_of("Fetch.fulfillRequest {\"requestId\":\"P2"),
                 place_of("Fetch.fulfillRequest {\"requestId\":\"P1"));
}

Test(render, an_answer_that_the_browser_refuses_is_a_failure)
{
    got.answers = true;
    ask_in_first_grant(GRANTED PAUSED("P1", "XHR", "GET", "") EXPIRED);
    fake.rules[1] = (fake_rule){"Fetch.fulfillRequest", "P1", "{\"id\":$I,\"error\":{\"code\":-32602}}|", 0};
    begin();
    loop_until_done(1);
    cr_assert(!got.failed);
    place_of("Fetch.failRequest {\"requestId\":\"P1\",\"errorReason\":\"BlockedByClient\"}");
}

Test(render, what_a_crawler_does_not_ask_for)
{
    got.answers = true;
    ask_in_first_grant(GRANTED PAUSED("P1", "Image", "GET", "") PAUSED("P2", "Font", "GET", "")
                           PAUSED("P3", "XHR", "POST", "") PAUSED("P4", "Ping", "POST", "")
                               PAUSED("P5", "Script", "GET", "\"Service-Worker\":\"script\"")
                                   PAUSED("P6", "Document", "GET", "") EXPIRED);
    begin();
    loop_until_done(1);
    cr_assert_eq(got.asked, 0);
    cr_assert_eq(got.parts, 6);
    cr_assert_str_eq(got.told.data, "Image GET http://a.example/P1 one pixel\n"
                                    "Font GET http://a.example/P2 not fetched\n"
                                    "XHR POST http://a.example/P3 not sent\n"
                                    "Ping POST http://a.example/P4 not sent\n"
                                    "Script GET http://a.example/P5 no service workers\n"
                                    "Document GET http://a.example/P6 a link, not followed\n");
    cr_assert_str_eq(got.links.data, "location http://a.example/P6\n");
    place_of("Fetch.fulfillRequest {\"requestId\":\"P6\",\"responseCode\":204");
}

Test(render, pictures_and_posts_if_they_are_wanted)
{
    got.answers = options.images = options.post = true;
    ask_in_first_grant(GRANTED PAUSED("P1", "Image", "GET", "") PAUSED("P2", "XHR", "POST", "") EXPIRED);
    begin();
    loop_until_done(1);
    cr_assert_eq(got.asked, 2);
}

Test(render, headers_of_the_browser_and_of_the_transfer_are_left_out)
{
    static const crawl_header headers[] = {{{"Content-Encoding", 16}, {"br", 2}},
                                           {{"X-Bad", 5}, {"a\nb", 3}},
                                           {{"bad name", 8}, {"x", 1}},
                                           {{"Set-Cookie", 10}, {"a=b", 3}}};
    const crawl_render_response answer = {.size = sizeof answer, .status = 299, .headers = headers, .header_count = 4};
    ask_in_first_grant(
        GRANTED PAUSED("P1", "XHR", "GET",
                       "\"User-Agent\":\"u\",\"sec-ch-ua\":\"s\",\"X-Own\":\"o\",\"Accept-Language\":\"de\"") EXPIRED);
    begin();
    loop_until_asked(1);
    cr_assert_eq(crawl_render_answer(renderer, got.ids[0], &answer), CRAWL_OK);
    loop_until_done(1);
    cr_assert_str_eq(got.headers.data, "X-Own: o\nAccept-Language: de\n");
    place_of("\"responseCode\":299,\"responsePhrase\":\"OK\",\"responseHeaders\":[{\"name\":\"Set-Cookie\",\"value\":"
             "\"a=b\"}]}");
}

Test(render, a_request_of_no_render_fails)
{
    got.answers = true;
    ask_in_first_grant(
        GRANTED "{\"method\":\"Fetch.requestPaused\",\"params\":{\"requestId\":\"P9\",\"frameId\":\"T9\","
                "\"resourceType\":\"XHR\",\"request\":{\"url\":\"http://a.example/\",\"headers\":{}}}}|" EXPIRED);
    begin();
    loop_until_done(1);
    place_of("Fetch.failRequest {\"requestId\":\"P9\",\"errorReason\":\"Aborted\"}");
    cr_assert_eq(got.parts, 0);
}

Test(render, too_many_parts_and_too_many_bytes)
{
    got.answers = true;
    options.max_parts = 1;
    ask_in_first_grant(GRANTED PAUSED("P1", "XHR", "GET", "") PAUSED("P2", "XHR", "GET", ""));
    begin();
    loop_until_done(1);
    cr_assert(!got.failed);
    cr_assert_eq(got.lack, CRAWL_RENDER_PARTS);
    place_of("Fetch.failRequest {\"requestId\":\"P2\"");
}

Test(render, what_is_never_asked_for_does_not_count)
{
    got.answers = true;
    options.max_parts = 1;
    ask_in_first_grant(GRANTED PAUSED("P1", "Image", "GET", "") PAUSED("P2", "Image", "GET", "")
                           PAUSED("P3", "Ping", "POST", "") PAUSED("P4", "XHR", "GET", "") EXPIRED);
    begin();
    loop_until_done(1);
    cr_assert(!got.failed && !got.lack);
    cr_assert_eq(got.asked, 1);
    cr_assert_eq(got.parts, 4);
}

/* As the browser tells of location = '/P1#f', and of a click on <a download href=/P2>. */
Test(render, ways_are_each_one_link)
{
    ask_in_first_grant(
        GRANTED
        "{\"method\":\"Page.frameRequestedNavigation\",\"sessionId\":\"S1\",\"params\":{"
        "\"frameId\":\"T1\",\"reason\":\"scriptInitiated\",\"url\":\"http://a.example/P1#f\"}}|" PAUSED_BEGIN
        "P1\",\"resourceType\":\"Document" PAUSED_URL "P1\",\"urlFragment\":\"#f\","
        "\"method\":\"GET\",\"headers\":{}}}}|" PAUSED(
            "P2", "Document", "GET", "") "{\"method\":\"Browser.downloadWillBegin\",\"params\":{\"frameId\":\"T1\","
                                         "\"url\":\"http://a.example/P2\"}}|" EXPIRED);
    begin();
    loop_until_done(1);
    cr_assert_str_eq(got.links.data, "location http://a.example/P1#f\ndownload http://a.example/P2\n");
}

Test(render, a_part_that_is_too_long_is_left_out)
{
    options.max_part_bytes = 2;
    ask_in_first_grant(GRANTED PAUSED("P1", "XHR", "GET", "") EXPIRED);
    begin();
    loop_until_asked(1);
    cr_assert_eq(crawl_render_answer(renderer, got.ids[0], &page_answer), CRAWL_FULL);
    loop_until_done(1);
    cr_assert(!got.failed);
    cr_assert_eq(got.lack, CRAWL_RENDER_BYTES);
    place_of("Fetch.failRequest {\"requestId\":\"P1\"");
}

Test(render, what_is_missing_is_named)
{
    static const struct {
        const char *kind;
        int status;
        crawl_render_refusal refusal;
        crawl_render_lack lack;
        const char *words;
    } rows[] = {
        {PAUSED("P1", "Script", "GET", "") EXPIRED, 503, 0, 0, "status 503 of http://a.example/P1"},
        {PAUSED("P1", "Script", "GET", "") EXPIRED, 404, 0, 0, ""},
        {PAUSED("P1", "Stylesheet", "GET", "") EXPIRED, 503, 0, 0, ""},
        {PAUSED("P1", "XHR", "GET", "") EXPIRED, 0, CRAWL_RENDER_REFUSE_CLOSED, 0, "no answer of http://a.example/P1"},
        {PAUSED("P1", "XHR", "GET", "") EXPIRED, 0, CRAWL_RENDER_REFUSE_BLOCKED, 0, ""},
        {PAUSED("P1", "XHR", "GET", "") EXPIRED, 0, CRAWL_RENDER_REFUSE_LARGE, CRAWL_RENDER_BYTES,
         "a script or data exceeds its maximum size"},
        {PAUSED("P1", "Stylesheet", "GET", "") EXPIRED, 0, CRAWL_RENDER_REFUSE_LARGE, 0, ""},
    };
    crawl_render_response answer = page_answer;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_buf says = {0};
        crawl_buf_printf(&says, "%s%s", GRANTED, rows[i].kind);
        ask_in_first_grant(says.data);
        begin();
        loop_until_asked(i + 1);
        answer.status = rows[i].status;
        if (answer.status)
            cr_assert_eq(crawl_render_answer(renderer, got.ids[i], &answer), CRAWL_OK);
        else
            cr_assert_eq(crawl_render_refuse(renderer, got.ids[i], rows[i].refusal), CRAWL_OK);
        loop_until_done(i + 1);
        cr_expect_eq(got.lack, rows[i].lack, "row %u", i);
        cr_expect_str_eq(got.words.data, rows[i].words, "row %u", i);
        crawl_buf_free(&says);
    }
}

/* --- renders --- */

Test(render, renders_are_cancelled_and_counted)
{
    options.open = 1;
    ask_in_first_grant(GRANTED PAUSED("P1", "XHR", "GET", ""));
    uint64_t id = begin();
    const crawl_render_request second = {.size = sizeof second,
                                         .url = crawl_slice_from("http://a.example/"),
                                         .response = &page_answer,
                                         .on_part = on_part,
                                         .on_done = on_done};
    cr_assert_eq(crawl_render(renderer, &second, NULL), CRAWL_FULL);
    loop_until_asked(1);
    cr_assert_eq(crawl_render_cancel(renderer, id), CRAWL_OK);
    cr_assert_eq(got.done, 0, "on_done comes from the loop");
    cr_assert_eq(crawl_render_cancel(renderer, id), CRAWL_ABSENT);
    cr_assert_eq(crawl_render_answer(renderer, got.ids[0], &page_answer), CRAWL_ABSENT);
    loop_until_done(1);
    cr_assert_eq(got.lack, CRAWL_RENDER_CANCELLED);
}

Test(render, options_out_of_their_range)
{
    crawl_error error = {0};
    options.max_part_bytes = (uint64_t)33 << 20;
    cr_assert_eq(crawl_renderer_create(base, &options, &renderer, &error), CRAWL_EINVAL);
    crawl_render_options_init(&options, sizeof options);
    options.program = "/no/such/browser";
    cr_assert_eq(crawl_renderer_create(base, &options, &renderer, &error), CRAWL_ABSENT);
    cr_assert(strstr(error.message, "/no/such/browser"));
}

Test(render, pages_draw_one_after_the_other)
{
    fake.rules[0] = (fake_rule){"HeadlessExperimental.beginFrame", NULL, "", 1};
    begin();
    while (!fake_count(&fake, "HeadlessExperimental.beginFrame"))
        event_base_loop(base, EVLOOP_ONCE);
    fake.rules[1] =
        (fake_rule){"Target.createBrowserContext", NULL, "{\"id\":$I,\"result\":{\"browserContextId\":\"C2\"}}|", 0};
    fake.rules[2] = (fake_rule){"Target.createTarget", NULL, "{\"id\":$I,\"result\":{\"targetId\":\"T2\"}}|", 0};
    fake.rules[3] = (fake_rule){"Target.attachToTarget", NULL, "{\"id\":$I,\"result\":{\"sessionId\":\"S2\"}}|", 0};
    fake.rules[4] = (fake_rule){"Page.navigate", NULL, "{\"id\":$I,\"result\":{\"frameId\":\"T2\"}}|", 0};
    fake.rules[5] = (fake_rule){"Emulation.setVirtualTimePolicy", "budget",
                                GRANTED EXPIRED "{\"method\":\"Emulation.virtualTimeBudgetExpired\",\"params\":{},"
                                                "\"sessionId\":\"S2\"}|",
                                0};
    begin();
    loop_until_done(2);
    cr_assert(!got.failed);
    const char *first = fake.log.data + place_of("HeadlessExperimental.beginFrame");
    const char *second = strstr(first + 1, "HeadlessExperimental.beginFrame");
    const char *dropped = strstr(first, "Target.disposeBrowserContext {\"browserContextId\":\"C1\"}");
    cr_assert(dropped && second > dropped);
    cr_assert_gt(fake_count(&fake, "HeadlessExperimental.beginFrame"), 1);
}
