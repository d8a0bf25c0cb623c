#include "parse/text/text_image.h"

#include "base/bytes.h"
#include "parse/page/page_values.h"

#include <crawl/links.h>

static crawl_slice first_of_set(crawl_slice set)
{
    crawl_slice url;
    return cw_page_srcset_next(&set, &url) ? url : (crawl_slice){0};
}

static bool is_data(crawl_slice url)
{
    return cw_starts_nocase(cw_trim(url), "data:");
}

/* Returns the URL in an attribute that scripts read. Empty: it holds none, such as data-lazy=true. */
static crawl_slice lazy_url(crawl_slice name, crawl_slice value)
{
    static const crawl_slice none = {0};
    cw_page_lazy_form form = cw_page_lazy_form_of(name, value);
    if (form == CW_LAZY_SET)
        value = first_of_set(value);
    bool is_url = (form == CW_LAZY_ONE || form == CW_LAZY_SET) && !is_data(value);
    return is_url && cw_find_any(value, "./") < value.size ? value : none;
}

crawl_slice cw_text_image_url(const cw_html_attributes *attributes)
{
    const crawl_slice lazy_names = crawl_slice_from(CRAWL_PAGE_LAZY);
    crawl_slice name, value, src = {0}, set = {0}, lazy = {0};
    for (cw_html_cursor rest = cw_html_first_of(attributes); cw_html_next_of(&rest, &name, &value);)
        if (cw_is_nocase(name, "src"))
            src = src.data ? src : value;
        else if (cw_is_nocase(name, "srcset"))
            set = set.data ? set : first_of_set(value);
        else if (!lazy.size && cw_has_word(lazy_names, name, false))
            lazy = lazy_url(name, value);
    if (lazy.size)
        return lazy;
    return set.size && (!cw_trim(src).size || is_data(src)) ? set : src;
}
