/* Checks whether the options of a filter are in their ranges, before a filter is made from them or read from a file. */
#pragma once

#include <crawl/bloom.h>

/* CRAWL_EINVAL: an option is out of its range; error says which, its value and the range. */
crawl_err cw_bloom_options_check(const crawl_bloom_options *options, crawl_error *error);
