/* A report's data and verdicts: which record counts, which links are kept, redirects, copies, folders. */
#include "tools/common/status.h"
#include "tools/report/survey/survey_judge.h"
#include "tools/report/survey/survey_read.h"
#include "tools/report/survey/survey_settle.h"
#include "tools/report/tables/tables.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static cw_survey *survey;

static void begin(void)
{
    survey = cw_survey_create(NULL);
    cr_assert_not_null(survey);
}

static void end(void)
{
    cw_survey_free(survey);
}

TestSuite(survey, .init = begin, .fini = end);

static crawl_err take(const char *line)
{
    return cw_results_line(survey->results, crawl_slice_from(line), NULL);
}

static int64_t number(const char *sql)
{
    return cw_survey_number(survey, sql);
}

/* Returns the number of a page; 0: there is none. */
static int64_t page_at(const char *url)
{
    int64_t id;
    cr_assert_eq(cw_survey_find(survey, crawl_slice_from(url), CW_KIND_PAGE, &id), CRAWL_OK);
    return id;
}

static void settle_records(void)
{
    cr_assert_eq(cw_survey_settle_records(survey), CRAWL_OK);
}

static void settle(void)
{
    settle_records();
    cr_assert_eq(cw_survey_settle_links(survey, NULL), CRAWL_OK);
}

static void redirect(const char *from, const char *to)
{
    char line[256];
    snprintf(line, sizeof line, "{\"url\":\"http://a/%s\",\"status\":301,\"redirect\":\"http://a/%s\"}", from, to);
    cr_assert_eq(take(line), CRAWL_OK);
}

static void link_to(const char *from, const char *to, const char *text)
{
    char line[256];
    snprintf(line, sizeof line, "{\"from\":\"%s\",\"to\":\"%s\",\"text\":\"%s\",\"tag\":\"a\",\"verdict\":\"new\"}",
             from, to, text);
    cr_assert_eq(take(line), CRAWL_OK);
}

Test(survey, the_latest_record_counts)
{
    take("{\"url\":\"http://a/\",\"status\":404,\"fetched_at\":\"2026-11-22T10:00:00.000Z\"}");
    take("{\"url\":\"http://a/\",\"status\":200,\"title\":\"T\",\"fetched_at\":\"2026-11-22T11:00:00.000Z\"}");
    take("{\"url\":\"http://a/\",\"status\":500,\"fetched_at\":\"2026-11-22T09:00:00.000Z\"}");
    take("{\"url\":\"http://a/\",\"status\":304,\"fetched_at\":\"2026-11-22T12:00:00.000Z\"}");
    settle_records();
    cr_expect_eq(number("SELECT count(*) FROM page"), 1);
    cr_expect_eq(survey->records, 4);
    cr_expect_eq(number("SELECT status = 200 AND title = 'T' FROM p"), 1, "a 304 changes nothing");
    cr_expect_eq(survey->first, 20261122090000000);
    cr_expect_eq(survey->last, 20261122120000000);
}

Test(survey, ids_stay_of_a_page_that_has_not_changed)
{
    take("{\"url\":\"http://a/\",\"status\":200,\"ids\":[\"x\",\"y\"]}");
    take("{\"url\":\"http://a/\",\"status\":200,\"changed\":false}");
    cr_expect_eq(number("SELECT count(*) FROM ids"), 2);
    take("{\"url\":\"http://a/\",\"status\":200,\"ids\":[\"z\"]}");
    cr_expect_eq(number("SELECT count(*) FROM ids"), 1);
}

Test(survey, an_unchanged_page_keeps_its_words)
{
    take("{\"url\":\"http://a/\",\"status\":200,\"title\":\"T\",\"bytes\":7,\"visit\":1}");
    take("{\"url\":\"http://a/\",\"status\":200,\"changed\":false,\"bytes\":8,\"visit\":2}");
    take("{\"url\":\"http://a/\",\"status\":304,\"visit\":3}");
    settle_records();
    cr_expect_eq(number("SELECT title = 'T' AND bytes = 8 AND status = 200 FROM p"), 1);
    cr_expect_eq(number("SELECT count(*) FROM visits"), 3);
}

Test(survey, a_304_says_nothing_of_the_digest)
{
    take("{\"url\":\"http://a/\",\"status\":200,\"digest\":\"sha1:P\",\"visit\":1}");
    take("{\"url\":\"http://a/\",\"status\":304,\"digest\":\"sha1:NOTHING\",\"changed\":false,\"visit\":2}");
    settle_records();
    cr_expect_eq(number("SELECT digest = 'sha1:P' FROM p"), 1);
    cr_expect_eq(number("SELECT count(*) FROM visits WHERE digest IS NULL"), 1);
}

Test(survey, an_unchanged_page_is_what_it_was)
{
    static const char *const lines[] = {
        "{\"url\":\"http://a/\",\"status\":200,\"robots\":[\"noindex\"],\"links\":7,\"links_cut\":true,\"bytes\":5,"
        "\"withheld\":\"train\",\"headers\":{\"csp\":[\"x\"],\"server\":[\"s\"]},\"visit\":1}",
        "{\"url\":\"http://a/\",\"status\":304,\"changed\":false,\"robots\":[],\"links\":0,\"bytes\":0,"
        "\"headers\":{\"server\":[\"t\"]},\"visit\":2}",
        "{\"url\":\"http://a/\",\"status\":503,\"robots\":[],\"links\":0,\"bytes\":9,\"visit\":3}",
        "{\"url\":\"http://a/\",\"status\":200,\"changed\":false,\"robots\":[],\"links\":0,\"bytes\":5,"
        "\"headers\":{\"csp\":[\"x\"],\"server\":[\"t\"]},\"visit\":4}",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        take(lines[i]);
        cr_expect_eq(
            number("SELECT robots = 'noindex' AND links = 7 AND links_cut AND bytes = 5 AND withheld = 'train' "
                   "FROM pages"),
            1, "visit %zu", i + 1);
        cr_expect_eq(
            number("SELECT count(*) FROM headers WHERE (name, value) IN (VALUES ('csp', 'x'), ('server', 's'), "
                   "('server', 't'))"),
            2, "visit %zu", i + 1);
    }
    cr_expect_eq(number("SELECT value = 't' FROM headers WHERE name = 'server'"), 1);
    take("{\"url\":\"http://a/\",\"status\":200,\"changed\":true,\"robots\":[],\"links\":0,\"bytes\":0,\"visit\":5}");
    cr_expect_eq(number("SELECT robots = '' AND links = 0 AND links_cut IS NULL AND bytes = 0 FROM pages"), 1);
    cr_expect_eq(number("SELECT count(*) FROM headers"), 0);
    take("{\"url\":\"http://a/\",\"status\":200,\"headers\":{\"csp\":[],\"server\":[\"t\"]},\"visit\":6}");
    cr_expect_eq(number("SELECT sum(value IS NULL) FROM headers"), 1);
}

Test(survey, a_page_that_is_nearly_as_before_is_what_it_is_now)
{
    take("{\"url\":\"http://a/\",\"status\":200,\"title\":\"T\",\"robots\":[\"noindex\"],\"links\":7,\"bytes\":5,"
         "\"withheld\":\"train\",\"verdict\":\"soft-404\",\"simhash\":\"00000000000000ff\",\"data\":{\"hreflang\":"
         "[{\"lang\":\"de\",\"url\":\"http://a/\"}]},\"ids\":[\"x\"],\"visit\":1}");
    take("{\"url\":\"http://a/\",\"status\":200,\"title\":null,\"changed\":false,\"robots\":[],\"links\":0,\"bytes\":6,"
         "\"simhash\":\"00000000000000fe\",\"visit\":2}");
    cr_expect_eq(number("SELECT robots = '' AND links = 0 AND bytes = 6 AND coalesce(title, withheld, verdict) IS NULL "
                        "FROM pages"),
                 1);
    cr_expect_eq(number("SELECT (SELECT count(*) FROM hreflang) + (SELECT count(*) FROM ids)"), 0);
    take("{\"url\":\"http://a/\",\"status\":200,\"changed\":false,\"robots\":[],\"links\":0,\"bytes\":6,\"visit\":3}");
    cr_expect_eq(number("SELECT simhash = '00000000000000fe' FROM pages"), 1);
}

Test(survey, an_unchanged_soft_404_is_one)
{
    static const char *const visits[] = {"\"status\":200,\"visit\":2", "\"status\":304,\"visit\":3"};
    char line[256];
    take(
        "{\"url\":\"http://a/\",\"status\":200,\"verdict\":\"soft-404\",\"error\":\"soft-404\",\"detail\":\"w\",\"visit\":1}");
    for (size_t i = 0; i < sizeof visits / sizeof *visits; i++) {
        snprintf(line, sizeof line, "{\"url\":\"http://a/\",\"changed\":false,%s}", visits[i]);
        take(line);
        cr_expect_eq(
            number("SELECT verdict = 'soft-404' AND error = 'soft-404' AND detail = 'w' AND broken FROM pages"), 1,
            "%s", line);
    }
    take("{\"url\":\"http://a/\",\"status\":200,\"changed\":true,\"visit\":4}");
    cr_expect_eq(number("SELECT verdict IS NULL AND error IS NULL FROM pages"), 1);
}

Test(survey, a_failed_visit_leaves_the_content)
{
    static const char *const failures[] = {
        "{\"url\":\"http://a/\",\"status\":403,\"content_type\":\"text/plain\",\"digest\":\"sha1:F\",\"bytes\":9,\"visit\":2}",
        "{\"url\":\"http://a/\",\"status\":0,\"error\":\"timeout\",\"visit\":2}",
        "{\"url\":\"http://a/\",\"status\":200,\"error\":\"wall\",\"verdict\":\"wall\",\"visit\":2}",
        "{\"url\":\"http://a/\",\"status\":302,\"error\":\"wall\",\"redirect\":\"http://a/challenge\",\"visit\":2}",
    };
    static const char content[] =
        "SELECT count(*) FROM pages p WHERE content_type = 'text/html' AND digest = 'sha1:P' AND title = 'T' AND text = "
        "'some words' AND description = 'd' AND EXISTS (SELECT 1 FROM ids WHERE page = p.id) AND EXISTS (SELECT 1 FROM "
        "hreflang WHERE page = p.id)";
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        end();
        begin();
        take(
            "{\"url\":\"http://a/\",\"status\":200,\"content_type\":\"text/html\",\"digest\":\"sha1:P\",\"title\":\"T\","
            "\"text\":\"some words\",\"data\":{\"description\":\"d\",\"hreflang\":[{\"lang\":\"de\",\"url\":\"http://a/\"}]},"
            "\"ids\":[\"x\"],\"visit\":1}");
        take(failures[i]);
        cr_expect_eq(number(content), 1, "%s", failures[i]);
        cr_expect_eq(number("SELECT status = 200 AND error IS NULL FROM pages"), 0, "%s", failures[i]);
        take("{\"url\":\"http://a/\",\"status\":304,\"changed\":false,\"visit\":3}");
        cr_expect_eq(number(content), 1, "%s", failures[i]);
        cr_expect_eq(number("SELECT status = 200 AND error IS NULL AND verdict IS NULL AND NOT broken FROM pages"), 1,
                     "%s", failures[i]);
        take("{\"url\":\"http://a/\",\"status\":404,\"visit\":4}");
        cr_expect_eq(number("SELECT text IS NULL AND digest IS NULL FROM pages"), 1, "it is gone");
    }
}

Test(survey, links_that_two_files_have_are_there_once)
{
    for (int file = 0; file < 2; file++) {
        cw_results_next_file(survey->results);
        link_to("http://a/", "http://a/x", "X");
        link_to("http://a/", "http://a/x", "X");
    }
    link_to("http://b/", "http://a/x", "X");
    cr_assert_eq(cw_results_settle(survey->results, NULL), CRAWL_OK);
    settle();
    cr_expect_eq(number("SELECT linked FROM p WHERE url = 'http://a/x'"), 3);
}

/* Stores a visit as a crawl does: its links, from 1 on to each of the targets, and then its record. */
static void visit(int number, const char *targets, const char *fields)
{
    crawl_buf links = {0};
    char line[256];
    size_t count = strlen(targets);
    for (size_t i = 0; i < count; i++)
        crawl_buf_printf(&links, "%c{\"from\":\"http://a/\",\"to\":\"http://a/%c\",\"tag\":\"a\",\"verdict\":\"new\"}",
                         i ? ',' : '[', targets[i]);
    crawl_buf_append_text(&links, count ? "]" : "[]");
    cr_assert_eq(cw_results_links(survey->results, crawl_buf_slice(&links), NULL), CRAWL_OK);
    link_to("http://b/", "http://a/x", "stays");
    snprintf(line, sizeof line, "{\"url\":\"http://a/\",\"visit\":%d,%s}", number, fields);
    take(line);
    crawl_buf_free(&links);
}

static int64_t links_of_page(void)
{
    return number("SELECT count(*) FROM main.links l JOIN urls u ON u.id = l.page WHERE u.url = 'http://a/'");
}

Test(survey, links_that_a_page_no_longer_has_are_dropped)
{
    cw_results_order_links(survey->results);
    visit(1, "xyyz", "\"status\":200,\"links\":4");
    cr_expect_eq(links_of_page(), 4);
    visit(2, "", "\"status\":304,\"changed\":false,\"links\":0");
    visit(3, "", "\"status\":500,\"links\":0");
    cr_expect_eq(links_of_page(), 4, "nothing new is known of them");
    visit(4, "vw", "\"status\":200,\"changed\":true,\"links\":2");
    cr_expect_eq(links_of_page(), 2);
    cr_expect_eq(number("SELECT count(*) FROM main.links JOIN urls u ON u.id = target WHERE url IN ('http://a/v', "
                        "'http://a/w')"),
                 2);
    visit(5, "uvw", "\"status\":200,\"changed\":false,\"links\":3");
    cr_expect_eq(links_of_page(), 3, "read, and nearly the same");
    visit(6, "u", "\"status\":301,\"redirect\":\"http://a/u\",\"changed\":true,\"links\":0");
    cr_expect_eq(links_of_page(), 1, "the redirect");
    visit(7, "u", "\"status\":301,\"redirect\":\"http://a/u\",\"changed\":false,\"links\":0");
    cr_expect_eq(links_of_page(), 1, "the same redirect");
    visit(8, "", "\"status\":404,\"links\":0");
    cr_expect_eq(links_of_page(), 0);
    cr_expect_eq(number("SELECT count(*) FROM main.links"), 8, "those of the other page");
    visit(9, "xy", "\"status\":200,\"links\":2");
    visit(10, "", "\"status\":200,\"changed\":false,\"links\":0,\"simhash\":\"00000000000000ff\"");
    cr_expect_eq(links_of_page(), 0, "read, and nearly the same");
}

Test(survey, requests_of_other_methods_are_other_pages)
{
    take("{\"url\":\"http://a/\",\"status\":200,\"method\":\"GET\"}");
    take("{\"url\":\"http://a/\",\"status\":405,\"method\":\"POST\"}");
    settle_records();
    cr_expect_eq(number("SELECT count(*) FROM p WHERE url = 'http://a/'"), 2);
    cr_expect_eq(number("SELECT status FROM p WHERE url = 'http://a/' AND state = 0"), 200);
    cr_expect_eq(page_at("http://a/"), number("SELECT id FROM p WHERE status = 200"));
}

Test(survey, a_page_is_found_by_other_spellings)
{
    take("{\"url\":\"http://a/b?y=2&x=1\",\"canonical\":\"http://a/b?x=1&y=2\",\"status\":200}");
    settle_records();
    cr_expect_neq(page_at("http://a/b?y=2&x=1#top"), 0);
    cr_expect_eq(page_at("http://A:80/./b?x=1&y=2"), page_at("http://a/b?y=2&x=1"));
    cr_expect_eq(page_at("http://a/b?x=1"), 0);
    cr_expect_eq(page_at("no url"), 0);
}

Test(survey, bad_lines)
{
    static const char *const bad[] = {
        "", "[]", "1", "{", "{\"url\":null}", "{\"url\":\"\"}", "{\"status\":200}", "{\"url\":\"\\ud800\"}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        crawl_error error = {0};
        cr_expect_eq(cw_results_line(survey->results, crawl_slice_from(bad[i]), &error), CRAWL_EPARSE, "%s", bad[i]);
        cr_expect(*error.message, "%s", bad[i]);
    }
    cr_expect_eq(
        take("{\"url\":\"http://a/\",\"status\":\"x\",\"bytes\":-5,\"title\":7,\"robots\":\"x\",\"depth\":1e300}"),
        CRAWL_OK, "what is of another type is left out");
    cr_expect_eq(take("{\"url\":\"http://c/\",\"fields\":{\"a\":{\"b\":12345678901234567890}}}"), CRAWL_OK,
                 "a number beyond 64 bits is one");
    cr_expect_eq(take("{\"url\":\"http://b/\",\"title\":\"bad \xff\"}"), CRAWL_OK, "broken UTF-8 is mended");
    settle_records();
    cr_expect_eq(number("SELECT bytes = 0 AND status = 0 FROM p WHERE url = 'http://a/'"), 1);
    cr_expect_eq(number("SELECT title = 'bad ' || char(65533) FROM p WHERE url = 'http://b/'"), 1);
}

Test(survey, what_is_nested_too_deep_for_sqlite_is_left_out)
{
    for (int deep = 900; deep < 2046; deep += 10) {
        crawl_buf line = {0};
        crawl_buf_printf(&line,
                         "{\"url\":\"http://a/%d\",\"status\":200,\"title\":\"T\",\"data\":{\"h1\":[\"]\\\"}\"],"
                         "\"json_ld\":",
                         deep);
        for (int i = 0; i < deep; i++)
            crawl_buf_append_char(&line, '[');
        for (int i = 0; i < deep; i++)
            crawl_buf_append_char(&line, ']');
        crawl_buf_append_text(&line, "},\"headers\":{\"server\":[\"x\"]}}");
        cr_expect_eq(take(line.data), CRAWL_OK, "%d", deep);
        crawl_buf_free(&line);
    }
    cr_expect_eq(number("SELECT count(*) FROM pages WHERE title = 'T'"), 115);
    cr_expect_eq(number("SELECT count(*) FROM pages WHERE data IS NOT NULL"), 10);
    cr_expect_eq(number("SELECT count(*) FROM pages WHERE h1 = ']\"}'"), 10);
    cr_expect_eq(number("SELECT count(*) FROM headers"), 115);
}

/* Reads a file of a megabyte into a database that cannot grow. */
static void read_at_a_full_disk(const char *begin, const char *piece, const char *end,
                                int (*read)(cw_survey *, const char *))
{
    char path[] = "/tmp/survey-XXXXXX";
    int file = mkstemp(path);
    cr_assert(file >= 0);
    crawl_buf text = {0};
    crawl_buf_append_text(&text, begin);
    for (int i = 0; text.size < 1000000; i++)
        crawl_buf_printf(&text, piece, i);
    crawl_buf_append_text(&text, end);
    cr_assert_eq(write(file, text.data, text.size), (ssize_t)text.size);
    close(file);
    cr_assert_eq(cw_survey_run(survey, "PRAGMA main.max_page_count = 1"), CRAWL_OK); /* as many as there are */
    cr_expect_eq(read(survey, path), CW_EXIT_LOCAL);
    unlink(path);
    crawl_buf_free(&text);
    fflush(stderr);
    cr_assert_stderr_eq_str("crawl report: the database of the report: database or disk is full\n");
}

Test(survey, a_full_disk_is_not_the_fault_of_the_input, .init = cr_redirect_stderr)
{
    read_at_a_full_disk("{\"url\":\"http://a/\",\"status\":200,\"text\":\"", "%d", "\"}\n", cw_survey_read);
}

Test(survey, a_full_disk_is_not_the_fault_of_the_sitemap, .init = cr_redirect_stderr)
{
    read_at_a_full_disk("<urlset>", "<url><loc>http://a/%d</loc></url>", "</urlset>", cw_survey_read_sitemap);
}

Test(survey, judgements)
{
    static const struct {
        int status;
        const char *error, *redirect;
        cw_survey_state state;
        const char *answer;
    } cases[] = {
        {200, "", "", CW_SURVEY_FINE, "200 OK"},
        {304, "", "", CW_SURVEY_FINE, "304 Not Modified"},
        {301, "", "http://a/", CW_SURVEY_REDIRECTS, "301 Moved Permanently"},
        {301, "redirects", "http://a/", CW_SURVEY_BROKEN, "The redirects lead to no page"},
        {301, "scope", "http://b/", CW_SURVEY_UNCHECKED, "A redirect leads out of the crawl"},
        {404, "", "", CW_SURVEY_BROKEN, "404 Not Found"},
        {418, "", "", CW_SURVEY_BROKEN, "418 "},
        {429, "retry-after", "", CW_SURVEY_UNCHECKED, "429 Too Many Requests"},
        {503, "retry-after", "", CW_SURVEY_BROKEN, "503 Service Unavailable"},
        {0, "dns", "", CW_SURVEY_BROKEN, "The host name was not found"},
        {200, "protocol", "", CW_SURVEY_BROKEN, "The answer breaks the rules of HTTP"},
        {200, "too-large", "", CW_SURVEY_UNCHECKED, "The answer is larger than the crawl reads"},
        {0, "robots", "", CW_SURVEY_UNCHECKED, "robots.txt forbids it"},
        {0, "of a later version", "", CW_SURVEY_BROKEN, "Another error"},
        {0, "", "", CW_SURVEY_UNCHECKED, "Not asked for"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const cw_survey_record record = {
            .status = cases[i].status, .error = crawl_slice_from(cases[i].error), .redirects = *cases[i].redirect};
        cr_expect_eq(cw_survey_judge(&record), cases[i].state, "case %zu", i);
        cr_expect_str_eq(cw_survey_answer_of_rank(cw_survey_rank(&record)).text, cases[i].answer, "case %zu", i);
    }
}

/* Returns the number of redirects from a page at the start of a chain. */
static int64_t hops(const char *url)
{
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT hops FROM chain WHERE NOT is_loop AND begin = %lld", (long long)page_at(url));
    return number(sql);
}

Test(survey, chains_and_loops)
{
    redirect("c1", "c2");
    redirect("c2", "c3");
    redirect("other", "c2");
    take("{\"url\":\"http://a/c3\",\"status\":200}");
    redirect("once", "c3");
    redirect("l1", "l2");
    redirect("l2", "l1");
    redirect("into", "between");
    redirect("between", "l2");
    redirect("self", "self");
    redirect("out", "out2");
    redirect("out2", "nowhere");
    settle();
    cr_expect_eq(hops("http://a/c1"), 2);
    cr_expect_eq(hops("http://a/other"), 2);
    cr_expect_eq(hops("http://a/c2"), 0, "a chain begins where no redirect leads to");
    cr_expect_eq(hops("http://a/once"), 0, "one redirect is no chain");
    cr_expect_eq(hops("http://a/out"), 2);
    cr_expect_eq(hops("http://a/into"), 2);
    cr_expect_eq(number("SELECT count(*) FROM loop JOIN p USING(id) WHERE url IN "
                        "('http://a/l1', 'http://a/l2', 'http://a/self')"),
                 3);
    cr_expect_eq(number("SELECT count(*) FROM loop"), 3);
    cr_expect_eq(number("SELECT count(*) FROM chain WHERE is_loop"), 2);
}

Test(survey, a_long_chain_is_cut)
{
    for (int i = 0; i < 200; i++) {
        char from[16], to[16];
        snprintf(from, sizeof from, "%d", i);
        snprintf(to, sizeof to, "%d", i + 1);
        redirect(from, to);
    }
    settle();
    cr_expect_eq(hops("http://a/0"), CW_SURVEY_HOPS_MAX);
}

Test(survey, links_to_what_is_broken_are_kept)
{
    take("{\"url\":\"http://a/\",\"status\":200}");
    take("{\"url\":\"http://a/gone\",\"status\":404}");
    redirect("moved", "");
    link_to("http://a/", "http://a/gone#x", "Gone");
    link_to("http://a/", "http://a/moved", "Moved");
    link_to("http://a/", "http://a/", "Home");
    link_to("http://a/", "http://elsewhere:81/x", "Out");
    link_to("http://a/", "http://elsewhere:81/x", "Out");
    settle();
    cr_expect_eq(number("SELECT count(*) FROM link"), 2);
    cr_expect_eq(number("SELECT link.text = 'Gone' FROM link JOIN p ON p.id = link.target WHERE url = 'http://a/gone'"),
                 1);
    cr_expect_eq(number("SELECT linked FROM p WHERE url = 'http://a/'"), 1);
    cr_expect_eq(number("SELECT links FROM host WHERE name = 'elsewhere:81'"), 2);
}

Test(survey, folders)
{
    static const char *const urls[] = {"http://a/",      "http://a/x/1?q=/y/", "http://a/x/2",
                                       "http://a/x/y/3", "http://b/1",         "no url"};
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        char line[128];
        snprintf(line, sizeof line, "{\"url\":\"%s\",\"status\":%d,\"bytes\":10}", urls[i], i == 2 ? 404 : 200);
        take(line);
    }
    settle();
    cr_expect_eq(number("SELECT count(*) FROM folder WHERE level"), 4);
    cr_expect_eq(number("SELECT pages = 4 AND own = 1 AND broken = 1 AND bytes = 40 AND parent = '' FROM folder "
                        "WHERE path = 'http://a/'"),
                 1);
    cr_expect_eq(number("SELECT pages = 3 AND of_4xx = 1 AND parent = 'http://a/' FROM folder "
                        "WHERE path = 'http://a/x/'"),
                 1);
    cr_expect_eq(number("SELECT own FROM folder WHERE path = ''"), 1);
}

static void count_row(void *user, const cw_survey_cell *)
{
    ++*(int *)user;
}

static int rows_of(const char *id, bool is_flat)
{
    int rows = 0;
    const cw_survey_report report = {.survey = survey};
    const cw_survey_out out = {.is_flat = is_flat, .row = count_row, .user = &rows};
    cr_assert_eq(cw_survey_rows(cw_survey_table_of(crawl_slice_from(id)), &report, &out), CRAWL_OK);
    return rows;
}

Test(survey, copies)
{
    static const char *const urls[] = {"a", "b", "c", "d", "e"};
    static const char *const digests[] = {"1", "1", "1", "2", "3"};
    for (size_t i = 0; i < 5; i++) {
        char line[256];
        snprintf(
            line, sizeof line,
            "{\"url\":\"http://h/%s\",\"status\":200,\"bytes\":9,\"digest\":\"sha1:%s\",\"title\":\"T\",\"charset\":"
            "\"utf-8\",\"content_type\":\"text/html\"}",
            urls[i], digests[i]);
        take(line);
    }
    settle();
    cr_expect_eq(rows_of("duplicates", false), 1);
    cr_expect_eq(rows_of("duplicates", true), 3);
    cr_expect_eq(rows_of("same-titles", true), 3, "of the copies one alone");
}
