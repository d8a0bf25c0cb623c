#include "tools/identity/bot_folder.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/files/file_read.h"
#include "base/files/replace.h"
#include "base/net.h"
#include "tools/common/say.h"
#include "tools/common/status.h"
#include "tools/identity/bot_check.h"
#include "tools/identity/bot_files.h"

#include <crawl/config.h>
#include <crawl/url.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILE = 256 * 1024, MAX_HEADERS = 64, SECONDS_OF_DAY = 86400 };

static const char cache_header[] = "Cache-Control: max-age=86400\n";

/* Appends the path of a file in the folder. */
static crawl_err path_in(const char *folder, const char *name, crawl_buf *out)
{
    return crawl_buf_printf(out, "%s/%s", folder, name);
}

static crawl_err bot_folder_put(const char *folder, const char *name, const crawl_buf *text, crawl_error *error)
{
    crawl_buf path = {0};
    crawl_err err = path_in(folder, name, &path);
    err = err ? cw_error(error, err) : cw_replace_file(path.data, crawl_buf_slice(text), 0644, error);
    crawl_buf_free(&path);
    return err;
}

/* ---- the key ---- */

static crawl_err write_key(const char *path, const crawl_buf *text, crawl_error *error)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return cw_error_of_file(error, path);
    bool is_whole = !cw_write_all(file, crawl_buf_slice(text)).size && fsync(file) == 0;
    int why = errno;
    if (close(file) == 0 && is_whole)
        return CRAWL_OK;
    unlink(path);
    errno = why;
    return cw_error_of_file(error, path);
}

/* Makes a key and its file, which must not exist. */
static crawl_err make_key(const char *path, crawl_identity **out, crawl_error *error)
{
    crawl_buf text = {0};
    crawl_err err = crawl_identity_generate(out);
    if (err)
        return cw_error(error, err);
    err = crawl_buf_reserve(&text, 1024); /* so that it does not move and leave a copy */
    if (!err)
        err = crawl_identity_write(*out, &text);
    err = err ? cw_error(error, err) : write_key(path, &text, error);
    cw_secret_free_buf(&text);
    if (err)
        crawl_identity_free(*out);
    return err;
}

/* ---- the directory ---- */

static crawl_err write_directory(const cw_bot_making *making, const crawl_identity *const *all, size_t count,
                                 const char *agent, crawl_error *error)
{
    crawl_buf body = {0}, headers = {0}, host = {0};
    crawl_slice agent_host = cw_authority_of(crawl_slice_from(agent)).whole;
    int64_t now_s = cw_wall_ms() / 1000;
    crawl_err err = crawl_directory_write(all, count, &body);
    if (!err)
        err = crawl_buf_append(&host, agent_host.data, agent_host.size);
    if (!err)
        err = crawl_directory_sign(all, count, crawl_buf_slice(&body), host.data, now_s - CRAWL_SIGNING_EARLY_S,
                                   now_s + making->days * SECONDS_OF_DAY, &headers);
    if (!err)
        err = crawl_buf_append_text(&headers, cache_header);
    err = err ? cw_error(error, err) : bot_folder_put(making->folder, "directory.json", &body, error);
    if (!err)
        err = bot_folder_put(making->folder, "directory.headers", &headers, error);
    crawl_buf_free(&body);
    crawl_buf_free(&headers);
    crawl_buf_free(&host);
    return err;
}

/* Writes the directory of the key and of those in further files. */
static crawl_err write_directory_of(const cw_bot_making *making, const crawl_identity *own, const char *agent,
                                    crawl_error *error)
{
    crawl_identity *also[CW_BOT_MAX_ALSO];
    const crawl_identity *all[CW_BOT_MAX_ALSO + 1] = {own};
    crawl_err err = CRAWL_OK;
    size_t count = 0;
    for (; count < making->also_count && !(err = crawl_identity_read(making->also[count], &also[count], error));
         count++)
        all[count + 1] = also[count];
    if (!err)
        err = write_directory(making, all, count + 1, agent, error);
    while (count)
        crawl_identity_free(also[--count]);
    return err;
}

/* ---- the other files ---- */

static crawl_err write_texts(const cw_bot_making *making, const cw_bot *bot, crawl_error *error)
{
    static const struct {
        const char *name;
        crawl_err (*make)(const cw_bot *bot, crawl_buf *out);
    } files[] = {{"card.json", cw_bot_card}, {"bot.html", cw_bot_page}, {"crawler.conf", cw_bot_config}};
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < sizeof files / sizeof *files && !err; i++) {
        crawl_buf text = {0};
        err = files[i].make(bot, &text);
        err = err ? cw_error(error, err) : bot_folder_put(making->folder, files[i].name, &text, error);
        crawl_buf_free(&text);
    }
    return err;
}

/* Parts of a bot derived from its URL. */
typedef struct bot_texts {
    crawl_buf url, origin, agent, card, user_agent, key_file;
} bot_texts;

static void free_texts(bot_texts *texts)
{
    crawl_buf *all[] = {&texts->url, &texts->origin, &texts->agent, &texts->card, &texts->user_agent, &texts->key_file};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        crawl_buf_free(all[i]);
}

static crawl_err read_url(const char *text, bot_texts *texts, crawl_error *error)
{
    crawl_url *url = crawl_url_create();
    crawl_err err = url ? crawl_url_parse(url, crawl_slice_from(text), NULL, NULL) : CRAWL_ENOMEM;
    bool is_https = !err && cw_is(crawl_url_scheme(url), "https") && !crawl_url_username(url).size;
    if (err == CRAWL_EPARSE || (!err && !is_https))
        err =
            crawl_error_set(error, CRAWL_EINVAL, "--url %s: expected an https URL, that of a page about the bot", text);
    else if (err)
        cw_error(error, err);
    if (!err) {
        crawl_slice href = crawl_url_request(url);
        err = crawl_buf_append(&texts->url, href.data, href.size);
        if (!err)
            err = crawl_url_origin(url, &texts->origin);
        if (err)
            cw_error(error, err);
    }
    crawl_url_free(url);
    return err;
}

static crawl_err make_texts(const cw_bot_making *making, bot_texts *texts, crawl_error *error)
{
    if (making->ranges && !cw_starts_with(crawl_slice_from(making->ranges), "https://"))
        return crawl_error_set(error, CRAWL_EINVAL, "--ranges %s: expected an https URL, that of a list of addresses",
                               making->ranges);
    crawl_err err = read_url(making->url, texts, error);
    if (err)
        return err;
    err = crawl_buf_printf(&texts->agent, "%s" CRAWL_IDENTITY_WELL_KNOWN, texts->origin.data);
    if (!err)
        err = crawl_buf_printf(&texts->card, "%s/card.json", texts->origin.data);
    if (!err)
        err = crawl_buf_printf(&texts->user_agent, "%s/1.0 (+%s)", making->name, texts->url.data);
    return err ? cw_error(error, err) : CRAWL_OK;
}

/* ---- the whole ---- */

/* Creates the folder if needed, and gets the absolute path of its key. */
static crawl_err make_folder(const char *folder, crawl_buf *key_file, crawl_error *error)
{
    if (mkdir(folder, 0755) != 0 && errno != EEXIST)
        return cw_error_of_file(error, folder);
    char *whole = realpath(folder, NULL);
    if (!whole)
        return cw_error_of_file(error, folder);
    crawl_err err = path_in(whole, "key.pem", key_file);
    free(whole);
    return err ? cw_error(error, err) : CRAWL_OK;
}

crawl_err cw_bot_make(const cw_bot_making *making, crawl_error *error)
{
    bot_texts texts = {0};
    crawl_identity *identity = NULL;
    crawl_err err = make_texts(making, &texts, error);
    if (!err)
        err = make_folder(making->folder, &texts.key_file, error);
    if (!err)
        err = make_key(texts.key_file.data, &identity, error);
    if (!err) {
        const cw_bot bot = {.name = making->name,
                            .url = texts.url.data,
                            .card = texts.card.data,
                            .agent = texts.agent.data,
                            .user_agent = texts.user_agent.data,
                            .key = crawl_identity_thumbprint(identity),
                            .key_file = texts.key_file.data,
                            .contact = making->contact,
                            .purpose = making->purpose ? making->purpose : "",
                            .ranges = making->ranges,
                            .renders = making->renders ? "auto" : NULL};
        err = write_directory_of(making, identity, bot.agent, error);
        if (!err)
            err = write_texts(making, &bot, error);
        crawl_identity_free(identity);
    }
    free_texts(&texts);
    return err;
}

static const char *bot_agent_of(const crawl_config *config)
{
    return crawl_config_text(config, "identity.agent");
}

/* Reads the folder's configuration, which has the URL of the directory. */
static crawl_err read_config(const char *folder, crawl_config **out, crawl_error *error)
{
    crawl_buf path = {0};
    crawl_err err = crawl_config_create(out);
    if (!err)
        err = path_in(folder, CW_TOOL_CONFIG_FILE, &path);
    err = err ? cw_error(error, err) : crawl_config_load(*out, path.data, error);
    const char *agent = err ? NULL : bot_agent_of(*out);
    if (!err && (!agent || !cw_starts_with(crawl_slice_from(agent), "https://")))
        err = crawl_error_set(error, CRAWL_EINVAL, "%s: [identity] has no agent that is an https URL", path.data);
    crawl_buf_free(&path);
    return err;
}

crawl_err cw_bot_renew(const cw_bot_making *making, crawl_error *error)
{
    crawl_config *config = NULL;
    crawl_identity *identity = NULL;
    crawl_buf path = {0};
    crawl_err err = read_config(making->folder, &config, error);
    if (!err && path_in(making->folder, "key.pem", &path))
        err = cw_error(error, CRAWL_ENOMEM);
    if (!err)
        err = crawl_identity_read(path.data, &identity, error);
    if (!err)
        err = write_directory_of(making, identity, bot_agent_of(config), error);
    crawl_identity_free(identity);
    crawl_buf_free(&path);
    crawl_config_free(config);
    return err;
}

static int check_texts(const char *agent, const crawl_buf *body, const crawl_buf *lines)
{
    crawl_header headers[MAX_HEADERS];
    crawl_slice rest = crawl_buf_slice(lines);
    cw_bot_directory directory = {.url = crawl_slice_from(agent), .body = crawl_buf_slice(body), .headers = headers};
    directory.is_answer = true;
    while (rest.size && directory.header_count < MAX_HEADERS) {
        crawl_slice line = cw_cut_line(&rest);
        headers[directory.header_count].name = cw_cut(&line, ':');
        headers[directory.header_count++].value = cw_trim(line);
    }
    return cw_bot_check(&directory, cw_wall_ms() / 1000);
}

int cw_bot_check_folder(const char *folder)
{
    crawl_error error = {0};
    crawl_config *config = NULL;
    crawl_buf path = {0}, body = {0}, lines = {0};
    crawl_err err = read_config(folder, &config, &error);
    if (err) {
        cw_tool_say("identity", "%s", error.message);
        crawl_config_free(config);
        return cw_tool_status(err);
    }
    err = path_in(folder, "directory.json", &path);
    if (!err)
        err = cw_read_file(path.data, MAX_FILE, &body, &error);
    crawl_buf_clear(&path);
    if (!err)
        err = path_in(folder, "directory.headers", &path);
    if (!err)
        err = cw_read_file(path.data, MAX_FILE, &lines, &error);
    if (err)
        cw_tool_say("identity", "%s", error.message[0] ? error.message : crawl_strerror(err));
    int status = err ? CW_EXIT_LOCAL : check_texts(bot_agent_of(config), &body, &lines);
    crawl_buf_free(&path);
    crawl_buf_free(&body);
    crawl_buf_free(&lines);
    crawl_config_free(config);
    return status;
}
