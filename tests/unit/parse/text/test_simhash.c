/* parse/text/simhash.c, parse/text/simhash_index.c: texts with small differences have hashes with small differences,
 * and the index finds all of them. */
#include "bench/programs/keys.h"

#include <crawl/links.h>
#include <crawl/simhash.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

/* --- the hash --- */

Test(simhash, is_the_majority_of_each_bit)
{
    enum { MOST = 1200 };
    static uint64_t features[MOST];
    uint64_t state = 1;
    for (size_t i = 0; i < MOST; i++)
        features[i] = next_random(&state) | next_random(&state) << 33;
    for (size_t count = 0; count <= MOST; count += count < 20 || count > 500 ? 1 : 37) {
        uint64_t expected = 0;
        for (unsigned bit = 0; bit < 64; bit++) {
            size_t votes = 0;
            for (size_t i = 0; i < count; i++)
                votes += features[i] >> bit & 1;
            expected |= (uint64_t)(2 * votes > count) << bit;
        }
        cr_assert_eq(crawl_simhash_of(features, count), expected, "of %zu", count);
    }
}

static uint64_t hash_of(const char *text, size_t shingles)
{
    uint64_t hash = 1;
    size_t count = crawl_simhash_text(crawl_slice_from(text), &hash);
    cr_expect_eq(count, shingles, "%s: %zu", text, count);
    return hash;
}

Test(simhash, words)
{
    static const struct {
        const char *text;
        size_t shingles;
    } rows[] = {
        {"", 0},
        {" ,.-\xe2\x80\x94\xc2\xa0\xe3\x80\x82 ", 0}, /* dash, space without break, full stop */
        {"one", 1},
        {"one two", 1},
        {"one two three", 1},
        {"one two three four", 2},
        {"one,two\nthree-four", 2},
        {"caf\xc3\xa9 na\xc3\xafve", 1},
        {"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xa7", 2}, /* four characters of Japanese */
        {"x\xe6\x97\xa5y\xe6\x9c\xac", 2},
        {"\xe6\x97", 1},                              /* cut */
        {"\xed\x95\x9c\xea\xb5\xad \xeb\xa7\x90", 1}, /* two words of Korean */
        {"ท่าเรือถูกสร้างขึ้นใหม่ หลังพายุ", 6},               /* Thai: four letters count as a word */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        hash_of(rows[i].text, rows[i].shingles);
    cr_expect_eq(hash_of("", 0), 0);
    uint64_t plain = hash_of("the quick brown fox", 2);
    cr_expect_eq(hash_of("  The QUICK,\n(brown) fox!", 2), plain);
    cr_expect_neq(hash_of("quick the brown fox", 2), plain);
    cr_expect_neq(hash_of("thequick brown fox", 1), plain);
    char one[200];
    char other[200];
    memset(one, 'x', sizeof one);
    memset(other, 'x', sizeof other);
    one[199] = other[198] = '\0';
    cr_expect_neq(hash_of(one, 1), hash_of(other, 1));
}

/* Broken UTF-8, cut anywhere: nothing beyond the end is read, and no word is invented. */
Test(simhash, any_bytes)
{
    uint64_t state = 3;
    for (int round = 0; round < 20000; round++) {
        size_t size = next_random(&state) % 24;
        char *bytes = malloc(size ? size : 1);
        cr_assert(bytes);
        for (size_t i = 0; i < size; i++)
            bytes[i] = (char)(next_random(&state) % 3 ? 0xc0 + next_random(&state) % 0x40 : next_random(&state));
        uint64_t hash;
        cr_expect_leq(crawl_simhash_text(crawl_slice_of(bytes, size), &hash), size);
        free(bytes);
    }
}

/* Hashes are stored in files: they must not change between versions. */
Test(simhash, stays_what_it_is)
{
    cr_expect_eq(hash_of("The quick brown fox jumps over the lazy dog", 7), UINT64_C(0xdf35e88c759e645e), "%016llx",
                 (unsigned long long)hash_of("The quick brown fox jumps over the lazy dog", 7));
}

/* Makes a text of words out of a thousand. */
static void make_text(crawl_buf *text, uint64_t seed, size_t words)
{
    crawl_buf_clear(text);
    for (size_t i = 0; i < words; i++)
        cr_assert_eq(crawl_buf_printf(text, "w%u ", (unsigned)(next_random(&seed) % 1000)), CRAWL_OK);
}

static uint64_t hash_buf(const crawl_buf *text)
{
    uint64_t hash;
    cr_assert(crawl_simhash_text(crawl_buf_slice(text), &hash));
    return hash;
}

Test(simhash, small_changes_stay_near_and_others_are_far)
{
    crawl_buf text = {0};
    crawl_buf other = {0};
    size_t near = 0;
    unsigned nearest = 64;
    for (uint64_t seed = 0; seed < 50; seed++) {
        make_text(&text, seed, 2000);
        make_text(&other, seed + 1000, 2000);
        uint64_t hash = hash_buf(&text);
        unsigned far = crawl_simhash_distance(hash, hash_buf(&other));
        nearest = far < nearest ? far : nearest;
        memcpy(text.data + text.size / 2, "ZZZ", 3); /* a word or two in the middle */
        near += crawl_simhash_distance(hash, hash_buf(&text)) <= 3;
    }
    cr_expect_geq(near, 48, "%zu of 50", near);
    cr_expect_geq(nearest, 12, "%u", nearest);
    crawl_buf_free(&text);
    crawl_buf_free(&other);
}

/* --- real pages --- */

static bool read_text(crawl_page *page, const char *name, crawl_buf *text)
{
    char path[256];
    snprintf(path, sizeof path, "/usr/share/doc/python3.11/html/library/%s.html", name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    crawl_buf html = {0};
    cr_assert_eq(crawl_buf_reserve(&html, 1 << 20), CRAWL_OK);
    html.size = fread(html.data, 1, 1 << 20, file);
    fclose(file);
    crawl_buf_clear(text);
    cr_assert_eq(crawl_page_parse(page, crawl_buf_slice(&html), NULL, NULL), CRAWL_OK);
    crawl_slice found = crawl_page_text(page);
    cr_assert_eq(crawl_buf_append(text, found.data, found.size), CRAWL_OK);
    crawl_buf_free(&html);
    return true;
}

Test(simhash, real_pages)
{
    static const char *const names[] = {"asyncio-task", "os", "json", "sqlite3", "functions", "socket", "typing", "re"};
    enum { PAGES = sizeof names / sizeof names[0] };
    uint64_t hashes[PAGES];
    crawl_page *page = crawl_page_create();
    crawl_buf text = {0};
    crawl_page_set_text(page, CRAWL_TEXT_PAGE);
    for (size_t i = 0; i < PAGES; i++) {
        if (!read_text(page, names[i], &text)) {
            crawl_buf_free(&text);
            crawl_page_free(page);
            cr_skip_test("no python3-doc here");
        }
        hashes[i] = hash_buf(&text);
        for (size_t j = 0; j < i; j++)
            cr_expect_gt(crawl_simhash_distance(hashes[i], hashes[j]), 3, "%s and %s", names[i], names[j]);
        /* Like a session or a date, at three places. */
        for (size_t place = 1; place < 4; place++)
            memcpy(text.data + place * text.size / 4, "2026-11", 7);
        cr_expect_leq(crawl_simhash_distance(hashes[i], hash_buf(&text)), 3, "%s: %u", names[i],
                      crawl_simhash_distance(hashes[i], hash_buf(&text)));
    }
    crawl_buf_free(&text);
    crawl_page_free(page);
}

/* --- the index --- */

/* Returns the distance to the nearest of the first `count`, the first among equals; above 64: none within the distance.
 */
static unsigned scan(const uint64_t *hashes, size_t count, uint64_t hash, unsigned distance, uint32_t *at)
{
    unsigned best = distance + 1;
    for (size_t i = 0; i < count; i++) {
        unsigned d = crawl_simhash_distance(hashes[i], hash);
        if (d < best) {
            best = d;
            *at = (uint32_t)i;
        }
    }
    return best > distance ? 65 : best;
}

/* Makes a new hash, or one of the earlier ones with up to `most` bits flipped. */
static uint64_t make_hash(const uint64_t *hashes, size_t count, unsigned most, uint64_t *state)
{
    uint64_t choice = next_random(state);
    if (count == 0 || choice % 4 == 0)
        return next_random(state);
    uint64_t hash = hashes[choice / 4 % count];
    for (uint64_t flips = next_random(state) % (most + 1); flips; flips--)
        hash ^= UINT64_C(1) << next_random(state) % 64;
    return hash;
}

Test(simhash, index_finds_whatever_a_scan_does)
{
    enum { HASHES = 3000 };
    static uint64_t hashes[HASHES];
    uint64_t state = 7;
    for (unsigned distance = 0; distance <= CRAWL_SIMHASH_MAX_DISTANCE; distance++) {
        crawl_simhash_index *index;
        cr_assert_eq(crawl_simhash_index_create(distance, HASHES, &index), CRAWL_OK);
        size_t found = 0;
        for (size_t i = 0; i < HASHES; i++) {
            uint64_t hash = make_hash(hashes, i, distance + 2, &state);
            uint32_t expected = 0;
            uint32_t value = 0;
            unsigned near = 65;
            unsigned nearest = scan(hashes, i, hash, distance, &expected);
            crawl_err err = crawl_simhash_index_find(index, hash, &value, &near);
            cr_assert_eq(err, nearest <= distance ? CRAWL_EXISTS : CRAWL_ABSENT);
            cr_assert_eq(near, nearest, "%zu hashes, distance %u: %u, not %u", i, distance, near, nearest);
            cr_assert(nearest > distance || value == expected * 3 + 1);
            found += nearest <= distance;
            hashes[i] = hash;
            cr_assert_eq(crawl_simhash_index_add(index, hash, (uint32_t)i * 3 + 1), CRAWL_OK);
        }
        cr_expect(found > HASHES / 4 && found < HASHES, "the hashes made up are all near or all far");
        cr_expect_eq(crawl_simhash_index_add(index, 0, 0), CRAWL_FULL);
        crawl_simhash_index_free(index);
    }
}

Test(simhash, index_takes_hashes_of_every_block_at_the_edge)
{
    for (unsigned distance = 1; distance <= CRAWL_SIMHASH_MAX_DISTANCE; distance++) {
        crawl_simhash_index *index;
        cr_assert_eq(crawl_simhash_index_create(distance, 10, &index), CRAWL_OK);
        cr_assert_eq(crawl_simhash_index_add(index, 0, 9), CRAWL_OK);
        /* `distance` bits, evenly spaced, in as many blocks as possible. */
        for (unsigned step = 1; step * distance <= 64; step++) {
            uint64_t hash = 0;
            for (unsigned i = 0; i < distance; i++)
                hash |= UINT64_C(1) << i * step;
            unsigned near;
            cr_expect_eq(crawl_simhash_index_find(index, hash, NULL, &near), CRAWL_EXISTS, "%u, %u", distance, step);
            cr_expect_eq(near, distance);
            hash ^= UINT64_C(1) << 63;
            cr_expect_eq(crawl_simhash_index_find(index, hash, NULL, NULL),
                         step * (distance - 1) == 63 ? CRAWL_EXISTS : CRAWL_ABSENT);
        }
        crawl_simhash_index_free(index);
    }
}

Test(simhash, index_does_not_look_at_everything)
{
    enum { SAME = 3 * CRAWL_SIMHASH_MAX_STEPS };
    crawl_simhash_index *index;
    cr_assert_eq(crawl_simhash_index_create(3, SAME, &index), CRAWL_OK);
    for (uint32_t i = 0; i < SAME; i++)
        cr_assert_eq(crawl_simhash_index_add(index, UINT64_C(0xffffffff), i), CRAWL_OK);
    unsigned near;
    cr_expect_eq(crawl_simhash_index_find(index, UINT64_C(0xfffffffe), NULL, &near), CRAWL_EXISTS);
    cr_expect_eq(near, 1);
    cr_expect_lt(crawl_simhash_index_bytes(index), (size_t)SAME * 2 * 92);
    crawl_simhash_index_free(index);
}

Test(simhash, index_refuses_what_it_cannot_be)
{
    crawl_simhash_index *index = NULL;
    cr_expect_eq(crawl_simhash_index_create(CRAWL_SIMHASH_MAX_DISTANCE + 1, 10, &index), CRAWL_EINVAL);
    cr_expect_eq(crawl_simhash_index_create(3, 0, &index), CRAWL_EINVAL);
    cr_expect_eq(crawl_simhash_index_create(3, ((size_t)1 << 31) + 1, &index), CRAWL_EINVAL);
    cr_expect_null(index);
    crawl_simhash_index_free(NULL);
}
