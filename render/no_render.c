/* A build without rendering (CRAWL_RENDER=OFF): the calls exist, and no renderer is ever made. */
#include <crawl/sys/render.h>

void crawl_render_options_init(crawl_render_options *options, size_t size)
{
    memset(options, 0, size);
    options->size = size;
}

crawl_err crawl_renderer_create(struct event_base *, const crawl_render_options *, crawl_renderer **,
                                crawl_error *error)
{
    return crawl_error_set(error, CRAWL_EINVAL, "this build cannot render pages: it was made with CRAWL_RENDER=OFF");
}

void crawl_renderer_free(crawl_renderer *)
{
}

const char *crawl_render_lack_name(crawl_render_lack)
{
    return "";
}

crawl_err crawl_render(crawl_renderer *, const crawl_render_request *, uint64_t *)
{
    return CRAWL_EINVAL;
}

crawl_err crawl_render_cancel(crawl_renderer *, uint64_t)
{
    return CRAWL_ABSENT;
}

crawl_err crawl_render_answer(crawl_renderer *, uint64_t, const crawl_render_response *)
{
    return CRAWL_ABSENT;
}

crawl_err crawl_render_refuse(crawl_renderer *, uint64_t, crawl_render_refusal)
{
    return CRAWL_ABSENT;
}

void crawl_renderer_stats_get(const crawl_renderer *, crawl_renderer_stats *out)
{
    memset(out, 0, sizeof *out);
}
