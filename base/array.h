/* Arrays that grow. An array is a pointer to its elements, which is NULL as long as there is no memory for any; free()
 * gives it back. */
#pragma once

#include <crawl/base.h>

/* Makes room for `count` elements. The capacity, a size_t, is the number of elements that there is room for; where it
 * is too small, it becomes `first` or its double, as often as it takes. CRAWL_ENOMEM: there is no memory, and the
 * array and its capacity are as they were. */
#define CW_ARRAY_RESERVE(array, capacity, count, first) \
    ((count) <= (capacity) ? CRAWL_OK                   \
                           : cw_array_reserve((void *)&(array), &(capacity), (count), (first), sizeof *(array)))

/* Gives the array room for exactly `count` elements, for one that grows seldom and has no capacity. CRAWL_ENOMEM: there
 * is no memory, and the array is as it was. */
#define CW_ARRAY_RESIZE(array, count) cw_array_resize((void *)&(array), (count), sizeof *(array))

/* Called by the macros above. array: the address of the pointer to the elements, of `size` bytes each. */
crawl_err cw_array_reserve(void *array, size_t *capacity, size_t count, size_t first, size_t size);
crawl_err cw_array_resize(void *array, size_t count, size_t size);
