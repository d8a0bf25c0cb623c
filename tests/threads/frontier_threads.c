/* Uses a durable frontier from many threads while its own thread settles. Some push pages, some lease them and end the
 * leases in every way, and one reads figures and commits. Small windows keep both stages small, so that a settling is
 * under way most of the time. Checks that every page was finished once and that the directory is whole.
 *
 *   frontier_threads [DIRECTORY]  where the directory is made; default: the one for temporary files */
#include <crawl/frontier.h>

#include <ftw.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PUSHERS = 2, POPPERS = 3, HOSTS = 200, BATCH = 50, BATCHES = 150, PAGES = PUSHERS * BATCHES * BATCH };

/* RocksDB is not built for ThreadSanitizer, which cannot see the atomics that order its readers and writers. A record
 * of the stage is read in RocksDB's memory, and one thread writes the batches of several. */
__attribute__((visibility("default"))) const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "race:librocksdb\nrace:libstdc++\nrace:cw_disk_stage_read\n";
}

static crawl_frontier *frontier;
static atomic_uint pushing = PUSHERS;
static atomic_uint finished[PAGES];
static atomic_bool drained;

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "frontier_threads: %s\n", what);
    abort();
}

static void *push(void *user)
{
    unsigned self = *(unsigned *)user;
    for (unsigned batch = 0; batch < BATCHES; batch++) {
        char urls[BATCH][64];
        crawl_request requests[BATCH] = {0};
        size_t accepted = 0;
        for (unsigned i = 0; i < BATCH; i++) {
            unsigned page = (self * BATCHES + batch) * BATCH + i;
            int size = snprintf(urls[i], sizeof urls[i], "http://h%u.example/%u", page * 7 % HOSTS, page);
            requests[i].url = crawl_slice_of(urls[i], (size_t)size);
            requests[i].depth = batch / 50;
            memcpy(requests[i].fingerprint.bytes, &page, sizeof page);
        }
        crawl_err err =
            crawl_frontier_push(frontier, requests, BATCH, crawl_slice_from("http://parent/"), NULL, &accepted, 0);
        require(err == CRAWL_OK && accepted == BATCH, "a push was refused");
    }
    atomic_fetch_sub(&pushing, 1);
    return NULL;
}

/* Ends a lease. One page in seven is retried, now or later; one in eleven is visited again. */
static void end_lease(const crawl_lease *lease)
{
    unsigned page;
    require(sscanf(memchr(lease->url.data + sizeof "http://", '/', 40), "/%u", &page) == 1 && page < PAGES, "a URL");
    crawl_err err;
    if (lease->attempt == 1 && lease->visit == 1 && page % 7 == 3) {
        err = crawl_frontier_done(frontier, lease->id, CRAWL_DONE_RETRY, page % 2 * 10, 0);
    } else if (lease->visit == 1 && page % 11 == 5) {
        err = crawl_frontier_done_again(frontier, lease->id, page % 3 * 10, crawl_slice_from("memo"), 0);
    } else {
        require(atomic_fetch_add(&finished[page], 1) == 0, "a page was finished twice");
        err = crawl_frontier_done(frontier, lease->id, page % 13 ? CRAWL_DONE_FINISHED : CRAWL_DONE_FORGET, 0, 0);
    }
    require(err == CRAWL_OK, "a lease cannot be ended");
}

static void *pop(void *)
{
    for (;;) {
        crawl_lease lease;
        unsigned before = atomic_load(&pushing);
        crawl_err err = crawl_frontier_pop(frontier, before ? 0 : 1000, &lease, NULL);
        if (err == CRAWL_OK)
            end_lease(&lease);
        else if (err == CRAWL_DRAINED && !before)
            return NULL;
        else
            require(err == CRAWL_AGAIN || err == CRAWL_DRAINED, "no lease is given");
        if (err)
            sched_yield();
    }
}

static void *look(void *)
{
    while (!atomic_load(&drained)) {
        crawl_frontier_stats stats;
        crawl_frontier_stats_get(frontier, 0, &stats);
        require(stats.queued <= PAGES, "more is queued than was pushed");
        require(crawl_frontier_sync(frontier) == CRAWL_OK, "nothing comes to the disk");
    }
    return NULL;
}

static void run_all(void)
{
    pthread_t threads[PUSHERS + POPPERS + 1];
    unsigned numbers[PUSHERS];
    unsigned count = 0;
    for (; count < PUSHERS; count++) {
        numbers[count] = count;
        require(pthread_create(&threads[count], NULL, push, &numbers[count]) == 0, "no thread");
    }
    for (; count < PUSHERS + POPPERS; count++)
        require(pthread_create(&threads[count], NULL, pop, NULL) == 0, "no thread");
    require(pthread_create(&threads[count], NULL, look, NULL) == 0, "no thread");
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    atomic_store(&drained, true);
    pthread_join(threads[count], NULL);
}

static void tell(const char *violation, void *)
{
    fprintf(stderr, "frontier_threads: %s\n", violation);
}

static void check_directory(const char *path)
{
    crawl_error error = {0};
    uint64_t violations = 1;
    crawl_frontier_view *view = NULL;
    require(crawl_frontier_view_open(path, &view, &error) == CRAWL_OK, error.message);
    require(crawl_frontier_view_check(view, tell, NULL, &violations, &error) == CRAWL_OK, error.message);
    require(violations == 0, "the directory is not whole");
    crawl_frontier_view_free(view);
}

static int remove_entry(const char *path, const struct stat *, int, struct FTW *)
{
    return remove(path);
}

int main(int argc, char **argv)
{
    char path[256];
    crawl_error error = {0};
    crawl_frontier_options options;
    crawl_frontier_options_init(&options, sizeof options);
    options.pause_ms = 0;
    options.seen.kind = CRAWL_BLOOM_EXACT;
    options.window_bytes = 1 << 20;
    snprintf(path, sizeof path, "%s/frontier-threads-XXXXXX", argc > 1 ? argv[1] : "/tmp");
    require(mkdtemp(path) != NULL, "no directory can be made");
    require(crawl_frontier_open(path, &options, 0, &frontier, &error) == CRAWL_OK, error.message);
    run_all();
    for (unsigned page = 0; page < PAGES; page++)
        require(atomic_load(&finished[page]) == 1, "a page was lost");
    require(crawl_frontier_close(frontier, &error) == CRAWL_OK, error.message);
    check_directory(path);
    nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return 0;
}
