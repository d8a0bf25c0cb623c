/* Uses one jar from many threads: some visit their own hosts in a shared domain, one writes all cookies again and
 * again, and one floods the jar from many domains. Checks that cookies of a host visited by one thread are as that
 * thread last set them, or were dropped to make room; that the user's own cookie stays; and that the jar's figures at
 * the end match the cookies that it writes. */
#include <crawl/fetch.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define NOW ((int64_t)1700000000000)

enum { VISITORS = 4, HOSTS = 300, ROUNDS = 10 };

static crawl_jar *jar;
static atomic_bool done;

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "cookie_threads: %s\n", what);
    abort();
}

/* Requires that the cookie has the wanted value. Unless must, it may also be absent. */
static void expect(const char *url, const char *name, const char *wanted, bool must)
{
    crawl_buf header = {0};
    require(crawl_jar_get(jar, crawl_slice_from(url), (crawl_slice){0}, NOW, &header) == CRAWL_OK, "no memory");
    const char *at = header.data ? strstr(header.data, name) : NULL;
    require(at ? strncmp(at, wanted, strlen(wanted)) == 0 && strchr("; ", at[strlen(wanted)]) : !must,
            "a cookie is not as it was set");
    crawl_buf_free(&header);
}

static void *visit(void *user)
{
    unsigned self = *(unsigned *)user;
    for (unsigned i = 0; i < HOSTS * ROUNDS; i++) {
        char url[64], field[64], wanted[64];
        snprintf(url, sizeof url, "https://h%u.t%u.example.com/", i % HOSTS, self);
        snprintf(field, sizeof field, "own=%0*u", (int)(1 + i % 7), i);
        snprintf(wanted, sizeof wanted, "own=%0*u", (int)(1 + i % 7), i);
        require(crawl_jar_set(jar, crawl_slice_from(url), crawl_slice_from(field), NOW) == CRAWL_OK, "refused");
        snprintf(field, sizeof field, "all%u=%u; Domain=example.com; Max-Age=%u", i % 100, i, i % 3);
        require(crawl_jar_set(jar, crawl_slice_from(url), crawl_slice_from(field), NOW) == CRAWL_OK, "refused");
        expect(url, "own=", wanted, false);
        expect(url, "user=", "user=1", true);
    }
    return NULL;
}

static void *write_all(void *user)
{
    (void)user;
    while (!atomic_load(&done)) {
        crawl_buf text = {0};
        require(crawl_jar_write(jar, NOW, &text) == CRAWL_OK, "no memory");
        require(strstr(text.data, "\tuser\t1\n") != NULL, "the user's cookie is missing");
        crawl_buf_free(&text);
    }
    return NULL;
}

static void *flood(void *)
{
    for (unsigned i = 0; !atomic_load(&done); i++) {
        char url[64];
        snprintf(url, sizeof url, "http://h%u.flood%u.example/", i, i % 1000);
        crawl_jar_set(jar, crawl_slice_from(url), crawl_slice_from("a=0123456789012345678901234567890123456789"), NOW);
    }
    return NULL;
}

static uint64_t lines(crawl_slice text)
{
    uint64_t count = 0;
    for (size_t i = 0; i < text.size; i++)
        count += text.data[i] == '\n';
    return count;
}

int main(void)
{
    pthread_t threads[VISITORS + 2];
    unsigned numbers[VISITORS];
    crawl_buf text = {0};
    crawl_jar_stats stats;
    require(crawl_jar_create(true, &jar) == CRAWL_OK, "no memory");
    crawl_jar_limit(jar, 8 << 20);
    require(crawl_jar_read(jar, "file", crawl_slice_from(".example.com\tTRUE\t/\tFALSE\t0\tuser\t1\n"), false, NOW,
                           NULL) == CRAWL_OK,
            "no file");
    for (unsigned i = 0; i < VISITORS + 2; i++) {
        if (i < VISITORS)
            numbers[i] = i;
        void *(*what)(void *) = i < VISITORS ? visit : i == VISITORS ? write_all : flood;
        require(pthread_create(&threads[i], NULL, what, i < VISITORS ? &numbers[i] : NULL) == 0, "no thread");
    }
    for (unsigned i = 0; i < VISITORS; i++)
        pthread_join(threads[i], NULL);
    atomic_store(&done, true);
    pthread_join(threads[VISITORS], NULL);
    pthread_join(threads[VISITORS + 1], NULL);
    require(crawl_jar_write(jar, NOW, &text) == CRAWL_OK, "no memory");
    crawl_jar_stats_get(jar, &stats);
    require(lines(crawl_buf_slice(&text)) == stats.cookies + 1, "the count is not that of the cookies"); /* and the
                                                                                                            comment */
    require(stats.bytes <= 9 << 20, "more than there is room for");
    printf("%llu cookies, %llu dropped\n", (unsigned long long)stats.cookies, (unsigned long long)stats.dropped);
    crawl_buf_free(&text);
    crawl_jar_free(jar);
    return 0;
}
