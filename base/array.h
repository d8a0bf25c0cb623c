/* Growing arrays. An array is a pointer to its elements, NULL until memory was allocated; free() releases it. */
#pragma once

#include <crawl/base.h>

/* Makes room for `count` elements. capacity, a size_t, is the number of elements allocated; if it is too small, it
 * becomes `first` or is doubled as often as needed. CRAWL_ENOMEM: array and capacity are unchanged. */
#define CW_ARRAY_RESERVE(array, capacity, count, first) \
    ((count) <= (capacity) ? CRAWL_OK                   \
                           : cw_array_reserve((void *)&(array), &(capacity), (count), (first), sizeof *(array)))

/* Resizes the array to exactly `count` elements, for an array that rarely grows and has no capacity. CRAWL_ENOMEM:
 * unchanged. */
#define CW_ARRAY_RESIZE(array, count) cw_array_resize((void *)&(array), (count), sizeof *(array))

/* Called by the macros above. array: the address of the pointer to the elements, which have `size` bytes each. */
crawl_err cw_array_reserve(void *array, size_t *capacity, size_t count, size_t first, size_t size);
crawl_err cw_array_resize(void *array, size_t count, size_t size);
