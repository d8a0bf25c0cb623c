/* Fingerprints from text: a single one, and a file of them. */
#include <crawl/fingerprint.h>

#include <criterion/criterion.h>

#define FIRST "a9993e364706816aba3e25717850c26c9cd0d89d"
#define SECOND "DA39A3EE5E6B4B0D3255BFEF95601890AFD80709"

typedef struct taken {
    unsigned count;
    unsigned stop_at; /* 0: never */
    crawl_fingerprint last;
} taken;

static crawl_err take(void *user, const crawl_fingerprint *fingerprint)
{
    taken *t = user;
    if (++t->count == t->stop_at)
        return CRAWL_ENOMEM;
    t->last = *fingerprint;
    return CRAWL_OK;
}

static crawl_err import(const char *text, taken *t, uint64_t *count, crawl_error *error)
{
    FILE *in = fmemopen((char *)text, strlen(text), "r");
    cr_assert(in);
    crawl_err err = crawl_fingerprint_import(in, "requests.seen", take, t, count, error);
    fclose(in);
    return err;
}

Test(fingerprint_import, one)
{
    crawl_fingerprint f;
    char hex[41];
    cr_assert_eq(crawl_fingerprint_parse(crawl_slice_from(FIRST), &f), CRAWL_OK);
    crawl_fingerprint_hex(&f, hex);
    cr_expect_str_eq(hex, FIRST);
    cr_expect_eq(crawl_fingerprint_parse(crawl_slice_from("a999"), &f), CRAWL_EPARSE);
    cr_expect_eq(crawl_fingerprint_parse(crawl_slice_from("g9993e364706816aba3e25717850c26c9cd0d89d"), &f),
                 CRAWL_EPARSE);
    crawl_fingerprint_hex(&f, hex);
    cr_expect_str_eq(hex, FIRST);
}

Test(fingerprint_import, lines)
{
    taken t = {0};
    uint64_t count = 0;
    char hex[41];
    cr_expect_eq(import(FIRST "\n\n" SECOND "\r\n" FIRST "\n" SECOND, &t, &count, NULL), CRAWL_OK);
    cr_expect_eq(count, 4);
    cr_expect_eq(t.count, 4);
    crawl_fingerprint_hex(&t.last, hex);
    cr_expect_str_eq(hex, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
}

Test(fingerprint_import, a_last_line_that_was_cut)
{
    taken t = {0};
    uint64_t count = 0;
    cr_expect_eq(import(FIRST "\na9993e", &t, &count, NULL), CRAWL_OK);
    cr_expect_eq(count, 1);
}

Test(fingerprint_import, what_is_no_fingerprint)
{
    static char longest[1000];
    static const char *const texts[] = {FIRST "\na9993e\n" FIRST "\n", FIRST "\nhello\n", FIRST "\n" FIRST FIRST "\n",
                                        longest};
    memset(longest, '0', sizeof longest - 1);
    memcpy(longest, FIRST "\n", 41);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        taken t = {0};
        uint64_t count = 0;
        crawl_error error = {0};
        cr_expect_eq(import(texts[i], &t, &count, &error), CRAWL_EPARSE, "%zu", i);
        cr_expect_eq(count, 1);
        cr_expect_eq(error.line, 2);
        cr_expect_str_eq(error.message, "requests.seen:2: expected 40 hexadecimal digits");
    }
}

Test(fingerprint_import, an_error_of_the_taker_ends_it)
{
    taken t = {.stop_at = 2};
    uint64_t count = 0;
    cr_expect_eq(import(FIRST "\n" FIRST "\n" FIRST "\n", &t, &count, NULL), CRAWL_ENOMEM);
    cr_expect_eq(count, 1);
    cr_expect_eq(t.count, 2);
}
