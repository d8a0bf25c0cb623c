/* Saves a filter to a file. See file_layout.h for the layout, and base/files/replace.h for how the new file gets its
 * name.
 *
 * The kind passes its numbers and arrays. Then the arrays are written, each summed on the way, and the header last:
 * until then the file has no magic number. */
#include "base/files/replace.h"
#include "bloom/files/file.h"
#include "bloom/files/file_layout.h"
#include "bloom/kinds/kind.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

struct cw_file_save {
    crawl_buf numbers; /* uint64_t each */
    crawl_buf arrays;  /* of array */
    crawl_err err;
};

typedef struct array {
    const void *data;
    cw_file_array entry;
} array;

static void save_append(cw_file_save *out, crawl_buf *buf, const void *data, size_t size)
{
    if (!out->err)
        out->err = crawl_buf_append(buf, data, size);
}

void cw_file_save_u64(cw_file_save *out, uint64_t value)
{
    save_append(out, &out->numbers, &value, sizeof value);
}

void cw_file_save_double(cw_file_save *out, double value)
{
    save_append(out, &out->numbers, &value, sizeof value);
}

void cw_file_save_array(cw_file_save *out, const void *data, uint64_t bytes)
{
    array item = {.data = data, .entry.bytes = bytes};
    if (bytes)
        save_append(out, &out->arrays, &item, sizeof item);
}

static uint64_t number_count(const cw_file_save *save)
{
    return save->numbers.size / sizeof(uint64_t);
}

static uint64_t array_count(const cw_file_save *save)
{
    return save->arrays.size / sizeof(array);
}

/* Files without a label stay readable for programs that do not know labels. */
static uint32_t version_of(const crawl_bloom *bloom)
{
    return *bloom->label ? CW_FILE_VERSION_LABELLED : CW_FILE_VERSION_PLAIN;
}

static uint64_t header_bytes_of(const crawl_bloom *bloom, const cw_file_save *save)
{
    return cw_file_header_bytes(version_of(bloom), number_count(save), array_count(save));
}

static cw_file_head save_head_of(const crawl_bloom *bloom, const cw_file_save *save, uint64_t file_bytes)
{
    const crawl_bloom_options *options = &bloom->options;
    cw_file_head head = {
        .magic = CW_FILE_MAGIC,
        .order = CW_FILE_ORDER,
        .version = version_of(bloom),
        .header_bytes = header_bytes_of(bloom, save),
        .file_bytes = file_bytes,
        .kind = (uint32_t)options->kind,
        .shards = options->shards,
        .capacity = options->capacity,
        .fpr = options->fpr,
        .growth = options->growth,
        .tightening = options->tightening,
        .max_bytes = options->max_bytes,
        .seed = options->seed,
        .bits = options->bits,
        .hashes = options->hashes,
        .generations = options->generations,
        .window_ms = options->window_ms,
        .numbers = number_count(save),
        .arrays = array_count(save),
    };
    return head;
}

static crawl_err write_array(cw_replace *to, array *item, crawl_error *error)
{
    XXH3_state_t sum;
    XXH3_64bits_reset(&sum);
    const char *data = item->data;
    for (uint64_t done = 0; done < item->entry.bytes; done += CW_FILE_CHUNK) {
        uint64_t left = item->entry.bytes - done;
        size_t size = left < CW_FILE_CHUNK ? (size_t)left : CW_FILE_CHUNK;
        XXH3_64bits_update(&sum, data + done, size);
        crawl_err err = cw_replace_write(to, data + done, size, item->entry.offset + done, error);
        if (err)
            return err;
    }
    item->entry.sum = XXH3_64bits_digest(&sum);
    return CRAWL_OK;
}

/* Writes all arrays; *end is the end of the file. */
static crawl_err write_arrays(cw_replace *to, cw_file_save *save, uint64_t header_bytes, uint64_t *end,
                              crawl_error *error)
{
    array *items = (array *)(void *)save->arrays.data;
    *end = header_bytes;
    bool large = false;
    for (uint64_t i = 0; i < array_count(save); i++) {
        cw_file_array *entry = &items[i].entry;
        entry->offset = cw_file_offset(*end, large, entry->bytes);
        crawl_err err = write_array(to, &items[i], error);
        if (err)
            return err;
        *end = entry->offset + entry->bytes;
        large = entry->bytes >= CW_FILE_PAGE;
    }
    return CRAWL_OK;
}

static crawl_err make_header(const cw_file_save *save, const cw_file_head *head, const char *label, crawl_buf *out)
{
    const array *items = (const array *)(const void *)save->arrays.data;
    crawl_err err = crawl_buf_append(out, head, sizeof *head);
    if (!err)
        err = crawl_buf_append(out, label, cw_file_label_bytes(head->version));
    if (!err)
        err = crawl_buf_append(out, save->numbers.data, save->numbers.size);
    for (uint64_t i = 0; i < head->arrays && !err; i++)
        err = crawl_buf_append(out, &items[i].entry, sizeof items[i].entry);
    if (err)
        return err;
    uint64_t sum = XXH3_64bits(out->data, out->size);
    return crawl_buf_append(out, &sum, sizeof sum);
}

static crawl_err write_content(cw_replace *to, const crawl_bloom *bloom, cw_file_save *save, crawl_error *error)
{
    uint64_t end;
    crawl_err err = write_arrays(to, save, header_bytes_of(bloom, save), &end, error);
    if (err)
        return err;
    cw_file_head head = save_head_of(bloom, save, end);
    crawl_buf header = {0};
    err = make_header(save, &head, bloom->label, &header);
    if (err)
        crawl_error_set(error, err, "%s: no memory", to->path);
    else
        err = cw_replace_write(to, header.data, header.size, 0, error);
    crawl_buf_free(&header);
    return err;
}

static crawl_err collect_and_write(const crawl_bloom *bloom, cw_replace *to, cw_file_save *save, crawl_error *error)
{
    bloom->kind->save(bloom, save);
    if (save->err)
        return crawl_error_set(error, save->err, "%s: no memory", to->path);
    if (number_count(save) > CW_FILE_NUMBERS_MAX || array_count(save) > CW_FILE_ARRAYS_MAX)
        return crawl_error_set(error, CRAWL_ESTATE, "%s: the filter has too many parts", to->path);
    return write_content(to, bloom, save, error);
}

/* Other callers wait until everything is written, but not until it is on disk. */
crawl_err crawl_bloom_save(const crawl_bloom *bloom, const char *path, crawl_error *error)
{
    const cw_kind *kind = bloom->kind;
    cw_file_save save = {0};
    cw_replace to;
    crawl_err err = cw_replace_begin(&to, path, 0666, error);
    if (err)
        return err;
    if (kind->hold)
        kind->hold(bloom);
    err = collect_and_write(bloom, &to, &save, error);
    if (kind->release)
        kind->release(bloom);
    crawl_buf_free(&save.numbers);
    crawl_buf_free(&save.arrays);
    return cw_replace_end(&to, err, error);
}
