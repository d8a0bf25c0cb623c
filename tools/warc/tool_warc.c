/* `crawl warc`: finishes WARC files that a killed crawl has left open, packs WARC files as WACZ, and checks both. */
#include "base/bytes.h"
#include "tools/common/io.h"
#include "tools/common/refused_memory.h"
#include "tools/common/say.h"
#include "tools/common/status.h"
#include "tools/common/tool_options.h"
#include "tools/common/tool_output.h"
#include "tools/warc/check_parts.h"
#include "tools/warc/parcel.h"

#include <crawl/sys/warc.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

static const char tool[] = "warc";

/* Finishes a file that was left open. *path: its new name, which the caller frees. if_empty: what becomes of a file
 * without a record. */
static crawl_err warc_finish_one(const char *open_path, const char *if_empty, FILE *out, char **path)
{
    crawl_error error = {0};
    crawl_warc_finished done;
    crawl_err err = crawl_warc_finish(open_path, &done, &error);
    if (err)
        cw_tool_say(tool, "%s%s", error.message, err == CRAWL_ABSENT ? if_empty : "");
    else
        fprintf(out, "%s: %llu records, %llu in its index, %llu bytes cut\n", done.path,
                (unsigned long long)done.records, (unsigned long long)done.indexed, (unsigned long long)done.cut);
    *path = done.path;
    return err;
}

static int warc_finish_status(crawl_err err)
{
    bool is_left = err == CRAWL_EINVAL || err == CRAWL_ESTATE || err == CRAWL_ECORRUPT || err == CRAWL_ABSENT;
    return is_left ? CW_EXIT_NOTHING : err ? CW_EXIT_LOCAL : CW_EXIT_OK;
}

static int warc_finish_all(int count, char **paths)
{
    int status = CW_EXIT_OK;
    for (int i = 0; i < count; i++) {
        char *path;
        int one = warc_finish_status(warc_finish_one(paths[i], "", stdout, &path));
        free(path);
        status = one > status ? one : status;
    }
    return status;
}

static int warc_pack(cw_parcel *parcel)
{
    crawl_err err = cw_parcel_make(parcel);
    if (err) {
        cw_tool_say(tool, "%s", parcel->error.message);
        bool is_left = err == CRAWL_ABSENT || err == CRAWL_ECORRUPT || err == CRAWL_ESTATE;
        return is_left ? CW_EXIT_NOTHING : cw_tool_status(err);
    }
    printf("%s: %zu files, %zu answers, %llu pages, %llu bytes\n", parcel->path, parcel->warc_count,
           parcel->index.count, (unsigned long long)parcel->page_count, (unsigned long long)parcel->bytes);
    if (parcel->unresolved)
        cw_tool_say(tool, "%s: %llu answers refer to others that it does not contain, and cannot be replayed",
                    parcel->path, (unsigned long long)parcel->unresolved);
    return CW_EXIT_OK;
}

/* Finishes open files, and packs all of them except those without a record, which a kill or a full disk leaves. */
static int warc_pack_all(const char *path, int count, char **paths)
{
    int status = CW_EXIT_OK;
    size_t kept = 0;
    char **finished = cw_tool_memory_granted(calloc((size_t)count, sizeof *finished));
    for (int i = 0; i < count && !status; i++) {
        if (cw_ends_with(crawl_slice_from(paths[i]), ".open")) {
            crawl_err err = warc_finish_one(paths[i], ", and is left out", stderr, &finished[i]);
            status = err == CRAWL_ABSENT ? CW_EXIT_OK : warc_finish_status(err);
            paths[i] = finished[i];
        }
        if (paths[i])
            paths[kept++] = paths[i];
    }
    cw_parcel parcel = {.path = path, .warcs = (const char *const *)paths, .warc_count = kept};
    if (!status)
        status = warc_pack(&parcel);
    cw_parcel_free(&parcel);
    for (int i = 0; i < count; i++)
        free(finished[i]);
    free(finished);
    return status;
}

static int warc_main(int argc, char **argv)
{
    bool finishes = false, checks = false;
    const char *wacz = NULL;
    const cw_tool_option known[] = {
        {"finish", .flag = &finishes}, {"check", .flag = &checks}, {"wacz", .text = &wacz}, {0}};
    const cw_tool_syntax syntax = {.tool = tool, .options = known, .help = cw_tool_help};
    int status;
    if (!cw_tool_options(&syntax, argc, argv, &status))
        return status;
    int count = argc - optind;
    if (finishes + checks + (wacz != NULL) != 1)
        return cw_tool_refuse(&syntax, "expected one of --finish, --wacz and --check");
    if (!count)
        return cw_tool_refuse(&syntax, "FILE is missing");
    if (wacz && cw_tool_is_other_file(tool, "wacz", wacz, "PK"))
        return CW_EXIT_USAGE;
    return wacz     ? warc_pack_all(wacz, count, argv + optind)
           : checks ? cw_check_files(tool, count, argv + optind)
                    : warc_finish_all(count, argv + optind);
}

int main(int argc, char **argv)
{
    return cw_tool_main(argc, argv, warc_main);
}
