/* Looks up one request and its host, for users. */
#include "shared/protocol/protocol_state.h"

#include "base/bytes.h"

#include <stdlib.h>

typedef struct find {
    cw_shared *shared;
    cw_shared_found_one *done;
    void *user;
} find;

enum { NOW, LINK, LINKS, NEWEST, REQUEST, IS_WHOLE, HOST, WORDS };
enum { WHERE, BEFORE, DATE, BYTES, REQUEST_WORDS };
enum { IS_KNOWN, WORKER, DEADLINE, OPEN, PAUSE, RECORD, HOST_WORDS };

static bool is_array(const crawl_redis_reply *reply, size_t count)
{
    return reply && reply->type == CRAWL_REDIS_ARRAY && reply->count == count;
}

/* Returns the rate of a link with its present number of keys. */
static double protocol_find_rate_of(const cw_shared *shared, int64_t number, int64_t links, int64_t newest)
{
    if (shared->options.seen != CW_SHARED_SCALABLE || number < 0 || number >= CW_SHARED_LINKS)
        return 0;
    cw_shared_link link =
        cw_shared_link_of((unsigned)number, shared->options.rate, shared->options.capacity / CW_SHARED_PARTITIONS);
    return cw_shared_link_rate(link, number + 1 < links ? link.capacity : (double)newest);
}

static bool read_where(crawl_slice word, cw_shared_where *out)
{
    static const char *const words[] = {
        [CW_SHARED_NOWHERE] = "", [CW_SHARED_READY] = "ready", [CW_SHARED_DATED] = "dated", [CW_SHARED_HELD] = "held"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (cw_is(word, words[i])) {
            *out = (cw_shared_where)i;
            return true;
        }
    return false;
}

static bool protocol_find_read_request(const crawl_redis_reply *said, cw_shared_found *out)
{
    if (!is_array(said, REQUEST_WORDS) || said->items[WHERE].type != CRAWL_REDIS_TEXT)
        return false;
    out->before = (uint64_t)cw_shared_number(&said->items[BEFORE], 0);
    out->at_ms = cw_shared_number(&said->items[DATE], 0);
    out->bytes = cw_shared_text_of(&said->items[BYTES]);
    return read_where(said->items[WHERE].text, &out->where);
}

static bool protocol_find_read_host(const crawl_redis_reply *said, cw_shared_found *out)
{
    if (!is_array(said, HOST_WORDS))
        return false;
    out->is_known = cw_shared_number(&said->items[IS_KNOWN], 0) == 1;
    out->worker = cw_shared_text_of(&said->items[WORKER]);
    out->until_ms = cw_shared_number(&said->items[DEADLINE], 0);
    out->open_ms = cw_shared_number(&said->items[OPEN], 0);
    out->pause_ms = cw_shared_number(&said->items[PAUSE], 0);
    out->record = cw_shared_text_of(&said->items[RECORD]);
    return true;
}

static bool read_found(const cw_shared *shared, const crawl_redis_reply *said, cw_shared_found *out)
{
    if (!is_array(said, WORDS))
        return false;
    int64_t link = cw_shared_number(&said->items[LINK], -1);
    int64_t links = cw_shared_number(&said->items[LINKS], 0);
    out->now_ms = cw_shared_number(&said->items[NOW], 0);
    out->is_seen = link >= 0;
    out->link = link < 0 ? 0 : (unsigned)link;
    out->links = links < 0 ? 0 : (unsigned)links;
    out->rate = protocol_find_rate_of(shared, link, links, cw_shared_number(&said->items[NEWEST], 0));
    out->is_whole = cw_shared_number(&said->items[IS_WHOLE], 0) == 1;
    return protocol_find_read_request(&said->items[REQUEST], out) && protocol_find_read_host(&said->items[HOST], out);
}

static void protocol_find_on_found(void *user, const crawl_redis_answer *said)
{
    find *f = user;
    cw_shared_found found = {.fault = said->fault, .words = said->words};
    if (!said->fault && !read_found(f->shared, said->reply, &found)) {
        found.fault = CRAWL_REDIS_PROTOCOL;
        found.words = CW_SHARED_STRANGE;
    }
    f->done(f->user, &found);
    free(f);
}

crawl_err cw_shared_find(cw_shared *shared, crawl_slice origin, const uint8_t *print, crawl_slice begins,
                         cw_shared_found_one *done, void *user)
{
    enum { OWN_WORDS = 6 };
    cw_shared_words words;
    uint8_t key[CW_SHARED_PRINT];
    find *f = malloc(sizeof *f);
    if (!f)
        return CRAWL_ENOMEM;
    *f = (find){.shared = shared, .done = done, .user = user};
    crawl_err err = cw_shared_words_make(shared, cw_shared_partition(origin), OWN_WORDS, &words);
    if (!err) {
        cw_shared_write_key(shared, print, key);
        cw_shared_add(&words, crawl_slice_from(cw_shared_seen_word(shared)));
        cw_shared_add(&words, crawl_slice_of(shared->sizes, sizeof shared->sizes));
        cw_shared_add(&words, origin);
        cw_shared_add(&words, crawl_slice_of((const char *)key, sizeof key));
        cw_shared_add(&words, begins);
        cw_shared_add_number(&words, CW_SHARED_FIND_MAX);
        err = cw_shared_send(shared, CW_SHARED_FIND, &words, protocol_find_on_found, f);
    }
    if (err)
        free(f);
    return err;
}
