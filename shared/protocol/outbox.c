/* See outbox.h. A link is in the list of its partition until it becomes part of a batch, and the batch is kept until
 * each of its links has an answer. Until then the link is also in a map, and pages with the same link wait for its
 * answer: pages of one site that are read at the same time have most of their links in common. */
#include "shared/protocol/outbox.h"

#include "base/map.h"
#include "redis/client.h"
#include "shared/protocol/protocol_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A WAIT lasts at most this part of the lease, and this long. It delays the commands after it: heartbeats must come in
 * time, and a server that is silent for seconds counts as away. */
enum { WAIT_PART = 20, WAIT_MAX_MS = 1500 };

/* A page with a link that another page brought before. */
typedef struct outbox_waiter {
    struct outbox_waiter *next;
    cw_shared_page *page;
} outbox_waiter;

typedef struct outbox_link {
    struct outbox_link *next;
    cw_shared_page *page;
    outbox_waiter *waiters;
    cw_shared_request request; /* its texts follow the struct */
    size_t size;
    uint8_t print[CW_SHARED_PRINT];
    char texts[];
} outbox_link;

struct cw_shared_page {
    cw_shared_outbox *outbox;
    size_t owed; /* links without an answer, plus one until the page is ended */
    cw_shared_page_links links;
    void (*done)(void *user, const cw_shared_page_links *links);
    void *user;
};

/* The links of one partition. */
typedef struct outbox_lane {
    cw_shared_outbox *outbox;
    outbox_link *first, *last;
    size_t batch; /* length of the batch: the first links of the list, sent or to be sent again */
    bool is_out;
    bool is_answered; /* answered, and waiting for replicas */
    bool is_asked;    /* WAIT was sent for it */
    uint64_t losses;  /* connections lost before it was sent */
    bool has_news;
    cw_shared_request *requests;
    uint8_t *fates;
} outbox_lane;

struct cw_shared_outbox {
    cw_shared_outbox_options options;
    uint64_t *memory;   /* tags of fingerprints; the first bytes choose a group, with the newest tag first; 0: none */
    uint64_t groups;    /* a power of two, or 0 */
    cw_map *unanswered; /* links that are not forced, by fingerprint */
    uint64_t bytes;
    size_t waits;  /* answers owed to WAIT, plus one until all servers are asked; 0: no WAIT is under way */
    bool is_short; /* too few replicas have it, or a server was not asked */
    bool is_void;  /* a server answered with an error: it may have lost what was written */
    outbox_lane lanes[CW_SHARED_PARTITIONS];
};

/* ---- the memory ---- */

enum { GROUP = 8 /* tags: a cache line */ };

/* Returns the group of a fingerprint, and its tag. NULL: nothing is remembered. */
static uint64_t *group_of(const cw_shared_outbox *outbox, const uint8_t *print, uint64_t *tag)
{
    uint64_t place;
    memcpy(&place, print, sizeof place);
    memcpy(tag, print + sizeof place, sizeof *tag);
    *tag += *tag == 0;
    return outbox->groups ? outbox->memory + (place & (outbox->groups - 1)) * GROUP : NULL;
}

/* Returns the place of a tag in its group; GROUP: absent. */
static size_t outbox_place_of(const uint64_t *group, uint64_t tag)
{
    size_t i = 0;
    while (i < GROUP && group[i] != tag)
        i++;
    return i;
}

/* Moves the tag to the front of its group. The least recently used tag drops out. */
static void outbox_remember(cw_shared_outbox *outbox, const uint8_t *print)
{
    uint64_t tag;
    uint64_t *group = group_of(outbox, print, &tag);
    if (!group)
        return;
    size_t place = outbox_place_of(group, tag);
    memmove(group + 1, group, (place < GROUP ? place : GROUP - 1) * sizeof *group);
    group[0] = tag;
}

static bool outbox_is_known(cw_shared_outbox *outbox, const uint8_t *print)
{
    uint64_t tag;
    const uint64_t *group = group_of(outbox, print, &tag);
    bool known = group && outbox_place_of(group, tag) < GROUP;
    if (known)
        outbox_remember(outbox, print);
    return known;
}

/* ---- links that wait for an answer ---- */

static crawl_slice slice_of(const uint8_t *print)
{
    return crawl_slice_of(print, CW_SHARED_PRINT);
}

static crawl_err outbox_wait_for(cw_shared_page *page, outbox_link *one)
{
    outbox_waiter *waiter = malloc(sizeof *waiter);
    if (!waiter)
        return CRAWL_ENOMEM;
    *waiter = (outbox_waiter){.next = one->waiters, .page = page};
    one->waiters = waiter;
    one->size += sizeof *waiter;
    page->outbox->bytes += sizeof *waiter;
    page->owed++;
    return CRAWL_OK;
}

/* ---- pages ---- */

static void outbox_answer_one(cw_shared_page *page)
{
    if (--page->owed)
        return;
    if (page->done)
        page->done(page->user, &page->links);
    free(page);
}

cw_shared_page *cw_shared_page_begin(cw_shared_outbox *outbox)
{
    cw_shared_page *page = calloc(1, sizeof *page);
    if (page)
        *page = (cw_shared_page){.outbox = outbox, .owed = 1};
    return page;
}

static outbox_link *outbox_make_link(cw_shared_page *page, const cw_shared_request *request)
{
    size_t texts = request->origin.size + request->bytes.size;
    outbox_link *made = malloc(sizeof *made + texts);
    if (!made)
        return NULL;
    *made = (outbox_link){.page = page, .request = *request, .size = sizeof *made + texts};
    memcpy(made->print, request->print, sizeof made->print);
    memcpy(made->texts, request->origin.data, request->origin.size);
    if (request->bytes.size)
        memcpy(made->texts + request->origin.size, request->bytes.data, request->bytes.size);
    made->request.print = made->print;
    made->request.origin.data = made->texts;
    made->request.bytes.data = made->texts + request->origin.size;
    return made;
}

crawl_err cw_shared_page_add(cw_shared_page *page, const cw_shared_request *request)
{
    cw_shared_outbox *outbox = page->outbox;
    if (!request->is_forced && outbox_is_known(outbox, request->print)) {
        page->links.seen++;
        return CRAWL_EXISTS;
    }
    outbox_link *same = request->is_forced ? NULL : cw_map_get(outbox->unanswered, slice_of(request->print));
    if (same)
        return outbox_wait_for(page, same);
    outbox_link *made = outbox_make_link(page, request);
    if (!made)
        return CRAWL_ENOMEM;
    if (!request->is_forced && cw_map_put(outbox->unanswered, slice_of(made->print), made)) {
        free(made);
        return CRAWL_ENOMEM;
    }
    outbox_lane *of = &outbox->lanes[cw_shared_partition(request->origin)];
    *(of->last ? &of->last->next : &of->first) = made;
    of->last = made;
    outbox->bytes += made->size;
    page->owed++;
    return CRAWL_OK;
}

void cw_shared_page_end(cw_shared_page *page, void (*done)(void *user, const cw_shared_page_links *links), void *user)
{
    page->done = done;
    page->user = user;
    outbox_answer_one(page);
}

/* ---- batches ---- */

static outbox_link *outbox_take_first(outbox_lane *of)
{
    outbox_link *first = of->first;
    of->first = first->next;
    if (!of->first)
        of->last = NULL;
    of->outbox->bytes -= first->size;
    if (!first->request.is_forced)
        cw_map_remove(of->outbox->unanswered, slice_of(first->print));
    return first;
}

static void count_fate(cw_shared_page_links *links, uint8_t fate)
{
    links->queued += fate == CW_SHARED_QUEUED;
    links->seen += fate == CW_SHARED_WAS_SEEN;
    links->no_room += fate == CW_SHARED_NO_ROOM;
}

/* Tells the pages of a link. The first page gets its fate; for the others it was seen before, or has no room either. */
static void tell_pages(outbox_link *answered, uint8_t fate)
{
    uint8_t later = fate == CW_SHARED_NO_ROOM ? CW_SHARED_NO_ROOM : CW_SHARED_WAS_SEEN;
    cw_shared_page *page = answered->page;
    outbox_waiter *waiter = answered->waiters;
    free(answered);
    count_fate(&page->links, fate);
    outbox_answer_one(page);
    for (outbox_waiter *next; waiter; waiter = next) {
        next = waiter->next;
        page = waiter->page;
        free(waiter);
        count_fate(&page->links, later);
        outbox_answer_one(page);
    }
}

static void drop_batch(outbox_lane *of)
{
    free(of->requests);
    free(of->fates);
    of->requests = NULL;
    of->fates = NULL;
    of->batch = 0;
}

/* Takes the answers of a batch. The end of a page may add links of another page, after those of the batch. */
static void take_answers(outbox_lane *of)
{
    uint8_t *fates = of->fates;
    size_t count = of->batch;
    of->fates = NULL;
    drop_batch(of);
    for (size_t i = 0; i < count; i++) {
        outbox_link *answered = outbox_take_first(of);
        if (fates[i] != CW_SHARED_NO_ROOM)
            outbox_remember(of->outbox, answered->print);
        tell_pages(answered, fates[i]);
    }
    free(fates);
}

static void on_pushed(void *user, crawl_redis_fault fault, const char *words)
{
    outbox_lane *of = user;
    const cw_shared_outbox_options *options = &of->outbox->options;
    of->is_answered = !fault && options->shared->options.replicas;
    of->is_out = of->is_answered;
    if ((of->has_news || fault) && options->on_news)
        options->on_news(options->user, (unsigned)(of - of->outbox->lanes));
    if (!fault && !of->is_answered)
        take_answers(of);
    else if (fault && options->on_fault)
        options->on_fault(options->user, fault, words);
}

/* ---- replicas ---- */

/* Acknowledges the links if the replicas have them, and sends them again if the server may have lost them. Otherwise
 * leaves them to the next WAIT: a link that is queued though it was seen would be queued once more. */
static void take_confirmation(cw_shared_outbox *outbox)
{
    uint64_t losses = cw_redis_losses(outbox->options.shared->options.redis);
    for (size_t i = 0; i < CW_SHARED_PARTITIONS; i++) {
        outbox_lane *of = &outbox->lanes[i];
        if (!of->is_asked)
            continue;
        of->is_asked = false;
        bool is_lost = outbox->is_void || of->losses != losses;
        if (outbox->is_short && !is_lost)
            continue;
        of->is_answered = of->is_out = false;
        if (!is_lost)
            take_answers(of);
        else
            memset(of->fates, CW_SHARED_OWED, of->batch);
    }
}

static void end_wait(cw_shared_outbox *outbox)
{
    if (--outbox->waits == 0)
        take_confirmation(outbox);
}

static void on_replicas(void *user, const crawl_redis_answer *said)
{
    cw_shared_outbox *outbox = user;
    const cw_shared_outbox_options *options = &outbox->options;
    unsigned wanted = options->shared->options.replicas;
    int64_t has = said->fault ? -1 : cw_shared_number(said->reply, -1);
    char words[80];
    outbox->is_short = outbox->is_short || has < (int64_t)wanted;
    outbox->is_void = outbox->is_void || has < 0;
    snprintf(words, sizeof words, "%d of %u replicas have what was written", (int)(has > 0 ? has : 0), wanted);
    if (said->fault && options->on_fault)
        options->on_fault(options->user, said->fault, said->words);
    else if (has < (int64_t)wanted && options->on_fault)
        options->on_fault(options->user, has < 0 ? CRAWL_REDIS_PROTOCOL : CRAWL_REDIS_NOREPLICAS, words);
    end_wait(outbox);
}

/* Asks once for all partitions with an answer, on each server that has some of them. */
static void ask_replicas(cw_shared_outbox *outbox)
{
    char texts[2][24];
    const cw_shared_options *shared = &outbox->options.shared->options;
    int64_t part_ms = shared->lease_ms / WAIT_PART;
    bool has_some = false;
    for (size_t i = 0; i < CW_SHARED_PARTITIONS && !outbox->waits; i++) {
        outbox->lanes[i].is_asked = outbox->lanes[i].is_answered;
        has_some = has_some || outbox->lanes[i].is_answered;
    }
    if (!has_some)
        return;
    snprintf(texts[0], sizeof texts[0], "%u", shared->replicas);
    snprintf(texts[1], sizeof texts[1], "%" PRId64, part_ms < WAIT_MAX_MS ? part_ms : (int64_t)WAIT_MAX_MS);
    const crawl_slice arguments[] = {crawl_slice_from("WAIT"), crawl_slice_from(texts[0]), crawl_slice_from(texts[1])};
    outbox->waits = 1;
    outbox->is_void = false;
    outbox->is_short = cw_redis_send_each(shared->redis, arguments, 3, on_replicas, outbox, &outbox->waits) != CRAWL_OK;
    end_wait(outbox);
}

/* ---- sending batches ---- */

/* Makes a batch of the waiting links, up to the limit of a script. False: out of memory. */
static bool make_batch(outbox_lane *of)
{
    size_t count = 0;
    for (const outbox_link *one = of->first; one && count < CW_SHARED_BATCH_MAX; one = one->next)
        count++;
    of->requests = malloc(count * sizeof *of->requests);
    of->fates = calloc(count, sizeof *of->fates);
    if (!of->requests || !of->fates) {
        drop_batch(of);
        return false;
    }
    for (const outbox_link *one = of->first; of->batch < count; one = one->next)
        of->requests[of->batch++] = one->request;
    return true;
}

/* Sends the links of a lane. Links that cannot be sent now are sent at the next flush. */
static void flush_lane(outbox_lane *of, cw_shared *shared)
{
    if (of->is_out || !of->first || (!of->batch && !make_batch(of)))
        return;
    of->is_out = true;
    of->has_news = false;
    of->losses = cw_redis_losses(shared->options.redis);
    if (cw_shared_push(shared, of->requests, of->batch, of->fates, &of->has_news, on_pushed, of))
        of->is_out = false;
}

void cw_shared_outbox_flush(cw_shared_outbox *outbox)
{
    for (size_t i = 0; i < CW_SHARED_PARTITIONS; i++)
        flush_lane(&outbox->lanes[i], outbox->options.shared);
    ask_replicas(outbox);
}

void cw_shared_outbox_forget(cw_shared_outbox *outbox)
{
    if (outbox->groups)
        memset(outbox->memory, 0, outbox->groups * GROUP * sizeof *outbox->memory);
}

uint64_t cw_shared_outbox_bytes(const cw_shared_outbox *outbox)
{
    return outbox->bytes;
}

/* ---- creating and freeing ---- */

crawl_err cw_shared_outbox_create(const cw_shared_outbox_options *options, cw_shared_outbox **out)
{
    cw_shared_outbox *outbox = calloc(1, sizeof *outbox);
    if (!outbox)
        return CRAWL_ENOMEM;
    outbox->options = *options;
    for (size_t i = 0; i < CW_SHARED_PARTITIONS; i++)
        outbox->lanes[i].outbox = outbox;
    for (outbox->groups = options->remembers > 0; outbox->groups && outbox->groups * GROUP < options->remembers;)
        outbox->groups *= 2;
    size_t size = outbox->groups * GROUP * sizeof *outbox->memory;
    outbox->memory = size ? aligned_alloc(GROUP * sizeof *outbox->memory, size) : NULL;
    outbox->unanswered = cw_map_create(0);
    if (!outbox->unanswered || (size && !outbox->memory)) {
        cw_shared_outbox_free(outbox);
        return CRAWL_ENOMEM;
    }
    if (size)
        memset(outbox->memory, 0, size);
    *out = outbox;
    return CRAWL_OK;
}

static void forget_page(cw_shared_page *page)
{
    if (--page->owed == 0)
        free(page);
}

static void free_link(outbox_link *one)
{
    for (outbox_waiter *waiter = one->waiters, *next; waiter; waiter = next) {
        next = waiter->next;
        forget_page(waiter->page);
        free(waiter);
    }
    forget_page(one->page);
    free(one);
}

void cw_shared_outbox_free(cw_shared_outbox *outbox)
{
    if (!outbox)
        return;
    for (size_t i = 0; i < CW_SHARED_PARTITIONS; i++) {
        outbox_lane *of = &outbox->lanes[i];
        drop_batch(of);
        while (of->first)
            free_link(outbox_take_first(of));
    }
    cw_map_free(outbox->unanswered);
    free(outbox->memory);
    free(outbox);
}
