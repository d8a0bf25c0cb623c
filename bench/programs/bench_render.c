/* Renders pages in one browser, several at once, and fetches their parts without a pause: measures the cost of
 * rendering, and whether two runs are equal. bench/compare-render runs it beside others.
 *
 *   bench_render OPEN URLS FOLDER
 *
 * URLS is a file with a URL per line. The first URL is rendered as a warm-up. Then the program prints "ready" and waits
 * for a line of standard input, renders the others, each into FOLDER/NUMBER.html (one frame after the other), prints
 * "done", and waits for the end of standard input. Standard error gets what a page lacks, and the figures of the
 * renderer. */
#include <crawl/fetch.h>
#include <crawl/sys/render.h>

#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct event_base *base;
static crawl_fetcher *fetcher;
static crawl_renderer *renderer;
static const char *folder;
static char **urls;
static size_t url_count, next_url, last_url;
static unsigned under_way;

static void begin_next(void);

/* --- parts --- */

static void part_done(void *user, const crawl_response *got)
{
    uint64_t *id = user;
    const crawl_render_response response = {.size = sizeof response,
                                            .status = got->status,
                                            .headers = got->headers,
                                            .header_count = got->header_count,
                                            .body = got->body};
    if (got->error || crawl_render_answer(renderer, *id, &response) == CRAWL_EINVAL)
        crawl_render_refuse(renderer, *id, CRAWL_RENDER_REFUSE_CLOSED);
    free(id);
}

static void on_part(void *user, const crawl_render_part *part)
{
    (void)user;
    if (part->fate)
        return;
    uint64_t *id = malloc(sizeof *id);
    if (!id)
        exit(1);
    *id = part->id;
    const crawl_fetch_request request = {.size = sizeof request,
                                         .url = part->url,
                                         .method = part->method,
                                         .headers = part->headers,
                                         .body = part->body,
                                         .on_done = part_done,
                                         .user = id};
    if (crawl_fetch(fetcher, &request, NULL)) {
        crawl_render_refuse(renderer, *id, CRAWL_RENDER_REFUSE_BLOCKED);
        free(id);
    }
}

/* --- pages --- */

static void on_done(void *user, const crawl_rendered *page)
{
    char path[4096];
    const size_t *number = user;
    if (page->lack)
        fprintf(stderr, "%s: %s: %s\n", urls[*number], crawl_render_lack_name(page->lack), page->words);
    snprintf(path, sizeof path, "%s/%zu.html", folder, *number);
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        exit(1);
    }
    for (size_t i = 0; i < page->frame_count; i++)
        fwrite(page->frames[i].html.data, 1, page->frames[i].html.size, file);
    fclose(file);
    free(user);
    under_way--;
    begin_next();
}

static void page_done(void *user, const crawl_response *got)
{
    const size_t *number = user;
    const crawl_render_response response = {.size = sizeof response,
                                            .status = got->status,
                                            .headers = got->headers,
                                            .header_count = got->header_count,
                                            .body = got->body};
    const crawl_render_request request = {.size = sizeof request,
                                          .url = crawl_slice_from(urls[*number]),
                                          .response = &response,
                                          .on_part = on_part,
                                          .on_done = on_done,
                                          .user = user};
    crawl_err err = got->error ? CRAWL_EIO : crawl_render(renderer, &request, NULL);
    if (err) {
        fprintf(stderr, "%s: %s\n", urls[*number], got->error ? got->error_text : crawl_strerror(err));
        exit(1);
    }
}

static void begin_next(void)
{
    if (next_url == last_url)
        return;
    size_t *number = malloc(sizeof *number);
    if (!number)
        exit(1);
    *number = next_url++;
    under_way++;
    const crawl_fetch_request request = {
        .size = sizeof request, .url = crawl_slice_from(urls[*number]), .on_done = page_done, .user = number};
    if (crawl_fetch(fetcher, &request, NULL))
        exit(1);
}

static void render_until(size_t last, unsigned open)
{
    last_url = last;
    for (unsigned i = 0; i < open; i++)
        begin_next();
    while (under_way)
        event_base_loop(base, EVLOOP_ONCE);
}

static void read_urls(const char *path)
{
    char line[4096];
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(1);
    }
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        urls = realloc(urls, (url_count + 1) * sizeof *urls);
        if (!urls || !(urls[url_count++] = strdup(line)))
            exit(1);
    }
    fclose(file);
}

static void make_renderer(unsigned open)
{
    crawl_error error = {0};
    crawl_fetch_options fetch;
    crawl_render_options render;
    crawl_fetch_options_init(&fetch, sizeof fetch);
    crawl_render_options_init(&render, sizeof render);
    fetch.allow_private = true;
    fetch.user_agent = "bench_render/1.0";
    render.open = open;
    base = event_base_new();
    if (!base || crawl_fetcher_create(base, &fetch, &fetcher, &error) ||
        crawl_renderer_create(base, &render, &renderer, &error)) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    char line[16];
    crawl_renderer_stats stats;
    unsigned open = argc == 4 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    if (!open) {
        fprintf(stderr, "usage: bench_render OPEN URLS FOLDER\n");
        return 2;
    }
    folder = argv[3];
    read_urls(argv[2]);
    make_renderer(open);
    render_until(url_count > 0, 1);
    puts("ready");
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin))
        return 1;
    render_until(url_count, open);
    puts("done");
    fflush(stdout);
    crawl_renderer_stats_get(renderer, &stats);
    fprintf(stderr, "%llu rendered, %llu cut, %llu failed, %llu parts, peak %llu MiB\n",
            (unsigned long long)stats.rendered, (unsigned long long)stats.cut, (unsigned long long)stats.failed,
            (unsigned long long)stats.parts, (unsigned long long)stats.peak_memory_bytes >> 20);
    while (fgets(line, sizeof line, stdin))
        ;
    crawl_renderer_free(renderer);
    crawl_fetcher_free(fetcher);
    event_base_free(base);
    for (size_t i = 0; i < url_count; i++)
        free(urls[i]);
    free(urls);
    return 0;
}
