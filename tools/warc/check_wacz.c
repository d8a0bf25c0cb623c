/* See check_parts.h: a WACZ as its readers need it (WACZ 1.1.1, wacz-auth 0.1.0). */
#include "base/bytes.h"
#include "tools/common/refused_memory.h"
#include "tools/warc/check_parts.h"

#include <stdlib.h>

/* Reports faults of the ZIP. */
static void wacz_zip_fault(void *user, uint64_t offset, const char *what)
{
    cw_check_fault(user, "byte", offset, "%s", what);
}

static bool wacz_is_in(const char *name, const char *folder, const char *ending)
{
    return cw_starts_with(crawl_slice_from(name), folder) && cw_ends_with(crawl_slice_from(name), ending);
}

/* Checks the content of each entry against its checksum, and that entries which readers read in ranges are stored. */
static void wacz_check_entries(cw_check *check, const cw_zip *zip)
{
    static const char *const needed[] = {"datapackage.json", "datapackage-digest.json", "pages/pages.jsonl"};
    crawl_buf room = {0};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!cw_zip_find(zip, needed[i]))
            cw_check_fault(check, NULL, 0, "%s is missing", needed[i]);
    for (size_t i = 0; i < zip->count; i++) {
        const cw_zip_entry *entry = &zip->entries[i];
        crawl_slice content;
        bool is_warc = wacz_is_in(entry->name, "archive/", ".warc.gz") || wacz_is_in(entry->name, "archive/", ".warc");
        check->inner = entry->name;
        if (cw_tool_memory_must(cw_zip_content(entry, &room, &content)))
            cw_check_fault(check, "byte", entry->header, "its bytes do not match its checksum and size");
        if (entry->method && (is_warc || wacz_is_in(entry->name, "indexes/", ".gz")))
            cw_check_fault(check, "byte", entry->header, "deflated in the ZIP: readers cannot read ranges of it");
        if (!is_warc && wacz_is_in(entry->name, "archive/", ""))
            cw_check_fault(check, "byte", entry->header, "archive/ may contain only WARC files, .warc or .warc.gz");
    }
    check->inner = NULL;
    crawl_buf_free(&room);
}

typedef struct wacz_warcs {
    cw_check_archive *files;
    const char **paths; /* in the ZIP */
    size_t count;
} wacz_warcs;

static void wacz_check_warcs(cw_check *check, const cw_zip *zip, wacz_warcs *warcs)
{
    for (size_t i = 0; i < zip->count; i++) {
        const cw_zip_entry *entry = &zip->entries[i];
        if (!wacz_is_in(entry->name, "archive/", "") || entry->method || !entry->data.data)
            continue;
        check->inner = warcs->paths[warcs->count] = entry->name;
        warcs->files[warcs->count] = (cw_check_archive){.name = entry->name + strlen("archive/"), .bytes = entry->data};
        cw_check_warc(check, &warcs->files[warcs->count++]);
    }
    check->inner = NULL;
    if (!warcs->count)
        cw_check_fault(check, NULL, 0, "there is no WARC file in archive/");
}

static void wacz_check_indexed(cw_check *check, const cw_zip *zip, const wacz_warcs *warcs, bool resolves)
{
    crawl_buf room = {0};
    crawl_slice index = {0};
    cw_check_wacz_index(check, zip, &room, &index);
    if (index.data)
        cw_check_index(check, index, warcs->files, warcs->count, resolves);
    for (size_t i = 0; i < warcs->count && index.data; i++) {
        check->inner = warcs->paths[i];
        cw_check_indexed(check, &warcs->files[i]);
    }
    for (size_t i = 0; i < zip->count; i++)
        if (wacz_is_in(zip->entries[i].name, "pages/", ".jsonl"))
            cw_check_wacz_pages(check, &zip->entries[i], index);
    check->inner = NULL;
    crawl_buf_free(&room);
}

static void wacz_check_all(cw_check *check, const cw_zip *zip)
{
    wacz_warcs warcs = {.files = cw_tool_memory_granted(calloc(zip->count + 1, sizeof *warcs.files)),
                        .paths = cw_tool_memory_granted(calloc(zip->count + 1, sizeof *warcs.paths))};
    bool requires = false;
    wacz_check_entries(check, zip);
    cw_check_wacz_manifest(check, zip, &requires);
    wacz_check_warcs(check, zip, &warcs);
    wacz_check_indexed(check, zip, &warcs, !requires);
    for (size_t i = 0; i < warcs.count; i++)
        cw_check_archive_free(&warcs.files[i]);
    free(warcs.files);
    free(warcs.paths);
}

void cw_check_wacz(cw_check *check, crawl_slice bytes)
{
    cw_zip zip;
    cw_tool_memory_must(cw_zip_read(bytes, &zip, wacz_zip_fault, check));
    if (zip.count)
        wacz_check_all(check, &zip);
    cw_zip_free(&zip);
}
