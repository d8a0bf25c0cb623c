/* The filter alone: prints each line of standard input that has not come before, with a few bytes of memory per
 * line. */
#include <crawl/bloom.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    crawl_bloom_options options;
    crawl_bloom_options_init(&options);
    options.fpr = 1e-6;
    crawl_bloom *seen;
    crawl_error error;
    if (crawl_bloom_create(&options, &seen, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    char line[65536];
    while (fgets(line, sizeof line, stdin)) {
        if (crawl_bloom_add(seen, line, strlen(line), NULL) == CRAWL_OK)
            fputs(line, stdout);
    }
    crawl_bloom_stats stats;
    crawl_bloom_stats_get(seen, &stats);
    fprintf(stderr, "%llu lines in %llu bytes\n", (unsigned long long)stats.count, (unsigned long long)stats.bytes);
    crawl_bloom_free(seen);
    return 0;
}
