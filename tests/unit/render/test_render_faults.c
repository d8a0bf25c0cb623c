/* Tests renders of pages and browsers that misbehave. */
#include "tests/unit/render/one_renderer.h"

TestSuite(render_faults, .init = setup, .fini = teardown, .timeout = 60);

Test(render_faults, a_script_that_does_not_end_is_stopped)
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

Test(render_faults, a_page_whose_scripts_cannot_be_stopped_fails)
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

Test(render_faults, a_page_that_is_silent_while_it_is_read_ends_with_what_was_read)
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

Test(render_faults, a_part_that_waits_is_no_silence)
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

Test(render_faults, less_counts_on_a_busy_machine)
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

Test(render_faults, time_is_up)
{
    fake.rules[0] = (fake_rule){"Emulation.setVirtualTimePolicy", "budget", GRANTED, 0};
    begin();
    loop_until_running();
    renderer->options.time_ms = 1;
    loop_until_done(1);
    cr_assert(!got.failed);
    cr_assert_eq(got.lack, CRAWL_RENDER_TIME);
}

Test(render_faults, the_wait_for_a_browser_is_no_time_of_the_page)
{
    fake.rules[0] = (fake_rule){"Browser.getVersion", NULL, "", 0};
    begin();
    cw_render_page *page = TAILQ_FIRST(&renderer->pages);
    page->counted_ms -= 10 * options.time_ms;
    cw_render_page_tick(page);
    cr_assert_eq(page->spent_ms, 0);
}

Test(render_faults, without_its_document_a_page_fails)
{
    options.time_ms = 1;
    fake.rules[0] = (fake_rule){"Page.navigate", NULL, "", 0};
    begin();
    loop_until_done(1);
    cr_assert(got.failed);
    cr_assert_eq(got.lack, CRAWL_RENDER_TIME);
}

Test(render_faults, a_page_that_leaves_its_document_fails)
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

Test(render_faults, dialogs_are_answered_and_counted)
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

Test(render_faults, links_are_each_once_and_bounded)
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

Test(render_faults, a_page_that_crashes_and_one_that_is_a_download)
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

Test(render_faults, a_browser_that_ends_fails_its_renders)
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

Test(render_faults, a_browser_that_does_not_answer_fails_what_waits)
{
    options.start_ms = 1;
    fake.rules[0] = (fake_rule){"Browser.getVersion", NULL, "", 0};
    begin();
    begin();
    loop_until_done(2);
    cr_assert(got.failed);
    cr_assert_str_eq(got.words.data, "the browser did not start: it does not answer");
}

Test(render_faults, a_browser_without_the_clock_is_told_of)
{
    fake.rules[0] = (fake_rule){"Emulation.setVirtualTimePolicy", "budget", "{\"id\":$I,\"error\":{}}|", 0};
    begin();
    loop_until_done(1);
    cr_assert(got.failed);
    cr_assert_str_eq(got.words.data, "the browser has no clock that can be held");
}

/* It is ended like one that ends by itself, so that the next render has another. */
Test(render_faults, a_browser_that_opens_no_page_is_ended)
{
    options.start_ms = 1;
    fake.rules[0] = (fake_rule){"Target.createBrowserContext", NULL, "", 0};
    begin();
    loop_until_done(1);
    cr_assert(got.failed);
    cr_assert_eq(got.lack, CRAWL_RENDER_BROWSER);
    cr_assert_str_eq(got.words.data, "the browser does not answer");
    crawl_renderer_stats stats;
    crawl_renderer_stats_get(renderer, &stats);
    cr_assert_eq(stats.deaths, 1);
}

Test(render_faults, a_document_that_is_too_large_is_not_given_to_the_browser)
{
    crawl_buf large = {0};
    cr_assert_eq(crawl_buf_reserve(&large, (32 << 20) + 1), CRAWL_OK);
    memset(large.data, ' ', (32 << 20) + 1);
    page_answer.body = crawl_slice_of(large.data, (32 << 20) + 1);
    begin();
    loop_until_done(1);
    cr_assert(got.failed);
    cr_assert_eq(got.lack, CRAWL_RENDER_BYTES);
    crawl_buf_free(&large);
}

static void begin_reload(void)
{
    ask_in_first_grant(GRANTED PAUSED_BEGIN "P1\",\"resourceType\":\"Document" PAUSED_URL
                                            "\",\"method\":\"GET\",\"headers\":{}}}}|" EXPIRED);
    begin();
    loop_until_asked(1);
}

Test(render_faults, a_page_keeps_its_document_if_it_cannot_be_loaded_again)
{
    const crawl_render_response busy = {.size = sizeof busy, .status = 429, .headers = &html_type, .header_count = 1};
    begin_reload();
    cr_assert_eq(crawl_render_answer(renderer, got.ids[0], &busy), CRAWL_OK);
    loop_until_done(1);
    cr_assert(!got.failed);
    place_of("Fetch.fulfillRequest {\"requestId\":\"P1\",\"responseCode\":204");
}

Test(render_faults, a_page_keeps_its_document_if_its_host_fails)
{
    begin_reload();
    cr_assert_eq(crawl_render_refuse(renderer, got.ids[0], CRAWL_RENDER_REFUSE_TIMEOUT), CRAWL_OK);
    loop_until_done(1);
    cr_assert(!got.failed);
    place_of("Fetch.fulfillRequest {\"requestId\":\"P1\",\"responseCode\":204");
}
