/* Any bytes as a URL and, before a newline, a list of parameters to drop. Besides memory safety, checks that every
 * profile gives the same answer twice, that the default form is its own canonical form whatever is dropped, that no key
 * contains a newline, and that the last step is the canonical form. */
#include <crawl/url.h>

#include <stdint.h>
#include <stdlib.h>

#define CHECK(condition)  \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

static crawl_buf canonical(crawl_slice text, const crawl_canonical_options *options, crawl_err *err)
{
    crawl_buf out = {0};
    CHECK(crawl_buf_append_text(&out, "before") == CRAWL_OK);
    *err = crawl_text_canonical(text, options, &out);
    CHECK(*err != CRAWL_ENOMEM && out.size >= 6 && out.data[out.size] == '\0');
    CHECK(*err == CRAWL_OK || out.size == 6);
    memmove(out.data, out.data + 6, out.size - 5);
    out.size -= 6;
    return out;
}

static void check_same(crawl_slice text, const crawl_canonical_options *options, bool idempotent)
{
    crawl_err first;
    crawl_err second;
    crawl_buf once = canonical(text, options, &first);
    crawl_buf again = canonical(idempotent && !first ? crawl_buf_slice(&once) : text, options, &second);
    CHECK(first == second && crawl_slice_equal(crawl_buf_slice(&once), crawl_buf_slice(&again)));
    CHECK(!memchr(once.data, '\n', once.size));
    crawl_buf_free(&once);
    crawl_buf_free(&again);
}

static crawl_err keep_last(void *user, const char *what, crawl_slice text)
{
    crawl_buf *last = user;
    CHECK(what[0]);
    crawl_buf_clear(last);
    return crawl_buf_append(last, text.data, text.size);
}

/* If no step changed anything, the text must be canonical. */
static void check_steps(crawl_slice text, const crawl_canonical_options *options)
{
    crawl_err err;
    crawl_buf last = {0};
    crawl_buf expected = canonical(text, options, &err);
    CHECK(crawl_canonical_steps(text, NULL, options, keep_last, &last) == err);
    if (!err)
        CHECK(crawl_slice_equal(last.data ? crawl_buf_slice(&last) : text, crawl_buf_slice(&expected)));
    crawl_buf_free(&last);
    crawl_buf_free(&expected);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const charsets[] = {NULL, "latin1", "iso-2022-jp", "gbk"};
    const char *charset = size ? charsets[data[0] % 4] : NULL;
    crawl_drop_params *drop = NULL;
    crawl_slice text = crawl_slice_of(data, size);
    const char *split = size ? memchr(data, '\n', size) : NULL;
    if (split) {
        crawl_error error;
        crawl_slice list = crawl_slice_of(data, (size_t)(split - text.data));
        crawl_err err = crawl_drop_params_create(list, &drop, &error);
        CHECK(err == CRAWL_OK || (err == CRAWL_EPARSE && !drop && error.message[0]));
        text = crawl_slice_of(split + 1, size - list.size - 1);
    }
    crawl_canonical_options options = {.size = sizeof options, .drop = drop, .charset = charset};
    check_same(text, &options, true);
    check_steps(text, &options);
    options.profile = CRAWL_PROFILE_W3LIB;
    options.keep_fragment = options.drop_blank = size % 2;
    check_same(text, &options, false);
    options.profile = CRAWL_PROFILE_SURT;
    check_same(text, &options, false);
    crawl_drop_params_free(drop);
    return 0;
}
