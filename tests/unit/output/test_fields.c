/* Tables of values found by rules: a file that is appended to keeps its columns, and has only complete rows. */
#include "config/config_values.h"

#include <crawl/output.h>

#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/crawl-fields-XXXXXX";
static char table[64];
static char rules[64];
static crawl_config config;
static crawl_error error;

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    cr_assert_eq(fclose(file), 0);
}

static void expect_file(const char *expected)
{
    char text[500] = "";
    FILE *file = fopen(table, "r");
    cr_assert_not_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    cr_expect_str_eq(text, expected);
}

static void setup(void)
{
    cr_assert_not_null(mkdtemp(folder));
    snprintf(table, sizeof table, "%s/values.csv", folder);
    snprintf(rules, sizeof rules, "%s/crawler.conf", folder);
    write_file(rules, "[extract product]\nfield.title = h1\n");
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    cr_assert_eq(crawl_config_load(&config, rules, &error), CRAWL_OK, "%s", error.message);
    cr_assert_eq(crawl_config_set(&config, "output.fields", table, &error), CRAWL_OK, "%s", error.message);
}

static void teardown(void)
{
    cw_config_clear(&config);
    unlink(table);
    unlink(rules);
    rmdir(folder);
}

TestSuite(fields, .init = setup, .fini = teardown);

/* Appends a row to the table, as a resumed crawl does. */
static crawl_err append_row(void)
{
    const crawl_record record = {
        .size = sizeof record,
        .url = crawl_slice_from("http://a.test/2"),
        .fields = crawl_slice_from("{\"product\":{\"title\":\"Two\"}}"),
    };
    crawl_lines *lines = NULL;
    crawl_fields *fields = NULL;
    cr_assert_eq(crawl_lines_open(table, CRAWL_LINES_APPEND, NULL, &lines, &error), CRAWL_OK, "%s", error.message);
    crawl_err err = crawl_fields_create(&config, lines, &fields, &error);
    if (!err)
        cr_expect_eq(crawl_fields_write(fields, &record), CRAWL_OK);
    crawl_fields_free(fields);
    cr_expect_eq(crawl_lines_close(lines, NULL), CRAWL_OK);
    return err;
}

Test(fields, a_table_begins_with_its_columns)
{
    cr_expect_eq(append_row(), CRAWL_OK);
    expect_file("url,section,product.title\nhttp://a.test/2,product,Two\n");
}

Test(fields, a_table_goes_on_behind_its_whole_rows)
{
    write_file(table, "url,section,product.title\nhttp://a.test/1,product,One\nhttp://a.test/2,prod");
    cr_expect_eq(append_row(), CRAWL_OK);
    expect_file("url,section,product.title\nhttp://a.test/1,product,One\nhttp://a.test/2,product,Two\n");
}

Test(fields, a_table_with_other_columns_is_left_as_it_is)
{
    static const char *const others[] = {
        "url,section,product.price\nhttp://a.test/1,product,1\n",
        "url,section,product.title,product.price\nhttp://a.test/1,product,One,1\n",
        "url,section\n",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        write_file(table, others[i]);
        cr_expect_eq(append_row(), CRAWL_EINVAL);
        cr_expect_not_null(strstr(error.message, "values.csv: its columns differ from those to be appended"), "%s",
                           error.message);
        expect_file(others[i]);
    }
    write_file(table, "url,section,product.title\n");
    cr_expect_eq(append_row(), CRAWL_OK);
}
