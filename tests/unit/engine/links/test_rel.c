/* crawler/engine/links/link_kinds.c: which link relations lead to a page. */
#include "crawler/engine/links/link_kinds.h"

#include <criterion/criterion.h>

static bool leads_as(const char *rel, const char *type)
{
    const crawl_link link = {.rel = crawl_slice_from(rel), .type = crawl_slice_from(type)};
    return cw_links_rel_is_followed(&link);
}

static bool leads(const char *rel)
{
    return leads_as(rel, "");
}

Test(rel, pages)
{
    static const char *const pages[] = {"next",    "canonical", " alternate ",        "prev\tstart",
                                        "NEXT",    "license",   "home nofollow",      "unheard-of contents",
                                        "amphtml", "author me", "alternate hreflang", "help noopener"};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        cr_expect(leads(pages[i]), "%s", pages[i]);
}

/* An interface for programs may change data: a wiki locks a page whose edit form was opened. */
Test(rel, no_pages)
{
    static const char *const others[] = {"",
                                         " ",
                                         "stylesheet",
                                         "alternate stylesheet",
                                         "Shortcut Icon",
                                         "preconnect",
                                         "hub",
                                         "EditURI",
                                         "edit",
                                         "https://api.w.org/",
                                         "alternate edit",
                                         "search",
                                         "self",
                                         "shortlink",
                                         "replies",
                                         "canonical shortlink",
                                         "wlwmanifest",
                                         "openid.server",
                                         "payment",
                                         "image_src",
                                         "edit-form",
                                         "apple-touch-startup-image",
                                         "hubs",
                                         "service.post",
                                         "DC.relation",
                                         "EDITURI next"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        cr_expect(!leads(others[i]), "%s", others[i]);
    cr_expect(!cw_links_rel_is_followed(&(crawl_link){0}));
}

Test(rel, types)
{
    static const char *const pages[] = {"text/html", "TEXT/HTML; charset=utf-8", " application/xhtml+xml ", "", "  "};
    static const char *const others[] = {
        "application/json", "application/json+oembed", "text/xml+oembed", "application/x-wiki",
        "text/plain",       "text/calendar",           "application/pdf", "text/css",
        "nonsense"};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        cr_expect(leads_as("alternate", pages[i]), "%s", pages[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        cr_expect(!leads_as("alternate", others[i]) && !leads_as("next", others[i]), "%s", others[i]);
}

Test(rel, feeds)
{
    static const char *const feeds[] = {"application/rss+xml", "Application/Atom+XML;type=feed"};
    for (size_t i = 0; i < sizeof feeds / sizeof *feeds; i++) {
        crawl_link link = {
            .rel = crawl_slice_from("alternate"), .type = crawl_slice_from(feeds[i]), .for_anyone = true};
        link.href = crawl_slice_from("/feed/");
        cr_expect(cw_links_rel_is_followed(&link), "%s", feeds[i]);
        link.href = crawl_slice_from("/feed.php?mode=list&ns=people");
        cr_expect(!cw_links_rel_is_followed(&link), "%s", feeds[i]);
        link = (crawl_link){.rel = crawl_slice_from("self"), .type = link.type, .href = crawl_slice_from("/feed/")};
        cr_expect(!cw_links_rel_is_followed(&link), "%s", feeds[i]);
    }
}

/* The print version of a page is that page; its translation, and its version for phones, are others. */
Test(rel, other_forms_of_the_same_page)
{
    crawl_link link = {.rel = crawl_slice_from("alternate"), .type = crawl_slice_from("text/html"), .for_anyone = true};
    cr_expect(!cw_links_rel_is_followed(&link));
    link.for_anyone = false;
    cr_expect(cw_links_rel_is_followed(&link));
    link = (crawl_link){.rel = crawl_slice_from("next"), .type = crawl_slice_from("text/html"), .for_anyone = true};
    cr_expect(cw_links_rel_is_followed(&link));
}

Test(rel, has)
{
    cr_expect(cw_links_rel_has(crawl_slice_from("next NoFollow"), "nofollow"));
    cr_expect(!cw_links_rel_has(crawl_slice_from("nofollows no follow"), "nofollow"));
    cr_expect(!cw_links_rel_has((crawl_slice){0}, "nofollow"));
}
