#include "redis/redis_slots.h"

#include "base/bytes.h"

#include <stdlib.h>

/* CRC-16/XMODEM: polynomial 0x1021, initial value 0. */
static unsigned crc16(crawl_slice text)
{
    unsigned crc = 0;
    for (size_t i = 0; i < text.size; i++) {
        crc ^= (unsigned)(unsigned char)text.data[i] << 8;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1;
    }
    return crc & 0xffff;
}

unsigned cw_redis_slot_of_key(crawl_slice key)
{
    size_t open = cw_find_char(key, '{');
    if (open < key.size) {
        crawl_slice rest = cw_drop(key, open + 1);
        size_t close = cw_find_char(rest, '}');
        if (close > 0 && close < rest.size)
            key = crawl_slice_of(rest.data, close);
    }
    return crc16(key) % CW_REDIS_SLOTS;
}

/* Returns true if the command is one of those without a key that this client sends. */
static bool has_no_key(crawl_slice command)
{
    static const char *const names[] = {"INFO", "TIME", "AUTH", "SELECT", "CLIENT", "CONFIG", "CLUSTER", "ASKING"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (cw_is_nocase(command, names[i]))
            return true;
    return false;
}

int cw_redis_slot_of(const crawl_slice *arguments, size_t count, bool *is_script)
{
    *is_script = cw_is(arguments[0], "EVALSHA") || cw_is(arguments[0], "EVAL");
    if (*is_script && (count < 4 || cw_is(arguments[2], "0")))
        return CW_REDIS_NO_SLOT;
    if (*is_script)
        return (int)cw_redis_slot_of_key(arguments[3]);
    return count < 2 || has_no_key(arguments[0]) ? CW_REDIS_NO_SLOT : (int)cw_redis_slot_of_key(arguments[1]);
}

static const crawl_redis_reply *item_of(const crawl_redis_reply *reply, size_t index, crawl_redis_type type)
{
    bool there = reply && reply->type == CRAWL_REDIS_ARRAY && index < reply->count && reply->items[index].type == type;
    return there ? &reply->items[index] : NULL;
}

static bool redis_slots_is_port(int64_t port)
{
    return port > 0 && port < 65536;
}

/* A node without a known name is the one that replies; its host is NULL or empty. */
static bool read_place(const crawl_redis_reply *master, cw_redis_place *out)
{
    const crawl_redis_reply *host = item_of(master, 0, CRAWL_REDIS_TEXT);
    const crawl_redis_reply *port = item_of(master, 1, CRAWL_REDIS_NUMBER);
    if (!port || !redis_slots_is_port(port->number) || (host && host->text.size > CW_REDIS_HOST_MAX))
        return false;
    bool is_known = host && !cw_is(host->text, "?") && !memchr(host->text.data, 0, host->text.size);
    *out = (cw_redis_place){is_known ? host->text : (crawl_slice){0}, (unsigned)port->number};
    return true;
}

crawl_err cw_redis_range_at(const crawl_redis_reply *reply, size_t index, cw_redis_range *out)
{
    if (reply->type != CRAWL_REDIS_ARRAY)
        return CRAWL_EPARSE;
    if (index >= reply->count)
        return CRAWL_ABSENT;
    const crawl_redis_reply *range = &reply->items[index];
    const crawl_redis_reply *first = item_of(range, 0, CRAWL_REDIS_NUMBER);
    const crawl_redis_reply *last = item_of(range, 1, CRAWL_REDIS_NUMBER);
    cw_redis_place place;
    if (!first || !last || first->number < 0 || first->number > last->number || last->number >= CW_REDIS_SLOTS ||
        !read_place(item_of(range, 2, CRAWL_REDIS_ARRAY), &place))
        return CRAWL_EPARSE;
    *out = (cw_redis_range){(unsigned)first->number, (unsigned)last->number, place};
    return CRAWL_OK;
}

/* The host may be an IPv6 address without brackets, so the port follows the last colon. */
crawl_err cw_redis_redirection(crawl_slice error, unsigned *slot, cw_redis_place *out)
{
    enum { DIGITS_MAX = 5 };
    crawl_slice word = cw_cut(&error, ' ');
    crawl_slice number = cw_cut(&error, ' ');
    size_t colon = error.size;
    while (colon > 0 && error.data[colon - 1] != ':')
        colon--;
    crawl_slice port = cw_drop(error, colon);
    if ((!cw_is(word, "MOVED") && !cw_is(word, "ASK")) || !colon || colon - 1 > CW_REDIS_HOST_MAX || !number.size ||
        number.size > DIGITS_MAX || cw_count_digits(number) != number.size || !port.size || port.size > DIGITS_MAX ||
        cw_count_digits(port) != port.size)
        return CRAWL_EPARSE;
    *slot = (unsigned)strtoul(number.data, NULL, 10);
    *out = (cw_redis_place){crawl_slice_of(error.data, colon - 1), (unsigned)strtoul(port.data, NULL, 10)};
    if (cw_is(out->host, "?") || (out->host.size && memchr(out->host.data, 0, out->host.size)))
        out->host.size = 0;
    return *slot < CW_REDIS_SLOTS && redis_slots_is_port(out->port) ? CRAWL_OK : CRAWL_EPARSE;
}
