/* The filter that bench_filters times: one of this library, or libbloom's if the build has found it. */
#include "bench/programs/filters/filters.h"

#include "bench/programs/keys.h"
#include "bench/programs/measure.h"

const char *bench_name(int which)
{
    return which == LIBBLOOM ? "libbloom" : crawl_bloom_kind_name((crawl_bloom_kind)which);
}

static bool open_ours(const settings *s, int which, uint64_t keys, subject *out)
{
    crawl_bloom_options options = s->options;
    crawl_error error;
    options.kind = (crawl_bloom_kind)which;
    if (options.kind == CRAWL_BLOOM_CLASSIC || options.kind == CRAWL_BLOOM_ROTATING)
        options.capacity = keys;
    crawl_err err = crawl_bloom_create(&options, &out->bloom, &error);
    if (err && err != CRAWL_EINVAL)
        fail(error.message);
    return err == CRAWL_OK;
}

#ifdef BENCH_LIBBLOOM

bool bench_open(const settings *s, int which, uint64_t keys, subject *out)
{
    *out = (subject){0};
    if (which != LIBBLOOM)
        return open_ours(s, which, keys, out);
    return keys <= INT32_MAX && bloom_init(&out->lib, (int)keys, s->options.fpr) == 0;
}

void bench_close(subject *x)
{
    if (x->bloom)
        crawl_bloom_free(x->bloom);
    else
        bloom_free(&x->lib);
}

bool bench_lib_add(subject *x, const char *key)
{
    return bloom_add(&x->lib, key, KEY) == 0;
}

bool bench_lib_test(subject *x, const char *key)
{
    return bloom_check(&x->lib, key, KEY) == 1;
}

double bench_lib_bytes(const subject *x)
{
    return x->lib.bytes;
}

#else

bool bench_open(const settings *s, int which, uint64_t keys, subject *out)
{
    *out = (subject){0};
    return which != LIBBLOOM && open_ours(s, which, keys, out);
}

void bench_close(subject *x)
{
    crawl_bloom_free(x->bloom);
}

bool bench_lib_add(subject *x, const char *key)
{
    (void)x, (void)key;
    return false;
}

bool bench_lib_test(subject *x, const char *key)
{
    (void)x, (void)key;
    return false;
}

double bench_lib_bytes(const subject *)
{
    return 0;
}

#endif
