#include "tools/common/resume.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/files/file_read.h"
#include "base/files/replace.h"
#include "config/config.h"

#include <crawl/fingerprint.h>
#include <crawl/output.h>
#include <crawl/sys/redis.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME "crawler.conf"

/* Maximum bytes of the file, as in crawl_config_load. */
#define MAX_FILE ((size_t)1 << 20)

bool cw_tool_is_database(const char *place)
{
    return place && crawl_output_is_sink(place) && strncmp(place, "exec:", strlen("exec:")) != 0 &&
           !crawl_redis_is_url(place);
}

static const char head[] =
    "# The options of this crawl as its last run had them, for the next one: what crawler.conf or the command line\n"
    "# then say goes before.\n";

/* Followed by the sum of everything after its line. */
static const char sum_line[] = "# SHA-1 of what follows: ";

static crawl_err resume_path_of(const char *directory, crawl_buf *path, crawl_error *error)
{
    crawl_err err = crawl_buf_printf(path, "%s/" FILE_NAME, directory);
    return err ? cw_error(error, CRAWL_ENOMEM) : CRAWL_OK;
}

/* Looks for the file, without following a symbolic link, which we never make. CRAWL_ABSENT: nothing there. CRAWL_EIO:
 * not a regular file, or not accessible; error says which. */
static crawl_err resume_find(const char *path, crawl_error *error)
{
    struct stat status;
    if (lstat(path, &status))
        return errno == ENOENT || errno == ENOTDIR ? CRAWL_ABSENT : cw_error_of_file(error, path);
    return S_ISREG(status.st_mode) ? CRAWL_OK : crawl_error_set(error, CRAWL_EIO, "%s: not a regular file", path);
}

bool cw_tool_resume_is_kept(const char *directory)
{
    crawl_buf path = {0};
    bool kept = resume_path_of(directory, &path, NULL) == CRAWL_OK && resume_find(path.data, NULL) == CRAWL_OK;
    crawl_buf_free(&path);
    return kept;
}

/* Writes the SHA-1 of a text in 40 digits. CRAWL_ENOMEM. */
static crawl_err resume_sum_of(crawl_slice text, char digits[41])
{
    crawl_fingerprint sum;
    crawl_fingerprinter *fingerprinter = crawl_fingerprinter_create();
    crawl_err err = fingerprinter ? crawl_fingerprint_bytes(fingerprinter, text, &sum) : CRAWL_ENOMEM;
    if (!err)
        crawl_fingerprint_hex(&sum, digits);
    crawl_fingerprinter_free(fingerprinter);
    return err;
}

static bool is_as_written(crawl_slice text)
{
    char digits[41];
    size_t before = sizeof sum_line - 1;
    const char *line = memmem(text.data, text.size, sum_line, before);
    size_t left = line ? text.size - (size_t)(line - text.data) : 0;
    size_t line_size = before + 40 + 1;
    if (left < line_size || resume_sum_of(crawl_slice_of(line + line_size, left - line_size), digits))
        return false;
    size_t head_size = sizeof head - 1;
    return memcmp(line + before, digits, 40) == 0 && (size_t)(line - text.data) == head_size &&
           memcmp(text.data, head, head_size) == 0;
}

bool cw_tool_resume_check(const char *directory, crawl_error *why)
{
    crawl_buf path = {0};
    crawl_buf text = {0};
    crawl_err err = resume_path_of(directory, &path, why);
    if (!err)
        err = resume_find(path.data, why);
    bool absent = err == CRAWL_ABSENT;
    if (!err)
        err = cw_read_file(path.data, MAX_FILE, &text, why);
    if (err == CRAWL_FULL || (!err && !is_as_written(crawl_buf_slice(&text))))
        err = crawl_error_set(why, CRAWL_ECORRUPT, "%s: was cut or changed since it was written", path.data);
    crawl_buf_free(&path);
    crawl_buf_free(&text);
    return absent || !err;
}

/* Returns true for an empty file, which a user puts in place of a damaged one. */
static bool resume_is_empty(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && status.st_size == 0;
}

crawl_err cw_tool_resume_load(const char *directory, crawl_config *config, crawl_error *error)
{
    crawl_buf path = {0};
    crawl_err err = resume_path_of(directory, &path, error);
    if (!err)
        err = resume_find(path.data, error);
    if (!err)
        err = resume_is_empty(path.data) || cw_tool_resume_check(directory, error) ? CRAWL_OK : CRAWL_ECORRUPT;
    if (!err)
        err = cw_config_load_kept(config, path.data, error);
    crawl_buf_free(&path);
    if (!err || err == CRAWL_ABSENT || !error || error->code != CRAWL_EIO)
        return err;
    return error->code = CRAWL_ECORRUPT; /* the user has not named this file: the fault is of the crawl */
}

/* Returns the list of a key that options replace as a whole; a header replaces the one with its name. NULL: none. */
static crawl_texts *resume_list_of(const cw_config_key *key, crawl_config *config)
{
    return cw_config_key_is_list(key) && !cw_config_key_is_headers(key) ? cw_config_field_of(key, config) : NULL;
}

cw_tool_resume_counts cw_tool_resume_count(crawl_config *config)
{
    cw_tool_resume_counts counts = {.rules = config->rule_count};
    size_t count;
    const cw_config_key *keys = cw_config_schema(&count);
    for (size_t i = 0; i < count; i++) {
        const crawl_texts *texts = resume_list_of(&keys[i], config);
        counts.texts[i] = texts ? texts->count : 0;
    }
    return counts;
}

static void replace_rules(crawl_config *config, size_t kept)
{
    if (kept == 0 || config->rule_count == kept)
        return;
    for (size_t i = 0; i < kept; i++)
        free(config->rules[i].pattern);
    config->rule_count -= kept;
    memmove(config->rules, config->rules + kept, config->rule_count * sizeof *config->rules);
}

static void replace_texts(crawl_texts *texts, size_t kept)
{
    if (kept == 0 || texts->count == kept)
        return;
    for (size_t i = 0; i < kept; i++)
        free(texts->items[i]);
    texts->count -= kept;
    memmove(texts->items, texts->items + kept, texts->count * sizeof *texts->items);
}

void cw_tool_resume_replace(crawl_config *config, const cw_tool_resume_counts *kept)
{
    size_t count;
    const cw_config_key *keys = cw_config_schema(&count);
    replace_rules(config, kept->rules);
    for (size_t i = 0; i < count; i++)
        if (resume_list_of(&keys[i], config))
            replace_texts(resume_list_of(&keys[i], config), kept->texts[i]);
}

/* Returns true for standard output, a server or a command. */
static bool resume_is_no_file(const char *path)
{
    return strcmp(path, "-") == 0 || (crawl_output_is_sink(path) && !cw_tool_is_database(path));
}

/* Makes *path, which is owned, absolute if it names a file. */
static crawl_err make_absolute(char **path, crawl_error *error)
{
    if (!*path || **path == '/' || resume_is_no_file(*path))
        return CRAWL_OK;
    char *folder = getcwd(NULL, 0);
    if (!folder)
        return cw_error_of_file(error, "the working folder");
    crawl_buf text = {0};
    crawl_err err = crawl_buf_printf(&text, "%s/%s", folder, *path);
    free(folder);
    if (err)
        return cw_error(error, CRAWL_ENOMEM);
    free(*path);
    *path = text.data;
    return CRAWL_OK;
}

static crawl_err make_each_absolute(const cw_config_key *keys, size_t count, void *object, crawl_error *error)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < count && !err; i++)
        if (keys[i].type == CW_PATH)
            err = make_absolute(cw_config_field_of(&keys[i], object), error);
    return err;
}

static crawl_err make_all_absolute(crawl_config *kept, crawl_error *error)
{
    size_t count;
    const cw_config_key *keys = cw_config_schema(&count);
    crawl_err err = make_each_absolute(keys, count, kept, error);
    keys = cw_config_schema_host(&count);
    for (size_t i = 0; i < kept->host_count && !err; i++)
        err = make_each_absolute(keys, count, &kept->hosts[i], error);
    return err;
}

static void forget_text(char **text)
{
    free(*text);
    *text = NULL;
}

/* Removes the options of a single run, and those of crawl serve. */
static void resume_forget_run(crawl_config *kept)
{
    char **const texts[] = {&kept->program.seeds,
                            &kept->state,
                            &kept->program.listen,
                            &kept->program.log,
                            &kept->program.serve.urlfrontier,
                            &kept->program.serve.state,
                            &kept->program.serve.tls_cert,
                            &kept->program.serve.tls_key,
                            &kept->program.serve.token_file};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        forget_text(texts[i]);
    kept->program.serve.sync = CRAWL_SYNC_INTERVAL;
    kept->program.wait = false;
    forget_text(&kept->cookies_file); /* its cookies are in the directory now */
    kept->max_pages = kept->max_bytes = 0;
    kept->max_time_ms = 0;
    kept->program.verbosity = 0;
    kept->program.progress = CRAWL_PROGRESS_AUTO;
    kept->program.log_level = CRAWL_LOG_INFO;
    kept->program.log_format = CRAWL_LOG_TEXT;
    kept->existing = CRAWL_EXISTING_REFUSE;
}

static crawl_err print_options(const crawl_config *kept, char **text, size_t *size)
{
    FILE *out = open_memstream(text, size);
    if (!out)
        return CRAWL_ENOMEM;
    bool whole = fputc('\n', out) != EOF && crawl_config_print(kept, out) == CRAWL_OK;
    return fclose(out) || !whole ? CRAWL_ENOMEM : CRAWL_OK;
}

/* Prints the text of the file. */
static crawl_err resume_print(const crawl_config *config, crawl_buf *out, crawl_error *error)
{
    crawl_config kept;
    char *options = NULL;
    size_t size = 0;
    char sum[41];
    if (cw_config_copy(config, &kept))
        return cw_error(error, CRAWL_ENOMEM);
    resume_forget_run(&kept);
    crawl_err err = make_all_absolute(&kept, error);
    crawl_err printed = err ? CRAWL_OK : print_options(&kept, &options, &size);
    if (!err && !printed)
        printed = resume_sum_of(crawl_slice_of(options, size), sum);
    if (!err && !printed)
        printed = crawl_buf_printf(out, "%s%s%s\n", head, sum_line, sum);
    if (!err && !printed)
        printed = crawl_buf_append(out, options, size);
    free(options);
    cw_config_clear(&kept);
    return printed ? cw_error(error, CRAWL_ENOMEM) : err;
}

static bool stands(const char *path, crawl_slice text)
{
    crawl_buf there = {0};
    bool same =
        cw_read_file(path, MAX_FILE, &there, NULL) == CRAWL_OK && crawl_slice_equal(crawl_buf_slice(&there), text);
    crawl_buf_free(&there);
    return same;
}

crawl_err cw_tool_resume_save(const char *directory, const crawl_config *config, crawl_error *error)
{
    crawl_buf path = {0};
    crawl_buf text = {0};
    crawl_err err = resume_path_of(directory, &path, error);
    if (!err)
        err = resume_print(config, &text, error);
    if (!err && !stands(path.data, crawl_buf_slice(&text)))
        err = cw_replace_file(path.data, crawl_buf_slice(&text), 0600, error);
    crawl_buf_free(&path);
    crawl_buf_free(&text);
    return err;
}
