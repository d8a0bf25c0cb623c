#include "crawler/program/output/site_upload.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/files/file_read.h"
#include "base/map.h"
#include "base/process.h"
#include "base/thread.h"
#include "crawler/program/output/site_report.h"
#include "crawler/program/summary/units.h"
#include "tools/common/messages/message.h"
#include "tools/common/resume.h"
#include "tools/common/say.h"
#include "tools/common/status.h"

#include <crawl/output.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_MS = 1000, FIRST_PAUSE_MS = 60000, LONGEST_PAUSE_MS = 30 * 60000 };

#define ENDS ".warc{,.wet}.gz"

typedef struct site_upload_file {
    char text[1]; /* path */
} site_upload_file;

struct cw_site_upload {
    const crawl_config *config;
    cw_map *done; /* paths of earlier runs, and those uploaded; the thread's, then the finisher's */
    uint64_t files, bytes;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock;
    pthread_cond_t end;
    bool ending; /* under the lock */
};

/* --- running the tool --- */

typedef struct site_upload_run {
    char *argv[24];
    size_t count;
    bool is_apart; /* keys of the terminal do not reach it */
    crawl_buf out, errors;
} site_upload_run;

static void site_upload_add(site_upload_run *run, const char *option, const char *value)
{
    if (!value)
        return;
    if (option)
        run->argv[run->count++] = (char *)option;
    run->argv[run->count++] = (char *)value;
}

static void site_upload_begin(const crawl_config *config, site_upload_run *run)
{
    site_upload_add(run, NULL, "crawl-upload");
    site_upload_add(run, "--endpoint", config->program.upload_endpoint);
    site_upload_add(run, "--region", config->program.upload_region);
    site_upload_add(run, "--credentials-file", config->program.upload_credentials);
    site_upload_add(run, "--ca-file", config->ca_file);
}

static void site_upload_take(int file, crawl_buf *out)
{
    enum { MOST = 1 << 20 };
    FILE *stream = file < 0 ? NULL : fdopen(file, "r");
    if (stream && fseek(stream, 0, SEEK_SET) == 0)
        (void)cw_read_rest(stream, MOST, out);
    if (stream)
        fclose(stream);
    else if (file >= 0)
        close(file);
}

/* Runs the tool to its end. Returns the exit status; its output is in *run. */
static int site_upload_tool(site_upload_run *run)
{
    crawl_buf path = {0};
    pid_t child = 0;
    int out = memfd_create("upload", MFD_CLOEXEC), errors = memfd_create("upload", MFD_CLOEXEC);
    int why = out < 0 || errors < 0 ? errno : cw_process_path("upload", &path);
    const cw_process_plan plan = {
        .program = path.data, .argv = run->argv, .streams = {-1, out, errors}, .is_apart = run->is_apart};
    if (!why)
        why = cw_process_start(&plan, &child);
    int how = why ? 0 : cw_process_wait(child);
    site_upload_take(out, &run->out);
    site_upload_take(errors, &run->errors);
    if (why)
        CW_PROGRAM_SAY(&run->errors, "crawl: upload: %s: %s\n", path.data ? path.data : "crawl-upload", strerror(why));
    else if (WIFSIGNALED(how))
        CW_PROGRAM_SAY(&run->errors, "crawl: upload: ended by a signal: %s\n", strsignal(WTERMSIG(how)));
    crawl_buf_free(&path);
    return !why && WIFEXITED(how) ? WEXITSTATUS(how) : CW_EXIT_LOCAL;
}

static void site_upload_say(site_upload_run *run, cw_message_level level)
{
    if (run->errors.size)
        cw_message_lines(level, run->errors.data);
    crawl_buf_free(&run->out);
    crawl_buf_free(&run->errors);
}

/* --- files --- */

static bool site_upload_mark(cw_site_upload *upload, const char *path)
{
    crawl_slice key = crawl_slice_from(path);
    return cw_map_get(upload->done, key) ||
           cw_map_make(upload->done, key, sizeof(site_upload_file), offsetof(site_upload_file, text));
}

/* Appends the path of the index of a WARC file. The WARC file gets its final name before its index does. */
static crawl_err site_upload_index(const char *path, crawl_buf *index)
{
    size_t stem = strlen(path) - strlen(".warc.gz");
    return crawl_buf_printf(index, "%.*s.cdxj", (int)stem, path);
}

/* Uploads these files, and counts those sent now. stamps: with --stamp. Returns the exit status. */
static int site_upload_bring(cw_site_upload *upload, char *const *paths, size_t count, bool stamps,
                             cw_message_level level)
{
    site_upload_run run = {.is_apart = level == CW_MESSAGE_WARNING};
    site_upload_begin(upload->config, &run);
    site_upload_add(&run, NULL, stamps ? "--stamp" : NULL);
    site_upload_add(&run, "--", upload->config->program.upload);
    for (size_t i = 0; i < count; i++)
        site_upload_add(&run, NULL, paths[i]);
    int status = site_upload_tool(&run);
    crawl_slice rest = crawl_buf_slice(&run.out);
    while (rest.size) {
        crawl_slice line = cw_cut_line(&rest);
        bool is_sent = cw_is(cw_cut(&line, '\t'), "sent"); /* otherwise it was there before */
        upload->files += is_sent;
        upload->bytes += is_sent ? strtoull(line.size ? line.data : "", NULL, 10) : 0;
    }
    site_upload_say(&run, level);
    return status;
}

/* Removes files that are in the bucket, the last one first. Returns false if one stays. */
static bool site_upload_remove(char *const *paths, size_t count, cw_message_level level)
{
    site_upload_run run = {0};
    while (count-- && !run.errors.size)
        if (unlink(paths[count]))
            CW_PROGRAM_SAY(&run.errors, "crawl: upload: %s: uploaded, but cannot be removed here: %s\n", paths[count],
                           strerror(errno));
    bool is_removed = !run.errors.size;
    site_upload_say(&run, level);
    return is_removed;
}

/* Uploads a WARC file, with its index if it has one. The index is removed first: without its WARC file it would not be
 * found again. Returns true if both are there, now or before. */
static bool site_upload_warc(cw_site_upload *upload, char *path, cw_message_level level)
{
    crawl_buf index = {0};
    bool has_index = cw_ends_with(crawl_slice_from(path), ".warc.gz");
    if (cw_map_get(upload->done, crawl_slice_from(path)))
        return true;
    if (has_index && (site_upload_index(path, &index) || access(index.data, F_OK))) {
        crawl_buf_free(&index);
        return level == CW_MESSAGE_WARNING; /* later */
    }
    char *const both[] = {path, index.data};
    size_t count = has_index ? 2 : 1;
    bool is_done = site_upload_bring(upload, both, count, false, level) == CW_EXIT_OK;
    if (is_done && upload->config->program.upload_delete)
        is_done = site_upload_remove(both, count, level);
    crawl_buf_free(&index);
    return is_done && site_upload_mark(upload, path);
}

/* Uploads the finished WARC files. Returns false if one failed; no further one was tried. */
static bool site_upload_warcs(cw_site_upload *upload, cw_message_level level)
{
    glob_t files = {0};
    bool is_done = !upload->config->warc || cw_site_warc_find(upload->config->warc, ENDS, &files) == CRAWL_OK;
    for (size_t i = 0; i < files.gl_pathc && is_done; i++)
        is_done = site_upload_warc(upload, files.gl_pathv[i], level);
    if (upload->config->warc)
        globfree(&files);
    return is_done;
}

/* --- the thread --- */

/* Returns false once the end has come. */
static bool site_upload_rest(cw_site_upload *upload, int64_t ms)
{
    int64_t until_us = cw_now_us() + ms * 1000;
    const struct timespec until = {.tv_sec = until_us / 1000000, .tv_nsec = until_us % 1000000 * 1000};
    int why = 0;
    pthread_mutex_lock(&upload->lock);
    while (!upload->ending && !why)
        why = pthread_cond_timedwait(&upload->end, &upload->lock, &until);
    bool goes_on = !upload->ending;
    pthread_mutex_unlock(&upload->lock);
    return goes_on;
}

static void *site_upload_follow(void *user)
{
    cw_site_upload *upload = user;
    int64_t pause_ms = LOOK_MS;
    while (site_upload_rest(upload, pause_ms)) {
        bool is_done = site_upload_warcs(upload, CW_MESSAGE_WARNING);
        pause_ms = is_done ? LOOK_MS : cw_least(cw_most(2 * pause_ms, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
    }
    return NULL;
}

static void site_upload_stop(cw_site_upload *upload)
{
    if (!upload->has_thread)
        return;
    pthread_mutex_lock(&upload->lock);
    upload->ending = true;
    pthread_cond_signal(&upload->end);
    pthread_mutex_unlock(&upload->lock);
    pthread_join(upload->thread, NULL);
    upload->has_thread = false;
}

/* --- the interface --- */

/* Returns the file of records. NULL: there is no local one. */
static const char *site_upload_records(const crawl_config *config)
{
    const char *path = config->output;
    bool is_file = path && strcmp(path, "-") != 0 && (!crawl_output_is_sink(path) || cw_tool_is_database(path));
    return is_file ? path : NULL;
}

int cw_site_upload_check(const crawl_config *config)
{
    if (!config->program.upload)
        return CW_EXIT_OK;
    const char *wrong = NULL;
    if (!config->warc && !site_upload_records(config))
        wrong = "nothing to upload: add --warc PREFIX or --output FILE";
    else if (config->program.upload_delete && config->program.wacz)
        wrong = "upload.delete would delete the WARC files that --wacz is made of";
    if (wrong) {
        cw_tool_say(NULL, "upload: %s", wrong);
        return CW_EXIT_USAGE;
    }
    site_upload_run run = {0};
    site_upload_begin(config, &run);
    site_upload_add(&run, "--tries", "3");
    site_upload_add(&run, "--", config->program.upload);
    int status = site_upload_tool(&run);
    site_upload_say(&run, CW_MESSAGE_ERROR);
    return status == CW_EXIT_NOTHING ? CW_EXIT_LOCAL : status;
}

/* Marks the files of earlier runs, so that they are not uploaded. */
static crawl_err site_upload_mark_old(cw_site_upload *upload)
{
    glob_t files = {0};
    if (!upload->config->warc)
        return CRAWL_OK;
    crawl_err err = cw_site_warc_find(upload->config->warc, ENDS, &files);
    for (size_t i = 0; i < files.gl_pathc && !err; i++)
        err = site_upload_mark(upload, files.gl_pathv[i]) ? CRAWL_OK : CRAWL_ENOMEM;
    globfree(&files);
    return err;
}

crawl_err cw_site_upload_open(const crawl_config *config, cw_site_upload **out, crawl_error *error)
{
    cw_site_upload *upload = calloc(1, sizeof *upload);
    if (!upload)
        return cw_error(error, CRAWL_ENOMEM);
    upload->config = config;
    upload->done = cw_map_create((uint64_t)(uintptr_t)upload);
    pthread_mutex_init(&upload->lock, NULL);
    cw_condition_init(&upload->end);
    crawl_err err = upload->done ? site_upload_mark_old(upload) : CRAWL_ENOMEM;
    int why = err || !config->warc ? 0 : cw_thread_start(&upload->thread, site_upload_follow, upload);
    upload->has_thread = !err && config->warc && !why;
    if (err)
        cw_error(error, err);
    else if (why)
        err = crawl_error_set(error, CRAWL_EIO, "no thread: %s", strerror(why));
    if (err)
        cw_site_upload_free(upload);
    else
        *out = upload;
    return err;
}

int cw_site_upload_finish(cw_site_upload *upload, crawl_buf *said)
{
    const crawl_config *config = upload->config;
    char *whole[2];
    struct stat found;
    size_t count = 0;
    site_upload_stop(upload);
    bool is_done = site_upload_warcs(upload, CW_MESSAGE_ERROR);
    const char *const paths[] = {config->program.wacz, site_upload_records(config)};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (paths[i] && stat(paths[i], &found) == 0 && S_ISREG(found.st_mode))
            whole[count++] = (char *)paths[i];
    if (count)
        is_done = site_upload_bring(upload, whole, count, true, CW_MESSAGE_ERROR) == CW_EXIT_OK && is_done;
    if (!is_done)
        cw_tool_say(NULL, "upload: some files are not in %s and stay here; send them with `crawl upload`",
                    config->program.upload);
    CW_PROGRAM_SAY(said, "  upload    %" PRIu64 " file%s, %s, in %s\n", upload->files, cw_program_plural(upload->files),
                   cw_program_size(upload->bytes).text, config->program.upload);
    return is_done ? CW_EXIT_OK : CW_EXIT_LOCAL;
}

void cw_site_upload_free(cw_site_upload *upload)
{
    if (!upload)
        return;
    site_upload_stop(upload);
    cw_map_free_values(upload->done);
    pthread_cond_destroy(&upload->end);
    pthread_mutex_destroy(&upload->lock);
    free(upload);
}
