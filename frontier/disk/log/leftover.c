#include "frontier/disk/log/leftover.h"

#include "base/array.h"

#define RANGE_MIN 64u /* records of the stage from which a range deletion pays */

static const crawl_slice generation_name = {.data = "mdone", .size = sizeof "mdone" - 1};

/* Reads the generation of the log of done requests. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
static crawl_err leftover_generation_of(cw_disk_database *database, uint64_t *generation, crawl_error *error)
{
    crawl_buf record = {0};
    crawl_err err = cw_disk_database_get(database, CW_FAMILY_META, generation_name, &record, error);
    crawl_slice at = crawl_buf_slice(&record);
    *generation = 0;
    if (!err && !cw_disk_get_number(&at, generation))
        err = crawl_error_set(error, CRAWL_ECORRUPT, "the record of the log of ended requests cannot be read");
    crawl_buf_free(&record);
    return err == CRAWL_ABSENT ? CRAWL_OK : err;
}

/* Every walk over the stage checks all recently deleted ranges, so a few records are deleted one by one. */
static void delete_stage(cw_disk *disk, uint64_t first, uint64_t last)
{
    cw_disk_seen_key from = cw_disk_seen_key_make(first);
    cw_disk_seen_key end = cw_disk_seen_key_make(last + 1);
    if (last - first < RANGE_MIN) {
        for (uint64_t number = first; number <= last; number++) {
            cw_disk_seen_key key = cw_disk_seen_key_make(number);
            cw_disk_database_delete(&disk->database, disk->batch, CW_FAMILY_STAGE, CW_DISK_SLICE_OF_KEY(key));
        }
        return;
    }
    cw_disk_database_delete_range(&disk->database, disk->batch, CW_FAMILY_STAGE, CW_DISK_SLICE_OF_KEY(from),
                                  CW_DISK_SLICE_OF_KEY(end));
}

void cw_disk_leftover_end(cw_disk *disk, uint64_t settled, uint64_t last, uint64_t generation)
{
    char number[CW_DISK_NUMBER_MAX];
    cw_disk_put(disk, CW_FAMILY_META, generation_name,
                crawl_slice_of(number, (size_t)(cw_disk_put_number(number, generation) - number)));
    cw_disk_boundary_delete(&disk->database, disk->batch);
    if (last > settled)
        delete_stage(disk, settled + 1, last);
}

static int leftover_compare(const void *a, const void *b)
{
    const cw_disk_done *x = a;
    const cw_disk_done *y = b;
    int order = memcmp(x->name.bytes, y->name.bytes, sizeof x->name.bytes);
    return order ? order : (x->flags & CW_DONE_STAGED) - (y->flags & CW_DONE_STAGED);
}

typedef struct collector {
    cw_disk_leftover *leftover;
    size_t capacity;
} collector;

static crawl_err collect_gone(cw_disk_queue_key name, crawl_slice record, crawl_slice parent, void *user)
{
    collector *c = user;
    cw_disk_leftover *leftover = c->leftover;
    (void)parent;
    if (record.size)
        return CRAWL_OK;
    if (CW_ARRAY_RESERVE(leftover->gone, c->capacity, leftover->count + 1, 64))
        return CRAWL_ENOMEM;
    leftover->gone[leftover->count++] = (cw_disk_done){.name = name, .flags = CW_DONE_STAGED};
    return CRAWL_OK;
}

/* Appends the records of a log to those already read. */
static crawl_err read_log(cw_disk_leftover *leftover, const char *directory, unsigned which, uint64_t sequence,
                          crawl_error *error)
{
    cw_disk_done *done = NULL;
    size_t count = 0;
    crawl_err err = cw_disk_donelog_read(directory, leftover->generation + which, sequence, &done, &count, error);
    if (!err && CW_ARRAY_RESIZE(leftover->gone, leftover->count + count))
        err = crawl_error_set(error, CRAWL_ENOMEM, "no memory for the log of ended requests");
    if (!err) {
        if (count)
            memcpy(leftover->gone + leftover->count, done, count * sizeof *done);
        leftover->count += count;
        leftover->logged[which] = count;
    }
    free(done);
    return err;
}

static crawl_err read_logs(cw_disk_leftover *leftover, const char *directory, uint64_t sequence, crawl_error *error)
{
    crawl_err err = read_log(leftover, directory, 0, sequence, error);
    return err || !leftover->boundary.there ? err : read_log(leftover, directory, 1, sequence, error);
}

crawl_err cw_disk_leftover_read(cw_disk_leftover *leftover, cw_disk_database *database, const char *directory,
                                uint64_t sequence, crawl_error *error)
{
    *leftover = (cw_disk_leftover){0};
    collector c = {.leftover = leftover};
    uint64_t number;
    crawl_err err = leftover_generation_of(database, &leftover->generation, error);
    if (!err)
        err = cw_disk_boundary_read(database, &leftover->boundary, error);
    if (!err)
        err = read_logs(leftover, directory, sequence, error);
    c.capacity = leftover->count;
    if (!err)
        err = cw_disk_stage_walk(database, 0, UINT64_MAX, &number, collect_gone, &c, error);
    if (err)
        cw_disk_leftover_free(leftover);
    else if (leftover->count)
        qsort(leftover->gone, leftover->count, sizeof *leftover->gone, leftover_compare);
    return err;
}

crawl_err cw_disk_leftover_testify(const cw_disk_leftover *leftover, const cw_disk_testimony *testimony,
                                   crawl_error *error)
{
    const cw_disk_testimony settled = {
        .same_boot = testimony->same_boot, .generation = leftover->generation, .done = leftover->boundary.records};
    crawl_err err = cw_disk_testimony_of_done(testimony, leftover->generation, leftover->logged[0], error);
    if (!err && leftover->boundary.there)
        err = cw_disk_testimony_of_done(&settled, leftover->generation, leftover->logged[0], error);
    if (!err && leftover->boundary.there)
        err = cw_disk_testimony_of_done(testimony, leftover->generation + 1, leftover->logged[1], error);
    return err;
}

void cw_disk_leftover_free(cw_disk_leftover *leftover)
{
    free(leftover->gone);
    *leftover = (cw_disk_leftover){0};
}

static bool leftover_has(const cw_disk_leftover *leftover, cw_disk_queue_key name, uint8_t staged)
{
    const cw_disk_done wanted = {.name = name, .flags = staged};
    return leftover->count && bsearch(&wanted, leftover->gone, leftover->count, sizeof wanted, leftover_compare);
}

bool cw_disk_leftover_is_done(const cw_disk_leftover *leftover, cw_disk_queue_key name)
{
    return leftover_has(leftover, name, 0);
}

typedef struct filter {
    const cw_disk_leftover *leftover;
    uint64_t number; /* of the current record */
    cw_each_staged *each;
    void *user;
} filter;

static bool is_settled(const filter *f, cw_disk_queue_key name)
{
    const cw_disk_boundary *boundary = &f->leftover->boundary;
    return boundary->begun && f->number <= boundary->batch &&
           memcmp(name.bytes, boundary->last.bytes, sizeof name.bytes) <= 0;
}

/* A request done while it was being settled was logged as one of the queue. */
static crawl_err pass_staged(cw_disk_queue_key name, crawl_slice record, crawl_slice parent, void *user)
{
    const filter *f = user;
    if (!record.size || is_settled(f, name) || leftover_has(f->leftover, name, CW_DONE_STAGED) ||
        leftover_has(f->leftover, name, 0))
        return CRAWL_OK;
    return f->each(name, record, parent, f->user);
}

crawl_err cw_disk_leftover_staged(const cw_disk_leftover *leftover, cw_disk_database *database, cw_each_staged *each,
                                  void *user, crawl_error *error)
{
    filter f = {.leftover = leftover, .each = each, .user = user};
    return cw_disk_stage_walk(database, 0, UINT64_MAX, &f.number, pass_staged, &f, error);
}

static crawl_err put_staged(cw_disk_queue_key name, crawl_slice record, crawl_slice parent, void *user)
{
    cw_disk *disk = user;
    crawl_err err = cw_disk_reserve(disk, record.size + parent.size);
    if (!err)
        err = crawl_buf_append(&disk->scratch, record.data, record.size);
    if (!err)
        err = crawl_buf_append(&disk->scratch, parent.data, parent.size);
    if (!err)
        cw_disk_put(disk, CW_FAMILY_QUEUE, CW_DISK_SLICE_OF_KEY(name), crawl_buf_slice(&disk->scratch));
    return err;
}

/* If nothing is left, only the generation is written: a file of the old one may exist. */
crawl_err cw_disk_leftover_settle(cw_disk *disk, uint64_t *generation, crawl_error *error)
{
    cw_disk_leftover leftover;
    crawl_err err = cw_disk_leftover_read(&leftover, &disk->database, disk->directory, disk->found, error);
    if (err)
        return err;
    err = cw_disk_leftover_testify(&leftover, &disk->testimony, error);
    if (err) {
        cw_disk_leftover_free(&leftover);
        return err;
    }
    cw_disk_begin(disk);
    err = cw_disk_leftover_staged(&leftover, &disk->database, put_staged, disk, error);
    for (size_t i = 0; i < leftover.count; i++)
        if (!(leftover.gone[i].flags & CW_DONE_STAGED))
            cw_disk_drop(disk, leftover.gone[i].name, true);
    *generation = leftover.generation + 2; /* no file can have this one */
    cw_disk_leftover_end(disk, 0, UINT64_MAX - 1, *generation);
    if (!err)
        err = cw_disk_database_write(&disk->database, disk->batch, true, error);
    cw_disk_begin(disk);
    cw_disk_leftover_free(&leftover);
    return err;
}
