/* The extensions of sitemaps: translations, images, videos, news. */
#include "tests/unit/parse/url_help.h"

#include <crawl/sitemap.h>

typedef struct reading {
    crawl_buf seen; /* "url[ kind=url[ hreflang]]...[ news name/language/title/date/seconds]\n" */
    crawl_sitemap_stats stats;
} reading;

static crawl_err keep(void *user, const crawl_sitemap_entry *entry)
{
    reading *r = user;
    crawl_slice url = crawl_url_href(entry->url);
    crawl_err err = crawl_buf_append(&r->seen, url.data, url.size);
    for (size_t i = 0; i < entry->link_count && !err; i++) {
        const crawl_sitemap_link *link = &entry->links[i];
        err = crawl_buf_printf(&r->seen, " %s=%.*s", crawl_sitemap_link_name(link->kind), (int)link->url.size,
                               link->url.data);
        if (link->hreflang.size && !err)
            err = crawl_buf_printf(&r->seen, " %.*s", (int)link->hreflang.size, link->hreflang.data);
    }
    const crawl_sitemap_news *news = entry->news;
    if (news && !err)
        err = crawl_buf_printf(&r->seen, " news %.*s/%.*s/%.*s/%.*s/%lld", (int)news->name.size, news->name.data,
                               (int)news->language.size, news->language.data, (int)news->title.size, news->title.data,
                               (int)news->date_text.size, news->date_text.data, (long long)news->date);
    return err ? err : crawl_buf_append_char(&r->seen, '\n');
}

static reading read_pieces(crawl_slice text, size_t piece)
{
    reading r = {0};
    crawl_sitemap *sitemap;
    crawl_url *url = parsed("http://h/d/s.xml");
    const crawl_sitemap_options options = {.size = sizeof options, .url = url, .on_entry = keep, .user = &r};
    cr_assert_eq(crawl_sitemap_create(&options, &sitemap), CRAWL_OK);
    for (size_t at = 0; at < text.size; at += piece)
        cr_assert_eq(crawl_sitemap_feed(
                         sitemap, crawl_slice_of(text.data + at, text.size - at < piece ? text.size - at : piece)),
                     CRAWL_OK);
    cr_assert_eq(crawl_sitemap_end(sitemap), CRAWL_OK);
    crawl_sitemap_stats_get(sitemap, &r.stats);
    crawl_sitemap_free(sitemap);
    crawl_url_free(url);
    cr_assert_eq(crawl_buf_append_char(&r.seen, '\0'), CRAWL_OK);
    return r;
}

/* Reads it whole and in the smallest pieces. */
static crawl_sitemap_stats check(const char *text, const char *expected)
{
    reading whole = read_pieces(crawl_slice_from(text), SIZE_MAX / 2);
    reading pieces = read_pieces(crawl_slice_from(text), 1);
    cr_expect_str_eq(whole.seen.data, expected, "%s: got %s", text, whole.seen.data);
    cr_expect_str_eq(pieces.seen.data, expected, "%s, by pieces: got %s", text, pieces.seen.data);
    crawl_buf_free(&whole.seen);
    crawl_buf_free(&pieces.seen);
    return whole.stats;
}

#define XHTML "xmlns:xhtml='http://www.w3.org/1999/xhtml'"
#define IMAGE "xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'"
#define VIDEO "xmlns:video='http://www.google.com/schemas/sitemap-video/1.1'"
#define NEWS "xmlns:news='http://www.google.com/schemas/sitemap-news/0.9'"
#define SET(names, inside) "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' " names ">" inside "</urlset>"
#define ENTRY(inside) "<url><loc>http://h/</loc>" inside "</url>"

Test(sitemap_extension, translations)
{
    const char *expected = "http://h/ alternate=http://h/de?a=1&b=2 de-CH alternate=http://h/d/en en "
                           "alternate=http://x/ x-default\n";
    crawl_sitemap_stats stats = check(SET(XHTML, ENTRY("<xhtml:link rel='alternate' hreflang='de-CH' "
                                                       "href='/de?a=1&amp;b=2'/><xhtml:link rel='Alternate' "
                                                       "hreflang=' en ' href=' en '></xhtml:link><xhtml:link "
                                                       "rel='alternate' href='http://x/' hreflang='x-default'/>")),
                                      expected);
    cr_expect(stats.links == 3 && !stats.broken && !stats.skipped);
    check(SET("", "<url><xhtml:link rel='alternate' hreflang='de' href='/de'/><loc>http://h/</loc></url>"),
          "http://h/ alternate=http://h/de de\n");
    check(SET("xmlns:x='http://www.w3.org/1999/xhtml'", ENTRY("<x:link rel='alternate' hreflang='de' href='/de'/>")),
          "http://h/ alternate=http://h/de de\n");
    check(SET("", ENTRY("<link rel='alternate' hreflang='de' href='/de'/>")), "http://h/ alternate=http://h/de de\n");
    check(SET("xmlns:x='http://other/'", ENTRY("<x:link rel='alternate' hreflang='de' href='/de'/>")), "http://h/\n");
    check(SET(XHTML, ENTRY("<xhtml:link rel='canonical' href='/c'/><xhtml:link rel='alternate'/>")), "http://h/\n");
    stats = check(SET(XHTML, ENTRY("<xhtml:link rel='alternate' hreflang='de' href='mailto:a'/>")), "http://h/\n");
    cr_expect_eq(stats.skipped, 1);
}

Test(sitemap_extension, images)
{
    check(SET(IMAGE, ENTRY("<image:image><image:loc> http://cdn/1.png </image:loc><image:title>t</image:title>"
                           "</image:image><image:image><image:loc><![CDATA[/2.png?a&b]]></image:loc></image:image>")
                         ENTRY("")),
          "http://h/ image=http://cdn/1.png image=http://h/2.png?a&b\nhttp://h/\n");
    check(SET("", ENTRY("<image:image><image:loc>/1.png</image:loc></image:image>")),
          "http://h/ image=http://h/1.png\n");
    check(SET("", ENTRY("<image><loc>/1.png</loc></image>")), "http://h/ image=http://h/1.png\n");
    check(SET("xmlns:i='http://other/'", ENTRY("<i:image><i:loc>/1.png</i:loc></i:image>")), "http://h/\n");
}

Test(sitemap_extension, videos)
{
    check(SET(VIDEO, ENTRY("<video:video><video:thumbnail_loc>/t.jpg</video:thumbnail_loc><video:title>t"
                           "</video:title><video:content_loc>/v.mp4</video:content_loc><video:player_loc "
                           "allow_embed='yes'>/p?v=1&amp;a</video:player_loc></video:video>")),
          "http://h/ thumbnail=http://h/t.jpg video=http://h/v.mp4 player=http://h/p?v=1&a\n");
}

Test(sitemap_extension, news)
{
    crawl_sitemap_stats stats =
        check(SET(NEWS, ENTRY("<news:news><news:publication><news:name>The A</news:name><news:language>en"
                              "</news:language></news:publication><news:publication_date>1970-01-02"
                              "</news:publication_date><news:title>B &amp; C</news:title></news:news>")
                            ENTRY("<news:news><news:publication_date>26.11.2026</news:publication_date></news:news>")
                                ENTRY("")),
              "http://h/ news The A/en/B & C/1970-01-02/86400\n"
              "http://h/ news ///26.11.2026/-9223372036854775808\nhttp://h/\n");
    cr_expect(stats.news == 2 && stats.bad_dates == 1);
}

Test(sitemap_extension, dates_that_cannot_be_read_are_counted)
{
    crawl_sitemap_stats stats = check(SET("", ENTRY("<lastmod>26.11.2026</lastmod>") ENTRY("<lastmod>2026-11-26"
                                                                                           "</lastmod>") ENTRY("")),
                                      "http://h/\nhttp://h/\nhttp://h/\n");
    cr_expect_eq(stats.bad_dates, 1);
}

/* If the end of an entry is missing, nothing of it goes to the next one. */
Test(sitemap_extension, ends_that_are_missing)
{
    crawl_sitemap_stats stats =
        check("<urlset " IMAGE "><url><loc>/a</loc><image:image><image:loc>/1.png</url><url><loc>/b</loc>"
              "<image:image><image:loc>/2.png</image:loc></urlset>",
              "http://h/a image=http://h/1.png\nhttp://h/b image=http://h/2.png\n");
    cr_expect(stats.broken);
    check("<urlset><url><loc>/a</loc><image><loc>/1.png</loc></image><loc>/b</loc></url></urlset>",
          "http://h/a image=http://h/1.png\nhttp://h/b\n");
}

static void append(crawl_buf *text, const char *part, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        cr_assert_eq(crawl_buf_append_text(text, part), CRAWL_OK);
}

static reading read_images(unsigned count)
{
    crawl_buf text = {0};
    append(&text, "<urlset><url><loc>http://h/</loc>", 1);
    append(&text, "<image><loc>/i</loc></image>", count);
    append(&text, "</url></urlset>", 1);
    reading r = read_pieces(crawl_buf_slice(&text), 4096);
    crawl_buf_free(&text);
    crawl_buf_free(&r.seen);
    return r;
}

Test(sitemap_extension, more_images_than_are_read_elsewhere_are_told_and_counted)
{
    reading r = read_images(CRAWL_SITEMAP_MAX_IMAGES);
    cr_expect(r.stats.links == CRAWL_SITEMAP_MAX_IMAGES && r.stats.crowded == 0);
    r = read_images(CRAWL_SITEMAP_MAX_IMAGES + 1);
    cr_expect(r.stats.links == CRAWL_SITEMAP_MAX_IMAGES + 1 && r.stats.crowded == 1 && r.stats.skipped == 0);
    r = read_images(CRAWL_SITEMAP_MAX_LINKS + 5);
    cr_expect(r.stats.links == CRAWL_SITEMAP_MAX_LINKS && r.stats.skipped == 5);
}

Test(sitemap_extension, a_link_has_a_maximum)
{
    crawl_buf text = {0};
    append(&text, "<urlset><url><loc>http://h/</loc><image><loc>/", 1);
    append(&text, "x", CRAWL_SITEMAP_MAX_LOCATION);
    append(&text, "</loc></image><image><loc>/i</loc></image></url></urlset>", 1);
    reading r = read_pieces(crawl_buf_slice(&text), 100);
    cr_expect_str_eq(r.seen.data, "http://h/ image=http://h/i\n");
    cr_expect_eq(r.stats.skipped, 1);
    crawl_buf_free(&text);
    crawl_buf_free(&r.seen);
}
