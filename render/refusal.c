/* How pages see requests that had no answer. In a build without rendering too. */
#include <crawl/sys/render.h>

crawl_render_refusal crawl_render_refusal_of(crawl_fetch_error error)
{
    switch (error) {
    case CRAWL_FETCH_DNS:
        return CRAWL_RENDER_REFUSE_NAME;
    case CRAWL_FETCH_CONNECT:
    case CRAWL_FETCH_PRIVATE:
        return CRAWL_RENDER_REFUSE_CONNECT;
    case CRAWL_FETCH_TIMEOUT:
        return CRAWL_RENDER_REFUSE_TIMEOUT;
    case CRAWL_FETCH_TOO_LARGE:
        return CRAWL_RENDER_REFUSE_BLOCKED;
    default:
        return CRAWL_RENDER_REFUSE_CLOSED;
    }
}
