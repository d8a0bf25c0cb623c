/* See resume.h. */
#include "crawler/resume.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FILE_NAME "crawler.conf"

static const char head[] =
    "# The options of this crawl as its last run had them, for the next one: what crawler.conf or the command line\n"
    "# then say goes before.\n\n";

static crawl_err no_memory(crawl_error *error)
{
    return crawl_error_set(error, CRAWL_ENOMEM, "%s", crawl_strerror(CRAWL_ENOMEM));
}

static crawl_err failed(const char *path, crawl_error *error)
{
    return crawl_error_set(error, CRAWL_EIO, "%s: %s", path, strerror(errno));
}

crawl_err cw_resume_load(const char *directory, crawl_config *config, crawl_error *error)
{
    crawl_buf path = {0};
    crawl_err err = crawl_buf_printf(&path, "%s/" FILE_NAME, directory);
    if (err)
        err = no_memory(error);
    else if (access(path.data, F_OK))
        err = CRAWL_ABSENT;
    else
        err = crawl_config_load(config, path.data, error);
    crawl_buf_free(&path);
    return err;
}

void cw_resume_rules(crawl_config *config, size_t kept)
{
    if (kept == 0 || config->rule_count == kept)
        return;
    for (size_t i = 0; i < kept; i++)
        free(config->rules[i].pattern);
    config->rule_count -= kept;
    memmove(config->rules, config->rules + kept, config->rule_count * sizeof *config->rules);
}

/* *out: the path from the root; NULL where there is none to speak of. */
static crawl_err absolute(const char *path, crawl_buf *text, char **out, crawl_error *error)
{
    *out = NULL;
    if (!path)
        return CRAWL_OK;
    crawl_buf_clear(text);
    bool as_it_is = *path == '/' || strcmp(path, "-") == 0;
    char *folder = as_it_is ? NULL : getcwd(NULL, 0);
    if (!as_it_is && !folder)
        return failed("the working folder", error);
    crawl_err err = folder ? crawl_buf_printf(text, "%s/%s", folder, path) : crawl_buf_append_text(text, path);
    free(folder);
    *out = text->data;
    return err ? no_memory(error) : CRAWL_OK;
}

/* What is to stand in the file. */
static crawl_err print(const crawl_config *config, char **text, size_t *size, crawl_error *error)
{
    crawl_config kept = *config; /* whose strings are the other's */
    crawl_buf output = {0};
    crawl_buf requests = {0};
    crawl_buf warc = {0};
    crawl_buf ca_file = {0};
    kept.seeds = NULL;
    kept.state = NULL;
    kept.max_pages = kept.max_bytes = 0;
    kept.max_time_ms = 0;
    kept.verbosity = 0;
    crawl_err err = absolute(config->output, &output, &kept.output, error);
    if (!err)
        err = absolute(config->requests, &requests, &kept.requests, error);
    if (!err)
        err = absolute(config->warc, &warc, &kept.warc, error);
    if (!err)
        err = absolute(config->ca_file, &ca_file, &kept.ca_file, error);
    FILE *out = err ? NULL : open_memstream(text, size);
    if (!err && !out)
        err = no_memory(error);
    if (out) {
        bool whole = fputs(head, out) != EOF && crawl_config_print(&kept, out) == CRAWL_OK;
        if (fclose(out) || !whole)
            err = no_memory(error);
    }
    crawl_buf_free(&output);
    crawl_buf_free(&requests);
    crawl_buf_free(&warc);
    crawl_buf_free(&ca_file);
    return err;
}

static bool stands(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "re");
    char *there = file ? malloc(size + 1) : NULL;
    bool same = there && fread(there, 1, size + 1, file) == size && memcmp(there, text, size) == 0;
    free(there);
    if (file)
        fclose(file);
    return same;
}

static crawl_err write_file(const char *path, const char *text, size_t size, crawl_error *error)
{
    FILE *file = fopen(path, "we");
    if (!file)
        return failed(path, error);
    bool written = fwrite(text, 1, size, file) == size && fflush(file) == 0 && fdatasync(fileno(file)) == 0;
    crawl_err err = written ? CRAWL_OK : failed(path, error);
    if (fclose(file) && !err)
        err = failed(path, error);
    return err;
}

static crawl_err replace(const char *directory, const char *text, size_t size, crawl_error *error)
{
    crawl_buf path = {0};
    crawl_buf made = {0};
    crawl_err err = crawl_buf_printf(&path, "%s/" FILE_NAME, directory);
    if (!err)
        err = crawl_buf_printf(&made, "%s.new", path.data);
    if (err) {
        err = no_memory(error);
    } else if (!stands(path.data, text, size)) {
        err = write_file(made.data, text, size, error);
        if (!err && rename(made.data, path.data))
            err = failed(path.data, error);
        if (err)
            unlink(made.data);
    }
    crawl_buf_free(&path);
    crawl_buf_free(&made);
    return err;
}

crawl_err cw_resume_save(const char *directory, const crawl_config *config, crawl_error *error)
{
    char *text = NULL;
    size_t size = 0;
    crawl_err err = print(config, &text, &size, error);
    if (!err)
        err = replace(directory, text, size, error);
    free(text);
    return err;
}
