/* Tests statements of sites about the use of their pages with the rows in preferences/. Each row has the statements of
 * one or several sources, and the expected result. */
#include "tests/support/jsonl.h"

#include "base/bytes.h"

#include <crawl/preferences.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct asked_page {
    crawl_preferences *preferences;
    crawl_url *url;
} asked_page;

static void add_robots(asked_page *p, jsonl *file, const json_t *row)
{
    crawl_robots *robots = NULL;
    crawl_slice body = jsonl_bytes(file, row, "robots");
    if (!body.data)
        return;
    const char *agent = jsonl_text(row, "agent");
    cr_assert_eq(crawl_robots_parse(body, crawl_slice_from(agent ? agent : "crawl"), &robots), CRAWL_OK);
    cr_assert_eq(crawl_preferences_add_robots(p->preferences, robots, p->url), CRAWL_OK);
    crawl_robots_free(robots);
}

static void add_headers(asked_page *p, const json_t *row)
{
    size_t i;
    json_t *header;
    json_array_foreach(json_object_get(row, "headers"), i, header)
    {
        crawl_slice value = crawl_slice_from(json_string_value(header));
        crawl_slice name = cw_cut(&value, ':');
        cr_assert_eq(crawl_preferences_add_header(p->preferences, name, value, p->url), CRAWL_OK);
    }
}

static void add_page(asked_page *p, jsonl *file, const json_t *row, crawl_extractor extractor)
{
    crawl_page *page = crawl_page_create();
    crawl_slice html = jsonl_bytes(file, row, "html");
    const char *agent = jsonl_text(row, "agent");
    cr_assert(page);
    crawl_page_set_extractor(page, extractor);
    cr_assert_eq(crawl_page_set_agent(page, agent ? agent : "crawl"), CRAWL_OK);
    if (html.data) {
        cr_assert_eq(crawl_page_parse(page, html, p->url, NULL), CRAWL_OK);
        cr_assert_eq(crawl_preferences_add_page(p->preferences, page), CRAWL_OK);
    }
    crawl_page_free(page);
}

static void add_tdmrep(asked_page *p, jsonl *file, const json_t *row)
{
    crawl_tdmrep *tdmrep = NULL;
    crawl_slice body = jsonl_bytes(file, row, "tdmrep");
    if (!body.data)
        return;
    crawl_err err = crawl_tdmrep_parse(body, &tdmrep);
    cr_assert(!err || err == CRAWL_EPARSE);
    if (!err)
        cr_assert_eq(crawl_preferences_add_tdmrep(p->preferences, tdmrep, p->url), CRAWL_OK);
    crawl_tdmrep_free(tdmrep);
}

/* Returns the statements that count or are notes, as "SOURCE LABEL VALUE"; " !IGNORED" marks the ignored ones, " ?" the
 * ambiguous ones. */
static json_t *statements_of(const crawl_preferences *preferences)
{
    json_t *list = json_array();
    for (size_t i = 0; i < crawl_preferences_count(preferences); i++) {
        crawl_statement s = crawl_preferences_statement(preferences, i);
        json_array_append_new(list,
                              json_sprintf("%s %.*s%s%.*s%s%s%s", s.source, (int)s.label.size, s.label.data,
                                           s.value.size ? " " : "", (int)s.value.size, s.value.data,
                                           s.ignored ? " !" : "", s.ignored ? s.ignored : "", s.ambiguous ? " ?" : ""));
    }
    return list;
}

/* Returns the uses with a statement, as "train=n search=y". */
static crawl_buf may_of(const crawl_preferences *preferences)
{
    crawl_buf text = {0};
    unsigned refused = crawl_preferences_refused(preferences);
    unsigned granted = crawl_preferences_granted(preferences);
    cr_assert_not(refused & granted);
    for (unsigned use = 0; use < CRAWL_USE_COUNT; use++)
        if ((refused | granted) >> use & 1)
            cr_assert_eq(crawl_buf_printf(&text, "%s%s=%s", text.size ? " " : "", crawl_use_name((crawl_use)use),
                                          refused >> use & 1 ? "n" : "y"),
                         CRAWL_OK);
    return text;
}

static bool row_holds(jsonl *file, const json_t *row, crawl_extractor extractor)
{
    const char *agent = jsonl_text(row, "agent");
    const char *url = jsonl_text(row, "url");
    asked_page p = {crawl_preferences_create(agent ? agent : "crawl"), crawl_url_create()};
    cr_assert(p.preferences && p.url);
    cr_assert_eq(crawl_url_parse(p.url, crawl_slice_from(url ? url : "https://h.example/"), NULL, NULL), CRAWL_OK);
    add_robots(&p, file, row);
    add_tdmrep(&p, file, row);
    add_headers(&p, row);
    add_page(&p, file, row, extractor);
    cr_assert_eq(crawl_preferences_finish(p.preferences), CRAWL_OK);
    crawl_buf may = may_of(p.preferences);
    json_t *found = statements_of(p.preferences);
    const json_t *expected = json_object_get(row, "statements");
    bool holds = cw_is(crawl_buf_slice(&may), jsonl_text(row, "may")) && (!expected || json_equal(found, expected));
    if (!holds) {
        char *text = json_dumps(found, JSON_COMPACT);
        fprintf(stderr, "%s: may %.*s, expected %s; found %s\n", jsonl_text(row, "id"), (int)may.size, may.data,
                jsonl_text(row, "may"), text);
        free(text);
    }
    json_decref(found);
    crawl_buf_free(&may);
    crawl_preferences_free(p.preferences);
    crawl_url_free(p.url);
    return holds;
}

Test(preferences, statements_and_what_they_come_to)
{
    unsigned rows = 0;
    unsigned failed = 0;
    if (!jsonl_is_own())
        cr_skip_test("0 cases: there are rows of our own alone");
    jsonl *file = jsonl_open("preferences/statements.jsonl");
    for (const json_t *row; (row = jsonl_next(file));) {
        rows++;
        failed += !row_holds(file, row, CRAWL_EXTRACTOR_SCAN) || !row_holds(file, row, CRAWL_EXTRACTOR_LIBXML2);
    }
    cr_assert_gt(rows, 80);
    cr_assert_eq(failed, 0);
}
