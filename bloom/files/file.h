/* How a kind puts its object into a file and gets it back: a list of numbers and arrays, read in the order in which
 * they were written. See save.c and load.c for the file around them. */
#ifndef CW_FILE_H
#define CW_FILE_H

#include <crawl/bloom.h>

#include "bloom/memory.h"

/* Errors of a cw_file_save are kept and told at its end: the calls need no checks. */
typedef struct cw_file_save cw_file_save;

void cw_file_save_u64(cw_file_save *out, uint64_t value);
void cw_file_save_double(cw_file_save *out, double value);
/* data stays with the caller until the file is written. */
void cw_file_save_array(cw_file_save *out, const void *data, uint64_t bytes);

/* After its first error a cw_file_load gives `least` for every number, and the error stays. */
typedef struct cw_file_load cw_file_load;

/* A number from least to most; otherwise CRAWL_ECORRUPT, with the name in the message. */
uint64_t cw_file_load_u64(cw_file_load *in, const char *name, uint64_t least, uint64_t most);
/* The same; NaN is out of every range. */
double cw_file_load_double(cw_file_load *in, const char *name, double least, double most);
/* An array of exactly so many bytes, private to the caller, who frees the pages; 64-byte aligned; *out is all zero
 * after an error. From crawl_bloom_map its content is unchecked: any. */
crawl_err cw_file_load_array(cw_file_load *in, const char *name, uint64_t bytes, cw_bloom_pages *out);
/* Any other objection; format says what is wrong with the file, as "count is 7, but ..." does. Always
 * CRAWL_ECORRUPT. */
crawl_err cw_file_load_refuse(cw_file_load *in, const char *format, ...) CRAWL_PRINTF(2, 3);
/* CRAWL_OK so far, or the first error. */
crawl_err cw_file_load_state(const cw_file_load *in);

#endif
