/* Times the signatures of <crawl/identity.h>: the cost of signing a request in each form, the signature of bytes alone,
 * and the cost of verifying a request.
 *
 *   bench_identity [COUNT]
 *
 * Each request has another URL, of a common length. Times are processor time of one thread, medians of some rounds,
 * with the number of instructions if the kernel allows counting. */
#include "bench/programs/measure.h"
#include "fetch/identity/public_key.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>

#define NOW ((int64_t)1795000000)
#define ROUNDS 5

typedef struct subject {
    const crawl_identity *key;
    crawl_signing signing;
    crawl_keys *keys;
    crawl_header headers[4]; /* of the request to verify */
    crawl_message signed_one;
    crawl_buf lines;
} subject;

/* Opens a counter of user-space instructions; -1: not allowed. */
static int open_counter(void)
{
    struct perf_event_attr wanted = {.type = PERF_TYPE_HARDWARE,
                                     .size = sizeof wanted,
                                     .config = PERF_COUNT_HW_INSTRUCTIONS,
                                     .exclude_kernel = 1,
                                     .exclude_hv = 1};
    return (int)syscall(SYS_perf_event_open, &wanted, 0, -1, -1, 0);
}

static long long read_counter(int counter)
{
    long long value = 0;
    return counter >= 0 && read(counter, &value, sizeof value) == sizeof value ? value : 0;
}

static double processor_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* ---- measured operations ---- */

static void sign_bytes(subject *s, unsigned number)
{
    uint8_t signature[CRAWL_IDENTITY_SIGNATURE_SIZE];
    char base[500] = {(char)number, (char)(number >> 8)};
    if (cw_identity_sign_bytes(s->key, crawl_slice_of(base, sizeof base), signature))
        fail("no signature");
}

static void sign_request(subject *s, unsigned number)
{
    char url[96];
    int size =
        snprintf(url, sizeof url, "https://shop.example/catalog/of/things/%08u.html?page=%u", number, number % 7);
    const crawl_message request = {.size = sizeof request, .url = crawl_slice_of(url, (size_t)size)};
    crawl_buf_clear(&s->lines);
    if (crawl_sign(&s->signing, &request, NOW, &s->lines, NULL))
        fail("no signature");
}

static void sign_in_full(subject *s, unsigned number)
{
    s->signing.components = CRAWL_SIGNING_FULL;
    sign_request(s, number);
}

static void sign_the_least(subject *s, unsigned number)
{
    s->signing.components = CRAWL_SIGNING_MINIMAL;
    sign_request(s, number);
}

static void verify(subject *s, unsigned number)
{
    crawl_verification found;
    (void)number;
    if (crawl_verify(&s->signed_one, s->keys, NOW, &found) || found.verdict != CRAWL_VERIFIED)
        fail("not verified");
}

static const struct {
    const char *name;
    void (*run)(subject *s, unsigned number);
} rows[] = {
    {"500 bytes, Ed25519 alone", sign_bytes},
    {"a request, components full", sign_in_full},
    {"a request, components minimal", sign_the_least},
    {"a request verified", verify},
};

/* ---- the table ---- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(subject *s, size_t row, unsigned count, int counter)
{
    double us[ROUNDS], instructions[ROUNDS];
    for (unsigned i = 0; i < count / 10; i++)
        rows[row].run(s, i);
    for (unsigned round = 0; round < ROUNDS; round++) {
        double before = processor_us();
        long long counted = read_counter(counter);
        for (unsigned i = 0; i < count; i++)
            rows[row].run(s, i);
        instructions[round] = (double)(read_counter(counter) - counted) / count;
        us[round] = (processor_us() - before) / count;
    }
    qsort(us, ROUNDS, sizeof *us, compare);
    qsort(instructions, ROUNDS, sizeof *instructions, compare);
    printf("%-32s %8.1f us", rows[row].name, us[ROUNDS / 2]);
    if (counter >= 0)
        printf(" %10.0f instructions", instructions[ROUNDS / 2]);
    printf("\n");
}

/* Signs the request to verify. */
static void prepare(subject *s, crawl_buf *kept)
{
    crawl_buf json = {0};
    static const char url[] = "https://shop.example/catalog/of/things/00000001.html?page=1";
    s->signed_one = (crawl_message){.size = sizeof s->signed_one, .url = crawl_slice_from(url), .headers = s->headers};
    if (crawl_sign(&s->signing, &s->signed_one, NOW, kept, NULL) || crawl_directory_write(&s->key, 1, &json) ||
        crawl_keys_parse(crawl_slice_of(json.data, json.size), &s->keys, NULL))
        fail("no memory");
    for (char *at = kept->data; *at; s->signed_one.header_count++) {
        char *colon = strchr(at, ':'), *end = strchr(at, '\n');
        s->headers[s->signed_one.header_count] = (crawl_header){crawl_slice_of(at, (size_t)(colon - at)),
                                                                crawl_slice_of(colon + 2, (size_t)(end - colon) - 2)};
        at = end + 1;
    }
    crawl_buf_free(&json);
}

int main(int argc, char **argv)
{
    crawl_identity *key;
    unsigned count = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 20000;
    int counter = open_counter();
    crawl_buf kept = {0};
    if (count < 10 || crawl_identity_generate(&key))
        fail("no count, or no key");
    subject s = {.key = key,
                 .signing = {.size = sizeof s.signing,
                             .identity = key,
                             .agent = "https://bot.example" CRAWL_IDENTITY_WELL_KNOWN}};
    prepare(&s, &kept);
    printf("%u times each, the median of %d rounds\n", count, ROUNDS);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        measure(&s, i, count, counter);
    crawl_keys_free(s.keys);
    crawl_buf_free(&s.lines);
    crawl_buf_free(&kept);
    crawl_identity_free(key);
    return 0;
}
