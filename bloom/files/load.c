/* Loads a filter from a file, in two steps. First the header and the geometry, which are always checked, also against
 * the size of the file; then the arrays, which are either read and checked (load, validate) or mapped (map). See
 * file_layout.h.
 *
 * The file is not trusted: its checksums protect against accidents, not against people, who can write a file with
 * correct sums. So each kind checks its numbers as it reads them, and is safe with any content of its arrays. */
#include "bloom/bloom_options.h"
#include "bloom/files/file.h"
#include "bloom/files/file_layout.h"
#include "bloom/kinds/kind.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define MESSAGE_MOST 400 /* leaves room for a path in a crawl_error */

struct cw_file_load {
    const char *path;
    crawl_error *error;
    int file;
    bool map; /* arrays are mapped rather than read */
    crawl_err state;
    uint64_t size; /* of the file */
    uint64_t most; /* bytes of memory in the machine */
    char *header;
    cw_file_head head; /* a copy of its beginning */
    const char *numbers;
    const cw_file_array *arrays;
    uint64_t next_number, next_array;
    char *chunk; /* CW_FILE_CHUNK */
};

/* Only the first error is kept. */
static crawl_err load_tell(cw_file_load *in, crawl_err err, const char *text)
{
    if (!in->state)
        in->state = crawl_error_set(in->error, err, "%s: %s", in->path, text);
    return in->state;
}

crawl_err cw_file_load_refuse(cw_file_load *in, const char *format, ...)
{
    char text[MESSAGE_MOST];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    load_tell(in, CRAWL_ECORRUPT, text);
    return CRAWL_ECORRUPT;
}

static crawl_err load_fail(cw_file_load *in, crawl_err err, const char *format, ...) CRAWL_PRINTF(3, 4);

static crawl_err load_fail(cw_file_load *in, crawl_err err, const char *format, ...)
{
    char text[MESSAGE_MOST];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return load_tell(in, err, text);
}

crawl_err cw_file_load_state(const cw_file_load *in)
{
    return in->state;
}

static crawl_err read_at(cw_file_load *in, void *out, size_t size, uint64_t offset)
{
    char *bytes = out;
    while (size) {
        ssize_t n = pread(in->file, bytes, size, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return load_fail(in, CRAWL_EIO, "cannot read: %s", strerror(errno));
        if (n == 0)
            return cw_file_load_refuse(in, "was truncated while it was read");
        bytes += n;
        size -= (size_t)n;
        offset += (uint64_t)n;
    }
    return CRAWL_OK;
}

/* --- The header. --- */

static crawl_err load_open_file(cw_file_load *in)
{
    in->file = open(in->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* opening a pipe must not wait for a writer */
    struct stat status;
    if (in->file < 0 || fstat(in->file, &status))
        return load_fail(in, CRAWL_EIO, "cannot open: %s", strerror(errno));
    if (!S_ISREG(status.st_mode))
        return load_fail(in, CRAWL_EIO, "cannot read: not a regular file");
    in->size = (uint64_t)status.st_size;
    return CRAWL_OK;
}

/* Checks the fields that must be valid before anything else can be read. */
static crawl_err check_head(cw_file_load *in)
{
    static const unsigned char magic[8] = CW_FILE_MAGIC;
    const cw_file_head *head = &in->head;
    size_t size = in->size < sizeof *head ? (size_t)in->size : sizeof *head;
    if (size == 0)
        return cw_file_load_refuse(in, "is empty, not a filter");
    if (read_at(in, &in->head, size, 0))
        return in->state;
    if (memcmp(head->magic, magic, size < sizeof magic ? size : sizeof magic) != 0)
        return cw_file_load_refuse(in, "is not a filter: wrong magic number");
    if (size < sizeof *head)
        return cw_file_load_refuse(in, "is truncated: %llu bytes, in the middle of its header",
                                   (unsigned long long)in->size);
    if (head->order == CW_FILE_ORDER_OTHER)
        return cw_file_load_refuse(in, "was written by a machine with the other byte order");
    if (head->order != CW_FILE_ORDER)
        return cw_file_load_refuse(in, "has a damaged header: no byte order");
    if (head->version != CW_FILE_VERSION_PLAIN && head->version != CW_FILE_VERSION_LABELLED)
        return cw_file_load_refuse(in, "has version %lu, this program reads %lu to %lu", (unsigned long)head->version,
                                   (unsigned long)CW_FILE_VERSION_PLAIN, (unsigned long)CW_FILE_VERSION_LABELLED);
    return CRAWL_OK;
}

/* Reads the whole header, once its size is known to be plausible, and checks its sum. */
static crawl_err read_header(cw_file_load *in)
{
    const cw_file_head *head = &in->head;
    if (head->numbers > CW_FILE_NUMBERS_MAX || head->arrays > CW_FILE_ARRAYS_MAX ||
        head->header_bytes != cw_file_header_bytes(head->version, head->numbers, head->arrays))
        return cw_file_load_refuse(in, "has a damaged header: %llu bytes for %llu numbers and %llu arrays",
                                   (unsigned long long)head->header_bytes, (unsigned long long)head->numbers,
                                   (unsigned long long)head->arrays);
    if (head->header_bytes > in->size)
        return cw_file_load_refuse(in, "is truncated: %llu bytes, in the middle of its header",
                                   (unsigned long long)in->size);
    size_t size = (size_t)head->header_bytes;
    in->header = malloc(size);
    if (!in->header)
        return load_fail(in, CRAWL_ENOMEM, "no memory for its header");
    if (read_at(in, in->header, size, 0))
        return in->state;
    uint64_t sum;
    memcpy(&sum, in->header + size - sizeof sum, sizeof sum);
    if (sum != XXH3_64bits(in->header, size - sizeof sum))
        return cw_file_load_refuse(in, "has a damaged header: wrong checksum");
    memcpy(&in->head, in->header, sizeof in->head); /* the bytes that were summed: the file may change meanwhile */
    if (head->header_bytes != size)
        return cw_file_load_refuse(in, "was changed while it was read");
    in->numbers = in->header + sizeof *head + cw_file_label_bytes(head->version);
    in->arrays = (const cw_file_array *)(const void *)(in->numbers + sizeof(uint64_t) * head->numbers);
    return CRAWL_OK;
}

/* Checks that every array is where it must be and that the last one ends with the file, so that none overlaps another
 * or the header. */
static crawl_err check_geometry(cw_file_load *in)
{
    const cw_file_head *head = &in->head;
    if (head->file_bytes != in->size)
        return cw_file_load_refuse(in, "is %s: %llu bytes, expected %llu",
                                   in->size < head->file_bytes ? "truncated" : "too long", (unsigned long long)in->size,
                                   (unsigned long long)head->file_bytes);
    uint64_t end = head->header_bytes;
    bool large = false;
    for (uint64_t i = 0; i < head->arrays; i++) {
        cw_file_array array = in->arrays[i];
        uint64_t offset = cw_file_offset(end, large, array.bytes);
        if (array.offset != offset)
            return cw_file_load_refuse(in, "array %llu begins at %llu, expected %llu", (unsigned long long)i,
                                       (unsigned long long)array.offset, (unsigned long long)offset);
        if (array.bytes == 0 || offset > in->size || array.bytes > in->size - offset)
            return cw_file_load_refuse(in, "array %llu has %llu bytes, which are none or beyond the end of the file",
                                       (unsigned long long)i, (unsigned long long)array.bytes);
        end = offset + array.bytes;
        large = array.bytes >= CW_FILE_PAGE;
    }
    if (end != in->size)
        return cw_file_load_refuse(in, "has arrays that end at %llu, expected %llu", (unsigned long long)end,
                                   (unsigned long long)in->size);
    return CRAWL_OK;
}

static crawl_err read_label(cw_file_load *in, char label[CW_FILE_LABEL_BYTES])
{
    memset(label, 0, CW_FILE_LABEL_BYTES);
    memcpy(label, in->header + sizeof in->head, cw_file_label_bytes(in->head.version));
    return label[CW_FILE_LABEL_BYTES - 1] ? cw_file_load_refuse(in, "has an unterminated label") : CRAWL_OK;
}

static crawl_err load_read_options(cw_file_load *in, crawl_bloom_options *out)
{
    const cw_file_head *head = &in->head;
    if (head->kind >= CRAWL_BLOOM_KINDS)
        return cw_file_load_refuse(in, "has kind %lu, which this program does not know", (unsigned long)head->kind);
    *out = (crawl_bloom_options){
        .kind = (crawl_bloom_kind)head->kind,
        .capacity = head->capacity,
        .fpr = head->fpr,
        .growth = head->growth,
        .tightening = head->tightening,
        .max_bytes = head->max_bytes,
        .seed = head->seed,
        .bits = head->bits,
        .hashes = head->hashes,
        .generations = head->generations,
        .window_ms = head->window_ms,
        .shards = head->shards,
    };
    crawl_error why = {0};
    return cw_bloom_options_check(out, &why) ? cw_file_load_refuse(in, "%s", why.message) : CRAWL_OK;
}

/* --- Calls of the kinds. --- */

static crawl_err load_next_number(cw_file_load *in, const char *name, void *out)
{
    if (in->state)
        return in->state;
    if (in->next_number == in->head.numbers)
        return cw_file_load_refuse(in, "has no %s: it holds %llu numbers, fewer than expected", name,
                                   (unsigned long long)in->head.numbers);
    memcpy(out, in->numbers + sizeof(uint64_t) * in->next_number++, sizeof(uint64_t));
    return CRAWL_OK;
}

uint64_t cw_file_load_u64(cw_file_load *in, const char *name, uint64_t least, uint64_t most)
{
    uint64_t value = 0;
    if (load_next_number(in, name, &value))
        return least;
    if (value >= least && value <= most)
        return value;
    cw_file_load_refuse(in, "%s is %llu, expected %llu to %llu", name, (unsigned long long)value,
                        (unsigned long long)least, (unsigned long long)most);
    return least;
}

double cw_file_load_double(cw_file_load *in, const char *name, double least, double most)
{
    double value = 0;
    if (load_next_number(in, name, &value))
        return least;
    if (value >= least && value <= most)
        return value;
    cw_file_load_refuse(in, "%s is %.17g, expected %.17g to %.17g", name, value, least, most);
    return least;
}

static crawl_err get_chunk(cw_file_load *in)
{
    if (!in->chunk)
        in->chunk = malloc(CW_FILE_CHUNK);
    return in->chunk ? CRAWL_OK : load_fail(in, CRAWL_ENOMEM, "no memory");
}

/* Checks the padding between `end` and the next array. */
static crawl_err check_padding(cw_file_load *in, uint64_t index)
{
    const cw_file_array *array = &in->arrays[index];
    uint64_t end = index ? array[-1].offset + array[-1].bytes : in->head.header_bytes;
    size_t size = (size_t)(array->offset - end);
    if (get_chunk(in) || read_at(in, in->chunk, size, end))
        return in->state;
    for (size_t i = 0; i < size; i++) {
        if (in->chunk[i])
            return cw_file_load_refuse(in, "is damaged: unused byte %llu is not 0", (unsigned long long)end + i);
    }
    return CRAWL_OK;
}

/* Reads an array and checks its sum; into out, or only as a check if out is NULL. */
static crawl_err read_array(cw_file_load *in, uint64_t index, char *out)
{
    const cw_file_array *array = &in->arrays[index];
    XXH3_state_t sum;
    XXH3_64bits_reset(&sum);
    if (check_padding(in, index))
        return in->state;
    for (uint64_t done = 0; done < array->bytes; done += CW_FILE_CHUNK) {
        uint64_t left = array->bytes - done;
        size_t size = left < CW_FILE_CHUNK ? (size_t)left : CW_FILE_CHUNK;
        char *chunk = out ? out + done : in->chunk;
        if (read_at(in, chunk, size, array->offset + done))
            return in->state;
        XXH3_64bits_update(&sum, chunk, size);
    }
    if (XXH3_64bits_digest(&sum) != array->sum)
        return cw_file_load_refuse(in, "is damaged: wrong checksum of array %llu at byte %llu",
                                   (unsigned long long)index, (unsigned long long)array->offset);
    return CRAWL_OK;
}

static crawl_err get_array(cw_file_load *in, uint64_t index, cw_bloom_pages *out)
{
    const cw_file_array *array = &in->arrays[index];
    crawl_err err;
    if (in->map && array->bytes >= CW_FILE_PAGE)
        err = cw_bloom_pages_of_file(in->file, array->offset, array->bytes, out);
    else
        err = cw_bloom_pages_get(array->bytes, in->most, out);
    if (err)
        return load_fail(in, err, "no memory for an array of %llu bytes", (unsigned long long)array->bytes);
    if (out->how == CW_PAGES_FILE)
        return CRAWL_OK;
    return in->map ? read_at(in, out->data, (size_t)array->bytes, array->offset) : read_array(in, index, out->data);
}

crawl_err cw_file_load_array(cw_file_load *in, const char *name, uint64_t bytes, cw_bloom_pages *out)
{
    *out = (cw_bloom_pages){0};
    if (in->state || bytes == 0)
        return in->state;
    if (in->next_array == in->head.arrays)
        return cw_file_load_refuse(in, "has no %s: it holds %llu arrays, fewer than expected", name,
                                   (unsigned long long)in->head.arrays);
    uint64_t index = in->next_array++;
    if (in->arrays[index].bytes != bytes)
        return cw_file_load_refuse(in, "%s has %llu bytes, expected %llu", name,
                                   (unsigned long long)in->arrays[index].bytes, (unsigned long long)bytes);
    if (get_array(in, index, out))
        cw_bloom_pages_free(out);
    return in->state;
}

/* --- The whole file. --- */

static crawl_err check_used_up(cw_file_load *in)
{
    if (in->next_number == in->head.numbers && in->next_array == in->head.arrays)
        return CRAWL_OK;
    return cw_file_load_refuse(in, "holds %llu numbers and %llu arrays, expected %llu and %llu",
                               (unsigned long long)in->head.numbers, (unsigned long long)in->head.arrays,
                               (unsigned long long)in->next_number, (unsigned long long)in->next_array);
}

static crawl_err read_header_and_geometry(cw_file_load *in, crawl_bloom_options *options)
{
    crawl_err err = load_open_file(in);
    if (!err)
        err = check_head(in);
    if (!err)
        err = read_header(in);
    if (!err)
        err = check_geometry(in);
    if (!err)
        err = load_read_options(in, options);
    return err;
}

/* Loads the file into a new filter. NULL: the state has the error. */
static crawl_bloom *make_filter(cw_file_load *in, const crawl_bloom_options *options)
{
    const cw_kind *kind = cw_kind_for(options);
    crawl_bloom *bloom = NULL;
    crawl_err err = kind->load(in, options, &bloom);
    if (err) {
        load_fail(in, err, "%s", crawl_strerror(err)); /* unless there is a better message already */
        return NULL;
    }
    bloom->kind = kind;
    bloom->options = *options;
    if (read_label(in, bloom->label) || check_used_up(in)) {
        kind->destroy(bloom);
        return NULL;
    }
    return bloom;
}

static crawl_err validate_filter(cw_file_load *in, const crawl_bloom *bloom)
{
    crawl_error why = {0};
    if (!bloom->kind->validate || bloom->kind->validate(bloom, &why) == CRAWL_OK)
        return CRAWL_OK;
    return cw_file_load_refuse(in, "%s", why.message);
}

/* check: also checks everything that map skips. */
static crawl_err read_filter(cw_file_load *in, bool check, crawl_bloom **out)
{
    crawl_bloom_options options;
    crawl_err err = read_header_and_geometry(in, &options);
    for (uint64_t i = 0; check && in->map && i < in->head.arrays && !err; i++)
        err = read_array(in, i, NULL);
    if (err)
        return err;
    crawl_bloom *bloom = make_filter(in, &options);
    if (!bloom)
        return in->state;
    err = check ? validate_filter(in, bloom) : CRAWL_OK;
    if (err)
        crawl_bloom_free(bloom);
    else
        *out = bloom;
    return err;
}

static crawl_err read_path(const char *path, bool map, bool check, crawl_bloom **out, crawl_error *error)
{
    cw_file_load in = {.path = path, .error = error, .file = -1, .map = map, .most = cw_bloom_pages_most()};
    crawl_err err = read_filter(&in, check, out);
    if (in.file >= 0)
        close(in.file);
    free(in.header);
    free(in.chunk);
    return err;
}

crawl_err crawl_bloom_load(const char *path, crawl_bloom **out, crawl_error *error)
{
    return read_path(path, false, true, out, error);
}

crawl_err crawl_bloom_map(const char *path, crawl_bloom **out, crawl_error *error)
{
    return read_path(path, true, false, out, error);
}

/* Computes the sums through a small buffer, and checks everything else in a mapping, so that this needs no memory of
 * the filter's size. */
crawl_err crawl_bloom_validate(const char *path, crawl_error *error)
{
    crawl_bloom *bloom = NULL;
    crawl_err err = read_path(path, true, true, &bloom, error);
    crawl_bloom_free(bloom);
    return err;
}
