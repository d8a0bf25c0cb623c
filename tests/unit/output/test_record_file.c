/* The end of a file of records, after any truncation. */
#include "crawler/output/record_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/crawl-records-XXXXXX";

static void expect_mended(const char *before, bool is_csv, const char *after)
{
    char there[400000];
    crawl_error error = {0};
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(before, file);
    fclose(file);
    cr_assert_eq(cw_output_record_file_mend(path, is_csv, &error), CRAWL_OK, "%s", error.message);
    file = fopen(path, "r");
    there[fread(there, 1, sizeof there - 1, file)] = '\0';
    fclose(file);
    cr_expect_str_eq(there, after);
}

static void expect(const char *before, const char *after)
{
    expect_mended(before, false, after);
}

static void setup(void)
{
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
}

static void teardown(void)
{
    unlink(path);
}

TestSuite(record_file, .init = setup, .fini = teardown);

Test(record_file, that_ends_well_stays)
{
    expect("", "");
    expect("{\"url\":\"a\"}\n", "{\"url\":\"a\"}\n");
    expect("anything\n", "anything\n");
}

Test(record_file, the_beginning_of_a_record_is_cut_off)
{
    expect("{\"url\":\"a\"}\n{\"url\":\"b\",\"sta", "{\"url\":\"a\"}\n");
    expect("{\"url\":\"a\"}\n{\"u", "{\"url\":\"a\"}\n");
    expect("{\"event\":\"a\"}\n{\"event\":\"b\",\"sta", "{\"event\":\"a\"}\n");
    expect("{\"from\":\"a\"}\n{\"from\":\"b\",\"to", "{\"from\":\"a\"}\n");
    expect("{", "");
}

Test(record_file, a_row_of_csv_without_its_end_is_cut_off)
{
    expect_mended("url\r\nhttp://a/\r\n", true, "url\r\nhttp://a/\r\n");
    expect_mended("url\r\nhttp://a/\r\nhttp://b", true, "url\r\nhttp://a/\r\n");
    expect_mended("ur", true, "");
}

Test(record_file, a_whole_record_gets_its_end)
{
    expect("{\"url\":\"a\"}\n{\"url\":\"b\"}", "{\"url\":\"a\"}\n{\"url\":\"b\"}\n");
    expect("{\"url\":\"a\",\"fields\":12345678901234567890}", "{\"url\":\"a\",\"fields\":12345678901234567890}\n");
}

Test(record_file, of_others_nothing_is_taken)
{
    expect("a note", "a note\n");
    expect("{\"other\":1", "{\"other\":1\n");
}

Test(record_file, a_long_line_is_found_from_its_beginning)
{
    static char before[300000], after[] = "x\n";
    strcpy(before, "x\n{\"url\":\"");
    memset(before + strlen(before), 'y', 200000);
    expect(before, after);
}

Test(record_file, that_is_not_there_or_no_file_is_left_alone)
{
    crawl_error error = {0};
    cr_expect_eq(cw_output_record_file_mend("/tmp/crawl-no-such-file", false, &error), CRAWL_OK);
    cr_expect_eq(cw_output_record_file_mend("/dev/null", false, &error), CRAWL_OK);
    cr_expect_eq(cw_output_record_file_mend("/dev/null/x", false, &error), CRAWL_EIO);
}
