/* Tests renders in a fake browser: the course of a page, its parts, its clock, and a browser that misbehaves. */
#include "fake_browser.h"

static struct event_base *base;
static fake_browser fake;
static crawl_render_options options;
static crawl_renderer *renderer;

/* Counts of the callbacks' calls. */
static struct {
    uint64_t ids[16];
    unsigned asked, done;
    crawl_buf told; /* "KIND METHOD URL FATE\n" of each part */
    crawl_buf html, base, words, headers, links;
    bool failed;
    crawl_render_lack lack;
    size_t link_count;
    uint32_t parts;
    bool answers; /* parts are answered at once */
} got;

static const crawl_header html_type = {{"Content-Type", 12}, {"text/html", 9}};
static crawl_render_response page_answer = {
    .size = sizeof page_answer, .status = 200, .headers = &html_type, .header_count = 1};

static void setup(void)
{
    page_answer.body = crawl_slice_from("<p>");
    base = event_base_new();
    fake = (fake_browser){0};
    memset(&got, 0, sizeof got);
    crawl_render_options_init(&options, sizeof options);
    renderer = NULL;
}

static void teardown(void)
{
    crawl_renderer_free(renderer);
    fake_close(&fake);
    event_base_loop(base, EVLOOP_NONBLOCK);
    event_base_free(base);
    crawl_buf *bufs[] = {&got.told, &got.html, &got.base, &got.words, &got.headers, &got.links};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        crawl_buf_free(bufs[i]);
}

TestSuite(render, .init = setup, .fini = teardown, .timeout = 60);

static void on_part(void *, const crawl_render_part *part)
{
    crawl_buf_printf(&got.told, "%s %.*s %.*s %s\n", part->kind, (int)part->method.size, part->method.data,
                     (int)part->url.size, part->url.data, part->fate ? part->fate : "");
    crawl_buf_append(&got.headers, part->headers.data, part->headers.size);
    if (part->fate)
        return;
    got.ids[got.asked++ % 16] = part->id;
    if (got.answers)
        cr_assert_eq(crawl_render_answer(renderer, part->id, &page_answer), CRAWL_OK);
}

static void on_done(void *, const crawl_rendered *page)
{
    got.done++;
    got.failed = page->failed;
    got.lack = page->lack;
    got.link_count = page->link_count;
    got.parts = page->parts;
    crawl_buf_clear(&got.words);
    crawl_buf_append_text(&got.words, page->words);
    for (size_t i = 0; i < page->link_count; i++)
        crawl_buf_printf(&got.links, "%s %.*s\n", page->links[i].how, (int)page->links[i].url.size,
                         page->links[i].url.data);
    if (page->frame_count) {
        crawl_buf_append(&got.html, page->frames[0].html.data, page->frames[0].html.size);
        crawl_buf_append(&got.base, page->frames[0].base.data, page->frames[0].base.size);
    }
}

static uint64_t begin(void)
{
    const crawl_render_request request = {.size = sizeof request,
                                          .url = crawl_slice_from("http://a.example/"),
                                          .response = &page_answer,
                                          .on_part = on_part,
                                          .on_done = on_done};
    uint64_t id = 0;
    if (!renderer)
        cr_assert_eq(cw_render_create_with(base, &options, fake_open(&fake, base), &renderer), CRAWL_OK);
    cr_assert_eq(crawl_render(renderer, &request, &id), CRAWL_OK);
    return id;
}

static void loop_until_idle(void)
{
    for (int i = 0; i < 20; i++)
        event_base_loop(base, EVLOOP_NONBLOCK);
}

static void loop_until_done(unsigned count)
{
    while (got.done < count)
        event_base_loop(base, EVLOOP_ONCE);
    loop_until_idle(); /* so that commands sent for it arrive */
}

/* Limits that are shorter than the way to its document are set after this. */
static void loop_until_running(void)
{
    while (TAILQ_FIRST(&renderer->pages)->state != CW_RENDER_PAGE_RUNNING)
        event_base_loop(base, EVLOOP_ONCE);
}

static void loop_until_asked(unsigned count)
{
    while (got.asked < count)
        event_base_loop(base, EVLOOP_ONCE);
}

static size_t place_of(const char *text)
{
    const char *at = strstr(fake.log.data, text);
    cr_assert(at, "%s is not in\n%s", text, fake.log.data);
    return (size_t)(at - fake.log.data);
}

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
    cr_assert_eq(fake_count(&fake, "HeadlessExperimental.beginFrame"), 60);
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

static void ask_in_first_grant(const char *paused)
{
    fake.rules[0] = (fake_rule){"Emulation.setVirtualTimePolicy", "budget", paused, 1};
}

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
    ask_in_first_grant(GRANTED PAUSED(
        "P1", "XHR", "GET", "\"User-Agent\":\"u\",\"sec-ch-ua\":\"s\",\"X-Own\":\"o\",\"Cookie\":\"c=d\"") EXPIRED);
    begin();
    loop_until_asked(1);
    cr_assert_eq(crawl_render_answer(renderer, got.ids[0], &answer), CRAWL_OK);
    loop_until_done(1);
    cr_assert_str_eq(got.headers.data, "X-Own: o\nCookie: c=d\n");
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

Test(render, a_part_that_is_too_long_is_left_out)
{
    options.max_part_bytes = 2;
    ask_in_first_grant(GRANTED PAUSED("P1", "XHR", "GET", "") EXPIRED);
    begin();
    loop_until_asked(1);
    cr_assert_eq(crawl_render_answer(renderer, got.ids[0], &page_answer), CRAWL_FULL);
    loop_until_done(1);
    cr_assert(!got.failed);
    place_of("Fetch.failRequest {\"requestId\":\"P1\"");
}

/* --- a page, or a browser, that misbehaves --- */

Test(render, a_script_that_does_not_end_is_stopped)
{
    fake.rules[0] = (fake_rule){"Emulation.setVirtualTimePolicy", "budget", "", 1};
    begin();
    loop_until_running();
    renderer->options.silence_ms = 1;
    loop_until_done(1);
    cr_assert(!got.failed);
    cr_assert_eq(got.lack, CRAWL_RENDER_BUSY);
    place_of("Runtime.terminateExecution");
}

Test(render, a_page_whose_scripts_cannot_be_stopped_fails)
{
    options.silence_ms = 1;
    fake.rules[0] = (fake_rule){"Emulation.setVirtualTimePolicy", "budget", "", 0};
    fake.rules[1] = (fake_rule){"Runtime.terminateExecution", NULL, "", 0};
    fake.rules[2] = (fake_rule){"Page.getFrameTree", NULL, "", 0};
    begin();
    loop_until_done(1);
    cr_assert(got.failed);
    cr_assert_eq(got.lack, CRAWL_RENDER_BUSY);
}

Test(render, a_page_that_is_silent_while_it_is_read_ends_with_what_was_read)
{
    options.silence_ms = 1;
    fake.rules[0] = (fake_rule){"DOM.getOuterHTML", NULL, "", 1};
    begin();
    loop_until_done(1);
    cr_assert(got.failed && got.lack == CRAWL_RENDER_BUSY);
    fake.rules[1] = (fake_rule){"Page.getFrameTree", NULL,
                                "{\"id\":$I,\"result\":{\"frameTree\":{\"frame\":{\"id\":\"T1\"},"
                                "\"childFrames\":[{\"frame\":{\"id\":\"T2\"}}]}}}|",
                                0};
    fake.rules[2] = (fake_rule){"Page.createIsolatedWorld", "T2", "", 0};
    renderer->options.silence_ms = 2000;
    begin();
    loop_until_running();
    renderer->options.silence_ms = 1;
    loop_until_done(2);
    cr_assert(!got.failed && got.lack == CRAWL_RENDER_BUSY);
    cr_assert_str_eq(got.html.data, "<p>\xc3\xa9\n</p>");
}

Test(render, a_part_that_waits_is_no_silence)
{
    ask_in_first_grant(PAUSED("P1", "XHR", "GET", ""));
    begin();
    loop_until_asked(1);
    renderer->options.silence_ms = 1;
    for (int i = 0; i < 4; i++) /* enough turns for it to check its limits */
        event_base_loop(base, EVLOOP_ONCE);
    cr_assert_eq(got.done, 0);
    cr_assert_eq(fake_count(&fake, "Runtime.terminateExecution"), 0);
}

Test(render, less_counts_on_a_busy_machine)
{
    const struct {
        const char *loadavg;
        long processors;
        unsigned share;
    } rows[] = {
        {"0.20 0.18 0.12 1/80 11206\n", 2, 100},
        {"9.10 8.18 7.12 3/80 11206\n", 2, 100},
        {"0.20 0.18 0.12 21/80 11206\n", 2, 10},
        {"0.20 0.18 0.12 900/999 11206\n", 1, 1},
        {"0.20 0.18 0.12 21/80 11206\n", 64, 100},
        {"", 2, 100},
        {"no numbers here\n", 2, 100},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(cw_render_share_of(rows[i].loadavg, rows[i].processors), rows[i].share, "%s", rows[i].loadavg);
}

Test(render, time_is_up)
{
    fake.rules[0] = (fake_rule){"Emulation.setVirtualTimePolicy", "budget", GRANTED, 0};
    begin();
    loop_until_running();
    renderer->options.time_ms = 1;
    loop_until_done(1);
    cr_assert(!got.failed);
    cr_assert_eq(got.lack, CRAWL_RENDER_TIME);
}

Test(render, the_wait_for_a_browser_is_no_time_of_the_page)
{
    fake.rules[0] = (fake_rule){"Browser.getVersion", NULL, "", 0};
    begin();
    cw_render_page *page = TAILQ_FIRST(&renderer->pages);
    page->counted_ms -= 10 * options.time_ms;
    cw_render_page_tick(page);
    cr_assert_eq(page->spent_ms, 0);
}

Test(render, without_its_document_a_page_fails)
{
    options.time_ms = 1;
    fake.rules[0] = (fake_rule){"Page.navigate", NULL, "", 0};
    begin();
    loop_until_done(1);
    cr_assert(got.failed);
    cr_assert_eq(got.lack, CRAWL_RENDER_TIME);
}

Test(render, a_page_that_leaves_its_document_fails)
{
    static const char *const says[] = {GRANTED NAVIGATED("T1", "http://a.example/") NAVIGATED("T2", "about:blank")
                                           EXPIRED,
                                       GRANTED NAVIGATED("T1", "about:blank")};
    for (unsigned i = 0; i < 2; i++) {
        ask_in_first_grant(says[i]);
        begin();
        loop_until_done(i + 1);
        cr_assert_eq(got.failed, i == 1);
    }
    cr_assert_eq(got.lack, CRAWL_RENDER_DOCUMENT);
    cr_assert_str_eq(got.words.data, "the page left its document");
}

Test(render, dialogs_are_answered_and_counted)
{
#define DIALOG "{\"method\":\"Page.javascriptDialogOpening\",\"params\":{},\"sessionId\":\"S1\"}|"
#define FIVE DIALOG DIALOG DIALOG DIALOG DIALOG
    ask_in_first_grant(GRANTED FIVE FIVE FIVE FIVE);
    begin();
    loop_until_done(1);
    cr_assert_eq(fake_count(&fake, "Page.handleJavaScriptDialog {\"accept\":false}"), 20);
    cr_assert(!got.failed);
    cr_assert_eq(got.lack, CRAWL_RENDER_DIALOGS);
}

Test(render, links_are_each_once_and_bounded)
{
    begin();
    while (!fake_count(&fake, "Emulation.setVirtualTimePolicy {\"policy\":\"pauseIf"))
        event_base_loop(base, EVLOOP_ONCE);
    for (int i = 0; i < 1000; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "{\"method\":\"Page.navigatedWithinDocument\",\"sessionId\":\"S1\",\"params\":"
                 "{\"url\":\"http://a.example/%d\"}}|",
                 i / 2);
        fake_write(&fake, text);
    }
    loop_until_done(1);
    cr_assert_eq(got.link_count, 200);
    cr_assert(strstr(got.links.data, "route http://a.example/199\n"));
}

Test(render, a_page_that_crashes_and_one_that_is_a_download)
{
    fake.rules[0] = (fake_rule){"Emulation.setVirtualTimePolicy", "budget",
                                "{\"method\":\"Target.targetCrashed\",\"params\":{\"targetId\":\"T1\"}}|", 1};
    begin();
    loop_until_done(1);
    cr_assert(got.failed);
    cr_assert_eq(got.lack, CRAWL_RENDER_CRASHED);
    fake.rules[1] =
        (fake_rule){"Page.navigate", NULL, "{\"id\":$I,\"result\":{\"errorText\":\"net::ERR_ABORTED\"}}|", 0};
    begin();
    loop_until_done(2);
    cr_assert(got.failed);
    cr_assert_eq(got.lack, CRAWL_RENDER_DOCUMENT);
}

Test(render, a_browser_that_ends_fails_its_renders)
{
    fake.rules[0] = (fake_rule){"Emulation.setVirtualTimePolicy", "budget", "!", 1};
    begin();
    loop_until_done(1);
    cr_assert(got.failed);
    cr_assert_eq(got.lack, CRAWL_RENDER_BROWSER);
    cr_assert_str_eq(got.words.data, "the browser ended: it ended");
    begin();
    loop_until_done(2);
    cr_assert(got.failed, "there is no other one");
    crawl_renderer_stats stats;
    crawl_renderer_stats_get(renderer, &stats);
    cr_assert_eq(stats.deaths, 1);
    cr_assert_eq(stats.failed, 2);
}

Test(render, a_browser_that_does_not_answer_fails_what_waits)
{
    options.start_ms = 1;
    fake.rules[0] = (fake_rule){"Browser.getVersion", NULL, "", 0};
    begin();
    begin();
    loop_until_done(2);
    cr_assert(got.failed);
    cr_assert_str_eq(got.words.data, "the browser did not start: it does not answer");
}

Test(render, a_browser_without_the_clock_is_told_of)
{
    fake.rules[0] = (fake_rule){"Emulation.setVirtualTimePolicy", "budget", "{\"id\":$I,\"error\":{}}|", 0};
    begin();
    loop_until_done(1);
    cr_assert(got.failed);
    cr_assert_str_eq(got.words.data, "the browser has no clock that can be held");
}

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
