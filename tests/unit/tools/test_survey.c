/* What a report knows and how it judges: which record counts, which links are kept, redirects, copies, folders. */
#include "tools/report/survey/redirects.h"
#include "tools/report/survey/survey_judge.h"
#include "tools/report/survey/survey_read.h"
#include "tools/report/tables/rows.h"

#include <criterion/criterion.h>
#include <stdio.h>

static cw_survey *survey;

static void begin(void)
{
    survey = cw_survey_create();
    cr_assert_not_null(survey);
}

static void end(void)
{
    cw_survey_free(survey);
}

TestSuite(survey, .init = begin, .fini = end);

static crawl_err take(const char *line)
{
    return cw_survey_take_record(survey, crawl_slice_from(line), NULL);
}

static cw_survey_page *page_at(const char *url)
{
    return cw_survey_find(survey, crawl_slice_from(url));
}

static void redirect(const char *from, const char *to)
{
    char line[256];
    snprintf(line, sizeof line, "{\"url\":\"http://a/%s\",\"status\":301,\"redirect\":\"http://a/%s\"}", from, to);
    cr_assert_eq(take(line), CRAWL_OK);
}

static void link_to(const char *from, const char *to, const char *text)
{
    const cw_survey_link link = {
        crawl_slice_from(from), crawl_slice_from(to), crawl_slice_from(text), crawl_slice_from("a"), false, false,
        CW_SURVEY_CUT_NONE};
    cr_assert_eq(cw_survey_add_link(survey, &link), CRAWL_OK);
}

Test(survey, the_latest_record_counts)
{
    take("{\"url\":\"http://a/\",\"status\":404,\"fetched_at\":\"2026-11-22T10:00:00.000Z\"}");
    take("{\"url\":\"http://a/\",\"status\":200,\"title\":\"T\",\"fetched_at\":\"2026-11-22T11:00:00.000Z\"}");
    take("{\"url\":\"http://a/\",\"status\":500,\"fetched_at\":\"2026-11-22T09:00:00.000Z\"}");
    take("{\"url\":\"http://a/\",\"status\":304,\"fetched_at\":\"2026-11-22T12:00:00.000Z\"}");
    cr_expect_eq(survey->pages.count, 1);
    cr_expect_eq(survey->records, 4);
    cr_expect_eq(page_at("http://a/")->says.status, 200, "a 304 changes nothing");
    cr_expect(crawl_slice_equal(page_at("http://a/")->says.title, crawl_slice_from("T")));
    cr_expect_eq(survey->first, 20261122090000000);
    cr_expect_eq(survey->last, 20261122120000000);
}

Test(survey, requests_of_other_methods_are_other_pages)
{
    take("{\"url\":\"http://a/\",\"status\":200,\"method\":\"GET\"}");
    take("{\"url\":\"http://a/\",\"status\":405,\"method\":\"POST\"}");
    cr_expect_eq(survey->pages.count, 2);
    cr_expect_eq(page_at("http://a/")->says.status, 200);
    cr_expect(crawl_slice_equal(survey->pages.items[1]->says.url, crawl_slice_from("http://a/")));
}

Test(survey, a_page_is_found_by_other_spellings)
{
    take("{\"url\":\"http://a/b?y=2&x=1\",\"canonical\":\"http://a/b?x=1&y=2\",\"status\":200}");
    cr_expect_not_null(page_at("http://a/b?y=2&x=1#top"));
    cr_expect_not_null(page_at("http://A:80/./b?x=1&y=2"));
    cr_expect_null(page_at("http://a/b?x=1"));
    cr_expect_null(page_at("no url"));
}

Test(survey, bad_lines)
{
    static const char *const bad[] = {
        "", "[]", "1", "{", "{\"url\":null}", "{\"url\":\"\"}", "{\"status\":200}", "{\"url\":\"\\ud800\"}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        crawl_error error = {0};
        cr_expect_eq(cw_survey_take_record(survey, crawl_slice_from(bad[i]), &error), CRAWL_EPARSE, "%s", bad[i]);
        cr_expect(*error.message, "%s", bad[i]);
    }
    cr_expect_eq(
        take("{\"url\":\"http://a/\",\"status\":\"x\",\"bytes\":-5,\"title\":7,\"robots\":\"x\",\"depth\":1e300}"),
        CRAWL_OK, "what is of another type is left out");
    cr_expect_eq(page_at("http://a/")->says.bytes, 0);
    cr_expect_eq(take("{\"url\":\"http://c/\",\"fields\":{\"a\":{\"b\":12345678901234567890}}}"), CRAWL_OK,
                 "a number beyond 64 bits is one");
    cr_expect_eq(take("{\"url\":\"http://b/\",\"title\":\"bad \xff\"}"), CRAWL_OK, "broken UTF-8 is mended");
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
        {0, "dns", "", CW_SURVEY_BROKEN, "The name of the host was not found"},
        {200, "protocol", "", CW_SURVEY_BROKEN, "The answer breaks the rules of HTTP"},
        {200, "too-large", "", CW_SURVEY_UNCHECKED, "The answer is larger than the crawl reads"},
        {0, "robots", "", CW_SURVEY_UNCHECKED, "robots.txt forbids it"},
        {0, "of a later version", "", CW_SURVEY_BROKEN, "Another error"},
        {0, "", "", CW_SURVEY_UNCHECKED, "Not asked for"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const cw_survey_record record = {.status = cases[i].status,
                                         .error = crawl_slice_from(cases[i].error),
                                         .redirect = crawl_slice_from(cases[i].redirect)};
        cr_expect_eq(cw_survey_judge(&record), cases[i].state, "case %zu", i);
        cr_expect_str_eq(cw_survey_answer_of(&record).text, cases[i].answer, "case %zu", i);
    }
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
    cw_survey_follow_redirects(survey);
    cr_expect_eq(page_at("http://a/c1")->hops, 2);
    cr_expect_eq(page_at("http://a/other")->hops, 2);
    cr_expect_eq(page_at("http://a/c2")->hops, 0, "a chain begins where no redirect leads to");
    cr_expect_not(cw_survey_is_chain(page_at("http://a/once")));
    cr_expect_eq(page_at("http://a/out")->hops, 2);
    cr_expect_eq(page_at("http://a/into")->hops, 2);
    cr_expect(page_at("http://a/l1")->in_loop && page_at("http://a/l2")->in_loop && page_at("http://a/self")->in_loop);
    cr_expect_not(page_at("http://a/into")->in_loop);
    int loops = 0;
    for (size_t i = 0; i < survey->pages.count; i++)
        loops += survey->pages.items[i]->loop_begins;
    cr_expect_eq(loops, 2);
}

Test(survey, a_long_chain_is_cut)
{
    for (int i = 0; i < 200; i++) {
        char from[16], to[16];
        snprintf(from, sizeof from, "%d", i);
        snprintf(to, sizeof to, "%d", i + 1);
        redirect(from, to);
    }
    cw_survey_follow_redirects(survey);
    cr_expect_eq(page_at("http://a/0")->hops, CW_SURVEY_HOPS_MAX);
}

Test(survey, links_to_what_is_broken_are_kept)
{
    take("{\"url\":\"http://a/\",\"status\":200}");
    take("{\"url\":\"http://a/gone\",\"status\":404}");
    link_to("http://a/", "http://a/gone#x", "Gone");
    link_to("http://a/", "http://a/", "Home");
    link_to("http://a/", "http://elsewhere:81/x", "Out");
    const cw_survey_page *gone = page_at("http://a/gone");
    cr_expect_eq(gone->source_count, 1);
    cr_expect(crawl_slice_equal(gone->sources->text, crawl_slice_from("Gone")));
    cr_expect_eq(page_at("http://a/")->linked, 1);
    cr_expect_null(page_at("http://a/")->sources);
    cr_expect_eq(cw_survey_host_at(survey, crawl_slice_from("elsewhere:81"))->links, 1);
}

Test(survey, links_of_one_page_are_bounded)
{
    take("{\"url\":\"http://a/gone\",\"status\":404}");
    for (unsigned i = 0; i < CW_SURVEY_SOURCES_OF_PAGE + 5; i++)
        link_to("http://a/", "http://a/gone", "x");
    cr_expect_eq(survey->sources, CW_SURVEY_SOURCES_OF_PAGE);
    cr_expect_eq(page_at("http://a/gone")->source_count, CW_SURVEY_SOURCES_OF_PAGE + 5);
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
    size_t count;
    cw_survey_folders folders = {0};
    cr_assert_eq(cw_survey_folders_build(&folders, survey), CRAWL_OK);
    const cw_survey_folder **sorted = cw_survey_folders_sorted(&folders.root, 9, &count);
    cr_assert_eq(count, 4);
    cr_expect(crawl_slice_equal(sorted[0]->path, crawl_slice_from("http://a/")));
    cr_expect(sorted[0]->pages == 4 && sorted[0]->own == 1 && sorted[0]->broken == 1 && sorted[0]->bytes == 40);
    cr_expect(crawl_slice_equal(cw_survey_folder_name(sorted[1]), crawl_slice_from("x/")));
    cr_expect(sorted[1]->pages == 3 && sorted[1]->classes[CW_FOLDER_4XX] == 1);
    cr_expect_eq(folders.root.own, 1);
    free(sorted);
    cw_survey_folders_free(&folders);
}

static void count_row(void *user, const cw_survey_cell *cells)
{
    (void)cells;
    ++*(int *)user;
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
    const cw_survey_report report = {.survey = survey};
    int groups = 0, members = 0, titled = 0;
    cr_assert_eq(cw_survey_mark_copies(&report), CRAWL_OK);
    cw_survey_rows_duplicates(&report, &(cw_survey_out){.row = count_row, .user = &groups});
    cw_survey_rows_duplicates(&report, &(cw_survey_out){.is_flat = true, .row = count_row, .user = &members});
    cw_survey_rows_same_titles(&report, &(cw_survey_out){.is_flat = true, .row = count_row, .user = &titled});
    cr_expect_eq(groups, 1);
    cr_expect_eq(members, 3);
    cr_expect_eq(titled, 3, "of the copies one alone");
}
