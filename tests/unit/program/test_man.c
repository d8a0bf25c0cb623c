/* Manual pages: the result for each kind of line, and that no text becomes a request of roff. */
#include "crawler/program/manual/man.h"

#include <criterion/criterion.h>
#include <string.h>

static crawl_buf page_of(crawl_err (*make)(const cw_program_man_page *page, crawl_buf *out), const char *text)
{
    crawl_buf out = {0};
    cw_program_man_page page = {.name = "crawl-x", .section = 1, .summary = "it's short", .text = text};
    cr_assert_eq(make(&page, &out), CRAWL_OK);
    return out;
}

/* Expects this text after the description's heading. */
static void expect(crawl_err (*make)(const cw_program_man_page *page, crawl_buf *out), const char *text,
                   const char *expected)
{
    static const char heading[] = ".SH DESCRIPTION\n";
    crawl_buf out = page_of(make, text);
    const char *description = strstr(out.data, heading);
    cr_assert_not_null(description, "%s", out.data);
    cr_expect_str_eq(description + strlen(heading), expected);
    crawl_buf_free(&out);
}

Test(man, head)
{
    crawl_buf out = page_of(cw_program_man_of_help, "usage: crawl x [FILE]\n       crawl x --y\n\nWords.\n");
    cr_expect_null(strstr(out.data, "usage"));
    cr_expect_not_null(strstr(out.data, ".TH \"CRAWL-X\" 1 "), "%s", out.data);
    cr_expect_not_null(
        strstr(out.data,
               ".SH NAME\ncrawl\\-x \\- it\\(aqs short\n.SH SYNOPSIS\n.nf\ncrawl x [FILE]\ncrawl x \\-\\-y\n.fi\n"),
        "%s", out.data);
    crawl_buf_free(&out);
}

Test(man, lines_of_help)
{
    expect(cw_program_man_of_help, "", "");
    expect(cw_program_man_of_help, "One\ntwo.\n\nThree.", ".PP\nOne\ntwo.\n.PP\nThree.\n");
    expect(cw_program_man_of_help, "  --one N  words that are\n           so long\n  two      words\n",
           ".TP\n\\fB\\-\\-one N\\fR\nwords that are\nso long\n.TP\n\\fBtwo\\fR\nwords\n");
    expect(cw_program_man_of_help, "  --alone N\n           words\n", ".TP\n\\fB\\-\\-alone N\\fR\nwords\n");
    expect(cw_program_man_of_help, "  --set N  in:\n             {a\n              b}\n           out\n",
           ".TP\n\\fB\\-\\-set N\\fR\nin:\n.br\n\\&  {a\n.br\n\\&   b}\n.br\nout\n");
    expect(cw_program_man_of_help,
           "  --kind K  short\n            a\n            a line that is as long as there is one in this text\n",
           ".TP\n\\fB\\-\\-kind K\\fR\nshort\n.br\na\n.br\na line that is as long as there is one in this text\n");
    expect(cw_program_man_of_help, "So:\n\n  crawl x y\n  crawl z\n\nThen.\n",
           ".PP\nSo:\n.PP\n.RS 4\n.nf\ncrawl x y\ncrawl z\n.fi\n.RE\n.PP\nThen.\n");
    expect(cw_program_man_of_help, "  crawl x y\n", ".PP\n.RS 4\n.nf\ncrawl x y\n.fi\n.RE\n");
    expect(cw_program_man_of_help, "Words. Exit status: 0 fine;\n1 not.\n",
           ".PP\nWords. \n.SH EXIT STATUS\n.PP\n0 fine;\n1 not.\n");
}

Test(man, nothing_is_a_request)
{
    expect(cw_program_man_of_help, ".SH A\n'br\n\\fB`~^-\n", ".PP\n\\&.SH A\n\\(aqbr\n\\efB\\(ga\\(ti\\(ha\\-\n");
}

Test(man, configuration)
{
    crawl_buf out =
        page_of(cw_program_man_of_config,
                "[crawl]\n# What is crawled.\n\n# how deep\n# a number; default 3\ndepth = 3\n\n# leave out\n"
                "# a pattern: exclude = RE\n\n# [host NAME]: of one.\n# More.\n#   delay: a pause; a time\n");
    const char *sections = strstr(out.data, ".SH [crawl]");
    cr_assert_not_null(sections, "%s", out.data);
    cr_expect_str_eq(
        sections,
        ".SH [crawl]\n.PP\nWhat is crawled.\n.TP\n\\fBdepth\\fR\nhow deep\n.br\na number; default 3\n.TP\n"
        "\\fBexclude\\fR\nleave out\n.br\na pattern\n.SH [host NAME]\n.PP\nof one.\nMore.\n.TP\n\\fBdelay\\fR\na pause; a "
        "time\n");
    crawl_buf_free(&out);
}

Test(man, other_pages)
{
    const cw_program_man_page pages[] = {
        {.name = "crawl", .section = 1}, {.name = "crawl-x", .section = 1}, {.name = "crawler.conf", .section = 5}};
    crawl_buf out = {0};
    cr_assert_eq(cw_program_man_see_also(pages, 3, &pages[1], &out), CRAWL_OK);
    cr_expect_str_eq(out.data, ".SH SEE ALSO\ncrawl(1),\ncrawler.conf(5)\n");
    crawl_buf_free(&out);
}
