/* The lines drawn in place: they fit every size, foreign texts are harmless, and the most important comes first. */
#include "crawler/program/terminal/panel.h"
#include "tools/common/columns.h"

#include <criterion/criterion.h>
#include <stdio.h>

static crawl_engine_stats stats;

static cw_terminal_figures figures_of(void)
{
    cw_terminal_figures figures = {
        .now = &stats, .pace = 12.4, .pace_count = CW_TERMINAL_PACES, .host_count = 2, .failure_count = 2};
    stats = (crawl_engine_stats){.pages = 1234,
                                 .elapsed_ms = 3723000,
                                 .errors = 7,
                                 .running = 5,
                                 .connections = 64,
                                 .wire_bytes = 1 << 20,
                                 .status = {0, 0, 1200, 0, 30, 4}};
    stats.frontier.queued = 1240;
    stats.frontier.hosts = 9;
    for (unsigned i = 0; i < CW_TERMINAL_PACES; i++)
        figures.paces[i] = i;
    snprintf(figures.hosts[0], sizeof figures.hosts[0], "世界.example");
    snprintf(figures.hosts[1], sizeof figures.hosts[1], "b\033]0;x\007.example");
    snprintf(figures.failures[0].time, sizeof figures.failures[0].time, "12:34:56");
    snprintf(figures.failures[0].url, sizeof figures.failures[0].url,
             "http://a.example/\033[2J世界世界世界世界世界世界世界世界\xff\xe2\x80\xae/end");
    snprintf(figures.failures[0].words, sizeof figures.failures[0].words, "connect: \xc2\x9b refused\r\n");
    figures.failures[1] = figures.failures[0];
    return figures;
}

/* Expects only colours and erased ends of lines. */
static void expect_harmless(const char *at)
{
    cr_assert_null(strstr(at, "\xe2\x80\xae"), "a character that turns the direction of text");
    cr_assert_null(strstr(at, "\xc2\x9b"), "a control character of C1");
    for (; *at; at++) {
        if (*at == '\033') {
            cr_assert_eq(at[1], '[');
            at += 2 + strspn(at + 2, "0123456789;");
            cr_assert(*at == 'm' || *at == 'K', "%c", *at);
            continue;
        }
        cr_assert(*at == '\n' || ((unsigned char)*at >= 0x20 && *at != 0x7f));
    }
}

static void make(cw_terminal_panel *panel, const cw_terminal_figures *figures, unsigned columns, unsigned lines)
{
    const cw_terminal_look look = {.columns = columns, .lines = lines, .is_utf8 = true, .has_keys = true};
    cw_terminal_panel_make(panel, figures, &look);
}

Test(panel, fits_into_every_size_whatever_strangers_wrote)
{
    cw_terminal_figures figures = figures_of();
    cw_terminal_panel panel = {0};
    cw_tool_columns_begin();
    for (unsigned bits = 0; bits < 16; bits++)
        for (unsigned columns = 2; columns < 220; columns++)
            for (unsigned lines = 1; lines <= CW_TERMINAL_PANEL_LINES; lines++) {
                const cw_terminal_look look = {columns, lines, bits & 1, bits & 2, bits & 4};
                figures.explains = bits & 8;
                cw_terminal_panel_make(&panel, &figures, &look);
                cr_assert_leq(panel.lines, lines);
                for (unsigned i = 0; i < panel.lines; i++)
                    cr_assert_lt(panel.widths[i], columns);
                expect_harmless(panel.text.data);
            }
    crawl_buf_free(&panel.text);
    cw_tool_columns_end();
}

static void expect_part(const cw_terminal_panel *panel, const char *part)
{
    cr_expect(strstr(panel->text.data, part), "%s\n--\n%s", part, panel->text.data);
}

Test(panel, says_what_there_is)
{
    cw_terminal_figures figures = figures_of();
    cw_terminal_panel panel = {0};
    cw_tool_columns_begin();
    make(&panel, &figures, 120, 8);
    cr_expect_eq(panel.lines, 7);
    expect_part(&panel, "crawling 01:02:03  12 pages/s  1.0 MiB");
    expect_part(&panel, "1234  queued 1240, about 1 min 40 s  errors 7  5xx 4  4xx 30  in flight 5");
    expect_part(&panel, "asking   世界.example, b\\x1b]0;x\\x07.example of 9 hosts");
    expect_part(&panel, "by nothing");
    expect_part(&panel, "12:34:56 http://a.example/");
    expect_part(&panel, "p pause  q end  ? help  + - connections 64");
    stats.paused = true;
    stats.limits.pages = 2000;
    make(&panel, &figures, 120, 8);
    expect_part(&panel, "paused ");
    expect_part(&panel, "1234 of 2000  queued");
    expect_part(&panel, "p go on");
    stats.paused = false;
    make(&panel, &figures, 100, 1);
    cr_expect_eq(panel.lines, 1);
    expect_part(&panel, "1234 pages  12/s  1240 queued");
    expect_part(&panel, ", about 1 min 1 s left");
    crawl_buf_free(&panel.text);
    cw_tool_columns_end();
}

Test(panel, a_failure_has_its_url_and_words_are_not_cut)
{
    cw_terminal_figures figures = figures_of();
    cw_terminal_panel panel = {0};
    cw_tool_columns_begin();
    snprintf(figures.failures[0].url, sizeof figures.failures[0].url, "http://a.example/a/long/way/to/its/page.html");
    snprintf(figures.failures[0].words, sizeof figures.failures[0].words,
             "scope: redirected out of the scope of the crawl");
    make(&panel, &figures, 60, 8);
    expect_part(&panel, "error    http://a.example…ge.html scope: redirected out of…");
    make(&panel, &figures, 80, 8);
    expect_part(&panel, "error    12:34:56 http://a.example…ge.html scope: redirected out of the scope…");
    make(&panel, &figures, 120, 8);
    expect_part(&panel, "its/page.html scope: redirected out of the scope of the crawl");
    crawl_buf_free(&panel.text);
    cw_tool_columns_end();
}

Test(panel, columns_of_wide_characters)
{
    crawl_buf out = {0};
    cw_tool_columns_begin();
    cr_expect_eq(cw_tool_columns(crawl_slice_from("a世b")), 4);
    cr_expect_eq(cw_tool_put_cut(&out, crawl_slice_from("世界世界世界"), 7, true), 7);
    cr_expect_str_eq(out.data, "世界…界");
    crawl_buf_clear(&out);
    cr_expect_eq(cw_tool_put_cut(&out, crawl_slice_from("世界"), 9, false), 2, "a terminal without UTF-8");
    cr_expect_str_eq(out.data, "??");
    crawl_buf_clear(&out);
    cr_expect_eq(cw_tool_put_words(&out, crawl_slice_from("redirected out of it"), 14, true), 11);
    cr_expect_str_eq(out.data, "redirected…");
    crawl_buf_clear(&out);
    cr_expect_eq(cw_tool_put_words(&out, crawl_slice_from("redirected out of it"), 15, true), 15);
    cr_expect_str_eq(out.data, "redirected out…");
    crawl_buf_clear(&out);
    cr_expect_eq(cw_tool_put_words(&out, crawl_slice_from("redirected out of it"), 5, true), 5);
    cr_expect_str_eq(out.data, "redi…");
    crawl_buf_free(&out);
    cw_tool_columns_end();
}
