/* See outputs.h. Checks the files that a crawl will write, before anything is created. */
#include "base/bytes.h"
#include "base/files/same_file.h"
#include "config/config_values.h"
#include "crawler/program/output/outputs.h"
#include "tools/common/io.h"
#include "tools/common/refused_memory.h"
#include "tools/common/resume.h"
#include "tools/common/say.h"
#include "tools/common/status.h"

#include <crawl/sys/redis.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

bool cw_outputs_is_remote(const crawl_config *config)
{
    return config->output && crawl_redis_is_url(config->output);
}

bool cw_outputs_is_exec(const crawl_config *config)
{
    return config->output && (cw_exec_output_is_command(config->output) || cw_tool_is_database(config->output));
}

bool cw_outputs_wants_edges(const crawl_config *config)
{
    return config->program.report || cw_tool_is_database(config->links);
}

bool cw_outputs_wants_exchanges(const crawl_config *config)
{
    return cw_tool_is_database(config->requests);
}

/* For crawl_output_options: sends the line of a record to Redis or to the command. */
static crawl_err send_line(void *user, const crawl_record *record, crawl_slice line)
{
    const cw_outputs *outputs = user;
    return outputs->exec ? cw_exec_output_write(outputs->exec, record, line)
                         : cw_remote_output_write(outputs->remote, record->receipt, line);
}

/* For crawl_output_options. */
static bool tell_mirror(void *user, uint64_t finished, uint64_t all)
{
    const cw_outputs *outputs = user;
    return !outputs->on_mirror || outputs->on_mirror(outputs->of, finished, all);
}

/* Returns the configuration without the settings that are carried out here, which the library would refuse. */
static crawl_config without_own(const crawl_config *config)
{
    crawl_config rest = *config;
    rest.program = (cw_config_program){.progress_ms = config->program.progress_ms}; /* an idle engine ticks by it */
    if (cw_tool_is_database(config->links))
        rest.links = NULL;
    if (cw_tool_is_database(config->requests))
        rest.requests = NULL;
    return rest;
}

static int outputs_check_create(cw_outputs *outputs)
{
    crawl_error error = {0};
    crawl_output_options options;
    crawl_output_options_init(&options, sizeof options);
    options.on_line = crawl_output_is_sink(outputs->config->output) ? send_line : NULL;
    options.on_mirror = tell_mirror;
    options.user = outputs;
    crawl_err err = crawl_output_create(&outputs->of_library, &options, &outputs->library, &error);
    if (err)
        cw_tool_say(NULL, "%s", error.message);
    return cw_tool_status(err);
}

/* Checks the URL of records in Redis, or the command. Returns the exit status. */
static int check_sink(const crawl_config *config)
{
    crawl_error error = {0};
    for (crawl_output_kind kind = CRAWL_OUTPUT_LINKS; kind <= CRAWL_OUTPUT_REQUESTS; kind++) {
        const char *path = crawl_output_path(config, kind), *name = crawl_output_kind_name(kind);
        if (!cw_tool_is_database(path) || (config->output && strcmp(path, config->output) == 0))
            continue;
        cw_tool_say(NULL, "%s: %s: a database has the %s beside the records: name it with --output too", name, path,
                    name);
        return CW_EXIT_USAGE;
    }
    if (cw_tool_is_database(config->output))
        return CW_EXIT_OK;
    crawl_err err = cw_outputs_is_remote(config) ? cw_remote_output_check(config->output, &error)
                    : cw_outputs_is_exec(config) ? cw_exec_output_check(config->output, &error)
                                                 : CRAWL_OK;
    if (!err)
        return CW_EXIT_OK;
    cw_tool_say(NULL, "output: %s", error.message);
    return CW_EXIT_USAGE;
}

/* Returns true if the file has content that would be lost. A pipe or a terminal has none. */
static bool outputs_check_is_there(const char *path, struct stat *found)
{
    return stat(path, found) == 0 && S_ISREG(found->st_mode) && found->st_size > 0;
}

/* Returns true if this is the file that the crawl of --state has written so far. */
static bool outputs_check_is_own(const struct stat *found, const char *kept)
{
    struct stat own;
    return kept && stat(kept, &own) == 0 && own.st_dev == found->st_dev && own.st_ino == found->st_ino;
}

/* Returns why no file can be made beside this path. 0: one can. */
static int outputs_check_folder(const char *path)
{
    crawl_slice whole = crawl_slice_from(path);
    size_t slash = cw_find_last(whole, '/');
    crawl_buf folder = {0};
    cw_tool_memory_must(slash < whole.size ? crawl_buf_append(&folder, path, slash + 1)
                                           : crawl_buf_append_text(&folder, "."));
    int why = faccessat(AT_FDCWD, folder.data, W_OK | X_OK, AT_EACCESS) ? errno : 0;
    crawl_buf_free(&folder);
    return why;
}

/* Refuses a place where a report or a WACZ could not be made, which would show only after the crawl, and a file that
 * does not begin as they do. Returns the exit status. */
static int outputs_check_place(const char *name, const char *path, const char *begin)
{
    struct stat found;
    bool is_file = path && strcmp(path, "-") != 0 && (stat(path, &found) || S_ISREG(found.st_mode));
    int why = is_file ? outputs_check_folder(path) : 0;
    if (!path || (is_file && !why))
        return path && cw_tool_is_other_file(NULL, name, path, begin) ? CW_EXIT_USAGE : CW_EXIT_OK;
    cw_tool_say(NULL, "%s: %s: %s", name, path, why ? strerror(why) : "not a regular file");
    return why ? CW_EXIT_LOCAL : CW_EXIT_USAGE;
}

/* Refuses a report or a WACZ that is not empty: it is made as a whole, so that nothing is appended to it. kept: the
 * options that the crawl of --state had. Returns the exit status. */
static int check_made_at_the_end(const crawl_config *config, const crawl_config *kept)
{
    struct stat found;
    const struct {
        const char *name, *path, *kept;
    } files[] = {{"report", config->program.report, kept->program.report},
                 {"wacz", config->program.wacz, kept->program.wacz}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (!files[i].path || !outputs_check_is_there(files[i].path, &found) ||
            outputs_check_is_own(&found, files[i].kept))
            continue;
        cw_tool_say(NULL, "%s: %s already exists: %s", files[i].name, files[i].path,
                    config->existing == CRAWL_EXISTING_APPEND ? "--append does not apply to it; move it away"
                                                              : "--overwrite replaces it");
        return CW_EXIT_USAGE;
    }
    return CW_EXIT_OK;
}

/* Refuses a file of lines that is not empty. Returns the exit status. */
static int check_lines(const crawl_config *config, const crawl_config *kept)
{
    struct stat found;
    for (crawl_output_kind kind = 0; kind <= CRAWL_OUTPUT_FIELDS; kind++) {
        const char *path = crawl_output_path(config, kind);
        if (!path || !outputs_check_is_there(path, &found) ||
            outputs_check_is_own(&found, crawl_output_path(kept, kind)))
            continue;
        cw_tool_say(NULL, "%s: %s already exists: --append adds to it, --overwrite replaces it",
                    crawl_output_kind_name(kind), path);
        return CW_EXIT_USAGE;
    }
    return CW_EXIT_OK;
}

/* Refuses a new file of lines where none can be made, before an older one of another kind is emptied. A new directory
 * of --state is made later, and may be their folder. Returns the exit status. */
static int check_folders(const crawl_config *config)
{
    struct stat found;
    if (config->state && stat(config->state, &found))
        return CW_EXIT_OK;
    for (crawl_output_kind kind = 0; kind <= CRAWL_OUTPUT_FIELDS; kind++) {
        const char *path = crawl_output_path(config, kind);
        bool is_new = path && strcmp(path, "-") != 0 && !crawl_output_is_sink(path) && stat(path, &found);
        int why = is_new ? outputs_check_folder(path) : 0;
        if (!why)
            continue;
        cw_tool_say(NULL, "%s: %s: %s", crawl_output_kind_name(kind), path, strerror(why));
        return CW_EXIT_LOCAL;
    }
    return CW_EXIT_OK;
}

/* Refuses files that cannot be made, or are not empty, unless the user has said what to do with them. Files of the
 * crawl of --state are appended to, even if a power cut has destroyed the rest of it. */
static int outputs_check_refuse_existing(cw_outputs *outputs)
{
    crawl_config kept;
    const crawl_config *config = outputs->config;
    int status = outputs_check_place("report", config->program.report, "<");
    if (!status)
        status = outputs_check_place("wacz", config->program.wacz, "PK");
    if (!status)
        status = check_folders(config);
    if (status || config->existing == CRAWL_EXISTING_OVERWRITE)
        return status;
    cw_tool_memory_must(cw_config_init(&kept));
    if (config->state)
        (void)cw_tool_resume_load(config->state, &kept, NULL); /* unreadable options are reported later */
    status = check_made_at_the_end(config, &kept);
    if (!status && config->existing == CRAWL_EXISTING_REFUSE)
        status = check_lines(config, &kept);
    if (config->state)
        outputs->of_library.existing = CRAWL_EXISTING_APPEND;
    cw_config_clear(&kept);
    return status;
}

/* Refuses one file for two outputs of which the program writes one. The library compares its own. Returns the exit
 * status. */
static int outputs_check_different(const crawl_config *config)
{
    enum { OWN = 4, ALL = CRAWL_OUTPUT_FIELDS + 1 + OWN };
    const char *names[ALL] = {"output.log", "output.report", "output.wacz", "fetch.cookies_save"};
    const char *paths[ALL] = {config->program.log, config->program.report, config->program.wacz, config->cookies_save};
    for (crawl_output_kind kind = 0; kind <= CRAWL_OUTPUT_FIELDS; kind++)
        paths[OWN + kind] = crawl_output_path(config, kind);
    for (size_t own = 0; own < OWN; own++)
        for (size_t other = own + 1; other < ALL; other++) {
            if (!paths[own] || !paths[other] || !cw_same_file(paths[own], paths[other]))
                continue;
            bool is_line = other >= OWN;
            cw_tool_say(NULL, "%s%s and %s are the same: %s", is_line ? "output." : "",
                        is_line ? crawl_output_kind_name(other - OWN) : names[other], names[own], paths[own]);
            return CW_EXIT_USAGE;
        }
    return CW_EXIT_OK;
}

/* Returns true if a setting about rendered pages has no use. A crawl that is resumed keeps such settings. */
static bool renders_in_vain(const crawl_config *config)
{
    bool is_kept = config->state && cw_tool_resume_is_kept(config->state);
    bool is_set = config->render_pages.count || config->render_click.count;
    return config->render == CRAWL_RENDER_NEVER && is_set && !is_kept;
}

/* Refuses content without an output for it. Texts and data are for records and the report, texts also for WET files.
 * CSV has them if its columns are chosen. Returns the exit status. */
static int check_content(const crawl_config *config)
{
    bool is_csv = config->output && crawl_output_is_csv(config->output);
    bool has_json = (config->output && !is_csv) || config->program.report;
    bool has_lines = has_json || (is_csv && config->columns);
    bool has_texts = config->text != CRAWL_RECORD_TEXT_NONE;
    if (config->program.audit && !has_lines)
        cw_tool_say(NULL, "audit: nothing receives its results: add --report FILE, or --output FILE in JSON Lines");
    else if (has_texts && !has_lines && !config->warc)
        cw_tool_say(NULL, "text: nothing receives the texts of pages: add --output FILE in JSON Lines, --warc or "
                          "--report");
    else if (config->data && !has_lines)
        cw_tool_say(NULL,
                    "data: nothing receives the data of pages: add --output FILE in JSON Lines, or --report FILE");
    else if (config->answer_headers && !has_json && !config->program.audit)
        cw_tool_say(NULL,
                    "answer-headers: nothing receives headers: add --output FILE in JSON Lines, or --report FILE");
    else if (config->dedupe_against && !config->warc)
        cw_tool_say(NULL, "dedupe-against: needs WARC files: add --warc PREFIX");
    else if (config->program.wacz && !config->warc)
        cw_tool_say(NULL, "wacz: needs WARC files: add --warc PREFIX");
    else if (config->program.sitemap_gzip && !config->program.sitemap)
        cw_tool_say(NULL, "sitemap-gzip: there are no sitemaps: add --write-sitemap DIR");
    else if (config->program.webhook_secret_file && !config->program.webhooks.count)
        cw_tool_say(NULL, "webhook-secret-file: there is no target: add --webhook URL");
    else if (renders_in_vain(config))
        cw_tool_say(NULL, "%s: no page is rendered: add --render auto",
                    config->render_click.count ? "render-click" : "render-pages");
    else
        return CW_EXIT_OK;
    return CW_EXIT_USAGE;
}

/* Refuses a copy, sitemaps, a report and a WACZ of a shared crawl: made by one process, they would lack the pages of
 * the others. Returns the exit status. */
static int outputs_check_shared(const crawl_config *config)
{
    const char *words = config->mirror ? "output.mirror: not supported in a shared crawl yet"
                        : config->program.sitemap
                            ? "output.sitemap: not supported in a shared crawl yet: each process would write a part"
                        : config->program.report
                            ? "output.report: each process has a part of the records; when all have ended, make it "
                              "from all of them: crawl report 1.jsonl 2.jsonl --html FILE"
                        : config->program.wacz
                            ? "output.wacz: each process has a part of the WARC files; when all have ended, make it "
                              "from all of them: crawl warc --wacz FILE WARC..."
                            : NULL;
    if (config->shared && words)
        cw_tool_say(NULL, "%s", words);
    return config->shared && words ? CW_EXIT_USAGE : CW_EXIT_OK;
}

int cw_outputs_create(cw_outputs *outputs, const crawl_config *config)
{
    outputs->config = config;
    outputs->of_library = without_own(config);
    int status = outputs_check_create(outputs);
    if (!status)
        status = check_sink(config);
    if (!status)
        status = check_content(config);
    if (!status)
        status = outputs_check_different(config);
    if (!status)
        status = outputs_check_shared(config);
    if (!status)
        status = cw_webhooks_check(config);
    if (!status)
        status = outputs_check_refuse_existing(outputs);
    return status ? status : cw_site_upload_check(config);
}
