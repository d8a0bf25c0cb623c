#include "crawler/engine/scope/userinfo.h"

#include "base/text/percent.h"

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
    if (text.data)
        explicit_bzero(text.data, text.capacity);
    crawl_buf_free(&text);
    return err;
}
