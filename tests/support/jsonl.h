/* Reads the JSON Lines of the conformance data, in place: of outside suites in the folder that CRAWL_CONFORMANCE names,
 * or, where CRAWL_OWN_ROWS names one, rows of our own (tests/conformance/own). */
#ifndef TEST_JSONL_H
#define TEST_JSONL_H

#include <crawl/base.h>
#include <jansson.h>

typedef struct jsonl jsonl;

/* Opens NAME below the folder; NULL when there are no such rows of our own, or when the folder of the outside suites is
 * not there, in which case jsonl_missing says how many cases are skipped: the test is to be. A folder of theirs without
 * the file ends the program: that is a failure. */
jsonl *jsonl_open(const char *name);
const char *jsonl_missing(void);
bool jsonl_is_own(void);
const char *jsonl_folder(void);

/* Were all cases of an outside suite there, or any of our own? */
bool jsonl_has_rows(unsigned rows, unsigned expected);

/* The next row, borrowed until the next call; NULL at the end, when the file is closed. */
const json_t *jsonl_next(jsonl *file);

/* Text of a field, or the bytes of FIELD_hex; NULL data when it is null or missing. Borrowed until the row ends. */
crawl_slice jsonl_bytes(jsonl *file, const json_t *row, const char *field);
const char *jsonl_text(const json_t *row, const char *field); /* NULL: null or missing */

#endif
