/* See mirror_table.h. A line has the word of its kind, the canonical form, the URL, the value and the charset,
 * separated by tabs, which no URL and no path contains. */
#include "crawler/output/mirror/mirror_table.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/keyed_hash.h"
#include "crawler/output/mirror/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define TABLE CW_MIRROR_OWN "/table"
#define NEW_TABLE CW_MIRROR_OWN "/new-table"
#define FINISHED CW_MIRROR_OWN "/finished"
#define MARK CW_MIRROR_OWN "/mark" /* absent in copies by older versions */

static const char *const words[CW_MIRROR_KINDS] = {
    [CW_MIRROR_FILE] = "file", [CW_MIRROR_HTML] = "html",         [CW_MIRROR_XML] = "xml",
    [CW_MIRROR_CSS] = "css",   [CW_MIRROR_REDIRECT] = "redirect", [CW_MIRROR_GONE] = "gone",
};

/* Whether a file exists. It is looked up once, because pages have many links to the same files. */
enum { NOT_LOOKED_UP, IS_THERE, IS_MISSING };

typedef struct slot {
    uint64_t hash;
    uint64_t place : 61; /* offset of the key's last line, plus 1; 0: free slot */
    uint64_t file : 2;
    uint64_t written : 1; /* to the next table */
} slot;

struct cw_mirror_table {
    cw_mirror_files *files;
    int file;
    atomic_bool changed; /* cw_mirror_table_changed */
    const char *text;    /* the file, mapped */
    size_t size;
    slot *slots;
    size_t slot_count; /* a power of two */
    size_t used;
    cw_hash_secret secret;
};

/* --- opening, appending --- */

/* Cuts off a last line without an end, which a power cut leaves. */
static crawl_err cut_last(int file, crawl_error *error)
{
    char byte = '\n';
    off_t end = lseek(file, 0, SEEK_END);
    off_t size = end;
    while (size > 0 && pread(file, &byte, 1, size - 1) == 1 && byte != '\n')
        size--;
    if (end < 0 || (size != end && ftruncate(file, size)))
        return cw_error_of_file(error, TABLE);
    return CRAWL_OK;
}

/* Refuses a file with another hard link, which may be outside the copy and must not change. */
static crawl_err refuse_planted(int file, crawl_error *error)
{
    struct stat info;
    if (fstat(file, &info))
        return cw_error_of_file(error, TABLE);
    if (!S_ISREG(info.st_mode) || info.st_nlink > 1)
        return crawl_error_set(error, CRAWL_EIO,
                               "%s is a hard link, and its other name would change too: replace it by a copy", TABLE);
    return CRAWL_OK;
}

/* Returns true if the table is as it was when the copy was last finished. The file FINISHED holds its size then; until
 * the next time the table only grows. */
static bool is_finished(const cw_mirror_table *table)
{
    struct stat info;
    crawl_buf finished = {0};
    bool known = cw_mirror_files_read(table->files, crawl_slice_from(FINISHED), &finished, NULL) == CRAWL_OK &&
                 fstat(table->file, &info) == 0;
    bool same = known && finished.size && strtoull(finished.data, NULL, 10) == (uintmax_t)info.st_size;
    crawl_buf_free(&finished);
    return same;
}

crawl_err cw_mirror_table_open(cw_mirror_files *files, cw_mirror_table **out, crawl_error *error)
{
    cw_mirror_table *table = calloc(1, sizeof *table);
    if (!table)
        return cw_error(error, CRAWL_ENOMEM);
    table->files = files;
    cw_hash_secret_draw(&table->secret);
    table->file = cw_mirror_files_descriptor(files, TABLE, O_RDWR | O_CREAT | O_APPEND);
    crawl_err err = table->file < 0 ? cw_error_of_file(error, TABLE) : CRAWL_OK;
    if (!err && flock(table->file, LOCK_EX | LOCK_NB))
        err = crawl_error_set(error, CRAWL_ESTATE, "another crawl is writing this copy");
    if (!err)
        err = refuse_planted(table->file, error);
    if (!err)
        err = cut_last(table->file, error);
    atomic_init(&table->changed, err || !is_finished(table));
    if (err)
        cw_mirror_table_free(table);
    else
        *out = table;
    return err;
}

bool cw_mirror_table_changed(const cw_mirror_table *table)
{
    return atomic_load(&table->changed);
}

crawl_err cw_mirror_table_mark(const cw_mirror_table *table, char *mark, crawl_error *error)
{
    struct stat info;
    const char new_mark = CW_MIRROR_MARK;
    if (cw_mirror_files_has(table->files, crawl_slice_from(MARK))) {
        *mark = CW_MIRROR_MARK;
        return CRAWL_OK;
    }
    if (fstat(table->file, &info))
        return cw_error_of_file(error, TABLE);
    bool is_old = info.st_size > 0;
    *mark = is_old ? CW_MIRROR_OLD_MARK : CW_MIRROR_MARK;
    if (is_old)
        return CRAWL_OK;
    return cw_mirror_files_write(table->files, crawl_slice_from(MARK), crawl_slice_of(&new_mark, 1), error);
}

void cw_mirror_table_free(cw_mirror_table *table)
{
    if (!table)
        return;
    if (table->text)
        munmap((void *)table->text, table->size);
    if (table->file >= 0)
        close(table->file);
    free(table->slots);
    free(table);
}

static crawl_err mirror_table_put_row(const cw_mirror_row *row, crawl_buf *line)
{
    return crawl_buf_printf(line, "%s\t%.*s\t%.*s\t%.*s\t%.*s\n", words[row->kind], (int)row->key.size, row->key.data,
                            (int)row->url.size, row->url.data, (int)row->value.size, row->value.data,
                            (int)row->charset.size, row->charset.data);
}

crawl_err cw_mirror_table_add(cw_mirror_table *table, const cw_mirror_row *row, crawl_error *error)
{
    crawl_buf line = {0};
    atomic_store(&table->changed, true);
    crawl_err err = mirror_table_put_row(row, &line);
    ssize_t written = err ? 0 : write(table->file, line.data, line.size); /* one write, so that lines do not mix */
    if (err) {
        cw_error(error, err);
    } else if (written != (ssize_t)line.size) {
        errno = written < 0 ? errno : ENOSPC; /* part of it fitted */
        err = cw_error_of_file(error, TABLE);
    }
    crawl_buf_free(&line);
    return err;
}

/* --- lookup --- */

static bool read_row(crawl_slice line, cw_mirror_row *row)
{
    crawl_slice word = cw_cut(&line, '\t');
    row->key = cw_cut(&line, '\t');
    row->url = cw_cut(&line, '\t');
    row->value = cw_cut(&line, '\t');
    row->charset = line;
    for (row->kind = 0; row->kind < CW_MIRROR_KINDS; row->kind++)
        if (cw_is(word, words[row->kind]))
            return true;
    return false;
}

/* Reads the row at an offset. *end: start of the next row. */
static bool row_at(const cw_mirror_table *table, size_t place, cw_mirror_row *row, size_t *end)
{
    crawl_slice rest = crawl_slice_of(table->text + place, table->size - place);
    crawl_slice line = cw_cut_line(&rest);
    *end = table->size - rest.size;
    return read_row(line, row);
}

static uint64_t mirror_table_hash_of(const cw_mirror_table *table, crawl_slice key)
{
    return cw_keyed_hash_of(&table->secret, key).low;
}

/* Returns the slot of a key: the one that has it, or the free one for it. */
static slot *slot_of(const cw_mirror_table *table, crawl_slice key, uint64_t hash)
{
    size_t mask = table->slot_count - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        cw_mirror_row row;
        size_t end;
        slot *s = &table->slots[i];
        if (!s->place ||
            (s->hash == hash && row_at(table, s->place - 1, &row, &end) && crawl_slice_equal(row.key, key)))
            return s;
    }
}

static crawl_err mirror_table_grow(cw_mirror_table *table)
{
    slot *old = table->slots;
    size_t count = table->slot_count;
    if (count && table->used < count - count / 4)
        return CRAWL_OK;
    table->slots = calloc(count ? count * 2 : 1024, sizeof *old);
    if (!table->slots) {
        table->slots = old;
        return CRAWL_ENOMEM;
    }
    table->slot_count = count ? count * 2 : 1024;
    for (size_t i = 0; i < count; i++) {
        size_t at = old[i].hash & (table->slot_count - 1);
        while (old[i].place && table->slots[at].place)
            at = (at + 1) & (table->slot_count - 1);
        if (old[i].place)
            table->slots[at] = old[i];
    }
    free(old);
    return CRAWL_OK;
}

static crawl_err index_row(cw_mirror_table *table, crawl_slice key, size_t place)
{
    crawl_err err = mirror_table_grow(table);
    if (err)
        return err;
    uint64_t hash = mirror_table_hash_of(table, key);
    slot *s = slot_of(table, key, hash);
    if (!s->place && table->used == CW_MIRROR_MAX_URLS)
        return CRAWL_OK;
    table->used += !s->place;
    *s = (slot){.hash = hash, .place = place + 1};
    return CRAWL_OK;
}

crawl_err cw_mirror_table_index(cw_mirror_table *table, crawl_error *error)
{
    struct stat info;
    if (fstat(table->file, &info))
        return cw_error_of_file(error, TABLE);
    if (info.st_size) {
        void *text = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, table->file, 0);
        if (text == MAP_FAILED)
            return cw_error_of_file(error, TABLE);
        table->text = text;
        table->size = (size_t)info.st_size;
    }
    cw_mirror_row row;
    crawl_err err = mirror_table_grow(table);
    for (size_t at = 0, end = 0; at < table->size && !err; at = end)
        if (row_at(table, at, &row, &end))
            err = index_row(table, row.key, at);
    return err ? cw_error(error, err) : CRAWL_OK;
}

bool cw_mirror_table_find(cw_mirror_table *table, crawl_slice key, cw_mirror_row *row, bool *has_file)
{
    size_t end;
    slot *s = slot_of(table, key, mirror_table_hash_of(table, key));
    if (!s->place || !row_at(table, s->place - 1, row, &end))
        return false;
    if (s->file == NOT_LOOKED_UP) {
        bool is_there = row->kind < CW_MIRROR_REDIRECT && cw_mirror_files_has(table->files, row->value);
        s->file = is_there ? IS_THERE : IS_MISSING;
    }
    *has_file = s->file == IS_THERE;
    return true;
}

bool cw_mirror_table_next(const cw_mirror_table *table, size_t *at, cw_mirror_row *row, bool *last)
{
    while (*at < table->size) {
        size_t place = *at;
        if (!row_at(table, place, row, at))
            continue;
        *last = slot_of(table, row->key, mirror_table_hash_of(table, row->key))->place == place + 1;
        return true;
    }
    return false;
}

/* --- the end --- */

/* Writes the gathered rows once there are enough of them, or at the end. */
static crawl_err pour(int file, crawl_buf *rows, bool all)
{
    enum { ENOUGH = 65536 };
    if (rows->size < (all ? 1 : ENOUGH))
        return CRAWL_OK;
    bool whole = write(file, rows->data, rows->size) == (ssize_t)rows->size;
    crawl_buf_clear(rows);
    return whole ? CRAWL_OK : CRAWL_EIO;
}

/* Writes the last row of each URL at the place of its first, so that a seed remains the first of all. */
static crawl_err write_rows(const cw_mirror_table *table, int file, size_t *size)
{
    cw_mirror_row row;
    size_t end;
    crawl_buf rows = {0};
    bool last;
    crawl_err err = CRAWL_OK;
    for (size_t at = 0; !err && cw_mirror_table_next(table, &at, &row, &last);) {
        size_t before = rows.size;
        slot *s = slot_of(table, row.key, mirror_table_hash_of(table, row.key));
        if (!s->place || s->written || !row_at(table, s->place - 1, &row, &end))
            continue;
        s->written = true;
        if (row.kind == CW_MIRROR_GONE)
            continue;
        err = mirror_table_put_row(&row, &rows);
        *size += rows.size - before;
        if (!err)
            err = pour(file, &rows, false);
    }
    if (!err)
        err = pour(file, &rows, true);
    crawl_buf_free(&rows);
    return err;
}

/* Replaces the table by one with only the rows that count. *size: its size. */
static crawl_err replace_table(cw_mirror_table *table, size_t *size, crawl_error *error)
{
    cw_mirror_files_remove(table->files, crawl_slice_from(NEW_TABLE)); /* left by a killed crawl, or planted */
    int file = cw_mirror_files_descriptor(table->files, NEW_TABLE, O_WRONLY | O_CREAT | O_EXCL);
    crawl_err err = file < 0 ? CRAWL_EIO : write_rows(table, file, size);
    if (file >= 0 && close(file) && !err)
        err = CRAWL_EIO;
    if (err)
        return err == CRAWL_EIO ? cw_error_of_file(error, NEW_TABLE) : cw_error(error, err);
    return cw_mirror_files_rename(table->files, NEW_TABLE, crawl_slice_from(TABLE), error);
}

crawl_err cw_mirror_table_finish(cw_mirror_table *table, crawl_error *error)
{
    crawl_buf text = {0};
    size_t size = 0;
    crawl_err err = replace_table(table, &size, error);
    if (!err && crawl_buf_printf(&text, "%zu\n", size))
        err = cw_error(error, CRAWL_ENOMEM);
    if (!err)
        err = cw_mirror_files_write(table->files, crawl_slice_from(FINISHED), crawl_buf_slice(&text), error);
    crawl_buf_free(&text);
    return err;
}
