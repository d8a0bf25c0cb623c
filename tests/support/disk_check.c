#include "frontier/disk/disk.h"
#include "tests/support/frontier_check.h"

struct disk_sums {
    uint64_t windows; /* bytes */
    uint64_t listed;  /* windows */
    uint64_t staged;  /* requests */
    uint64_t bytes;
};

static void add_window(struct disk_sums *sums, const cw_frontier_item *item)
{
    sums->windows += cw_frontier_held((void *)(uintptr_t)item) + (item->parent ? item->parent->size : 0);
}

static const char *disk_check_tail(const crawl_frontier *f, const cw_frontier_queue *queue, struct disk_sums *sums)
{
    const cw_disk_window *tail = cw_disk_window_of(queue);
    uint32_t staged = 0;
    for (int lane = 0; lane < CW_KIND_LANES; lane++) {
        cw_heap heap = cw_frontier_queue_heap(queue, lane);
        for (uint32_t i = 0; i < cw_frontier_queue_in_memory(queue, lane); i++) {
            const cw_heap_entry *entry = heap.root + (ptrdiff_t)i * heap.step;
            if (((const cw_frontier_item *)entry->value)->flags & CW_ITEM_STAGED) {
                staged++;
                continue;
            }
            FAIL_UNLESS(cw_frontier_queue_is_before_edge(queue, lane, entry->key), "T2: in memory behind the edge");
            add_window(sums, entry->value);
        }
    }
    FAIL_UNLESS(staged == tail->staged, "T5: requests in the stage");
    sums->staged += staged;
    FAIL_UNLESS(tail->listed == (queue->ready + queue->delayed > staged),
                "T4: a window that is not in the list, or the reverse");
    FAIL_UNLESS(tail->windows == &cw_disk_of(f)->windows, "a tail of another frontier");
    sums->listed += tail->listed;
    sums->bytes += cw_frontier_held(queue->tail);
    return NULL;
}

/* T4, from the other side. */
static const char *check_list(const cw_disk_windows *windows, const struct disk_sums *sums)
{
    uint64_t count = 0;
    const cw_disk_window *before = NULL;
    for (const cw_disk_window *window = windows->oldest; window; before = window, window = window->newer) {
        FAIL_UNLESS(window->older == before, "T4: the list of windows is torn");
        count++;
    }
    FAIL_UNLESS(count == sums->listed, "T4: windows in the list");
    FAIL_UNLESS(windows->newest == before, "T4: the end of the list of windows");
    return NULL;
}

const char *check_disk(crawl_frontier *frontier, uint64_t *bytes)
{
    const cw_disk_windows *windows = &cw_disk_of(frontier)->windows;
    struct disk_sums sums = {0};
    size_t cursor = 0;
    for (cw_frontier_host *host = cw_map_next(frontier->hosts.map, &cursor); host;
         host = cw_map_next(frontier->hosts.map, &cursor))
        for (size_t i = 0; i < CW_QUEUES; i++) {
            const cw_frontier_queue *queue = &host->queues[i];
            const char *failed = queue->tail ? disk_check_tail(frontier, queue, &sums) : NULL;
            if (failed)
                return failed;
        }
    FAIL_UNLESS(sums.windows == windows->bytes, "bytes of the windows");
    FAIL_UNLESS(sums.staged == windows->stage.count, "T5: sum of requests in the stage");
    *bytes += sums.bytes;
    return check_list(windows, &sums);
}
