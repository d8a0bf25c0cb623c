#include "tests/unit/parse/text/one_maker.h"

TestSuite(text_formula, .init = setup, .fini = teardown);

static const char *make(const char *html)
{
    return make_of(crawl_slice_from(html));
}

Test(text_formula, a_formula_is_its_tex_if_the_page_has_it)
{
#define FORMULA "<math><semantics><mn>n</mn><annotation encoding=application/x-tex>10^6</annotation></semantics></math>"
    cr_expect_str_eq(make("<p>a " FORMULA " b <b>" FORMULA " c</b><a href=x>!" FORMULA "</a>"),
                     "a 10^6 b **10^6 c**[!10^6](http://h.example/d/x)\n");
    cr_expect_str_eq(make("<p><math alttext='1/2'><mfrac><mn>1</mn><mn>2</mn></mfrac></math> a"), "1/2 a\n");
    cr_expect_str_eq(make("<p>a <math><mi>x</mi></math><annotation encoding=application/x-tex>y</annotation> b"),
                     "a x b\n");
}

Test(text_formula, a_script_of_mathjax_is_its_tex)
{
    static const struct {
        const char *html;
        const char *markdown;
    } rows[] = {
        {"<p>a <script type='math/tex'>E=mc^2</script>.", "a E=mc^2.\n"},
        {"<p>a</p><script type='math/tex; mode=display'>E<1</script><p>b", "a\n\nE<1\n\nb\n"},
        {"<p>a <script type='math/tex; mode=display'>x</script> b", "a\\\nx\\\nb\n"},
        {"<p><script type='math/tex'>% <![CDATA[\na < b %]]></script>", "a < b\n"},
        {"<p>a<span class=MathJax_Preview>p</span><script type='math/tex'>x</script>", "ax\n"},
        {"<p>a <span id=MathJax-Element-1-Frame><math><mi>y</mi></math></span>"
         "<script type='math/tex' id=MathJax-Element-1>x</script>",
         "a x\n"},
        {"<p>a<script type='text/x'>E</script><span hidden><script type='math/tex'>E</script></span>", "a\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(make(rows[i].html), rows[i].markdown, "%s", rows[i].html);
}
