#include "crawler/engine/scope/url_looks.h"

#include "base/files/file_read.h"
#include "base/text/percent.h"
#include "config/config_values.h"

/* The deductions; url_looks.h gives their reasons. */
enum {
    DEPTH = 100,
    SEGMENT = 10,
    QUERY = 20,
    PARAMETER = 5,
    PLAIN_LENGTH = 80,
    LENGTH_STEP = 10,
    AWAY_FROM_SEEDS = 30
};

static int64_t score_count(crawl_slice text, char c)
{
    int64_t found = 0;
    for (size_t i = 0; i < text.size; i++)
        found += text.data[i] == c;
    return found;
}

static int64_t against_path(const crawl_url *url)
{
    int64_t segments = score_count(crawl_url_path(url), '/');
    return segments > 1 ? (segments - 1) * SEGMENT : 0;
}

static int64_t against_query(const crawl_url *url)
{
    crawl_slice query = crawl_url_query(url);
    return query.size ? QUERY + (score_count(query, '&') + 1) * PARAMETER : 0;
}

static int64_t against_length(const crawl_url *url)
{
    size_t size = crawl_url_request(url).size;
    return size > PLAIN_LENGTH ? (int64_t)(size - PLAIN_LENGTH) / LENGTH_STEP : 0;
}

int32_t cw_scope_score(const crawl_url *url, uint32_t depth, bool from_seed_host)
{
    int64_t against = (int64_t)depth * DEPTH + against_path(url) + against_query(url) + against_length(url);
    against += from_seed_host ? 0 : AWAY_FROM_SEEDS;
    return against < -CW_SCOPE_SCORE_LEAST ? (int32_t)-against : CW_SCOPE_SCORE_LEAST;
}

static size_t shape_split(crawl_slice path, crawl_slice *segments)
{
    size_t count = 0;
    while (path.size > 1 && count < CW_SCOPE_SHAPE_SEGMENTS_MAX) {
        const char *begin = path.data + 1; /* after a slash */
        const char *end = memchr(begin, '/', path.size - 1);
        size_t size = end ? (size_t)(end - begin) : path.size - 1;
        segments[count++] = crawl_slice_of(begin, size);
        path = crawl_slice_of(begin + size, path.size - 1 - size);
    }
    return count;
}

/* Returns true if `period` segments occur more than `most` times in a row. That is so if period * most segments in a
 * row each equal the segment a period before them. */
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

bool cw_scope_userinfo_is_there(const crawl_url *url)
{
    return crawl_url_username(url).size || crawl_url_password(url).size;
}

/* The userinfo ends at the first "@", since an "@" within it is escaped. */
crawl_err cw_scope_userinfo_take(crawl_url *url, crawl_buf *user, crawl_buf *password)
{
    crawl_slice href = crawl_url_href(url);
    crawl_slice scheme = crawl_url_scheme(url);
    const char *at = cw_scope_userinfo_is_there(url) ? memchr(href.data, '@', href.size) : NULL;
    if (!at)
        return CRAWL_OK;
    crawl_buf text = {0};
    crawl_err err = crawl_buf_append(&text, scheme.data, scheme.size);
    if (!err)
        err = crawl_buf_append_text(&text, "://");
    if (!err)
        err = crawl_buf_append(&text, at + 1, (size_t)(href.data + href.size - at) - 1);
    if (!err && user)
        err = cw_percent_decode(crawl_url_username(url), user);
    if (!err && password)
        err = cw_percent_decode(crawl_url_password(url), password);
    if (!err)
        err = crawl_url_parse(url, crawl_buf_slice(&text), NULL, NULL);
    cw_secret_free_buf(&text);
    return err;
}
