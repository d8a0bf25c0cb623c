/* The renderer: its options, the pages under way, and the browser's messages to all of them or to one. */
#include "base/bytes.h"
#include "base/error.h"
#include "render/render_page.h"

#include <event2/event.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The browser hangs on larger answers, documents too, and does not end when its pipe closes. */
#define RENDER_PART_MAX ((uint64_t)32 << 20)
enum { RENDER_OPEN_MAX = 64, RENDER_CLOCK_MAX = 60000, RENDER_TICK_MS = 100 };

void crawl_render_options_init(crawl_render_options *options, size_t size)
{
    const crawl_render_options own = {.size = size,
                                      .start_ms = 20000,
                                      .time_ms = 20000,
                                      .wait_ms = 300000,
                                      .silence_ms = 2000,
                                      .clock_ms = 5000,
                                      .max_part_bytes = (uint64_t)16 << 20,
                                      .max_page_bytes = (uint64_t)64 << 20,
                                      .max_html_bytes = (uint64_t)16 << 20,
                                      .max_memory_bytes = (uint64_t)1 << 30,
                                      .max_parts = 200,
                                      .max_frames = 100,
                                      .pages = 500,
                                      .open = 2};
    memcpy(options, &own, size < sizeof own ? size : sizeof own);
}

const char *crawl_render_lack_name(crawl_render_lack lack)
{
    static const char *const names[] = {"",         "time",    "parts",   "bytes",     "busy",  "dialogs",
                                        "document", "crashed", "browser", "cancelled", "memory"};
    return (unsigned)lack < sizeof names / sizeof *names ? names[lack] : "";
}

/* --- pages --- */

static void render_open_waiting(struct crawl_renderer *renderer)
{
    cw_render_page *page, *next;
    for (page = TAILQ_FIRST(&renderer->pages); page; page = next) {
        next = TAILQ_NEXT(page, link);
        if (page->state == CW_RENDER_PAGE_QUEUED && renderer->browser.state == CW_RENDER_BROWSER_UP &&
            (!renderer->options.pages || renderer->browser.renders < renderer->options.pages)) {
            renderer->browser.renders++;
            cw_render_page_open(page);
        }
    }
}

/* Starts a browser for the waiting pages, or lets them fail. */
static void render_start(struct crawl_renderer *renderer)
{
    crawl_error error = {0};
    cw_render_browser *browser = &renderer->browser;
    bool is_hopeless = browser->deaths >= CW_RENDER_BROWSER_DEATHS_MAX || !browser->program.size;
    if (!is_hopeless && !cw_render_browser_start(browser, &error))
        return;
    for (cw_render_page *page = TAILQ_FIRST(&renderer->pages); page; page = TAILQ_NEXT(page, link))
        if (page->state == CW_RENDER_PAGE_QUEUED)
            cw_render_page_fail(page, CRAWL_RENDER_BROWSER,
                                is_hopeless ? "the browser ended too often" : error.message);
}

/* Ends a browser that has rendered its number of pages, when the last of them has ended, so that a new one can
 * start. */
static void render_renew(struct crawl_renderer *renderer)
{
    const cw_render_page *page;
    bool is_queued = false;
    TAILQ_FOREACH(page, &renderer->pages, link)
    {
        if (page->state != CW_RENDER_PAGE_QUEUED)
            return;
        is_queued = true;
    }
    if (!is_queued || renderer->browser.state != CW_RENDER_BROWSER_UP)
        return;
    cw_render_browser_stop(&renderer->browser);
    render_start(renderer);
}

static void render_is_up(void *user)
{
    render_open_waiting(user);
}

/* Returns true if one page alone was being rendered. */
static bool render_is_lone(const struct crawl_renderer *renderer)
{
    const cw_render_page *page;
    unsigned open = 0;
    TAILQ_FOREACH(page, &renderer->pages, link)
    {
        open += page->state != CW_RENDER_PAGE_QUEUED && page->state != CW_RENDER_PAGE_ENDED;
    }
    return open == 1;
}

/* Waiting pages get another browser, unless this one did not even start: the next would not either. A page that was
 * alone is to blame for the end, not the browser, unless this happens too often. */
static void render_is_down(void *user, const char *why, bool was_up)
{
    struct crawl_renderer *renderer = user;
    if (was_up && render_is_lone(renderer) && ++renderer->browser.lone_deaths < CW_RENDER_BROWSER_LONE_DEATHS_MAX)
        renderer->browser.deaths--;
    bool is_queued = false, is_last = !was_up || renderer->browser.deaths >= CW_RENDER_BROWSER_DEATHS_MAX;
    for (cw_render_page *page = TAILQ_FIRST(&renderer->pages); page; page = TAILQ_NEXT(page, link)) {
        is_queued = is_queued || page->state == CW_RENDER_PAGE_QUEUED;
        if (page->state != CW_RENDER_PAGE_QUEUED || is_last)
            cw_render_page_fail(page, CRAWL_RENDER_BROWSER, why);
    }
    if (is_queued && !is_last)
        render_start(renderer);
}

static void render_report(cw_render_page *page)
{
    crawl_render_link links[CW_RENDER_LINKS_MAX];
    crawl_render_frame *frames = calloc(page->read_count + 1, sizeof *frames);
    crawl_slice rest = crawl_buf_slice(&page->link_texts);
    const char *texts = page->texts.data;
    size_t link_count = 0;
    for (size_t i = 0; i < page->link_count; i++) {
        crawl_slice url = cw_cut(&rest, '\0');
        if (page->hows[i])
            links[link_count++] = (crawl_render_link){.url = url, .how = page->hows[i]};
    }
    for (size_t i = 0; frames && !page->has_failed && i < page->read_count; i++) {
        const cw_render_read *read = &page->reads[i];
        frames[i] = (crawl_render_frame){.url = crawl_slice_of(texts + read->url, read->url_size),
                                         .base = crawl_slice_of(texts + read->base, read->base_size),
                                         .html = crawl_slice_of(texts + read->html, read->html_size),
                                         .is_own = read->is_own};
    }
    const crawl_rendered rendered = {.size = sizeof rendered,
                                     .failed = page->has_failed || !frames,
                                     .lack = frames ? page->lack : CRAWL_RENDER_MEMORY,
                                     .words = page->words.data ? page->words.data : "",
                                     .frames = frames,
                                     .frame_count = frames && !page->has_failed ? page->read_count : 0,
                                     .links = links,
                                     .link_count = link_count,
                                     .screenshot = crawl_buf_slice(&page->screenshot),
                                     .parts = page->part_count,
                                     .answered = page->answered,
                                     .bytes = page->bytes,
                                     .waited_ms = page->waited_ms,
                                     .elapsed_ms = cw_render_now() - page->begun_ms};
    page->request.on_done(page->request.user, &rendered);
    free(frames);
}

/* Runs from the loop, so that no callback comes from within a call. */
static void render_finish(evutil_socket_t, short, void *user)
{
    struct crawl_renderer *renderer = user;
    for (cw_render_page *page = TAILQ_FIRST(&renderer->pages), *next; page; page = next) {
        next = TAILQ_NEXT(page, link);
        if (page->state != CW_RENDER_PAGE_ENDED)
            continue;
        TAILQ_REMOVE(&renderer->pages, page, link);
        renderer->page_count--;
        renderer->stats.failed += page->has_failed;
        renderer->stats.rendered += !page->has_failed;
        renderer->stats.cut += !page->has_failed && page->lack;
        if (!page->has_failed)
            renderer->browser.deaths = renderer->browser.lone_deaths = 0;
        render_report(page);
        cw_render_page_free(page);
        next = TAILQ_FIRST(&renderer->pages); /* on_done may have begun or cancelled other pages */
    }
    render_renew(renderer);
    if (!renderer->page_count)
        event_del(renderer->tick);
}

unsigned cw_render_share_of(const char *loadavg, long processors)
{
    unsigned running;
    if (sscanf(loadavg, "%*s %*s %*s %u/", &running) != 1 || running <= 1 || processors < 1)
        return 100;
    unsigned long share = 100 * (unsigned long)processors / (running - 1);
    return share > 100 ? 100 : share ? (unsigned)share : 1;
}

static unsigned render_share(void)
{
    char text[128];
    int file = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    text[got > 0 ? got : 0] = '\0';
    return cw_render_share_of(text, sysconf(_SC_NPROCESSORS_ONLN));
}

static void render_tick(evutil_socket_t, short, void *user)
{
    struct crawl_renderer *renderer = user;
    cw_render_page *page;
    renderer->share = render_share();
    TAILQ_FOREACH(page, &renderer->pages, link)
    cw_render_page_tick(page);
}

/* --- messages of the browser --- */

static bool render_event_is(const cw_render_event *event, const char *method)
{
    return crawl_slice_equal(event->method, crawl_slice_from(method));
}

static cw_render_page *render_page_by(struct crawl_renderer *renderer, size_t at, crawl_slice name)
{
    cw_render_page *page;
    TAILQ_FOREACH(page, &renderer->pages, link)
    if (name.size && crawl_slice_equal(crawl_buf_slice((const crawl_buf *)((const char *)page + at)), name))
        return page;
    return NULL;
}

/* Registers workers without a document, which send requests under their own names. */
static void render_target_created(struct crawl_renderer *renderer, crawl_slice params, crawl_buf *decoded)
{
    crawl_slice info = cw_render_value(params, CW_RENDER_NAME("targetInfo"));
    crawl_slice type = cw_render_text(info, CW_RENDER_NAME("type"), decoded);
    crawl_slice context = cw_render_text(info, CW_RENDER_NAME("browserContextId"), decoded);
    crawl_slice target = cw_render_text(info, CW_RENDER_NAME("targetId"), decoded);
    cw_render_page *page = render_page_by(renderer, offsetof(cw_render_page, context), context);
    if (!page || cw_find_text(type, "worker") == type.size)
        return;
    page->has_workers = true;
    cw_render_page_add_place(page, target, 1);
}

static void render_target_crashed(struct crawl_renderer *renderer, crawl_slice params, crawl_buf *decoded)
{
    crawl_slice target = cw_render_text(params, CW_RENDER_NAME("targetId"), decoded);
    cw_render_page *page = render_page_by(renderer, offsetof(cw_render_page, target), target);
    if (page)
        cw_render_page_fail(page, CRAWL_RENDER_CRASHED, "the page's process ended");
}

static void render_download(struct crawl_renderer *renderer, crawl_slice params, crawl_buf *decoded)
{
    const cw_render_place *place =
        cw_map_get(renderer->places, cw_render_text(params, CW_RENDER_NAME("frameId"), decoded));
    if (place)
        cw_render_page_add_link(place->page, cw_render_text(params, CW_RENDER_NAME("url"), decoded), "download");
}

static void render_event(void *user, const cw_render_event *event)
{
    struct crawl_renderer *renderer = user;
    crawl_buf decoded = {0};
    if (event->session.size) {
        cw_render_page *page = render_page_by(renderer, offsetof(cw_render_page, session), event->session);
        if (page)
            cw_render_page_event(page, event);
    } else if (render_event_is(event, "Fetch.requestPaused")) {
        cw_render_part_paused(renderer, event->params);
    } else if (!crawl_buf_reserve(&decoded, event->params.size + 1)) {
        if (render_event_is(event, "Target.targetCreated"))
            render_target_created(renderer, event->params, &decoded);
        else if (render_event_is(event, "Target.targetCrashed"))
            render_target_crashed(renderer, event->params, &decoded);
        else if (render_event_is(event, "Browser.downloadWillBegin"))
            render_download(renderer, event->params, &decoded);
    }
    crawl_buf_free(&decoded);
}

/* --- the interface --- */

static bool render_options_are_right(const crawl_render_options *options)
{
    return options->start_ms > 0 && options->time_ms > 0 && options->wait_ms > 0 && options->silence_ms > 0 &&
           options->clock_ms > 0 && options->clock_ms <= RENDER_CLOCK_MAX &&
           options->max_part_bytes <= RENDER_PART_MAX && options->max_memory_bytes && options->max_html_bytes &&
           options->max_frames && options->open && options->open <= RENDER_OPEN_MAX;
}

/* Copies the texts of options into one block. */
static crawl_err render_keep_texts(struct crawl_renderer *renderer)
{
    const char **texts[] = {&renderer->options.program, &renderer->options.user_agent};
    size_t size = 0;
    for (size_t i = 0; i < 2; i++)
        size += *texts[i] ? strlen(*texts[i]) + 1 : 0;
    if (crawl_buf_reserve(&renderer->names, size + 1))
        return CRAWL_ENOMEM;
    for (size_t i = 0; i < 2; i++) {
        if (!*texts[i])
            continue;
        const char *copy = renderer->names.data + renderer->names.size;
        (void)crawl_buf_append(&renderer->names, *texts[i], strlen(*texts[i]) + 1);
        *texts[i] = copy;
    }
    return CRAWL_OK;
}

/* Makes everything except the browser itself. */
static crawl_err render_make(struct crawl_renderer *renderer, struct event_base *base)
{
    cw_render_browser *browser = &renderer->browser;
    TAILQ_INIT(&renderer->pages);
    renderer->base = base;
    renderer->places = cw_map_create((uint64_t)(uintptr_t)renderer);
    renderer->tick = event_new(base, -1, EV_PERSIST, render_tick, renderer);
    renderer->ended = evtimer_new(base, render_finish, renderer);
    browser->base = base;
    browser->options = &renderer->options;
    browser->stats = &renderer->stats;
    browser->on_up = render_is_up;
    browser->on_down = render_is_down;
    browser->user = renderer;
    browser->on_event = render_event;
    if (!renderer->places || !renderer->tick || !renderer->ended)
        return CRAWL_ENOMEM;
    crawl_err err = cw_render_click_write(&renderer->options, &renderer->clicks);
    return err ? err : render_keep_texts(renderer);
}

static crawl_err render_create(struct event_base *base, const crawl_render_options *options, int descriptor,
                               crawl_renderer **out, crawl_error *error)
{
    crawl_render_options own;
    crawl_render_options_init(&own, sizeof own);
    if (!options->size || options->size > sizeof own)
        return crawl_error_set(error, CRAWL_EINVAL, "these options are of another version");
    memcpy(&own, options, options->size);
    if (!render_options_are_right(&own))
        return crawl_error_set(error, CRAWL_EINVAL, "an option of the renderer is out of its range");
    struct crawl_renderer *renderer = calloc(1, sizeof *renderer);
    if (!renderer)
        return cw_error(error, CRAWL_ENOMEM);
    renderer->options = own;
    renderer->share = 100;
    crawl_err err = render_make(renderer, base);
    err = err ? cw_error(error, err) : CRAWL_OK;
    if (!err && descriptor >= 0)
        err = cw_render_browser_adopt(&renderer->browser, descriptor);
    if (!err && descriptor < 0)
        err = cw_render_browser_find(&renderer->browser, error);
    if (!err && descriptor < 0)
        err = cw_render_browser_start(&renderer->browser, error);
    if (err)
        crawl_renderer_free(renderer);
    else
        *out = renderer;
    return err;
}

crawl_err crawl_renderer_create(struct event_base *base, const crawl_render_options *options, crawl_renderer **out,
                                crawl_error *error)
{
    return render_create(base, options, -1, out, error);
}

crawl_err cw_render_create_with(struct event_base *base, const crawl_render_options *options, int descriptor,
                                crawl_renderer **out)
{
    return render_create(base, options, descriptor, out, NULL);
}

void crawl_renderer_free(crawl_renderer *renderer)
{
    if (!renderer)
        return;
    cw_render_browser_stop(&renderer->browser);
    for (cw_render_page *page; (page = TAILQ_FIRST(&renderer->pages));) {
        TAILQ_REMOVE(&renderer->pages, page, link);
        cw_render_page_close(page);
        cw_render_page_free(page);
    }
    cw_render_browser_free(&renderer->browser);
    if (renderer->tick)
        event_free(renderer->tick);
    if (renderer->ended)
        event_free(renderer->ended);
    cw_map_free_values(renderer->places);
    crawl_buf_free(&renderer->names);
    crawl_buf_free(&renderer->clicks);
    free(renderer);
}

crawl_err crawl_render(crawl_renderer *renderer, const crawl_render_request *request, uint64_t *id)
{
    const struct timeval tick = {.tv_usec = RENDER_TICK_MS * 1000};
    if (request->size != sizeof *request || !request->response || !request->on_part || !request->on_done ||
        (!cw_starts_with(request->url, "http://") && !cw_starts_with(request->url, "https://")))
        return CRAWL_EINVAL;
    if (renderer->page_count >= renderer->options.open)
        return CRAWL_FULL;
    cw_render_page *page = calloc(1, sizeof *page);
    if (!page)
        return CRAWL_ENOMEM;
    TAILQ_INIT(&page->parts);
    page->renderer = renderer;
    page->request = *request;
    page->id = ++renderer->last_id;
    page->begun_ms = page->counted_ms = cw_render_now();
    bool is_too_large = request->response->body.size > RENDER_PART_MAX;
    crawl_err err = is_too_large ? CRAWL_OK : cw_render_part_write(request->response, &page->answer);
    if (!err)
        err = crawl_buf_append(&page->url, request->url.data, request->url.size);
    bool is_ticking = event_pending(renderer->tick, EV_TIMEOUT, NULL); /* adding it again would put it off */
    if (!err && !is_ticking && event_add(renderer->tick, &tick))
        err = CRAWL_ENOMEM;
    if (err) {
        cw_render_page_free(page);
        return err;
    }
    cw_render_storage_note(page, request->response->body);
    TAILQ_INSERT_TAIL(&renderer->pages, page, link);
    renderer->page_count++;
    if (id)
        *id = page->id;
    if (is_too_large)
        cw_render_page_fail(page, CRAWL_RENDER_BYTES, "its document exceeds 32 MiB");
    if (renderer->browser.state == CW_RENDER_BROWSER_DOWN)
        render_start(renderer);
    render_open_waiting(renderer);
    event_active(renderer->ended, EV_TIMEOUT, 0); /* renews a browser that has rendered its pages */
    return CRAWL_OK;
}

crawl_err crawl_render_cancel(crawl_renderer *renderer, uint64_t id)
{
    cw_render_page *page;
    TAILQ_FOREACH(page, &renderer->pages, link)
    if (page->id == id && page->state != CW_RENDER_PAGE_ENDED) {
        cw_render_page_fail(page, CRAWL_RENDER_CANCELLED, "");
        return CRAWL_OK;
    }
    return CRAWL_ABSENT;
}

crawl_err crawl_render_answer(crawl_renderer *renderer, uint64_t id, const crawl_render_response *response)
{
    cw_render_part *part = cw_render_part_find(renderer, id);
    if (!part)
        return CRAWL_ABSENT;
    cw_render_storage_note(part->page, response->body);
    return cw_render_part_answer(part, response);
}

crawl_err crawl_render_refuse(crawl_renderer *renderer, uint64_t id, crawl_render_refusal why)
{
    static const char *const reasons[] = {"BlockedByClient",  "NameNotResolved", "ConnectionRefused",
                                          "ConnectionClosed", "TimedOut",        "BlockedByClient"};
    cw_render_part *part = cw_render_part_find(renderer, id);
    if (!part)
        return CRAWL_ABSENT;
    if (why == CRAWL_RENDER_REFUSE_LARGE)
        cw_render_part_is_too_large(part);
    else if (part->url.size && why != CRAWL_RENDER_REFUSE_BLOCKED)
        cw_render_page_note(part->page, "no answer of", crawl_buf_slice(&part->url));
    cw_render_part_refuse(part, reasons[(unsigned)why < sizeof reasons / sizeof *reasons ? why : 0]);
    return CRAWL_OK;
}

void crawl_renderer_stats_get(const crawl_renderer *renderer, crawl_renderer_stats *out)
{
    *out = renderer->stats;
    out->open = renderer->page_count;
}
