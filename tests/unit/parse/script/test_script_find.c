/* parse/script/ and parse/page/page_script.c: the URLs in scripts. A link is shown as attr=href. */
#include "parse/script/script_token.h"

#include <crawl/links.h>
#include <criterion/criterion.h>

static crawl_page *page;

static void open_page(void)
{
    page = crawl_page_create();
    cr_assert_not_null(page);
    crawl_page_set_kinds(page, CRAWL_LINK_SCRIPTS);
}

static void close_page(void)
{
    crawl_page_free(page);
}

TestSuite(script_find, .init = open_page, .fini = close_page);

/* Expects both extractors to find these links. */
static void expect_links(const char *html, const char *expected)
{
    crawl_buf out = {0};
    crawl_url *url = crawl_url_create();
    crawl_url_parse(url, crawl_slice_from("https://site.example:8443/a/"), NULL, NULL);
    for (int extractor = CRAWL_EXTRACTOR_SCAN; extractor <= (int)CRAWL_EXTRACTOR_LIBXML2; extractor++) {
        size_t count;
        crawl_page_set_extractor(page, (crawl_extractor)extractor);
        cr_assert_eq(crawl_page_parse(page, crawl_slice_from(html), url, "utf-8"), CRAWL_OK);
        const crawl_link *links = crawl_page_links(page, &count);
        crawl_buf_clear(&out);
        crawl_buf_append_text(&out, "");
        for (size_t i = 0; i < count; i++)
            crawl_buf_printf(&out, "%s%s=%.*s", i ? " " : "", links[i].attr, (int)links[i].href.size,
                             links[i].href.data);
        cr_expect_str_eq(out.data ? out.data : "", expected, "%s: %s", html, out.data);
    }
    crawl_url_free(url);
    crawl_buf_free(&out);
}

static void expect_script(const char *script, const char *expected)
{
    crawl_buf html = {0};
    crawl_buf_printf(&html, "<p>x<script>%s</script><p>y", script);
    expect_links(html.data, expected);
    crawl_buf_free(&html);
}

Test(script_find, names_tell_urls)
{
    crawl_page_set_kinds(page, CRAWL_LINK_SCRIPT_DATA);
    expect_script("{\"items\":[{\"href\":\"/a\",\"name\":\"/no\"},{\"url\":\"https://b.example/c\"}]}",
                  "href=/a url=https://b.example/c");
    expect_script("window.__STATE__={to:'/a',links:{permalink:`/b`},path:\"/c?d=e\"};",
                  "to=/a permalink=/b path=/c?d=e");
    expect_script("location='/a';window.location.href = '/b'; if(x.href=='/no')", "location=/a href=/b");
    expect_script("window.open('/aa'),router.push(\"/bb\"),navigate(`/cc`),fetch('/no'),'a'.replace('/b/','c')",
                  "open=/aa push=/bb navigate=/cc");
    expect_script("{\"prefetch\":[{\"urls\":[\"/a\", \"/b\"],\"eagerness\":\"/no\"}]}", "urls=/a urls=/b");
    expect_script("{\"href\":[0,\"/a\"],\"x\":\"/no\"}", "href=/a");
    expect_script("x={href:['/a',['/b']],y:'/no'}", "href=/a href=/b");
}

Test(script_find, escapes_and_strings_inside_strings)
{
    crawl_page_set_kinds(page, CRAWL_LINK_SCRIPT_DATA);
    expect_script("{\"url\":\"\\/a\\u002fb\\u{63}\\x64\"}", "url=/a/bcd");
    expect_script("{\"url\":\"/\\ud83d\\ude00-\\u00e9\"}", "url=/\xf0\x9f\x98\x80-\xc3\xa9");
    expect_script("JSON.parse('{\"url\":\"/a\"}')", "url=/a");
    expect_script("JSON.parse(\"{\\\"url\\\":\\\"\\\\/a\\\"}\")", "url=/a");
    expect_script("x.innerHTML='<a href=\"/a\">b</a>'", "href=/a");
    expect_script("x={t:`<a href=\"/no/${id}\">`,url:'/a'}", "url=/a");
}

/* A search for each "}" would take quadratic time. */
Test(script_find, escapes_that_never_close)
{
    crawl_buf html = {0};
    crawl_buf_append_text(&html, "<script>x={u:'");
    for (int i = 0; i < 1000 * 1000; i++)
        crawl_buf_append_text(&html, "\\u{");
    crawl_buf_append_text(&html, "',url:'/a'}</script>");
    expect_links(html.data, "url=/a");
    crawl_buf_free(&html);
}

/* A search of the name for each attribute would take quadratic time. */
Test(script_find, many_attributes_of_a_long_name)
{
    crawl_buf html = {0};
    crawl_buf_append_text(&html, "<script></script><");
    for (int i = 0; i < 4 * 1000 * 1000; i++)
        crawl_buf_append_char(&html, 'x');
    for (int i = 0; i < 1000 * 1000; i++)
        crawl_buf_append_text(&html, " a");
    crawl_buf_append_text(&html, " data-href=/a>");
    expect_links(html.data, "data-href=/a");
    crawl_buf_free(&html);
}

Test(script_find, hidden_from_old_browsers)
{
    expect_script("<!--\nlocation.href='/a'\n//-->", "href=/a");
    expect_script("\n<!-- location='/no'\r\nlocation.href='/a';\n-->", "href=/a");
    expect_script("<![CDATA[\nlocation.href='/a'\n]]>", "href=/a");
    expect_script("<!--//--><![CDATA[//><!--\nlocation.href='/a'\n//--><!]]>", "href=/a");
    expect_script("<!-- location='/no' -->", "");
    expect_script("<!--\n<p>location='/no'", "");
}

Test(script_find, targets_of_forms)
{
    static const char script[] =
        "x='<form action=\"/a\">'+y;x='<form method=get action=b.php>';x='<form action=\"/no\" method=POST>';"
        "x='<form method=dialog action=/no>';x={action:'/no',formAction:'/no'};x='<form action=\"/'+'c'+'\">';"
        "x='<form action=\"/'+y+'\">'";
    crawl_page_set_kinds(page, CRAWL_LINK_SCRIPTS | CRAWL_LINK_FORM);
    expect_script(script, "action=/a action=b.php action=/c");
    crawl_page_set_kinds(page, CRAWL_LINK_SCRIPTS);
    expect_script(script, "");
}

Test(script_find, pieces_that_react_streams)
{
    expect_links("<script>self.__next_f.push([1,\"1:[\\\"$\\\",{\\\"href\\\":\\\"/a/\"])</script><p>"
                 "<script>self.__next_f.push([1,\"b\\\"}]\\n2:T5,it's <a href=\\\"/c\\\">\"])</script>",
                 "href=/a/b href=/c");
}

Test(script_find, numbers_in_place_of_values)
{
    crawl_page_set_kinds(page, CRAWL_LINK_SCRIPT_DATA);
    expect_script(
        "[[\"ShallowReactive\",1],{\"data\":2},[3,4],{\"href\":5,\"n\":6},{\"url\":99,\"to\":7},\"/a\",1,\"/b\"]",
        "href=/a to=/b");
    expect_script("[{\"href\":-1,\"url\":1.5,\"to\":\"/a\"},\"/no\"", "to=/a"); /* unterminated */
}

Test(script_find, not_every_string_is_a_page)
{
    static const char *const none[] = {
        "/a/:id",   "/a/[b]", "/a/*",       "/{a}",          "/a.js",  "/b/c.PNG?v=1", "text/html", "a b",
        "mailto:a", "//",     "/api/users", "/_next/data/a", "/x\\ny", "javascript:a", "https://",  "http://a/b"};
    crawl_buf text = {0};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        crawl_buf_clear(&text);
        crawl_buf_printf(&text, "a={url:\"%s\",to:\"/is\"}", none[i]);
        expect_script(text.data, "to=/is");
    }
    crawl_buf_free(&text);
    expect_script("x={href:'b/c.html',url:'b/c.html'}", "href=b/c.html"); /* only href, without a slash */
    expect_script("x=[{href:'b.html'},{href:'b'},{href:'c:b.html'},{url:'b.html'}]", "href=b.html");
    expect_script("x={href:'http%3A%2F%2Fb.html'}", "");
}

Test(script_find, looks_tell_urls_where_they_are_asked_for)
{
    expect_script("a=['/one/two','/x/y','/no.css','//cdn.example/a','/a//b','text/html','b/c','/a/${b}']",
                  "string=/one/two");
    expect_script("a=['/21809533738/site/top','/8456/b,c','/2024/02/one','/_hcms/no','/no?q=',"
                  "'/wp-login.php?action=logout','/account/Sign-Out']",
                  "string=/2024/02/one");
    expect_script("b=['https://site.example:8443/one','https://other.example/two']",
                  "string=https://site.example:8443/one");
    expect_script("{\"/old\":[\"static/chunks/a.js\"],sortedPages:['/old','/_app','/item/[slug]']}",
                  "string=/old string=/old");
    crawl_page_set_kinds(page, CRAWL_LINK_SCRIPT_DATA);
    expect_script("a=['/one/two']", "");
}

Test(script_find, parts_of_a_text_are_none)
{
    expect_script("a={url:'/no/'+b,to:c + '/no',href:`/no`.concat(d),path:'/a'};e='/no' + f;g=h+/* i */1+'/no';"
                  "h+='/is'",
                  "path=/a string=/is");
    expect_script("x=`<ul><li><a href=\"/a\">it's</a><li><a href=\"/b\">isn't</a></ul>`", "href=/a href=/b");
    expect_script("x='<a href=\"/a\">'+b+'<a href=\"/'+c+'\">'", "href=/a");
}

Test(script_find, arguments_of_some_calls_are_none)
{
    expect_script("fetch('/no'),a.startsWith(`/no`)?b('/is'):import('/no')", "string=/is");
    expect_script("$.get('/no'),$('b').load('/no'),new EventSource('/no'),{href_matches:['/no','/no']}", "");
    expect_script("$.ajax({type:'GET',url:'/no',success(){location.href='/is'}});x={url:'/as'}", "href=/is url=/as");
    expect_script("axios ( { 'url' : '/no' } );go({url:'/is'})", "url=/is");
}

Test(script_find, import_maps_name_no_pages)
{
    expect_script(" { \"imports\": {\"url\": \"/no\", \"a/\": \"/no/where/\"}}", "");
    expect_script("{\"scopes\":{\"/no/\":{\"path\":\"/no\"}}}", "");
    expect_script("{\"importer\":{\"path\":\"/a\"}}", "path=/a");
}

Test(script_find, guesses_of_a_page_are_bounded)
{
    crawl_buf html = {0};
    size_t count;
    crawl_buf_append_text(&html, "<script>[");
    for (unsigned i = 0; i < 500; i++)
        crawl_buf_printf(&html, "\"/guess/%u\",", i);
    crawl_buf_append_text(&html, "]</script>");
    cr_assert_eq(crawl_page_parse(page, crawl_buf_slice(&html), NULL, NULL), CRAWL_OK);
    crawl_page_links(page, &count);
    cr_expect_eq(count, 100);
    crawl_buf_free(&html);
}

Test(script_find, code_is_read_as_far_as_strings_need)
{
    crawl_page_set_kinds(page, CRAWL_LINK_SCRIPT_DATA);
    expect_script("// {url:'/no'}\n/* url='/no' */ url='/a'", "url=/a");
    expect_script("r=/url=\"[/\"]/g;url='/a'", "url=/a");
    expect_script("q=b/c;url='/a';d=(1)/2;to='/b'/1", "url=/a to=/b");
    expect_script("if(a)return/'/.test(b);url='/a'", "url=/a");
    expect_script("t=`a${b({c:`d`})}e`;url='/a'", "url=/a");
    expect_script("it's broken\nurl='/a'", "url=/a");
    expect_script("a=b?url:'/no'", "url=/no"); /* looks like a name before ":" */
    expect_script("url='/a", "");
    expect_script("<a href='/no'>", "");
}

Test(script_find, attributes_for_scripts)
{
    crawl_page_set_kinds(page, CRAWL_LINK_DATA_HREF);
    expect_links("<b data-href=/no onclick=\"location.href='/no'\">", ""); /* they are not read */
    expect_links("<script></script><b data-href=/a data-url='b/c' data-link=x data-src=/no>",
                 "data-href=/a data-url=b/c");
    expect_links("<script></script><button routerlink=/a>b</button><b routerlink=c data-href={{no}}>", "routerlink=/a");
    expect_links("<script></script><td onclick=\"location.href='/a?b=c&amp;d=e'\"><b onclick=\"f('/no')\">",
                 "onclick=/a?b=c&d=e");
    expect_links("<script></script><tr onclick=\"location='b/c.html'\"><b ondblclick=\"window.open('d.php?e=1')\">",
                 "onclick=b/c.html ondblclick=d.php?e=1");
    expect_links("<script></script><b onclick=\"go('no.html'),location='no'\">", "");
    expect_links(
        "<script>x={location:'Bern/Wabern'}</script><astro-island props='{&quot;location&quot;:&quot;b/c&quot;}'>", "");
    expect_links("<script></script><select><option value=/a>b<option value=b/c></select>", "value=/a");
    expect_links("<script></script><a href=\"javascript:window.open('/aa')\">b</a><a href=/no>", "href=/aa");
    expect_links("<script></script><template><b data-url='/a?b={{c}}'></template><p data-url=/d>", "data-url=/d");
    expect_links("<script></script><astro-island props='{&quot;href&quot;:[0,&quot;/a&quot;]}'>", "props=/a");
    expect_links(
        "<script></script><div data-page='{&quot;list&quot;:[{&quot;url&quot;:&quot;\\/a?b=1\\u0026c=2&quot;}]}'>",
        "json=/a?b=1&c=2");
    expect_links("<script></script><ul x-data=\" [{ href: 'b/c.html' }, { path: '/d' }, {url:'no/no', id: '/no'}]\">",
                 "json=b/c.html json=/d");
    expect_links("<script></script><b :class=\"{on:'/no'}\" data-a='{{no}}' data-b=[no] data-c={ data-d='x {url:1}'>",
                 "");
    expect_links("<script></script><x-button HREF=/a>b</x-button><x-b href=c/d.html to=/no><x href=/no><link href=/no>",
                 "href=/a href=c/d.html");
    expect_links("<script></script><x-style href=/no.css></x-style><x-a href=#no></x-a><x-b href='/{{no}}'></x-b>", "");
}

Test(script_find, elements_are_as_before)
{
    crawl_page_set_kinds(page, CRAWL_LINK_PAGES);
    expect_links("<a href=/a data-href=/no onclick=\"location='/no'\">b</a><script>url='/no'</script>", "href=/a");
}

/* For any bytes, a reader ends, and stays inside them. */
Test(script_find, every_cut_of_a_script_ends)
{
    static const char text[] = "a={b:\"\\u{1F600}\\ud800\",c:`d${`e${f}`}`};/[/]/*g*///h\n'i\\";
    for (size_t from = 0; from < sizeof text; from++)
        for (size_t size = 0; from + size < sizeof text; size++) {
            char *copy = malloc(size ? size : 1);
            memcpy(copy, text + from, size);
            cw_script_reader reader = cw_script_read(crawl_slice_of(copy, size));
            cw_script_string string;
            crawl_buf out = {0};
            while (cw_script_next(&reader, &string))
                cr_expect_eq(cw_script_unescape(string.raw, &out), CRAWL_OK);
            crawl_buf_free(&out);
            free(copy);
        }
}
