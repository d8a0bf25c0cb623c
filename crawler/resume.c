/* See resume.h. */
#include "crawler/resume.h"

#include "base/replace.h"

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

/* *path, which is owned, becomes one from the root. */
static crawl_err make_absolute(char **path, crawl_error *error)
{
    if (!*path || **path == '/' || strcmp(*path, "-") == 0)
        return CRAWL_OK;
    char *folder = getcwd(NULL, 0);
    if (!folder)
        return failed("the working folder", error);
    crawl_buf text = {0};
    crawl_err err = crawl_buf_printf(&text, "%s/%s", folder, *path);
    free(folder);
    if (err)
        return no_memory(error);
    free(*path);
    *path = text.data;
    return CRAWL_OK;
}

static crawl_err make_all_absolute(crawl_config *kept, crawl_error *error)
{
    char **paths[] = {&kept->output,      &kept->requests,   &kept->warc,        &kept->ca_file,
                      &kept->client_cert, &kept->client_key, &kept->cookies_save};
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < sizeof paths / sizeof *paths && !err; i++)
        err = make_absolute(paths[i], error);
    for (size_t i = 0; i < kept->host_count && !err; i++) {
        crawl_host_config *host = &kept->hosts[i];
        char **of_host[] = {&host->password_file, &host->bearer_file, &host->client_cert, &host->client_key, &host->ca_file};
        for (size_t j = 0; j < sizeof of_host / sizeof *of_host && !err; j++)
            err = make_absolute(of_host[j], error);
    }
    return err;
}

/* What is of one run alone. */
static void forget_run(crawl_config *kept)
{
    free(kept->seeds);
    free(kept->state);
    free(kept->listen);
    kept->seeds = kept->state = kept->listen = NULL;
    if (kept->cookies_file) /* what was in it is in the directory now */
        kept->cookies = true;
    free(kept->cookies_file);
    kept->cookies_file = NULL;
    kept->max_pages = kept->max_bytes = 0;
    kept->max_time_ms = 0;
    kept->verbosity = 0;
}

/* What is to stand in the file. */
static crawl_err print(const crawl_config *config, char **text, size_t *size, crawl_error *error)
{
    crawl_config kept;
    if (crawl_config_copy(config, &kept))
        return no_memory(error);
    forget_run(&kept);
    crawl_err err = make_all_absolute(&kept, error);
    FILE *out = err ? NULL : open_memstream(text, size);
    if (!err && !out)
        err = no_memory(error);
    if (out) {
        bool whole = fputs(head, out) != EOF && crawl_config_print(&kept, out) == CRAWL_OK;
        if (fclose(out) || !whole)
            err = no_memory(error);
    }
    crawl_config_free(&kept);
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

static crawl_err replace(const char *directory, const char *text, size_t size, crawl_error *error)
{
    crawl_buf path = {0};
    crawl_err err = crawl_buf_printf(&path, "%s/" FILE_NAME, directory);
    if (err)
        err = no_memory(error);
    else if (!stands(path.data, text, size))
        err = cw_replace_file(path.data, crawl_slice_of(text, size), 0666, error);
    crawl_buf_free(&path);
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
