/* Structs filled by callers, whose first member is their size in the caller's headers, `size_t size`. A later version
 * adds members at the end. A program compiled earlier, whose struct is shorter, still works: the missing members have
 * their defaults. Every public call that takes such a struct reads it through these functions. */
#pragma once

#include <crawl/base.h>

/* Copies the caller's members over *own, of `known` bytes, which holds the defaults, including its own size. False: the
 * size is 0, or larger than this version knows; own is unchanged. */
bool cw_sized_copy(void *own, size_t known, const void *given);

/* For calls that read a struct without keeping it. Returns given itself if it has every member, otherwise *own, of
 * `known` bytes, in which the missing members are zero. NULL: the size is wrong. */
const void *cw_sized(void *own, size_t known, const void *given);

/* Returns CRAWL_EINVAL, and explains in error (may be NULL) why the size of the struct called name is wrong. */
crawl_err cw_sized_refused(const void *given, size_t known, const char *name, crawl_error *error);

/* Fills *out, of `size` bytes and with that as its size, from own: members unknown to the caller are left out, those
 * unknown to this version are zero. */
void cw_sized_fill(void *out, size_t size, const void *own, size_t known);
