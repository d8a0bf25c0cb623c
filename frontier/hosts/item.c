#include "frontier/hosts/item.h"

#include "base/bytes.h"

/* The parts that few requests have. They follow the URL as EXTRA_SIZE bytes, each number the lowest byte first, then
 * the parts in this order; on disk as in memory. */
typedef struct extra {
    uint32_t method; /* sizes */
    uint32_t headers;
    uint32_t body;
    uint32_t memo;
    uint32_t visits; /* before this one */
} extra;

enum { EXTRA_SIZE = 20 };

static char *put_extra(char *to, extra sizes)
{
    const uint32_t numbers[] = {sizes.method, sizes.headers, sizes.body, sizes.memo, sizes.visits};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        to = cw_le_put(to, numbers[i], sizeof *numbers);
    return to;
}

static extra get_extra(const char *at)
{
    extra sizes;
    uint32_t *const numbers[] = {&sizes.method, &sizes.headers, &sizes.body, &sizes.memo, &sizes.visits};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = (uint32_t)cw_le_get(&at, sizeof **numbers);
    return sizes;
}

typedef struct cargo {
    crawl_slice method; /* empty: GET */
    crawl_slice headers;
    crawl_slice body;
    crawl_slice memo;
    uint32_t visits;
} cargo;

static bool is_get(crawl_slice method)
{
    return method.size == 0 || crawl_slice_equal(method, crawl_slice_from("GET"));
}

static bool has_extra(const cargo *parts)
{
    return parts->method.size || parts->headers.size || parts->body.size || parts->memo.size || parts->visits;
}

bool cw_frontier_item_fits(const crawl_request *request)
{
    const size_t sizes[] = {request->url.size, request->method.size, request->headers.size, request->body.size,
                            request->memo.size};
    size_t room = CW_FRONTIER_ITEM_MAX;
    if (request->memo.size > CRAWL_MEMO_MAX)
        return false;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (sizes[i] > room)
            return false;
        room -= sizes[i];
    }
    return true;
}

static char *item_append(char *to, crawl_slice part)
{
    if (part.size)
        memcpy(to, part.data, part.size);
    return to + part.size;
}

static void append_extra(char *to, const cargo *parts)
{
    extra sizes = {(uint32_t)parts->method.size, (uint32_t)parts->headers.size, (uint32_t)parts->body.size,
                   (uint32_t)parts->memo.size, parts->visits};
    to = item_append(put_extra(to, sizes), parts->method);
    to = item_append(to, parts->headers);
    to = item_append(to, parts->body);
    item_append(to, parts->memo);
}

/* Allocates an item with room for a tail of this size. */
static cw_frontier_item *allocate_item(size_t tail)
{
    size_t size = offsetof(cw_frontier_item, tail) + tail;
    return malloc(size < sizeof(cw_frontier_item) ? sizeof(cw_frontier_item) : size);
}

/* Creates an item with these fields and another tail. */
static cw_frontier_item *make_item(const cw_frontier_item *fields, crawl_slice url, const cargo *parts)
{
    bool more = has_extra(parts);
    size_t size = url.size;
    if (more)
        size += EXTRA_SIZE + parts->method.size + parts->headers.size + parts->body.size + parts->memo.size;
    cw_frontier_item *item = allocate_item(size);
    if (!item)
        return NULL;
    memcpy(item, fields, offsetof(cw_frontier_item, tail));
    item->parent = NULL;
    item->url_size = (uint32_t)url.size;
    item->flags = (uint8_t)((fields->flags & ~CW_ITEM_EXTRA) | (more ? CW_ITEM_EXTRA : 0));
    char *end = item_append(item->tail, url);
    if (more)
        append_extra(end, parts);
    return item;
}

cw_frontier_item *cw_frontier_item_create(const crawl_request *request, crawl_slice origin, uint8_t flags)
{
    crawl_slice url = request->url;
    if (url.size >= origin.size && memcmp(url.data, origin.data, origin.size) == 0)
        url = crawl_slice_of(url.data + origin.size, url.size - origin.size);
    else
        flags |= CW_ITEM_WHOLE;
    if (request->any_depth)
        flags |= CW_ITEM_ANY_DEPTH;
    if (request->revisit)
        flags |= CW_ITEM_REVISIT;
    const cw_frontier_item fields = {.fingerprint = request->fingerprint,
                                     .priority = request->priority,
                                     .depth = request->depth,
                                     .tag = request->tag,
                                     .where = CW_FRONTIER_NOWHERE,
                                     .flags = flags};
    const cargo parts = {.method = is_get(request->method) ? (crawl_slice){0} : request->method,
                         .headers = request->headers,
                         .body = request->body,
                         .memo = request->memo};
    return make_item(&fields, url, &parts);
}

/* Returns the extra parts of an item; all are empty if it has none. */
static cargo parts_of(const cw_frontier_item *item)
{
    const char *at = item->tail + item->url_size;
    if (!(item->flags & CW_ITEM_EXTRA))
        return (cargo){0};
    extra sizes = get_extra(at);
    at += EXTRA_SIZE;
    cargo parts = {.method = crawl_slice_of(at, sizes.method), .visits = sizes.visits};
    parts.headers = crawl_slice_of(parts.method.data + sizes.method, sizes.headers);
    parts.body = crawl_slice_of(parts.headers.data + sizes.headers, sizes.body);
    parts.memo = crawl_slice_of(parts.body.data + sizes.body, sizes.memo);
    return parts;
}

cw_frontier_item *cw_frontier_item_again(const cw_frontier_item *item, crawl_slice memo)
{
    cargo parts = parts_of(item);
    parts.memo = memo;
    if (parts.visits < CW_FRONTIER_VISITS_MAX)
        parts.visits++;
    cw_frontier_item *made = make_item(item, cw_frontier_item_url(item), &parts);
    if (made)
        made->retries = 0;
    return made;
}

cw_frontier_item *cw_frontier_item_with_memo(const cw_frontier_item *item, crawl_slice memo)
{
    cargo parts = parts_of(item);
    parts.memo = memo;
    return make_item(item, cw_frontier_item_url(item), &parts);
}

uint32_t cw_frontier_item_visits(const cw_frontier_item *item)
{
    return parts_of(item).visits;
}

static size_t extra_size(extra sizes)
{
    return EXTRA_SIZE + (size_t)sizes.method + sizes.headers + sizes.body + sizes.memo;
}

size_t cw_frontier_item_tail_size(const cw_frontier_item *item)
{
    if (!(item->flags & CW_ITEM_EXTRA))
        return item->url_size;
    return item->url_size + extra_size(get_extra(item->tail + item->url_size));
}

bool cw_frontier_item_tail_valid(const cw_frontier_item *fields, crawl_slice tail)
{
    if (tail.size > CW_FRONTIER_ITEM_MAX || fields->url_size > tail.size)
        return false;
    size_t rest = tail.size - fields->url_size;
    if (!(fields->flags & CW_ITEM_EXTRA))
        return rest == 0;
    if (rest < EXTRA_SIZE)
        return false;
    extra sizes = get_extra(tail.data + fields->url_size);
    if (sizes.memo > CRAWL_MEMO_MAX || sizes.visits > CW_FRONTIER_VISITS_MAX)
        return false;
    return rest == extra_size(sizes);
}

cw_frontier_item *cw_frontier_item_restore(const cw_frontier_item *fields, crawl_slice tail)
{
    cw_frontier_item *item = allocate_item(tail.size);
    if (!item)
        return NULL;
    memcpy(item, fields, offsetof(cw_frontier_item, tail));
    item->parent = NULL;
    item_append(item->tail, tail);
    return item;
}

void cw_frontier_item_describe(const cw_frontier_item *item, crawl_lease *lease)
{
    const cw_frontier_parent *parent = item->parent;
    const cargo parts = parts_of(item);
    lease->fingerprint = item->fingerprint;
    lease->method = parts.method.size ? parts.method : crawl_slice_from("GET");
    lease->headers = parts.headers;
    lease->body = parts.body;
    lease->memo = parts.memo;
    lease->parent = parent ? crawl_slice_of(parent->text, parent->size) : (crawl_slice){0};
    lease->priority = item->priority;
    lease->depth = item->depth;
    lease->tag = item->tag;
    lease->attempt = item->retries + 1u;
    lease->visit = parts.visits + 1;
    lease->urgent = (item->flags & CW_ITEM_URGENT) != 0;
}

cw_frontier_parent *cw_frontier_parent_create(crawl_slice text)
{
    if (text.size > CW_FRONTIER_ITEM_MAX)
        return NULL;
    cw_frontier_parent *parent = malloc(sizeof *parent + text.size);
    if (!parent)
        return NULL;
    parent->users = 0;
    parent->size = (uint32_t)text.size;
    item_append(parent->text, text);
    return parent;
}

cw_frontier_parent *cw_frontier_item_leave_parent(cw_frontier_item *item)
{
    cw_frontier_parent *parent = item->parent;
    item->parent = NULL;
    return parent && --parent->users == 0 ? parent : NULL;
}
