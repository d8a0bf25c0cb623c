#include "tools/warc/lookup.h"

#include "base/bytes.h"
#include "base/error.h"
#include "crawler/output/warc/warc_index.h"

#include <fcntl.h>
#include <unistd.h>

const char *cw_lookup_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

crawl_err cw_lookup_map(const char *path, crawl_slice *out, crawl_error *error)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    *out = (crawl_slice){0};
    if (file < 0)
        return cw_error_of_file(error, path);
    crawl_err err = cw_warc_map(file, path, out, error);
    close(file);
    return err;
}

/* The beginning of the first line that is not before key. */
static size_t lookup_first_line(crawl_slice lines, crawl_slice key)
{
    size_t low = 0, high = lines.size;
    while (low < high) {
        size_t begin = low + (high - low) / 2;
        while (begin > low && lines.data[begin - 1] != '\n')
            begin--;
        crawl_slice rest = cw_drop(lines, begin);
        crawl_slice line = cw_cut_line(&rest);
        int order = memcmp(line.data, key.data, line.size < key.size ? line.size : key.size);
        if (order < 0 || (order == 0 && line.size < key.size))
            low = begin + line.size + 1;
        else
            high = begin;
    }
    return low < lines.size ? low : lines.size;
}

crawl_err cw_lookup_answer(crawl_slice lines, crawl_slice url, crawl_slice date, bool original, bool *found)
{
    crawl_buf key = {0};
    crawl_err err = cw_warc_index_key(url, date, &key);
    *found = false;
    crawl_slice rest = err ? (crawl_slice){0} : cw_drop(lines, lookup_first_line(lines, crawl_buf_slice(&key)));
    while (!*found && rest.size > key.size && memcmp(rest.data, key.data, key.size) == 0) {
        crawl_slice line = cw_cut_line(&rest);
        *found = !original || cw_find_text(line, "\"warc/revisit\"") == line.size;
    }
    crawl_buf_free(&key);
    return err == CRAWL_ENOMEM ? err : CRAWL_OK;
}
