/* The frontier alone, with a simulated fetcher and clock: shows which URL may be asked when. Each host has a pause of
 * one second. The clock moves on to the moment for which the frontier asks the caller to wait. */
#include <crawl/frontier.h>
#include <stdio.h>
#include <string.h>

/* Queues the children of a page: 0/ and 1/ below it. */
static void push_children(crawl_frontier *frontier, crawl_fingerprinter *fingerprinter, const crawl_lease *page,
                          int64_t now_ms)
{
    char urls[2][256];
    crawl_request requests[2] = {{.depth = page->depth + 1}, {.depth = page->depth + 1}};
    for (int i = 0; i < 2; i++) {
        snprintf(urls[i], sizeof urls[i], "%.*s%d/", (int)page->url.size, page->url.data, i);
        requests[i].url = crawl_slice_from(urls[i]);
        crawl_fingerprint_request(fingerprinter, (crawl_slice){0}, requests[i].url, (crawl_slice){0},
                                  &requests[i].fingerprint);
    }
    crawl_frontier_push(frontier, requests, 2, page->url, NULL, NULL, now_ms);
}

int main(void)
{
    crawl_frontier_options options;
    crawl_frontier_options_init(&options, sizeof options);
    options.pause_ms = 1000;
    options.per_host = 1;
    crawl_frontier *frontier;
    crawl_error error;
    crawl_fingerprinter *fingerprinter = crawl_fingerprinter_create();
    if (!fingerprinter || crawl_frontier_create(&options, &frontier, &error)) {
        fprintf(stderr, "%s\n", fingerprinter ? error.message : "no SHA-1");
        return 1;
    }
    int64_t now_ms = 0;
    const char *const seeds[] = {"http://a.example/", "http://b.example/"};
    for (int i = 0; i < 2; i++) {
        crawl_request seed = {.url = crawl_slice_from(seeds[i])};
        crawl_fingerprint_request(fingerprinter, (crawl_slice){0}, seed.url, (crawl_slice){0}, &seed.fingerprint);
        crawl_frontier_push(frontier, &seed, 1, (crawl_slice){0}, NULL, NULL, now_ms);
    }
    for (;;) {
        crawl_lease lease;
        int64_t wait_ms;
        crawl_err err = crawl_frontier_pop(frontier, now_ms, &lease, &wait_ms);
        if (err == CRAWL_AGAIN) {
            now_ms += wait_ms; /* a program with a real clock sleeps here */
            continue;
        }
        if (err != CRAWL_OK)
            break; /* CRAWL_DRAINED */
        printf("%5lld ms  depth %u  %.*s\n", (long long)now_ms, lease.depth, (int)lease.url.size, lease.url.data);
        if (lease.depth < 2)
            push_children(frontier, fingerprinter, &lease, now_ms);
        crawl_frontier_done(frontier, lease.id, CRAWL_DONE_FINISHED, 0, now_ms);
    }
    crawl_frontier_free(frontier);
    crawl_fingerprinter_free(fingerprinter);
    return 0;
}
