/* See userinfo.h. */
#include "crawler/engine/links/userinfo.h"

#include "base/bytes.h"

bool cw_userinfo_is_there(const crawl_url *url)
{
    return crawl_url_username(url).size || crawl_url_password(url).size;
}

static crawl_err decode(crawl_slice text, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < text.size && !err; i++) {
        int high = text.data[i] == '%' && i + 2 < text.size ? cw_hex_value((unsigned char)text.data[i + 1]) : -1;
        int low = high >= 0 ? cw_hex_value((unsigned char)text.data[i + 2]) : -1;
        err = crawl_buf_append_char(out, low >= 0 ? (char)(high << 4 | low) : text.data[i]);
        i += low >= 0 ? 2 : 0;
    }
    return err;
}

/* The userinfo ends at the first "@": one within it is escaped. */
crawl_err cw_userinfo_take(crawl_url *url, crawl_buf *user, crawl_buf *password)
{
    crawl_slice href = crawl_url_href(url);
    crawl_slice scheme = crawl_url_scheme(url);
    const char *at = cw_userinfo_is_there(url) ? memchr(href.data, '@', href.size) : NULL;
    if (!at)
        return CRAWL_OK;
    crawl_buf text = {0};
    crawl_err err = crawl_buf_append(&text, scheme.data, scheme.size);
    if (!err)
        err = crawl_buf_append_text(&text, "://");
    if (!err)
        err = crawl_buf_append(&text, at + 1, (size_t)(href.data + href.size - at) - 1);
    if (!err && user)
        err = decode(crawl_url_username(url), user);
    if (!err && password)
        err = decode(crawl_url_password(url), password);
    if (!err)
        err = crawl_url_parse(url, crawl_buf_slice(&text), NULL, NULL);
    if (text.data)
        explicit_bzero(text.data, text.capacity);
    crawl_buf_free(&text);
    return err;
}
