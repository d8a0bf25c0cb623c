/* llms.txt (llmstxt.org): links that are entries, links that are not, and broken ones. */
#include "tests/unit/parse/url_help.h"

#include <crawl/sitemap.h>

typedef struct reading {
    crawl_buf seen; /* "URL\n", with " optional" */
    crawl_sitemap_stats stats;
    crawl_err err;
} reading;

static crawl_err keep(void *user, const crawl_sitemap_entry *entry)
{
    reading *r = user;
    crawl_slice url = crawl_url_href(entry->url);
    cr_expect(entry->priority == 0.5 || entry->priority == 0);
    return crawl_buf_printf(&r->seen, "%.*s%s\n", (int)url.size, url.data, entry->priority == 0 ? " optional" : "");
}

static reading read_pieces(crawl_slice text, size_t piece)
{
    reading r = {0};
    crawl_sitemap *sitemap;
    crawl_url *url = parsed("http://h/d/llms.txt");
    const crawl_sitemap_options options = {
        .size = sizeof options, .url = url, .on_entry = keep, .user = &r, .is_llms = true};
    cr_assert_eq(crawl_sitemap_create(&options, &sitemap), CRAWL_OK);
    crawl_url_free(url);
    for (; text.size && !r.err; text = crawl_slice_of(text.data + piece, text.size - piece)) {
        piece = text.size < piece ? text.size : piece;
        r.err = crawl_sitemap_feed(sitemap, crawl_slice_of(text.data, piece));
    }
    r.err = crawl_sitemap_end(sitemap);
    crawl_sitemap_stats_get(sitemap, &r.stats);
    crawl_sitemap_free(sitemap);
    return r;
}

/* Reads it whole and in the smallest pieces. */
static void check(const char *text, const char *expected, bool is_broken)
{
    static const size_t pieces[] = {SIZE_MAX, 1, 7};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        reading r = read_pieces(crawl_slice_from(text), pieces[i]);
        cr_expect_str_eq(r.seen.data ? r.seen.data : "", expected, "%s", text);
        cr_expect_eq(r.err, CRAWL_OK, "%s", text);
        cr_expect_eq(r.stats.type, CRAWL_SITEMAP_LLMS, "%s", text);
        cr_expect_eq(r.stats.broken, is_broken, "%s", text);
        crawl_buf_free(&r.seen);
    }
}

static void check_none(const char *text)
{
    reading r = read_pieces(crawl_slice_from(text), 3);
    cr_expect_eq(r.err, CRAWL_EPARSE, "%s", text);
    cr_expect(r.stats.none && !r.seen.size, "%s", text);
    crawl_buf_free(&r.seen);
}

Test(llms, links_of_sections)
{
    check("# T", "", false);
    check("\xef\xbb\xbf# T\r\n", "", false);
    check("# T\n## Docs\n- [A](/a.md): x\n", "http://h/a.md\n", false);
    check("# T\n## Docs\n* [A](a.md)", "http://h/d/a.md\n", false);
    check("# T\n## Docs\n- [A](a)\n## Optional\n- [B](b)\n## More\n- [C](c)\n",
          "http://h/d/a\nhttp://h/d/b optional\nhttp://h/d/c\n", false);
    check("# T\n## Docs\n- [A](a)\n### Deep\n+ [B](b)\n  1. [C](c)\n2) [D](d)\n",
          "http://h/d/a\nhttp://h/d/b\nhttp://h/d/c\nhttp://h/d/d\n", false);
}

Test(llms, what_is_no_link)
{
    check("# T\n## Docs\n- A https://h/a\n", "", false);
    check("# T\n- [A](a)\n## Docs\n[B](b)\n", "", false);
    check("# T\n## Docs\n```\n- [A](a)\n## X\n```\n- [B](b)\n", "http://h/d/b\n", false);
    check("# T\n## Docs\n```npm install x```\n- [A](a)\n", "http://h/d/a\n", false);
    check("# T\n## Docs\n```\n~~~\n- [A](a)\n```\n- [B](b)\n", "http://h/d/b\n", false);
    check("# T\n## Docs\n~~~ `x`\n```\n- [A](a)\n~~~\n- [B](b)\n", "http://h/d/b\n", false);
    check("# T\n## Docs\n````\n```\n- [A](a)\n````\n- [B](b)\n", "http://h/d/b\n", false);
    check("# T\n## Docs\n```\n```sh\n- [A](a)\n```\n- [B](b)\n", "http://h/d/b\n", false);
    check("# T\n## Docs\n- [A][b]\n- [A](b\n- ![A](b)\n-[A](b)\n- \\[A](b)\n- [A]()\n", "", false);
    check("# T\n## Docs\n- [A](mailto:a@h)\n- [B](//x/b)\n", "http://x/b\n", false);
}

Test(llms, forms_of_a_link)
{
    check("# T\n## D\n- [A](u \"t\")\n", "http://h/d/u\n", false);
    check("# T\n## D\n- [A](<u v> 't')\n", "http://h/d/u%20v\n", false);
    check("# T\n## D\n- [A](u_(v)): n (x)\n", "http://h/d/u_(v)\n", false);
    check("# T\n## D\n- [A [b] c](u\\_v)\n", "http://h/d/u_v\n", false);
    check("# T\n## D\n- **[A](u)**, see [B](v)\n", "http://h/d/u\n", false);
    check("# T\n## D\n- [![i](i.png) A](u)\n- [ [A](v)\n", "http://h/d/u\nhttp://h/d/v\n", false);
}

Test(llms, what_is_broken_or_none)
{
    check("## Docs\n- [A](a)\n", "http://h/d/a\n", true);
    check("# T\n# U\n## Docs\n- [A](a)\n", "http://h/d/a\n", true);
    check_none("<!doctype html><title>Not here</title>\n# T\n## D\n- [A](a)\n");
    check_none(" \n<html># T");
    check_none("Not found\n");
    check_none("");
}

Test(llms, a_maximum)
{
    crawl_buf text = {0};
    cr_assert_eq(crawl_buf_append_text(&text, "# T\n## D\n"), CRAWL_OK);
    while (text.size <= CRAWL_LLMS_MAX_BYTES)
        cr_assert_eq(crawl_buf_append_text(&text, "- [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n"), CRAWL_OK);
    reading r = read_pieces(crawl_buf_slice(&text), SIZE_MAX);
    cr_expect_eq(r.err, CRAWL_FULL);
    cr_expect(r.stats.full && !r.stats.none);
    crawl_buf_free(&text);
}
