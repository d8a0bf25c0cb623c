/* Makes the text of all pages below a folder, one by one, and prints the cost: processor time per page, from the total
 * to the slowest, and the memory of the process.
 *
 *   bench_text FOLDER [markdown|plain]
 *
 * With CRAWL_TEXT_SLOW=MS in the environment it names each page that takes longer. The exit status is 1 if a page takes
 * over 50 ms, or the process over 64 MiB. */
#include <crawl/text.h>

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define MOST_MS 50
#define MOST_KIB (64L << 10)

static crawl_text_maker *maker;
static crawl_text_options options = {
    .size = sizeof options, .form = CRAWL_TEXT_FORM_MARKDOWN, .document = CRAWL_DOCUMENT_HTML};
static crawl_buf page;
static double slow_ms;
static size_t pages, bytes, text_bytes, too_slow, largest;
static double total_ms, slowest_ms;
static char slowest[4096];

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static long peak_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static bool read_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    crawl_buf_clear(&page);
    if (!file || crawl_buf_reserve(&page, size + 1))
        exit(1);
    page.size = fread(page.data, 1, size, file);
    fclose(file);
    return page.size == size;
}

static void measure(const char *path)
{
    crawl_slice text;
    double began = now_ms();
    if (crawl_text_make(maker, crawl_buf_slice(&page), &options, &text))
        exit(1);
    double took = now_ms() - began;
    pages++;
    bytes += page.size;
    text_bytes += text.size;
    total_ms += took;
    too_slow += took > MOST_MS;
    if (slow_ms > 0 && took > slow_ms)
        printf("%8.1f ms  %8zu KiB  %s\n", took, page.size >> 10, path);
    if (took > slowest_ms) {
        slowest_ms = took;
        snprintf(slowest, sizeof slowest, "%s", path);
    }
}

static int visit(const char *path, const struct stat *status, int type, struct FTW *)
{
    size_t size = strlen(path);
    if (type != FTW_F || size < 5 || strcmp(path + size - 5, ".html") != 0)
        return 0;
    largest = (size_t)status->st_size > largest ? (size_t)status->st_size : largest;
    if (read_file(path, (size_t)status->st_size))
        measure(path);
    return 0;
}

int main(int argc, char **argv)
{
    enum { DESCRIPTORS = 16 };
    const char *limit = getenv("CRAWL_TEXT_SLOW");
    slow_ms = limit ? atof(limit) : 0;
    maker = crawl_text_maker_create();
    if (argc < 2 || !maker)
        return 2;
    if (argc > 2 && strcmp(argv[2], "plain") == 0)
        options.form = CRAWL_TEXT_FORM_PLAIN;
    if (nftw(argv[1], visit, DESCRIPTORS, FTW_PHYS)) {
        fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
        return 1;
    }
    printf("%zu pages, %.1f MiB, largest %.1f MiB; text %.1f MiB\n", pages, (double)bytes / (1 << 20),
           (double)largest / (1 << 20), (double)text_bytes / (1 << 20));
    printf("%.3f ms a page, %.0f MB/s; slowest %.1f ms (%s); over %d ms: %zu\n", total_ms / (double)pages,
           (double)bytes / 1e3 / total_ms, slowest_ms, slowest, MOST_MS, too_slow);
    long peak = peak_kib();
    printf("peak of the process %.1f MiB, with the largest page in it\n", (double)peak / 1024);
    crawl_text_maker_free(maker);
    crawl_buf_free(&page);
    return too_slow || peak > MOST_KIB ? 1 : 0;
}
