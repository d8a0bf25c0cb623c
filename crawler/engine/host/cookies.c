/* The cookies of a crawl between its runs. They are read from fetch.cookies_file and from the state, and written to
 * fetch.cookies_save and to the state from time to time and at the end; each time as a whole, and readable only by
 * their owner. Until the end a separate thread writes them, so that no event loop waits for the disk. */
#include "crawler/engine/host/cookies.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/files/file_read.h"
#include "base/files/replace.h"
#include "base/thread.h"
#include "crawler/engine/parts.h"

#include <crawl/fingerprint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The thread that writes the jar to its files. */
struct cw_host_cookie_saver {
    pthread_t thread;
    bool has_thread; /* not yet joined */
    atomic_bool busy;
    int64_t saved_ms;
    uint64_t written;                       /* crawl_jar_stats.changes at the last write */
    char taken[CW_HOST_COOKIES_DIGITS + 1]; /* digest of the user's file read last; "": not known */
};

#define FILE_NAME "cookies.txt"

enum { SAVE_EVERY_MS = 30 * 1000 };

/* The most bytes of a user's file: about ten million cookies. An endless file, such as a device, is refused. */
#define MAX_FILE ((size_t)1 << 30)

/* ---- reading ---- */

/* Begins the line of the kept file, behind its head, with the digest of the user's file read last. */
static const char taken_line[] = "# SHA-1 of the last --cookies-file: ";

/* The digest if the user has given no file yet. */
static const char taken_none[CW_HOST_COOKIES_DIGITS + 1] = "0000000000000000000000000000000000000000";

crawl_err cw_host_cookies_digest(crawl_slice text, char digits[CW_HOST_COOKIES_DIGITS + 1])
{
    crawl_fingerprint print;
    crawl_fingerprinter *printer = crawl_fingerprinter_create();
    crawl_err err = printer ? crawl_fingerprint_bytes(printer, text, &print) : CRAWL_ENOMEM;
    crawl_fingerprinter_free(printer);
    if (!err)
        crawl_fingerprint_hex(&print, digits);
    return err;
}

static crawl_err cookies_read(const char *path, crawl_buf *text, crawl_error *error)
{
    crawl_err err = cw_read_file(path, MAX_FILE, text, error);
    return err == CRAWL_FULL ? crawl_error_set(error, CRAWL_EPARSE, "%s: too large for cookies", path) : err;
}

/* CRAWL_ENOMEM. */
static crawl_err kept_path(const crawl_engine *engine, crawl_buf *path)
{
    return crawl_buf_printf(path, "%s/" FILE_NAME, engine->config->state);
}

/* Finds the digest in a kept file; one of 0.1.0 has none. */
static void cookies_find_taken(crawl_slice text, char taken[CW_HOST_COOKIES_DIGITS + 1])
{
    if (cw_take_text(&text, CW_HOST_COOKIES_HEAD) && cw_take_text(&text, taken_line) &&
        text.size > CW_HOST_COOKIES_DIGITS && text.data[CW_HOST_COOKIES_DIGITS] == '\n')
        memcpy(taken, text.data, CW_HOST_COOKIES_DIGITS);
}

/* Reads the kept file, if there is one. path: NULL without a state. */
static crawl_err cookies_read_kept(crawl_engine *engine, const char *path, crawl_buf *text, crawl_error *error)
{
    if (!path || access(path, F_OK)) {
        memcpy(engine->cookies->taken, taken_none, sizeof taken_none);
        return CRAWL_OK;
    }
    crawl_err err = cookies_read(path, text, error);
    if (!err)
        cookies_find_taken(crawl_buf_slice(text), engine->cookies->taken);
    return err;
}

static bool cookies_are_newer(const char *own_path, const char *kept_path)
{
    struct stat kept, own;
    bool has_both = !stat(kept_path, &kept) && !stat(own_path, &own);
    return has_both && (own.st_mtim.tv_sec != kept.st_mtim.tv_sec ? own.st_mtim.tv_sec > kept.st_mtim.tv_sec
                                                                  : own.st_mtim.tv_nsec > kept.st_mtim.tv_nsec);
}

/* Adds the cookies of the user's file to those of the kept one. Where both have a cookie, the one added last holds:
 * the user's if that file is another one than was read last, as after another login. If no digest is kept, the newer
 * file holds. */
static crawl_err cookies_add_own(crawl_engine *engine, const char *path, crawl_slice kept, crawl_error *error)
{
    const char *own_path = engine->config->cookies_file;
    char *taken = engine->cookies->taken;
    char digest[CW_HOST_COOKIES_DIGITS + 1];
    crawl_buf own = {0};
    crawl_error why = {0};
    crawl_err err = cookies_read(own_path, &own, &why);
    if (err)
        crawl_error_set(error, err, "cookies_file: %s", why.message);
    if (!err && cw_host_cookies_digest(crawl_buf_slice(&own), digest))
        err = cw_error(error, CRAWL_ENOMEM);
    bool is_other = !err && (*taken ? strcmp(taken, digest) != 0 : cookies_are_newer(own_path, path));
    if (!err && is_other)
        err = crawl_jar_read(engine->jar, path, kept, true, cw_wall_ms(), error);
    if (!err)
        err = crawl_jar_read(engine->jar, own_path, crawl_buf_slice(&own), false, cw_wall_ms(), error);
    if (!err)
        memcpy(taken, digest, sizeof digest);
    cw_secret_free_buf(&own);
    return !err && !is_other ? crawl_jar_read(engine->jar, path, kept, true, cw_wall_ms(), error) : err;
}

static crawl_err cookies_load_all(crawl_engine *engine, crawl_error *error)
{
    const crawl_config *config = engine->config;
    bool has_own = config->cookies_file && !config->shared; /* see shared_cookies.h */
    crawl_buf path = {0}, kept = {0};
    crawl_err err = config->state && kept_path(engine, &path) ? cw_error(error, CRAWL_ENOMEM) : CRAWL_OK;
    if (!err)
        err = cookies_read_kept(engine, path.data, &kept, error);
    if (!err && has_own)
        err = cookies_add_own(engine, path.data, crawl_buf_slice(&kept), error);
    else if (!err)
        err = crawl_jar_read(engine->jar, path.data, crawl_buf_slice(&kept), true, cw_wall_ms(), error);
    cw_secret_free_buf(&kept);
    crawl_buf_free(&path);
    return err;
}

/* ---- writing ---- */

static crawl_err write_text(crawl_engine *engine, crawl_buf *text, crawl_error *error)
{
    const char *taken = engine->cookies->taken;
    crawl_err err = crawl_buf_append_text(text, CW_HOST_COOKIES_HEAD);
    if (!err && engine->config->state && *taken)
        err = crawl_buf_printf(text, "%s%s\n", taken_line, taken);
    if (!err)
        err = crawl_jar_write(engine->jar, cw_wall_ms(), text);
    return err ? cw_error(error, CRAWL_ENOMEM) : CRAWL_OK;
}

static crawl_err replace_kept(const crawl_engine *engine, crawl_slice text, crawl_error *error)
{
    crawl_buf path = {0};
    crawl_err err =
        kept_path(engine, &path) ? cw_error(error, CRAWL_ENOMEM) : cw_replace_file(path.data, text, 0600, error);
    crawl_buf_free(&path);
    return err;
}

/* Keeps the cookies of the user's file in the crawl's directory at once: the next run need not be given that file
 * again, even if this run is killed. */
static crawl_err cookies_keep(crawl_engine *engine, crawl_error *error)
{
    crawl_buf text = {0};
    crawl_err err = write_text(engine, &text, error);
    if (!err)
        err = replace_kept(engine, crawl_buf_slice(&text), error);
    cw_secret_free_buf(&text);
    return err;
}

/* Checks the file at the start, since a message at the end would come too late. */
static crawl_err check_save(const char *path, crawl_error *error)
{
    struct stat status;
    if (!path || stat(path, &status) || S_ISREG(status.st_mode))
        return CRAWL_OK;
    return crawl_error_set(error, CRAWL_EINVAL, "%s: cannot save cookies there: not a regular file", path);
}

crawl_err cw_host_cookies_open(crawl_engine *engine, crawl_error *error)
{
    const crawl_config *config = engine->config;
    cw_host_cookie_saver *saver = calloc(1, sizeof *saver);
    engine->cookies = saver;
    if (!saver)
        return cw_error(error, CRAWL_ENOMEM);
    saver->written = UINT64_MAX; /* no real number of changes */
    saver->saved_ms = cw_engine_now(engine);
    if (!cw_host_cookies_wanted(config))
        return CRAWL_OK;
    crawl_err err = check_save(config->cookies_save, error);
    if (err)
        return err;
    err = crawl_jar_create(true, &engine->jar);
    if (err)
        return cw_error(error, CRAWL_ENOMEM);
    crawl_jar_limit(engine->jar, config->max_cookies);
    err = cookies_load_all(engine, error);
    return !err && config->state && config->cookies_file ? cookies_keep(engine, error) : err;
}

static crawl_err cookies_save(crawl_engine *engine, crawl_error *error)
{
    crawl_buf text = {0};
    crawl_jar_stats stats;
    crawl_jar_stats_get(engine->jar, &stats); /* read before writing: changes made meanwhile are written again */
    if (stats.changes == engine->cookies->written)
        return CRAWL_OK;
    crawl_err err = write_text(engine, &text, error);
    if (!err && engine->config->cookies_save)
        err = cw_replace_file(engine->config->cookies_save, crawl_buf_slice(&text), 0600, error);
    if (!err && engine->config->state)
        err = replace_kept(engine, crawl_buf_slice(&text), error);
    cw_secret_free_buf(&text);
    if (!err)
        engine->cookies->written = stats.changes;
    return err;
}

static bool is_saved(const crawl_engine *engine)
{
    return engine->jar && !engine->config->shared && (engine->config->state || engine->config->cookies_save);
}

bool cw_host_cookies_are_saved(const crawl_engine *engine)
{
    crawl_jar_stats stats;
    if (!is_saved(engine))
        return true;
    if (atomic_load(&engine->cookies->busy))
        return false;
    crawl_jar_stats_get(engine->jar, &stats);
    return stats.changes == engine->cookies->written;
}

static void wait_for_thread(cw_host_cookie_saver *saver)
{
    if (saver->has_thread)
        pthread_join(saver->thread, NULL);
    saver->has_thread = false;
}

crawl_err cw_host_cookies_save(crawl_engine *engine, crawl_error *error)
{
    wait_for_thread(engine->cookies);
    return is_saved(engine) ? cookies_save(engine, error) : CRAWL_OK;
}

/* A failure here is not reported: it may have passed by the end, and is reported then if not. */
static void *save_now(void *user)
{
    crawl_engine *engine = user;
    cookies_save(engine, NULL);
    atomic_store(&engine->cookies->busy, false);
    return NULL;
}

void cw_host_cookies_tick(crawl_engine *engine)
{
    cw_host_cookie_saver *saver = engine->cookies;
    int64_t now = cw_engine_now(engine);
    if (!is_saved(engine) || now - saver->saved_ms < SAVE_EVERY_MS || atomic_load(&saver->busy))
        return;
    wait_for_thread(saver); /* it has ended */
    saver->saved_ms = now;
    atomic_store(&saver->busy, true);
    saver->has_thread = cw_thread_start(&saver->thread, save_now, engine) == 0;
    if (!saver->has_thread)
        atomic_store(&saver->busy, false);
}

void cw_host_cookie_saver_free(cw_host_cookie_saver *cookies)
{
    free(cookies);
}
