/* Tests rules on pages: the values that they take, the messages for invalid rules, and that no page exhausts time or
 * memory. */
#include <crawl/extract.h>

#include <criterion/criterion.h>
#include <libxml/parser.h>

/* Makes rules from "key = value" lines of one section, each ended by a newline. */
static crawl_rules *rules_of(const char *lines)
{
    crawl_rules *rules = crawl_rules_create();
    while (*lines) {
        const char *equal = strstr(lines, " = ");
        const char *end = strchr(lines, '\n');
        crawl_error error = {0};
        crawl_err err = crawl_rules_add(rules, crawl_slice_from("s"), crawl_slice_of(lines, (size_t)(equal - lines)),
                                        crawl_slice_of(equal + 3, (size_t)(end - equal) - 3), &error);
        cr_assert_eq(err, CRAWL_OK, "%s", error.message);
        lines = end + 1;
    }
    return rules;
}

/* Runs the rules on a page at http://a.example/item/1 and puts the values into *json. Returns true if something was
 * left out. */
static bool run(const char *lines, crawl_slice html, crawl_buf *json)
{
    crawl_rules *rules = rules_of(lines);
    crawl_extraction *extraction = NULL;
    crawl_url *url = crawl_url_create();
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from("http://a.example/item/1"), NULL, NULL), CRAWL_OK);
    cr_assert_eq(crawl_extraction_create(rules, &extraction), CRAWL_OK);
    const crawl_extract_page page = {.size = sizeof page, .html = html, .url = crawl_url_href(url), .base = url};
    cr_assert_eq(crawl_extraction_run(extraction, &page), CRAWL_OK);
    crawl_slice found = crawl_extraction_json(extraction);
    crawl_buf_append(json, found.data, found.size);
    crawl_buf_append_text(json, crawl_extraction_is_missing(extraction, 0) ? " missing" : "");
    bool is_cut = crawl_extraction_is_cut(extraction);
    crawl_extraction_free(extraction);
    crawl_rules_free(rules);
    crawl_url_free(url);
    xmlCleanupParser();
    return is_cut;
}

static const struct row {
    const char *rules;
    const char *html;
    const char *json;
} rows[] = {
    {"field.a = p\n", "<p> one\n two ", "{\"s\":{\"a\":\"one two\"}}"},
    {"field.a = select\n", "<select><option>a<option>b</select>", "{\"s\":{\"a\":\"a b\"}}"},
    {"field.a = p\n", "<p>a<iframe><p>x</iframe><ruby>b<rt>c</rt></ruby>", "{\"s\":{\"a\":\"ab c\"}}"},
    {"field.a = p\n", "<p><ruby>b<rp>(</rp><rt>c</rt><rp>)</rp></ruby>", "{\"s\":{\"a\":\"b(c)\"}}"},
    {"field.a = p\n", "<p>10<sup>6</sup> H<sub>2</sub>O 1<sup>st</sup> 5<sub><b>-2</b></sub>0 <i>3</i><sup>4</sup>",
     "{\"s\":{\"a\":\"10 6 H2O 1st 5 -2 0 3 4\"}}"},
    {"field.a = p\n", "<p>$19<sup><!--[-->99<!--]--></sup> 10<sup><img></sup>6 <b>10<sup>6</sup></b>7",
     "{\"s\":{\"a\":\"$19 99 10 6 10 6 7\"}}"},
    {"field.a = p -> number\n", "<p>$19.<sup>99</sup>", "{\"s\":{\"a\":19.99}}"},
    {"field.a = p -> string\n", "<p> one\n two</p>", "{\"s\":{\"a\":\" one\\n two\"}}"},
    {"field.a = div\n", "<div>a<dialog open>b</dialog>c<br>d</BR >e</div>", "{\"s\":{\"a\":\"a b c d e\"}}"},
    {"field.a = p -> html\n", "<p class=x>\xc3\xa9 &amp; <br>b</p>c",
     "{\"s\":{\"a\":\"<p class=\\\"x\\\">\xc3\xa9 &amp; <br>b</p>\"}}"},
    {"field.a = a -> @HREF\n", "<a href=' x '>", "{\"s\":{\"a\":\"x\"}}"},
    {"field.a = a::attr(href)\n", "<a href=x>", "{\"s\":{\"a\":\"x\"}}"},
    {"field.a = p::text -> all\n", "<p>a<b>b</b>c</p>", "{\"s\":{\"a\":[\"a\",\"c\"]}}"},
    {"field.a = a -> url\n", "<a href='../x?\xc3\xa9#y'>", "{\"s\":{\"a\":\"http://a.example/x?%C3%A9#y\"}}"},
    {"field.a = img -> url\n", "<img src=x.png>", "{\"s\":{\"a\":\"http://a.example/item/x.png\"}}"},
    {"field.a = time -> date\n", "<time datetime=2024-05-06>x</time>", "{\"s\":{\"a\":\"2024-05-06\"}}"},
    {"field.a = time -> text date\n", "<time datetime=2024-05-06>7 May 2024</time>", "{\"s\":{\"a\":\"2024-05-07\"}}"},
    {"field.a = [itemprop=price] -> number\n", "<meta itemprop=price content='12.50'>", "{\"s\":{\"a\":12.50}}"},
    {"field.a = .p -> number\n", "<i class=p>free</i><i class=p>5 EUR</i>", "{\"s\":{\"a\":5}}"},
    {"field.a = p -> regex (\\d+) of\n", "<p>1 and 2 of 3", "{\"s\":{\"a\":\"2\"}}"},
    {"field.a = p -> all number regex \\d+\n", "<p>1 and 2<p>3", "{\"s\":{\"a\":[1,2,3]}}"},
    {"field.a = xpath: count(//p) -> number\n", "<p><p>", "{\"s\":{\"a\":2}}"},
    {"field.a = xpath: normalize-space(//title)\n", "<title> x  y</title>", "{\"s\":{\"a\":\"x y\"}}"},
    {"field.a = //p/@id -> all\n", "<p id=x><p id=y>", "{\"s\":{\"a\":[\"x\",\"y\"]}}"},
    {"field.a = [title=' -> '] -> @lang\n", "<p title=' -> ' lang=x>", "{\"s\":{\"a\":\"x\"}}"},
    {"field.a = h1 -> required\nfield.b = p\n", "<p>x", "{\"s\":{\"a\":null,\"b\":\"x\"}} missing"},
    {"field.a = h1 -> required\n", "<h1> </h1>", "{\"s\":{\"a\":null}} missing"},
    {"field.a = h1 -> required\n", "", " missing"},
    {"field.a = h1\n", "<p>x", ""},
    {"pages = ^http://a\\.example/item/\nfield.a = p\n", "<p>x", "{\"s\":{\"a\":\"x\"}}"},
    {"pages = /shop/\npages = \\.pdf$\nfield.a = p -> required\n", "<p>x", ""},
    {"field.g = li -> group\nfield.g.n = b\nfield.g.l = :scope > a -> url all\n",
     "<ul><li><b>1</b><a href=/x></a><i><a href=/y></a></i><li>none<li><b>2</b></ul>",
     "{\"s\":{\"g\":[{\"n\":\"1\",\"l\":[\"http://a.example/x\"]},{\"n\":\"2\",\"l\":[]}]}}"},
    {"field.g = li -> group required\nfield.g.n = b\n", "<b>x", "{\"s\":{\"g\":[]}} missing"},
    {"field.a = p\n", "<p>a<p>b\xff", "{\"s\":{\"a\":\"a\"}}"},
};

static void expect_rows(const struct row *row, size_t count)
{
    for (; count; row++, count--) {
        crawl_buf json = {0};
        run(row->rules, crawl_slice_from(row->html), &json);
        cr_expect_str_eq(json.data ? json.data : "", row->json, "%s%s", row->rules, row->html);
        crawl_buf_free(&json);
    }
}

Test(extract, takes_what_rules_say)
{
    expect_rows(rows, sizeof rows / sizeof *rows);
}

/* HTML standard: 13.2.6.4.9 and 13.2.6.4.13 for tables, 4.12.3 for <template>, 13.2.5 for text and references. */
Test(extract, reads_a_page_as_browsers_do)
{
    static const struct row standard[] = {
        {"field.a = #x > tbody > tr > td:nth-child(2)\n", "<table id=x><tr><td>A<td>B</table>",
         "{\"s\":{\"a\":\"B\"}}"},
        {"field.a = tbody > tr > td -> all\nfield.b = table > tr, table > td\nfield.c = tbody -> all\n",
         "<table><caption>0</caption><td>1<tr><!-- --><td>2</tr><thead><td>3</thead>\n<tr><td>4\n<tfoot><th>5</table>",
         "{\"s\":{\"a\":[\"1\",\"2\",\"4\"],\"b\":null,\"c\":[\"1 2\",\"4\"]}}"},
        {"field.a = tr tr > td\n", "<table><tr><td><table><tr><td>in</table></table>", "{\"s\":{\"a\":\"in\"}}"},
        {"field.a = .p -> all\n",
         "<template><p class=p>{{price}}<template><p class=p>in</template></p></template><p class=p>12.50</p>",
         "{\"s\":{\"a\":[\"12.50\"]}}"},
        {"field.a = p\n", "<div><template shadowrootmode=open><p>shown</p></template></div>",
         "{\"s\":{\"a\":\"shown\"}}"},
        {"field.a = h1 -> all\nfield.b = textarea\nfield.c = xmp\n",
         "<title><h1>0</h1></title><iframe src=x><h1>1</h1></iframe><noembed><h1>2</h1></noembed><xmp><h1>3&amp;</h1>"
         "</xmp><textarea><h1>4&amp;</h1></textarea><iframe/><h1>X</h1><plaintext><h1>5</h1></xmp>",
         "{\"s\":{\"a\":[\"X\"],\"b\":\"<h1>4&</h1>\",\"c\":\"<h1>3&amp;</h1>\"}}"},
        {"field.a = p\nfield.b = p -> @title\nfield.c = i -> @title\n",
         "<p title='&#146;&copy=&check;'>&#146;&copy=&check; &lt;b&gt; A&ampB &ampamp; 1 <2 a&b;</p><i title=a&#32;b>",
         "{\"s\":{\"a\":\"\u2019\u00a9=\u2713 <b> A&B &amp; 1 <2 a&b;\",\"b\":\"\u2019&copy=\u2713\",\"c\":\"a b\"}}"},
        {"field.a = script -> string\nfield.b = svg text\n",
         "<script>'a&amp;<b>'</script><svg><style>a&amp;</style><title>&gt;</title><text>&#128;</text></svg>",
         "{\"s\":{\"a\":\"'a&amp;<b>'\",\"b\":\"\u20ac\"}}"},
    };
    expect_rows(standard, sizeof standard / sizeof *standard);
    static const char nuls[] = "<p title='a\0b' \0lang=x>c\0d</p\0><iframe>\0<p></iframe><p>e";
    crawl_buf json = {0};
    run("field.a = p -> all\nfield.b = p -> @title\n", crawl_slice_of(nuls, sizeof nuls - 1), &json);
    cr_expect_str_eq(json.data, "{\"s\":{\"a\":[\"cd\",\"e\"],\"b\":\"a\uFFFDb\"}}");
    crawl_buf_free(&json);
}

static const char *const faults[][3] = {
    {"field.a", "h1 >", "column 5: the selector ends"},
    {"field.a", "//a[", "not XPath 1.0"},
    {"field.a", "//p[has-class('x')]", "column 5: XPath 1.0 has no function has-class()"},
    {"field.a", "//p[contains(lower-case (.), 'x')]", "no function lower-case()"},
    {"field.a", "//p[re:test(@class, 'x')]", "no namespace has the prefix re"},
    {"field.a", "//svg:svg", "no namespace has the prefix svg"},
    {"field.a", "//p[@class = $v]", "there are no variables"},
    {"field.a", "xpath:", "the selector is missing"},
    {"field.a", "h1 -> textual", "unknown word \"textual\""},
    {"field.a", "h1 -> text html", "\"html\": another word"},
    {"field.a", "h1 -> number date", "\"date\": another word"},
    {"field.a", "h1 -> regex", "the pattern after"},
    {"field.a", "h1 -> regex (", "the pattern \"(\": missing closing parenthesis"},
    {"field.a", "h1 -> group all", "a group takes no value"},
    {"field.a b", "h1", "a name has letters"},
    {"field.", "h1", "a name has letters"},
    {"field.a.", "h1", "a name has letters"},
    {"field.x.y", "h1", "there is no group \"x\" above"},
    {"field.old", "h1", "duplicate field"},
    {"field.g.h", "a -> group", "a group cannot contain groups"},
    {"page", "x", "unknown key \"page\""},
    {"pages", "[", "the pattern \"[\""},
};

Test(extract, says_what_is_wrong_with_a_rule)
{
    crawl_rules *rules = rules_of("field.old = p\nfield.g = li -> group\n");
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        crawl_error error = {0};
        crawl_rule rule;
        cr_expect_eq(crawl_rules_add(rules, crawl_slice_from("s"), crawl_slice_from(faults[i][0]),
                                     crawl_slice_from(faults[i][1]), &error),
                     CRAWL_EPARSE, "%s = %s", faults[i][0], faults[i][1]);
        cr_expect(strstr(error.message, faults[i][2]), "%s = %s: %s", faults[i][0], faults[i][1], error.message);
        cr_expect_not(crawl_rules_at(rules, 2, &rule));
    }
    crawl_rules_free(rules);
    xmlCleanupParser();
}

/* Returns text, repeated. */
static crawl_buf repeated(const char *text, size_t times)
{
    crawl_buf out = {0};
    for (size_t i = 0; i < times; i++)
        crawl_buf_append_text(&out, text);
    return out;
}

Test(extract, bounds_what_a_page_can_cost)
{
    static const struct {
        const char *rules;
        const char *piece;
        size_t times;
    } pages[] = {
        {"field.a = b\n", "<i>", 300000},                                 /* elements, and depth */
        {"field.a = b\n", "<i></i>", 300000},                             /* elements */
        {"field.a = p:nth-child(2n):nth-last-child(3n)\n", "<p>", 12000}, /* steps: each counts its siblings */
        {"field.a = p -> all string\n", "<p>0123456789012345678901234567890123456789", 40000}, /* bytes of JSON */
        {"field.a = b\n", "<h1></h2>", 800000}, /* open elements: an end tag seeks its own */
    };
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        crawl_buf html = repeated(pages[i].piece, pages[i].times);
        crawl_buf json = {0};
        bool is_cut = run(pages[i].rules, crawl_buf_slice(&html), &json);
        cr_expect(is_cut || i == 3, "%zu", i);
        cr_expect_leq(json.size, CRAWL_EXTRACT_MAX_BYTES + 1000);
        crawl_buf_free(&html);
        crawl_buf_free(&json);
    }
}

/* libxml2 would seek the end of each comment in an attribute of HTML. */
Test(extract, writes_comments_in_an_attribute)
{
    crawl_buf html = {0}, json = {0};
    crawl_buf openings = repeated("<!--", 1000000);
    crawl_buf_printf(&html, "<p title=\"%s\">x</p><b title='<!-- \xc3\xa9 -->'>y</b>", openings.data);
    run("field.a = p -> html regex (x)<\nfield.b = b -> html\n", crawl_buf_slice(&html), &json);
    cr_expect_str_eq(json.data, "{\"s\":{\"a\":\"x\",\"b\":\"<b title=\\\"&lt;!-- \xc3\xa9 --&gt;\\\">y</b>\"}}");
    crawl_buf_free(&html);
    crawl_buf_free(&json);
    crawl_buf_free(&openings);
}

/* Returns a tag with this many attributes, between two texts. */
static crawl_buf tag_with(size_t attributes)
{
    crawl_buf out = {0};
    crawl_buf_append_text(&out, "<p>before</p><a");
    for (size_t i = 0; i < attributes; i++)
        crawl_buf_printf(&out, " a%zu=\xc3\xa4", i);
    crawl_buf_append_text(&out, ">x</a><h1>behind</h1>");
    return out;
}

Test(extract, ends_a_page_at_a_tag_with_too_many_attributes)
{
    static const struct {
        size_t attributes;
        bool is_cut;
        const char *json;
    } pages[] = {
        {CRAWL_TREE_MAX_ATTRIBUTES, false, "{\"s\":{\"a\":\"before\",\"b\":\"behind\"}}"},
        {100000, true, "{\"s\":{\"a\":\"before\",\"b\":null}}"},
    };
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        crawl_buf html = tag_with(pages[i].attributes);
        crawl_buf json = {0};
        cr_expect_eq(run("field.a = p\nfield.b = h1\n", crawl_buf_slice(&html), &json), pages[i].is_cut);
        cr_expect_str_eq(json.data, pages[i].json);
        crawl_buf_free(&html);
        crawl_buf_free(&json);
    }
}

Test(extract, keeps_the_text_of_what_is_too_deep)
{
    crawl_buf html = repeated("<div>", 1000);
    crawl_buf json = {0};
    crawl_buf_append_text(&html, "<b>deep</b></div>x");
    cr_expect(run("field.a = body\n", crawl_buf_slice(&html), &json));
    cr_expect_str_eq(json.data, "{\"s\":{\"a\":\"deepx\"}}");
    crawl_buf_free(&html);
    crawl_buf_free(&json);
}
