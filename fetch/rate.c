/* See <crawl/fetch.h>. A rate is kept as the moment until which what was taken fills it (the generic cell rate
 * algorithm of ITU-T I.371, continuous-state leaky bucket): each byte moves that moment on by what it is worth. While
 * it lies ahead of now, that much is owed. */
#include <crawl/fetch.h>

#include <stdatomic.h>
#include <stdlib.h>

enum { NS_PER_US = 1000 };
static const int64_t NS_PER_S = 1000000000;

/* What was not taken is given later, up to so much time of it: a loop that came late catches up, and one that had
 * nothing to read for long does not burst. */
static const int64_t CATCH_UP_NS = 100000000;

/* One call counts as no more bytes, so that none overflows: at a byte a second they stand for centuries. */
static const uint64_t MOST_BYTES = UINT64_C(1) << 33;

struct crawl_fetch_rate {
    atomic_uint_fast64_t bytes_per_s; /* 0: no limit */
    atomic_int_fast64_t full_until_ns;
};

crawl_fetch_rate *crawl_fetch_rate_create(uint64_t bytes_per_s)
{
    crawl_fetch_rate *rate = calloc(1, sizeof *rate);
    if (rate)
        atomic_init(&rate->bytes_per_s, bytes_per_s);
    return rate;
}

void crawl_fetch_rate_free(crawl_fetch_rate *rate)
{
    free(rate);
}

/* What is owed was measured by the rate of before, and is forgotten with it. */
void crawl_fetch_rate_set(crawl_fetch_rate *rate, uint64_t bytes_per_s)
{
    if (atomic_exchange(&rate->bytes_per_s, bytes_per_s) != bytes_per_s)
        atomic_store(&rate->full_until_ns, 0);
}

uint64_t crawl_fetch_rate_get(const crawl_fetch_rate *rate)
{
    return rate ? atomic_load_explicit(&rate->bytes_per_s, memory_order_relaxed) : 0;
}

/* The first bytes of a rate have nothing to catch up with. */
static int64_t begin_of(int64_t full_until_ns, int64_t now_ns)
{
    if (full_until_ns == 0)
        return now_ns;
    int64_t earliest = now_ns - CATCH_UP_NS;
    return full_until_ns > earliest ? full_until_ns : earliest;
}

void crawl_fetch_rate_take(crawl_fetch_rate *rate, uint64_t bytes, int64_t now_us)
{
    uint64_t per_s = crawl_fetch_rate_get(rate);
    if (!per_s || !bytes)
        return;
    uint64_t counted = bytes < MOST_BYTES ? bytes : MOST_BYTES;
    int64_t worth_ns = (int64_t)(counted * (uint64_t)NS_PER_S / per_s);
    int_fast64_t before = atomic_load(&rate->full_until_ns);
    int_fast64_t after;
    do
        after = begin_of(before, now_us * NS_PER_US) + worth_ns;
    while (!atomic_compare_exchange_weak(&rate->full_until_ns, &before, after));
}

int64_t crawl_fetch_rate_owed_us(const crawl_fetch_rate *rate, int64_t now_us)
{
    if (!crawl_fetch_rate_get(rate))
        return 0;
    int64_t owed_ns = atomic_load(&rate->full_until_ns) - now_us * NS_PER_US;
    return owed_ns > 0 ? (owed_ns + NS_PER_US - 1) / NS_PER_US : 0;
}
