/* Where XPath expressions are cut, and that pieces find the same as the whole. */
#include "parse/extract/extract_path.h"

#include <crawl/extract.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Describes the pieces: "|" begins an alternative, "/" continues, "//" with descendant-or-self::node() before it, "!"
 * joins sets. */
static void describe(const char *xpath, crawl_buf *out)
{
    cw_extract_pieces pieces;
    cw_extract_path_cut(crawl_slice_from(xpath), &pieces);
    for (size_t i = 0; i < pieces.count; i++) {
        const cw_extract_piece *p = &pieces.items[i];
        crawl_buf_printf(out, "%s%s%.*s ",
                         p->begins     ? "|"
                         : p->is_below ? "//"
                                       : "/",
                         p->is_joining ? "!" : "", (int)p->text.size, p->text.data);
    }
}

Test(extract_path, cut_where_sets_are_joined)
{
    static const char *const rows[][2] = {
        {"//td", "|//td "},
        {"//td/@id", "|//td/@id "},
        {"//td[. = 'SKU']/following-sibling::td[1]", "|//td[. = 'SKU'] /following-sibling::td[1] "},
        {"//td/..", "|//td /.. "},
        {"./a/b/text()", "|./a/b/text() "},
        {"../b", "|../b "},
        {"//div//a/b", "|//div //a/b "},
        {"a//following::b/c", "|a /descendant-or-self::node() /following::b/c "},
        {"//following::b", "|/descendant-or-self::node() /following::b "},
        {"descendant::div/descendant::a/child::b", "|descendant::div /descendant::a/child::b "},
        {"//td|//th/..", "|//td |//th /.. "},
        {"(//a)[1]/following::b", "|(//a)[1] /following::b "},
        {"id('a/..|b')/../c", "|id('a/..|b') /../c "},
        {"//a[b/c]", "|//a[b/c] "},
        {"//a[b/..]", "|!//a[b/..] "},
        {"//a[b//c]", "|!//a[b//c] "},
        {"//a[.//c]", "|!//a[.//c] "},
        {"//a[b | c]/../d", "|!//a[b | c] /../d "},
        {"//a[descendant::b = descendant::h2]", "|!//a[descendant::b = descendant::h2] "},
        {"//a[h2 = h2]", "|!//a[h2 = h2] "},
        {"//a[position() < 3][@x='y'][2=count(b)]", "|//a[position() < 3][@x='y'][2=count(b)] "},
        {"count(//td)", "|count(//td) "},
        {"count(//td/following::td)", "|!count(//td/following::td) "},
        {"count(//a) * 2", "|count(//a) * 2 "},
        {"//a/.. * 2", "|!//a/.. * 2 "},
        {"//a/*[* and div]/..", "|//a/*[* and div] /.. "},
        {"//a-b/../c", "|//a-b /../c "},
        {"//a = //b", "|!//a = //b "},
        {"concat(//a, ' ', //b/..)", "|!concat(//a, ' ', //b/..) "},
        {"/", "|/ "},
        {"//@*", "|//@* "},
        {"a/namespace::*", "|a/namespace::* "},
        {"ancestor :: div / following :: p", "|ancestor :: div  / following :: p "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_buf said = {0};
        describe(rows[i][0], &said);
        cr_expect_str_eq(said.data, rows[i][1], "%s", rows[i][0]);
        crawl_buf_free(&said);
    }
}

static const char *value(const char *xpath, crawl_slice html, bool *is_cut)
{
    static char text[4096];
    crawl_rules *rules = crawl_rules_create();
    crawl_extraction *extraction = NULL;
    crawl_buf rule = {0};
    crawl_buf_printf(&rule, "xpath: %s -> all", xpath);
    cr_assert_eq(
        crawl_rules_add(rules, crawl_slice_from("s"), crawl_slice_from("field.a"), crawl_buf_slice(&rule), NULL),
        CRAWL_OK, "%s", xpath);
    cr_assert_eq(crawl_extraction_create(rules, &extraction), CRAWL_OK);
    crawl_extract_page page = {
        .size = sizeof page, .html = html, .url = crawl_slice_from("http://h/"), .charset = "utf-8"};
    cr_assert_eq(crawl_extraction_run(extraction, &page), CRAWL_OK);
    crawl_slice json = crawl_extraction_value(extraction, 0);
    snprintf(text, sizeof text, "%zu %.*s", crawl_extraction_matches(extraction, 0),
             json.size < 200 ? (int)json.size : 200, json.data ? json.data : "");
    *is_cut = crawl_extraction_is_cut(extraction);
    crawl_extraction_free(extraction);
    crawl_rules_free(rules);
    crawl_buf_free(&rule);
    return text;
}

/* A table of many rows, on which libxml2 would work for more than a minute; and the same after other rows of the page.
 */
Test(extract_path, pieces_find_what_the_whole_finds)
{
    static const char *const rows[][2] = {
        {"//td[. = 'SKU']/following-sibling::td[1]", "60001 [\"7\",\"7\",\"7\""},
        {"//td[. = 'SKU']/following-sibling::td[1] | //h1", "60002 [\"H\",\"7\""},
        {"//h2 | //h1 | //h2/..//b", "3 [\"H\",\"K\",\"B\"]"},
        {"//td/../../../..//h2", "1 [\"K\"]"},
        {"//b/preceding::h1", "1 [\"H\"]"},
    };
    crawl_buf html = {0};
    crawl_buf_append_text(&html, "<h1>H</h1><table>");
    for (int i = 0; i < 60001; i++)
        crawl_buf_append_text(&html, "<tr><td>SKU<td>7");
    crawl_buf_append_text(&html, "</table><div><h2>K</h2><b>B</b></div>");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool is_cut;
        const char *found = value(rows[i][0], crawl_buf_slice(&html), &is_cut);
        cr_expect(strncmp(found, rows[i][1], strlen(rows[i][1])) == 0, "%s: %s", rows[i][0], found);
        cr_expect_not(is_cut, "%s", rows[i][0]);
    }
    bool is_cut;
    cr_expect_str_eq(value("count(//td/following-sibling::td)", crawl_buf_slice(&html), &is_cut), "0 ");
    cr_expect(is_cut, "what cannot be cut is given up, and told");
    crawl_buf_free(&html);
}
