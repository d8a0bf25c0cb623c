/* parse/page/document.c: what kind of document bytes are. */
#include <crawl/links.h>

#include <criterion/criterion.h>

#define HTML CRAWL_DOCUMENT_HTML
#define XHTML CRAWL_DOCUMENT_XHTML
#define FEED CRAWL_DOCUMENT_FEED
#define SITEMAP CRAWL_DOCUMENT_SITEMAP
#define OTHER CRAWL_DOCUMENT_OTHER
#define SVG CRAWL_DOCUMENT_SVG

static const struct row {
    const char *type;
    const char *bytes;
    crawl_document expected;
} rows[] = {
    /* declared */
    {"text/html; charset=utf-8", "anything", HTML},
    {"TEXT/HTML", "", HTML},
    {"application/xhtml+xml", "<rss>", XHTML},
    {"application/atom+xml;type=feed", "", FEED},
    {"text/plain", "<html>", OTHER},
    {"application/pdf", "<html>", OTHER},
    {"+xml", "<html>", HTML},
    /* XML without a more specific type */
    {"text/xml", "<?xml version='1.0'?>\n<rss version='2.0'>", FEED},
    {"application/xml", "\xef\xbb\xbf \n<!-- <html> --><feed\nxmlns='a'>", FEED},
    {"text/xml", "<rdf:RDF xmlns:rdf='x'>", FEED},
    {"text/xml", "<!DOCTYPE html PUBLIC 'a' 'b'><html xmlns='http://www.w3.org/1999/xhtml'>", XHTML},
    {"text/xml", "<!DOCTYPE rss [ <!ENTITY nbsp '&#160;'>\n<!ENTITY a 'b'> ]>\n<rss>", FEED},
    {"text/xml", "<!DOCTYPE rss PUBLIC '>' [ <!ENTITY a \"<b>]>\"> <!-- ' ]> --> <?x ' ?> ] >\n<rss>", FEED},
    {"application/xml", "<?xml version='1.0'?><?xml-stylesheet href='a.xsl'?><urlset xmlns='a'>", SITEMAP},
    {"application/xml", "<sitemapindex>", SITEMAP},
    {"application/xml", "<s:urlset>", SITEMAP},
    {"image/svg+xml", "<svg>", SVG},
    {"application/vnd.x+xml", "<rss/>", FEED},
    {"text/xml", "", OTHER},
    {"text/xml", "<", OTHER},
    {"text/xml", "<!-- no end <rss>", OTHER},
    {"text/xml", "<!DOCTYPE", OTHER},
    {"text/xml", "rss", OTHER},
    /* feeds that are called HTML */
    {"text/html", "<?xml version='1.0'?><rss>", FEED},
    {"text/html", "<feed>", FEED},
    {"text/html", "<urlset>", HTML},
    {"text/html", "<p>&lt;rss>", HTML},
    {"text/html", "%PDF-1.7 <p>", OTHER},
    {"text/html", "\x1f\x8b\x08<p>", OTHER},
    {"text/html", "\x89PNG\r\n<p>", OTHER},
    {"text/html", "\xff\xd8 <p>", HTML},
    {"text/plain", "\n<?xml version='1.0'?><rss>", FEED},
    {"text/plain", "<urlset>", OTHER},
    /* JSON Feed */
    {"application/feed+json", "", FEED},
    {"application/json", "{\"version\": \"https:\\/\\/jsonfeed.org\\/version\\/1\"}", FEED},
    {"application/json", "{\"version\": 1}", OTHER},
    {"application/json", "[\"https://jsonfeed.org\"]", OTHER},
    {"text/html", "{\"version\":\"https://jsonfeed.org/version/1\"}", FEED},
    {"text/html", "\n\n<?xml version='1.0'?><rss>", FEED},
    {"", "{\"version\":\"https://jsonfeed.org/version/1\"}", FEED},
    /* without a type */
    {"", " \n<p>", HTML},
    {"", "\xef\xbb\xbf<!doctype html><html>", HTML},
    {"", "<html>", HTML},
    {"", "<?xml version='1.0'?><html>", XHTML},
    {"", "<?xml version='1.0'?><rss>", FEED},
    {"", "<urlset>", SITEMAP},
    {"", "text <html>", OTHER},
    {"", "", OTHER},
    /* invalid types, and lists */
    {"html", "<!doctype html>", HTML},
    {"text", "<p>", HTML},
    {"*/*", "<p>", HTML},
    {"\"text/html\"", "<p>", HTML},
    {"'text/html; charset=utf-8'", "<!doctype html>", OTHER},
    {"\"text/html; charset=utf-8\"", "<rss>", FEED},
    {"Unknown/Unknown", "<p>", HTML},
    {"application/unknown", "GIF89a", OTHER},
    {"Content-Type: text/html", "<p>", HTML},
    {"text/html charset=utf-8", "words", HTML},
    {"text/html,charset=utf-8", "words", HTML},
    {"text/plain, text/html", "words", HTML},
    {"text/html, text/plain", "<p>", OTHER},
    {"text/html, */*", "words", HTML},
    {"text/html; x=\",text/plain\"", "words", HTML},
    {"text/html;", "words", HTML},
    {"text/htm", "<p>", OTHER},
};

Test(document, media_type)
{
    static const char *const types[][2] = {
        {"text/html; charset=utf-8", "text/html"},
        {" Text/HTML ;x", "Text/HTML"},
        {"a/b, c/d;e", "c/d"},
        {"a/b, c", "a/b"},
        {"text/html(x); a=b", "text/html"},
        {"text/", ""},
        {"/html", ""},
        {",,", ""},
        {"\"a/b, c/d\"", ""},
        {"\"a/b\"", ""},
        {"a/b:c", "a/b:c"},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        crawl_slice type = crawl_media_type(crawl_slice_from(types[i][0]));
        cr_expect(crawl_slice_equal(type, crawl_slice_from(types[i][1])), "%s: %.*s", types[i][0], (int)type.size,
                  type.data ? type.data : "");
    }
}

Test(document, kinds)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_document got = crawl_document_of(crawl_slice_from(rows[i].type), crawl_slice_from(rows[i].bytes));
        cr_expect_eq(got, rows[i].expected, "%s %s: %d, not %d", rows[i].type, rows[i].bytes, (int)got,
                     (int)rows[i].expected);
    }
}

Test(document, no_slices)
{
    cr_expect_eq(crawl_document_of((crawl_slice){0}, (crawl_slice){0}), OTHER);
    cr_expect_eq(crawl_document_of_content_type((crawl_slice){0}), OTHER);
}

/* Returns the kind of XML whose text is in UTF-16, with a mark. */
static crawl_document kind_of_utf16(const char *text, bool big)
{
    crawl_buf bytes = {0};
    cr_assert_eq(crawl_buf_append(&bytes, big ? "\xfe\xff" : "\xff\xfe", 2), CRAWL_OK);
    for (; *text; text++) {
        const char unit[2] = {big ? '\0' : *text, big ? *text : '\0'};
        cr_assert_eq(crawl_buf_append(&bytes, unit, sizeof unit), CRAWL_OK);
    }
    crawl_document found = crawl_document_of(crawl_slice_from("text/xml"), crawl_buf_slice(&bytes));
    crawl_buf_free(&bytes);
    return found;
}

Test(document, in_utf16)
{
    for (int big = 0; big < 2; big++) {
        cr_expect_eq(kind_of_utf16("<?xml version='1.0' encoding='utf-16'?>\n<rss>", big), FEED);
        cr_expect_eq(kind_of_utf16("<urlset>", big), SITEMAP);
        cr_expect_eq(kind_of_utf16(" <html>", big), XHTML);
        cr_expect_eq(kind_of_utf16("", big), OTHER);
    }
    cr_expect_eq(crawl_document_of(crawl_slice_from("text/xml"), crawl_slice_from("\xff\xfe\xff")), OTHER);
}

/* All of HTML's entities may be declared before it. */
Test(document, long_subset)
{
    crawl_buf text = {0};
    cr_assert_eq(crawl_buf_append_text(&text, "<!DOCTYPE rss ["), CRAWL_OK);
    for (int i = 0; i < 1000; i++)
        cr_assert_eq(crawl_buf_append_text(&text, "<!ENTITY nbsp '&#160;'>\n"), CRAWL_OK);
    cr_assert_eq(crawl_buf_append_text(&text, "]><rss>"), CRAWL_OK);
    cr_expect_eq(crawl_document_of(crawl_slice_from("text/xml"), crawl_buf_slice(&text)), FEED);
    crawl_buf_free(&text);
}

/* The root element is searched for only at the beginning. */
Test(document, late_element)
{
    crawl_buf text = {0};
    cr_assert_eq(crawl_buf_append_text(&text, "<!--"), CRAWL_OK);
    for (int i = 0; i < 20000; i++)
        cr_assert_eq(crawl_buf_append_text(&text, "12345"), CRAWL_OK);
    cr_assert_eq(crawl_buf_append_text(&text, "--><rss>"), CRAWL_OK);
    cr_expect_eq(crawl_document_of(crawl_slice_from("text/xml"), crawl_buf_slice(&text)), OTHER);
    crawl_buf_free(&text);
}
