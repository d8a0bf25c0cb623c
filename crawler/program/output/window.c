#include "crawler/program/output/window.h"

#include "base/clock.h"
#include "base/thread.h"

void cw_outputs_window_init(cw_outputs_window *window, crawl_engine *engine)
{
    *window = (cw_outputs_window){.engine = engine};
    pthread_mutex_init(&window->lock, NULL);
    cw_condition_init(&window->less);
}

void cw_outputs_window_free(cw_outputs_window *window)
{
    pthread_cond_destroy(&window->less);
    pthread_mutex_destroy(&window->lock);
}

/* Call with the lock held, so that the engine's state follows the figures. */
static void window_hold(cw_outputs_window *window, bool held)
{
    window->held = held;
    crawl_engine_hold(window->engine, held);
}

crawl_err cw_outputs_window_enter(cw_outputs_window *window, size_t size)
{
    if (window->failure.code)
        return window->failure.code;
    window->count++;
    window->bytes += size;
    if (!window->held && (window->count >= CW_OUTPUTS_WINDOW_RECORDS || window->bytes >= CW_OUTPUTS_WINDOW_BYTES))
        window_hold(window, true);
    return CRAWL_OK;
}

void cw_outputs_window_leave(cw_outputs_window *window, size_t size)
{
    pthread_mutex_lock(&window->lock);
    window->count--;
    window->bytes -= size;
    if (window->held && window->count <= CW_OUTPUTS_WINDOW_RECORDS / 2 && window->bytes <= CW_OUTPUTS_WINDOW_BYTES / 2)
        window_hold(window, false);
    pthread_cond_signal(&window->less);
    pthread_mutex_unlock(&window->lock);
}

void cw_outputs_window_fail(cw_outputs_window *window, const crawl_error *failure)
{
    pthread_mutex_lock(&window->lock);
    if (!window->failure.code)
        window->failure = *failure;
    pthread_cond_signal(&window->less);
    pthread_mutex_unlock(&window->lock);
}

crawl_err cw_outputs_window_failed(cw_outputs_window *window)
{
    pthread_mutex_lock(&window->lock);
    crawl_err err = window->failure.code;
    pthread_mutex_unlock(&window->lock);
    return err;
}

void cw_outputs_window_settle(cw_outputs_window *window, int64_t patience_ms)
{
    struct timespec until = {0};
    size_t before = SIZE_MAX;
    int why = 0;
    pthread_mutex_lock(&window->lock);
    while (window->count && !window->failure.code && !why) {
        if (window->count < before) {
            int64_t until_us = cw_now_us() + patience_ms * 1000;
            until = (struct timespec){.tv_sec = until_us / 1000000, .tv_nsec = until_us % 1000000 * 1000};
        }
        before = window->count;
        why = pthread_cond_timedwait(&window->less, &window->lock, &until);
    }
    pthread_mutex_unlock(&window->lock);
}

crawl_err cw_outputs_window_end(const cw_outputs_window *window, const char *name, crawl_error *error)
{
    if (window->failure.code && error)
        *error = window->failure;
    if (window->failure.code || !window->count)
        return window->failure.code;
    return crawl_error_set(error, CRAWL_EIO, "%s has not acknowledged %zu records", name, window->count);
}
