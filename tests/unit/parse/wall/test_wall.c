/* Tests that walls, challenges and detours are recognized with their sign, and that pages which resemble one are
 * not. */
#include "base/bytes.h"

#include <crawl/wall.h>
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>

#define ARTICLE_LINKS "<a href=/1>1</a><a href=/2>2</a><a href=/3>3</a><a href=/4>4</a><a href=/5>5</a><a href=/6>6</a>"
#define HTML "content-type: text/html; charset=utf-8\n"

typedef struct wall_case {
    int status;
    const char *headers; /* one per line */
    const char *body;
    const char *url; /* NULL: http://h/a/b */
} wall_case;

static crawl_wall judge_with(crawl_wall_judge *judge, const wall_case *given)
{
    enum { MOST = 16 };
    crawl_header headers[MOST];
    size_t count = 0;
    crawl_slice rest = crawl_slice_from(given->headers);
    while (rest.size && count < MOST) {
        crawl_slice line = cw_cut_line(&rest);
        crawl_slice name = cw_cut(&line, ':');
        headers[count++] = (crawl_header){.name = name, .value = cw_trim(line)};
    }
    const crawl_wall_answer answer = {
        .size = sizeof answer,
        .url = crawl_slice_from(given->url ? given->url : "http://h/a/b"),
        .status = given->status,
        .headers = headers,
        .header_count = count,
        .body = crawl_slice_from(given->body),
    };
    crawl_wall wall;
    cr_assert_eq(crawl_wall_judge_answer(judge, &answer, &wall), CRAWL_OK);
    return wall;
}

static crawl_wall judge_one(const wall_case *given)
{
    crawl_wall_judge *judge = crawl_wall_judge_create();
    cr_assert(judge);
    crawl_wall wall = judge_with(judge, given);
    crawl_wall_judge_free(judge);
    return wall;
}

/* ---- tests/data/walls.jsonl: responses of each service, and pages with some sign of a wall ---- */

static const char *wall_text_in(const json_t *row, const char *name)
{
    const char *text = json_string_value(json_object_get(row, name));
    return text ? text : "";
}

/* Appends the headers to *lines, which is empty. */
static wall_case wall_case_of(const json_t *row, crawl_buf *lines)
{
    const json_t *headers = json_object_get(row, "headers");
    for (size_t i = 0; i < json_array_size(headers); i++)
        cr_assert(!crawl_buf_printf(lines, "%s\n", json_string_value(json_array_get(headers, i))));
    return (wall_case){
        .status = (int)json_integer_value(json_object_get(row, "status")),
        .headers = lines->size ? lines->data : "",
        .body = wall_text_in(row, "body"),
        .url = json_string_value(json_object_get(row, "url")),
    };
}

static void check_wall_row(crawl_wall_judge *judge, const json_t *row, unsigned number)
{
    crawl_buf lines = {0};
    const wall_case given = wall_case_of(row, &lines);
    const char *verdict = wall_text_in(row, "verdict");
    crawl_wall wall = judge_with(judge, &given);
    cr_expect_str_eq(crawl_verdict_name(wall.verdict), verdict, "line %u: %s of %s by %s", number,
                     crawl_verdict_name(wall.verdict), wall.service, wall.sign);
    cr_expect_str_eq(wall.service, wall_text_in(row, "service"), "line %u: %s", number, wall.service);
    cr_expect_eq(wall.sign[0] == 0, wall.verdict == CRAWL_VERDICT_CONTENT, "line %u: %s", number, wall.sign);
    crawl_buf_free(&lines);
}

/* One judge gets all responses, so that none affects the next. */
Test(wall, is_told_by_its_service_and_is_no_page_with_something_of_one)
{
    enum { LEAST = 100 };
    crawl_wall_judge *judge = crawl_wall_judge_create();
    FILE *file = fopen(CRAWL_TEST_DATA "/walls.jsonl", "r");
    unsigned rows = 0;
    cr_assert(judge && file);
    for (json_t *row; (row = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL)); json_decref(row))
        check_wall_row(judge, row, ++rows);
    cr_expect_geq(rows, LEAST);
    cr_expect(feof(file), "line %u is no JSON", rows + 1);
    fclose(file);
    crawl_wall_judge_free(judge);
}

/* Words alone do not make a wall of a page with much text or with links. */
Test(wall, says_little)
{
    crawl_buf body = {0};
    cr_assert(!crawl_buf_append_text(&body, "<title>Access Denied</title><p>Reference #18.1 "));
    for (int i = 0; i < 300; i++)
        cr_assert(!crawl_buf_append_text(&body, "A long tale. "));
    const wall_case given = {403, HTML "server: AkamaiGHost\n", body.data, NULL};
    cr_expect_eq(judge_one(&given).verdict, CRAWL_VERDICT_CONTENT);
    crawl_buf_free(&body);
}

/* A successful response is not examined beyond 2,000 bytes of text or five links, neither elements nor scripts. */
Test(wall, is_no_good_answer_that_says_much_or_leads_on)
{
    static const char sign[] = "<script id=\"anubis_challenge\">{}</script>";
    crawl_buf body = {0};
    for (int i = 0; i < 300; i++)
        cr_assert(!crawl_buf_append_text(&body, "A long tale. "));
    cr_assert(!crawl_buf_append_text(&body, sign));
    cr_expect_eq(judge_one(&(wall_case){200, HTML, body.data, NULL}).verdict, CRAWL_VERDICT_CONTENT);
    cr_expect_eq(judge_one(&(wall_case){403, HTML, body.data, NULL}).verdict, CRAWL_VERDICT_CHALLENGE);
    crawl_buf_clear(&body);
    for (int i = 0; i < 6; i++)
        cr_assert(!crawl_buf_append_text(&body, "<a href=#a>a</a>"));
    cr_assert(!crawl_buf_append_text(&body, sign));
    cr_expect_eq(judge_one(&(wall_case){200, HTML, body.data, NULL}).verdict, CRAWL_VERDICT_CONTENT);
    crawl_buf_free(&body);
}

Test(wall, names_its_sign)
{
    crawl_wall by_header = judge_one(&(wall_case){403, "CF-Mitigated: challenge\n", "", NULL});
    cr_expect_str_eq(by_header.sign, "header cf-mitigated: challenge");
    const wall_case titled = {503, HTML, "<title>Just a moment...</title><script>window._cf_chl_opt={}</script>", NULL};
    crawl_wall by_title = judge_one(&titled);
    cr_expect_str_eq(by_title.sign, "title Just a moment...");
}

Test(wall, wants_the_size_of_its_struct)
{
    crawl_wall_judge *judge = crawl_wall_judge_create();
    crawl_wall wall;
    cr_expect_eq(crawl_wall_judge_answer(judge, &(crawl_wall_answer){.size = 0}, &wall), CRAWL_EINVAL);
    crawl_wall_judge_free(judge);
}

/* ---- pages recognized by their words and their form ---- */

static crawl_verdict by_title(const char *title, const char *body, const char *url)
{
    crawl_wall_judge *judge = crawl_wall_judge_create();
    crawl_wall wall;
    const crawl_header header = {.name = crawl_slice_from("content-type"), .value = crawl_slice_from("text/html")};
    const crawl_wall_answer answer = {
        .size = sizeof answer,
        .url = crawl_slice_from(url),
        .status = 200,
        .headers = &header,
        .header_count = 1,
        .body = crawl_slice_from(body),
    };
    cr_assert_eq(crawl_wall_judge_title(judge, &answer, crawl_slice_from(title), &wall), CRAWL_OK);
    crawl_wall_judge_free(judge);
    return wall.verdict;
}

Test(wall, a_title_alone_says_that_a_page_is_not_there)
{
    static const char *const missing[] = {
        "404 - Not Found",
        "404 Not Found",
        "Page not found - Shop",
        "PAGE NOT FOUND | Shop",
        "Seite nicht gefunden \xe2\x80\x93 Laden",
        "P\xc3\xa1gina no encontrada",
        "P\xc3\x81GINA NO ENCONTRADA",
        "\xd0\xa1\xd1\x82\xd1\x80\xd0\xb0\xd0\xbd\xd0\xb8\xd1\x86\xd0\xb0 \xd0\xbd\xd0\xb5 "
        "\xd0\xbd\xd0\xb0\xd0\xb9\xd0\xb4\xd0\xb5\xd0\xbd\xd0\xb0",
        "404 - Page Not Found",
        "404: Page Not Found",
        "404 \xe2\x80\x93 Page not found",
        "404 | Page not found",
        "404 Error",
        "HTTP Status 404 \xe2\x80\x93 Not Found",
        "Error 404",
        "Error 404: Page not found",
        "Page Not Found!",
        "Page not found.",
        "Oops! Page not found",
        "Acme | Page Not Found",
        "Acme | Shop | 404 - Not found",
        "Page not found \xe2\x80\xa2 Acme",
        "\xe9\xa1\xb5\xe9\x9d\xa2\xe6\x9c\xaa\xe6\x89\xbe\xe5\x88\xb0"};
    static const char *const pages[] = {"How to make a 404 page",
                                        "Error 404: a film",
                                        "Not found in nature",
                                        "Shop - 404 Main Street",
                                        "404",
                                        "Lost and not found - Shop",
                                        "How to fix: Page not found",
                                        "How to fix - Page not found",
                                        "404 | Shop",
                                        "4040 - Not found",
                                        "Error 4041",
                                        "Oops",
                                        "Peugeot 404",
                                        "Error - Not found - a song"};
    const char *body = "<title>x</title>" ARTICLE_LINKS "<p>Sorry, that page is gone.";
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        cr_expect_eq(by_title(missing[i], body, "http://h/a"), CRAWL_VERDICT_SOFT_404, "%s", missing[i]);
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        cr_expect_eq(by_title(pages[i], body, "http://h/a"), CRAWL_VERDICT_CONTENT, "%s", pages[i]);
    cr_expect_eq(by_title("404 Not Found", body, "http://h/"), CRAWL_VERDICT_CONTENT, "never the home page");
    char article[4096] = "<p>";
    for (size_t size = 3; size + 7 < sizeof article; size += 6)
        memcpy(article + size, "words ", 7);
    cr_expect_eq(by_title("404 Not Found", article, "http://h/a"), CRAWL_VERDICT_CONTENT, "it says much");
}

Test(wall, a_page_that_is_a_login_or_a_consent)
{
    static const struct {
        crawl_verdict verdict;
        wall_case answer;
    } forms[] = {
        {CRAWL_VERDICT_LOGIN, {200, HTML, "<form><input name=u><input type=password name=p></form>Sign in", NULL}},
        {CRAWL_VERDICT_LOGIN, {200, HTML, "<FORM><INPUT NAME=u><INPUT TYPE=\"PASSWORD\" NAME=p></FORM>Sign in", NULL}},
        {CRAWL_VERDICT_CONTENT, {200, HTML, "<form><input type=password name=p></form>Sign in", "http://h/user/login"}},
        {CRAWL_VERDICT_CONTENT,
         {200, HTML, "<form><input type=password name=p><input type=password name=q></form>Join", NULL}},
        /* in a page's head */
        {CRAWL_VERDICT_CONTENT, {200, HTML, "<form><input type=password name=p></form>" ARTICLE_LINKS, NULL}},
        {CRAWL_VERDICT_CONTENT, {401, HTML, "<form><input type=password name=p></form>", NULL}},
        {CRAWL_VERDICT_CONSENT,
         {200, HTML, "<form action=/save><button>Agree</button></form>", "https://consent.h.example/m?continue=%2Fa"}},
        {CRAWL_VERDICT_CONTENT, {200, HTML, "<p>Our consent policy", "https://consent.h.example/m?continue=%2Fa"}},
        {CRAWL_VERDICT_CONTENT, {200, HTML, "<form><button>Agree</button></form>", "https://h.example/a"}},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        cr_expect_eq(judge_one(&forms[i].answer).verdict, forms[i].verdict, "%zu", i);
}

Test(wall, paths_of_challenges)
{
    static const char *const paths[] = {"/cdn-cgi/challenge-platform/h/b", "/.within.website/x/cmd/anubis/",
                                        "/.well-known/sgcaptcha/",         "/TSPD/08a1",
                                        "/_fs-ch-1T1wmsGaOgGaSxcX/",       "/.well-known/ddos-guard/js-challenge/"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        cr_expect(crawl_wall_is_challenge_path(crawl_slice_from(paths[i])), "%s", paths[i]);
    static const char *const others[] = {"",         "/",       "/cdn-cgi/", "/a/cdn-cgi/challenge-platform/",
                                         "/captcha", "/sorry/", "/ips.js"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        cr_expect(!crawl_wall_is_challenge_path(crawl_slice_from(others[i])), "%s", others[i]);
}
