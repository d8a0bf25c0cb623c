/* Structs that callers fill and whose first member is their size, `size_t size`, as the caller's header has it. A later
 * version adds members at their end, and a program that was compiled before, whose struct ends sooner, goes on: what it
 * does not know has its default. Every public call that takes such a struct takes it through here. */
#pragma once

#include <crawl/base.h>

/* Copies what the caller knows over *own, of `known` bytes, which holds the defaults, its own size among them. False:
 * the size is 0, or more than this version knows; own is as it was. */
bool cw_sized_copy(void *own, size_t known, const void *given);

/* For calls that read a struct and do not keep it: given itself where it has every member, or else *own, room of
 * `known` bytes, in which the members that the caller does not know are zero. NULL: the size is wrong. */
const void *cw_sized(void *own, size_t known, const void *given);

/* CRAWL_EINVAL, and in error (may be NULL) why the size of this struct, which the name tells, is wrong. */
crawl_err cw_sized_refused(const void *given, size_t known, const char *name, crawl_error *error);

/* Fills *out, of `size` bytes and with that as its size, from own: what the caller does not know is left out, and what
 * this version does not know is zero. */
void cw_sized_fill(void *out, size_t size, const void *own, size_t known);
