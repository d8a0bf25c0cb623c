/* Any bytes as Set-Cookie fields, or as a file in Netscape's format; the first byte chooses. Whatever a jar accepts, it
 * must send within its bounds and without a control character, and a jar that it wrote must read back as the same. */
#include <crawl/fetch.h>

#include <stdlib.h>

#define NOW ((int64_t)1700000000000)
#define HEADER_MAX 8190

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const urls[] = {"https://www.example.co.uk/a/b?c", "http://www.example.co.uk/a", "http://localhost/",
                                   "https://192.0.2.1/", "https://[2001:db8::1]/x/"};

enum { URLS = sizeof urls / sizeof *urls };

static void require(bool holds)
{
    if (!holds)
        abort();
}

static crawl_jar *make_jar(void)
{
    crawl_jar *jar;
    require(crawl_jar_create(true, &jar) == CRAWL_OK);
    return jar;
}

/* Sets each line as a field, for each URL in turn. */
static void set_all(crawl_jar *jar, crawl_slice text)
{
    for (size_t i = 0; text.size; i++) {
        const char *end = memchr(text.data, '\n', text.size);
        size_t size = end ? (size_t)(end - text.data) : text.size;
        crawl_err err = crawl_jar_set(jar, crawl_slice_from(urls[i % URLS]), crawl_slice_of(text.data, size), NOW);
        require(err == CRAWL_OK || err == CRAWL_EPARSE || err == CRAWL_REFUSED);
        text = crawl_slice_of(text.data + size + (end != NULL), text.size - size - (end != NULL));
    }
}

static void check_sent(crawl_jar *jar, int64_t now_ms)
{
    for (size_t i = 0; i < URLS; i++) {
        crawl_buf header = {0};
        require(crawl_jar_get(jar, crawl_slice_from(urls[i]), crawl_slice_from("a=b"), now_ms, &header) == CRAWL_OK);
        require(header.size <= HEADER_MAX);
        for (size_t k = 0; k < header.size; k++)
            require((unsigned char)header.data[k] >= ' ' && header.data[k] != 0x7f);
        crawl_buf_free(&header);
    }
}

/* Cookies written, read and written again must have the same size. */
static void check_written(crawl_jar *jar)
{
    crawl_buf first = {0}, second = {0};
    crawl_jar *again = make_jar();
    require(crawl_jar_write(jar, NOW, &first) == CRAWL_OK);
    require(crawl_jar_read(again, "first", crawl_buf_slice(&first), true, NOW, NULL) == CRAWL_OK);
    require(crawl_jar_write(again, NOW, &second) == CRAWL_OK);
    require(first.size == second.size);
    crawl_jar_free(again);
    crawl_buf_free(&first);
    crawl_buf_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    crawl_jar *jar = make_jar();
    crawl_slice text = crawl_slice_of(data + 1, size - 1);
    bool of_answers = data[0] & 1;
    crawl_err err = CRAWL_OK;
    if (of_answers)
        set_all(jar, text);
    else
        err = crawl_jar_read(jar, "file", text, data[0] & 2, NOW, NULL);
    require(err == CRAWL_OK || err == CRAWL_EPARSE);
    check_sent(jar, NOW);
    check_written(jar);
    check_sent(jar, NOW + (int64_t)1000 * 86400 * 1000);
    crawl_jar_free(jar);
    return 0;
}
