#include "tests/unit/parse/text/one_maker.h"

#include <stdio.h>

TestSuite(text, .init = setup, .fini = teardown);

static const char *make(const char *html)
{
    return make_of(crawl_slice_from(html));
}

static const char *plain(const char *html)
{
    options.form = CRAWL_TEXT_FORM_PLAIN;
    return make(html);
}

/* --- form --- */

Test(text, markdown_of_each_element)
{
    static const struct {
        const char *html;
        const char *markdown;
    } rows[] = {
        {"<h1>A <b>b</b></h1><h2>C</h2><p>d", "# A b\n\n## C\n\nd\n"},
        {"<h2>a</h3><p>b<h4>c<div></h1>d", "## a\n\nb\n\n#### c\n\nd\n"},
        {"<p>a <b> b </b>c<i>d</i> <s>e</s>", "a **b** c*d* ~~e~~\n"},
        {"<p><b><i>x</i></b>z", "***x***z\n"},
        {"<p><code>a*b</code> <tt>`</tt>", "`a*b` `` ` ``\n"},
        {"<p>a<br>b", "a\\\nb\n"},
        {"<p>a<br>b<br> <br><br>c<b>d<br><br>e</b>", "a\\\nb\n\nc**d**\n\n**e**\n"},
        {"<h2>a<br><br>b</h2><ul><li>c<br><br>d</ul>e<br><br>", "## a b\n\n- c\n\n  d\n\ne\n"},
        {"<p><a href=x>t</a> <a href='y(z)'>u</a> <a href=#f>v</a> <a href=javascript:x>w</a>",
         "[t](http://h.example/d/x) [u](<http://h.example/d/y(z)>) v w\n"},
        {"<p><a href=/>a <img alt=i src=j></a><img alt='k]' src=l>",
         "[a i](http://h.example/)![k\\]](http://h.example/d/l)\n"},
        {"<a href=x><p>a<p>b</a>c", "[a](http://h.example/d/x)\n\n[b](http://h.example/d/x)c\n"},
        {"<ul><li>a<li>b<ul><li>c</ul><li><p>d<p>e</ul>f", "- a\n- b\n  - c\n- d\n\n  e\n\nf\n"},
        {"<ol start=9><li>a<li>b<p>c</ol>", "9. a\n10. b\n\n    c\n"},
        {"<ul><li><ul><li>a</ul></ul>", "- - a\n"},
        {"<dl><dt>a<dt>b<dd>c<dd>d</dl>", "a\n\nb\n: c\n: d\n"},
        {"<blockquote>a<ul><li>b</ul></blockquote>c", "> a\n>\n> - b\n\nc\n"},
        {"a<pre class=language-c>\nint x;\n  y\n\n</pre>b", "a\n\n```c\nint x;\n  y\n```\n\nb\n"},
        {"<pre>\r\na\rb\r\nc</pre>", "```\na\nb\nc\n```\n"},
        {"<pre><code class=lang-sh>a</code></pre>", "```sh\na\n```\n"},
        {"<div class=highlight-python3><pre>```</pre></div>", "````python3\n```\n````\n"},
        {"<pre class=lang-c><code>\n<div>a</div>\n<div><br></div><div>\n</div><div>b</div>c</pre>",
         "```c\na\n\n\nb\nc\n```\n"},
        {"<pre><ol><li>a<li><div>b</div></ol></pre>c", "```\na\nb\n```\n\nc\n"},
        {"<pre>a<h2>b</h2><div class=linenos>1</div>c</pre>", "```\na\n```\n\n```\nb\n```\n\n```\nc\n```\n"},
        {"a<hr>b", "a\n\n---\n\nb\n"},
        {"<table><tr><th>a<th>b|c<tr><td>1<td><p>2<p>3<tr><td>4</table>",
         "| a | b\\|c |\n|---|---|\n| 1 | 2<br>3 |\n| 4 |  |\n"},
        {"<table><tr><td>a<td>b<tr><td colspan=2>c</table>", "|  |  |\n|---|---|\n| a | b |\n| c |  |\n"},
        {"<table><tr><td>a<td><ul><li>b</ul><tr><td>c<td>d</table>", "a\n\n- b\n\nc\n\nd\n"},
        {"<h2>t<a class=headerlink href=#t>\xc2\xb6</a></h2>x", "## t\n\nx\n"},
        {"<p>a&nbsp;&nbsp;b&shy;c\xe2\x80\x8b"
         "d &lt;e&gt;",
         "a bcd \\<e>\n"},
        {"<meta charset=utf-8><p>a\x1b\xc2\x9b"
         "31m\xc2\x85"
         "b<pre>c\x1b\xc2\x9b"
         "1m</pre><p><code>d\x1b\xc2\x9b"
         "2m</code>",
         "a31mb\n\n```\nc1m\n```\n\n`d2m`\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(make(rows[i].html), rows[i].markdown, "%s", rows[i].html);
}

Test(text, an_image_that_scripts_load_has_its_url)
{
    static const struct {
        const char *html;
        const char *url;
    } rows[] = {
        {"<img src=/blank.gif data-lazy-src=/e.jpg alt=A>", "/e.jpg"},
        {"<img data-src=/c?a&amp;b alt=A>", "/c?a&b"},
        {"<img src='data:image/gif;base64,R0' DATA-SRC=/d.jpg alt=A>", "/d.jpg"},
        {"<img srcset='/b.jpg 1x, /b2.jpg 2x' alt=A>", "/b.jpg"},
        {"<img src='' srcset=/b.jpg alt=A>", "/b.jpg"},
        {"<img src='data:image/gif;base64,R0' data-srcset='/b.jpg 1x, /b2.jpg 2x' alt=A>", "/b.jpg"},
        {"<img src=/a.jpg srcset='/b.jpg 1x, /b2.jpg 2x' alt=A>", "/a.jpg"},
        {"<img src=/a.jpg data-lazy=true data-image={{x.y}} data-bg='url(/b)' data-foo=/c alt=A>", "/a.jpg"},
        {"<img src=/a.jpg data-src=data:image/gif;base64,R0 data-original=/o.jpg alt=A>", "/o.jpg"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "![A](http://h.example%s)\n", rows[i].url);
        cr_expect_str_eq(make(rows[i].html), wanted, "%s", rows[i].html);
    }
}

Test(text, what_would_be_taken_for_markup_is_escaped_and_nothing_else)
{
    cr_expect_str_eq(make("<p># a<p>1. b<p>- c<p>> d<p>+ e<p>2) f"),
                     "\\# a\n\n1\\. b\n\n\\- c\n\n\\> d\n\n\\+ e\n\n2\\) f\n");
    cr_expect_str_eq(make("<p>*a* 2 * 3 a_b _c_ [d](e) [f] `g` &amp;amp; a~b ~~h~~ \\x"),
                     "\\*a\\* 2 * 3 a_b \\_c_ [d\\](e) [f] \\`g\\` \\&amp; a\\~b \\~\\~h\\~\\~ \\\\x\n");
    cr_expect_str_eq(make("<p>#a 1.5 -x <h1>1. b</h1>c"), "#a 1.5 -x\n\n# 1. b\n\nc\n");
    cr_expect_str_eq(make("<p>-&nbsp;a<p>#&shy; b<p>+&#x200b; c<p>1.&nbsp;d<p>&lt;&shy;b>"),
                     "\\- a\n\n\\# b\n\n\\+ c\n\n1\\. d\n\n\\<b>\n");
    cr_expect_str_eq(make("<img alt=^a src=b> <a href=b>^c</a> [^d]"),
                     "![\\^a](http://h.example/d/b) [\\^c](http://h.example/d/b) [^d]\n");
}

Test(text, a_mark_stands_where_a_reader_takes_it_for_one)
{
    static const struct {
        const char *html;
        const char *markdown;
    } rows[] = {
        {"<p><b>a<i>b</i></b><i>c</i>", "ab*c*\n"},
        {"<p><code>a</code><code>b</code>", "`ab`\n"},
        {"<p><em><code>a*</code></em>b", "`a*`b\n"},
        {"<p><b>1.1)<b>- &gt;</b></b>", "**1.1)- >**\n"},
        {"<p>&amp;<i><em>(h<u>+</u></em><b>(1)+1)</b></i>", "&*(h+**(1)+1)***\n"},
        {"<p>x<s>!a</s>y<s>b</s>", "x!~~a~~y~~b~~\n"},
        {"<p><i>\xe5\xbc\xba\xe3\x80\x82</i>\xe4\xb8\xad", "*\xe5\xbc\xba*\xe3\x80\x82\xe4\xb8\xad\n"},
        {"<p><b>\xe2\x82\xac</b>5", "\xe2\x82\xac"
                                    "5\n"},
        {"<p>!<i><s><a href=x>(b</a></s></i>", "\\!*~~[(b](http://h.example/d/x)~~*\n"},
        {"<p><code>a<br>- b</code>", "`a`\\\n`- b`\n"},
        {"<p>a<b><a href=#x>#</a>b</b>", "a**b**\n"},
        {"<p>a<s><i>_</i>b", "a\\_~~b~~\n"},
        {"<p>a<i>* * b</i>", "a\\* *\\* b*\n"},
        {"<p>a<i><s>*<code>[</s>`</code></i>", "a\\*`` [` ``\n"},
        {"<p><b><code>a!</code></b><a href=x>b</a>", "**`a!`**[b](http://h.example/d/x)\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(make(rows[i].html), rows[i].markdown, "%s", rows[i].html);
}

Test(text, blocks_in_details_and_lists_stay_blocks)
{
    cr_expect_str_eq(make("<dl><dt>a<dd><pre>x</pre></dl>b"), "a\n\n```\nx\n```\n\nb\n");
    cr_expect_str_eq(make("<dl><dd><dl><dd><p>x<p>y</dl></dl>"), ": : x\n\ny\n");
    cr_expect_str_eq(make("<dl><dt>a<dd>x<dd><ol><li>z</ol></dl>"), "a\n: x\n1. z\n");
    cr_expect_str_eq(make("x<ul><li><hr>a</ul>"), "x\n\n- ***\n\n  a\n");
    cr_expect_str_eq(make("<blockquote><ul><li>a</ul></blockquote><ol start=0><li>b</ol>"), "> - a\n\n0. b\n");
    cr_expect_str_eq(make("<blockquote>a</blockquote><dl><dd>b</dl>"), "> a\n\n: b\n");
    cr_expect_str_eq(make("<ul><li>a<ol start=3><li>b<li>c</ol></ul>"), "- a\n\n  3. b\n  4. c\n");
    cr_expect_str_eq(make("<ul><li><dl><dd>a</dl><ol start=3><li><ol><li>b</ol></ol></ul>"), "- : a\n\n  3. 1. b\n");
    cr_expect_str_eq(make("<dl><dd>a<ol start=3><li>b</ol></dl>"), ": a\n\n3. b\n");
}

Test(text, a_minus_is_raised_with_its_digits)
{
    cr_expect_str_eq(make("<p>10<sup>\xe2\x88\x92"
                          "3</sup>"),
                     "10\xe2\x81\xbb\xc2\xb3\n");
    cr_expect_str_eq(make("<meta charset=utf-8><p>10<sup>\xe2\x80\x93"
                          "3</sup>"),
                     "10\xe2\x81\xbb\xc2\xb3\n");
}

Test(text, items_have_their_ordinal_values)
{
    cr_expect_str_eq(make("<ol reversed start=0><li>a<li><p>b<p>c</ol>"), "0. a\n- -1. b\n\n  c\n");
    cr_expect_str_eq(plain("<ol><li value=' +7'>a<li hidden>b<li value=-2>c<li>d</ol>"), "7. a\n-2. c\n-1. d\n");
    cr_expect_str_eq(plain("<ol reversed><li>a<li value=10>b<li hidden>c<li>d</ol>"), "3. a\n10. b\n9. d\n");
    cr_expect_str_eq(plain("<ol start=2147483647><li>a</ol><ol start=2147483648><li>b</ol>"), "2147483647. a\n1. b\n");
    cr_expect_str_eq(plain("<ol reversed><li>a<li>b"), "2. a\n1. b\n");
    cr_expect_str_eq(plain("<ol><li>a<template><li>b</template><li>c</ol>"), "1. a\n2. c\n");
}

Test(text, end_tags_count_as_in_browsers)
{
    cr_expect_str_eq(make("<p>a</br>b<p>c<ul><li>d</ul>e</p>f"), "a\\\nb\n\nc\n\n- d\n\ne\n\nf\n");
    cr_expect_str_eq(make("<div><template></div>a</template>b</div>"), "b\n");
    cr_expect_str_eq(make("<table><template><tr><td>a</template><tr><td>b</table>c"), "b\n\nc\n");
    cr_expect_str_eq(make("<svg><template></svg>a</template>b"), "ab\n");
    cr_expect_str_eq(make("<h2>a</p>b</h2><dl><dt>c</p>d</dl><details><summary>e</p>f</summary>g</details>"),
                     "## a b\n\nc\\\nd\n\ne\\\nf\n\ng\n");
    options.document = CRAWL_DOCUMENT_XHTML;
    cr_expect_str_eq(make("<p>a<br></br>b</p>"), "a\\\nb\n");
}

Test(text, a_reading_ends_with_its_ruby)
{
    cr_expect_str_eq(make("<ruby>a<rt>b</ruby>c <ruby>d<rp>(<rt>e<rp>)</ruby>f <ruby>g<rt>h</rt>i</ruby>j"),
                     "a b c d(e)f g h ij\n");
}

Test(text, what_is_not_rendered_takes_no_place)
{
    cr_expect_str_eq(
        plain("<ol><li aria-hidden=true>a<li style='visibility:hidden'>b<li style='display:none'>c<li>d</ol>"),
        "3. d\n");
    cr_expect_str_eq(plain("<table><tr><th>a<th hidden>b<th>c<tr style='display:none'><td rowspan=2>d"
                           "<tr><td>e<td hidden>f<td>g<tr><td aria-hidden=true>h<td>i</table>"),
                     "a\tc\ne\tg\n\ti\n");
}

Test(text, cells_stand_in_their_rows_and_columns)
{
    cr_expect_str_eq(plain("<table><td>a<td>b<tr><td>c<td>d</tr><td>e<td>f</table>"), "a\tb\nc\td\ne\tf\n");
    cr_expect_str_eq(plain("<table><tr><td>a<td>b<td rowspan=3>c<tr><td>d<td colspan=2>e<tr><td>f<td>g<td>h</table>"),
                     "a\tb\tc\t\nd\te\t\t\nf\tg\t\th\n");
    cr_expect_str_eq(plain("<table role=none><tr><td>a<td>b<tr><td>c<td>d</table>"), "a\n\nb\n\nc\n\nd\n");
}

Test(text, tables_in_items_and_quotations_are_tables)
{
#define TABLE "<table><tr><th>a<th>b<tr><td rowspan=2>c<td>d<tr><td>e</table>"
    cr_expect_str_eq(make("<ul><li>x" TABLE "</ul>"), "- x\n\n  | a | b |\n  |---|---|\n  | c | d |\n  |  | e |\n");
    cr_expect_str_eq(make("<blockquote>" TABLE "</blockquote>"), "> | a | b |\n> |---|---|\n> | c | d |\n> |  | e |\n");
    cr_expect_str_eq(make("<dl><dt>x<dd><table><tr><th>a<th>b<tr><td>c<td>d</table></dl>"),
                     "x\n\n| a | b |\n|---|---|\n| c | d |\n");
    cr_expect_str_eq(plain("<dl><dt>x<dd>" TABLE "</dl>"), "x\n: a\tb\n  c\td\n  \te\n");
    cr_expect_str_eq(make("<ul><li><table><tr><td>a<td>b<tr><td>c<td><ul><li>d</ul></table></ul>"),
                     "- a\n\n  b\n\n  c\n  - d\n");
}

Test(text, a_cell_reaches_into_no_other_group_of_rows)
{
    cr_expect_str_eq(make("<table><thead><tr><th rowspan=3>a<th>b<tbody><tr><td>c<td>d</table>"),
                     "| a | b |\n|---|---|\n| c | d |\n");
}

Test(text, markup_of_two_elements_is_escaped)
{
    cr_expect_str_eq(make("<p>[a]<span>(b)</span> &am<span>p;</span> c\\ <br>:-<br>|-|"),
                     "[a]\\(b) &amp\\; c\\\\\\\n\\:-\\\n\\|-|\n");
    cr_expect_str_eq(make("<p><a href='?a&amp;amp;b=\\'>c</a> <a href='mailto:a&lt;b'>d</a>"),
                     "[c](http://h.example/d/p?a&amp;amp;b=\\\\) [d](<mailto:a\\<b>)\n");
}

Test(text, plain_text)
{
    cr_expect_str_eq(plain("<h1>A</h1><p>a *b* <b>c</b> <a href=x>d</a><br>e<ul><li>f</ul><pre>\n g\n</pre>"
                           "<table><tr><th>h<th>i<tr><td>j<td>k</table><hr>"),
                     "A\n\na *b* c d\ne\n\n- f\n\n g\n\nh\ti\nj\tk\n");
}

Test(text, what_is_not_shown_is_no_text)
{
    cr_expect_str_eq(
        make("<title>t</title><script>s</script><style>s</style><p>a<span hidden>b<span>c</span></span>d"
             "<span aria-hidden=true>e</span><button>f</button><select><option>g</select><textarea>h</textarea>"
             "<svg><text>i</text></svg><div style='display: none'>j</div><noscript>k</noscript>l"),
        "ad\n\nl\n");
}

Test(text, what_an_open_dialog_and_xmp_show_is_text)
{
    const char *html = "<p>a<dialog open>b<ul><li>c</dialog>d<dialog>e</dialog><xmp>\n<b>x</b> &amp;\n</xmp>f";
    cr_expect_str_eq(make(html), "a\n\nd\n\n```\n<b>x</b> &amp;\n```\n\nf\n");
    options.all = true;
    cr_expect_str_eq(make(html), "a\n\nb\n\n- c\n\nd\n\n```\n<b>x</b> &amp;\n```\n\nf\n");
}

Test(text, a_button_that_makes_up_a_title_is_its_text)
{
    cr_expect_str_eq(make("<h2><button>a<svg><text>b</text></svg></button></h2><p>c<h3>d <button>e</button></h3><p>f"
                          "<dl><dt><button>g</button><button>h</button><dd>i</dl><button>j</button>"
                          "<details><summary><span><button hidden>k</button><button>l</button></summary>m</details>"
                          "<table><tr><th><button>n</button><th>o<tr><td>p<td><button>q</button></table>"),
                     "## a\n\nc\n\n### d\n\nf\n\ng\n: i\n\nl\n\nm\n\n| n | o |\n|---|---|\n| p |  |\n");
}

Test(text, what_scripts_put_in_its_place_is_shown)
{
    cr_expect_str_eq(
        make("<div><template id=B:0></template>a</div><div hidden id=S:0>b</div><div hidden id=S:x>c</div>"),
        "a\n\nb\n");
    cr_expect_str_eq(make("<x-a><template shadowrootmode=open><p>a<template>b<template shadowrootmode=open>c</template>"
                          "d</template><p>e</template><p>f</x-a>"),
                     "a\n\ne\n\nf\n");
    cr_expect_str_eq(make("<p>a<div hidden=until-found>b</div><div hidden=c>d</div>"), "a\n\nb\n");
}

Test(text, of_a_page_with_little_else_noscript_is_the_text)
{
    static const char page[] = "<base href=b/><p>%s<div id=root></div><noscript><p>Two teas are <a href=c>here</a>."
                               "<ul hidden><li>x</ul><img alt=Pot src=p>%s</noscript>";
    static const char much[] = "A page of at least fifteen words has a text that is its own, whatever noscript says.";
    static const char notice[] = "They need JavaScript.";
    static const struct {
        const char *first, *last, *text;
    } rows[] = {
        {"Teas", "", "Teas\n\nTwo teas are [here](http://h.example/d/b/c).\n\n![Pot](http://h.example/d/b/p)\n"},
        {much, "", "A page of at least fifteen words has a text that is its own, whatever noscript says.\n"},
        {"Teas", notice, "Teas\n"},
        {"Words: two, three, four, five, six, seven", "", "Words: two, three, four, five, six, seven\n"},
    };
    crawl_buf html = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        crawl_buf_clear(&html);
        crawl_buf_printf(&html, page, rows[i].first, rows[i].last);
        cr_expect_str_eq(make(html.data), rows[i].text);
    }
    crawl_buf_free(&html);
    options.all = true;
    cr_expect_str_eq(make("<noscript>a</noscript>"), "a\n");
}

Test(text, a_page_that_a_script_shows_is_shown)
{
    static const char *const attributes[] = {"style='display:none'", "style='visibility: hidden'", "hidden",
                                             "aria-hidden=true"};
    crawl_buf html = {0};
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        crawl_buf_clear(&html);
        crawl_buf_printf(&html, "<html %s><body %s><p>a<p %s>b", attributes[i], attributes[i], attributes[i]);
        cr_expect_str_eq(make(html.data), "a\n", "%s", attributes[i]);
    }
    crawl_buf_free(&html);
}

Test(text, the_first_base_with_href_decides)
{
    cr_expect_str_eq(make("<noscript><base href=/n/></noscript><template><base href=/t/></template><svg><base href=/s/>"
                          "</svg><base target=x><base href=/b/><base href=/c/><p><a href=x>a</a>"),
                     "[a](http://h.example/b/x)\n");
    cr_expect_str_eq(make("<base href=data:,x><base href=/b/><p><a href=x>a</a>"), "[a](http://h.example/d/x)\n");
    cr_expect_str_eq(make("<noscript><base href=/n/><p><a href=x>a</a></noscript>"), "[a](http://h.example/d/x)\n");
}

Test(text, links_stand_as_they_are_where_the_page_has_no_url)
{
    options.url = NULL;
    cr_expect_str_eq(make("<a href=x>a</a>"), "[a](x)\n");
    cr_expect_str_eq(make("<base href=http://b.example/c/><a href=x>a</a>"), "[a](http://b.example/c/x)\n");
}

Test(text, what_svg_that_is_closed_at_once_stands_before_is_text)
{
    cr_expect_str_eq(plain("<p>a <svg width='1'/> b<p>c <math/> d <div/>e"), "a b\n\nc d\n\ne\n");
}

Test(text, xhtml_closes_what_it_closes)
{
    options.document = CRAWL_DOCUMENT_XHTML;
    cr_expect_str_eq(make("<?xml version='1.0'?><html><script/><div hidden='hidden'/><p>a</p></html>"), "a\n");
}

Test(text, cdata_sections_of_xhtml_are_text_as_it_stands)
{
    static const char page[] = "<html><body><p>a <![CDATA[b < <i>c</i> &amp; d]]> e<![CDATA[]]><!-- x --> f</p>"
                               "<script><![CDATA[x]]></script><pre><![CDATA[int a;\n  b]]></pre><p><![CDATA[end";
    cr_expect_str_eq(plain(page), "a c & d]]> e f\n", "in HTML a section is a comment up to the next \">\"");
    options.document = CRAWL_DOCUMENT_XHTML;
    cr_expect_str_eq(plain(page), "a b < <i>c</i> &amp; d e f\n\nint a;\n  b\n\nend\n");
}

Test(text, charsets)
{
    options.charset = "windows-1252";
    cr_expect_str_eq(make("<p>\xe4"), "\xc3\xa4\n");
}

/* --- content --- */

#define SENTENCE "The quick brown fox jumps over the lazy dog, and then it goes home to sleep for a while. "
#define CONTENT "<h1>Title</h1><p>" SENTENCE SENTENCE "</p><p>" SENTENCE "</p>"
#define WANTED                                                                                     \
    "# Title\n\n" SENTENCE                                                                         \
    "The quick brown fox jumps over the lazy dog, and then it goes home to sleep for a while.\n\n" \
    "The quick brown fox jumps over the lazy dog, and then it goes home to sleep for a while.\n"

Test(text, the_frame_of_a_page_is_left_out)
{
    static const char *const pages[] = {
        "<nav><a href=a>Home</a> <a href=b>News</a></nav>" CONTENT "<footer>Copyright 2026 by us</footer>",
        "<div role=navigation><p>Some words that say where you are</div>" CONTENT "<div role=contentinfo>imprint</div>",
        "<div class=site-footer>words here</div>" CONTENT
        "<div id=cookie-banner>We use cookies. <a href=x>More</a></div>",
        "<aside><h2>Popular</h2><p>" SENTENCE "</aside><main>" CONTENT "</main>",
        "<header><p>A site that is about foxes and dogs</header><div><div>" CONTENT "</div></div>",
        "<ul><li><a href=a>one</a><li><a href=b>two</a></ul>" CONTENT "<p><a href=n>Next</a> | <a href=p>Previous</a>",
        CONTENT "<div><p>This site uses cookies to remember what you like.<button>Accept</button></div>",
        "<h2>Menu</h2><ul><li><a href=a>one thing</a><li><a href=b>two</a></ul>" CONTENT,
    };
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        cr_expect_str_eq(make(pages[i]), WANTED, "%s", pages[i]);
}

Test(text, the_source_of_a_quotation_stays)
{
    static const char *const pages[] = {
        "<main>" CONTENT "<blockquote><p>To be<footer class=blockquote-footer>Will</footer></blockquote></main>",
        "<article><h1>T</h1><p>" SENTENCE "<blockquote><p>To be<footer>Will</footer></blockquote><p>" SENTENCE
        "</article><div class=comments>" SENTENCE "</div>",
    };
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        cr_expect(strstr(make(pages[i]), "> To be\n>\n> Will\n"), "%s", make(pages[i]));
}

Test(text, links_that_edit_a_part_of_a_wiki_are_left_out)
{
    const char *html = "<h2>A <span class=mw-editsection>[<a href=e>edit</a>]</span></h2><p>b";
    cr_expect_str_eq(make(html), "## A\n\nb\n");
    options.all = true;
    cr_expect_str_eq(make(html), "## A [[edit](http://h.example/d/e)]\n\nb\n");
}

Test(text, addresses_of_mail_and_telephone_are_no_navigation)
{
    const char *text = plain("<div><div><h1>Title</h1><p>" SENTENCE "</p></div><div><h2>Contact</h2>"
                             "<p><a href=TEL:5>555</a> or <a href=mailto:a@b.example>a@b.example</a></p></div></div>");
    cr_expect(strstr(text, "555 or a@b.example"), "%s", text);
}

Test(text, whose_the_page_is_ends_it_and_is_left_out)
{
    cr_expect_str_eq(make("<div>" CONTENT "<div>Copyright 2026 Example <a href=p>Privacy</a></div></div>"), WANTED);
    cr_expect_str_eq(make("<div>" CONTENT "<p>\xc2\xa9 2026 Example</div>"), WANTED);
}

Test(text, all_of_it_if_that_is_asked_for)
{
    options.all = true;
    cr_expect_str_eq(make("<nav><a href=/>Home</a></nav><p>a<footer>b</footer>"),
                     "[Home](http://h.example/)\n\na\n\nb\n");
    cr_expect_str_eq(make("<h2>#</h2>x"), "## \\#\n\nx\n");
}

Test(text, a_section_is_not_left_out_for_what_it_is_about)
{
    const char *text = make("<div><div id=cookie-objects class=section><h2>Cookie objects</h2><p>" SENTENCE "</p></div>"
                            "<div class=section id=navigation-of-ships><h2>Ships</h2><p>" SENTENCE "</p></div></div>");
    cr_expect(strstr(text, "## Cookie objects"), "%s", text);
    cr_expect(strstr(text, "## Ships"), "%s", text);
}

Test(text, parts_with_a_heading_beside_the_text_stay)
{
#define STORY "<div><p>" SENTENCE SENTENCE "</p></div>"
    static const struct {
        const char *html;
        bool stays;
    } rows[] = {
        {"<div><div><h1>Cake</h1></div><div><h2>Needs</h2><p>2 eggs</div>" STORY "</div>", true},
        {"<div><div><h1>Cake</h1></div><div><h3>Needs</h3><p>2 eggs</div>" STORY "</div>", true},
        {"<div><div><h1>Cake</h1></div>" STORY "<div><h3>Needs</h3><p>2 eggs</div></div>", true},
        {"<div><div><h1>Cake</h1></div>" STORY "<div><h3>Needs</h3><p>2 eggs</div><h2>x</h2></div>", false},
        {"<div><div><h2>Needs</h2><p>2 eggs</div><div><h1>Cake</h1></div>" STORY "</div>", false},
        {"<div><h1><a href=/>Site</a></h1></div><div><h2>Needs</h2><p>2 eggs</div>" STORY, false},
        {"<div><h1>Cake</h1></div><div><h2><a href=a>Needs</a></h2><p>2 eggs a b</div>" STORY, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(strstr(make(rows[i].html), "2 eggs") != NULL, rows[i].stays, "%s", rows[i].html);
}

Test(text, a_page_that_is_a_list_of_links_keeps_them)
{
    const char *text =
        make("<h1>Index</h1><ul><li><a href=a>first</a><li><a href=b>second</a><li><a href=c>third</a></ul>");
    cr_expect(strstr(text, "[second]"), "%s", text);
}

Test(text, links_inside_the_content_stay)
{
    const char *text = make("<main><h1>T</h1><p>" SENTENCE "<ul><li><a href=a>see this</a></ul><p>" SENTENCE "</main>");
    cr_expect(strstr(text, "- [see this]"), "%s", text);
}

/* The forms are those of rustdoc, Pygments, Hexo, Chroma and Jekyll. */
Test(text, what_counts_the_lines_of_code_is_left_out)
{
    static const struct {
        const char *html;
        const char *text;
    } rows[] = {
        {"<div><pre class=line-numbers><span id=1>1</span>\n<span id=2>2</span>\n</pre><pre>a\nb</pre></div>",
         "a\nb\n"},
        {"<table><tr><td><div><pre> 9\n10\n11</pre></div><td><div><pre>a\nb\nc</pre></div></table>", "a\nb\nc\n"},
        {"<pre>1\n3</pre><pre>a</pre>", "1\n3\n\na\n"},
        {"<pre>1\n\n2</pre><pre>a</pre>", "1\n\n2\n\na\n"},
        {"<pre>1</pre><pre>a</pre>", "1\n\na\n"},
        {"<pre>1\n2 x</pre><pre>a</pre>", "1\n2 x\n\na\n"},
        {"<pre>1\n2</pre><p>a<pre>b</pre>", "1\n2\n\na\n\nb\n"},
        {"<pre>1\n2</pre>", "1\n2\n"},
        {"<table><tr><td class=gutter><pre>1<br></pre><td class=code><pre>a<br></pre></table>", "a\n"},
        {"<table><tr><td><pre>1</pre><td><pre>a</pre><tr><td><pre>2</pre><td><pre>b</pre></table>",
         "1\n\na\n\n2\n\nb\n"},
        {"<pre><span class=linenos> 9</span><span class=k>def</span> f():\n<span class=linenos>10</span>    x\n</pre>",
         "def f():\n    x\n"},
        {"<pre><code><span class=line><span class=ln>1</span><span class=cl>a\n</span></span></code></pre>", "a\n"},
        {"<pre><span style='color:red;user-select:none'>1\n</span><span>a\n</span></pre>", "a\n"},
        {"<pre><span class=lineno>1 </span>a\n<span class='x lineno'>2 </span>b\n</pre>", "a\nb\n"},
        {"<p><span class=ln>1</span> a", "1 a\n"},
        {"<pre>a<br class=ln>b</pre>", "a\nb\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(plain(rows[i].html), rows[i].text, "%s", rows[i].html);
    options.all = true;
    cr_expect_str_eq(plain(rows[0].html), "1\n2\n\na\nb\n");
    cr_expect_str_eq(plain("<pre><span class=ln>1 </span>a</pre>"), "1 a\n");
}
