#include "tools/warc/check_parts.h"

#include "base/bytes.h"
#include "crawler/output/warc/warc_reader.h"
#include "tools/common/refused_memory.h"
#include "tools/common/say.h"
#include "tools/common/status.h"
#include "tools/warc/archived.h"

#include <string.h>
#include <unistd.h>

/* Checks the index beside a WARC, if there is one. */
static crawl_err check_files_index(cw_check *check, cw_check_archive *warc, crawl_error *error)
{
    const char *path = check->path;
    crawl_slice stem = crawl_slice_from(path), lines = {0};
    crawl_buf index = {0};
    stem.size -= cw_ends_with(stem, ".gz") ? strlen(".gz") : 0;
    stem.size -= cw_ends_with(stem, ".warc") ? strlen(".warc") : 0;
    cw_tool_memory_must(crawl_buf_printf(&index, "%.*s.cdxj", (int)stem.size, stem.data));
    bool has_index = access(index.data, F_OK) == 0;
    crawl_err err = has_index ? cw_archived_map(index.data, &lines, error) : CRAWL_OK;
    if (has_index && !err) {
        check->path = index.data;
        cw_check_index(check, lines, warc, 1, false);
        check->path = path;
        cw_check_indexed(check, warc);
    }
    cw_warc_unmap(lines);
    crawl_buf_free(&index);
    return err;
}

static crawl_err check_files_one(cw_check *check, crawl_slice bytes, crawl_error *error)
{
    cw_check_archive warc = {.name = cw_archived_name(check->path), .bytes = bytes};
    if (cw_starts_with(bytes, "PK") || cw_ends_with(crawl_slice_from(check->path), ".wacz")) {
        cw_check_wacz(check, bytes);
        return CRAWL_OK;
    }
    cw_check_warc(check, &warc);
    crawl_err err = check_files_index(check, &warc, error);
    cw_check_archive_free(&warc);
    return err;
}

static const char index_ending[] = ".cdxj";

/* Returns true if the WARC of this index is among the paths. */
static bool check_files_has_warc(crawl_slice index, int count, char **paths)
{
    crawl_slice stem = crawl_slice_of(index.data, index.size - strlen(index_ending));
    for (int i = 0; i < count; i++) {
        crawl_slice ending = crawl_slice_from(paths[i]);
        bool is_same = ending.size > stem.size && crawl_slice_equal(cw_take(&ending, stem.size), stem);
        if (is_same && (cw_is(ending, ".warc") || cw_is(ending, ".warc.gz")))
            return true;
    }
    return false;
}

int cw_check_files(const char *tool, int count, char **paths)
{
    cw_check check = {0};
    int status = CW_EXIT_OK;
    for (int i = 0; i < count; i++) {
        crawl_slice bytes;
        crawl_error error = {0};
        check.path = paths[i];
        if (cw_ends_with(crawl_slice_from(paths[i]), index_ending) && access(paths[i], F_OK) == 0) {
            if (!check_files_has_warc(crawl_slice_from(paths[i]), count, paths))
                cw_check_fault(&check, NULL, 0, "an index is checked with its WARC: name that");
            continue;
        }
        crawl_err err = cw_archived_map(paths[i], &bytes, &error);
        check.ids = cw_tool_memory_granted(cw_map_create((uintptr_t)&check));
        if (!err)
            err = check_files_one(&check, bytes, &error);
        cw_map_free_values(check.ids);
        if (err) {
            cw_tool_say(tool, "%s", error.message);
            status = CW_EXIT_LOCAL;
        }
        cw_warc_unmap(bytes);
    }
    return status ? status : check.faults ? CW_EXIT_NOTHING : CW_EXIT_OK;
}
