/* parse/page/page_text.c: the text of links and of pages, found by both extractors. */
#include <crawl/links.h>

#include <criterion/criterion.h>
#include <stdlib.h>

typedef struct row {
    const char *html;
    const char *links; /* their texts, each ended by "|" */
    const char *text;  /* of the page */
} row;

static const crawl_extractor extractors[] = {CRAWL_EXTRACTOR_SCAN, CRAWL_EXTRACTOR_LIBXML2};

static void parse(crawl_page *page, const char *html, size_t size)
{
    cr_assert_eq(crawl_page_parse(page, crawl_slice_of(html, size), NULL, "utf-8"), CRAWL_OK);
}

static void join(const crawl_page *page, crawl_buf *out)
{
    size_t count;
    const crawl_link *links = crawl_page_links(page, &count);
    crawl_buf_clear(out);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(crawl_buf_printf(out, "%.*s|", (int)links[i].text.size, links[i].text.data), CRAWL_OK);
}

static void expect_rows(const row *rows, size_t count)
{
    crawl_page *page = crawl_page_create();
    crawl_buf got = {0};
    cr_assert(page);
    crawl_page_set_text(page, CRAWL_TEXT_LINKS | CRAWL_TEXT_PAGE);
    for (size_t i = 0; i < 2 * count; i++) {
        const row *r = &rows[i / 2];
        crawl_page_set_extractor(page, extractors[i % 2]);
        parse(page, r->html, strlen(r->html));
        join(page, &got);
        const char *by = i % 2 ? "libxml2" : "scan";
        cr_expect_str_eq(got.data ? got.data : "", r->links, "%s: %s: \"%s\"", by, r->html, got.data);
        crawl_slice text = crawl_page_text(page);
        cr_expect(crawl_slice_equal(text, crawl_slice_from(r->text)), "%s: %s: \"%.*s\"", by, r->html, (int)text.size,
                  text.data);
    }
    crawl_buf_free(&got);
    crawl_page_free(page);
}

#define EXPECT_ROWS(rows) expect_rows(rows, sizeof(rows) / sizeof(rows)[0])

Test(page_text, links_and_page)
{
    static const row rows[] = {
        {"<a href=x>one</a>", "one|", "one"},
        {"<p>before <a href=x> one\n\t two </a>after", "one two|", "before one two after"},
        {"<a href=x>o<b>n</b>e</a>", "one|", "one"},
        {"<a href=x>o<br>n<div>e</div></a>", "o n e|", "o n e"},
        {"<td>1</td><td>2</td>", "", "1 2"},
        {"<a href=x>&lt;caf&eacute; &amp; &#x20ac;&gt;</a>", "<café & €>|", "<café & €>"},
        {"a < b <a href=x>1 < 2</a> > c", "1 < 2|", "a < b 1 < 2 > c"},
        {"<a href=x>o<!-- no -->ne<?no?></a><!-- no <a href=no>no</a> -->", "one|", "one"},
        {"<a href=x>x<script>no</script><style>no</style><textarea>no</textarea></a>", "x|", "x"},
        {"<title>no</title>yes", "", "yes"},
        {"<a href=x>one<a href=y>two</a>three", "one|two|", "onetwothree"},
        {"<a href=x>one", "one|", "one"},
        {"<a name=x>no</a><a href=y>yes</a>", "yes|", "noyes"},
        {"<a href=x></a><a href=y> </a><a href=z>z</a>", "||z|", "z"},
        {"<a href=x>one</a> not <a>not</a>", "one|", "one not not"},
        {"<a href=''>self</a>", "self|", "self"},
        {"\xc3", "", "\xef\xbf\xbd"},
        {"", "", ""},
        {"<", "", "<"},
        {"</", "", "</"},
        {"x</>y<a", "", "xy"},
        {"<svg><a href=x><text>in</text></a></svg>", "in|", "in"},
    };
    EXPECT_ROWS(rows);
}

Test(page_text, images)
{
    static const row rows[] = {
        {"<a href=x><img alt='a  picture'></a>", "a picture|", ""},
        {"<a href=x><img src=i alt='a &quot;picture&quot;'></a>", "a \"picture\"|a \"picture\"|", ""},
        {"<a href=x><img alt=one><img alt=two></a>", "one two|", ""},
        {"<a href=x>text <img alt=no></a>", "text|", "text"},
        {"<img src=i alt=' i '>", "i|", ""},
        {"<img src=i srcset='j 2x' alt=ij>", "ij|ij|", ""},
        {"<map><area href=x alt=north></map>", "north|", ""},
        {"<input type=image src=i alt=go>", "go|", ""},
        {"<img alt=no><a href=x>yes</a>", "yes|", "yes"},
    };
    EXPECT_ROWS(rows);
}

Test(page_text, is_gathered_only_when_asked_for)
{
    static const char html[] = "<a href=x>one</a><img src=i alt=two>";
    crawl_page *page = crawl_page_create();
    for (size_t i = 0; i < 2; i++) {
        crawl_page_set_extractor(page, extractors[i]);
        crawl_buf got = {0};
        crawl_page_set_text(page, CRAWL_TEXT_PAGE);
        parse(page, html, sizeof html - 1);
        join(page, &got);
        cr_expect_str_eq(got.data, "||");
        cr_expect_eq(crawl_page_text(page).size, 3);
        crawl_page_set_text(page, CRAWL_TEXT_LINKS);
        parse(page, html, sizeof html - 1);
        join(page, &got);
        cr_expect_str_eq(got.data, "one|two|");
        cr_expect_eq(crawl_page_text(page).size, 0);
        crawl_page_set_text(page, 0);
        parse(page, html, sizeof html - 1);
        join(page, &got);
        cr_expect_str_eq(got.data, "||");
        crawl_buf_free(&got);
    }
    crawl_page_free(page);
}

/* Makes an <a> with a text n times. */
static void repeat(crawl_buf *html, const char *head, const char *text, size_t n)
{
    crawl_buf_clear(html);
    cr_assert_eq(crawl_buf_append_text(html, head), CRAWL_OK);
    for (size_t i = 0; i < n; i++)
        cr_assert_eq(crawl_buf_append_text(html, text), CRAWL_OK);
}

Test(page_text, of_the_page_before_is_gone)
{
    crawl_page *page = crawl_page_create();
    cr_assert(page);
    crawl_page_set_text(page, CRAWL_TEXT_PAGE);
    parse(page, "before", 6);
    cr_expect_eq(crawl_page_text(page).size, 6);
    crawl_page_set_text(page, 0);
    parse(page, "after", 5);
    cr_expect_eq(crawl_page_text(page).size, 0);
    crawl_page_free(page);
}

Test(page_text, is_cut_at_a_character)
{
    static const struct {
        const char *head;
        const char *text;
        size_t size; /* kept of a link */
    } rows[] = {
        {"<a href=x>", "x", 256},
        {"<a href=x>", "\xc3\xa9", 256},
        {"<a href=x>-", "\xc3\xa9", 255},
        {"<a href=x>", "\xe2\x82\xac", 255},
        {"<a href=x>", "&euro;", 255},
        {"<a href=x>", "\xf0\x9f\x98\x80", 256},
        {"<a href=x>-", "\xf0\x9f\x98\x80", 253},
    };
    crawl_page *page = crawl_page_create();
    crawl_buf html = {0};
    crawl_page_set_text(page, CRAWL_TEXT_LINKS | CRAWL_TEXT_PAGE);
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        crawl_page_set_extractor(page, extractors[i % 2]);
        repeat(&html, rows[i / 2].head, rows[i / 2].text, 600000);
        parse(page, html.data, html.size);
        size_t count;
        const crawl_link *links = crawl_page_links(page, &count);
        cr_assert_eq(count, 1);
        cr_expect_eq(links[0].text.size, rows[i / 2].size, "%s%s: %zu", rows[i / 2].head, rows[i / 2].text,
                     links[0].text.size);
        cr_expect_leq(crawl_page_text(page).size, CRAWL_PAGE_MAX_TEXT);
        cr_expect_eq(crawl_page_text(page).data[0], links[0].text.data[0]);
    }
    crawl_buf_free(&html);
    crawl_page_free(page);
}

/* A name may contain NUL, which does not end it in the table of names. */
Test(page_text, of_names_with_nul)
{
    static const char html[] = "1<wbr\0 >2<u\0u\0u\0u\0u\0u\0u\0u\0u\0u\0u\0u\0u\0u\0u\0u\0u\0u\0u\0u\0>3<u>4<wbr>5";
    crawl_page *page = crawl_page_create();
    crawl_page_set_text(page, CRAWL_TEXT_PAGE);
    parse(page, html, sizeof html - 1);
    cr_expect(crawl_slice_equal(crawl_page_text(page), crawl_slice_from("1 2 345")));
    crawl_page_free(page);
}

/* Links that are left out have no text to give to others. */
Test(page_text, of_links_left_out)
{
    crawl_page *page = crawl_page_create();
    crawl_buf html = {0};
    crawl_page_set_text(page, CRAWL_TEXT_LINKS);
    for (size_t i = 0; i < 2; i++) {
        crawl_page_set_extractor(page, extractors[i]);
        repeat(&html, "<a href=x></a><a href=", "long", CRAWL_PAGE_MAX_HREF / 4 + 1);
        cr_assert_eq(crawl_buf_append_text(&html, ">no</a><a href=y>yes</a>"), CRAWL_OK);
        parse(page, html.data, html.size);
        crawl_buf got = {0};
        join(page, &got);
        cr_expect_str_eq(got.data, "|yes|");
        crawl_buf_free(&got);
    }
    crawl_buf_free(&html);
    crawl_page_free(page);
}

Test(page_text, of_a_document_inside)
{
    static const char html[] = "<a href=x>Map <iframe srcdoc='<a href=y>no</a>'></iframe>of x</a>";
    crawl_page *page = crawl_page_create();
    crawl_buf got = {0};
    crawl_page_set_text(page, CRAWL_TEXT_LINKS);
    crawl_page_set_kinds(page, CRAWL_LINK_EVERY);
    parse(page, html, sizeof html - 1);
    join(page, &got);
    cr_expect_str_eq(got.data, "Map of x||");
    crawl_buf_free(&got);
    crawl_page_free(page);
}
