#include "base/array.h"

#include <stdlib.h>

crawl_err cw_array_resize(void *array, size_t count, size_t size)
{
    if (count > PTRDIFF_MAX / size)
        return CRAWL_ENOMEM;
    void *items;
    memcpy(&items, array, sizeof items);
    items = realloc(items, (count ? count : 1) * size);
    if (!items)
        return CRAWL_ENOMEM;
    memcpy(array, &items, sizeof items);
    return CRAWL_OK;
}

crawl_err cw_array_reserve(void *array, size_t *capacity, size_t count, size_t first, size_t size)
{
    if (count > SIZE_MAX / 2)
        return CRAWL_ENOMEM;
    size_t more = *capacity ? *capacity : first;
    while (more < count)
        more *= 2;
    if (cw_array_resize(array, more, size))
        return CRAWL_ENOMEM;
    *capacity = more;
    return CRAWL_OK;
}
