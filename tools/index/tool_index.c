/* `crawl index`: the pages of a crawl in a search engine, as a process of --output exec:. It reads the crawl's lines,
 * gathers those that arrive while a request is under way, and acknowledges what the engine has. */
#include "base/bytes.h"
#include "base/error.h"
#include "base/files/file_read.h"
#include "base/json/pick.h"
#include "base/utf8.h"
#include "tools/common/say.h"
#include "tools/common/status.h"
#include "tools/common/tool_options.h"
#include "tools/common/tool_output.h"
#include "tools/index/engines.h"
#include "tools/index/feed.h"

#include <curl/curl.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A line of a crawl (docs/sinks.md) as an item for an engine. */

typedef enum cw_index_line {
    CW_INDEX_LINE_ITEM,
    CW_INDEX_LINE_PASS,  /* needs no action; acknowledge *number, unless it is 0 */
    CW_INDEX_LINE_WRONG, /* not a line of a crawl */
    CW_INDEX_LINE_NO_MEMORY
} cw_index_line;

enum { NUMBER, OPERATION, ID, VERSION, RECORD, URL, MEMBERS };

static bool line_whole_number(const cw_json_value *value, int64_t *out)
{
    enum { DIGITS_MAX = 18 };
    bool is_whole = value->kind == CW_JSON_NUMBER && value->bytes.size <= DIGITS_MAX &&
                    cw_count_digits(value->bytes) == value->bytes.size;
    *out = is_whole ? strtoll(value->bytes.data, NULL, 10) : 0; /* a comma or a brace follows */
    return is_whole;
}

/* Returns true for an id that needs no escaping in JSON and URLs. */
static bool line_is_id(const cw_json_value *value)
{
    enum { ID_MAX = 128 };
    bool is_id = value->kind == CW_JSON_STRING && value->bytes.size && value->bytes.size <= ID_MAX;
    for (size_t i = 0; is_id && i < value->bytes.size; i++)
        is_id = cw_is_alnum((unsigned char)value->bytes.data[i]) || memchr("-_", value->bytes.data[i], 2);
    return is_id;
}

/* values: of item->line. */
static cw_index_line line_fill(const cw_json_value *values, cw_index_item *item, uint64_t *number)
{
    int64_t n = 0;
    crawl_slice operation = values[OPERATION].bytes;
    bool is_numbered = line_whole_number(&values[NUMBER], &n);
    *number = item->number = (uint64_t)n;
    bool is_record = values[URL].kind != CW_JSON_MISSING; /* of a file, which says nothing of deletions */
    if (!is_numbered || cw_is(operation, "keep"))
        return is_numbered || (values[NUMBER].kind == CW_JSON_MISSING && !is_record) ? CW_INDEX_LINE_PASS
                                                                                     : CW_INDEX_LINE_WRONG;
    item->is_delete = cw_is(operation, "delete");
    item->id = values[ID].bytes;
    item->record = values[RECORD].bytes;
    bool is_item = (item->is_delete || cw_is(operation, "index")) && line_is_id(&values[ID]) &&
                   line_whole_number(&values[VERSION], &item->version) && values[RECORD].kind == CW_JSON_OBJECT &&
                   item->record.size > strlen("{}");
    return is_item ? CW_INDEX_LINE_ITEM : CW_INDEX_LINE_WRONG;
}

/* The caller owns *out. */
static cw_index_line index_line_read(crawl_slice line, cw_index_item **out, uint64_t *number)
{
    static const crawl_slice names[] = {
        [NUMBER] = CW_JSON_NAME("n"),        [OPERATION] = CW_JSON_NAME("op"),  [ID] = CW_JSON_NAME("id"),
        [VERSION] = CW_JSON_NAME("version"), [RECORD] = CW_JSON_NAME("record"), [URL] = CW_JSON_NAME("url")};
    cw_json_value values[MEMBERS];
    cw_index_item *item = calloc(1, sizeof *item);
    char *copy = malloc(line.size + 1);
    *number = 0;
    if (!item || !copy) {
        free(copy);
        free(item);
        return CW_INDEX_LINE_NO_MEMORY;
    }
    memcpy(copy, line.data, line.size);
    item->line = copy;
    bool is_object = cw_utf8_valid_prefix(line) == line.size &&
                     cw_json_pick(crawl_slice_of(copy, line.size), names, MEMBERS, values);
    cw_index_line found = is_object ? line_fill(values, item, number) : CW_INDEX_LINE_WRONG;
    if (found == CW_INDEX_LINE_ITEM)
        *out = item;
    else
        cw_index_item_free(item);
    return found;
}

/* NULL: no engine of this name. */
static const cw_index_engine *tool_index_find_engine(const char *name)
{
    static const cw_index_engine *const all[] = {&cw_index_elasticsearch, &cw_index_opensearch, &cw_index_meilisearch,
                                                 &cw_index_typesense};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    return NULL;
}

static const char tool[] = "index";

enum { BYTES_MAX = 5 << 20, LINE_MAX_BYTES = 256 << 20 };

typedef struct index_job {
    const char *index, *key_file, *ca_file, *refused, *timeout, *max_deletes, *purge_before;
    cw_index_feed feed;
    cw_index_item *items[CW_INDEX_ITEMS_MAX];
    size_t count, bytes, deletes; /* of the gathered items */
    crawl_buf in;                 /* read, but not yet a whole line */
} index_job;

/* ---- lines ---- */

static bool index_send(index_job *job)
{
    bool sent = !job->count || cw_index_feed_send(&job->feed, job->items, job->count);
    for (size_t i = 0; i < job->count; i++)
        cw_index_item_free(job->items[i]);
    job->count = job->bytes = job->deletes = 0;
    return sent;
}

static bool index_has(const index_job *job, crawl_slice id)
{
    for (size_t i = 0; i < job->count; i++)
        if (crawl_slice_equal(job->items[i]->id, id))
            return true;
    return false;
}

/* Gathers an item. First sends the gathered ones if one of them is the same document, as engines without versions write
 * all documents before they delete any. Refuses a delete beyond those allowed; their number is known once the gathered
 * ones have been sent. */
static bool index_gather(index_job *job, cw_index_item *item, size_t size)
{
    static const char reason[] = "too much of the index would be deleted in one run: check that the site is whole, "
                                 "or raise --max-deletes";
    uint64_t left = UINT64_MAX;
    bool goes_on = (!index_has(job, item->id) || index_send(job)) &&
                   (!item->is_delete || cw_index_feed_deletes_left(&job->feed, &left));
    if (goes_on && left <= job->deletes)
        goes_on = index_send(job) && cw_index_feed_deletes_left(&job->feed, &left);
    if (!goes_on || !left) {
        if (goes_on)
            return cw_index_feed_refuse(&job->feed, item, reason);
        cw_index_item_free(item);
        return false;
    }
    job->items[job->count++] = item;
    job->bytes += size;
    job->deletes += item->is_delete;
    bool has_room = job->count < CW_INDEX_ITEMS_MAX && job->bytes < BYTES_MAX &&
                    job->deletes < job->feed.target.engine->deletes_max;
    return has_room || index_send(job);
}

static bool index_take_line(index_job *job, crawl_slice line)
{
    uint64_t number;
    cw_index_item *item;
    cw_index_line found = index_line_read(line, &item, &number);
    if (found == CW_INDEX_LINE_PASS && number)
        cw_index_feed_pass(number);
    if (found == CW_INDEX_LINE_ITEM)
        return index_gather(job, item, line.size);
    if (found == CW_INDEX_LINE_PASS)
        return true;
    cw_tool_say(tool, "%s",
                found == CW_INDEX_LINE_WRONG ? "standard input has a line that is not of --output exec:; see `crawl "
                                               "help index`"
                                             : crawl_strerror(CRAWL_ENOMEM));
    return false;
}

static bool index_take_lines(index_job *job)
{
    size_t at = 0;
    bool goes_on = true;
    const char *end;
    while (goes_on && job->in.size > at) {
        end = memchr(job->in.data + at, '\n', job->in.size - at);
        if (!end)
            break;
        goes_on = index_take_line(job, crawl_slice_of(job->in.data + at, (size_t)(end - job->in.data) - at));
        at = (size_t)(end - job->in.data) + 1;
    }
    if (at) {
        memmove(job->in.data, job->in.data + at, job->in.size - at);
        job->in.size -= at;
    }
    return goes_on;
}

/* Reads the available input; if there is none, first sends the gathered items. Returns false if the input has ended, or
 * if *status is not 0. */
static bool index_read(index_job *job, int *status)
{
    enum { PIECE = 256 << 10 };
    struct pollfd more = {.fd = STDIN_FILENO, .events = POLLIN};
    bool sent = poll(&more, 1, 0) > 0 || index_send(job);
    if (!sent || job->in.size > LINE_MAX_BYTES || crawl_buf_reserve(&job->in, PIECE)) {
        *status = CW_EXIT_LOCAL;
        return false;
    }
    ssize_t got = read(STDIN_FILENO, job->in.data + job->in.size, PIECE - 1);
    if (got < 0 && errno == EINTR)
        return true;
    if (got <= 0)
        return false;
    job->in.size += (size_t)got;
    if (!index_take_lines(job))
        *status = CW_EXIT_LOCAL;
    return !*status;
}

static int index_run(index_job *job)
{
    int status = CW_EXIT_OK;
    while (index_read(job, &status))
        continue;
    if (!status && !index_send(job))
        status = CW_EXIT_LOCAL;
    if (!cw_index_feed_close(&job->feed))
        status = CW_EXIT_LOCAL;
    return status;
}

/* ---- the command line ---- */

static bool index_is_name(const char *name)
{
    enum { NAME_MAX_BYTES = 200 };
    size_t size = strlen(name);
    for (size_t i = 0; i < size; i++)
        if (!cw_is_alnum((unsigned char)name[i]) && !memchr("-_.", name[i], 3))
            return false;
    return size > 0 && size <= NAME_MAX_BYTES && name[0] != '.';
}

static bool index_is_number(const char *text, int64_t least, int64_t most)
{
    enum { DIGITS_MAX = 18 };
    size_t size = strlen(text);
    return size && size <= DIGITS_MAX && cw_count_digits(crawl_slice_from(text)) == size && atoll(text) >= least &&
           atoll(text) <= most;
}

static const char *index_wrong(const index_job *job, int count, char **words)
{
    if (count != 2)
        return "expected ENGINE and URL; lines come from standard input";
    if (!tool_index_find_engine(words[0]))
        return "ENGINE must be es, opensearch, meilisearch or typesense";
    if (strncmp(words[1], "http://", 7) != 0 && strncmp(words[1], "https://", 8) != 0)
        return "the URL of the engine must begin with http:// or https://";
    if (!job->index || !index_is_name(job->index))
        return "--index NAME is missing, or has other characters than letters, digits, '-', '_' and '.'";
    if (job->timeout && !index_is_number(job->timeout, 1, 50)) /* a crawl waits 60 s for a sign of life */
        return "--timeout must be 1 to 50 seconds";
    if (job->max_deletes && !index_is_number(job->max_deletes, 0, 100))
        return "--max-deletes must be 0 to 100 percent";
    if (job->purge_before && !index_is_number(job->purge_before, 1, INT64_MAX))
        return "--purge-before must be a version: milliseconds since 1970";
    return NULL;
}

/* Reads the key into *key, which the caller owns, and makes its header. Returns false; the user was told. */
static bool index_read_key(const index_job *job, const cw_index_engine *engine, char **key, crawl_buf *header)
{
    crawl_error error = {0};
    crawl_err err = job->key_file ? cw_secret_read(job->key_file, key, &error) : CRAWL_OK;
    if (!err && *key && !strchr(*key, ':') && crawl_buf_printf(header, engine->key_header, *key))
        err = cw_error(&error, CRAWL_ENOMEM);
    if (err)
        cw_tool_say(tool, "--key-file: %s", error.message);
    return !err;
}

static int index_begin(index_job *job, char **words)
{
    const cw_index_engine *engine = tool_index_find_engine(words[0]);
    char *key = NULL;
    crawl_buf header = {0}, url = {0};
    int status = CW_EXIT_LOCAL;
    size_t size = strlen(words[1]);
    while (words[1][size - 1] == '/')
        size--;
    bool ready = index_read_key(job, engine, &key, &header) && !crawl_buf_append(&url, words[1], size);
    const cw_index_http_options options = {.url = url.data,
                                           .header = header.size ? header.data : NULL,
                                           .user = key && !header.size ? key : NULL,
                                           .ca_file = job->ca_file,
                                           .timeout_s = job->timeout ? atoi(job->timeout) : 30,
                                           .shows_life = !job->purge_before};
    job->feed = (cw_index_feed){.target = {.engine = engine, .index = job->index},
                                .refused_path = job->refused ? job->refused : "refused.jsonl",
                                .max_deletes = job->max_deletes ? (unsigned)atoi(job->max_deletes) : 50,
                                .had = -1};
    if (ready && cw_index_http_create(&options, &job->feed.target.http) == CRAWL_OK)
        status =
            job->purge_before ? cw_index_feed_purge(&job->feed, strtoll(job->purge_before, NULL, 10)) : index_run(job);
    cw_index_http_free(job->feed.target.http);
    crawl_buf_free(&job->feed.target.body);
    crawl_buf_free(&header);
    crawl_buf_free(&url);
    free(key);
    return status;
}

static int index_main(int argc, char **argv)
{
    static index_job job;
    const cw_tool_option known[] = {
        {"index", .text = &job.index},
        {"key-file", .text = &job.key_file},
        {"ca-file", .text = &job.ca_file},
        {"refused", .text = &job.refused},
        {"timeout", .text = &job.timeout},
        {"max-deletes", .text = &job.max_deletes},
        {"purge-before", .text = &job.purge_before},
        {0},
    };
    const cw_tool_syntax syntax = {.tool = tool, .options = known, .help = cw_tool_help};
    int status;
    if (!cw_tool_options(&syntax, argc, argv, &status))
        return status;
    const char *wrong = index_wrong(&job, argc - optind, argv + optind);
    if (wrong)
        return cw_tool_refuse(&syntax, wrong);
    if (curl_global_init(CURL_GLOBAL_DEFAULT)) {
        cw_tool_say(tool, "%s", crawl_strerror(CRAWL_ENOMEM));
        return CW_EXIT_LOCAL;
    }
    status = index_begin(&job, argv + optind);
    crawl_buf_free(&job.in);
    curl_global_cleanup();
    return status;
}

int main(int argc, char **argv)
{
    return cw_tool_main(argc, argv, index_main);
}
