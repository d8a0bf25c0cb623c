/* What stands before the root element of a document of XML and names something: style sheets, of CSS or XSLT. */
#include "parse/html/html_token.h"
#include "parse/page/page_values.h"
#include "parse/sitemap/doctype.h"

#include "base/bytes.h"

static const char instruction[] = "<?xml-stylesheet";

/* Its pseudo-attributes are written as attributes are. */
static bool find_href(crawl_slice inside, crawl_slice *href)
{
    crawl_slice name;
    while (cw_html_next_attribute(&inside, &name, href))
        if (cw_is(name, "href"))
            return href->size && *href->data != '#';
    return false;
}

bool cw_page_next_sheet(crawl_slice *rest, crawl_slice *href)
{
    crawl_slice item = cw_sitemap_next_in_prolog(rest);
    for (; item.size; item = cw_sitemap_next_in_prolog(rest)) {
        bool is_whole = cw_take_text(&item, instruction) && cw_ends_with(item, "?>") && cw_is_space(*item.data);
        if (is_whole && find_href(crawl_slice_of(item.data, item.size - 2), href))
            return true;
    }
    return false;
}
