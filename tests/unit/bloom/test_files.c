/* Files of filters: both ways of reading give back the written filter; and every reason to refuse a file. */
#include "bloom/files/file_layout.h"
#include "files.h"

#include <signal.h>
#include <sys/resource.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

TestSuite(bloom_files, .init = make_folder, .fini = remove_folder);

static const opener openers[] = {crawl_bloom_load, crawl_bloom_map};

/* Fills a chain, a table and a window enough to grow, and removes some keys. */
static crawl_bloom *create_used(unsigned index)
{
    crawl_bloom *bloom = create_variant(index, 2000);
    crawl_bloom_advance(bloom, 5000);
    for (uint64_t n = 0; n < 5000; n++) {
        uint32_t where;
        if (add(bloom, n, &where) == CRAWL_OK && n % 5 == 0)
            forget(bloom, n, where);
    }
    forget(bloom, STRANGERS, 0);
    return bloom;
}

static void assert_same_figures(const crawl_bloom *a, const crawl_bloom *b)
{
    crawl_bloom_stats x = stats_of(a), y = stats_of(b);
    cr_assert_eq(x.count, y.count);
    cr_assert_eq(x.capacity, y.capacity);
    cr_assert_eq(x.fill, y.fill);
    cr_assert_eq(x.fpr_now, y.fpr_now);
    cr_assert_eq(x.fpr_by_count, y.fpr_by_count);
    cr_assert_eq(x.expected_false, y.expected_false);
    cr_assert_eq(x.saturated, y.saturated);
    cr_assert_eq(x.refused, y.refused);
    cr_assert_eq(x.filters, y.filters);
    const crawl_bloom_options *p = crawl_bloom_options_of(a), *q = crawl_bloom_options_of(b);
    cr_assert(p->kind == q->kind && p->capacity == q->capacity && p->fpr == q->fpr && p->growth == q->growth);
    cr_assert(p->tightening == q->tightening && p->max_bytes == q->max_bytes && p->seed == q->seed &&
              p->bits == q->bits);
    cr_assert(p->hashes == q->hashes && p->generations == q->generations && p->window_ms == q->window_ms &&
              p->shards == q->shards);
    cr_assert_eq(crawl_bloom_kind_of(a), crawl_bloom_kind_of(b));
}

Test(bloom_files, what_is_read_is_what_was_written)
{
    for (unsigned v = 0; v < VARIANTS; v++) {
        crawl_bloom *bloom = create_used(v);
        const char *path = in_folder("filter");
        save(bloom, path);
        cr_assert_eq(crawl_bloom_validate(path, NULL), CRAWL_OK);
        for (int how = 0; how < 2; how++) {
            crawl_bloom *again = open_with(openers[how], path);
            assert_same_figures(bloom, again);
            assert_alike(bloom, again);
            for (uint64_t n = 0; n < 7000; n++)
                cr_assert_eq(test(bloom, n), test(again, n));
            crawl_bloom_free(again);
        }
        crawl_bloom_free(bloom);
    }
}

/* Adds and removes the same in both, and expects equal answers and, in the end, equal filters. */
static void go_on(crawl_bloom *a, crawl_bloom *b)
{
    crawl_bloom_advance(a, 300000);
    crawl_bloom_advance(b, 300000);
    for (uint64_t n = 4000; n < 16000; n++) {
        uint32_t here = 0, there = 0;
        crawl_err err = add(a, n, &here);
        cr_assert_eq(add(b, n, &there), err);
        cr_assert(err == CRAWL_OK || err == CRAWL_EXISTS);
        cr_assert_eq(here, there);
        if (err == CRAWL_OK && n % 3 == 0)
            cr_assert_eq(forget(a, n, here), forget(b, n, there));
    }
    cr_assert_eq(add_range(a, 20000, 5000), add_range(b, 20000, 5000));
    assert_same_figures(a, b);
    assert_alike(a, b);
}

Test(bloom_files, it_goes_on_as_the_one_written)
{
    for (unsigned v = 0; v < VARIANTS; v++) {
        for (int how = 0; how < 2; how++) {
            crawl_bloom *bloom = create_used(v);
            save(bloom, in_folder("filter"));
            crawl_bloom *again = open_with(openers[how], in_folder("filter"));
            go_on(bloom, again);
            crawl_bloom_free(again);
            crawl_bloom_free(bloom);
        }
    }
}

/* Large enough for mapped arrays. */
Test(bloom_files, a_mapped_file_does_not_change_and_is_replaced_by_what_was_mapped_from_it)
{
    for (unsigned v = 0; v < VARIANTS; v++) {
        const char *path = in_folder("filter");
        crawl_bloom *bloom = create_variant(v, 200000);
        add_range(bloom, 0, 1000);
        save(bloom, path);
        crawl_buf before = read_file(path);
        crawl_bloom *mapped = open_with(crawl_bloom_map, path);
        cr_assert_eq(add_range(mapped, 1000, 100000), add_range(bloom, 1000, 100000));
        crawl_buf after = read_file(path);
        cr_assert(crawl_slice_equal(crawl_buf_slice(&before), crawl_buf_slice(&after)));
        save(mapped, path);
        save(mapped, path);
        assert_alike(bloom, mapped);
        crawl_bloom *again = open_with(crawl_bloom_load, path);
        assert_alike(bloom, again);
        crawl_buf_free(&before);
        crawl_buf_free(&after);
        crawl_bloom_free(bloom);
        crawl_bloom_free(mapped);
        crawl_bloom_free(again);
    }
}

/* --- refusals --- */

static void assert_refused_by(opener how, const char *path, crawl_err expected, const char *reason)
{
    crawl_bloom *bloom = (crawl_bloom *)&folder;
    crawl_error error = {0};
    crawl_err err = how(path, &bloom, &error);
    cr_assert_eq(err, expected, "%s: %s", reason, error.message);
    cr_assert_eq(bloom, (crawl_bloom *)&folder);
    cr_assert_eq(error.code, expected);
    cr_assert(strncmp(error.message, path, strlen(path)) == 0, "%s", error.message);
    cr_assert(strstr(error.message, reason), "%s, expected: %s", error.message, reason);
}

static void assert_refused(const char *path, crawl_err expected, const char *reason)
{
    crawl_error error = {0};
    assert_refused_by(crawl_bloom_load, path, expected, reason);
    assert_refused_by(crawl_bloom_map, path, expected, reason);
    cr_assert_eq(crawl_bloom_validate(path, &error), expected);
    cr_assert(strstr(error.message, reason), "%s, expected: %s", error.message, reason);
}

static crawl_buf image_of_a_filter(void)
{
    crawl_bloom *bloom = create_variant(2 * CRAWL_BLOOM_EXACT, 10000);
    add_range(bloom, 0, 9000);
    save(bloom, in_folder("good"));
    crawl_bloom_free(bloom);
    return read_file(in_folder("good"));
}

static void assert_image_refused(const crawl_buf *image, size_t size, const char *reason)
{
    write_file(in_folder("bad"), image->data, size);
    assert_refused(in_folder("bad"), CRAWL_ECORRUPT, reason);
}

Test(bloom_files, what_is_no_filter_is_refused)
{
    crawl_buf text = {0};
    crawl_buf_append_text(&text, "https://example.org/\nhttps://example.org/a\n");
    assert_image_refused(&text, 0, "is empty");
    assert_image_refused(&text, 3, "is not a filter");
    assert_image_refused(&text, text.size, "is not a filter");
    crawl_buf_free(&text);
    assert_refused(in_folder("absent"), CRAWL_EIO, "cannot open: No such file");
    assert_refused(folder, CRAWL_EIO, "not a regular file");
    cr_assert_eq(mkfifo(in_folder("pipe"), 0600), 0);
    assert_refused(in_folder("pipe"), CRAWL_EIO, "not a regular file");
}

Test(bloom_files, a_cut_file_is_refused_wherever_it_is_cut)
{
    crawl_buf image = image_of_a_filter();
    for (size_t size = 1; size < image.size; size += size < 300 ? 1 : 9973)
        assert_image_refused(&image, size, "is truncated");
    assert_image_refused(&image, image.size - 1, "is truncated");
    crawl_buf_append_char(&image, 0);
    assert_image_refused(&image, image.size, "is too long");
    crawl_buf_free(&image);
}

/* Changes bytes, corrects the checksum of the header, and expects a refusal. */
static void assert_change_refused(size_t at, const void *value, size_t size, bool sum, const char *reason)
{
    crawl_buf image = image_of_a_filter();
    cw_file_head head;
    memcpy(&head, image.data, sizeof head);
    memcpy(image.data + at, value, size);
    if (sum) {
        uint64_t right = XXH3_64bits(image.data, head.header_bytes - 8);
        memcpy(image.data + head.header_bytes - 8, &right, 8);
    }
    assert_image_refused(&image, image.size, reason);
    crawl_buf_free(&image);
}

static void assert_field_refused(size_t at, size_t size, uint64_t value, const char *reason)
{
    assert_change_refused(at, &value, size, true, reason);
}

#define ASSERT_FIELD_REFUSED(field, value, reason) \
    assert_field_refused(offsetof(cw_file_head, field), sizeof(((cw_file_head *)0)->field), value, reason)

Test(bloom_files, another_version_or_byte_order_is_named)
{
    ASSERT_FIELD_REFUSED(version, 3, "has version 3, this program reads 1 to 2");
    ASSERT_FIELD_REFUSED(order, CW_FILE_ORDER_OTHER, "the other byte order");
    ASSERT_FIELD_REFUSED(order, 7, "no byte order");
}

/* --- labels --- */

static const char longest_label[] = "a name of 63 bytes, which is as long as a label can be made: ok";

Test(bloom_files, a_label_is_kept_and_changes_nothing_else)
{
    for (unsigned v = 0; v < VARIANTS; v++) {
        crawl_bloom *bloom = create_variant(v, 1000);
        cr_assert_str_eq(crawl_bloom_label(bloom), "");
        add_range(bloom, 0, 700);
        save(bloom, in_folder("plain"));
        cr_assert_eq(crawl_bloom_set_label(bloom, longest_label), CRAWL_OK);
        save(bloom, in_folder("labelled"));
        for (int i = 0; i < 2; i++) {
            crawl_bloom *read = open_with(i ? crawl_bloom_map : crawl_bloom_load, in_folder("labelled"));
            cr_assert_str_eq(crawl_bloom_label(read), longest_label);
            assert_alike(read, bloom);
            crawl_bloom *plain = open_with(i ? crawl_bloom_map : crawl_bloom_load, in_folder("plain"));
            cr_assert_str_eq(crawl_bloom_label(plain), "");
            cr_assert_eq(crawl_bloom_set_label(read, ""), CRAWL_OK);
            assert_alike(read, plain);
            crawl_bloom_free(read);
            crawl_bloom_free(plain);
        }
        cr_assert_eq(crawl_bloom_validate(in_folder("labelled"), NULL), CRAWL_OK);
        crawl_bloom_free(bloom);
    }
}

Test(bloom_files, a_label_has_a_length)
{
    char too_long[sizeof longest_label + 1];
    snprintf(too_long, sizeof too_long, "%sx", longest_label);
    crawl_bloom *bloom = create_variant(2 * CRAWL_BLOOM_EXACT, 1000);
    cr_assert_eq(crawl_bloom_set_label(bloom, "lines"), CRAWL_OK);
    cr_assert_eq(crawl_bloom_set_label(bloom, too_long), CRAWL_EINVAL);
    cr_assert_str_eq(crawl_bloom_label(bloom), "lines");
    save(bloom, in_folder("good"));
    crawl_bloom_free(bloom);
    crawl_buf image = read_file(in_folder("good"));
    cw_file_head head;
    memcpy(&head, image.data, sizeof head);
    memset(image.data + sizeof head, 'x', CW_FILE_LABEL_BYTES);
    uint64_t sum = XXH3_64bits(image.data, head.header_bytes - 8);
    memcpy(image.data + head.header_bytes - 8, &sum, 8);
    assert_image_refused(&image, image.size, "has an unterminated label");
    crawl_buf_free(&image);
}

Test(bloom_files, a_damaged_header_is_told_by_its_sum)
{
    assert_change_refused(offsetof(cw_file_head, seed), "x", 1, false, "wrong checksum");
    assert_change_refused(sizeof(cw_file_head), "x", 1, false, "wrong checksum");
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

Test(bloom_files, options_are_checked)
{
    ASSERT_FIELD_REFUSED(kind, 99, "has kind 99");
    ASSERT_FIELD_REFUSED(kind, UINT32_MAX, "has kind");
    ASSERT_FIELD_REFUSED(shards, 3, "shards is 3");
    ASSERT_FIELD_REFUSED(shards, 512, "shards is 512");
    ASSERT_FIELD_REFUSED(capacity, 999, "capacity is 999");
    ASSERT_FIELD_REFUSED(capacity, UINT64_MAX, "capacity is");
    ASSERT_FIELD_REFUSED(fpr, bits_of(0.0 / 0.0), "fpr is");
    ASSERT_FIELD_REFUSED(growth, bits_of(17), "growth is 17");
    ASSERT_FIELD_REFUSED(tightening, bits_of(-1), "tightening is -1");
    ASSERT_FIELD_REFUSED(hashes, 65, "hashes is 65");
}

Test(bloom_files, geometry_is_checked)
{
    ASSERT_FIELD_REFUSED(file_bytes, 5, "is too long");
    ASSERT_FIELD_REFUSED(file_bytes, UINT64_MAX, "is truncated");
    ASSERT_FIELD_REFUSED(header_bytes, 5, "has a damaged header");
    ASSERT_FIELD_REFUSED(numbers, UINT64_MAX / 8, "has a damaged header");
    ASSERT_FIELD_REFUSED(arrays, UINT64_MAX / 8, "has a damaged header");
}

/* Changes the first array of the table, and expects a refusal. */
static void assert_array_refused(size_t field, uint64_t value, const char *reason)
{
    crawl_buf image = image_of_a_filter();
    cw_file_head head;
    memcpy(&head, image.data, sizeof head);
    cr_assert_geq(head.arrays, 1);
    crawl_buf_free(&image);
    assert_field_refused(sizeof head + 8 * head.numbers + field, 8, value, reason);
}

Test(bloom_files, arrays_lie_where_they_have_to)
{
    size_t offset = offsetof(cw_file_array, offset), bytes = offsetof(cw_file_array, bytes);
    assert_array_refused(offset, 0, "begins at 0, expected");
    assert_array_refused(offset, 64, "begins at 64, expected");
    assert_array_refused(offset, UINT64_MAX, "begins at");
    assert_array_refused(bytes, 0, "expected");
    assert_array_refused(bytes, UINT64_MAX, "bytes, which are none or beyond");
    assert_array_refused(bytes, 100, "expected");
    assert_array_refused(bytes, 65536, "has arrays that end at");
}

/* Expects an error that map skips, as documented, and that load and validate find. */
static void assert_found_by_load(size_t at)
{
    crawl_buf image = image_of_a_filter();
    const char *path = in_folder("bad");
    image.data[at] ^= 0x10;
    write_file(path, image.data, image.size);
    assert_refused_by(crawl_bloom_load, path, CRAWL_ECORRUPT, "is damaged");
    cr_assert_eq(crawl_bloom_validate(path, NULL), CRAWL_ECORRUPT);
    crawl_bloom *bloom = open_with(crawl_bloom_map, path);
    cr_assert_eq(crawl_bloom_add(bloom, "a", 1, NULL), CRAWL_OK);
    crawl_bloom_free(bloom);
    crawl_buf_free(&image);
}

Test(bloom_files, damaged_arrays_and_what_lies_between_are_told_by_load)
{
    crawl_buf image = image_of_a_filter();
    cw_file_head head;
    memcpy(&head, image.data, sizeof head);
    assert_found_by_load(head.header_bytes);
    assert_found_by_load(CW_FILE_PAGE - 1);
    assert_found_by_load(CW_FILE_PAGE);
    assert_found_by_load(image.size - 1);
    crawl_buf_free(&image);
}

/* A header with correct checksums but with too many numbers, too few, or others. */
Test(bloom_files, numbers_left_over_or_missing_are_refused)
{
    for (unsigned v = 0; v < VARIANTS; v += 2) {
        crawl_bloom *bloom = create_variant(v, 1000);
        save(bloom, in_folder("good"));
        crawl_bloom_free(bloom);
        crawl_buf image = read_file(in_folder("good"));
        for (uint32_t kind = 0; kind < CRAWL_BLOOM_KINDS; kind++) {
            memcpy(image.data + offsetof(cw_file_head, kind), &kind, sizeof kind);
            cw_file_head head;
            memcpy(&head, image.data, sizeof head);
            uint64_t sum = XXH3_64bits(image.data, head.header_bytes - 8);
            memcpy(image.data + head.header_bytes - 8, &sum, 8);
            write_file(in_folder("bad"), image.data, image.size);
            crawl_bloom *read = NULL;
            crawl_err err = crawl_bloom_load(in_folder("bad"), &read, NULL);
            cr_assert(kind == v / 2 ? err == CRAWL_OK : err == CRAWL_OK || err == CRAWL_ECORRUPT, "%u as %u", v / 2,
                      kind);
            crawl_bloom_free(read);
        }
        crawl_buf_free(&image);
    }
}

/* --- writing --- */

Test(bloom_files, the_permissions_of_the_old_file_stay_and_new_ones_follow_the_mask)
{
    crawl_bloom *bloom = create_variant(0, 1000);
    struct stat status;
    umask(027);
    save(bloom, in_folder("filter"));
    cr_assert(stat(in_folder("filter"), &status) == 0);
    cr_assert_eq(status.st_mode & 0777, 0640);
    cr_assert_eq(chmod(in_folder("filter"), 0600), 0);
    save(bloom, in_folder("filter"));
    cr_assert(stat(in_folder("filter"), &status) == 0);
    cr_assert_eq(status.st_mode & 0777, 0600);
    cr_assert_eq(count_files(false), 1);
    crawl_bloom_free(bloom);
}

Test(bloom_files, a_symbolic_link_is_replaced_and_not_followed)
{
    crawl_bloom *bloom = create_variant(0, 1000);
    struct stat status;
    write_file(in_folder("target"), "text", 4);
    cr_assert_eq(symlink("target", in_folder("link")), 0);
    save(bloom, in_folder("link"));
    cr_assert(lstat(in_folder("link"), &status) == 0 && S_ISREG(status.st_mode));
    crawl_buf target = read_file(in_folder("target"));
    cr_assert_eq(target.size, 4);
    crawl_buf_free(&target);
    crawl_bloom_free(bloom);
}

static void assert_not_saved(const crawl_bloom *bloom, const char *path, const char *reason)
{
    crawl_error error = {0};
    unsigned files = count_files(false);
    cr_assert_eq(crawl_bloom_save(bloom, path, &error), CRAWL_EIO, "%s", path);
    cr_assert_eq(error.code, CRAWL_EIO);
    cr_assert(strncmp(error.message, path, strlen(path)) == 0, "%s", error.message);
    cr_assert(strstr(error.message, reason), "%s, expected: %s", error.message, reason);
    cr_assert_eq(crawl_bloom_save(bloom, path, NULL), CRAWL_EIO);
    cr_assert_eq(count_files(false), files);
}

Test(bloom_files, where_no_file_can_be_written_the_reason_is_told)
{
    crawl_bloom *bloom = create_variant(0, 1000);
    assert_not_saved(bloom, in_folder("absent/filter"), "No such file");
    assert_not_saved(bloom, "", "No such file");
    assert_not_saved(bloom, folder, "not a regular file");
    assert_not_saved(bloom, "/dev/null", "not a regular file");
    cr_assert_eq(mkfifo(in_folder("pipe"), 0600), 0);
    assert_not_saved(bloom, in_folder("pipe"), "not a regular file");
    char name[300];
    memset(name, 'n', sizeof name);
    name[299] = '\0';
    assert_not_saved(bloom, in_folder(name), "too long");
    name[255] = '\0';
    save(bloom, in_folder(name));
    cr_assert_eq(chdir(folder), 0);
    save(bloom, "beside");
    crawl_bloom_free(open_with(crawl_bloom_load, "beside"));
    crawl_bloom_free(bloom);
}

Test(bloom_files, a_full_disk_leaves_the_old_file)
{
    crawl_bloom *bloom = create_variant(2 * CRAWL_BLOOM_EXACT, 10000);
    save(bloom, in_folder("filter"));
    add_range(bloom, 0, 100);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {.rlim_cur = 100000, .rlim_max = RLIM_INFINITY};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_not_saved(bloom, in_folder("filter"), "File too large");
    crawl_bloom *old = open_with(crawl_bloom_load, in_folder("filter"));
    cr_assert_eq(stats_of(old).count, 0);
    crawl_bloom_free(old);
    crawl_bloom_free(bloom);
}
