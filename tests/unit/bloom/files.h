/* For the tests of files: a folder, whole files in and out of memory, and filters of every kind. */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keys.h"

/* Every kind, without and with shards. */
typedef struct variant {
    crawl_bloom_kind kind;
    uint32_t shards;
} variant;

#define VARIANTS (CRAWL_BLOOM_KINDS * 2)

static inline variant variant_at(unsigned index)
{
    return (variant){.kind = (crawl_bloom_kind)(index / 2), .shards = index % 2 ? 4 : 0};
}

static inline crawl_bloom *create_variant(unsigned index, uint64_t capacity)
{
    variant v = variant_at(index);
    uint64_t least = v.kind == CRAWL_BLOOM_ROTATING ? 1000 * v.shards : 0;
    crawl_bloom_options options = options_of(v.kind, capacity > least ? capacity : least, 1e-3);
    options.shards = v.shards;
    options.seed = 77;
    options.window_ms = v.kind == CRAWL_BLOOM_ROTATING ? 1000000 : 0;
    return create(&options);
}

static char folder[64];

static inline void make_folder(void)
{
    strcpy(folder, "/tmp/crawl-filters-XXXXXX");
    cr_assert(mkdtemp(folder));
}

/* Returns the number of files; forget removes them. */
static inline unsigned count_files(bool forget_them)
{
    unsigned count = 0;
    DIR *list = opendir(folder);
    cr_assert(list);
    for (struct dirent *entry; (entry = readdir(list));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        if (forget_them)
            unlinkat(dirfd(list), entry->d_name, 0);
    }
    closedir(list);
    return count;
}

static inline void remove_folder(void)
{
    count_files(true);
    rmdir(folder);
}

/* Returns one of eight buffers in turn. */
static inline const char *in_folder(const char *name)
{
    static char paths[8][PATH_MAX];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, PATH_MAX, "%s/%s", folder, name);
    return path;
}

static inline crawl_buf read_file(const char *path)
{
    crawl_buf content = {0};
    int file = open(path, O_RDONLY);
    struct stat status;
    cr_assert(file >= 0 && fstat(file, &status) == 0, "%s: %s", path, strerror(errno));
    cr_assert_eq(crawl_buf_reserve(&content, (size_t)status.st_size + 1), CRAWL_OK);
    cr_assert_eq(read(file, content.data, (size_t)status.st_size), status.st_size);
    content.size = (size_t)status.st_size;
    close(file);
    return content;
}

static inline void write_file(const char *path, const void *data, size_t size)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    cr_assert(file >= 0 && write(file, data, size) == (ssize_t)size, "%s: %s", path, strerror(errno));
    close(file);
}

static inline void save(const crawl_bloom *bloom, const char *path)
{
    crawl_error error = {0};
    cr_assert_eq(crawl_bloom_save(bloom, path, &error), CRAWL_OK, "%s", error.message);
}

typedef crawl_err (*opener)(const char *path, crawl_bloom **out, crawl_error *error);

static inline crawl_bloom *open_with(opener how, const char *path)
{
    crawl_bloom *bloom = NULL;
    crawl_error error = {0};
    cr_assert_eq(how(path, &bloom, &error), CRAWL_OK, "%s", error.message);
    return bloom;
}

/* Expects both to have identical files. */
static inline void assert_alike(const crawl_bloom *a, const crawl_bloom *b)
{
    const char *paths[2] = {in_folder("alike-a"), in_folder("alike-b")};
    save(a, paths[0]);
    save(b, paths[1]);
    crawl_buf content[2] = {read_file(paths[0]), read_file(paths[1])};
    cr_assert(crawl_slice_equal(crawl_buf_slice(&content[0]), crawl_buf_slice(&content[1])), "kind %s",
              crawl_bloom_kind_name(crawl_bloom_kind_of(a)));
    for (int i = 0; i < 2; i++) {
        crawl_buf_free(&content[i]);
        unlink(paths[i]);
    }
}
