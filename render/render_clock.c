/* The page's own time. It is granted in steps, and only while no request of the page waits for us: a page that gives
 * its data a second does not notice that politeness held it for a minute. After each step a few frames are drawn, since
 * some scripts wait for frames. */
#include "render/render_page.h"

#include "base/bytes.h"

#include <event2/event.h>
#include <stdio.h>

/* Milliseconds of the page. After a step without a change, the next one is five times as long. While the page moves,
 * steps are short, except the last: content may come when a transition ends, and the next transition after that. */
enum { STEP_LEAST_MS = 1, STEP_FIRST_MS = 50, STEP_MOVING_MS = 300, STEP_GROWTH = 5, STEPS_MAX = 8 };

/* Milliseconds that a page gets to fill a grown view, or to show what its workers have told. */
enum { EXTENSION_MS = 1000 };

/* Milliseconds for messages to arrive. The clock does not hold workers, so they get more at the end. */
enum { REST_MS = 15, REST_WITH_WORKERS_MS = 60, REST_LAST_MS = 600 };
/* A page that counts a hundred frames gets them: some wait for that. 120 frames take a tenth of a second of processor
 * time more than 60. */
enum { FRAMES_MAX = 120, BURST_MAX = 16, FRAME_WAIT_MS = 1000 };

/* Maximum of least steps of a page: two seconds at 20 ms, for databases that never answer. */
enum { STORAGE_STEPS_MAX = 100 };

static void clock_go_on(cw_render_page *page);

/* --- databases --- */

/* IndexedDB answers by real time, from its own thread, and the page's clock does not wait for it: on a loaded machine
 * the page would be read before. So after each step of the page, a question of ours follows the page's own. Until it is
 * answered the clock goes on only by the least step, in which the page takes up the answers. */

void cw_render_storage_note(cw_render_page *page, crawl_slice text)
{
    page->storage.is_named = page->storage.is_named || cw_find_text(text, "indexedDB") < text.size;
}

static void storage_has_answer(void *owner, uint64_t, const cw_render_reply *reply)
{
    cw_render_page *page = owner;
    crawl_slice result = cw_render_value(reply->result, CW_RENDER_NAME("result"));
    page->storage.is_asked = false;
    page->storage.waits = cw_render_is_true(result, CW_RENDER_NAME("value"));
}

/* Asks the page's databases in our script world. The script returns true if the last question is not answered yet.
 * Otherwise it asks again, twice, because a request of the page may take two turns of that thread. */
static void storage_has_world(void *owner, uint64_t, const cw_render_reply *reply)
{
    static const char question[] =
        "(s=>s.asks||(s.asks=true,indexedDB.databases().then(()=>indexedDB.databases()).finally(()=>s.asks=false),"
        "false))(self)";
    cw_render_page *page = owner;
    char params[256];
    snprintf(params, sizeof params, "{\"contextId\":%.0f,\"returnByValue\":true,\"expression\":\"%s\"}",
             cw_render_number(reply->result, CW_RENDER_NAME("executionContextId")), question);
    cw_render_page_send(page, "Runtime.evaluate", params, storage_has_answer, 0);
}

/* Asks the page's databases after a step, if it may have some. */
static void storage_ask(cw_render_page *page)
{
    if (!page->storage.is_named || page->storage.is_asked)
        return;
    page->storage.is_asked = true;
    cw_render_page_send_world(page, storage_has_world);
}

/* Returns true if the page may only have the least step now. */
static bool storage_waits(cw_render_page *page)
{
    return page->storage.waits && page->storage.steps++ < STORAGE_STEPS_MAX;
}

/* --- frames --- */

static double clock_frame_time(cw_render_page *page)
{
    cw_render_clock *clock = &page->clock;
    return clock->base_ms + (double)clock->granted_ms + 0.01 * (double)++clock->frames;
}

static void clock_draw_next(struct crawl_renderer *renderer);

static void clock_has_frame(void *owner, uint64_t tag, const cw_render_reply *reply)
{
    cw_render_page *page = owner;
    struct crawl_renderer *renderer = page->renderer;
    cw_render_reply_fn on_frame = page->clock.on_frame;
    page->clock.on_frame = NULL;
    if (renderer->drawn == page)
        renderer->drawn = NULL;
    if (on_frame)
        on_frame(owner, tag, reply);
    clock_draw_next(renderer);
}

static cw_render_page *clock_next_to_draw(struct crawl_renderer *renderer)
{
    cw_render_page *page;
    TAILQ_FOREACH(page, &renderer->pages, link)
    if (page->clock.wanted)
        break;
    return page;
}

/* Draws for one page at a time: the browser ends if it is asked for a frame while another is under way. */
static void clock_draw_next(struct crawl_renderer *renderer)
{
    char params[128];
    cw_render_page *page = renderer->drawn ? NULL : clock_next_to_draw(renderer);
    if (!page)
        return;
    renderer->drawn = page;
    page->clock.on_frame = page->clock.wanted;
    page->clock.wanted = NULL;
    page->clock.drawn_at = page->spent_ms;
    snprintf(params, sizeof params, "{\"frameTimeTicks\":%.3f,\"interval\":16%s}", clock_frame_time(page),
             page->state == CW_RENDER_PAGE_READING ? ",\"screenshot\":{\"format\":\"png\"}" : "");
    cw_render_page_send(page, "HeadlessExperimental.beginFrame", params, clock_has_frame, 0);
}

void cw_render_clock_picture(cw_render_page *page, cw_render_reply_fn on_reply)
{
    page->clock.wanted = on_reply;
    clock_draw_next(page->renderer);
}

void cw_render_clock_leave(cw_render_page *page)
{
    page->clock.wanted = page->clock.on_frame = NULL;
    if (page->renderer->drawn != page)
        return;
    page->renderer->drawn = NULL;
    clock_draw_next(page->renderer);
}

static void clock_frame_done(void *owner, uint64_t, const cw_render_reply *reply)
{
    cw_render_page *page = owner;
    cw_render_clock *clock = &page->clock;
    clock->is_drawing = false;
    if (page->state != CW_RENDER_PAGE_RUNNING)
        return;
    clock->is_blind = clock->is_blind || !reply->result.size;
    if (cw_render_is_true(reply->result, CW_RENDER_NAME("hasDamage")))
        clock->is_moving = true;
    else
        clock->burst = BURST_MAX;
    clock_go_on(page);
}

static void clock_draw(cw_render_page *page)
{
    page->clock.burst++;
    page->clock.is_drawing = true;
    page->clock.wanted = clock_frame_done;
    clock_draw_next(page->renderer);
}

/* --- grants --- */

static void clock_is_granted(void *owner, uint64_t, const cw_render_reply *reply)
{
    cw_render_page *page = owner;
    if (!reply->result.size)
        cw_render_page_fail(page, CRAWL_RENDER_BROWSER, "the browser has no clock that can be held");
    else if (page->clock.base_ms <= 0)
        page->clock.base_ms = cw_render_number(reply->result, CW_RENDER_NAME("virtualTimeTicksBase"));
}

static int64_t clock_next_step(const cw_render_clock *clock)
{
    int64_t step = clock->is_moving ? STEP_MOVING_MS : clock->step_ms * STEP_GROWTH;
    if (!clock->step_ms)
        step = STEP_FIRST_MS;
    return step < clock->left_ms && clock->steps + 1 < STEPS_MAX ? step : clock->left_ms;
}

/* Grants a step. The last number limits a page that posts messages to itself without end, and so never uses up a
 * grant. */
static void clock_grant(cw_render_page *page, int64_t step_ms)
{
    char params[160];
    cw_render_clock *clock = &page->clock;
    clock->is_granting = true;
    clock->granted_ms += step_ms;
    snprintf(params, sizeof params,
             "{\"policy\":\"pauseIfNetworkFetchesPending\",\"budget\":%lld,\"maxVirtualTimeTaskStarvationCount\":2000}",
             (long long)step_ms);
    cw_render_page_send(page, "Emulation.setVirtualTimePolicy", params, clock_is_granted, 0);
}

/* Grants the least step, without a frame. The databases' answers may move the page. */
static void clock_grant_least(cw_render_page *page)
{
    page->clock.is_moving = true;
    clock_grant(page, STEP_LEAST_MS);
}

static void clock_grant_next(cw_render_page *page)
{
    cw_render_clock *clock = &page->clock;
    clock->step_ms = clock_next_step(clock);
    clock->steps++;
    clock->left_ms -= clock->step_ms;
    clock->is_moving = false;
    clock->burst = 0;
    clock_grant(page, clock->step_ms);
}

/* Draws if needed, then rests before the next step. */
static void clock_go_on(cw_render_page *page)
{
    const cw_render_clock *clock = &page->clock;
    if (clock->is_granting || clock->is_drawing)
        return;
    if (clock->granted_ms && !clock->is_blind && clock->burst < BURST_MAX &&
        clock->frames < FRAMES_MAX + BURST_MAX * page->clicks) {
        clock_draw(page);
        return;
    }
    storage_ask(page);
    cw_render_clock_rest(page);
}

static void clock_rest(cw_render_page *page, int ms)
{
    const struct timeval rest = {.tv_usec = 1000 * ms};
    if (page->state == CW_RENDER_PAGE_RUNNING && page->clock.soon)
        event_add(page->clock.soon, &rest);
}

static void clock_rest_last(cw_render_page *page)
{
    cw_render_clock_extend(page);
    page->clock.is_at_end = true;
    clock_rest(page, REST_LAST_MS);
}

static void clock_look(evutil_socket_t, short, void *user)
{
    cw_render_page *page = user;
    cw_render_clock *clock = &page->clock;
    if (page->state != CW_RENDER_PAGE_RUNNING || clock->is_granting || clock->is_drawing || page->passing ||
        !TAILQ_EMPTY(&page->parts))
        return; /* the last part calls again */
    if (page->storage.is_asked)
        cw_render_clock_rest(page);
    else if (storage_waits(page))
        clock_grant_least(page);
    else if (clock->left_ms > 0)
        clock_grant_next(page);
    else if (page->has_workers && !clock->is_at_end)
        clock_rest_last(page);
    else
        cw_render_growth_look(page);
}

void cw_render_clock_rest(cw_render_page *page)
{
    clock_rest(page, page->has_workers ? REST_WITH_WORKERS_MS : REST_MS);
}

void cw_render_clock_start(cw_render_page *page)
{
    cw_render_clock *clock = &page->clock;
    clock->left_ms = page->renderer->options.clock_ms;
    if (!clock->soon)
        clock->soon = evtimer_new(page->renderer->base, clock_look, page);
    if (clock->soon)
        cw_render_clock_rest(page);
    else
        cw_render_page_fail(page, CRAWL_RENDER_MEMORY, "");
}

void cw_render_clock_extend(cw_render_page *page)
{
    page->clock.steps = 0;
    page->clock.step_ms = 0;
    page->clock.left_ms = EXTENSION_MS;
    cw_render_clock_rest(page);
}

void cw_render_clock_expired(cw_render_page *page)
{
    page->clock.is_granting = false;
    if (page->state == CW_RENDER_PAGE_RUNNING)
        clock_go_on(page);
}

/* Gives up a frame that does not come, and asks for no more. */
void cw_render_clock_tick(cw_render_page *page)
{
    cw_render_clock *clock = &page->clock;
    bool is_drawn = clock->is_drawing && page->renderer->drawn == page;
    if (!is_drawn || page->asked || page->spent_ms - clock->drawn_at < FRAME_WAIT_MS)
        return;
    clock->is_drawing = false;
    clock->is_blind = true; /* the others wait until the frame comes or the page ends */
    clock_go_on(page);
}

void cw_render_clock_stop(cw_render_page *page)
{
    if (page->clock.soon)
        event_del(page->clock.soon);
    if (page->state == CW_RENDER_PAGE_RUNNING && page->clock.is_granting)
        cw_render_page_send(page, "Emulation.setVirtualTimePolicy", "{\"policy\":\"pause\"}", NULL, 0);
    page->clock.is_granting = false;
    page->clock.wanted = NULL;
}
