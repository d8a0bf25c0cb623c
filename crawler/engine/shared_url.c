#include "crawler/engine/shared_url.h"

#include "base/error.h"
#include "base/files/file_read.h"

#include <stdlib.h>

static crawl_err shared_url_read_password(const crawl_config *config, char **out, crawl_error *error)
{
    const char *environment = getenv("CRAWL_REDIS_PASSWORD");
    if (config->redis_password_file)
        return cw_secret_read(config->redis_password_file, out, error) ? CRAWL_EINVAL : CRAWL_OK;
    *out = environment && *environment ? strdup(environment) : NULL;
    return *out || !environment || !*environment ? CRAWL_OK : cw_error(error, CRAWL_ENOMEM);
}

static crawl_err shared_url_parse(const char *text, crawl_redis_url *url, crawl_error *error)
{
    static const char *const names[] = {"name", NULL};
    crawl_error why = {0};
    crawl_err err = crawl_redis_url_parse(crawl_slice_from(text), names, url, &why);
    if (err == CRAWL_EPARSE) /* without the text: it may have a password */
        return crawl_error_set(error, CRAWL_EINVAL, "the URL of Redis: %s", why.message);
    if (!err && !url->values[0]) {
        crawl_redis_url_free(url);
        return crawl_error_set(error, CRAWL_EINVAL, "%s: the name of the crawl is missing: ...?name=NAME", text);
    }
    return err ? cw_error(error, err) : CRAWL_OK;
}

crawl_err cw_engine_shared_url_read(const crawl_config *config, crawl_redis_url *url, char **password,
                                    crawl_error *error)
{
    *password = NULL;
    crawl_err err = shared_url_parse(config->shared, url, error);
    if (err)
        return err;
    err = shared_url_read_password(config, password, error);
    if (err)
        crawl_redis_url_free(url);
    return err;
}
