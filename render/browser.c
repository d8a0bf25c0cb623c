/* See browser.h. A browser is up once it has answered, and the process of a first page was seen in its sandbox. */
#include "render/browser.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/process.h"
#include "render/fence.h"
#include "render/spawn.h"

#include <event2/event.h>
#include <event2/util.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* SAID_MAX: the first bytes of standard error, kept for a message. PROCESSES_MAX: processes that are examined. */
enum { SAID_MAX = 4096, PROCESSES_MAX = 256 };

int64_t cw_render_now(void)
{
    return cw_clock_ms(CLOCK_MONOTONIC);
}

/* --- the program --- */

static const char browser_folder[] = "/usr/lib/chromium"; /* Debian's */

static bool browser_try(cw_render_browser *browser, crawl_slice folder, const char *name)
{
    crawl_buf_clear(&browser->program);
    return !crawl_buf_printf(&browser->program, "%.*s/%s", (int)folder.size, folder.data, name) &&
           access(browser->program.data, X_OK) == 0;
}

static bool browser_search(cw_render_browser *browser)
{
    static const char *const names[] = {"chromium-headless-shell", "chrome-headless-shell"};
    if (browser_try(browser, crawl_slice_from(browser_folder), names[0])) /* the one in /usr/bin is a script */
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        crawl_slice rest = crawl_slice_from(getenv("PATH"));
        while (rest.size) {
            const char *end = memchr(rest.data, ':', rest.size);
            crawl_slice folder = crawl_slice_of(rest.data, end ? (size_t)(end - rest.data) : rest.size);
            rest = crawl_slice_of(folder.data + folder.size + (end != NULL), rest.size - folder.size - (end != NULL));
            if (folder.size && folder.data[0] == '/' && browser_try(browser, folder, names[i]))
                return true;
        }
    }
    return false;
}

/* Takes the program behind one of Debian's scripts in /usr/bin, which read settings that the fence hides. */
static bool browser_try_behind(cw_render_browser *browser, const char *script)
{
    crawl_slice name = crawl_slice_from(script);
    return cw_take_text(&name, "/usr/bin/") && browser_try(browser, crawl_slice_from(browser_folder), name.data);
}

crawl_err cw_render_browser_find(cw_render_browser *browser, crawl_error *error)
{
    const char *named = browser->options->program;
    if (!named)
        return browser_search(browser) ? CRAWL_OK
                                       : crawl_error_set(error, CRAWL_ABSENT,
                                                         "no chromium-headless-shell; install it (apt-get install "
                                                         "chromium-headless-shell), or name a browser");
    char *whole = realpath(named, NULL);
    if (!whole || access(whole, X_OK)) {
        free(whole);
        return crawl_error_set(error, CRAWL_ABSENT, "the browser %s is not an executable program", named);
    }
    crawl_err err = CRAWL_OK;
    if (!browser_try_behind(browser, whole)) {
        crawl_buf_clear(&browser->program);
        err = crawl_buf_append_text(&browser->program, whole);
    }
    free(whole);
    return err;
}

/* --- stop --- */

static void browser_drop_event(struct event **event)
{
    if (*event)
        event_free(*event);
    *event = NULL;
}

void cw_render_browser_stop(cw_render_browser *browser)
{
    cw_render_session_close(&browser->session);
    int errors = browser->errors ? event_get_fd(browser->errors) : -1;
    browser_drop_event(&browser->errors);
    if (errors >= 0)
        close(errors);
    browser_drop_event(&browser->look);
    browser_drop_event(&browser->again);
    if (browser->pid)
        cw_process_kill(browser->pid);
    browser->pid = 0;
    cw_render_folder_remove(&browser->folder);
    browser->state = CW_RENDER_BROWSER_DOWN;
}

void cw_render_browser_free(cw_render_browser *browser)
{
    cw_render_browser_stop(browser);
    cw_render_pipe_free(&browser->session.pipe);
    crawl_buf_free(&browser->session.out);
    crawl_buf_free(&browser->program);
    crawl_buf_free(&browser->said);
    crawl_buf_free(&browser->context);
}

static void browser_keep_said(cw_render_browser *browser, int descriptor)
{
    char bytes[SAID_MAX];
    ssize_t got = read(descriptor, bytes, sizeof bytes);
    size_t left = SAID_MAX - browser->said.size;
    if (got > 0)
        (void)crawl_buf_append(&browser->said, bytes, (size_t)got < left ? (size_t)got : left);
    else if (got == 0)
        event_del(browser->errors);
}

/* Returns the last line with text, which is the message of a browser that did not start. */
static const char *browser_last_words(cw_render_browser *browser)
{
    crawl_buf *said = &browser->said;
    if (browser->errors)
        browser_keep_said(browser, event_get_fd(browser->errors));
    while (said->size && (said->data[said->size - 1] == '\n' || said->data[said->size - 1] == ' '))
        said->data[--said->size] = '\0';
    if (!said->size)
        return "";
    if (strstr(said->data, "No usable sandbox")) /* a stack trace follows */
        return "this system refuses user namespaces to it, so it has no sandbox; see docs/render.md";
    const char *line = strrchr(said->data, '\n');
    return line ? line + 1 : said->data;
}

static void browser_die(cw_render_browser *browser, const char *why)
{
    char words[512];
    bool was_up = browser->state == CW_RENDER_BROWSER_UP;
    const char *said = was_up ? "" : browser_last_words(browser);
    snprintf(words, sizeof words, "the browser %s: %s%s%.400s", was_up ? "ended" : "did not start", why,
             *said ? ": " : "", said);
    cw_render_browser_stop(browser);
    browser->deaths++;
    browser->stats->deaths++;
    browser->on_down(browser->user, words, was_up);
}

static void browser_on_end(void *user, const char *why)
{
    browser_die(user, why);
}

static void browser_on_event(void *user, const cw_render_event *event)
{
    cw_render_browser *browser = user;
    browser->on_event(browser->user, event);
}

static void browser_hear(evutil_socket_t descriptor, short, void *user)
{
    browser_keep_said(user, descriptor);
}

/* --- once a second --- */

/* Ends the largest page if all processes together use too much memory; if that page is small, the browser. */
static void browser_bound_memory(cw_render_browser *browser, cw_render_process *all, size_t count)
{
    const cw_render_process *largest = NULL;
    cw_render_fence_find_pages(all, count);
    for (size_t i = 0; i < count; i++)
        if (all[i].is_page && (!largest || all[i].memory > largest->memory))
            largest = &all[i];
    if (largest && largest->memory > browser->options->max_memory_bytes / 4)
        kill(largest->pid, SIGKILL);
    else
        browser_die(browser, "it exceeded its memory limit");
}

static void browser_look(evutil_socket_t, short, void *user)
{
    cw_render_browser *browser = user;
    cw_render_process all[PROCESSES_MAX];
    uint64_t memory = 0;
    bool is_late = browser->state == CW_RENDER_BROWSER_STARTING &&
                   cw_render_now() - browser->started_ms > browser->options->start_ms;
    if (is_late || browser->is_hung) {
        browser_die(browser, "it does not answer");
        return;
    }
    if (!browser->pid)
        return;
    size_t count = cw_render_fence_look(browser->pid, all, PROCESSES_MAX);
    for (size_t i = 0; i < count; i++)
        memory += all[i].memory;
    browser->stats->memory_bytes = memory;
    if (memory > browser->stats->peak_memory_bytes)
        browser->stats->peak_memory_bytes = memory;
    if (memory > browser->options->max_memory_bytes)
        browser_bound_memory(browser, all, count);
}

void cw_render_browser_give_up(cw_render_browser *browser)
{
    browser->is_hung = true;
    if (browser->look)
        event_active(browser->look, EV_TIMEOUT, 0);
}

/* --- start --- */

static void browser_send(cw_render_browser *browser, const char *method, const char *params, cw_render_reply_fn reply)
{
    const cw_render_command command = {
        .method = method, .params = crawl_slice_from(params), .owner = browser, .on_reply = reply};
    cw_render_session_send(&browser->session, &command, cw_render_now());
}

static void browser_is_up(cw_render_browser *browser)
{
    browser->state = CW_RENDER_BROWSER_UP;
    browser->on_up(browser->user);
}

/* The page exists, but its process may need a moment to enter its sandbox. */
static void browser_check_sandbox(evutil_socket_t, short, void *user)
{
    cw_render_browser *browser = user;
    cw_render_process all[PROCESSES_MAX];
    const struct timeval soon = {.tv_usec = 20000};
    size_t count = cw_render_fence_look(browser->pid, all, PROCESSES_MAX);
    cw_render_fence_find_pages(all, count);
    if (cw_render_fence_is_boxed(all, count, browser->pid)) {
        browser_send(browser, "Target.disposeBrowserContext", browser->context.data, NULL);
        browser_is_up(browser);
    } else if (cw_render_now() - browser->started_ms > browser->options->start_ms) {
        browser_die(browser, "its pages have no sandbox, and it is not used without one");
    } else {
        event_add(browser->again, &soon);
    }
}

static void browser_has_page(void *owner, uint64_t, const cw_render_reply *reply)
{
    if (reply->result.size)
        browser_check_sandbox(-1, 0, owner);
    else
        browser_die(owner, "it cannot open a page");
}

static void browser_has_context(void *owner, uint64_t, const cw_render_reply *reply)
{
    cw_render_browser *browser = owner;
    crawl_buf params = {0};
    crawl_slice id = cw_render_text(reply->result, CW_RENDER_NAME("browserContextId"), &params);
    crawl_buf_clear(&params);
    crawl_buf_clear(&browser->context);
    crawl_err err = crawl_buf_printf(&browser->context, "{\"browserContextId\":\"%.*s\"}", (int)id.size, id.data);
    if (!err)
        err =
            crawl_buf_printf(&params, "{\"url\":\"about:blank\",\"browserContextId\":\"%.*s\"}", (int)id.size, id.data);
    if (!err)
        browser_send(browser, "Target.createTarget", params.data, browser_has_page);
    crawl_buf_free(&params);
}

static void browser_lives(void *owner, uint64_t, const cw_render_reply *reply)
{
    cw_render_browser *browser = owner;
    if (!reply->result.size) {
        browser_die(browser, "it does not speak the protocol");
        return;
    }
    browser_send(browser, "Target.setDiscoverTargets", "{\"discover\":true}", NULL);
    browser_send(browser, "Fetch.enable", "{\"patterns\":[{\"urlPattern\":\"*\"}]}", NULL);
    if (browser->pid)
        browser_send(browser, "Target.createBrowserContext", "{\"disposeOnDetach\":true}", browser_has_context);
    else
        browser_is_up(browser);
}

static crawl_err browser_begin(cw_render_browser *browser, cw_render_ends ends)
{
    const struct timeval second = {.tv_sec = 1};
    browser->state = CW_RENDER_BROWSER_STARTING;
    browser->started_ms = cw_render_now();
    browser->is_hung = false;
    browser->renders = 0;
    browser->stats->starts++;
    browser->session.on_end = browser_on_end;
    browser->session.on_event = browser_on_event;
    browser->session.user = browser;
    crawl_err err = cw_render_session_open(&browser->session, browser->base, ends);
    browser->look = event_new(browser->base, -1, EV_PERSIST, browser_look, browser);
    browser->again = evtimer_new(browser->base, browser_check_sandbox, browser);
    if (err || !browser->look || !browser->again || event_add(browser->look, &second))
        return CRAWL_ENOMEM;
    browser_send(browser, "Browser.getVersion", NULL, browser_lives);
    return CRAWL_OK;
}

crawl_err cw_render_browser_adopt(cw_render_browser *browser, int descriptor)
{
    return browser_begin(browser, (cw_render_ends){descriptor, descriptor});
}

crawl_err cw_render_browser_start(cw_render_browser *browser, crawl_error *error)
{
    cw_render_spawned spawned;
    crawl_buf_clear(&browser->said);
    crawl_err err = cw_render_folder_make(&browser->folder, error);
    if (!err)
        err =
            cw_render_spawn(browser->program.data, browser->folder.path, browser->options->user_agent, &spawned, error);
    if (err) {
        cw_render_browser_stop(browser);
        return err;
    }
    browser->pid = spawned.pid;
    err = browser_begin(browser, spawned.ends);
    evutil_make_socket_nonblocking(spawned.errors);
    browser->errors = event_new(browser->base, spawned.errors, EV_READ | EV_PERSIST, browser_hear, browser);
    if (!browser->errors)
        close(spawned.errors);
    if (!err && browser->errors && !event_add(browser->errors, NULL))
        return CRAWL_OK;
    cw_render_browser_stop(browser);
    return crawl_error_set(error, CRAWL_ENOMEM, "%s", crawl_strerror(CRAWL_ENOMEM));
}
