/* Reads the JSON Lines of the conformance data in place: the outside suites in the folder CRAWL_CONFORMANCE, or our own
 * rows (tests/conformance/own) in the folder CRAWL_OWN_ROWS, if that is set. */
#pragma once

#include <crawl/base.h>
#include <jansson.h>

typedef struct jsonl jsonl;

/* Opens NAME below the folder. If our own rows lack it, or the folder of the outside suites does not exist, skips the
 * test and prints the number of its cases. If that folder exists without the file, ends the program as a failure. */
jsonl *jsonl_open(const char *name);
bool jsonl_is_here(const char *name); /* true: jsonl_open would open it */
bool jsonl_is_own(void);
const char *jsonl_folder(void);

/* Prints a row that fails, and counts it. */
void jsonl_fail(const json_t *row, const char *what, crawl_slice got);
unsigned jsonl_failures(void);

/* Returns true if all cases of an outside suite were read, or any of our own. */
bool jsonl_has_rows(unsigned rows, unsigned expected);

/* Expects that no row failed and all were read: the rows read so far, or the given number. */
void jsonl_expect(unsigned expected);
void jsonl_expect_rows(unsigned rows, unsigned expected);

/* Returns the next row, borrowed until the next call; NULL at the end, where it closes the file. */
const json_t *jsonl_next(jsonl *file);

/* Returns the text of a field, or the bytes of FIELD_hex; NULL data if it is null or missing. Borrowed until the next
 * row. */
crawl_slice jsonl_bytes(jsonl *file, const json_t *row, const char *field);
const char *jsonl_text(const json_t *row, const char *field); /* NULL: null or missing */
