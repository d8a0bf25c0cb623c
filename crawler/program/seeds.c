#include "crawler/program/seeds.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/writer.h"
#include "config/config_values.h"
#include "crawler/program/stop_file.h"
#include "crawler/program/summary/units.h"
#include "tools/common/compressed.h"
#include "tools/common/input_lines.h"
#include "tools/common/io.h"
#include "tools/common/messages/message.h"
#include "tools/common/say.h"
#include "tools/common/signals.h"
#include "tools/common/status.h"
#include "tools/common/wide.h"

#include <crawl/sys/redis.h>
#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Returns true for "example.com/a", which people write without a scheme. */
static bool lacks_scheme(crawl_slice url)
{
    const char *dot = memchr(url.data, '.', url.size);
    const char *slash = memchr(url.data, '/', url.size);
    return dot && (!slash || slash > dot) && !memchr(url.data, ' ', url.size);
}

/* Returns true for "localhost:8000/a", which people write too, and in which the URL standard sees a scheme. */
static bool begins_with_host_and_port(crawl_slice url)
{
    crawl_slice rest = url;
    crawl_slice host = cw_cut(&rest, ':');
    bool is_host = cw_is(host, "localhost") || memchr(host.data, '.', host.size);
    return is_host && rest.size && isdigit((unsigned char)rest.data[0]);
}

static crawl_err tell_what_to_write(crawl_slice url, crawl_err err, const char *wrong, const char *scheme,
                                    crawl_error *error)
{
    int shown = url.size < 200 ? (int)url.size : 200;
    return crawl_error_set(error, err, "%s: %.*s (write %s://%.*s)", wrong, shown, url.data, scheme, shown, url.data);
}

/* The receiver of seeds, and their allowed form. */
typedef struct sink {
    cw_program_seed_take take;
    void *user;
    bool meta; /* an object may have "meta" */
} sink;

bool cw_program_seeds_ends(crawl_err err)
{
    return err == CRAWL_ENOMEM || err == CRAWL_EIO || err == CRAWL_ECORRUPT;
}

static crawl_err seeds_hand_over(const sink *to, const crawl_seed *seed, crawl_error *error)
{
    crawl_err err = to->take(to->user, seed, error);
    if (err == CRAWL_EPARSE && lacks_scheme(seed->url))
        return tell_what_to_write(seed->url, err, "not an absolute URL", "https", error);
    if (err == CRAWL_EINVAL && begins_with_host_and_port(seed->url))
        return tell_what_to_write(seed->url, err, "not http or https", "http", error);
    return err == CRAWL_EXISTS ? CRAWL_OK : err;
}

/* Takes the text of a field. A field that is there must be text. */
static crawl_err seeds_take_text(const json_t *object, const char *field, crawl_slice *out, crawl_error *error)
{
    const json_t *value = json_object_get(object, field);
    if (!value)
        return CRAWL_OK;
    if (!json_is_string(value))
        return crawl_error_set(error, CRAWL_EINVAL, "\"%s\" must be text", field);
    *out = crawl_slice_of(json_string_value(value), json_string_length(value));
    return CRAWL_OK;
}

static crawl_err take_integer(const json_t *object, const char *field, json_int_t least, json_int_t most,
                              json_int_t *out, crawl_error *error)
{
    const json_t *value = json_object_get(object, field);
    if (!value)
        return CRAWL_OK;
    if (!json_is_integer(value) || json_integer_value(value) < least || json_integer_value(value) > most)
        return crawl_error_set(error, CRAWL_EINVAL, "\"%s\" must be a whole number from %lld to %lld", field,
                               (long long)least, (long long)most);
    *out = json_integer_value(value);
    return CRAWL_OK;
}

static crawl_err seeds_add_header(const char *name, const json_t *value, crawl_buf *headers, crawl_error *error)
{
    const char *text = json_string_value(value);
    bool bad = !text || strlen(text) != json_string_length(value) || strpbrk(text, "\r\n") || !*name ||
               strpbrk(name, "\r\n: ");
    if (bad)
        return crawl_error_set(error, CRAWL_EINVAL, "\"headers\": %.60s: a header needs a name and one line of text",
                               name);
    return crawl_buf_printf(headers, "%s: %s\n", name, text);
}

static crawl_err take_headers(const json_t *object, crawl_buf *headers, crawl_error *error)
{
    json_t *fields = json_object_get(object, "headers");
    if (!fields)
        return CRAWL_OK;
    if (!json_is_object(fields))
        return crawl_error_set(error, CRAWL_EINVAL, "\"headers\" must be an object of names and texts");
    const char *name;
    json_t *value;
    json_object_foreach(fields, name, value)
    {
        crawl_err err = seeds_add_header(name, value, headers, error);
        if (err)
            return err;
    }
    return CRAWL_OK;
}

static crawl_err refuse_unknown(json_t *object, bool meta, crawl_error *error)
{
    static const char *const known[] = {"url", "method", "headers", "body", "body_hex", "depth", "priority"};
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        size_t i = 0;
        while (i < sizeof known / sizeof *known && strcmp(name, known[i]) != 0)
            i++;
        if (i == sizeof known / sizeof *known && !(meta && strcmp(name, "meta") == 0))
            return crawl_error_set(
                error, CRAWL_EINVAL,
                "unknown field \"%.60s\"; known are url, method, headers, body, body_hex, depth, priority", name);
    }
    return CRAWL_OK;
}

static crawl_err take_method(const json_t *object, char method[32], crawl_seed *seed, crawl_error *error)
{
    crawl_err err = seeds_take_text(object, "method", &seed->method, error);
    if (err)
        return err;
    if (seed->method.size >= 32)
        return crawl_error_set(error, CRAWL_EINVAL, "\"method\" is too long");
    for (size_t i = 0; i < seed->method.size; i++)
        method[i] = (char)toupper((unsigned char)seed->method.data[i]);
    seed->method.data = method;
    return CRAWL_OK;
}

static crawl_err take_numbers(const json_t *object, crawl_seed *seed, crawl_error *error)
{
    json_int_t depth = 0;
    json_int_t priority = 0;
    crawl_err err = take_integer(object, "depth", 0, 65535, &depth, error);
    if (!err)
        err = take_integer(object, "priority", INT32_MIN, INT32_MAX, &priority, error);
    seed->depth = (uint32_t)depth;
    seed->priority = (int32_t)priority;
    return err;
}

static crawl_err add_object(const sink *to, json_t *object, crawl_error *error)
{
    crawl_seed seed = {.size = sizeof seed};
    crawl_buf headers = {0};
    crawl_buf body = {0};
    char method[32];
    crawl_err err = refuse_unknown(object, to->meta, error);
    if (!err)
        err = seeds_take_text(object, "url", &seed.url, error);
    if (!err && !seed.url.data)
        err = crawl_error_set(error, CRAWL_EINVAL, "\"url\" is missing");
    if (!err)
        err = take_method(object, method, &seed, error);
    if (!err)
        err = take_numbers(object, &seed, error);
    if (!err)
        err = take_headers(object, &headers, error);
    if (!err) {
        seed.headers = crawl_buf_slice(&headers);
        seed.body = cw_tool_json_bytes(object, "body", &body);
        bool has_body = json_object_get(object, "body") || json_object_get(object, "body_hex");
        if (has_body && !seed.body.data)
            err = crawl_error_set(error, CRAWL_EINVAL, "\"body\" must be text, \"body_hex\" hexadecimal digits");
    }
    if (!err) {
        err = seeds_hand_over(to, &seed, error);
    }
    crawl_buf_free(&headers);
    crawl_buf_free(&body);
    return err;
}

static crawl_err add_json(const sink *to, crawl_slice line, crawl_error *error)
{
    json_error_t why;
    json_t *object = json_loadb(line.data, line.size, JSON_REJECT_DUPLICATES, &why);
    if (!object)
        return crawl_error_set(error, CRAWL_EPARSE, "column %d: %s", why.column, why.text);
    crawl_err err = add_object(to, object, error);
    json_decref(object);
    return err;
}

/* Cuts off a comment, which begins with white space and "#". A "#" within a URL begins its fragment. */
static crawl_slice seeds_without_comment(crawl_slice line)
{
    for (size_t i = 0; i < line.size; i++)
        if (line.data[i] == '#' && (i == 0 || cw_is_space((unsigned char)line.data[i - 1])))
            return cw_trim(crawl_slice_of(line.data, i));
    return line;
}

/* Returns the URL of a line: a tab ends it, as in tables and in the seed lists of Nutch. */
static crawl_slice seeds_url_of(crawl_slice line)
{
    line = seeds_without_comment(line);
    return cw_cut(&line, '\t');
}

static crawl_err seeds_add_line(const sink *to, crawl_slice line, cw_program_seed_count *count, crawl_error *error)
{
    line = cw_trim(line);
    bool is_json = line.size && line.data[0] == '{';
    if (!is_json)
        line = seeds_url_of(line);
    if (line.size == 0)
        return CRAWL_OK;
    crawl_err err = is_json ? add_json(to, line, error)
                            : seeds_hand_over(to, &(crawl_seed){.size = sizeof(crawl_seed), .url = line}, error);
    if (!err)
        count->taken++;
    return err;
}

/* Returns why there are no more lines: end of file, failure, or stop. */
static crawl_err end_of_lines(FILE *file, const char *name, int stop, crawl_error *error)
{
    int why = errno;
    if (cw_program_stop_told(stop))
        return crawl_error_set(error, CRAWL_DRAINED, "%s: stopped before its end", name);
    return ferror(file) ? crawl_error_set(error, CRAWL_EINVAL, "%s: %s", name, cw_tool_compressed_error(why))
                        : CRAWL_OK;
}

static crawl_err seeds_take_line(const sink *to, cw_tool_line how, crawl_slice line, cw_program_seed_count *count,
                                 crawl_error *error)
{
    if (how == CW_LINE_TOO_LONG)
        return crawl_error_set(error, CRAWL_EINVAL, "too long: more than %zu bytes", CW_TOOL_LINE_ROW_MAX);
    if (how == CW_LINES_NO_MEMORY)
        return cw_error(error, CRAWL_ENOMEM);
    return seeds_add_line(to, line, count, error);
}

/* Takes a line that ends with a lone CR, as in old files of a Mac, off *rest. In JSON a CR is white space. */
static crawl_slice seeds_cut_line(crawl_slice *rest)
{
    *rest = cw_trim_start(*rest);
    return cw_starts_with(*rest, "{") ? cw_take(rest, rest->size) : cw_cut(rest, '\r');
}

static crawl_err seeds_read_lines(const sink *to, FILE *file, const char *name, int stop, cw_program_seed_count *count,
                                  crawl_error *error)
{
    cw_tool_line_reader lines = {.in = file, .longest = CW_TOOL_LINE_ROW_MAX};
    crawl_slice line = {0};
    crawl_err err = CRAWL_OK;
    while (!cw_program_seeds_ends(err) && !cw_program_stop_told(stop)) {
        cw_tool_line how = cw_tool_line_next(&lines, &line);
        if (how == CW_LINES_END || how == CW_LINES_FAILED)
            break;
        do {
            err = seeds_take_line(to, how, seeds_cut_line(&line), count, error);
            if (err && !cw_program_seeds_ends(err)) {
                count->refused++;
                cw_tool_say(NULL, "%s:%lu: %s", name, lines.number, error->message);
            }
        } while (line.size && !cw_program_seeds_ends(err));
    }
    if (!cw_program_seeds_ends(err))
        err = end_of_lines(file, name, stop, error);
    cw_tool_line_free(&lines);
    return err;
}

crawl_err cw_program_seeds_each(const char *path, int stop, cw_program_seed_take take, void *user,
                                cw_program_seed_count *count, crawl_error *error)
{
    const sink to = {.take = take, .user = user};
    FILE *file = cw_tool_wide(cw_tool_compressed(cw_program_stop_file_open(path, stop)));
    if (!file)
        return crawl_error_set(error, CRAWL_EINVAL, "%s: %s", path, strerror(errno));
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    crawl_err err = seeds_read_lines(&to, file, name, stop, count, error);
    fclose(file);
    return err;
}

crawl_err cw_program_seeds_take_url(crawl_slice url, cw_program_seed_take take, void *user, crawl_error *error)
{
    const crawl_seed seed = {.size = sizeof seed, .url = url};
    return seeds_hand_over(&(sink){.take = take, .user = user}, &seed, error);
}

crawl_err cw_program_seeds_take_element(crawl_slice element, cw_program_seed_take take, void *user,
                                        cw_program_seed_count *count, crawl_error *error)
{
    return seeds_add_line(&(sink){.take = take, .user = user, .meta = true}, element, count, error);
}

/* ---- the seeds of a run ---- */

int cw_program_seeds_refuse(const crawl_config *config, bool some)
{
    const char *place = config->state ? config->state : config->shared;
    if (some)
        cw_tool_say(NULL, "no usable seed");
    else if (place)
        cw_tool_say(NULL, "%s holds no crawl, and there are no seeds: name a URL, or a file by --seeds", place);
    else
        cw_message_lines(CW_MESSAGE_ERROR, "crawl: no seeds: name a URL, or a file by --seeds\n"
                                           "Try 'crawl --help'.\n");
    return CW_EXIT_USAGE;
}

/* The seeds that a run is given. */
typedef struct given {
    crawl_engine *engine;
    const crawl_config *config;
    bool resumed;
    int count; /* of urls */
    char **urls;
    cw_program_bare_seeds *bare;
} given;

static crawl_err program_seed_engine(void *user, const crawl_seed *seed, crawl_error *error)
{
    const given *g = user;
    if (cw_program_bare_seeds_is(seed->url))
        return cw_program_bare_seeds_take(g->bare, g->engine, seed, error);
    return crawl_engine_seed(g->engine, seed, error);
}

/* Returns the file of seeds. NULL: none. Seeds in Redis come while the crawl runs. */
static const char *file_of(const given *g)
{
    const char *seeds = g->config->program.seeds;
    return seeds && !crawl_redis_is_url(seeds) ? seeds : NULL;
}

/* Tells of an argument that names a file, or standard input, how its seeds are read. */
static void seeds_say_file(const char *word, crawl_err err)
{
    struct stat found;
    bool is_input = strcmp(word, "-") == 0;
    if (is_input || (stat(word, &found) == 0 && S_ISREG(found.st_mode)))
        cw_message_say(err ? CW_MESSAGE_ERROR : CW_MESSAGE_WARNING, "%s is %s: --seeds %s reads seeds from it", word,
                       is_input ? "no URL"
                       : err    ? "a file"
                                : "a file too, and taken for a URL",
                       word);
}

static int seeds_read_given(const given *g, crawl_error *error)
{
    cw_program_seed_count count = {0};
    const char *file = file_of(g);
    for (int i = 0; i < g->count; i++) {
        crawl_err err = cw_program_seeds_take_url(crawl_slice_from(g->urls[i]), program_seed_engine, (void *)g, error);
        if (err)
            cw_tool_say(NULL, "%s", error->message);
        if (cw_program_seeds_ends(err))
            return CW_EXIT_LOCAL;
        seeds_say_file(g->urls[i], err);
        *(err ? &count.refused : &count.taken) += 1;
    }
    if (file && cw_program_seeds_each(file, cw_tool_signals_event(), program_seed_engine, (void *)g, &count, error)) {
        cw_tool_say(NULL, "seeds: %s", error->message);
        return error->code == CRAWL_DRAINED         ? CW_EXIT_STOPPED
               : cw_program_seeds_ends(error->code) ? CW_EXIT_LOCAL
                                                    : CW_EXIT_USAGE;
    }
    if (count.taken || ((g->resumed || g->config->program.seeds != file) && !count.refused))
        return CW_EXIT_OK;
    if (!file || count.refused)
        return cw_program_seeds_refuse(g->config, count.refused > 0);
    cw_tool_say(NULL, "%s has no seeds", cw_tool_name(file));
    return CW_EXIT_NOTHING;
}

/* Describes where the seeds of this run come from, for a message of the next run. */
static void name_given(const given *g, cw_writer *out)
{
    const char *file = file_of(g);
    if (file)
        cw_put_format(out, "%s", strcmp(file, "-") == 0 ? "standard input" : file);
    if (g->count)
        cw_put_format(out, "%s%d URL%s of the command line", file ? " and " : "", g->count,
                      cw_program_plural((uint64_t)g->count));
}

/* Refuses to continue a crawl whose last run ended while it read its seeds, unless seeds are named now. Otherwise the
 * rest of them would be lost silently. */
static int check_seeds_of_before(const given *g, crawl_error *error)
{
    crawl_buf from = {0};
    int status = CW_EXIT_OK;
    const char *state = g->config->state;
    crawl_err err = crawl_engine_seeds_cut(g->engine, &from, error);
    if (err && err != CRAWL_EXISTS) {
        cw_tool_say(NULL, "%s: %s", state, error->message);
        status = CW_EXIT_LOCAL;
    } else if (err && !g->count && !g->config->program.seeds) {
        cw_tool_say(
            NULL,
            "%s: seeds are missing: a run ended while it read %s; give them again to add the missing ones, or go on "
            "without by --seeds /dev/null",
            state, from.data);
        status = CW_EXIT_USAGE;
    } else if (err) {
        cw_message_say(CW_MESSAGE_WARNING, "%s: a run ended while it read %s; the seeds are now those of this run",
                       state, from.data);
    }
    crawl_buf_free(&from);
    return status;
}

int cw_program_seeds_take_all(crawl_engine *engine, const crawl_config *config, bool resumed, int count, char **urls,
                              cw_program_bare_seeds *bare)
{
    const given g = {engine, config, resumed, count, urls, bare};
    crawl_error error = {0};
    crawl_buf text = {0};
    cw_writer from = {.out = &text};
    int status = check_seeds_of_before(&g, &error);
    if (status)
        return status;
    name_given(&g, &from);
    crawl_err err = from.err;
    if (!err)
        err = crawl_engine_seeds_begin(engine, text.data ? text.data : "", &error);
    if (!err)
        status = seeds_read_given(&g, &error);
    if (!err && !status)
        err = crawl_engine_seeds_end(engine, &error);
    if (err == CRAWL_FULL) {
        cw_tool_say(NULL, "seeds: %s", error.message);
        err = CRAWL_OK;
    }
    if (!err && !status)
        cw_program_bare_seeds_say(bare);
    crawl_buf_free(&text);
    if (!err)
        return status;
    cw_tool_say(NULL, "%s", *error.message ? error.message : crawl_strerror(err));
    return CW_EXIT_LOCAL;
}
