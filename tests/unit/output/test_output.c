/* The outputs of a configuration, together with a spider's own hooks: refusals, the order of calls, and the contents of
 * files. */
#include "config/config_values.h"
#include "crawler/output/output.h"
#include "tests/support/folder.h"

static char path[64];
static crawl_config config;
static crawl_output *output;
static crawl_error error;
static crawl_engine_hooks hooks = {.size = sizeof hooks};
static crawl_err spider; /* result of its hook */
static unsigned calls;
static char own_name[] = "\"own\":";

static void set(const char *key, const char *value)
{
    cr_assert_eq(crawl_config_set(&config, key, value, &error), CRAWL_OK, "%s", error.message);
}

static void set_up(void)
{
    make_folder();
    snprintf(path, sizeof path, "%s/pages.jsonl", folder);
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
}

static void tear_down(void)
{
    crawl_output_free(output);
    cw_config_clear(&config);
    remove_folder();
}

TestSuite(output, .init = set_up, .fini = tear_down);

static crawl_err on_record(void *, const crawl_record *)
{
    calls++;
    return spider;
}

static const crawl_record record = {
    .size = sizeof record, .url = {"http://a/", 9}, .method = {"GET", 3}, .status = 200, .title = {"T", 1}};

static void begin(const crawl_output_options *options)
{
    const crawl_engine_hooks own = {.size = sizeof own, .on_record = on_record};
    set("output.output", path);
    cr_assert_eq(crawl_output_create(&config, options, &output, &error), CRAWL_OK, "%s", error.message);
    crawl_output_hooks(output, &own, &hooks);
}

static void begin_and_open(const crawl_output_options *options)
{
    begin(options);
    cr_assert_eq(crawl_output_open(output, &error), CRAWL_OK, "%s", error.message);
}

static void expect_file(const char *wanted)
{
    char text[4096] = "";
    FILE *file = fopen(path, "re");
    cr_assert_not_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    cr_expect(*wanted ? strstr(text, wanted) != NULL : !*text, "%s is not in: %s", wanted, text);
}

Test(output, what_cannot_be_written_is_refused_by_its_name)
{
    static const char *const cases[][3] = {
        {"output.report", "r.html", "output.report: "},
        {"output.sitemap", "maps", "output.sitemap: "},
        {"output.output", "redis://127.0.0.1/0?list=a", "output: "},
        {"output.links", "redis://127.0.0.1/0?list=a", "links: "},
        {"output.requests", "a.csv", "requests: a.csv: "},
        {"output.output", "a.jsonl.gz", "output: a.jsonl.gz: "},
        {"output.links", "a.csv.zst", "links: a.csv.zst: "},
        {"output.requests", "a.gz", "requests: a.gz: "},
        {"output.links", "same", "output.output and output.links are the same: same"},
        {"output.mirror", "/usr", "mirror: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cw_config_clear(&config);
        cr_assert_eq(cw_config_init(&config), CRAWL_OK);
        if (strcmp(cases[i][1], "same") == 0)
            set("output.output", "same");
        set(cases[i][0], cases[i][1]);
        cr_expect_eq(crawl_output_create(&config, NULL, &output, &error), CRAWL_EINVAL, "%s", cases[i][0]);
        cr_expect_eq(strncmp(error.message, cases[i][2], strlen(cases[i][2])), 0, "%s", error.message);
        cr_expect_null(output);
    }
}

static crawl_err add_member(void *user, const crawl_record *of, crawl_buf *out)
{
    crawl_err err = crawl_buf_append_text(out, user);
    return err ? err : crawl_json_text(of->title, out);
}

static crawl_err keep_line(void *user, const crawl_record *, crawl_slice line)
{
    crawl_buf_clear(user);
    crawl_err err = crawl_buf_append(user, line.data, line.size);
    return err ? err : CRAWL_AGAIN;
}

static crawl_output_options options_of(void *user)
{
    crawl_output_options options;
    crawl_output_options_init(&options, sizeof options);
    options.user = user;
    return options;
}

Test(output, a_row_of_csv_has_no_room_for_members)
{
    crawl_output_options options = options_of(own_name);
    options.members = add_member;
    set("output.output", "a.csv");
    cr_expect_eq(crawl_output_create(&config, &options, &output, &error), CRAWL_EINVAL);
    options = (crawl_output_options){0};
    cr_expect_eq(crawl_output_create(&config, &options, &output, &error), CRAWL_EINVAL, "init has not filled them");
}

Test(output, a_crawl_without_open_fails)
{
    begin(NULL);
    cr_expect_eq(hooks.on_record(hooks.user, &record), CRAWL_ESTATE);
    cr_expect_eq(hooks.on_tick(hooks.user, NULL), CRAWL_ESTATE);
}

Test(output, the_spider_is_called_first_and_its_error_leaves_no_line)
{
    begin_and_open(NULL);
    spider = CRAWL_REFUSED;
    cr_expect_eq(hooks.on_record(hooks.user, &record), CRAWL_REFUSED);
    cr_expect_eq(crawl_output_flush(output), CRAWL_OK);
    expect_file("");
    spider = CRAWL_AGAIN;
    cr_expect_eq(hooks.on_record(hooks.user, &record), CRAWL_AGAIN);
    cr_expect_eq(hooks.on_tick(hooks.user, NULL), CRAWL_OK);
    cr_expect_eq(calls, 2);
    expect_file("{\"url\":\"http://a/\"");
}

Test(output, hooks_that_cost_are_set_where_they_are_wanted)
{
    begin(NULL);
    cr_expect(hooks.on_record && hooks.on_tick);
    cr_expect(!hooks.on_edge && !hooks.on_exchange && !hooks.on_depart && !hooks.on_link && !hooks.on_response);
    cr_expect(!hooks.capture && hooks.digests == (config.digest == CRAWL_DIGEST_SHA1));
    set("output.links", "l");
    set("output.warc", "w");
    set("output.requests", "r");
    crawl_output_hooks(output, NULL, &hooks);
    cr_expect(hooks.on_edge && hooks.on_exchange && hooks.on_depart && hooks.capture);
}

Test(output, members_of_the_caller_are_in_file_and_line_alike)
{
    crawl_buf line = {0};
    crawl_output_options options = options_of(own_name);
    options.members = add_member;
    begin_and_open(&options);
    cr_expect_eq(hooks.on_record(hooks.user, &record), CRAWL_OK);
    cr_expect_eq(crawl_output_close(output, true, NULL, NULL, &error), CRAWL_OK, "%s", error.message);
    expect_file(",\"own\":\"T\"}\n");
    crawl_buf_free(&line);
}

Test(output, lines_go_elsewhere_and_a_record_on_its_way_is_not_kept)
{
    crawl_buf line = {0};
    crawl_output_options options = options_of(&line);
    options.on_line = keep_line;
    begin_and_open(&options);
    cr_expect_eq(hooks.on_record(hooks.user, &record), CRAWL_AGAIN);
    cr_assert_eq(crawl_output_flush(output), CRAWL_OK);
    cr_assert_not_null(line.data);
    expect_file(line.data);
    crawl_record out = record;
    out.left_out = true;
    crawl_buf_clear(&line);
    cr_expect_eq(hooks.on_record(hooks.user, &out), CRAWL_OK);
    cr_expect_eq(line.size, 0, "it is left out");
    crawl_buf_free(&line);
}

static void count_ending(void *user, crawl_output_kind kind, const crawl_output_ending *ending)
{
    unsigned *failed = user;
    cr_expect_eq(kind, CRAWL_OUTPUT_RECORDS);
    *failed += ending->err == CRAWL_EIO && strstr(ending->words, "/dev/full");
}

Test(output, a_failure_is_told_by_the_name_of_its_output)
{
    unsigned failed = 0;
    snprintf(path, sizeof path, "/dev/full");
    begin_and_open(NULL);
    cr_expect_eq(hooks.on_record(hooks.user, &record), CRAWL_OK, "it has not left yet");
    cr_expect_eq(hooks.on_tick(hooks.user, NULL), CRAWL_EIO);
    cr_expect_eq(crawl_output_close(output, false, count_ending, &failed, &error), CRAWL_EIO);
    cr_expect_eq(failed, 1);
    cr_expect_str_eq(error.message, "output: /dev/full: No space left on device");
    cr_expect_eq(crawl_output_close(output, false, count_ending, &failed, &error), CRAWL_OK, "closed already");
}

Test(output, a_file_that_is_there_is_left_alone_unless_it_is_said)
{
    FILE *file = fopen(path, "we");
    cr_assert(file && fputs("{\"url\":1}\n", file) >= 0 && fclose(file) == 0);
    begin(NULL);
    cr_expect_eq(crawl_output_open(output, &error), CRAWL_EINVAL);
    cr_expect_eq(strncmp(error.message, "output: ", 8), 0, "%s", error.message);
    expect_file("{\"url\":1}\n");
    set("output.existing", "append");
    cr_assert_eq(crawl_output_open(output, &error), CRAWL_OK, "%s", error.message);
    cr_expect_eq(hooks.on_record(hooks.user, &record), CRAWL_OK);
    cr_expect_eq(crawl_output_close(output, true, NULL, NULL, NULL), CRAWL_OK);
    expect_file("{\"url\":1}\n{\"url\":\"http://a/\"");
}

/* Reported progress of the end of a copy, and when to end it. */
typedef struct told {
    uint64_t finished, all;
    unsigned calls;
    uint64_t up_to; /* this one is the last */
    crawl_mirror_figures figures;
} told;

static bool take_progress(void *user, uint64_t finished, uint64_t all)
{
    told *to = user;
    cr_expect(to->calls == 0 || finished == to->finished + 1, "one after the other");
    to->finished = finished;
    to->all = all;
    to->calls++;
    return finished < to->up_to;
}

static void take_figures(void *user, crawl_output_kind kind, const crawl_output_ending *ending)
{
    told *to = user;
    cr_assert(kind == CRAWL_OUTPUT_MIRROR && ending->mirror);
    to->figures = *ending->mirror;
}

/* Serves four pages with links to each other and one file without; the first time, all requests fail. */
static void copy_pages(bool comes, told *to)
{
    static const char *const urls[] = {"http://a/", "http://a/b", "http://a/c", "http://a/d", "http://a/e.txt"};
    crawl_output_options options = options_of(to);
    options.on_mirror = take_progress;
    cr_assert_eq(crawl_output_create(&config, &options, &output, &error), CRAWL_OK, "%s", error.message);
    crawl_output_hooks(output, NULL, &hooks);
    cr_assert_eq(crawl_output_open(output, &error), CRAWL_OK, "%s", error.message);
    for (size_t i = 0; comes && i < sizeof urls / sizeof *urls; i++) {
        crawl_record page = record;
        page.url = page.canonical = crawl_slice_from(urls[i]);
        page.content_type = crawl_slice_from(i < 4 ? "text/html" : "text/plain");
        page.body = crawl_slice_from("<a href='/'>a</a>");
        cr_expect_eq(hooks.on_record(hooks.user, &page), CRAWL_OK);
    }
    cr_expect_eq(crawl_output_close(output, true, take_figures, to, &error), CRAWL_OK, "%s", error.message);
    crawl_output_free(output);
    output = NULL;
}

Test(output, the_end_of_a_copy_is_told_and_may_be_left_to_the_next_run)
{
    told first = {.up_to = 2}, second = {.up_to = UINT64_MAX}, third = second;
    snprintf(path, sizeof path, "%s/copy", folder);
    set("output.mirror", path);
    copy_pages(true, &first);
    cr_expect(first.calls == 3 && first.finished == 2 && first.all == 4);
    cr_expect(first.figures.rewritten == 2 && first.figures.left == 2);
    copy_pages(false, &second);
    cr_expect(second.calls == 5 && second.finished == 4 && second.all == 4);
    cr_expect(second.figures.rewritten == 2 && second.figures.left == 0, "those that were left");
    copy_pages(false, &third);
    cr_expect_eq(third.calls, 0, "nothing has changed since then");
}

/* Runs a durable crawl that writes a record. */
static void run_once(void)
{
    crawl_engine *engine = NULL;
    crawl_engine_stats stats;
    const crawl_seed seed = {.size = sizeof seed, .url = crawl_slice_from("http://a.example/")};
    cr_assert_eq(crawl_output_create(&config, NULL, &output, &error), CRAWL_OK, "%s", error.message);
    cr_assert_eq(crawl_output_engine_create(output, NULL, &engine, &error), CRAWL_OK, "%s", error.message);
    cr_expect_eq(crawl_engine_seed(engine, &seed, &error), calls ? CRAWL_EXISTS : CRAWL_OK, "%s", error.message);
    cr_assert_eq(crawl_output_open(output, &error), CRAWL_OK, "%s", error.message);
    cr_expect_eq(cw_output_record(output, &record), CRAWL_OK);
    crawl_engine_stats_get(engine, &stats);
    cr_expect_eq(stats.resumed, calls > 0);
    calls++;
    cr_expect_eq(crawl_output_close(output, true, NULL, NULL, &error), CRAWL_OK, "%s", error.message);
    cr_expect_eq(crawl_engine_close(engine, &error), CRAWL_OK, "%s", error.message);
    crawl_output_free(output);
    output = NULL;
}

static unsigned lines_of(const char *name, const char *begins)
{
    char line[4096];
    unsigned lines = 0;
    FILE *file = fopen(name, "re");
    cr_assert_not_null(file);
    while (fgets(line, sizeof line, file))
        lines += strncmp(line, begins, strlen(begins)) == 0;
    fclose(file);
    return lines;
}

Test(output, a_crawl_that_goes_on_adds_to_its_files)
{
    char state[64], requests[64];
    snprintf(state, sizeof state, "%s/state", folder);
    snprintf(requests, sizeof requests, "%s/requests.jsonl", folder);
    set("state.directory", state);
    set("output.output", path);
    set("output.requests", requests);
    run_once();
    run_once();
    cr_expect_eq(lines_of(path, "{\"url\":\"http://a/\""), 2);
    cr_expect_eq(lines_of(requests, "{\"event\":\"run\""), 2);
    cr_expect_eq(lines_of(requests, "{\"event\":\"run-end\""), 2);
}
