/* Sends requests whose arguments are texts; see <crawl/sys/redis.h>. */
#include <crawl/sys/redis.h>

enum { TEXTS_MAX = 16 };

crawl_err crawl_redis_send_texts(crawl_redis *redis, crawl_redis_done done, void *user, ...)
{
    crawl_slice arguments[TEXTS_MAX];
    size_t count = 0;
    va_list list;
    va_start(list, user);
    for (const char *text = va_arg(list, const char *); text && count < TEXTS_MAX; text = va_arg(list, const char *))
        arguments[count++] = crawl_slice_from(text);
    va_end(list);
    return crawl_redis_send(redis, arguments, count, done, user);
}
