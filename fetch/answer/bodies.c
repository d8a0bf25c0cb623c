#include "fetch/answer/bodies.h"

#include "base/clock.h"

static int64_t bodies_now_ms(void)
{
    return cw_now_us() / 1000;
}

void cw_fetch_bodies_init(cw_fetch_bodies *bodies, uint64_t budget, int64_t timeout_ms)
{
    *bodies = (cw_fetch_bodies){
        .budget = budget && budget < SIZE_MAX ? (size_t)budget : SIZE_MAX,
        .timeout_ms = timeout_ms,
    };
    TAILQ_INIT(&bodies->list);
}

/* Finds the smallest buffer with this much room, of equal ones the one returned last; kept_count: there is none. */
static unsigned find_kept(const cw_fetch_bodies *bodies, size_t expected)
{
    unsigned found = bodies->kept_count;
    for (unsigned i = bodies->kept_count; i-- > 0;) {
        size_t capacity = bodies->kept[i].capacity;
        if (capacity > expected && (found == bodies->kept_count || capacity < bodies->kept[found].capacity))
            found = i;
    }
    return found;
}

static crawl_buf bodies_take_out(cw_fetch_bodies *bodies, unsigned at)
{
    crawl_buf body = bodies->kept[at];
    bodies->kept_count--;
    memmove(&bodies->kept[at], &bodies->kept[at + 1], (bodies->kept_count - at) * sizeof *bodies->kept);
    bodies->kept_bytes -= body.capacity;
    return body;
}

static void bodies_drop_oldest(cw_fetch_bodies *bodies)
{
    crawl_buf body = bodies_take_out(bodies, 0);
    crawl_buf_free(&body);
}

void cw_fetch_bodies_free(cw_fetch_bodies *bodies)
{
    while (bodies->kept_count)
        bodies_drop_oldest(bodies);
}

crawl_buf cw_fetch_bodies_take(cw_fetch_bodies *bodies, size_t expected)
{
    crawl_buf body = {0};
    unsigned at = find_kept(bodies, expected);
    if (at == bodies->kept_count) {
        (void)crawl_buf_reserve(&body, expected);
        return body;
    }
    return bodies_take_out(bodies, at);
}

void cw_fetch_bodies_give_back(cw_fetch_bodies *bodies, crawl_buf *body)
{
    if (!body->capacity || body->capacity > CW_FETCH_BODY_KEPT) {
        crawl_buf_free(body);
        return;
    }
    while (bodies->kept_count == CW_FETCH_BODIES_KEPT ||
           bodies->kept_bytes + body->capacity > CW_FETCH_BODIES_KEPT_BYTES)
        bodies_drop_oldest(bodies);
    crawl_buf_clear(body);
    bodies->kept_bytes += body->capacity;
    bodies->kept[bodies->kept_count++] = *body;
    *body = (crawl_buf){0};
}

void cw_fetch_bodies_enter(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait, CURL *easy)
{
    if (wait->inside)
        return;
    *wait = (cw_fetch_body_wait){.easy = easy, .inside = true};
    TAILQ_INSERT_TAIL(&bodies->list, wait, link);
}

void cw_fetch_bodies_count(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait, size_t bytes)
{
    if (bytes == wait->bytes)
        return;
    atomic_fetch_add_explicit(&bodies->bytes, bytes - wait->bytes, memory_order_relaxed);
    wait->bytes = bytes;
}

static bool bodies_is_full(const cw_fetch_bodies *bodies)
{
    return atomic_load_explicit(&bodies->bytes, memory_order_relaxed) >= bodies->budget;
}

size_t cw_fetch_bodies_room(const cw_fetch_bodies *bodies, const cw_fetch_body_wait *wait)
{
    return bodies_is_full(bodies) && wait != TAILQ_FIRST(&bodies->list) ? CW_FETCH_BODY_SMALL : SIZE_MAX;
}

static void set_paused(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait, bool paused)
{
    if (wait->paused == paused)
        return;
    wait->paused = paused;
    atomic_fetch_add_explicit(&bodies->paused, paused ? 1 : (uint64_t)-1, memory_order_relaxed);
}

/* Takes over the timeout of this transfer, because libcurl would count its pauses too. */
static void bodies_take_time(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait)
{
    curl_off_t spent_us = 0;
    curl_easy_getinfo(wait->easy, CURLINFO_TOTAL_TIME_T, &spent_us);
    curl_easy_setopt(wait->easy, CURLOPT_TIMEOUT_MS, 0L);
    wait->left_ms = bodies->timeout_ms ? bodies->timeout_ms - (int64_t)(spent_us / 1000) : INT64_MAX;
    wait->timed = true;
}

static void stop_time(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait)
{
    int64_t now = bodies_now_ms();
    if (!wait->timed)
        bodies_take_time(bodies, wait);
    else if (wait->left_ms < INT64_MAX)
        wait->left_ms -= now - wait->since_ms;
    wait->since_ms = now;
}

void cw_fetch_bodies_pause(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait)
{
    stop_time(bodies, wait);
    set_paused(bodies, wait, true);
    curl_easy_pause(wait->easy, CURLPAUSE_RECV);
}

void cw_fetch_bodies_hold(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait)
{
    if (!wait->held)
        stop_time(bodies, wait);
    wait->held = true;
}

void cw_fetch_bodies_release(cw_fetch_body_wait *wait)
{
    wait->since_ms = bodies_now_ms();
    wait->held = false;
}

bool cw_fetch_bodies_wait(const cw_fetch_bodies *bodies)
{
    return atomic_load_explicit(&bodies->paused, memory_order_relaxed) > 0;
}

bool cw_fetch_bodies_count_time(const cw_fetch_bodies *bodies)
{
    const cw_fetch_body_wait *wait;
    TAILQ_FOREACH(wait, &bodies->list, link)
    if (wait->timed)
        return true;
    return false;
}

static cw_fetch_body_wait *bodies_go_on(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait)
{
    wait->since_ms = bodies_now_ms();
    set_paused(bodies, wait, false);
    return wait;
}

cw_fetch_body_wait *cw_fetch_bodies_next(cw_fetch_bodies *bodies)
{
    cw_fetch_body_wait *wait = TAILQ_FIRST(&bodies->list);
    if (!cw_fetch_bodies_wait(bodies))
        return NULL;
    while (wait && !wait->paused)
        wait = bodies_is_full(bodies) ? NULL : TAILQ_NEXT(wait, link);
    return wait ? bodies_go_on(bodies, wait) : NULL;
}

cw_fetch_body_wait *cw_fetch_bodies_overdue(cw_fetch_bodies *bodies)
{
    cw_fetch_body_wait *wait;
    int64_t now = bodies_now_ms();
    TAILQ_FOREACH(wait, &bodies->list, link)
    {
        if (!wait->timed || wait->paused || wait->held || wait->left_ms == INT64_MAX ||
            now - wait->since_ms < wait->left_ms)
            continue;
        wait->left_ms = INT64_MAX; /* reported only once */
        return wait;
    }
    return NULL;
}

void cw_fetch_bodies_end(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait)
{
    if (!wait->inside)
        return;
    set_paused(bodies, wait, false);
    if (wait->timed)
        curl_easy_setopt(wait->easy, CURLOPT_TIMEOUT_MS, (long)bodies->timeout_ms);
    wait->timed = false;
    wait->held = false;
}

void cw_fetch_bodies_leave(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait)
{
    if (!wait->inside)
        return;
    cw_fetch_bodies_end(bodies, wait);
    TAILQ_REMOVE(&bodies->list, wait, link);
    cw_fetch_bodies_count(bodies, wait, 0);
    wait->inside = false;
}
