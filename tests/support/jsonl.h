/* Reads the JSON Lines of the conformance data, in place: of outside suites in the folder that CRAWL_CONFORMANCE names,
 * or, where CRAWL_OWN_ROWS names one, rows of our own (tests/conformance/own). */
#pragma once

#include <crawl/base.h>
#include <jansson.h>

typedef struct jsonl jsonl;

/* Opens NAME below the folder. Where there are no such rows of our own, or the folder of the outside suites is not
 * there, the test is skipped, and says how many cases are. A folder of theirs without the file ends the program: that
 * is a failure. */
jsonl *jsonl_open(const char *name);
bool jsonl_is_here(const char *name); /* and would be opened */
bool jsonl_is_own(void);
const char *jsonl_folder(void);

/* Tells of a row that does not hold, and counts it. */
void jsonl_fail(const json_t *row, const char *what, crawl_slice got);
unsigned jsonl_failures(void);

/* Were all cases of an outside suite there, or any of our own? */
bool jsonl_has_rows(unsigned rows, unsigned expected);

/* All rows held, and were there: those that were read, or so many
 * of them. */
void jsonl_expect(unsigned expected);
void jsonl_expect_rows(unsigned rows, unsigned expected);

/* The next row, borrowed until the next call; NULL at the end, when the file is closed. */
const json_t *jsonl_next(jsonl *file);

/* Text of a field, or the bytes of FIELD_hex; NULL data when it is null or missing. Borrowed until the row ends. */
crawl_slice jsonl_bytes(jsonl *file, const json_t *row, const char *field);
const char *jsonl_text(const json_t *row, const char *field); /* NULL: null or missing */
