/* Fingerprints as text: one per line, as Scrapy stores those of a job. */
#include <crawl/fingerprint.h>

#include "base/bytes.h"
#include "base/error.h"

#include <stdlib.h>

enum { DIGITS = 2 * CRAWL_FINGERPRINT_SIZE, LONGEST_LINE = 256 };

crawl_err crawl_fingerprint_parse(crawl_slice hex, crawl_fingerprint *out)
{
    crawl_fingerprint parsed;
    if (hex.size != DIGITS)
        return CRAWL_EPARSE;
    for (size_t i = 0; i < CRAWL_FINGERPRINT_SIZE; i++) {
        int high = cw_hex_value((unsigned char)hex.data[2 * i]);
        int low = cw_hex_value((unsigned char)hex.data[2 * i + 1]);
        if (high < 0 || low < 0)
            return CRAWL_EPARSE;
        parsed.bytes[i] = (uint8_t)(high << 4 | low);
    }
    *out = parsed;
    return CRAWL_OK;
}

/* Takes one line. whole: the line was not cut off by the end of the file. */
static crawl_err fingerprint_import_take_line(crawl_slice line, bool whole, crawl_fingerprint_take take, void *user,
                                              uint64_t *count)
{
    crawl_fingerprint fingerprint;
    line = cw_trim(line);
    if (line.size == 0)
        return CRAWL_OK;
    if (crawl_fingerprint_parse(line, &fingerprint))
        return whole ? CRAWL_EPARSE : CRAWL_OK;
    crawl_err err = take(user, &fingerprint);
    *count += !err;
    return err;
}

static crawl_err name_line(crawl_err err, const char *name, unsigned number, crawl_error *error)
{
    crawl_error_set(error, err, "%s:%u: %s", name, number,
                    err == CRAWL_EPARSE ? "expected 40 hexadecimal digits" : crawl_strerror(err));
    if (error)
        error->line = number;
    return err;
}

crawl_err crawl_fingerprint_import(FILE *in, const char *name, crawl_fingerprint_take take, void *user, uint64_t *count,
                                   crawl_error *error)
{
    char line[LONGEST_LINE]; /* a longer line comes in pieces, the first of which is not a fingerprint */
    uint64_t taken = 0;
    crawl_err err = CRAWL_OK;
    for (unsigned number = 1; !err && fgets(line, sizeof line, in); number++) {
        size_t size = strlen(line);
        bool whole = size == sizeof line - 1 || (size && line[size - 1] == '\n');
        err = fingerprint_import_take_line(crawl_slice_of(line, size), whole, take, user, &taken);
        if (err)
            name_line(err, name, number, error);
    }
    if (!err && ferror(in))
        err = cw_error_of_file(error, name);
    if (count)
        *count = taken;
    return err;
}
