/* See witness.h. The file: magic (8 bytes), boot (16), written, synced, generation, done, number and bytes of the
 * MANIFEST, check (8 each, the lowest byte first; check: XXH3-64 of the bytes before it); then the word: how many are
 * done (17 bits) and a check of this number with the generation (47 bits). All 88 bytes are written by one call, which
 * neither a kill nor a disk's sector tears. The number of done requests changes much more often than the rest: it
 * changes only the word, which is one store if the file is mapped. Files written before the word was added end in front
 * of it. */
#include "frontier/disk/log/witness.h"

#include "base/bytes.h"
#include "base/files/replace.h"
#include "frontier/disk/log/donelog.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define MAGIC "CRAWLWR2"
#define MAGIC_BEFORE "CRAWLWR1" /* of files without a word */
#define LIST_PREFIX "MANIFEST-" /* as RocksDB names it */

enum { AT_BOOT = 8, AT_NUMBERS = 24, AT_CHECK = 72, AT_WORD = 80, SIZE = 88 };

#define COUNT_BITS 17
_Static_assert(CW_DISK_DONE_MAX < 1u << COUNT_BITS, "a word has room for what may be done");
_Static_assert(AT_WORD % CW_DISK_MAPPING_WORD == 0 && SIZE - AT_WORD == CW_DISK_MAPPING_WORD, "a word is never torn");

static crawl_err witness_fail_system(crawl_error *error, const char *what, const char *path)
{
    return crawl_error_set(error, CRAWL_EIO, "%s: %s: %s", path, what, strerror(errno));
}

static crawl_err witness_path_of(const char *directory, crawl_buf *path, crawl_error *error)
{
    crawl_err err = crawl_buf_printf(path, "%s/" CW_DISK_WITNESS_FILE, directory);
    return err ? crawl_error_set(error, err, "no memory for the name of a file") : CRAWL_OK;
}

/* Reads the machine's own id of this boot; zeros if it has none. */
static void read_boot(char boot[16])
{
    char text[40] = "";
    crawl_buf bytes = {0};
    memset(boot, 0, 16);
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t size = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    size_t digits = 0;
    for (ssize_t i = 0; i < size; i++)
        if (cw_hex_value((unsigned char)text[i]) >= 0)
            text[digits++] = text[i];
    if (digits == 32 && !cw_hex_decode(crawl_slice_of(text, digits), &bytes))
        memcpy(boot, bytes.data, 16);
    crawl_buf_free(&bytes);
}

static bool witness_is_known(const char boot[16])
{
    static const char none[16];
    return memcmp(boot, none, sizeof none) != 0;
}

static uint64_t witness_word_of(uint64_t done, uint64_t generation)
{
    char count[8];
    cw_le_put(count, done, sizeof count);
    return XXH3_64bits_withSeed(count, sizeof count, generation) << COUNT_BITS | done;
}

static bool parse_word(const char bytes[SIZE], cw_disk_testimony *out)
{
    const char *at = bytes + AT_WORD;
    uint64_t word = cw_le_get(&at, 8);
    out->done = word & ((UINT64_C(1) << COUNT_BITS) - 1);
    return word == witness_word_of(out->done, out->generation);
}

static bool witness_parse(const char bytes[SIZE], size_t size, cw_disk_testimony *out)
{
    char boot[16];
    const char *at = bytes + AT_CHECK;
    if ((size != SIZE && size != AT_WORD) || memcmp(bytes, size == SIZE ? MAGIC : MAGIC_BEFORE, AT_BOOT) != 0 ||
        cw_le_get(&at, 8) != XXH3_64bits(bytes, AT_CHECK))
        return false;
    read_boot(boot);
    at = bytes + AT_NUMBERS;
    out->same_boot = witness_is_known(boot) && memcmp(bytes + AT_BOOT, boot, sizeof boot) == 0;
    out->written = cw_le_get(&at, 8);
    out->synced = cw_le_get(&at, 8);
    out->generation = cw_le_get(&at, 8);
    out->done = cw_le_get(&at, 8);
    out->list_number = cw_le_get(&at, 8);
    out->list_bytes = cw_le_get(&at, 8);
    return size == AT_WORD || parse_word(bytes, out);
}

crawl_err cw_disk_witness_read(const char *directory, cw_disk_testimony *out, crawl_error *error)
{
    char bytes[SIZE + 1];
    crawl_buf path = {0};
    *out = (cw_disk_testimony){0};
    crawl_err err = witness_path_of(directory, &path, error);
    if (err)
        return err;
    int file = open(path.data, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t size = file < 0 ? -1 : pread(file, bytes, sizeof bytes, 0);
    if (file < 0 && errno == ENOENT)
        err = CRAWL_ABSENT;
    else if (size < 0)
        err = witness_fail_system(error, "cannot be read", path.data);
    else if (!witness_parse(bytes, (size_t)size, out))
        err = crawl_error_set(error, CRAWL_ECORRUPT, "%s: damaged; without it the crawl goes on with what is left",
                              path.data);
    if (file >= 0)
        close(file);
    crawl_buf_free(&path);
    return err;
}

crawl_err cw_disk_testimony_of_writes(const cw_disk_testimony *testimony, uint64_t sequence, crawl_error *error)
{
    uint64_t due =
        testimony->same_boot && testimony->written > testimony->synced ? testimony->written : testimony->synced;
    if (sequence >= due)
        return CRAWL_OK;
    return crawl_error_set(
        error, CRAWL_ECORRUPT,
        "damaged: the last %" PRIu64 " of %" PRIu64 " writes are gone: db/MANIFEST-* or a log, db/*.log, was cut, "
        "changed or removed (" CW_DISK_WITNESS_FILE " says so; without it the crawl goes on with what is left)",
        due - sequence, due);
}

crawl_err cw_disk_testimony_of_done(const cw_disk_testimony *testimony, uint64_t generation, uint64_t records,
                                    crawl_error *error)
{
    if (!testimony->same_boot || testimony->generation != generation || records >= testimony->done)
        return CRAWL_OK;
    return crawl_error_set(
        error, CRAWL_ECORRUPT,
        "damaged: done-%" PRIu64 " has %" PRIu64 " of %" PRIu64 " records: it was cut, changed or removed "
        "(" CW_DISK_WITNESS_FILE " says so; without it the crawl goes on and requests the missing ones again)",
        generation, records, testimony->done);
}

/* Opens a file of the database. *file: negative if it does not exist. CRAWL_EIO, CRAWL_ENOMEM: unknown. */
static crawl_err open_beside(const char *directory, const char *name, int *file, crawl_error *error)
{
    crawl_buf path = {0};
    *file = -1;
    crawl_err err = crawl_buf_printf(&path, "%s/db/%s", directory, name);
    if (err)
        return crawl_error_set(error, err, "no memory for the name of a file");
    *file = open(path.data, O_RDONLY | O_CLOEXEC);
    if (*file < 0 && errno != ENOENT)
        err = witness_fail_system(error, "cannot be read", path.data);
    crawl_buf_free(&path);
    return err;
}

/* Opens the MANIFEST that CURRENT names. *list: negative if it names none, or one that does not exist, which RocksDB
 * will report. CRAWL_EIO, CRAWL_ENOMEM. */
static crawl_err open_list(const char *directory, int *list, uint64_t *number, crawl_error *error)
{
    char name[64] = "";
    int file;
    *list = -1;
    *number = 0;
    crawl_err err = open_beside(directory, "CURRENT", &file, error);
    if (err || file < 0)
        return err;
    if (read(file, name, sizeof name - 1) > 0 && strncmp(name, LIST_PREFIX, strlen(LIST_PREFIX)) == 0)
        *number = strtoull(name + strlen(LIST_PREFIX), NULL, 10);
    close(file);
    name[strcspn(name, "\n")] = '\0';
    return *number ? open_beside(directory, name, list, error) : CRAWL_OK;
}

crawl_err cw_disk_testimony_of_list(const cw_disk_testimony *testimony, const char *directory, crawl_error *error)
{
    struct stat status = {0};
    uint64_t number;
    int list;
    crawl_err err = open_list(directory, &list, &number, error);
    if (err)
        return err;
    bool there = list >= 0 && fstat(list, &status) == 0;
    if (list >= 0)
        close(list);
    bool same = number == testimony->list_number;
    if (!testimony->list_number || number > testimony->list_number ||
        (same && there && (uint64_t)status.st_size >= testimony->list_bytes))
        return CRAWL_OK;
    return crawl_error_set(error, CRAWL_ECORRUPT,
                           "damaged: db/" LIST_PREFIX "%06" PRIu64 " has %" PRIu64 " of %" PRIu64
                           " bytes, or db/CURRENT does not name it",
                           testimony->list_number, same ? (uint64_t)status.st_size : 0, testimony->list_bytes);
}

static void witness_put(cw_disk_witness *witness, char bytes[SIZE])
{
    struct stat list = {0};
    if (witness->list >= 0)
        fstat(witness->list, &list);
    atomic_store(&witness->untold, false); /* before the number is read: a later one is recorded next time */
    const uint64_t numbers[] = {witness->written, atomic_load(&witness->synced), witness->generation,
                                witness->done,    witness->list_number,          (uint64_t)list.st_size};
    memcpy(bytes, MAGIC, AT_BOOT);
    memcpy(bytes + AT_BOOT, witness->boot, sizeof witness->boot);
    char *at = bytes + AT_NUMBERS;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        at = cw_le_put(at, numbers[i], 8);
    at = cw_le_put(at, XXH3_64bits(bytes, AT_CHECK), 8);
    cw_le_put(at, witness_word_of(witness->done, witness->generation), 8);
}

static crawl_err witness_tell(cw_disk_witness *witness, crawl_error *error)
{
    char bytes[SIZE];
    witness_put(witness, bytes);
    bool told = cw_disk_mapping_write_by_call(witness->file, bytes, sizeof bytes, 0);
    return told ? CRAWL_OK : witness_fail_system(error, "cannot be written", witness->directory);
}

static crawl_err tell_word(cw_disk_witness *witness, crawl_error *error)
{
    char bytes[SIZE - AT_WORD];
    cw_le_put(bytes, witness_word_of(witness->done, witness->generation), sizeof bytes);
    bool told = cw_disk_mapping_write(&witness->mapping, bytes, sizeof bytes, AT_WORD);
    return told ? CRAWL_OK : witness_fail_system(error, "cannot be written", witness->directory);
}

static crawl_err witness_bring_to_disk(const cw_disk_witness *witness, crawl_error *error)
{
    return fsync(witness->file) ? witness_fail_system(error, "cannot be synced", witness->directory) : CRAWL_OK;
}

/* The file is complete from the moment it has its name, even if the disk is full. */
static crawl_err witness_make(cw_disk_witness *witness, const char *path, crawl_error *error)
{
    char bytes[SIZE];
    witness_put(witness, bytes);
    crawl_err err = cw_replace_file(path, crawl_slice_of(bytes, sizeof bytes), 0600, error);
    if (err)
        return err;
    witness->file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    return witness->file < 0 ? witness_fail_system(error, "cannot be opened", path) : CRAWL_OK;
}

crawl_err cw_disk_witness_open(cw_disk_witness *witness, const char *directory, uint64_t sequence, uint64_t generation,
                               crawl_error *error)
{
    crawl_buf path = {0};
    *witness = (cw_disk_witness){
        .directory = directory, .file = -1, .written = sequence, .synced = sequence, .generation = generation};
    read_boot(witness->boot);
    crawl_err err = open_list(directory, &witness->list, &witness->list_number, error);
    if (!err)
        err = witness_path_of(directory, &path, error);
    if (!err)
        err = witness_make(witness, path.data, error);
    crawl_buf_free(&path);
    if (err)
        cw_disk_witness_close(witness);
    else
        cw_disk_mapping_open(&witness->mapping, witness->file, SIZE);
    return err;
}

void cw_disk_witness_close(cw_disk_witness *witness)
{
    if (!witness->directory)
        return;
    cw_disk_mapping_close(&witness->mapping);
    if (witness->file >= 0)
        close(witness->file);
    if (witness->list >= 0)
        close(witness->list);
    witness->directory = NULL;
}

crawl_err cw_disk_witness_wrote(cw_disk_witness *witness, uint64_t sequence, crawl_error *error)
{
    witness->written = sequence;
    return witness_tell(witness, error);
}

crawl_err cw_disk_witness_done(cw_disk_witness *witness, crawl_error *error)
{
    witness->done++;
    return atomic_load(&witness->untold) ? witness_tell(witness, error) : tell_word(witness, error);
}

crawl_err cw_disk_witness_turned(cw_disk_witness *witness, crawl_error *error)
{
    witness->generation++;
    witness->done = 0;
    return witness_tell(witness, error);
}

void cw_disk_witness_synced(cw_disk_witness *witness, uint64_t sequence)
{
    atomic_store(&witness->synced, sequence);
    atomic_store(&witness->untold, true);
}

crawl_err cw_disk_witness_end(cw_disk_witness *witness, uint64_t sequence, crawl_error *error)
{
    atomic_store(&witness->synced, sequence);
    crawl_err err = cw_disk_witness_wrote(witness, sequence, error);
    return err ? err : witness_bring_to_disk(witness, error);
}
