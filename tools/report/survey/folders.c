#include "tools/report/survey/folders.h"

#include "base/bytes.h"
#include "tools/report/survey/survey_judge.h"

#include <stdlib.h>

static void folders_count_page(cw_survey_folder *folder, const cw_survey_page *page)
{
    int class = page->says.status / 100 - 2;
    bool is_known = class >= 0 && class < CW_FOLDER_NONE;
    folder->pages++;
    folder->bytes += page->says.bytes;
    folder->checked += cw_survey_judge(&page->says) != CW_SURVEY_UNCHECKED;
    folder->broken += cw_survey_is_broken(page);
    folder->classes[is_known ? class : CW_FOLDER_NONE]++;
}

static cw_survey_folder *folder_at(cw_survey_folders *folders, cw_survey_folder *parent, crawl_slice path)
{
    cw_survey_folder *folder = cw_map_get(folders->by_path, path);
    if (folder || cw_map_count(folders->by_path) >= CW_SURVEY_FOLDERS_MAX)
        return folder ? folder : parent;
    folder = calloc(1, sizeof *folder);
    if (!folder || cw_map_put(folders->by_path, path, folder)) {
        free(folder);
        return NULL;
    }
    *folder = (cw_survey_folder){.path = path, .parent = parent, .next = parent->first, .level = parent->level + 1};
    parent->first = folder;
    return folder;
}

/* How many bytes of the URL name the folder that ends at the first slash from `at` on; 0: there is no such folder, or
 * the path has ended before, as in "x?y://host/". */
static size_t folder_end(crawl_slice path, size_t at)
{
    if (at >= path.size)
        return 0;
    size_t slash = at + cw_find_char(cw_drop(path, at), '/');
    return slash < path.size ? slash + 1 : 0;
}

static crawl_err folders_add_page(cw_survey_folders *folders, const cw_survey_page *page)
{
    crawl_slice url = page->says.url;
    crawl_slice host = cw_survey_host_of(url);
    crawl_slice path = crawl_slice_of(url.data, cw_find_any(url, "?#"));
    cw_survey_folder *folder = &folders->root;
    size_t end = host.data ? folder_end(path, (size_t)(host.data - url.data)) : 0;
    folders_count_page(folder, page);
    for (unsigned level = 0; end && level <= CW_SURVEY_FOLDER_LEVELS; level++, end = folder_end(path, end)) {
        cw_survey_folder *below = folder_at(folders, folder, crawl_slice_of(url.data, end));
        if (!below)
            return CRAWL_ENOMEM;
        if (below == folder)
            break;
        folder = below;
        folders_count_page(folder, page);
    }
    folder->own++;
    return CRAWL_OK;
}

crawl_err cw_survey_folders_build(cw_survey_folders *folders, const cw_survey *survey)
{
    folders->by_path = cw_map_create((uintptr_t)folders);
    crawl_err err = folders->by_path ? CRAWL_OK : CRAWL_ENOMEM;
    for (size_t i = 0; i < survey->pages.count && !err; i++)
        err = folders_add_page(folders, survey->pages.items[i]);
    return err;
}

void cw_survey_folders_free(cw_survey_folders *folders)
{
    cw_map_free_values(folders->by_path);
}

crawl_slice cw_survey_folder_name(const cw_survey_folder *folder)
{
    return cw_drop(folder->path, folder->level > 1 ? folder->parent->path.size : 0);
}

static size_t count_below(const cw_survey_folder *folder, unsigned levels)
{
    size_t count = 0;
    for (const cw_survey_folder *one = folder->first; one; one = one->next)
        count += 1 + (levels > 1 ? count_below(one, levels - 1) : 0);
    return count;
}

static int folders_compare(const void *a, const void *b)
{
    const cw_survey_folder *one = *(const cw_survey_folder *const *)a, *other = *(const cw_survey_folder *const *)b;
    if (one->pages != other->pages)
        return one->pages < other->pages ? 1 : -1;
    size_t size = one->path.size < other->path.size ? one->path.size : other->path.size;
    int order = memcmp(one->path.data, other->path.data, size);
    return order ? order : one->path.size < other->path.size ? -1 : one->path.size > other->path.size;
}

/* Writes the folders below to `to`, each followed by its own folders. Returns the place after them. */
static const cw_survey_folder **folders_fill(const cw_survey_folder *folder, unsigned levels,
                                             const cw_survey_folder **to)
{
    for (const cw_survey_folder *one = folder->first; one; one = one->next) {
        *to++ = one;
        if (levels > 1)
            to = folders_fill(one, levels - 1, to);
    }
    return to;
}

const cw_survey_folder **cw_survey_folders_sorted(const cw_survey_folder *folder, unsigned levels, size_t *count)
{
    *count = count_below(folder, levels);
    const cw_survey_folder **sorted = *count ? malloc(*count * sizeof *sorted) : NULL;
    if (!sorted)
        return NULL;
    folders_fill(folder, levels, sorted);
    qsort(sorted, *count, sizeof *sorted, folders_compare);
    return sorted;
}
