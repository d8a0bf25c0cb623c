/* A renderer whose browser is a fake one, and what it calls. */
#pragma once

#include "tests/unit/render/fake_browser.h"

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

static inline void setup(void)
{
    page_answer.body = crawl_slice_from("<p>");
    base = event_base_new();
    fake = (fake_browser){0};
    memset(&got, 0, sizeof got);
    crawl_render_options_init(&options, sizeof options);
    renderer = NULL;
}

static inline void teardown(void)
{
    crawl_renderer_free(renderer);
    fake_close(&fake);
    event_base_loop(base, EVLOOP_NONBLOCK);
    event_base_free(base);
    crawl_buf *bufs[] = {&got.told, &got.html, &got.base, &got.words, &got.headers, &got.links};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        crawl_buf_free(bufs[i]);
}

static inline void on_part(void *, const crawl_render_part *part)
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

static inline void on_done(void *, const crawl_rendered *page)
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

static inline uint64_t begin(void)
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

static inline void loop_until_idle(void)
{
    for (int i = 0; i < 20; i++)
        event_base_loop(base, EVLOOP_NONBLOCK);
}

static inline void loop_until_done(unsigned count)
{
    while (got.done < count)
        event_base_loop(base, EVLOOP_ONCE);
    loop_until_idle(); /* so that commands sent for it arrive */
}

/* Limits that are shorter than the way to its document are set after this. */
static inline void loop_until_running(void)
{
    while (TAILQ_FIRST(&renderer->pages)->state != CW_RENDER_PAGE_RUNNING)
        event_base_loop(base, EVLOOP_ONCE);
}

static inline void loop_until_asked(unsigned count)
{
    while (got.asked < count)
        event_base_loop(base, EVLOOP_ONCE);
}

static inline size_t place_of(const char *text)
{
    const char *at = strstr(fake.log.data, text);
    cr_assert(at, "%s is not in\n%s", text, fake.log.data);
    return (size_t)(at - fake.log.data);
}

/* In the first step of the page's clock. */
static inline void ask_in_first_grant(const char *paused)
{
    fake.rules[0] = (fake_rule){"Emulation.setVirtualTimePolicy", "budget", paused, 1};
}
