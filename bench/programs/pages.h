/* For benchmarks: the HTML pages of a folder. */
#pragma once

#include "bench/programs/measure.h"

#include <crawl/links.h>

#include <ftw.h>

static inline int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline void read_file(const char *path, crawl_buf *out)
{
    enum { PIECE = 65536 };
    FILE *file = fopen(path, "rb");
    crawl_buf_clear(out);
    if (!file)
        fail(path);
    for (size_t got = 1; got;) {
        if (crawl_buf_reserve(out, PIECE))
            fail("no memory");
        got = fread(out->data + out->size, 1, PIECE, file);
        out->size += got;
    }
    fclose(file);
}

/* The .html files below the listed folders. */
static struct paths {
    char **all;
    size_t count;
    off_t least, most; /* bytes of a file */
} paths;

static inline int note_path(const char *path, const struct stat *info, int type, struct FTW *)
{
    size_t size = strlen(path);
    if (type != FTW_F || size < 5 || strcmp(path + size - 5, ".html") != 0 || info->st_size < paths.least ||
        info->st_size > paths.most)
        return 0;
    paths.all = reallocarray(paths.all, paths.count + 1, sizeof *paths.all);
    if (!paths.all || !(paths.all[paths.count++] = strdup(path)))
        fail("no memory");
    return 0;
}

static inline int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lists the files of a folder and below, ordered by name. */
static inline void list_pages(const char *folder, off_t least, off_t most)
{
    paths.least = least;
    paths.most = most;
    if (nftw(folder, note_path, 32, FTW_PHYS) || !paths.count)
        fail("no .html file in the folder");
    qsort(paths.all, paths.count, sizeof *paths.all, compare_paths);
}

typedef struct page {
    const char *name;
    size_t link_count;
    crawl_slice *links; /* hrefs as they stand */
} page;

/* Reads the links of a file, at most `most`. */
static inline page links_of(crawl_page *parsed, const char *path, size_t most)
{
    crawl_buf html = {0};
    size_t count;
    read_file(path, &html);
    if (crawl_page_parse(parsed, crawl_buf_slice(&html), NULL, NULL))
        fail("no memory");
    const crawl_link *links = crawl_page_links(parsed, &count);
    page one = {.name = strrchr(path, '/') + 1, .links = calloc(count + 1, sizeof *one.links)};
    for (size_t i = 0; i < count && i < most; i++) {
        char *copy = strndup(links[i].href.size ? links[i].href.data : "", links[i].href.size);
        if (!one.links || !copy)
            fail("no memory");
        one.links[one.link_count++] = crawl_slice_of(copy, links[i].href.size);
    }
    crawl_buf_free(&html);
    return one;
}

/* Reads the pages of all files of a folder; paths.count pages. */
static inline page *load_links(const char *folder, size_t most)
{
    list_pages(folder, 0, INT32_MAX);
    crawl_page *parsed = crawl_page_create();
    page *pages = calloc(paths.count, sizeof *pages);
    if (!parsed || !pages)
        fail("no memory");
    for (size_t i = 0; i < paths.count; i++)
        pages[i] = links_of(parsed, paths.all[i], most);
    crawl_page_free(parsed);
    return pages;
}
