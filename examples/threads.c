/* Drives the frontier from four threads. Each simulates fetches, and finds two more pages on each page. */
#include <crawl/frontier.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, PAGES = 10000 };

typedef struct worker {
    crawl_frontier *frontier;
    unsigned fetched;
} worker;

/* Pages are numbered as in a heap: page n leads to 2n and 2n + 1, spread over a hundred hosts. */
static void push_page(crawl_frontier *frontier, crawl_fingerprinter *fingerprinter, unsigned number)
{
    char url[64];
    int size = snprintf(url, sizeof url, "http://host%u.example/%u", number % 100, number);
    crawl_request request = {.url = crawl_slice_of(url, (size_t)size), .tag = number};
    crawl_fingerprint_request(fingerprinter, (crawl_slice){0}, request.url, (crawl_slice){0}, &request.fingerprint);
    crawl_frontier_push(frontier, &request, 1, (crawl_slice){0}, NULL, NULL, 0);
}

static void *run(void *user)
{
    worker *self = user;
    crawl_fingerprinter *fingerprinter = crawl_fingerprinter_create(); /* one per thread */
    for (;;) {
        crawl_lease lease;
        crawl_err err = crawl_frontier_pop(self->frontier, 0, &lease, NULL);
        if (err == CRAWL_AGAIN)
            continue; /* others hold leases whose pages may have links; a real program sleeps until on_ready */
        if (err != CRAWL_OK)
            break;
        self->fetched++;
        for (unsigned child = 2 * lease.tag; child <= 2 * lease.tag + 1 && child <= PAGES; child++)
            push_page(self->frontier, fingerprinter, child);
        crawl_frontier_done(self->frontier, lease.id, CRAWL_DONE_FINISHED, 0, 0);
    }
    crawl_fingerprinter_free(fingerprinter);
    return NULL;
}

int main(void)
{
    crawl_frontier_options options;
    crawl_frontier_options_init(&options, sizeof options);
    options.pause_ms = 0;
    crawl_frontier *frontier;
    if (crawl_frontier_create(&options, &frontier, NULL))
        return 1;
    crawl_fingerprinter *fingerprinter = crawl_fingerprinter_create();
    push_page(frontier, fingerprinter, 1);
    crawl_fingerprinter_free(fingerprinter);
    worker workers[THREADS] = {0};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i].frontier = frontier;
        pthread_create(&threads[i], NULL, run, &workers[i]);
    }
    unsigned fetched = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        fetched += workers[i].fetched;
    }
    printf("%u pages\n", fetched);
    crawl_frontier_free(frontier);
    return fetched == PAGES ? 0 : 1;
}
