#include "crawler/engine/scope/score.h"

/* What is taken off; score.h says for what. */
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
