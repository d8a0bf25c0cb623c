/* One run of bench_filters. Keys are made from a counter, outside the measured time, and added in chunks, one at a time
 * or in batches; then keys are tested, and the newest forgotten. */
#include "bench/programs/filters/filters.h"

#include "bench/programs/keys.h"
#include "bench/programs/measure.h"

#include <math.h>

#define REMEMBERED (128 * CHUNK) /* the newest keys, forgotten at the end */

/* A run; numbers below `made` have been added. */
typedef struct run {
    subject subject;
    uint64_t made, goal, dice, lost;
    double seconds, worst;
    char keys[CHUNK * KEY];
    uint64_t numbers[CHUNK]; /* of the keys of this chunk */
    bool is_new[CHUNK];
    uint8_t fresh[CHUNK];
    uint32_t where[CHUNK];
    uint32_t last_where[REMEMBERED]; /* of the newest, by number; UINT32_MAX: none */
} run;

/* Fills the next operations: each a new key or an earlier one, with equal chance. */
static size_t fill_chunk(run *r)
{
    size_t n = 0;
    for (; n < CHUNK && r->made < r->goal; n++) {
        uint64_t dice = mix(r->dice++);
        bool fresh = r->made == 0 || (dice & 1);
        r->numbers[n] = fresh ? r->made++ : (dice >> 1) % r->made;
        make_key(r->numbers[n], r->keys + n * KEY);
        r->is_new[n] = fresh;
    }
    return n;
}

/* Adds `count` keys from i on in one call. */
static void add_some(run *r, size_t i, size_t count)
{
    const char *keys = r->keys + i * KEY;
    crawl_err err = CRAWL_OK;
    if (!r->subject.bloom) {
        for (size_t k = 0; k < count; k++)
            r->fresh[i + k] = bench_lib_add(&r->subject, keys + k * KEY);
    } else if (count == 1) {
        err = crawl_bloom_add(r->subject.bloom, keys, KEY, &r->where[i]);
        r->fresh[i] = err == CRAWL_OK;
    } else {
        err = crawl_bloom_add_many(r->subject.bloom, keys, KEY, count, r->fresh + i, r->where + i);
    }
    if (err == CRAWL_ENOMEM)
        fail("no memory");
}

static void time_chunk(run *r, size_t n, size_t batch)
{
    double start = clock_of(CLOCK_THREAD_CPUTIME_ID);
    for (size_t i = 0; i < n; i += batch)
        add_some(r, i, n - i < batch ? n - i : batch);
    r->seconds += clock_of(CLOCK_THREAD_CPUTIME_ID) - start;
}

static void time_calls(run *r, size_t n, size_t batch)
{
    double before = clock_of(CLOCK_THREAD_CPUTIME_ID);
    for (size_t i = 0; i < n; i += batch) {
        add_some(r, i, n - i < batch ? n - i : batch);
        double after = clock_of(CLOCK_THREAD_CPUTIME_ID);
        r->worst = fmax(r->worst, after - before);
        before = after;
    }
}

static void note_chunk(run *r, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r->lost += r->is_new[i] && !r->fresh[i];
        if (r->is_new[i])
            r->last_where[r->numbers[i] % REMEMBERED] = r->fresh[i] ? r->where[i] : UINT32_MAX;
    }
}

/* Returns the nanoseconds per test over PROBES tests, of keys that are in or of keys never added, and the share
 * found. */
static double time_tests(run *r, bool in, size_t batch, double *share)
{
    double seconds = 0, found = 0;
    for (uint64_t done = 0; done < PROBES; done += CHUNK) {
        for (uint64_t i = 0; i < CHUNK; i++)
            make_key(in ? mix(done + i) % r->made : ((uint64_t)1 << 60) + done + i, r->keys + i * KEY);
        double start = clock_of(CLOCK_THREAD_CPUTIME_ID);
        for (size_t i = 0; i < CHUNK && r->subject.bloom; i += batch)
            crawl_bloom_test_many(r->subject.bloom, r->keys + i * KEY, KEY, CHUNK - i < batch ? CHUNK - i : batch,
                                  r->fresh + i);
        for (size_t i = 0; i < CHUNK && !r->subject.bloom; i++)
            r->fresh[i] = bench_lib_test(&r->subject, r->keys + i * KEY);
        seconds += clock_of(CLOCK_THREAD_CPUTIME_ID) - start;
        for (size_t i = 0; i < CHUNK; i++)
            found += r->fresh[i];
    }
    *share = found / PROBES;
    return seconds * 1e9 / PROBES;
}

/* Forgets the newest keys. NAN: the kind cannot. */
static double time_forgets(run *r, size_t batch)
{
    uint64_t count = r->made < REMEMBERED ? r->made : REMEMBERED;
    uint64_t first = r->made - count;
    double seconds = 0;
    for (uint64_t done = 0; done < count; done += CHUNK) {
        size_t n = count - done < CHUNK ? (size_t)(count - done) : CHUNK;
        for (size_t i = 0; i < n; i++) {
            make_key(first + done + i, r->keys + i * KEY);
            r->where[i] = r->last_where[(first + done + i) % REMEMBERED];
        }
        double start = clock_of(CLOCK_THREAD_CPUTIME_ID);
        for (size_t i = 0; i < n; i += batch) {
            size_t some = n - i < batch ? n - i : batch;
            const char *keys = r->keys + i * KEY;
            if (!r->subject.bloom ||
                crawl_bloom_forget_many(r->subject.bloom, keys, KEY, some, r->where + i, r->fresh + i))
                return NAN;
        }
        seconds += clock_of(CLOCK_THREAD_CPUTIME_ID) - start;
    }
    return seconds * 1e9 / (double)count;
}

static void note_figures(const run *r, result *out)
{
    crawl_bloom_stats stats = {.count = r->made - r->lost, .filters = 1, .fpr_now = NAN, .expected_false = NAN};
    if (r->subject.bloom)
        crawl_bloom_stats_get(r->subject.bloom, &stats);
    else
        stats.bytes = (uint64_t)bench_lib_bytes(&r->subject);
    out->bits = 8 * (double)stats.bytes / (double)stats.count;
    out->filters = stats.filters;
    out->predicted = stats.fpr_now;
    out->lost = (double)r->lost;
    out->expected = stats.expected_false;
}

/* Adds all keys. each: times every call. */
static run *new_run(const settings *s, int which, uint64_t keys, size_t batch, bool each, uint64_t *operations)
{
    run *r = calloc(1, sizeof *r);
    if (!r)
        fail("no memory");
    if (!bench_open(s, which, keys, &r->subject)) {
        free(r);
        return NULL;
    }
    r->goal = keys;
    *operations = 0;
    for (size_t n; (n = fill_chunk(r)) > 0; *operations += n) {
        (each ? time_calls : time_chunk)(r, n, batch);
        note_chunk(r, n);
    }
    return r;
}

static void end_run(run *r)
{
    bench_close(&r->subject);
    free(r);
}

void bench_run(const settings *s, int which, uint64_t keys, size_t index, result *out)
{
    uint64_t operations;
    double all;
    for (int many = 0; many < 2; many++) {
        run *r = new_run(s, which, keys, many ? s->batch : 1, false, &operations);
        if (!r)
            return;
        out->there = true;
        out->ns[many][index] = r->seconds * 1e9 / (double)operations;
        if (many) {
            note_figures(r, out);
            out->hit[index] = time_tests(r, true, s->batch, &all);
            out->miss[index] = time_tests(r, false, s->batch, &out->rate);
            out->forget[index] = time_forgets(r, s->batch);
        }
        end_run(r);
    }
}

void bench_worst_calls(const settings *s, int which, uint64_t keys, result *out)
{
    uint64_t operations;
    for (int many = 0; many < 2; many++) {
        run *r = s->worst ? new_run(s, which, keys, many ? s->batch : 1, true, &operations) : NULL;
        out->worst[many] = r ? r->worst * 1e3 : NAN;
        if (r)
            end_run(r);
    }
}
