/* Sends Lua scripts by their SHA-1, and as a whole if the server does not know them. */
#include "redis/client.h"

#include "base/bytes.h"
#include <crawl/sys/redis.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIXED = 3 /* EVALSHA, the script, the number of keys */ };

struct crawl_redis_script {
    char sha1[41];
    crawl_buf text;
};

crawl_err crawl_redis_script_create(const char *name, unsigned version, const char *text, crawl_redis_script **out)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    crawl_redis_script *script = calloc(1, sizeof *script);
    if (!script)
        return CRAWL_ENOMEM;
    bool made = crawl_buf_printf(&script->text, "-- crawl %s %u\n%s", name, version, text) == CRAWL_OK &&
                EVP_Digest(script->text.data, script->text.size, digest, NULL, EVP_sha1(), NULL) == 1;
    if (!made) {
        crawl_redis_script_free(script);
        return CRAWL_ENOMEM;
    }
    cw_hex_encode(digest, 20, script->sha1);
    *out = script;
    return CRAWL_OK;
}

void crawl_redis_script_free(crawl_redis_script *script)
{
    if (!script)
        return;
    crawl_buf_free(&script->text);
    free(script);
}

/* A call that may have to be made a second time. It keeps its arguments in one block of memory. */
typedef struct call {
    crawl_redis *redis;
    const crawl_redis_script *script;
    crawl_redis_done done;
    void *user;
    char keys[12];
    size_t count;
    crawl_slice *arguments; /* the first FIXED are the command's own */
} call;

static void free_call(call *c)
{
    free(c->arguments);
    free(c);
}

/* Ends the call: the server knows the script now. */
static void on_second(void *user, const crawl_redis_answer *said)
{
    call *c = user;
    c->done(c->user, said);
    free_call(c);
}

static void script_on_first(void *user, const crawl_redis_answer *said)
{
    call *c = user;
    if (said->fault != CRAWL_REDIS_NOSCRIPT) {
        on_second(user, said);
        return;
    }
    c->arguments[0] = crawl_slice_from("EVAL");
    c->arguments[1] = crawl_buf_slice(&c->script->text);
    if (cw_redis_send_past(c->redis, c->arguments, c->count, on_second, c))
        on_second(c, said);
}

static call *script_make_call(const crawl_slice *arguments, size_t count)
{
    call *c = calloc(1, sizeof *c);
    size_t size = (FIXED + count) * sizeof *arguments;
    for (size_t i = 0; i < count; i++)
        size += arguments[i].size;
    if (!c)
        return NULL;
    c->count = FIXED + count;
    c->arguments = malloc(size);
    if (!c->arguments) {
        free(c);
        return NULL;
    }
    char *at = (char *)(c->arguments + c->count);
    for (size_t i = 0; i < count; i++) {
        if (arguments[i].size)
            memcpy(at, arguments[i].data, arguments[i].size);
        c->arguments[FIXED + i] = crawl_slice_of(at, arguments[i].size);
        at += arguments[i].size;
    }
    return c;
}

crawl_err crawl_redis_eval(crawl_redis *redis, const crawl_redis_script *script, size_t keys,
                           const crawl_slice *arguments, size_t count, crawl_redis_done done, void *user)
{
    call *c = script_make_call(arguments, count);
    if (!c)
        return CRAWL_ENOMEM;
    c->redis = redis;
    c->script = script;
    c->done = done;
    c->user = user;
    snprintf(c->keys, sizeof c->keys, "%zu", keys);
    c->arguments[0] = crawl_slice_from("EVALSHA");
    c->arguments[1] = crawl_slice_from(script->sha1);
    c->arguments[2] = crawl_slice_from(c->keys);
    crawl_err err = crawl_redis_send(redis, c->arguments, c->count, script_on_first, c);
    if (err)
        free_call(c);
    return err;
}
