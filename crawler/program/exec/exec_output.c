/* See exec_output.h. This is the part that the crawl's threads run; sink.h has the thread of the process. */
#include "crawler/program/exec/exec_output.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json/json_write.h"
#include "base/thread.h"
#include "crawler/program/exec/sink.h"
#include "crawler/program/output/site_map.h"

#include <crawl/output.h>
#include <crawl/sys/request_log.h>
#include <crawl/wall.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const char prefix[] = "exec:";

bool cw_exec_output_is_command(const char *output)
{
    return strncmp(output, prefix, strlen(prefix)) == 0;
}

crawl_err cw_exec_output_check(const char *command, crawl_error *error)
{
    char **words = NULL;
    crawl_err err = cw_exec_words_split(command + strlen(prefix), &words, error);
    free(words);
    return err;
}

/* ---- records ---- */

/* The parts of a line. */
typedef struct exec_output_parts {
    const crawl_record *record; /* NULL: the line belongs to no page */
    int64_t version;
    crawl_slice text; /* of the record */
    crawl_slice links;
    crawl_slice requests;
} exec_output_parts;

/* Puts a list whose elements each have a comma before them. */
static void exec_output_put_list(cw_writer *line, const char *begin, crawl_slice elements)
{
    if (!elements.size)
        return;
    cw_put_text(line, begin);
    cw_put(line, cw_drop(elements, 1));
    cw_put_text(line, "]");
}

/* Puts a line with its version but without its number, which it gets when it is sent. */
static crawl_err exec_output_put(cw_writer *line, const exec_output_parts *parts)
{
    char id[2 * CRAWL_FINGERPRINT_SIZE + 1];
    if (parts->record) {
        crawl_fingerprint_hex(&parts->record->fingerprint, id);
        cw_json_words(line, "\"op\":", cw_exec_operation(parts->record));
        cw_json_words(line, ",\"id\":", id);
        cw_json_int(line, ",\"version\":", parts->version);
    } else {
        cw_put_text(line, "\"op\":\"keep\"");
    }
    if (parts->text.size) {
        cw_put_text(line, ",\"record\":");
        cw_put(line, parts->text);
    }
    exec_output_put_list(line, ",\"links\":[", parts->links);
    exec_output_put_list(line, ",\"requests\":[", parts->requests);
    cw_put_text(line, "}\n");
    return line->err;
}

/* Makes a line in the memory where it stays until it is acknowledged, because with its links it can have megabytes.
 * CRAWL_ENOMEM. */
static crawl_err exec_output_make(const cw_exec_output *output, const exec_output_parts *parts, cw_exec_line **out)
{
    enum { AROUND = 200 }; /* bytes of a line besides its parts */
    const cw_exec_line head = {.receipt = parts->record && output->options.is_kept ? parts->record->receipt : 0};
    crawl_buf bytes = {0};
    crawl_err err =
        crawl_buf_reserve(&bytes, sizeof head + AROUND + parts->text.size + parts->links.size + parts->requests.size);
    err = err ? err : crawl_buf_append(&bytes, (const char *)&head, sizeof head);
    err = err ? err : exec_output_put(&(cw_writer){&bytes, CRAWL_OK}, parts);
    if (err) {
        crawl_buf_free(&bytes);
        return err;
    }
    *out = (cw_exec_line *)(void *)bytes.data;
    (*out)->size = bytes.size - sizeof head;
    return CRAWL_OK;
}

/* Sends a line with all requests that wait for one. CRAWL_OK: it is queued. */
static crawl_err exec_output_send(cw_exec_output *output, exec_output_parts *parts)
{
    cw_exec_line *line = NULL;
    crawl_error error = {0};
    pthread_mutex_lock(&output->window.lock);
    crawl_err err = cw_exec_versions_next(&output->versions, cw_wall_ms(), &parts->version, &error);
    crawl_buf requests = output->requests;
    output->requests = (crawl_buf){0};
    pthread_mutex_unlock(&output->window.lock);
    parts->requests = crawl_buf_slice(&requests);
    if (err)
        cw_outputs_window_fail(&output->window, &error);
    else
        err = exec_output_make(output, parts, &line);
    crawl_buf_free(&requests);
    if (err)
        return err;
    pthread_mutex_lock(&output->window.lock);
    bool is_first = !output->fresh.first; /* lines after it are taken with it */
    err = cw_outputs_window_enter(&output->window, line->size);
    if (!err)
        cw_exec_lines_append(&output->fresh, line);
    pthread_mutex_unlock(&output->window.lock);
    if (err)
        free(line);
    else if (is_first)
        eventfd_write(output->wake, 1);
    return err;
}

static void exec_output_free_links(void *links)
{
    if (links)
        crawl_buf_free(links);
    free(links);
}

crawl_err cw_exec_output_edge(cw_exec_output *output, const crawl_edge *edge)
{
    crawl_buf *links = pthread_getspecific(output->links);
    if (!links) {
        links = calloc(1, sizeof *links);
        if (!links || pthread_setspecific(output->links, links)) {
            free(links);
            return CRAWL_ENOMEM;
        }
    }
    crawl_err err = crawl_buf_append_char(links, ',');
    return err ? err : crawl_edge_json(edge, links);
}

crawl_err cw_exec_output_write(cw_exec_output *output, const crawl_record *record, crawl_slice text)
{
    crawl_buf *links = pthread_getspecific(output->links);
    exec_output_parts parts = {.record = record, .text = text};
    if (links)
        parts.links = crawl_buf_slice(links);
    if (!text.size && !parts.links.size)
        return CRAWL_OK;
    crawl_err err = exec_output_send(output, &parts);
    if (links)
        crawl_buf_clear(links);
    return err ? err : output->options.is_kept ? CRAWL_AGAIN : CRAWL_OK;
}

crawl_err cw_exec_output_exchange(cw_exec_output *output, const crawl_exchange *exchange)
{
    enum { WITHOUT_RECORD_MAX = 64 << 10 }; /* bytes of requests that wait for a record's line */
    pthread_mutex_lock(&output->window.lock);
    crawl_err err = crawl_buf_append_char(&output->requests, ',');
    err = err ? err : crawl_exchange_json(exchange, &output->requests);
    bool is_much = output->requests.size > WITHOUT_RECORD_MAX;
    pthread_mutex_unlock(&output->window.lock);
    return err || !is_much ? err : exec_output_send(output, &(exec_output_parts){0});
}

crawl_err cw_exec_output_failed(cw_exec_output *output)
{
    return cw_outputs_window_failed(&output->window);
}

/* ---- opening and closing ---- */

crawl_err cw_exec_output_open(const cw_exec_options *options, cw_exec_output **out, crawl_error *error)
{
    cw_exec_output *output = calloc(1, sizeof *output);
    if (!output)
        return cw_error(error, CRAWL_ENOMEM);
    output->options = *options;
    if (pthread_key_create(&output->links, exec_output_free_links)) {
        free(output);
        return crawl_error_set(error, CRAWL_EIO, "cannot create a thread key");
    }
    output->child = (cw_exec_child){.input = -1, .output = -1, .errors = -1, .exit = -1};
    cw_outputs_window_init(&output->window, options->engine);
    output->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    crawl_err err = output->wake < 0 ? cw_error_of_file(error, "exec") : CRAWL_OK;
    err = err ? err : cw_exec_words_split(options->command + strlen(prefix), &output->words, error);
    err = err ? err : cw_exec_versions_open(options->state, &output->versions, error);
    err = err ? err : cw_exec_sink_start(output, error);
    if (!err) {
        output->has_thread = cw_thread_start(&output->thread, cw_exec_sink_run, output) == 0;
        err = output->has_thread ? CRAWL_OK : crawl_error_set(error, CRAWL_EIO, "cannot create a thread");
    }
    if (err)
        cw_exec_output_close(output, NULL);
    else
        *out = output;
    return err;
}

static void exec_output_tell(cw_exec_output *output, bool *what)
{
    pthread_mutex_lock(&output->window.lock);
    *what = true;
    pthread_mutex_unlock(&output->window.lock);
    eventfd_write(output->wake, 1);
}

void cw_exec_output_settle(cw_exec_output *output, int64_t patience_ms)
{
    crawl_error error = {0};
    if (output->requests.size && cw_error(&error, exec_output_send(output, &(exec_output_parts){0})))
        cw_outputs_window_fail(&output->window, &error); /* unless it has failed before */
    exec_output_tell(output, &output->is_ending);
    cw_outputs_window_settle(&output->window, patience_ms);
}

static crawl_err exec_output_how(const cw_exec_output *output, crawl_error *error)
{
    const char *name = output->words ? output->words[0] : prefix;
    crawl_err err = cw_outputs_window_end(&output->window, name, error);
    if (err || !output->refused)
        return err;
    return crawl_error_set(error, CRAWL_EIO, "%s has refused %llu record%s for good%s%s", name,
                           (unsigned long long)output->refused, output->refused == 1 ? "" : "s",
                           *output->reason ? "; the first: " : "", output->reason);
}

crawl_err cw_exec_output_close(cw_exec_output *output, crawl_error *error)
{
    if (!output)
        return CRAWL_OK;
    if (output->has_thread) {
        exec_output_tell(output, &output->is_closing);
        pthread_join(output->thread, NULL);
    } else if (output->child.pid) {
        cw_exec_child_end(&output->child, 0);
        cw_exec_child_close(&output->child);
    }
    crawl_err err = exec_output_how(output, error);
    cw_exec_lines open = cw_exec_open_take_all(&output->open);
    cw_exec_lines_free(&open);
    cw_exec_lines_free(&output->fresh);
    cw_exec_lines_free(&output->waiting);
    cw_exec_lines_free(&output->later);
    crawl_buf_free(&output->to_write);
    crawl_buf_free(&output->answers);
    crawl_buf_free(&output->errors);
    crawl_buf_free(&output->requests);
    cw_exec_versions_free(&output->versions);
    free(output->words);
    cw_outputs_window_free(&output->window);
    if (output->wake >= 0)
        close(output->wake);
    exec_output_free_links(pthread_getspecific(output->links));
    pthread_key_delete(output->links);
    free(output);
    return err;
}

static bool operation_says_nothing(const crawl_record *record, bool is_soft_404)
{
    bool is_asked_in_full = cw_is(record->method, "GET") || cw_is(record->method, "POST");
    return record->external || record->requisite || !record->status || (record->verdict && !is_soft_404) ||
           !is_asked_in_full;
}

static bool operation_is_delete(const crawl_record *record)
{
    int status = record->status;
    bool leads_on = record->redirect.size && !crawl_slice_equal(record->redirect, record->url);
    return status == 404 || status == 410 || ((status == 301 || status == 308) && leads_on) ||
           (status == 304 && record->withheld) || /* robots.txt or a header may have changed, not the page */
           (status / 100 == 2 && !record->error &&
            (record->robots & CRAWL_ROBOTS_NOINDEX || record->withheld || !cw_outputs_is_canonical(record)));
}

const char *cw_exec_operation(const crawl_record *record)
{
    bool is_soft_404 = record->verdict && strcmp(record->verdict, crawl_verdict_name(CRAWL_VERDICT_SOFT_404)) == 0;
    if (operation_says_nothing(record, is_soft_404))
        return "keep";
    if (is_soft_404 || operation_is_delete(record))
        return "delete";
    return record->status / 100 == 2 && !record->error && record->change != CRAWL_CHANGE_NO ? "index" : "keep";
}
