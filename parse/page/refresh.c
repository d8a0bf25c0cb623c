/* See refresh.h. The steps are the standard's, in its order. */
#include "parse/page/refresh.h"

#include "base/bytes.h"

/* NUL at the end. */
static unsigned char first(crawl_slice rest)
{
    return rest.size ? (unsigned char)*rest.data : 0;
}

static void drop_first(crawl_slice *rest)
{
    rest->data++;
    rest->size--;
}

static void skip_space(crawl_slice *rest)
{
    while (rest->size && cw_is_space((unsigned char)*rest->data))
        drop_first(rest);
}

/* Steps over one byte if it is wanted, a letter in either case. */
static bool skip(crawl_slice *rest, char wanted)
{
    if (!rest->size || cw_lower((unsigned char)*rest->data) != (unsigned char)wanted)
        return false;
    drop_first(rest);
    return true;
}

/* Steps 3 to 8: an integer; a fraction is stepped over, and may stand alone. */
static bool take_delay(crawl_slice *rest, double *delay)
{
    bool digits = cw_is_digit(first(*rest));
    if (!digits && first(*rest) != '.')
        return false;
    *delay = 0;
    for (; cw_is_digit(first(*rest)); drop_first(rest))
        if (*delay < CW_REFRESH_MAX_DELAY)
            *delay = *delay * 10 + (*rest->data - '0');
    if (*delay > CW_REFRESH_MAX_DELAY)
        *delay = CW_REFRESH_MAX_DELAY;
    while (cw_is_digit(first(*rest)) || first(*rest) == '.')
        drop_first(rest);
    return true;
}

/* "url" and "=", which may be missing: rest is then as it was. False: neither is there, and a quote is no quote. */
static bool skip_url_sign(crawl_slice *rest)
{
    crawl_slice at = *rest;
    if (!skip(&at, 'u'))
        return true;
    if (!skip(&at, 'r') || !skip(&at, 'l'))
        return false;
    skip_space(&at);
    if (!skip(&at, '='))
        return false;
    skip_space(&at);
    *rest = at;
    return true;
}

static crawl_slice without_quotes(crawl_slice text)
{
    unsigned char quote = first(text);
    if (quote != '"' && quote != '\'')
        return text;
    drop_first(&text);
    const char *close = text.size ? memchr(text.data, quote, text.size) : NULL;
    if (close)
        text.size = (size_t)(close - text.data);
    return text;
}

crawl_err cw_refresh_parse(crawl_slice content, double *delay, crawl_slice *href)
{
    crawl_slice rest = content;
    double seconds;
    skip_space(&rest);
    if (!take_delay(&rest, &seconds))
        return CRAWL_EPARSE;
    unsigned char after = first(rest);
    if (rest.size && after != ';' && after != ',' && !cw_is_space(after))
        return CRAWL_EPARSE;
    skip_space(&rest);
    if (first(rest) == ';' || first(rest) == ',')
        drop_first(&rest);
    skip_space(&rest);
    if (skip_url_sign(&rest))
        rest = without_quotes(rest);
    *delay = seconds;
    *href = cw_trim(rest);
    return CRAWL_OK;
}
