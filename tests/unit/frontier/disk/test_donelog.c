/* The log of finished requests, and a frontier whose log or database is damaged or lost: no request is lost, and only
 * requests finished after the damage come again. */
#include "frontier/disk/stage/settle.h"
#include "tests/unit/frontier/disk/small_files.h"
#include "tests/unit/frontier/pages.h"

enum { RECORDS = 4, RECORD_SIZE = 40, PAGES = 12, MANY = 1000 };

static cw_disk_queue_key name_of_record(unsigned number)
{
    return cw_disk_queue_key_make(number, CW_RANGE_NORMAL, (cw_heap_key){.high = number, .low = number});
}

static void path_of_log(char path[300], const char *where, uint64_t generation)
{
    snprintf(path, 300, "%s/done-%llu", where, (unsigned long long)generation);
}

static cw_disk_donelog open_log(const char *where, uint64_t generation, bool mapped)
{
    cw_disk_donelog log;
    crawl_error error;
    cr_assert_eq(cw_disk_donelog_open(&log, where, generation, &error), CRAWL_OK);
    if (!mapped)
        cw_disk_mapping_close(&log.mapping);
    return log;
}

static crawl_err append(cw_disk_donelog *log, unsigned number, crawl_error *error)
{
    return cw_disk_donelog_append(log, name_of_record(number), number % 2 ? CW_DONE_STAGED : CW_DONE_MOVED, number,
                                  error);
}

static void write_log_in(const char *where, uint64_t generation, bool mapped)
{
    crawl_error error;
    cw_disk_donelog log = open_log(where, generation, mapped);
    for (unsigned i = 0; i < RECORDS; i++)
        cr_assert_eq(append(&log, i, &error), CRAWL_OK);
    cw_disk_donelog_close(&log);
}

static void write_log(const char *where, uint64_t generation)
{
    write_log_in(where, generation, true);
}

/* Reads the log and expects exactly its first records. */
static void expect_records(const char *where, uint64_t generation, uint64_t sequence, size_t expected)
{
    cw_disk_done *done;
    size_t count;
    crawl_error error;
    cr_assert_eq(cw_disk_donelog_read(where, generation, sequence, &done, &count, &error), CRAWL_OK);
    cr_assert_eq(count, expected, "%zu in place of %zu", count, expected);
    for (unsigned i = 0; i < count; i++) {
        cw_disk_queue_key name = name_of_record(i);
        cr_assert_arr_eq(done[i].name.bytes, name.bytes, sizeof name.bytes);
        cr_assert_eq(done[i].flags, i % 2 ? CW_DONE_STAGED : CW_DONE_MOVED);
    }
    free(done);
}

static off_t size_of(const char *path)
{
    struct stat status;
    cr_assert_eq(stat(path, &status), 0);
    return status.st_size;
}

static void cut(const char *path, size_t size)
{
    cr_assert_eq(truncate(path, (off_t)size), 0);
}

Test(donelog, cut_anywhere_what_is_whole_counts)
{
    directory dir = make_directory();
    char path[300];
    write_log(dir.path, 7);
    path_of_log(path, dir.path, 7);
    for (size_t size = RECORDS * RECORD_SIZE + 1; size-- > 0;) {
        cut(path, size);
        expect_records(dir.path, 7, RECORDS, size / RECORD_SIZE);
    }
    cr_assert_eq(unlink(path), 0);
    expect_records(dir.path, 7, RECORDS, 0);
    remove_directory(dir.path);
}

/* The same records, whether stored through a mapping or written by calls; stored ones are followed by zeros. */
Test(donelog, is_the_same_with_a_mapping_and_without)
{
    directory dir = make_directory();
    char stored[RECORDS * RECORD_SIZE + 1] = {0}, written[sizeof stored] = {0};
    char path[300];
    path_of_log(path, dir.path, 7);
    write_log_in(dir.path, 7, true);
    bool longer = size_of(path) > RECORDS * RECORD_SIZE;
    expect_records(dir.path, 7, RECORDS, RECORDS);
    int file = open(path, O_RDONLY);
    cr_assert_eq(pread(file, stored, sizeof stored, 0), (ssize_t)sizeof stored - !longer);
    close(file);
    write_log_in(dir.path, 7, false);
    cr_assert_eq(size_of(path), RECORDS * RECORD_SIZE);
    expect_records(dir.path, 7, RECORDS, RECORDS);
    file = open(path, O_RDONLY);
    cr_assert_eq(pread(file, written, sizeof written, 0), (ssize_t)sizeof written - 1);
    close(file);
    cr_assert_arr_eq(stored, written, sizeof stored);
    remove_directory(dir.path);
}

/* A kill between two stores: the last record is complete up to one of its words. */
Test(donelog, a_record_that_a_kill_left_half_stored)
{
    directory dir = make_directory();
    char path[300];
    path_of_log(path, dir.path, 7);
    for (size_t words = 0; words < RECORD_SIZE / CW_DISK_MAPPING_WORD; words++) {
        write_log(dir.path, 7);
        cut(path, (RECORDS - 1) * RECORD_SIZE + words * CW_DISK_MAPPING_WORD);
        cut(path, MANY * RECORD_SIZE);
        expect_records(dir.path, 7, RECORDS, RECORDS - 1);
    }
    remove_directory(dir.path);
}

/* Room is reserved in steps, up to the last possible record. */
Test(donelog, is_written_to_its_end)
{
    directory dir = make_directory();
    crawl_error error;
    char path[300];
    path_of_log(path, dir.path, 7);
    cw_disk_donelog log = open_log(dir.path, 7, true);
    cr_assert_eq(size_of(path), 0);
    for (unsigned i = 0; !cw_disk_donelog_is_full(&log); i++)
        cr_assert_eq(append(&log, i, &error), CRAWL_OK);
    cw_disk_donelog_close(&log);
    cr_assert_eq(size_of(path), (off_t)CW_DISK_DONE_MAX * RECORD_SIZE);
    expect_records(dir.path, 7, CW_DISK_DONE_MAX, CW_DISK_DONE_MAX);
    remove_directory(dir.path);
}

/* Expects records for which there was room to be there, an error for the first one without, and the process to survive.
 */
static void expect_an_error_where_room_ends(const char *where, bool mapped)
{
    crawl_error error = {0};
    unsigned count = 0;
    crawl_err err;
    cw_disk_donelog log = open_log(where, 7, mapped);
    while (!(err = append(&log, count, &error)))
        count++;
    cw_disk_donelog_close(&log);
    cr_assert_eq(err, CRAWL_EIO);
    cr_assert_not_null(strstr(error.message, "the log of ended requests cannot be written: "), "%s", error.message);
    cr_assert_eq(count, SMALL_FILE / RECORD_SIZE);
    expect_records(where, 7, count, count);
}

Test(donelog, says_where_room_ends)
{
    directory dir = make_directory();
    limit_files();
    expect_an_error_where_room_ends(dir.path, true);
    expect_an_error_where_room_ends(dir.path, false);
    remove_directory(dir.path);
}

static void flip_bit(const char *path, size_t at, unsigned bit)
{
    int file = open(path, O_RDWR);
    char byte;
    cr_assert_eq(pread(file, &byte, 1, (off_t)at), 1);
    byte = (char)(byte ^ 1 << bit);
    cr_assert_eq(pwrite(file, &byte, 1, (off_t)at), 1);
    close(file);
}

Test(donelog, a_bit_that_flipped_ends_it_there)
{
    directory dir = make_directory();
    char path[300];
    write_log(dir.path, 7);
    path_of_log(path, dir.path, 7);
    for (size_t at = 0; at < (size_t)8 * RECORDS * RECORD_SIZE; at++) {
        flip_bit(path, at / 8, at % 8);
        expect_records(dir.path, 7, RECORDS, at / 8 / RECORD_SIZE);
        flip_bit(path, at / 8, at % 8);
    }
    expect_records(dir.path, 7, RECORDS, RECORDS);
    remove_directory(dir.path);
}

Test(donelog, counts_up_to_the_last_write_and_in_its_generation_alone)
{
    directory dir = make_directory();
    char path[300], other[300];
    write_log(dir.path, 7);
    for (uint64_t sequence = 0; sequence < RECORDS; sequence++)
        expect_records(dir.path, 7, sequence, sequence + 1);
    path_of_log(path, dir.path, 7);
    path_of_log(other, dir.path, 8);
    cr_assert_eq(rename(path, other), 0);
    expect_records(dir.path, 8, RECORDS, 0);
    remove_directory(dir.path);
}

/* Within a frontier. */

/* Leases a page and ends it as finished. Returns its number. */
static unsigned finish_one(crawl_frontier *f)
{
    crawl_lease lease;
    unsigned host, page;
    cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_OK);
    cr_assert_eq(sscanf(lease.url.data, "http://host%u/%u", &host, &page), 2);
    cr_assert_eq(crawl_frontier_done(f, lease.id, CRAWL_DONE_FINISHED, 0, 0), CRAWL_OK);
    return page;
}

/* Reopens the frontier and expects exactly the pages from `first` to `last`. */
static void expect_pages(const char *path, unsigned first, unsigned last)
{
    crawl_frontier_options options = test_options();
    check_directory(path);
    crawl_frontier *f = open_in(path, &options, 0);
    check(f);
    for (unsigned page = first; page < last; page++)
        cr_assert_eq(finish_one(f), page);
    pop_drained(f, 0);
    crawl_error error;
    cr_assert_eq(crawl_frontier_close(f, &error), CRAWL_OK);
    check_directory(path);
}

/* Returns a frontier with PAGES pages pushed, half of them still in the stage, and all but two finished. */
static crawl_frontier *finish_most(const char *path)
{
    crawl_frontier_options options = test_options();
    crawl_frontier *f = open_in(path, &options, 0);
    push_pages(f, 1, 0, PAGES / 2, 0);
    cr_assert_eq(cw_disk_settle(f), CRAWL_OK);
    push_pages(f, 1, PAGES / 2, PAGES / 2, 0);
    for (unsigned page = 0; page < PAGES - 2; page++)
        cr_assert_eq(finish_one(f), page);
    return f;
}

static void copy_directory(const char *from, const char *to)
{
    char command[700];
    snprintf(command, sizeof command, "cp -R '%s/.' '%s'", from, to);
    cr_assert_eq(system(command), 0);
}

Test(donelog, what_was_finished_before_the_damage_stays_so)
{
    directory dir = make_directory();
    char path[300];
    crawl_frontier *f = finish_most(dir.path);
    uint64_t generation = cw_disk_of(f)->donelog.generation;
    cw_frontier_abandon(f);
    for (unsigned page = 0; page < PAGES - 2; page++) {
        static const size_t fields[] = {0, 21, 22, 24, 32, 39};
        directory copy = make_directory();
        copy_directory(dir.path, copy.path);
        path_of_log(path, copy.path, generation);
        flip_bit(path, page * RECORD_SIZE + fields[page % 6], page % 8);
        start_machine_anew(copy.path);
        expect_pages(copy.path, page, PAGES);
        remove_directory(copy.path);
    }
    remove_directory(dir.path);
}

Test(donelog, a_power_cut_that_takes_the_log_and_leaves_the_database)
{
    directory dir = make_directory();
    char path[300];
    crawl_frontier *f = finish_most(dir.path);
    path_of_log(path, dir.path, cw_disk_of(f)->donelog.generation);
    cw_frontier_abandon(f);
    cr_assert_eq(unlink(path), 0);
    start_machine_anew(dir.path);
    expect_pages(dir.path, 0, PAGES);
    remove_directory(dir.path);
}

static void copy_logs(const char *from, const char *to)
{
    char command[700];
    snprintf(command, sizeof command, "cp '%s'/done-* '%s'", from, to);
    cr_assert_eq(system(command), 0);
}

/* A request finished after a lost push is no longer finished: it may have been the page that the push came from. */
Test(donelog, a_power_cut_that_takes_the_database_and_leaves_the_log)
{
    directory dir = make_directory();
    directory cut = make_directory();
    crawl_frontier_options options = test_options();
    crawl_frontier *f = open_in(dir.path, &options, 0);
    push_pages(f, 1, 0, PAGES / 2, 0);
    cr_assert_eq(finish_one(f), 0);
    cr_assert_eq(finish_one(f), 1);
    copy_directory(dir.path, cut.path); /* the database as the disk has it */
    push_pages(f, 1, PAGES / 2, PAGES / 2, 0);
    cr_assert_eq(finish_one(f), 2);
    cr_assert_eq(finish_one(f), 3);
    cw_frontier_abandon(f);
    copy_logs(dir.path, cut.path);
    expect_pages(cut.path, 2, PAGES / 2);
    remove_directory(dir.path);
    remove_directory(cut.path);
}

/* A host is blocked until its robots.txt is there. If the end of the block is lost, the urgent request that ends it
 * comes again; otherwise the host would wait for ever. */
Test(donelog, a_power_cut_that_takes_what_was_said_of_a_host)
{
    directory dir = make_directory();
    directory cut = make_directory();
    crawl_frontier_options options = test_options();
    crawl_lease lease;
    crawl_frontier *f = open_in(dir.path, &options, 0);
    crawl_request robots = request_for("http://host1/robots.txt", 0, 0);
    push_pages(f, 1, 0, 1, 0);
    cr_assert_eq(crawl_frontier_push_urgent(f, &robots, 0), CRAWL_OK);
    cr_assert_eq(crawl_frontier_block(f, crawl_slice_from("http://host1"), CRAWL_FOREVER, 0), CRAWL_OK);
    cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_OK);
    copy_directory(dir.path, cut.path); /* the database as the disk has it */
    cr_assert_eq(crawl_frontier_block(f, crawl_slice_from("http://host1"), 0, 0), CRAWL_OK);
    cr_assert_eq(crawl_frontier_done(f, lease.id, CRAWL_DONE_FINISHED, 0, 0), CRAWL_OK);
    cw_frontier_abandon(f);
    copy_logs(dir.path, cut.path);
    f = open_in(cut.path, &options, 0);
    cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_OK);
    cr_assert(crawl_slice_equal(lease.url, crawl_slice_from("http://host1/robots.txt")));
    cw_frontier_abandon(f);
    remove_directory(dir.path);
    remove_directory(cut.path);
}

/* The database from before the log was restarted, and the logs of before and after. */
Test(donelog, a_power_cut_that_takes_the_settling)
{
    directory dir = make_directory();
    directory cut = make_directory();
    crawl_frontier_options options = test_options();
    options.sync = CRAWL_SYNC_NEVER;
    crawl_frontier *f = open_in(dir.path, &options, 0);
    push_pages(f, 1, 0, PAGES, 0);
    cr_assert_eq(finish_one(f), 0);
    copy_directory(dir.path, cut.path);
    cr_assert_eq(finish_one(f), 1);
    cr_assert_eq(cw_disk_settle(f), CRAWL_OK);
    cr_assert_eq(finish_one(f), 2);
    cw_frontier_abandon(f);
    copy_logs(dir.path, cut.path);
    expect_pages(cut.path, 2, PAGES);
    remove_directory(dir.path);
    remove_directory(cut.path);
}

static bool is_there(const char *where, uint64_t generation)
{
    char path[300];
    path_of_log(path, where, generation);
    return access(path, F_OK) == 0;
}

/* A view of the directory reads the database first, and then the logs that it named at that time. */
Test(donelog, stays_while_two_more_are_settled)
{
    directory dir = make_directory();
    crawl_frontier_options options = test_options();
    crawl_frontier *f = open_in(dir.path, &options, 0);
    uint64_t generation = cw_disk_of(f)->donelog.generation;
    for (unsigned settled = 1; settled <= 4; settled++) {
        push_pages(f, 1, settled, 1, 0);
        cr_assert_eq(finish_one(f), settled);
        cr_assert_eq(cw_disk_settle(f), CRAWL_OK);
        cr_assert_eq(cw_disk_sync_now(&cw_disk_of(f)->sync), CRAWL_OK);
        cr_expect_eq(is_there(dir.path, generation), settled <= 2, "%u", settled);
        cr_expect(is_there(dir.path, generation + settled));
    }
    crawl_frontier_free(f);
    remove_directory(dir.path);
}

/* A full disk. The lease ends, its request comes again after the next opening, and nothing is lost. */
Test(donelog, a_write_that_fails_is_the_end_of_the_work)
{
    directory dir = make_directory();
    crawl_error error = {0};
    crawl_lease lease;
    size_t accepted;
    crawl_frontier *f = finish_most(dir.path);
    int full = open("/dev/full", O_RDWR);
    cr_assert_geq(full, 0);
    cw_disk_mapping_close(&cw_disk_of(f)->donelog.mapping); /* its room was reserved while there was some */
    cr_assert_geq(dup2(full, cw_disk_of(f)->donelog.file), 0);
    close(full);
    cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_OK);
    cr_assert_eq(crawl_frontier_done(f, lease.id, CRAWL_DONE_FINISHED, 0, 0), CRAWL_EIO);
    check(f);
    cr_assert_eq(crawl_frontier_failure(f, &error), CRAWL_EIO);
    cr_assert_not_null(strstr(error.message, "log of ended requests"), "%s", error.message);
    cr_assert_eq(crawl_frontier_pop(f, 0, &lease, NULL), CRAWL_EIO);
    crawl_request request = request_for("http://host1/more", 0, 0);
    cr_assert_eq(crawl_frontier_push(f, &request, 1, (crawl_slice){0}, NULL, &accepted, 0), CRAWL_EIO);
    cr_assert_neq(crawl_frontier_close(f, &error), CRAWL_OK);
    expect_pages(dir.path, PAGES - 2, PAGES);
    remove_directory(dir.path);
}
