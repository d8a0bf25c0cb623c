/* Any bytes as the file of a filter. They go to crawl_bloom_load unchanged. Then the checksums and positions that stop
 * a fuzzer are corrected, as an attacker would do, and the filter is mapped and used: with any numbers and data it may
 * give any answer, but must neither crash nor run for ever. If its data passed the check, it must also know keys added
 * a moment ago, and what it saves must pass the check again. */
#include <crawl/bloom.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/programs/keys.h"
#include "bloom/files/file_layout.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define CHECK(condition)  \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

#define KEY 20
#define KEYS 300
#define IMAGE_MOST ((size_t)1 << 20)

/* A file in memory to read from, and a path to save to. */
static int file = -1;
static char path[64];
static char folder[64];
static char saved[96];

static void clean_up(void)
{
    unlink(saved);
    rmdir(folder);
}

static void set_up(void)
{
    file = memfd_create("filter", 0);
    CHECK(file >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    strcpy(folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/fuzz-filter-XXXXXX" : "/tmp/fuzz-filter-XXXXXX");
    CHECK(mkdtemp(folder));
    snprintf(saved, sizeof saved, "%s/filter", folder);
    atexit(clean_up);
}

static void write_file(const uint8_t *data, size_t size)
{
    CHECK(ftruncate(file, 0) == 0);
    CHECK(pwrite(file, data, size, 0) == (ssize_t)size);
}

/* The file made from an input. */
typedef struct image {
    uint8_t bytes[IMAGE_MOST];
    size_t size;
} image;

/* An array has the bytes at its place in the input, or zeros, ones or noise if the input is too short. So an input of
 * little more than a header can stand for a large file. */
static void fill_array(const cw_file_array *array, const uint8_t *data, size_t size, uint64_t dice, uint8_t *out)
{
    if (array->offset <= size && array->bytes <= size - array->offset) {
        memcpy(out, data + array->offset, array->bytes);
        return;
    }
    memset(out, dice % 3 == 1 ? 0xff : 0, array->bytes);
    for (size_t i = 0; i + 8 <= array->bytes && dice % 3 == 2; i += 8) {
        uint64_t noise = mix(dice + i) & mix(dice + i + 1) & mix(dice + (i >> 9)); /* few bits here, more there */
        memcpy(out + i, &noise, sizeof noise);
    }
}

/* Puts all arrays in their places with correct checksums. False: larger than an image. */
static bool lay_out(const cw_file_head *head, const uint8_t *data, size_t size, image *out)
{
    uint64_t dice = XXH3_64bits(data, size);
    bool large = false;
    out->size = head->header_bytes;
    for (uint64_t i = 0; i < head->arrays; i++) {
        uint8_t *entry = out->bytes + sizeof *head + cw_file_label_bytes(head->version) + 8 * head->numbers +
                         sizeof(cw_file_array) * i;
        cw_file_array array;
        memcpy(&array, entry, sizeof array);
        uint64_t offset = cw_file_offset(out->size, large, array.bytes);
        if (offset > sizeof out->bytes || array.bytes > sizeof out->bytes - offset)
            return false;
        memset(out->bytes + out->size, 0, offset - out->size);
        fill_array(&array, data, size, dice, out->bytes + offset);
        array.offset = offset;
        array.sum = XXH3_64bits(out->bytes + offset, array.bytes);
        memcpy(entry, &array, sizeof array);
        out->size = offset + array.bytes;
        large = array.bytes >= CW_FILE_PAGE;
    }
    return true;
}

/* False: no file can be made of it. */
static bool fix(const uint8_t *data, size_t size, image *out)
{
    static const unsigned char magic[] = CW_FILE_MAGIC;
    cw_file_head head;
    if (size < sizeof head)
        return false;
    memcpy(&head, data, sizeof head);
    memcpy(head.magic, magic, sizeof head.magic);
    head.order = CW_FILE_ORDER;
    head.version = head.version == CW_FILE_VERSION_LABELLED ? CW_FILE_VERSION_LABELLED : CW_FILE_VERSION_PLAIN;
    if (head.numbers > size / 8 || head.arrays > size / 8)
        return false;
    head.header_bytes = cw_file_header_bytes(head.version, head.numbers, head.arrays);
    if (head.header_bytes > size || size > sizeof out->bytes)
        return false;
    memcpy(out->bytes, data, head.header_bytes);
    if (!lay_out(&head, data, size, out))
        return false;
    head.file_bytes = out->size;
    memcpy(out->bytes, &head, sizeof head);
    uint64_t sum = XXH3_64bits(out->bytes, head.header_bytes - sizeof sum);
    memcpy(out->bytes + head.header_bytes - sizeof sum, &sum, sizeof sum);
    return true;
}

static void make_keys(uint64_t first, char *keys)
{
    for (uint64_t i = 0; i < KEYS; i++) {
        memset(keys + i * KEY, 0, KEY);
        memcpy(keys + i * KEY, &(uint64_t){first + i}, 8);
    }
}

static void add_and_forget(crawl_bloom *bloom, const char *keys, bool valid)
{
    for (size_t i = 0; i < KEYS; i++) {
        uint32_t where = 0;
        crawl_err err = crawl_bloom_add(bloom, keys + i * KEY, KEY, &where);
        CHECK(err == CRAWL_OK || err == CRAWL_EXISTS || err == CRAWL_ENOMEM);
        crawl_err now = crawl_bloom_test(bloom, keys + i * KEY, KEY);
        CHECK(!valid || err == CRAWL_ENOMEM || now == CRAWL_EXISTS);
        if (err == CRAWL_OK && i % 3 == 0)
            crawl_bloom_forget(bloom, keys + i * KEY, KEY, where);
        if (i % 7 == 0)
            crawl_bloom_forget(bloom, keys + i * KEY, KEY, (uint32_t)i);
        if (i % 100 == 0)
            crawl_bloom_advance(bloom, (uint64_t)i << (i / 4));
    }
}

static void look_at_figures(const crawl_bloom *bloom)
{
    crawl_bloom_stats stats, one;
    crawl_bloom_stats_get(bloom, &stats);
    CHECK(stats.filters > 0 && stats.fill >= 0 && stats.fpr_now >= 0 && stats.fpr_now <= 1 + 1e-9);
    for (uint32_t f = 0; f < stats.filters && f < 100; f++)
        CHECK(crawl_bloom_stats_of(bloom, f, &one) == CRAWL_OK);
    CHECK(crawl_bloom_stats_of(bloom, stats.filters, &one) == CRAWL_EINVAL);
}

static void use(crawl_bloom *bloom, bool valid)
{
    char keys[KEYS * KEY];
    uint8_t answers[KEYS];
    uint32_t where[KEYS];
    look_at_figures(bloom);
    make_keys(0, keys);
    crawl_bloom_test_many(bloom, keys, KEY, KEYS, answers);
    add_and_forget(bloom, keys, valid);
    make_keys(KEYS, keys);
    crawl_err err = crawl_bloom_add_many(bloom, keys, KEY, KEYS, answers, where);
    CHECK(err == CRAWL_OK || err == CRAWL_ENOMEM);
    for (size_t i = 0; i < KEYS; i += 2) {
        if (answers[i])
            crawl_bloom_forget(bloom, keys + i * KEY, KEY, where[i]);
    }
    look_at_figures(bloom);
}

/* A filter that was valid must be valid after saving. */
static void save_and_open(const crawl_bloom *bloom, bool valid)
{
    crawl_bloom *again = NULL;
    crawl_error error = {0};
    CHECK(crawl_bloom_save(bloom, saved, NULL) == CRAWL_OK);
    if (crawl_bloom_load(saved, &again, &error) && valid) {
        fprintf(stderr, "%s: %s\n", crawl_bloom_kind_name(crawl_bloom_kind_of(bloom)), error.message);
        abort();
    }
    crawl_bloom_free(again);
}

static void open_fixed(const uint8_t *data, size_t size)
{
    static image made;
    crawl_bloom *bloom;
    if (!fix(data, size, &made))
        return;
    write_file(made.bytes, made.size);
    if (crawl_bloom_map(path, &bloom, NULL))
        return;
    CHECK((unsigned)crawl_bloom_kind_of(bloom) < CRAWL_BLOOM_KINDS);
    use(bloom, false);
    save_and_open(bloom, false);
    crawl_bloom_free(bloom);
    if (crawl_bloom_load(path, &bloom, NULL))
        return;
    use(bloom, true);
    save_and_open(bloom, true);
    crawl_bloom_free(bloom);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    crawl_bloom *bloom = NULL;
    if (file < 0)
        set_up();
    write_file(data, size);
    crawl_bloom_load(path, &bloom, NULL);
    crawl_bloom_free(bloom);
    open_fixed(data, size);
    return 0;
}
