#include "crawler/engine/scope/shape.h"

#include <string.h>

static size_t shape_split(crawl_slice path, crawl_slice *segments)
{
    size_t count = 0;
    while (path.size > 1 && count < CW_SCOPE_SHAPE_SEGMENTS_MAX) {
        const char *begin = path.data + 1; /* behind a slash */
        const char *end = memchr(begin, '/', path.size - 1);
        size_t size = end ? (size_t)(end - begin) : path.size - 1;
        segments[count++] = crawl_slice_of(begin, size);
        path = crawl_slice_of(begin + size, path.size - 1 - size);
    }
    return count;
}

/* Do `period` segments stand more than `most` times in a row? They do when period * most segments in a row are each the
 * same as the one that is a period before it. */
static bool repeats(const crawl_slice *segments, size_t count, size_t period, uint64_t most)
{
    uint64_t same = 0;
    for (size_t i = period; i < count; i++) {
        same = crawl_slice_equal(segments[i], segments[i - period]) ? same + 1 : 0;
        if (same >= period * most)
            return true;
    }
    return false;
}

crawl_trap cw_scope_shape_judge(const crawl_config *config, const crawl_url *url)
{
    if (config->max_url && crawl_url_request(url).size > config->max_url)
        return CRAWL_TRAP_LENGTH;
    if (!config->max_path_depth && !config->max_repeats)
        return CRAWL_TRAP_NONE;
    crawl_slice segments[CW_SCOPE_SHAPE_SEGMENTS_MAX];
    size_t count = shape_split(crawl_url_path(url), segments);
    if (config->max_path_depth && count > config->max_path_depth)
        return CRAWL_TRAP_DEPTH;
    for (size_t period = 1; config->max_repeats && period <= CW_SCOPE_SHAPE_PERIOD_MAX && period < count; period++)
        if (repeats(segments, count, period, config->max_repeats))
            return CRAWL_TRAP_REPEATS;
    return CRAWL_TRAP_NONE;
}
