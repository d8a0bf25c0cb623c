/* See outbox.h. A link stands in the list of its partition until it is part of a batch, and the batch is kept until
 * each of its links has an answer. */
#include "redis/shared/outbox.h"

#include <stdlib.h>

typedef struct outbox_link {
    struct outbox_link *next;
    cw_shared_page *page;
    cw_shared_request request; /* its texts stand behind it */
    size_t size;
    uint8_t print[CW_SHARED_PRINT];
    char texts[];
} outbox_link;

struct cw_shared_page {
    cw_shared_outbox *outbox;
    size_t owed; /* links without an answer, and one until the page is ended */
    cw_shared_page_links links;
    void (*done)(void *user, const cw_shared_page_links *links);
    void *user;
};

/* Of one partition. */
typedef struct outbox_lane {
    cw_shared_outbox *outbox;
    outbox_link *first, *last;
    size_t batch; /* so many of the first ones are under way, or were, and are to go again */
    bool is_out;
    cw_shared_request *requests;
    uint8_t *fates;
} outbox_lane;

struct cw_shared_outbox {
    cw_shared_outbox_options options;
    uint64_t *memory; /* tags of fingerprints, each where its own first bytes say; 0: none */
    uint64_t slots;   /* a power of two */
    uint64_t bytes;
    outbox_lane lanes[CW_SHARED_PARTITIONS];
};

/* ---- the memory ---- */

/* Two numbers of a fingerprint: where its tag is, and the tag. */
static void read_print(const uint8_t *print, uint64_t *place, uint64_t *tag)
{
    memcpy(place, print, sizeof *place);
    memcpy(tag, print + sizeof *place, sizeof *tag);
    *tag += *tag == 0;
}

static bool is_known(const cw_shared_outbox *outbox, const uint8_t *print)
{
    uint64_t place;
    uint64_t tag;
    read_print(print, &place, &tag);
    return outbox->slots && outbox->memory[place & (outbox->slots - 1)] == tag;
}

static void remember(cw_shared_outbox *outbox, const uint8_t *print)
{
    uint64_t place;
    uint64_t tag;
    read_print(print, &place, &tag);
    if (outbox->slots)
        outbox->memory[place & (outbox->slots - 1)] = tag;
}

/* ---- pages ---- */

static void answer_one(cw_shared_page *page)
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

static outbox_link *make_link(cw_shared_page *page, const cw_shared_request *request)
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
    if (!request->is_forced && is_known(outbox, request->print)) {
        page->links.seen++;
        return CRAWL_EXISTS;
    }
    outbox_link *made = make_link(page, request);
    if (!made)
        return CRAWL_ENOMEM;
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
    answer_one(page);
}

/* ---- batches ---- */

static outbox_link *take_first(outbox_lane *of)
{
    outbox_link *first = of->first;
    of->first = first->next;
    if (!of->first)
        of->last = NULL;
    of->outbox->bytes -= first->size;
    return first;
}

static void count_fate(cw_shared_page_links *links, uint8_t fate)
{
    links->queued += fate == CW_SHARED_QUEUED;
    links->seen += fate == CW_SHARED_WAS_SEEN;
    links->no_room += fate == CW_SHARED_NO_ROOM;
}

static void drop_batch(outbox_lane *of)
{
    free(of->requests);
    free(of->fates);
    of->requests = NULL;
    of->fates = NULL;
    of->batch = 0;
}

/* The end of a page may add links of another, behind those of the batch. */
static void take_answers(outbox_lane *of)
{
    uint8_t *fates = of->fates;
    size_t count = of->batch;
    of->fates = NULL;
    drop_batch(of);
    for (size_t i = 0; i < count; i++) {
        outbox_link *answered = take_first(of);
        cw_shared_page *page = answered->page;
        if (fates[i] != CW_SHARED_NO_ROOM)
            remember(of->outbox, answered->print);
        count_fate(&page->links, fates[i]);
        free(answered);
        answer_one(page);
    }
    free(fates);
}

static void on_pushed(void *user, crawl_redis_fault fault, const char *words)
{
    outbox_lane *of = user;
    const cw_shared_outbox_options *options = &of->outbox->options;
    of->is_out = false;
    if (!fault)
        take_answers(of);
    else if (options->on_fault)
        options->on_fault(options->user, fault, words);
}

/* Of all that waits, as far as one script may take them. False: no memory. */
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

/* What cannot be sent now is sent the next time. */
static void flush_lane(outbox_lane *of, cw_shared *shared)
{
    if (of->is_out || !of->first || (!of->batch && !make_batch(of)))
        return;
    of->is_out = true;
    if (cw_shared_push(shared, of->requests, of->batch, of->fates, on_pushed, of))
        of->is_out = false;
}

void cw_shared_outbox_flush(cw_shared_outbox *outbox)
{
    for (size_t i = 0; i < CW_SHARED_PARTITIONS; i++)
        flush_lane(&outbox->lanes[i], outbox->options.shared);
}

uint64_t cw_shared_outbox_bytes(const cw_shared_outbox *outbox)
{
    return outbox->bytes;
}

/* ---- its life ---- */

crawl_err cw_shared_outbox_create(const cw_shared_outbox_options *options, cw_shared_outbox **out)
{
    cw_shared_outbox *outbox = calloc(1, sizeof *outbox);
    if (!outbox)
        return CRAWL_ENOMEM;
    outbox->options = *options;
    for (size_t i = 0; i < CW_SHARED_PARTITIONS; i++)
        outbox->lanes[i].outbox = outbox;
    for (outbox->slots = options->remembers > 0; outbox->slots && outbox->slots < options->remembers;)
        outbox->slots *= 2;
    if (outbox->slots)
        outbox->memory = calloc(outbox->slots, sizeof *outbox->memory);
    if (outbox->slots && !outbox->memory) {
        free(outbox);
        return CRAWL_ENOMEM;
    }
    *out = outbox;
    return CRAWL_OK;
}

static void free_link(outbox_link *one)
{
    if (--one->page->owed == 0)
        free(one->page);
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
            free_link(take_first(of));
    }
    free(outbox->memory);
    free(outbox);
}
