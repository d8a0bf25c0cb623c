#include "tests/unit/parse/text/one_maker.h"

#include <stdio.h>

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

Test(text_formula, elements_are_told_apart)
{
    static const struct {
        const char *elements;
        const char *text;
    } rows[] = {
        {"<mfrac><mn>1</mn><mn>2</mn></mfrac>", "1/2"},
        {"<mn>2</mn><mfrac>\n<mrow><mn>1</mn></mrow> <mrow> <mn>2</mn></mrow>\n</mfrac><mi>x</mi>", "2 1/2 x"},
        {"<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac><mo>=</mo>", "(a+b)/2="},
        {"<msup><mn>10</mn><mrow><mn>6</mn></mrow></msup>", "10^6"},
        {"<msup><mi>x</mi><mrow><mi>n</mi><mo>-</mo><mn>1</mn></mrow></msup>", "x^(n-1)"},
        {"<msup><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow><mn>3</mn></msup>", "(x^2)^3"},
        {"<msub><mi>H</mi><mn>2</mn></msub><mi>O</mi>", "H\\_2O"},
        {"<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>", "x\\_1^2"},
        {"<munderover><mo>S</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>",
         "S\\_(i=1)^n i"},
        {"<munderover><mo>S</mo><mn>1</mn><mo>\xe2\x88\x9e</mo></munderover>", "S\\_1^\xe2\x88\x9e"},
        {"<mover><mi>x</mi><mo>~</mo></mover>", "x\\~"},
        {"<msqrt><mn>2</mn></msqrt><msqrt><mi>a</mi><mi>b</mi></msqrt>", "\xe2\x88\x9a"
                                                                         "2\xe2\x88\x9a(ab)"},
        {"<mroot><mn>8</mn><mn>3</mn></mroot>", "8^(1/3)"},
        {"<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr>"
         "<mtr><mtd><mn>0</mn></mtd><mtd><mn>1</mn></mtd></mtr></mtable>",
         "1 0; 0 1"},
        {"<mo>(</mo><mfrac linethickness=0><mi>n</mi><mi>k</mi></mfrac><mo>)</mo>", "(n k)"},
        {"<msup><mrow/><mn>14</mn></msup><mi>C</mi>", "^14C"},
        {"<mi>a</mi><mo>]</mo><msup><mrow><mi>b</mi><mi>c</mi></mrow><mi>d</mi></msup>", "a]\\(bc)^d"},
        {"<mfrac><mi>a</mi></mrow><mi>b</mi></mfrac></mfrac><mi>c", "a/b c"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char html[512], wanted[64];
        snprintf(html, sizeof html, "<p>a <math><semantics>%s</semantics></math> b", rows[i].elements);
        snprintf(wanted, sizeof wanted, "a %s b\n", rows[i].text);
        cr_expect_str_eq(make(html), wanted, "%s", rows[i].elements);
    }
    cr_expect_str_eq(make("<p><b><math><mfrac><mrow><mi>a</mi><mi>b</mi></mrow><mn>2</mn></mfrac></math></b><a href=x>"
                          "<math><msup><mrow><mi>a</mi><mi>b</mi></mrow><mn>2</mn></msup></math></a>"),
                     "**(ab)/2**[(ab)^2](http://h.example/d/x)\n");
}
