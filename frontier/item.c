/* See item.h. */
#include "frontier/item.h"

/* Sizes of the optional parts; they stand unaligned behind the URL, and the parts behind them in this order. */
typedef struct extra {
    uint32_t method;
    uint32_t headers;
    uint32_t body;
} extra;

static bool is_get(crawl_slice method)
{
    return method.size == 0 || crawl_slice_equal(method, crawl_slice_from("GET"));
}

static bool has_extra(const crawl_request *request)
{
    return !is_get(request->method) || request->headers.size || request->body.size;
}

bool cw_item_fits(const crawl_request *request)
{
    const size_t sizes[] = {request->url.size, request->method.size, request->headers.size, request->body.size};
    size_t room = CW_ITEM_MAX;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (sizes[i] > room)
            return false;
        room -= sizes[i];
    }
    return true;
}

static char *append(char *to, crawl_slice part)
{
    if (part.size)
        memcpy(to, part.data, part.size);
    return to + part.size;
}

static void append_extra(char *to, const crawl_request *request)
{
    crawl_slice method = is_get(request->method) ? (crawl_slice){0} : request->method;
    extra sizes = {(uint32_t)method.size, (uint32_t)request->headers.size, (uint32_t)request->body.size};
    memcpy(to, &sizes, sizeof sizes);
    to = append(to + sizeof sizes, method);
    to = append(to, request->headers);
    append(to, request->body);
}

/* Room for a tail of this size. */
static cw_item *allocate_item(size_t tail)
{
    size_t size = offsetof(cw_item, tail) + tail;
    return malloc(size < sizeof(cw_item) ? sizeof(cw_item) : size);
}

cw_item *cw_item_create(const crawl_request *request, crawl_slice origin, uint8_t flags)
{
    crawl_slice url = request->url;
    if (url.size >= origin.size && memcmp(url.data, origin.data, origin.size) == 0)
        url = crawl_slice_of(url.data + origin.size, url.size - origin.size);
    else
        flags |= CW_ITEM_WHOLE;
    size_t size = url.size;
    if (has_extra(request)) {
        flags |= CW_ITEM_EXTRA;
        size += sizeof(extra) + request->method.size + request->headers.size + request->body.size;
    }
    cw_item *item = allocate_item(size);
    if (!item)
        return NULL;
    item->parent = NULL;
    item->fingerprint = request->fingerprint;
    item->priority = request->priority;
    item->depth = request->depth;
    item->tag = request->tag;
    item->where = CW_NOWHERE;
    item->url_size = (uint32_t)url.size;
    item->retries = 0;
    item->flags = flags;
    char *end = append(item->tail, url);
    if (flags & CW_ITEM_EXTRA)
        append_extra(end, request);
    return item;
}

static size_t extra_size(extra sizes)
{
    return sizeof sizes + (size_t)sizes.method + sizes.headers + sizes.body;
}

size_t cw_item_tail_size(const cw_item *item)
{
    extra sizes;
    if (!(item->flags & CW_ITEM_EXTRA))
        return item->url_size;
    memcpy(&sizes, item->tail + item->url_size, sizeof sizes);
    return item->url_size + extra_size(sizes);
}

bool cw_item_tail_valid(const cw_item *fields, crawl_slice tail)
{
    extra sizes;
    if (tail.size > CW_ITEM_MAX || fields->url_size > tail.size)
        return false;
    size_t rest = tail.size - fields->url_size;
    if (!(fields->flags & CW_ITEM_EXTRA))
        return rest == 0;
    if (rest < sizeof sizes)
        return false;
    memcpy(&sizes, tail.data + fields->url_size, sizeof sizes);
    return rest == (uint64_t)sizeof sizes + sizes.method + sizes.headers + sizes.body;
}

cw_item *cw_item_restore(const cw_item *fields, crawl_slice tail)
{
    cw_item *item = allocate_item(tail.size);
    if (!item)
        return NULL;
    memcpy(item, fields, offsetof(cw_item, tail));
    item->parent = NULL;
    append(item->tail, tail);
    return item;
}

static void describe_extra(const cw_item *item, crawl_lease *lease)
{
    const char *at = item->tail + item->url_size;
    extra sizes;
    memcpy(&sizes, at, sizeof sizes);
    at += sizeof sizes;
    if (sizes.method)
        lease->method = crawl_slice_of(at, sizes.method);
    at += sizes.method;
    lease->headers = crawl_slice_of(at, sizes.headers);
    at += sizes.headers;
    lease->body = crawl_slice_of(at, sizes.body);
}

void cw_item_describe(const cw_item *item, crawl_lease *lease)
{
    const cw_parent *parent = item->parent;
    lease->fingerprint = item->fingerprint;
    lease->method = crawl_slice_from("GET");
    lease->headers = lease->body = (crawl_slice){0};
    if (item->flags & CW_ITEM_EXTRA)
        describe_extra(item, lease);
    lease->parent = parent ? crawl_slice_of(parent->text, parent->size) : (crawl_slice){0};
    lease->priority = item->priority;
    lease->depth = item->depth;
    lease->tag = item->tag;
    lease->attempt = item->retries + 1u;
    lease->urgent = (item->flags & CW_ITEM_URGENT) != 0;
}

cw_parent *cw_parent_create(crawl_slice text)
{
    if (text.size > CW_ITEM_MAX)
        return NULL;
    cw_parent *parent = malloc(sizeof *parent + text.size);
    if (!parent)
        return NULL;
    parent->users = 0;
    parent->size = (uint32_t)text.size;
    append(parent->text, text);
    return parent;
}

cw_parent *cw_item_leave_parent(cw_item *item)
{
    cw_parent *parent = item->parent;
    item->parent = NULL;
    return parent && --parent->users == 0 ? parent : NULL;
}
