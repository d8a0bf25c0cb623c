/* See render_page.h. */
#include "render/render_page.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/json/json_write.h"

#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>

/* --- commands --- */

void cw_render_page_send(cw_render_page *page, const char *method, const char *params, cw_render_reply_fn reply,
                         uint64_t tag)
{
    const cw_render_command command = {.session = crawl_buf_slice(&page->session),
                                       .method = method,
                                       .params = crawl_slice_from(params),
                                       .owner = page,
                                       .tag = tag,
                                       .on_reply = reply};
    cw_render_session_send(&page->renderer->browser.session, &command, page->spent_ms);
}

void cw_render_page_send_browser(cw_render_page *page, const char *method, crawl_slice params, cw_render_reply_fn reply,
                                 uint64_t tag)
{
    const cw_render_command command = {
        .method = method, .params = params, .owner = page, .tag = tag, .on_reply = reply};
    cw_render_session_send(&page->renderer->browser.session, &command, page->spent_ms);
}

void cw_render_page_send_world(cw_render_page *page, cw_render_reply_fn reply)
{
    crawl_buf params = {0};
    cw_writer out = {.out = &params};
    cw_json_text(&out, "{\"worldName\":\"crawl\",\"frameId\":", crawl_buf_slice(&page->target));
    cw_put_char(&out, '}');
    if (out.err)
        cw_render_page_fail(page, CRAWL_RENDER_MEMORY, "");
    else
        cw_render_page_send(page, "Page.createIsolatedWorld", params.data, reply, 0);
    crawl_buf_free(&params);
}

/* --- places and links --- */

void cw_render_page_add_place(cw_render_page *page, crawl_slice name, unsigned depth)
{
    if (page->places >= CW_RENDER_FRAMES_KNOWN)
        return;
    cw_render_place *place = cw_map_make(page->renderer->places, name, sizeof *place, offsetof(cw_render_place, text));
    if (!place)
        return;
    place->page = page;
    place->depth = depth;
    place->size = name.size;
    page->places++;
}

/* Walks the map again after each removal, since nothing may be removed during a walk; there are few. */
static void page_forget_places(cw_render_page *page)
{
    cw_map *places = page->renderer->places;
    for (bool is_removed = true; is_removed && page->places;) {
        size_t cursor = 0;
        is_removed = false;
        for (cw_render_place *place; !is_removed && (place = cw_map_next(places, &cursor));)
            if (place->page == page) {
                free(cw_map_remove(places, crawl_slice_of(place->text, place->size)));
                page->places--;
                is_removed = true;
            }
    }
}

void cw_render_page_add_link(cw_render_page *page, crawl_slice url, const char *how)
{
    size_t before = page->link_texts.size;
    bool is_http = cw_starts_with(url, "http://") || cw_starts_with(url, "https://");
    if (!is_http || url.size > CW_RENDER_LINK_BYTES || page->link_count >= CW_RENDER_LINKS_MAX ||
        crawl_slice_equal(url, crawl_buf_slice(&page->url)))
        return;
    crawl_slice rest = crawl_buf_slice(&page->link_texts);
    for (size_t i = 0; i < page->link_count; i++) {
        if (!crawl_slice_equal(cw_cut(&rest, '\0'), url))
            continue;
        if (strcmp(how, "download") == 0) /* it was asked for like a location before */
            page->hows[i] = how;
        return;
    }
    if (crawl_buf_append(&page->link_texts, url.data, url.size) || crawl_buf_append_char(&page->link_texts, '\0'))
        page->link_texts.size = before;
    else
        page->hows[page->link_count++] = how;
}

void cw_render_page_drop_window(cw_render_page *page, crawl_slice url)
{
    crawl_slice rest = crawl_buf_slice(&page->link_texts);
    for (size_t i = 0; i < page->link_count; i++)
        if (crawl_slice_equal(cw_cut(&rest, '\0'), url) && page->hows[i] && strcmp(page->hows[i], "open") == 0)
            page->hows[i] = NULL;
}

/* --- time --- */

void cw_render_page_count(cw_render_page *page)
{
    int64_t now = cw_render_now();
    int64_t passed = now - page->counted_ms;
    page->counted_ms = now;
    if (page->asked) {
        page->waited_ms += passed;
        return;
    }
    int64_t hundredths = passed * page->renderer->share + page->spent_rest;
    page->spent_ms += hundredths / 100;
    page->spent_rest = (unsigned)(hundredths % 100);
}

static void page_ignore(void *, uint64_t, const cw_render_reply *)
{
}

/* Handles a page that does not answer, though it waits for nothing: stops its script, and reads the page as it is. */
static void page_break_silence(cw_render_page *page)
{
    if (page->silences++) {
        cw_render_page_fail(page, CRAWL_RENDER_BUSY, "its scripts cannot be stopped");
        return;
    }
    cw_render_session_forget(&page->renderer->browser.session, page);
    page->clock.is_blind = page->clock.is_blind || page->renderer->drawn == page; /* that frame's reply is forgotten */
    cw_render_page_send(page, "Runtime.terminateExecution", NULL, page_ignore, 0);
    cw_render_page_cut(page, CRAWL_RENDER_BUSY, "it did not answer: an endless script, or too many elements");
}

void cw_render_page_tick(cw_render_page *page)
{
    const crawl_render_options *options = &page->renderer->options;
    const cw_render_session *session = &page->renderer->browser.session;
    int64_t longest_read = 4 * options->silence_ms;
    if (page->state == CW_RENDER_PAGE_QUEUED || page->state == CW_RENDER_PAGE_ENDED)
        return;
    cw_render_page_count(page);
    int64_t oldest = cw_render_session_oldest(session, page);
    int64_t silent = oldest == INT64_MAX || page->asked ? 0 : page->spent_ms - oldest;
    if (page->state == CW_RENDER_PAGE_READING) {
        if (silent > longest_read)
            cw_render_read_stop(page);
        return;
    }
    if (page->state == CW_RENDER_PAGE_OPENING) {
        if (silent > options->start_ms) {
            cw_render_browser_give_up(&page->renderer->browser);
            cw_render_page_fail(page, CRAWL_RENDER_BROWSER, "the browser does not answer");
        }
        return;
    }
    if (page->spent_ms > options->time_ms || page->waited_ms + page->spent_ms > options->wait_ms)
        cw_render_page_cut(page, CRAWL_RENDER_TIME, "its time is up");
    else if (silent > options->silence_ms)
        page_break_silence(page);
    else if (page->state == CW_RENDER_PAGE_RUNNING && oldest == INT64_MAX && !page->asked)
        cw_render_page_send(page, "Runtime.evaluate", "{\"expression\":\"0\"}", page_ignore, 0);
    if (page->state == CW_RENDER_PAGE_RUNNING)
        cw_render_clock_tick(page);
}

/* --- the steps of a page --- */

static void page_is_gone(cw_render_page *page, const cw_render_reply *)
{
    cw_render_page_fail(page, CRAWL_RENDER_BROWSER, "the browser refuses a command");
}

/* The reply to navigate tells that the document has arrived. */
static void page_has_document(void *owner, uint64_t, const cw_render_reply *reply)
{
    cw_render_page *page = owner;
    if (page->state != CW_RENDER_PAGE_LOADING)
        return;
    crawl_buf decoded = {0};
    crawl_slice why = cw_render_text(reply->result, CW_RENDER_NAME("errorText"), &decoded);
    if (!reply->result.size) {
        page_is_gone(page, reply);
    } else if (why.size) {
        crawl_buf_append_char(&decoded, '\0');
        cw_render_page_fail(page, CRAWL_RENDER_DOCUMENT, "the browser shows no document of this answer");
    } else {
        page->state = CW_RENDER_PAGE_RUNNING;
        cw_render_clock_start(page);
    }
    crawl_buf_free(&decoded);
}

/* Navigates after the settings are made; otherwise the first document would begin without them. */
static void page_is_set(void *owner, uint64_t, const cw_render_reply *reply)
{
    cw_render_page *page = owner;
    crawl_buf params = {0};
    cw_writer out = {.out = &params};
    if (!reply->result.size) {
        page_is_gone(page, reply);
        return;
    }
    page->state = CW_RENDER_PAGE_LOADING;
    cw_json_text(&out, "{\"url\":", crawl_buf_slice(&page->url));
    cw_put_char(&out, '}');
    cw_render_page_send(page, "Page.navigate", params.data, page_has_document, 0);
    crawl_buf_free(&params);
    if (out.err)
        cw_render_page_fail(page, CRAWL_RENDER_MEMORY, "");
}

/* Requests a frame again and again. Otherwise an unchanging page gets no frames, and is never idle
 * (requestIdleCallback). Keeps the targets of forms that are posted, since the event of a window does not name the
 * method. It runs in its own script world, which is also used for reading. Fields hide members of their form. */
static const char page_own_script[] =
    "{\"worldName\":\"crawl\",\"source\":\"(function f(){requestAnimationFrame(f)})();self.posted=[];"
    "addEventListener('formdata',e=>{"
    "const g=n=>Object.getOwnPropertyDescriptor(HTMLFormElement.prototype,n).get.call(e.target);"
    "g('method')==='post'&&posted.length<20&&posted.push(g('action'))},true)\"}";

/* Milliseconds. Two runs of a page that prints the time are equal if they begin in the same ten minutes. Servers
 * tolerate clocks that differ by this much. */
#define CLOCK_GRAIN_MS ((int64_t)600 * 1000)

/* Stops the clock from the beginning: a budget would run out on the empty page. */
static void page_is_attached(void *owner, uint64_t, const cw_render_reply *reply)
{
    cw_render_page *page = owner;
    crawl_slice session = cw_render_text(reply->result, CW_RENDER_NAME("sessionId"), &page->session);
    if (!session.size || crawl_buf_append(&page->session, session.data, session.size)) {
        page_is_gone(page, reply);
        return;
    }
    char clock[96];
    snprintf(clock, sizeof clock, "{\"policy\":\"pause\",\"initialVirtualTime\":%lld}",
             (long long)(cw_clock_ms(CLOCK_REALTIME) / CLOCK_GRAIN_MS * CLOCK_GRAIN_MS / 1000));
    cw_render_page_send(page, "Page.enable", NULL, NULL, 0);
    cw_render_page_send(page, "Page.addScriptToEvaluateOnNewDocument", page_own_script, NULL, 0);
    cw_render_page_send(page, "Emulation.setVirtualTimePolicy", clock, NULL, 0);
    cw_render_page_send(page, "Runtime.evaluate", "{\"expression\":\"0\"}", page_is_set, 0);
}

static void page_has_target(void *owner, uint64_t, const cw_render_reply *reply)
{
    cw_render_page *page = owner;
    crawl_slice target = cw_render_text(reply->result, CW_RENDER_NAME("targetId"), &page->target);
    crawl_buf params = {0};
    cw_writer out = {.out = &params};
    if (!target.size || crawl_buf_append(&page->target, target.data, target.size)) {
        page_is_gone(page, reply);
        return;
    }
    cw_render_page_add_place(page, crawl_buf_slice(&page->target), 0);
    cw_json_text(&out, "{\"flatten\":true,\"targetId\":", crawl_buf_slice(&page->target));
    cw_put_char(&out, '}');
    cw_render_page_send_browser(page, "Target.attachToTarget", crawl_buf_slice(&params), page_is_attached, 0);
    crawl_buf_free(&params);
}

static void page_has_context(void *owner, uint64_t, const cw_render_reply *reply)
{
    cw_render_page *page = owner;
    crawl_slice context = cw_render_text(reply->result, CW_RENDER_NAME("browserContextId"), &page->context);
    crawl_buf params = {0};
    cw_writer out = {.out = &params};
    if (!context.size || crawl_buf_append(&page->context, context.data, context.size)) {
        page_is_gone(page, reply);
        return;
    }
    cw_json_text(
        &out, "{\"behavior\":\"deny\",\"eventsEnabled\":true,\"browserContextId\":", crawl_buf_slice(&page->context));
    cw_put_char(&out, '}');
    cw_render_page_send_browser(page, "Browser.setDownloadBehavior", crawl_buf_slice(&params), NULL, 0);
    crawl_buf_clear(&params);
    cw_json_text(&out,
                 "{\"url\":\"about:blank\",\"width\":1280,\"height\":1024,\"enableBeginFrameControl\":true,"
                 "\"browserContextId\":",
                 crawl_buf_slice(&page->context));
    cw_put_char(&out, '}');
    cw_render_page_send_browser(page, "Target.createTarget", crawl_buf_slice(&params), page_has_target, 0);
    crawl_buf_free(&params);
}

void cw_render_page_open(cw_render_page *page)
{
    page->state = CW_RENDER_PAGE_OPENING;
    page->counted_ms = cw_render_now();
    cw_render_page_send_browser(page, "Target.createBrowserContext", crawl_slice_from("{\"disposeOnDetach\":true}"),
                                page_has_context, 0);
}

/* --- events of a page --- */

static void page_frame_attached(cw_render_page *page, crawl_slice params, crawl_buf *decoded)
{
    crawl_slice parent = cw_render_text(params, CW_RENDER_NAME("parentFrameId"), decoded);
    crawl_slice frame = cw_render_text(params, CW_RENDER_NAME("frameId"), decoded);
    const cw_render_place *above = cw_map_get(page->renderer->places, parent);
    if (above && frame.size)
        cw_render_page_add_place(page, frame, above->depth + 1);
}

/* Ends a page that goes to about:blank, to a blob: URL, or back in its history to the empty page before it: no request
 * is needed that could be refused, and its clock stands from then on. */
static void page_frame_navigated(cw_render_page *page, crawl_slice params, crawl_buf *decoded)
{
    crawl_slice frame = cw_render_value(params, CW_RENDER_NAME("frame"));
    crawl_slice id = cw_render_text(frame, CW_RENDER_NAME("id"), decoded);
    crawl_slice url = cw_render_text(frame, CW_RENDER_NAME("url"), decoded);
    if (crawl_slice_equal(id, crawl_buf_slice(&page->target)) && !cw_starts_with(url, "http"))
        cw_render_page_fail(page, CRAWL_RENDER_DOCUMENT, "the page left its document");
}

static void page_dialog(cw_render_page *page)
{
    cw_render_page_send(page, "Page.handleJavaScriptDialog", "{\"accept\":false}", NULL, 0);
    if (++page->dialogs != CW_RENDER_DIALOGS_MAX)
        return;
    cw_render_page_send(page, "Runtime.terminateExecution", NULL, NULL, 0);
    cw_render_page_cut(page, CRAWL_RENDER_DIALOGS, "it never stops opening dialogs");
}

static const char *page_how(crawl_slice reason)
{
    if (cw_starts_with(reason, "formSubmission"))
        return "form";
    return cw_starts_with(reason, "metaTag") || cw_starts_with(reason, "httpHeader") ? "refresh" : "location";
}

static bool page_event_is(const cw_render_event *event, const char *method)
{
    return crawl_slice_equal(event->method, crawl_slice_from(method));
}

void cw_render_page_event(cw_render_page *page, const cw_render_event *event)
{
    crawl_buf decoded = {0};
    crawl_slice url = (crawl_slice){0};
    if (page->state == CW_RENDER_PAGE_ENDED || crawl_buf_reserve(&decoded, event->params.size + 1))
        return;
    if (page_event_is(event, "Emulation.virtualTimeBudgetExpired")) {
        cw_render_clock_expired(page);
    } else if (page_event_is(event, "Page.frameAttached")) {
        page_frame_attached(page, event->params, &decoded);
    } else if (page_event_is(event, "Page.frameNavigated")) {
        page_frame_navigated(page, event->params, &decoded);
    } else if (page_event_is(event, "Page.javascriptDialogOpening")) {
        page_dialog(page);
    } else if (page_event_is(event, "Page.navigatedWithinDocument")) {
        url = cw_render_text(event->params, CW_RENDER_NAME("url"), &decoded);
        cw_render_page_add_link(page, url, "route");
    } else if (page_event_is(event, "Page.windowOpen")) {
        url = cw_render_text(event->params, CW_RENDER_NAME("url"), &decoded);
        cw_render_page_add_link(page, url, "open");
    } else if (page_event_is(event, "Page.frameRequestedNavigation")) {
        crawl_slice frame = cw_render_text(event->params, CW_RENDER_NAME("frameId"), &decoded);
        crawl_slice reason = cw_render_text(event->params, CW_RENDER_NAME("reason"), &decoded);
        url = cw_render_text(event->params, CW_RENDER_NAME("url"), &decoded);
        bool is_post = crawl_slice_equal(reason, crawl_slice_from("formSubmissionPost"));
        if (crawl_slice_equal(frame, crawl_buf_slice(&page->target)) && !is_post)
            cw_render_page_add_link(page, url, page_how(reason));
    }
    crawl_buf_free(&decoded);
}

/* --- the end --- */

void cw_render_page_lacks(cw_render_page *page, crawl_render_lack lack, const char *words)
{
    if (page->lack)
        return;
    page->lack = lack;
    crawl_buf_clear(&page->words);
    (void)crawl_buf_append_text(&page->words, words);
}

void cw_render_page_note(cw_render_page *page, const char *words, crawl_slice url)
{
    if (!page->lack && !page->words.size)
        (void)crawl_buf_printf(&page->words, "%s %.*s", words, (int)url.size, url.data);
}

void cw_render_page_cut(cw_render_page *page, crawl_render_lack lack, const char *words)
{
    cw_render_page_lacks(page, lack, words);
    if (page->state == CW_RENDER_PAGE_LOADING) { /* the browser still has the empty page before it */
        cw_render_page_fail(page, lack, words);
    } else if (page->state == CW_RENDER_PAGE_RUNNING) {
        cw_render_clock_stop(page);
        cw_render_read_begin(page);
    }
}

void cw_render_page_fail(cw_render_page *page, crawl_render_lack lack, const char *words)
{
    if (page->state == CW_RENDER_PAGE_ENDED)
        return;
    page->has_failed = true;
    if (!page->lack || lack != CRAWL_RENDER_BUSY) {
        page->lack = CRAWL_RENDER_WHOLE;
        cw_render_page_lacks(page, lack, words);
    }
    cw_render_page_end(page);
}

void cw_render_page_end(cw_render_page *page)
{
    cw_render_page_count(page);
    cw_render_page_close(page);
    page->state = CW_RENDER_PAGE_ENDED;
    event_active(page->renderer->ended, EV_TIMEOUT, 0);
}

/* Another page may draw only after the browser was told to drop this one, whose frame may be under way. */
void cw_render_page_close(cw_render_page *page)
{
    crawl_buf params = {0};
    cw_writer out = {.out = &params};
    cw_render_clock_stop(page);
    cw_render_part_drop(page);
    cw_render_session_forget(&page->renderer->browser.session, page);
    page_forget_places(page);
    if (page->context.size) {
        cw_json_text(&out, "{\"browserContextId\":", crawl_buf_slice(&page->context));
        cw_put_char(&out, '}');
        cw_render_page_send_browser(page, "Target.disposeBrowserContext", crawl_buf_slice(&params), NULL, 0);
    }
    crawl_buf_free(&params);
    crawl_buf_clear(&page->context);
    cw_render_clock_leave(page);
}

void cw_render_page_free(cw_render_page *page)
{
    if (page->clock.soon)
        event_free(page->clock.soon);
    crawl_buf *bufs[] = {&page->url,   &page->answer,    &page->context, &page->target,     &page->session,
                         &page->words, &page->frame_ids, &page->texts,   &page->link_texts, &page->screenshot};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        crawl_buf_free(bufs[i]);
    free(page->reads);
    free(page);
}
