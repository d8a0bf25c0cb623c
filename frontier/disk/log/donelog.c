/* See donelog.h. A record: name (21 bytes), flags (1), zero (2), sequence number (8, the lowest byte first), check (8,
 * likewise: XXH3-64 of the bytes before it, seeded with the generation, so that records of an earlier use of the file
 * are invalid). */
#include "frontier/disk/log/donelog.h"

#include "base/bytes.h"
#include "frontier/disk/log/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define FILE_PREFIX "done-"
#define TABLE_SIZE (2 * CW_DISK_DONE_MAX) /* a power of two */
#define UNSYNCED_KEPT 8u                  /* generations whose files are kept if nothing is ever synced */
#define SYNCED_KEPT 2u /* and if it is: for views of the directory that began before these logs were settled */

typedef struct record {
    char name[CW_DISK_QUEUE_KEY_SIZE];
    uint8_t flags;
    uint8_t zero[2];
    char sequence[8];
    char check[8];
} record;

_Static_assert(sizeof(record) == 40, "a record without holes");
_Static_assert(sizeof(record) % CW_DISK_MAPPING_WORD == 0, "of whole words");

static uint64_t check_of(const record *r, uint64_t generation)
{
    return XXH3_64bits_withSeed(r, offsetof(record, check), generation);
}

static uint32_t donelog_place_of(cw_disk_queue_key name)
{
    return (uint32_t)XXH3_64bits(name.bytes, sizeof name.bytes) & (TABLE_SIZE - 1);
}

static crawl_err donelog_path_of(const char *directory, uint64_t generation, crawl_buf *path)
{
    return crawl_buf_printf(path, "%s/" FILE_PREFIX "%" PRIu64, directory, generation);
}

static crawl_err donelog_fail_system(crawl_error *error, const char *what, const char *path)
{
    return crawl_error_set(error, errno == ENOMEM ? CRAWL_ENOMEM : CRAWL_EIO, "%s: %s: %s", path, what,
                           strerror(errno));
}

static crawl_err donelog_open_file(const char *directory, uint64_t generation, int flags, int *file, crawl_error *error)
{
    crawl_buf path = {0};
    crawl_err err = donelog_path_of(directory, generation, &path);
    if (err)
        return crawl_error_set(error, err, "no memory for the name of a file");
    *file = open(path.data, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (*file < 0)
        err = errno == ENOENT ? CRAWL_ABSENT : donelog_fail_system(error, "cannot be opened", path.data);
    crawl_buf_free(&path);
    return err;
}

static crawl_err make_file(const cw_disk_donelog *log, uint64_t generation, int *file, crawl_error *error)
{
    crawl_err err = donelog_open_file(log->directory, generation, O_RDWR | O_CREAT | O_TRUNC, file, error);
    return err == CRAWL_ABSENT ? donelog_fail_system(error, "no file can be made there", log->directory) : err;
}

static void donelog_map_file(cw_disk_donelog *log)
{
    cw_disk_mapping_open(&log->mapping, log->file, CW_DISK_DONE_MAX * sizeof(record));
}

static bool donelog_make_names(cw_disk_done_names *names)
{
    names->all = malloc(CW_DISK_DONE_MAX * sizeof *names->all);
    names->table = calloc(TABLE_SIZE, sizeof *names->table);
    return names->all && names->table;
}

static void free_names(cw_disk_done_names *names)
{
    free(names->all);
    free(names->table);
}

crawl_err cw_disk_donelog_open(cw_disk_donelog *log, const char *directory, uint64_t generation, crawl_error *error)
{
    *log = (cw_disk_donelog){.directory = directory,
                             .generation = generation,
                             .oldest = generation,
                             .room = CW_DISK_DONE_MAX,
                             .file = -1,
                             .file_before = -1,
                             .next = -1};
    if (pthread_mutex_init(&log->guard, NULL))
        return crawl_error_set(error, CRAWL_ENOMEM, "no memory for a lock");
    bool made = donelog_make_names(&log->names) && donelog_make_names(&log->before);
    crawl_err err = made ? CRAWL_OK : crawl_error_set(error, CRAWL_ENOMEM, "no memory for a log");
    if (!err)
        err = make_file(log, generation, &log->file, error);
    if (err)
        cw_disk_donelog_close(log);
    else
        donelog_map_file(log);
    return err;
}

void cw_disk_donelog_close(cw_disk_donelog *log)
{
    if (!log->directory)
        return;
    cw_disk_mapping_close(&log->mapping);
    const int files[] = {log->file, log->file_before, log->next};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i] >= 0)
            close(files[i]);
    free_names(&log->names);
    free_names(&log->before);
    pthread_mutex_destroy(&log->guard);
    *log = (cw_disk_donelog){0};
}

static void donelog_add_name(cw_disk_done_names *names, cw_disk_queue_key name, uint8_t flags)
{
    uint32_t place = donelog_place_of(name);
    while (names->table[place])
        place = (place + 1) & (TABLE_SIZE - 1);
    names->all[names->count] = (cw_disk_done){.name = name, .flags = flags};
    names->table[place] = ++names->count;
}

crawl_err cw_disk_donelog_append(cw_disk_donelog *log, cw_disk_queue_key name, uint8_t flags, uint64_t sequence,
                                 crawl_error *error)
{
    record r = {.flags = flags};
    memcpy(r.name, name.bytes, sizeof r.name);
    cw_le_put(r.sequence, sequence, sizeof r.sequence);
    cw_le_put(r.check, check_of(&r, log->generation), sizeof r.check);
    if (!cw_disk_mapping_write(&log->mapping, &r, sizeof r, log->names.count * sizeof r))
        return donelog_fail_system(error, "the log of ended requests cannot be written", log->directory);
    donelog_add_name(&log->names, name, flags);
    return CRAWL_OK;
}

static bool have(const cw_disk_done_names *names, cw_disk_queue_key name)
{
    if (!names->count)
        return false;
    for (uint32_t place = donelog_place_of(name); names->table[place]; place = (place + 1) & (TABLE_SIZE - 1)) {
        const cw_disk_done *done = &names->all[names->table[place] - 1];
        if (memcmp(done->name.bytes, name.bytes, sizeof name.bytes) == 0)
            return !(done->flags & CW_DONE_STAGED);
    }
    return false;
}

bool cw_disk_donelog_has(const cw_disk_donelog *log, cw_disk_queue_key name)
{
    return have(&log->names, name) || have(&log->before, name);
}

crawl_err cw_disk_donelog_prepare(cw_disk_donelog *log, crawl_error *error)
{
    if (log->next >= 0)
        return CRAWL_OK;
    return make_file(log, log->generation + 1, &log->next, error);
}

void cw_disk_donelog_turn(cw_disk_donelog *log)
{
    pthread_mutex_lock(&log->guard);
    log->file_before = log->file;
    log->file = log->next;
    log->generation++;
    pthread_mutex_unlock(&log->guard);
    log->next = -1;
    cw_disk_mapping_close(&log->mapping);
    donelog_map_file(log);
    cw_disk_done_names settled = log->before;
    log->before = log->names;
    log->names = settled;
}

void cw_disk_donelog_settled(cw_disk_donelog *log)
{
    pthread_mutex_lock(&log->guard);
    int before = log->file_before;
    log->file_before = -1;
    uint64_t generation = log->generation;
    pthread_mutex_unlock(&log->guard);
    close(before);
    log->before.count = 0;
    memset(log->before.table, 0, TABLE_SIZE * sizeof *log->before.table);
    if (generation > UNSYNCED_KEPT)
        cw_disk_donelog_sweep(log, generation - UNSYNCED_KEPT);
}

/* Duplicates a file that another thread may close meanwhile. */
static int borrow(int file)
{
    return file < 0 ? -1 : dup(file);
}

static bool donelog_bring_to_disk(int file)
{
    bool good = file >= 0 && fsync(file) == 0;
    if (file >= 0)
        close(file);
    return good;
}

crawl_err cw_disk_donelog_sync(cw_disk_donelog *log, uint64_t *generation, crawl_error *error)
{
    pthread_mutex_lock(&log->guard);
    bool two = log->file_before >= 0;
    int before = borrow(log->file_before);
    int file = borrow(log->file);
    uint64_t needed = log->generation - two;
    *generation = needed > SYNCED_KEPT ? needed - SYNCED_KEPT : 0;
    pthread_mutex_unlock(&log->guard);
    bool good = donelog_bring_to_disk(before) || !two;
    good &= donelog_bring_to_disk(file);
    return good ? CRAWL_OK : donelog_fail_system(error, "the log of ended requests cannot be synced", log->directory);
}

void cw_disk_donelog_sweep(cw_disk_donelog *log, uint64_t generation)
{
    crawl_buf path = {0};
    pthread_mutex_lock(&log->guard);
    for (; log->oldest < generation; log->oldest++) {
        crawl_buf_clear(&path);
        if (!donelog_path_of(log->directory, log->oldest, &path))
            unlink(path.data);
    }
    pthread_mutex_unlock(&log->guard);
    crawl_buf_free(&path);
}

void cw_disk_donelog_remove_others(const cw_disk_donelog *log)
{
    cw_disk_journal_remove_others(log->directory, FILE_PREFIX, log->generation);
}

static uint64_t donelog_number_of(const char bytes[8])
{
    return cw_le_get(&bytes, 8);
}

/* Copies the valid records among those read. Returns how many. */
static size_t keep_whole(cw_disk_done *out, const record *records, size_t count, uint64_t generation, uint64_t sequence)
{
    size_t kept = 0;
    for (; kept < count; kept++) {
        const record *r = &records[kept];
        if (donelog_number_of(r->check) != check_of(r, generation) || donelog_number_of(r->sequence) > sequence)
            break;
        out[kept].flags = r->flags;
        memcpy(out[kept].name.bytes, r->name, sizeof r->name);
    }
    return kept;
}

crawl_err cw_disk_donelog_read(const char *directory, uint64_t generation, uint64_t sequence, cw_disk_done **out,
                               size_t *count, crawl_error *error)
{
    int file = -1;
    crawl_err err = donelog_open_file(directory, generation, O_RDONLY, &file, error);
    *out = NULL;
    *count = 0;
    if (err)
        return err == CRAWL_ABSENT ? CRAWL_OK : err;
    record *records = malloc(CW_DISK_DONE_MAX * sizeof *records);
    cw_disk_done *done = malloc(CW_DISK_DONE_MAX * sizeof *done);
    ssize_t size = records && done ? pread(file, records, CW_DISK_DONE_MAX * sizeof *records, 0) : 0;
    if (!records || !done)
        err = crawl_error_set(error, CRAWL_ENOMEM, "no memory for the log of ended requests");
    else if (size < 0)
        err = donelog_fail_system(error, "the log of ended requests cannot be read", directory);
    else
        *count = keep_whole(done, records, (size_t)size / sizeof *records, generation, sequence);
    close(file);
    free(records);
    if (err) {
        free(done);
        return err;
    }
    *out = done;
    return CRAWL_OK;
}
