/* See srcset.h. The steps are the standard's, in its order. */
#include "parse/page/srcset.h"

#include "base/bytes.h"

static size_t skip_separators(crawl_slice text)
{
    size_t at = 0;
    while (at < text.size && (text.data[at] == ',' || cw_is_space((unsigned char)text.data[at])))
        at++;
    return at;
}

static size_t skip_url(crawl_slice text, size_t at)
{
    while (at < text.size && !cw_is_space((unsigned char)text.data[at]))
        at++;
    return at;
}

/* Past the comma that ends the descriptors: one outside parentheses. */
static size_t skip_descriptors(crawl_slice text, size_t at)
{
    bool inside = false;
    while (at < text.size) {
        char c = text.data[at++];
        if (c == ',' && !inside)
            break;
        inside = inside ? c != ')' : c == '(';
    }
    return at;
}

bool cw_srcset_next(crawl_slice *rest, crawl_slice *url)
{
    size_t start = skip_separators(*rest);
    size_t at = skip_url(*rest, start);
    size_t size = at - start;
    while (size && rest->data[start + size - 1] == ',')
        size--;
    if (!size)
        return false;
    *url = crawl_slice_of(rest->data + start, size);
    if (start + size == at) /* commas at the end of the URL end the candidate */
        at = skip_descriptors(*rest, at);
    *rest = crawl_slice_of(rest->data + at, rest->size - at);
    return true;
}
