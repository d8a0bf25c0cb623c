/* Checks the options of a filter, before it is created or read from a file. */
#pragma once

#include <crawl/bloom.h>

/* CRAWL_EINVAL: an option is out of range; error has its name, its value and the range. */
crawl_err cw_bloom_options_check(const crawl_bloom_options *options, crawl_error *error);
