/* Compares the two extractors on pages of any bytes: both must find the same links in the same order and the same
 * values. The first byte chooses XHTML or HTML and which text is collected. */
#include <crawl/links.h>

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void differ(const char *what, crawl_slice scan, crawl_slice libxml2)
{
    fprintf(stderr, "%s: scan \"%.*s\", libxml2 \"%.*s\"\n", what, (int)scan.size, scan.data, (int)libxml2.size,
            libxml2.data);
    abort();
}

static void compare_text(const char *what, crawl_slice scan, crawl_slice libxml2)
{
    if (!crawl_slice_equal(scan, libxml2))
        differ(what, scan, libxml2);
}

static void compare_links(const crawl_page *scan, const crawl_page *libxml2)
{
    size_t count;
    size_t other_count;
    const crawl_link *links = crawl_page_links(scan, &count);
    const crawl_link *others = crawl_page_links(libxml2, &other_count);
    for (size_t i = 0; i < count && i < other_count; i++) {
        compare_text("href", links[i].href, others[i].href);
        compare_text("rel", links[i].rel, others[i].rel);
        compare_text("text of a link", links[i].text, others[i].text);
        if (links[i].tag != others[i].tag || links[i].attr != others[i].attr)
            differ("element", crawl_slice_from(links[i].tag), crawl_slice_from(others[i].tag));
    }
    if (count != other_count)
        differ("one more link", count > other_count ? links[other_count].href : crawl_slice_from("none"),
               count < other_count ? others[count].href : crawl_slice_from("none"));
}

static void compare_pages(const crawl_page *scan, const crawl_page *libxml2)
{
    double delays[2] = {0};
    crawl_slice targets[2] = {{0}};
    compare_links(scan, libxml2);
    compare_text("title", crawl_page_title(scan), crawl_page_title(libxml2));
    compare_text("text", crawl_page_text(scan), crawl_page_text(libxml2));
    compare_text("canonical", crawl_page_canonical(scan), crawl_page_canonical(libxml2));
    compare_text("base", crawl_url_href(crawl_page_base(scan)), crawl_url_href(crawl_page_base(libxml2)));
    bool refreshes = crawl_page_refresh(scan, &delays[0], &targets[0]);
    bool same = refreshes == crawl_page_refresh(libxml2, &delays[1], &targets[1]) && delays[0] == delays[1] &&
                crawl_page_robots(scan) == crawl_page_robots(libxml2);
    compare_text("refresh", targets[0], targets[1]);
    if (!same)
        abort();
}

static crawl_page *parse(crawl_extractor extractor, crawl_slice html, const crawl_url *url, bool xhtml, unsigned texts)
{
    crawl_page *page = crawl_page_create();
    if (!page)
        abort();
    crawl_page_set_extractor(page, extractor);
    crawl_page_set_text(page, texts);
    if (crawl_page_parse_as(page, xhtml ? CRAWL_DOCUMENT_XHTML : CRAWL_DOCUMENT_HTML, html, url, "utf-8"))
        abort();
    return page;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    crawl_url *url = crawl_url_create();
    if (!url || crawl_url_parse(url, crawl_slice_from("http://h.example/d/p"), NULL, NULL))
        abort();
    bool xhtml = size && data[0] & 1;
    unsigned texts = size ? data[0] >> 1 & 3u : 0;
    crawl_slice html = size ? crawl_slice_of(data + 1, size - 1) : crawl_slice_of("", 0);
    crawl_page *scan = parse(CRAWL_EXTRACTOR_SCAN, html, url, xhtml, texts);
    crawl_page *libxml2 = parse(CRAWL_EXTRACTOR_LIBXML2, html, url, xhtml, texts);
    compare_pages(scan, libxml2);
    crawl_page_free(scan);
    crawl_page_free(libxml2);
    crawl_url_free(url);
    return 0;
}
