/* Times the cookie store behind crawl_jar of <crawl/fetch.h>: the cost that cookies add to a page, the time to read and
 * write a file, and the memory of a cookie.
 *
 *   bench_cookies [--cookies N] [--pages N] [--row N]
 *
 * A page is a lookup before its request and, except in the rows "look-up alone", one Set-Cookie field after it. Its
 * host is drawn at random, so that none of it is in a cache. "each its own": as many registrable domains as hosts; "of
 * one": all hosts below one domain. The jar is first filled from a text in Netscape's format, the user's own file, or
 * by that many answers. Times are processor time of one thread. The longest lookup is measured by the clock while
 * another thread writes all cookies to memory. Each row is a process of its own. */
#include <crawl/fetch.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOW ((int64_t)1700000000000)

typedef struct kind {
    const char *title;
    const char *host; /* with the number of the host */
    bool own;         /* set by the user's file, not by servers */
    bool set;
} kind;

static const kind plans[] = {
    {"a file, hosts each its own", "www.host%07u.example", true, true},
    {"a file, hosts of one", "host%07u.example.com", true, true},
    {"a file, look-up alone", "www.host%07u.example", true, false},
    {"servers, hosts each its own", "www.host%07u.example", false, true},
    {"servers, hosts of one", "host%07u.example.com", false, true},
    {"no cookie of these hosts", "www.host%07u.example", true, false},
};

static size_t cookies = 1000000, pages = 2000000, only; /* the row to measure, from 1; 0: all */

static void fail(const char *what)
{
    fprintf(stderr, "bench_cookies: %s\n", what);
    exit(1);
}

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double resident(void)
{
    unsigned long size = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (!statm || fscanf(statm, "%*u %lu", &size) != 1)
        fail("no /proc/self/statm");
    fclose(statm);
    return (double)size * (double)sysconf(_SC_PAGESIZE);
}

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Returns "https://HOST/path". The compiler cannot check a format from the table. */
static crawl_slice url_of(const kind *plan, size_t number, char *to, size_t size)
{
    char host[64];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(host, sizeof host, plan->host, (unsigned)number);
#pragma GCC diagnostic pop
    int length = snprintf(to, size, "https://%s/a/page.html", host);
    return crawl_slice_of(to, (size_t)length);
}

/* Returns the seconds to read a file. */
static double fill_from_file(crawl_jar *jar, const kind *plan)
{
    crawl_buf text = {0};
    char url[128];
    for (size_t i = 0; i < cookies; i++) {
        url_of(plan, i, url, sizeof url);
        char *host = url + strlen("https://");
        *strchr(host, '/') = '\0';
        if (crawl_buf_printf(&text, "%s\tFALSE\t/\tTRUE\t1900000000\tsession\t%016zx\n", host, i))
            fail("no memory");
    }
    crawl_error error;
    double start = seconds(CLOCK_MONOTONIC);
    if (crawl_jar_read(jar, "file", crawl_buf_slice(&text), false, NOW, &error))
        fail(error.message);
    double took = seconds(CLOCK_MONOTONIC) - start;
    crawl_buf_free(&text);
    return took;
}

static void set(crawl_jar *jar, crawl_slice url, size_t value)
{
    char field[96];
    int size = snprintf(field, sizeof field, "session=%016zx; Path=/; Max-Age=86400; Secure; HttpOnly", value);
    if (crawl_jar_set(jar, url, crawl_slice_of(field, (size_t)size), NOW))
        fail("a cookie was refused");
}

static double fill_from_answers(crawl_jar *jar, const kind *plan)
{
    char url[128];
    double start = seconds(CLOCK_MONOTONIC);
    for (size_t i = 0; i < cookies; i++)
        set(jar, url_of(plan, i, url, sizeof url), i);
    return seconds(CLOCK_MONOTONIC) - start;
}

/* Returns processor seconds for all pages. jar NULL: measures the loop alone. */
static double visit(crawl_jar *jar, const kind *plan, bool absent)
{
    uint64_t state = 88172645463325252u;
    crawl_buf header = {0};
    char url[128], field[96];
    size_t found = 0;
    double start = seconds(CLOCK_THREAD_CPUTIME_ID);
    for (size_t i = 0; i < pages; i++) {
        crawl_slice at = url_of(plan, draw(&state) % cookies + (absent ? cookies : 0), url, sizeof url);
        crawl_buf_clear(&header);
        if (jar && crawl_jar_get(jar, at, (crawl_slice){0}, NOW, &header))
            fail("no memory");
        found += header.size > 0;
        if (jar && plan->set)
            set(jar, at, i);
        else if (plan->set)
            snprintf(field, sizeof field, "session=%016zx; Path=/; Max-Age=86400; Secure; HttpOnly", i);
    }
    double took = seconds(CLOCK_THREAD_CPUTIME_ID) - start;
    if (jar && found != (absent ? 0 : pages))
        fail("a request went without its cookie");
    crawl_buf_free(&header);
    return took;
}

static void *write_all(void *user)
{
    static crawl_buf out;
    double start = seconds(CLOCK_MONOTONIC);
    if (crawl_jar_write(user, NOW, &out))
        fail("no memory");
    double *took = malloc(sizeof *took);
    if (!took)
        fail("no memory");
    *took = seconds(CLOCK_MONOTONIC) - start;
    crawl_buf_free(&out);
    return took;
}

/* Returns the longest lookup in ms while another thread writes all cookies, and how long the writing takes. */
static double longest(crawl_jar *jar, const kind *plan, double *write_seconds)
{
    pthread_t thread;
    char url[128];
    crawl_buf header = {0};
    double most = 0;
    void *took;
    if (pthread_create(&thread, NULL, write_all, jar))
        fail("no thread");
    while (pthread_tryjoin_np(thread, &took)) {
        crawl_slice at = url_of(plan, 7, url, sizeof url);
        double start = seconds(CLOCK_MONOTONIC);
        crawl_buf_clear(&header);
        crawl_jar_get(jar, at, (crawl_slice){0}, NOW, &header);
        double this = seconds(CLOCK_MONOTONIC) - start;
        most = this > most ? this : most;
    }
    *write_seconds = *(double *)took;
    free(took);
    crawl_buf_free(&header);
    return most * 1e3;
}

static void run(const kind *plan)
{
    crawl_jar *jar;
    bool absent = plan == &plans[sizeof plans / sizeof *plans - 1];
    double before = resident(), write_seconds;
    if (crawl_jar_create(true, &jar))
        fail("no memory");
    crawl_jar_limit(jar, UINT64_MAX); /* one registrable domain may have only a share of the limit */
    double fill = plan->own ? fill_from_file(jar, plan) : fill_from_answers(jar, plan);
    double bytes = (resident() - before) / (double)cookies;
    double without = visit(NULL, plan, absent), with = visit(jar, plan, absent);
    double most = longest(jar, plan, &write_seconds);
    printf("%-30s %7.2f %11.0f %9.0f %7.2f %11.2f\n", plan->title, fill, (with - without) / (double)pages * 1e9, bytes,
           write_seconds, most);
    crawl_jar_free(jar);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        size_t *number = strcmp(argv[i], "--cookies") == 0 ? &cookies
                         : strcmp(argv[i], "--pages") == 0 ? &pages
                         : strcmp(argv[i], "--row") == 0   ? &only
                                                           : NULL;
        if (i + 1 == argc || !number)
            fail("usage: bench_cookies [--cookies N] [--pages N] [--row N]");
        *number = strtoull(argv[i + 1], NULL, 10);
    }
    if (!cookies || !pages || cookies > 4000000)
        fail("1 to 4 million cookies, and pages");
    printf("%zu cookies, one on each host; %zu pages\n", cookies, pages);
    printf("%-30s %7s %11s %9s %7s %11s\n", "", "fill s", "ns a page", "bytes", "write s", "longest ms");
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        if (only && i + 1 != only)
            continue;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            run(&plans[i]);
            fflush(stdout);
            _exit(0);
        }
        int status;
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
            fail("a run failed");
    }
    return 0;
}
