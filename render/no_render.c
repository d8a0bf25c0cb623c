/* A build that renders nothing (CRAWL_RENDER=OFF): the calls are there, and no renderer is ever made. */
#include <crawl/sys/render.h>

void crawl_render_options_init(crawl_render_options *options, size_t size)
{
    memset(options, 0, size);
    options->size = size;
}

crawl_err crawl_renderer_create(struct event_base *base, const crawl_render_options *options, crawl_renderer **out,
                                crawl_error *error)
{
    (void)base;
    (void)options;
    (void)out;
    return crawl_error_set(error, CRAWL_EINVAL, "this build renders no pages: it was made with CRAWL_RENDER=OFF");
}

void crawl_renderer_free(crawl_renderer *renderer)
{
    (void)renderer;
}

const char *crawl_render_lack_name(crawl_render_lack lack)
{
    (void)lack;
    return "";
}

crawl_err crawl_render(crawl_renderer *renderer, const crawl_render_request *request, uint64_t *id)
{
    (void)renderer;
    (void)request;
    (void)id;
    return CRAWL_EINVAL;
}

crawl_err crawl_render_cancel(crawl_renderer *renderer, uint64_t id)
{
    (void)renderer;
    (void)id;
    return CRAWL_ABSENT;
}

crawl_err crawl_render_answer(crawl_renderer *renderer, uint64_t part, const crawl_render_response *response)
{
    (void)renderer;
    (void)part;
    (void)response;
    return CRAWL_ABSENT;
}

crawl_err crawl_render_refuse(crawl_renderer *renderer, uint64_t part, crawl_render_refusal why)
{
    (void)renderer;
    (void)part;
    (void)why;
    return CRAWL_ABSENT;
}

void crawl_renderer_stats_get(const crawl_renderer *renderer, crawl_renderer_stats *out)
{
    (void)renderer;
    memset(out, 0, sizeof *out);
}
