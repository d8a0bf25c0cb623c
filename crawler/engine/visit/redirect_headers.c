/* See redirect_headers.h. */
#include "crawler/engine/visit/redirect_headers.h"

#include "base/bytes.h"
#include "base/header.h"

static bool describes_body(crawl_slice name)
{
    static const char *const names[] = {"Content-Encoding", "Content-Language", "Content-Location", "Content-Type"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (cw_equal_nocase(name, crawl_slice_from(names[i])))
            return true;
    return false;
}

crawl_err cw_redirect_headers(crawl_slice headers, bool same_origin, bool becomes_get, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    crawl_slice name, value;
    while (headers.size && !err) {
        crawl_slice line = cw_cut_line(&headers);
        if (!cw_header_split(line, &name, &value))
            continue;
        bool goes_on = describes_body(name) ? !becomes_get : same_origin;
        if (goes_on)
            err = crawl_buf_printf(out, "%.*s\n", (int)line.size, line.data);
    }
    return err;
}
