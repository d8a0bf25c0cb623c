/* `crawl warc`: finishes WARC files that a killed crawl has left open. */
#include "crawler/program/commands/commands.h"
#include "tools/common/say.h"
#include "tools/common/tool_options.h"
#include "tools/common/tool_output.h"

#include <crawl/warc.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

const char cw_command_warc_help[] = "usage: crawl warc --finish FILE...\n"
                                    "\n"
                                    "Finishes WARC files that a crawl which was killed has left open,\n"
                                    "PREFIX-TIME-NUMBER.warc.gz.open. What such a file ends with of a record that is\n"
                                    "not whole is cut off; each whole record stays. Then it gets the name without\n"
                                    ".open, and beside it the index, PREFIX-TIME-NUMBER.cdxj, that the crawl would\n"
                                    "have written. Files of texts, .warc.wet.gz.open, have no index. Standard output\n"
                                    "has a line for each file, with how many records it has and how many bytes were\n"
                                    "cut.\n"
                                    "\n"
                                    "A file that a crawl is still writing is left alone, and so is one with a damaged\n"
                                    "record before whole ones.\n"
                                    "\n"
                                    "  --finish    what is to be done\n"
                                    "  --help      this text\n"
                                    "\n"
                                    "Exit status: 0; 1 a file was left as it is; 2 usage; 4 a file or memory.\n";

static const char tool[] = "warc";

static int commands_warc_finish(const char *path)
{
    crawl_error error = {0};
    crawl_warc_finished done;
    crawl_err err = crawl_warc_finish(path, &done, &error);
    if (err)
        cw_tool_say(tool, "%s", error.message);
    else
        printf("%s: %llu records, %llu in its index, %llu bytes cut\n", done.path, (unsigned long long)done.records,
               (unsigned long long)done.indexed, (unsigned long long)done.cut);
    free(done.path);
    bool is_left = err == CRAWL_EINVAL || err == CRAWL_ESTATE || err == CRAWL_ECORRUPT;
    return is_left ? CW_EXIT_NOTHING : err ? CW_EXIT_LOCAL : CW_EXIT_OK;
}

int cw_command_warc(int argc, char **argv)
{
    bool finishes = false;
    const cw_tool_option known[] = {{"finish", .flag = &finishes}, {0}};
    const cw_tool_syntax syntax = {
        .tool = tool,
        .options = known,
        .help = cw_command_warc_help,
    };
    int status;
    if (!cw_tool_options(&syntax, argc, argv, &status))
        return status;
    if (!finishes || optind == argc)
        return cw_tool_refuse(&syntax, finishes ? "which FILE?" : "--finish says what is to be done");
    for (int i = optind; i < argc; i++) {
        int one = commands_warc_finish(argv[i]);
        status = i == optind || one > status ? one : status;
    }
    return status;
}
