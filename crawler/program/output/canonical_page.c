#include "crawler/program/output/canonical_page.h"

#include <crawl/url.h>

bool cw_outputs_is_canonical(const crawl_record *record)
{
    crawl_buf named = {0};
    crawl_buf own = {0};
    const crawl_canonical_options usual = {.size = sizeof usual};
    if (!record->canonical_link.size || crawl_slice_equal(record->canonical_link, record->url))
        return true;
    bool same = !crawl_text_canonical(record->canonical_link, &usual, &named) &&
                !crawl_text_canonical(record->url, &usual, &own) &&
                crawl_slice_equal(crawl_buf_slice(&named), crawl_buf_slice(&own));
    crawl_buf_free(&named);
    crawl_buf_free(&own);
    return same;
}
