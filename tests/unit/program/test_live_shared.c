#include "crawler/program/live/live_shared.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define NOW_MS 1795000000000

enum { MANY = 400 };

static crawl_shared_process processes[MANY];
static char names[MANY][24];
static const crawl_shared_figures figures = {.queued = 70, .held = 8, .accepted = 99, .finished = 21};

/* Makes w000, w001, ...: the first ones are alive, and each of the others was last seen a second later than the one
 * before. */
static crawl_shared_crew crew_of(size_t count, size_t alive)
{
    for (size_t i = 0; i < count; i++) {
        int64_t gone_ms = NOW_MS - 1000 * (int64_t)(count - i);
        snprintf(names[i], sizeof names[i], "w%03zu", i);
        processes[i] = (crawl_shared_process){
            .name = crawl_slice_from(names[i]),
            .until_ms = i < alive ? NOW_MS + 1 : gone_ms,
            .has_ended = i >= alive && i % 2,
            .report = {.is_known = true, .told_ms = gone_ms, .pages = i + 1, .failures = 2, .version = "9"},
        };
    }
    return (crawl_shared_crew){.now_ms = NOW_MS,
                               .processes = processes,
                               .process_count = count,
                               .forgotten = 5,
                               .total = {.is_known = true, .pages = 1234, .running = 6, .pages_per_s = 2.5}};
}

static json_t *json_of(const crawl_shared_crew *crew)
{
    const cw_live_shared shared = {.figures = &figures, .crew = crew, .self = crawl_slice_from("w001")};
    json_t *object = cw_live_shared_json(&shared);
    cr_assert_not_null(object);
    return object;
}

static const char *text_at(const json_t *list, size_t index, const char *name)
{
    return json_string_value(json_object_get(json_array_get(list, index), name));
}

static json_int_t number_at(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

Test(live_shared, those_alive_go_first_and_then_who_was_there_last)
{
    crawl_shared_crew crew = crew_of(5, 2);
    json_t *object = json_of(&crew);
    const json_t *workers = json_object_get(object, "workers");
    static const char *const order[] = {"w000", "w001", "w004", "w003", "w002"};
    static const char *const states[] = {"alive", "alive", "gone", "ended", "gone"};
    cr_assert_eq(json_array_size(workers), 5);
    for (size_t i = 0; i < 5; i++) {
        cr_expect_str_eq(text_at(workers, i, "name"), order[i]);
        cr_expect_str_eq(text_at(workers, i, "state"), states[i]);
        cr_expect_eq(json_is_true(json_object_get(json_array_get(workers, i), "self")), i == 1);
    }
    cr_expect_eq(number_at(json_array_get(workers, 2), "pages"), 5);
    cr_expect_eq(number_at(object, "queued"), 70);
    cr_expect_eq(number_at(object, "held"), 8);
    cr_expect_eq(number_at(object, "alive"), 2);
    cr_expect_eq(number_at(object, "gone"), 3 + 5);
    cr_expect_eq(number_at(json_object_get(object, "total"), "pages"), 1234);
    json_decref(object);
}

Test(live_shared, rows_are_bounded_and_all_are_counted)
{
    crawl_shared_crew crew = crew_of(MANY, 300);
    json_t *object = json_of(&crew);
    cr_expect_eq(json_array_size(json_object_get(object, "workers")), CW_LIVE_WORKERS_MAX);
    cr_expect_eq(number_at(object, "alive"), 300);
    cr_expect_eq(number_at(object, "gone"), 105);
    json_decref(object);
    crew = crew_of(MANY, 3);
    object = json_of(&crew);
    cr_expect_eq(json_array_size(json_object_get(object, "workers")), 3 + CW_LIVE_GONE_MAX);
    json_decref(object);
}

Test(live_shared, what_a_worker_has_not_told_is_null)
{
    crawl_shared_crew crew = crew_of(1, 1);
    processes[0].report = (crawl_shared_report){0};
    crew.total = (crawl_shared_report){0};
    json_t *object = json_of(&crew);
    cr_expect(json_is_null(json_object_get(json_array_get(json_object_get(object, "workers"), 0), "pages")));
    cr_expect(json_is_null(json_object_get(json_object_get(object, "total"), "pages_per_s")));
    json_decref(object);
}

Test(live_shared, metrics)
{
    static const char *const lines[] = {
        "# TYPE crawl_worker_pages_total counter\ncrawl_worker_pages_total{worker=\"w\\\"\\\\??\"} 1\n",
        "\ncrawl_worker_pages_total{worker=\"w001\"} 2\n",
        "\ncrawl_worker_up{worker=\"w001\"} 0\n",
        "# TYPE crawl_shared_workers gauge\ncrawl_shared_workers 1\n",
        "# TYPE crawl_shared_pages_total counter\ncrawl_shared_pages_total 1234\n",
        "\ncrawl_shared_connections_in_use 6\n",
        "\ncrawl_shared_queue_requests 70\n",
    };
    crawl_shared_crew crew = crew_of(2, 1);
    processes[0].name = crawl_slice_from("w\"\\\n\xff");
    const cw_live_shared shared = {.figures = &figures, .crew = &crew};
    crawl_buf text = {0};
    cw_writer out = {.out = &text};
    cw_live_shared_metrics(&shared, &out);
    cr_assert_eq(out.err, CRAWL_OK);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        cr_expect_not_null(strstr(text.data, lines[i]), "%s", lines[i]);
    crawl_buf_free(&text);
}
