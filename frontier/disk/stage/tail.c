/* See tail.h. How a window shrinks and takes requests; refill.c fills it. Invariants, which refill.c keeps too:
 *
 *   T1  every request of a lane that is only on disk has a key of at least edge, one has exactly edge, and count is
 *       their number.
 *   T2  every request of the lane in memory has a key below edge, if count is not 0, except those in the stage.
 *   T3  a record in the range of a lane belongs to a request of the lane or, in the range of ready ones, to one that is
 *       leased, to one that is done and in the log of done requests, or to one in memory that is being settled.
 *   T4  a tail is in the list of windows if and only if its queue has something in memory that is not in the stage.
 *   T5  `staged` counts the ready requests in memory that are in a stage; stage.count is the sum. */
#include "frontier/disk/stage/tail.h"

#include "frontier/disk/disk.h"

#define ITEM_BYTES 256u /* assumed size of a request in memory, to divide the budget */

bool cw_disk_windows_are_crowded(const cw_disk_windows *windows)
{
    return windows->schedule->sessions_max && windows->hosts->queued > windows->schedule->sessions_max;
}

uint64_t cw_disk_windows_sessions(crawl_order order, uint64_t budget)
{
    uint64_t sessions = budget / ITEM_BYTES / CW_FRONTIER_SESSION;
    return order == CRAWL_ORDER_BFS ? sessions : 0;
}

uint32_t cw_disk_windows_share(const cw_disk_windows *windows)
{
    const cw_frontier_schedule *schedule = windows->schedule;
    uint64_t hosts = windows->hosts->queued + 1;
    if (cw_disk_windows_are_crowded(windows))
        hosts = schedule->in_session > schedule->sessions_max ? schedule->in_session : schedule->sessions_max;
    uint64_t share = windows->budget / ITEM_BYTES / hosts;
    return share < 1 ? 1 : share > CW_DISK_REFILL_MAX ? CW_DISK_REFILL_MAX : (uint32_t)share;
}

uint64_t cw_disk_tail_weight(cw_frontier_item *item)
{
    return cw_frontier_held(item) + (item->parent ? item->parent->size : 0);
}

crawl_err cw_disk_tail_create(crawl_frontier *frontier, cw_frontier_host *host, cw_frontier_queue *queue)
{
    cw_disk_windows *windows = &cw_disk_of(frontier)->windows;
    cw_disk_window *window = calloc(1, sizeof *window);
    if (!window)
        return CRAWL_ENOMEM;
    *window = (cw_disk_window){.tail.calls = frontier->store.tails, .windows = windows, .host = host};
    cw_frontier_memory_adopt(windows->memory, window);
    queue->tail = &window->tail;
    return CRAWL_OK;
}

static void unlist(cw_disk_window *window)
{
    cw_disk_windows *windows = window->windows;
    if (!window->listed)
        return;
    *(window->older ? &window->older->newer : &windows->oldest) = window->newer;
    *(window->newer ? &window->newer->older : &windows->newest) = window->older;
    window->older = window->newer = NULL;
    window->listed = false;
}

static void tail_list(cw_disk_window *window)
{
    cw_disk_windows *windows = window->windows;
    window->older = windows->newest;
    *(windows->newest ? &windows->newest->newer : &windows->oldest) = window;
    windows->newest = window;
    window->listed = true;
}

void cw_disk_tail_relist(cw_disk_window *window)
{
    unlist(window);
    tail_list(window);
}

void cw_disk_tail_free(cw_frontier_queue *queue, cw_frontier_memory *memory)
{
    unlist(cw_disk_window_of(queue));
    cw_frontier_memory_free(memory, queue->tail);
    queue->tail = NULL;
}

static void drop_item(cw_disk_windows *windows, cw_frontier_item *item)
{
    cw_frontier_memory_free(windows->memory, cw_frontier_item_leave_parent(item));
    cw_frontier_memory_free(windows->memory, item);
}

static cw_heap_entry remove_first(cw_frontier_queue *queue, int lane)
{
    cw_heap heap = cw_frontier_queue_heap(queue, lane);
    return cw_heap_remove(&heap, lane == CW_LANE_READY ? queue->ready-- : queue->delayed--, 0);
}

void cw_disk_tail_add(cw_frontier_queue *queue, int lane, cw_heap_entry entry)
{
    cw_heap heap = cw_frontier_queue_heap(queue, lane);
    cw_heap_add(&heap, lane == CW_LANE_READY ? queue->ready++ : queue->delayed++, entry);
}

static bool is_staged(const cw_frontier_item *item)
{
    return item->flags & CW_ITEM_STAGED;
}

uint32_t cw_disk_tail_in_window(const cw_frontier_queue *queue, int lane)
{
    return cw_frontier_queue_in_memory(queue, lane) - (lane == CW_LANE_READY ? cw_disk_window_of(queue)->staged : 0);
}

static void unlist_if_empty(const cw_frontier_queue *queue)
{
    if (!cw_disk_tail_in_window(queue, CW_LANE_READY) && !queue->delayed)
        unlist(cw_disk_window_of(queue));
}

/* Leaves a request to the disk: frees its item in memory. Keeps T1. */
static void leave_to_disk(cw_frontier_queue *queue, int lane, cw_heap_entry entry)
{
    cw_disk_windows *windows = cw_disk_window_of(queue)->windows;
    cw_frontier_lane *beyond = &queue->tail->lanes[lane];
    if (cw_frontier_queue_is_before_edge(queue, lane, entry.key))
        beyond->edge = entry.key;
    beyond->count++;
    windows->bytes -= cw_disk_tail_weight(entry.value);
    drop_item(windows, entry.value);
}

/* Drops the requests of a lane that are in memory, except those in the stage, and except the first `keep` (at most
 * CW_DISK_REFILL_MAX) as far as they are before the edge. Keeps T1 and T2. */
static void tail_let_go(cw_frontier_queue *queue, int lane, uint32_t keep)
{
    cw_heap_entry kept[CW_DISK_REFILL_MAX];
    uint32_t count = 0;
    while (count < keep && cw_frontier_queue_in_memory(queue, lane) &&
           cw_frontier_queue_is_before_edge(queue, lane, cw_frontier_queue_heap(queue, lane).root->key))
        kept[count++] = remove_first(queue, lane);
    cw_heap heap = cw_frontier_queue_heap(queue, lane);
    uint32_t rest = cw_frontier_queue_in_memory(queue, lane);
    *(lane == CW_LANE_READY ? &queue->ready : &queue->delayed) = 0;
    for (uint32_t i = 0; i < rest; i++) {
        cw_heap_entry entry = heap.root[(ptrdiff_t)i * heap.step];
        if (is_staged(entry.value))
            cw_disk_tail_add(queue, lane, entry); /* into a place already examined */
        else
            leave_to_disk(queue, lane, entry);
    }
    for (uint32_t i = 0; i < count; i++)
        cw_disk_tail_add(queue, lane, kept[i]);
}

/* Keeps T1, T2 and T4. */
void cw_disk_tail_leave_delayed(cw_frontier_queue *queue)
{
    if (!queue->delayed)
        return;
    tail_let_go(queue, CW_LANE_DELAYED, 0);
    unlist_if_empty(queue);
}

/* Keeps T1, T2 and T4. */
void cw_disk_tail_leave(cw_frontier_queue *queue)
{
    for (int lane = 0; lane < CW_KIND_LANES; lane++)
        if (cw_disk_tail_in_window(queue, lane))
            tail_let_go(queue, lane, 0);
    unlist(cw_disk_window_of(queue));
}

static cw_frontier_queue *queue_of(cw_disk_window *window)
{
    cw_frontier_queue *queues = window->host->queues;
    return queues[CW_NORMAL].tail == &window->tail ? &queues[CW_NORMAL] : &queues[CW_URGENT];
}

void cw_disk_windows_keep_budget(cw_disk_windows *windows, const cw_disk_window *window)
{
    while (windows->bytes > windows->budget && windows->oldest && windows->oldest != window) {
        cw_frontier_queue *queue = queue_of(windows->oldest);
        cw_disk_tail_leave(queue);
        cw_frontier_queue_trim(queue, windows->memory);
    }
}

/* Keeps T1 and T2. Requests in the stage stay in memory. A window is begun only if there is room for it; then it takes
 * all requests before its edge. */
bool cw_disk_tail_takes(cw_frontier_queue *queue, int lane, cw_heap_key key, cw_frontier_item *item)
{
    cw_disk_windows *windows = cw_disk_window_of(queue)->windows;
    cw_frontier_lane *beyond = &queue->tail->lanes[lane];
    bool before = cw_frontier_queue_is_before_edge(queue, lane, key);
    if (is_staged(item))
        return false;
    if (before && (cw_frontier_queue_in_memory(queue, lane) || windows->bytes < windows->budget))
        return false;
    if (before)
        beyond->edge = key;
    beyond->count++;
    drop_item(windows, item);
    return true;
}

/* Keeps T5. */
static void count_staged(cw_disk_window *window, cw_frontier_item *item, int by)
{
    cw_disk_stage *stage = &window->windows->stage;
    uint64_t weight = cw_disk_tail_weight(item);
    window->staged += (uint32_t)by;
    stage->count += (uint64_t)by;
    stage->bytes[(item->flags & CW_ITEM_STAGED_ODD) != 0] += by > 0 ? weight : -weight;
}

void cw_disk_tail_grew(cw_frontier_queue *queue, int lane, cw_frontier_item *item)
{
    cw_disk_windows *windows = cw_disk_window_of(queue)->windows;
    uint32_t share = cw_disk_windows_share(windows);
    if (is_staged(item)) {
        count_staged(cw_disk_window_of(queue), item, 1);
        return;
    }
    windows->bytes += cw_disk_tail_weight(item);
    if (!cw_disk_window_of(queue)->listed)
        tail_list(cw_disk_window_of(queue));
    if (cw_disk_tail_in_window(queue, lane) > 2 * share)
        tail_let_go(queue, lane, share);
    unlist_if_empty(queue);
    cw_disk_windows_keep_budget(windows, cw_disk_window_of(queue));
}

void cw_disk_tail_shrank(cw_frontier_queue *queue, cw_frontier_item *item)
{
    if (is_staged(item))
        count_staged(cw_disk_window_of(queue), item, -1);
    else
        cw_disk_window_of(queue)->windows->bytes -= cw_disk_tail_weight(item);
    unlist_if_empty(queue);
}

/* Keeps T1, T2, T4 and T5. */
void cw_disk_tail_settled(cw_frontier_queue *queue, uint8_t stage)
{
    cw_disk_windows *windows = cw_disk_window_of(queue)->windows;
    uint32_t share = windows->bytes < windows->budget ? cw_disk_windows_share(windows) : 0;
    for (uint32_t i = 0; i < queue->ready; i++) {
        cw_frontier_item *item = queue->entries[i].value;
        if (!(item->flags & stage))
            continue;
        count_staged(cw_disk_window_of(queue), item, -1);
        item->flags &= (uint8_t)~CW_ITEM_STAGED;
        windows->bytes += cw_disk_tail_weight(item);
    }
    tail_let_go(queue, CW_LANE_READY, share);
    cw_disk_tail_relist(cw_disk_window_of(queue));
    unlist_if_empty(queue);
    cw_disk_windows_keep_budget(windows, cw_disk_window_of(queue));
}
