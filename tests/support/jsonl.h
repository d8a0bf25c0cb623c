/* Reads the JSON Lines of the conformance data, in place. */
#ifndef TEST_JSONL_H
#define TEST_JSONL_H

#include <crawl/base.h>
#include <jansson.h>

typedef struct jsonl jsonl;

/* Opens NAME below the folder that CRAWL_CONFORMANCE names; NULL when the folder is not there, in which case the test is to be
 * skipped: it has said so on standard error. A folder without the file ends the program: that is a failure. */
jsonl *jsonl_open(const char *name);

/* The next row, borrowed until the next call; NULL at the end, when the file is closed. */
const json_t *jsonl_next(jsonl *file);

/* Text of a field, or the bytes of FIELD_hex; NULL data when it is null or missing. Borrowed until the row ends. */
crawl_slice jsonl_bytes(jsonl *file, const json_t *row, const char *field);
const char *jsonl_text(const json_t *row, const char *field); /* NULL: null or missing */

#endif
