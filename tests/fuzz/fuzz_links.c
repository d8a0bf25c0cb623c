/* Documents of any bytes; the first byte chooses the charset that the transport declares, the extractor and the kind of
 * document. The rest is the document, and also the value of each header. */
#include "base/utf8.h"

#include <crawl/links.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const charsets[] = {
    NULL,          "utf-8",     "windows-1252",   "utf-16le", "utf-16be",     "gbk",        "gb18030",
    "big5",        "shift_jis", "euc-jp",         "euc-kr",   "iso-2022-jp",  "iso-8859-2", "koi8-u",
    "replacement", "866",       "x-user-defined", "nonsense", "windows-1258",
};

enum { CHARSETS = sizeof charsets / sizeof charsets[0] };

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_text(crawl_slice text, size_t most)
{
    require(text.size <= most);
    require(cw_utf8_valid_prefix(text) == text.size);
}

static void check_link(const crawl_link *link)
{
    check_text(link->href, CRAWL_PAGE_MAX_HREF);
    check_text(link->rel, SIZE_MAX);
    require(link->tag && link->attr);
    require(link->kind & CRAWL_LINK_ALL);
    require(!link->nofollow || link->rel.size >= strlen("nofollow"));
}

/* Returns the number of links, which a second parse of the same document must return too. */
static size_t check_page(const crawl_page *page)
{
    size_t count;
    const crawl_link *links = crawl_page_links(page, &count);
    require(count <= CRAWL_PAGE_MAX_LINKS);
    for (size_t i = 0; i < count; i++)
        check_link(&links[i]);
    check_text(crawl_page_title(page), CRAWL_PAGE_MAX_TITLE);
    check_text(crawl_page_canonical(page), CRAWL_PAGE_MAX_HREF);
    double delay = -1;
    crawl_slice href;
    if (crawl_page_refresh(page, &delay, &href)) {
        check_text(href, CRAWL_PAGE_MAX_HREF);
        require(delay >= 0 && delay < 1e10);
    }
    require(crawl_charset_name(crawl_slice_from(crawl_page_charset(page))) != NULL);
    return count;
}

static bool is_inside(crawl_slice part, crawl_slice whole)
{
    return part.size == 0 || (part.data >= whole.data && part.data + part.size <= whole.data + whole.size);
}

static void check_headers(crawl_slice value)
{
    crawl_charset_of_content_type(value);
    crawl_document_of_content_type(value);
    crawl_document untyped = crawl_document_of((crawl_slice){0}, value);
    crawl_document xml = crawl_document_of(crawl_slice_from("text/xml"), value);
    require(untyped == xml || untyped == CRAWL_DOCUMENT_HTML);
    require(crawl_robots_tag(value, "agent") <= (CRAWL_ROBOTS_NOINDEX | CRAWL_ROBOTS_NOFOLLOW));
    double delay;
    crawl_slice href;
    require(crawl_refresh_header(value, &delay, &href) || is_inside(href, value));
    crawl_header_link link;
    for (crawl_slice rest = value; crawl_link_header_next(&rest, &link);)
        require(is_inside(link.href, value) && is_inside(link.rel, value) && is_inside(link.anchor, value) &&
                is_inside(rest, value));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const crawl_document documents[] = {CRAWL_DOCUMENT_HTML, CRAWL_DOCUMENT_XHTML, CRAWL_DOCUMENT_FEED};
    crawl_page *page = crawl_page_create();
    crawl_url *url = crawl_url_create();
    require(page && url && size < SIZE_MAX);
    unsigned choice = size ? data[0] : 0;
    const char *charset = charsets[choice % CHARSETS];
    crawl_document document = documents[choice / CHARSETS / 2 % 3];
    crawl_page_set_extractor(page, choice / CHARSETS % 2 ? CRAWL_EXTRACTOR_LIBXML2 : CRAWL_EXTRACTOR_SCAN);
    crawl_slice html = size ? crawl_slice_of(data + 1, size - 1) : crawl_slice_of("", 0);
    check_headers(html);
    require(crawl_url_parse(url, crawl_slice_from("http://h.example/d/p"), NULL, NULL) == CRAWL_OK);
    require(crawl_page_parse_as(page, document, html, url, charset) == CRAWL_OK);
    size_t count = check_page(page);
    require(crawl_page_base(page) != NULL);
    require(crawl_page_parse_as(page, document, html, NULL, charset) == CRAWL_OK);
    require(check_page(page) == count);
    crawl_url_free(url);
    crawl_page_free(page);
    return 0;
}
