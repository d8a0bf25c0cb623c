/* crawler/engine/links/rel.c: which link relations lead to a page. */
#include "crawler/engine/links/rel.h"

#include <criterion/criterion.h>

static bool leads(const char *rel)
{
    return cw_links_rel_leads_to_page(crawl_slice_from(rel));
}

Test(rel, pages)
{
    static const char *const pages[] = {"next", "canonical", " alternate ", "prev\tstart", "NEXT", "license", "hubs"};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        cr_expect(leads(pages[i]), "%s", pages[i]);
}

Test(rel, no_pages)
{
    static const char *const others[] = {"",           " ",   "stylesheet", "alternate stylesheet", "Shortcut Icon",
                                         "preconnect", "hub", "EditURI",    "https://api.w.org/"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        cr_expect(!leads(others[i]), "%s", others[i]);
    cr_expect(!cw_links_rel_leads_to_page((crawl_slice){0}));
}

Test(rel, has)
{
    cr_expect(cw_links_rel_has(crawl_slice_from("next NoFollow"), "nofollow"));
    cr_expect(!cw_links_rel_has(crawl_slice_from("nofollows no follow"), "nofollow"));
    cr_expect(!cw_links_rel_has((crawl_slice){0}, "nofollow"));
}
