#include <crawl/sys/render.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *gate(const char *html, size_t text, size_t links)
{
    const crawl_render_facts facts = {
        .size = sizeof facts, .html = crawl_slice_from(html), .text_bytes = text, .links = links};
    const char *why = crawl_render_gate(&facts);
    return why ? why : "no";
}

Test(gate, pages_that_scripts_fill)
{
    static const struct {
        const char *html;
        size_t text, links;
        const char *why;
    } rows[] = {
        {"<div id=root></div><script src=a.js></script>", 5000, 50, "an empty root"},
        {"<DIV class='x' ID=\"app\"> <!-- here --> </DIV><script type=module>x</script>", 5000, 50, "an empty root"},
        {"<app-root></app-root><script src=main.js>", 5000, 50, "an empty root"},
        {"<main class=content>\n</main><footer>a site</footer><script src=main.js></script>", 5000, 50,
         "an empty root"},
        {"<div id=root>&nbsp;<!-- -->\n&#160; \xc2\xa0</div><script src=a.js></script>", 5000, 50, "an empty root"},
        {"<div id=root>&nbsp;x</div><script src=a.js></script>", 5000, 50, "no"},
        {"<main><p>served</main><script src=main.js></script>", 5000, 50, "no"},
        {"<div id=root><p>served</p></div><script src=a.js></script>", 5000, 50, "no"},
        {"<div id=root></div>", 0, 0, "no"},
        {"<div id=rooted></div><script>1</script>", 5000, 50, "no"},
        {"<div id=root></div><script type=application/ld+json>{}</script>", 0, 0, "no"},
        {"<!-- <div id=root></div> --><script>'<div id=app></div>'</script>", 5000, 50, "no"},
        {"<noscript>You need to enable JavaScript to run this app.</noscript><script src=a></script>", 5000, 50,
         "it asks for scripts"},
        {"<noscript><img src=javascript.png></noscript><script src=a></script>", 5000, 50, "no"},
        {"<p>loading<script>go()</script>", 249, 2, "little text"},
        {"<p>loading<script>go()</script>", 250, 2, "no"},
        {"<p>loading<script>go()</script>", 249, 3, "no"},
        {"<p>longer<script>go()</script>", 1499, 1, "little text"},
        {"<p>longer<script>go()</script>", 1500, 1, "no"},
        {"<p>nothing runs", 0, 0, "no"},
        {"<nav><a href=/a>a</a></nav><div id=list></div><footer>long</footer><script>1</script>", 5000, 50,
         "little text"},
        {"<div role=navigation><div>a</div>b</div><p>c<div role=contentinfo>d</div><script>1</script>", 5000, 50,
         "little text"},
        {"<nav>a</nav><a href=/a>a</a><a href=/b>b</a><a href=/c>c</a><script>1</script>", 5000, 50, "no"},
        {"<nav>a</nav><template><p>streamed</template><script>1</script>", 5000, 50, "little text"},
        {"<div x-init=\"() => go()\" id = 'app'></div><script>1</script>", 5000, 50, "an empty root"},
        {"<p class=a>b</p><p title=\"<div id=app></div>\"><script>1</script>", 5000, 50, "no"},
        {"<div role=main></div><script>1</script>", 5000, 50, "an empty root"},
        {"<div id=root></div><script type=text/x-javascript>1</script>", 5000, 50, "an empty root"},
        {"<div id=root></div><script type=Text/JavaScript1.5>1</script>", 5000, 50, "an empty root"},
        {"<div id=root></div><script type=' text/jscript '>1</script>", 5000, 50, "an empty root"},
        {"<div id=root></div><script type=text/x-template>1</script>", 5000, 50, "no"},
        {"<script", 0, 0, "no"},
        {"<script>a", 0, 0, "little text"},
        {"", 0, 0, "no"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(gate(rows[i].html, rows[i].text, rows[i].links), rows[i].why, "%s", rows[i].html);
}

Test(gate, a_page_that_leads_elsewhere_needs_none)
{
    const crawl_render_facts facts = {
        .size = sizeof facts, .html = crawl_slice_from("<div id=root></div><script>1</script>"), .has_refresh = true};
    cr_assert_null(crawl_render_gate(&facts));
}

Test(gate, a_page_that_leads_others_elsewhere_may_need_one)
{
    const crawl_render_facts facts = {
        .size = sizeof facts,
        .html = crawl_slice_from("<noscript><meta http-equiv=refresh content='0;/b'></noscript><script>1</script>"),
        .has_refresh = true};
    cr_assert_str_eq(crawl_render_gate(&facts), "little text");
}

Test(gate, a_root_behind_a_megabyte_of_style)
{
    enum { STYLE = 1024 * 1024, SIZE = STYLE + 200 };
    char *html = malloc(SIZE);
    int start = snprintf(html, SIZE, "<style>");
    memset(html + start, 'x', STYLE);
    snprintf(html + start + STYLE, (size_t)(SIZE - start - STYLE), "</style><div id=root></div><script>1</script>");
    cr_expect_str_eq(gate(html, 5000, 50), "an empty root");
    free(html);
}

/* A search for the end of each tag would take quadratic time here. */
Test(gate, tags_that_never_end, .timeout = 60)
{
    enum { SIZE = 512 * 1024 };
    char *html = malloc(SIZE + 1);
    for (size_t i = 0; i < SIZE; i += 2)
        memcpy(html + i, "<a", 2);
    html[SIZE] = '\0';
    for (int i = 0; i < 100; i++)
        cr_assert_str_eq(gate(html, 0, 0), "no");
    free(html);
}

/* Besides the site's frame, 240 bytes of text count as little, 250 do not. */
Test(gate, text_beside_the_frame_is_counted)
{
    for (unsigned size = 240; size <= 250; size += 10) {
        char html[400], text[256];
        memset(text, 'x', size);
        text[size] = '\0';
        snprintf(html, sizeof html, "<title>long</title><header>long</header><p>%s</p><script>1</script>", text);
        cr_expect_str_eq(gate(html, 5000, 50), size < 250 ? "little text" : "no");
    }
}
