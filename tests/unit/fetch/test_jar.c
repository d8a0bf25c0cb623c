/* Cookies in Netscape's format: read, refused with their line, written. */
#include <crawl/fetch.h>

#include <criterion/criterion.h>

#define NOW ((int64_t)1700000000000) /* 14 November 2023, in ms */

static crawl_jar *jar;
static crawl_error error;

static void init(void)
{
    error = (crawl_error){0};
    cr_assert_eq(crawl_jar_create(true, &jar), CRAWL_OK);
}

static void fini(void)
{
    crawl_jar_free(jar);
}

TestSuite(jar, .init = init, .fini = fini);

static crawl_err take(const char *text)
{
    return crawl_jar_read(jar, "cookies.txt", crawl_slice_from(text), false, NOW, &error);
}

Test(jar, what_is_read_is_written)
{
    cr_assert_eq(
        take("# Netscape HTTP Cookie File\r\n\r\nexample.com\tFALSE\t/\tTRUE\t0\ta\t1\r\n"
             "#HttpOnly_.example.org\tTRUE\t/x\tFALSE\t4102444800\tb\tv w\nempty.example\tFALSE\t/\tFALSE\t0\tc"),
        CRAWL_OK, "%s", error.message);
    crawl_buf out = {0};
    cr_assert_eq(crawl_jar_write(jar, NOW, &out), CRAWL_OK);
    cr_expect_not_null(strstr(out.data, "example.com\tFALSE\t/\tTRUE\t0\ta\t1\n"), "%s", out.data);
    cr_expect_not_null(strstr(out.data, "#HttpOnly_.example.org\tTRUE\t/x\tFALSE\t4102444800\tb\tv w\n"), "%s",
                       out.data);
    cr_expect_not_null(strstr(out.data, "empty.example\tFALSE\t/\tFALSE\t0\tc\t\n"), "%s", out.data);
    crawl_jar *other;
    crawl_buf again = {0};
    cr_assert_eq(crawl_jar_create(true, &other), CRAWL_OK);
    cr_expect_eq(crawl_jar_read(other, "again", crawl_buf_slice(&out), false, NOW, NULL), CRAWL_OK);
    cr_expect_eq(crawl_jar_write(other, NOW, &again), CRAWL_OK);
    cr_expect_eq(again.size, out.size);
    crawl_jar_free(other);
    crawl_buf_free(&again);
    crawl_buf_free(&out);
}

Test(jar, numbers_stand_for_true_and_false)
{
    cr_assert_eq(take("a.example\t1\t/\t0\t0\ta\t1\nb.example\t0\t/\t1\t0\tb\t2\n"), CRAWL_OK, "%s", error.message);
    crawl_buf out = {0};
    cr_assert_eq(crawl_jar_write(jar, NOW, &out), CRAWL_OK);
    cr_expect_not_null(strstr(out.data, ".a.example\tTRUE\t/\tFALSE\t0\ta\t1\n"), "%s", out.data);
    cr_expect_not_null(strstr(out.data, "b.example\tFALSE\t/\tTRUE\t0\tb\t2\n"), "%s", out.data);
    crawl_buf_free(&out);
}

Test(jar, mistakes_name_their_line_and_nothing_is_taken)
{
    const char *cases[] = {"a b c\n",
                           "a\tFALSE\t/\tFALSE\t0\n",
                           "a\tFALSE\t/\tFALSE\t0\tn\tv\tw\n",
                           "a\tno\t/\tFALSE\t0\tn\tv\n",
                           "a\tFALSE\tx\tFALSE\t0\tn\tv\n",
                           "a\tFALSE\t/\tFALSE\tnever\tn\tv\n",
                           "\tFALSE\t/\tFALSE\t0\tn\tv\n",
                           "a\tFALSE\t/\tFALSE\t0\t\tv\n",
                           "Set-Cookie:a=b\tFALSE\t/\tFALSE\t0\tn\tv\n",
                           "a\tFALSE\t/\tFALSE\t0\tn\tv\r\r\n",
                           "a\tFALSE\t/\tFALSE\t0\tn\tv\x01\n",
                           "..a\tTRUE\t/\tFALSE\t0\tn\tv\n",
                           ".#a\tTRUE\t/\tFALSE\t0\tn\tv\n",
                           "a..\tTRUE\t/\tFALSE\t0\tn\tv\n",
                           "a b\tFALSE\t/\tFALSE\t0\tn\tv\n"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crawl_buf text = {0};
        cr_assert_eq(crawl_buf_printf(&text, "# a comment\n\n%s", cases[i]), CRAWL_OK);
        cr_expect_eq(take(text.data), CRAWL_EPARSE, "%s", cases[i]);
        cr_expect_eq(error.line, 3);
        cr_expect(strncmp(error.message, "cookies.txt:3: ", 15) == 0, "%s", error.message);
        crawl_buf_free(&text);
    }
    crawl_buf out = {0};
    cr_assert_eq(crawl_jar_write(jar, NOW, &out), CRAWL_OK);
    cr_expect_eq(out.size, 0);
    crawl_buf_free(&out);
    cr_expect_eq(crawl_jar_read(jar, "n", crawl_slice_of("a\0b", 3), false, NOW, &error), CRAWL_EPARSE);
}

/* Add-ons of browsers write such lines among good ones, fractions of seconds, and -1 for a cookie of the session, for
 * which Python writes nothing. */
Test(jar, lines_that_are_no_cookies_are_passed_over_beside_good_ones)
{
    crawl_buf out = {0};
    cr_expect_eq(take("not a cookie\n"
                      "one.example\tFALSE\t/\tFALSE\t-1\ta\t1\n"
                      "two.example\tFALSE\t/\tFALSE\t4102444800.25\tb\t2\n"
                      "three.example\tFALSE\t/\tFALSE\t\tc\t3\n"),
                 CRAWL_OK);
    cr_assert_eq(crawl_jar_write(jar, NOW, &out), CRAWL_OK);
    cr_expect_not_null(strstr(out.data, "one.example\tFALSE\t/\tFALSE\t0\ta\t1\n"), "%s", out.data);
    cr_expect_not_null(strstr(out.data, "two.example\tFALSE\t/\tFALSE\t4102444800\tb\t2\n"), "%s", out.data);
    cr_expect_not_null(strstr(out.data, "three.example\tFALSE\t/\tFALSE\t0\tc\t3\n"), "%s", out.data);
    crawl_buf_free(&out);
}

/* Our own files have none: such a file is damaged. */
Test(jar, a_kept_file_is_taken_whole_or_not_at_all)
{
    const char *text = "one.example\tFALSE\t/\tFALSE\t0\ta\t1\nnot a cookie\n";
    cr_expect_eq(crawl_jar_read(jar, "kept", crawl_slice_from(text), true, NOW, &error), CRAWL_EPARSE);
    cr_expect_eq(error.line, 2);
}

Test(jar, without_cookies_none_are_taken)
{
    crawl_jar *none;
    crawl_buf out = {0};
    cr_assert_eq(crawl_jar_create(false, &none), CRAWL_OK);
    cr_expect_eq(crawl_jar_read(none, "n", crawl_slice_from("a\tFALSE\t/\tFALSE\t0\tn\tv\n"), false, NOW, &error),
                 CRAWL_EINVAL);
    cr_expect_eq(crawl_jar_write(none, NOW, &out), CRAWL_OK);
    cr_expect_eq(out.size, 0);
    crawl_jar_free(none);
}

static void set(const char *url, const char *field)
{
    cr_expect_eq(crawl_jar_set(jar, crawl_slice_from(url), crawl_slice_from(field), NOW), CRAWL_OK, "%s", field);
}

static void expect_written(crawl_jar *from, int64_t now_ms, const char *expected)
{
    crawl_buf out = {0};
    cr_assert_eq(crawl_jar_write(from, now_ms, &out), CRAWL_OK);
    cr_expect_str_eq(out.data ? out.data : "", expected);
    crawl_buf_free(&out);
}

Test(jar, what_servers_set_is_written_behind_the_users_own)
{
    cr_assert_eq(take("a.example\tFALSE\t/\tFALSE\t0\town\t1\n"), CRAWL_OK);
    set("https://a.example/x/y", "b=2; Max-Age=60; HttpOnly; Secure; Domain=a.example");
    set("https://a.example/", "=nameless");
    expect_written(jar, NOW,
                   "a.example\tFALSE\t/\tFALSE\t0\town\t1\n# Set by servers:\n"
                   "#HttpOnly_.a.example\tTRUE\t/x\tTRUE\t1700000060\tb\t2\n");
    expect_written(jar, NOW + 60000, "a.example\tFALSE\t/\tFALSE\t0\town\t1\n");
}

Test(jar, what_was_kept_is_whose_it_was)
{
    crawl_jar *other;
    crawl_buf out = {0};
    cr_assert_eq(take("a.example\tFALSE\t/\tFALSE\t0\town\t1\n"), CRAWL_OK);
    set("https://a.example/", "theirs=2");
    cr_assert_eq(crawl_jar_write(jar, NOW, &out), CRAWL_OK);
    for (int kept = 0; kept < 2; kept++) {
        cr_assert_eq(crawl_jar_create(true, &other), CRAWL_OK);
        cr_expect_eq(crawl_jar_read(other, "kept", crawl_buf_slice(&out), kept, NOW, NULL), CRAWL_OK);
        expect_written(other, NOW,
                       kept ? out.data
                            : "a.example\tFALSE\t/\tFALSE\t0\town\t1\na.example\tFALSE\t/\tFALSE\t0\ttheirs\t2\n");
        crawl_jar_free(other);
    }
    crawl_buf_free(&out);
}

Test(jar, lines_of_other_programs)
{
    cr_assert_eq(
        take(
            "# http://curl.se/docs/http-cookies.html\n.EXAMPLE.com\tTRUE\t/\tfalse\t99999999999999999\ta\t\n"
            "[::1]\tTRUE\t/\tFALSE\t0\tb\t2\n127.0.0.1\tTRUE\t/\tFALSE\t0\tc\t3\ngone.example\tFALSE\t/\tFALSE\t1\td\t4\n"),
        CRAWL_OK);
    static const char *const rows[][2] = {{"http://www.example.com/", "a="},
                                          {"http://[::1]:8080/", "b=2"},
                                          {"http://127.0.0.1/", "c=3"},
                                          {"http://gone.example/", ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_buf out = {0};
        cr_assert_eq(crawl_jar_get(jar, crawl_slice_from(rows[i][0]), (crawl_slice){0}, NOW, &out), CRAWL_OK);
        cr_expect_str_eq(out.data ? out.data : "", rows[i][1], "%s", rows[i][0]);
        crawl_buf_free(&out);
    }
}
