/* The thread of the renderer, and the pages under way: a page is waiting, rendered, or done. See renders.h. */
#include "base/bytes.h"
#include "base/error.h"
#include "base/thread.h"
#include "config/config_values.h"
#include "crawler/engine/ending.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/render/renders_state.h"
#include "crawler/engine/visit/answer/headers.h"

#include <crawl/extract.h>
#include <errno.h>
#include <event2/event.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

/* ---- results of a page ---- */

void cw_renders_page_free(cw_renders_page *page)
{
    if (!page)
        return;
    free(page->frames);
    free(page->links);
    free(page->block);
    crawl_buf_free(&page->nofollow);
    free(page);
}

/* False: out of memory. */
static bool renders_take_result(cw_renders_page *page, const crawl_rendered *from)
{
    size_t size = from->screenshot.size + 1;
    for (size_t i = 0; i < from->frame_count; i++)
        size += from->frames[i].url.size + from->frames[i].base.size + from->frames[i].html.size;
    for (size_t i = 0; i < from->link_count; i++)
        size += from->links[i].url.size;
    char *at = page->block = malloc(size);
    page->frames = calloc(from->frame_count + 1, sizeof *page->frames);
    page->links = calloc(from->link_count + 1, sizeof *page->links);
    if (!page->block || !page->frames || !page->links)
        return false;
    for (; page->frame_count < from->frame_count; page->frame_count++) {
        const crawl_render_frame *frame = &from->frames[page->frame_count];
        page->frames[page->frame_count] = (crawl_render_frame){.url = cw_renders_copy(&at, frame->url),
                                                               .base = cw_renders_copy(&at, frame->base),
                                                               .html = cw_renders_copy(&at, frame->html),
                                                               .is_own = frame->is_own};
    }
    for (; page->link_count < from->link_count; page->link_count++)
        page->links[page->link_count] = (crawl_render_link){
            .url = cw_renders_copy(&at, from->links[page->link_count].url), .how = from->links[page->link_count].how};
    page->screenshot = cw_renders_copy(&at, from->screenshot);
    return true;
}

/* Returns true if the browser shows its error in place of XHTML that is not well-formed. */
static bool renders_is_complaint(const cw_renders_page *page, const crawl_rendered *from)
{
    crawl_slice type = crawl_media_type(cw_visit_headers_content_type(page->response));
    return crawl_document_of_content_type(type) == CRAWL_DOCUMENT_XHTML && from->frame_count &&
           cw_find_text(from->frames[0].html, "<parsererror ") < from->frames[0].html.size;
}

static void renders_fill(cw_renders_page *page, const crawl_rendered *from)
{
    if (!from->failed && renders_is_complaint(page, from)) {
        page->failed = true;
        page->lack = CRAWL_RENDER_DOCUMENT;
        snprintf(page->words, sizeof page->words, "the page is XHTML, but not well formed");
        return;
    }
    page->failed = from->failed || !renders_take_result(page, from);
    page->lack = from->lack;
    page->parts = from->parts;
    page->waited_ms = from->waited_ms;
    page->elapsed_ms = from->elapsed_ms;
    snprintf(page->words, sizeof page->words, "%s", *from->words ? from->words : crawl_render_lack_name(from->lack));
}

/* ---- pages, on the renders' thread ---- */

/* Returns a finished page to its worker. It must be out of its list already. */
static void renders_give_back(cw_renders *renders, cw_renders_page *page)
{
    cw_engine_waker *waker = &renders->engine->wakers[page->worker];
    pthread_mutex_lock(&renders->lock);
    crawl_engine_renders *figures = &renders->figures;
    figures->rendered += !page->failed;
    figures->cut += !page->failed && page->lack;
    figures->failed += page->failed && page->lack != CRAWL_RENDER_CANCELLED; /* a cancelled page is rendered later */
    figures->parts += page->asked;
    figures->cached += page->cached;
    TAILQ_INSERT_TAIL(&renders->done, page, link);
    pthread_mutex_unlock(&renders->lock);
    cw_engine_waker_ring(waker);
}

static void renders_fail(cw_renders *renders, cw_renders_page *page, crawl_render_lack lack, const char *words)
{
    page->failed = true;
    page->lack = lack;
    snprintf(page->words, sizeof page->words, "%s", words);
    renders_give_back(renders, page);
}

static void renders_on_part(void *user, const crawl_render_part *part)
{
    cw_renders_page *page = user;
    cw_renders_parts_on_part(page->renders, page, part);
}

/* Tells the operator if the browser renders nothing, most likely because it does not start: all pages go on as fetched
 * then. */
static void renders_notice(cw_renders *renders, const crawl_rendered *rendered)
{
    crawl_renderer_stats stats;
    crawl_buf words = {0};
    crawl_renderer_stats_get(renders->renderer, &stats);
    if (rendered->lack != CRAWL_RENDER_BROWSER || stats.rendered || renders->has_noticed)
        return;
    renders->has_noticed = true;
    if (!crawl_buf_printf(&words, "a page is not rendered: %s", rendered->words))
        cw_engine_notice(renders->engine, &words);
    crawl_buf_free(&words);
}

static void renders_on_done(void *user, const crawl_rendered *rendered)
{
    cw_renders_page *page = user;
    cw_renders *renders = page->renders;
    bool again = rendered->failed && rendered->lack == CRAWL_RENDER_BROWSER && !page->is_again;
    if (!again)
        renders_notice(renders, rendered);
    renders_fill(page, rendered);
    cw_renders_parts_drop(renders, page);
    pthread_mutex_lock(&renders->lock);
    TAILQ_REMOVE(&renders->rendered, page, link);
    if (again)
        TAILQ_INSERT_TAIL(&renders->waiting, page, link);
    pthread_mutex_unlock(&renders->lock);
    if (again)
        page->is_again = true;
    else
        renders_give_back(renders, page);
    event_active(renders->wake, EV_READ, 0); /* the renderer has room again after this returns */
}

static crawl_err renders_begin(cw_renders *renders, cw_renders_page *page)
{
    const crawl_render_response response = crawl_render_response_of(page->response);
    const crawl_render_request request = {.size = sizeof request,
                                          .url = page->url,
                                          .response = &response,
                                          .screenshot = renders->engine->hooks.screenshots,
                                          .on_part = renders_on_part,
                                          .on_done = renders_on_done,
                                          .user = page};
    return crawl_render(renders->renderer, &request, &page->render);
}

/* Moves the next page that may begin. A page is rendered again alone: if it was the one that ended the browser, it must
 * not take others with it twice. NULL: none. Under the lock. */
static cw_renders_page *renders_next_begin(cw_renders *renders)
{
    cw_renders_page *page = TAILQ_FIRST(&renders->waiting);
    const cw_renders_page *other = TAILQ_FIRST(&renders->rendered);
    if (!page || (other && (page->is_again || other->is_again)))
        return NULL;
    TAILQ_REMOVE(&renders->waiting, page, link);
    TAILQ_INSERT_TAIL(&renders->rendered, page, link);
    return page;
}

static void renders_begin_pages(cw_renders *renders)
{
    crawl_err err = CRAWL_OK;
    while (!err) {
        pthread_mutex_lock(&renders->lock);
        cw_renders_page *page = renders_next_begin(renders);
        pthread_mutex_unlock(&renders->lock);
        if (!page)
            return;
        err = renders_begin(renders, page);
        if (!err)
            continue;
        pthread_mutex_lock(&renders->lock);
        TAILQ_REMOVE(&renders->rendered, page, link);
        if (err == CRAWL_FULL)
            TAILQ_INSERT_HEAD(&renders->waiting, page, link);
        pthread_mutex_unlock(&renders->lock);
        if (err != CRAWL_FULL) {
            renders_fail(renders, page, CRAWL_RENDER_DOCUMENT, crawl_strerror(err));
            err = CRAWL_OK;
        }
    }
}

/* Returns the next page to cut; NULL: none. A page that has not begun is taken out of its list. */
static cw_renders_page *renders_next_cut(cw_renders *renders, bool *has_begun)
{
    cw_renders_page *page;
    pthread_mutex_lock(&renders->lock);
    TAILQ_FOREACH(page, &renders->waiting, link)
    {
        if (page->is_cut)
            break;
    }
    *has_begun = !page;
    if (page)
        TAILQ_REMOVE(&renders->waiting, page, link);
    else
        TAILQ_FOREACH(page, &renders->rendered, link)
        {
            if (page->is_cut)
                break;
        }
    if (page)
        page->is_cut = false;
    pthread_mutex_unlock(&renders->lock);
    return page;
}

static void renders_cut_pages(cw_renders *renders)
{
    bool has_begun;
    for (cw_renders_page *page; (page = renders_next_cut(renders, &has_begun));)
        if (has_begun)
            (void)crawl_render_cancel(renders->renderer, page->render);
        else
            renders_fail(renders, page, CRAWL_RENDER_CANCELLED, "the crawl ends");
}

static void renders_on_wake(evutil_socket_t fd, short, void *user)
{
    cw_renders *renders = user;
    eventfd_t count;
    eventfd_read(fd, &count);
    if (atomic_load(&renders->ends)) {
        event_base_loopbreak(renders->base);
        return;
    }
    cw_renders_parts_answer(renders);
    renders_cut_pages(renders);
    renders_begin_pages(renders);
}

/* ---- the thread ---- */

static void *renders_thread(void *user)
{
    cw_renders *renders = user;
    event_base_loop(renders->base, EVLOOP_NO_EXIT_ON_EMPTY);
    return NULL;
}

crawl_err cw_renders_run(cw_renders *renders)
{
    renders->has_thread = cw_thread_start(&renders->thread, renders_thread, renders) == 0;
    return renders->has_thread ? CRAWL_OK : CRAWL_ENOMEM;
}

/* Appends the XPath of each selector, with a NUL. */
static crawl_err renders_put_clicks(const crawl_texts *selectors, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < selectors->count && !err; i++) {
        err = crawl_select_xpath(crawl_slice_from(selectors->items[i]), out, NULL);
        err = err ? err : crawl_buf_append_char(out, '\0');
    }
    return err;
}

/* Starts the browser. */
static crawl_err renders_start(cw_renders *renders, crawl_error *error)
{
    const crawl_config *config = renders->engine->config;
    crawl_buf clicks = {0};
    crawl_error why = {0};
    crawl_render_options options;
    crawl_render_options_init(&options, sizeof options);
    crawl_err err = renders_put_clicks(&config->render_click, &clicks);
    options.program = config->render_browser;
    options.user_agent = config->user_agent;
    options.images = config->render_images;
    options.post = config->render_post;
    options.open = config->render_open;
    options.clicks = crawl_buf_slice(&clicks);
    renders->wait_ms = options.wait_ms;
    renders->most = 2 * options.open + 2;
    err = err ? cw_error(&why, err) : crawl_renderer_create(renders->base, &options, &renders->renderer, &why);
    crawl_buf_free(&clicks);
    return err ? crawl_error_set(error, err, "render.render: %.400s", why.message) : CRAWL_OK;
}

static crawl_err renders_open(cw_renders *renders, crawl_error *error)
{
    renders->base = event_base_new();
    renders->url = crawl_url_create();
    bool is_named = getrandom(&renders->run, sizeof renders->run, 0) == (ssize_t)sizeof renders->run;
    if (!renders->base || !renders->url || !is_named)
        return cw_error(error, CRAWL_ENOMEM);
    renders->wake = event_new(renders->base, renders->wake_fd, EV_READ | EV_PERSIST, renders_on_wake, renders);
    if (renders->wake_fd < 0 || !renders->wake || event_add(renders->wake, NULL))
        return crawl_error_set(error, CRAWL_EIO, "no descriptor for the renderer's thread: %s", strerror(errno));
    return renders_start(renders, error);
}

crawl_err cw_renders_create(crawl_engine *engine, cw_renders **out, crawl_error *error)
{
    cw_renders *renders = calloc(1, sizeof *renders);
    if (!renders)
        return cw_error(error, CRAWL_ENOMEM);
    renders->engine = engine;
    renders->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    pthread_mutex_init(&renders->lock, NULL);
    TAILQ_INIT(&renders->waiting);
    TAILQ_INIT(&renders->rendered);
    TAILQ_INIT(&renders->done);
    TAILQ_INIT(&renders->parts);
    cw_renders_cache_init(&renders->cache, engine->config->render_cache_bytes);
    crawl_err err = renders_open(renders, error);
    if (err)
        cw_renders_free(renders);
    else
        *out = renders;
    return err;
}

void cw_renders_free(cw_renders *renders)
{
    if (!renders)
        return;
    atomic_store(&renders->ends, true);
    cw_renders_ring(renders);
    if (renders->has_thread)
        pthread_join(renders->thread, NULL);
    crawl_renderer_free(renders->renderer);
    cw_renders_parts_free(renders);
    cw_renders_cache_free(&renders->cache);
    if (renders->wake)
        event_free(renders->wake);
    if (renders->base)
        event_base_free(renders->base);
    if (renders->wake_fd >= 0)
        close(renders->wake_fd);
    crawl_url_free(renders->url);
    pthread_mutex_destroy(&renders->lock);
    free(renders);
}

/* ---- pages, for workers ---- */

void cw_renders_ask(cw_renders *renders, cw_renders_page *page)
{
    page->renders = renders;
    atomic_fetch_add(&renders->pages, 1);
    pthread_mutex_lock(&renders->lock);
    TAILQ_INSERT_TAIL(&renders->waiting, page, link);
    pthread_mutex_unlock(&renders->lock);
    cw_renders_ring(renders);
}

cw_renders_page *cw_renders_take(cw_renders *renders, unsigned worker)
{
    cw_renders_page *page;
    pthread_mutex_lock(&renders->lock);
    TAILQ_FOREACH(page, &renders->done, link)
    {
        if (page->worker == worker)
            break;
    }
    if (page)
        TAILQ_REMOVE(&renders->done, page, link);
    pthread_mutex_unlock(&renders->lock);
    if (page)
        atomic_fetch_sub(&renders->pages, 1);
    return page;
}

void cw_renders_cut(cw_renders *renders, unsigned worker)
{
    cw_renders_page *page;
    pthread_mutex_lock(&renders->lock);
    TAILQ_FOREACH(page, &renders->waiting, link)
    {
        page->is_cut = page->is_cut || page->worker == worker;
    }
    TAILQ_FOREACH(page, &renders->rendered, link)
    {
        page->is_cut = page->is_cut || page->worker == worker;
    }
    pthread_mutex_unlock(&renders->lock);
    cw_renders_ring(renders);
}

bool cw_renders_is_full(cw_renders *renders)
{
    return atomic_load(&renders->pages) >= renders->most;
}

void cw_renders_stats(cw_renders *renders, crawl_engine_renders *out)
{
    pthread_mutex_lock(&renders->lock);
    *out = renders->figures;
    pthread_mutex_unlock(&renders->lock);
}
