/* The cookies of a crawl between its runs: read from fetch.cookies_file and from what the state keeps, written to fetch.cookies_save and to
 * the state at the end and now and then before, each time as a whole, and readable by their owner alone. */
#include "base/replace.h"
#include "crawler/engine_parts.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define FILE_NAME "cookies.txt"

enum { SAVE_EVERY_MS = 30 * 1000 };

/* More than libcurl would hold of cookies of the usual size. */
#define MAX_FILE ((size_t)64 << 20)

static crawl_err no_memory(crawl_error *error)
{
    return crawl_error_set(error, CRAWL_ENOMEM, "%s", crawl_strerror(CRAWL_ENOMEM));
}

static crawl_err read_whole(FILE *file, const char *path, crawl_buf *text, crawl_error *error)
{
    crawl_err err = CRAWL_OK;
    size_t got = 1;
    while (!err && got && text->size <= MAX_FILE) {
        err = crawl_buf_reserve(text, 64 * 1024);
        if (err)
            return no_memory(error);
        got = fread(text->data + text->size, 1, 64 * 1024, file);
        text->size += got;
    }
    if (ferror(file))
        return crawl_error_set(error, CRAWL_EIO, "%s: %s", path, strerror(errno));
    return text->size > MAX_FILE ? crawl_error_set(error, CRAWL_EPARSE, "%s: too large for cookies", path) : CRAWL_OK;
}

static crawl_err load(crawl_engine *engine, const char *path, crawl_error *error)
{
    crawl_buf text = {0};
    FILE *file = fopen(path, "re");
    if (!file)
        return crawl_error_set(error, CRAWL_EIO, "%s: %s", path, strerror(errno));
    crawl_err err = read_whole(file, path, &text, error);
    fclose(file);
    if (!err)
        err = crawl_jar_read(engine->jar, path, crawl_buf_slice(&text), error);
    crawl_buf_free(&text);
    return err;
}

/* CRAWL_ENOMEM. */
static crawl_err kept_path(const crawl_engine *engine, crawl_buf *path)
{
    return crawl_buf_printf(path, "%s/" FILE_NAME, engine->config->state);
}

static crawl_err load_kept(crawl_engine *engine, crawl_error *error)
{
    crawl_buf path = {0};
    crawl_err err = kept_path(engine, &path);
    if (err)
        err = no_memory(error);
    else if (access(path.data, F_OK) == 0)
        err = load(engine, path.data, error);
    crawl_buf_free(&path);
    return err;
}

crawl_err cw_cookies_open(crawl_engine *engine, crawl_error *error)
{
    const crawl_config *config = engine->config;
    if (!cw_cookies_wanted(config))
        return CRAWL_OK;
    engine->cookies_saved_ms = cw_engine_now(engine);
    crawl_err err = crawl_jar_create(true, &engine->jar);
    if (err)
        return no_memory(error);
    if (config->cookies_file)
        err = load(engine, config->cookies_file, error);
    return !err && config->state ? load_kept(engine, error) : err;
}

static crawl_err save_all(crawl_engine *engine, crawl_slice text, crawl_error *error)
{
    const crawl_config *config = engine->config;
    crawl_buf path = {0};
    crawl_err err = config->cookies_save ? cw_replace_file(config->cookies_save, text, 0600, error) : CRAWL_OK;
    if (!err && config->state && !(err = kept_path(engine, &path)))
        err = cw_replace_file(path.data, text, 0600, error);
    crawl_buf_free(&path);
    return err;
}

crawl_err cw_cookies_save(crawl_engine *engine, crawl_error *error)
{
    static const char head[] = "# Netscape HTTP Cookie File\n# Written by crawl; it will be replaced as a whole.\n\n";
    if (!engine->jar || !(engine->config->state || engine->config->cookies_save))
        return CRAWL_OK;
    crawl_buf text = {0};
    crawl_err err = crawl_buf_append_text(&text, head);
    if (!err)
        err = crawl_jar_write(engine->jar, &text);
    if (err)
        no_memory(error);
    else
        err = save_all(engine, crawl_buf_slice(&text), error);
    crawl_buf_free(&text);
    return err;
}

/* A failure now may be over at the end, where it is told. */
void cw_cookies_tick(crawl_engine *engine)
{
    int64_t now = cw_engine_now(engine);
    if (!engine->jar || now - engine->cookies_saved_ms < SAVE_EVERY_MS)
        return;
    engine->cookies_saved_ms = now;
    cw_cookies_save(engine, NULL);
}
