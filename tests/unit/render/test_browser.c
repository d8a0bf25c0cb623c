/* Tests pages rendered one after the other in the real browser, which is renewed and killed in between. */
#include <crawl/sys/render.h>

#include <criterion/criterion.h>
#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char program[] = "/usr/lib/chromium/chromium-headless-shell";

static struct event_base *base;
static crawl_renderer *renderer;
static crawl_render_options options;
static unsigned done, whole;
static bool kill_at_part;

static void setup(void)
{
    if (access(program, X_OK))
        cr_skip_test("there is no chromium-headless-shell");
    base = event_base_new();
    crawl_render_options_init(&options, sizeof options);
    options.clock_ms = 20;
}

static void teardown(void)
{
    crawl_renderer_free(renderer);
    if (base)
        event_base_free(base);
}

TestSuite(browser, .init = setup, .fini = teardown, .timeout = 120);

/* Returns the first process whose parent is this one: the browser. */
static pid_t browser_pid(void)
{
    char path[64];
    int pid = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "r");
    cr_assert(file && fscanf(file, "%d", &pid) == 1);
    fclose(file);
    return pid;
}

static void on_part(void *, const crawl_render_part *part)
{
    if (part->fate)
        return;
    if (kill_at_part)
        kill(browser_pid(), SIGKILL);
    kill_at_part = false;
}

static void on_done(void *, const crawl_rendered *page)
{
    done++;
    whole += !page->failed && page->frame_count == 1 &&
             memmem(page->frames[0].html.data, page->frames[0].html.size, "<b>made</b>", 11) != NULL;
}

static void begin(const char *html)
{
    static const crawl_header type = {{"Content-Type", 12}, {"text/html", 9}};
    const crawl_render_response response = {
        .size = sizeof response, .status = 200, .headers = &type, .header_count = 1, .body = crawl_slice_from(html)};
    const crawl_render_request request = {.size = sizeof request,
                                          .url = crawl_slice_from("http://a.example/"),
                                          .response = &response,
                                          .on_part = on_part,
                                          .on_done = on_done};
    cr_assert_eq(crawl_render(renderer, &request, NULL), CRAWL_OK);
}

static void create(void)
{
    crawl_error error = {0};
    crawl_err err = crawl_renderer_create(base, &options, &renderer, &error);
    if (err == CRAWL_REFUSED)
        cr_skip_test("this system refuses what the fence needs");
    cr_assert_eq(err, CRAWL_OK, "%s", error.message);
}

static void loop_until_done(unsigned count)
{
    while (done < count)
        event_base_loop(base, EVLOOP_ONCE);
}

static const char page[] = "<!doctype html><script>document.write('<b>ma'+'de</b>')</script>";

Test(browser, is_renewed_after_its_pages)
{
    crawl_renderer_stats stats;
    options.pages = 2;
    options.open = 5;
    create();
    for (int i = 0; i < 5; i++)
        begin(page);
    loop_until_done(5);
    crawl_renderer_stats_get(renderer, &stats);
    cr_assert_eq(whole, 5);
    cr_assert_eq(stats.starts, 3);
    cr_assert_eq(stats.deaths, 0);
    cr_assert_eq(stats.open, 0);
}

/* With one socket for both directions, each read here would wake the thread that reads in the browser. */
Test(browser, has_a_pipe_for_each_way)
{
    char path[64], ends[2][32] = {0};
    create();
    begin(page);
    loop_until_done(1);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)browser_pid(), 3 + i);
        cr_assert_gt(readlink(path, ends[i], sizeof ends[i] - 1), 0);
        cr_expect_eq(strncmp(ends[i], "pipe:", 5), 0, "%s", ends[i]);
    }
    cr_expect_str_neq(ends[0], ends[1]);
    cr_assert_eq(whole, 1);
}

/* Requesting a frame while another page's frame is under way would end the browser's drawing process. */
Test(browser, draws_for_several_pages)
{
    crawl_renderer_stats stats;
    options.open = 8;
    options.clock_ms = 1000; /* five grants, each with up to 16 frames */
    create();
    for (int i = 0; i < 8; i++)
        begin("<!doctype html><p id=p><script>let n=0;const t=()=>{if(++n==20)p.innerHTML='<b>ma'+'de</b>';else{"
              "p.append('. ');requestAnimationFrame(t)}};t()</script>");
    loop_until_done(8);
    crawl_renderer_stats_get(renderer, &stats);
    cr_assert_eq(whole, 8);
    cr_assert_eq(stats.deaths, 0);
}

Test(browser, is_started_again_when_it_was_killed)
{
    crawl_renderer_stats stats;
    options.pages = 1; /* so that the second page waits */
    create();
    kill_at_part = true;
    begin("<!doctype html><script src=/s.js></script>");
    begin(page);
    loop_until_done(2);
    crawl_renderer_stats_get(renderer, &stats);
    cr_assert_eq(whole, 1);
    cr_assert_eq(stats.failed, 1);
    cr_assert_eq(stats.deaths, 1);
    cr_assert_eq(stats.starts, 2);
    begin(page);
    loop_until_done(3);
    cr_assert_eq(whole, 2);
}
