/* The interface by which a kind saves its object to a file and loads it: numbers and arrays, read in the order in which
 * they were written. save.c and load.c handle the rest of the file. */
#pragma once

#include <crawl/bloom.h>

#include "bloom/bloom_memory.h"

/* A cw_file_save remembers its first error and returns it at the end, so that these calls need no checks. */
typedef struct cw_file_save cw_file_save;

void cw_file_save_u64(cw_file_save *out, uint64_t value);
void cw_file_save_double(cw_file_save *out, double value);
/* data stays with the caller until the file is written. */
void cw_file_save_array(cw_file_save *out, const void *data, uint64_t bytes);

/* After its first error a cw_file_load returns `least` for every number, and the error remains. */
typedef struct cw_file_load cw_file_load;

/* Reads a number from least to most. Any other number is CRAWL_ECORRUPT, with its name in the message. */
uint64_t cw_file_load_u64(cw_file_load *in, const char *name, uint64_t least, uint64_t most);
/* As cw_file_load_u64, for a double; NaN is outside every range. */
double cw_file_load_double(cw_file_load *in, const char *name, double least, double most);
/* Reads an array of exactly `bytes` bytes, private to the caller, which frees the pages; 64-byte aligned. *out is all
 * zero after an error. Under crawl_bloom_map its content is not checked and may be anything. */
crawl_err cw_file_load_array(cw_file_load *in, const char *name, uint64_t bytes, cw_bloom_pages *out);
/* Records any other error in the file; format says what is wrong, as in "count is 7, but ...". Returns
 * CRAWL_ECORRUPT. */
crawl_err cw_file_load_refuse(cw_file_load *in, const char *format, ...) CRAWL_PRINTF(2, 3);
/* Returns CRAWL_OK, or the first error so far. */
crawl_err cw_file_load_state(const cw_file_load *in);
