/* Sitemaps: tolerated errors, refusals, and the maxima. */
#include "tests/unit/parse/url_help.h"

#include "parse/sitemap/sitemap_private.h"

#include <stdio.h>

typedef struct reading {
    crawl_buf seen; /* "url[ lastmod][ changefreq][ priority]\n" */
    crawl_sitemap_stats stats;
    crawl_err err;    /* of the first call that failed */
    unsigned stop_at; /* entry at which to return an error; 0: none */
    bool with_parts;
    uint64_t max_entries;
    uint64_t max_bytes;
} reading;

static crawl_err keep(void *user, const crawl_sitemap_entry *entry)
{
    reading *r = user;
    crawl_slice url = crawl_url_href(entry->url);
    cr_assert_eq(crawl_buf_printf(&r->seen, "%s%.*s", entry->is_sitemap ? "sitemap " : "", (int)url.size, url.data),
                 CRAWL_OK);
    if (r->with_parts) {
        cr_assert_eq(
            crawl_buf_printf(&r->seen, " %s %.3g", entry->changefreq ? entry->changefreq : "-", entry->priority),
            CRAWL_OK);
        if (entry->lastmod != CRAWL_SITEMAP_NO_DATE)
            cr_assert_eq(crawl_buf_printf(&r->seen, " %lld", (long long)entry->lastmod), CRAWL_OK);
    }
    cr_assert_eq(crawl_buf_append_char(&r->seen, '\n'), CRAWL_OK);
    return r->stop_at && --r->stop_at == 0 ? CRAWL_EIO : CRAWL_OK;
}

static void read_pieces(reading *r, crawl_slice text, const char *base, size_t piece)
{
    crawl_sitemap *sitemap;
    crawl_url *url = base ? parsed(base) : NULL;
    const crawl_sitemap_options options = {.size = sizeof options,
                                           .url = url,
                                           .on_entry = keep,
                                           .user = r,
                                           .max_entries = r->max_entries,
                                           .max_bytes = r->max_bytes};
    cr_assert_eq(crawl_sitemap_create(&options, &sitemap), CRAWL_OK);
    crawl_url_free(url);
    r->err = CRAWL_OK;
    for (size_t at = 0; at < text.size && !r->err; at += piece)
        r->err = crawl_sitemap_feed(sitemap,
                                    crawl_slice_of(text.data + at, text.size - at < piece ? text.size - at : piece));
    crawl_err ended = crawl_sitemap_end(sitemap);
    cr_expect(!r->err || ended == r->err);
    r->err = ended;
    crawl_sitemap_stats_get(sitemap, &r->stats);
    crawl_sitemap_free(sitemap);
}

/* Reads it whole and in the smallest pieces. */
static reading check_read(crawl_slice text, const char *base, const char *expected)
{
    reading whole = {0};
    reading pieces = {0};
    read_pieces(&whole, text, base, text.size + 1);
    read_pieces(&pieces, text, base, 1);
    const char *got = whole.seen.data ? whole.seen.data : "";
    cr_expect_str_eq(got, expected, "%.*s: got %s", (int)text.size, text.data, got);
    cr_expect_str_eq(pieces.seen.data ? pieces.seen.data : "", expected, "%.*s, by pieces", (int)text.size, text.data);
    cr_expect_eq(whole.err, pieces.err);
    cr_expect_eq(whole.stats.skipped, pieces.stats.skipped);
    crawl_buf_free(&whole.seen);
    crawl_buf_free(&pieces.seen);
    return whole;
}

static void check(const char *text, const char *expected)
{
    reading r = check_read(crawl_slice_from(text), "http://h/d/s.xml", expected);
    cr_expect_eq(r.err, CRAWL_OK, "%s", text);
}

static void check_broken(const char *text, crawl_err err, const char *expected)
{
    reading r = check_read(crawl_slice_from(text), "http://h/d/s.xml", expected);
    cr_expect_eq(r.err, err, "%s: %s", text, crawl_strerror(r.err));
}

static void check_mended(const char *text, const char *expected, crawl_err err)
{
    reading r = check_read(crawl_slice_from(text), "http://h/d/s.xml", expected);
    cr_expect_eq(r.err, err, "%s: %s", text, crawl_strerror(r.err));
    cr_expect(r.stats.broken, "%s", text);
}

static void check_whole(const char *text, const char *expected)
{
    reading r = check_read(crawl_slice_from(text), "http://h/d/s.xml", expected);
    cr_expect(!r.err && !r.stats.broken, "%s: %s", text, crawl_strerror(r.err));
}

#define SET(inside) "<urlset>" inside "</urlset>"
#define LOC(text) "<url><loc>" text "</loc></url>"

Test(sitemap, forgives)
{
    check(SET(LOC("http://a/")), "http://a/\n");
    check("<urlset xmlns='http://www.google.com/schemas/sitemap/0.84'>" LOC("http://a/") "</urlset>", "http://a/\n");
    check("<s:urlset xmlns:s='x'><s:url><s:loc>http://a/</s:loc></s:url></s:urlset>", "http://a/\n");
    check("\n \xef\xbb\xbf" SET(LOC("http://a/")), "http://a/\n");
    check(" \r\n\t<?xml version='1.0'?>" SET(LOC("http://a/")), "http://a/\n");
    check("\xef\xbb\xbf<?xml version='1.0' encoding='UTF-8'?>" SET(LOC("http://a/")), "http://a/\n");
    check("<URLSET><Url><Loc>http://a/</Loc></Url></URLSET>", "http://a/\n");
    check(SET(LOC("\n  http://a/b\n c \n")), "http://a/b%20c\n");
    check(SET(LOC("/x") LOC("y") LOC("//a/z")), "http://h/x\nhttp://h/d/y\nhttp://a/z\n");
    check(SET(LOC("http://a/?x=1&y=2&amp;z=3&copy=4&#38;e")), "http://a/?x=1&y=2&z=3&copy=4&e\n");
    check(SET(LOC("http://a/?&")), "http://a/?&\n");
    check(SET(LOC("<![CDATA[http://a/?x&amp;y]]>")), "http://a/?x&amp;y\n");
    check(SET(LOC("http://a/<!-- & -->b")), "http://a/b\n");
    check("<?xml version='1.0'?><?xml-stylesheet href='a'?><!-- <url> -->" SET(LOC("http://a/")), "http://a/\n");
    check(SET(LOC("http://a/")) "rubbish < & >", "http://a/\n");
}

Test(sitemap, skips)
{
    check(SET(LOC("") LOC("mailto:a") LOC("http://") "<url/>" LOC("ftp://a/") LOC("http://a/")), "http://a/\n");
    reading r = check_read(crawl_slice_from(SET(LOC("") LOC("mailto:a") "<url/>")), NULL, "");
    cr_expect_eq(r.stats.skipped, 3);
    cr_expect_eq(r.stats.type, CRAWL_SITEMAP_URLSET);
    r = check_read(crawl_slice_from(SET(LOC("x"))), NULL, "");
    cr_expect_eq(r.stats.skipped, 1);
}

Test(sitemap, only_children_of_an_entry_are_its_parts)
{
    check(SET("<url><i:image xmlns:i='i'><i:loc>http://image/</i:loc></i:image><loc>http://a/</loc></url>"),
          "http://a/\n");
    check(SET("<loc>http://b/</loc><url><x><url><loc>http://c/</loc></url></x><loc>http://a/</loc></url>"),
          "http://a/\n");
    check(SET("<url><loc>http://a/<b>c</b>d</loc></url>"), "http://a/d\n");
}

Test(sitemap, index)
{
    check("<sitemapindex><sitemap><loc>http://a/1.xml</loc></sitemap><url><loc>http://a/</loc></url></sitemapindex>",
          "sitemap http://a/1.xml\nhttp://a/\n");
}

Test(sitemap, parts)
{
    reading r = {.with_parts = true};
    read_pieces(
        &r,
        SLICE(SET(
            "<url><loc>http://a/</loc><lastmod> 1970-01-02 </lastmod><changefreq>Daily</changefreq><priority>0.8"
            "</priority></url>"
            "<url><loc>http://b/</loc><lastmod>soon</lastmod><changefreq>often</changefreq><priority>high</priority></url>"
            "<url><loc>http://c/</loc><priority>7</priority></url>"
            "<url><loc>http://d/</loc><priority>.25</priority></url>"
            "<url><loc>http://e/</loc><priority>-1</priority></url>")),
        NULL, 1000);
    cr_expect_str_eq(r.seen.data,
                     "http://a/ daily 0.8 86400\nhttp://b/ - 0.5\nhttp://c/ - 1\nhttp://d/ - 0.25\nhttp://e/ - 0.5\n");
    crawl_buf_free(&r.seen);
}

Test(sitemap, feeds)
{
    check("<rss><channel><link>http://f/</link><item><link>/a</link></item><item><guid>http://b/</guid></item>"
          "<item><guid isPermaLink='false'>http://c/</guid></item><item><guid>12345</guid></item></channel></rss>",
          "http://h/a\nhttp://b/\n");
    check(
        "<r:RDF xmlns:r='r' xmlns='s'><channel><link>http://f/</link></channel><item><link>http://a/</link></item></r:RDF>",
        "http://a/\n");
    check(
        "<rss><channel><item><a:link xmlns:a='a' href='http://self/' rel='self'/><link>http://a/</link></item></channel></rss>",
        "http://a/\n");
    check(
        "<feed><entry><link rel='enclosure' href='/x'/><link rel='alternate' href='/a?b=1&amp;c=2&d=3'/><link href='/y'/>"
        "</entry></feed>",
        "http://h/a?b=1&c=2&d=3\n");
    check(
        "<!DOCTYPE rss PUBLIC '-//N//DTD RSS 0.91//EN' 'http://n/rss.dtd'><rss><channel><item><link>http://a/</link></item>"
        "</channel></rss>",
        "http://a/\n");
}

Test(sitemap, a_feed_without_a_url_has_its_own_link_for_base)
{
    check_read(SLICE("<feed><link href='http://f/d/'/><entry><link href='a'/></entry></feed>"), NULL, "http://f/d/a\n");
    check_read(SLICE("<rss><channel><link>http://f/d/</link><item><link>a</link></item></channel></rss>"), NULL,
               "http://f/d/a\n");
    check_read(SLICE("<feed><entry><link href='a'/></entry></feed>"), NULL, "");
    check_read(SLICE("<feed xml:base='http://o/b/'><entry><link href='a'/></entry><entry xml:base='c/'><link href='a'/>"
                     "</entry><entry><link xml:base='/d/' href='a'/><x xml:base='no'/></entry></feed>"),
               "http://f/g", "http://o/b/a\nhttp://o/b/c/a\nhttp://o/d/a\n");
    check_read(SLICE("<rss xml:base='e/'><channel><item><link>a</link></item></channel></rss>"), "http://f/g",
               "http://f/e/a\n");
    check_read(SLICE("<urlset xml:base='http://o/b/'><url><loc>a</loc></url></urlset>"), "http://f/g", "http://f/a\n");
}

Test(sitemap, text)
{
    check("http://a/\nhttp://b/\r\n\r\n  https://c/ \rhttp://d/", "http://a/\nhttp://b/\nhttps://c/\nhttp://d/\n");
    check("\xef\xbb\xbfhttp://a/\nrelative\nhttp://b/\n", "http://a/\nhttp://b/\n");
    check("\n\n\nhttp://a/", "http://a/\n");
    check("http://a/\t2024-01-01\n\thttp://b/\t\n", "http://a/\nhttp://b/\n");
    check_broken("hello world", CRAWL_EPARSE, "");
    check_broken("", CRAWL_EPARSE, "");
    check_broken(" \n", CRAWL_EPARSE, "");
}

Test(sitemap, other_encodings)
{
    check("<?xml version='1.0' encoding='windows-1251'?>" SET(LOC("http://a/\xe0")), "http://a/%D0%B0\n");
    check("<?xml version='1.0' encoding='no-such-thing'?>" SET(LOC("http://a/")), "http://a/\n");
    check_read(SLICE("\xff\xfe<\0u\0r\0l\0s\0e\0t\0>\0<\0u\0r\0l\0>\0<\0l\0o\0c\0>\0h\0t\0t\0p\0:\0/\0/\0a\0/\0\xd0\x05"
                     "<\0/\0l\0o\0c\0>\0<\0/\0u\0r\0l\0>\0<\0/\0u\0r\0l\0s\0e\0t\0>\0"),
               NULL, "http://a/%D7%90\n");
    check_read(SLICE("\0<\0u\0r\0l\0s\0e\0t\0>\0<\0u\0r\0l\0>\0<\0l\0o\0c\0>\0h\0t\0t\0p\0:\0/\0/\0a\0/\xd8\x3d\xdc\xa9"
                     "\0<\0/\0l\0o\0c\0>\0<\0/\0u\0r\0l\0>\0<\0/\0u\0r\0l\0s\0e\0t\0>"),
               NULL, "http://a/%F0%9F%92%A9\n");
    check_read(SLICE("\xff\xfeh\0t\0t\0p\0:\0/\0/\0a\0/\0\r\0\n\0h\0t\0t\0p\0:\0/\0/\0\xd0\x05\n\0"), NULL,
               "http://a/\nhttp://xn--4db/\n");
    /* The tables of the Encoding Standard, which those of the same names in iconv are not. */
    check("<?xml version='1.0' encoding='Shift_JIS'?>" SET(LOC("http://a/~b|\x83\x65") LOC("http://a/?\x83\x5c")),
          "http://a/~b|%E3%83%86\nhttp://a/?%E3%82%BD\n");
    check("<?xml version='1.0' encoding='EUC-KR'?>" SET(LOC("http://a/~\x81\x41")), "http://a/~%EA%B0%82\n");
    check("<?xml version='1.0' encoding='iso-8859-1'?>" SET(LOC("http://a/\x81\x80")), "http://a/%C2%81%E2%82%AC\n");
    check("<?xml version='1.0' encoding='gb18030'?>" SET(LOC("http://a/\x81\x30\x81\x30\x80")),
          "http://a/%C2%80%E2%82%AC\n");
    check("\xef\xbb\xbf<?xml version='1.0' encoding='iso-8859-1'?>" SET(LOC("http://a/\xc3\xa9")), "http://a/%C3%A9\n");
    /* Bytes that do not match the declared encoding. */
    check(SET(LOC("http://a/\xe9")), "http://a/%C3%A9\n");
}

Test(sitemap, nuls_are_dropped)
{
    check_read(SLICE("<urlset>" LOC("http://a/") "\0" LOC("http://b\0/") "<url\0><loc>http://c/</loc></url></urlset>"),
               NULL, "http://a/\nhttp://b/\nhttp://c/\n");
    check_read(SLICE("http://a/\n\0http://b/\n"), NULL, "http://a/\nhttp://b/\n");
}

Test(sitemap, broken_xml_is_read_as_far_as_it_goes)
{
    check("<urlset>" LOC("http://a/") "<url><loc>http://b/</loc><lastmod>20", "http://a/\nhttp://b/\n");
    check("<urlset>" LOC("http://a/") "<url><loc>http://b", "http://a/\n");
    check("<urlset>" LOC("http://a/") "<url", "http://a/\n");
    check("<urlset>" LOC("http://a/") "<url><loc>http://b/</url>" LOC("http://c/") "</urlset>",
          "http://a/\nhttp://b/\nhttp://c/\n");
    reading r = {0};
    read_pieces(&r, SLICE("<urlset>" LOC("http://a/")), NULL, 1);
    cr_expect(r.stats.broken && r.stats.entries == 1 && r.err == CRAWL_OK);
    crawl_buf_free(&r.seen);
}

/* All URLs are read, and the fault is reported. */
Test(sitemap, broken_xml_is_mended_and_reported)
{
    static const char *const texts[] = {
        "<urlset><url><loc>http://a/</loc></url></url><url><loc>http://b/</loc></url></urlset>",
        "<urlset><url><loc>http://a/</loc></loc></url></x><url><loc>http://b/</loc></url></urlset>",
        "</a>" SET(LOC("http://a/") LOC("http://b/")),
        SET(LOC("http://a/")) "</urlset>" SET(LOC("http://b/")),
        SET(LOC("http://a/")) "<sitemapindex><url><loc>http://b/</loc></url></sitemapindex>",
        SET(LOC("http://a/")) LOC("http://b/"),
        "<urlset>" LOC("http://a/") "</urlset>" LOC("http://b/") "</urlset>",
        SET(LOC("http://a/")) "<rss><channel><item><link>http://b/</link></item></channel></rss>",
        SET(LOC("http://a/") LOC("http://b/")) "<script>",
        SET(LOC("http://a/") LOC("http://b/")) "rubbish",
        SET("<url><loc>http://a/</loc><loc>http://b/</loc></url>"),
        SET("<url><loc>http://a/</loc><lastmod>2024-01-01</lastmod><loc>http://b/</loc></url>"),
        SET("<url><loc>http://a/</loc><url><loc>http://b/</loc></url></url>"),
        "<urlset><url><loc>http://a/<url><loc>http://b/</loc></urlset>",
        "<urlset x='><url><loc>http://a/</loc></url>" LOC("http://b/") "</urlset>",
        "<urlset x=1>" LOC("http://a/") "<url a b='c'><loc d='e'f='g'>http://b/</loc></url></urlset>",
        "<sitemapindex>" LOC("http://a/") LOC("http://b/") "</sitemapindex>",
        "<urlset>" LOC("http://a/") "<urlset>" LOC("http://b/") "</urlset>",
        SET(LOC("http://a/") LOC("http://b/\x01")),
        SET(LOC("http://a/") "<loc>http://c/</loc>" LOC("http://b/")),
        "<urlset>" LOC("http://a/") LOC("http://b/") "<!-- ",
        "<urlset>" LOC("http://a/") LOC("http://b/") "</urlset",
        SET(LOC("http://a/") "<x><![CDATA[\x0b]]></x>" LOC("http://b/")),
        SET(LOC("http://a/") "<x><![CDATA[a\x1f\x08]]></x>" LOC("http://b/")),
        SET(LOC("http://a/") "<x><![CDATA[\xef\xbf\xbf]]></x>" LOC("http://b\xef\xbf\xbe/")),
        SET(LOC("http://a/") "<x a='\x0c'/>" LOC("http://b/")),
        SET(LOC("http://a/") "<x a='&#11;'/><y>&#11;&#xffff;&#x110000;&#q;&#;</y>" LOC("http://b/")),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_mended(texts[i], "http://a/\nhttp://b/\n", CRAWL_OK);
    check_mended(SET(LOC("http://a/") "<sitemap><loc>http://b/</loc></sitemap>"), "http://a/\nsitemap http://b/\n",
                 CRAWL_OK);
    check_mended(SET("<url><loc>http://a/</loc><sitemap><loc>http://b/</loc></sitemap></url>"),
                 "http://a/\nsitemap http://b/\n", CRAWL_OK);
    check_mended(SET(LOC("http://a/?b<c")), "http://a/?b%3Cc\n", CRAWL_OK);
    check_mended(SET(LOC("http://a/?b< c")), "http://a/?b%3C%20c\n", CRAWL_OK);
    /* Well-formed sitemaps that do not look it. */
    check_whole(
        "<urlset a='>' b=\"'/>\">" LOC("http://a/") "<url c=''/><!-- </urlset> -- > --></urlset>\n<?x </urlset> ?>",
        "http://a/\n");
    check_whole(
        "<u\xc3\xa9:urlset xmlns:u\xc3\xa9 = 'x' ><u\xc3\xa9:url ><loc\n>http://a/</loc ></u\xc3\xa9:url></u\xc3\xa9:urlset>",
        "http://a/\n");
    check_whole("<rss><channel><item><link>http://a/</link><link>http://b/</link></item></channel></rss>",
                "http://a/\n");
}

Test(sitemap, elements_in_elements_have_a_maximum)
{
    crawl_buf text = {0};
    cr_assert_eq(crawl_buf_append_text(&text, "<urlset>" LOC("http://a/")), CRAWL_OK);
    for (unsigned i = 0; i < CW_SITEMAP_MAX_DEPTH; i++)
        cr_assert_eq(crawl_buf_append_text(&text, "<x>"), CRAWL_OK);
    reading r = check_read(crawl_buf_slice(&text), NULL, "http://a/\n");
    cr_expect(r.err == CRAWL_EPARSE && r.stats.broken);
    crawl_buf_free(&text);
}

/* A template that lacks the end tag of an entry lacks it everywhere. */
Test(sitemap, entries_without_an_end_do_not_nest)
{
    static const char *const forms[][2] = {
        {"<urlset>", "<url><loc>http://a/</loc><lastmod>2024-01-01</lastmod>"},
        {"<sitemapindex>", "<sitemap><loc>http://a/</loc>"},
        {"<s:urlset xmlns:s='s'>", "<s:url><s:loc>http://a/</s:loc>"},
        {"<rss><channel>", "<item><title>a</title><link>http://a/</link>"},
        {"<feed>", "<entry><link href='http://a/'/>"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        crawl_buf text = {0};
        cr_assert_eq(crawl_buf_append_text(&text, forms[i][0]), CRAWL_OK);
        for (unsigned k = 0; k <= CW_SITEMAP_MAX_DEPTH; k++)
            cr_assert_eq(crawl_buf_append_text(&text, forms[i][1]), CRAWL_OK);
        reading r = {0};
        read_pieces(&r, crawl_buf_slice(&text), NULL, text.size);
        cr_expect(r.err == CRAWL_OK && r.stats.broken, "%s: %s", forms[i][1], crawl_strerror(r.err));
        cr_expect_eq(r.stats.entries, CW_SITEMAP_MAX_DEPTH + 1, "%s: %d", forms[i][1], (int)r.stats.entries);
        crawl_buf_free(&r.seen);
        crawl_buf_free(&text);
    }
}

Test(sitemap, no_sitemap)
{
    check_broken("<html><body><a href='http://a/'>a</a></body></html>", CRAWL_EPARSE, "");
    check_broken("<!DOCTYPE html><html></html>", CRAWL_EPARSE, "");
    check_broken("<", CRAWL_EPARSE, "");
    check_broken("<!-- -->", CRAWL_EPARSE, "");
}

Test(sitemap, nothing_is_defined_or_loaded)
{
    check_whole("<!DOCTYPE urlset [<!ENTITY x 'http://b/'>]>" SET(LOC("http://a/&x;")), "http://a/&x;\n");
    check_whole("<!DOCTYPE urlset SYSTEM 'file:///etc/passwd' [ ]>" SET(LOC("http://a/")), "http://a/\n");
    check_whole("<!DOCTYPE rss [<!ENTITY nbsp \"&#160;\">]><rss><item><link>http://a/&nbsp;</link></item></rss>",
                "http://a/&nbsp;\n");
    check_whole(
        "<?xml version='1.0'?><!DOCTYPE urlset PUBLIC '>' \"'[>\" [ <!ENTITY x \"]>\"> %p; <!-- ' ]> --->--> <?a ']>? ?>\n"
        "<!ATTLIST url loc CDATA '<url>'> ] >" SET(LOC("http://a/")),
        "http://a/\n");
    check_whole(
        "<!DOCTYPE l [<!ENTITY a 'l'><!ENTITY b '&a;&a;&a;&a;'><!ENTITY c '&b;&b;&b;&b;'>]>" SET(LOC("http://a/&c;")),
        "http://a/&c;\n");
    check_mended("<!DOCTYPE urlset [<!ENTITY x 'http://b/>]>" SET(LOC("http://a/")), "", CRAWL_EPARSE);
    check("<!DOCTYPE urlset SYSTEM 'file:///etc/passwd'>" SET(LOC("http://a/") LOC("http://b/&x;")),
          "http://a/\nhttp://b/&x;\n");
    check_broken("<?xml version='1.0' encoding='UTF-7'?>+ADw-urlset/+AD4-", CRAWL_EPARSE, "");
}

/* libxml2 takes quadratic time for the attributes of a tag: a tag with too many, or too long ones, loses them. */
Test(sitemap, tags_have_a_maximum)
{
    static const unsigned sizes[] = {40000, 2 << 20};
    crawl_buf text = {0};
    cr_assert_eq(crawl_buf_append_text(&text, "<feed><entry><link href='http://a/'"), CRAWL_OK);
    for (unsigned i = 0; i < 200; i++)
        cr_assert_eq(crawl_buf_printf(&text, " a%u=''", i), CRAWL_OK);
    cr_assert_eq(crawl_buf_append_text(&text, "/></entry><entry><link href='http://b/'/></entry></feed>"), CRAWL_OK);
    cr_expect_eq(check_read(crawl_buf_slice(&text), NULL, "http://b/\n").err, CRAWL_OK);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        crawl_buf_clear(&text);
        cr_assert_eq(crawl_buf_printf(&text, SET(LOC("http://a/") "<i a='%0*u'/>" LOC("http://b/")), (int)sizes[i], 0),
                     CRAWL_OK);
        reading r = {0};
        read_pieces(&r, crawl_buf_slice(&text), NULL, 1000);
        cr_expect_eq(r.err, i ? CRAWL_EPARSE : CRAWL_OK);
        cr_expect_str_eq(r.seen.data, i ? "http://a/\n" : "http://a/\nhttp://b/\n");
        crawl_buf_free(&r.seen);
    }
    crawl_buf_free(&text);
}

#define X8(text) "<x><x><x><x><x><x><x><x>" text "</x></x></x></x></x></x></x></x>"

/* libxml2 looks for the namespace of an element among those of all open elements. */
Test(sitemap, attributes_have_a_greatest_depth)
{
    check_whole("<feed>" X8("<entry><link href='http://a/'/></entry>") "</feed>", "http://a/\n");
    check_whole("<feed>" X8(X8("<entry><link href='http://a/'/></entry>")) "</feed>", "");
    check_whole("<urlset>" X8(X8("<x xmlns:a='u'>" LOC("http://a/") "</x>")) "</urlset>", "http://a/\n");
    check_mended("<urlset>" X8(X8("<x a>" LOC("http://a/") "</x>")) "</urlset>", "http://a/\n", CRAWL_OK);
}

/* libxml2 keeps every name that it meets, up to a limit. */
Test(sitemap, names_have_a_maximum)
{
    enum { TAGS = 1000, NAME = 30000 };
    crawl_buf text = {0};
    cr_assert_eq(crawl_buf_append_text(&text, "<urlset>" LOC("http://a/")), CRAWL_OK);
    for (unsigned i = 0; i < TAGS; i++)
        cr_assert_eq(crawl_buf_printf(&text, "<a%0*u/>", NAME, i), CRAWL_OK);
    cr_assert_eq(crawl_buf_append_text(&text, LOC("http://b/") "</urlset>"), CRAWL_OK);
    reading r = {0};
    read_pieces(&r, crawl_buf_slice(&text), NULL, text.size);
    cr_expect_eq(r.err, CRAWL_EPARSE, "%s", crawl_strerror(r.err));
    cr_expect_str_eq(r.seen.data, "http://a/\n");
    crawl_buf_free(&r.seen);
    crawl_buf_free(&text);
}

Test(sitemap, a_location_has_a_maximum)
{
    crawl_buf text = {0};
    cr_assert_eq(crawl_buf_append_text(&text, "<urlset><url><loc>http://a/"), CRAWL_OK);
    for (unsigned i = 0; i < CRAWL_SITEMAP_MAX_LOCATION; i++)
        cr_assert_eq(crawl_buf_append_char(&text, 'x'), CRAWL_OK);
    cr_assert_eq(crawl_buf_append_text(&text, "</loc></url>" LOC("http://b/") "</urlset>"), CRAWL_OK);
    reading r = check_read(crawl_buf_slice(&text), NULL, "http://b/\n");
    cr_expect_eq(r.stats.skipped, 1);
    text.data[0] = 'h';
    r = check_read(crawl_slice_of(text.data + strlen("<urlset><url><loc>"), text.size - 50), NULL, "");
    cr_expect_eq(r.stats.skipped, 1);
    crawl_buf_free(&text);
}

Test(sitemap, maxima_of_the_whole)
{
    reading r = {.max_entries = 2};
    read_pieces(&r, SLICE("http://a/\nhttp://b/\nhttp://c/\n"), NULL, 5);
    cr_expect_eq(r.err, CRAWL_FULL);
    cr_expect(r.stats.full && r.stats.entries == 2);
    crawl_buf_free(&r.seen);
    r = (reading){.max_bytes = 12};
    read_pieces(&r, SLICE("http://a/\nhttp://b/\nhttp://c/\n"), NULL, 5);
    cr_expect_eq(r.err, CRAWL_FULL);
    cr_expect(r.stats.full && r.stats.entries == 1 && r.stats.bytes == 12);
    crawl_buf_free(&r.seen);
}

Test(sitemap, an_error_of_the_caller_ends_it)
{
    reading r = {.stop_at = 2};
    read_pieces(&r, SLICE(SET(LOC("http://a/") LOC("http://b/") LOC("http://c/"))), NULL, 1000);
    cr_expect_eq(r.err, CRAWL_EIO);
    cr_expect_str_eq(r.seen.data, "http://a/\nhttp://b/\n");
    crawl_buf_free(&r.seen);
}

/* Appends text, compressed. */
static void append_gzip(crawl_buf *out, crawl_slice text)
{
    z_stream z = {0};
    cr_assert_eq(deflateInit2(&z, 9, Z_DEFLATED, 31, 9, Z_DEFAULT_STRATEGY), Z_OK);
    size_t most = deflateBound(&z, text.size);
    cr_assert_eq(crawl_buf_reserve(out, most), CRAWL_OK);
    z.next_in = (unsigned char *)text.data;
    z.avail_in = (uInt)text.size;
    z.next_out = (unsigned char *)out->data + out->size;
    z.avail_out = (uInt)most;
    cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    out->size += most - z.avail_out;
    deflateEnd(&z);
}

Test(sitemap, compressed)
{
    crawl_buf file = {0};
    append_gzip(&file, SLICE("http://a/\nhttp:"));
    append_gzip(&file, SLICE("//b/\n"));
    reading r = check_read(crawl_buf_slice(&file), NULL, "http://a/\nhttp://b/\n");
    cr_expect(r.stats.compressed && r.err == CRAWL_OK);
    cr_assert_eq(crawl_buf_append_text(&file, "\0\0rubbish"), CRAWL_OK);
    cr_expect_eq(check_read(crawl_buf_slice(&file), NULL, "http://a/\nhttp://b/\n").err, CRAWL_OK);
    reading cut = {0};
    read_pieces(&cut, crawl_slice_of(file.data, 30), NULL, 30);
    cr_expect(cut.stats.broken && cut.err == CRAWL_OK);
    cr_expect_str_eq(cut.seen.data, "http://a/\n");
    crawl_buf_free(&cut.seen);
    file.data[15] ^= 0x55;
    reading broken = {0};
    read_pieces(&broken, crawl_buf_slice(&file), NULL, 7);
    cr_expect_eq(broken.err, CRAWL_EPARSE);
    crawl_buf_free(&broken.seen);
    crawl_buf_free(&file);
}

Test(sitemap, part_of_a_line_is_none)
{
    static const char *const lines[] = {"", "http://a/1\n", "http://a/1\nhttp://b/2\n"};
    crawl_buf file = {0};
    append_gzip(&file, crawl_slice_from(lines[2]));
    for (size_t size = 2; size < file.size; size++) {
        reading cut = {0};
        read_pieces(&cut, crawl_slice_of(file.data, size), NULL, size);
        const char *seen = cut.seen.data ? cut.seen.data : "";
        cr_expect_str_eq(seen, lines[cut.stats.entries], "%zu bytes", size);
        crawl_buf_free(&cut.seen);
    }
    crawl_buf_free(&file);
}

Test(sitemap, compressed_twice)
{
    crawl_buf inner = {0}, file = {0};
    append_gzip(&inner, SLICE("http://a/\nhttp:"));
    append_gzip(&inner, SLICE("//b/\n"));
    append_gzip(&file, crawl_buf_slice(&inner));
    reading r = check_read(crawl_buf_slice(&file), NULL, "http://a/\nhttp://b/\n");
    cr_expect(r.stats.compressed && r.err == CRAWL_OK && !r.stats.broken);
    crawl_buf_clear(&file);
    append_gzip(&file, crawl_slice_of(inner.data, 30));
    reading cut = {0};
    read_pieces(&cut, crawl_buf_slice(&file), NULL, 7);
    cr_expect(cut.stats.broken && cut.err == CRAWL_OK);
    cr_expect_str_eq(cut.seen.data, "http://a/\n");
    crawl_buf_free(&cut.seen);
    crawl_buf_free(&inner);
    crawl_buf_free(&file);
}

Test(sitemap, a_bomb_is_not_unpacked)
{
    enum { SIZE = 8 << 20 };
    crawl_buf file = {0};
    char *zeros = calloc(1, SIZE);
    memset(zeros, '\n', SIZE);
    memcpy(zeros, "http://a/", 9);
    append_gzip(&file, crawl_slice_of(zeros, SIZE));
    reading r = {0};
    read_pieces(&r, crawl_buf_slice(&file), NULL, 512);
    cr_expect_eq(r.err, CRAWL_FULL);
    cr_expect(r.stats.full && r.stats.bytes < 2 << 20);
    crawl_buf_free(&r.seen);
    crawl_buf_free(&file);
    free(zeros);
}

Test(sitemap, wants_a_listener)
{
    crawl_sitemap *sitemap;
    cr_expect_eq(crawl_sitemap_create(&(crawl_sitemap_options){.size = sizeof(crawl_sitemap_options)}, &sitemap),
                 CRAWL_EINVAL);
    crawl_sitemap_free(NULL);
    cr_expect_str_eq(crawl_sitemap_type_name(CRAWL_SITEMAP_RSS), "rss");
}
