/* Files with random damage, 10,000 of every kind: crawl_bloom_load refuses each with a reason, and none does harm. */
#include "files.h"

#include <sys/mman.h>

#define MUTATIONS 10000

typedef struct dice {
    uint64_t state;
} dice;

static uint64_t roll(dice *d, uint64_t sides)
{
    return mix(d->state++) % sides;
}

/* Returns a place to damage. Half of all damage hits the header, a small part of the file. */
static size_t somewhere(dice *d, const crawl_buf *image)
{
    return (size_t)roll(d, roll(d, 2) && image->size > 256 ? 256 : image->size);
}

static void flip_bits(dice *d, crawl_buf *image)
{
    for (uint64_t n = 1 + roll(d, 4); n; n--)
        image->data[somewhere(d, image)] ^= (char)(1 << roll(d, 8));
}

static void cut(dice *d, crawl_buf *image)
{
    image->size = somewhere(d, image);
}

static void lengthen(dice *d, crawl_buf *image)
{
    for (uint64_t n = 1 + roll(d, 100); n; n--)
        crawl_buf_append_char(image, (char)roll(d, roll(d, 2) ? 1 : 256));
}

static void swap_bytes(dice *d, crawl_buf *image)
{
    size_t a = somewhere(d, image), b = somewhere(d, image);
    char c = image->data[a];
    image->data[a] = image->data[b];
    image->data[b] = c;
}

static void change_version(dice *d, crawl_buf *image)
{
    uint32_t version = (uint32_t)roll(d, 2) ? (uint32_t)roll(d, 5) : (uint32_t)mix(d->state++);
    memcpy(image->data + 12, &version, sizeof version);
}

/* Writes zeros, ones, noise, or bytes from elsewhere in the file. */
static void overwrite(dice *d, crawl_buf *image)
{
    size_t at = somewhere(d, image), size = (size_t)roll(d, 300), from = (size_t)roll(d, image->size);
    size = size < image->size - at ? size : image->size - at;
    size = size < image->size - from ? size : image->size - from;
    uint64_t how = roll(d, 4);
    if (how == 3)
        memmove(image->data + at, image->data + from, size);
    for (size_t i = 0; i < size && how < 3; i++)
        image->data[at + i] = (char)(how == 0 ? 0 : how == 1 ? 0xff : roll(d, 256));
}

/* Removes a piece, and moves up the rest. */
static void remove_piece(dice *d, crawl_buf *image)
{
    size_t at = somewhere(d, image), size = 1 + (size_t)roll(d, 64);
    size = size < image->size - at ? size : image->size - at;
    memmove(image->data + at, image->data + at + size, image->size - at - size);
    image->size -= size;
}

/* Changes a number of the header. */
static void change_number(dice *d, crawl_buf *image)
{
    static const uint64_t values[] = {0, 1, 2, 63, 64, UINT32_MAX, (uint64_t)1 << 40, INT64_MAX, UINT64_MAX};
    uint64_t value = values[roll(d, sizeof values / sizeof *values)];
    memcpy(image->data + 8 * roll(d, 24), &value, sizeof value);
}

static void (*const mutations[])(dice *, crawl_buf *) = {
    flip_bits, cut, lengthen, swap_bytes, change_version, overwrite, remove_piece, change_number,
};

/* A file in memory, rewritten for every mutation. */
typedef struct scratch {
    int file;
    char path[64];
} scratch;

static void write_scratch(const scratch *s, const crawl_buf *image)
{
    cr_assert_eq(ftruncate(s->file, 0), 0);
    cr_assert_eq(pwrite(s->file, image->data, image->size, 0), (ssize_t)image->size);
}

static void assert_refused(const scratch *s, unsigned v, int round)
{
    crawl_bloom *bloom = NULL;
    crawl_error error = {0};
    crawl_err err = crawl_bloom_load(s->path, &bloom, &error);
    cr_assert_eq(err, CRAWL_ECORRUPT, "kind %u, mutation %d: %d", v / 2, round, (int)err);
    cr_assert(error.message[0]);
    cr_assert_null(bloom);
}

static void mutate(unsigned v, const scratch *s)
{
    crawl_buf image = read_file(in_folder("good"));
    crawl_buf copy = {0};
    dice d = {.state = (uint64_t)v << 32};
    unsigned refused = 0;
    for (int round = 0; refused < MUTATIONS; round++) {
        crawl_buf_clear(&copy);
        cr_assert_eq(crawl_buf_append(&copy, image.data, image.size), CRAWL_OK);
        mutations[roll(&d, sizeof mutations / sizeof *mutations)](&d, &copy);
        if (crawl_slice_equal(crawl_buf_slice(&image), crawl_buf_slice(&copy)))
            continue;
        write_scratch(s, &copy);
        assert_refused(s, v, round);
        refused++;
    }
    crawl_buf_free(&image);
    crawl_buf_free(&copy);
}

TestSuite(bloom_file_mutations, .init = make_folder, .fini = remove_folder);

Test(bloom_file_mutations, every_damaged_file_is_refused_with_a_reason)
{
    scratch s = {.file = memfd_create("filter", 0)};
    cr_assert_geq(s.file, 0);
    snprintf(s.path, sizeof s.path, "/proc/self/fd/%d", s.file);
    for (unsigned v = 0; v < VARIANTS; v++) {
        if (v % 2)
            continue; /* with shards it is the same file, only larger */
        crawl_bloom *bloom = create_variant(v, 1000);
        add_range(bloom, 0, 500);
        save(bloom, in_folder("good"));
        crawl_bloom_free(bloom);
        mutate(v, &s);
    }
    close(s.file);
}
