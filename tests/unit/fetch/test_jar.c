/* Cookies in Netscape's format: read, refused with their line, written. */
#include <crawl/fetch.h>

#include <criterion/criterion.h>

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
    return crawl_jar_read(jar, "cookies.txt", crawl_slice_from(text), &error);
}

Test(jar, what_is_read_is_written)
{
    cr_assert_eq(take("# Netscape HTTP Cookie File\r\n\r\nexample.com\tFALSE\t/\tTRUE\t0\ta\t1\r\n"
                      "#HttpOnly_.example.org\tTRUE\t/x\tFALSE\t4102444800\tb\tv w\nempty.example\tFALSE\t/\tFALSE\t0\tc"),
                 CRAWL_OK, "%s", error.message);
    crawl_buf out = {0};
    cr_assert_eq(crawl_jar_write(jar, &out), CRAWL_OK);
    cr_expect_not_null(strstr(out.data, "example.com\tFALSE\t/\tTRUE\t0\ta\t1\n"), "%s", out.data);
    cr_expect_not_null(strstr(out.data, "#HttpOnly_.example.org\tTRUE\t/x\tFALSE\t4102444800\tb\tv w\n"), "%s", out.data);
    cr_expect_not_null(strstr(out.data, "empty.example\tFALSE\t/\tFALSE\t0\tc\t\n"), "%s", out.data);
    crawl_jar *other;
    crawl_buf again = {0};
    cr_assert_eq(crawl_jar_create(true, &other), CRAWL_OK);
    cr_expect_eq(crawl_jar_read(other, "again", crawl_buf_slice(&out), NULL), CRAWL_OK);
    cr_expect_eq(crawl_jar_write(other, &again), CRAWL_OK);
    cr_expect_eq(again.size, out.size);
    crawl_jar_free(other);
    crawl_buf_free(&again);
    crawl_buf_free(&out);
}

Test(jar, mistakes_name_their_line_and_nothing_is_taken)
{
    const char *cases[] = {"a b c\n",
                           "a\tFALSE\t/\tFALSE\t0\n",
                           "a\tFALSE\t/\tFALSE\t0\tn\tv\tw\n",
                           "a\tno\t/\tFALSE\t0\tn\tv\n",
                           "a\tFALSE\tx\tFALSE\t0\tn\tv\n",
                           "a\tFALSE\t/\tFALSE\t-1\tn\tv\n",
                           "a\tFALSE\t/\tFALSE\tnever\tn\tv\n",
                           "\tFALSE\t/\tFALSE\t0\tn\tv\n",
                           "a\tFALSE\t/\tFALSE\t0\t\tv\n",
                           "Set-Cookie:a=b\tFALSE\t/\tFALSE\t0\tn\tv\n",
                           "a b\tFALSE\t/\tFALSE\t0\tn\tv\n"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crawl_buf text = {0};
        cr_assert_eq(crawl_buf_printf(&text, "good.example\tFALSE\t/\tFALSE\t0\tn\tv\n\n%s", cases[i]), CRAWL_OK);
        cr_expect_eq(take(text.data), CRAWL_EPARSE, "%s", cases[i]);
        cr_expect_eq(error.line, 3);
        cr_expect(strncmp(error.message, "cookies.txt:3: ", 15) == 0, "%s", error.message);
        crawl_buf_free(&text);
    }
    crawl_buf out = {0};
    cr_assert_eq(crawl_jar_write(jar, &out), CRAWL_OK);
    cr_expect_eq(out.size, 0);
    crawl_buf_free(&out);
    cr_expect_eq(crawl_jar_read(jar, "n", crawl_slice_of("a\0b", 3), &error), CRAWL_EPARSE);
}

Test(jar, without_cookies_none_are_taken)
{
    crawl_jar *none;
    crawl_buf out = {0};
    cr_assert_eq(crawl_jar_create(false, &none), CRAWL_OK);
    cr_expect_eq(crawl_jar_read(none, "n", crawl_slice_from("a\tFALSE\t/\tFALSE\t0\tn\tv\n"), &error), CRAWL_EINVAL);
    cr_expect_eq(crawl_jar_write(none, &out), CRAWL_OK);
    cr_expect_eq(out.size, 0);
    crawl_jar_free(none);
}
