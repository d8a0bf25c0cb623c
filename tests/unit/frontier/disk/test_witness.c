/* The witness: its report on a directory, its updates with finished requests, and damaged or old files of it. */
#include "base/bytes.h"
#include "frontier/disk/log/donelog.h"
#include "frontier/disk/log/witness.h"
#include "tests/unit/frontier/disk/directory.h"

#include <signal.h>
#include <sys/resource.h>

enum { SIZE = 88, SIZE_BEFORE = 80, WRITTEN = 50, GENERATION = 7, DONE = 3 };

static void path_of_witness(char path[300], const char *where)
{
    snprintf(path, 300, "%s/written", where);
}

static cw_disk_witness open_witness(const char *where, uint64_t generation, bool mapped)
{
    cw_disk_witness witness;
    crawl_error error = {0};
    cr_assert_eq(cw_disk_witness_open(&witness, where, WRITTEN, generation, &error), CRAWL_OK, "%s", error.message);
    if (!mapped)
        cw_disk_mapping_close(&witness.mapping);
    return witness;
}

static void do_some(cw_disk_witness *witness, unsigned count)
{
    crawl_error error;
    for (unsigned i = 0; i < count; i++)
        cr_assert_eq(cw_disk_witness_done(witness, &error), CRAWL_OK);
}

static cw_disk_testimony read_witness(const char *where)
{
    cw_disk_testimony testimony;
    crawl_error error = {0};
    cr_assert_eq(cw_disk_witness_read(where, &testimony, &error), CRAWL_OK, "%s", error.message);
    return testimony;
}

static void expect_damage(const char *where)
{
    cw_disk_testimony testimony;
    crawl_error error = {0};
    cr_assert_eq(cw_disk_witness_read(where, &testimony, &error), CRAWL_ECORRUPT);
    cr_assert_not_null(strstr(error.message, "/written: damaged"), "%s", error.message);
}

static void expect_done(const char *where, uint64_t generation, uint64_t done)
{
    cw_disk_testimony testimony = read_witness(where);
    cr_assert_eq(testimony.generation, generation);
    cr_assert_eq(testimony.done, done);
}

static void write_witness(const char *where, uint64_t generation)
{
    cw_disk_witness witness = open_witness(where, generation, true);
    do_some(&witness, DONE);
    cw_disk_witness_close(&witness);
}

static void read_file(const char *where, char bytes[SIZE])
{
    char path[300];
    path_of_witness(path, where);
    int file = open(path, O_RDONLY);
    cr_assert_eq(pread(file, bytes, SIZE, 0), SIZE);
    close(file);
}

static void write_file(const char *where, const char *bytes, size_t size)
{
    char path[300];
    path_of_witness(path, where);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    cr_assert_eq(write(file, bytes, size), (ssize_t)size);
    close(file);
}

static void expect_what_was_said(bool mapped)
{
    directory dir = make_directory();
    crawl_error error;
    cw_disk_witness witness = open_witness(dir.path, GENERATION, mapped);
    for (unsigned round = 0; round < 3; round++) {
        expect_done(dir.path, GENERATION + round, 0);
        do_some(&witness, DONE);
        expect_done(dir.path, GENERATION + round, DONE);
        cr_assert_eq(cw_disk_witness_wrote(&witness, WRITTEN + round, &error), CRAWL_OK);
        expect_done(dir.path, GENERATION + round, DONE);
        do_some(&witness, 1);
        expect_done(dir.path, GENERATION + round, DONE + 1);
        cr_assert_eq(read_witness(dir.path).written, WRITTEN + round);
        cr_assert_eq(cw_disk_witness_turned(&witness, &error), CRAWL_OK);
    }
    cw_disk_witness_close(&witness);
    remove_directory(dir.path);
}

Test(witness, says_what_was_done_by_stores)
{
    expect_what_was_said(true);
}

Test(witness, says_what_was_done_by_calls)
{
    expect_what_was_said(false);
}

Test(witness, has_room_for_all_that_may_be_done)
{
    directory dir = make_directory();
    cw_disk_witness witness = open_witness(dir.path, GENERATION, true);
    do_some(&witness, CW_DISK_DONE_MAX);
    cw_disk_witness_close(&witness);
    expect_done(dir.path, GENERATION, CW_DISK_DONE_MAX);
    remove_directory(dir.path);
}

/* A sync is recorded with the next finished request, though it is not in the word. */
Test(witness, says_with_what_is_done_what_was_synced)
{
    directory dir = make_directory();
    crawl_error error;
    cw_disk_witness witness = open_witness(dir.path, GENERATION, true);
    cr_assert_eq(cw_disk_witness_wrote(&witness, WRITTEN + 9, &error), CRAWL_OK);
    cr_assert_eq(read_witness(dir.path).synced, WRITTEN);
    cw_disk_witness_synced(&witness, WRITTEN + 9);
    do_some(&witness, DONE);
    cr_assert_eq(read_witness(dir.path).synced, WRITTEN + 9);
    expect_done(dir.path, GENERATION, DONE);
    cw_disk_witness_close(&witness);
    remove_directory(dir.path);
}

/* The file is written completely or not at all: a part of one would look like damage. */
Test(witness, is_not_there_where_there_is_no_room_for_it)
{
    directory dir = make_directory();
    crawl_error error;
    cw_disk_witness witness;
    cw_disk_testimony testimony;
    struct rlimit before;
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, before.rlim_max}), 0);
    crawl_err err = cw_disk_witness_open(&witness, dir.path, WRITTEN, GENERATION, &error);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    cr_assert_eq(err, CRAWL_EIO);
    cr_assert_eq(cw_disk_witness_read(dir.path, &testimony, &error), CRAWL_ABSENT);
    remove_directory(dir.path);
}

Test(witness, any_bit_that_flipped_is_damage)
{
    directory dir = make_directory();
    char bytes[SIZE];
    write_witness(dir.path, GENERATION);
    read_file(dir.path, bytes);
    for (size_t at = 0; at < (size_t)8 * SIZE; at++) {
        bytes[at / 8] = (char)(bytes[at / 8] ^ 1 << at % 8);
        write_file(dir.path, bytes, SIZE);
        expect_damage(dir.path);
        bytes[at / 8] = (char)(bytes[at / 8] ^ 1 << at % 8);
    }
    write_file(dir.path, bytes, SIZE);
    expect_done(dir.path, GENERATION, DONE);
    remove_directory(dir.path);
}

Test(witness, any_cut_is_damage)
{
    directory dir = make_directory();
    char bytes[SIZE + 1] = {0};
    write_witness(dir.path, GENERATION);
    read_file(dir.path, bytes);
    for (size_t size = 0; size <= SIZE + 1; size++) {
        write_file(dir.path, bytes, size);
        if (size != SIZE)
            expect_damage(dir.path);
    }
    remove_directory(dir.path);
}

/* One call writes the words with their generation, so a kill cannot leave words of another generation, or none. */
Test(witness, words_of_another_generation_or_none_are_damage)
{
    directory dir = make_directory();
    char bytes[SIZE], other[SIZE];
    write_witness(dir.path, GENERATION);
    read_file(dir.path, bytes);
    write_witness(dir.path, GENERATION + 1);
    read_file(dir.path, other);
    memcpy(bytes + SIZE_BEFORE, other + SIZE_BEFORE, SIZE - SIZE_BEFORE);
    write_file(dir.path, bytes, SIZE);
    expect_damage(dir.path);
    memset(bytes + SIZE_BEFORE, 0, SIZE - SIZE_BEFORE);
    write_file(dir.path, bytes, SIZE);
    expect_damage(dir.path);
    remove_directory(dir.path);
}

/* Writes a file of the version that had no words, with another boot. */
static void write_file_before(const char *where)
{
    static const uint64_t numbers[] = {WRITTEN, WRITTEN - 1, GENERATION, DONE, 4, 1000};
    char bytes[SIZE_BEFORE] = "CRAWLWR1";
    char *at = bytes + 24;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        at = cw_le_put(at, numbers[i], 8);
    cw_le_put(at, XXH3_64bits(bytes, 72), 8);
    write_file(where, bytes, sizeof bytes);
}

Test(witness, files_of_before_there_were_words_are_read)
{
    directory dir = make_directory();
    char bytes[SIZE];
    write_file_before(dir.path);
    cw_disk_testimony testimony = read_witness(dir.path);
    expect_done(dir.path, GENERATION, DONE);
    cr_assert_eq(testimony.written, WRITTEN);
    cr_assert_eq(testimony.synced, WRITTEN - 1);
    cr_assert_eq(testimony.list_number, 4);
    cr_assert_eq(testimony.list_bytes, 1000);
    cr_assert(!testimony.same_boot);
    write_witness(dir.path, GENERATION + 2);
    read_file(dir.path, bytes);
    expect_done(dir.path, GENERATION + 2, DONE);
    remove_directory(dir.path);
}
