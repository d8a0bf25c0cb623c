/* Tells changes of the cookies that all workers share, and reads the cookies of a host. jar.lua has their format. */
#include "shared/protocol/protocol_state.h"

#include "base/bytes.h"

#include <stdio.h>
#include <stdlib.h>

enum { HEAD_SIZE = 18, COOKIE_SIZE = 21, OWN_WORDS = 3, CHANGE_WORDS = 6 };

/* ---- reading ---- */

typedef struct jar_call {
    cw_shared_on_jars *done;
    void *user;
} jar_call;

/* Takes a text and the size before it. False: it is incomplete. */
static bool protocol_cookies_take_text(crawl_slice *rest, crawl_slice *out)
{
    const char *at = rest->data;
    if (rest->size < 2)
        return false;
    size_t size = (size_t)cw_le_get(&at, 2);
    *rest = cw_drop(*rest, 2);
    if (size > rest->size)
        return false;
    *out = cw_take(rest, size);
    return true;
}

static bool protocol_cookies_is_date(uint64_t ms)
{
    return ms <= (uint64_t)CW_SHARED_MS_MAX;
}

static bool take_cookie(crawl_slice *rest, crawl_shared_cookie *out)
{
    const char *at = rest->data;
    if (rest->size < COOKIE_SIZE)
        return false;
    uint64_t set = cw_le_get(&at, 8);
    uint64_t expires = cw_le_get(&at, 8);
    out->flags = (unsigned)cw_le_get(&at, 1);
    out->set_ms = (int64_t)set;
    out->expires_ms = (int64_t)expires;
    *rest = cw_drop(*rest, 17);
    return protocol_cookies_is_date(set) && protocol_cookies_is_date(expires) &&
           protocol_cookies_take_text(rest, &out->id) && protocol_cookies_take_text(rest, &out->value) && out->id.size;
}

/* Reads the text of a host into *out; the caller frees its cookies. False: not such a text, or out of memory. */
static bool read_jar(crawl_slice host, crawl_slice text, cw_shared_jar *out)
{
    crawl_slice site;
    const char *at = text.data;
    out->host = host;
    if (!text.size)
        return true;
    if (text.size < HEAD_SIZE)
        return false;
    out->version = cw_le_get(&at, 8);
    text = cw_drop(text, 16);
    if (!protocol_cookies_take_text(&text, &site))
        return false;
    crawl_shared_cookie *cookies = calloc(text.size / COOKIE_SIZE + 1, sizeof *cookies);
    out->cookies = cookies;
    for (; cookies && text.size; out->count++) {
        cookies[out->count] = (crawl_shared_cookie){.site = site, .host = host};
        if (!take_cookie(&text, &cookies[out->count]))
            return false;
    }
    return cookies;
}

static bool protocol_cookies_is_text(const crawl_redis_reply *reply)
{
    return reply->type == CRAWL_REDIS_TEXT;
}

/* Reads pairs of a host and its text, from item `first` on. */
static bool read_jars(const crawl_redis_reply *reply, size_t first, cw_shared_jar *jars, size_t *count)
{
    for (size_t i = first; i < reply->count; i += 2) {
        const crawl_redis_reply *pair = &reply->items[i];
        bool fine = protocol_cookies_is_text(&pair[0]) && protocol_cookies_is_text(&pair[1]) && pair[0].text.size;
        if (!fine || !read_jar(pair[0].text, pair[1].text, &jars[(*count)++]))
            return false;
    }
    return true;
}

static void protocol_cookies_tell(jar_call *c, const crawl_redis_reply *reply, size_t first)
{
    bool is_array = reply->type == CRAWL_REDIS_ARRAY && reply->count >= first && (reply->count - first) % 2 == 0;
    size_t most = is_array ? reply->count / 2 : 0;
    cw_shared_jar *jars = calloc(most + 1, sizeof *jars);
    cw_shared_jars said = {.words = "", .jars = jars};
    said.now_ms = first ? cw_shared_number(cw_shared_item_of(reply, 0), -1) : 0;
    if (!is_array || !jars || said.now_ms < 0 || !read_jars(reply, first, jars, &said.count))
        said = (cw_shared_jars){.fault = CRAWL_REDIS_PROTOCOL, .words = CW_SHARED_STRANGE};
    c->done(c->user, &said);
    for (size_t i = 0; jars && i < most; i++)
        free((crawl_shared_cookie *)jars[i].cookies);
    free(jars);
}

static void protocol_cookies_answer(jar_call *c, const crawl_redis_answer *said, size_t first)
{
    const cw_shared_jars fault = {.fault = said->fault, .words = said->words};
    if (said->fault)
        c->done(c->user, &fault);
    else
        protocol_cookies_tell(c, said->reply, first);
    free(c);
}

static void protocol_cookies_on_told(void *user, const crawl_redis_answer *said)
{
    protocol_cookies_answer(user, said, 1);
}

static void on_all(void *user, const crawl_redis_answer *said)
{
    protocol_cookies_answer(user, said, 0);
}

static jar_call *protocol_cookies_make_call(cw_shared_on_jars *done, void *user)
{
    jar_call *c = malloc(sizeof *c);
    if (c)
        *c = (jar_call){.done = done, .user = user};
    return c;
}

crawl_err cw_shared_all_cookies(cw_shared *shared, unsigned partition, cw_shared_on_jars *done, void *user)
{
    char key[CW_SHARED_NAME_MAX + 32];
    if (partition >= CW_SHARED_PARTITIONS)
        return CRAWL_EINVAL;
    jar_call *c = protocol_cookies_make_call(done, user);
    if (!c)
        return CRAWL_ENOMEM;
    snprintf(key, sizeof key, "{%s:%u}:cookies", shared->options.name, partition);
    crawl_err err = crawl_redis_send_texts(shared->options.redis, on_all, c, "HGETALL", key, NULL);
    if (err)
        free(c);
    return err;
}

/* ---- telling ---- */

static bool fits(const cw_shared_jar *known, size_t known_count, const crawl_shared_cookie *changes,
                 size_t change_count)
{
    bool fit = known_count <= CW_SHARED_COOKIE_HOSTS_MAX && change_count <= CW_SHARED_COOKIE_CHANGES_MAX;
    for (size_t i = 0; i < known_count && fit; i++)
        fit = known[i].host.size;
    for (size_t i = 0; i < change_count && fit; i++)
        fit = changes[i].host.size && changes[i].id.size && changes[i].id.size <= CW_SHARED_COOKIE_TEXT_MAX &&
              changes[i].value.size <= CW_SHARED_COOKIE_TEXT_MAX &&
              protocol_cookies_is_date((uint64_t)changes[i].set_ms) &&
              protocol_cookies_is_date((uint64_t)changes[i].expires_ms);
    return fit;
}

static void protocol_cookies_add_changes(cw_shared_words *words, const crawl_shared_cookie *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cw_shared_add(words, changes[i].host);
        cw_shared_add(words, changes[i].id);
        cw_shared_add_number(words, changes[i].set_ms);
        cw_shared_add_number(words, changes[i].expires_ms);
        cw_shared_add_number(words, changes[i].flags);
        cw_shared_add(words, changes[i].value);
    }
}

crawl_err cw_shared_tell_cookies(cw_shared *shared, crawl_slice site, uint64_t room, const cw_shared_jar *known,
                                 size_t known_count, const crawl_shared_cookie *changes, size_t change_count,
                                 cw_shared_on_jars *done, void *user)
{
    cw_shared_words words;
    if (!fits(known, known_count, changes, change_count))
        return CRAWL_EINVAL;
    jar_call *c = protocol_cookies_make_call(done, user);
    if (!c)
        return CRAWL_ENOMEM;
    crawl_err err = cw_shared_words_make(shared, cw_shared_partition(site),
                                         OWN_WORDS + 2 * known_count + CHANGE_WORDS * change_count, &words);
    if (!err) {
        cw_shared_add_number(&words, (int64_t)(room < (uint64_t)CW_SHARED_MS_MAX ? room : CW_SHARED_MS_MAX));
        cw_shared_add(&words, site);
        cw_shared_add_number(&words, (int64_t)known_count);
        for (size_t i = 0; i < known_count; i++) {
            cw_shared_add(&words, known[i].host);
            cw_shared_add_number(&words, (int64_t)known[i].version);
        }
        protocol_cookies_add_changes(&words, changes, change_count);
        err = cw_shared_send(shared, CW_SHARED_COOKIES, &words, protocol_cookies_on_told, c);
    }
    if (err)
        free(c);
    return err;
}

/* ---- stirs ---- */

#define STIRS "cookie_stirs"

crawl_err cw_shared_stir_cookies(cw_shared *shared, const unsigned *numbers, size_t count, crawl_redis_done done,
                                 void *user)
{
    enum { WORDS = 4, MOST = 2 + WORDS * CW_SHARED_PARTITIONS };
    char key[CW_SHARED_KEY_MAX];
    char places[CW_SHARED_PARTITIONS][16];
    crawl_slice words[MOST] = {crawl_slice_from("BITFIELD")};
    size_t used = 2;
    if (count > CW_SHARED_PARTITIONS)
        return CRAWL_EINVAL;
    cw_shared_write_key_of(shared, CW_SHARED_WHOLE, STIRS, key);
    words[1] = crawl_slice_from(key);
    for (size_t i = 0; i < count; i++) {
        snprintf(places[i], sizeof places[i], "#%u", numbers[i]);
        words[used++] = crawl_slice_from("INCRBY");
        words[used++] = crawl_slice_from("u16");
        words[used++] = crawl_slice_from(places[i]);
        words[used++] = crawl_slice_from("1");
    }
    return crawl_redis_send(shared->options.redis, words, used, done, user);
}

crawl_err cw_shared_read_cookie_stirs(cw_shared *shared, crawl_redis_done done, void *user)
{
    return cw_shared_get(shared, STIRS, done, user);
}
